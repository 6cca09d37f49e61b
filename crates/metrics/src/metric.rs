//! The table of metrics: what each one is called, computes, and hides.

use std::fmt;

/// A metric. Lookup by identifier with [`Metric::by_id`]; the description with [`Metric::doc`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Metric {
    /// The headline: natural map in energy units, 2-norm, relative (M.4).
    NaturalMap,
    /// Natural map in energy units, largest factor, relative (M.5).
    NaturalMapMax,
    /// Natural map of one factor relative to its own velocities, largest factor (M.25).
    NaturalMapBlock,
    /// Natural map in impulse units, largest factor (M.6).
    NaturalMapImpulse,
    /// The stopping test of the literature (M.7, M.8).
    Siconos,
    /// Natural map with ρ = 1 over ‖q‖ (M.9).
    NatQ,
    /// Natural map in velocity units over ‖q‖ (M.10).
    ScaledQ,
    /// Fischer–Burmeister function (M.11–M.13).
    FischerBurmeister,
    /// Complementarity |λ·ŵ| (M.14).
    Complementarity,
    /// Signorini's product |λ_n w_n| (M.15).
    Signorini,
    /// Defect of maximum dissipation (M.16).
    Dissipation,
    /// Distance of λ from K(λ) (M.17).
    Primal,
    /// Distance of ŵ from the dual cone (M.18).
    Dual,
    /// Velocity error against a reference (M.19, M.20).
    VelocityError,
    /// Closure of the equations of motion (M.22).
    Closure,
    /// The same, relative (M.23).
    ClosureRelative,
    /// Fenchel certificate (M.24).
    Certificate,
}

/// What a metric needs besides the problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// The impulses.
    Impulses,
    /// The impulses and a trusted solution.
    Reference,
    /// The impulses and the body velocities that the solver reports.
    Velocities,
}

impl Needs {
    /// The identifier used in tables.
    pub fn id(self) -> &'static str {
        match self {
            Self::Impulses => "impulses",
            Self::Reference => "reference",
            Self::Velocities => "velocities",
        }
    }
}

/// Which way a metric improves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Direction {
    /// Zero at an exact solution, larger is worse.
    LowerIsBetter,
}

impl Direction {
    /// The identifier used in tables.
    pub fn id(self) -> &'static str {
        match self {
            Self::LowerIsBetter => "lower",
        }
    }
}

/// Everything a table or a help text needs to know about a metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MetricDoc {
    /// Identifier in specs, records and tables.
    pub id: &'static str,
    /// Human-readable name.
    pub name: &'static str,
    /// The formula, on one line.
    pub formula: &'static str,
    /// Equation numbers of `docs/theory/02-metrics.md`.
    pub theory: &'static [&'static str],
    /// Unit; "-" if it has none.
    pub unit: &'static str,
    /// Keys of `docs/references.bib`; empty for our own.
    pub citations: &'static [&'static str],
    /// Which way it improves.
    pub direction: Direction,
    /// What it needs besides the problem.
    pub needs: Needs,
    /// True if it is small only near a solution, so that it may end a solve by itself. The others are zero elsewhere too,
    /// or are divided by what grows with λ.
    pub decides: bool,
    /// The problems that it applies to.
    pub applies: &'static str,
    /// What it hides.
    pub misleads: &'static str,
}

impl Metric {
    /// Every metric, in the order of the documentation; the headline comes first.
    pub const ALL: [Self; 17] = [
        Self::NaturalMap,
        Self::NaturalMapMax,
        Self::NaturalMapBlock,
        Self::NaturalMapImpulse,
        Self::Siconos,
        Self::NatQ,
        Self::ScaledQ,
        Self::FischerBurmeister,
        Self::Complementarity,
        Self::Signorini,
        Self::Dissipation,
        Self::Primal,
        Self::Dual,
        Self::VelocityError,
        Self::Closure,
        Self::ClosureRelative,
        Self::Certificate,
    ];

    /// The metric that tolerances and default figures refer to.
    pub const HEADLINE: Self = Self::NaturalMap;

    /// The metric with this identifier.
    pub fn by_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|metric| metric.id() == id)
    }

    /// The identifier.
    pub fn id(self) -> &'static str {
        self.doc().id
    }

    /// The description.
    pub fn doc(self) -> &'static MetricDoc {
        match self {
            Self::NaturalMap => &NATURAL_MAP,
            Self::NaturalMapMax => &NATURAL_MAP_MAX,
            Self::NaturalMapBlock => &NATURAL_MAP_BLOCK,
            Self::NaturalMapImpulse => &NATURAL_MAP_IMPULSE,
            Self::Siconos => &SICONOS,
            Self::NatQ => &NAT_Q,
            Self::ScaledQ => &SCALED_Q,
            Self::FischerBurmeister => &FISCHER_BURMEISTER,
            Self::Complementarity => &COMPLEMENTARITY,
            Self::Signorini => &SIGNORINI,
            Self::Dissipation => &DISSIPATION,
            Self::Primal => &PRIMAL,
            Self::Dual => &DUAL,
            Self::VelocityError => &VELOCITY_ERROR,
            Self::Closure => &CLOSURE,
            Self::ClosureRelative => &CLOSURE_RELATIVE,
            Self::Certificate => &CERTIFICATE,
        }
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

const NATURAL_MAP: MetricDoc = MetricDoc {
    id: "natural_map",
    name: "natural map, energy units",
    formula: "√Σ L_g‖λ_g − Π_K(λ_g − ŵ_g/L_g)‖² / √(2E_s)",
    theory: &["M.1", "M.2", "M.3", "M.4"],
    unit: "-",
    citations: &["Facchinei2003"],
    direction: Direction::LowerIsBetter,
    needs: Needs::Impulses,
    applies: "every problem",
    decides: true,
    misleads: "bounds the velocity error only up to the conditioning of A: small on long chains and large mass ratios",
};

const NATURAL_MAP_MAX: MetricDoc = MetricDoc {
    id: "natural_map_max",
    name: "natural map, worst factor",
    formula: "max √L_g ‖λ_g − Π_K(λ_g − ŵ_g/L_g)‖ / √(2E_s)",
    theory: &["M.5"],
    ..NATURAL_MAP
};

const NATURAL_MAP_BLOCK: MetricDoc = MetricDoc {
    id: "natural_map_block",
    name: "natural map, worst factor on its own scale",
    formula: "max L_g‖λ_g − Π_K(λ_g − ŵ_g/L_g)‖ / u_g, u_g the velocities of the factor and its bodies",
    theory: &["M.25"],
    misleads: "of order one until the last light or slow block is solved, however little energy it has",
    ..NATURAL_MAP
};

const NATURAL_MAP_IMPULSE: MetricDoc = MetricDoc {
    id: "natural_map_impulse",
    name: "natural map, impulse units",
    formula: "max ‖λ_g − Π_K(λ_g − ŵ_g/L_g)‖",
    theory: &["M.6"],
    unit: "N·s",
    misleads: "has a unit and no scale: compare it with the impulses of the same problem only; angular rows are N·m·s",
    ..NATURAL_MAP
};

const SICONOS: MetricDoc = MetricDoc {
    id: "siconos",
    name: "residual of the Siconos library",
    formula: "‖λ − Π_K(λ − ŵ)‖ / max(‖q‖, ‖λ‖, ‖w‖); pure LCP: ‖min(λ, w)‖ / ‖q‖",
    theory: &["M.7", "M.8"],
    unit: "-",
    citations: &["Acary2018"],
    direction: Direction::LowerIsBetter,
    needs: Needs::Impulses,
    applies: "every problem",
    decides: false,
    misleads: "ρ = 1 subtracts m/s from N·s, so it changes with the units; dividing by λ and w forgives large ones",
};

const NAT_Q: MetricDoc = MetricDoc {
    id: "nat_q",
    name: "natural map with ρ = 1, relative to q",
    formula: "‖λ − Π_K(λ − ŵ)‖ / ‖q‖",
    theory: &["M.9"],
    decides: true,
    misleads: "ρ = 1 subtracts m/s from N·s, so it changes with the units",
    ..SICONOS
};

const SCALED_Q: MetricDoc = MetricDoc {
    id: "scaled_q",
    name: "natural map, velocity units, relative to q",
    formula: "√Σ L_g²‖λ_g − Π_K(λ_g − ŵ_g/L_g)‖² / ‖q‖",
    theory: &["M.10"],
    citations: &[],
    decides: true,
    misleads: "weighs a light body like a heavy one; mixes m/s and rad/s where rows are angular",
    ..SICONOS
};

const FISCHER_BURMEISTER: MetricDoc = MetricDoc {
    id: "fischer_burmeister",
    name: "Fischer-Burmeister function",
    formula: "√Σ ‖x + y − (x² + y²)^½‖², x = √d λ, y = w/√d; cones in their Jordan algebra",
    theory: &["M.11", "M.12", "M.13"],
    unit: "√J",
    citations: &["Fischer1992", "Billups1995", "Fukushima2002"],
    direction: Direction::LowerIsBetter,
    needs: Needs::Impulses,
    applies: "every law but patches with friction",
    decides: true,
    misleads: "has a unit and no scale; a small μ hides the normal impulse of a cone",
};

const COMPLEMENTARITY: MetricDoc = MetricDoc {
    id: "complementarity",
    name: "complementarity",
    formula: "max |λ_g·ŵ_g|",
    theory: &["M.14"],
    unit: "J",
    citations: &["Acary2008"],
    direction: Direction::LowerIsBetter,
    needs: Needs::Impulses,
    applies: "every problem",
    decides: false,
    misleads: "zero at λ = 0 although every contact may penetrate: read it with primal and dual",
};

const SIGNORINI: MetricDoc = MetricDoc {
    id: "signorini",
    name: "Signorini complementarity",
    formula: "max |λ_n w_n|",
    theory: &["M.15"],
    applies: "contacts, patches, rows with bounds [0, ∞)",
    misleads: "zero at λ = 0; not zero at the solution of a sliding convex cone (F6), whose artefact it shows",
    ..COMPLEMENTARITY
};

const DISSIPATION: MetricDoc = MetricDoc {
    id: "dissipation",
    name: "defect of maximum dissipation",
    formula: "max |c‖w_t‖ + λ_t·w_t|, c the friction bound of the problem's own law",
    theory: &["M.16"],
    citations: &["Moreau1988"],
    applies: "contacts and patches with friction",
    misleads: "zero where nothing slides or λ_n = 0; judges the problem's own law, not Coulomb's",
    ..COMPLEMENTARITY
};

const PRIMAL: MetricDoc = MetricDoc {
    id: "primal",
    name: "primal infeasibility",
    formula: "max ‖λ_g − Π_K(λ)(λ_g)‖",
    theory: &["M.17"],
    unit: "N·s",
    citations: &[],
    direction: Direction::LowerIsBetter,
    needs: Needs::Impulses,
    applies: "every problem",
    decides: false,
    misleads: "zero for every method that projects, converged or not",
};

const DUAL: MetricDoc = MetricDoc {
    id: "dual",
    name: "dual infeasibility",
    formula: "max dist(ŵ_g, (rec K)*)",
    theory: &["M.18"],
    unit: "m/s",
    misleads: "zero on rows whose K is bounded; mixes m/s and rad/s; large λ can make it zero without solving",
    ..PRIMAL
};

const VELOCITY_ERROR: MetricDoc = MetricDoc {
    id: "velocity_error",
    name: "velocity error against a reference",
    formula: "‖v − v_ref‖_M / max(‖v_ref − v_f‖_M, 1e-12 √E_s)",
    theory: &["M.19", "M.20"],
    unit: "-",
    citations: &[],
    direction: Direction::LowerIsBetter,
    needs: Needs::Reference,
    applies: "problems with a reference solution",
    decides: true,
    misleads: "no better than the reference; with several solutions it measures the distance to one of them",
};

const CLOSURE: MetricDoc = MetricDoc {
    id: "closure",
    name: "closure of the equations of motion",
    formula: "‖M(v⁺ − v_f) − Jᵀλ‖_∞ over the movable axes",
    theory: &["M.22"],
    unit: "N·s",
    citations: &[],
    direction: Direction::LowerIsBetter,
    needs: Needs::Velocities,
    applies: "problems with bodies, solvers that keep velocities",
    decides: false,
    misleads: "says nothing about the laws: any λ with its own velocities closes",
};

const CLOSURE_RELATIVE: MetricDoc = MetricDoc {
    id: "closure_relative",
    name: "closure of the equations of motion, relative",
    formula: "‖M(v⁺ − v_f) − Jᵀλ‖_∞ / max(‖M(v⁺ − v_f)‖_∞, ‖|J|ᵀ|λ|‖_∞)",
    theory: &["M.23"],
    unit: "-",
    ..CLOSURE
};

const CERTIFICATE: MetricDoc = MetricDoc {
    id: "certificate",
    name: "Fenchel certificate",
    formula: "Σ ½R‖λ‖² + h*(−w) + λ·w ≥ ½‖v − v*‖²_M, w without Rλ",
    theory: &["M.24"],
    unit: "J",
    citations: &["Rockafellar1970"],
    direction: Direction::LowerIsBetter,
    needs: Needs::Impulses,
    applies: "convex laws with compliance on every row",
    decides: true,
    misleads: "grows like 1/R as R goes to 0, while the error does not",
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_unique_and_found() {
        for (index, metric) in Metric::ALL.into_iter().enumerate() {
            assert_eq!(Metric::by_id(metric.id()), Some(metric));
            assert_eq!(metric.to_string(), metric.id());
            let same = Metric::ALL.iter().filter(|m| m.id() == metric.id());
            assert_eq!(same.count(), 1, "{metric}");
            // order of the documentation is the order of the enum
            assert_eq!(Metric::ALL.binary_search(&metric), Ok(index));
            let doc = metric.doc();
            let characters = doc.id.chars().all(|c| c.is_ascii_lowercase() || c == '_');
            assert!(characters && !doc.theory.is_empty() && !doc.misleads.is_empty());
        }
        assert_eq!(Metric::by_id("natural map"), None);
        assert_eq!(Metric::HEADLINE.id(), "natural_map");
    }
}

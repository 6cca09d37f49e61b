//! What can be read off a run: names, units and meanings of the quantities over time.

use thiserror::Error;

use delassus_core::suggest::nearest;

/// A quantity over time: one of the table, or one component of one body or joint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Observable {
    /// A quantity of the whole world.
    Quantity(Quantity),
    /// `x[1].y`, `v[1].y`, `w[1].z`, `angle[1].z`: one component of the state of a body.
    Body {
        /// Which part of the state.
        part: BodyPart,
        /// The body.
        body: usize,
        /// 0–2 for x, y, z.
        axis: usize,
    },
    /// `C[3].0`: position error of one row of a joint \[m | rad\].
    JointError {
        /// The joint.
        joint: usize,
        /// The row.
        row: usize,
    },
    /// `force[3].y`, `torque[3].z`: what a joint does to its second body \[N\], \[N·m\].
    Reaction {
        /// True for the torque about the centre of mass.
        torque: bool,
        /// The joint.
        joint: usize,
        /// 0–2 for x, y, z.
        axis: usize,
    },
}

/// A part of the state of a body, world axes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyPart {
    /// Centre of mass \[m\].
    Position,
    /// Its velocity \[m/s\].
    Velocity,
    /// Angular velocity \[rad/s\].
    Spin,
    /// Rotation vector of the orientation \[rad\]; its length is at most π.
    Angle,
}

impl BodyPart {
    const ALL: [Self; 4] = [Self::Position, Self::Velocity, Self::Spin, Self::Angle];

    /// Symbol, unit and name.
    fn doc(self) -> [&'static str; 3] {
        match self {
            Self::Position => ["x", "m", "position"],
            Self::Velocity => ["v", "m/s", "velocity"],
            Self::Spin => ["w", "rad/s", "angular velocity"],
            Self::Angle => ["angle", "rad", "orientation"],
        }
    }
}

/// A name that is no observable.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("unknown observable {name:?}{}", .nearest.as_ref().map_or_else(String::new, |n| format!("; did you mean {n:?}?")))]
pub struct UnknownObservable {
    /// What was asked for.
    pub name: String,
    /// The closest name.
    pub nearest: Option<String>,
}

/// Everything that a table or a help text needs to know about a quantity over time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ObservableDoc {
    /// Identifier in specs, records and tables.
    pub id: &'static str,
    /// Human-readable name.
    pub name: &'static str,
    /// The formula, on one line.
    pub formula: &'static str,
    /// Equation numbers of `docs/theory`.
    pub theory: &'static [&'static str],
    /// Unit; "-" if it has none.
    pub unit: &'static str,
    /// Where it has a value.
    pub applies: &'static str,
}

macro_rules! quantities {
    ($($variant:ident = $id:literal [$unit:literal] $name:literal, $formula:literal, $theory:expr, $applies:expr;)*) => {
        /// A quantity of the whole world.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Quantity {
            $(#[doc = concat!("`", $id, "`: ", $name, ".")] $variant,)*
        }

        impl Quantity {
            /// Every quantity, in the order of the documentation.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The description.
            pub fn doc(self) -> &'static ObservableDoc {
                match self {
                    $(Self::$variant => &ObservableDoc {
                        id: $id,
                        name: $name,
                        formula: $formula,
                        theory: $theory,
                        unit: $unit,
                        applies: $applies,
                    },)*
                }
            }
        }
    };
}

const EVERY: &str = "every world";
const LENGTHS: &str = "worlds with rigid joint rows in metres; springs and drives do not count";
const ANGLES: &str = "worlds with rigid joint rows in radians; springs and drives do not count";
const CONTACTS: &str = "worlds with contact points";
const BODIES: &str = "worlds with dynamic bodies";
const FRAMES: &str = "schemes that freeze problems, after the first frame";

quantities! {
    DriftMax = "drift_max" ["m"] "joint drift, largest", "max |C_i|", &["R.1"], LENGTHS;
    DriftRms = "drift_rms" ["m"] "joint drift, RMS", "√(mean C_i²)", &["R.1"], LENGTHS;
    DriftAngleMax = "drift_angle_max" ["rad"] "joint drift of angles, largest", "max |C_i|", &["R.1"], ANGLES;
    DriftAngleRms = "drift_angle_rms" ["rad"] "joint drift of angles, RMS", "√(mean C_i²)", &["R.1"], ANGLES;
    PenetrationMax = "penetration_max" ["m"] "overlap of contacts, largest", "max max(0, −φ_c)", &["R.2"], CONTACTS;
    PenetrationMean = "penetration_mean" ["m"] "overlap of contacts, mean over all points", "mean max(0, −φ_c)", &["R.2"], CONTACTS;
    Kinetic = "kinetic" ["J"] "kinetic energy", "½ Σ m v² + ω·Iω", &["R.3"], EVERY;
    Potential = "potential" ["J"] "potential energy of the weight", "−Σ m g·x", &["R.3"], EVERY;
    Spring = "spring" ["J"] "energy of the soft joints", "½ Σ k C²", &["R.3"], EVERY;
    Energy = "energy" ["J"] "mechanical energy", "kinetic + potential + spring", &["R.3"], EVERY;
    EnergyError = "energy_error" ["J"] "energy gained from nowhere", "E(t) − E(0) − W_drive − W_applied", &["R.4"], EVERY;
    Dissipated = "dissipated" ["J"] "energy lost", "E(0) + W_drive + W_applied − E(t)", &["R.4"], EVERY;
    DriveWork = "drive_work" ["J"] "work of motors, servos and moving anchors", "Σ λ_i (Jv)_i over drives", &["R.4"], EVERY;
    AppliedWork = "applied_work" ["J"] "work of applied forces and torques", "Σ h (f·v + τ·ω)", &["R.4"], EVERY;
    MomentumError = "momentum_error" ["N·s"] "momentum from nowhere", "‖p(t) − p(0) − Σ external‖", &["R.5"], EVERY;
    AngularMomentumError = "angular_momentum_error" ["N·m·s"] "angular momentum from nowhere", "‖L(t) − L(0) − Σ external‖, L about the origin", &["R.6"], EVERY;
    CentreOfMassShift = "centre_of_mass_shift" ["m"] "shift of the centre of mass, beside its steady motion", "‖X(t) − X(0) − t P(0)/M‖", &["R.17"], BODIES;
    Motion = "motion" ["√kg·m"] "distance from the start, by mass", "√(Σ m Δx² + θ·Iθ)", &["R.18"], BODIES;
    Jitter = "jitter" ["m/s"] "RMS speed over the last 2 s; zero where the answer is rest", "√(mean v²)", &["R.7"], BODIES;
    SpinJitter = "spin_jitter" ["rad/s"] "RMS angular speed over the last 2 s", "√(mean ω²)", &["R.7"], BODIES;
    NaturalMap = "natural_map" ["-"] "residual of the last solve with bias of the frame", "natural map, energy units", &["M.4"], FRAMES;
    RelaxedNaturalMap = "relaxed_natural_map" ["-"] "residual of the last solve without bias of the frame", "natural map, energy units", &["M.4"], "schemes that freeze problems and relax, after the first frame";
    Rows = "rows" ["-"] "rows of the last problem of the frame", "m", &["P.1"], EVERY;
    RowUpdates = "row_updates" ["-"] "row updates of the frame", "Σ over its solves", &["R.15"], EVERY;
}

const AXES: [&str; 3] = ["x", "y", "z"];

/// Form, unit and meaning of the observables of one body or joint: `(form, unit, name)`.
pub const PROBES: [(&str, &str, &str); 7] = [
    ("x[BODY].AXIS", "m", "position of a body's centre of mass"),
    ("v[BODY].AXIS", "m/s", "its velocity"),
    ("w[BODY].AXIS", "rad/s", "angular velocity of a body"),
    (
        "angle[BODY].AXIS",
        "rad",
        "rotation vector of its orientation, at most π long",
    ),
    (
        "C[JOINT].ROW",
        "m | rad",
        "position error of one row of a joint",
    ),
    (
        "force[JOINT].AXIS",
        "N",
        "force of a joint on its second body",
    ),
    (
        "torque[JOINT].AXIS",
        "N·m",
        "its torque about that body's centre of mass",
    ),
];

impl Quantity {
    /// The quantity with this identifier.
    pub fn by_id(id: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|q| q.doc().id == id)
    }
}

impl Observable {
    /// Parses an identifier.
    ///
    /// # Errors
    /// The name with the closest known one.
    pub fn parse(name: &str) -> Result<Self, UnknownObservable> {
        if let Some(quantity) = Quantity::by_id(name) {
            return Ok(Self::Quantity(quantity));
        }
        probe(name).ok_or_else(|| {
            let ids = Quantity::ALL.iter().map(|quantity| quantity.doc().id);
            UnknownObservable {
                name: name.to_owned(),
                nearest: form(name).or_else(|| nearest(name, ids)),
            }
        })
    }

    /// The identifier, which parses to the same observable.
    pub fn id(&self) -> String {
        match *self {
            Self::Quantity(quantity) => quantity.doc().id.to_owned(),
            Self::Body { part, body, axis } => {
                let [symbol, _, _] = part.doc();
                format!("{symbol}[{body}].{}", AXES[axis])
            }
            Self::JointError { joint, row } => format!("C[{joint}].{row}"),
            Self::Reaction {
                torque,
                joint,
                axis,
            } => {
                let name = if torque { "torque" } else { "force" };
                format!("{name}[{joint}].{}", AXES[axis])
            }
        }
    }

    /// Unit; "-" if it has none. The unit of a joint's error is that of its row.
    pub fn unit(&self) -> &'static str {
        match self {
            Self::Quantity(quantity) => quantity.doc().unit,
            Self::Body { part, .. } => part.doc()[1],
            Self::JointError { .. } => "m | rad",
            Self::Reaction { torque: false, .. } => "N",
            Self::Reaction { torque: true, .. } => "N·m",
        }
    }

    /// What it is, in a few words.
    pub fn description(&self) -> String {
        match *self {
            Self::Quantity(quantity) => quantity.doc().name.to_owned(),
            Self::Body { part, body, axis } => {
                let [_, _, name] = part.doc();
                format!("{name} of body {body} along {}", AXES[axis])
            }
            Self::JointError { joint, row } => format!("error of row {row} of joint {joint}"),
            Self::Reaction {
                torque,
                joint,
                axis,
            } => {
                let what = if torque { "torque" } else { "force" };
                format!("{what} of joint {joint} along {}", AXES[axis])
            }
        }
    }
}

/// The parts of `NAME[INDEX].REST`.
fn split(name: &str) -> Option<(&str, usize, &str)> {
    let (what, rest) = name.split_once('[')?;
    let (index, rest) = rest.split_once("].")?;
    // a sign would parse
    let digits = index.bytes().all(|byte| byte.is_ascii_digit());
    Some((what, index.parse().ok().filter(|_| digits)?, rest))
}

fn probe(name: &str) -> Option<Observable> {
    let (what, index, rest) = split(name)?;
    if what == "C" {
        let digits = rest.bytes().all(|byte| byte.is_ascii_digit());
        let row = rest.parse().ok().filter(|_| digits)?;
        return Some(Observable::JointError { joint: index, row });
    }
    let axis = AXES.iter().position(|axis| *axis == rest)?;
    let body = |part| Observable::Body {
        part,
        body: index,
        axis,
    };
    let reaction = |torque| Observable::Reaction {
        torque,
        joint: index,
        axis,
    };
    match what {
        "force" => Some(reaction(false)),
        "torque" => Some(reaction(true)),
        symbol => {
            let mut parts = BodyPart::ALL.into_iter();
            parts.find(|part| part.doc()[0] == symbol).map(body)
        }
    }
}

/// The form that a wrong name with an index comes closest to.
fn form(name: &str) -> Option<String> {
    let (what, _) = name.split_once('[')?;
    let forms = PROBES.map(|(form, _, _)| form);
    let names = forms.map(|form| form.split('[').next().unwrap_or(form));
    let close = nearest(what, names)?;
    let index = names.iter().position(|name| *name == close)?;
    Some(forms[index].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_identifier_parses_to_itself() {
        for (index, quantity) in Quantity::ALL.iter().enumerate() {
            let parsed = Observable::parse(quantity.doc().id);
            assert_eq!(parsed, Ok(Observable::Quantity(*quantity)));
            let twice = Quantity::ALL[..index]
                .iter()
                .any(|q| q.doc().id == quantity.doc().id);
            assert!(!twice, "{}", quantity.doc().id);
        }
        for id in [
            "x[1].y",
            "v[0].x",
            "w[12].z",
            "angle[3].z",
            "C[4].2",
            "force[0].y",
            "torque[7].x",
        ] {
            let observable = Observable::parse(id).unwrap();
            assert_eq!(observable.id(), id);
            assert!(!observable.unit().is_empty() && !observable.description().is_empty());
        }
    }

    #[test]
    fn typing_errors_find_what_was_meant() {
        let nearest = |name: &str| Observable::parse(name).unwrap_err().nearest;
        assert_eq!(nearest("drift_mx").as_deref(), Some("drift_max"));
        assert_eq!(nearest("energy_eror").as_deref(), Some("energy_error"));
        assert_eq!(nearest("forse[1].x").as_deref(), Some("force[JOINT].AXIS"));
        assert_eq!(nearest("x[1].q").as_deref(), Some("x[BODY].AXIS"));
        for name in [
            "x[-1].x", "x[+1].x", "C[1].+0", "C[1]", "x", "", "é[1].x", "q[1].x",
        ] {
            assert!(Observable::parse(name).is_err(), "{name}");
        }
    }
}

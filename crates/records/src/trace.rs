//! What follows from the solve of a problem in addition to its metrics: numbers of the trace, or of
//! several solves.

/// Everything that a table or a help text needs to know about a number of a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceDoc {
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
    /// What `[measure]` has to name for it; `None` where any metric will do.
    pub measured: Option<&'static str>,
    /// What it hides.
    pub misleads: &'static str,
}

macro_rules! quantities {
    ($($variant:ident = $id:literal [$unit:literal] $name:literal, $formula:literal, $theory:expr, $measured:expr, $misleads:literal;)*) => {
        /// A number of the trace of a solve.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum TraceQuantity {
            $(#[doc = concat!("`", $id, "`: ", $name, ".")] $variant,)*
        }

        impl TraceQuantity {
            /// Every one, in the order of the documentation.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The description.
            pub fn doc(self) -> &'static TraceDoc {
                match self {
                    $(Self::$variant => &TraceDoc {
                        id: $id,
                        name: $name,
                        formula: $formula,
                        theory: $theory,
                        unit: $unit,
                        measured: $measured,
                        misleads: $misleads,
                    },)*
                }
            }
        }
    };
}

quantities! {
    StateChanges = "state_changes" ["-"] "blocks that changed between open, stick, slip or between bounds since the sample before", "Σ over judged sweeps of #{blocks whose state changed}", &["M.37"], None, "blocks that are weakly active change with every rounding";
    ImpulseSpread = "impulse_spread" ["-"] "spread of the impulses over orders of the blocks", "max over pairs of √(Σ d_i (λ_r,i − λ_s,i)²) / √(2E_s)", &["M.34"], None, "a few random orders are no bound; large where rows are redundant, however right the velocities";
    VelocitySpread = "velocity_spread" ["-"] "spread of the velocities over orders of the blocks", "max over pairs of ‖A(λ_r − λ_s)‖_D / √(2E_s)", &["M.34"], None, "a few random orders are no bound; of the size of the tolerance where the solution is unique";
    Rank = "rank" ["-"] "rank of the rows", "#{k : s_k > 1e-10 s_max} of the scaled A", &["D.3"], None, "of the problem, not of the solve: each of its cells has the same; a count that ends at a threshold";
    Condition = "condition" ["-"] "condition of the rows that do not depend on others", "s_max / min{s_k : s_k > 1e-10 s_max} of the scaled A", &["D.20"], None, "of the problem, not of the solve; says nothing of friction";
    Rate = "rate" ["-"] "asymptotic factor per sweep", "ρ of r_k ≈ C k^p ρ^k", &["A.1"], None, "of the velocity error where it is measured, else of the natural map or the first metric; none where convergence is not linear";
    Plateau = "plateau" ["-"] "level at which the residual stays", "median of r over the last half of the sweeps, if its least value no longer halves", &["A.5"], None, "of the natural map, else of the first metric; none while the residual falls and where the solve is solved";
    Violations = "violations" ["-"] "samples at which the residual grew", "#{k : r_k > (1 + 1e-9) r_(k−1)}, above the rounding floor", &["A.6"], None, "more samples see more; most methods are not monotone in the natural map";
    ActiveSetChanges = "active_set_changes" ["-"] "changes of the active set", "Σ state_changes", &["A.7", "M.37"], Some("state_changes"), "counts a block that flickers between two states as often as it does";
    ActiveSetSweep = "active_set_sweep" ["-"] "sweeps after which the active set is the last one", "sweeps of the last sample with state_changes > 0", &["A.7", "M.37"], Some("state_changes"), "to the resolution of the samples; a solve that ends early has the last that it saw, not the right one";
    WarmStart = "warm_start" ["-"] "error of the start", "‖λ⁰ − λ*‖_A / ‖λ*‖_A, the velocity error of the first sample", &["M.36", "M.19"], Some("velocity_error"), "no better than the reference; large where the exact answer is almost no impulse";
}

impl TraceQuantity {
    /// The quantity with this identifier.
    pub fn by_id(id: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|q| q.doc().id == id)
    }

    /// True if it is a column of the samples, which `[measure]` asks for among the metrics; the
    /// others are read off the columns of a finished record.
    pub fn is_column(self) -> bool {
        matches!(
            self,
            Self::StateChanges
                | Self::ImpulseSpread
                | Self::VelocitySpread
                | Self::Rank
                | Self::Condition
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_unique_and_what_they_need_is_there() {
        for (index, quantity) in TraceQuantity::ALL.iter().enumerate() {
            let doc = quantity.doc();
            assert_eq!(TraceQuantity::by_id(doc.id), Some(*quantity));
            assert!(
                TraceQuantity::ALL[..index]
                    .iter()
                    .all(|q| q.doc().id != doc.id)
            );
            assert!(!doc.theory.is_empty() && !doc.misleads.is_empty());
            if let Some(other) = doc.measured.and_then(TraceQuantity::by_id) {
                assert!(other.is_column(), "{}", doc.id);
            }
        }
        assert_eq!(TraceQuantity::by_id("natural_map"), None);
    }
}

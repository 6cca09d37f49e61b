//! Softness of constraints: compliance, or frequency and damping ratio.

use delassus_core::parameter::require;
use delassus_core::{MassProperties, ParameterError, Parameters};

/// Softness of the rows of a problem.
#[derive(Debug, Clone, Copy, PartialEq, Parameters)]
#[parameters(check = "Self::check")]
pub struct SoftnessParameters {
    /// Compliance R of every row. 0 is rigid.
    #[parameter(default = 0.0, unit = "1/kg", range = ">= 0")]
    pub compliance: f64,
    /// Frequency of every row as if it were alone, instead of a compliance. 0 is rigid.
    #[parameter(default = 0.0, unit = "Hz", range = ">= 0")]
    pub hertz: f64,
    /// Damping ratio that goes with hertz.
    #[parameter(default = 1.0, unit = "-", range = ">= 0")]
    pub damping_ratio: f64,
}

impl SoftnessParameters {
    fn check(&self) -> Result<(), ParameterError> {
        let both = self.hertz > 0.0 && self.compliance > 0.0;
        let expected = "give either compliance or hertz, not both";
        require(!both, "hertz", self.hertz, expected)
    }

    pub(crate) fn is_rigid(&self) -> bool {
        self.compliance == 0.0 && self.hertz == 0.0
    }

    /// The spring of the rows; rigid where they have a compliance or nothing.
    fn spring(&self) -> delassus_core::Softness {
        if self.hertz > 0.0 {
            delassus_core::Softness::Frequency {
                hertz: self.hertz,
                damping_ratio: self.damping_ratio,
            }
        } else {
            delassus_core::Softness::Rigid
        }
    }

    /// R of a row with A_ii = `diagonal` \[1/kg\] at a step of `dt` \[s\] (E.3).
    pub(crate) fn compliance_of(&self, diagonal: f64, dt: f64) -> f64 {
        let row = self.spring().row(diagonal, dt);
        row.map_or(self.compliance, |row| row.compliance)
    }

    /// b_pos of a row at separation `gap` \[m/s\]: speculative when open, a share β when
    /// overlapping (E.4).
    pub(crate) fn bias_of(&self, gap: f64, recovery: f64, dt: f64) -> f64 {
        let share = if gap >= 0.0 {
            1.0
        } else {
            self.spring().erp(dt).unwrap_or(recovery)
        };
        share * gap / dt
    }
}

/// A_ii of one row \[1/kg\]: `entries` belong to `bodies`.
pub(crate) fn diagonal(entries: &[[f64; 6]], bodies: &[&MassProperties]) -> f64 {
    let pairs = entries.iter().zip(bodies);
    pairs
        .map(|(entry, mass)| {
            let moved = mass.apply_inverse(entry);
            entry.iter().zip(&moved).map(|(a, b)| a * b).sum::<f64>()
        })
        .sum()
}

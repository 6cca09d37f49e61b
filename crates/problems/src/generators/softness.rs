//! Softness of constraints: compliance, or frequency and damping ratio.

use delassus_core::{MassProperties, ParameterError};

use super::parameters::{finite, non_negative, require};

/// Softness of the rows of a scene.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Softness {
    /// R of each row \[1/kg\].
    pub(crate) compliance: f64,
    /// Natural frequency of each row as if it were alone \[Hz\]; zero is rigid.
    pub(crate) hertz: f64,
    /// Damping ratio \[-\].
    pub(crate) damping_ratio: f64,
    /// Time step \[s\].
    pub(crate) dt: f64,
}

impl Softness {
    pub(crate) fn validate(&self) -> Result<(), ParameterError> {
        non_negative("compliance", self.compliance)?;
        non_negative("hertz", self.hertz)?;
        non_negative("damping_ratio", self.damping_ratio)?;
        let both = self.hertz > 0.0 && self.compliance > 0.0;
        require(
            !both,
            "hertz",
            self.hertz,
            "give either compliance or hertz, not both",
        )
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

    /// R of a row with A_ii = `diagonal` \[1/kg\] (E.3).
    pub(crate) fn compliance_of(&self, diagonal: f64) -> f64 {
        let row = self.spring().row(diagonal, self.dt);
        row.map_or(self.compliance, |row| row.compliance)
    }

    /// b_pos of a row at separation `gap` \[m/s\]: speculative when open, a share β when overlapping (E.4).
    pub(crate) fn bias_of(&self, gap: f64, recovery: f64) -> f64 {
        let share = if gap >= 0.0 {
            1.0
        } else {
            self.spring().erp(self.dt).unwrap_or(recovery)
        };
        share * gap / self.dt
    }
}

/// Checks gravity and time step.
pub(crate) fn step(gravity: f64, dt: f64) -> Result<(), ParameterError> {
    finite("gravity", gravity)?;
    require(gravity >= 0.0, "gravity", gravity, "it must be >= 0")?;
    super::parameters::positive("dt", dt)
}

/// A_ii of one row \[1/kg\]: `entries` belong to `bodies`.
pub(crate) fn diagonal(entries: &[[f64; 6]], bodies: &[&MassProperties]) -> f64 {
    let pairs = entries.iter().zip(bodies);
    pairs
        .map(|(entry, mass)| {
            let moved = mass.times(entry);
            entry.iter().zip(&moved).map(|(a, b)| a * b).sum::<f64>()
        })
        .sum()
}

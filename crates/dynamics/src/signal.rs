//! Prescribed functions of time: motor speeds, servo targets, moving anchors.

use std::f64::consts::TAU;

use serde::{Deserialize, Serialize};

use crate::error::FieldError;

/// A target b(t) and its rate.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Signal {
    /// b(t) = value.
    Constant(f64),
    /// b(t) = start + rate·t.
    Ramp {
        /// Value at t = 0.
        start: f64,
        /// Rate \[unit/s\].
        rate: f64,
    },
    /// b(t) = mean + amplitude·sin(2π·hertz·t + phase).
    Sine {
        /// Mean value.
        mean: f64,
        /// Amplitude.
        amplitude: f64,
        /// Frequency \[Hz\]; ≥ 0.
        hertz: f64,
        /// Phase at t = 0 \[rad\].
        #[serde(default)]
        phase: f64,
    },
}

impl Default for Signal {
    fn default() -> Self {
        Self::Constant(0.0)
    }
}

impl Signal {
    /// b(t) at `time` \[s\].
    pub fn value(&self, time: f64) -> f64 {
        match *self {
            Self::Constant(value) => value,
            Self::Ramp { start, rate } => start + rate * time,
            Self::Sine {
                mean,
                amplitude,
                hertz,
                phase,
            } => mean + amplitude * libm::sin(TAU * hertz * time + phase),
        }
    }

    /// db/dt at `time` \[s\].
    pub fn rate(&self, time: f64) -> f64 {
        match *self {
            Self::Constant(_) => 0.0,
            Self::Ramp { rate, .. } => rate,
            Self::Sine {
                amplitude,
                hertz,
                phase,
                ..
            } => amplitude * TAU * hertz * libm::cos(TAU * hertz * time + phase),
        }
    }

    /// Checks the numbers; `field` names the signal.
    ///
    /// # Errors
    /// A number that is not finite, or a negative frequency.
    pub fn validate(&self, field: &str) -> Result<(), FieldError> {
        let at = |name: &str| format!("{field}.{name}");
        match *self {
            Self::Constant(value) => FieldError::finite(field, value),
            Self::Ramp { start, rate } => {
                FieldError::finite(at("start"), start)?;
                FieldError::finite(at("rate"), rate)
            }
            Self::Sine {
                mean,
                amplitude,
                hertz,
                phase,
            } => {
                FieldError::finite(at("mean"), mean)?;
                FieldError::finite(at("amplitude"), amplitude)?;
                FieldError::non_negative(at("hertz"), hertz)?;
                FieldError::finite(at("phase"), phase)
            }
        }
    }
}

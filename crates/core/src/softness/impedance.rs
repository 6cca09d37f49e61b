//! Softness as MuJoCo writes it: a reference acceleration and an impedance (S.24)–(S.29).
//!
//! The numbers of a row depend on its error, so no other form of [`Softness`](super::Softness) is
//! equal to this one. [`ImpedanceRow`] contains these numbers for one state. Difference from the
//! source: MuJoCo replaces some invalid numbers and prints a warning (`solref` of mixed signs, a
//! width below 0, a power below 1). Here they are errors.
//!
//! Source: \[Todorov2014\], and `engine_core_constraint.c` of MuJoCo.

use serde::{Deserialize, Serialize};

use crate::Choice;
use crate::error::ParameterError;

/// Bounds of an impedance and of its midpoint \[-\].
const IMPEDANCE: [f64; 2] = [1e-4, 0.9999];

/// Smallest compliance \[1/kg\].
const LEAST_COMPLIANCE: f64 = 1e-15;

/// The value that replaces A_ii in the compliance of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Choice)]
pub enum DiagonalEstimate {
    /// The sum over the bodies of a third of the trace of their inverse mass or inverse inertia:
    /// `invweight0` of a free body.
    #[default]
    Approximate,
    /// A_ii of the row: the flag `diagexact`.
    Exact,
}

/// Reference and impedance of a soft row. The default is MuJoCo's.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Impedance {
    /// Time constant T \[s\] and damping ratio ζ \[-\], both > 0; or −k \[1/s²\] and −b \[1/s\],
    /// both ≤ 0. A T below 2h counts as 2h.
    pub solref: [f64; 2],
    /// Impedance at the surface and at the width \[-\], in \[0, 1\]; width \[m | rad\], ≥ 0;
    /// midpoint \[-\], in \[0, 1\]; power \[-\], ≥ 1. Impedances and midpoint count as 0.0001 at
    /// least and 0.9999 at most.
    pub solimp: [f64; 5],
    /// Compliance of the normal row over that of the first row of friction \[-\]; > 0.
    pub impratio: f64,
    /// The value that replaces A_ii.
    pub diagonal: DiagonalEstimate,
}

impl Default for Impedance {
    fn default() -> Self {
        Self {
            solref: [0.02, 1.0],
            solimp: [0.9, 0.95, 0.001, 0.5, 2.0],
            impratio: 1.0,
            diagonal: DiagonalEstimate::Approximate,
        }
    }
}

/// The numbers of a row with an impedance at one error: `w = J v⁺ + R λ + b`, where b is
/// [`ImpedanceRow::bias`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ImpedanceRow {
    /// K \[1/s²\].
    pub stiffness: f64,
    /// B \[1/s\].
    pub damping: f64,
    /// d at the error of the row \[-\].
    pub impedance: f64,
    /// R \[1/kg | 1/(kg·m²)\].
    pub compliance: f64,
}

impl Impedance {
    /// Checks the numbers against their ranges.
    ///
    /// # Errors
    /// The first parameter out of its range.
    pub fn validate(&self) -> Result<(), ParameterError> {
        let [time, ratio] = self.solref;
        let finite = time.is_finite() && ratio.is_finite();
        let fits = (time > 0.0 && ratio > 0.0) || (time <= 0.0 && ratio <= 0.0);
        let expected =
            "must be [T, ζ] with both above 0 [s, -], or [-k, -b] with both at most 0 [1/s², 1/s]";
        refuse("solref", finite && fits, &self.solref, expected)?;
        let [at_surface, at_width, width, midpoint, power] = self.solimp;
        let unit = 0.0..=1.0;
        let fits = [at_surface, at_width, midpoint]
            .iter()
            .all(|x| unit.contains(x))
            && width >= 0.0
            && power >= 1.0
            && width.is_finite()
            && power.is_finite();
        let expected = "must be [d_0, d_width, width, midpoint, power] with d_0, d_width and midpoint in [0, 1] [-], width ≥ 0 [m | rad] and power ≥ 1 [-]";
        refuse("solimp", fits, &self.solimp, expected)?;
        let fits = self.impratio > 0.0 && self.impratio.is_finite();
        refuse("impratio", fits, &[self.impratio], "must be > 0 [-]")
    }

    /// The impedance d at an error \[m | rad\] of either sign (S.24) \[-\].
    ///
    /// ```
    /// let softness = delassus_core::Impedance::default();
    /// assert_eq!(softness.impedance(0.0), 0.9);
    /// assert_eq!(softness.impedance(-0.002), 0.95);
    /// ```
    pub fn impedance(&self, error: f64) -> f64 {
        let [low, high, width, midpoint, power] = self.solimp;
        let [low, high, midpoint] = [low, high, midpoint].map(clamped);
        if low == high || width <= LEAST_COMPLIANCE {
            return 0.5 * (low + high);
        }
        let x = error.abs() / width;
        if x >= 1.0 {
            return high;
        }
        let share = if power == 1.0 {
            x
        } else if x <= midpoint {
            libm::pow(x, power) / libm::pow(midpoint, power - 1.0)
        } else {
            1.0 - libm::pow(1.0 - x, power) / libm::pow(1.0 - midpoint, power - 1.0)
        };
        low + share * (high - low)
    }

    /// The numbers of a row at an `error` \[m | rad\] and a step h \[s\] (S.25), (S.26). `diagonal`
    /// is A_ii of the row or its estimate \[1/kg\].
    pub fn row(&self, diagonal: f64, error: f64, h: f64) -> ImpedanceRow {
        let impedance = self.impedance(error);
        let at_width = clamped(self.solimp[1]);
        let [time, ratio] = self.solref;
        let [stiffness, damping] = if time > 0.0 {
            let time = time.max(2.0 * h);
            let product = at_width * time * ratio;
            [1.0 / (product * product), 2.0 / (at_width * time)]
        } else {
            [-time / (at_width * at_width), -ratio / at_width]
        };
        let compliance = (1.0 - impedance) / impedance * diagonal;
        ImpedanceRow {
            stiffness,
            damping,
            impedance,
            compliance: compliance.max(LEAST_COMPLIANCE),
        }
    }

    /// The softness of a contact between surfaces with these two softnesses: the means of `solref`
    /// and `solimp`. If one `solref` is negative, that is given as stiffness and damping, the
    /// smaller numbers of both are used. `None` if `impratio` or `diagonal` differ, because these
    /// belong to a whole model.
    pub fn mixed(self, other: Self) -> Option<Self> {
        if (self.impratio, self.diagonal) != (other.impratio, other.diagonal) {
            return None;
        }
        let mean = |a: f64, b: f64| 0.5 * (a + b);
        let [a, b] = [self.solref, other.solref];
        let standard = a[0] > 0.0 && b[0] > 0.0;
        let solref = [0, 1].map(|i| {
            if standard {
                mean(a[i], b[i])
            } else {
                a[i].min(b[i])
            }
        });
        let mut solimp = self.solimp;
        for (x, y) in solimp.iter_mut().zip(other.solimp) {
            *x = mean(*x, y);
        }
        Some(Self {
            solref,
            solimp,
            ..self
        })
    }

    /// The impedance that equals the spring of `row` at the step h \[s\], on a row whose A_ii is
    /// `diagonal` \[1/kg\] (S.29). It has hB = 1 and the same d at every error. `None` if this d is
    /// out of bounds, or if the row has no spring.
    pub fn of_row(row: &super::SoftRow, diagonal: f64, h: f64) -> Option<Self> {
        let impedance = diagonal / (diagonal + row.compliance);
        let fits = (IMPEDANCE[0]..=IMPEDANCE[1]).contains(&impedance) && row.bias_rate > 0.0;
        let solref = [-row.bias_rate * impedance / h, -impedance / h];
        fits.then_some(Self {
            solref,
            solimp: [impedance, impedance, 0.0, 0.5, 1.0],
            impratio: 1.0,
            diagonal: DiagonalEstimate::Exact,
        })
    }
}

impl ImpedanceRow {
    /// The bias \[m/s | rad/s\] of the row in a step h \[s\] from the `error` \[m | rad\] and the
    /// `velocity` of the row \[m/s | rad/s\] at its start (S.27).
    pub fn bias(&self, error: f64, velocity: f64, h: f64) -> f64 {
        h * (self.stiffness * self.impedance * error) - (1.0 - h * self.damping) * velocity
    }
}

fn clamped(x: f64) -> f64 {
    x.clamp(IMPEDANCE[0], IMPEDANCE[1])
}

fn refuse(
    parameter: &'static str,
    fits: bool,
    value: &[f64],
    expected: &'static str,
) -> Result<(), ParameterError> {
    if fits {
        return Ok(());
    }
    let value = match value {
        [one] => one.to_string(),
        several => format!("{several:?}"),
    };
    Err(ParameterError {
        parameter,
        value,
        expected,
    })
}

#[cfg(test)]
mod tests;

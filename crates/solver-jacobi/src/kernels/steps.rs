//! `steps`: steps of the rows of a contact point from masses, frame and arms (J.4, J.7), by the
//! formulas that need no difference of squares (K.45). [`crate::pack`] computes the same numbers in
//! f64 and rounds them.

use super::vectors::{Triple, add, cross, dot, moved};
use crate::pack::{BODY_MASS, law};
use crate::real::{Quad, Real};

/// A point between two bodies.
#[derive(Debug, Clone, Copy)]
pub struct StepPoint<T> {
    /// Normal and tangents.
    pub frame: [Triple<T>; 3],
    /// From the centres of the two bodies \[m\].
    pub arms: [Triple<T>; 2],
    /// Inverse masses of the two bodies.
    pub mass: [[Quad<T>; BODY_MASS]; 2],
    /// Factors of the step rule, which contain 1/ω \[-\].
    pub factor: [T; 2],
    /// R/ω of the rows \[1/kg\].
    pub compliance: Triple<T>,
}

impl<T: Real> StepPoint<T> {
    /// x M⁻¹ y of impulses along two directions.
    fn between_rows(&self, side: usize, x: Triple<T>, y: Triple<T>) -> T {
        let arm = self.arms[side];
        let (linear, angular) = moved(self.mass[side], y, cross(arm, y));
        dot(x, linear) + dot(cross(arm, x), angular)
    }

    /// Entry of Σ_b c_b K_b.
    fn entry(&self, i: usize, j: usize) -> T {
        let of = |side: usize| self.between_rows(side, self.frame[i], self.frame[j]);
        self.factor[0] * of(0) + self.factor[1] * of(1)
    }

    /// Steps of the three rows under a law \[kg\].
    pub fn steps(&self, law: u32) -> Triple<T> {
        let d = add([0, 1, 2].map(|row| self.entry(row, row)), self.compliance);
        let half = T::ONE / (T::ONE + T::ONE);
        let third = T::ONE + T::ONE + T::ONE;
        match law {
            law::DISC => {
                let (off, across) = (half * (d[1] - d[2]), self.entry(1, 2));
                let bound = half * (d[1] + d[2]) + (off * off + across * across).sqrt();
                let step = inverse(bound);
                [inverse(d[0]), step, step]
            }
            law::CONE => {
                let mean = (d[0] + d[1] + d[2]) / third;
                let off = d.map(|x| x - mean);
                let across = [self.entry(0, 1), self.entry(0, 2), self.entry(1, 2)];
                let twice = T::ONE + T::ONE;
                let square = (dot(off, off) + twice * dot(across, across)) / third;
                [inverse(mean + (twice * square).sqrt()); 3]
            }
            _ => d.map(inverse),
        }
    }
}

fn inverse<T: Real>(x: T) -> T {
    if x > T::ZERO { T::ONE / x } else { T::ZERO }
}

//! Positions that keep their accuracy far from the origin.

use std::ops::{AddAssign, Sub};

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

/// A position as the unevaluated sum of two vectors \[m\].
///
/// Adding a displacement loses nothing to the magnitude of the position (two-sum \[Knuth1997\]), so
/// that a scene at 10⁷ m moves like the same scene at the origin. Read differences of positions,
/// never absolute values.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(from = "Vector3<f64>", into = "Vector3<f64>")]
pub struct Position {
    high: Vector3<f64>,
    low: Vector3<f64>,
}

impl Position {
    /// The nearest single vector \[m\]: for output, not for differences.
    pub fn to_vector(self) -> Vector3<f64> {
        self.high + self.low
    }

    /// True if no coordinate is NaN or infinite.
    pub fn is_finite(&self) -> bool {
        let finite = |v: &Vector3<f64>| v.iter().all(|x| x.is_finite());
        finite(&self.high) && finite(&self.low)
    }

    /// The bits, for state hashes.
    pub fn bits(&self) -> impl Iterator<Item = u64> + '_ {
        self.high.iter().chain(self.low.iter()).map(|x| x.to_bits())
    }
}

impl From<Vector3<f64>> for Position {
    fn from(vector: Vector3<f64>) -> Self {
        Self {
            high: vector,
            low: Vector3::zeros(),
        }
    }
}

impl From<Position> for Vector3<f64> {
    fn from(position: Position) -> Self {
        position.to_vector()
    }
}

impl Sub for Position {
    type Output = Vector3<f64>;

    /// The vector from `other` to `self` \[m\].
    fn sub(self, other: Self) -> Vector3<f64> {
        (self.high - other.high) + (self.low - other.low)
    }
}

impl AddAssign<Vector3<f64>> for Position {
    fn add_assign(&mut self, displacement: Vector3<f64>) {
        for axis in 0..3 {
            let (sum, error) = two_sum(self.high[axis], displacement[axis]);
            let (high, low) = two_sum(sum, error + self.low[axis]);
            self.high[axis] = high;
            self.low[axis] = low;
        }
    }
}

/// a + b as the rounded sum and its exact error.
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let virtual_b = sum - a;
    (sum, (a - (sum - virtual_b)) + (b - virtual_b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_million_small_steps_far_away_add_up_as_at_the_origin() {
        let step = Vector3::new(1e-7, -3e-9, 0.0);
        let far = Position::from(Vector3::new(1e9, -4e8, 0.0));
        let (mut moved, mut near) = (far, Position::default());
        for _ in 0..1_000_000 {
            moved += step;
            near += step;
        }
        let difference = (moved - far) - near.to_vector();
        assert!(difference.norm() < 1e-16, "{difference}");
        assert!((near.to_vector() - 1e6 * step).norm() < 1e-15);
    }
}

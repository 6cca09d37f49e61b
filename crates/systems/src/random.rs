//! Random numbers that are the same on every CPU and with every version of the random crates.

use nalgebra::{Matrix3, Quaternion, UnitQuaternion, Vector3};
use rand::Rng;
use rand_pcg::Pcg64;

/// A seeded PCG-64 stream; the floating-point mapping is our own, so that the values never change.
#[derive(Debug, Clone)]
pub struct SeededRng(Pcg64);

/// Any fixed odd constant selects one stream.
const STREAM: u128 = 0x0a02_bdbf_7bb3_c0a7_ac28_fa16_a64a_bf96;

impl SeededRng {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Self {
        Self(Pcg64::new(u128::from(seed), STREAM))
    }

    /// Uniform in [0, 1): 53 bits.
    fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Uniform in [−half, half).
    pub fn within(&mut self, half: f64) -> f64 {
        // the sum turns a negative zero into zero
        half * (2.0 * self.unit() - 1.0) + 0.0
    }

    /// Uniform in [low, high).
    pub fn uniform(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// +1 or −1.
    pub fn sign(&mut self) -> f64 {
        if self.chance(0.5) { 1.0 } else { -1.0 }
    }

    /// True with this probability.
    pub fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// Uniform below `count`, which is not zero.
    pub fn index(&mut self, count: usize) -> usize {
        // the bias of the multiplication is count / 2⁶⁴
        let wide = u128::from(self.0.next_u64()) * count as u128;
        usize::try_from(wide >> 64).unwrap_or_default()
    }

    /// Any order of the items, all equally likely.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let other = self.index(last + 1);
            items.swap(last, other);
        }
    }

    /// Uniform in the cube of half width `half`.
    pub fn in_cube(&mut self, half: f64) -> Vector3<f64> {
        let mut component = || self.uniform(-half, half);
        Vector3::new(component(), component(), component())
    }

    /// Uniform on the unit sphere: rejection from the ball, no transcendental functions.
    pub fn direction(&mut self) -> Vector3<f64> {
        loop {
            let v = self.in_cube(1.0);
            let square = v.norm_squared();
            if (0.01..=1.0).contains(&square) {
                return v / square.sqrt();
            }
        }
    }

    /// Uniform rotation.
    pub fn rotation(&mut self) -> Matrix3<f64> {
        loop {
            let mut component = || self.uniform(-1.0, 1.0);
            let q = Quaternion::new(component(), component(), component(), component());
            if (0.01..=1.0).contains(&q.norm_squared()) {
                let unit = UnitQuaternion::new_normalize(q);
                return unit.to_rotation_matrix().into_inner();
            }
        }
    }
}

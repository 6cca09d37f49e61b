//! Random numbers that are the same on every CPU and with every version of the random crates.

use rand::Rng;
use rand_pcg::Pcg64;

/// A seeded PCG-64 stream; the floating-point mapping is our own, so that the values never change.
#[derive(Debug, Clone)]
pub(crate) struct Random(Pcg64);

/// Any fixed odd constant selects one stream.
const STREAM: u128 = 0x0a02_bdbf_7bb3_c0a7_ac28_fa16_a64a_bf96;

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Pcg64::new(u128::from(seed), STREAM))
    }

    /// Uniform in [−half, half): 53 bits.
    pub(crate) fn within(&mut self, half: f64) -> f64 {
        let unit = (self.0.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64);
        // the sum turns a negative zero into zero
        half * (2.0 * unit - 1.0) + 0.0
    }
}

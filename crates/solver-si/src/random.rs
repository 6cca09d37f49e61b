//! Random numbers that are the same on every machine.

/// The generator of \[Steele2014\], 64 bits of state.
#[derive(Debug, Clone)]
pub(crate) struct SplitMix64(u64);

impl SplitMix64 {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// What decides the numbers to come.
    pub(crate) fn state(&self) -> u64 {
        self.0
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`; its bias is below n/2⁶⁴.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        let scaled = (u128::from(self.next()) * n as u128) >> 64;
        usize::try_from(scaled).unwrap_or(0)
    }

    /// A number in [0, 1) with 53 random bits.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splitmix_gives_the_published_sequence() {
        // first outputs of the reference implementation for state 1234567
        let mut random = SplitMix64(1_234_567);
        assert_eq!(random.next(), 6_457_827_717_110_365_317);
        assert_eq!(random.next(), 3_203_168_211_198_807_973);
        assert_eq!(random.next(), 9_817_491_932_198_370_423);
    }

    #[test]
    fn numbers_of_the_unit_interval_fill_it() {
        let mut random = SplitMix64::new(5);
        let mean = (0..4000).map(|_| random.unit()).sum::<f64>() / 4000.0;
        // standard deviation 1/√(12 · 4000) = 0.0046
        assert!((mean - 0.5).abs() < 0.02, "{mean}");
        assert!(
            (0..4000)
                .map(|_| random.unit())
                .all(|x| (0.0..1.0).contains(&x))
        );
    }
}

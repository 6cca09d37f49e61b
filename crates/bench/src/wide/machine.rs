//! What the machine gives: the rate at which one core reads memory, and how busy it is.

use std::hint::black_box;
use std::time::Instant;

/// Sizes of the arrays that are read \[B\]: second-level cache, third-level cache, beyond.
const SIZES: [u64; 5] = [250_000, 1_000_000, 4_000_000, 16_000_000, 64_000_000];
/// Times that an array is read; the least time counts.
const REPEATS: usize = 200;

/// How fast one core reads arrays in order.
#[derive(Debug, Clone, PartialEq)]
pub struct Bandwidth {
    /// Size of the array \[B\] and rate \[B/s\], small sizes first.
    pub rates: Vec<(u64, f64)>,
}

impl Bandwidth {
    /// Reads arrays of f64 with sixteen independent sums.
    pub fn measure() -> Self {
        let rate = |bytes: u64| {
            let numbers = usize::try_from(bytes / 8).unwrap_or(0);
            let values = vec![1.0f64; numbers];
            let mut least = f64::INFINITY;
            for _ in 0..REPEATS {
                let clock = Instant::now();
                let mut sums = [0.0; 16];
                for chunk in black_box(&values).chunks_exact(16) {
                    for (sum, value) in sums.iter_mut().zip(chunk) {
                        *sum += value;
                    }
                }
                black_box(sums);
                least = least.min(clock.elapsed().as_secs_f64());
            }
            (bytes, bytes as f64 / least)
        };
        Self {
            rates: SIZES.map(rate).to_vec(),
        }
    }

    /// The rate of the smallest array that is at least as large, otherwise of the largest \[B/s\].
    pub fn of(&self, bytes: u64) -> Option<f64> {
        let fits = self.rates.iter().find(|(size, _)| *size >= bytes);
        fits.or(self.rates.last()).map(|(_, rate)| *rate)
    }
}

/// The load of the last minute, where the system tells it.
pub fn load() -> Option<String> {
    let text = std::fs::read_to_string("/proc/loadavg").ok()?;
    text.split_whitespace().next().map(str::to_owned)
}

/// The name of the processor, where the system tells it.
pub fn processor() -> Option<String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    line.split_once(": ").map(|(_, name)| name.to_owned())
}

//! How masses are spread.

use delassus_core::Choice;

/// How a mass ratio is spread over a system: from the bottom of a pile to its top, along a chain
/// from its first end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum MassOrder {
    /// Mass k of n is mass · ratio^(k / (n − 1)).
    Geometric,
    /// The last mass is mass · ratio, the others mass.
    HeavyLast,
}

impl MassOrder {
    /// Mass `index` of `count` \[kg\] (E.2); a single mass is the first.
    pub fn mass(self, index: usize, count: usize, mass: f64, ratio: f64) -> f64 {
        let last = count.saturating_sub(1);
        let factor = match self {
            _ if index == 0 => 1.0,
            _ if index == last => ratio,
            Self::HeavyLast => 1.0,
            Self::Geometric => libm::pow(ratio, index as f64 / last as f64),
        };
        mass * factor
    }
}

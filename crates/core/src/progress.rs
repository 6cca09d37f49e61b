//! The work that a solver has done.

use std::ops::{Add, AddAssign};

/// Work done by `iterate`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Progress {
    /// Work units done \[-\]. They are fewer than requested only if `finished`, or if the caller's
    /// limit is reached ([`crate::interrupt`]).
    pub sweeps: u32,
    /// Number of scalar row updates \[-\]; a row that touches two bodies counts once.
    pub row_updates: u64,
    /// True if further sweeps cannot change the impulses (direct methods).
    pub finished: bool,
}

impl Progress {
    /// Progress of `sweeps` passes, each of which updated each of `rows` rows once.
    pub fn of_sweeps(sweeps: u32, rows: usize) -> Self {
        Self {
            sweeps,
            row_updates: u64::from(sweeps) * rows as u64,
            finished: false,
        }
    }
}

impl Add for Progress {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            sweeps: self.sweeps.saturating_add(other.sweeps),
            row_updates: self.row_updates.saturating_add(other.row_updates),
            finished: self.finished || other.finished,
        }
    }
}

impl AddAssign for Progress {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

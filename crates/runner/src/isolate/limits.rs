//! What the process of a cell may take at most.

use delassus_core::{Bytes, MemoryLimit};
use delassus_records::record::ResourceLimit;
use serde::{Deserialize, Serialize};

use crate::memory;

/// What a cell may take, where nobody says otherwise \[s\]: no cell of the project takes a tenth of
/// it.
const HOUR: f64 = 3600.0;
/// What a program takes in addition to its problems and solvers \[B\].
const PROGRAM: u64 = 256 << 20;

/// What a spec or a request says about the limits of a cell; what it leaves out has a default.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct LimitChoice {
    /// Wall-clock time \[s\].
    pub seconds: Option<f64>,
    /// Processor time over all threads \[s\].
    pub cpu_seconds: Option<f64>,
    /// Memory of the process.
    pub memory: Option<MemoryLimit>,
}

impl LimitChoice {
    /// The same with what `other` says where this says nothing.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            seconds: self.seconds.or(other.seconds),
            cpu_seconds: self.cpu_seconds.or(other.cpu_seconds),
            memory: self.memory.or(other.memory),
        }
    }

    /// With defaults: an hour, no limit of processor time, and what a problem may take with its
    /// solver (`admitted`) in addition to the program.
    pub(crate) fn complete(self, admitted: MemoryLimit) -> CellLimits {
        let bytes = self.memory.map(MemoryLimit::bytes);
        let bytes = bytes.unwrap_or_else(|| admitted.bytes().saturating_add(PROGRAM));
        CellLimits {
            seconds: self.seconds.unwrap_or(HOUR),
            cpu_seconds: self.cpu_seconds,
            // a worker has no more than the run
            bytes: memory::own_address_space().map_or(bytes, |own| own.min(bytes)),
        }
    }
}

/// What the process of a cell may take at most.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CellLimits {
    /// Wall-clock time \[s\].
    pub seconds: f64,
    /// Processor time over all threads \[s\]; `None` for no limit.
    pub cpu_seconds: Option<f64>,
    /// Memory of the process \[B\].
    pub bytes: u64,
}

impl CellLimits {
    /// True if a cell that ended at `limit` would have more now.
    pub(crate) fn allow_more_than(&self, limit: ResourceLimit) -> bool {
        match limit {
            ResourceLimit::Seconds(had) => self.seconds > had,
            ResourceLimit::CpuSeconds(had) => self.cpu_seconds.is_none_or(|seconds| seconds > had),
            ResourceLimit::Bytes(had) => self.bytes > had,
        }
    }
}

/// What a cell says whose process ended at a limit.
pub(crate) fn ended_at(limit: ResourceLimit) -> String {
    format!("ended at its limit of {}", words(limit))
}

/// A limit as a message names it.
fn words(limit: ResourceLimit) -> String {
    match limit {
        ResourceLimit::Seconds(seconds) => format!("{seconds} s of wall-clock time"),
        ResourceLimit::CpuSeconds(seconds) => format!("{seconds} s of processor time"),
        ResourceLimit::Bytes(bytes) => format!("{} of memory", Bytes(bytes)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_goes_before_a_spec_and_both_before_defaults() {
        let spec = LimitChoice {
            seconds: Some(2.0),
            cpu_seconds: Some(3.0),
            memory: None,
        };
        let request = LimitChoice {
            seconds: Some(5.0),
            ..LimitChoice::default()
        };
        let limits = request.or(spec).complete(MemoryLimit::new(1 << 30));
        assert_eq!((limits.seconds, limits.cpu_seconds), (5.0, Some(3.0)));
        assert_eq!(limits.bytes, (1 << 30) + PROGRAM);
        let none = LimitChoice::default().complete(MemoryLimit::NONE);
        assert_eq!((none.seconds, none.bytes), (3600.0, u64::MAX));
    }

    #[test]
    fn only_a_larger_limit_of_the_same_kind_gives_a_cell_more() {
        let limits = CellLimits {
            seconds: 2.0,
            cpu_seconds: None,
            bytes: 100,
        };
        for (had, more) in [
            (ResourceLimit::Seconds(1.0), true),
            (ResourceLimit::Seconds(2.0), false),
            (ResourceLimit::CpuSeconds(9.0), true),
            (ResourceLimit::Bytes(100), false),
            (ResourceLimit::Bytes(99), true),
        ] {
            assert_eq!(limits.allow_more_than(had), more, "{had:?}");
        }
    }
}

//! How a solve ended.

use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// How a solve ended. `Solved` is written by a driver that evaluated the residual itself, never by
/// a solver.
///
/// Records carry the text of `Display`: the identifier, and the period of a cycle as in
/// `cycling(2)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
#[non_exhaustive]
pub enum Status {
    /// The independently evaluated residual is within tolerance.
    Solved,
    /// The sweep limit was reached first.
    MaxSweeps,
    /// The time limit was reached first.
    MaxTime,
    /// The solver proves that no further sweep changes its impulses, and they miss the tolerance;
    /// or a direct method has reached no solution and proves nothing.
    Stagnated,
    /// The state of the solver comes back, and with it impulses that miss the tolerance: after so
    /// many sweeps \[-\], more than one.
    Cycling(NonZeroU32),
    /// The residual or the iterate grew beyond the divergence limit.
    Diverged,
    /// The iterate became NaN or infinite.
    NonFinite,
    /// A direct method found that there is no solution.
    Infeasible,
    /// The solver refused the problem.
    Unsupported,
    /// The solver failed for another reason, which the record carries.
    Failed,
    /// The timed and the traced pass ended with different impulses: the solver is not reproducible.
    Broken,
    /// The user stopped the run before this cell had finished.
    Cancelled,
    /// The process of the cell was ended at a limit of time from outside.
    Timeout,
    /// The process of the cell ran out of the memory that it may have.
    OutOfMemory,
    /// The process of the cell ended by a signal, or left without an answer.
    Crashed,
    /// The device that the cell computed on went away.
    DeviceLost,
}

impl Status {
    /// Every status that carries no number, in the order of the documentation.
    const PLAIN: [Self; 15] = [
        Self::Solved,
        Self::MaxSweeps,
        Self::MaxTime,
        Self::Stagnated,
        Self::Diverged,
        Self::NonFinite,
        Self::Infeasible,
        Self::Unsupported,
        Self::Failed,
        Self::Broken,
        Self::Cancelled,
        Self::Timeout,
        Self::OutOfMemory,
        Self::Crashed,
        Self::DeviceLost,
    ];

    /// The identifier, without the period of a cycle.
    pub fn id(self) -> &'static str {
        match self {
            Self::Solved => "solved",
            Self::MaxSweeps => "max_sweeps",
            Self::MaxTime => "max_time",
            Self::Stagnated => "stagnated",
            Self::Cycling(_) => "cycling",
            Self::Diverged => "diverged",
            Self::NonFinite => "non_finite",
            Self::Infeasible => "infeasible",
            Self::Unsupported => "unsupported",
            Self::Failed => "failed",
            Self::Broken => "broken",
            Self::Cancelled => "cancelled",
            Self::Timeout => "timeout",
            Self::OutOfMemory => "out_of_memory",
            Self::Crashed => "crashed",
            Self::DeviceLost => "device_lost",
        }
    }

    /// True if something is wrong with the program, the request or the machine: a run with such a
    /// cell has failed. Not converging is a result.
    pub fn is_failure(self) -> bool {
        matches!(
            self,
            Self::Failed
                | Self::Broken
                | Self::Timeout
                | Self::OutOfMemory
                | Self::Crashed
                | Self::DeviceLost
        )
    }

    /// True if the process of the cell ended before the cell did: there is no outcome beside the
    /// status.
    pub fn is_killed(self) -> bool {
        matches!(self, Self::Timeout | Self::OutOfMemory | Self::Crashed)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cycling(period) => write!(f, "{}({period})", self.id()),
            _ => f.write_str(self.id()),
        }
    }
}

impl FromStr for Status {
    type Err = String;

    /// Parses what `Display` writes.
    fn from_str(text: &str) -> Result<Self, String> {
        let cycle = text.strip_prefix("cycling(");
        if let Some(period) = cycle.and_then(|rest| rest.strip_suffix(')')) {
            let period = period.parse().map(Self::Cycling);
            return period.map_err(|_| format!("{text:?}: a period is a positive number"));
        }
        let found = Self::PLAIN.into_iter().find(|status| status.id() == text);
        found.ok_or_else(|| format!("{text:?} is no status"))
    }
}

impl From<Status> for String {
    fn from(status: Status) -> Self {
        status.to_string()
    }
}

impl TryFrom<String> for Status {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_status_is_read_back() {
        let cycle = NonZeroU32::new(2).map(Status::Cycling);
        for status in Status::PLAIN.into_iter().chain(cycle) {
            assert_eq!(status.to_string().parse(), Ok(status));
        }
        assert_eq!("cycling(12)".parse::<Status>().unwrap().id(), "cycling");
        for bad in [
            "",
            "Solved",
            "cycling",
            "cycling(0)",
            "cycling(2",
            "cycling(-1)",
        ] {
            assert!(bad.parse::<Status>().is_err(), "{bad}");
        }
    }
}

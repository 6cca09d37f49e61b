//! How a solve ended.

use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// How a solve, or a cell of an experiment, ended. A cell is one problem or scene with one
/// configured solver. A solver never sets `Solved`: the code that evaluates the residual does.
///
/// Records contain the text of `Display`: the identifier, and for a cycle its period, as in
/// `cycling(2)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
#[non_exhaustive]
pub enum Status {
    /// The independently evaluated residual is within tolerance.
    Solved,
    /// The solve reached its limit of sweeps before the tolerance.
    MaxSweeps,
    /// The solve reached its limit of time before the tolerance.
    MaxTime,
    /// The solver proves that no further sweep changes the impulses, and the residual is above the
    /// tolerance. Or a direct method found no solution, without a proof that none exists.
    Stagnated,
    /// The state of the solver repeats after this number of sweeps \[-\], at least 2, and the
    /// residual stays above the tolerance.
    Cycling(NonZeroU32),
    /// The residual or the iterate grew beyond the divergence limit.
    Diverged,
    /// The iterate became NaN or infinite.
    NonFinite,
    /// A direct method found that there is no solution.
    Infeasible,
    /// The solver does not support the problem.
    Unsupported,
    /// The solver failed for another reason, which the record contains.
    Failed,
    /// The solve was done twice, once to measure the time and once to record residuals, and ended
    /// with different impulses. The solver is not reproducible.
    Broken,
    /// The user stopped the run before this cell had finished.
    Cancelled,
    /// The process of the cell was stopped from outside at a time limit.
    Timeout,
    /// The process of the cell exceeded its memory limit.
    OutOfMemory,
    /// A signal ended the process of the cell, or it exited without a result.
    Crashed,
    /// The device on which the cell was computed was lost.
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

    /// True if something is wrong with the program, the request or the machine. A run with such a
    /// cell has failed. Not to converge is a result, not a failure.
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

    /// Returns true if the process of the cell ended before the cell was complete. The status is
    /// then the only result.
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

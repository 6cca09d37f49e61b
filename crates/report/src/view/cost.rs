//! What a sweep or a step costs, and the sizes that it depends on.

use serde::{Deserialize, Serialize};

/// A cost of a sweep of a timed problem, or of a step of a scene; or a size that costs are drawn against.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cost {
    /// Seconds of a sweep or step: the shortest.
    Seconds,
    /// The same, the median.
    MedianSeconds,
    /// Nanoseconds per row.
    NsPerRow,
    /// Nanoseconds per constraint: per block.
    NsPerConstraint,
    /// Nanoseconds per contact point.
    NsPerContact,
    /// Bytes per row and sweep, counted.
    BytesPerRow,
    /// Bytes per constraint and sweep, counted.
    BytesPerConstraint,
    /// Counted bytes over measured seconds.
    Bandwidth,
    /// What a sweep touches.
    WorkingSet,
    /// Rows.
    Rows,
    /// Constraints: blocks.
    Constraints,
    /// Contact points.
    Contacts,
    /// Bodies.
    Bodies,
}

impl Cost {
    /// All of them.
    pub const ALL: [Self; 13] = [
        Self::Seconds,
        Self::MedianSeconds,
        Self::NsPerRow,
        Self::NsPerConstraint,
        Self::NsPerContact,
        Self::BytesPerRow,
        Self::BytesPerConstraint,
        Self::Bandwidth,
        Self::WorkingSet,
        Self::Rows,
        Self::Constraints,
        Self::Contacts,
        Self::Bodies,
    ];

    /// True if a clock measures it.
    pub fn is_of_the_clock(self) -> bool {
        !self.is_size() && !matches!(self, Self::BytesPerRow | Self::BytesPerConstraint)
    }

    /// True if it is counted by the solver or timed on a problem, and has no value over time.
    pub fn is_of_sweeps(self) -> bool {
        matches!(
            self,
            Self::BytesPerRow | Self::BytesPerConstraint | Self::Bandwidth | Self::WorkingSet
        )
    }

    /// True for a size of the problem or of what a sweep touches, which no clock measures.
    pub fn is_size(self) -> bool {
        matches!(
            self,
            Self::WorkingSet | Self::Rows | Self::Constraints | Self::Contacts | Self::Bodies
        )
    }

    /// The identifier used in specs.
    pub fn id(self) -> &'static str {
        match self {
            Self::Seconds => "seconds",
            Self::MedianSeconds => "median_seconds",
            Self::NsPerRow => "ns_per_row",
            Self::NsPerConstraint => "ns_per_constraint",
            Self::NsPerContact => "ns_per_contact",
            Self::BytesPerRow => "bytes_per_row",
            Self::BytesPerConstraint => "bytes_per_constraint",
            Self::Bandwidth => "bandwidth",
            Self::WorkingSet => "working_set",
            Self::Rows => "rows",
            Self::Constraints => "constraints",
            Self::Contacts => "contacts",
            Self::Bodies => "bodies",
        }
    }
}

//! What a sweep or a step costs, and the sizes that it depends on.

choices! {
    /// A cost of a sweep of a timed problem, or of a step of a scene; or a size that costs are
    /// drawn against.
    Cost:
    /// Seconds of a sweep or step: the shortest.
    Seconds = "seconds",
    /// The same, the median.
    MedianSeconds = "median_seconds",
    /// Nanoseconds per row.
    NsPerRow = "ns_per_row",
    /// Nanoseconds per constraint: per block.
    NsPerConstraint = "ns_per_constraint",
    /// Nanoseconds per contact point.
    NsPerContact = "ns_per_contact",
    /// Bytes per row and sweep, counted.
    BytesPerRow = "bytes_per_row",
    /// Bytes per constraint and sweep, counted.
    BytesPerConstraint = "bytes_per_constraint",
    /// Counted bytes over measured seconds.
    Bandwidth = "bandwidth",
    /// What a sweep touches.
    WorkingSet = "working_set",
    /// Rows.
    Rows = "rows",
    /// Constraints: blocks.
    Constraints = "constraints",
    /// Contact points.
    Contacts = "contacts",
    /// Bodies.
    Bodies = "bodies",
}

impl Cost {
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
}

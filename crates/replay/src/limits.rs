//! How much of a run is recorded.

/// How much is recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Frames of the run from one recorded frame to the next \[-\]; at least one.
    pub every: u64,
    /// True to record contacts.
    pub contacts: bool,
    /// Bytes of the file; contacts are left out, the weakest first, and then frames, until it has
    /// no more \[B\].
    pub bytes: usize,
    /// Bodies and contacts of all frames together that are held while a run goes on \[-\]; every
    /// second frame is left out when there are more.
    pub held: usize,
}

impl Limits {
    /// Bytes of a file whose page has less than 5 MB: a third is added by the text form, and 0.75
    /// MB by what plays it.
    pub const BYTES: usize = 3_000_000;
    /// 200 MB at most.
    pub const HELD: usize = 4_000_000;
    /// Frames of a replay whose spec does not say how many \[-\].
    pub const FRAMES: u64 = 300;

    /// The limits with these frames from one to the next.
    pub fn every(every: u64) -> Self {
        Self {
            every: every.max(1),
            contacts: true,
            bytes: Self::BYTES,
            held: Self::HELD,
        }
    }
}

//! Packing on one thread, or in chunks on all of them.
//!
//! Chunks are cut at fixed numbers of pieces and put together in their order, and no chunk reads what another writes, so the
//! bits are those of one thread.

use std::ops::Range;

use rayon::prelude::*;

/// Pieces of a chunk \[-\].
const CHUNK: usize = 4096;

/// Who packs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Threads {
    /// The thread of the caller.
    #[default]
    One,
    /// Every thread of the process's pool, where there is more than a chunk.
    All,
}

impl Threads {
    /// Pieces of a chunk of `pieces`.
    pub(crate) fn chunk(self, pieces: usize) -> usize {
        match self {
            Self::One => pieces.max(1),
            Self::All => CHUNK,
        }
    }

    /// What `work` makes of every chunk of `pieces`, in their order.
    pub(crate) fn map<R: Send>(
        self,
        pieces: usize,
        work: impl Fn(Range<usize>) -> R + Sync,
    ) -> Vec<R> {
        let chunk = self.chunk(pieces);
        let chunks = pieces.div_ceil(chunk);
        let of = |index: usize| work(index * chunk..pieces.min((index + 1) * chunk));
        if chunks > 1 {
            (0..chunks).into_par_iter().map(of).collect()
        } else {
            (0..chunks).map(of).collect()
        }
    }

    /// Works on parts that are there already.
    pub(crate) fn each<P: Send>(self, parts: Vec<P>, work: impl Fn(P) + Send + Sync) {
        if self == Self::All && parts.len() > 1 {
            parts.into_par_iter().for_each(work);
        } else {
            parts.into_iter().for_each(work);
        }
    }
}

//! Packing on one thread, or in chunks on all of them.
//!
//! Chunks are cut at fixed numbers of pieces and put together in their order, and no chunk reads
//! what another writes, so the bits are those of one thread.

use std::error::Error;
use std::ops::Range;
use std::sync::OnceLock;

use rayon::prelude::*;

/// Pieces of a chunk \[-\].
const CHUNK: usize = 4096;

/// True if the process's pool of threads is there; false where the system starts no more threads,
/// which using it would panic at.
pub(crate) fn pool_starts() -> bool {
    static STARTS: OnceLock<bool> = OnceLock::new();
    *STARTS.get_or_init(|| {
        match rayon::ThreadPoolBuilder::new().build_global() {
            Ok(()) => true,
            // an error without a source says that the pool is there already
            Err(error) => error.source().is_none(),
        }
    })
}

/// Who packs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PackThreads {
    /// The thread of the caller.
    #[default]
    One,
    /// Every thread of the process's pool, where there is more than a chunk.
    All,
}

impl PackThreads {
    /// Pieces of a chunk of `pieces`.
    pub(crate) fn chunk(self, pieces: usize) -> usize {
        match self {
            Self::One => pieces.max(1),
            Self::All => CHUNK,
        }
    }

    /// Ranges that work on `pieces` is split into where every thread looks at all pieces.
    pub(crate) fn ranges(self, pieces: usize) -> usize {
        match self {
            Self::All if pieces > CHUNK && pool_starts() => rayon::current_num_threads(),
            _ => 1,
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
        if chunks > 1 && pool_starts() {
            (0..chunks).into_par_iter().map(of).collect()
        } else {
            (0..chunks).map(of).collect()
        }
    }

    /// Works on parts that are there already; one thread needs no memory for that.
    pub(crate) fn each<P: Send>(
        self,
        parts: impl Iterator<Item = P>,
        work: impl Fn(P) + Send + Sync,
    ) {
        if self == Self::One {
            parts.for_each(work);
            return;
        }
        let parts: Vec<P> = parts.collect();
        if parts.len() > 1 && pool_starts() {
            parts.into_par_iter().for_each(work);
        } else {
            parts.into_iter().for_each(work);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    /// Set in a process that can start no thread.
    const WITHOUT: &str = "DELASSUS_TEST_WITHOUT_THREADS";

    #[test]
    fn packing_needs_no_pool() {
        let pieces = 3 * CHUNK + 1;
        let sums = PackThreads::All.map(pieces, |range| range.sum::<usize>());
        assert_eq!(sums.len(), 4);
        assert_eq!(sums.iter().sum::<usize>(), pieces * (pieces - 1) / 2);
        if std::env::var_os(WITHOUT).is_some() {
            assert!(!pool_starts());
            return;
        }
        assert!(pool_starts());
        let mut again = Command::new(std::env::current_exe().unwrap());
        // no stack of this size can be had; with one test thread there is no other
        again
            .env(WITHOUT, "1")
            .env("RUST_MIN_STACK", (1_u64 << 46).to_string());
        again.args(["packing_needs_no_pool", "--test-threads=1"]);
        let output = again.output().unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stdout)
        );
    }
}

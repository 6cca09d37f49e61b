//! Prefetch instructions.
//!
//! A bundle takes a few kilobytes, more than the out-of-order window of a processor, and hardware
//! prefetchers stop at every page. Where bundles come from memory, a visit therefore prefetches the
//! next one. Inside the caches that costs up to a tenth of the time and is left out. Prefetching
//! the bodies of the next bundle too had no effect.

use prefetch_index::prefetch_index;

/// Bytes of the bundles of a thread from which on they come from memory \[B\]: what the last cache
/// has for one core on the machines of today, or half of it.
pub(crate) const PREFETCH_BYTES: u64 = 16 << 20;

/// Numbers of four bytes in a cache line.
const LINE: usize = 16;

/// Asks for as much as a `B` behind one that begins with `start`, numbers of four bytes, if `far`.
#[inline(always)]
pub(crate) fn next<B, T>(far: bool, start: &[T]) {
    const { assert!(size_of::<T>() == 4) };
    if far {
        let numbers = size_of::<B>() / size_of::<T>();
        for line in 0..numbers.div_ceil(LINE) {
            prefetch_index(start, numbers + line * LINE);
        }
    }
}

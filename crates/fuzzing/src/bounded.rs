//! Memory within a multiple of the input.

/// What a reader may take of memory, in lengths of its input \[-\].
const FACTOR: u64 = 10;

/// Shorter files of problems count as this long \[bytes\].
const SMALLEST: u64 = 4096;

/// What everything else may take in addition \[bytes\].
const ROOM: u64 = 64 << 20;

/// Calls `read` and panics if it holds more than ten times `bytes` at once.
pub(crate) fn bounded<T>(bytes: &[u8], read: impl FnOnce() -> T) -> T {
    within(FACTOR * (bytes.len() as u64).max(SMALLEST), read)
}

/// The same with 64 MiB in addition: for what needs a registry, a page or a picture, however short
/// its input.
pub(crate) fn bounded_with_room<T>(bytes: &[u8], read: impl FnOnce() -> T) -> T {
    within(FACTOR * bytes.len() as u64 + ROOM, read)
}

fn within<T>(limit: u64, read: impl FnOnce() -> T) -> T {
    let mut read = Some(read);
    let mut outcome = None;
    let taken = allocation_counter::measure(|| {
        outcome = read.take().map(|read| read());
    });
    let held = taken.bytes_max;
    assert!(held <= limit, "{held} of {limit} bytes");
    outcome.expect("it was called")
}

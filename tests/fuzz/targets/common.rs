//! What every target checks: memory within a multiple of the file.

/// What a reader may take of memory, in lengths of the file \[-\].
const FACTOR: u64 = 10;

/// Shorter files count as this long \[bytes\].
const SMALLEST: u64 = 4096;

/// Calls `read` and panics if it holds more than ten times `bytes` at once.
pub fn bounded<T>(bytes: &[u8], read: impl FnOnce() -> T) -> T {
    let mut read = Some(read);
    let mut outcome = None;
    let taken = allocation_counter::measure(|| {
        outcome = read.take().map(|read| read());
    });
    let limit = FACTOR * (bytes.len() as u64).max(SMALLEST);
    assert!(
        taken.bytes_max <= limit,
        "{} of {limit} bytes",
        taken.bytes_max
    );
    outcome.expect("it was called")
}

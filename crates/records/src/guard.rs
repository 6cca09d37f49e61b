//! Panics of code that is not ours: a user's solver may panic, and its cell alone has failed.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// What `run` returns.
///
/// # Errors
/// What it said if it panicked. Whatever it had borrowed may be half changed: nobody should go on
/// with it.
pub fn caught<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(run)).map_err(|payload| {
        let text = payload.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| payload.downcast_ref::<&str>().copied());
        text.unwrap_or("without a message").to_owned()
    })
}

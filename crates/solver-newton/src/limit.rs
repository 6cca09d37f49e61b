//! Sweeps under a limit: one whose factorization the limit cut short does not count.

use delassus_core::{Progress, SolveError, interrupt};

/// A method in body velocities that returns its best impulses.
pub(crate) trait Sweeps {
    /// One step.
    fn sweep(&mut self);

    /// True if further sweeps cannot change the answer.
    fn is_finished(&self) -> bool;

    /// The impulses returned \[N·s\].
    fn best(&mut self) -> &mut [f64];

    /// True if the limit of the caller ended a factorization.
    fn cut_short(&mut self) -> &mut bool;
}

/// Makes `sweeps` sweeps over `rows` rows, or fewer if the method finishes or the limit of the
/// caller is reached. A factor that was cut short looks like one that failed, so the impulses are
/// put back to those before its sweep.
///
/// # Errors
/// [`SolveError::Interrupted`] if the limit left no room for the first sweep.
pub(crate) fn iterate(
    method: &mut impl Sweeps,
    rows: usize,
    sweeps: u32,
) -> Result<Progress, SolveError> {
    let limited = interrupt::limit().is_some();
    let mut before = Vec::new();
    let mut done = 0;
    while done < sweeps && !method.is_finished() {
        if limited {
            before.clear();
            before.extend_from_slice(method.best());
            *method.cut_short() = false;
        }
        method.sweep();
        if limited && *method.cut_short() {
            method.best().copy_from_slice(&before);
            return match done {
                0 => Err(SolveError::Interrupted),
                _ => Ok(Progress::of_sweeps(done, rows)),
            };
        }
        done += 1;
    }
    Ok(Progress {
        finished: method.is_finished(),
        ..Progress::of_sweeps(done, rows)
    })
}

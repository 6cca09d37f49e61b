//! Ctrl-C, SIGTERM and SIGHUP: the first one ends the program within a second, the second one at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, sleep};
use std::time::Duration;

use super::talk::talk;

/// How long the work in flight has to end by itself.
const GRACE: Duration = Duration::from_millis(700);
/// How often a program that writes its report is looked at.
const LOOK: Duration = Duration::from_millis(50);

/// What the signals and the verbs tell each other.
#[derive(Debug, Default)]
pub(crate) struct Interrupt {
    /// Set by the first signal: whoever looks at it ends by itself.
    pub(crate) asked: AtomicBool,
    /// Set by a verb that has stopped working and writes what there is: it is not cut short.
    pub(crate) concluding: AtomicBool,
}

/// Listens to the signals from now on.
pub(crate) fn install() -> Arc<Interrupt> {
    let interrupt = Arc::new(Interrupt::default());
    let seen = Arc::clone(&interrupt);
    let installed = ctrlc::set_handler(move || {
        if seen.asked.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
        talk("stopping; press Ctrl-C again to stop at once");
        let seen = Arc::clone(&seen);
        // without a thread the second signal still ends the program
        let _ = thread::Builder::new().spawn(move || give_up(&seen));
    });
    if let Err(error) = installed {
        talk(&format!("note: Ctrl-C ends the program at once: {error}"));
    }
    interrupt
}

/// Ends the program when the work in flight has not ended by itself: a long frame, a factorisation, a read that blocks.
///
/// Files appear whole or not at all, so nothing that was finished is lost.
fn give_up(interrupt: &Interrupt) {
    sleep(GRACE);
    while interrupt.concluding.load(Ordering::Relaxed) {
        sleep(LOOK);
    }
    talk(
        "interrupted in the middle of something long: what was finished is kept; run the same command again to continue",
    );
    std::process::exit(130);
}

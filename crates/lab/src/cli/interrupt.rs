//! Ctrl-C, SIGTERM and SIGHUP: the first one ends the program within a second, the second one at
//! once. A hangup that was ignored before the program began stays so.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::thread::{self, sleep};
use std::time::Duration;

use delassus_records::disk;
use delassus_registry::process::kill_all;
#[cfg(unix)]
use delassus_runner::isolate;

use super::diagnostic::print_diagnostic;

/// How long the work in flight has to end by itself.
const GRACE: Duration = Duration::from_millis(700);
/// How often a program that writes its report is looked at.
const LOOK: Duration = Duration::from_millis(50);
/// The number of Ctrl-C, on every system.
const INTERRUPT: u8 = 2;

/// The signal that came last.
static SIGNAL: AtomicU8 = AtomicU8::new(INTERRUPT);

/// Set before other programs are ended.
static ENDING: AtomicBool = AtomicBool::new(false);

/// What a program that was interrupted ends with: 128 and the number of the signal, as shells say
/// it.
pub(crate) fn exit_code() -> u8 {
    128 + SIGNAL.load(Ordering::Relaxed)
}

/// Ends what works for this program. What the verb under way says of their deaths is not said.
fn end_all() {
    ENDING.store(true, Ordering::Relaxed);
    kill_all();
    #[cfg(unix)]
    isolate::end_started();
}

/// True while the program ends because of a signal.
pub(crate) fn is_ending() -> bool {
    ENDING.load(Ordering::Relaxed)
}

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
    let heard_by = Arc::clone(&interrupt);
    if let Err(error) = listen(move |signal| heard(&heard_by, signal)) {
        print_diagnostic(&format!("note: Ctrl-C ends the program at once: {error}"));
    }
    interrupt
}

/// From now on, the first signal ends the program at once, without its temporary files.
pub(crate) fn end_at_first() {
    let ended = |signal| {
        SIGNAL.store(signal, Ordering::Relaxed);
        end_now();
    };
    // a system that refuses this ends the program there
    let _ = listen(ended);
}

/// From now on, a file beyond a limit of the system is an error of its write, as on a full disk.
#[cfg(unix)]
pub(crate) fn outlive_file_limit() {
    // a system that refuses this ends the program there
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
}

/// No other system has such a limit.
#[cfg(not(unix))]
pub(crate) fn outlive_file_limit() {}

/// Calls `hear` at every signal.
#[cfg(unix)]
fn listen(hear: impl Fn(u8) + Send + 'static) -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;

    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    if !ignores(SIGHUP) {
        signals.add_signal(SIGHUP)?;
    }
    let wait = move || {
        for signal in signals.forever() {
            hear(u8::try_from(signal).unwrap_or(INTERRUPT));
        }
    };
    thread::Builder::new().spawn(wait).map(drop)
}

/// True if whoever started the program has told it to ignore a signal, as `nohup` does for the end
/// of its terminal.
#[cfg(unix)]
fn ignores(signal: i32) -> bool {
    // on Linux bit n − 1 of the mask stands for signal n; other systems do not tell
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

/// Calls `hear` at Ctrl-C; other signals are not told apart.
#[cfg(not(unix))]
fn listen(hear: impl Fn(u8) + Send + 'static) -> io::Result<()> {
    ctrlc::set_handler(move || hear(INTERRUPT)).map_err(io::Error::other)
}

fn heard(interrupt: &Arc<Interrupt>, signal: u8) {
    SIGNAL.store(signal, Ordering::Relaxed);
    if interrupt.asked.swap(true, Ordering::Relaxed) {
        end_now();
    }
    let seen = Arc::clone(interrupt);
    // without a thread the second signal still ends the program
    let _ = thread::Builder::new().spawn(move || give_up(&seen));
    print_diagnostic(match signal {
        INTERRUPT => "stopping; press Ctrl-C again to stop at once",
        _ => "stopping; a second signal stops at once",
    });
}

/// Ends the program when the work in flight has not ended by itself: a long frame, a factorisation,
/// a read that blocks.
///
/// Files appear whole or not at all, so nothing that was finished is lost.
fn give_up(interrupt: &Interrupt) {
    sleep(GRACE);
    while interrupt.concluding.load(Ordering::Relaxed) {
        sleep(LOOK);
    }
    print_diagnostic(
        "interrupted in the middle of something long; after `run`, finished cells are kept: run the same command again to continue",
    );
    end_now();
}

/// Ends the program, which leaves no process and no temporary file.
fn end_now() -> ! {
    end_all();
    disk::abandon();
    std::process::exit(exit_code().into());
}

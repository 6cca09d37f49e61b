//! A program with a solver that misbehaves as it is told to, for the tests of runs that nothing may
//! take down.

use std::hint::black_box;
use std::path::Path;
use std::process::{Command, abort, exit, id};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::sleep;
use std::time::Duration;

use delassus_core::*;
use delassus_lab::{cli::main_with, registry::Registry};

/// How the solver misbehaves in its first sweep.
#[derive(Debug, Default, Clone, Copy, PartialEq, Choice)]
enum Mode {
    /// Not at all, but it finds nothing.
    #[default]
    Lazy,
    /// It computes for ever.
    NeverReturns,
    /// It waits for ever.
    Sleeps,
    /// It takes memory for ever.
    Allocates,
    /// It aborts.
    Aborts,
    /// It aborts in the third solve of a process: where cells are timed, between the passes of
    /// others.
    AbortsLater,
    /// It writes the file `waiting` in the third solve of a process and waits for ever, unless the
    /// file is there.
    WaitsOnce,
    /// It calls itself without end.
    Overflows,
    /// It touches what is not its own, as far as the system can tell.
    Faults,
    /// It ends the process as if all were well.
    ExitsWell,
    /// It ends the process with an error.
    ExitsBadly,
    /// It says that it has the answer.
    Lies,
    /// Its impulses are no numbers.
    Nan,
    /// It prints where others write data.
    Prints,
    /// It panics.
    Panics,
    /// It panics with a message of 8 MiB.
    PanicsLong,
    /// It starts a process in a group of its own, says its number, and waits for ever.
    Spawns,
}

#[derive(Debug, Parameters)]
struct HostileParameters {
    /// How it misbehaves.
    mode: Mode,
}

/// Solves of this process in modes that count them.
static SOLVES: AtomicU32 = AtomicU32::new(0);

struct Hostile {
    mode: Mode,
}

struct Iterate {
    mode: Mode,
}

impl Method for Hostile {
    type Parameters = HostileParameters;
    type Prepared = Iterate;
    const DESCRIPTOR: SolverDescriptor = SolverDescriptor {
        id: "hostile",
        name: "hostile",
        summary: "Misbehaves as it is told to",
        forms: &[
            (LawForm::Free, Support::Exact),
            (LawForm::Interval, Support::Exact),
        ],
        ..SolverDescriptor::BASE
    };

    fn new(parameters: HostileParameters) -> Result<Self, ParameterError> {
        let mode = parameters.mode;
        Ok(Self { mode })
    }

    fn prepare(&mut self, _: &Problem, _: Vec<f64>) -> Result<Iterate, SolveError> {
        let is_later = matches!(self.mode, Mode::AbortsLater | Mode::WaitsOnce);
        if is_later && SOLVES.fetch_add(1, Ordering::Relaxed) == 2 {
            misbehave_later(self.mode);
        }
        Ok(Iterate { mode: self.mode })
    }
}

impl Prepared for Iterate {
    fn iterate(&mut self, problem: &Problem, sweeps: u32) -> Result<Progress, SolveError> {
        misbehave(self.mode);
        let finished = self.mode == Mode::Lies;
        let progress = Progress::of_sweeps(sweeps, problem.rows());
        Ok(Progress {
            finished,
            ..progress
        })
    }

    fn impulses(&self, out: &mut [f64]) -> Result<(), SolveError> {
        out.fill(match self.mode {
            Mode::Nan => f64::NAN,
            _ => 0.0,
        });
        Ok(())
    }
}

fn misbehave_later(mode: Mode) {
    match mode {
        Mode::AbortsLater => {
            eprintln!("a bad pass");
            abort();
        }
        Mode::WaitsOnce if !Path::new("waiting").exists() => {
            std::fs::write("waiting", "").expect("a file");
            sleep(Duration::from_secs(600));
        }
        _ => {}
    }
}

fn misbehave(mode: Mode) {
    match mode {
        Mode::Lazy | Mode::Lies | Mode::Nan | Mode::AbortsLater | Mode::WaitsOnce => {}
        Mode::NeverReturns => loop {
            black_box(mode);
        },
        Mode::Sleeps => loop {
            sleep(Duration::from_secs(60));
        },
        Mode::Allocates => allocate(),
        Mode::Aborts => {
            eprintln!("a bad day");
            abort()
        }
        Mode::Overflows => {
            black_box(deep(0));
        }
        Mode::Faults => fault(),
        Mode::ExitsWell => exit(0),
        Mode::ExitsBadly => {
            eprintln!("enough\nof this");
            exit(3)
        }
        Mode::Prints => println!("{{\"status\":\"solved\"}}\nready"),
        Mode::Panics => panic!("no sweep today"),
        Mode::PanicsLong => panic!("{}", "no sweep today ".repeat((8 << 20) / 15)),
        Mode::Spawns => spawn(),
    }
}

fn allocate() {
    let mut all = Vec::new();
    loop {
        // written to: memory that nobody touches is none
        all.push(vec![1u8; 16 << 20]);
        black_box(&all);
    }
}

fn deep(level: u64) -> u64 {
    let frame = [level; 256];
    match level {
        u64::MAX => 0,
        _ => deep(level + 1) + black_box(frame)[7],
    }
}

fn spawn() {
    let mut command = Command::new("sleep");
    command.arg("600");
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    match command.spawn() {
        Ok(child) => eprintln!("started {}", child.id()),
        Err(error) => panic!("no process: {error}"),
    }
    sleep(Duration::from_secs(600));
}

/// Nothing safe reads what is not there: the signal comes from outside. The first one ends the
/// standard library's own handler, which looks for overflows of the stack.
fn fault() {
    let kill = format!("kill -SEGV {}", id());
    for _ in 0..2 {
        // the shell has kill built in; the program belongs to a package that a small installation
        // lacks
        let sent = Command::new("sh").args(["-c", &kill]).status();
        assert!(sent.is_ok_and(|status| status.success()), "no signal");
    }
    sleep(Duration::from_secs(60));
}

fn main() -> std::process::ExitCode {
    main_with(Registry::standard().with::<Checked<Hostile>>())
}

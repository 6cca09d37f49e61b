//! What a limit of time counts: solving alone. Starting a program, judging, and earlier solves of a
//! solver that begins again for each look are no part of it, and of no measured time.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::thread::sleep;
use std::time::{Duration, Instant};

use delassus_core::{
    Claim, Determinism, ImpulseSolver, Law, LawForm, MassProperties, PeerAnswer, PeerClock,
    PeerFacts, PeerIdentity, Problem, ProblemBuilder, Progress, SolveError, SolverDescriptor,
    SolverFacts, SolverUpdate, Start, Status, Support, interrupt,
};
use delassus_records::record::Outcome;
use delassus_registry::process;
use delassus_runner::driver::{Options, SampleSchedule, StopRule, drive};
use delassus_runner::judge::Judge;
use nalgebra::Vector3;

/// Halves the distance of λ to 2 in each sweep, from the start whenever it is asked to sweep.
struct Ladder {
    descriptor: SolverDescriptor,
    /// Time of a sweep, of a look at the impulses, and before the solver is there \[s\].
    sweep: f64,
    look: f64,
    start_up: f64,
    /// True if it answers as a peer does, with a clock on which a sweep takes a second.
    answers: bool,
    /// Whether any sweep changes the impulses.
    converges: bool,
    done: u32,
}

impl Default for Ladder {
    fn default() -> Self {
        Self {
            descriptor: SolverDescriptor {
                id: "ladder",
                name: "ladder",
                summary: "Begins again whenever it is looked at.",
                forms: &[(LawForm::Free, Support::Exact)],
                restarts: true,
                determinism: Determinism::Bitwise,
                ..SolverDescriptor::BASE
            },
            sweep: 0.0,
            look: 0.0,
            start_up: 0.0,
            answers: false,
            converges: true,
            done: 0,
        }
    }
}

fn wait(seconds: f64) {
    sleep(Duration::from_secs_f64(seconds));
}

impl ImpulseSolver for Ladder {
    fn descriptor(&self) -> &SolverDescriptor {
        &self.descriptor
    }

    fn prepare(&mut self, _: &Problem, _: Start<'_>) -> Result<(), SolveError> {
        let clock = Instant::now();
        wait(self.start_up);
        process::leave_out(clock.elapsed().as_secs_f64());
        self.done = 0;
        interrupt::check()
    }

    fn update(&mut self, _: &Problem, _: SolverUpdate<'_>) -> Result<(), SolveError> {
        Ok(())
    }

    fn iterate(&mut self, _: &Problem, sweeps: u32) -> Result<Progress, SolveError> {
        for _ in 0..self.done + sweeps {
            interrupt::check()?;
            wait(self.sweep);
        }
        self.done += sweeps;
        Ok(Progress {
            sweeps,
            row_updates: u64::from(sweeps),
            finished: false,
        })
    }

    fn read_impulses(&mut self, out: &mut [f64]) -> Result<(), SolveError> {
        wait(self.look);
        out[0] = match self.converges {
            true => 2.0 - 2.0 * libm::pow(0.5, f64::from(self.done)),
            false => 0.1 * f64::from(self.done % 7),
        };
        Ok(())
    }

    fn facts(&self) -> SolverFacts {
        let answer = PeerAnswer {
            claimed: Claim::Limit,
            iterations: u64::from(self.done),
            residuals: BTreeMap::new(),
            seconds: f64::from(self.done),
            clock: PeerClock::Own,
            message: None,
        };
        let peer = PeerFacts {
            identity: PeerIdentity {
                peer: "ladder".to_owned(),
                version: "1".to_owned(),
                hash: None,
            },
            restarts: true,
            answer: (self.answers && self.done > 0).then_some(answer),
        };
        SolverFacts {
            peer: Some(peer),
            ..SolverFacts::default()
        }
    }
}

/// Solves for a mass of 2 kg at −1 m/s that an equality stops, within a limit.
fn drive_within(seconds: f64, solver: &mut Ladder) -> Outcome {
    let mut builder = ProblemBuilder::new();
    let mass = MassProperties::aligned(2.0, Vector3::repeat(1.0));
    let body = builder.body(mass, [-1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    builder.block(Law::Equality, &[body], &[[[1.0, 0.0, 0.0, 0.0, 0.0, 0.0]]]);
    let problem = builder.build().expect("a problem");
    let mut judge = Judge::new(&problem, &["natural_map"], &["natural_map"]).expect("a metric");
    let options = Options {
        stop: StopRule {
            // 20 sweeps
            tolerance: 1e-6,
            max_sweeps: 1000,
            max_seconds: Some(seconds),
            ..StopRule::default()
        },
        schedule: SampleSchedule::Every(1),
        repetitions: 1,
    };
    let cancel = AtomicBool::new(false);
    drive(solver, &problem, Start::Cold, &mut judge, &options, &cancel).0
}

#[test]
fn looks_at_the_impulses_are_no_part_of_the_limit() {
    let mut solver = Ladder {
        look: 0.1,
        ..Ladder::default()
    };
    let clock = Instant::now();
    let ended = drive_within(1.0, &mut solver);
    assert_eq!(ended.status, Status::Solved, "{:?}", ended.message);
    assert!(clock.elapsed().as_secs_f64() > 1.5);
    assert!(ended.iterate_seconds[0] < 1.0);
}

#[test]
fn starting_a_program_is_no_part_of_the_limit_or_of_a_time() {
    let mut solver = Ladder {
        start_up: 1.5,
        ..Ladder::default()
    };
    let ended = drive_within(1.0, &mut solver);
    assert_eq!(ended.status, Status::Solved, "{:?}", ended.message);
    let prepare = ended.prepare_seconds[0];
    assert!(prepare < 1.0, "{prepare}");
}

#[test]
fn the_limit_is_that_of_one_solve_where_each_look_is_a_solve() {
    let mut solver = Ladder {
        sweep: 0.03,
        ..Ladder::default()
    };
    let clock = Instant::now();
    // the last solve takes 0.6 s, all of them eight times as long
    let ended = drive_within(3.0, &mut solver);
    assert_eq!(ended.status, Status::Solved, "{:?}", ended.message);
    let all = clock.elapsed().as_secs_f64();
    assert!(all > 3.0, "{all}");
    let own = &ended.iterate_seconds;
    assert!(own.iter().all(|s| *s < 0.5 * all), "{own:?} of {all}");
}

#[test]
fn a_solve_that_the_limit_ends_has_the_time_of_its_last_answer() {
    let mut solver = Ladder {
        sweep: 0.01,
        converges: false,
        ..Ladder::default()
    };
    let clock = Instant::now();
    let ended = drive_within(0.5, &mut solver);
    let whole = clock.elapsed().as_secs_f64();
    assert_eq!(ended.status, Status::MaxTime, "{:?}", ended.message);
    let [seconds] = ended.iterate_seconds[..] else {
        panic!("{:?}", ended.iterate_seconds);
    };
    assert!(ended.sweeps > 1, "{}", ended.sweeps);
    assert!(seconds < 0.6 * whole, "{seconds} of {whole}");
    // with a clock of its own, that clock counts
    solver.answers = true;
    let ended = drive_within(0.5, &mut solver);
    assert_eq!(ended.status, Status::MaxTime, "{:?}", ended.message);
    let sweeps = u32::try_from(ended.sweeps).expect("few");
    assert_eq!(ended.iterate_seconds, [f64::from(sweeps)]);
}

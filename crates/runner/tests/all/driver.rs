//! The driver's statuses: honest ones for good solvers, contained ones for bad solvers.

use std::sync::atomic::AtomicBool;

use delassus_core::{
    DEPENDS_ON_TIME, Determinism, ImpulseSolver, Law, LawForm, MassProperties, Precision, Problem,
    ProblemBuilder, Progress, Ray, SolveError, Solver, SolverDescriptor, SolverFacts, SolverUpdate,
    Start, StateCoverage, Status, Support, WorkUnit, interrupt,
};
use delassus_records::record::Outcome;
use delassus_runner::driver::{Options, SampleSchedule, StopRule, drive};
use delassus_runner::judge::Judge;
use delassus_solver_dense::DenseDirect;
use nalgebra::Vector3;

const DESCRIPTOR: SolverDescriptor = SolverDescriptor {
    id: "scripted",
    aliases: &[],
    name: "scripted",
    summary: "Does what a test tells it.",
    citations: &[],
    theory: &[],
    cost: SolverDescriptor::NO_COST,
    precision: Precision::F64,
    forms: &[(LawForm::Free, Support::Exact)],
    cone_rows: 3,
    matrix_cone_rows: 3,
    point_rows: 3,
    unit_is_map: true,
    restarts: false,
    work_unit: WorkUnit::Sweep,
    determinism: Determinism::Bitwise,
    supports_inactive_rows: false,
    needs_bodies: false,
    coupled_compliance: false,
    needs_positive_diagonal: false,
    max_asymmetry: f64::INFINITY,
    max_rows: usize::MAX,
};

/// Applies a function to λ once per sweep; the problem is one mass with λ* = 2.
struct Scripted<F> {
    step: F,
    impulse: f64,
    /// Sweeps of all passes together.
    calls: u32,
    tells: Tells,
    decisions: Vec<String>,
    descriptor: SolverDescriptor,
}

/// What a scripted solver says of its state.
#[derive(Clone, Copy, PartialEq)]
enum Tells {
    Nothing,
    /// Nothing, and it makes no sweep.
    NoSweep,
    /// λ, and the number of its sweeps modulo this.
    Whole(u32),
    /// λ, if so many sweeps leave it.
    Resting(u32),
}

impl<F: FnMut(f64, u32) -> Result<f64, SolveError> + Send> ImpulseSolver for Scripted<F> {
    fn descriptor(&self) -> &SolverDescriptor {
        &self.descriptor
    }

    fn prepare(&mut self, _: &Problem, start: Start<'_>) -> Result<(), SolveError> {
        let mut impulse = [0.0];
        start.write(&mut impulse)?;
        self.impulse = impulse[0];
        if self.tells != Tells::Nothing {
            self.calls = 0;
        }
        Ok(())
    }

    fn update(&mut self, _: &Problem, _: SolverUpdate<'_>) -> Result<(), SolveError> {
        Ok(())
    }

    fn iterate(&mut self, _: &Problem, sweeps: u32) -> Result<Progress, SolveError> {
        let sweeps = if self.tells == Tells::NoSweep {
            0
        } else {
            sweeps
        };
        for _ in 0..sweeps {
            self.impulse = (self.step)(self.impulse, self.calls)?;
            self.calls += 1;
        }
        Ok(Progress {
            sweeps,
            row_updates: u64::from(sweeps),
            finished: false,
        })
    }

    fn read_impulses(&mut self, out: &mut [f64]) -> Result<(), SolveError> {
        out[0] = self.impulse;
        Ok(())
    }

    fn facts(&self) -> SolverFacts {
        SolverFacts {
            decisions: self.decisions.clone(),
            ..SolverFacts::default()
        }
    }

    fn fingerprint(&mut self, out: &mut Vec<u64>) -> Result<Option<StateCoverage>, SolveError> {
        Ok(match self.tells {
            Tells::Nothing | Tells::NoSweep => None,
            Tells::Whole(period) => {
                out.extend([self.impulse.to_bits(), u64::from(self.calls % period)]);
                Some(StateCoverage::Complete)
            }
            Tells::Resting(sweeps) => {
                out.push(self.impulse.to_bits());
                Some(StateCoverage::FixedPoint(sweeps))
            }
        })
    }
}

fn scripted<F>(step: F, tells: Tells) -> Scripted<F> {
    Scripted {
        step,
        impulse: 0.0,
        calls: 0,
        tells,
        decisions: Vec::new(),
        descriptor: DESCRIPTOR,
    }
}

/// A mass of 2 kg at −1 m/s that an equality stops: λ* = 2 N·s.
fn problem() -> Problem {
    let mut builder = ProblemBuilder::new();
    let mass = MassProperties::aligned(2.0, Vector3::repeat(1.0));
    let body = builder.body(mass, [-1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    builder.block(Law::Equality, &[body], &[[[1.0, 0.0, 0.0, 0.0, 0.0, 0.0]]]);
    builder.build().expect("a valid problem")
}

fn options(max_sweeps: u64) -> Options {
    Options {
        stop: StopRule {
            tolerance: 1e-9,
            max_sweeps,
            ..StopRule::default()
        },
        schedule: SampleSchedule::Every(1),
        repetitions: 2,
    }
}

fn outcome(
    step: impl FnMut(f64, u32) -> Result<f64, SolveError> + Send,
    options: &Options,
) -> Outcome {
    outcome_telling(Tells::Nothing, step, options)
}

fn outcome_telling(
    tells: Tells,
    step: impl FnMut(f64, u32) -> Result<f64, SolveError> + Send,
    options: &Options,
) -> Outcome {
    let problem = problem();
    let columns = ["natural_map", "v[0].x", "closure"];
    let mut judge = Judge::new(&problem, &columns, &columns[..1]).expect("known metrics");
    let mut solver = scripted(step, tells);
    let cancel = AtomicBool::new(false);
    drive(
        &mut solver,
        &problem,
        Start::Cold,
        &mut judge,
        options,
        &cancel,
    )
    .0
}

#[test]
fn solved_means_that_the_independent_residual_is_within_tolerance() {
    // λ halves its distance to 2: residual 2⁻ᵏ, below 1e-9 after 30 sweeps
    let outcome = outcome(|x, _| Ok(x + 0.5 * (2.0 - x)), &options(100));
    assert_eq!(outcome.status, Status::Solved);
    assert_eq!((outcome.sweeps, outcome.row_updates), (30, 30));
    assert_eq!(outcome.samples.len(), 31);
    let residual = outcome.last("natural_map").expect("it was measured");
    assert!(
        (residual / 0.5f64.powi(30) - 1.0).abs() < 1e-6,
        "{residual}"
    );
    assert_eq!(
        outcome.samples.first().and_then(|s| s.value(1)),
        Some(-1.0),
        "the start's velocity"
    );
    assert!(outcome.last("closure").expect("bodies") < 1e-15);
    assert_eq!(outcome.iterate_seconds.len(), 2);
    assert_eq!(outcome.impulse_hash.len(), 64);
}

#[test]
fn the_sweep_limit_is_a_status_and_keeps_the_samples() {
    let outcome = outcome(|x, _| Ok(x + 0.5 * (2.0 - x)), &options(10));
    assert_eq!(outcome.status, Status::MaxSweeps);
    assert_eq!(outcome.samples.len(), 11);
    assert_eq!(outcome.best("natural_map"), outcome.last("natural_map"));
}

/// Status and last sweep of a solve under very different samples, which must not matter.
fn end(
    tells: Tells,
    step: impl Fn(f64, u32) -> f64 + Send + Sync + Copy,
    max_sweeps: u64,
) -> (Status, u64) {
    let schedules = [
        SampleSchedule::Every(1),
        SampleSchedule::Every(7),
        SampleSchedule::Every(100_000_000),
        SampleSchedule::Geometric(1.05),
        SampleSchedule::Geometric(30.0),
    ];
    let mut ends = schedules.map(|schedule| {
        let options = Options {
            schedule,
            ..options(max_sweeps)
        };
        let outcome = outcome_telling(tells, |x, calls| Ok(step(x, calls)), &options);
        // numbers that break are no sample
        if !matches!(outcome.status, Status::NonFinite | Status::Diverged) {
            let last = outcome.samples.last().expect("the end is a sample");
            assert_eq!(last.sweeps, outcome.sweeps, "{schedule:?}");
        }
        (outcome.status, outcome.sweeps)
    });
    ends.sort();
    assert_eq!(ends[0], ends[4], "{ends:?}");
    ends[0]
}

fn cycling(period: u32) -> Status {
    Status::Cycling(period.try_into().expect("a period"))
}

#[test]
fn a_solver_that_proves_a_fixed_point_has_stagnated() {
    assert_eq!(
        end(Tells::Whole(1), |_, _| 1.0, 100),
        (Status::Stagnated, 2)
    );
    assert_eq!(
        end(Tells::Resting(1), |_, _| 1.0, 100),
        (Status::Stagnated, 2)
    );
    assert_eq!(
        end(Tells::Resting(3), |_, _| 1.0, 100),
        (Status::Stagnated, 4)
    );
    // what it keeps besides the impulses must come back too
    assert_eq!(
        end(Tells::Whole(64), |_, _| 1.0, 300),
        (Status::Stagnated, 128)
    );
    // and without a proof there is only the limit
    assert_eq!(
        end(Tells::Nothing, |_, _| 1.0, 100),
        (Status::MaxSweeps, 100)
    );
}

#[test]
fn impulses_that_stand_still_for_a_while_prove_nothing() {
    // λ rests at 0 for 20 sweeps of every 40, as under clamping, and is solved in the end
    let step = |x: f64, calls: u32| {
        if calls % 40 < 20 {
            x
        } else {
            x + 0.5 * (2.0 - x)
        }
    };
    let (status, sweeps) = end(Tells::Whole(40), step, 200);
    assert_eq!((status, sweeps), (Status::Solved, 70));
    // a momentum that wakes after two sweeps of rest
    let step = |x: f64, calls: u32| if calls < 9 { 0.0 } else { x + 0.5 * (2.0 - x) };
    assert_eq!(end(Tells::Resting(10), step, 200).0, Status::Solved);
}

#[test]
fn a_cycle_is_named_with_its_period() {
    let flip = |x: f64, _: u32| if x < 0.5 { 1.0 } else { 0.25 };
    assert_eq!(end(Tells::Whole(1), flip, 1000).0, cycling(2));
    let three = |x: f64, _: u32| if x >= 0.5 { 0.0 } else { x + 0.25 };
    assert_eq!(end(Tells::Whole(1), three, 1000).0, cycling(3));
    // the solver's own period is 64, that of its impulses 2
    assert_eq!(end(Tells::Whole(64), flip, 1000).0, cycling(2));
    // long ones are found where their odd part is small: 4096, 96 = 3 · 32, 1920 = 15 · 128; λ
    // stays away from 2
    let saw = |period: u32| {
        move |x: f64, _: u32| {
            if x < 10.0 || x >= f64::from(9 + period) {
                10.0
            } else {
                x + 1.0
            }
        }
    };
    for period in [4096, 96, 1920] {
        let (status, sweeps) = end(Tells::Whole(1), saw(period), 60_000);
        assert_eq!(status, cycling(period), "after {sweeps}");
    }
    // and others are not, as the prime 4001: the limit, and no guess
    assert_eq!(
        end(Tells::Whole(1), saw(4001), 30_000),
        (Status::MaxSweeps, 30_000)
    );
}

#[test]
fn the_slowest_progress_is_progress() {
    // one unit in the last place per sweep
    let slow = |x: f64, _: u32| x.max(1.0).next_up();
    assert_eq!(end(Tells::Whole(1), slow, 5000), (Status::MaxSweeps, 5000));
    assert_eq!(
        end(Tells::Resting(1), slow, 5000),
        (Status::MaxSweeps, 5000)
    );
    // and back again by as little: a cycle
    let up_and_down = |x: f64, _: u32| if x <= 1.0 { 1.0f64.next_up() } else { 1.0 };
    assert_eq!(end(Tells::Whole(1), up_and_down, 5000).0, cycling(2));
}

#[test]
fn a_solve_ends_at_the_same_sweep_however_it_is_sampled() {
    let fast = |x: f64, _: u32| x + 0.5 * (2.0 - x);
    assert_eq!(end(Tells::Nothing, fast, 100), (Status::Solved, 30));
    // 1e-9 after 20 713 sweeps, judged to a thousandth
    let slow = |x: f64, _: u32| x + 1e-3 * (2.0 - x);
    let (status, sweeps) = end(Tells::Nothing, slow, 100_000);
    assert_eq!(status, Status::Solved);
    assert!((20_713..20_713 + 21).contains(&sweeps), "{sweeps}");
    // growth beyond the limit is noticed between samples too
    let growing = |x: f64, _: u32| 1.5 * (x + 1.0);
    assert_eq!(end(Tells::Nothing, growing, 1000).0, Status::Diverged);
}

#[test]
fn a_failure_between_judged_sweeps_is_the_same_failure_for_all_samples() {
    // 8192 and 8448 are judged, and every eighth sweep after it
    let breaks = |bad: f64| move |x: f64, calls: u32| if calls == 9001 { bad } else { x };
    let nan = end(Tells::Nothing, breaks(f64::NAN), 20_000);
    assert_eq!(nan, (Status::NonFinite, 9000));
    let huge = |x: f64, calls: u32| if calls >= 9001 { 1e200 } else { x };
    assert_eq!(end(Tells::Nothing, huge, 20_000).0, Status::Diverged);
    // and one sample of an overflow that passes is no end
    let passing = |_: f64, calls: u32| if calls == 9001 { 1e200 } else { 1.0 };
    assert_eq!(end(Tells::Nothing, passing, 10_000).0, Status::MaxSweeps);
}

#[test]
fn the_time_limit_acts_between_two_samples() {
    let mut limited = options(u64::MAX);
    limited.schedule = SampleSchedule::Every(100_000_000);
    limited.stop.max_seconds = Some(1.0);
    let slow = |x: f64, _| {
        std::thread::sleep(std::time::Duration::from_millis(100));
        Ok(x)
    };
    limited.repetitions = 0;
    let outcome = outcome(slow, &limited);
    assert_eq!(outcome.status, Status::MaxTime);
    assert!(outcome.sweeps <= 11, "{}", outcome.sweeps);
    assert_eq!(outcome.samples.len(), 2);
}

#[test]
fn the_time_limit_ends_a_sweep_that_does_not_end_by_itself() {
    let mut limited = options(u64::MAX);
    limited.stop.max_seconds = Some(0.5);
    let endless = |_, _| {
        loop {
            interrupt::check()?;
        }
    };
    let ended = outcome(endless, &limited);
    assert_eq!((ended.status, ended.sweeps), (Status::MaxTime, 0));
    // the times are its own: no pass is repeated whose time is up
    assert_eq!(ended.iterate_seconds.len(), 1);
    assert!(ended.iterate_seconds[0] >= 0.0);
}

#[test]
fn what_does_not_fit_into_the_limit_is_not_begun() {
    let mut limited = options(u64::MAX);
    limited.stop.max_seconds = Some(1000.0);
    let huge = |x, calls| {
        if calls > 3 {
            interrupt::afford(1e30)?;
        }
        Ok(x)
    };
    let ended = outcome(huge, &limited);
    assert_eq!(ended.status, Status::MaxTime);
    // the calls are counted from zero
    assert!(ended.sweeps <= 4, "{}", ended.sweeps);
}

#[test]
fn a_pass_that_does_not_fit_into_what_is_left_is_not_made() {
    let calls = std::sync::atomic::AtomicU32::new(0);
    let mut limited = options(100);
    limited.stop.max_seconds = Some(3.0);
    let slow = |_, _| {
        calls.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        while interrupt::left() > 0.5 {
            std::thread::yield_now();
        }
        Ok(2.0)
    };
    let ended = outcome(slow, &limited);
    assert_eq!((ended.status, ended.sweeps), (Status::Solved, 1));
    assert_eq!(ended.iterate_seconds.len(), 1);
    assert_eq!(calls.into_inner(), 1);
}

#[test]
fn a_solve_whose_time_is_up_before_it_is_prepared_has_the_velocities_of_its_start() {
    let problem = problem();
    let columns = ["natural_map", "v[0].x"];
    let mut judge = Judge::new(&problem, &columns, &columns[..1]).expect("known metrics");
    let mut solver = DenseDirect::new(Default::default()).expect("defaults");
    let mut limited = options(10);
    limited.stop.max_seconds = Some(1e-12);
    let cancel = AtomicBool::new(false);
    let (solver, start) = (&mut solver, Start::Warm(&[0.5]));
    let (ended, _) = drive(solver, &problem, start, &mut judge, &limited, &cancel);
    assert_eq!(
        (ended.status, ended.sweeps),
        (Status::MaxTime, 0),
        "{:?}",
        ended.message
    );
    // 0.5 N·s move 2 kg by 0.25 m/s
    assert_eq!(ended.samples.first().and_then(|s| s.value(1)), Some(-0.75));
}

#[test]
fn growth_is_divergence_before_and_after_it_overflows() {
    let slowly = outcome(|x, _| Ok(10.0 * (x + 1.0)), &options(1000));
    assert_eq!(slowly.status, Status::Diverged);
    let at_once = outcome(|_, _| Ok(1e200), &options(1000));
    assert_eq!(at_once.status, Status::Diverged);
}

#[test]
fn nan_is_never_solved() {
    for bad in [f64::NAN, f64::INFINITY] {
        let outcome = outcome(|_, _| Ok(bad), &options(100));
        assert_eq!(outcome.status, Status::NonFinite);
        assert_eq!(outcome.samples.len(), 1, "the start was finite");
        assert!(outcome.message.is_some_and(|m| m.contains("row 0")));
    }
}

#[test]
fn a_solver_that_answers_differently_the_second_time_is_broken() {
    let outcome = outcome(|_, calls| Ok(2.0 + 1e-12 * f64::from(calls)), &options(100));
    assert_eq!(outcome.status, Status::Broken);
}

#[test]
fn a_solver_that_does_not_claim_to_repeat_its_bits_need_not() {
    let step = |_: f64, calls: u32| Ok(2.0 + 1e-12 * f64::from(calls));
    let mut solver = scripted(step, Tells::Nothing);
    solver.descriptor.determinism = Determinism::None;
    assert_eq!(ending(solver), (Status::Solved, false));
}

#[test]
fn a_pass_that_a_clock_decided_is_not_compared() {
    let step = |_: f64, calls: u32| Ok(2.0 + 1e-12 * f64::from(calls));
    for (decision, status) in [
        (format!("one of two {DEPENDS_ON_TIME}"), Status::Solved),
        ("one of two".to_owned(), Status::Broken),
    ] {
        let mut solver = scripted(step, Tells::Nothing);
        solver.decisions.push(decision);
        assert_eq!(ending(solver).0, status);
    }
}

/// Status of a solve, and whether no pass of it has a time.
fn ending(mut solver: impl ImpulseSolver) -> (Status, bool) {
    let problem = problem();
    let columns = ["natural_map"];
    let mut judge = Judge::new(&problem, &columns, &columns).expect("known metrics");
    let (start, options, cancel) = (Start::Cold, options(100), AtomicBool::new(false));
    let (ended, _) = drive(&mut solver, &problem, start, &mut judge, &options, &cancel);
    (ended.status, ended.iterate_seconds.is_empty())
}

#[test]
fn errors_and_panics_of_a_solver_are_contained() {
    let reason = "a test";
    let infeasible = outcome(|_, _| Err(SolveError::Infeasible { reason }), &options(9));
    assert_eq!(infeasible.status, Status::Infeasible);
    // what proves nothing is no proof that there is no solution
    let unreached = outcome(|_, _| Err(SolveError::Unreached { reason }), &options(9));
    assert_eq!(unreached.status, Status::Stagnated);
    let ray = |work: f64| SolveError::Ray(Ray::new(vec![1.0], 1e-9, work));
    for (work, status) in [(-0.5, Status::Infeasible), (0.5, Status::Stagnated)] {
        let ended = outcome(|_, _| Err(ray(work)), &options(9));
        assert_eq!(ended.status, status);
        assert!(ended.message.is_some_and(|m| m.contains("ray")), "{work}");
    }
    let failed = outcome(|_, _| Err(SolveError::NotPrepared), &options(9));
    assert_eq!(failed.status, Status::Failed);
    let panicked = outcome(|_, _| panic!("on purpose"), &options(9));
    assert_eq!(panicked.status, Status::Failed);
    assert!(panicked.message.is_some_and(|m| m.contains("on purpose")));
}

#[test]
fn a_solver_that_makes_no_sweep_has_failed() {
    let idle = outcome_telling(Tells::NoSweep, |x, _| Ok(x), &options(9));
    assert_eq!((idle.status, idle.sweeps), (Status::Failed, 0));
    assert!(idle.message.is_some_and(|m| m.contains("no sweep")));
}

#[test]
fn a_refusal_runs_nothing() {
    let mut builder = ProblemBuilder::new();
    let mass = MassProperties::aligned(2.0, Vector3::repeat(1.0));
    let body = builder.body(mass, [0.0; 6]);
    builder.block(
        Law::UNILATERAL,
        &[body],
        &[[[1.0, 0.0, 0.0, 0.0, 0.0, 0.0]]],
    );
    let problem = builder.build().expect("a valid problem");
    let mut judge = Judge::new(&problem, &["siconos"], &["siconos"]).expect("known metrics");
    let mut solver = scripted(|_, _| unreachable!("never iterated"), Tells::Nothing);
    let cancel = AtomicBool::new(false);
    let options = options(9);
    let (outcome, _) = drive(
        &mut solver,
        &problem,
        Start::Cold,
        &mut judge,
        &options,
        &cancel,
    );
    assert_eq!(outcome.status, Status::Unsupported);
    assert!(outcome.message.is_some_and(|m| m.contains("bounds")));
}

#[test]
fn cancelling_ends_at_the_next_sample() {
    let problem = problem();
    let mut judge = Judge::new(&problem, &["siconos"], &["siconos"]).expect("known metrics");
    let mut solver = scripted(|x, _| Ok(x + 0.5 * (2.0 - x)), Tells::Nothing);
    let cancel = AtomicBool::new(true);
    let options = options(9);
    let (outcome, _) = drive(
        &mut solver,
        &problem,
        Start::Cold,
        &mut judge,
        &options,
        &cancel,
    );
    assert_eq!((outcome.status, outcome.sweeps), (Status::Cancelled, 1));
}

#[test]
fn schedules_grow() {
    let mut sweeps = 0;
    let mut seen = Vec::new();
    while sweeps < 60 {
        sweeps = SampleSchedule::Geometric(1.5).next(sweeps);
        seen.push(sweeps);
    }
    assert_eq!(seen, [1, 2, 3, 4, 6, 9, 13, 19, 28, 42, 63]);
    assert_eq!(SampleSchedule::Every(0).next(5), 6);
}

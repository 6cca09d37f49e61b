//! The driver's statuses: honest ones for good solvers, contained ones for bad solvers.

use std::sync::atomic::AtomicBool;

use delassus_core::{
    Determinism, ImpulseSolver, Law, LawKind, MassProperties, Precision, Problem, ProblemBuilder,
    Progress, Refresh, SolveError, SolverDescriptor, Start, Status, Support, WorkUnit,
};
use delassus_lab::driver::{Options, Schedule, StopRule, drive};
use delassus_lab::judge::Judge;
use delassus_lab::record::Outcome;
use nalgebra::Vector3;

const DESCRIPTOR: SolverDescriptor = SolverDescriptor {
    id: "scripted",
    aliases: &[],
    name: "scripted",
    summary: "Does what a test tells it.",
    citations: &[],
    theory: &[],
    precision: Precision::F64,
    laws: &[(LawKind::Equality, Support::Exact)],
    work_unit: WorkUnit::Sweep,
    determinism: Determinism::Bitwise,
    holds_rows: false,
    needs_positive_diagonal: false,
    max_asymmetry: f64::INFINITY,
    max_rows: usize::MAX,
    parameters: &[],
};

/// Applies a function to λ once per sweep; the problem is one mass with λ* = 2.
struct Scripted<F>(F, f64, u32);

impl<F: FnMut(f64, u32) -> Result<f64, SolveError> + Send> ImpulseSolver for Scripted<F> {
    fn descriptor(&self) -> &SolverDescriptor {
        &DESCRIPTOR
    }

    fn prepare(&mut self, _: &Problem, start: Start<'_>) -> Result<(), SolveError> {
        let mut impulse = [0.0];
        start.write(&mut impulse)?;
        self.1 = impulse[0];
        Ok(())
    }

    fn refresh(&mut self, _: &Problem, _: Refresh) -> Result<(), SolveError> {
        Ok(())
    }

    fn iterate(&mut self, _: &Problem, sweeps: u32) -> Result<Progress, SolveError> {
        for _ in 0..sweeps {
            self.1 = (self.0)(self.1, self.2)?;
            self.2 += 1;
        }
        Ok(Progress {
            sweeps,
            row_updates: u64::from(sweeps),
            finished: false,
        })
    }

    fn read_impulses(&mut self, out: &mut [f64]) -> Result<(), SolveError> {
        out[0] = self.1;
        Ok(())
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
        schedule: Schedule::Every(1),
        repetitions: 2,
    }
}

fn outcome(
    step: impl FnMut(f64, u32) -> Result<f64, SolveError> + Send,
    options: &Options,
) -> Outcome {
    let problem = problem();
    let columns = ["natural_map", "v[0].x", "closure"];
    let mut judge = Judge::new(&problem, &columns, &columns[..1]).expect("known metrics");
    let mut solver = Scripted(step, 0.0, 0);
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
        outcome.samples[0].values[1],
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

#[test]
fn an_iterate_that_stands_still_has_stagnated() {
    let outcome = outcome(|_, _| Ok(1.0), &options(100));
    assert_eq!((outcome.status, outcome.sweeps), (Status::Stagnated, 2));
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
fn errors_and_panics_of_a_solver_are_contained() {
    let reason = "a test";
    let infeasible = outcome(|_, _| Err(SolveError::Infeasible { reason }), &options(9));
    assert_eq!(infeasible.status, Status::Infeasible);
    let failed = outcome(|_, _| Err(SolveError::NotPrepared), &options(9));
    assert_eq!(failed.status, Status::Failed);
    let panicked = outcome(|_, _| panic!("on purpose"), &options(9));
    assert_eq!(panicked.status, Status::Failed);
    assert!(panicked.message.is_some_and(|m| m.contains("on purpose")));
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
    let mut solver = Scripted(|_, _| unreachable!("never iterated"), 0.0, 0);
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
    let mut solver = Scripted(|x, _| Ok(x + 0.5 * (2.0 - x)), 0.0, 0);
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
        sweeps = Schedule::Geometric(1.5).next(sweeps);
        seen.push(sweeps);
    }
    assert_eq!(seen, [1, 2, 3, 4, 6, 9, 13, 19, 28, 42, 63]);
    assert_eq!(Schedule::Every(0).next(5), 6);
}

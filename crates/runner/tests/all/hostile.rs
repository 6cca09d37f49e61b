//! A user's solver that misbehaves fails in its own cells and in no others.

use std::fs;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use delassus_core::{
    Choice, Determinism, Fidelity, ImpulseSolver, LawForm, ParameterError, Parameters, Precision,
    Problem, Progress, SolveError, Solver, SolverDescriptor, SolverUpdate, Start, Status, Support,
    Unsupported, WorkUnit,
};
use delassus_records::build::Build;
use delassus_registry::Registry;
use delassus_runner::isolate::LimitChoice;
use delassus_runner::results;
use delassus_runner::run::{RunArgs, run};

/// How the solver misbehaves.
#[derive(Debug, Default, Clone, Copy, PartialEq, Choice)]
enum Mode {
    /// Not at all, but it finds nothing.
    #[default]
    Lazy,
    /// It panics in `check`.
    PanicInCheck,
    /// It panics in `prepare`.
    PanicInPrepare,
    /// It panics in `iterate`.
    PanicInIterate,
    /// Its impulses are no numbers.
    Nan,
    /// Another answer every time.
    Random,
}

#[derive(Debug, Parameters)]
struct HostileParameters {
    /// How it misbehaves.
    mode: Mode,
}

struct Hostile {
    mode: Mode,
    sweeps: u32,
}

/// A source of answers that differ from one another.
static ANSWER: AtomicU32 = AtomicU32::new(0);

impl Solver for Hostile {
    type Parameters = HostileParameters;

    const DESCRIPTOR: SolverDescriptor = SolverDescriptor {
        id: "hostile",
        aliases: &[],
        name: "hostile",
        summary: "Misbehaves as it is told to.",
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

    fn new(parameters: HostileParameters) -> Result<Self, ParameterError> {
        let mode = parameters.mode;
        Ok(Self { mode, sweeps: 0 })
    }
}

impl ImpulseSolver for Hostile {
    fn descriptor(&self) -> &SolverDescriptor {
        &Self::DESCRIPTOR
    }

    fn check(&self, problem: &Problem) -> Result<Fidelity, Unsupported> {
        assert!(self.mode != Mode::PanicInCheck, "no check today");
        Self::DESCRIPTOR.check(problem)
    }

    fn prepare(&mut self, _: &Problem, _: Start<'_>) -> Result<(), SolveError> {
        assert!(self.mode != Mode::PanicInPrepare, "no prepare today");
        self.sweeps = 0;
        Ok(())
    }

    fn update(&mut self, _: &Problem, _: SolverUpdate<'_>) -> Result<(), SolveError> {
        Ok(())
    }

    fn iterate(&mut self, _: &Problem, sweeps: u32) -> Result<Progress, SolveError> {
        assert!(self.mode != Mode::PanicInIterate, "no sweep today");
        self.sweeps += sweeps;
        Ok(Progress {
            sweeps,
            row_updates: u64::from(sweeps),
            finished: false,
        })
    }

    fn read_impulses(&mut self, out: &mut [f64]) -> Result<(), SolveError> {
        out.fill(match self.mode {
            Mode::Nan => f64::NAN,
            Mode::Random => f64::from(ANSWER.fetch_add(1, Ordering::Relaxed)),
            _ => f64::from(self.sweeps),
        });
        Ok(())
    }
}

const SPEC: &str = r#"
title = "Hostile"
[[problem]]
use = "chain"
n = [2, 3]
[[solver]]
use = "hostile"
mode = ["lazy", "panic-in-check", "panic-in-prepare", "panic-in-iterate", "nan", "random"]
[[solver]]
use = "pgs"
[stop]
max_sweeps = 500
divergence = 1e300
"#;

#[test]
fn a_bad_solver_fails_in_its_own_cells() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let spec = folder.path().join("hostile.toml");
    fs::write(&spec, SPEC).expect("a spec");
    let registry = Registry::standard().with::<Hostile>();
    let arguments = RunArgs {
        spec,
        out: Some(folder.path().join("out")),
        jobs: 2,
        shard: None,
        require_gpu: false,
        isolation: None,
        limits: LimitChoice::default(),
        build: Build::UNKNOWN,
    };
    let run = || run(&registry, &arguments, &(), &AtomicBool::new(false)).expect("a run");
    let summary = run();
    assert_eq!((summary.cells, summary.ran, summary.missing), (14, 14, 0));
    // the cells failed, so the run did
    assert_eq!(summary.exit_code(), 1);
    let bundle = results::load(&folder.path().join("out"), &registry)
        .expect("results")
        .bundle;
    let expected = [
        ("hostile mode=lazy", Status::MaxSweeps, ""),
        (
            "hostile mode=panic-in-check",
            Status::Failed,
            "no check today",
        ),
        (
            "hostile mode=panic-in-prepare",
            Status::Failed,
            "no prepare today",
        ),
        (
            "hostile mode=panic-in-iterate",
            Status::Failed,
            "no sweep today",
        ),
        ("hostile mode=nan", Status::NonFinite, "non-finite"),
        ("hostile mode=random", Status::Broken, "other impulses"),
        ("pgs", Status::Solved, ""),
    ];
    for (index, record) in bundle.records.iter().enumerate() {
        let (label, status, message) = expected[index % expected.len()];
        assert_eq!(record.solver.label, label);
        assert_eq!(record.outcome.status, status, "{label}");
        let said = record.outcome.message.clone().unwrap_or_default();
        assert!(said.contains(message), "{label}: {said}");
    }
    // what failed is kept as well: it would fail again
    assert_eq!((run().ran, summary.failed()), (0, 8));
}

//! Solvers of a device that this machine does not have: skipped with the reason, or refused where it is required.

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use delassus_core::{
    DeviceError, Fidelity, ImpulseSolver, ParameterError, Problem, Progress, SolveError, Solver,
    SolverDescriptor, Start, Status, Unsupported,
};
use delassus_lab::registry::Registry;
use delassus_lab::results;
use delassus_lab::run::{RunArgs, RunError, plan, run};

/// A solver whose device is nowhere.
struct Elsewhere;

fn missing() -> DeviceError {
    DeviceError::NoAdapter {
        reason: "none of that name".to_owned(),
    }
}

impl Solver for Elsewhere {
    type Parameters = ();
    const DESCRIPTOR: SolverDescriptor = SolverDescriptor {
        id: "elsewhere",
        ..SolverDescriptor::BASE
    };
    fn new((): ()) -> Result<Self, ParameterError> {
        Ok(Self)
    }
}

impl ImpulseSolver for Elsewhere {
    fn descriptor(&self) -> &SolverDescriptor {
        &Self::DESCRIPTOR
    }
    fn check(&self, _: &Problem) -> Result<Fidelity, Unsupported> {
        let (solver, device) = (Self::DESCRIPTOR.id, missing());
        Err(Unsupported::Device { solver, device })
    }
    fn prepare(&mut self, _: &Problem, _: Start<'_>) -> Result<(), SolveError> {
        Err(missing().into())
    }
    fn iterate(&mut self, _: &Problem, _: u32) -> Result<Progress, SolveError> {
        Err(missing().into())
    }
    fn read_impulses(&mut self, _: &mut [f64]) -> Result<(), SolveError> {
        Err(missing().into())
    }
    fn device(&self) -> Option<Result<String, DeviceError>> {
        Some(Err(missing()))
    }
}

const SPEC: &str = r#"
title = "Two solvers, one of them elsewhere"
[[problem]]
use = "chain"
[[solver]]
use = "pgs"
[[solver]]
use = "elsewhere"
"#;

fn request(folder: &Path, require_gpu: bool) -> RunArgs {
    let spec = folder.join("spec.toml");
    fs::write(&spec, SPEC).expect("a spec");
    RunArgs {
        spec,
        out: Some(folder.join("out")),
        jobs: 1,
        shard: None,
        require_gpu,
    }
}

#[test]
fn a_missing_device_is_a_skip_with_its_reason() {
    let folder = tempfile::tempdir().expect("a folder");
    let registry = Registry::standard().with::<Elsewhere>();
    let arguments = request(folder.path(), false);
    let summary = run(&registry, &arguments, &(), &AtomicBool::new(false)).expect("a run");
    assert_eq!((summary.exit_code(), summary.missing), (0, 0));
    let bundle = results::load(&folder.path().join("out"), &registry).expect("results");
    let of = |id: &str| bundle.records.iter().find(|r| r.solver.id == id);
    let (pgs, elsewhere) = (of("pgs").expect("pgs"), of("elsewhere").expect("elsewhere"));
    assert_eq!(pgs.solver.device, None);
    assert_eq!(pgs.outcome.status, Status::Solved);
    assert_eq!(elsewhere.solver.device.as_deref(), Some("none"));
    assert_eq!(elsewhere.outcome.status, Status::Unsupported);
    let reason = elsewhere.outcome.message.as_deref().unwrap_or_default();
    assert!(reason.contains("no adapter: none of that name"), "{reason}");
}

#[test]
fn a_required_device_that_is_missing_is_an_error_before_anything_runs() {
    let folder = tempfile::tempdir().expect("a folder");
    let registry = Registry::standard().with::<Elsewhere>();
    let refused = plan(&registry, &request(folder.path(), true));
    match refused {
        Err(RunError::NoDevice { solver }) => assert_eq!(solver, "elsewhere"),
        other => panic!("{other:?}"),
    }
    assert!(!folder.path().join("out").exists());
    // without such a solver nothing is required
    let spec = folder.path().join("spec.toml");
    let alone = SPEC.replace("[[solver]]\nuse = \"elsewhere\"\n", "");
    let arguments = request(folder.path(), true);
    fs::write(&spec, alone).expect("a spec");
    assert!(plan(&registry, &arguments).is_ok());
}

/// A solver whose device binds no buffer of this size.
struct Narrow;

impl Solver for Narrow {
    type Parameters = ();
    const DESCRIPTOR: SolverDescriptor = SolverDescriptor {
        id: "narrow",
        ..SolverDescriptor::BASE
    };
    fn new((): ()) -> Result<Self, ParameterError> {
        Ok(Self)
    }
}

impl ImpulseSolver for Narrow {
    fn descriptor(&self) -> &SolverDescriptor {
        &Self::DESCRIPTOR
    }
    fn check(&self, _: &Problem) -> Result<Fidelity, Unsupported> {
        Ok(Fidelity::Exact)
    }
    fn prepare(&mut self, _: &Problem, _: Start<'_>) -> Result<(), SolveError> {
        let (needed, allowed) = (440, 134);
        let what = "the points";
        Err(SolveError::Device(DeviceError::Limit {
            what,
            needed,
            allowed,
        }))
    }
    fn iterate(&mut self, _: &Problem, _: u32) -> Result<Progress, SolveError> {
        Err(SolveError::NotPrepared)
    }
    fn read_impulses(&mut self, _: &mut [f64]) -> Result<(), SolveError> {
        Err(SolveError::NotPrepared)
    }
}

#[test]
fn a_problem_too_large_for_the_device_is_a_skip_with_the_limit() {
    for timing in ["", "[timing]\nrow_updates = 1\nrepetitions = 1\n"] {
        let folder = tempfile::tempdir().expect("a folder");
        let registry = Registry::standard().with::<Narrow>();
        let arguments = request(folder.path(), false);
        let spec = SPEC.replace("elsewhere", "narrow") + timing;
        fs::write(&arguments.spec, spec).expect("a spec");
        let summary = run(&registry, &arguments, &(), &AtomicBool::new(false)).expect("a run");
        assert_eq!((summary.exit_code(), summary.missing), (0, 0));
        let bundle = results::load(&folder.path().join("out"), &registry).expect("results");
        let narrow = bundle.records.iter().find(|r| r.solver.id == "narrow");
        let outcome = &narrow.expect("the cell").outcome;
        assert_eq!(outcome.status, Status::Unsupported);
        let reason = outcome.message.as_deref().unwrap_or_default();
        assert!(
            reason.starts_with("the points needs 440, the adapter allows 134"),
            "{reason}"
        );
    }
}

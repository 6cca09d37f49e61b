//! Solvers of a device that this machine does not have: skipped with the reason, or refused where
//! it is required.

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use delassus_conformance::device_or_skip;
use delassus_core::{
    DeviceError, Fidelity, ImpulseSolver, ParameterError, Problem, Progress, SolveError, Solver,
    SolverDescriptor, SolverFacts, Start, Status, Unsupported,
};
use delassus_records::build::Build;
use delassus_records::record::CellRecord;
use delassus_registry::Registry;
use delassus_runner::isolate::LimitChoice;
use delassus_runner::results;
use delassus_runner::run::{RunArgs, RunError, plan, run};

/// A solver whose device is nowhere.
struct ForeignTimes;

fn missing() -> DeviceError {
    DeviceError::NoAdapter {
        reason: "none of that name".to_owned(),
    }
}

impl Solver for ForeignTimes {
    type Parameters = ();
    const DESCRIPTOR: SolverDescriptor = SolverDescriptor {
        id: "elsewhere",
        ..SolverDescriptor::BASE
    };
    fn new((): ()) -> Result<Self, ParameterError> {
        Ok(Self)
    }
}

impl ImpulseSolver for ForeignTimes {
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
    fn facts(&self) -> SolverFacts {
        SolverFacts {
            device: Some(Err(missing())),
            ..SolverFacts::default()
        }
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
[[table]]
id = "cells"
show = { cells = {} }
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
        isolation: None,
        limits: LimitChoice::default(),
        build: Build::UNKNOWN,
    }
}

#[test]
fn a_missing_device_is_a_skip_with_its_reason() {
    let folder = tempfile::tempdir().expect("a folder");
    let registry = Registry::standard().with::<ForeignTimes>();
    let arguments = request(folder.path(), false);
    let summary = run(&registry, &arguments, &(), &AtomicBool::new(false)).expect("a run");
    assert_eq!((summary.exit_code(), summary.missing), (0, 0));
    let bundle = results::load(&folder.path().join("out"), &registry)
        .expect("results")
        .bundle;
    let of = |id: &str| bundle.records.iter().find(|r| r.solver.id == id);
    let (pgs, elsewhere) = (of("pgs").expect("pgs"), of("elsewhere").expect("elsewhere"));
    assert_eq!(pgs.solver.device, None);
    assert_eq!(pgs.outcome.status, Status::Solved);
    assert_eq!(elsewhere.solver.device.as_deref(), Some("none"));
    assert_eq!(elsewhere.outcome.status, Status::Unsupported);
    let reason = elsewhere.outcome.message.as_deref().unwrap_or_default();
    assert!(reason.contains("no adapter: none of that name"), "{reason}");
    let table = fs::read_to_string(folder.path().join("out/tables/cells.csv")).expect("a table");
    assert!(
        table.contains("elsewhere,unsupported: no adapter,"),
        "{table}"
    );
}

#[test]
fn a_required_device_that_is_missing_is_an_error_before_anything_runs() {
    let folder = tempfile::tempdir().expect("a folder");
    let registry = Registry::standard().with::<ForeignTimes>();
    let refused = plan(&registry, &request(folder.path(), true));
    match refused {
        Err(RunError::NoDevice { label }) => assert_eq!(label, "elsewhere"),
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
        let bundle = results::load(&folder.path().join("out"), &registry)
            .expect("results")
            .bundle;
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

mod schemes {
    use super::*;

    /// A scheme on the processor and one on an adapter.
    fn spec(folder: &Path, adapter: &str, require_gpu: bool) -> RunArgs {
        let arguments = request(folder, require_gpu);
        let spec = format!(
            r#"
title = "A scheme of the processor and one of a device"
[[scene]]
use = "stack"
n = 1
friction = 0.6
law = "disc"
[[scheme]]
use = "jacobi-soft-step"
[[scheme]]
use = "gpu-soft-step"
label = "on the device"
adapter = "{adapter}"
[simulate]
seconds = 0.05
observables = ["drift_max"]
"#
        );
        fs::write(&arguments.spec, spec).expect("a spec");
        arguments
    }

    /// Device, status and message of the two schemes.
    fn outcomes(arguments: &RunArgs) -> Vec<(Option<String>, Status, String)> {
        let registry = Registry::standard();
        let summary = run(&registry, arguments, &(), &AtomicBool::new(false)).expect("a run");
        assert_eq!((summary.exit_code(), summary.missing), (0, 0));
        let out = arguments.out.as_ref().expect("a folder");
        let bundle = results::load(out, &registry).expect("results").bundle;
        let of = |id: &str| {
            let scheme = |r: &&CellRecord| r.scheme().is_some_and(|s| s.id == id);
            let record = bundle.records.iter().find(scheme).expect("the cell");
            let message = record.outcome.message.clone().unwrap_or_default();
            let device = record.scheme().and_then(|s| s.device.clone());
            (device, record.outcome.status, message)
        };
        ["jacobi-soft-step", "gpu-soft-step"].map(of).into()
    }

    #[test]
    fn a_missing_device_of_a_scheme_is_a_skip_too() {
        let folder = tempfile::tempdir().expect("a folder");
        let found = outcomes(&spec(folder.path(), "one that nobody has", false));
        assert_eq!(found[0], (None, Status::Solved, String::new()));
        let (device, status, message) = &found[1];
        assert_eq!(device.as_deref(), Some("none"));
        assert_eq!(*status, Status::Unsupported);
        assert!(message.contains("no adapter"), "{message}");
    }

    #[test]
    fn a_required_device_of_a_scheme_is_an_error() {
        let folder = tempfile::tempdir().expect("a folder");
        let arguments = spec(folder.path(), "one that nobody has", true);
        match plan(&Registry::standard(), &arguments) {
            Err(RunError::NoDevice { label }) => assert_eq!(label, "on the device"),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_record_of_a_scheme_names_its_device() {
        let registry = Registry::standard();
        let solver = registry.find("gpu-jacobi").expect("a solver");
        let solver = solver.build(&serde_json::Map::new()).expect("defaults");
        let test = "the_record_of_a_scheme_names_its_device";
        let Some(name) = device_or_skip(test, solver.facts().device.expect("a device")) else {
            return;
        };
        let folder = tempfile::tempdir().expect("a folder");
        let found = outcomes(&spec(folder.path(), "", false));
        assert_eq!(found[1].0.as_deref(), Some(name.as_str()));
        assert_eq!(found[1].1, Status::Solved, "{}", found[1].2);
    }
}

mod other_devices {
    use delassus_runner::verify::verify;

    use super::*;

    /// A solver that leaves all impulses at zero, on the card `N`; on none if that is 0.
    struct Card<const N: u8> {
        rows: usize,
    }

    impl<const N: u8> Solver for Card<N> {
        type Parameters = ();
        const DESCRIPTOR: SolverDescriptor = SolverDescriptor {
            id: "elsewhere",
            ..SolverDescriptor::BASE
        };
        fn new((): ()) -> Result<Self, ParameterError> {
            Ok(Self { rows: 0 })
        }
    }

    impl<const N: u8> ImpulseSolver for Card<N> {
        fn descriptor(&self) -> &SolverDescriptor {
            &Self::DESCRIPTOR
        }
        fn check(&self, _: &Problem) -> Result<Fidelity, Unsupported> {
            let (solver, device) = (Self::DESCRIPTOR.id, missing());
            match N {
                0 => Err(Unsupported::Device { solver, device }),
                _ => Ok(Fidelity::Exact),
            }
        }
        fn prepare(&mut self, problem: &Problem, _: Start<'_>) -> Result<(), SolveError> {
            self.rows = problem.rows();
            Ok(())
        }
        fn iterate(&mut self, _: &Problem, sweeps: u32) -> Result<Progress, SolveError> {
            Ok(Progress::of_sweeps(sweeps, self.rows))
        }
        fn read_impulses(&mut self, out: &mut [f64]) -> Result<(), SolveError> {
            out.fill(0.0);
            Ok(())
        }
        fn facts(&self) -> SolverFacts {
            let device = match N {
                0 => Err(missing()),
                number => Ok(format!("card {number}")),
            };
            SolverFacts {
                device: Some(device),
                ..SolverFacts::default()
            }
        }
    }

    fn of_card<const N: u8>() -> Registry {
        Registry::standard().with::<Card<N>>()
    }

    /// Checks the results of one machine on another: nothing is a mismatch, every key follows, and
    /// what is said of the device.
    #[track_caller]
    fn checked(made: &Registry, here: &Registry) -> Option<String> {
        let folder = tempfile::tempdir().expect("a folder");
        let arguments = request(folder.path(), false);
        let spec = SPEC.to_owned() + "[stop]\nmax_sweeps = 3\n";
        fs::write(&arguments.spec, spec).expect("a spec");
        let summary = run(made, &arguments, &(), &AtomicBool::new(false)).expect("a run");
        assert_eq!((summary.exit_code(), summary.missing), (0, 0));
        let out = folder.path().join("out");
        let never = AtomicBool::new(false);
        let verdict = verify(&out, None, here, &Build::UNKNOWN, &never).expect("results");
        assert!(verdict.findings.is_empty(), "{:?}", verdict.findings);
        assert_eq!(verdict.keys, verdict.cells);
        assert!(verdict.unchecked.len() < 2, "{:?}", verdict.unchecked);
        verdict.unchecked.into_iter().next().map(|left| left.what)
    }

    #[test]
    fn results_of_another_device_are_unchecked_and_no_mismatch() {
        let [none, one, two] = [of_card::<0>(), of_card::<1>(), of_card::<2>()];
        for (made, here, what) in [
            (&one, &two, "card 2 here, and card 1 in the records"),
            (&one, &none, "no device here, and card 1 in the records"),
            (&none, &two, "card 2 here, and no device in the records"),
        ] {
            let said = checked(made, here).expect("something is unchecked");
            assert!(said.contains(what), "{said}");
        }
        for machine in [&none, &one] {
            assert_eq!(checked(machine, machine), None);
        }
    }
}

//! A solver and a scheme whose device is missing: every law answers [`Verdict::Unavailable`].

use delassus_core::{
    DeviceError, Fidelity, ImpulseSolver, LawForm, Problem, Progress, SolveError, Solver,
    SolverDescriptor, SolverFacts, Start, Support, Unsupported,
};
use delassus_dynamics::{
    Probe, Scheme, SchemeDescriptor, SchemeError, StepError, StepReport, World,
};
use delassus_solver_si::BlockGs;

use crate::*;

const REASON: &str = "none of that name";

fn missing() -> DeviceError {
    DeviceError::NoAdapter {
        reason: REASON.to_owned(),
    }
}

/// A solver that claims all laws, and whose device no machine has.
#[derive(Debug)]
struct MissingDevice;

impl MissingDevice {
    const DESCRIPTOR: SolverDescriptor = SolverDescriptor {
        id: "missing-device",
        forms: &[
            (LawForm::Free, Support::Exact),
            (LawForm::CoulombCone, Support::Exact),
        ],
        coupled_compliance: true,
        ..SolverDescriptor::BASE
    };
}

impl ImpulseSolver for MissingDevice {
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

/// A scheme on the same missing device.
struct SchemeElsewhere;

impl Scheme for SchemeElsewhere {
    fn descriptor(&self) -> &SchemeDescriptor {
        const {
            &SchemeDescriptor {
                id: "missing-device",
                aliases: &[],
                name: "MissingDevice",
                summary: "steps on a device that no machine has",
                citations: &[],
                theory: &[],
                uses_solver: true,
                preset_of: None,
            }
        }
    }

    fn check(&self, _: &World) -> Result<Fidelity, SchemeError> {
        let (solver, device) = ("missing-device", missing());
        Err(Unsupported::Device { solver, device }.into())
    }

    fn step(&mut self, _: &mut World, _: f64, _: &mut dyn Probe) -> Result<StepReport, StepError> {
        Err(SolveError::from(missing()).into())
    }

    fn device(&self) -> Option<Result<String, DeviceError>> {
        Some(Err(missing()))
    }
}

fn assert_unavailable(law: &str, verdict: &Verdict) {
    match verdict {
        Verdict::Unavailable(why) => assert!(why.contains(REASON), "{law}: {why}"),
        other => panic!("{law}: {other:?}"),
    }
}

#[test]
fn no_law_binds_a_solver_whose_device_is_missing() {
    let make = || Box::new(MissingDevice) as Box<dyn ImpulseSolver>;
    type Law = fn(Make<'_>, &Case) -> Verdict;
    let laws: [(&str, Law); 15] = [
        ("chunks", chunks),
        ("warm_start", warm_start),
        ("oracle_residual", oracle_residual),
        ("convergence", convergence),
        ("endurance", endurance),
        ("repetition", |make, case| repetition(make, case, case)),
        ("allocation", allocation),
        ("scaling", scaling),
        ("momentum", momentum),
        ("recurrence", |make, case| recurrence(make, case, 10)),
        ("sharing", sharing),
        ("restart", restart),
        ("restart_allocation", restart_allocation),
        ("repeated_bits", |make, case| {
            repeated_bits(make, std::slice::from_ref(&case.problem))
        }),
        ("repeated_allocation", |make, case| {
            repeated_allocation(make, std::slice::from_ref(&case.problem), 1)
        }),
    ];
    for case in cases() {
        for (name, law) in laws {
            assert_unavailable(name, &law(&make, &case));
        }
        for way in Rewriting::ALL {
            assert_unavailable("rewriting", &rewriting(&make, &case, way));
        }
    }
    for case in friction_cases() {
        assert_unavailable("friction_on", &friction_on(&make, &case));
    }
    assert_unavailable("friction", &friction(&make, 1));
    assert_unavailable("refusal", &refusal(&make));
}

#[test]
fn no_law_binds_a_scheme_whose_device_is_missing() {
    type Law = fn(MakeScheme<'_>) -> Verdict;
    let laws: [(&str, Law); 7] = [
        ("scheme_momentum", scheme_momentum),
        ("scheme_rest", scheme_rest),
        ("scheme_contact_rest", scheme_contact_rest),
        ("scheme_step_change", scheme_step_change),
        ("scheme_bad_steps", scheme_bad_steps),
        ("scheme_repetition", scheme_repetition),
        ("scheme_rotation", |make| scheme_rotation(make, 1e-9)),
    ];
    for (name, law) in laws {
        assert_unavailable(name, &law(&|| Box::new(SchemeElsewhere)));
    }
    let verdict = scheme_failing_solver(&|_| Box::new(SchemeElsewhere));
    assert_unavailable("scheme_failing_solver", &verdict);
}

#[test]
fn every_direction_is_the_same_to_every_scheme() {
    for entry in delassus_dynamics::schemes() {
        let id = entry.descriptor.id;
        let make = || {
            let solver = BlockGs::new(Default::default()).expect("defaults");
            let solver = entry
                .descriptor
                .uses_solver
                .then(|| Box::new(solver) as Box<dyn ImpulseSolver>);
            // the geometric stiffness of the method is a diagonal in the axes of the world
            let mut changes = serde_json::Map::new();
            if id == "avbd" {
                changes.insert("geometric_stiffness".into(), false.into());
            }
            entry.build_with(&changes, solver).expect(id)
        };
        assert_eq!(scheme_rotation(&make, 1e-9), Verdict::Holds, "{id}");
    }
}

//! Planted mistakes that the law must find, each in one line of a problem.

use delassus_core::{
    Fidelity, Friction, ImpulseSolver, Law, Problem, Progress, SolveError, Solver,
    SolverDescriptor, Start, Unsupported,
};
use delassus_solver_si::BlockGs;

use super::*;

/// Solves another problem than it is given.
struct Mistaken {
    inner: BlockGs,
    mistake: fn(&mut Law),
    problem: Option<Problem>,
}

impl ImpulseSolver for Mistaken {
    fn descriptor(&self) -> &SolverDescriptor {
        self.inner.descriptor()
    }

    fn check(&self, problem: &Problem) -> Result<Fidelity, Unsupported> {
        self.inner.check(problem)
    }

    fn prepare(&mut self, problem: &Problem, start: Start<'_>) -> Result<(), SolveError> {
        let mut parts = problem.clone().into_parts();
        for block in &mut parts.blocks {
            (self.mistake)(&mut block.law);
        }
        let problem = Problem::new(parts).expect("a mistake that is a problem");
        self.inner.prepare(&problem, start)?;
        self.problem = Some(problem);
        Ok(())
    }

    fn iterate(&mut self, _: &Problem, sweeps: u32) -> Result<Progress, SolveError> {
        let problem = self.problem.as_ref().ok_or(SolveError::NotPrepared)?;
        self.inner.iterate(problem, sweeps)
    }

    fn read_impulses(&mut self, out: &mut [f64]) -> Result<(), SolveError> {
        self.inner.read_impulses(out)
    }
}

fn verdict(mistake: fn(&mut Law)) -> Verdict {
    let make = || -> Box<dyn ImpulseSolver> {
        let inner = BlockGs::new(Default::default()).expect("defaults");
        Box::new(Mistaken {
            inner,
            mistake,
            problem: None,
        })
    };
    friction(&make, 1)
}

/// Replaces laws of friction of points.
fn points(law: &mut Law, change: impl Fn(Friction) -> Friction) {
    if let Law::Contact(friction) = law {
        *friction = change(*friction);
    }
}

#[test]
fn a_solver_without_a_mistake_holds() {
    assert_eq!(verdict(|_| {}), Verdict::Holds);
}

#[test]
fn mistakes_are_found() {
    type Mistake = (&'static str, fn(&mut Law));
    let mistakes: [Mistake; 10] = [
        ("a square for a disc", |law| {
            points(law, |friction| match friction {
                Friction::Disc { mu } => Friction::Pyramid { mu },
                other => other,
            });
        }),
        ("a disc for a square", |law| {
            points(law, |friction| match friction {
                Friction::Pyramid { mu } => Friction::Disc { mu },
                other => other,
            });
        }),
        ("the relaxation for Coulomb", |law| {
            points(law, |friction| match friction {
                Friction::Coulomb { mu } => Friction::ConvexCone { mu },
                other => other,
            });
        }),
        ("Coulomb for the relaxation", |law| {
            points(law, |friction| match friction {
                Friction::ConvexCone { mu } => Friction::Coulomb { mu },
                other => other,
            });
        }),
        ("one per mille more friction", |law| {
            points(law, |friction| match friction {
                Friction::Disc { mu } => Friction::Disc { mu: 1.001 * mu },
                other => other,
            });
        }),
        ("a limit that is not fixed", |law| {
            points(law, |friction| match friction {
                Friction::FixedBox { .. } => Friction::Pyramid { mu: boxes::MU },
                other => other,
            });
        }),
        ("twice the facets", |law| {
            points(law, |friction| match friction {
                Friction::Facets { mu, facets } => Friction::Facets {
                    mu,
                    facets: 2 * facets,
                },
                other => other,
            });
        }),
        ("friction where there is none", |law| {
            points(law, |friction| match friction {
                Friction::Frictionless => Friction::Coulomb { mu: 0.01 },
                other => other,
            });
        }),
        ("a patch without a twist", |law| {
            if let Law::Patch(patch) = law {
                patch.levers.fill(0.0);
            }
        }),
        ("a ball that rolls without resistance", |law| {
            if let Law::Rolling(rolling) = law {
                rolling.rolling *= 0.5;
            }
        }),
    ];
    for (name, mistake) in mistakes {
        let found = verdict(mistake);
        assert!(matches!(found, Verdict::Violated(_)), "{name}: {found:?}");
    }
}

#[test]
fn a_claim_without_a_case_is_found() {
    /// Refuses everything in space.
    struct Planar(BlockGs);
    impl ImpulseSolver for Planar {
        fn descriptor(&self) -> &SolverDescriptor {
            self.0.descriptor()
        }
        fn check(&self, problem: &Problem) -> Result<Fidelity, Unsupported> {
            match problem.blocks().iter().position(|block| block.dim > 2) {
                Some(block) => Err(Unsupported::Law {
                    solver: "planar",
                    block,
                    law: problem.blocks()[block].law.kind(),
                }),
                None => self.0.check(problem),
            }
        }
        fn prepare(&mut self, problem: &Problem, start: Start<'_>) -> Result<(), SolveError> {
            self.0.prepare(problem, start)
        }
        fn iterate(&mut self, problem: &Problem, sweeps: u32) -> Result<Progress, SolveError> {
            self.0.iterate(problem, sweeps)
        }
        fn read_impulses(&mut self, out: &mut [f64]) -> Result<(), SolveError> {
            self.0.read_impulses(out)
        }
    }
    let found = friction(
        &|| Box::new(Planar(BlockGs::new(Default::default()).expect("defaults"))),
        1,
    );
    // a patch has no planar form
    let Verdict::Violated(what) = found else {
        panic!("{found:?}");
    };
    assert!(what.contains("patch"), "{what}");
}

#[test]
fn there_are_cases_of_every_law_on_one_to_four_points() {
    let cases = friction_cases();
    for law in LawKind::ALL {
        if matches!(law, LawKind::Equality | LawKind::Bounds) {
            continue;
        }
        for points in 1..=4 {
            for sticks in [true, false] {
                // without friction nothing sticks
                let expected = *law != LawKind::Frictionless || !sticks;
                let found = cases
                    .iter()
                    .any(|c| (c.law, c.points, c.sticks) == (*law, points, sticks));
                assert_eq!(found, expected, "{law}, {points} points, {sticks}");
            }
        }
    }
}

//! What the outer layer checks for every method, whatever the method does.

use delassus_core::{
    BlockSparse, Changes, Checked, CoupledCompliance, DeviceError, Fidelity, FrameJoint,
    FrameMotion, FrameSetup, FrameSolver, FrameSpring, Gyroscope, GyroscopicTorque, HalfSteps,
    ImpulseSolver, Law, LawForm, MassProperties, MatrixRows, MemoryLimit, Method, Operator,
    ParameterError, Parameters, Precision, Prepared, Problem, ProblemBuilder, ProblemParts,
    Progress, Solutions, SolveError, Solver, SolverDescriptor, SolverFacts, SolverUpdate, Start,
    StateCoverage, Support, Traffic, Unsupported, check_within,
};
use nalgebra::Vector3;

/// What the method below does.
#[derive(Debug, Clone, Copy, Parameters)]
struct Script {
    /// Added to every impulse in a sweep.
    #[parameter(unit = "N·s")]
    step: f64,
    /// It refuses every problem.
    refuses: bool,
    /// It takes a second problem without being prepared anew.
    repeats: bool,
    /// It takes new numbers of its problem, and other impulses.
    refreshes: bool,
    /// It has velocities of its own.
    keeps_velocities: bool,
    /// It integrates frames.
    integrates: bool,
    /// Says that a velocity has overflowed.
    overflows: bool,
}

/// Adds a number to every impulse in a sweep; in f32 if `NARROW`.
struct Adding<const NARROW: bool> {
    script: Script,
    prepared: u32,
}

struct Sums {
    script: Script,
    impulses: Vec<f64>,
    repeated: u32,
    /// One when it is made or takes something over, and one per sweep.
    factored: u64,
}

impl<const NARROW: bool> Method for Adding<NARROW> {
    type Parameters = Script;
    type Prepared = Sums;
    const DESCRIPTOR: SolverDescriptor = SolverDescriptor {
        id: "adding",
        forms: &[(LawForm::Free, Support::Exact)],
        precision: if NARROW {
            Precision::F32
        } else {
            Precision::F64
        },
        needs_bodies: NARROW,
        ..SolverDescriptor::BASE
    };
    fn new(script: Script) -> Result<Self, ParameterError> {
        Ok(Self {
            script,
            prepared: 0,
        })
    }
    fn check(&self, _: &Problem) -> Result<(), Unsupported> {
        let (solver, device) = ("adding", lost());
        match self.script.refuses {
            true => Err(Unsupported::Device { solver, device }),
            false => Ok(()),
        }
    }
    fn device(&self) -> Option<Result<String, DeviceError>> {
        Some(Ok("abacus".to_owned()))
    }
    fn prepare(&mut self, _: &Problem, impulses: Vec<f64>) -> Result<Sums, SolveError> {
        self.prepared += 1;
        Ok(Sums {
            script: self.script,
            impulses,
            repeated: 0,
            factored: 1,
        })
    }
    fn prepare_into(
        &mut self,
        sums: &mut Sums,
        _: &Problem,
        impulses: &[f64],
    ) -> Result<bool, SolveError> {
        sums.impulses = impulses.to_vec();
        sums.repeated += 1;
        sums.factored += u64::from(self.script.repeats);
        Ok(self.script.repeats)
    }
}

impl Prepared for Sums {
    fn update(&mut self, _: &Problem, _: Changes) -> Result<bool, SolveError> {
        self.factored += u64::from(self.script.refreshes);
        Ok(self.script.refreshes)
    }
    fn warm_start(&mut self, _: &Problem, impulses: &[f64]) -> Result<bool, SolveError> {
        if self.script.refreshes {
            self.impulses.copy_from_slice(impulses);
        }
        Ok(self.script.refreshes)
    }
    fn iterate(&mut self, _: &Problem, sweeps: u32) -> Result<Progress, SolveError> {
        self.factored += u64::from(sweeps);
        let change = f64::from(sweeps) * self.script.step;
        self.impulses.iter_mut().for_each(|x| *x += change);
        Ok(Progress::of_sweeps(sweeps, self.impulses.len()))
    }
    fn impulses(&self, out: &mut [f64]) -> Result<(), SolveError> {
        out.copy_from_slice(&self.impulses);
        Ok(())
    }
    fn is_finite(&self) -> bool {
        !self.script.overflows
    }
    fn velocities(&self, out: &mut [f64]) -> Result<bool, SolveError> {
        if self.script.keeps_velocities {
            out.fill(0.5);
        }
        Ok(self.script.keeps_velocities)
    }
    fn fingerprint(&self, out: &mut Vec<u64>) -> Result<Option<StateCoverage>, SolveError> {
        StateCoverage::push(out, self.impulses.iter().copied());
        Ok(Some(StateCoverage::Complete))
    }
    fn factorizations(&self) -> Option<u64> {
        Some(self.factored)
    }
    fn facts(&self) -> SolverFacts {
        SolverFacts {
            traffic: Some(Traffic::default()),
            dispatches: Some(4),
            decisions: vec!["adds".to_owned()],
            solutions: Some(Solutions::default()),
            ..SolverFacts::default()
        }
    }
    fn as_frame_solver(&mut self) -> Option<&mut dyn FrameSolver> {
        self.script.integrates.then_some(self)
    }
}

/// Half-steps add as sweeps do; a body moves by their number.
impl FrameSolver for Sums {
    fn integrate(
        &mut self,
        _: &Problem,
        _: &FrameSetup<'_>,
        half_steps: HalfSteps,
    ) -> Result<bool, SolveError> {
        let change = self.script.step * half_steps.len() as f64;
        self.impulses.iter_mut().for_each(|x| *x += change);
        Ok(true)
    }
    fn read_motion(&mut self, out: &mut FrameMotion) -> Result<(), SolveError> {
        out.impulses.clone_from(&self.impulses);
        Ok(())
    }
}

fn lost() -> DeviceError {
    DeviceError::Lost {
        reason: "no beads".to_owned(),
    }
}

fn solver<const NARROW: bool>(script: Script) -> Checked<Adding<NARROW>> {
    Checked::new(script).expect("every script is one")
}

/// `bodies` of one mass [kg], the first moving at 1 m/s; the first `rows` axes held, in blocks of
/// one row.
fn held(bodies: usize, mass: f64, rows: usize) -> Problem {
    let mut builder = ProblemBuilder::new();
    let inertia = MassProperties::aligned(mass, Vector3::repeat(1.0));
    let first = builder.body(inertia, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    (1..bodies).for_each(|_| {
        builder.body(inertia, [0.0; 6]);
    });
    for row in 0..rows {
        let axis = std::array::from_fn(|i| f64::from(u8::from(i == row)));
        builder.block(Law::Equality, &[first], &[[axis]]);
    }
    builder.build().expect("a valid problem")
}

/// Two rows given by their matrix.
fn matrix() -> Problem {
    let blocks = held(1, 1.0, 2).blocks().to_vec();
    let diagonal = vec![(0, 0, vec![2.0]), (1, 1, vec![2.0])];
    let delassus = BlockSparse::from_blocks(&[1, 1], diagonal).expect("square");
    Problem::new(ProblemParts {
        operator: Operator::Matrix(MatrixRows {
            delassus,
            free_velocity: vec![1.0, 1.0],
        }),
        blocks,
        bias: vec![0.0; 2],
        compliance: vec![0.0; 2],
        coupled_compliance: CoupledCompliance::new(),
        activity: Vec::new(),
        step: None,
    })
    .expect("a valid problem")
}

fn read(solver: &mut impl ImpulseSolver, rows: usize) -> Result<Vec<f64>, SolveError> {
    let mut out = vec![0.0; rows];
    solver.read_impulses(&mut out).map(|()| out)
}

fn length(what: &'static str, found: usize, expected: usize) -> Result<(), SolveError> {
    Err(SolveError::Length {
        what,
        found,
        expected,
    })
}

#[test]
fn nothing_but_questions_is_answered_before_prepare() {
    let problem = held(1, 1.0, 2);
    let mut solver = solver::<false>(Script::default());
    let not_prepared = SolveError::NotPrepared;
    assert_eq!(solver.iterate(&problem, 1), Err(not_prepared.clone()));
    let refreshed = solver.update(&problem, SolverUpdate::Numbers(Changes::ALL));
    assert_eq!(refreshed, Err(not_prepared.clone()));
    assert_eq!(read(&mut solver, 2), Err(not_prepared.clone()));
    let velocities = solver.read_velocities(&problem, &mut [0.0; 6]);
    assert_eq!(velocities, Err(not_prepared.clone()));
    assert_eq!(
        solver.fingerprint(&mut Vec::new()),
        Err(not_prepared.clone())
    );
    assert_eq!(solver.prepared().err(), Some(not_prepared));
    assert_eq!(solver.check(&problem), Ok(Fidelity::Exact));
    assert_eq!(solver.footprint(&problem), 2 * problem.memory());
    assert!(solver.as_frame_solver().is_none());
    let facts = SolverFacts {
        device: Some(Ok("abacus".to_owned())),
        ..SolverFacts::default()
    };
    assert_eq!(solver.facts(), facts);
}

#[test]
fn another_problem_and_other_slices_are_refused() {
    let problem = held(2, 1.0, 2);
    let mut solver = solver::<false>(Script::default());
    solver.prepare(&problem, Start::Cold).expect("accepted");
    for (other, expected) in [
        (held(2, 1.0, 3), length("problem", 3, 2)),
        (held(1, 1.0, 2), length("bodies", 1, 2)),
        (matrix(), Err(SolveError::NoBodies)),
    ] {
        assert_eq!(solver.iterate(&other, 1).map(|_| ()), expected);
        assert_eq!(
            solver.update(&other, SolverUpdate::Numbers(Changes::ALL)),
            expected
        );
        assert_eq!(solver.read_velocities(&other, &mut [0.0; 12]), expected);
    }
    let short = solver.read_impulses(&mut [0.0]);
    assert_eq!(short, length("impulses", 1, 2));
    let short = solver.read_velocities(&problem, &mut [0.0; 6]);
    assert_eq!(short, length("velocities", 6, 12));
    // the right ones still are answered
    assert_eq!(read(&mut solver, 2), Ok(vec![0.0; 2]));
    solver.prepare(&matrix(), Start::Cold).expect("accepted");
    let none = solver.read_velocities(&matrix(), &mut []);
    assert_eq!(none, Err(SolveError::NoBodies));
    let bodies = solver.iterate(&held(2, 1.0, 2), 1);
    assert_eq!(bodies.map(|_| ()), length("bodies", 2, 0));
}

#[test]
fn what_is_refused_leaves_nothing_prepared() {
    let problem = held(1, 1.0, 2);
    let bodies = Unsupported::Bodies { solver: "adding" };
    let mut narrow = solver::<true>(Script::default());
    narrow.prepare(&problem, Start::Cold).expect("accepted");
    assert_eq!(narrow.check(&matrix()), Err(bodies.clone()));
    let refused = narrow.prepare(&matrix(), Start::Cold);
    assert_eq!(refused, Err(bodies.into()));
    assert_eq!(read(&mut narrow, 2), Err(SolveError::NotPrepared));
    let mut refusing = solver::<false>(Script {
        refuses: true,
        ..Script::default()
    });
    let (solver, device) = ("adding", lost());
    let lost = Unsupported::Device { solver, device };
    assert_eq!(refusing.check(&problem), Err(lost.clone()));
    let refused = refusing.prepare(&problem, Start::Cold);
    assert_eq!(refused, Err(lost.into()));
    let bad = narrow.prepare(&problem, Start::Warm(&[1.0, f64::NAN]));
    assert_eq!(bad, Err(SolveError::WarmStart { row: 1 }));
}

#[test]
fn numbers_that_are_none_are_not_handed_out() {
    let problem = held(1, 1.0, 2);
    let mut solver = solver::<false>(Script {
        step: f64::MAX,
        ..Script::default()
    });
    solver.prepare(&problem, Start::Cold).expect("accepted");
    // the method does not say, and is found out
    assert!(solver.iterate(&problem, 2).is_ok());
    assert_eq!(read(&mut solver, 2), Err(SolveError::NonFinite { row: 0 }));
    let mut solver = self::solver::<false>(Script {
        overflows: true,
        ..Script::default()
    });
    let overflown = solver.prepare(&problem, Start::Cold);
    assert_eq!(overflown, Err(SolveError::NonFiniteVelocity));
    assert_eq!(read(&mut solver, 2), Err(SolveError::NotPrepared));
}

#[test]
fn memory_is_used_again_where_the_method_can() {
    let problem = held(1, 1.0, 2);
    for (repeats, refreshes) in [(false, false), (true, false), (false, true)] {
        let mut solver = solver::<false>(Script {
            step: 1.0,
            repeats,
            refreshes,
            ..Script::default()
        });
        let start = Start::Warm(&[3.0, 4.0]);
        solver.prepare(&problem, start).expect("accepted");
        solver.iterate(&problem, 2).expect("two sweeps");
        solver
            .update(&problem, SolverUpdate::Numbers(Changes::ALL))
            .expect("the same");
        assert_eq!(read(&mut solver, 2), Ok(vec![5.0, 6.0]));
        let made = 1 + u32::from(!repeats && !refreshes);
        assert_eq!(solver.method().prepared, made);
        solver.prepare(&problem, Start::Cold).expect("accepted");
        assert_eq!(solver.method().prepared, made + u32::from(!repeats));
        assert_eq!(read(&mut solver, 2), Ok(vec![0.0; 2]));
        let repeated = solver.prepared().map(|sums| sums.repeated);
        assert_eq!(repeated, Ok(if repeats { 2 } else { 0 }));
        // three times prepared or taken over, and two sweeps, whoever of the prepared ones made
        // them
        assert_eq!(solver.facts().factorizations, Some(5));
    }
}

#[test]
fn narrow_methods_are_given_numbers_that_have_room() {
    // far beyond f32
    let problem = held(1, 2.0_f64.powi(200), 1);
    let mut solver = solver::<true>(Script {
        refreshes: true,
        keeps_velocities: true,
        ..Script::default()
    });
    let start = [2.0_f64.powi(200)];
    solver.prepare(&problem, Start::Warm(&start)).expect("room");
    let own = solver.prepared().expect("prepared").impulses[0];
    assert!((1e-20..1e20).contains(&own), "{own:e}");
    assert_eq!(read(&mut solver, 1), Ok(start.to_vec()));
    // velocities are in their own units already
    let mut velocities = [0.0; 6];
    let kept = solver.read_velocities(&problem, &mut velocities);
    assert_eq!((kept, velocities), (Ok(()), [0.5; 6]));
    // another mass, other units: prepared anew with the impulses reached
    let light = held(1, 1.0, 1);
    let heavy = solver.method().prepared;
    solver
        .update(&light, SolverUpdate::Numbers(Changes::ALL))
        .expect("one row");
    assert_eq!(solver.method().prepared, heavy + 1);
    assert_eq!(read(&mut solver, 1), Ok(start.to_vec()));
}

/// Asks a solver everything.
fn all(mut solver: impl ImpulseSolver) -> (Vec<f64>, [f64; 6]) {
    let problem = held(1, 1.0, 2);
    assert_eq!(solver.descriptor().id, "adding");
    let limit = MemoryLimit::default();
    assert_eq!(check_within(&solver, &problem, limit), Ok(Fidelity::Exact));
    assert_eq!(solver.footprint(&problem), 2 * problem.memory());
    let before = solver.facts().factorizations.unwrap_or(0);
    solver.prepare(&problem, Start::Cold).expect("accepted");
    solver.iterate(&problem, 1).expect("a sweep");
    solver
        .update(&problem, SolverUpdate::Numbers(Changes::ALL))
        .expect("the same");
    let mut bits = Vec::new();
    assert_eq!(
        solver.fingerprint(&mut bits),
        Ok(Some(StateCoverage::Complete))
    );
    assert_eq!(bits, [1.0_f64.to_bits(); 2]);
    let facts = SolverFacts {
        traffic: Some(Traffic::default()),
        dispatches: Some(4),
        // prepared, one sweep, prepared again
        factorizations: Some(before + 3),
        decisions: vec!["adds".to_owned()],
        solutions: Some(Solutions::default()),
        device: Some(Ok("abacus".to_owned())),
        peer: None,
    };
    assert_eq!(solver.facts(), facts);
    assert!(solver.as_frame_solver().is_some());
    let mut velocities = [0.0; 6];
    let read_velocities = solver.read_velocities(&problem, &mut velocities);
    assert_eq!(read_velocities, Ok(()));
    (read(&mut solver, 2).expect("prepared"), velocities)
}

#[test]
fn a_solver_behind_a_pointer_is_the_solver() {
    let new = || {
        solver::<false>(Script {
            step: 1.0,
            integrates: true,
            ..Script::default()
        })
    };
    // 1 m/s and two impulses of 1 N·s on 1 kg
    let expected = (vec![1.0; 2], [2.0, 1.0, 0.0, 0.0, 0.0, 0.0]);
    let mut own = new();
    assert_eq!(all(&mut own), expected);
    assert_eq!(all(own), expected);
    assert_eq!(all(Box::new(new())), expected);
    let boxed: Box<dyn ImpulseSolver> = Box::new(new());
    assert_eq!(all(boxed), expected);
}

#[test]
fn replaced_impulses_are_checked() {
    let problem = held(1, 1.0, 2);
    for refreshes in [false, true] {
        let mut solver = solver::<false>(Script {
            refreshes,
            ..Script::default()
        });
        let replace = SolverUpdate::Impulses;
        let early = solver.update(&problem, replace(&[1.0; 2]));
        assert_eq!(early, Err(SolveError::NotPrepared));
        solver.prepare(&problem, Start::Cold).expect("accepted");
        let short = solver.update(&problem, replace(&[1.0]));
        assert_eq!(short, length("warm start", 1, 2));
        let bad = solver.update(&problem, replace(&[1.0, f64::NAN]));
        assert_eq!(bad, Err(SolveError::WarmStart { row: 1 }));
        solver.update(&problem, replace(&[3.0, 4.0])).expect("two");
        assert_eq!(read(&mut solver, 2), Ok(vec![3.0, 4.0]));
        assert_eq!(solver.method().prepared, 1 + u32::from(!refreshes));
    }
}

#[test]
fn frames_are_integrated_in_the_units_of_the_problem_only() {
    let spring = FrameSpring {
        bias_rate: 0.0,
        softness: 0.0,
        push_limit: 0.0,
    };
    let frame = |separations| FrameSetup {
        h: 0.1,
        sweeps: [1, 1],
        holds_friction: false,
        springs: [spring; 2],
        joints: &[],
        joint_spring: spring,
        slop: 0.0,
        soft_when_open: false,
        separations,
        anchor_offsets: &[0.0; 2],
        velocity_increments: &[[0.0; 3]],
        gyroscopes: &[Gyroscope::NONE],
        gyroscopic: GyroscopicTorque::Explicit,
    };
    let problem = held(1, 1.0, 2);
    let mut solver = solver::<false>(Script {
        step: 1.0,
        integrates: true,
        refreshes: true,
        ..Script::default()
    });
    solver.prepare(&problem, Start::Cold).expect("accepted");
    let mut motion = FrameMotion::default();
    assert_eq!(
        solver.read_motion(&mut motion),
        Err(SolveError::NotPrepared)
    );
    let short = solver.integrate(&problem, &frame(&[0.0]), 0..2);
    assert_eq!(short.map(|_| ()), length("separations", 1, 2));
    // a block is a joint or a contact
    let joints = [FrameJoint::Limit { errors: [0.0; 2] }; 3];
    for (count, expected) in [
        (1, length("separations", 2, 1)),
        (3, length("joints", 3, 2)),
    ] {
        let setup = FrameSetup {
            joints: &joints[..count],
            ..frame(&[0.0; 2])
        };
        let found = solver.integrate(&problem, &setup, 0..2);
        assert_eq!(found.map(|_| ()), expected);
    }
    assert_eq!(
        solver.integrate(&problem, &frame(&[0.0; 2]), 0..3),
        Ok(true)
    );
    assert_eq!(solver.read_motion(&mut motion), Ok(()));
    assert_eq!(motion.impulses, [3.0; 2]);
    let numbers = SolverUpdate::Numbers(Changes::ALL);
    solver.update(&problem, numbers).expect("the same");
    assert_eq!(
        solver.read_motion(&mut motion),
        Err(SolveError::NotPrepared)
    );
    // far beyond f32: the method has other units than the frame
    let mut narrow = self::solver::<true>(Script {
        integrates: true,
        ..Script::default()
    });
    let heavy = held(1, 2.0_f64.powi(200), 2);
    narrow.prepare(&heavy, Start::Cold).expect("room");
    assert!(narrow.as_frame_solver().is_none());
    assert_eq!(narrow.integrate(&heavy, &frame(&[0.0; 2]), 0..3), Ok(false));
}

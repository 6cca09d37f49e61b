//! What a problem says about itself, and what it says after a change; work and progress add up.

use delassus_core::{
    Activity, Friction, ImpulseSolver, Law, LawKind, MassProperties, Patch, Problem,
    ProblemBuilder, ProblemError, Progress, SolveError, SolverDescriptor, Start, StepScale,
};
use nalgebra::Vector3;

/// A contact, an equality of two rows and a patch of two points on one body of 2 kg.
fn mixed() -> Problem {
    let mut builder = ProblemBuilder::new();
    let mass = MassProperties::aligned(2.0, Vector3::repeat(1.0));
    let body = builder.body(mass, [1.0, 2.0, 3.0, 0.0, 0.0, 0.0]);
    let rows = |dim: usize| -> Vec<[[f64; 6]; 1]> {
        (0..dim)
            .map(|axis| [std::array::from_fn(|i| f64::from(u8::from(i == axis)))])
            .collect()
    };
    let patch = Patch {
        mu: 0.5,
        levers: vec![1.0, 2.0],
    };
    let contact = Law::Contact(Friction::Disc { mu: 0.25 });
    builder.block(contact, &[body], &rows(3));
    builder.feature(77);
    // room for more changes nothing that is there
    builder.reserve(3, 4, 5, 6).step(0.01, 9.81);
    builder.block(Law::Equality, &[body], &rows(2));
    builder.block(Law::Patch(Box::new(patch)), &[body], &rows(5));
    builder.build().expect("a valid problem")
}

#[test]
fn a_problem_knows_its_laws_its_step_and_its_features() {
    let problem = mixed();
    let laws: Vec<LawKind> = problem.laws().collect();
    assert_eq!(laws, [LawKind::Equality, LawKind::Disc, LawKind::Patch]);
    let (dt, gravity) = (0.01, 9.81);
    assert_eq!(problem.step(), Some(StepScale { dt, gravity }));
    let features: Vec<u64> = problem.blocks().iter().map(|b| b.feature).collect();
    assert_eq!(features, [77, 1, 2]);
    assert_eq!(problem.b()[..3], [1.0, 2.0, 3.0]);
    assert_eq!(problem.clone(), problem);
    let mut other = problem.clone();
    other.set_bias(&[0.5; 10]).expect("ten rows");
    assert_ne!(other, problem);
    // what was computed on the way is no difference
    other.set_bias(&[0.0; 10]).expect("ten rows");
    assert_eq!(other, problem);
}

#[test]
fn friction_and_convexity_are_those_of_the_law() {
    use Friction as F;
    let (mu, limit) = (0.25, 3.0);
    for (friction, coefficient, convex) in [
        (F::Frictionless, 0.0, true),
        (F::FixedBox { limit }, 0.0, true),
        (F::Pyramid { mu }, mu, false),
        (F::Disc { mu }, mu, false),
        (F::Coulomb { mu }, mu, false),
        (F::ConvexCone { mu }, mu, true),
    ] {
        assert_eq!(friction.mu(), coefficient);
        assert_eq!(Law::Contact(friction).is_convex(), convex, "{friction:?}");
    }
    assert!(Law::Equality.is_convex() && Law::UNILATERAL.is_convex());
}

#[test]
fn activity_counts_the_rows_that_are_solved_for() {
    use Activity::{Hold, NormalsOnly, Solve};
    let mut problem = mixed();
    let all = |problem: &Problem| {
        (
            problem.uniform_activity(),
            problem.all_active(),
            problem.active_rows(),
        )
    };
    assert_eq!(all(&problem), (Some(Solve), true, 10));
    // one normal of the contact, both rows of the equality, two normals of the patch
    problem.set_all_activity(NormalsOnly);
    assert_eq!(all(&problem), (Some(NormalsOnly), false, 5));
    assert_eq!(problem.activity(), [NormalsOnly; 3]);
    problem.set_all_activity(Hold);
    assert_eq!(all(&problem), (Some(Hold), false, 0));
    problem
        .set_activity(&[Hold, Solve, NormalsOnly])
        .expect("three");
    assert_eq!(all(&problem), (None, false, 4));
    assert_eq!(problem.activity(), [Hold, Solve, NormalsOnly]);
    assert_eq!([0, 1, 2].map(|block| problem.active_dim(block)), [0, 2, 2]);
    problem.set_activity(&[Solve; 3]).expect("three");
    assert_eq!(all(&problem), (Some(Solve), true, 10));
    problem.set_activity(&[Hold, Hold, Solve]).expect("three");
    problem.set_all_activity(Hold);
    assert_eq!(
        (problem.activity(), problem.active_rows()),
        (&[Hold; 3][..], 0)
    );
}

#[test]
fn rigid_means_that_no_row_is_soft() {
    let mut problem = mixed();
    assert!(problem.is_rigid());
    let mut set = |compliance: [f64; 10]| {
        problem.set_compliance(&compliance).expect("ten rows");
        let twin = Problem::new(problem.clone().into_parts()).expect("a valid problem");
        assert_eq!(twin.is_rigid(), problem.is_rigid());
        problem.is_rigid()
    };
    let mut one = [0.0; 10];
    one[7] = 0.5;
    assert!(!set(one) && set([0.0; 10]));
    // a negative zero is a zero
    one[3] = -0.0;
    assert!(!set(one));
    one[7] = -0.0;
    assert!(set(one));
}

#[test]
fn velocities_that_overflow_together_are_refused_and_nothing_is_kept() {
    let mut builder = ProblemBuilder::new();
    let mass = MassProperties::aligned(1.0, Vector3::repeat(1.0));
    let body = builder.body(mass, [1.0; 6]);
    builder.block(Law::Equality, &[body], &[[[1.0, 1.0, 0.0, 0.0, 0.0, 0.0]]]);
    let mut problem = builder.build().expect("a valid problem");
    let before = problem.clone();
    let refused = problem.set_free_velocity(&[1.7e308; 6]);
    assert!(matches!(
        refused,
        Err(ProblemError::NonFinite { index: 0, .. })
    ));
    assert_eq!(problem, before);
    assert_eq!(problem.b(), [2.0]);
    // one large velocity is finite, and a bias that tips it over is refused later
    let mut large = [0.0; 6];
    large[0] = 1.7e308;
    problem.set_free_velocity(&large).expect("finite");
    assert_eq!(problem.b(), [1.7e308]);
    assert!(problem.set_bias(&[1e308]).is_err());
    assert_eq!((problem.bias(), problem.b()), (&[0.0][..], &[1.7e308][..]));
    // after a refusal the large velocity is restored, and still counts as large
    assert!(problem.set_free_velocity(&[1.7e308; 6]).is_err());
    assert!(problem.set_bias(&[1e308]).is_err());
    problem.set_free_velocity(&[0.5; 6]).expect("small");
    problem.set_bias(&[1e308]).expect("alone it is finite");
    assert_eq!(problem.b(), [1e308]);
}

#[test]
fn a_problem_without_rows_has_a_velocity_without_entries() {
    let problem = ProblemBuilder::new().build().expect("nothing is valid");
    let empty = problem.shifted_velocity_in(&mut Vec::new(), &[], &mut []);
    assert_eq!(empty, Ok(()));
    // and no block that could be held
    let mut problem = problem;
    problem.set_all_activity(Activity::Hold);
    assert!(problem.all_active());
}

#[test]
fn work_adds_up() {
    let (mut one, two) = (Progress::of_sweeps(3, 5), Progress::of_sweeps(2, 7));
    assert_eq!(one.row_updates, 15);
    let finished = Progress {
        finished: true,
        ..two
    };
    let sum = one + two;
    assert_eq!((sum.sweeps, sum.row_updates, sum.finished), (5, 29, false));
    assert!((one + finished).finished && (finished + one).finished);
    one += finished;
    assert_eq!((one.sweeps, one.row_updates, one.finished), (5, 29, true));
}

/// Knows its impulses and nothing else.
struct Fixed(Vec<f64>);

impl ImpulseSolver for Fixed {
    fn descriptor(&self) -> &SolverDescriptor {
        &SolverDescriptor::BASE
    }
    fn prepare(&mut self, _: &Problem, _: Start<'_>) -> Result<(), SolveError> {
        Ok(())
    }
    fn iterate(&mut self, _: &Problem, _: u32) -> Result<Progress, SolveError> {
        Ok(Progress::default())
    }
    fn read_impulses(&mut self, out: &mut [f64]) -> Result<(), SolveError> {
        out.copy_from_slice(&self.0);
        Ok(())
    }
}

#[test]
fn the_provided_velocities_are_those_of_the_impulses() {
    let problem = mixed();
    let mut impulses = vec![0.0; 10];
    // rows along x of the contact, along y of the equality
    (impulses[0], impulses[4]) = (4.0, -3.0);
    let mut velocities = [9.0; 6];
    let read = Fixed(impulses).read_velocities(&problem, &mut velocities);
    assert_eq!(read, Ok(()));
    assert_eq!(velocities, [1.0 + 2.0, 2.0 - 1.5, 3.0, 0.0, 0.0, 0.0]);
}

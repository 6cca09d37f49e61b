//! What every solver of this crate owes its caller: chunks, refresh, inactive rows, no allocation,
//! errors.

use crate::common::{Recipe, cases, lcp, matrix_problem, planted, velocity_difference};
use delassus_core::{
    Activity, Changes, Friction, ImpulseSolver, Law, MassProperties, Parameters, ParametersError,
    Problem, ProblemBuilder, SolveError, Solver, SolverUpdate, SolverVisitor, Start, Unsupported,
};
use delassus_solver_dense::dantzig::DantzigParameters;
use delassus_solver_dense::dense_direct::DenseDirectParameters;
use delassus_solver_dense::enumeration::EnumerationParameters;
use delassus_solver_dense::{Dantzig, DenseDirect, DensePgs, Enumeration, visit_solvers};
use nalgebra::Vector3;
use proptest::prelude::*;

/// A problem that every solver accepts: equality rows only, or rows with bounds for the solvers
/// that have them.
fn problem(seed: u64, equality_only: bool) -> Problem {
    planted(Recipe {
        seed,
        bodies: 3,
        blocks: 6,
        max_rows: 9,
        mass_decades: 1.0,
        repeat: 0.3,
        soft: 0.2,
        degenerate: 0.2,
        equality_only,
    })
    .problem
}

fn start(problem: &Problem) -> Vec<f64> {
    (0..problem.rows())
        .map(|i| 0.1 * (i as f64 + 1.0))
        .collect()
}

fn read<S: Solver>(solver: &mut S, problem: &Problem) -> Vec<f64> {
    let mut impulses = vec![f64::NAN; problem.rows()];
    solver.read_impulses(&mut impulses).expect("prepared");
    impulses
}

fn prepared<S: Solver>(problem: &Problem, start: Start<'_>) -> S {
    let mut solver = S::new(S::Parameters::default()).expect("valid defaults");
    solver.prepare(problem, start).expect("accepted");
    solver
}

/// Calls the same test for each solver, with a problem that it accepts.
fn for_each(seed: u64, test: impl Fn(&dyn Fn(&mut dyn Run), u64)) {
    struct Visitor<'a>(&'a mut dyn Run, u64);
    impl SolverVisitor for Visitor<'_> {
        fn visit<S: Solver>(&mut self) {
            let equality_only = S::DESCRIPTOR.id == DenseDirect::DESCRIPTOR.id;
            let problem = problem(self.1, equality_only);
            self.0.run(
                &mut S::new(S::Parameters::default()).expect("valid defaults"),
                &mut S::new(S::Parameters::default()).expect("valid defaults"),
                problem,
            );
        }
    }
    test(&|run| visit_solvers(&mut Visitor(run, seed)), seed);
}

trait Run {
    fn run(&mut self, a: &mut dyn ImpulseSolver, b: &mut dyn ImpulseSolver, problem: Problem);
}

impl<F: FnMut(&mut dyn ImpulseSolver, &mut dyn ImpulseSolver, Problem)> Run for F {
    fn run(&mut self, a: &mut dyn ImpulseSolver, b: &mut dyn ImpulseSolver, problem: Problem) {
        self(a, b, problem);
    }
}

fn impulses(solver: &mut dyn ImpulseSolver, problem: &Problem) -> Vec<f64> {
    let mut out = vec![f64::NAN; problem.rows()];
    solver.read_impulses(&mut out).expect("prepared");
    out
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn chunks_equal_one_piece(seed in any::<u64>(), first in 0..4u32, second in 0..4u32) {
        for_each(seed, |visit, _| visit(&mut |a: &mut dyn ImpulseSolver, b: &mut dyn ImpulseSolver, problem: Problem| {
            let warm = start(&problem);
            a.prepare(&problem, Start::Warm(&warm)).expect("accepted");
            b.prepare(&problem, Start::Warm(&warm)).expect("accepted");
            let mut progress = a.iterate(&problem, first).expect("solvable");
            progress += a.iterate(&problem, second).expect("solvable");
            let whole = b.iterate(&problem, first + second).expect("solvable");
            assert_eq!(progress, whole);
            let (x, y) = (impulses(a, &problem), impulses(b, &problem));
            assert!(x.iter().zip(&y).all(|(x, y)| x.to_bits() == y.to_bits()));
        }));
    }

    #[test]
    fn zero_sweeps_return_the_start(seed in any::<u64>()) {
        for_each(seed, |visit, _| visit(&mut |a: &mut dyn ImpulseSolver, _: &mut dyn ImpulseSolver, problem: Problem| {
            let warm = start(&problem);
            a.prepare(&problem, Start::Warm(&warm)).expect("accepted");
            let progress = a.iterate(&problem, 0).expect("nothing to do");
            assert_eq!((progress.sweeps, progress.row_updates, progress.finished), (0, 0, false));
            assert_eq!(impulses(a, &problem), warm);
        }));
    }

    #[test]
    fn refresh_equals_a_fresh_start(seed in any::<u64>()) {
        for_each(seed, |visit, _| visit(&mut |a: &mut dyn ImpulseSolver, b: &mut dyn ImpulseSolver, mut problem: Problem| {
            a.prepare(&problem, Start::Cold).expect("accepted");
            a.iterate(&problem, 3).expect("solvable");
            let kept = impulses(a, &problem);
            // every row soft: solvable whatever the bias; the last block held at the impulse it has
            let bias: Vec<f64> = problem.bias().iter().map(|v| v + 0.25).collect();
            problem.set_bias(&bias).expect("finite");
            problem.set_compliance(&vec![0.5; problem.rows()]).expect("positive");
            let velocity: Vec<f64> = problem.bodies().expect("bodies").free_velocity.iter().map(|v| 0.5 * v).collect();
            problem.set_free_velocity(&velocity).expect("finite");
            let mut activity = vec![Activity::Solve; problem.blocks().len()];
            activity[problem.blocks().len() - 1] = Activity::Hold;
            activity[0] = Activity::NormalsOnly;
            problem.set_activity(&activity).expect("one per block");
            a.update(&problem, SolverUpdate::Numbers(Changes::ALL)).expect("same structure");
            assert_eq!(impulses(a, &problem), kept, "refresh keeps the impulses");
            b.prepare(&problem, Start::Warm(&kept)).expect("accepted");
            a.iterate(&problem, 2).expect("solvable");
            b.iterate(&problem, 2).expect("solvable");
            let (x, y) = (impulses(a, &problem), impulses(b, &problem));
            assert!(x.iter().zip(&y).all(|(x, y)| x.to_bits() == y.to_bits()));
            // inactive rows have not moved
            for (index, block) in problem.blocks().iter().enumerate() {
                for row in block.rows().skip(problem.active_dim(index)) {
                    assert_eq!(x[row], kept[row]);
                }
            }
        }));
    }

    #[test]
    fn iterate_does_not_allocate(seed in any::<u64>()) {
        for_each(seed, |visit, _| visit(&mut |a: &mut dyn ImpulseSolver, _: &mut dyn ImpulseSolver, problem: Problem| {
            a.prepare(&problem, Start::Cold).expect("accepted");
            let counted = allocation_counter::measure(|| {
                a.iterate(&problem, 2).expect("solvable");
            });
            assert_eq!(counted.count_total, 0);
        }));
    }

    #[test]
    fn masses_scale_impulses(seed in any::<u64>()) {
        // masses × 8 and compliances / 8 give impulses × 8; √8 is not a power of two, so the scaled
        // matrices differ by rounding, and the velocities by what that makes of them
        let problem = problem(seed, true);
        let mut parts = problem.clone().into_parts();
        if let delassus_core::Operator::Bodies(bodies) = &mut parts.operator {
            for mass in &mut bodies.mass {
                mass.inverse_mass /= 8.0;
                mass.inverse_inertia /= 8.0;
            }
        }
        parts.compliance.iter_mut().for_each(|r| *r /= 8.0);
        let heavy = Problem::new(parts).expect("still valid");
        let mut light_solver: DenseDirect = prepared(&problem, Start::Cold);
        let mut heavy_solver: DenseDirect = prepared(&heavy, Start::Cold);
        light_solver.iterate(&problem, 1).expect("solved");
        heavy_solver.iterate(&heavy, 1).expect("solved");
        let light: Vec<f64> = read(&mut light_solver, &problem).iter().map(|x| 8.0 * x).collect();
        let heavy_impulses = read(&mut heavy_solver, &heavy);
        prop_assert!(velocity_difference(&heavy, &light, &heavy_impulses) < 1e-10);
    }
}

/// A body on a plane with friction of a given law, three rows.
fn contact(friction: Friction) -> Problem {
    let mut builder = ProblemBuilder::new();
    let body = builder.body(
        MassProperties::aligned(1.0, Vector3::repeat(1.0)),
        [1.0, -3.0, 2.0, 0.0, 0.0, 0.0],
    );
    let axis = |k: usize| std::array::from_fn(|i| if i == k { 1.0 } else { 0.0 });
    builder.block(
        Law::Contact(friction),
        &[body],
        &[[axis(1)], [axis(0)], [axis(2)]],
    );
    builder.build().expect("a valid problem")
}

#[test]
fn held_friction_keeps_its_impulse() {
    for friction in [
        Friction::FixedBox { limit: 1.0 },
        Friction::Pyramid { mu: 0.5 },
        Friction::Coulomb { mu: 0.5 },
        Friction::ConvexCone { mu: 0.5 },
    ] {
        let mut problem = contact(friction);
        problem
            .set_activity(&[Activity::NormalsOnly])
            .expect("one block");
        let warm = [0.5, 0.2, -0.3];
        let mut enumeration: Enumeration = prepared(&problem, Start::Warm(&warm));
        enumeration.iterate(&problem, 1).expect("solved");
        assert_eq!(read(&mut enumeration, &problem), [3.0, 0.2, -0.3]);
        let mut sweeps: DensePgs = prepared(&problem, Start::Warm(&warm));
        sweeps.iterate(&problem, 2).expect("finite");
        assert_eq!(read(&mut sweeps, &problem), [3.0, 0.2, -0.3]);
        if matches!(friction, Friction::FixedBox { .. }) {
            let mut dantzig: Dantzig = prepared(&problem, Start::Warm(&warm));
            dantzig.iterate(&problem, 1).expect("solved");
            assert_eq!(read(&mut dantzig, &problem), [3.0, 0.2, -0.3]);
        }
    }
}

#[test]
fn unsupported_problems_are_refused() {
    fn refuses<S: Solver>(problem: &Problem) -> Unsupported {
        let mut solver = S::new(S::Parameters::default()).expect("valid defaults");
        let refused = solver.check(problem).expect_err("refused");
        assert_eq!(
            solver.prepare(problem, Start::Cold),
            Err(SolveError::Unsupported(refused.clone()))
        );
        refused
    }
    let coulomb = contact(Friction::Coulomb { mu: 0.5 });
    assert!(matches!(
        refuses::<DenseDirect>(&coulomb),
        Unsupported::Law { .. }
    ));
    assert!(matches!(
        refuses::<Dantzig>(&coulomb),
        Unsupported::Law { .. }
    ));
    // two tangents in a disc are not a finite number of modes
    assert!(matches!(
        refuses::<Enumeration>(&coulomb),
        Unsupported::Law { block: 0, .. }
    ));
    let unsymmetric = lcp(&[1.0, 0.5, 0.0, 1.0], &[-1.0, -1.0]);
    assert!(matches!(
        refuses::<Dantzig>(&unsymmetric),
        Unsupported::Unsymmetric { .. }
    ));
    let zero_diagonal = lcp(&[0.0, 1.0, 1.0, 1.0], &[1.0, 1.0]);
    assert!(matches!(
        refuses::<DensePgs>(&zero_diagonal),
        Unsupported::Diagonal { row: 0, .. }
    ));
    let thirteen = planted(Recipe {
        seed: 1,
        bodies: 4,
        blocks: 13,
        max_rows: 39,
        mass_decades: 0.0,
        repeat: 0.0,
        soft: 0.0,
        degenerate: 0.0,
        equality_only: true,
    })
    .problem;
    assert!(matches!(
        refuses::<Enumeration>(&thirteen),
        Unsupported::TooManyRows { limit: 12, .. }
    ));
}

#[test]
fn calls_out_of_order_and_wrong_sizes_are_errors() {
    for_each(7, |visit, _| {
        visit(
            &mut |a: &mut dyn ImpulseSolver, _: &mut dyn ImpulseSolver, problem: Problem| {
                let mut out = vec![0.0; problem.rows()];
                assert_eq!(a.iterate(&problem, 1), Err(SolveError::NotPrepared));
                assert_eq!(a.read_impulses(&mut out), Err(SolveError::NotPrepared));
                assert_eq!(
                    a.update(&problem, SolverUpdate::Numbers(Changes::ALL)),
                    Err(SolveError::NotPrepared)
                );
                let short = vec![0.0; problem.rows() - 1];
                assert!(matches!(
                    a.prepare(&problem, Start::Warm(&short)),
                    Err(SolveError::Length { .. })
                ));
                out[2] = f64::NAN;
                assert_eq!(
                    a.prepare(&problem, Start::Warm(&out)),
                    Err(SolveError::WarmStart { row: 2 })
                );
                a.prepare(&problem, Start::Cold).expect("accepted");
                assert!(matches!(
                    a.read_impulses(&mut out[1..]),
                    Err(SolveError::Length { .. })
                ));
                let other = contact(Friction::Frictionless);
                assert!(matches!(
                    a.update(&other, SolverUpdate::Numbers(Changes::ALL)),
                    Err(SolveError::Length { .. })
                ));
            },
        );
    });
}

#[test]
fn absurd_numbers_end_in_errors() {
    // an indefinite matrix is no convex problem
    let saddle = matrix_problem(
        &[1.0, 2.0, 2.0, 1.0],
        &[-1.0, -1.0],
        vec![(Law::Equality, 2)],
    );
    let mut dantzig: Dantzig = prepared(&saddle, Start::Cold);
    assert!(matches!(
        dantzig.iterate(&saddle, 1),
        Err(SolveError::Unsupported(Unsupported::Indefinite { .. }))
    ));
    // but it is a linear system, and complementarity can be enumerated
    let mut direct: DenseDirect = prepared(&saddle, Start::Cold);
    direct.iterate(&saddle, 1).expect("regular");
    let third = 1.0 / 3.0;
    for x in read(&mut direct, &saddle) {
        assert!((x - third).abs() < 1e-15);
    }
    // finite numbers whose products are not
    let mut builder = ProblemBuilder::new();
    let body = builder.body(MassProperties::aligned(1.0, Vector3::repeat(1.0)), [0.0; 6]);
    builder.block(
        Law::Equality,
        &[body],
        &[
            [[1e150, 0.0, 0.0, 0.0, 0.0, 0.0]],
            [[1e-150, 0.0, 0.0, 0.0, 0.0, 0.0]],
        ],
    );
    builder.bias(&[1e300, 1e300]);
    let huge = builder.build().expect("finite on its own");
    let outcomes = [
        run_to_the_end::<DenseDirect>(&huge),
        run_to_the_end::<Dantzig>(&huge),
        run_to_the_end::<Enumeration>(&huge),
        run_to_the_end::<DensePgs>(&huge),
    ];
    for x in outcomes.into_iter().flatten().flatten() {
        assert!(x.is_finite());
    }
    // a diverging sweep says so
    let repelling = lcp(&[1.0, -4.0, -4.0, 1.0], &[-1.0, -1.0]);
    let mut sweeps: DensePgs = prepared(&repelling, Start::Cold);
    assert!(matches!(
        sweeps.iterate(&repelling, 2000),
        Err(SolveError::NonFinite { .. })
    ));
}

fn run_to_the_end<S: Solver>(problem: &Problem) -> Result<Vec<f64>, SolveError> {
    let mut solver = S::new(S::Parameters::default()).expect("valid defaults");
    solver.prepare(problem, Start::Cold)?;
    solver.iterate(problem, 10)?;
    Ok(read(&mut solver, problem))
}

#[test]
fn empty_problem() {
    let problem = ProblemBuilder::new().build().expect("no rows, no fault");
    for_each(0, |visit, _| {
        visit(
            &mut |a: &mut dyn ImpulseSolver, _: &mut dyn ImpulseSolver, _: Problem| {
                a.prepare(&problem, Start::Cold).expect("accepted");
                a.iterate(&problem, 1).expect("nothing to do");
                a.read_impulses(&mut []).expect("prepared");
            },
        );
    });
}

#[test]
fn parameters_are_checked() {
    let zero = DenseDirectParameters {
        rank_tolerance: 0.0,
        ..DenseDirectParameters::default()
    };
    assert!(DenseDirect::new(zero).is_err());
    let many = EnumerationParameters {
        max_solutions: 1_000_000,
    };
    assert!(Enumeration::new(many).is_err());
    let loose = DantzigParameters {
        pivot_tolerance: 0.5,
        ..DantzigParameters::default()
    };
    assert!(Dantzig::new(loose).is_err());
    let unknown = serde_json::json!({ "omega": 1.0 });
    let unknown = <DensePgs as Solver>::Parameters::from_map(unknown.as_object().expect("a table"));
    assert!(matches!(unknown, Err(ParametersError::Unknown { .. })));
    // the documented parameters are those that exist
    struct Visitor;
    impl SolverVisitor for Visitor {
        fn visit<S: Solver>(&mut self) {
            let defaults = S::Parameters::default().to_map();
            let keys: Vec<&str> = defaults.keys().map(String::as_str).collect();
            let documented: Vec<&str> = S::Parameters::docs().iter().map(|doc| doc.name).collect();
            assert_eq!(keys, documented);
        }
    }
    visit_solvers(&mut Visitor);
}

//! Split masses on random graphs: λ_max ≤ 1, and the objective never rises.

use delassus_core::{
    Friction, ImpulseSolver, Law, MassProperties, Problem, ProblemBuilder, Solver, Start,
};
use delassus_solver_jacobi::parameters::StepParameters;
use delassus_solver_jacobi::rule::{FactorRule, LocalSweep, Splitting};
use delassus_solver_jacobi::{Acceleration, Jacobi, JacobiParameters, Omega};
use nalgebra::{Matrix3, Vector3};
use proptest::prelude::*;

/// A block: its kind, two bodies and its Jacobians.
type Spec = (u8, usize, usize, Vec<f64>);

fn body() -> impl Strategy<Value = (f64, [f64; 3], [f64; 6])> {
    (
        -2.0..2.0f64,
        prop::array::uniform3(0.2..3.0f64),
        prop::array::uniform6(-1.0..1.0f64),
    )
}

fn problems() -> impl Strategy<Value = Problem> {
    let bodies = prop::collection::vec(body(), 2..7);
    let numbers = prop::collection::vec(-1.0..1.0f64, 36);
    let blocks = prop::collection::vec((0..5u8, 0..100usize, 1..100usize, numbers), 1..14);
    (bodies, blocks).prop_filter_map("a row that nothing moves", |(bodies, blocks)| {
        build(&bodies, &blocks)
    })
}

fn build(bodies: &[(f64, [f64; 3], [f64; 6])], blocks: &[Spec]) -> Option<Problem> {
    let mut builder = ProblemBuilder::new();
    for (exponent, inertia, velocity) in bodies {
        let mass = libm::pow(10.0, *exponent);
        let properties = MassProperties {
            inverse_mass: Vector3::repeat(1.0 / mass),
            inverse_inertia: Matrix3::from_diagonal(&Vector3::from(*inertia)) / mass,
        };
        builder.body(properties, *velocity);
    }
    for (kind, one, other, numbers) in blocks {
        let a = one % bodies.len();
        let b = (a + 1 + other % (bodies.len() - 1)) % bodies.len();
        let law = match kind {
            0 => Law::Equality,
            1 => Law::UNILATERAL,
            2 => Law::Contact(Friction::Frictionless),
            3 => Law::Contact(Friction::FixedBox { limit: 0.1 }),
            _ => Law::Contact(Friction::ConvexCone { mu: 0.5 }),
        };
        let rows: Vec<[[f64; 6]; 2]> = numbers
            .chunks_exact(12)
            .map(|row| [0, 6].map(|at| std::array::from_fn(|i| row[at + i])))
            .collect();
        builder.block(law, &[a, b], &rows);
    }
    builder.build().ok()
}

/// ½ λᵀ(A + R)λ + bᵀλ.
fn objective(problem: &Problem, impulses: &[f64]) -> f64 {
    let mut w = vec![0.0; problem.rows()];
    problem.shifted_velocity(impulses, &mut w);
    let terms = impulses.iter().zip(&w).zip(problem.b());
    terms.map(|((x, w), b)| 0.5 * x * (w + b)).sum()
}

fn descends(problem: &Problem, parameters: JacobiParameters) -> Result<(), TestCaseError> {
    let mut solver = Jacobi::new(parameters).expect("valid parameters");
    solver
        .prepare(problem, Start::Cold)
        .expect("a problem with bodies");
    let mut impulses = vec![0.0; problem.rows()];
    let mut last: f64 = 0.0;
    for count in 0..60 {
        solver.iterate(problem, 1).expect("finite impulses");
        solver.read_impulses(&mut impulses).expect("impulses");
        let now = objective(problem, &impulses);
        // rounding of sums of some 40 terms of the size of the objective
        prop_assert!(
            now <= last + 1e-13 * (1.0 + last.abs()),
            "iteration {count}: {last} -> {now}"
        );
        last = now;
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn split_rows_never_go_uphill(problem in problems(), omega in 0.2..1.0f64) {
        descends(&problem, JacobiParameters {
acceleration: Acceleration::None,
guard: false,
step: StepParameters { rule: FactorRule::MassSplit, splitting: Splitting::Rows, sweep: LocalSweep::Points, omega: Omega::Value(omega) },
})?;
    }

    #[test]
    fn split_blocks_never_go_uphill(problem in problems(), points in any::<bool>()) {
        descends(&problem, JacobiParameters {
acceleration: Acceleration::None,
guard: false,
step: StepParameters { sweep: if points { LocalSweep::Points } else { LocalSweep::Block }, ..StepParameters::default() },

})?;
    }

    /// xᵀ(A + R)x ≤ xᵀDx for the steps that are packed.
    #[test]
    fn split_rows_bound_the_matrix(problem in problems(), x in prop::collection::vec(-1.0..1.0f64, 42)) {
        use delassus_solver_jacobi::pack::Pack;
        use delassus_solver_jacobi::rule::StepRule;
        let rule = StepRule { splitting: Splitting::Rows, sweep: LocalSweep::Points, ..StepRule::default() };
        let pack = Pack::<f64>::new(&problem, rule).expect("a problem with bodies");
        let mut steps = vec![0.0; problem.rows()];
        pack.read_steps(&mut steps);
        // an eigenvector of the largest eigenvalue, nearly: the worst x
        let mut x = x[..problem.rows()].to_vec();
        let mut y = vec![0.0; problem.rows()];
        for _ in 0..40 {
            problem.apply_delassus(&x, &mut y);
            let scaled: Vec<f64> = y.iter().zip(&steps).map(|(y, step)| y * step).collect();
            let largest = scaled.iter().fold(0.0, |l: f64, v| l.max(v.abs()));
            prop_assume!(largest > 1e-9);
            x = scaled.iter().map(|v| v / largest).collect();
        }
        problem.apply_delassus(&x, &mut y);
        let energy: f64 = x.iter().zip(&y).map(|(x, y)| x * y).sum();
        let bound: f64 = x.iter().zip(&steps).map(|(x, step)| x * x / step).sum();
        // a relative rounding of some 1e-15 per term
        prop_assert!(energy <= bound * (1.0 + 1e-12), "{energy} > {bound}");
    }
}

//! Step rules: where the plain diagonal stops converging, and where split masses cannot.

use delassus_core::{
    Friction, ImpulseSolver, Law, MassProperties, Problem, ProblemBuilder, Solver, Start,
};
use delassus_solver_jacobi::parameters::StepParameters;
use delassus_solver_jacobi::rule::{FactorRule, LocalSweep, Splitting};
use delassus_solver_jacobi::{Acceleration, Jacobi, JacobiParameters};
use nalgebra::Vector3;

const PLAIN: JacobiParameters = JacobiParameters {
    acceleration: Acceleration::None,
    guard: false,
    step: StepParameters {
        rule: FactorRule::Diagonal,
        splitting: Splitting::Rows,
        sweep: LocalSweep::Points,
        omega: delassus_solver_jacobi::Omega::Value(1.0),
    },
};

/// A box of half-edges (a, b, a) on its four lower corners, with normals only; it falls at 1 m/s
/// and weighs 1 kg.
fn tall_box(a: f64, b: f64) -> Problem {
    let mut builder = ProblemBuilder::new();
    let inertia = Vector3::new(a * a + b * b, 2.0 * a * a, a * a + b * b) / 3.0;
    let body = builder.body(
        MassProperties::aligned(1.0, inertia),
        [0.0, -1.0, 0.0, 0.0, 0.0, 0.0],
    );
    for (x, z) in [(a, a), (-a, a), (-a, -a), (a, -a)] {
        // r × n of r = (x, −b, z) and n = (0, 1, 0)
        let row = [0.0, 1.0, 0.0, -z, 0.0, x];
        builder.block(Law::Contact(Friction::Frictionless), &[body], &[[row]]);
    }
    builder.build().expect("a valid problem")
}

fn run(parameters: JacobiParameters, problem: &Problem, sweeps: u32) -> Vec<f64> {
    let mut solver = Jacobi::new(parameters).expect("valid parameters");
    solver
        .prepare(problem, Start::Cold)
        .expect("a problem with bodies");
    solver.iterate(problem, sweeps).expect("finite impulses");
    let mut impulses = vec![0.0; problem.rows()];
    solver.read_impulses(&mut impulses).expect("impulses");
    impulses
}

/// λ_max is 1.973 at b/a = 2.2: the slowest error alternates and shrinks by 0.973 a step, 1e-11
/// in 1000.
#[test]
fn the_diagonal_converges_below_the_square_root_of_five() {
    for impulse in run(PLAIN, &tall_box(1.0, 2.2), 2000) {
        assert!((impulse - 0.25).abs() < 1e-9, "{impulse}");
    }
}

/// At b/a = 2.3 the symmetric start stays symmetric: the cycle is {1/(1 + 2s), 0} with s =
/// 3a²/(a² + b²).
#[test]
fn the_diagonal_ends_in_a_cycle_of_two_above_it() {
    let s = 3.0 / (1.0 + 2.3 * 2.3);
    let high: f64 = 1.0 / (1.0 + 2.0 * s);
    assert!((high - 0.511_798).abs() < 1e-6);
    let problem = tall_box(1.0, 2.3);
    for impulse in run(PLAIN, &problem, 4001) {
        assert!((impulse - high).abs() < 1e-9, "{impulse}");
    }
    for impulse in run(PLAIN, &problem, 4002) {
        assert!(impulse.abs() < 1e-9, "{impulse}");
    }
    let split = JacobiParameters {
        step: StepParameters {
            rule: FactorRule::MassSplit,
            ..PLAIN.step
        },
        ..PLAIN
    };
    for impulse in run(split, &problem, 4000) {
        assert!((impulse - 0.25).abs() < 1e-9, "{impulse}");
    }
}

/// A hub of 1 kg that k links pull along one line to 1 kg each: the velocities of the links are
/// wrong by the hub's.
fn star(links: usize) -> Problem {
    let mut builder = ProblemBuilder::new();
    let unit = || MassProperties::aligned(1.0, Vector3::repeat(1.0));
    let hub = builder.body(unit(), [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    for _ in 0..links {
        let leaf = builder.body(unit(), [0.0; 6]);
        let along = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        let against = along.map(|x: f64| -x);
        builder.block(Law::Equality, &[hub, leaf], &[[against, along]]);
    }
    builder.build().expect("a valid problem")
}

/// λ_max = (1/m + k/M)/(1/m + 1/M) is 1.5, 2 and 2.5 for k = 2, 3, 4 and equal masses.
#[test]
fn a_hub_diverges_with_more_than_three_links() {
    let error = |parameters: JacobiParameters, links: usize| {
        let impulses = run(parameters, &star(links), 60);
        // all move with 1/(k + 1) of the hub's velocity
        impulses
            .iter()
            .map(|x| (x - 1.0 / (links as f64 + 1.0)).abs())
            .fold(0.0, f64::max)
    };
    assert!(error(PLAIN, 2) < 1e-12);
    // |1 − 2| = 1: the error keeps its size
    assert!((error(PLAIN, 3) - 0.25).abs() < 1e-9);
    // 1.5⁶⁰ · 0.2
    assert!(error(PLAIN, 4) > 1e9);
    let split = JacobiParameters {
        step: StepParameters {
            rule: FactorRule::MassSplit,
            ..PLAIN.step
        },
        ..PLAIN
    };
    // contraction 1 − 2.5/(4 + 1)·… is at most 0.75: 0.75⁶⁰ = 3e-8
    assert!(error(split, 4) < 1e-6);
}

/// One contact of three rows on a slender body, whose diagonal block is I + k uuᵀ: the count is
/// one, and the rule is the diagonal (J.9).
fn slender(k: f64) -> Problem {
    let mut builder = ProblemBuilder::new();
    // a body that turns about one axis only, with rows that all turn it alike
    let mut mass = MassProperties::aligned(1.0, Vector3::repeat(1.0));
    mass.inverse_inertia = nalgebra::Matrix3::from_diagonal(&Vector3::new(k / 3.0, 0.0, 0.0));
    let body = builder.body(mass, [-0.3, -1.0, -0.2, 0.0, 0.0, 0.0]);
    let row = |axis: usize| {
        let mut row = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0];
        row[axis] = 1.0;
        [row]
    };
    builder.block(Law::Equality, &[body], &[row(1), row(0), row(2)]);
    builder.build().expect("a valid problem")
}

#[test]
fn the_count_is_no_bound_for_slender_bodies() {
    let count = JacobiParameters {
        step: StepParameters {
            rule: FactorRule::Count,
            ..PLAIN.step
        },
        ..PLAIN
    };
    let split = JacobiParameters {
        step: StepParameters {
            rule: FactorRule::MassSplit,
            ..PLAIN.step
        },
        ..PLAIN
    };
    let error = |parameters: JacobiParameters, k: f64, sweeps: u32| {
        let problem = slender(k);
        let mut w = vec![0.0; 3];
        problem.shifted_velocity(&run(parameters, &problem, sweeps), &mut w);
        w.iter().fold(0.0, |largest: f64, x| largest.max(x.abs()))
    };
    // |1 − (1 + k)/(1 + k/3)| is 0.8 at k = 2 and 1.14 at k = 4: 0.8⁴⁰⁰ and 1.14¹⁰⁰ = 6e5
    assert!(error(count, 2.0, 400) < 1e-12);
    assert!(error(count, 4.0, 100) > 1e3);
    assert!(error(split, 4.0, 400) < 1e-12);
    // the slowest error shrinks by 1 − 1/(3 + k) a step: e⁻²⁰ in 8000
    assert!(error(split, 400.0, 8000) < 1e-7);
}

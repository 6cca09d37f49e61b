//! Anisotropic Coulomb friction on one contact, in every solver that takes it: against numbers of
//! an extended-precision root, against a search over directions, and against Coulomb's law.

use delassus_core::{
    Determinism, Fidelity, Law, MassProperties, Precision, Problem, ProblemBuilder, Start,
};
use delassus_registry::SolverEntry;
use nalgebra::Vector3;
use serde_json::Map;

use crate::pairs::{on_a_device, own_solvers};

/// A body of 2.5 kg whose contact point is at `arm` \[m\] from its centre, the normal along y.
pub(crate) fn contact(law: Law, arm: Vector3<f64>, velocity: [f64; 6]) -> Problem {
    let mut builder = ProblemBuilder::new();
    let mass = MassProperties::aligned(2.5, Vector3::new(0.3, 0.2, 0.4));
    let body = builder.body(mass, velocity);
    let rows = [Vector3::y(), Vector3::x(), Vector3::z()].map(|axis| {
        let turn = arm.cross(&axis);
        [[axis.x, axis.y, axis.z, turn.x, turn.y, turn.z]]
    });
    builder.block(law, &[body], &rows);
    builder.build().expect("a valid problem")
}

/// Calls `judge` with the impulses of every solver of the processor that solves the problem
/// exactly; the number of these solvers.
pub(crate) fn solved_by_all(problem: &Problem, judge: impl Fn(&SolverEntry, &[f64], f64)) -> usize {
    let mut count = 0;
    for entry in own_solvers().iter().filter(|entry| !on_a_device(entry)) {
        let mut solver = entry.build(&Map::new()).expect("defaults");
        if solver.check(problem) != Ok(Fidelity::Exact) {
            continue;
        }
        solver.prepare(problem, Start::Cold).expect("accepted");
        solver.iterate(problem, 3000).expect("solved");
        let mut impulses = vec![0.0; problem.rows()];
        solver.read_impulses(&mut impulses).expect("finite");
        // digits of f32, and of iterations that end at 1e-10
        let tolerance = match entry.descriptor.precision {
            Precision::F32 => 2e-5,
            Precision::F64 => 1e-8,
        };
        judge(entry, &impulses, tolerance);
        count += 1;
    }
    count
}

/// μ = (0.2, 0.6), W = 1/m and b = (−1, 2, 1) m/s: the root is σ = 0.5115135995667 m/s, and the
/// force is 53° off the direction against sliding.
#[test]
fn a_slide_has_the_slip_of_the_root() {
    let velocity = [2.0, -1.0, 1.0, 0.0, 0.0, 0.0];
    let law = Law::anisotropic([0.2, 0.6], 0.0);
    let problem = contact(law, Vector3::zeros(), velocity);
    let expected = [1.0, -0.145_055_353_236_7, -0.413_074_449_072_3];
    let slip = [0.0, 1.854_944_646_763, 0.586_925_550_927_7];
    let count = solved_by_all(&problem, |entry, impulses, tolerance| {
        let mut w = [0.0; 3];
        problem.shifted_velocity(impulses, &mut w);
        for row in 0..3 {
            let id = entry.descriptor.id;
            let impulse = impulses[row] / 2.5;
            assert!(
                (impulse - expected[row]).abs() < tolerance,
                "{id} {impulses:?}"
            );
            assert!((w[row] - slip[row]).abs() < 4.0 * tolerance, "{id} {w:?}");
        }
    });
    assert!(count > 20, "{count} solvers");
}

/// Impulses of a contact that slides on a turned ellipse: the direction e on the ellipse for which
/// S Qᵀ w_t points against e, by a scan and a bisection.
fn slide(problem: &Problem, mu: [f64; 2], angle: f64) -> [f64; 3] {
    let mut own = [0.0; 9];
    problem.diagonal_block(0, &mut own);
    let b = problem.b();
    let (sine, cosine) = libm::sincos(angle);
    let state = |direction: f64| {
        let (s, c) = libm::sincos(direction);
        let axes = [mu[0] * c, mu[1] * s];
        let edge = [
            cosine * axes[0] - sine * axes[1],
            sine * axes[0] + cosine * axes[1],
        ];
        let normal = -b[0] / (own[0] + own[1] * edge[0] + own[2] * edge[1]);
        let impulse = [normal, normal * edge[0], normal * edge[1]];
        let w = [1, 2].map(|i| b[i] + (0..3).map(|j| own[3 * i + j] * impulse[j]).sum::<f64>());
        let pulled = [
            mu[0] * (cosine * w[0] + sine * w[1]),
            mu[1] * (cosine * w[1] - sine * w[0]),
        ];
        let (across, along) = (c * pulled[1] - s * pulled[0], c * pulled[0] + s * pulled[1]);
        (across, along, impulse)
    };
    let step = std::f64::consts::TAU / 4096.0;
    for i in 0..4096 {
        let (mut low, mut high) = (step * f64::from(i), step * f64::from(i + 1));
        let sign = state(low).0;
        if sign * state(high).0 > 0.0 || state(low).1 > 0.0 {
            continue;
        }
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if sign * state(middle).0 > 0.0 {
                low = middle;
            } else {
                high = middle;
            }
        }
        return state(low).2;
    }
    panic!("the contact does not slide");
}

#[test]
fn a_turned_ellipse_agrees_with_a_search() {
    let (mu, angle) = ([0.31, 0.83], 0.7);
    let arm = Vector3::new(0.11, -0.4, 0.07);
    let velocity = [1.3, -0.9, -1.7, 0.2, 0.4, -0.3];
    let problem = contact(Law::anisotropic(mu, angle), arm, velocity);
    let expected = slide(&problem, mu, angle);
    // Coulomb's law with either coefficient slides elsewhere
    for mu in mu {
        let round = slide(&problem, [mu, mu], 0.0);
        assert!((round[1] - expected[1]).abs() + (round[2] - expected[2]).abs() > 0.05);
    }
    let count = solved_by_all(&problem, |entry, impulses, tolerance| {
        for (found, expected) in impulses.iter().zip(expected) {
            let id = entry.descriptor.id;
            assert!(
                (found - expected).abs() < 4.0 * tolerance,
                "{id} {impulses:?} {expected:?}"
            );
        }
    });
    assert!(count > 20, "{count} solvers");
}

#[test]
fn equal_coefficients_are_coulombs_law_bit_for_bit() {
    let arm = Vector3::new(0.1, -0.3, 0.2);
    let velocity = [1.0, -2.0, 0.5, 0.1, 0.0, 0.7];
    let ellipse = contact(Law::anisotropic([0.4, 0.4], 0.3), arm, velocity);
    let coulomb = contact(Law::coulomb(0.4), arm, velocity);
    let repeats = |entry: &&SolverEntry| entry.descriptor.determinism != Determinism::None;
    let solvers = own_solvers();
    let solvers = solvers.iter().filter(|entry| !on_a_device(entry));
    for entry in solvers.filter(repeats) {
        let solve = |problem: &Problem| {
            let mut solver = entry.build(&Map::new()).expect("defaults");
            solver.check(problem).ok()?;
            solver.prepare(problem, Start::Cold).expect("accepted");
            solver.iterate(problem, 20).expect("solved");
            let mut impulses = vec![0.0; 3];
            solver.read_impulses(&mut impulses).expect("finite");
            Some(impulses)
        };
        assert_eq!(solve(&ellipse), solve(&coulomb), "{}", entry.descriptor.id);
    }
}

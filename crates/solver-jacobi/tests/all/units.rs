//! The same problem in units far from one: f32 has no room for its squares, and the solver scales.

use delassus_problems::generators::{BoxProblem, Boxes, Freezing, Generator, Planted, Stack};
use delassus_solver_jacobi::JacobiF32;
use delassus_solver_jacobi::parameters::JacobiParameters;

use delassus_core::{
    ChangedNumbers, ImpulseSolver, Problem, Solver, SolverUpdate, Start, Unsupported,
};

/// A stack that slides on an incline, so that friction squares its impulses; its masses are
/// 2^`mass` kg and whose velocities are 2^`velocity` m/s, h g = 1.
fn stack(mass: i32, velocity: i32) -> Problem {
    let stack = BoxProblem {
        system: Stack {
            n: 3,
            boxes: Boxes {
                mass: 2.0_f64.powi(mass),
                gravity: 2.0_f64.powi(velocity),
                tilt: 0.3,
                friction: 0.2,
                ..Boxes::default()
            },
            ..Stack::default()
        },
        step: Freezing {
            dt: 1.0,
            ..Freezing::default()
        },
    };
    stack.generate().unwrap().problem
}

fn solve(problem: &Problem, sweeps: u32) -> Vec<f64> {
    let mut solver = JacobiF32::new(JacobiParameters::default()).unwrap();
    solver.prepare(problem, Start::Cold).unwrap();
    solver.iterate(problem, sweeps).unwrap();
    let mut impulses = vec![0.0; problem.rows()];
    solver.read_impulses(&mut impulses).unwrap();
    impulses
}

#[test]
fn extreme_units_give_the_bits_of_ordinary_ones() {
    let ordinary = solve(&stack(0, 0), 300);
    // 1e-12 kg at 1e-9 m/s, 1e30 kg, 1e-30 kg, and what needs no scaling
    for (mass, velocity) in [(-40, -30), (100, 0), (-100, 0), (0, -80), (10, -10)] {
        let factor = 2.0_f64.powi(-mass - velocity);
        let scaled: Vec<f64> = solve(&stack(mass, velocity), 300)
            .iter()
            .map(|x| x * factor)
            .collect();
        assert_eq!(scaled, ordinary, "2^{mass} kg, 2^{velocity} m/s");
    }
}

#[test]
fn velocities_and_refreshed_problems_are_scaled_too() {
    let mut problem = stack(-100, -30);
    let mut solver = JacobiF32::new(JacobiParameters::default()).unwrap();
    solver.prepare(&problem, Start::Cold).unwrap();
    solver.iterate(&problem, 300).unwrap();
    let full = problem.bodies().unwrap().free_velocity.clone();
    let mut ordinary = None;
    // from 2^-30 m/s to 1 m/s and back: other units each time
    for exponent in [30, 0, -60] {
        let factor = 2.0_f64.powi(exponent);
        let free: Vec<f64> = full.iter().map(|v| v * factor).collect();
        problem.set_free_velocity(&free).unwrap();
        solver
            .update(&problem, SolverUpdate::Numbers(ChangedNumbers::ALL))
            .unwrap();
        solver.iterate(&problem, 2000).unwrap();
        let mut velocities = vec![0.0; full.len()];
        solver.read_velocities(&problem, &mut velocities).unwrap();
        let scale = 2.0_f64.powi(30 - exponent);
        let moved: Vec<f64> = velocities.iter().map(|v| v * scale).collect();
        let ordinary = ordinary.get_or_insert(moved.clone());
        for (a, b) in moved.iter().zip(ordinary.iter()) {
            assert!((a - b).abs() < 1e-3, "{a} and {b} at 2^{exponent}");
        }
    }
}

#[test]
fn masses_that_f32_cannot_hold_together_are_refused() {
    let apart = Planted {
        bodies: 4,
        coulomb: 6,
        mass_ratio: 1e60,
        ..Planted::default()
    };
    let problem = apart.generate().unwrap().problem;
    let solver = JacobiF32::new(JacobiParameters::default()).unwrap();
    let refused = solver.check(&problem).unwrap_err();
    assert!(matches!(refused, Unsupported::Range { .. }), "{refused}");
    let text = refused.to_string();
    assert!(
        text.contains("effective masses from") && text.contains("f64"),
        "{text}"
    );
}

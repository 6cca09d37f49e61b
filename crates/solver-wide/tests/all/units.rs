//! The wide solver on the same problem in units far from one: scaled by powers of two, so that the
//! bits are the same.

use delassus_core::{Changes, ImpulseSolver, Problem, SolverUpdate, Start, Unsupported};
use delassus_solver_wide::VectorLevel;
use serde_json::json;

use crate::support::run;
use crate::sweeps::{LAYOUTS, made, wide};

/// A stack of patches or points that slides on an incline, so that friction squares its impulses;
/// its masses are 2^`mass` kg and whose velocities are 2^`velocity` m/s.
fn stack(law: &str, mass: i32, velocity: i32) -> Problem {
    let (mass, gravity) = (2.0_f64.powi(mass), 2.0_f64.powi(velocity));
    made(
        "stack",
        json!({
            "n": 3, "law": law, "mass": mass, "gravity": gravity, "dt": 1.0, "tilt": 0.3, "friction": 0.2,
        }),
    )
}

#[test]
fn extreme_units_give_the_bits_of_ordinary_ones() {
    for layout in LAYOUTS {
        for law in ["coulomb", "patch", "fixed-box", "frictionless"] {
            let mut solver = wide(layout, VectorLevel::Auto, 1, 64);
            let ordinary = run(&mut solver, &stack(law, 0, 0), Start::Cold, 200);
            for (mass, velocity) in [(-40, -30), (100, 0), (-100, 0), (0, -80), (10, -10)] {
                let problem = stack(law, mass, velocity);
                let factor = 2.0_f64.powi(-mass - velocity);
                let found = run(&mut solver, &problem, Start::Cold, 200);
                let found: Vec<f64> = found.iter().map(|x| x * factor).collect();
                assert_eq!(found, ordinary, "{law}: 2^{mass} kg, 2^{velocity} m/s");
            }
        }
    }
}

#[test]
fn a_refreshed_problem_may_leave_the_range() {
    let mut problem = stack("coulomb", 0, 0);
    let mut solver = wide(LAYOUTS[0], VectorLevel::Auto, 1, 64);
    solver.prepare(&problem, Start::Cold).expect("accepted");
    let full = problem.bodies().expect("bodies").free_velocity.clone();
    let mut ordinary = None;
    for exponent in [0, -90, 60] {
        let factor = 2.0_f64.powi(exponent);
        let free: Vec<f64> = full.iter().map(|v| v * factor).collect();
        problem.set_free_velocity(&free).expect("finite");
        solver
            .update(&problem, SolverUpdate::Numbers(Changes::ALL))
            .expect("scaled anew");
        solver.iterate(&problem, 2000).expect("finite");
        let mut velocities = vec![0.0; free.len()];
        solver
            .read_velocities(&problem, &mut velocities)
            .expect("as many as bodies");
        // as 2^exponent times what an ordinary problem has
        let moved: Vec<f64> = velocities.iter().map(|v| v / factor).collect();
        let ordinary = ordinary.get_or_insert(moved.clone());
        for (a, b) in moved.iter().zip(ordinary.iter()) {
            assert!((a - b).abs() < 1e-3, "{a} and {b} at 2^{exponent}");
        }
    }
}

#[test]
fn masses_that_f32_cannot_hold_together_are_refused() {
    let problem = made(
        "planted",
        json!({ "bodies": 4, "coulomb": 6, "mass_ratio": 1e60 }),
    );
    let mut solver = wide(LAYOUTS[0], VectorLevel::Auto, 1, 64);
    let refused = solver.check(&problem).expect_err("refused");
    assert!(matches!(refused, Unsupported::Range { .. }), "{refused}");
    assert!(solver.prepare(&problem, Start::Cold).is_err());
}

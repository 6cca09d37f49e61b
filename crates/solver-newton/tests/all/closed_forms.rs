//! Problems whose answer is known in closed form.

use delassus_core::{Friction, Law, MassProperties, Problem, ProblemBuilder};
use delassus_solver_newton::ProxNewton;
use nalgebra::Vector3;
use serde_json::json;

use crate::common::{made, residual, solve, velocities};

const G: f64 = 9.81;
const H: f64 = 1.0 / 60.0;

/// n unit masses that hang below each other: the tension of link i carries everything below it.
fn hanging(n: usize, locked: bool) -> Problem {
    let mut builder = ProblemBuilder::new();
    let inertia = Vector3::repeat(0.1);
    let mut above = builder.body(MassProperties::immovable(), [0.0; 6]);
    for _ in 0..n {
        let mut mass = MassProperties::aligned(1.0, inertia);
        if locked {
            // it can move up and down and turn about one axis alone
            mass.inverse_mass = Vector3::new(0.0, 1.0, 0.0);
            mass.inverse_inertia = nalgebra::Matrix3::from_diagonal(&Vector3::new(0.0, 10.0, 0.0));
        }
        let body = builder.body(mass, [0.0, -G * H, 0.0, 0.0, 0.0, 0.0]);
        let row = [
            [0.0, 1.0, 0.0, 0.0, 0.0, 0.0],
            [0.0, -1.0, 0.0, 0.0, 0.0, 0.0],
        ];
        builder.block(Law::Equality, &[above, body], &[row]);
        above = body;
    }
    builder.build().expect("valid")
}

#[test]
fn links_of_a_chain_carry_what_hangs_below() {
    for locked in [false, true] {
        let problem = hanging(10, locked);
        let impulses = solve::<ProxNewton>(&problem, 20);
        for (i, impulse) in impulses.iter().enumerate() {
            let below = (10 - i) as f64;
            assert!(
                (impulse + below * G * H).abs() < 1e-12 * 10.0,
                "{i}: {impulse}"
            );
        }
    }
}

#[test]
fn a_face_of_a_cube_carries_its_weight() {
    let problem = made("stack", json!({ "n": 1, "law": "frictionless" }));
    let impulses = solve::<ProxNewton>(&problem, 20);
    let step = problem.step().expect("a step");
    let normals: f64 = problem
        .blocks()
        .iter()
        .map(|block| impulses[block.first_row])
        .sum();
    assert!(
        (normals - step.gravity * step.dt).abs() < 1e-12,
        "{normals}"
    );
    let moved = velocities(&problem, &impulses);
    assert!(moved.iter().all(|v| v.abs() < 1e-13), "{moved:?}");
}

/// A box on a slope after one step from rest: velocity along the slope.
fn along_slope(tilt: f64, law: &str) -> f64 {
    let problem = made(
        "stack",
        json!({ "n": 1, "tilt": tilt, "friction": 0.5, "law": law }),
    );
    let impulses = solve::<ProxNewton>(&problem, 200);
    assert!(residual(&problem, &impulses) < 1e-12, "{law} at {tilt}");
    let moved = velocities(&problem, &impulses);
    let bodies = problem.bodies().expect("bodies");
    let body = bodies
        .mass
        .iter()
        .position(|m| !m.is_immovable())
        .expect("a box");
    moved[6 * body]
}

#[test]
fn a_box_sticks_below_the_angle_of_friction_and_slides_above() {
    let step = made("stack", json!({ "n": 1 })).step().expect("a step");
    for law in ["coulomb", "disc", "pyramid"] {
        assert!(along_slope(0.46, law).abs() < 1e-12, "{law}");
        let (sine, cosine) = libm::sincos(0.6);
        let expected = step.gravity * step.dt * (sine - 0.5 * cosine);
        let found = along_slope(0.6, law);
        assert!(
            (found - expected).abs() < 1e-12,
            "{law}: {found}, {expected}"
        );
    }
}

#[test]
fn rows_that_are_held_keep_their_impulses() {
    let mut problem = hanging(3, false);
    problem
        .set_activity(&[
            delassus_core::Activity::Hold,
            delassus_core::Activity::Solve,
            delassus_core::Activity::Solve,
        ])
        .expect("one per block");
    let impulses = solve::<ProxNewton>(&problem, 20);
    // all fall together: nothing pulls
    assert!(impulses.iter().all(|x| x.abs() < 1e-12), "{impulses:?}");
}

#[test]
fn a_square_of_fixed_size_lets_go_beyond_it() {
    let mut builder = ProblemBuilder::new();
    let ground = builder.body(MassProperties::immovable(), [0.0; 6]);
    let mass = MassProperties::aligned(2.0, Vector3::repeat(1.0));
    let body = builder.body(mass, [1.0, -0.5, 0.0, 0.0, 0.0, 0.0]);
    let rows = [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
        .map(|[x, y, z]| [[-x, -y, -z, 0.0, 0.0, 0.0], [x, y, z, 0.0, 0.0, 0.0]]);
    let law = Law::Contact(Friction::FixedBox { limit: 0.3 });
    builder.block(law, &[ground, body], &rows);
    let problem = builder.build().expect("valid");
    let impulses = solve::<ProxNewton>(&problem, 20);
    for (found, expected) in impulses.iter().zip([1.0, -0.3, 0.0]) {
        assert!((found - expected).abs() < 1e-14, "{impulses:?}");
    }
}

//! Rolling and spinning resistance (F8): balls and cylinders on planes, by the equations of a rigid
//! body.

use delassus_core::{Law, MassProperties, Problem, ProblemBuilder, RollingContact, Start};
use delassus_solver_si::Order;
use nalgebra::{Matrix3, Vector3};

use crate::support::{convergent, largest_difference, norm, residual, run};

const MASS: f64 = 3.0;
const RADIUS: f64 = 0.4;
/// Of a solid ball \[kg·m²\].
const INERTIA: f64 = 0.4 * MASS * RADIUS * RADIUS;
const GRAVITY: f64 = 9.81;
const STEP: f64 = 0.01;

/// A ball on a plane whose normal is y: free velocities, the law, and an angle of the tangents
/// about the normal \[rad\].
fn ball(velocity: [f64; 6], law: RollingContact, turned: f64) -> Problem {
    let mut builder = ProblemBuilder::new();
    let mass = MassProperties {
        inverse_mass: Vector3::repeat(1.0 / MASS),
        inverse_inertia: Matrix3::identity() / INERTIA,
    };
    let body = builder.body(mass, velocity);
    let arm = Vector3::new(0.0, -RADIUS, 0.0);
    let (sine, cosine) = libm::sincos(turned);
    let tangents = [
        Vector3::new(cosine, 0.0, sine),
        Vector3::new(-sine, 0.0, cosine),
    ];
    let mut rows = Vec::new();
    for axis in [Vector3::y(), tangents[0], tangents[1]] {
        let turning = arm.cross(&axis);
        rows.push([[axis.x, axis.y, axis.z, turning.x, turning.y, turning.z]]);
    }
    let axes = [tangents[0], tangents[1], Vector3::y()];
    for axis in axes.iter().take(law.rows() - 3) {
        rows.push([[0.0, 0.0, 0.0, axis.x, axis.y, axis.z]]);
    }
    builder.block(Law::Rolling(Box::new(law)), &[body], &rows);
    builder.build().expect("valid")
}

/// The velocity of the ball, the same by every solver.
fn after(problem: &Problem) -> Vec<f64> {
    let mut first: Option<Vec<f64>> = None;
    for mut solver in convergent(Order::Natural) {
        let impulses = run(solver.as_mut(), problem, Start::Cold, 2000);
        let left = residual(problem, &impulses);
        let id = solver.descriptor().id;
        // rows contract by 1/1.4 per sweep: rounding is left
        assert!(left < 1e-12, "{id}: {left:e}");
        let mut velocity = vec![0.0; 6];
        problem
            .body_velocities(&impulses, &mut velocity)
            .expect("bodies");
        let first = first.get_or_insert_with(|| velocity.clone());
        assert!(largest_difference(first, &velocity) < 1e-11, "{id}");
    }
    first.expect("there are solvers")
}

fn law(mu: f64, rolling: f64, spinning: Option<f64>) -> RollingContact {
    RollingContact {
        mu,
        rolling,
        spinning,
    }
}

/// A torque about z, which is along −x of the motion, on a ball at rest: it rolls iff the torque
/// exceeds ρ m g.
#[test]
fn a_torque_rolls_a_ball_beyond_the_resistance() {
    let rho = 0.02;
    let threshold = rho * MASS * GRAVITY;
    for share in [-1.5, -1.001, -0.999, 0.5, 0.999, 1.001, 3.0] {
        let torque = share * threshold;
        let spun = torque * STEP / INERTIA;
        let free = [0.0, -GRAVITY * STEP, 0.0, 0.0, 0.0, spun];
        let found = after(&ball(free, law(5.0, rho, None), 0.0));
        // about the point of contact: (I + m r²) ω = (τ − ρ m g) h, v = −ω × arm
        let beyond = torque - torque.clamp(-threshold, threshold);
        let omega = beyond * STEP / (INERTIA + MASS * RADIUS * RADIUS);
        let expected = [-omega * RADIUS, 0.0, 0.0, 0.0, 0.0, omega];
        assert!(
            largest_difference(&found, &expected) < 1e-12,
            "{share}: {found:?}"
        );
        assert_eq!(norm(&found) < 1e-12, share.abs() < 1.0, "{share}");
    }
}

/// On an incline of angle θ with friction enough: at rest iff tan θ ≤ ρ/r, else rolling with what
/// is left.
#[test]
fn a_ball_on_an_incline_moves_beyond_rho_over_r() {
    let rho = 0.03;
    let critical = libm::atan2(rho, RADIUS);
    for share in [0.2, 0.99, 1.01, 2.0, 6.0] {
        let (sine, cosine) = libm::sincos(share * critical);
        let pull = GRAVITY * STEP;
        let free = [pull * sine, -pull * cosine, 0.0, 0.0, 0.0, 0.0];
        for turned in [0.0, 0.7, 2.0] {
            let found = after(&ball(free, law(2.0, rho, Some(0.01)), turned));
            let moment = MASS * pull * (RADIUS * sine - rho * cosine);
            let omega = -moment.max(0.0) / (INERTIA + MASS * RADIUS * RADIUS);
            let expected = [-omega * RADIUS, 0.0, 0.0, 0.0, 0.0, omega];
            assert!(
                largest_difference(&found, &expected) < 1e-12,
                "{share}: {found:?}"
            );
            assert_eq!(norm(&found) < 1e-12, share < 1.0, "{share}");
        }
    }
}

/// A ball that slides and rolls at once: each part of friction is at its limit and against its own
/// velocity.
#[test]
fn sliding_and_rolling_are_resisted_each_by_itself() {
    let (mu, rho) = (0.1, 0.02);
    let load = MASS * GRAVITY * STEP;
    // along x at 3 m/s while it rolls as for 0.8 m/s: the point of contact slides forward at 2.2
    // m/s
    let free = [3.0, -GRAVITY * STEP, 0.0, 0.0, 0.0, -2.0];
    let expected = [
        3.0 - mu * load / MASS,
        0.0,
        0.0,
        0.0,
        0.0,
        // the torque of sliding friction spins it up, that of rolling resistance slows it
        -2.0 + (rho * load - RADIUS * mu * load) / INERTIA,
    ];
    for turned in [0.0, 0.3, 1.9] {
        let found = after(&ball(free, law(mu, rho, None), turned));
        assert!(largest_difference(&found, &expected) < 1e-12, "{found:?}");
    }
}

/// A ball that spins about the normal slows by ρ_s m g h / I and stops; without the row it spins
/// on.
#[test]
fn spinning_is_resisted_where_the_law_says_so() {
    let rho = 0.005;
    let loss = rho * MASS * GRAVITY * STEP / INERTIA;
    for spin in [0.5 * loss, -3.0 * loss, 20.0 * loss] {
        let free = [0.0, -GRAVITY * STEP, 0.0, 0.0, spin, 0.0];
        let resisted = after(&ball(free, law(0.5, 0.01, Some(rho)), 0.0));
        let expected = spin - spin.clamp(-loss, loss);
        assert!(
            (resisted[4] - expected).abs() < 1e-12,
            "{spin}: {resisted:?}"
        );
        let free_to_spin = after(&ball(free, law(0.5, 0.01, None), 0.0));
        assert!((free_to_spin[4] - spin).abs() < 1e-12);
    }
}

/// No load, no resistance; and no resistance, the law of the disc.
#[test]
fn limits_of_the_law() {
    let lifting = [0.5, 0.2, 0.0, 1.0, 2.0, 3.0];
    let found = after(&ball(lifting, law(1.0, 0.1, Some(0.1)), 0.0));
    assert!(largest_difference(&found, &lifting) < 1e-15);
    // a sliding ball without resistance: v = v₀ − μ g h
    let sliding = [2.0, -GRAVITY * STEP, 0.0, 0.0, 0.0, 0.0];
    let found = after(&ball(sliding, law(0.3, 0.0, Some(0.0)), 0.0));
    let loss = 0.3 * GRAVITY * STEP;
    let expected = [
        2.0 - loss,
        0.0,
        0.0,
        0.0,
        0.0,
        -loss * MASS * RADIUS / INERTIA,
    ];
    assert!(largest_difference(&found, &expected) < 1e-12, "{found:?}");
}

//! The step of the 2021 tutorial: its three flaws, and none of them once repaired.

use delassus_core::{Friction, Law, MassProperties, Problem, ProblemBuilder};
use delassus_solver_jacobi::seed::SeedScheme;
use nalgebra::Vector3;

const G: f64 = 9.8;

/// A point mass of 1 kg above a plane of slope `tilt`; normal along y, gravity tilted instead.
fn point_mass(velocity: [f64; 3]) -> Problem {
    let mut builder = ProblemBuilder::new();
    let [x, y, z] = velocity;
    let body = builder.body(
        MassProperties::aligned(1.0, Vector3::repeat(1.0)),
        [x, y, z, 0.0, 0.0, 0.0],
    );
    let rows = [1, 0, 2].map(|axis| {
        let mut row = [0.0; 6];
        row[axis] = 1.0;
        [row]
    });
    builder.block(Law::Contact(Friction::Coulomb { mu: 0.5 }), &[body], &rows);
    builder.build().expect("a valid problem")
}

/// Steps a point mass under `gravity`; returns its height and its velocity.
fn fall(
    scheme: SeedScheme,
    gravity: [f64; 3],
    h: f64,
    start: ([f64; 3], f64),
    steps: usize,
) -> (f64, [f64; 3]) {
    let (mut velocity, mut height) = start;
    for _ in 0..steps {
        let problem = point_mass(velocity);
        let touches = height <= 0.0;
        let forces = if touches {
            scheme
                .accelerations(&problem, &[-height], h)
                .expect("a problem with bodies")
        } else {
            vec![0.0; 6]
        };
        for axis in 0..3 {
            velocity[axis] += h * (forces[axis] + gravity[axis]);
        }
        height += h * velocity[1];
    }
    (height, velocity)
}

/// d = 15 g h² (J.19): 40.833, 37.632 and 10.208 mm.
#[test]
fn a_resting_body_sinks_until_the_overlap_carries_it() {
    let down = [0.0, -G, 0.0];
    for (h, millimetres) in [(1.0 / 60.0, 40.833), (0.016, 37.632), (1.0 / 120.0, 10.208)] {
        let (height, _) = fall(SeedScheme::TUTORIAL, down, h, ([0.0; 3], 0.0), 2000);
        assert!((height + 15.0 * G * h * h).abs() < 1e-12, "{height}");
        assert!((-1e3 * height - millimetres).abs() < 1e-3, "{height}");
        let (height, velocity) = fall(
            SeedScheme::repaired(down, 0.5),
            down,
            h,
            ([0.0; 3], 0.0),
            2000,
        );
        assert!(
            height.abs() < 1e-12 && velocity[1].abs() < 1e-12,
            "{height}"
        );
    }
}

/// 250 h (m_1 + m_2)/m_1 = 4.17 m/s at 1/60 s against a static floor (J.20).
#[test]
fn a_fast_impact_is_not_stopped() {
    let h = 1.0 / 60.0;
    let limit = 250.0 * h;
    let after = |scheme: SeedScheme, speed: f64| {
        fall(scheme, [0.0; 3], h, ([0.0, -speed, 0.0], 0.0), 1).1[1]
    };
    assert!(after(SeedScheme::TUTORIAL, limit - 0.01).abs() < 1e-12);
    assert!((after(SeedScheme::TUTORIAL, limit + 1.0) + 1.0).abs() < 1e-12);
    assert!(after(SeedScheme::repaired([0.0; 3], 0.5), limit + 1.0).abs() < 1e-12);
}

/// On a slope of 60° with μ = 0.5 a body slides with g (sin − μ cos); the tutorial's sticks.
#[test]
fn nothing_slides() {
    let h = 1.0 / 60.0;
    let (sin, cos) = libm::sincos(core::f64::consts::FRAC_PI_3);
    let gravity = [G * sin, -G * cos, 0.0];
    let steps = 60;
    let (_, velocity) = fall(SeedScheme::TUTORIAL, gravity, h, ([0.0; 3], 0.0), steps);
    // each step leaves the pull of one step, and the next one takes it away
    assert!(velocity[0] <= G * sin * h + 1e-12, "{}", velocity[0]);
    let (_, velocity) = fall(
        SeedScheme::repaired(gravity, 0.5),
        gravity,
        h,
        ([0.0; 3], 0.0),
        steps,
    );
    let expected = G * (sin - 0.5 * cos) * h * steps as f64;
    assert!((velocity[0] - expected).abs() < 1e-9, "{}", velocity[0]);
}

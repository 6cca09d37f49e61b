//! Motions with closed forms, and one with equations of its own.

use delassus_dynamics::{Body, Inertia, World, WorldParts};
use delassus_scenes::Scene;
use delassus_scenes::oracles::pendulum::angle_at;
use delassus_scenes::oracles::rigid::{HeavyTop, flip_growth, flip_time};
use delassus_scenes::scenes::{NPendulum, Pendulum, PendulumJoint, SpinningTop, TopStart};
use delassus_scheme_reduced::Integrator;
use nalgebra::Vector3;

use crate::common::{run, scheme};

const GRAVITY: f64 = 9.81;

/// Angle of the centre of the second body from the downward vertical below the first \[rad\].
fn angle(world: &World, pair: [usize; 2]) -> f64 {
    let [a, b] = pair.map(|body| world.bodies()[body].position);
    let arm = b - a;
    libm::atan2(arm.x, -arm.y)
}

#[test]
fn pendulums_of_every_kind_are_where_the_elliptic_function_says() {
    for joint in [
        PendulumJoint::Distance,
        PendulumJoint::Ball,
        PendulumJoint::Hinge,
    ] {
        for start in [0.3, 1.5, 3.0] {
            let scene = Pendulum {
                joint,
                angle: start,
                ..Pendulum::default()
            };
            let mut world = scene.make().expect("a pendulum");
            let bob = &world.bodies()[1];
            let arm = bob.position.to_vector().norm();
            // length of the point pendulum with the same motion
            let moment = bob.world_inertia()[(2, 2)];
            let length = arm + moment / (bob.inertia.mass * arm);
            let mut scheme = scheme(Integrator::RungeKutta);
            for second in 1..=5 {
                run(&mut scheme, &mut world, 1e-3, 1000);
                let expected = angle_at(length, GRAVITY, start, f64::from(second));
                let error = (angle(&world, [0, 1]) - expected).abs();
                // order 4 at a thousandth of a second
                assert!(error < 2e-9, "{joint:?} from {start}: {error:e}");
            }
        }
    }
}

/// Angles and rates of a double pendulum of point masses: Lagrange's equations, integrated here.
fn double_pendulum(start: [f64; 2], time: f64, steps: u32) -> [f64; 4] {
    // equal masses and lengths of one
    let slope = |[a, b, p, q]: [f64; 4]| -> [f64; 4] {
        let (sine, cosine) = libm::sincos(a - b);
        // [2, c; c, 1] [a''; b''] = [−s q² − 2 g sin a; s p² − g sin b]
        let first = -sine * q * q - 2.0 * GRAVITY * libm::sin(a);
        let second = sine * p * p - GRAVITY * libm::sin(b);
        let determinant = 2.0 - cosine * cosine;
        [
            p,
            q,
            (first - cosine * second) / determinant,
            (2.0 * second - cosine * first) / determinant,
        ]
    };
    let h = time / f64::from(steps);
    let shifted =
        |x: [f64; 4], h: f64, k: [f64; 4]| -> [f64; 4] { std::array::from_fn(|i| x[i] + h * k[i]) };
    let mut x = [start[0], start[1], 0.0, 0.0];
    for _ in 0..steps {
        let k1 = slope(x);
        let k2 = slope(shifted(x, 0.5 * h, k1));
        let k3 = slope(shifted(x, 0.5 * h, k2));
        let k4 = slope(shifted(x, h, k3));
        x = std::array::from_fn(|i| x[i] + h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]));
    }
    x
}

#[test]
fn the_double_pendulum_follows_lagranges_equations() {
    let scene = NPendulum {
        n: 2,
        ..NPendulum::default()
    };
    let mut world = scene.make().expect("a double pendulum");
    let start = [angle(&world, [0, 1]), angle(&world, [1, 2])];
    run(&mut scheme(Integrator::RungeKutta), &mut world, 5e-4, 4000);
    let exact = double_pendulum(start, 2.0, 20_000);
    let ends = [
        (angle(&world, [0, 1]), exact[0]),
        (angle(&world, [1, 2]), exact[1]),
    ];
    for (found, exact) in ends {
        let error = libm::sin(0.5 * (found - exact)).abs();
        assert!(error < 1e-8, "{found} {exact}: {error:e}");
    }
}

#[test]
fn a_top_precesses_steadily_at_both_roots() {
    for start in [TopStart::Slow, TopStart::Fast] {
        let scene = SpinningTop {
            start,
            ..SpinningTop::default()
        };
        let data = HeavyTop {
            mass: scene.mass,
            arm: scene.distance,
            across: scene.moment_across,
            along: scene.moment_along,
            gravity: scene.gravity,
        };
        let roots = data
            .precessions(scene.tilt, scene.spin)
            .expect("fast enough");
        let root = if start == TopStart::Slow {
            roots[0]
        } else {
            roots[1]
        };
        let mut world = scene.make().expect("a top");
        let axis = |world: &World| world.bodies()[1].orientation * Vector3::y();
        let (dt, frames) = (1e-4, 1000);
        let first = axis(&world);
        run(&mut scheme(Integrator::RungeKutta), &mut world, dt, frames);
        let last = axis(&world);
        let turned = root * dt * f64::from(frames);
        let (sine, cosine) = libm::sincos(turned);
        let expected = Vector3::new(
            cosine * first.x + sine * first.z,
            first.y,
            cosine * first.z - sine * first.x,
        );
        let error = (last - expected).norm();
        assert!(error < 1e-8, "{start:?}: {error:e}");
    }
}

/// A free body of the moments 1, 2, 3.
fn free_body(spin: Vector3<f64>) -> World {
    let mut parts = WorldParts::default();
    let inertia = Inertia::new(1.0, Vector3::new(1.0, 2.0, 3.0));
    let body = Body::dynamic(inertia, Vector3::new(0.3, 0.1, -2.0));
    parts.body(body.moving(Vector3::new(0.1, 0.2, 0.3), spin));
    parts.build().expect("a body")
}

#[test]
fn a_free_body_turns_over_at_its_time_and_grows_at_its_rate() {
    let local = |world: &World| {
        let body = &world.bodies()[0];
        body.orientation.inverse() * body.spin
    };
    let spin = Vector3::new(0.2, 1.0, 0.2);
    let exact = flip_time([1.0, 2.0, 3.0], [0.2, 1.0, 0.2]);
    let mut world = free_body(spin);
    let mut scheme = scheme(Integrator::RungeKutta);
    let (dt, mut time, mut before, mut reversals) = (1e-3, 0.0, spin.y, Vec::new());
    while reversals.len() < 3 {
        run(&mut scheme, &mut world, dt, 1);
        let now = local(&world).y;
        if before * now < 0.0 {
            reversals.push(time + dt * before / (before - now));
        }
        (before, time) = (now, time + dt);
        assert!(time < 60.0, "no reversal");
    }
    for pair in reversals.windows(2) {
        // the crossing is interpolated: an error of dt² times a small curvature
        assert!(
            (pair[1] - pair[0] - exact).abs() < 1e-6,
            "{reversals:?} {exact}"
        );
    }
    let mut world = free_body(Vector3::new(1e-5, 1.0, 1e-5));
    // the growing one of the two linear modes
    let growing = |w: Vector3<f64>| (1.0_f64 / 3.0).sqrt() * w.x - w.z;
    let first = growing(local(&world));
    run(&mut scheme, &mut world, dt, 3000);
    let rate = libm::log(growing(local(&world)) / first) / 3.0;
    assert!(
        (rate / flip_growth([1.0, 2.0, 3.0], 1.0) - 1.0).abs() < 1e-6,
        "{rate}"
    );
}

#[test]
fn a_rotation_about_a_principal_axis_is_uniform() {
    for integrator in [
        Integrator::SemiImplicitEuler,
        Integrator::ProjectedEuler,
        Integrator::ImplicitMidpoint,
        Integrator::RungeKutta,
    ] {
        let mut world = free_body(Vector3::new(0.0, 0.0, 2.0));
        run(&mut scheme(integrator), &mut world, 0.01, 100);
        let body = &world.bodies()[0];
        let expected = delassus_dynamics::rotation::about(&Vector3::z(), 2.0);
        let error = body.orientation.angle_to(&expected);
        // exact but for the method of Runge and Kutta, whose sine is a polynomial
        assert!(error < 1e-8, "{integrator:?}: {error:e}");
        assert!(
            (body.spin - Vector3::new(0.0, 0.0, 2.0)).norm() < 1e-13,
            "{integrator:?}"
        );
        let place = body.position.to_vector() - Vector3::new(0.4, 0.3, -1.7);
        assert!(place.norm() < 1e-13, "{integrator:?}: {place}");
    }
}

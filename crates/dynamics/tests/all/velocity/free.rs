//! Bodies that nothing touches: forces, damping, locked axes and the gyroscopic torque.

use delassus_dynamics::{
    Body, Gyroscopic, Inertia, Scheme, StepError, VelocityParameters, World, WorldParts, rotation,
};
use nalgebra::{Matrix3, Vector3};

use super::line::{H, close, scheme, step};

fn near(found: Vector3<f64>, expected: Vector3<f64>) {
    assert!(
        (found - expected).norm() <= 1e-13 * expected.norm().max(1.0),
        "{found} {expected}"
    );
}

fn alone(gravity: Vector3<f64>, body: Body) -> World {
    let mut parts = WorldParts {
        gravity,
        ..WorldParts::default()
    };
    parts.body(body);
    parts.build().unwrap()
}

fn tilted() -> Body {
    let inertia = Inertia {
        axes: rotation::exp(&Vector3::new(0.4, -0.2, 0.7)),
        ..Inertia::new(2.0, Vector3::new(0.3, 0.5, 0.7))
    };
    Body::dynamic(inertia, Vector3::new(1.0, -2.0, 3.0))
        .turned(rotation::exp(&Vector3::new(-0.3, 0.9, 0.2)))
        .moving(Vector3::new(1.0, 2.0, -1.0), Vector3::new(3.0, -4.0, 5.0))
}

#[test]
fn forces_accelerate_and_damping_divides() {
    let gravity = Vector3::new(0.5, -9.81, 0.25);
    let mut body = tilted();
    body.gravity_scale = 0.75;
    body.force = Vector3::new(3.0, -2.0, 5.0);
    body.torque = Vector3::new(0.2, 0.1, -0.3);
    body.linear_damping = 0.5;
    body.angular_damping = 2.0;
    let (before, inverse) = (body.clone(), body.mass_properties().inverse_inertia);
    let mut world = alone(gravity, body);
    let parameters = VelocityParameters {
        gyroscopic: Gyroscopic::None,
        ..VelocityParameters::default()
    };
    let report = step(&mut world, &parameters);
    let acceleration = 0.75 * gravity + before.force / 2.0;
    let velocity = (before.velocity + H * acceleration) / (1.0 + H * 0.5);
    let spin = (before.spin + H * inverse * before.torque) / (1.0 + H * 2.0);
    let after = &world.bodies()[0];
    near(after.velocity, velocity);
    near(after.spin, spin);
    let at = before.position.to_vector();
    near(after.position.to_vector(), at + H * velocity);
    let turned = rotation::exp(&(H * spin)) * before.orientation;
    assert!(after.orientation.angle_to(&turned) < 1e-14);
    close(world.time(), H);
    // what came from outside is what the body gained, about the origin of the world
    let gained = 2.0 * (velocity - before.velocity);
    near(report.external.linear, gained);
    let turning = before.world_inertia() * (spin - before.spin);
    near(report.external.angular, at.cross(&gained) + turning);
    // a force times the mean of the velocities
    let work = before.force.dot(&(0.5 * (velocity + before.velocity)))
        + before.torque.dot(&(0.5 * (spin + before.spin)));
    close(report.applied_work, H * work);
}

#[test]
fn locked_axes_stay_and_free_ones_do_not() {
    let mut body = tilted();
    body.lock_translation = [false, true, false];
    body.lock_rotation = [true, false, false];
    body.force = Vector3::new(1.0, 2.0, 3.0);
    let (before, mut world) = (body.clone(), alone(Vector3::repeat(-4.0), body));
    step(&mut world, &VelocityParameters::default());
    let after = &world.bodies()[0];
    let moved = before.velocity + H * (Vector3::repeat(-4.0) + before.force / 2.0);
    near(after.velocity, Vector3::new(moved.x, 0.0, moved.z));
    // without a torque a body with a locked axis keeps the rest of its spin
    near(after.spin, Vector3::new(0.0, before.spin.y, before.spin.z));
}

/// The spin of a free body after a step.
fn spun(body: &Body, gyroscopic: Gyroscopic) -> Vector3<f64> {
    let mut world = alone(Vector3::zeros(), body.clone());
    let parameters = VelocityParameters {
        gyroscopic,
        ..VelocityParameters::default()
    };
    let report = step(&mut world, &parameters);
    assert_eq!(report.external.angular, Vector3::zeros());
    world.bodies()[0].spin
}

#[test]
fn the_gyroscopic_torque_is_that_of_euler() {
    let body = tilted();
    let (inertia, spin) = (body.world_inertia(), body.spin);
    near(spun(&body, Gyroscopic::None), spin);
    // explicit: I (ω' − ω) = −h ω × Iω
    let change = spun(&body, Gyroscopic::Explicit) - spin;
    near(inertia * change, -H * spin.cross(&(inertia * spin)));
    assert!(change.norm() > 0.1);
    // implicit: one Newton step of f(ω') = I (ω' − ω) + h ω' × Iω'; f is quadratic, so that the
    // rest is h d × I d
    let later = spun(&body, Gyroscopic::Implicit);
    let change = later - spin;
    let rest = inertia * change + H * later.cross(&(inertia * later));
    near(rest, H * change.cross(&(inertia * change)));
    assert!(change.norm() > 0.1);
    // it loses energy and the explicit one gains some
    let energy = |w: Vector3<f64>| w.dot(&(inertia * w));
    assert!(energy(later) < energy(spin));
    assert!(energy(spun(&body, Gyroscopic::Explicit)) > energy(spin));
}

#[test]
fn the_rescaled_torque_keeps_the_length_of_the_momentum_in_the_body() {
    let body = tilted();
    let (inertia, spin) = (body.world_inertia(), body.spin);
    let momentum = inertia * spin;
    let found = inertia * spun(&body, Gyroscopic::Rescaled);
    let explicit = momentum - H * spin.cross(&momentum);
    near(found, explicit.normalize() * momentum.norm());
    assert!((found - momentum).norm() > 0.01);
}

/// |L| and E over those of the start, and the angle of L \[°\], after so many frames of 1/60 s.
fn left(mode: Gyroscopic, moments: [f64; 3], spin: [f64; 3], frames: usize) -> [f64; 3] {
    let body = Body::dynamic(Inertia::new(1.0, moments.into()), Vector3::zeros());
    let mut world = alone(Vector3::zeros(), body.moving(Vector3::zeros(), spin.into()));
    let mut scheme = scheme(&VelocityParameters {
        gyroscopic: mode,
        ..VelocityParameters::default()
    });
    let of = |world: &World| (world.momentum().angular, world.energy().kinetic);
    let start = of(&world);
    for _ in 0..frames {
        scheme.step(&mut world, 1.0 / 60.0, &mut ()).unwrap();
    }
    let end = of(&world);
    let angle = end.0.angle(&start.0).to_degrees();
    [end.0.norm() / start.0.norm(), end.1 / start.1, angle]
}

#[test]
fn what_each_treatment_leaves_of_momentum_and_energy() {
    let (length, radius) = (1.0, 0.01);
    let across = length * length / 12.0 + radius * radius / 4.0;
    let rod = [across, 0.5 * radius * radius, across];
    let expected = [
        (Gyroscopic::Momentum, [1.0, 1.0, 0.0], [1.0, 1.0, 0.0]),
        (Gyroscopic::None, [1.0, 1.0, 156.57], [1.0, 1.0, 0.42]),
        (
            Gyroscopic::Explicit,
            [1.952, 3.768, 16.37],
            [1.508, 2.277, 0.08],
        ),
        (
            Gyroscopic::Rescaled,
            [1.0, 0.991, 7.21],
            [1.0, 1.0007, 1.10],
        ),
        (
            Gyroscopic::Implicit,
            [0.512, 0.273, 13.73],
            [0.750, 0.560, 0.73],
        ),
    ];
    for (mode, of_rod, of_three) in expected {
        let found = [
            left(mode, rod, [6.0, 30.0, 0.0], 6),
            left(mode, [1.0, 1.6, 2.2], [0.5, 10.0, 0.5], 600),
        ];
        for (found, expected) in found.iter().zip([of_rod, of_three]) {
            for (found, expected) in found.iter().zip(expected) {
                let error = (found - expected).abs();
                assert!(
                    error < 6e-4 * expected.max(10.0),
                    "{mode:?}: {found} {expected}"
                );
            }
        }
    }
}

#[test]
fn torque_and_damping_change_the_momentum_that_is_kept() {
    let mut body = tilted();
    body.torque = Vector3::new(0.2, 0.1, -0.3);
    body.angular_damping = 2.0;
    let momentum = body.world_inertia() * body.spin;
    let mut world = alone(Vector3::zeros(), body.clone());
    let report = step(&mut world, &VelocityParameters::default());
    let expected = (momentum + H * body.torque) / (1.0 + H * 2.0);
    let after = &world.bodies()[0];
    near(after.world_inertia() * after.spin, expected);
    near(report.external.angular, expected - momentum);
    // the pose follows the mean of the free rotation, and the torque on top of it
    let mean = (H * 2.0 + 1.0) / H
        * rotation::log(&(after.orientation * body.orientation.inverse()))
        - H * body.mass_properties().inverse_inertia * body.torque;
    let slowing = body.mass_properties().inverse_inertia * body.spin.cross(&momentum);
    let error = mean - (body.spin - 0.5 * H * slowing);
    assert!(error.norm() < 0.1 * (0.5 * H * slowing).norm(), "{error}");
}

#[test]
fn round_bodies_and_bodies_with_one_axis_feel_no_gyroscopic_torque() {
    let mut body = tilted();
    let spin = body.spin;
    body.inertia.moments = Vector3::repeat(0.4);
    assert_eq!(spun(&body, Gyroscopic::Implicit), spin);
    // two equal moments are not three
    for moments in [[0.4, 0.4, 0.7], [0.7, 0.4, 0.4], [0.4, 0.7, 0.4]] {
        body.inertia.moments = Vector3::from(moments);
        assert!((spun(&body, Gyroscopic::Implicit) - spin).norm() > 0.01);
    }
    // a moment about a principal axis alone
    let mut top = tilted();
    top.inertia.axes = nalgebra::UnitQuaternion::identity();
    top.orientation = nalgebra::UnitQuaternion::identity();
    top.spin = 9.0 * Vector3::y();
    near(spun(&top, Gyroscopic::Implicit), top.spin);
    assert_eq!(
        top.world_inertia(),
        Matrix3::from_diagonal(&top.inertia.moments)
    );
}

#[test]
fn bodies_that_are_not_dynamic_move_as_they_are_told() {
    let velocity = Vector3::new(1.0, -2.0, 0.5);
    let body = Body::fixed(Vector3::x()).moving(velocity, Vector3::zeros());
    let body = Body {
        kind: delassus_dynamics::BodyKind::Kinematic,
        ..body
    };
    let mut world = alone(Vector3::new(0.0, -9.81, 0.0), body);
    let report = step(&mut world, &VelocityParameters::default());
    assert_eq!(world.bodies()[0].velocity, velocity);
    near(
        world.bodies()[0].position.to_vector(),
        Vector3::x() + H * velocity,
    );
    assert_eq!(report.external.linear, Vector3::zeros());
}

#[test]
fn steps_have_a_length() {
    let mut world = alone(Vector3::zeros(), tilted());
    let before = world.state_hash();
    let mut scheme = scheme(&VelocityParameters::default());
    for dt in [0.0, -0.1, f64::NAN, f64::INFINITY] {
        let refused = scheme.step(&mut world, dt, &mut ());
        assert!(matches!(refused, Err(StepError::TimeStep { .. })), "{dt}");
    }
    assert_eq!(world.state_hash(), before);
    // four substeps advance the clock by the frame
    let parameters = VelocityParameters {
        substeps: 4,
        gyroscopic: Gyroscopic::None,
        ..VelocityParameters::default()
    };
    let (at, v) = (
        world.bodies()[0].position.to_vector(),
        world.bodies()[0].velocity,
    );
    step(&mut world, &parameters);
    close(world.time(), H);
    near(world.bodies()[0].position.to_vector(), at + H * v);
}

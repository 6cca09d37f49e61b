//! Work and momentum from outside: what bodies gain is what a step reports.

use delassus_dynamics::constraints::{AngularMotor, Distance, LinearMotor, Point};
use delassus_dynamics::{
    Body, BodyKind, ContactLaw, ContactPoint, Inertia, Joint, Manifold, Signal, Stabilization,
    VelocityParameters, World, WorldParts,
};
use nalgebra::Vector3;

use super::line::{H, MASS, ball, close, step};

fn kinematic(position: Vector3<f64>, velocity: Vector3<f64>, spin: Vector3<f64>) -> Body {
    Body {
        kind: BodyKind::Kinematic,
        ..Body::fixed(position).moving(velocity, spin)
    }
}

/// Balls that hang on the ground, rest on a turning plate, are driven by a motor, and turn about a
/// locked centre.
fn machine() -> World {
    let mut parts = WorldParts {
        gravity: Vector3::new(0.3, -9.81, 0.7),
        ..WorldParts::default()
    };
    let ground = parts.body(Body::fixed(Vector3::new(0.5, 0.25, -1.0)));
    let plate = Vector3::new(2.0, -1.0, 0.5);
    let plate = parts.body(kinematic(plate, Vector3::zeros(), Vector3::y()));
    // round, so that inertia does not change as a ball turns
    let round = Inertia::new(1.5, Vector3::repeat(0.4));
    let hanging = Body::dynamic(round, Vector3::new(1.0, 0.5, 0.25));
    let hanging =
        parts.body(hanging.moving(Vector3::new(0.2, -1.0, 0.3), Vector3::new(1.0, 2.0, 3.0)));
    let resting = Body::dynamic(round, Vector3::new(2.25, -0.5, 0.75));
    let mut resting = resting.moving(Vector3::new(-0.5, -1.0, 0.25), Vector3::new(0.5, 0.0, -1.0));
    resting.force = Vector3::new(2.0, 1.0, -3.0);
    resting.torque = Vector3::new(0.5, -0.25, 1.0);
    let resting = parts.body(resting);
    let mut sliding = Body::dynamic(round, Vector3::new(-1.0, 2.0, 3.0));
    sliding.lock_translation = [true; 3];
    let sliding = parts.body(sliding);
    parts.joint(Joint::new(Point {
        bodies: [ground, hanging],
        anchors: [Vector3::zeros(), Vector3::new(-0.5, -0.25, -1.25)],
    }));
    let axis = Vector3::new(2.0, -1.0, 2.0) / 3.0;
    parts.joint(Joint::new(LinearMotor {
        bodies: [hanging, sliding],
        anchors: [Vector3::new(0.1, 0.2, -0.3), Vector3::new(0.3, -0.1, 0.2)],
        axis,
        target: Signal::Constant(1.25),
    }));
    parts.joint(Joint::new(AngularMotor {
        bodies: [ground, resting],
        axes: [axis; 2],
        target: Signal::Constant(-2.0),
    }));
    let point = ContactPoint {
        anchors: [
            Vector3::new(0.25, 0.25, 0.125),
            Vector3::new(0.0, -0.25, -0.125),
        ],
        radii: [0.0; 2],
    };
    let law = ContactLaw::Disc;
    let manifold = Manifold::new([plate, resting], Vector3::y(), vec![point], 0.5, law);
    parts.manifolds.push(manifold);
    parts.build().unwrap()
}

#[test]
fn momentum_changes_by_what_comes_from_outside() {
    // one substep from poses in which the anchors meet: impulses then act at one place on both
    // bodies. A relax pass changes velocities after they have moved the poses, and with them the
    // angular part
    for relax_sweeps in [0, 2] {
        let mut world = machine();
        let parameters = VelocityParameters {
            relax_sweeps,
            sweeps: 4,
            stabilization: Stabilization::Soft,
            ..VelocityParameters::default()
        };
        let before = world.momentum();
        let report = step(&mut world, &parameters);
        let after = world.momentum();
        let linear = after.linear - before.linear - report.external.linear;
        let angular = after.angular - before.angular - report.external.angular;
        // roundings of momenta of size 10
        assert!(linear.norm() < 1e-13, "{linear}");
        assert!(angular.norm() < 1e-13 || relax_sweeps > 0, "{angular}");
        assert!(report.external.linear.norm() > 0.01);
    }
}

#[test]
fn a_bounce_on_the_ground_takes_momentum_from_it() {
    let mut world = super::line::touching(Body::fixed(Vector3::zeros()), 0.0, -3.0, 0.5);
    let report = step(&mut world, &VelocityParameters::default());
    // from −3 to 1.5 m/s
    close(report.external.linear.x, MASS * 4.5);
    close(report.external.linear.y, 0.0);
    close(report.drive_work, 0.0);
    assert_eq!(report.rows, 3);
}

#[test]
fn a_moving_wall_does_work_on_what_it_pushes() {
    // a wall at u = 2 m/s pulls a ball at rest along: impulse m u, work of the wall m u², half of
    // which is lost
    let u = 2.0;
    let mut parts = WorldParts::default();
    parts.body(kinematic(
        Vector3::zeros(),
        u * Vector3::x(),
        Vector3::zeros(),
    ));
    parts.body(ball(1.0, 0.0));
    parts.joint(Joint::new(Distance {
        bodies: [0, 1],
        anchors: [Vector3::zeros(); 2],
        length: Signal::Constant(1.0),
    }));
    let mut world = parts.build().unwrap();
    let report = step(&mut world, &VelocityParameters::default());
    close(world.bodies()[1].velocity.x, u);
    close(report.drive_work, MASS * u * u);
    close(report.external.linear.x, MASS * u);
    // with both at u nothing is left to do
    let report = step(&mut world, &VelocityParameters::default());
    close(report.drive_work, 0.0);
}

#[test]
fn a_motor_does_the_work_that_two_free_bodies_gain() {
    // both of 2 kg: ±1.5 m/s from rest, λ = 3 N·s, work λ · ½ (0 + 3) = 4.5 J = 2 · ½ · 2 · 1.5²
    let mut parts = WorldParts::default();
    parts.body(ball(0.0, 0.0));
    parts.body(ball(1.0, 0.0));
    parts.joint(Joint::new(LinearMotor {
        bodies: [0, 1],
        anchors: [Vector3::zeros(); 2],
        axis: Vector3::x(),
        target: Signal::Constant(3.0),
    }));
    let mut world = parts.build().unwrap();
    let report = step(&mut world, &VelocityParameters::default());
    close(report.drive_work, 4.5);
    close(world.energy().kinetic, 4.5);
    close(report.external.linear.norm(), 0.0);
    close(report.applied_work, 0.0);
    // a winch: a length that shrinks does the same work as a motor of its rate
    let mut parts = WorldParts::default();
    parts.body(ball(0.0, 0.0));
    parts.body(ball(1.0, 0.0));
    parts.joint(Joint::new(Distance {
        bodies: [0, 1],
        anchors: [Vector3::zeros(); 2],
        length: Signal::Ramp {
            start: 1.0,
            rate: 3.0,
        },
    }));
    let mut world = parts.build().unwrap();
    let parameters = VelocityParameters {
        stabilization: Stabilization::None,
        ..VelocityParameters::default()
    };
    let report = step(&mut world, &parameters);
    close(report.drive_work, 4.5);
    close(world.bodies()[1].position.to_vector().x, 1.0 + 1.5 * H);
}

#[test]
fn forces_and_torques_work_each_for_itself() {
    let run = |change: fn(&mut Body)| {
        let mut body = ball(0.0, 2.0);
        body.spin = 3.0 * Vector3::y();
        change(&mut body);
        let mut parts = WorldParts::default();
        parts.body(body);
        let mut world = parts.build().unwrap();
        let before = world.energy().kinetic;
        let report = step(&mut world, &VelocityParameters::default());
        (report.applied_work, world.energy().kinetic - before)
    };
    for change in [
        (|body| body.force = 4.0 * Vector3::x()) as fn(&mut Body),
        |body| body.torque = 5.0 * Vector3::y(),
        |_| {},
    ] {
        let (work, gained) = run(change);
        close(work, gained);
    }
    assert!(run(|body| body.torque = Vector3::y()).0 > 0.01);
    // what moves as it is told takes no work from a force
    let told = run(|body| {
        body.kind = BodyKind::Kinematic;
        body.force = 4.0 * Vector3::x();
    });
    close(told.0, 0.0);
}

#[test]
fn a_locked_axis_takes_momentum_from_outside() {
    // a rod along (1, 1, 0) between a free ball and one that cannot move along y
    let mut parts = WorldParts::default();
    parts.body(ball(0.0, -3.0));
    let mut locked = ball(1.0, 0.0);
    locked.position = delassus_dynamics::Position::from(Vector3::new(1.0, 1.0, 0.0));
    locked.lock_translation = [false, true, false];
    parts.body(locked);
    parts.joint(Joint::new(Distance {
        bodies: [0, 1],
        anchors: [Vector3::zeros(); 2],
        length: Signal::Constant(2f64.sqrt()),
    }));
    let mut world = parts.build().unwrap();
    let before = world.momentum().linear;
    let report = step(&mut world, &VelocityParameters::default());
    let gained = world.momentum().linear - before;
    // λ (½ + ½ + ½) /2 = 3/√2 along the rod, so that each component of the impulse is λ/√2 = 2
    let expected: Vector3<f64> = 2.0 * Vector3::y();
    close((gained - expected).norm(), 0.0);
    close((report.external.linear - gained).norm(), 0.0);
}

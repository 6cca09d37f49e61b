//! Limits, motors and servos in motion, against closed forms.

use delassus_core::Solver;
use delassus_dynamics::constraints::{
    AngleLimit, AngularMotor, AngularServo, AnyConstraint, ConeLimit, LinearMotor, LinearServo,
    OrientationServo, Point, Rope, SlideLimit, TwistLimit, constraint_kinds,
};
use delassus_dynamics::{
    Body, ExampleRng, Inertia, Joint, Rows, Scheme, Signal, Stabilization, StepReport,
    VelocityParameters, VelocityScheme, World, WorldParts, rotation,
};
use delassus_solver_si::Pgs;
use nalgebra::{UnitQuaternion, Vector3};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

const H: f64 = 1.0 / 60.0;

fn scheme(stabilization: Stabilization, sweeps: u32) -> VelocityScheme {
    let parameters = VelocityParameters {
        stabilization,
        sweeps,
        ..VelocityParameters::default()
    };
    let solver = Box::new(Pgs::new(Default::default()).unwrap());
    VelocityScheme::new(parameters, solver).unwrap()
}

fn run(world: &mut World, steps: usize, mut look: impl FnMut(usize, &World)) -> StepReport {
    let mut scheme = scheme(Stabilization::Baumgarte, 60);
    let mut report = StepReport::default();
    for step in 1..=steps {
        report.add(&scheme.step(world, H, &mut ()).unwrap());
        look(step, world);
    }
    report
}

/// A fixed body and a ball of 2 kg with a moment of 0.5 kg·m².
fn pair(ball: impl FnOnce(Body) -> Body, gravity: Vector3<f64>, joints: Vec<Joint>) -> World {
    let mut parts = WorldParts {
        gravity,
        joints,
        ..WorldParts::default()
    };
    parts.body(Body::fixed(Vector3::zeros()));
    let inertia = Inertia::new(2.0, Vector3::repeat(0.5));
    parts.body(ball(Body::dynamic(inertia, Vector3::zeros())));
    parts.build().unwrap()
}

fn spinning(spin: Vector3<f64>) -> impl FnOnce(Body) -> Body {
    move |body| body.moving(Vector3::zeros(), spin)
}

fn angle_about_z(world: &World) -> f64 {
    rotation::log(&world.bodies()[1].orientation).z
}

#[test]
fn a_motor_accelerates_with_its_torque_and_then_keeps_its_speed() {
    let motor = AngularMotor {
        bodies: [0, 1],
        axes: [Vector3::z(); 2],
        target: Signal::Constant(4.0),
    };
    let joints = vec![Joint::new(motor).limited(1.5)];
    let mut world = pair(|body| body, Vector3::zeros(), joints);
    let report = run(&mut world, 100, |step, world| {
        // τ t/I, up to the target
        let expected = (1.5 * H * step as f64 / 0.5).min(4.0);
        assert!((world.bodies()[1].spin.z - expected).abs() < 1e-12);
        let torque = world.reaction(0, 1).unwrap().torque.z;
        let wanted = if step <= 80 { 1.5 } else { 0.0 };
        assert!((torque - wanted).abs() < 1e-11, "step {step}: {torque}");
    });
    // what the motor did is what the wheel has: ½ I ω²
    assert!((report.drive_work - 0.5 * 0.5 * 16.0).abs() < 1e-12);
}

#[test]
fn a_motor_with_target_zero_is_dry_friction() {
    let motor = AngularMotor {
        bodies: [0, 1],
        axes: [Vector3::z(); 2],
        target: Signal::Constant(0.0),
    };
    let joints = vec![Joint::new(motor).limited(0.3)];
    let mut world = pair(spinning(2.0 * Vector3::z()), Vector3::zeros(), joints);
    run(&mut world, 300, |step, world| {
        let expected = (2.0 - 0.3 / 0.5 * H * step as f64).max(0.0);
        assert!((world.bodies()[1].spin.z - expected).abs() < 1e-12);
    });
}

#[test]
fn drives_of_free_bodies_create_no_momentum() {
    let inertia = |mass: f64| Inertia::new(mass, Vector3::repeat(0.4 * mass));
    let mut parts = WorldParts::default();
    let spin = Vector3::new(0.3, -0.5, 0.7);
    parts.body(Body::dynamic(inertia(1.0), Vector3::zeros()).moving(Vector3::x(), spin));
    parts.body(Body::dynamic(inertia(3.0), Vector3::new(1.0, 2.0, -0.5)).moving(-spin, spin));
    let anchors = [Vector3::new(0.2, -0.1, 0.3), Vector3::new(-0.4, 0.2, 0.1)];
    let axis = Vector3::new(2.0, -1.0, 2.0) / 3.0;
    parts.joint(Joint::new(LinearMotor {
        bodies: [0, 1],
        anchors,
        axis,
        target: Signal::Constant(1.5),
    }));
    parts.joint(Joint::new(AngularMotor {
        bodies: [0, 1],
        axes: [axis, -axis],
        target: Signal::Constant(-2.0),
    }));
    let mut world = parts.build().unwrap();
    let start = world.momentum();
    let report = run(&mut world, 60, |_, _| {});
    let end = world.momentum();
    // 60 steps of roundings of momenta near 10
    assert!((end.linear - start.linear).norm() < 1e-12);
    assert!((end.angular - start.angular).norm() < 1e-12);
    assert!(report.drive_work.abs() > 0.1, "the drives do work");
}

#[test]
fn motors_have_the_jacobians_of_their_servos() {
    let mut rng = Pcg64Mcg::seed_from_u64(1);
    let mut source = || rng.random_range(0.0..1.0);
    for kind in constraint_kinds() {
        for _ in 0..50 {
            let (motor, poses) = (kind.example)(&mut ExampleRng(&mut source));
            let target = Signal::Constant(0.0);
            let servo: AnyConstraint = match &motor {
                AnyConstraint::LinearMotor(motor) => LinearServo {
                    bodies: motor.bodies,
                    anchors: motor.anchors,
                    axis: motor.axis,
                    target,
                }
                .into(),
                AnyConstraint::AngularMotor(motor) => AngularServo {
                    bodies: motor.bodies,
                    axes: motor.axes,
                    target,
                }
                .into(),
                _ => continue,
            };
            let [mut of_motor, mut of_servo] = [Rows::default(), Rows::default()];
            motor.evaluate(&poses, 0.0, &mut of_motor);
            servo.evaluate(&poses, 0.0, &mut of_servo);
            assert_eq!(of_motor.jacobian, of_servo.jacobian);
            assert_eq!(of_motor.error, [0.0]);
        }
    }
}

#[test]
fn a_rope_is_slack_until_it_is_taut() {
    let rope = Rope {
        bodies: [0, 1],
        anchors: [Vector3::zeros(); 2],
        length: Signal::Constant(1.0),
    };
    let joints = vec![Joint::new(rope)];
    let mut world = pair(|body| body, -9.81 * Vector3::y(), joints);
    let (mut height, mut speed) = (0.0, 0.0);
    run(&mut world, 200, |step, world| {
        let body = &world.bodies()[1];
        // symplectic Euler in free fall, and not a step beyond the length
        speed -= 9.81 * H;
        let taut = height + H * speed < -1.0;
        if taut {
            speed = (-1.0 - height) / H;
        }
        height += H * speed;
        assert!(
            (body.position.to_vector().y - height).abs() < 1e-13,
            "{step}"
        );
        let force = world.reaction(0, 1).unwrap().force.y;
        assert!(taut || force == 0.0);
        if step == 200 {
            assert!((force - 2.0 * 9.81).abs() < 1e-9, "the weight hangs on it");
            assert!((height + 1.0).abs() < 1e-12);
        }
    });
}

#[test]
fn limits_stop_a_motion_at_their_bounds() {
    // the row lets a gap close within the step and no more, so that the stop is exact
    let slide = |side: f64| {
        let limit = SlideLimit {
            bodies: [0, 1],
            anchors: [Vector3::zeros(); 2],
            axis: Vector3::x(),
            lower: -0.5,
            upper: 0.7,
        };
        let moving = |body: Body| body.moving(side * Vector3::x(), Vector3::zeros());
        let mut world = pair(moving, Vector3::zeros(), vec![Joint::new(limit)]);
        run(&mut world, 120, |_, _| {});
        world.bodies()[1].position.to_vector().x
    };
    assert!((slide(1.0) - 0.7).abs() < 1e-14 && (slide(-1.0) + 0.5).abs() < 1e-14);
    let turn = |side: f64, joint: Joint| {
        let spin = side * Vector3::z();
        let mut world = pair(spinning(spin), Vector3::zeros(), vec![joint]);
        run(&mut world, 240, |_, _| {});
        angle_about_z(&world)
    };
    let (lower, upper) = (-1.1, 2.5);
    let angle = AngleLimit {
        bodies: [0, 1],
        axes: [Vector3::z(); 2],
        lower,
        upper,
        reference: 0.0,
    };
    let twist = TwistLimit {
        bodies: [0, 1],
        axes: [Vector3::z(); 2],
        lower,
        upper,
        reference: 0.0,
    };
    let cone = ConeLimit {
        bodies: [0, 1],
        axes: [Vector3::x(); 2],
        limit: 0.8,
    };
    for (joint, bounds) in [
        (Joint::new(angle), [lower, upper]),
        (Joint::new(twist), [lower, upper]),
        (Joint::new(cone), [-0.8, 0.8]),
    ] {
        for (side, bound) in [-1.0, 1.0].into_iter().zip(bounds) {
            let stopped = turn(side, joint.clone());
            assert!((stopped - bound).abs() < 1e-13, "{joint:?}: {stopped}");
        }
    }
}

#[test]
fn a_limit_that_starts_violated_recovers_by_the_share_beta() {
    let limit = AngleLimit {
        bodies: [0, 1],
        axes: [Vector3::z(); 2],
        lower: -0.2,
        upper: 0.2,
        reference: 0.0,
    };
    let turned = |body: Body| body.turned(rotation::about(&Vector3::z(), 0.5));
    let mut world = pair(turned, Vector3::zeros(), vec![Joint::new(limit)]);
    let mut scheme = scheme(Stabilization::Baumgarte, 1);
    scheme.step(&mut world, H, &mut ()).unwrap();
    // β = 0.2 of 0.3 rad; afterwards the body keeps the speed it got
    assert!((angle_about_z(&world) - (0.5 - 0.2 * 0.3)).abs() < 1e-14);
}

#[test]
fn a_ball_joint_in_its_cone_holds_a_torque() {
    let axes = [Vector3::x(); 2];
    let torque = Vector3::new(0.6, 0.2, -0.5);
    let joints = vec![
        Joint::new(Point {
            bodies: [0, 1],
            anchors: [Vector3::zeros(); 2],
        }),
        Joint::new(ConeLimit {
            bodies: [0, 1],
            axes,
            limit: 0.9,
        }),
        Joint::new(TwistLimit {
            bodies: [0, 1],
            axes,
            lower: -0.4,
            upper: 0.6,
            reference: 0.0,
        }),
    ];
    let turning = |body: Body| Body {
        torque,
        angular_damping: 2.0,
        ..body
    };
    let mut world = pair(turning, Vector3::zeros(), joints);
    let (mut swing, mut twist) = (f64::INFINITY, f64::INFINITY);
    run(&mut world, 2400, |_, world| {
        let errors = world.joint_errors();
        swing = swing.min(errors[3].1);
        twist = twist.min(errors[4].1);
    });
    // measured 5e-6 and 1e-5: the linearised rows err by the square of the motion of a step
    assert!(swing > -1e-4 && twist > -1e-4, "{swing} {twist}");
    // at rest the two limits carry the torque, which the implicit damping divides by 1 + h·damping
    let [cone, twisted] = [1, 2].map(|joint| world.reaction(joint, 1).unwrap().torque);
    let rest = torque / (1.0 + H * 2.0) + cone + twisted;
    // what is left drives the last of the motion, a few 1e-9 rad/s
    assert!(rest.norm() < 1e-6, "{rest}");
    assert!(cone.norm() > 0.1 && twisted.norm() > 0.1);
}

#[test]
fn servos_follow_a_ramp_without_lag() {
    let ramp = Signal::Ramp {
        start: 0.0,
        rate: 3.0,
    };
    let at = |joint: Joint| pair(|body| body, -9.81 * Vector3::y(), vec![joint]);
    let axis = Vector3::new(0.6, 0.8, 0.0);
    let linear = at(Joint::new(LinearServo {
        bodies: [0, 1],
        anchors: [Vector3::zeros(); 2],
        axis,
        target: ramp,
    }));
    // three turns and more: the angle is one on the circle
    let angular = at(Joint::new(AngularServo {
        bodies: [0, 1],
        axes: [axis; 2],
        target: ramp,
    }));
    let orientation = at(Joint::new(OrientationServo {
        bodies: [0, 1],
        target: UnitQuaternion::identity(),
        axis,
        angle: ramp,
    }));
    for mut world in [linear, angular, orientation] {
        run(&mut world, 600, |step, world| {
            for (_, error) in world.joint_errors() {
                // the target reaches 30; its roundings stay in the error, which the bias takes out
                // again
                assert!(error.abs() < 1e-12, "step {step}: {error}");
            }
        });
    }
}

#[test]
fn an_orientation_servo_reaches_its_target_the_short_way() {
    for angle in [0.5, 2.0, 3.0, 4.0] {
        let target = rotation::about(&(Vector3::new(1.0, 2.0, 2.0) / 3.0), angle);
        let servo = OrientationServo {
            bodies: [0, 1],
            target,
            axis: Vector3::x(),
            angle: Signal::default(),
        };
        let mut world = pair(|body| body, Vector3::zeros(), vec![Joint::new(servo)]);
        let mut turned = 0.0;
        run(&mut world, 200, |_, world| {
            turned += H * world.bodies()[1].spin.norm();
        });
        let error = rotation::log(&(world.bodies()[1].orientation * target.inverse()));
        assert!(error.norm() < 1e-12, "{angle}: {error}");
        let short = angle.min(std::f64::consts::TAU - angle);
        assert!((turned - short).abs() < 1e-9, "{angle}: turned by {turned}");
    }
}

#[test]
fn a_servo_gives_way_to_what_exceeds_its_force() {
    let servo = LinearServo {
        bodies: [0, 1],
        anchors: [Vector3::zeros(); 2],
        axis: Vector3::y(),
        target: Signal::Constant(0.0),
    };
    let joints = vec![Joint::new(servo).limited(5.0)];
    let mut world = pair(|body| body, -9.81 * Vector3::y(), joints);
    run(&mut world, 60, |step, world| {
        let expected = -(9.81 - 5.0 / 2.0) * H * step as f64;
        assert!((world.bodies()[1].velocity.y - expected).abs() < 1e-12);
    });
}

#[test]
fn parameters_out_of_range_are_refused_with_their_path() {
    let build = |constraint: AnyConstraint| {
        let mut parts = WorldParts::default();
        parts.body(Body::fixed(Vector3::zeros()));
        parts.body(Body::dynamic(Inertia::point(1.0), 2.0 * Vector3::x()));
        parts.joint(Joint::new(constraint));
        parts.build().unwrap_err().path
    };
    let bodies = [0, 1];
    let anchors = [Vector3::zeros(); 2];
    let axes = [Vector3::x(); 2];
    let cone = |limit| ConeLimit {
        bodies,
        axes,
        limit,
    };
    for limit in [0.0, -1.0, 3.2, f64::NAN] {
        assert_eq!(build(cone(limit).into()), "joints[0].constraint.limit");
    }
    let twist = TwistLimit {
        bodies,
        axes,
        lower: 0.2,
        upper: 0.2,
        reference: 0.0,
    };
    assert_eq!(build(twist.into()), "joints[0].constraint.lower");
    let slide = SlideLimit {
        bodies,
        anchors,
        axis: Vector3::zeros(),
        lower: 0.0,
        upper: 1.0,
    };
    assert_eq!(build(slide.clone().into()), "joints[0].constraint.axis");
    let slide = SlideLimit {
        axis: Vector3::x(),
        upper: -1.0,
        ..slide
    };
    assert_eq!(build(slide.into()), "joints[0].constraint.lower");
    let rope = |length| Rope {
        bodies,
        anchors,
        length,
    };
    let none = rope(Signal::Constant(0.0));
    assert_eq!(build(none.into()), "joints[0].constraint.length");
    let undefined = rope(Signal::Ramp {
        start: 1.0,
        rate: f64::NAN,
    });
    assert_eq!(build(undefined.into()), "joints[0].constraint.length.rate");
    let motor = AngularMotor {
        bodies,
        axes: [Vector3::x(), 2.0 * Vector3::x()],
        target: Signal::Constant(1.0),
    };
    assert_eq!(build(motor.into()), "joints[0].constraint.axes[1]");
}

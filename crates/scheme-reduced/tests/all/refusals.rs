//! What is refused, by path and reason, and what a failed step leaves behind.

use delassus_dynamics::constraints::{
    AngularMotor, Distance, Gear, Hinge, Point, SlideLimit, Slider,
};
use delassus_dynamics::{
    Body, BodyKind, Collider, ContactLaw, ContactPoint, Inertia, Joint, Manifold, Scheme,
    SchemeError, Signal, Sphere, StepError, World, WorldParts, rotation,
};
use delassus_scenes::Scene;
use delassus_scenes::scenes::{Bridge, CrankSlider, Ragdoll, WeldPair};
use delassus_scheme_reduced::Integrator;
use nalgebra::{UnitQuaternion, Vector3};

use crate::common::{run, scheme};

/// A slab on a hinge at the origin: body 1, joint 0.
fn door() -> WorldParts {
    let mut parts = WorldParts::default();
    let post = parts.body(Body::fixed(Vector3::zeros()));
    let inertia = Inertia::new(2.0, Vector3::new(0.2, 0.3, 0.4));
    let door = parts.body(Body::dynamic(inertia, Vector3::x()));
    parts.joint(Joint::new(Hinge {
        bodies: [post, door],
        anchors: [Vector3::zeros(), -Vector3::x()],
        axes: [Vector3::z(); 2],
    }));
    parts
}

fn refusal(parts: WorldParts) -> String {
    let world: World = parts.build().expect("a valid world");
    said(&world)
}

fn said(world: &World) -> String {
    let mut scheme = scheme(Integrator::RungeKutta);
    let error = scheme.check(world).expect_err("refused");
    assert!(matches!(error, SchemeError::Unsupported { .. }), "{error}");
    let mut stepped = world.clone();
    let step = scheme.step(&mut stepped, 0.01, &mut ());
    assert_eq!(step, Err(StepError::Scheme(error.clone())));
    assert_eq!(stepped, *world);
    error.to_string()
}

fn names(parts: WorldParts, path: &str, reason: &str) {
    let said = refusal(parts);
    assert!(said.contains(path) && said.contains(reason), "{said}");
}

#[test]
fn joints_that_no_tree_has_are_refused_by_name() {
    let two = |change: &dyn Fn(&mut WorldParts)| {
        let mut parts = door();
        change(&mut parts);
        parts
    };
    let bodies = [0, 1];
    let motor = two(&|parts| {
        parts.joint(Joint::new(AngularMotor {
            bodies,
            axes: [Vector3::z(); 2],
            target: Signal::Constant(1.0),
        }));
    });
    names(motor, "joints[1] (angular-motor)", "drives a joint");
    let limit = two(&|parts| {
        parts.joint(Joint::new(SlideLimit {
            bodies,
            anchors: [Vector3::zeros(); 2],
            axis: Vector3::x(),
            lower: -1.0,
            upper: 2.0,
        }));
    });
    names(limit, "joints[1] (slide-limit)", "is a limit");
    let soft = two(&|parts| {
        parts.joints[0].softness = delassus_core::Softness::Frequency {
            hertz: 5.0,
            damping_ratio: 1.0,
        };
    });
    names(soft, "joints[0] (hinge)", "is soft");
    let limited = two(&|parts| parts.joints[0].max_force = Some(10.0));
    names(limited, "joints[0] (hinge)", "max_force");
    let pumped = two(&|parts| {
        parts.joints[0] = Joint::new(Distance {
            bodies,
            anchors: [Vector3::zeros(); 2],
            length: Signal::Ramp {
                start: 1.0,
                rate: 0.1,
            },
        });
    });
    names(pumped, "joints[0] (distance)", "changes its length");
    let geared = two(&|parts| {
        let inertia = Inertia::new(2.0, Vector3::new(0.2, 0.3, 0.4));
        let wheel = parts.body(Body::dynamic(inertia, Vector3::y()));
        parts.joints[0] = Joint::new(gear([0, 1, wheel]));
    });
    names(geared, "joints[0] (gear)", "no coordinates of its own");
}

fn gear(bodies: [usize; 3]) -> Gear {
    let mut numbers = crate::common::source(1);
    let random = &mut delassus_dynamics::ExampleRng(&mut numbers);
    let (mut gear, _) = <Gear as delassus_dynamics::Constraint>::example(random);
    gear.bodies = bodies;
    gear
}

#[test]
fn loops_are_refused_at_the_joint_that_closes_them() {
    let mut parts = door();
    let second = parts.body(Body::fixed(Vector3::x()));
    parts.joint(Joint::new(Point {
        bodies: [second, 1],
        anchors: [Vector3::zeros(); 2],
    }));
    names(parts, "joints[1] (point)", "closes a loop");
    let mut parts = door();
    parts.joint(Joint::new(Point {
        bodies: [1, 0],
        anchors: [-Vector3::x(), Vector3::zeros()],
    }));
    names(parts, "joints[1] (point)", "closes a loop");
    let triangle = Bridge::default().make().expect("a bridge");
    assert!(said(&triangle).contains("closes a loop"));
    let crank = CrankSlider::default().make().expect("a crank");
    assert!(said(&crank).contains("closes a loop"));
}

#[test]
fn contacts_locks_and_moving_bases_are_refused() {
    let mut parts = door();
    let point = ContactPoint {
        anchors: [Vector3::zeros(); 2],
        radii: [0.0; 2],
    };
    let law = ContactLaw::Frictionless;
    let manifold = Manifold::new([0, 1], Vector3::y(), vec![point], 0.0, law);
    parts.manifolds.push(manifold);
    names(parts, "manifolds[0]", "is a contact");
    let mut parts = door();
    parts.collider(Collider::new(1, Sphere::new(0.1)));
    names(parts, "colliders[0]", "no contacts");
    let mut parts = door();
    parts.bodies[1].lock_translation = [false, false, true];
    names(parts, "bodies[1].lock_translation", "locks an axis");
    let mut parts = door();
    parts.bodies[1].lock_rotation = [true, false, false];
    names(parts, "bodies[1].lock_rotation", "locks an axis");
    let mut parts = door();
    parts.bodies[0].kind = BodyKind::Kinematic;
    parts.bodies[0].velocity = Vector3::x();
    names(parts, "bodies[0]", "moves by itself");
    // a kinematic body at rest is a base, and one that moves may do so next to the tree
    let mut parts = door();
    parts.bodies[0].kind = BodyKind::Kinematic;
    let mut lift = Body::fixed(Vector3::y());
    lift.kind = BodyKind::Kinematic;
    let lift = parts.body(lift.moving(Vector3::y(), Vector3::zeros()));
    let mut world = parts.build().expect("a world");
    run(&mut scheme(Integrator::RungeKutta), &mut world, 0.01, 10);
    let way = world.bodies()[lift].position.to_vector();
    assert!((way.y - 1.1).abs() < 1e-14);
}

#[test]
fn point_masses_are_held_at_their_centres_only() {
    let point = |change: &dyn Fn(&mut WorldParts)| {
        let mut parts = door();
        parts.bodies[1].inertia = Inertia::point(2.0);
        change(&mut parts);
        parts
    };
    names(point(&|_| {}), "joints[0] (hinge)", "point mass");
    let off = point(&|parts| {
        parts.joints[0] = Joint::new(Point {
            bodies: [0, 1],
            anchors: [Vector3::zeros(), -Vector3::x()],
        });
    });
    names(off, "joints[0] (point)", "point mass");
    let spinning = point(&|parts| {
        parts.bodies[1].spin = Vector3::z();
        parts.joints[0] = Joint::new(Point {
            bodies: [0, 1],
            anchors: [Vector3::x(), Vector3::zeros()],
        });
    });
    names(spinning, "bodies[1].spin", "point mass");
}

#[test]
fn what_is_apart_is_refused_with_its_error() {
    let mut parts = door();
    parts.bodies[1].position += Vector3::new(0.0, 1e-6, 0.0);
    let said = refusal(parts);
    assert!(
        said.contains("joints[0] (hinge)") && said.contains("e-6"),
        "{said}"
    );
    assert!(said.contains("not assembled"), "{said}");
    let mut parts = door();
    let tilt = rotation::about(&Vector3::x(), 1e-7);
    parts.bodies[1].orientation = tilt * parts.bodies[1].orientation;
    assert!(refusal(parts).contains("not assembled"));
    let pair = WeldPair::default().make().expect("two boxes");
    let mut scheme = scheme(Integrator::RungeKutta);
    assert!(scheme.check(&pair).is_err());
    // roundings are none, and vanish
    let mut parts = door();
    parts.bodies[1].position += Vector3::new(0.0, 1e-11, 0.0);
    let mut world = parts.build().expect("a world");
    scheme.step(&mut world, 0.01, &mut ()).expect("a step");
    assert!(crate::common::drift(&world) < 1e-15);
}

#[test]
fn a_slider_may_be_written_either_way_round() {
    let ends = [[0, 1], [1, 0]].map(|bodies| {
        let mut parts = door();
        parts.gravity = Vector3::new(1.0, -2.0, 0.5);
        let axis = Vector3::new(0.6, 0.8, 0.0);
        parts.joints[0] = Joint::new(Slider {
            bodies,
            anchors: if bodies == [0, 1] {
                [Vector3::x(), Vector3::zeros()]
            } else {
                [Vector3::zeros(), Vector3::x()]
            },
            axis,
            orientation: UnitQuaternion::identity(),
        });
        let mut world = parts.build().expect("a world");
        run(&mut scheme(Integrator::RungeKutta), &mut world, 0.01, 100);
        let expected = 0.5 * axis.dot(&world.gravity()) * axis;
        let way = world.bodies()[1].position.to_vector() - Vector3::x();
        assert!((way - expected).norm() < 1e-13, "{way}");
        way
    });
    assert!((ends[0] - ends[1]).norm() < 1e-15);
}

#[test]
fn an_overflow_is_an_error_and_leaves_the_world_as_it_was() {
    let mut parts = door();
    parts.bodies[1].torque = Vector3::new(0.0, 0.0, 1e300);
    let mut world = parts.build().expect("a world");
    let mut scheme = scheme(Integrator::RungeKutta);
    let mut failed = None;
    for _ in 0..5 {
        let before = world.clone();
        if let Err(error) = scheme.step(&mut world, 1e10, &mut ()) {
            assert_eq!(world, before);
            failed = Some(error);
            break;
        }
    }
    assert!(failed.is_some());
}

#[test]
fn a_ragdoll_with_limits_is_refused_and_one_without_falls() {
    let whole = Ragdoll::default();
    let with = whole.make().expect("a ragdoll");
    assert!(said(&with).contains("is a limit"));
    let without = Ragdoll {
        limits: false,
        ..Ragdoll::default()
    };
    assert!(said(&without.make().expect("a ragdoll")).contains("drives a joint"));
    let bare = Ragdoll {
        limits: false,
        friction_torque: 0.0,
        ..Ragdoll::default()
    };
    let mut world = bare.make().expect("a ragdoll");
    run(
        &mut scheme(Integrator::ProjectedEuler),
        &mut world,
        1.0 / 60.0,
        600,
    );
    assert!(crate::common::drift(&world) < 1e-13);
}

#[test]
fn landings_and_impulses_of_another_world_are_refused() {
    let world = door().build().expect("a world");
    let update = delassus_dynamics::BodyUpdate {
        displacement: Vector3::x(),
        turn: UnitQuaternion::identity(),
        velocity: Vector3::zeros(),
        spin: Vector3::zeros(),
    };
    let infinite = delassus_dynamics::BodyUpdate {
        velocity: Vector3::repeat(f64::INFINITY),
        ..update
    };
    let five = vec![0.0; 5];
    let bad = [
        (vec![update], vec![five.clone()], "updates"),
        (vec![update; 2], vec![], "impulses"),
        (vec![update; 2], vec![vec![0.0; 4]], "impulses"),
        (vec![update, infinite], vec![five.clone()], "non-finite"),
        (vec![update; 2], vec![vec![f64::NAN; 5]], "finite"),
    ];
    for (updates, impulses, why) in bad {
        let mut landed = world.clone();
        let error = landed
            .write_back(&updates, &impulses, 0.01, 1)
            .expect_err("refused");
        assert!(error.to_string().contains(why), "{error}");
        assert_eq!(landed, world);
    }
    let mut landed = world.clone();
    landed
        .write_back(&[update; 2], &[vec![1.0; 5]], 0.01, 3)
        .expect("a update");
    assert_eq!(landed.bodies()[0].pose(), world.bodies()[0].pose());
    assert_eq!(landed.joints()[0].impulses(), [1.0; 5]);
    assert!((landed.time() - 0.03).abs() < 1e-17 && landed.impulse_step() == 0.01);
}

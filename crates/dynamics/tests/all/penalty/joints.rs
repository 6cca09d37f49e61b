//! Joints of springs.

use delassus_core::{Fidelity, Parameters, Softness};
use delassus_dynamics::constraints::{AngularMotor, Distance, Point, Rope};
use delassus_dynamics::{
    Body, Inertia, Integration, Joint, PenaltyParameters, Scheme, SchemeError, Signal, World,
    WorldParts,
};
use nalgebra::Vector3;

use super::{G, MASS, height, plain, scheme, steps};

const BOTH: [Integration; 2] = [Integration::Explicit, Integration::Implicit];

/// A point mass that hangs by a joint from the origin.
fn hanging(joint: Joint) -> World {
    let mut parts = WorldParts {
        gravity: Vector3::new(0.0, -G, 0.0),
        ..WorldParts::default()
    };
    parts.body(Body::fixed(Vector3::zeros()));
    parts.body(Body::dynamic(Inertia::point(MASS), -Vector3::y()));
    parts.joint(joint);
    parts.build().unwrap()
}

fn rod() -> Joint {
    Joint::new(Distance {
        bodies: [0, 1],
        anchors: [Vector3::zeros(); 2],
        length: Signal::Constant(1.0),
    })
}

#[test]
fn a_joint_stretches_by_its_load() {
    let spring = Softness::Spring {
        stiffness: 500.0,
        damping: 40.0,
    };
    let rope = Joint::new(Rope {
        bodies: [0, 1],
        anchors: [Vector3::zeros(); 2],
        length: Signal::Constant(1.0),
    });
    for (joint, stiffness) in [(rod(), 2e4), (rod().soft(spring), 500.0), (rope, 2e4)] {
        for integration in BOTH {
            let parameters = PenaltyParameters {
                joint_stiffness: 2e4,
                joint_damping: 200.0,
                ..plain(integration)
            };
            let mut world = hanging(joint.clone());
            steps(&mut world, &mut scheme(&parameters), 1e-3, 5000);
            let stretch = -1.0 - height(&world, 1);
            let expected = MASS * G / stiffness;
            assert!(
                (stretch - expected).abs() < 1e-12,
                "{integration}: {stretch}"
            );
        }
    }
}

#[test]
fn a_joint_gives_way_at_its_force_limit() {
    let limit = 0.25 * MASS * G;
    for integration in BOTH {
        let mut world = hanging(rod().limited(limit));
        let mut scheme = scheme(&plain(integration));
        steps(&mut world, &mut scheme, 1e-3, 50);
        let before = world.bodies()[1].velocity.y;
        steps(&mut world, &mut scheme, 1e-3, 50);
        let gained = world.bodies()[1].velocity.y - before;
        assert!(
            (gained + 0.75 * G * 0.05).abs() < 1e-12,
            "{integration}: {gained}"
        );
        assert!((world.joints()[0].impulses()[0].abs() - 1e-3 * limit).abs() < 1e-15);
    }
}

#[test]
fn a_motor_under_a_load_is_slower_by_load_over_damping() {
    for integration in BOTH {
        let mut parts = WorldParts::default();
        parts.body(Body::fixed(Vector3::zeros()));
        let inertia = Inertia::new(1.0, Vector3::repeat(0.5));
        parts.body(Body::dynamic(inertia, Vector3::zeros()));
        parts.joint(Joint::new(AngularMotor {
            bodies: [0, 1],
            axes: [Vector3::z(); 2],
            target: Signal::Constant(3.0),
        }));
        let mut world = parts.build().unwrap();
        world
            .set_wrench(1, Vector3::zeros(), -2.0 * Vector3::z())
            .unwrap();
        let parameters = PenaltyParameters {
            joint_angular_damping: 20.0,
            ..plain(integration)
        };
        steps(&mut world, &mut scheme(&parameters), 1e-3, 2000);
        let speed = world.bodies()[1].spin.z;
        assert!((speed - 2.9).abs() < 1e-12, "{integration}: {speed}");
    }
}

#[test]
fn parameters_out_of_range_are_refused_by_name() {
    let default = PenaltyParameters::default;
    for (parameters, name) in [
        (
            PenaltyParameters {
                contact_stiffness: 0.0,
                ..default()
            },
            "contact_stiffness",
        ),
        (
            PenaltyParameters {
                contact_damping: -1.0,
                ..default()
            },
            "contact_damping",
        ),
        (
            PenaltyParameters {
                slip_speed: 0.0,
                ..default()
            },
            "slip_speed",
        ),
        (
            PenaltyParameters {
                joint_stiffness: f64::NAN,
                ..default()
            },
            "joint_stiffness",
        ),
        (
            PenaltyParameters {
                substeps: 0,
                ..default()
            },
            "substeps",
        ),
    ] {
        let refused = parameters.validate().unwrap_err().to_string();
        assert!(refused.contains(name), "{refused}");
    }
}

#[test]
fn rows_that_share_a_spring_are_refused() {
    let soft = Softness::Frequency {
        hertz: 2.0,
        damping_ratio: 0.5,
    };
    let weld = Joint::new(Point {
        bodies: [0, 1],
        anchors: [Vector3::zeros(), Vector3::y()],
    });
    let scheme = scheme(&PenaltyParameters::default());
    let coupled = scheme.check(&hanging(weld.clone().soft(soft).coupled()));
    assert!(matches!(coupled, Err(SchemeError::Unsupported { .. })));
    assert_eq!(
        scheme.check(&hanging(weld.clone().soft(soft))),
        Ok(Fidelity::Exact)
    );
    let rigid = scheme.check(&hanging(weld)).unwrap();
    assert!(matches!(rigid, Fidelity::Approximate(reasons) if reasons.len() == 1));
}

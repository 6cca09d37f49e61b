//! The generic joint compared with the joints that it can stand for, and its ranges.

use delassus_core::Solver;
use delassus_dynamics::constraints::{
    AxisRange, Hinge, JointAxis, Point, SixDof, SixDofLimit, Slider, Weld,
};
use delassus_dynamics::{
    Body, Inertia, Joint, Scheme, VelocityParameters, VelocityScheme, World, WorldParts, rotation,
};
use delassus_solver_si::BlockGs;
use nalgebra::{UnitQuaternion, Vector3};

const ALL: [JointAxis; 6] = [
    JointAxis::X,
    JointAxis::Y,
    JointAxis::Z,
    JointAxis::AboutX,
    JointAxis::AboutY,
    JointAxis::AboutZ,
];

fn world(joints: Vec<Joint>) -> World {
    let mut parts = WorldParts {
        gravity: Vector3::new(0.5, -9.81, 1.0),
        joints,
        ..WorldParts::default()
    };
    parts.body(Body::fixed(Vector3::zeros()));
    let inertia = Inertia::new(2.0, Vector3::new(0.1, 0.2, 0.25));
    parts.body(Body::dynamic(inertia, Vector3::new(0.6, 0.0, 0.0)));
    parts.build().unwrap()
}

fn generic(locked: &[JointAxis], turn: UnitQuaternion<f64>) -> Joint {
    Joint::new(SixDof {
        bodies: [0, 1],
        anchors: anchors(),
        orientations: [turn; 2],
        locked: locked.to_vec(),
    })
}

fn anchors() -> [Vector3<f64>; 2] {
    [Vector3::zeros(), Vector3::new(-0.6, 0.0, 0.0)]
}

/// Place and velocity of the body after some time, with rows that are solved to rounding.
fn after(mut world: World, frames: usize) -> (Vector3<f64>, Vector3<f64>, UnitQuaternion<f64>) {
    let parameters = VelocityParameters {
        sweeps: 200,
        ..VelocityParameters::default()
    };
    let solver = Box::new(BlockGs::new(Default::default()).unwrap());
    let mut scheme = VelocityScheme::new(parameters, solver).unwrap();
    for _ in 0..frames {
        scheme.step(&mut world, 1.0 / 240.0, &mut ()).unwrap();
    }
    let body = &world.bodies()[1];
    (body.position.to_vector(), body.velocity, body.orientation)
}

#[test]
fn it_stands_for_the_joints_with_names() {
    let without = |free: &[JointAxis]| -> Vec<JointAxis> {
        ALL.into_iter()
            .filter(|axis| !free.contains(axis))
            .collect()
    };
    let straight = UnitQuaternion::identity();
    // the third axis of the frame along x
    let aside = rotation::about(&Vector3::y(), std::f64::consts::FRAC_PI_2);
    let cases: Vec<(Joint, Joint)> = vec![
        (
            generic(&ALL, straight),
            Joint::new(Weld {
                bodies: [0, 1],
                anchors: anchors(),
                orientation: straight,
            }),
        ),
        (
            generic(&without(&[JointAxis::AboutZ]), straight),
            Joint::new(Hinge {
                bodies: [0, 1],
                anchors: anchors(),
                axes: [Vector3::z(); 2],
            }),
        ),
        (
            generic(&without(&[JointAxis::Z]), aside),
            Joint::new(Slider {
                bodies: [0, 1],
                anchors: anchors(),
                axis: Vector3::x(),
                orientation: straight,
            }),
        ),
        (
            generic(&ALL[..3], straight),
            Joint::new(Point {
                bodies: [0, 1],
                anchors: anchors(),
            }),
        ),
    ];
    for (ours, named) in cases {
        let name = named.constraint.descriptor().id;
        let [found, expected] = [ours, named].map(|joint| after(world(vec![joint]), 120));
        // both hold their rows by Baumgarte's term on errors that they measure differently, of the
        // order of a micrometre
        assert!(
            (found.0 - expected.0).norm() < 1e-5,
            "{name} {found:?} {expected:?}"
        );
        assert!((found.1 - expected.1).norm() < 1e-3, "{name}");
        assert!(found.2.angle_to(&expected.2) < 1e-4, "{name}");
    }
}

#[test]
fn free_coordinates_have_no_rows() {
    let mut world = world(vec![generic(&[JointAxis::Y], UnitQuaternion::identity())]);
    let solver = Box::new(BlockGs::new(Default::default()).unwrap());
    let mut scheme = VelocityScheme::new(VelocityParameters::default(), solver).unwrap();
    let report = scheme.step(&mut world, 1.0 / 60.0, &mut ()).unwrap();
    assert_eq!(report.rows, 1);
    assert_eq!(world.joints()[0].impulses().len(), 6);
}

#[test]
fn ranges_hold() {
    // free to slide along x between −0.1 and 0.2, and to turn about z by at most 0.3: the weight
    // turns it to its bound
    let locked = [
        JointAxis::Y,
        JointAxis::Z,
        JointAxis::AboutX,
        JointAxis::AboutY,
    ];
    let range = |axis, lower, upper| AxisRange { axis, lower, upper };
    let limit = Joint::new(SixDofLimit {
        bodies: [0, 1],
        anchors: anchors(),
        orientations: [UnitQuaternion::identity(); 2],
        ranges: vec![
            range(JointAxis::X, -0.1, 0.2),
            range(JointAxis::AboutZ, -0.3, 0.3),
        ],
    });
    let joint = generic(&locked, UnitQuaternion::identity());
    let (place, velocity, turn) = after(world(vec![joint, limit]), 960);
    assert!(velocity.norm() < 1e-6, "{velocity}");
    let angle = 2.0 * libm::atan2(turn.imag().z, turn.scalar());
    assert!((angle + 0.3).abs() < 1e-6, "{angle}");
    // the point slid to its bound
    let point = place + turn * anchors()[1];
    assert!(
        (point - Vector3::new(0.2, 0.0, 0.0)).norm() < 1e-6,
        "{point}"
    );
}

#[test]
fn ranges_that_make_no_sense_are_refused_by_path() {
    let refused = |ranges: Vec<AxisRange>| {
        let mut parts = world(Vec::new()).into_parts();
        parts.joint(Joint::new(SixDofLimit {
            bodies: [0, 1],
            anchors: anchors(),
            orientations: [UnitQuaternion::identity(); 2],
            ranges,
        }));
        parts.build().unwrap_err().to_string()
    };
    let range = |axis, lower, upper| AxisRange { axis, lower, upper };
    let x = JointAxis::X;
    assert!(refused(vec![range(x, 1.0, 0.0)]).contains("ranges[0].lower"));
    assert!(refused(vec![range(x, 0.0, f64::NAN)]).contains("ranges[0].upper"));
    assert!(refused(vec![range(JointAxis::AboutY, -1.6, 0.0)]).contains("ranges[0].lower"));
    let turn = range(JointAxis::AboutX, 0.0, 1.0);
    let twice = refused(vec![turn, turn]);
    assert!(twice.contains("ranges[1].axis = about-x"), "{twice}");
}

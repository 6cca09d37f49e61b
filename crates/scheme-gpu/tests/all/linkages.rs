//! Linkages that hang, by joints of every kind with random parameters.

use delassus_dynamics::constraints::{
    Angular, AnyConstraint, Distance, Hinge, Point, PointOnLine, Slider, Universal, Weld,
};
use delassus_dynamics::rotation::{exp, tangents};
use delassus_dynamics::{Body, Collider, Inertia, Joint, Pose, Signal, Sphere, World};
use nalgebra::{UnitQuaternion, Vector3};

use crate::worlds::ground;

/// Numbers between −1 and 1, the same in every run.
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        let next = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = next.wrapping_add(1_442_695_040_888_963_407);
        f64::from(u32::try_from(self.0 >> 33).unwrap_or(0)) / f64::from(1_u32 << 30) - 1.0
    }

    fn vector(&mut self, size: f64) -> Vector3<f64> {
        size * Vector3::from_fn(|_, _| self.next())
    }

    fn direction(&mut self) -> Vector3<f64> {
        let way: Vector3<f64> = self.vector(1.0) + 0.1 * Vector3::x();
        way.normalize()
    }

    fn rotation(&mut self) -> UnitQuaternion<f64> {
        exp(&self.vector(1.5))
    }
}

/// A joint with random anchors and axes that holds at the given poses.
pub(crate) type MakeJoint = fn([usize; 2], [Pose; 2], &mut Numbers) -> AnyConstraint;

/// Between the centres of two bodies.
pub(crate) fn centre(poses: [Pose; 2]) -> Vector3<f64> {
    let [a, b] = poses.map(|pose| pose.position.to_vector());
    0.5 * (a + b)
}

/// A point of the world in the axes of a body.
pub(crate) fn at(pose: &Pose, point: Vector3<f64>) -> Vector3<f64> {
    pose.unrotate(&(point - pose.position.to_vector()))
}

/// The anchors of a random point between the bodies.
fn anchors([a, b]: [Pose; 2], random: &mut Numbers) -> [Vector3<f64>; 2] {
    let middle = centre([a, b]) + random.vector(0.1);
    [a, b].map(|pose| at(&pose, middle))
}

pub(crate) fn orientation([a, b]: [Pose; 2]) -> UnitQuaternion<f64> {
    a.orientation.inverse() * b.orientation
}

pub(crate) const KINDS: [(&str, MakeJoint); 8] = [
    ("point", |bodies, poses, random| {
        let anchors = anchors(poses, random);
        Point { bodies, anchors }.into()
    }),
    ("point-on-line", |bodies, poses, random| {
        PointOnLine {
            bodies,
            anchors: anchors(poses, random),
            axis: random.direction(),
        }
        .into()
    }),
    ("hinge", |bodies, poses, random| {
        let axis = random.direction();
        Hinge {
            bodies,
            anchors: anchors(poses, random),
            axes: poses.map(|pose| pose.unrotate(&axis)),
        }
        .into()
    }),
    ("universal", |bodies, poses, random| {
        let axis = random.direction();
        let [across, _] = tangents(&axis);
        Universal {
            bodies,
            anchors: anchors(poses, random),
            axes: [poses[0].unrotate(&axis), poses[1].unrotate(&across)],
        }
        .into()
    }),
    ("slider", |bodies, poses, random| {
        Slider {
            bodies,
            anchors: anchors(poses, random),
            axis: random.direction(),
            orientation: orientation(poses),
        }
        .into()
    }),
    ("weld", |bodies, poses, random| {
        Weld {
            bodies,
            anchors: anchors(poses, random),
            orientation: orientation(poses),
        }
        .into()
    }),
    ("angular", |bodies, poses, _| {
        let orientation = orientation(poses);
        Angular {
            bodies,
            orientation,
        }
        .into()
    }),
    ("distance", |bodies, poses, random| {
        let anchors = [random.vector(0.1), random.vector(0.1)];
        let [a, b] = [0, 1].map(|side: usize| {
            let pose = &poses[side];
            pose.position.to_vector() + pose.rotate(&anchors[side])
        });
        Distance {
            bodies,
            anchors,
            length: Signal::Constant((b - a).norm()),
        }
        .into()
    }),
];

/// A body that stays and two that hang from it one after the other by joints of one kind; `start`
/// is where.
pub(crate) fn hanging(make: MakeJoint, seed: u64, start: Vector3<f64>) -> World {
    hanging_by([make; 2], seed, start)
}

/// The same by a joint of each of two kinds.
pub(crate) fn hanging_by(make: [MakeJoint; 2], seed: u64, start: Vector3<f64>) -> World {
    let mut random = Numbers(seed);
    let mut parts = ground();
    for index in 0..3 {
        let place = start + f64::from(index) * 0.7 * Vector3::x() + random.vector(0.1);
        let body = if index == 0 {
            Body::fixed(place)
        } else {
            let moments = Vector3::repeat(0.2) + random.vector(0.08);
            let inertia = Inertia {
                axes: random.rotation(),
                ..Inertia::new(2.0 + random.next(), moments)
            };
            let velocity = random.vector(0.4);
            Body::dynamic(inertia, place).moving(velocity, random.vector(0.8))
        };
        let body = parts.body(body.turned(random.rotation()));
        parts.collider(Collider::new(body, Sphere::new(0.05)));
    }
    for first in 1..3 {
        let bodies = [first, first + 1];
        let poses = bodies.map(|body| parts.bodies[body].pose());
        parts.joint(Joint::new(make[first - 1](bodies, poses, &mut random)));
    }
    parts.build().expect("a world")
}

/// The largest error of the joints \[m | rad\].
pub(crate) fn stretch(world: &World) -> f64 {
    let mut rows = Default::default();
    let mut largest = 0.0_f64;
    for joint in 0..world.joints().len() {
        world.evaluate_joint(joint, &mut rows);
        let errors: &Vec<f64> = &rows.error;
        largest = errors.iter().fold(largest, |size, x| size.max(x.abs()));
    }
    largest
}

//! What several scenes share: gravity, softness, and joints at points of the world.

use delassus_core::parameter::require;
use delassus_core::{ParameterError, Parameters, Softness};
use delassus_dynamics::constraints::{AngularMotor, Distance, Hinge, Point};
use delassus_dynamics::{Cylinder, FieldError, Inertia, Joint, ShapeGeometry, Signal, WorldParts};
use nalgebra::Vector3;

/// Largest number of bodies or links of a scene \[-\].
pub(crate) const MAX_BODIES: usize = 1_000_000;

/// Refuses scenes with too many bodies.
pub(crate) fn body_limit(
    parameter: &'static str,
    value: usize,
    bodies: Option<usize>,
) -> Result<(), ParameterError> {
    let fits = bodies.is_some_and(|bodies| bodies <= MAX_BODIES);
    let expected = "the scene would have more than 1 000 000 bodies";
    require(fits, parameter, value, expected)
}

/// An empty world with gravity along −y \[m/s²\].
pub(crate) fn falling(gravity: f64) -> WorldParts {
    WorldParts {
        gravity: Vector3::new(0.0, -gravity, 0.0),
        ..WorldParts::default()
    }
}

/// The point of the world in the axes of a body, from its centre of mass \[m\].
pub(crate) fn local(parts: &WorldParts, body: usize, point: &Vector3<f64>) -> Vector3<f64> {
    let body = &parts.bodies[body];
    let arm = point - body.position.to_vector();
    body.orientation.inverse_transform_vector(&arm)
}

/// The anchors of two bodies at one point of the world \[m\].
pub(crate) fn anchors(
    parts: &WorldParts,
    bodies: [usize; 2],
    point: &Vector3<f64>,
) -> [Vector3<f64>; 2] {
    bodies.map(|body| local(parts, body, point))
}

/// A ball joint at a point of the world \[m\].
pub(crate) fn ball(parts: &WorldParts, bodies: [usize; 2], point: &Vector3<f64>) -> Joint {
    let anchors = anchors(parts, bodies, point);
    Joint::new(Point { bodies, anchors })
}

/// The axis of the world in the axes of two bodies.
pub(crate) fn axes(
    parts: &WorldParts,
    bodies: [usize; 2],
    axis: &Vector3<f64>,
) -> [Vector3<f64>; 2] {
    bodies.map(|body| {
        parts.bodies[body]
            .orientation
            .inverse_transform_vector(axis)
    })
}

/// A hinge at a point of the world \[m\], about a unit vector.
pub(crate) fn hinge(
    parts: &WorldParts,
    bodies: [usize; 2],
    point: &Vector3<f64>,
    axis: &Vector3<f64>,
) -> Joint {
    Joint::new(Hinge {
        bodies,
        anchors: anchors(parts, bodies, point),
        axes: axes(parts, bodies, axis),
    })
}

/// A motor that turns B about an axis of the world, fixed in A, with at most `torque` \[N·m\].
pub(crate) fn motor(
    parts: &WorldParts,
    bodies: [usize; 2],
    axis: &Vector3<f64>,
    speed: f64,
    torque: f64,
) -> Joint {
    let motor = AngularMotor {
        bodies,
        axes: axes(parts, bodies, axis),
        target: Signal::Constant(speed),
    };
    Joint::new(motor).limited(torque)
}

/// A rod of fixed length between two centres of mass \[m\].
pub(crate) fn rod(bodies: [usize; 2], length: Signal) -> Joint {
    Joint::new(Distance {
        bodies,
        anchors: [Vector3::zeros(); 2],
        length,
    })
}

/// A slender solid cylinder along the body's y axis.
pub(crate) fn rod_inertia(length: f64, radius: f64, mass: f64) -> Result<Inertia, FieldError> {
    let half_length = 0.5 * length;
    let shape = Cylinder {
        half_length,
        radius,
    };
    shape.solid(mass)
}

/// Softness of the joints of a scene.
#[derive(Debug, Clone, Copy, PartialEq, Parameters)]
pub struct Spring {
    /// Frequency of every joint as if it were alone. 0 is rigid.
    #[parameter(default = 0.0, unit = "Hz", range = ">= 0")]
    pub hertz: f64,
    /// Damping ratio that goes with hertz.
    #[parameter(default = 1.0, unit = "-", range = ">= 0")]
    pub damping_ratio: f64,
}

impl Spring {
    /// The softness of a joint.
    pub(crate) fn softness(&self) -> Softness {
        softness(self.hertz, self.damping_ratio)
    }
}

/// Softness by frequency \[Hz\] and damping ratio \[-\]; 0 Hz is rigid.
pub(crate) fn softness(hertz: f64, damping_ratio: f64) -> Softness {
    if hertz == 0.0 {
        Softness::Rigid
    } else {
        Softness::Frequency {
            hertz,
            damping_ratio,
        }
    }
}

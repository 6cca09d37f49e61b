//! A wheel on a hinge, driven by a motor that is limited in torque.

use delassus_core::Parameters;
use delassus_dynamics::{Body, Cylinder, FieldError, ShapeGeometry, World, rotation};
use nalgebra::Vector3;

use crate::rig::{falling, hinge, motor};
use crate::scene::{Scene, SceneDescriptor};

/// A solid wheel with its axle along z at the origin and a motor on it.
///
/// It gains torque/I per second, I = mass radius²/2, until it turns at the speed of the motor.
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct Wheel {
    /// Radius.
    #[parameter(default = 0.5, unit = "m", range = "> 0")]
    pub radius: f64,
    /// Width along the axle.
    #[parameter(default = 0.2, unit = "m", range = "> 0")]
    pub width: f64,
    /// Mass.
    #[parameter(default = 10.0, unit = "kg", range = "> 0")]
    pub mass: f64,
    /// Angular velocity at the start.
    #[parameter(default = 0.0, unit = "rad/s")]
    pub spin: f64,
    /// Angular velocity that the motor wants.
    #[parameter(default = 20.0, unit = "rad/s")]
    pub speed: f64,
    /// Largest torque of the motor.
    #[parameter(default = 5.0, unit = "N·m", range = ">= 0")]
    pub torque: f64,
    /// Gravity.
    #[parameter(default = 9.81, unit = "m/s²", range = ">= 0")]
    pub gravity: f64,
}

impl Scene for Wheel {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "wheel",
        summary: "wheel on a hinge that a motor of limited torque brings up to speed",
        citations: &[],
    };

    fn build(&self) -> Result<World, FieldError> {
        let shape = Cylinder {
            half_length: 0.5 * self.width,
            radius: self.radius,
        };
        let axle = Vector3::z();
        // the axis of a cylinder is the body's y: turn it to the axle
        let turn = rotation::about(&Vector3::x(), std::f64::consts::FRAC_PI_2);
        let wheel = Body::dynamic(shape.solid(self.mass)?, Vector3::zeros());
        let wheel = wheel
            .turned(turn)
            .moving(Vector3::zeros(), self.spin * axle);
        let mut parts = falling(self.gravity);
        let frame = parts.body(Body::fixed(Vector3::zeros()).named("frame"));
        let bodies = [frame, parts.body(wheel.named("wheel"))];
        let joint = hinge(&parts, bodies, &Vector3::zeros(), &axle);
        parts.joint(joint.named("axle"));
        let motor = motor(&parts, bodies, &axle, self.speed, self.torque);
        parts.joint(motor.named("motor"));
        parts.build()
    }
}

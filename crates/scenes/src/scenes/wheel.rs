//! A wheel on a hinge, driven by a motor that is limited in torque.

use delassus_core::parameter::{finite, non_negative, positive};
use delassus_core::{ParameterError, parameters};
use delassus_dynamics::{Body, FieldError, Shape, World, rotation};
use nalgebra::Vector3;

use crate::registry::{Scene, SceneDescriptor};
use crate::rig::{falling, hinge, motor};

parameters! {
    /// A solid wheel with its axle along z at the origin and a motor on it.
    ///
    /// It gains torque/I per second, I = mass radius²/2, until it turns at the speed of the motor.
    Wheel {
        /// Radius \[m\]; > 0.
        radius: f64 = 0.5,
        /// Width along the axle \[m\]; > 0.
        width: f64 = 0.2,
        /// Mass \[kg\]; > 0.
        mass: f64 = 10.0,
        /// Angular velocity at the start \[rad/s\].
        spin: f64 = 0.0,
        /// Angular velocity that the motor wants \[rad/s\].
        speed: f64 = 20.0,
        /// Largest torque of the motor \[N·m\]; >= 0.
        torque: f64 = 5.0,
        /// Gravity \[m/s²\]; >= 0.
        gravity: f64 = 9.81,
    }
}

impl Scene for Wheel {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "wheel",
        summary: "wheel on a hinge that a motor of limited torque brings up to speed",
        parameters: Self::PARAMETERS,
        citations: &[],
    };

    fn validate(&self) -> Result<(), ParameterError> {
        positive("radius", self.radius)?;
        positive("width", self.width)?;
        positive("mass", self.mass)?;
        finite("spin", self.spin)?;
        finite("speed", self.speed)?;
        non_negative("torque", self.torque)?;
        non_negative("gravity", self.gravity)
    }

    fn build(&self) -> Result<World, FieldError> {
        let shape = Shape::Cylinder {
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

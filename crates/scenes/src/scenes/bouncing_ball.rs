//! A ball that falls on the ground and bounces.

use delassus_core::parameter::{finite, fraction, non_negative, positive};
use delassus_core::{ParameterError, parameters};
use delassus_dynamics::{Body, ContactLaw, ContactPoint, FieldError, Manifold, Shape, World};
use nalgebra::Vector3;

use crate::registry::{Scene, SceneDescriptor};
use crate::rig::falling;

parameters! {
    /// A ball above the ground, which moves along the vertical only: one contact point without friction.
    BouncingBall {
        /// Height of the lowest point of the ball above the ground at the start \[m\].
        height: f64 = 1.0,
        /// Velocity at the start, upwards \[m/s\].
        speed: f64 = 0.0,
        /// Radius \[m\]; > 0.
        radius: f64 = 0.5,
        /// Mass \[kg\]; > 0.
        mass: f64 = 1.0,
        /// Coefficient of restitution \[-\]; in \[0, 1\].
        restitution: f64 = 0.8,
        /// Gravity \[m/s²\]; >= 0.
        gravity: f64 = 9.81,
    }
}

impl Scene for BouncingBall {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "bouncing-ball",
        summary: "a ball that falls on the ground and bounces",
        parameters: Self::PARAMETERS,
        citations: &[],
    };

    fn validate(&self) -> Result<(), ParameterError> {
        finite("height", self.height)?;
        finite("speed", self.speed)?;
        positive("radius", self.radius)?;
        positive("mass", self.mass)?;
        fraction("restitution", self.restitution)?;
        non_negative("gravity", self.gravity)
    }

    fn build(&self) -> Result<World, FieldError> {
        let radius = self.radius;
        let inertia = Shape::Sphere { radius }.solid(self.mass)?;
        let ball = Body::dynamic(inertia, Vector3::new(0.0, self.height + radius, 0.0));
        let up = Vector3::new(0.0, self.speed, 0.0);
        let mut parts = falling(self.gravity);
        let ground = parts.body(Body::fixed(Vector3::zeros()).named("ground"));
        let ball = parts.body(ball.moving(up, Vector3::zeros()).named("ball"));
        // the centre of the ball, one radius off: the lowest point does not turn with the ball
        let point = ContactPoint {
            anchors: [Vector3::zeros(); 2],
            offset: -radius,
        };
        let law = ContactLaw::Frictionless;
        let mut manifold = Manifold::new([ground, ball], Vector3::y(), vec![point], 0.0, law);
        manifold.restitution = self.restitution;
        parts.manifolds.push(manifold);
        parts.build()
    }
}

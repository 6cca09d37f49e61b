//! A ball that falls on the ground and bounces.

use delassus_core::Parameters;
use delassus_dynamics::{
    Body, ContactLaw, ContactPoint, FieldError, Manifold, ShapeGeometry, Sphere, World,
};
use nalgebra::Vector3;

use crate::rig::falling;
use crate::scene::{Scene, SceneDescriptor};

/// A ball above the ground, which moves along the vertical only: one contact point without
/// friction.
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct BouncingBall {
    /// Height of the lowest point of the ball above the ground at the start.
    #[parameter(default = 1.0, unit = "m")]
    pub height: f64,
    /// Velocity at the start, upwards.
    #[parameter(default = 0.0, unit = "m/s")]
    pub speed: f64,
    /// Radius.
    #[parameter(default = 0.5, unit = "m", range = "> 0")]
    pub radius: f64,
    /// Mass.
    #[parameter(default = 1.0, unit = "kg", range = "> 0")]
    pub mass: f64,
    /// Coefficient of restitution.
    #[parameter(default = 0.8, unit = "-", range = "[0, 1]")]
    pub restitution: f64,
    /// Gravity.
    #[parameter(default = 9.81, unit = "m/s²", range = ">= 0")]
    pub gravity: f64,
}

impl Scene for BouncingBall {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "bouncing-ball",
        summary: "a ball that falls on the ground and bounces",
        citations: &[],
    };

    fn build(&self) -> Result<World, FieldError> {
        let radius = self.radius;
        let inertia = Sphere { radius }.solid(self.mass)?;
        let ball = Body::dynamic(inertia, Vector3::new(0.0, self.height + radius, 0.0));
        let up = Vector3::new(0.0, self.speed, 0.0);
        let mut parts = falling(self.gravity);
        let ground = parts.body(Body::fixed(Vector3::zeros()).named("ground"));
        let ball = parts.body(ball.moving(up, Vector3::zeros()).named("ball"));
        // the centre of the ball, one radius off: the lowest point does not turn with the ball
        let point = ContactPoint {
            anchors: [Vector3::zeros(); 2],
            radii: [0.0, radius],
        };
        let law = ContactLaw::Frictionless;
        let mut manifold = Manifold::new([ground, ball], Vector3::y(), vec![point], 0.0, law);
        manifold.restitution = self.restitution;
        parts.manifolds.push(manifold);
        parts.build()
    }
}

//! A ball that finds the ground by itself.

use delassus_core::Parameters;
use delassus_dynamics::{FieldError, Sphere, World};
use nalgebra::Vector3;

use crate::scene::{Scene, SceneDescriptor};
use crate::site::{CommonParameters, Site, density_of};

/// A ball above the ground: `bouncing-ball` with colliders instead of a contact that it was given.
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct DroppedBall {
    /// Height of the lowest point of the ball above the ground at the start.
    #[parameter(default = 1.0, unit = "m")]
    pub height: f64,
    /// Velocity at the start.
    #[parameter(default = [0.0; 3], unit = "m/s")]
    pub velocity: [f64; 3],
    /// Angular velocity at the start.
    #[parameter(default = [0.0; 3], unit = "rad/s")]
    pub spin: [f64; 3],
    /// Radius.
    #[parameter(default = 0.5, unit = "m", range = "> 0")]
    pub radius: f64,
    /// Mass.
    #[parameter(default = 1.0, unit = "kg", range = "> 0")]
    pub mass: f64,
    /// Surfaces and gravity.
    #[parameter(flatten, default = CommonParameters { restitution: 0.8, gravity: 9.81, ..CommonParameters::rough(0.0) })]
    pub setting: CommonParameters,
}

impl Scene for DroppedBall {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "dropped-ball",
        summary: "a ball that falls on the ground, finds its contact and bounces",
        citations: &[],
    };

    fn build(&self) -> Result<World, FieldError> {
        let mut site = Site::on_ground(&self.setting);
        let shape = Sphere::new(self.radius);
        let at = Vector3::new(0.0, self.height + self.radius, 0.0);
        let ball = site.place("ball", at, shape, density_of(shape, self.mass));
        let body = &mut site.parts.bodies[ball];
        (body.velocity, body.spin) = (self.velocity.into(), self.spin.into());
        site.build()
    }
}

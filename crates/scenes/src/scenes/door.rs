//! A door that a ball hits.

use std::f64::consts::FRAC_PI_2;

use delassus_core::Parameters;
use delassus_dynamics::constraints::AngleLimit;
use delassus_dynamics::{Body, Cuboid, FieldError, Joint, Sphere, World};
use nalgebra::Vector3;

use crate::rig::hinge;
use crate::scene::{Scene, SceneDescriptor};
use crate::site::{CommonParameters, Site, density_of};

/// A slab on an upright hinge at its left edge, free for 90° to either side, and a ball thrown at
/// it: Box2D's Door in space; the numbers are our own.
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct Door {
    /// Halves of the edges of the door.
    #[parameter(default = [0.5, 1.0, 0.04], unit = "m", range = "> 0")]
    pub half: [f64; 3],
    /// Mass of the door.
    #[parameter(default = 30.0, unit = "kg", range = "> 0")]
    pub mass: f64,
    /// Decay rate of the angular velocity of the door.
    #[parameter(default = 0.1, unit = "1/s", range = ">= 0")]
    pub damping: f64,
    /// Radius of the ball.
    #[parameter(default = 0.2, unit = "m", range = "> 0")]
    pub radius: f64,
    /// Mass of the ball.
    #[parameter(default = 5.0, unit = "kg", range = "> 0")]
    pub ball_mass: f64,
    /// Velocity of the ball towards the door.
    #[parameter(default = 5.0, unit = "m/s")]
    pub speed: f64,
    /// Surfaces and gravity.
    #[parameter(flatten)]
    pub setting: CommonParameters,
}

impl Scene for Door {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "door",
        summary: "a door on a hinge with limits that a ball hits",
        citations: &["Catto2024"],
    };

    fn build(&self) -> Result<World, FieldError> {
        let mut site = Site::on_ground(&self.setting);
        let half = Vector3::from(self.half);
        let shape = Cuboid { half };
        // off the ground by a tenth of its height
        let middle = Vector3::new(0.0, 1.2 * half.y, 0.0);
        let hook = middle - Vector3::new(half.x, 0.0, 0.0);
        let post = site.parts.body(Body::fixed(hook).named("post"));
        let door = site.place("door", middle, shape, density_of(shape, self.mass));
        site.parts.bodies[door].angular_damping = self.damping;
        let (axis, bodies) = (Vector3::y(), [post, door]);
        let joint = hinge(&site.parts, bodies, &hook, &axis);
        site.parts.joint(joint.named("hinge"));
        let limit = AngleLimit {
            bodies,
            axes: [axis; 2],
            lower: -FRAC_PI_2,
            upper: FRAC_PI_2,
            reference: 0.0,
        };
        site.parts.joint(Joint::new(limit).named("limit"));
        let shape = Sphere::new(self.radius);
        let start = middle + Vector3::new(0.5 * half.x, 0.0, half.z + 2.0 * self.radius);
        let ball = site.place("ball", start, shape, density_of(shape, self.ball_mass));
        site.parts.bodies[ball].velocity.z = -self.speed;
        site.build()
    }
}

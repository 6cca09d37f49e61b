//! A tilted box that falls on an edge or a corner.

use delassus_core::Parameters;
use delassus_dynamics::{Cuboid, FieldError, World, rotation};
use nalgebra::Vector3;

use crate::scene::{Scene, SceneDescriptor};
use crate::site::{CommonParameters, Site, resting};

/// A box turned by `tilt` about z and then by `roll` about x, whose lowest point is `height` above
/// the ground.
///
/// With a tilt alone an edge meets the ground, with both turns a corner. The numbers are our own.
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct FallingBox {
    /// Halves of the edges.
    #[parameter(default = [0.5; 3], unit = "m", range = "> 0")]
    pub half: [f64; 3],
    /// Mass.
    #[parameter(default = 1.0, unit = "kg", range = "> 0")]
    pub mass: f64,
    /// Turn about z.
    #[parameter(default = 0.3, unit = "rad")]
    pub tilt: f64,
    /// Turn about x, after that about z.
    #[parameter(default = 0.0, unit = "rad")]
    pub roll: f64,
    /// Height of the lowest point.
    #[parameter(default = 0.5, unit = "m")]
    pub height: f64,
    /// Velocity at the start.
    #[parameter(default = [0.0; 3], unit = "m/s")]
    pub velocity: [f64; 3],
    /// Angular velocity at the start.
    #[parameter(default = [0.0; 3], unit = "rad/s")]
    pub spin: [f64; 3],
    /// Surfaces and gravity.
    #[parameter(flatten, default = CommonParameters { gravity: 9.81, ..CommonParameters::rough(0.3) })]
    pub setting: CommonParameters,
}

impl Scene for FallingBox {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "falling-box",
        summary: "a tilted box that falls on an edge or a corner",
        citations: &["Stewart1996"],
    };

    fn build(&self) -> Result<World, FieldError> {
        let half = Vector3::from(self.half);
        let roll = rotation::about(&Vector3::x(), self.roll);
        let turn = roll * rotation::about(&Vector3::z(), self.tilt);
        let matrix = turn.to_rotation_matrix().into_inner();
        let reach: f64 = (0..3)
            .map(|axis| matrix[(1, axis)].abs() * half[axis])
            .sum();
        let body = resting(Vector3::new(0.0, self.height + reach, 0.0)).turned(turn);
        let body = body.moving(self.velocity.into(), self.spin.into());
        let mut site = Site::on_ground(&self.setting);
        let density = self.mass / (8.0 * half.product());
        site.add(body.named("box"), Cuboid { half }, density);
        site.build()
    }
}

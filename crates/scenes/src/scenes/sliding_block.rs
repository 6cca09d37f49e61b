//! A block that slides on the ground until friction stops it.

use delassus_core::Parameters;
use delassus_dynamics::{Cuboid, FieldError, World};
use nalgebra::Vector3;

use crate::scene::{Scene, SceneDescriptor};
use crate::site::{CommonParameters, Site, density_of};

/// A box on the ground with a velocity, along +x unless `direction` says otherwise: it stops after
/// speed²/(2 friction g), unless it tips over.
///
/// The numbers are our own: 10.19 m. Flat enough, it does not tip: friction < length/height.
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct SlidingBlock {
    /// Halves of the edges.
    #[parameter(default = [0.5, 0.25, 0.5], unit = "m", range = "> 0")]
    pub half: [f64; 3],
    /// Mass.
    #[parameter(default = 1.0, unit = "kg", range = "> 0")]
    pub mass: f64,
    /// Direction of its velocity, from +x towards +z.
    #[parameter(default = 0.0, unit = "rad")]
    pub direction: f64,
    /// Velocity at the start.
    #[parameter(default = 10.0, unit = "m/s")]
    pub speed: f64,
    /// Surfaces and gravity.
    #[parameter(flatten, default = CommonParameters { gravity: 9.81, ..CommonParameters::rough(0.5) })]
    pub setting: CommonParameters,
}

impl Scene for SlidingBlock {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "sliding-block",
        summary: "a block that slides on the ground until friction stops it",
        citations: &[],
    };

    fn build(&self) -> Result<World, FieldError> {
        let half = Vector3::from(self.half);
        let shape = Cuboid { half };
        let mut site = Site::on_ground(&self.setting);
        let at = Vector3::new(0.0, half.y, 0.0);
        let block = site.place("block", at, shape, density_of(shape, self.mass));
        let (sine, cosine) = libm::sincos(self.direction);
        site.parts.bodies[block].velocity = self.speed * Vector3::new(cosine, 0.0, sine);
        site.build()
    }
}

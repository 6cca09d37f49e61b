//! One box that falls on the ground.

use delassus_core::Parameters;
use delassus_dynamics::{Cuboid, FieldError, World};
use nalgebra::Vector3;

use crate::scene::{Scene, SceneDescriptor};
use crate::site::{CommonParameters, Site};

/// A cube above the ground: Solver2D's SingleBox, as deep as it is wide.
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct SingleBox {
    /// Half of an edge.
    #[parameter(default = 1.0, unit = "m", range = "> 0")]
    pub half: f64,
    /// Height of the centre.
    #[parameter(default = 4.0, unit = "m")]
    pub height: f64,
    /// Density.
    #[parameter(default = 1.0, unit = "kg/m³", range = "> 0")]
    pub density: f64,
    /// Surfaces and gravity.
    #[parameter(flatten, default = CommonParameters::rough(0.5))]
    pub setting: CommonParameters,
}

impl Scene for SingleBox {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "single-box",
        summary: "one box that falls on the ground",
        citations: &["Catto2024"],
    };

    fn build(&self) -> Result<World, FieldError> {
        let mut site = Site::on_ground(&self.setting);
        let at = Vector3::new(0.0, self.height, 0.0);
        site.place("box", at, Cuboid::cube(self.half), self.density);
        site.build()
    }
}

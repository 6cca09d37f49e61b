//! A pyramid of boxes that finds its contacts.

use delassus_core::{ParameterError, Parameters};
use delassus_dynamics::{FieldError, World};

use crate::pile::Pyramid;
use crate::rig::body_limit;
use crate::scene::{Scene, SceneDescriptor};
use crate::site::{CommonParameters, Site};

/// Layers of base, base - 1, ..., 1 cubes in a row, which touch: the Pyramid of Solver2D and
/// large_pyramid of Box2D and Box3D, whose base is 100 (5050 boxes) with a density of 100.
#[derive(Debug, Clone, PartialEq, Parameters)]
#[parameters(check = "Self::check")]
pub struct BoxPyramid {
    /// Number of boxes of the bottom layer.
    #[parameter(default = 20, unit = "-", range = ">= 1")]
    pub base: usize,
    /// Half of an edge.
    #[parameter(default = 0.5, unit = "m", range = "> 0")]
    pub half: f64,
    /// Density.
    #[parameter(default = 100.0, unit = "kg/m³", range = "> 0")]
    pub density: f64,
    /// True for boxes that stay in their plane, as in the planar source.
    #[parameter(default = false)]
    pub planar: bool,
    /// Surfaces and gravity.
    #[parameter(flatten)]
    pub setting: CommonParameters,
}

impl BoxPyramid {
    fn check(&self) -> Result<(), ParameterError> {
        let boxes = Pyramid::boxes(self.base);
        body_limit("base", self.base, boxes.and_then(|n| n.checked_add(1)))
    }
}

impl Scene for BoxPyramid {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "box-pyramid",
        summary: "a pyramid of boxes, one row per layer",
        citations: &["Catto2024", "Catto2026"],
    };

    fn build(&self) -> Result<World, FieldError> {
        let mut site = Site::on_ground(&self.setting);
        let pyramid = Pyramid {
            planar: self.planar,
            ..Pyramid::of_cubes(self.base, self.half, self.density)
        };
        pyramid.lay(&mut site);
        site.build()
    }
}

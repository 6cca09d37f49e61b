//! Boxes that start inside each other.

use delassus_core::{ParameterError, Parameters};
use delassus_dynamics::{FieldError, World};

use crate::pile::Pyramid;
use crate::rig::body_limit;
use crate::scene::{Scene, SceneDescriptor};
use crate::site::{CommonParameters, Site};

/// A pyramid of cubes pushed into each other by a share of their size: Solver2D's OverlapRecovery,
/// as deep as it is wide.
///
/// The bottom layer stands on the ground without overlap. With an origin of (80000, -70000, 0) it
/// is FarRecovery.
#[derive(Debug, Clone, PartialEq, Parameters)]
#[parameters(check = "Self::check")]
pub struct OverlapRecovery {
    /// Number of boxes of the bottom layer.
    #[parameter(default = 4, unit = "-", range = ">= 1")]
    pub base: usize,
    /// Half of an edge.
    #[parameter(default = 0.5, unit = "m", range = "> 0")]
    pub half: f64,
    /// Overlap of neighbours at the start, as a share of an edge.
    #[parameter(default = 0.25, unit = "-", range = "[0, 1)")]
    pub overlap: f64,
    /// Density.
    #[parameter(default = 1.0, unit = "kg/m³", range = "> 0")]
    pub density: f64,
    /// Surfaces and gravity.
    #[parameter(flatten)]
    pub setting: CommonParameters,
}

impl OverlapRecovery {
    fn check(&self) -> Result<(), ParameterError> {
        let boxes = Pyramid::boxes(self.base);
        body_limit("base", self.base, boxes.and_then(|n| n.checked_add(1)))
    }
}

impl Scene for OverlapRecovery {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "overlap-recovery",
        summary: "a pyramid of boxes that start inside each other",
        citations: &["Catto2024"],
    };

    fn build(&self) -> Result<World, FieldError> {
        let mut site = Site::on_ground(&self.setting);
        let pyramid = Pyramid {
            pitch: [2.0 * self.half * (1.0 - self.overlap); 2],
            ..Pyramid::of_cubes(self.base, self.half, self.density)
        };
        pyramid.lay(&mut site);
        site.build()
    }
}

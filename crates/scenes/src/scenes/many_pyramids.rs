//! Pyramids side by side: many islands.

use delassus_core::{ParameterError, Parameters};
use delassus_dynamics::{FieldError, World};
use nalgebra::Vector3;

use crate::pile::Pyramid;
use crate::rig::body_limit;
use crate::scene::{Scene, SceneDescriptor};
use crate::site::{CommonParameters, Site, count};

/// rows × columns pyramids of one row of cubes per layer: many_pyramids of Box2D (20 × 20) and
/// Box3D (14 × 14), base 10.
#[derive(Debug, Clone, PartialEq, Parameters)]
#[parameters(check = "Self::check")]
pub struct ManyPyramids {
    /// Number of pyramids along z.
    #[parameter(default = 2, unit = "-", range = ">= 1")]
    pub rows: usize,
    /// Number of pyramids along x.
    #[parameter(default = 2, unit = "-", range = ">= 1")]
    pub columns: usize,
    /// Number of boxes of a bottom layer.
    #[parameter(default = 10, unit = "-", range = ">= 1")]
    pub base: usize,
    /// Half of an edge.
    #[parameter(default = 0.5, unit = "m", range = "> 0")]
    pub half: f64,
    /// Density.
    #[parameter(default = 100.0, unit = "kg/m³", range = "> 0")]
    pub density: f64,
    /// Surfaces and gravity.
    #[parameter(flatten)]
    pub setting: CommonParameters,
}

impl ManyPyramids {
    fn check(&self) -> Result<(), ParameterError> {
        let boxes = Pyramid::boxes(self.base);
        body_limit("base", self.base, boxes)?;
        let boxes = boxes.unwrap_or(usize::MAX);
        body_limit("rows", self.rows, count(&[boxes, self.rows], 1))?;
        let all = count(&[boxes, self.rows, self.columns], 1);
        body_limit("columns", self.columns, all)
    }
}

impl Scene for ManyPyramids {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "many-pyramids",
        summary: "pyramids side by side, which do not touch",
        citations: &["Catto2024", "Catto2026"],
    };

    fn build(&self) -> Result<World, FieldError> {
        let mut site = Site::on_ground(&self.setting);
        let size = 2.0 * self.half;
        for row in 0..self.rows {
            for column in 0..self.columns {
                let x = column as f64 * (self.base + 1) as f64 * size;
                let foot = Vector3::new(x, 0.0, row as f64 * 3.0 * size);
                let pyramid = Pyramid::of_cubes(self.base, self.half, self.density);
                Pyramid { foot, ..pyramid }.lay(&mut site);
            }
        }
        site.build()
    }
}

//! Stacks that lean.

use delassus_core::{ParameterError, Parameters};
use delassus_dynamics::{Cuboid, FieldError, World};
use nalgebra::Vector3;

use crate::rig::body_limit;
use crate::scene::{Scene, SceneDescriptor};
use crate::site::{CommonParameters, Site, count};

/// Columns of cubes, each shifted by `offset` against the one below: Box2D's TiltedStack, as deep
/// as it is wide.
///
/// The centre of mass of the k boxes above box 0 lies (k + 1)/2 offsets beside it, so that a column
/// of more than 2 half/offset boxes topples. The boxes of the source are rounded; these are not.
#[derive(Debug, Clone, PartialEq, Parameters)]
#[parameters(check = "Self::check")]
pub struct TiltedStack {
    /// Number of boxes of a column.
    #[parameter(default = 10, unit = "-", range = ">= 1")]
    pub rows: usize,
    /// Number of columns.
    #[parameter(default = 10, unit = "-", range = ">= 1")]
    pub columns: usize,
    /// Half of an edge.
    #[parameter(default = 0.5, unit = "m", range = "> 0")]
    pub half: f64,
    /// Shift of a box against the one below, towards +x.
    #[parameter(default = 0.2, unit = "m", range = ">= 0")]
    pub offset: f64,
    /// Density.
    #[parameter(default = 1.0, unit = "kg/m³", range = "> 0")]
    pub density: f64,
    /// Surfaces and gravity.
    #[parameter(flatten, default = CommonParameters::rough(0.3))]
    pub setting: CommonParameters,
}

impl TiltedStack {
    fn check(&self) -> Result<(), ParameterError> {
        body_limit("rows", self.rows, count(&[self.rows], 1))?;
        body_limit(
            "columns",
            self.columns,
            count(&[self.rows, self.columns], 1),
        )
    }
}

impl Scene for TiltedStack {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "tilted-stack",
        summary: "stacks of boxes that lean",
        citations: &["Catto2024"],
    };

    fn build(&self) -> Result<World, FieldError> {
        let mut site = Site::on_ground(&self.setting);
        let size = 2.0 * self.half;
        // a column that topples reaches the next one
        let pitch = 5.0 * size;
        for column in 0..self.columns {
            for row in 0..self.rows {
                let x = column as f64 * pitch + row as f64 * self.offset;
                let at = Vector3::new(x, self.half + row as f64 * size, 0.0);
                let name = format!("box {column}.{row}");
                site.place(name, at, Cuboid::cube(self.half), self.density);
            }
        }
        site.build()
    }
}

//! Boxes on top of each other.

use delassus_core::{ParameterError, Parameters};
use delassus_dynamics::{Cuboid, FieldError, World};
use nalgebra::Vector3;

use crate::rig::body_limit;
use crate::scene::{Scene, SceneDescriptor};
use crate::site::{CommonParameters, Site, count};

/// n cubes above each other, shifted to either side in turn: Solver2D's VerticalStack, as deep as
/// it is wide.
///
/// The cubes start `gap` above what they fall on, as in the source; 0 is a stack at rest.
#[derive(Debug, Clone, PartialEq, Parameters)]
#[parameters(check = "Self::check")]
pub struct VerticalStack {
    /// Number of boxes.
    #[parameter(default = 15, unit = "-", range = ">= 1")]
    pub n: usize,
    /// Half of an edge.
    #[parameter(default = 0.5, unit = "m", range = "> 0")]
    pub half: f64,
    /// Shift of the even boxes towards -x and of the odd ones towards +x.
    #[parameter(default = 0.01, unit = "m")]
    pub offset: f64,
    /// Distance of neighbours. That of the lowest box to the ground is half of it.
    #[parameter(default = 0.1, unit = "m", range = ">= 0")]
    pub gap: f64,
    /// Density.
    #[parameter(default = 1.0, unit = "kg/m³", range = "> 0")]
    pub density: f64,
    /// Surfaces and gravity.
    #[parameter(flatten, default = CommonParameters::rough(0.3))]
    pub setting: CommonParameters,
}

impl VerticalStack {
    fn check(&self) -> Result<(), ParameterError> {
        body_limit("n", self.n, count(&[self.n], 1))
    }
}

impl Scene for VerticalStack {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "vertical-stack",
        summary: "boxes on top of each other, shifted in turn",
        citations: &["Catto2024"],
    };

    fn build(&self) -> Result<World, FieldError> {
        let mut site = Site::on_ground(&self.setting);
        let pitch = 2.0 * self.half + self.gap;
        for k in 0..self.n {
            let x = if k % 2 == 0 {
                -self.offset
            } else {
                self.offset
            };
            let y = (k as f64 + 0.5) * pitch;
            let shape = Cuboid::cube(self.half);
            site.place(
                format!("box {k}"),
                Vector3::new(x, y, 0.0),
                shape,
                self.density,
            );
        }
        site.build()
    }
}

//! A heavy block that falls on light boxes: the second and third scene of high mass ratios.

use delassus_core::{Choice, Parameters};
use delassus_dynamics::{Cuboid, FieldError, World};
use nalgebra::Vector3;

use crate::scene::{Scene, SceneDescriptor};
use crate::site::{CommonParameters, Site, density_of};

/// What the boxes stand on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum Floor {
    /// A half-space.
    Plane,
    /// A thick box.
    Box,
}

/// A block of 20 m that falls 15 m on four boxes of 1 m under its corners: Solver2D's
/// HighMassRatio2, and on a thick box HighMassRatio3.
///
/// The two boxes of the planar source become four, so that the block can rest on them. As a square
/// the block is 400 times as heavy as a box, as a cube it would be 8000 times: the ratio of the
/// masses is kept, and the block is lighter than its size says.
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct HeavyBlock {
    /// Mass of the block over that of a box.
    #[parameter(default = 400.0, unit = "-", range = "> 0")]
    pub ratio: f64,
    /// Height from which the block falls, above the boxes.
    #[parameter(default = 15.0, unit = "m", range = ">= 0")]
    pub drop: f64,
    /// What the boxes stand on.
    #[parameter(default = Floor::Plane)]
    pub floor: Floor,
    /// Density of the boxes.
    #[parameter(default = 1.0, unit = "kg/m³", range = "> 0")]
    pub density: f64,
    /// Surfaces and gravity.
    #[parameter(flatten)]
    pub setting: CommonParameters,
}

impl Scene for HeavyBlock {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "high-mass-ratio-2",
        summary: "a heavy block that falls on four light boxes",
        citations: &["Catto2024"],
    };

    fn build(&self) -> Result<World, FieldError> {
        let mut site = match self.floor {
            Floor::Plane => Site::on_ground(&self.setting),
            Floor::Box => {
                let mut site = Site::new(&self.setting);
                let at = Vector3::new(0.0, -2.0, 0.0);
                site.fixed("ground", at, Cuboid::new(40.0, 2.0, 40.0));
                site
            }
        };
        let (small, large) = (Cuboid::cube(0.5), Cuboid::cube(10.0));
        for (x, z) in [(-9.0, -9.0), (9.0, -9.0), (9.0, 9.0), (-9.0, 9.0)] {
            let name = format!("box {}", site.parts.bodies.len());
            site.place(name, Vector3::new(x, 0.5, z), small, self.density);
        }
        let density = density_of(large, self.ratio * self.density);
        let at = Vector3::new(0.0, 11.0 + self.drop, 0.0);
        site.place("block", at, large, density);
        site.build()
    }
}

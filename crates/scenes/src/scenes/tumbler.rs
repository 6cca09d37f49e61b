//! Boxes in a box that turns.

use delassus_core::{ParameterError, Parameters};
use delassus_dynamics::{Cuboid, FieldError, World};
use nalgebra::Vector3;

use crate::drum::Drum;
use crate::scene::{Scene, SceneDescriptor};
use crate::site::{CommonParameters, Site, layers_limit};

/// n × n × layers cubes in a kinematic box that turns about z: Box2D's tumbler, 45 × 45 squares of
/// 0.25 m at a distance of 0.4 m in a box of 20 m at 25°/s.
///
/// The box grows with n, 20 m for 45, and is as deep as the layers need.
#[derive(Debug, Clone, PartialEq, Parameters)]
#[parameters(check = "Self::check")]
pub struct Tumbler {
    /// Number of cubes along x and along y.
    #[parameter(default = 6, unit = "-", range = ">= 1")]
    pub n: usize,
    /// Number of cubes along z.
    #[parameter(default = 3, unit = "-", range = ">= 1")]
    pub layers: usize,
    /// Half of an edge.
    #[parameter(default = 0.125, unit = "m", range = "> 0")]
    pub half: f64,
    /// Angular velocity of the box.
    #[parameter(default = 25.0, unit = "°/s")]
    pub spin: f64,
    /// Density of the cubes.
    #[parameter(default = 1.0, unit = "kg/m³", range = "> 0")]
    pub density: f64,
    /// Surfaces and gravity.
    #[parameter(flatten)]
    pub setting: CommonParameters,
}

impl Tumbler {
    fn check(&self) -> Result<(), ParameterError> {
        layers_limit(self.n, self.layers, 1)
    }
}

impl Scene for Tumbler {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "tumbler",
        summary: "cubes in a box that turns",
        citations: &["Catto2024"],
    };

    fn build(&self) -> Result<World, FieldError> {
        let mut site = Site::new(&self.setting);
        let pitch = 3.2 * self.half;
        let walls = Drum {
            sides: 4,
            radius: pitch * self.n as f64 / 1.8,
            half_depth: 0.5 * pitch * self.layers as f64,
            wall: 4.0 * self.half,
            rib: 0.0,
            density: 50.0,
        };
        walls.build(&mut site, self.spin);
        let place = |index: usize, of: usize| (index as f64 - 0.5 * (of - 1) as f64) * pitch;
        for layer in 0..self.layers {
            for row in 0..self.n {
                for column in 0..self.n {
                    let (x, y) = (place(column, self.n), place(row, self.n));
                    let at = Vector3::new(x, y, place(layer, self.layers));
                    let name = format!("cube {}", site.parts.bodies.len() - 1);
                    site.place(name, at, Cuboid::cube(self.half), self.density);
                }
            }
        }
        site.build()
    }
}

//! Boxes in a drum that turns.

use delassus_core::{ParameterError, Parameters};
use delassus_dynamics::{Cuboid, FieldError, World};
use nalgebra::Vector3;

use crate::drum::Drum;
use crate::rig::body_limit;
use crate::scene::{Scene, SceneDescriptor};
use crate::site::{CommonParameters, Site, count};

/// n³ cubes in a kinematic drum with ribs that turns about z: Box3D's washer, 20³ cubes of 0.4 m in
/// a drum of 14 m radius, 4 m thick and 20 m long, at 25°/s.
///
/// The drum has 16 flat sides and grows with n, 0.7 m of radius and 1 m of length for each.
#[derive(Debug, Clone, PartialEq, Parameters)]
#[parameters(check = "Self::check")]
pub struct Washer {
    /// Number of cubes along each axis.
    #[parameter(default = 5, unit = "-", range = ">= 1")]
    pub n: usize,
    /// Half of an edge.
    #[parameter(default = 0.2, unit = "m", range = "> 0")]
    pub half: f64,
    /// Angular velocity of the drum.
    #[parameter(default = 25.0, unit = "°/s")]
    pub spin: f64,
    /// Density of the cubes.
    #[parameter(default = 1000.0, unit = "kg/m³", range = "> 0")]
    pub density: f64,
    /// Surfaces and gravity.
    #[parameter(flatten)]
    pub setting: CommonParameters,
}

impl Washer {
    fn check(&self) -> Result<(), ParameterError> {
        body_limit("n", self.n, count(&[self.n, self.n, self.n], 1))
    }
}

impl Scene for Washer {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "washer",
        summary: "cubes in a round drum with ribs that turns",
        citations: &["Catto2026"],
    };

    fn build(&self) -> Result<World, FieldError> {
        let mut site = Site::new(&self.setting);
        let unit = 5.0 * self.half * self.n as f64;
        let walls = Drum {
            sides: 16,
            radius: 0.7 * unit,
            half_depth: 0.5 * unit,
            wall: 0.2 * unit,
            rib: 0.05 * unit,
            density: 1000.0,
        };
        walls.build(&mut site, self.spin);
        let pitch = 2.1 * self.half;
        let middle = 0.5 * (self.n - 1) as f64;
        for layer in 0..self.n {
            for row in 0..self.n {
                for column in 0..self.n {
                    let place = [column, row, layer].map(|index| index as f64 - middle);
                    let name = format!("cube {}", site.parts.bodies.len() - 1);
                    let shape = Cuboid::cube(self.half);
                    site.place(name, pitch * Vector3::from(place), shape, self.density);
                }
            }
        }
        site.build()
    }
}

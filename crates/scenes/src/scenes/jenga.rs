//! A tower of crossed blocks.

use delassus_core::{ParameterError, Parameters};
use delassus_dynamics::{Cuboid, FieldError, Material, World};
use nalgebra::Vector3;

use crate::rig::body_limit;
use crate::scene::{Scene, SceneDescriptor};
use crate::site::{CommonParameters, Site, count};

/// Layers of two parallel blocks, each across the layer below: Box3D's JengaStack, 30 layers of
/// blocks of 2 m × 0.2 m × 0.2 m with a rolling resistance of 5 cm and 1 cm between them.
#[derive(Debug, Clone, PartialEq, Parameters)]
#[parameters(check = "Self::check")]
pub struct Jenga {
    /// Number of layers.
    #[parameter(default = 30, unit = "-", range = ">= 1")]
    pub layers: usize,
    /// Halves of the edges of a block: along, up, across.
    #[parameter(default = [1.0, 0.1, 0.1], unit = "m", range = "> 0")]
    pub half: [f64; 3],
    /// Distance of the middles of the two blocks of a layer, over the length of a block.
    #[parameter(default = 0.8, unit = "-", range = "(0, 1]")]
    pub spread: f64,
    /// Distance of layers at the start.
    #[parameter(default = 0.01, unit = "m", range = ">= 0")]
    pub gap: f64,
    /// Lever of rolling resistance.
    #[parameter(default = 0.05, unit = "m", range = ">= 0")]
    pub rolling: f64,
    /// Density.
    #[parameter(default = 1000.0, unit = "kg/m³", range = "> 0")]
    pub density: f64,
    /// Surfaces and gravity.
    #[parameter(flatten)]
    pub setting: CommonParameters,
}

impl Jenga {
    fn check(&self) -> Result<(), ParameterError> {
        body_limit("layers", self.layers, count(&[self.layers, 2], 1))
    }
}

impl Scene for Jenga {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "jenga",
        summary: "a tower of crossed blocks",
        citations: &["Catto2026"],
    };

    fn build(&self) -> Result<World, FieldError> {
        let mut site = Site::on_ground(&self.setting);
        site.surface = Material {
            rolling_friction: self.rolling,
            ..site.surface
        };
        let [along, up, across] = self.half;
        for layer in 0..self.layers {
            let y = up + self.gap + layer as f64 * (2.0 * up + self.gap);
            for side in [-1.0, 1.0] {
                let shift = side * self.spread * along;
                let (shape, at) = if layer % 2 == 0 {
                    (Cuboid::new(along, up, across), Vector3::new(0.0, y, shift))
                } else {
                    (Cuboid::new(across, up, along), Vector3::new(shift, y, 0.0))
                };
                let name = format!("block {}", site.parts.bodies.len() - 1);
                site.place(name, at, shape, self.density);
            }
        }
        site.build()
    }
}

//! A tower of planks.

use delassus_core::{ParameterError, Parameters};
use delassus_dynamics::{Cuboid, FieldError, World};
use nalgebra::Vector3;

use crate::rig::body_limit;
use crate::scene::{Scene, SceneDescriptor};
use crate::site::{CommonParameters, Site};

/// Square blocks of crossed layers of planks, each block narrower than the one below: Rapier's
/// keva3, five blocks with planks of 0.2 m × 1 m × 4 m on edge.
///
/// Block i from the top is i planks wide and has layers + 4 (i - 1) layers of i (3 i + 1) planks,
/// and a roof of 4 i² level ones. The source's lowest block has 41 layers instead of 25.
#[derive(Debug, Clone, PartialEq, Parameters)]
#[parameters(check = "Self::check")]
pub struct KevaTower {
    /// Number of blocks.
    #[parameter(default = 1, unit = "-", range = ">= 1")]
    pub blocks: usize,
    /// Number of layers of the uppermost block.
    #[parameter(default = 9, unit = "-", range = ">= 1")]
    pub layers: usize,
    /// Half of the thickness of a plank. It is 5 times as wide and 20 times as long.
    #[parameter(default = 0.1, unit = "m", range = "> 0")]
    pub half: f64,
    /// Density.
    #[parameter(default = 1.0, unit = "kg/m³", range = "> 0")]
    pub density: f64,
    /// Surfaces and gravity.
    #[parameter(flatten, default = CommonParameters { gravity: 9.81, ..CommonParameters::default() })]
    pub setting: CommonParameters,
}

impl KevaTower {
    /// Planks of block `i` from the top.
    fn planks(&self, i: usize) -> Option<usize> {
        let layers = self.layers.checked_add((i - 1).checked_mul(4)?)?;
        let layer = i.checked_mul(3)?.checked_add(1)?.checked_mul(i)?;
        let roof = i.checked_mul(i)?.checked_mul(4)?;
        layer.checked_mul(layers)?.checked_add(roof)
    }

    fn check(&self) -> Result<(), ParameterError> {
        body_limit("layers", self.layers, self.planks(1))?;
        // a block has more planks than its number: a sum over few of them passes any limit
        let few = self.blocks.min(1000);
        let all = (1..=few).try_fold(1_usize, |sum, i| sum.checked_add(self.planks(i)?));
        body_limit("blocks", self.blocks, all)
    }

    /// Lays block `i` from the height `foot`; returns its top \[m\].
    fn block(&self, site: &mut Site, i: usize, foot: f64) -> f64 {
        let half = self.half * Vector3::new(1.0, 5.0, 20.0);
        let layers = self.layers + 4 * (i - 1);
        let edge = half.z * i as f64;
        let across = 3 * i + 1;
        // distance of the planks of a layer, whose outer faces end with the block
        let pitch = 2.0 * (edge - half.x) / (across - 1) as f64;
        for layer in 0..layers {
            let y = foot + half.y * (2 * layer + 1) as f64;
            for j in 0..across {
                for k in 0..i {
                    let side = half.x + j as f64 * pitch - edge;
                    let along = half.z * (2 * k + 1) as f64 - edge;
                    let (shape, at) = if layer % 2 == 0 {
                        (half, Vector3::new(side, y, along))
                    } else {
                        (half.zyx(), Vector3::new(along, y, side))
                    };
                    self.plank(site, shape, at);
                }
            }
        }
        let top = foot + 2.0 * half.y * layers as f64;
        for j in 0..i {
            for k in 0..4 * i {
                let x = half.z * (2 * j + 1) as f64 - edge;
                let z = half.y * (2 * k + 1) as f64 - edge;
                self.plank(site, half.zxy(), Vector3::new(x, top + half.x, z));
            }
        }
        top + 2.0 * half.x
    }

    fn plank(&self, site: &mut Site, half: Vector3<f64>, at: Vector3<f64>) {
        let name = format!("plank {}", site.parts.bodies.len() - 1);
        site.place(name, at, Cuboid { half }, self.density);
    }
}

impl Scene for KevaTower {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "keva-tower",
        summary: "a tower of crossed layers of planks",
        citations: &["Rapier2026"],
    };

    fn build(&self) -> Result<World, FieldError> {
        let mut site = Site::on_ground(&self.setting);
        let mut foot = 0.0;
        for i in (1..=self.blocks).rev() {
            foot = self.block(&mut site, i, foot);
        }
        site.build()
    }
}

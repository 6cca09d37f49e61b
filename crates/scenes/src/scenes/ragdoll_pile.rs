//! Humans that fall on each other.

use delassus_core::{ParameterError, Parameters};
use delassus_dynamics::{FieldError, World};
use delassus_systems::SeededRng;
use nalgebra::Vector3;

use super::ragdoll::{BODIES, Hold, Ragdoll};
use crate::rig::body_limit;
use crate::scene::{Scene, SceneDescriptor};
use crate::site::{CommonParameters, Site, count};

/// n humans above each other, each a little aside of the one below: Solver2D's RagdollStress lets
/// up to 32 of twice the size fall, one every half second.
///
/// The bones are those of `ragdoll`, with capsules for colliders; those of one human do not touch
/// each other. The humans start at rest, one above the other, since worlds get no new bodies.
#[derive(Debug, Clone, PartialEq, Parameters)]
#[parameters(check = "Self::check")]
pub struct RagdollPile {
    /// Number of humans.
    #[parameter(default = 4, unit = "-", range = ">= 1")]
    pub n: usize,
    /// Factor on all lengths and on the friction in the joints.
    #[parameter(default = 1.0, unit = "-", range = "> 0")]
    pub scale: f64,
    /// Density.
    #[parameter(default = 1000.0, unit = "kg/m³", range = "> 0")]
    pub density: f64,
    /// Friction torque of the hip joints. 0 is none. Other joints have a share of it.
    #[parameter(default = 5.0, unit = "N·m", range = ">= 0")]
    pub friction_torque: f64,
    /// How far a human may stand aside along x and z, over its height.
    #[parameter(default = 0.2, unit = "-", range = ">= 0")]
    pub aside: f64,
    /// Seed of the places.
    #[parameter(default = 1)]
    pub seed: u64,
    /// Surfaces and gravity. Feet have a quarter of the friction.
    #[parameter(flatten, default = CommonParameters::rough(0.4))]
    pub setting: CommonParameters,
}

impl RagdollPile {
    fn check(&self) -> Result<(), ParameterError> {
        body_limit("n", self.n, count(&[self.n, BODIES], 1))
    }
}

impl Scene for RagdollPile {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "ragdoll-pile",
        summary: "humans that fall on each other",
        citations: &["Catto2024"],
    };

    fn build(&self) -> Result<World, FieldError> {
        let mut site = Site::on_ground(&self.setting);
        let mut random = SeededRng::new(self.seed);
        let human = Ragdoll {
            scale: self.scale,
            density: self.density,
            friction_torque: self.friction_torque,
            hold: Hold::Nothing,
            ..Ragdoll::default()
        };
        // the height of a human, and a little more than that from one to the next
        let height = 1.65 * self.scale;
        for k in 0..self.n {
            let parts = &mut site.parts;
            let first = human.stand(parts)?;
            // body 0 is the ground, and so is group 0
            let group = u32::try_from(first).unwrap_or(u32::MAX);
            human.dress(parts, first, group, site.surface)?;
            let aside = self.aside * height;
            let x = random.within(aside);
            let z = random.within(aside);
            let shift = Vector3::new(x, 0.1 * height + k as f64 * height, z);
            for body in &mut parts.bodies[first..] {
                body.position += shift;
            }
        }
        site.build()
    }
}

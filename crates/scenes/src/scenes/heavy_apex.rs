//! Pyramids on which a heavy box falls: the first scene of high mass ratios.

use delassus_core::{ParameterError, Parameters};
use delassus_dynamics::{FieldError, World};
use nalgebra::Vector3;

use crate::pile::Pyramid;
use crate::rig::body_limit;
use crate::scene::{Scene, SceneDescriptor};
use crate::site::{CommonParameters, Site, count};

/// Three pyramids whose top box is ratio, 2 ratio and 3 ratio times as heavy and falls on the
/// others: HighMassRatio1 of Solver2D and Box3D, with cubes.
#[derive(Debug, Clone, PartialEq, Parameters)]
#[parameters(check = "Self::check")]
pub struct HeavyApex {
    /// Number of boxes of a bottom layer.
    #[parameter(default = 10, unit = "-", range = ">= 1")]
    pub base: usize,
    /// Half of an edge.
    #[parameter(default = 1.0, unit = "m", range = "> 0")]
    pub half: f64,
    /// Mass of the first heavy box over that of another one.
    #[parameter(default = 100.0, unit = "-", range = "> 0")]
    pub ratio: f64,
    /// Height above the layer below from which the heavy box falls.
    #[parameter(default = 2.0, unit = "m", range = ">= 0")]
    pub drop: f64,
    /// Density of the light boxes.
    #[parameter(default = 1.0, unit = "kg/m³", range = "> 0")]
    pub density: f64,
    /// Surfaces and gravity.
    #[parameter(flatten, default = CommonParameters::rough(0.5))]
    pub setting: CommonParameters,
}

impl HeavyApex {
    fn check(&self) -> Result<(), ParameterError> {
        let boxes = Pyramid::boxes(self.base);
        let all = boxes.and_then(|boxes| count(&[boxes, 3], 1));
        body_limit("base", self.base, all)
    }
}

impl Scene for HeavyApex {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "high-mass-ratio-1",
        summary: "three pyramids on which a heavy box falls",
        citations: &["Catto2024", "Catto2026"],
    };

    fn build(&self) -> Result<World, FieldError> {
        let mut site = Site::on_ground(&self.setting);
        let width = 2.0 * self.half * (self.base + 2) as f64;
        for k in 0..3_u8 {
            let foot = Vector3::new((f64::from(k) - 1.0) * width, 0.0, 0.0);
            let pyramid = Pyramid::of_cubes(self.base, self.half, self.density);
            let pyramid = Pyramid { foot, ..pyramid };
            pyramid.lay(&mut site);
            // the last box of a pyramid is its top
            let apex = site.parts.bodies.len() - 1;
            site.parts.bodies[apex].position += Vector3::new(0.0, self.drop, 0.0);
            site.parts.bodies[apex].name = format!("heavy box {k}");
            let density = self.density * self.ratio * f64::from(k + 1);
            site.parts.colliders[apex].density = density;
        }
        site.build()
    }
}

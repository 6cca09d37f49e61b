//! A stack of light and heavy boxes in turn.

use delassus_core::{ParameterError, Parameters};
use delassus_dynamics::{Cuboid, FieldError, World};
use nalgebra::Vector3;

use crate::rig::body_limit;
use crate::scene::{Scene, SceneDescriptor};
use crate::site::{CommonParameters, Site, count, density_of};

/// n cubes on top of each other, light ones and heavy ones in turn, the lowest light: five of 0.1
/// and 10 kg as in an issue of PhysX, where one of its two solvers lets them collapse and the other
/// does not. The size is our own.
#[derive(Debug, Clone, PartialEq, Parameters)]
#[parameters(check = "Self::check")]
pub struct AlternatingStack {
    /// Number of boxes.
    #[parameter(default = 5, unit = "-", range = ">= 1")]
    pub n: usize,
    /// Half of an edge.
    #[parameter(default = 0.5, unit = "m", range = "> 0")]
    pub half: f64,
    /// Mass of the lowest box and every second one above.
    #[parameter(default = 0.1, unit = "kg", range = "> 0")]
    pub light: f64,
    /// Mass of the others.
    #[parameter(default = 10.0, unit = "kg", range = "> 0")]
    pub heavy: f64,
    /// Distance of neighbours at the start.
    #[parameter(default = 0.0, unit = "m", range = ">= 0")]
    pub gap: f64,
    /// Surfaces and gravity.
    #[parameter(flatten, default = CommonParameters { gravity: 9.81, ..CommonParameters::rough(0.5) })]
    pub setting: CommonParameters,
}

impl AlternatingStack {
    fn check(&self) -> Result<(), ParameterError> {
        body_limit("n", self.n, count(&[self.n], 1))
    }
}

impl Scene for AlternatingStack {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "alternating-stack",
        summary: "a stack of light and heavy boxes in turn",
        citations: &["PhysX2022"],
    };

    fn build(&self) -> Result<World, FieldError> {
        let mut site = Site::on_ground(&self.setting);
        let (shape, pitch) = (Cuboid::cube(self.half), 2.0 * self.half + self.gap);
        for k in 0..self.n {
            let mass = if k % 2 == 0 { self.light } else { self.heavy };
            let at = Vector3::new(0.0, self.half + self.gap + k as f64 * pitch, 0.0);
            site.place(format!("box {k}"), at, shape, density_of(shape, mass));
        }
        site.build()
    }
}

//! A row of dominoes that fall over.

use delassus_core::{ParameterError, Parameters};
use delassus_dynamics::{Cuboid, FieldError, ShapeGeometry, World};
use nalgebra::Vector3;

use crate::rig::body_limit;
use crate::scene::{Scene, SceneDescriptor};
use crate::site::{CommonParameters, Site, count};

/// n upright boxes in a row, the first of which is hit at its top: DoubleDomino of Solver2D and
/// Box3D.
///
/// The depth is that of Box3D; the density of 2 gives a domino the mass of the planar one, 0.25 kg,
/// so that the impulse is that of the source too.
#[derive(Debug, Clone, PartialEq, Parameters)]
#[parameters(check = "Self::check")]
pub struct DoubleDomino {
    /// Number of dominoes.
    #[parameter(default = 15, unit = "-", range = ">= 1")]
    pub n: usize,
    /// Halves of the edges of a domino.
    #[parameter(default = [0.125, 0.5, 0.25], unit = "m", range = "> 0")]
    pub half: [f64; 3],
    /// Distance of the middles of neighbours.
    #[parameter(default = 1.0, unit = "m", range = "> 0")]
    pub spacing: f64,
    /// Impulse along +x on the upper edge of the first domino.
    #[parameter(default = 0.2, unit = "N·s")]
    pub impulse: f64,
    /// Density.
    #[parameter(default = 2.0, unit = "kg/m³", range = "> 0")]
    pub density: f64,
    /// Surfaces and gravity.
    #[parameter(flatten)]
    pub setting: CommonParameters,
}

impl DoubleDomino {
    fn check(&self) -> Result<(), ParameterError> {
        body_limit("n", self.n, count(&[self.n], 1))
    }
}

impl Scene for DoubleDomino {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "double-domino",
        summary: "a row of dominoes, the first of which is pushed",
        citations: &["Catto2024", "Catto2026"],
    };

    fn build(&self) -> Result<World, FieldError> {
        let mut site = Site::on_ground(&self.setting);
        let half = Vector3::from(self.half);
        let shape = Cuboid { half };
        let middle = 0.5 * (self.n - 1) as f64;
        for k in 0..self.n {
            let x = (k as f64 - middle) * self.spacing;
            let at = Vector3::new(x, half.y, 0.0);
            site.place(format!("domino {k}"), at, shape, self.density);
        }
        let inertia = shape.inertia(self.density)?;
        let first = &mut site.parts.bodies[1];
        first.velocity.x = self.impulse / inertia.mass;
        first.spin.z = -self.impulse * half.y / inertia.moments.z;
        site.build()
    }
}

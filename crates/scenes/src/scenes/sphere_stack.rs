//! Balls on top of each other.

use delassus_core::{ParameterError, Parameters};
use delassus_dynamics::{FieldError, Sphere, World};
use nalgebra::Vector3;

use crate::rig::body_limit;
use crate::scene::{Scene, SceneDescriptor};
use crate::site::{CommonParameters, Site, count};

/// n balls that fall on top of each other: Solver2D's CircleStack. Box3D's SphereStack has 30 of
/// 0.5 m.
///
/// The density of ball k is `density` times 1 + `growth`·k: Box2D's own CircleStack bounces
/// (restitution 0.8, gravity 20 m/s²) with a growth of 4. The lowest ball starts `gap` + 2 radii
/// above the ground, as in the source, or on it where there is no gap.
#[derive(Debug, Clone, PartialEq, Parameters)]
#[parameters(check = "Self::check")]
pub struct SphereStack {
    /// Number of balls.
    #[parameter(default = 10, unit = "-", range = ">= 1")]
    pub n: usize,
    /// Radius.
    #[parameter(default = 1.0, unit = "m", range = "> 0")]
    pub radius: f64,
    /// Distance of neighbours at the start.
    #[parameter(default = 1.0, unit = "m", range = ">= 0")]
    pub gap: f64,
    /// Density of the lowest ball.
    #[parameter(default = 1.0, unit = "kg/m³", range = "> 0")]
    pub density: f64,
    /// What the next ball is denser by, over the density of the lowest.
    #[parameter(default = 0.0, unit = "-", range = ">= 0")]
    pub growth: f64,
    /// Surfaces and gravity.
    #[parameter(flatten)]
    pub setting: CommonParameters,
}

impl SphereStack {
    fn check(&self) -> Result<(), ParameterError> {
        body_limit("n", self.n, count(&[self.n], 1))
    }
}

impl Scene for SphereStack {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "sphere-stack",
        summary: "balls on top of each other",
        citations: &["Catto2024", "Catto2026"],
    };

    fn build(&self) -> Result<World, FieldError> {
        let mut site = Site::on_ground(&self.setting);
        let pitch = 2.0 * self.radius + self.gap;
        let lowest = if self.gap > 0.0 {
            self.radius + pitch
        } else {
            self.radius
        };
        for k in 0..self.n {
            let at = Vector3::new(0.0, lowest + k as f64 * pitch, 0.0);
            let density = self.density * (1.0 + self.growth * k as f64);
            site.place(format!("ball {k}"), at, Sphere::new(self.radius), density);
        }
        site.build()
    }
}

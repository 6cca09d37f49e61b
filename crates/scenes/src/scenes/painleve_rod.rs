//! Painlevé's rod: a rod that slides on its tip.

use std::f64::consts::FRAC_PI_2;

use delassus_core::Parameters;
use delassus_dynamics::{Body, Capsule, Collider, FieldError, Inertia, World, rotation};
use nalgebra::Vector3;

use crate::scene::{Scene, SceneDescriptor};
use crate::site::{CommonParameters, Site};

/// A slender rod that leans, whose lower tip slides away from below its middle, towards -x.
///
/// With the angle θ above the horizontal, friction lifts the tip off the ground or jams it where
/// friction >= (1 + 3 cos²θ)/(3 sin θ cos θ), at least 4/3 at tan θ = 2: there no contact force, or
/// two of them, fit the motion. The rod stays in its plane; its tips are round with a small radius,
/// which the formula neglects.
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct PainleveRod {
    /// Half of the length between the middles of the tips.
    #[parameter(default = 1.0, unit = "m", range = "> 0")]
    pub half: f64,
    /// Radius of the tips over the half length.
    #[parameter(default = 1e-4, unit = "-", range = "(0, 1)")]
    pub tip: f64,
    /// Mass.
    #[parameter(default = 1.0, unit = "kg", range = "> 0")]
    pub mass: f64,
    /// Angle of the rod above the horizontal.
    #[parameter(default = 1.107_148_717_794_090_4, unit = "rad", range = "> 0")]
    pub angle: f64,
    /// Velocity of the rod at the start, towards -x.
    #[parameter(default = 1.0, unit = "m/s")]
    pub speed: f64,
    /// Surfaces and gravity.
    #[parameter(flatten, default = CommonParameters { gravity: 9.81, ..CommonParameters::rough(1.0) })]
    pub setting: CommonParameters,
}

impl Scene for PainleveRod {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "painleve-rod",
        summary: "a leaning rod that slides on its tip",
        citations: &["Genot1999"],
    };

    fn build(&self) -> Result<World, FieldError> {
        let mut site = Site::on_ground(&self.setting);
        let radius = self.tip * self.half;
        let (sine, cosine) = libm::sincos(self.angle);
        let along = self.half * Vector3::new(cosine, sine, 0.0);
        // the axis of the capsule is y
        let turn = rotation::about(&Vector3::z(), self.angle - FRAC_PI_2);
        let across = self.mass * self.half * self.half / 3.0;
        let thin = 0.5 * self.mass * radius * radius;
        let inertia = Inertia::new(self.mass, Vector3::new(across, thin, across));
        let middle = along + Vector3::new(0.0, radius, 0.0);
        let rod = Body::dynamic(inertia, middle).turned(turn).planar();
        let rod = rod.moving(Vector3::new(-self.speed, 0.0, 0.0), Vector3::zeros());
        let rod = site.parts.body(rod.named("rod"));
        site.cover(Collider::new(rod, Capsule::new(self.half, radius)));
        site.build()
    }
}

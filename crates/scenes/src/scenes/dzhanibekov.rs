//! A free body that spins about its middle axis and turns over again and again.

use delassus_core::parameter::require;
use delassus_core::{ParameterError, Parameters};
use delassus_dynamics::{Body, FieldError, Inertia, World};
use nalgebra::Vector3;

use crate::rig::falling;
use crate::scene::{Scene, SceneDescriptor};

/// A free body without gravity, with its principal axes along the world's at the start.
///
/// Angular momentum and energy are constant; a scheme without gyroscopic torque keeps the spin
/// instead.
#[derive(Debug, Clone, PartialEq, Parameters)]
#[parameters(check = "Self::check")]
pub struct Dzhanibekov {
    /// Mass.
    #[parameter(default = 1.0, unit = "kg", range = "> 0")]
    pub mass: f64,
    /// Principal moments. None is above the sum of the others.
    #[parameter(default = [1.0, 2.0, 3.0], unit = "kg·m²", range = "> 0")]
    pub moments: [f64; 3],
    /// Angular velocity at the start.
    #[parameter(default = [0.01, 1.0, 0.01], unit = "rad/s")]
    pub spin: [f64; 3],
}

impl Dzhanibekov {
    fn check(&self) -> Result<(), ParameterError> {
        let sum: f64 = self.moments.iter().sum();
        let large = |moment: &&f64| 2.0 * **moment > sum * (1.0 + 1e-9);
        let expected = "no principal moment exceeds the sum of the two others";
        match self.moments.iter().find(large) {
            Some(moment) => require(false, "moments", moment, expected),
            None => Ok(()),
        }
    }
}

impl Scene for Dzhanibekov {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "dzhanibekov",
        summary: "free body that spins about its middle axis and turns over",
        citations: &["Landau1976", "Ashbaugh1991"],
    };

    fn build(&self) -> Result<World, FieldError> {
        let inertia = Inertia::new(self.mass, Vector3::from(self.moments));
        let body = Body::dynamic(inertia, Vector3::zeros()).named("body");
        let mut parts = falling(0.0);
        parts.body(body.moving(Vector3::zeros(), Vector3::from(self.spin)));
        parts.build()
    }
}

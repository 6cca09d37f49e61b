//! A free body that spins about its middle axis and turns over again and again.

use delassus_core::parameter::{finite, positive, require};
use delassus_core::{ParameterError, parameters};
use delassus_dynamics::{Body, FieldError, Inertia, World};
use nalgebra::Vector3;

use crate::registry::{Scene, SceneDescriptor};
use crate::rig::falling;

parameters! {
    /// A free body without gravity, with its principal axes along the world's at the start.
    ///
    /// Angular momentum and energy are constant; a scheme without gyroscopic torque keeps the spin instead.
    Dzhanibekov {
        /// Mass \[kg\]; > 0.
        mass: f64 = 1.0,
        /// Principal moments \[kg·m²\]; > 0, none above the sum of the others.
        moments: [f64; 3] = [1.0, 2.0, 3.0],
        /// Angular velocity at the start \[rad/s\].
        spin: [f64; 3] = [0.01, 1.0, 0.01],
    }
}

impl Scene for Dzhanibekov {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "dzhanibekov",
        summary: "free body that spins about its middle axis and turns over",
        parameters: Self::PARAMETERS,
        citations: &["Landau1976", "Ashbaugh1991"],
    };

    fn validate(&self) -> Result<(), ParameterError> {
        positive("mass", self.mass)?;
        let sum: f64 = self.moments.iter().sum();
        for moment in self.moments {
            positive("moments", moment)?;
            let expected = "no principal moment exceeds the sum of the two others";
            require(
                2.0 * moment <= sum * (1.0 + 1e-9),
                "moments",
                moment,
                expected,
            )?;
        }
        for spin in self.spin {
            finite("spin", spin)?;
        }
        Ok(())
    }

    fn build(&self) -> Result<World, FieldError> {
        let inertia = Inertia::new(self.mass, Vector3::from(self.moments));
        let body = Body::dynamic(inertia, Vector3::zeros()).named("body");
        let mut parts = falling(0.0);
        parts.body(body.moving(Vector3::zeros(), Vector3::from(self.spin)));
        parts.build()
    }
}

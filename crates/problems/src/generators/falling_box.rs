//! A box that lands flat on two contact points.

use delassus_core::{Friction, Law, MassProperties, Parameters, ProblemBuilder, ProblemError};
use nalgebra::{Matrix3, Vector3};

use super::{Generated, Generator, GeneratorDescriptor};
use crate::named::KnownSolution;

/// A box of 2 a × 2 b in the x–y plane, falling flat onto frictionless ground: contacts at its two
/// lower corners.
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct FallingBoxProblem {
    /// Mass.
    #[parameter(default = 1.0, unit = "kg", range = "> 0")]
    pub mass: f64,
    /// Half width a.
    #[parameter(default = 0.5, unit = "m", range = "> 0")]
    pub half_width: f64,
    /// Half height b.
    #[parameter(default = 1.0, unit = "m", range = "> 0")]
    pub half_height: f64,
    /// Downward velocity before the impact.
    #[parameter(default = 1.0, unit = "m/s", range = "> 0")]
    pub speed: f64,
}

impl Generator for FallingBoxProblem {
    const DESCRIPTOR: GeneratorDescriptor = GeneratorDescriptor {
        id: "falling-box",
        summary: "box falling flat onto two frictionless contact points, in a plane: accumulated against incremental clamping",
        reference: "always",
    };

    fn build(&self) -> Result<Generated, ProblemError> {
        let (a, b) = (self.half_width, self.half_height);
        // the body moves in its plane only
        let inverse_moment = 3.0 / (self.mass * (a * a + b * b));
        let body = MassProperties {
            inverse_mass: Vector3::new(1.0 / self.mass, 1.0 / self.mass, 0.0),
            inverse_inertia: Matrix3::from_diagonal(&Vector3::new(0.0, 0.0, inverse_moment)),
        };
        let mut builder = ProblemBuilder::new();
        let ground = builder.body(MassProperties::immovable(), [0.0; 6]);
        let body = builder.body(body, [0.0, -self.speed, 0.0, 0.0, 0.0, 0.0]);
        for x in [-a, a] {
            // (x, -b) × (0, 1) = x
            let row = [0.0, 1.0, 0.0, 0.0, 0.0, x];
            builder.block(
                Law::Contact(Friction::Frictionless),
                &[ground, body],
                &[[row.map(|v| -v), row]],
            );
        }
        let impulse = 0.5 * self.mass * self.speed;
        let provenance = "closed form: m v/2 at each corner";
        Ok(Generated {
            problem: builder.build()?,
            reference: Some(KnownSolution::new(vec![impulse, impulse], provenance)),
        })
    }
}

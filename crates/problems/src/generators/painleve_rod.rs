//! A sliding rod whose contact loses uniqueness: the Painlevé paradox.

use delassus_core::{Friction, Law, MassProperties, Parameters, ProblemBuilder, ProblemError};
use nalgebra::{Matrix3, Vector3};

use super::{Generated, Generator, GeneratorDescriptor};

/// A uniform rod in the x–y plane whose lower tip touches the ground, with Coulomb friction in the
/// plane.
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct PainleveRodProblem {
    /// Mass.
    #[parameter(default = 1.0, unit = "kg", range = "> 0")]
    pub mass: f64,
    /// Half length.
    #[parameter(default = 1.0, unit = "m", range = "> 0")]
    pub half_length: f64,
    /// Tangent of the angle of the rod above the horizontal.
    #[parameter(default = 2.0, unit = "-", range = ">= 0")]
    pub slope: f64,
    /// Friction coefficient. Beyond (4 + slope²)/(3 slope) solutions are not unique.
    #[parameter(default = 1.6, unit = "-", range = ">= 0")]
    pub friction: f64,
    /// Normal velocity of the tip before the step.
    #[parameter(default = 0.05, unit = "m/s")]
    pub normal_velocity: f64,
    /// Tangential velocity of the tip before the step.
    #[parameter(default = 1.0, unit = "m/s")]
    pub tangential_velocity: f64,
}

impl Generator for PainleveRodProblem {
    const DESCRIPTOR: GeneratorDescriptor = GeneratorDescriptor {
        id: "painleve-rod",
        summary: "rod sliding on its lower tip: beyond a friction coefficient there are three solutions, or impact without collision",
        reference: "never",
    };

    fn build(&self) -> Result<Generated, ProblemError> {
        // the tip lies at l (cos, −sin) of the centre
        let cos = 1.0 / (1.0 + self.slope * self.slope).sqrt();
        let (x, y) = (self.half_length * cos, -self.half_length * cos * self.slope);
        let inverse_moment = 3.0 / (self.mass * self.half_length * self.half_length);
        let rod = MassProperties {
            inverse_mass: Vector3::new(1.0 / self.mass, 1.0 / self.mass, 0.0),
            inverse_inertia: Matrix3::from_diagonal(&Vector3::new(0.0, 0.0, inverse_moment)),
        };
        let mut builder = ProblemBuilder::new();
        let ground = builder.body(MassProperties::immovable(), [0.0; 6]);
        let velocity = [
            self.tangential_velocity,
            self.normal_velocity,
            0.0,
            0.0,
            0.0,
            0.0,
        ];
        let rod = builder.body(rod, velocity);
        let normal = [0.0, 1.0, 0.0, 0.0, 0.0, x];
        let tangent = [1.0, 0.0, 0.0, 0.0, 0.0, -y];
        let friction = Friction::Coulomb { mu: self.friction };
        builder.block(
            Law::Contact(friction),
            &[ground, rod],
            &[[normal.map(|v| -v), normal], [tangent.map(|v| -v), tangent]],
        );
        Ok(Generated {
            problem: builder.build()?,
            reference: None,
        })
    }
}

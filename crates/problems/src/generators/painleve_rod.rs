//! A sliding rod whose contact loses uniqueness: the Painlevé paradox.

use delassus_core::{Friction, Law, MassProperties, ParameterError, ProblemBuilder, ProblemError};
use nalgebra::{Matrix3, Vector3};

use super::parameters::{finite, non_negative, parameters, positive};
use super::{Generated, Generator, GeneratorDescriptor};

parameters! {
    /// A uniform rod in the x–y plane whose lower tip touches the ground, with Coulomb friction in the plane.
    PainleveRod {
        /// Mass \[kg\]; > 0.
        mass: f64 = 1.0,
        /// Half length \[m\]; > 0.
        half_length: f64 = 1.0,
        /// Tangent of the angle of the rod above the horizontal \[-\]; >= 0.
        slope: f64 = 2.0,
        /// Friction coefficient \[-\]; >= 0. Beyond (4 + slope²)/(3 slope) solutions are not unique.
        friction: f64 = 1.6,
        /// Normal velocity of the tip before the step \[m/s\].
        normal_velocity: f64 = 0.05,
        /// Tangential velocity of the tip before the step \[m/s\].
        tangential_velocity: f64 = 1.0,
    }
}

impl Generator for PainleveRod {
    const DESCRIPTOR: GeneratorDescriptor = GeneratorDescriptor {
        id: "painleve-rod",
        summary: "rod sliding on its lower tip: beyond a friction coefficient there are three solutions, or impact without collision",
        parameters: Self::PARAMETERS,
        reference: "never",
    };

    fn validate(&self) -> Result<(), ParameterError> {
        positive("mass", self.mass)?;
        positive("half_length", self.half_length)?;
        non_negative("slope", self.slope)?;
        non_negative("friction", self.friction)?;
        finite("normal_velocity", self.normal_velocity)?;
        finite("tangential_velocity", self.tangential_velocity)
    }

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

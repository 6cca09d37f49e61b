//! Two links, one heavier than the other.

use delassus_core::{ParameterError, ProblemError};

use super::parameters::{parameters, positive};
use super::{Chain, ChainMasses, Generated, Generator, GeneratorDescriptor, softness};

parameters! {
    /// Two point masses hanging from a fixed point, the lower one `ratio` times the upper one.
    MassRatioChain {
        /// Mass of the upper link \[kg\]; > 0.
        mass: f64 = 1.0,
        /// Mass of the lower link over that of the upper one \[-\]; > 0.
        ratio: f64 = 10.0,
        /// Gravity \[m/s²\]; >= 0.
        gravity: f64 = 9.81,
        /// Time step \[s\]; > 0.
        dt: f64 = 1.0 / 60.0,
    }
}

impl Generator for MassRatioChain {
    const DESCRIPTOR: GeneratorDescriptor = GeneratorDescriptor {
        id: "mass-ratio-chain",
        summary: "two point masses hanging from a fixed point, the lower one heavier: Gauss-Seidel contracts by r/(1 + r)",
        parameters: Self::PARAMETERS,
        reference: "always",
    };

    fn validate(&self) -> Result<(), ParameterError> {
        positive("mass", self.mass)?;
        positive("ratio", self.ratio)?;
        softness::step(self.gravity, self.dt)
    }

    fn build(&self) -> Result<Generated, ProblemError> {
        let chain = Chain {
            n: 2,
            mass: self.mass,
            mass_ratio: self.ratio,
            mass_order: ChainMasses::HeavyTip,
            gravity: self.gravity,
            dt: self.dt,
            ..Chain::default()
        };
        chain.build()
    }
}

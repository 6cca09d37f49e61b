//! Two links, one heavier than the other.

use delassus_core::{Parameters, ProblemError};
use delassus_systems::{Chain, MassOrder};

use super::{ChainProblem, Generated, Generator, GeneratorDescriptor};

/// Two point masses hanging from a fixed point, the lower one `ratio` times the upper one.
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct MassRatioChain {
    /// Mass of the upper link.
    #[parameter(default = 1.0, unit = "kg", range = "> 0")]
    pub mass: f64,
    /// Mass of the lower link over that of the upper one.
    #[parameter(default = 10.0, unit = "-", range = "> 0")]
    pub ratio: f64,
    /// Gravity.
    #[parameter(default = 9.81, unit = "m/s²", range = ">= 0")]
    pub gravity: f64,
    /// Time step.
    #[parameter(default = 1.0 / 60.0, unit = "s", range = "> 0")]
    pub dt: f64,
}

impl Generator for MassRatioChain {
    const DESCRIPTOR: GeneratorDescriptor = GeneratorDescriptor {
        id: "mass-ratio-chain",
        summary: "two point masses hanging from a fixed point, the lower one heavier: Gauss-Seidel contracts by r/(1 + r)",
        reference: "always",
    };

    fn build(&self) -> Result<Generated, ProblemError> {
        let chain = Chain {
            n: 2,
            mass: self.mass,
            mass_ratio: self.ratio,
            mass_order: MassOrder::HeavyLast,
            gravity: self.gravity,
            ..Chain::default()
        };
        let problem = ChainProblem {
            dt: self.dt,
            ..ChainProblem::from(chain)
        };
        problem.build()
    }
}

//! A chain whose last mass outweighs all others: the classic that defeats Gauss–Seidel sweeps.

use delassus_core::{ParameterError, Parameters};
use delassus_dynamics::{FieldError, World};
use delassus_systems::{Chain, Ends, LinkKind, MassOrder};

use super::chain::ChainWorld;
use crate::scene::{Scene, SceneDescriptor};

/// An anchored chain of n links with a heavy last mass; a chain with other defaults.
#[derive(Debug, Clone, PartialEq, Parameters)]
#[parameters(check = "Self::check")]
pub struct HeavyTipChain {
    /// Number of links.
    #[parameter(default = 10, unit = "-", range = ">= 1")]
    pub n: usize,
    /// What the links are.
    #[parameter(default = LinkKind::Rod)]
    pub kind: LinkKind,
    /// Length of a link.
    #[parameter(default = 0.5, unit = "m", range = "> 0")]
    pub length: f64,
    /// Radius of a rod.
    #[parameter(default = 0.05, unit = "m", range = "> 0")]
    pub radius: f64,
    /// Mass of every link but the last.
    #[parameter(default = 1.0, unit = "kg", range = "> 0")]
    pub mass: f64,
    /// Mass of the last link over that of the others.
    #[parameter(default = 100.0, unit = "-", range = "> 0")]
    pub mass_ratio: f64,
    /// Angle from the downward vertical at the start, towards +x.
    #[parameter(default = std::f64::consts::FRAC_PI_2, unit = "rad")]
    pub angle: f64,
    /// Gravity.
    #[parameter(default = 9.81, unit = "m/s²", range = ">= 0")]
    pub gravity: f64,
}

impl HeavyTipChain {
    fn chain(&self) -> ChainWorld {
        let chain = Chain {
            n: self.n,
            ends: Ends::Anchored,
            kind: self.kind,
            length: self.length,
            radius: self.radius,
            mass: self.mass,
            mass_ratio: self.mass_ratio,
            mass_order: MassOrder::HeavyLast,
            angle: self.angle,
            gravity: self.gravity,
        };
        ChainWorld {
            chain,
            ..ChainWorld::default()
        }
    }

    fn check(&self) -> Result<(), ParameterError> {
        self.chain().validate()
    }
}

impl Scene for HeavyTipChain {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "heavy-tip-chain",
        summary: "chain whose last link is as many times heavier as one likes",
        citations: &["Catto2014"],
    };

    fn build(&self) -> Result<World, FieldError> {
        self.chain().build()
    }
}

//! A chain whose last mass outweighs all others: the classic that defeats Gauss–Seidel sweeps.

use delassus_core::{ParameterError, parameters};
use delassus_dynamics::{FieldError, World};

use super::chain::Chain;
use crate::registry::{Scene, SceneDescriptor};
use crate::string::{Ends, LinkKind, MassOrder};

parameters! {
    /// An anchored chain of n links with a heavy last mass; a chain with other defaults.
    HeavyTipChain {
        /// Number of links \[-\]; >= 1.
        n: usize = 10,
        /// "point" (point masses on massless rods) or "rod" (rods with ball joints).
        kind: LinkKind = LinkKind::Rod,
        /// Length of a link \[m\]; > 0.
        length: f64 = 0.5,
        /// Radius of a rod \[m\]; > 0.
        radius: f64 = 0.05,
        /// Mass of every link but the last \[kg\]; > 0.
        mass: f64 = 1.0,
        /// Mass of the last link over that of the others \[-\]; > 0.
        mass_ratio: f64 = 100.0,
        /// Angle from the downward vertical at the start, towards +x \[rad\].
        angle: f64 = std::f64::consts::FRAC_PI_2,
        /// Gravity \[m/s²\]; >= 0.
        gravity: f64 = 9.81,
    }
}

impl HeavyTipChain {
    fn chain(&self) -> Chain {
        Chain {
            n: self.n,
            ends: Ends::Anchored,
            kind: self.kind,
            length: self.length,
            radius: self.radius,
            mass: self.mass,
            mass_ratio: self.mass_ratio,
            mass_order: MassOrder::HeavyTip,
            angle: self.angle,
            gravity: self.gravity,
            ..Chain::default()
        }
    }
}

impl Scene for HeavyTipChain {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "heavy-tip-chain",
        summary: "chain whose last link is as many times heavier as one likes",
        parameters: Self::PARAMETERS,
        citations: &["Catto2014"],
    };

    fn validate(&self) -> Result<(), ParameterError> {
        self.chain().validate()
    }

    fn build(&self) -> Result<World, FieldError> {
        self.chain().build()
    }
}

//! Chains: the model problem of joint drift, and of solvers that need many sweeps.

use delassus_core::parameter::require;
use delassus_core::{ParameterError, Parameters};
use delassus_dynamics::{FieldError, World};
use delassus_systems::{Chain, Ends};
use nalgebra::Vector3;

use crate::curve;
use crate::rig::{Spring, body_limit, falling};
use crate::rope::Rope;
use crate::scene::{Scene, SceneDescriptor};

/// A chain that starts straight, or between two anchors bent like an arc.
#[derive(Debug, Clone, PartialEq, Parameters)]
#[parameters(check = "Self::check")]
pub struct ChainWorld {
    /// The chain.
    #[parameter(flatten)]
    pub chain: Chain,
    /// Distance of the two anchors over the length of the chain. For ends = "both".
    #[parameter(default = 0.8, unit = "-", range = "(0, 1)")]
    pub span: f64,
    /// Excess length of every link at the start, as a share of its length. Not for ends = "both".
    #[parameter(default = 0.0, unit = "-", range = ">= 0")]
    pub stretch: f64,
    /// Softness of the joints.
    #[parameter(flatten)]
    pub spring: Spring,
}

impl ChainWorld {
    fn check(&self) -> Result<(), ParameterError> {
        let n = self.chain.n;
        body_limit("n", n, n.checked_add(2))?;
        let both = self.chain.ends == Ends::Both;
        let expected = "between two anchors there are at least two links";
        require(!both || self.links() >= 2, "n", n, expected)?;
        let expected = "a chain between two anchors is not stretched; use 0";
        let fits = !both || self.stretch == 0.0;
        require(fits, "stretch", self.stretch, expected)
    }

    fn links(&self) -> usize {
        self.chain.string().links(self.chain.count())
    }

    fn nodes(&self) -> Vec<Vector3<f64>> {
        let (links, length) = (self.links(), self.chain.length);
        match self.chain.ends {
            Ends::Both => curve::arc(links, length, self.span * length * links as f64),
            Ends::Anchored | Ends::Free => {
                let apart = length * (1.0 + self.stretch);
                curve::chain(Vector3::zeros(), apart, &vec![self.chain.angle; links])
            }
        }
    }
}

impl Scene for ChainWorld {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "chain",
        summary: "chain of point masses or of rods, anchored at one end, at both or at none, swinging from an angle",
        citations: &["Catto2014", "Catto2024"],
    };

    fn build(&self) -> Result<World, FieldError> {
        let rope = Rope {
            kind: self.chain.kind,
            ends: self.chain.ends,
            link: self.chain.length,
            radius: self.chain.radius,
            softness: self.spring.softness(),
        };
        let mut parts = falling(self.chain.gravity);
        rope.add(&mut parts, &self.nodes(), &self.chain.masses())?;
        parts.build()
    }
}

//! Chains: the model problem of joint drift, and of solvers that need many sweeps.

use delassus_core::parameter::require;
use delassus_core::{ParameterError, Parameters};
use delassus_dynamics::{FieldError, World};
use nalgebra::Vector3;

use crate::curve;
use crate::rig::{Spring, body_limit, falling};
use crate::scene::{Scene, SceneDescriptor};
use crate::string::{Ends, LinkKind, LinkString, MassOrder};

/// A chain of n equal links from the origin, in the x-y plane.
///
/// Point masses: n of them if one end is anchored, n + 1 if none, n - 1 if both are. Rods: always n.
#[derive(Debug, Clone, PartialEq, Parameters)]
#[parameters(check = "Self::check")]
pub struct Chain {
    /// Number of links. At least 2 with ends = "both".
    #[parameter(default = 10, unit = "-", range = ">= 1")]
    pub n: usize,
    /// What the ends are tied to.
    #[parameter(default = Ends::Anchored)]
    pub ends: Ends,
    /// What the links are.
    #[parameter(default = LinkKind::Point)]
    pub kind: LinkKind,
    /// Length of a link.
    #[parameter(default = 0.5, unit = "m", range = "> 0")]
    pub length: f64,
    /// Radius of a rod.
    #[parameter(default = 0.05, unit = "m", range = "> 0")]
    pub radius: f64,
    /// First mass.
    #[parameter(default = 1.0, unit = "kg", range = "> 0")]
    pub mass: f64,
    /// Last mass over the first.
    #[parameter(default = 1.0, unit = "-", range = "> 0")]
    pub mass_ratio: f64,
    /// How the mass ratio is spread.
    #[parameter(default = MassOrder::HeavyTip)]
    pub mass_order: MassOrder,
    /// Angle from the downward vertical at the start, towards +x. Not for ends = "both".
    #[parameter(default = std::f64::consts::FRAC_PI_2, unit = "rad")]
    pub angle: f64,
    /// Distance of the two anchors over the length of the chain. For ends = "both".
    #[parameter(default = 0.8, unit = "-", range = "(0, 1)")]
    pub span: f64,
    /// Excess length of every link at the start, as a share of its length. Not for ends = "both".
    #[parameter(default = 0.0, unit = "-", range = ">= 0")]
    pub stretch: f64,
    /// Softness of the joints.
    #[parameter(flatten)]
    pub spring: Spring,
    /// Gravity.
    #[parameter(default = 9.81, unit = "m/s²", range = ">= 0")]
    pub gravity: f64,
}

impl Chain {
    fn check(&self) -> Result<(), ParameterError> {
        let both = self.ends == Ends::Both;
        let expected = "between two anchors there are at least two links";
        require(!both || self.n >= 2, "n", self.n, expected)?;
        body_limit("n", self.n, self.n.checked_add(2))?;
        let expected = "a chain between two anchors is not stretched; use 0";
        let fits = !both || self.stretch == 0.0;
        require(fits, "stretch", self.stretch, expected)
    }
}

impl Scene for Chain {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "chain",
        summary: "chain of point masses or of rods, anchored at one end, at both or at none, swinging from an angle",
        citations: &["Catto2014", "Catto2024"],
    };

    fn build(&self) -> Result<World, FieldError> {
        let string = LinkString {
            kind: self.kind,
            ends: self.ends,
            link: self.length,
            radius: self.radius,
            softness: self.spring.softness(),
        };
        let nodes = match self.ends {
            Ends::Both => {
                let span = self.span * self.length * self.n as f64;
                curve::arc(self.n, self.length, span)
            }
            Ends::Anchored | Ends::Free => {
                let apart = self.length * (1.0 + self.stretch);
                curve::chain(Vector3::zeros(), apart, &vec![self.angle; self.n])
            }
        };
        let count = string.masses(self.n);
        let masses = self.mass_order.spread(count, self.mass, self.mass_ratio);
        let mut parts = falling(self.gravity);
        string.add(&mut parts, &nodes, &masses)?;
        parts.build()
    }
}

//! A string between two hooks: the discrete catenary, whose shape at rest is known.

use delassus_core::parameter::require;
use delassus_core::{Choice, ParameterError, Parameters, Softness};
use delassus_dynamics::{FieldError, World};
use delassus_systems::{Ends, LinkKind};

use crate::curve;
use crate::rig::{body_limit, falling};
use crate::rope::Rope;
use crate::scene::{Scene, SceneDescriptor};

/// Where a catenary starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum CatenaryStart {
    /// In equilibrium: equal links with equal masses at the nodes.
    Rest,
    /// On an arc of a circle: it swings.
    Arc,
}

/// n equal links of total length `length` between hooks at the origin and at `span` on the x axis.
#[derive(Debug, Clone, PartialEq, Parameters)]
#[parameters(check = "Self::check")]
pub struct Catenary {
    /// Number of links.
    #[parameter(default = 20, unit = "-", range = ">= 2")]
    pub n: usize,
    /// Total length of the links. Longer than span, and shorter than n span if n is odd and the
    /// start is "rest".
    #[parameter(default = 1.5, unit = "m", range = "> 0")]
    pub length: f64,
    /// Distance of the hooks.
    #[parameter(default = 1.0, unit = "m", range = "> 0")]
    pub span: f64,
    /// Mass of all nodes that move, or of all rods.
    #[parameter(default = 1.0, unit = "kg", range = "> 0")]
    pub mass: f64,
    /// What the links are.
    #[parameter(default = LinkKind::Point)]
    pub kind: LinkKind,
    /// Radius of a rod.
    #[parameter(default = 0.01, unit = "m", range = "> 0")]
    pub radius: f64,
    /// Where the string starts.
    #[parameter(default = CatenaryStart::Rest)]
    pub start: CatenaryStart,
    /// Decay rate of the velocities.
    #[parameter(default = 0.0, unit = "1/s", range = ">= 0")]
    pub damping: f64,
    /// Gravity.
    #[parameter(default = 9.81, unit = "m/s²", range = ">= 0")]
    pub gravity: f64,
}

impl Catenary {
    fn check(&self) -> Result<(), ParameterError> {
        body_limit("n", self.n, self.n.checked_add(2))?;
        let expected = "anchor outside reach: the links must be longer than the span together";
        require(self.length > self.span, "span", self.span, expected)?;
        // an odd string at rest has a level link in the middle
        let link = self.length / self.n as f64;
        let level = self.start == CatenaryStart::Rest && self.n % 2 == 1;
        let expected = "the hooks are closer than one link: an odd string cannot hang level; use an even n or start = \"arc\"";
        require(!level || link < self.span, "span", self.span, expected)
    }
}

impl Scene for Catenary {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "catenary",
        summary: "n equal links between two hooks, from the known equilibrium or from an arc",
        citations: &[],
    };

    fn build(&self) -> Result<World, FieldError> {
        let link = self.length / self.n as f64;
        let nodes = match self.start {
            CatenaryStart::Rest => curve::catenary(self.n, link, self.span),
            CatenaryStart::Arc => curve::arc(self.n, link, self.span),
        };
        let rope = Rope {
            kind: self.kind,
            ends: Ends::Both,
            link,
            radius: self.radius,
            softness: Softness::Rigid,
        };
        let count = rope.string().masses(self.n);
        let mut parts = falling(self.gravity);
        rope.add(&mut parts, &nodes, &vec![self.mass / count as f64; count])?;
        for body in &mut parts.bodies {
            body.linear_damping = self.damping;
            body.angular_damping = self.damping;
        }
        parts.build()
    }
}

//! A string between two hooks: the discrete catenary, whose shape at rest is known.

use delassus_core::parameter::{at_least, non_negative, positive, require};
use delassus_core::{ParameterError, parameters};
use delassus_dynamics::{FieldError, World};
use serde::{Deserialize, Serialize};

use crate::curve;
use crate::registry::{Scene, SceneDescriptor};
use crate::rig::{body_limit, falling, softness};
use crate::string::{Ends, LinkKind, LinkString};

/// Where a catenary starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CatenaryStart {
    /// In equilibrium: equal links with equal masses at the nodes.
    Rest,
    /// On an arc of a circle: it swings.
    Arc,
}

parameters! {
    /// n equal links of total length `length` between hooks at the origin and at `span` on the x axis.
    Catenary {
        /// Number of links \[-\]; >= 2.
        n: usize = 20,
        /// Total length of the links \[m\]; > span, and < n span if n is odd and the start is "rest".
        length: f64 = 1.5,
        /// Distance of the hooks \[m\]; > 0.
        span: f64 = 1.0,
        /// Mass of all nodes that move, or of all rods \[kg\]; > 0.
        mass: f64 = 1.0,
        /// "point" (point masses on massless rods) or "rod" (rods with ball joints).
        kind: LinkKind = LinkKind::Point,
        /// Radius of a rod \[m\]; > 0.
        radius: f64 = 0.01,
        /// "rest" (the equilibrium of equal masses at the nodes) or "arc" (an arc of a circle).
        start: CatenaryStart = CatenaryStart::Rest,
        /// Decay rate of the velocities \[1/s\]; >= 0.
        damping: f64 = 0.0,
        /// Gravity \[m/s²\]; >= 0.
        gravity: f64 = 9.81,
    }
}

impl Scene for Catenary {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "catenary",
        summary: "n equal links between two hooks, from the known equilibrium or from an arc",
        parameters: Self::PARAMETERS,
        citations: &[],
    };

    fn validate(&self) -> Result<(), ParameterError> {
        at_least(
            "n",
            self.n,
            2,
            "between two hooks there are at least two links",
        )?;
        body_limit("n", self.n, self.n.checked_add(2))?;
        positive("length", self.length)?;
        positive("span", self.span)?;
        let expected = "anchor outside reach: the links must be longer than the span together";
        require(self.length > self.span, "span", self.span, expected)?;
        // an odd string at rest has a level link in the middle
        let link = self.length / self.n as f64;
        let level = self.start == CatenaryStart::Rest && self.n % 2 == 1;
        let expected = "the hooks are closer than one link: an odd string cannot hang level; use an even n or start = \"arc\"";
        require(!level || link < self.span, "span", self.span, expected)?;
        positive("mass", self.mass)?;
        positive("radius", self.radius)?;
        non_negative("damping", self.damping)?;
        non_negative("gravity", self.gravity)
    }

    fn build(&self) -> Result<World, FieldError> {
        let link = self.length / self.n as f64;
        let nodes = match self.start {
            CatenaryStart::Rest => curve::catenary(self.n, link, self.span),
            CatenaryStart::Arc => curve::arc(self.n, link, self.span),
        };
        let string = LinkString {
            kind: self.kind,
            ends: Ends::Both,
            link,
            radius: self.radius,
            softness: softness(0.0, 1.0),
        };
        let count = string.masses(self.n);
        let mut parts = falling(self.gravity);
        string.add(&mut parts, &nodes, &vec![self.mass / count as f64; count])?;
        for body in &mut parts.bodies {
            body.linear_damping = self.damping;
            body.angular_damping = self.damping;
        }
        parts.build()
    }
}

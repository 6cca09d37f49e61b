//! Chains: the model problem of joint drift, and of solvers that need many sweeps.

use delassus_core::parameter::{at_least, finite, non_negative, positive, require};
use delassus_core::{ParameterError, parameters};
use delassus_dynamics::{FieldError, World};
use nalgebra::Vector3;

use crate::curve;
use crate::registry::{Scene, SceneDescriptor};
use crate::rig::{body_limit, check_softness, falling, softness};
use crate::string::{Ends, LinkKind, LinkString, MassOrder};

parameters! {
    /// A chain of n equal links from the origin, in the x-y plane.
    ///
    /// Point masses: n of them if one end is anchored, n + 1 if none, n - 1 if both are. Rods: always n.
    Chain {
        /// Number of links \[-\]; >= 1, and >= 2 with ends = "both".
        n: usize = 10,
        /// "anchored" (the first end), "free" or "both".
        ends: Ends = Ends::Anchored,
        /// "point" (point masses on massless rods) or "rod" (rods with ball joints).
        kind: LinkKind = LinkKind::Point,
        /// Length of a link \[m\]; > 0.
        length: f64 = 0.5,
        /// Radius of a rod \[m\]; > 0.
        radius: f64 = 0.05,
        /// First mass \[kg\]; > 0.
        mass: f64 = 1.0,
        /// Last mass over the first \[-\]; > 0.
        mass_ratio: f64 = 1.0,
        /// How the mass ratio is spread: "geometric" along the chain, or "heavy-tip" (the last mass alone).
        mass_order: MassOrder = MassOrder::HeavyTip,
        /// Angle from the downward vertical at the start, towards +x \[rad\]; not for ends = "both".
        angle: f64 = std::f64::consts::FRAC_PI_2,
        /// Distance of the two anchors over the length of the chain \[-\]; in (0, 1), for ends = "both".
        span: f64 = 0.8,
        /// Excess length of every link at the start, as a share of its length \[-\]; >= 0, not for ends = "both".
        stretch: f64 = 0.0,
        /// Frequency of every joint as if it were alone \[Hz\]; >= 0, 0 is rigid.
        hertz: f64 = 0.0,
        /// Damping ratio that goes with hertz \[-\]; >= 0.
        damping_ratio: f64 = 1.0,
        /// Gravity \[m/s²\]; >= 0.
        gravity: f64 = 9.81,
    }
}

impl Scene for Chain {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "chain",
        summary: "chain of point masses or of rods, anchored at one end, at both or at none, swinging from an angle",
        parameters: Self::PARAMETERS,
        citations: &["Catto2014", "Catto2024"],
    };

    fn validate(&self) -> Result<(), ParameterError> {
        let both = self.ends == Ends::Both;
        at_least("n", self.n, 1, "there must be at least one link")?;
        let enough = !both || self.n >= 2;
        require(
            enough,
            "n",
            self.n,
            "between two anchors there are at least two links",
        )?;
        body_limit("n", self.n, self.n.checked_add(2))?;
        positive("length", self.length)?;
        positive("radius", self.radius)?;
        positive("mass", self.mass)?;
        positive("mass_ratio", self.mass_ratio)?;
        finite("angle", self.angle)?;
        let fits = self.span > 0.0 && self.span < 1.0;
        let expected =
            "anchor outside reach: it must lie in (0, 1), the chain is longer than the span";
        require(fits, "span", self.span, expected)?;
        non_negative("stretch", self.stretch)?;
        let expected = "a chain between two anchors is not stretched; use 0";
        require(
            !both || self.stretch == 0.0,
            "stretch",
            self.stretch,
            expected,
        )?;
        check_softness(self.hertz, self.damping_ratio)?;
        non_negative("gravity", self.gravity)
    }

    fn build(&self) -> Result<World, FieldError> {
        let string = LinkString {
            kind: self.kind,
            ends: self.ends,
            link: self.length,
            radius: self.radius,
            softness: softness(self.hertz, self.damping_ratio),
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

//! A suspension bridge of planks: many joints in series, and rows that depend on each other.

use delassus_core::parameter::{at_least, non_negative, positive, require};
use delassus_core::{ParameterError, parameters};
use delassus_dynamics::{Body, FieldError, Joint, Shape, World, WorldParts, rotation};
use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

use crate::curve;
use crate::registry::{Scene, SceneDescriptor};
use crate::rig::{ball, body_limit, check_softness, falling, hinge, softness};

/// How neighbouring planks of a bridge hold together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BridgeJoint {
    /// A ball joint at each of the two common corners: six rows, one of them redundant.
    Balls,
    /// A hinge along the common edge: five rows.
    Hinge,
}

parameters! {
    /// n planks along x between two fixed banks at height 0, the first bank at the origin.
    ///
    /// Without slack the bridge starts level, as in its source: then only the softness of the scheme lets it sag.
    Bridge {
        /// Number of planks \[-\]; >= 1, and >= 2 with slack.
        n: usize = 30,
        /// Half edges of a plank: along the bridge, up, across \[m\]; > 0.
        half: [f64; 3] = [0.5, 0.125, 0.5],
        /// Density \[kg/m³\]; > 0.
        density: f64 = 20.0,
        /// "balls" (two ball joints per edge) or "hinge".
        joint: BridgeJoint = BridgeJoint::Balls,
        /// Excess length of the planks over the distance of the banks, as a share of it \[-\]; >= 0.
        slack: f64 = 0.0,
        /// Decay rate of velocity and angular velocity \[1/s\]; >= 0.
        damping: f64 = 0.1,
        /// Frequency of every joint as if it were alone \[Hz\]; >= 0, 0 is rigid.
        hertz: f64 = 0.0,
        /// Damping ratio that goes with hertz \[-\]; >= 0.
        damping_ratio: f64 = 1.0,
        /// Gravity \[m/s²\]; >= 0.
        gravity: f64 = 10.0,
    }
}

impl Scene for Bridge {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "bridge",
        summary: "planks between two banks, with two ball joints per edge or with hinges",
        parameters: Self::PARAMETERS,
        citations: &["Catto2014", "Catto2024"],
    };

    fn validate(&self) -> Result<(), ParameterError> {
        at_least("n", self.n, 1, "there must be at least one plank")?;
        let enough = self.n >= 2 || self.slack == 0.0;
        require(
            enough,
            "n",
            self.n,
            "a single plank has no slack; use 2 planks or slack = 0",
        )?;
        body_limit("n", self.n, self.n.checked_add(1))?;
        for half in self.half {
            positive("half", half)?;
        }
        positive("density", self.density)?;
        non_negative("slack", self.slack)?;
        non_negative("damping", self.damping)?;
        check_softness(self.hertz, self.damping_ratio)?;
        non_negative("gravity", self.gravity)
    }

    fn build(&self) -> Result<World, FieldError> {
        let length = 2.0 * self.half[0];
        let nodes = if self.slack == 0.0 {
            curve::chain(
                Vector3::zeros(),
                length,
                &vec![std::f64::consts::FRAC_PI_2; self.n],
            )
        } else {
            let span = length * self.n as f64 / (1.0 + self.slack);
            curve::arc(self.n, length, span)
        };
        let half = Vector3::from(self.half);
        let inertia = Shape::Box { half }.inertia(self.density)?;
        let mut parts = falling(self.gravity);
        let banks = parts.body(Body::fixed(Vector3::zeros()).named("banks"));
        let mut previous = banks;
        for (k, pair) in nodes.windows(2).enumerate() {
            let along = pair[1] - pair[0];
            let turn = rotation::about(&Vector3::z(), libm::atan2(along.y, along.x));
            let plank = Body::dynamic(inertia, 0.5 * (pair[0] + pair[1])).turned(turn);
            let plank = Body {
                linear_damping: self.damping,
                angular_damping: self.damping,
                ..plank.named(format!("plank {k}"))
            };
            let plank = parts.body(plank);
            self.join(&mut parts, [previous, plank], &pair[0]);
            previous = plank;
        }
        self.join(&mut parts, [previous, banks], &nodes[self.n]);
        parts.build()
    }
}

impl Bridge {
    /// Joins two bodies along the edge across the bridge at `node`.
    fn join(&self, parts: &mut WorldParts, bodies: [usize; 2], node: &Vector3<f64>) {
        let softness = softness(self.hertz, self.damping_ratio);
        let across = Vector3::new(0.0, 0.0, self.half[2]);
        let joints: Vec<Joint> = match self.joint {
            BridgeJoint::Balls => vec![
                ball(parts, bodies, &(node - across)),
                ball(parts, bodies, &(node + across)),
            ],
            BridgeJoint::Hinge => vec![hinge(parts, bodies, node, &Vector3::z())],
        };
        for joint in joints {
            parts.joint(
                joint
                    .named(format!("joint {}", parts.joints.len()))
                    .soft(softness),
            );
        }
    }
}

//! A suspension bridge of planks: many joints in series, and rows that depend on each other.

use delassus_core::parameter::require;
use delassus_core::{Choice, ParameterError, Parameters};
use delassus_dynamics::{
    Body, Cuboid, FieldError, Joint, ShapeGeometry, World, WorldParts, rotation,
};
use nalgebra::Vector3;

use crate::curve;
use crate::rig::{Spring, ball, body_limit, falling, hinge};
use crate::scene::{Scene, SceneDescriptor};

/// How neighbouring planks of a bridge hold together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum BridgeJoint {
    /// A ball joint at each of the two common corners: six rows, one of them redundant.
    Balls,
    /// A hinge along the common edge: five rows.
    Hinge,
}

/// n planks along x between two fixed banks at height 0, the first bank at the origin.
///
/// Without slack the bridge starts level, as in its source: then only the softness of the scheme
/// lets it sag.
#[derive(Debug, Clone, PartialEq, Parameters)]
#[parameters(check = "Self::check")]
pub struct Bridge {
    /// Number of planks. At least 2 with slack.
    #[parameter(default = 30, unit = "-", range = ">= 1")]
    pub n: usize,
    /// Half edges of a plank: along the bridge, up, across.
    #[parameter(default = [0.5, 0.125, 0.5], unit = "m", range = "> 0")]
    pub half: [f64; 3],
    /// Density.
    #[parameter(default = 20.0, unit = "kg/m³", range = "> 0")]
    pub density: f64,
    /// What holds two planks together.
    #[parameter(default = BridgeJoint::Balls)]
    pub joint: BridgeJoint,
    /// Excess length of the planks over the distance of the banks, as a share of it.
    #[parameter(default = 0.0, unit = "-", range = ">= 0")]
    pub slack: f64,
    /// Decay rate of velocity and angular velocity.
    #[parameter(default = 0.1, unit = "1/s", range = ">= 0")]
    pub damping: f64,
    /// Softness of the joints.
    #[parameter(flatten)]
    pub spring: Spring,
    /// Gravity.
    #[parameter(default = 10.0, unit = "m/s²", range = ">= 0")]
    pub gravity: f64,
}

impl Bridge {
    fn check(&self) -> Result<(), ParameterError> {
        let enough = self.n >= 2 || self.slack == 0.0;
        let expected = "a single plank has no slack; use 2 planks or slack = 0";
        require(enough, "n", self.n, expected)?;
        body_limit("n", self.n, self.n.checked_add(1))
    }
}

impl Scene for Bridge {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "bridge",
        summary: "planks between two banks, with two ball joints per edge or with hinges",
        citations: &["Catto2014", "Catto2024"],
    };

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
        let inertia = Cuboid { half }.inertia(self.density)?;
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
        let softness = self.spring.softness();
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

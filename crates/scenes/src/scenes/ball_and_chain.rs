//! A heavy ball on a chain of light links: a large mass ratio at the end of a long string.

use delassus_core::{ParameterError, Parameters};
use delassus_dynamics::{Body, Capsule, FieldError, ShapeGeometry, Sphere, World};
use delassus_systems::{Ends, LinkKind};
use nalgebra::Vector3;

use crate::curve;
use crate::rig::{Spring, body_limit, falling};
use crate::rope::{Rope, tie_to};
use crate::scene::{Scene, SceneDescriptor};

/// n capsules from the origin and a ball that touches the last of them, released from an angle.
///
/// The source is planar and has a ball of 8 m, 672 times as heavy as a link; in space a ball of 2 m
/// is 585 times as heavy.
#[derive(Debug, Clone, PartialEq, Parameters)]
#[parameters(check = "Self::check")]
pub struct BallAndChain {
    /// Number of links.
    #[parameter(default = 32, unit = "-", range = ">= 1")]
    pub n: usize,
    /// Length of a link between its joints. Its ends are rounded beyond them.
    #[parameter(default = 1.0, unit = "m", range = "> 0")]
    pub length: f64,
    /// Radius of a link.
    #[parameter(default = 0.125, unit = "m", range = "> 0")]
    pub radius: f64,
    /// Radius of the ball.
    #[parameter(default = 2.0, unit = "m", range = "> 0")]
    pub ball_radius: f64,
    /// Density.
    #[parameter(default = 20.0, unit = "kg/m³", range = "> 0")]
    pub density: f64,
    /// Angle from the downward vertical at the start, towards +x.
    #[parameter(default = std::f64::consts::FRAC_PI_2, unit = "rad")]
    pub angle: f64,
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

impl BallAndChain {
    fn check(&self) -> Result<(), ParameterError> {
        body_limit("n", self.n, self.n.checked_add(2))
    }
}

impl Scene for BallAndChain {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "ball-and-chain",
        summary: "chain of capsules with a heavy ball at its end",
        citations: &["Catto2024"],
    };

    fn build(&self) -> Result<World, FieldError> {
        let rope = Rope {
            kind: LinkKind::Rod,
            ends: Ends::Anchored,
            link: self.length,
            radius: self.radius,
            softness: self.spring.softness(),
        };
        let link = Capsule {
            half_length: 0.5 * self.length,
            radius: self.radius,
        };
        let link = link.inertia(self.density)?;
        let nodes = curve::chain(Vector3::zeros(), self.length, &vec![self.angle; self.n]);
        let mut parts = falling(self.gravity);
        let links = rope.add_bodies(&mut parts, &nodes, &vec![link; self.n]);
        let radius = self.ball_radius;
        let ball = Sphere { radius }.inertia(self.density)?;
        let end = nodes[self.n];
        let outwards = (end - nodes[self.n - 1]) / self.length;
        let ball = Body::dynamic(ball, end + radius * outwards).named("ball");
        let ball = parts.body(ball);
        tie_to(&mut parts, [links[self.n - 1], ball], &end, rope.softness);
        for body in parts.bodies.iter_mut().filter(|body| body.is_dynamic()) {
            body.linear_damping = self.damping;
            body.angular_damping = self.damping;
        }
        parts.build()
    }
}

//! A heavy ball on a chain of light links: a large mass ratio at the end of a long string.

use delassus_core::parameter::{at_least, finite, non_negative, positive};
use delassus_core::{ParameterError, parameters};
use delassus_dynamics::{Body, FieldError, Shape, World};
use nalgebra::Vector3;

use crate::curve;
use crate::registry::{Scene, SceneDescriptor};
use crate::rig::{body_limit, check_softness, falling, softness};
use crate::string::{Ends, LinkKind, LinkString, tie_to};

parameters! {
    /// n capsules from the origin and a ball that touches the last of them, released from an angle.
    ///
    /// The source is planar and has a ball of 8 m, 672 times as heavy as a link; in space a ball of 2 m is 585 times
    /// as heavy.
    BallAndChain {
        /// Number of links \[-\]; >= 1.
        n: usize = 32,
        /// Length of a link between its joints \[m\]; > 0. Its ends are rounded beyond them.
        length: f64 = 1.0,
        /// Radius of a link \[m\]; > 0.
        radius: f64 = 0.125,
        /// Radius of the ball \[m\]; > 0.
        ball_radius: f64 = 2.0,
        /// Density \[kg/m³\]; > 0.
        density: f64 = 20.0,
        /// Angle from the downward vertical at the start, towards +x \[rad\].
        angle: f64 = std::f64::consts::FRAC_PI_2,
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

impl Scene for BallAndChain {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "ball-and-chain",
        summary: "chain of capsules with a heavy ball at its end",
        parameters: Self::PARAMETERS,
        citations: &["Catto2024"],
    };

    fn validate(&self) -> Result<(), ParameterError> {
        at_least("n", self.n, 1, "there must be at least one link")?;
        body_limit("n", self.n, self.n.checked_add(2))?;
        positive("length", self.length)?;
        positive("radius", self.radius)?;
        positive("ball_radius", self.ball_radius)?;
        positive("density", self.density)?;
        finite("angle", self.angle)?;
        non_negative("damping", self.damping)?;
        check_softness(self.hertz, self.damping_ratio)?;
        non_negative("gravity", self.gravity)
    }

    fn build(&self) -> Result<World, FieldError> {
        let string = LinkString {
            kind: LinkKind::Rod,
            ends: Ends::Anchored,
            link: self.length,
            radius: self.radius,
            softness: softness(self.hertz, self.damping_ratio),
        };
        let link = Shape::Capsule {
            half_length: 0.5 * self.length,
            radius: self.radius,
        };
        let link = link.inertia(self.density)?;
        let nodes = curve::chain(Vector3::zeros(), self.length, &vec![self.angle; self.n]);
        let mut parts = falling(self.gravity);
        let links = string.add_bodies(&mut parts, &nodes, &vec![link; self.n]);
        let radius = self.ball_radius;
        let ball = Shape::Sphere { radius }.inertia(self.density)?;
        let end = nodes[self.n];
        let outwards = (end - nodes[self.n - 1]) / self.length;
        let ball = Body::dynamic(ball, end + radius * outwards).named("ball");
        let ball = parts.body(ball);
        tie_to(&mut parts, [links[self.n - 1], ball], &end, string.softness);
        for body in parts.bodies.iter_mut().filter(|body| body.is_dynamic()) {
            body.linear_damping = self.damping;
            body.angular_damping = self.damping;
        }
        parts.build()
    }
}

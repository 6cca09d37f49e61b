//! Pendulums of several links: chaotic, but with a constant energy.

use delassus_core::parameter::{at_least, finite, non_negative, positive};
use delassus_core::{ParameterError, parameters};
use delassus_dynamics::{FieldError, World};
use nalgebra::Vector3;

use crate::curve;
use crate::random::Random;
use crate::registry::{Scene, SceneDescriptor};
use crate::rig::{body_limit, falling, softness};
use crate::string::{Ends, LinkKind, LinkString};

parameters! {
    /// n links in series below the origin, each at its own angle, released from rest in the x-y plane.
    NPendulum {
        /// Number of links \[-\]; >= 1.
        n: usize = 3,
        /// "point" (point masses on massless rods) or "rod" (rods with ball joints).
        kind: LinkKind = LinkKind::Point,
        /// Length of a link \[m\]; > 0.
        length: f64 = 1.0,
        /// Radius of a rod \[m\]; > 0.
        radius: f64 = 0.05,
        /// Mass of a link \[kg\]; > 0.
        mass: f64 = 1.0,
        /// Mean angle of the links from the downward vertical, towards +x \[rad\].
        angle: f64 = 2.0,
        /// Largest deviation of a link's angle from the mean, drawn at random \[rad\]; >= 0.
        scatter: f64 = 0.2,
        /// Seed of the deviations.
        seed: u64 = 1,
        /// Gravity \[m/s²\]; >= 0.
        gravity: f64 = 9.81,
    }
}

impl Scene for NPendulum {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "n-pendulum",
        summary: "n links in series at random angles, released from rest: a double pendulum is n = 2",
        parameters: Self::PARAMETERS,
        citations: &[],
    };

    fn validate(&self) -> Result<(), ParameterError> {
        at_least("n", self.n, 1, "there must be at least one link")?;
        body_limit("n", self.n, self.n.checked_add(1))?;
        positive("length", self.length)?;
        positive("radius", self.radius)?;
        positive("mass", self.mass)?;
        finite("angle", self.angle)?;
        non_negative("scatter", self.scatter)?;
        non_negative("gravity", self.gravity)
    }

    fn build(&self) -> Result<World, FieldError> {
        let string = LinkString {
            kind: self.kind,
            ends: Ends::Anchored,
            link: self.length,
            radius: self.radius,
            softness: softness(0.0, 1.0),
        };
        let mut random = Random::new(self.seed);
        let angles: Vec<f64> = (0..self.n)
            .map(|_| self.angle + random.within(self.scatter))
            .collect();
        let nodes = curve::chain(Vector3::zeros(), self.length, &angles);
        let mut parts = falling(self.gravity);
        string.add(&mut parts, &nodes, &vec![self.mass; self.n])?;
        parts.build()
    }
}

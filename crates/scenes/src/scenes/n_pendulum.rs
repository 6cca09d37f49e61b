//! Pendulums of several links: chaotic, but with a constant energy.

use delassus_core::{ParameterError, Parameters, Softness};
use delassus_dynamics::{FieldError, World};
use delassus_systems::{Ends, LinkKind, SeededRng};
use nalgebra::Vector3;

use crate::curve;
use crate::rig::{body_limit, falling};
use crate::rope::Rope;
use crate::scene::{Scene, SceneDescriptor};

/// n links in series below the origin, each at its own angle, released from rest in the x-y plane.
#[derive(Debug, Clone, PartialEq, Parameters)]
#[parameters(check = "Self::check")]
pub struct NPendulum {
    /// Number of links.
    #[parameter(default = 3, unit = "-", range = ">= 1")]
    pub n: usize,
    /// What the links are.
    #[parameter(default = LinkKind::Point)]
    pub kind: LinkKind,
    /// Length of a link.
    #[parameter(default = 1.0, unit = "m", range = "> 0")]
    pub length: f64,
    /// Radius of a rod.
    #[parameter(default = 0.05, unit = "m", range = "> 0")]
    pub radius: f64,
    /// Mass of a link.
    #[parameter(default = 1.0, unit = "kg", range = "> 0")]
    pub mass: f64,
    /// Mean angle of the links from the downward vertical, towards +x.
    #[parameter(default = 2.0, unit = "rad")]
    pub angle: f64,
    /// Largest deviation of a link's angle from the mean, drawn at random.
    #[parameter(default = 0.2, unit = "rad", range = ">= 0")]
    pub scatter: f64,
    /// Seed of the deviations.
    #[parameter(default = 1, unit = "-")]
    pub seed: u64,
    /// Gravity.
    #[parameter(default = 9.81, unit = "m/s²", range = ">= 0")]
    pub gravity: f64,
}

impl NPendulum {
    fn check(&self) -> Result<(), ParameterError> {
        body_limit("n", self.n, self.n.checked_add(1))
    }
}

impl Scene for NPendulum {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "n-pendulum",
        summary: "n links in series at random angles, released from rest: a double pendulum is n = 2",
        citations: &[],
    };

    fn build(&self) -> Result<World, FieldError> {
        let rope = Rope {
            kind: self.kind,
            ends: Ends::Anchored,
            link: self.length,
            radius: self.radius,
            softness: Softness::Rigid,
        };
        let mut random = SeededRng::new(self.seed);
        let angles: Vec<f64> = (0..self.n)
            .map(|_| self.angle + random.within(self.scatter))
            .collect();
        let nodes = curve::chain(Vector3::zeros(), self.length, &angles);
        let mut parts = falling(self.gravity);
        rope.add(&mut parts, &nodes, &vec![self.mass; self.n])?;
        parts.build()
    }
}

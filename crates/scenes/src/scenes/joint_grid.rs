//! A net of balls: loops of joints, which no ordering of the rows solves in one sweep.

use delassus_core::{ParameterError, Parameters};
use delassus_dynamics::{
    Body, BodyKind, FieldError, Inertia, ShapeGeometry, Sphere, World, WorldParts,
};
use delassus_systems::{JointGrid, NetSink};
use nalgebra::Vector3;

use crate::rig::{Spring, ball, body_limit, falling};
use crate::scene::{Scene, SceneDescriptor};

/// A net of balls that swings.
#[derive(Debug, Clone, PartialEq, Parameters)]
#[parameters(check = "Self::check")]
pub struct JointGridWorld {
    /// The net.
    #[parameter(flatten)]
    pub grid: JointGrid,
    /// Softness of the joints.
    #[parameter(flatten)]
    pub spring: Spring,
}

impl JointGridWorld {
    fn check(&self) -> Result<(), ParameterError> {
        let n = self.grid.n;
        body_limit("n", n, n.checked_mul(n))
    }
}

impl Scene for JointGridWorld {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "joint-grid",
        summary: "net of n x n balls with ball joints, hung from balls of its top row",
        citations: &["Catto2024"],
    };

    fn build(&self) -> Result<World, FieldError> {
        let radius = self.grid.radius;
        let rows = 0..self.grid.n;
        let inertias = rows.map(|row| Sphere { radius }.solid(self.grid.mass_of(row)));
        let mut net = Net {
            own: self,
            inertias: inertias.collect::<Result<_, _>>()?,
            parts: falling(self.grid.gravity),
        };
        self.grid.lay(&mut net);
        net.parts.build()
    }
}

/// Takes a net ball by ball, joint by joint.
struct Net<'a> {
    own: &'a JointGridWorld,
    /// Inertia of a ball of each row.
    inertias: Vec<Inertia>,
    parts: WorldParts,
}

impl NetSink for Net<'_> {
    fn place(&mut self, row: usize, column: usize, fixed: bool) {
        let place = Vector3::new(column as f64, 0.0 - row as f64, 0.0);
        let mut body = Body::dynamic(self.inertias[row], self.own.grid.spacing * place);
        if fixed {
            body.kind = BodyKind::Static;
        }
        self.parts.body(body.named(format!("ball {row} {column}")));
    }

    /// Ties two neighbours halfway.
    fn tie(&mut self, _: usize, bodies: [usize; 2], _: bool) {
        let [a, b] = bodies.map(|body| self.parts.bodies[body].position.to_vector());
        let joint = ball(&self.parts, bodies, &(0.5 * (a + b)));
        self.parts.joint(joint.soft(self.own.spring.softness()));
    }
}

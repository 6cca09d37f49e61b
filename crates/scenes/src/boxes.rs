//! Piles of boxes that move: a scene for every system of boxes.

use delassus_core::{ParameterError, Parameters};
use delassus_dynamics::{
    Body, ContactPoint, Cuboid, FieldError, Inertia, Manifold, ShapeGeometry, World, WorldParts,
};
use delassus_systems::{BoxSink, BoxSystem, Boxes, GROUND};
use nalgebra::Vector3;

use crate::rig::body_limit;
use crate::scene::{Scene, SceneDescriptor};

/// A system of boxes with contact manifolds, which stay for the whole run.
#[derive(Debug, Clone, PartialEq, Parameters)]
#[parameters(check = "Self::check")]
pub struct BoxWorld<S: BoxSystem> {
    /// The boxes.
    #[parameter(flatten)]
    pub system: S,
    /// Coefficient of restitution.
    #[parameter(default = 0.0, unit = "-", range = "[0, 1]")]
    pub restitution: f64,
}

impl<S: BoxSystem> BoxWorld<S> {
    fn check(&self) -> Result<(), ParameterError> {
        let (parameter, value) = self.system.extent();
        let boxes = self.system.counts().boxes;
        body_limit(parameter, value, boxes.and_then(|n| n.checked_add(1)))
    }
}

impl<S: BoxSystem> Scene for BoxWorld<S> {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: S::ID,
        summary: S::SUMMARY,
        citations: &["Catto2024"],
    };

    fn build(&self) -> Result<World, FieldError> {
        let mut pile = Pile::new(
            self.system.boxes(),
            self.restitution,
            self.system.layers().0,
        )?;
        self.system.lay(&mut pile);
        pile.parts.build()
    }
}

/// Collects boxes and manifolds.
#[derive(Debug)]
struct Pile<'a> {
    boxes: &'a Boxes,
    restitution: f64,
    /// Inertia of a box of each layer.
    inertias: Vec<Inertia>,
    parts: WorldParts,
}

impl<'a> Pile<'a> {
    /// A pile of `layers` layers on the ground.
    fn new(boxes: &'a Boxes, restitution: f64, layers: usize) -> Result<Self, FieldError> {
        let (sine, cosine) = boxes.slope();
        let mut parts = WorldParts {
            gravity: boxes.gravity * Vector3::new(sine, -cosine, 0.0),
            ..WorldParts::default()
        };
        parts.body(Body::fixed(Vector3::zeros()).named("ground"));
        let half = Vector3::repeat(0.5 * boxes.size);
        let inertias = (0..layers).map(|k| Cuboid { half }.solid(boxes.mass_of(k, layers)));
        Ok(Self {
            boxes,
            restitution,
            inertias: inertias.collect::<Result<_, _>>()?,
            parts,
        })
    }

    /// A manifold with one normal and pairs of anchors.
    fn touch(&mut self, bodies: [usize; 2], normal: Vector3<f64>, anchors: [[Vector3<f64>; 2]; 4]) {
        let points = anchors.map(|anchors| ContactPoint {
            anchors,
            radii: [0.0; 2],
        });
        let Boxes { friction, law, .. } = *self.boxes;
        let mut manifold = Manifold::new(bodies, normal, points.to_vec(), friction, law);
        manifold.restitution = self.restitution;
        self.parts.manifolds.push(manifold);
    }
}

impl BoxSink for Pile<'_> {
    fn place(&mut self, x: f64, layer: usize, z: f64) -> usize {
        let Boxes {
            size, gap, speed, ..
        } = *self.boxes;
        let y = (layer as f64 + 0.5) * size + (layer + 1) as f64 * gap;
        let body = Body::dynamic(self.inertias[layer], Vector3::new(x, y, z));
        let body = body.moving(Vector3::new(speed, 0.0, 0.0), Vector3::zeros());
        let name = format!("box {}", self.parts.bodies.len());
        self.parts.body(body.named(name))
    }

    /// Contact points at the corners of the common face; its edges are those of the boxes.
    fn stand(&mut self, upper: usize, lower: usize, _: [f64; 2]) {
        let half = 0.5 * self.boxes.size;
        let [above, below] =
            [upper, lower].map(|body| self.parts.bodies[body].position.to_vector());
        // edges of the rectangle along one axis of the world
        let edges = |axis: usize| {
            let (low, high) = (above[axis] - half, above[axis] + half);
            if lower == GROUND {
                [low, high]
            } else {
                [low.max(below[axis] - half), high.min(below[axis] + half)]
            }
        };
        let (x, z) = (edges(0), edges(2));
        let top = if lower == GROUND { 0.0 } else { half };
        let ring = [[x[0], z[0]], [x[1], z[0]], [x[1], z[1]], [x[0], z[1]]];
        let anchors = ring.map(|[x, z]| {
            [
                Vector3::new(x - below.x, top, z - below.z),
                Vector3::new(x - above.x, -half, z - above.z),
            ]
        });
        self.touch([lower, upper], Vector3::y(), anchors);
    }

    fn adjoin(&mut self, first: usize, second: usize, axis: usize) {
        let normal = Vector3::ith(axis, 1.0);
        let along = Vector3::ith(2 - axis, 1.0);
        let half = 0.5 * self.boxes.size;
        let ring = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
        let anchors = ring.map(|[a, b]| {
            let corner = a * along + b * Vector3::y();
            [half * (corner + normal), half * (corner - normal)]
        });
        self.touch([first, second], normal, anchors);
    }
}

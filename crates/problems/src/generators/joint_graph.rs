//! Bodies tied by joints of one kind: a problem of any size whose constraints all have the same
//! number of rows.

use delassus_core::{
    Choice, Law, MassProperties, ParameterError, Parameters, ProblemBuilder, ProblemError,
};
use delassus_systems::SeededRng;
use nalgebra::{Matrix3, Vector3};

use super::chain::joint_row;
use super::limit::row_limit;
use super::{Generated, Generator, GeneratorDescriptor, Size};

/// Which bodies a joint ties.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum Graph {
    /// Neighbours of a cubic lattice, in the order of the lattice: what is near in space is near in
    /// memory.
    Lattice,
    /// Any two bodies, six joints per body on average: no order helps a cache.
    Random,
}

/// Spheres tied by joints of one kind, all moving at random. The anchors and axes of the joints are
/// random.
#[derive(Debug, Clone, PartialEq, Parameters)]
#[parameters(check = "Self::check")]
pub struct JointGraph {
    /// Number of joints.
    #[parameter(default = 100, unit = "-", range = ">= 1")]
    pub count: usize,
    /// Rows of a joint. 1 rod, 2 point on a line, 3 ball joint, 4 universal joint, 5 hinge, 6 weld.
    #[parameter(default = 3, unit = "-", range = "[1, 6]")]
    pub dof: usize,
    /// Bodies that a joint ties.
    #[parameter(default = Graph::Lattice)]
    pub graph: Graph,
    /// Seed of anchors, axes, masses, velocities and of the random graph.
    #[parameter(default = 1, unit = "-")]
    pub seed: u64,
}

/// Half of the distance of two tied bodies, and how far an anchor is from the middle between them
/// \[m\].
const HALF: f64 = 0.5;
const JITTER: f64 = 0.2;

impl JointGraph {
    fn check(&self) -> Result<(), ParameterError> {
        row_limit("count", self.count, self.count.checked_mul(self.dof))
    }
}

impl Generator for JointGraph {
    const DESCRIPTOR: GeneratorDescriptor = GeneratorDescriptor {
        id: "joint-graph",
        summary: "bodies on a lattice or a random graph, tied by joints of 1 to 6 rows",
        reference: "none",
    };

    fn size(&self) -> Size {
        // a random graph has a body for three joints, a small lattice as many as joints and a few
        // more
        Size::new(self.count + 8, self.count, self.count * self.dof)
    }

    fn build(&self) -> Result<Generated, ProblemError> {
        let mut random = SeededRng::new(self.seed);
        let edges = match self.graph {
            Graph::Lattice => lattice(self.count),
            Graph::Random => scattered(self.count, &mut random),
        };
        let bodies = edges.iter().map(|edge| edge.bodies[1] + 1).max();
        let mut builder = ProblemBuilder::new();
        for _ in 0..bodies.unwrap_or(0) {
            let mass = random.uniform(0.5, 2.0);
            // a sphere of 0.4 m: ⅖ m r²
            let moment = 0.4 * mass * 0.4 * 0.4;
            let properties = MassProperties::aligned(mass, Vector3::repeat(moment));
            let (v, w) = (random.in_cube(1.0), random.in_cube(1.0));
            builder.body(properties, [v.x, v.y, v.z, w.x, w.y, w.z]);
        }
        for edge in &edges {
            let offset = random.in_cube(JITTER);
            let arms = [HALF * edge.towards + offset, offset - HALF * edge.towards];
            let rows = joint(self.dof, &random.rotation(), arms);
            builder.block(Law::Equality, &edge.bodies, &rows);
        }
        let problem = builder.build()?;
        Ok(Generated {
            problem,
            reference: None,
        })
    }
}

/// Two bodies, the one with the smaller index first, and the direction from the first to the
/// second.
struct Edge {
    bodies: [usize; 2],
    towards: Vector3<f64>,
}

/// The first `count` edges of the smallest cube that has so many, body by body.
fn lattice(count: usize) -> Vec<Edge> {
    let edges_of = |side: usize| 3 * side * side * (side - 1);
    let side = (2..).find(|side| edges_of(*side) >= count).unwrap_or(2);
    let strides = [
        (1, Vector3::x()),
        (side, Vector3::y()),
        (side * side, Vector3::z()),
    ];
    let edges = (0..side * side * side).flat_map(|body| {
        let inner = strides.into_iter();
        let inner = inner.filter(move |(stride, _)| body / stride % side + 1 < side);
        inner.map(move |(stride, towards)| Edge {
            bodies: [body, body + stride],
            towards,
        })
    });
    edges.take(count).collect()
}

/// Edges between any two bodies; two bodies may be tied twice.
fn scattered(count: usize, random: &mut SeededRng) -> Vec<Edge> {
    let bodies = count.div_ceil(3).max(2);
    let edges = (0..count).map(|_| {
        let first = random.index(bodies);
        // any of the others
        let second = (first + 1 + random.index(bodies - 1)) % bodies;
        Edge {
            bodies: [first.min(second), first.max(second)],
            towards: random.direction(),
        }
    });
    edges.collect()
}

/// Rows of a joint: one or two along axes of its frame, or three of its point and up to three
/// rotations.
fn joint(dof: usize, frame: &Matrix3<f64>, arms: [Vector3<f64>; 2]) -> Vec<[[f64; 6]; 2]> {
    let axis = |i: usize| frame.column(i).into_owned();
    if dof < 3 {
        return (0..dof).map(|i| joint_row(&axis(i), arms)).collect();
    }
    let point = [Vector3::x(), Vector3::y(), Vector3::z()];
    let point = point.iter().map(|axis| joint_row(axis, arms));
    let turning = (0..dof - 3).map(|i| {
        let d = axis(i);
        let second = [0.0, 0.0, 0.0, d.x, d.y, d.z];
        [second.map(|x| -x), second]
    });
    point.chain(turning).collect()
}

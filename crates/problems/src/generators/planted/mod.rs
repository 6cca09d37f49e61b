//! Random problems with a planted solution.
//!
//! Choose λ* ∈ K and a complementary ŵ*, block by block, and set the bias to b_pos = w* − (A + R)λ* − J v_f
//! (E.10): λ* solves the problem exactly up to the rounding of one product, whatever the size, the rank or
//! the mass ratio.

mod geometry;
mod plant;
mod random;

use delassus_core::{LawKind, MemoryLimit, ParameterError, Problem, ProblemBuilder, ProblemError};
use serde::{Deserialize, Serialize};

use super::parameters::{
    at_least, fraction, non_negative, parameters, positive, require, row_limit,
};
use super::{Generated, Generator, GeneratorDescriptor, Size};
use crate::matrix::{pair_memory, to_matrix_within};
use crate::named::Reference;
use geometry::{Draft, Shape, World};
pub(crate) use random::Random;

/// How the operator of a planted problem is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// Bodies and Jacobians.
    Bodies,
    /// The assembled matrix A.
    Matrix,
}

parameters! {
    /// A random problem with a known solution: random bodies, a random graph of joints and contacts, one count per law.
    Planted {
        /// Number of movable bodies \[-\]; >= 1 (2 with gears). The ground comes on top.
        bodies: usize = 10,
        /// Number of ball joints (3 equality rows) \[-\].
        equality: usize = 0,
        /// Number of gears (1 equality row that touches three bodies) \[-\].
        gears: usize = 0,
        /// Number of limits and motors (1 row with bounds, finite or not) \[-\].
        bounds: usize = 0,
        /// Number of contacts without friction, F0 \[-\].
        frictionless: usize = 0,
        /// Number of contacts with a fixed friction limit, F1 \[-\].
        fixed_box: usize = 0,
        /// Number of contacts with pyramid friction, F2 \[-\].
        pyramid: usize = 0,
        /// Number of contacts with disc friction, F3 \[-\].
        disc: usize = 0,
        /// Number of Coulomb contacts, F5 \[-\].
        coulomb: usize = 20,
        /// Number of contacts with the convex cone, F6 \[-\].
        convex_cone: usize = 0,
        /// Number of patches of four points \[-\]. Their four normals have rank three.
        patch: usize = 0,
        /// Number of blocks that repeat the Jacobian of another block: each lowers the rank by its dimension \[-\].
        redundant: usize = 0,
        /// Rows of a contact \[-\]: 2 or 3.
        contact_dim: usize = 3,
        /// Weight of sticking contacts and of rows between their bounds \[-\]; >= 0.
        stick: f64 = 1.0,
        /// Weight of sliding contacts and of rows at a bound \[-\]; >= 0.
        slide: f64 = 1.0,
        /// Weight of open contacts \[-\]; >= 0.
        open: f64 = 1.0,
        /// Share of the active conditions that hold without force or without velocity: no strict complementarity \[-\]; in \[0, 1\].
        degenerate: f64 = 0.0,
        /// Largest friction coefficient; each contact draws between a fifth of it and it \[-\]; >= 0.
        friction: f64 = 0.5,
        /// Heaviest over lightest body, log-uniform in between \[-\]; >= 1.
        mass_ratio: f64 = 1.0,
        /// Share of blocks whose second body is the ground \[-\]; in \[0, 1\].
        grounded: f64 = 0.25,
        /// Compliance R of every row \[1/kg\]; >= 0.
        compliance: f64 = 0.0,
        /// "bodies", or "matrix" for the assembled A.
        form: Form = Form::Bodies,
        /// Seed of the random numbers \[-\].
        seed: u64 = 1,
    }
}

impl Generator for Planted {
    const DESCRIPTOR: GeneratorDescriptor = GeneratorDescriptor {
        id: "planted",
        summary: "random bodies, joints and contacts of any law with a known solution: rank deficiency, mass ratio, stick, slide and open contacts",
        parameters: Self::PARAMETERS,
        reference: "always; its velocities are the only solution if every law is convex (equality, bounds, F0, F1, F6)",
    };

    fn validate(&self) -> Result<(), ParameterError> {
        let least = if self.gears > 0 { 2 } else { 1 };
        at_least(
            "bodies",
            self.bodies,
            least,
            "at least one body, two with gears",
        )?;
        row_limit("bodies", self.bodies, self.bodies.checked_mul(6))?;
        let counts = self.counts();
        let blocks = counts
            .iter()
            .try_fold(0usize, |sum, (_, count)| sum.checked_add(*count));
        let shown = blocks.unwrap_or(usize::MAX);
        require(
            shown > 0,
            "coulomb",
            self.coulomb,
            "the problem needs at least one block",
        )?;
        // patches have the most rows
        let rows = blocks
            .and_then(|b| b.checked_add(self.redundant))
            .and_then(|b| b.checked_mul(7));
        row_limit("redundant", self.redundant, rows)?;
        let planar = self.contact_dim == 2 || self.contact_dim == 3;
        require(planar, "contact_dim", self.contact_dim, "it must be 2 or 3")?;
        non_negative("stick", self.stick)?;
        non_negative("slide", self.slide)?;
        non_negative("open", self.open)?;
        let weights = self.stick + self.slide + self.open;
        require(
            weights > 0.0 && weights.is_finite(),
            "stick",
            self.stick,
            "stick, slide and open must have a finite sum > 0",
        )?;
        fraction("degenerate", self.degenerate)?;
        non_negative("friction", self.friction)?;
        positive("mass_ratio", self.mass_ratio)?;
        require(
            self.mass_ratio >= 1.0,
            "mass_ratio",
            self.mass_ratio,
            "it must be >= 1",
        )?;
        fraction("grounded", self.grounded)?;
        non_negative("compliance", self.compliance)
    }

    fn size(&self) -> Size {
        let count = |count: usize, rows: usize| (count as u64, rows as u64);
        let kinds = self.counts().map(|(shape, number)| match shape {
            Shape::BallJoint => count(number, 3),
            Shape::Gear | Shape::Row => count(number, 1),
            Shape::Contact(_) => count(number, self.contact_dim),
            Shape::Patch => count(number, 7),
        });
        let widest = kinds.iter().filter(|(count, _)| *count > 0);
        let widest = widest.map(|(_, rows)| *rows).max().unwrap_or(0);
        let redundant = self.redundant as u64;
        let blocks = kinds.iter().map(|(count, _)| count).sum::<u64>() + redundant;
        let rows = kinds.iter().map(|(count, rows)| count * rows).sum::<u64>() + redundant * widest;
        let matrix = match self.form {
            Form::Bodies => 0,
            Form::Matrix => matrix_memory(self.bodies as u64, 2 * blocks, 2 * rows),
        };
        Size {
            bodies: self.bodies as u64,
            blocks,
            rows,
            // drafts with a vector per row
            beside: (400 * blocks + 200 * rows).saturating_add(matrix),
        }
    }

    fn build(&self) -> Result<Generated, ProblemError> {
        let mut random = Random::new(self.seed);
        let world = World::new(&mut random, self.bodies, self.mass_ratio);
        let drafts = self.drafts(&mut random, &world);
        let mut builder = ProblemBuilder::new();
        for (mass, velocity) in &world.bodies {
            builder.body(*mass, *velocity);
        }
        let (mut impulses, mut velocities) = (Vec::new(), Vec::new());
        for draft in &drafts {
            let planted = self.plant(&mut random, draft, world.scale(draft));
            builder.block(planted.law, &draft.bodies, &draft.rows);
            builder.compliance(&vec![self.compliance; draft.rows.len()]);
            impulses.extend(planted.impulses);
            velocities.extend(planted.velocities);
        }
        let mut problem = builder.build()?;
        if self.form == Form::Matrix {
            // counted by `size`
            problem = to_matrix_within(&problem, MemoryLimit::NONE)?;
        }
        set_bias(&mut problem, &impulses, &velocities)?;
        Ok(Generated {
            problem,
            reference: Some(Reference {
                impulses,
                provenance: "planted".to_owned(),
                residual: None,
            }),
        })
    }
}

impl Planted {
    fn counts(&self) -> [(Shape, usize); 10] {
        let contact = |law| Shape::Contact(law);
        [
            (Shape::BallJoint, self.equality),
            (Shape::Gear, self.gears),
            (Shape::Row, self.bounds),
            (contact(LawKind::Frictionless), self.frictionless),
            (contact(LawKind::FixedBox), self.fixed_box),
            (contact(LawKind::Pyramid), self.pyramid),
            (contact(LawKind::Disc), self.disc),
            (contact(LawKind::Coulomb), self.coulomb),
            (contact(LawKind::ConvexCone), self.convex_cone),
            (Shape::Patch, self.patch),
        ]
    }

    /// Blocks in random order, then the redundant ones.
    fn drafts(&self, random: &mut Random, world: &World) -> Vec<Draft> {
        let mut shapes: Vec<Shape> = Vec::new();
        for (shape, count) in self.counts() {
            shapes.extend(std::iter::repeat_n(shape, count));
        }
        random.shuffle(&mut shapes);
        let mut drafts: Vec<Draft> = shapes
            .into_iter()
            .map(|shape| world.draft(random, shape, self.contact_dim, self.grounded))
            .collect();
        let distinct = drafts.len();
        for _ in 0..self.redundant {
            drafts.push(drafts[random.index(distinct)].clone());
        }
        drafts
    }
}

/// Bytes of the matrix of a random graph, where `bodies` are touched by as many blocks and rows altogether \[B\].
fn matrix_memory(bodies: u64, blocks: u64, rows: u64) -> u64 {
    // the busiest of many bodies: a half more than the mean, and a few
    let each = |sum: u64| 3 * sum / (2 * bodies) + 8;
    bodies.saturating_mul(pair_memory(each(blocks), each(rows)))
}

/// b_pos = w − (A + R)λ − J v_f (E.10).
fn set_bias(problem: &mut Problem, impulses: &[f64], w: &[f64]) -> Result<(), ProblemError> {
    let mut without = vec![0.0; w.len()];
    problem.shifted_velocity(impulses, &mut without);
    let bias: Vec<f64> = w.iter().zip(&without).map(|(w, x)| w - x).collect();
    problem.set_bias(&bias)
}

//! Random problems with a planted solution.
//!
//! Choose λ* ∈ K and a complementary ŵ*, block by block, and set the bias to b_pos = w* − (A + R)λ*
//! − J v_f (E.10): λ* solves the problem exactly up to the rounding of one product, whatever the
//! size, the rank or the mass ratio.

pub(super) mod coupled;
mod geometry;
mod plant;
pub(super) mod scaled;
mod shared;

use delassus_core::parameter::require;
use delassus_core::{
    Choice, LawKind, MemoryLimit, ParameterError, Parameters, Problem, ProblemBuilder, ProblemError,
};
use delassus_systems::SeededRng;

use super::limit::row_limit;
use super::{Generated, Generator, GeneratorDescriptor, Size};
use crate::matrix::{pair_memory, to_matrix_within};
use crate::named::KnownSolution;
use geometry::{Draft, Shape, World};

/// How the operator of a planted problem is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum OperatorForm {
    /// Bodies and Jacobians.
    Bodies,
    /// The assembled matrix A.
    Matrix,
}

/// A random problem with a known solution: random bodies, a random graph of joints and contacts,
/// one count per law.
#[derive(Debug, Clone, PartialEq, Parameters)]
#[parameters(check = "Self::check")]
pub struct Planted {
    /// Number of movable bodies. Two at least with gears; the ground comes on top.
    #[parameter(default = 10, unit = "-", range = ">= 1")]
    pub bodies: usize,
    /// Number of ball joints (3 equality rows).
    #[parameter(default = 0, unit = "-")]
    pub equality: usize,
    /// Number of gears (1 equality row that touches three bodies).
    #[parameter(default = 0, unit = "-")]
    pub gears: usize,
    /// Number of limits and motors (1 row with bounds, finite or not).
    #[parameter(default = 0, unit = "-")]
    pub bounds: usize,
    /// Number of contacts without friction, F0.
    #[parameter(default = 0, unit = "-")]
    pub frictionless: usize,
    /// Number of contacts with a fixed friction limit, F1.
    #[parameter(default = 0, unit = "-")]
    pub fixed_box: usize,
    /// Number of contacts with pyramid friction, F2.
    #[parameter(default = 0, unit = "-")]
    pub pyramid: usize,
    /// Number of contacts with disc friction, F3.
    #[parameter(default = 0, unit = "-")]
    pub disc: usize,
    /// Number of Coulomb contacts, F5.
    #[parameter(default = 20, unit = "-")]
    pub coulomb: usize,
    /// Number of contacts with the convex cone, F6.
    #[parameter(default = 0, unit = "-")]
    pub convex_cone: usize,
    /// Number of patches of four points. Their four normals have rank three.
    #[parameter(default = 0, unit = "-")]
    pub patch: usize,
    /// Number of contacts with facets, F4.
    #[parameter(default = 0, unit = "-")]
    pub facets: usize,
    /// Directions of friction of a contact with facets; even.
    #[parameter(default = 8, unit = "-", range = "[4, 1024]")]
    pub directions: usize,
    /// Number of contacts that resist rolling (5 rows), F8.
    #[parameter(default = 0, unit = "-")]
    pub rolling: usize,
    /// Number of contacts that resist rolling and spinning (6 rows), F8.
    #[parameter(default = 0, unit = "-")]
    pub spinning: usize,
    /// Number of blocks that repeat the Jacobian of another block: each lowers the rank by its
    /// dimension.
    #[parameter(default = 0, unit = "-")]
    pub redundant: usize,
    /// Rows of a contact.
    #[parameter(default = 3, unit = "-", range = "[2, 3]")]
    pub contact_dim: usize,
    /// Weight of sticking contacts and of rows between their bounds.
    #[parameter(default = 1.0, unit = "-", range = ">= 0")]
    pub stick: f64,
    /// Weight of sliding contacts and of rows at a bound.
    #[parameter(default = 1.0, unit = "-", range = ">= 0")]
    pub slide: f64,
    /// Weight of open contacts.
    #[parameter(default = 1.0, unit = "-", range = ">= 0")]
    pub open: f64,
    /// Share of the active conditions that hold without force or without velocity: no strict
    /// complementarity.
    #[parameter(default = 0.0, unit = "-", range = "[0, 1]")]
    pub degenerate: f64,
    /// Largest friction coefficient; each contact draws between a fifth of it and it.
    #[parameter(default = 0.5, unit = "-", range = ">= 0")]
    pub friction: f64,
    /// Heaviest over lightest body, log-uniform in between.
    #[parameter(default = 1.0, unit = "-", range = ">= 1")]
    pub mass_ratio: f64,
    /// Share of blocks whose second body is the ground.
    #[parameter(default = 0.25, unit = "-", range = "[0, 1]")]
    pub grounded: f64,
    /// Compliance R of every row.
    #[parameter(default = 0.0, unit = "1/kg", range = ">= 0")]
    pub compliance: f64,
    /// How the operator is given.
    #[parameter(default = OperatorForm::Bodies)]
    pub form: OperatorForm,
    /// Seed of the random numbers.
    #[parameter(default = 1, unit = "-")]
    pub seed: u64,
}

impl Planted {
    fn check(&self) -> Result<(), ParameterError> {
        let grounded = self.gears == 0 || self.bodies >= 2;
        let expected = "a gear needs two bodies";
        require(grounded, "bodies", self.bodies, expected)?;
        require(
            self.directions.is_multiple_of(2),
            "directions",
            self.directions,
            "an even number",
        )?;
        row_limit("bodies", self.bodies, self.bodies.checked_mul(6))?;
        self.check_read()?;
        let counts = self.counts();
        let mut counts = counts.iter();
        let blocks = counts.try_fold(0usize, |sum, (_, count)| sum.checked_add(*count));
        let expected = "the problem needs at least one block";
        require(blocks != Some(0), "coulomb", self.coulomb, expected)?;
        // patches have the most rows
        let blocks = blocks.and_then(|blocks| blocks.checked_add(self.redundant));
        let rows = blocks.and_then(|blocks| blocks.checked_mul(7));
        row_limit("redundant", self.redundant, rows)?;
        let weights = self.stick + self.slide + self.open;
        let fits = weights > 0.0 && weights.is_finite();
        let expected = "stick, slide and open must have a finite sum > 0";
        require(fits, "stick", self.stick, expected)
    }

    /// Refuses `directions` that no contact has, where they are not the default.
    fn check_read(&self) -> Result<(), ParameterError> {
        let default = Self::default();
        let read = self.facets > 0 || self.directions == default.directions;
        let expected = "only the law facets has directions, and facets is 0: leave it out";
        require(read, "directions", self.directions, expected)
    }
}

impl Generator for Planted {
    const DESCRIPTOR: GeneratorDescriptor = GeneratorDescriptor {
        id: "planted",
        summary: "random bodies, joints and contacts of any law with a known solution: rank deficiency, mass ratio, stick, slide and open contacts",
        reference: "always; its velocities are the only solution if every law is convex (equality, bounds, F0, F1, F6)",
    };

    fn size(&self) -> Size {
        let count = |count: usize, rows: usize| (count as u64, rows as u64);
        let kinds = self.counts().map(|(shape, number)| match shape {
            Shape::BallJoint => count(number, 3),
            Shape::Gear | Shape::Row => count(number, 1),
            Shape::Contact(_) => count(number, self.contact_dim),
            Shape::Patch => count(number, 7),
            Shape::Rolling => count(number, 5),
            Shape::Spinning => count(number, 6),
            Shape::Scaled(_, rows) => count(number, rows),
        });
        let widest = kinds.iter().filter(|(count, _)| *count > 0);
        let widest = widest.map(|(_, rows)| *rows).max().unwrap_or(0);
        let redundant = self.redundant as u64;
        let blocks = kinds.iter().map(|(count, _)| count).sum::<u64>() + redundant;
        let rows = kinds.iter().map(|(count, rows)| count * rows).sum::<u64>() + redundant * widest;
        let matrix = match self.form {
            OperatorForm::Bodies => 0,
            OperatorForm::Matrix => matrix_memory(self.bodies as u64, 2 * blocks, 2 * rows),
        };
        Size {
            bodies: self.bodies as u64,
            blocks,
            rows,
            // drafts with a vector per row
            extra_bytes: (400 * blocks + 200 * rows).saturating_add(matrix),
        }
    }

    fn build(&self) -> Result<Generated, ProblemError> {
        self.build_coupled(0.0)
    }
}

impl Planted {
    /// The problem in which the rows of each block share the compliance `shared` s sᵀ, s random
    /// \[1/kg\].
    fn build_coupled(&self, shared: f64) -> Result<Generated, ProblemError> {
        self.build_with(shared, &[])
    }

    /// The same with blocks of further shapes.
    fn build_with(&self, shared: f64, others: &[Shape]) -> Result<Generated, ProblemError> {
        let mut random = SeededRng::new(self.seed);
        let world = World::new(&mut random, self.bodies, self.mass_ratio);
        let drafts = self.drafts(&mut random, &world, others);
        // numbers of their own: the rest is that of the problem without coupling
        let mut signs = SeededRng::new(self.seed.wrapping_add(1));
        let mut builder = ProblemBuilder::new();
        for (mass, velocity) in &world.bodies {
            builder.body(*mass, *velocity);
        }
        let (mut impulses, mut velocities) = (Vec::new(), Vec::new());
        for draft in &drafts {
            let planted = self.plant(&mut random, draft, world.scale(draft));
            builder.block(planted.law, &draft.bodies, &draft.rows);
            builder.compliance(&vec![self.compliance; draft.rows.len()]);
            if shared > 0.0 {
                let matrix = shared::compliance(&mut signs, self.compliance, shared, &draft.rows);
                builder.compliance_matrix(&matrix);
            }
            impulses.extend(planted.impulses);
            velocities.extend(planted.velocities);
        }
        let mut problem = builder.build()?;
        if self.form == OperatorForm::Matrix {
            // counted by `size`
            problem = to_matrix_within(&problem, MemoryLimit::NONE)?;
        }
        set_bias(&mut problem, &impulses, &velocities)?;
        Ok(Generated {
            problem,
            reference: Some(KnownSolution::new(impulses, "planted")),
        })
    }
}

impl Planted {
    fn counts(&self) -> [(Shape, usize); 13] {
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
            (contact(LawKind::Facets), self.facets),
            (Shape::Rolling, self.rolling),
            (Shape::Spinning, self.spinning),
        ]
    }

    /// Blocks in random order, then the redundant ones.
    fn drafts(&self, random: &mut SeededRng, world: &World, others: &[Shape]) -> Vec<Draft> {
        let mut shapes: Vec<Shape> = others.to_vec();
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

/// Bytes of the matrix of a random graph, where `bodies` are touched by as many blocks and rows
/// altogether \[B\].
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

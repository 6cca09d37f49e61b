//! The frozen problem of one time step.

mod apply;
mod derived;
mod immobile;
mod islands;
mod lazy_vec;
mod parts;
mod renew;
mod reorder;
mod replace;
mod round;
mod size;
mod validate;

use crate::bodies::BodyRows;
use crate::coupled::CoupledCompliance;
use crate::error::ProblemError;
use crate::jacobian::{POINT_ENTRIES, POINT_ROWS};
use crate::law::{Block, LawKind};
use derived::DerivedFacts;
pub use parts::{Activity, MatrixRows, Operator, ProblemParts, StepScale};
pub use renew::{Renewal, Renewed};
pub use round::RoundRows;

pub use islands::Island;

/// One frozen, validated velocity-level constraint problem (P.1–P.3):
///
/// M v⁺ = M v_f + Jᵀλ, w = J v⁺ + b_pos + Rλ = (A + R)λ + b, λ ∈ K(λ) complementary to w.
///
/// Signs: the bodies of a contact separate if w_n > 0, and λ_n ≥ 0 pushes them apart. The normal
/// row of a contact comes first. The structure, the Jacobians and the laws are fixed. Bias,
/// compliance, free velocity and activity can be replaced (`set_…`). Call
/// [`crate::ImpulseSolver::update`] afterwards; preparing again is not necessary. The vectors J v_f
/// and b are computed when they are first read, because solvers that store body velocities do not
/// need them.
#[derive(Debug, Clone)]
pub struct Problem {
    parts: ProblemParts,
    derived: DerivedFacts,
    /// The problem in round rows, if it has scaled laws (P.20).
    round: Option<Box<Self>>,
}

/// Memory for what follows from the parts of a problem.
#[derive(Debug, Clone, Default)]
pub(crate) struct ProblemMemory(DerivedFacts);

impl PartialEq for Problem {
    fn eq(&self, other: &Self) -> bool {
        // the derived facts follow from the parts
        self.parts == other.parts
    }
}

impl Problem {
    /// Validates the parts and freezes them. A friction row whose velocity no impulse can change
    /// gets a zero Jacobian and keeps a zero impulse (P.15).
    ///
    /// # Errors
    /// A [`ProblemError`] that names the row, block or body, for
    /// - numbers that are not finite, and indices out of range;
    /// - an inertia that is not symmetric positive semi-definite;
    /// - a negative μ, unordered bounds, or a compliance with a negative eigenvalue;
    /// - a row of a joint, bound or normal whose velocity no impulse can change;
    /// - a law that does not fit the dimension of its block.
    pub fn new(parts: ProblemParts) -> Result<Self, ProblemError> {
        Self::new_in(parts, ProblemMemory::default())
    }

    /// As [`Self::new`], in the memory of an earlier problem.
    pub(crate) fn new_in(
        mut parts: ProblemParts,
        memory: ProblemMemory,
    ) -> Result<Self, ProblemError> {
        if parts.activity.is_empty() {
            parts.activity.resize(parts.blocks.len(), Activity::Solve);
        }
        validate::parts(&parts)?;
        if let Operator::Bodies(bodies) = &mut parts.operator {
            let pairs = parts.blocks.iter().zip(bodies.first_entry.iter());
            let points = pairs.enumerate().all(|(index, (block, first))| {
                block.dim == POINT_ROWS && *first == POINT_ENTRIES * index
            });
            let all = bodies.jacobian.len() == POINT_ENTRIES * parts.blocks.len();
            bodies.jacobian.keep_points_if(points && all);
        }
        let mut derived = memory.0;
        derived.renew(&mut parts)?;
        let mut problem = Self {
            parts,
            derived,
            round: None,
        };
        problem.check_b()?;
        problem.renew_round()?;
        Ok(problem)
    }

    /// Number of rows m \[-\].
    pub fn rows(&self) -> usize {
        self.parts.bias.len()
    }

    /// The blocks, in row order.
    pub fn blocks(&self) -> &[Block] {
        &self.parts.blocks
    }

    /// The laws that occur in the problem, each once.
    pub fn laws(&self) -> impl Iterator<Item = LawKind> + '_ {
        let kinds = LawKind::ALL.iter().copied().zip(&self.derived.laws);
        kinds.filter(|(_, has)| **has).map(|(kind, _)| kind)
    }

    /// True if every row has a positive diagonal of A, so that no compliance is needed for it to
    /// move.
    pub(crate) fn moves_every_row(&self) -> bool {
        self.derived.movable
    }

    /// The index of the block that contains `row`.
    pub fn block_of_row(&self, row: usize) -> usize {
        self.derived.block_of_row[row] as usize
    }

    /// The bodies and Jacobians, or the matrix A.
    pub fn operator(&self) -> &Operator {
        &self.parts.operator
    }

    /// The bodies and Jacobians, if the problem has them.
    pub fn bodies(&self) -> Option<&BodyRows> {
        match &self.parts.operator {
            Operator::Bodies(bodies) => Some(bodies),
            Operator::Matrix(_) => None,
        }
    }

    /// b = J v_f + b_pos per row \[m/s | rad/s\] (P.2); the first call after a change computes it.
    pub fn b(&self) -> &[f64] {
        self.derived.b(&self.parts)
    }

    /// b_pos per row \[m/s | rad/s\].
    pub fn bias(&self) -> &[f64] {
        &self.parts.bias
    }

    /// Diagonal of the compliance R per row \[1/kg | 1/(kg·m²)\].
    pub fn compliance(&self) -> &[f64] {
        &self.parts.compliance
    }

    /// Returns true for a friction row whose velocity does not depend on any impulse. Its
    /// compliance is a substitute without physical meaning (P.15).
    pub fn is_immobile(&self, row: usize) -> bool {
        let rows = &self.derived.immobile;
        rows.binary_search_by_key(&row, |immobile| immobile.row)
            .is_ok()
    }

    /// Number of rows with compliance \[-\], without those for which [`Self::is_immobile`] is true.
    pub fn soft_rows(&self) -> usize {
        let soft = self.parts.compliance.iter().filter(|r| **r > 0.0);
        soft.count() - self.derived.immobile.len()
    }

    /// Off-diagonal entries of R; empty for most problems.
    pub fn coupled_compliance(&self) -> &CoupledCompliance {
        &self.parts.coupled_compliance
    }

    /// True if no row has compliance.
    pub fn is_rigid(&self) -> bool {
        self.derived.rigid
    }

    /// Diagonal of A, without R \[1/kg | 1/(kg·m²)\].
    pub fn diagonal(&self) -> &[f64] {
        &self.derived.diagonal
    }

    /// Least and largest A_ii + R_ii that is not zero \[1/kg | 1/(kg·m²)\]; infinity and zero if
    /// there is none.
    pub(crate) fn inverse_masses(&self) -> (f64, f64) {
        self.derived.inverse_masses(&self.parts)
    }

    /// Activity of every block, in the order of the blocks.
    pub fn activity(&self) -> &[Activity] {
        &self.parts.activity
    }

    /// The step that the problem was frozen from, if known.
    pub fn step(&self) -> Option<StepScale> {
        self.parts.step
    }

    /// Number of active rows of block `block`, which are its first rows \[-\].
    #[inline]
    pub fn active_dim(&self, block: usize) -> usize {
        let Block { dim, law, .. } = &self.parts.blocks[block];
        match self.parts.activity[block] {
            Activity::Solve => *dim,
            Activity::NormalsOnly => law.normals(*dim),
            Activity::Hold => 0,
        }
    }

    /// Returns the activity of the blocks if it is the same for all; [`Activity::Solve`] if there
    /// are no blocks.
    pub fn uniform_activity(&self) -> Option<Activity> {
        self.derived.uniform
    }

    /// True if every row is active.
    pub fn all_active(&self) -> bool {
        self.derived.uniform == Some(Activity::Solve)
    }

    /// Number of active rows \[-\].
    pub fn active_rows(&self) -> usize {
        match self.derived.uniform {
            Some(Activity::Solve) => self.rows(),
            Some(Activity::NormalsOnly) => self.derived.normals,
            Some(Activity::Hold) => 0,
            None => (0..self.parts.blocks.len())
                .map(|block| self.active_dim(block))
                .sum(),
        }
    }

    /// The parts, and the memory of what follows from them.
    pub(crate) fn into_memory(self) -> (ProblemParts, ProblemMemory) {
        (self.parts, ProblemMemory(self.derived))
    }

    /// Returns the parts, so that they can be changed and validated again.
    pub fn into_parts(self) -> ProblemParts {
        self.parts
    }
}

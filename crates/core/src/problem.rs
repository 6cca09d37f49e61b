//! The frozen problem of one time step.

mod apply;
mod replace;
mod size;
mod validate;

use std::sync::OnceLock;

use crate::bodies::BodyRows;
use crate::error::ProblemError;
use crate::law::{Block, LawKind};
use crate::sparse::BlockSparse;

pub(crate) use validate::first_not_finite;

/// Which rows of a block are solved for. A row that is not solved for keeps the impulse of the start
/// (zero in a cold start), and its condition is dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Activity {
    /// Every row.
    #[default]
    Solve,
    /// The normal rows; friction keeps its impulse.
    NormalsOnly,
    /// None.
    Hold,
}

/// Where the Delassus operator A = J M⁻¹ Jᵀ comes from.
#[derive(Debug, Clone, PartialEq)]
pub enum Operator {
    /// Bodies and Jacobians; A is never formed.
    Bodies(BodyRows),
    /// A itself: problems of files that carry no bodies.
    Matrix(MatrixRows),
}

impl Operator {
    /// v_f of the bodies, or J v_f of a matrix problem.
    fn free_velocity(&self) -> &[f64] {
        match self {
            Self::Bodies(bodies) => &bodies.free_velocity,
            Self::Matrix(matrix) => &matrix.free_velocity,
        }
    }
}

/// A problem given by its matrix. A may be slightly unsymmetric or indefinite: files are taken as they are.
#[derive(Debug, Clone, PartialEq)]
pub struct MatrixRows {
    /// A \[1/kg on linear rows\], partitioned like the problem's blocks.
    pub delassus: BlockSparse,
    /// J v_f per row \[m/s | rad/s\].
    pub free_velocity: Vec<f64>,
}

/// The step that a problem was frozen from; it only sets the energy scale of the residuals (M.3).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepScale {
    /// Time step h \[s\].
    pub dt: f64,
    /// Magnitude of gravity \[m/s²\].
    pub gravity: f64,
}

/// The parts of a problem, before validation.
#[derive(Debug, Clone, PartialEq)]
pub struct ProblemParts {
    /// Where A and the free velocity come from.
    pub operator: Operator,
    /// The blocks, in row order and without gaps.
    pub blocks: Vec<Block>,
    /// b_pos per row \[m/s | rad/s\]: stabilisation, restitution, motor targets.
    pub bias: Vec<f64>,
    /// Diagonal compliance R per row \[1/kg | 1/(kg·m²)\].
    pub compliance: Vec<f64>,
    /// Activity per block; empty means [`Activity::Solve`] everywhere.
    pub activity: Vec<Activity>,
    /// The step that the problem was frozen from, if known.
    pub step: Option<StepScale>,
}

/// One frozen, validated velocity-level constraint problem (P.1–P.3):
///
/// M v⁺ = M v_f + Jᵀλ, w = J v⁺ + b_pos + Rλ = (A + R)λ + b, λ ∈ K(λ) complementary to w.
///
/// w > 0 separates, λ ≥ 0 pushes, a contact's normal row comes first. The structure, the Jacobians and the
/// laws are fixed; bias, compliance, free velocity and activity can be replaced (`set_…`), after which a
/// solver needs [`crate::ImpulseSolver::refresh`] only. J v_f and b are computed when somebody asks for them: solvers
/// that keep velocities do not.
#[derive(Debug, Clone)]
pub struct Problem {
    parts: ProblemParts,
    /// J v_f; empty after a new free velocity.
    free: OnceLock<Vec<f64>>,
    /// Empty after a new free velocity or bias.
    b: OnceLock<Vec<f64>>,
    diagonal: Vec<f64>,
    block_of_row: Vec<u32>,
    /// True if the Jacobian and the free velocity are so small that J v_f is finite.
    small_free: bool,
    /// True if the Jacobian is that small.
    small_jacobian: bool,
    /// True if every row moves without compliance.
    movable: bool,
    /// Which of [`LawKind::ALL`] the blocks have.
    laws: [bool; LawKind::ALL.len()],
    /// The activity of every block, if they agree.
    uniform: Option<Activity>,
    /// Normal rows of all blocks \[-\].
    normals: usize,
    /// True if no row has compliance.
    rigid: bool,
}

impl PartialEq for Problem {
    fn eq(&self, other: &Self) -> bool {
        // the rest follows from the parts
        self.parts == other.parts
    }
}

impl Problem {
    /// Validates the parts and freezes them.
    ///
    /// # Errors
    /// A [`ProblemError`] that names the row, block or body: non-finite numbers, an inertia that is not
    /// symmetric positive semi-definite, indices out of range, negative μ or compliance, unordered bounds,
    /// rows that no impulse can move, a law that does not fit the block's dimension.
    pub fn new(mut parts: ProblemParts) -> Result<Self, ProblemError> {
        if parts.activity.is_empty() {
            parts.activity = vec![Activity::Solve; parts.blocks.len()];
        }
        validate::parts(&parts)?;
        let rows = parts.bias.len();
        let mut block_of_row = Vec::with_capacity(rows);
        for (index, block) in parts.blocks.iter().enumerate() {
            let index = u32::try_from(index).map_err(|_| ProblemError::TooLarge { rows })?;
            block_of_row.extend(std::iter::repeat_n(index, block.dim));
        }
        let diagonal = match &parts.operator {
            Operator::Bodies(bodies) => bodies.diagonal(&parts.blocks),
            Operator::Matrix(matrix) => matrix.delassus.diagonal(),
        };
        validate::diagonal(&parts, &diagonal)?;
        let small_jacobian = match &parts.operator {
            Operator::Bodies(bodies) => validate::are_small(bodies.jacobian.as_flattened()),
            Operator::Matrix(_) => true,
        };
        let problem = Self {
            free: OnceLock::new(),
            b: OnceLock::new(),
            small_free: small_jacobian && validate::are_small(parts.operator.free_velocity()),
            small_jacobian,
            movable: diagonal.iter().all(|a| *a > 0.0),
            laws: laws(&parts.blocks),
            uniform: uniform(&parts.activity),
            normals: parts.blocks.iter().map(|b| b.law.normals(b.dim)).sum(),
            rigid: parts.compliance.iter().all(|r| *r == 0.0),
            diagonal,
            block_of_row,
            parts,
        };
        problem.check_b()?;
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

    /// The kinds of laws that the blocks have, each once.
    pub fn laws(&self) -> impl Iterator<Item = LawKind> + '_ {
        let kinds = LawKind::ALL.iter().copied().zip(&self.laws);
        kinds.filter(|(_, has)| **has).map(|(kind, _)| kind)
    }

    /// True if every row has a positive diagonal of A, so that no compliance is needed for it to move.
    pub(crate) fn moves_every_row(&self) -> bool {
        self.movable
    }

    /// The index of the block that holds `row`.
    pub fn block_of_row(&self, row: usize) -> usize {
        self.block_of_row[row] as usize
    }

    /// Where A comes from.
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
        self.b.get_or_init(|| {
            let sums = self.free().iter().zip(&self.parts.bias);
            sums.map(|(free, bias)| free + bias).collect()
        })
    }

    /// b_pos per row \[m/s | rad/s\].
    pub fn bias(&self) -> &[f64] {
        &self.parts.bias
    }

    /// Diagonal compliance R per row \[1/kg | 1/(kg·m²)\].
    pub fn compliance(&self) -> &[f64] {
        &self.parts.compliance
    }

    /// True if no row has compliance.
    pub fn is_rigid(&self) -> bool {
        self.rigid
    }

    /// Diagonal of A, without R \[1/kg | 1/(kg·m²)\].
    pub fn diagonal(&self) -> &[f64] {
        &self.diagonal
    }

    /// Activity per block.
    pub fn activity(&self) -> &[Activity] {
        &self.parts.activity
    }

    /// The step that the problem was frozen from, if known.
    pub fn step(&self) -> Option<StepScale> {
        self.parts.step
    }

    /// Number of leading rows of block `block` that are solved for.
    #[inline]
    pub fn active_dim(&self, block: usize) -> usize {
        let Block { dim, law, .. } = &self.parts.blocks[block];
        match self.parts.activity[block] {
            Activity::Solve => *dim,
            Activity::NormalsOnly => law.normals(*dim),
            Activity::Hold => 0,
        }
    }

    /// The activity of every block, if they agree; a problem without blocks solves all it has.
    pub fn uniform_activity(&self) -> Option<Activity> {
        self.uniform
    }

    /// True if every row is solved for.
    pub fn all_active(&self) -> bool {
        self.uniform == Some(Activity::Solve)
    }

    /// Number of rows that are solved for \[-\].
    pub fn active_rows(&self) -> usize {
        match self.uniform {
            Some(Activity::Solve) => self.rows(),
            Some(Activity::NormalsOnly) => self.normals,
            Some(Activity::Hold) => 0,
            None => (0..self.parts.blocks.len())
                .map(|block| self.active_dim(block))
                .sum(),
        }
    }

    /// Gives the parts back, to change and validate again.
    pub fn into_parts(self) -> ProblemParts {
        self.parts
    }

    /// J v_f per row.
    fn free(&self) -> &[f64] {
        self.free.get_or_init(|| match &self.parts.operator {
            Operator::Bodies(bodies) => {
                let mut free = vec![0.0; self.rows()];
                bodies.multiply(&self.parts.blocks, &bodies.free_velocity, &mut free);
                free
            }
            Operator::Matrix(matrix) => matrix.free_velocity.clone(),
        })
    }
}

/// What all blocks do, if they agree.
fn uniform(activity: &[Activity]) -> Option<Activity> {
    let first = activity.first().copied().unwrap_or_default();
    activity.iter().all(|a| *a == first).then_some(first)
}

/// Which of [`LawKind::ALL`] the blocks have.
fn laws(blocks: &[Block]) -> [bool; LawKind::ALL.len()] {
    let mut has = [false; LawKind::ALL.len()];
    for block in blocks {
        // the kinds are declared in that order
        has[block.law.kind() as usize] = true;
    }
    has
}

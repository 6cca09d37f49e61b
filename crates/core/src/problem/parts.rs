//! The parts of a problem, as they are before validation.

use crate::bodies::BodyRows;
use crate::coupled::CoupledCompliance;
use crate::law::Block;
use crate::sparse::BlockSparse;

/// Which rows of a block are active. The solver computes the impulses of active rows. An inactive
/// row keeps its starting impulse (zero in a cold start), and its law is ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Activity {
    /// Every row.
    #[default]
    Solve,
    /// The normal rows; the impulses of friction stay fixed.
    NormalsOnly,
    /// No row.
    Hold,
}

/// The Delassus operator A = J M⁻¹ Jᵀ, as its factors or as a matrix.
#[derive(Debug, Clone, PartialEq)]
pub enum Operator {
    /// Bodies and Jacobians; A is never formed.
    Bodies(BodyRows),
    /// The matrix A, for files that contain no bodies.
    Matrix(MatrixRows),
}

impl Operator {
    /// v_f of the bodies, or J v_f of a matrix problem.
    pub(super) fn free_velocity(&self) -> &[f64] {
        match self {
            Self::Bodies(bodies) => &bodies.free_velocity,
            Self::Matrix(matrix) => &matrix.free_velocity,
        }
    }
}

/// The operator of a problem given by its matrix. A may be slightly unsymmetric or indefinite,
/// because matrices from files are not corrected.
#[derive(Debug, Clone, PartialEq)]
pub struct MatrixRows {
    /// A \[1/kg on linear rows\], partitioned like the problem's blocks.
    pub delassus: BlockSparse,
    /// J v_f per row \[m/s | rad/s\].
    pub free_velocity: Vec<f64>,
}

/// Length of the time step of a problem, and gravity. They set only the energy scale of the
/// residuals (M.3).
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
    /// The Delassus operator and the free velocity.
    pub operator: Operator,
    /// The blocks, in row order and without gaps.
    pub blocks: Vec<Block>,
    /// b_pos per row \[m/s | rad/s\]: stabilisation, restitution, motor targets.
    pub bias: Vec<f64>,
    /// Diagonal of the compliance R per row \[1/kg | 1/(kg·m²)\].
    pub compliance: Vec<f64>,
    /// Off-diagonal entries of R, within blocks; only blocks with such entries are stored.
    pub coupled_compliance: CoupledCompliance,
    /// Activity per block; empty means [`Activity::Solve`] everywhere.
    pub activity: Vec<Activity>,
    /// The step that the problem was frozen from, if known.
    pub step: Option<StepScale>,
}

//! Problems as the field exchanges them.

mod validate;

pub use crate::attribute::{AttributeValue, FileAttribute};
use crate::matrix::StoredMatrix;

/// A problem file: the problem, and what its format keeps with it.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldFile {
    /// The problem.
    pub problem: FieldProblem,
    /// Description (FCLIB).
    pub info: Option<Info>,
    /// A solution (FCLIB).
    pub solution: Option<StoredSolution>,
    /// Where a solver may start from (FCLIB).
    pub guesses: Vec<StoredSolution>,
    /// The dimension that the file declares, where it is another than the rows of a contact: files
    /// of rolling friction may say 3, the dimension of space \[-\].
    pub declared_dimension: Option<u32>,
}

impl From<FieldProblem> for FieldFile {
    fn from(problem: FieldProblem) -> Self {
        Self {
            problem,
            info: None,
            solution: None,
            guesses: Vec::new(),
            declared_dimension: None,
        }
    }
}

/// One of the kinds of problems that files hold.
#[derive(Debug, Clone, PartialEq)]
pub enum FieldProblem {
    /// Friction in Delassus form.
    Local(Local),
    /// Friction with mass matrix and Jacobian.
    Global(Global),
    /// Linear complementarity.
    Lcp(Lcp),
    /// Linear complementarity between bounds.
    Relay(Relay),
    /// Linear complementarity with equations.
    Mlcp(Mlcp),
}

/// Which kind of problem, and what its text format is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProblemKind {
    /// Local, two rows a contact.
    Fc2d,
    /// Local, three rows a contact.
    Fc3d,
    /// Local with rolling friction, five rows a contact.
    Rfc3d,
    /// Global, two rows a contact.
    Gfc2d,
    /// Global, three rows a contact.
    Gfc3d,
    /// Global with rolling friction, five rows a contact.
    Grfc3d,
    /// Linear complementarity.
    Lcp,
    /// Linear complementarity between bounds.
    Relay,
    /// Mixed linear complementarity.
    Mlcp,
}

impl ProblemKind {
    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fc2d => "fc2d",
            Self::Fc3d => "fc3d",
            Self::Rfc3d => "rfc3d",
            Self::Gfc2d => "gfc2d",
            Self::Gfc3d => "gfc3d",
            Self::Grfc3d => "grfc3d",
            Self::Lcp => "lcp",
            Self::Relay => "relay",
            Self::Mlcp => "mlcp",
        }
    }
}

/// Friction in Delassus form: u = W r + V l + q, and Vᵀ r + R l + s = 0 where there are bilateral
/// rows.
///
/// Rows of a contact: normal, tangents, with rolling friction two rolling rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Local {
    /// Rows of a contact: 2, 3, or 5 with rolling friction \[-\].
    pub dim: usize,
    /// Delassus matrix W, rows m = dim · contacts.
    pub w: StoredMatrix,
    /// Relative velocities without contact impulses, m.
    pub q: Vec<f64>,
    /// Friction coefficient of each contact \[-\].
    pub mu: Vec<f64>,
    /// Rolling friction coefficient of each contact \[m\]; with five rows, and only then.
    pub mu_r: Option<Vec<f64>>,
    /// Bilateral rows.
    pub bilateral: Option<LocalBilateral>,
}

/// Bilateral rows of a local problem, p of them: Vᵀ r + R l + s = 0.
#[derive(Debug, Clone, PartialEq)]
pub struct LocalBilateral {
    /// Coupling V, m × p.
    pub v: StoredMatrix,
    /// Their own matrix R, p × p.
    pub r: StoredMatrix,
    /// Their velocities without impulses s, p.
    pub s: Vec<f64>,
}

/// Friction with mass matrix: M v = H r + G l + f, u = Hᵀ v + w, and Gᵀ v + b = 0 where there are
/// bilateral rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Global {
    /// Rows of a contact: 2, 3, or 5 with rolling friction \[-\].
    pub dim: usize,
    /// Mass matrix M, n × n.
    pub m: StoredMatrix,
    /// Transposed Jacobian of the contacts H, n × m with m = dim · contacts.
    pub h: StoredMatrix,
    /// Momenta without impulses f, n.
    pub f: Vec<f64>,
    /// Velocities that the bodies' do not explain w, m.
    pub w: Vec<f64>,
    /// Friction coefficient of each contact \[-\].
    pub mu: Vec<f64>,
    /// Rolling friction coefficient of each contact \[m\]; with five rows, and only then.
    pub mu_r: Option<Vec<f64>>,
    /// Bilateral rows.
    pub bilateral: Option<GlobalBilateral>,
}

/// Bilateral rows of a global problem, p of them: Gᵀ v + b = 0.
#[derive(Debug, Clone, PartialEq)]
pub struct GlobalBilateral {
    /// Transposed Jacobian G, n × p.
    pub g: StoredMatrix,
    /// Their velocities b, p.
    pub b: Vec<f64>,
}

/// 0 ≤ z ⊥ M z + q ≥ 0.
#[derive(Debug, Clone, PartialEq)]
pub struct Lcp {
    /// M, n × n.
    pub m: StoredMatrix,
    /// q, n.
    pub q: Vec<f64>,
}

/// lower ≤ z ≤ upper, complementary to M z + q: −(M z + q) lies in the normal cone of the box at z.
#[derive(Debug, Clone, PartialEq)]
pub struct Relay {
    /// M, n × n.
    pub m: StoredMatrix,
    /// q, n.
    pub q: Vec<f64>,
    /// Lower bounds, n.
    pub lower: Vec<f64>,
    /// Upper bounds, n.
    pub upper: Vec<f64>,
}

/// Equations and complementarities: by one matrix, by parts, or by both.
#[derive(Debug, Clone, PartialEq)]
pub struct Mlcp {
    /// Number of free unknowns n \[-\].
    pub equalities: usize,
    /// Number of complementarities m \[-\].
    pub complementarities: usize,
    /// The form by M and q.
    pub matrix: Option<MatrixForm>,
    /// The form by A, B, C, D, a and b.
    pub parts: Option<PartsForm>,
    /// Numbers after the problem: a solution, or what fits no form.
    pub trailing: Vec<f64>,
}

/// M z + q: zero in the rows of equations, complementary to z ≥ 0 in the others.
#[derive(Debug, Clone, PartialEq)]
pub struct MatrixForm {
    /// Ends of the blocks of unknowns, cumulative up to n + m, without the leading zero.
    pub ends: Vec<u32>,
    /// What each block is.
    pub kinds: Vec<RowKind>,
    /// M; it may have more rows than columns.
    pub m: StoredMatrix,
    /// q, one per row of M.
    pub q: Vec<f64>,
}

/// What a block of rows is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowKind {
    /// Equations.
    Equality,
    /// Complementarities.
    Complementarity,
}

/// A u + C v + a = 0, 0 ≤ v ⊥ D u + B v + b ≥ 0; matrices row by row.
#[derive(Debug, Clone, PartialEq)]
pub struct PartsForm {
    /// A, n × n.
    pub a: Vec<f64>,
    /// B, m × m.
    pub b: Vec<f64>,
    /// C, n × m.
    pub c: Vec<f64>,
    /// D, m × n.
    pub d: Vec<f64>,
    /// The vector a, n.
    pub a_vector: Vec<f64>,
    /// The vector b, m.
    pub b_vector: Vec<f64>,
}

/// A solution or a guess, in the unknowns of the problem.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StoredSolution {
    /// Relative velocities u, m.
    pub u: Vec<f64>,
    /// Impulses r, m.
    pub r: Vec<f64>,
    /// Velocities v of a global problem, n.
    pub v: Option<Vec<f64>>,
    /// Bilateral impulses l, p.
    pub l: Option<Vec<f64>>,
}

/// What a file says of itself (FCLIB); texts in the bytes of the file, without the terminating
/// zeros.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Info {
    /// Title.
    pub title: Option<Vec<u8>>,
    /// Description.
    pub description: Option<Vec<u8>>,
    /// What is known of the mathematics.
    pub math_info: Option<Vec<u8>>,
    /// Further facts by name, in the order of the file.
    pub attributes: Vec<FileAttribute>,
}

impl FieldProblem {
    /// Which kind it is.
    pub fn kind(&self) -> ProblemKind {
        match self {
            Self::Local(local) => match local.dim {
                2 => ProblemKind::Fc2d,
                3 => ProblemKind::Fc3d,
                _ => ProblemKind::Rfc3d,
            },
            Self::Global(global) => match global.dim {
                2 => ProblemKind::Gfc2d,
                3 => ProblemKind::Gfc3d,
                _ => ProblemKind::Grfc3d,
            },
            Self::Lcp(_) => ProblemKind::Lcp,
            Self::Relay(_) => ProblemKind::Relay,
            Self::Mlcp(_) => ProblemKind::Mlcp,
        }
    }
}

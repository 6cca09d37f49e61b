//! What readers and generators return: a problem, its name, where it comes from, what is known of
//! its solution.

use delassus_core::{LawKind, Operator, Problem};

use crate::captured::Captured;

/// A problem with its name, origin and, if one is known, a solution.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedProblem {
    /// File stem, or generator with the parameters that differ from its defaults.
    pub name: String,
    /// The problem.
    pub problem: Problem,
    /// A known solution, one of several where rows are redundant or friction couples them.
    pub reference: Option<KnownSolution>,
    /// Impulses that the scheme of a time step started from, one per row \[N·s\], if the problem
    /// comes from one.
    pub warm_start: Option<Vec<f64>>,
    /// What the engine made of the problem, if it was captured in one.
    pub captured: Option<Captured>,
    /// Where the problem comes from, in one paragraph.
    pub provenance: String,
}

/// A known solution of a problem.
#[derive(Debug, Clone, PartialEq)]
pub struct KnownSolution {
    /// Impulses, one per row \[N·s\].
    pub impulses: Vec<f64>,
    /// How the solution is known: closed form, planted, or solver and tolerance.
    pub provenance: String,
    /// Its residual (energy units, relative), if it was evaluated \[-\].
    pub residual: Option<f64>,
}

impl KnownSolution {
    /// A solution whose residual was not evaluated.
    pub(crate) fn new(impulses: Vec<f64>, provenance: &str) -> Self {
        Self {
            impulses,
            provenance: provenance.to_owned(),
            residual: None,
        }
    }
}

impl NamedProblem {
    /// A problem without a known solution.
    pub fn new(name: impl Into<String>, problem: Problem, provenance: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            problem,
            reference: None,
            warm_start: None,
            captured: None,
            provenance: provenance.into(),
        }
    }

    /// Impulses of the known solution, one per row \[N·s\].
    pub fn reference_impulses(&self) -> Option<&[f64]> {
        self.reference.as_ref().map(|r| r.impulses.as_slice())
    }

    /// Counts and defects of the problem.
    pub fn facts(&self) -> Facts {
        Facts::of(&self.problem)
    }
}

/// Counts and defects of a problem: what `list` and `solve` print about a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Facts {
    /// Rows \[-\].
    pub rows: usize,
    /// Blocks \[-\].
    pub blocks: usize,
    /// Bodies, if the problem has them \[-\].
    pub bodies: Option<usize>,
    /// Contact points ([`delassus_core::Law::contact_points`]) \[-\].
    pub contacts: usize,
    /// Number of blocks per law, without the laws that do not occur.
    pub laws: Vec<(LawKind, usize)>,
    /// ‖A − Aᵀ‖_F / ‖A‖_F \[-\]; zero for problems with bodies.
    pub symmetry_defect: f64,
    /// Smallest A_ii \[1/kg | 1/(kg·m²)\]; infinite without rows.
    pub smallest_diagonal: f64,
    /// Number of rows with R > 0 \[-\].
    pub soft_rows: usize,
    /// Number of blocks whose rows share compliance \[-\].
    pub coupled_blocks: usize,
}

impl Facts {
    /// Counts.
    pub fn of(problem: &Problem) -> Self {
        let blocks = problem.blocks();
        let count = |kind| blocks.iter().filter(|b| b.law.kind() == kind).count();
        let contacts = blocks.iter().map(|block| block.law.contact_points());
        Self {
            rows: problem.rows(),
            blocks: blocks.len(),
            bodies: problem.bodies().map(|bodies| bodies.len()),
            contacts: contacts.sum(),
            laws: LawKind::ALL
                .iter()
                .copied()
                .map(|kind| (kind, count(kind)))
                .filter(|(_, count)| *count > 0)
                .collect(),
            symmetry_defect: match problem.operator() {
                Operator::Bodies(_) => 0.0,
                Operator::Matrix(matrix) => matrix.delassus.symmetry_defect(),
            },
            smallest_diagonal: problem
                .diagonal()
                .iter()
                .copied()
                .fold(f64::INFINITY, f64::min),
            soft_rows: problem.soft_rows(),
            coupled_blocks: problem.coupled_compliance().len(),
        }
    }
}

//! A problem without its joints: what is left, and where everything has its place.

use delassus_core::{LawForm, Operator, Problem, SolveError, interrupt};

use super::couplings::Couplings;
use super::joints::{Joints, Places};
use super::reduce::Reduced;
use crate::coupling::pairs_at_bodies;

/// Multiplications that taking over one block of A takes as long as \[-\].
const TAKING: f64 = 300.0;

/// The joints of a problem, factorized, and what they leave of it. The next problem reuses the
/// memory.
#[derive(Debug, Clone, Default)]
pub(super) struct JointElimination {
    couplings: Couplings,
    places: Places,
    pub(super) joints: Joints,
    rest: Reduced,
    /// Row of the problem of every row that is left.
    pub(super) others: Vec<usize>,
    /// λ of the start, of the rows of joints and of the others \[N·s | N·m·s\].
    pub(super) start: Vec<f64>,
    pub(super) start_of_others: Vec<f64>,
}

impl JointElimination {
    /// Takes over another problem and its start.
    ///
    /// # Errors
    /// Joints that leave numbers that overflow; a limit that leaves no time for them.
    pub(super) fn renew(&mut self, problem: &Problem, impulses: &[f64]) -> Result<(), SolveError> {
        if interrupt::limit().is_some() {
            let listed = match problem.operator() {
                Operator::Bodies(bodies) => pairs_at_bodies(problem, bodies),
                Operator::Matrix(matrix) => matrix.delassus.stored_blocks(),
            };
            interrupt::afford(TAKING * listed as f64)?;
        }
        let Self {
            couplings,
            places,
            joints,
            rest,
            ..
        } = self;
        couplings.renew(problem);
        let upper = &couplings.upper;
        places.renew(problem, upper, |index| {
            let block = &problem.blocks()[index];
            block.law.form() == LawForm::Free && problem.active_dim(index) == block.dim
        })?;
        interrupt::check()?;
        joints.renew(problem, upper, places)?;
        interrupt::check()?;
        let reduced = rest.renew(problem, upper, places, joints);
        reduced.map_err(|_| SolveError::Factorization {
            reason: "the joints leave numbers that overflow; use other units or another solver",
        })?;
        self.others.clear();
        self.others.extend(rest.rows(problem));
        take(&mut self.start, &joints.rows, impulses);
        take(&mut self.start_of_others, &self.others, impulses);
        Ok(())
    }

    /// What is left of the problem.
    ///
    /// # Errors
    /// No problem was taken over.
    pub(super) fn rest(&self) -> Result<&Problem, SolveError> {
        self.rest.problem().ok_or(SolveError::NotPrepared)
    }
}

/// Writes the numbers of some rows to `out`.
fn take(out: &mut Vec<f64>, rows: &[usize], all: &[f64]) {
    out.clear();
    out.extend(rows.iter().map(|row| all[*row]));
}

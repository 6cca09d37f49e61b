//! A problem as sweeps read it: packed rows, the impulses, and the velocities that follow them.

use delassus_core::{Operator, Problem, SolveError, StateCoverage, Traffic};

use crate::bodies::PackedBodies;
use crate::coupling::{BlockVisitor, Coupling, visit_any_block};
use crate::matrix::PackedMatrix;
use crate::view::{BlockView, Visit};

/// Packed rows with their impulses.
#[derive(Debug, Clone)]
pub(crate) struct PackedRows {
    operator: PackedOperator,
    /// Compliance off the diagonal of R, on bodies; a matrix has it in its diagonal blocks.
    coupling: Coupling,
    pub(crate) impulses: Vec<f64>,
    /// Number of leading rows of each block that are solved for.
    pub(crate) active: Vec<usize>,
    pub(crate) active_rows: usize,
}

#[derive(Debug, Clone)]
enum PackedOperator {
    Bodies(PackedBodies),
    Matrix(PackedMatrix),
}

impl PackedRows {
    /// Packs a problem; `impulses` is the start.
    pub(crate) fn new(problem: &Problem, impulses: Vec<f64>) -> Result<Self, SolveError> {
        Self::in_order(problem, impulses, &[])
    }

    /// The same for sweeps that visit the blocks in the order of `visits`.
    pub(crate) fn in_order(
        problem: &Problem,
        impulses: Vec<f64>,
        visits: &[u32],
    ) -> Result<Self, SolveError> {
        let operator = match problem.operator() {
            Operator::Bodies(bodies) => {
                let mut packed = PackedBodies::default();
                packed.pack(problem, bodies, visits)?;
                PackedOperator::Bodies(packed)
            }
            Operator::Matrix(matrix) => {
                let mut packed = PackedMatrix::default();
                packed.pack(problem, matrix)?;
                PackedOperator::Matrix(packed)
            }
        };
        Self::of(operator, problem, impulses)
    }

    /// As [`Self::in_order`], in the memory of this one.
    pub(crate) fn prepare_into(
        &mut self,
        problem: &Problem,
        impulses: &[f64],
        visits: &[u32],
    ) -> Result<(), SolveError> {
        match (&mut self.operator, problem.operator()) {
            (PackedOperator::Bodies(packed), Operator::Bodies(bodies)) => {
                packed.pack(problem, bodies, visits)?;
            }
            (PackedOperator::Matrix(packed), Operator::Matrix(matrix)) => {
                packed.pack(problem, matrix)?;
            }
            (operator, _) => {
                // what is of no use goes before the new one comes
                *operator = PackedOperator::Bodies(PackedBodies::default());
                *self = Self::in_order(problem, impulses.to_vec(), visits)?;
                return Ok(());
            }
        }
        self.impulses.clear();
        self.impulses.extend_from_slice(impulses);
        self.take_over(problem)
    }

    /// The same with bodies that no impulse of some blocks moves: those for which
    /// `stays(block, body)`.
    pub(crate) fn frozen(
        problem: &Problem,
        impulses: Vec<f64>,
        stays: impl Fn(usize, u32) -> bool,
    ) -> Result<Self, SolveError> {
        let bodies = problem.bodies().ok_or(SolveError::NoBodies)?;
        let mut packed = PackedBodies::default();
        packed.pack_frozen(problem, bodies, stays)?;
        Self::of(PackedOperator::Bodies(packed), problem, impulses)
    }

    /// As [`Self::frozen`], in the memory of one.
    pub(crate) fn prepare_frozen_into(
        &mut self,
        problem: &Problem,
        impulses: &[f64],
        stays: impl Fn(usize, u32) -> bool,
    ) -> Result<(), SolveError> {
        let bodies = problem.bodies().ok_or(SolveError::NoBodies)?;
        if let PackedOperator::Bodies(packed) = &mut self.operator {
            packed.pack_frozen(problem, bodies, stays)?;
        }
        self.impulses.clear();
        self.impulses.extend_from_slice(impulses);
        self.take_over(problem)
    }

    fn of(
        operator: PackedOperator,
        problem: &Problem,
        impulses: Vec<f64>,
    ) -> Result<Self, SolveError> {
        let mut packed = Self {
            operator,
            coupling: Coupling::default(),
            impulses,
            active: Vec::new(),
            active_rows: 0,
        };
        packed.take_over(problem)?;
        Ok(packed)
    }

    /// Memory of a packed problem, estimated from counts \[B\].
    pub(crate) fn memory(problem: &Problem) -> u64 {
        let packed = match problem.operator() {
            // J and M⁻¹Jᵀ
            Operator::Bodies(_) => problem.memory().saturating_mul(2),
            Operator::Matrix(_) => problem
                .memory()
                .saturating_add(problem.square_memory(|_| true)),
        };
        packed.saturating_add(Coupling::memory(problem))
    }

    /// Takes over everything that may change, and recomputes the velocities from the impulses.
    pub(crate) fn take_over(&mut self, problem: &Problem) -> Result<(), SolveError> {
        let blocks = 0..problem.blocks().len();
        self.active.clear();
        self.active
            .extend(blocks.map(|block| problem.active_dim(block)));
        self.active_rows = problem.active_rows();
        match (&mut self.operator, problem.operator()) {
            (PackedOperator::Bodies(packed), Operator::Bodies(bodies)) => {
                packed.refresh(problem, bodies, &self.impulses)?;
                self.coupling.refresh(problem);
            }
            (PackedOperator::Matrix(packed), Operator::Matrix(_)) => packed.refresh(problem),
            _ => return Err(SolveError::NoBodies),
        }
        Ok(())
    }

    /// Takes other impulses, and the velocities that go with them.
    pub(crate) fn warm_start(
        &mut self,
        problem: &Problem,
        impulses: &[f64],
    ) -> Result<(), SolveError> {
        self.impulses.copy_from_slice(impulses);
        match &mut self.operator {
            PackedOperator::Bodies(packed) => packed.warm_start(problem, impulses),
            PackedOperator::Matrix(packed) => {
                packed.forget_cut();
                Ok(())
            }
        }
    }

    /// As [`delassus_core::Prepared::is_cut_short`]: sweeps over bodies are short.
    pub(crate) fn is_cut_short(&self) -> Option<bool> {
        match &self.operator {
            PackedOperator::Bodies(_) => None,
            PackedOperator::Matrix(packed) => packed.is_cut_short(),
        }
    }

    /// True if a block has compliance off its diagonal that its view has to add.
    pub(crate) fn is_coupled(&self) -> bool {
        !self.coupling.is_empty()
    }

    /// Shows one block to `visitor`. `COUPLED` says whether a block may have compliance off its
    /// diagonal.
    #[inline(always)]
    pub(crate) fn visit<const COUPLED: bool>(&mut self, block: usize, visitor: impl Visit) {
        if COUPLED {
            self.visit_coupled(block, visitor);
            return;
        }
        match &mut self.operator {
            PackedOperator::Bodies(packed) => {
                packed.with_block(block, &mut self.impulses, visitor);
            }
            PackedOperator::Matrix(packed) => {
                packed.with_block(block, &mut self.impulses, visitor);
            }
        }
    }

    /// The same through a table of functions.
    fn visit_coupled(&mut self, block: usize, visitor: impl Visit) {
        let mut visitor = Some(visitor);
        self.hand(block, &mut |view, square| {
            if let Some(visitor) = visitor.take() {
                visit_any_block(visitor, view, square);
            }
        });
    }

    /// Calls `to` with one block, and with the compliance off the diagonal of its rows.
    fn hand(&mut self, block: usize, to: &mut dyn FnMut(&mut dyn BlockView, &[f64])) {
        let square = self.coupling.of(block).unwrap_or_default();
        let handed = BlockVisitor { to, square };
        match &mut self.operator {
            PackedOperator::Bodies(packed) => packed.with_block(block, &mut self.impulses, handed),
            PackedOperator::Matrix(packed) => packed.with_block(block, &mut self.impulses, handed),
        }
    }

    /// Shows one block to `visitor`, whatever its compliance.
    #[inline(always)]
    pub(crate) fn visit_any(&mut self, block: usize, visitor: impl Visit) {
        if self.is_coupled() {
            self.visit::<true>(block, visitor);
        } else {
            self.visit::<false>(block, visitor);
        }
    }

    /// w of every row (P.2); `first_rows` are those of the blocks.
    pub(crate) fn all_velocities(&mut self, first_rows: &[usize], out: &mut [f64]) {
        match &mut self.operator {
            PackedOperator::Bodies(packed) => {
                packed.all_velocities(&self.impulses, out);
                self.coupling.add(first_rows, &self.impulses, out);
            }
            PackedOperator::Matrix(packed) => packed.all_velocities(&self.impulses, out),
        }
    }

    /// The velocities follow impulses that were changed from `old`.
    pub(crate) fn follow(&mut self, old: &[f64]) {
        if let PackedOperator::Bodies(packed) = &mut self.operator {
            packed.apply_difference(old, &self.impulses);
        }
    }

    /// Replaces the impulses by `new`, which gets the old ones; the velocities follow.
    pub(crate) fn replace(&mut self, new: &mut [f64]) {
        self.impulses.swap_with_slice(new);
        self.follow(new);
    }

    /// v of the bodies, six each; `None` on a matrix.
    pub(crate) fn velocities(&self) -> Option<&[f64]> {
        match &self.operator {
            PackedOperator::Bodies(bodies) => Some(bodies.velocities()),
            PackedOperator::Matrix(_) => None,
        }
    }

    /// Takes impulses and velocities of another packing of the same problem.
    pub(crate) fn continue_from(&mut self, other: &Self) {
        self.impulses.copy_from_slice(&other.impulses);
        if let (PackedOperator::Bodies(packed), Some(velocities)) =
            (&mut self.operator, other.velocities())
        {
            packed.set_velocities(velocities);
        }
    }

    /// W = A_cc + R_cc of one block as its rows say, where bodies may stay; empty on a matrix.
    pub(crate) fn own_of_rows(&self, block: usize, out: &mut Vec<f64>) {
        out.clear();
        if let PackedOperator::Bodies(packed) = &self.operator {
            packed.own_of_rows(block, out);
            for (w, r) in out
                .iter_mut()
                .zip(self.coupling.of(block).unwrap_or_default())
            {
                *w += r;
            }
        }
    }

    /// Copies v; false on a matrix.
    pub(crate) fn copy_velocities(&self, out: &mut [f64]) -> bool {
        let Some(velocities) = self.velocities() else {
            return false;
        };
        out.copy_from_slice(velocities);
        true
    }

    pub(crate) fn is_finite(&self) -> bool {
        self.impulses.iter().all(|x| x.is_finite())
    }

    /// Appends the bits of impulses and velocities.
    pub(crate) fn push_state(&self, out: &mut Vec<u64>) {
        StateCoverage::push(out, self.impulses.iter().copied());
        StateCoverage::push(out, self.velocities().unwrap_or_default().iter().copied());
    }

    /// Bytes of one sweep over all rows of a problem with bodies, without what a rule reads.
    pub(crate) fn traffic(&self) -> Option<Traffic> {
        let PackedOperator::Bodies(bodies) = &self.operator else {
            return None;
        };
        let mut traffic = bodies.traffic();
        let active = size_of_val(self.active.as_slice()) as u64;
        let impulses = size_of_val(self.impulses.as_slice()) as u64;
        traffic.read += active + impulses;
        traffic.written += impulses;
        Some(traffic)
    }
}

/// The methods of [`delassus_core::Prepared`] that read the impulses and velocities of the packed
/// rows that a method of this name returns.
macro_rules! read_packed {
    ($packed:ident) => {
        fn impulses(&self, out: &mut [f64]) -> Result<(), delassus_core::SolveError> {
            out.copy_from_slice(&self.$packed().impulses);
            Ok(())
        }

        fn is_finite(&self) -> bool {
            self.$packed().is_finite()
        }

        fn is_cut_short(&self) -> Option<bool> {
            self.$packed().is_cut_short()
        }

        fn velocities(&self, out: &mut [f64]) -> Result<bool, delassus_core::SolveError> {
            Ok(self.$packed().copy_velocities(out))
        }
    };
}

pub(crate) use read_packed;

/// First row of every block, and the number of rows.
pub(crate) fn first_rows(problem: &Problem, out: &mut Vec<usize>) {
    let firsts = problem.blocks().iter().map(|block| block.first_row);
    out.clear();
    out.extend(firsts.chain([problem.rows()]));
}

/// 1 / (A_ii + R_ii) of every row \[kg\].
pub(crate) fn effective_masses(problem: &Problem, out: &mut Vec<f64>) {
    let effective = problem.diagonal().iter().zip(problem.compliance());
    out.clear();
    out.extend(effective.map(|(a, r)| 1.0 / (a + r)));
}

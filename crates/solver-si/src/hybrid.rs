//! `hybrid`: joints by a sparse factorization, everything else by projected Gauss–Seidel on what
//! they leave.
//!
//! Rows of joints are eliminated: Â = A_cc − A_cj A_jj⁻¹ A_jc is what a contact feels when every
//! joint answers at once (G.38), and sweeps of `pgs` run on Â. The impulses of the joints follow
//! from those of the contacts (G.39) and are exact to rounding. Long chains and large mass ratios
//! within joints cost nothing more: a heavy contact at the end of a chain of a hundred links takes
//! as many sweeps as one on a free body.
//!
//! Redundant rows of joints (loops, two welds on one pair) get a pivot from ε = 1e-10 of their
//! diagonal, and refinement takes out what that leaves; they share their load near that of the
//! start. Where they contradict each other, impulses of size 1/ε times the contradiction appear.
//!
//! Budget per prepare: a sparse L D Lᵀ of the joints (nothing fills on trees), in the order of the
//! last one while they are coupled as they were, and one solution with it per row of a contact on a
//! jointed body. Per sweep: one pass over the rows of Â, in which all contacts on one island of
//! joints are coupled. Memory grows with the square of their rows. Nearest siblings: `pgs`, which
//! sweeps joints too, and which this is without joints; `dense-direct` for joints alone.
//!
//! Departures: the papers keep Gauss–Seidel on bodies or cut the system into pieces; here all
//! joints share one factorization. Every refresh factorizes anew. Limitations: a contact row to
//! which joints leave no freedom is given 1e-10 of what it had without them. Theory:
//! docs/theory/25-sweeps.md. Source: \[Tomcin2014\], \[Peiret2019\].

mod couplings;
mod eliminated;
mod joints;
mod ldl;
mod ordering;
mod reduce;
mod rows;

use delassus_core::{
    Checked, LawForm, Method, ParameterError, Parameters, Prepared, Problem, Progress, SolveError,
    SolverDescriptor, StateCoverage,
};

use crate::laws::RowRule;
use crate::order::Schedule;
use crate::packed::PackedRows;
use crate::parameters::SweepOrder;
use crate::sweep::{PreparedSweeps, Rule, SWEEP};
use eliminated::JointElimination;
use joints::Joints;

/// Parameters of [`Hybrid`].
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct HybridParameters {
    /// Order of the blocks that are not joints.
    #[parameter(flatten)]
    pub sweep: SweepOrder,
}

/// Joints directly, contacts by sweeps (G.38).
pub type Hybrid = Checked<HybridParameters>;

impl Method for HybridParameters {
    type Parameters = Self;
    type Prepared = Split;

    const DESCRIPTOR: SolverDescriptor = SolverDescriptor {
        id: "hybrid",
        aliases: &["direct-joints"],
        name: "Direct joints, projected Gauss-Seidel for contacts",
        summary: "A sparse factorization of the joints and pgs on what they leave to contacts; chains and mass ratios in joints cost nothing.",
        citations: &["Tomcin2014", "Peiret2019"],
        theory: &["G.2", "G.3", "G.4", "G.5", "G.38", "G.39"],
        cost: "m, factor once",
        max_asymmetry: 1e-12,
        ..SWEEP
    };

    fn new(parameters: Self) -> Result<Self, ParameterError> {
        Ok(parameters)
    }

    fn footprint(&self, problem: &Problem) -> u64 {
        let rows_of = |joints: bool| {
            let blocks = problem.blocks().iter();
            let kind = blocks.filter(|block| (block.law.form() == LawForm::Free) == joints);
            kind.map(|block| block.dim as u64).sum::<u64>()
        };
        let (joints, others) = (rows_of(true), rows_of(false));
        let plain = PackedRows::memory(problem) + RowRule::memory(problem);
        if joints == 0 {
            return plain;
        }
        // if all joints are one island: the blocks of Â in a tree, in a matrix and packed
        let square = others.saturating_mul(others).saturating_mul(64);
        plain
            .saturating_add(square)
            .saturating_add(Joints::memory(joints + others))
    }

    fn prepare(&mut self, problem: &Problem, impulses: Vec<f64>) -> Result<Split, SolveError> {
        let mut eliminated = JointElimination::default();
        eliminated.renew(problem, &impulses)?;
        let rest = eliminated.rest()?;
        let schedule = self.sweep.schedule(rest, Schedule::default());
        let start = eliminated.start_of_others.clone();
        let swept = PreparedSweeps::new(RowRule::new(1.0), schedule, rest, start)?;
        let mut split = Split {
            swept,
            eliminated,
            solved: Vec::new(),
            active_rows: 0,
            factored: 0,
        };
        split.begin(problem);
        Ok(split)
    }

    fn prepare_into(
        &mut self,
        split: &mut Split,
        problem: &Problem,
        impulses: &[f64],
    ) -> Result<bool, SolveError> {
        let (eliminated, sweep) = (&mut split.eliminated, self.sweep);
        eliminated.renew(problem, impulses)?;
        let rest = eliminated.rest()?;
        let start = &eliminated.start_of_others;
        let schedule = |_: &mut RowRule, memory| sweep.schedule(rest, memory);
        let repeated = split.swept.prepare_into(rest, start, schedule)?;
        split.begin(problem);
        Ok(repeated)
    }
}

/// A prepared problem: joints factorized, the others swept.
#[derive(Debug, Clone)]
pub struct Split {
    /// Everything that is not a joint, with Â.
    swept: PreparedSweeps<RowRule>,
    eliminated: JointElimination,
    /// λ of the rows of joints now.
    solved: Vec<f64>,
    /// Rows that are solved for.
    active_rows: usize,
    /// Factorizations so far.
    factored: u64,
}

impl Split {
    /// Begins at the start of a problem that was taken over.
    fn begin(&mut self, problem: &Problem) {
        self.solved.clone_from(&self.eliminated.start);
        self.active_rows = problem.active_rows();
        self.factored += u64::from(!self.solved.is_empty());
    }
}

impl Prepared for Split {
    fn iterate(&mut self, _: &Problem, sweeps: u32) -> Result<Progress, SolveError> {
        for _ in 0..sweeps {
            self.swept.sweep_once();
        }
        if sweeps > 0 {
            // from the start each time: chunks of sweeps give the bits of the whole
            self.solved.copy_from_slice(&self.eliminated.start);
            let others = &self.swept.packed().impulses;
            self.eliminated.joints.solve(others, &mut self.solved);
        }
        Ok(Progress::of_sweeps(sweeps, self.active_rows))
    }

    fn is_cut_short(&self) -> Option<bool> {
        self.swept.packed().is_cut_short()
    }

    fn impulses(&self, out: &mut [f64]) -> Result<(), SolveError> {
        for (row, impulse) in self.eliminated.joints.rows.iter().zip(&self.solved) {
            out[*row] = *impulse;
        }
        let others = self.eliminated.others.iter();
        for (row, impulse) in others.zip(&self.swept.packed().impulses) {
            out[*row] = *impulse;
        }
        Ok(())
    }

    fn is_finite(&self) -> bool {
        self.swept.packed().is_finite() && self.solved.iter().all(|x| x.is_finite())
    }

    /// What is swept, and the impulses of the joints.
    fn fingerprint(&self, out: &mut Vec<u64>) -> Result<Option<StateCoverage>, SolveError> {
        let memory = self.swept.push_state(out);
        StateCoverage::push(out, self.solved.iter().copied());
        Ok(Some(memory))
    }

    /// One per preparation, of the joints, if there are any.
    fn factorizations(&self) -> Option<u64> {
        Some(self.factored)
    }
}

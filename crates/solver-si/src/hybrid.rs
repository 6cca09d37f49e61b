//! `hybrid`: joints by a sparse factorization, everything else by projected Gauss–Seidel on what they leave.
//!
//! Rows of joints are eliminated: Â = A_cc − A_cj A_jj⁻¹ A_jc is what a contact feels when every joint answers at once (G.38), and
//! sweeps of `pgs` run on Â. The impulses of the joints follow from those of the contacts (G.39) and are exact to rounding. Long chains and
//! large mass ratios within joints cost nothing more: a heavy contact at the end of a chain of a hundred links takes as many sweeps as
//! one on a free body.
//!
//! Redundant rows of joints (loops, two welds on one pair) get a pivot from ε = 1e-10 of their diagonal, and refinement takes out what that
//! leaves; they share their load near that of the start. Where they contradict each other, impulses of size 1/ε times the contradiction
//! appear.
//!
//! Budget per prepare: a sparse L D Lᵀ of the joints (nothing fills on trees) and one solution with it per row of a contact on a jointed
//! body. Per sweep: one pass over the rows of Â, in which all contacts on one island of joints are coupled. Memory grows with the square
//! of their rows.
//! Nearest siblings: `pgs`, which sweeps joints too, and which this is without joints; `dense-direct` for joints alone.
//!
//! Departures: the papers keep Gauss–Seidel on bodies or cut the system into pieces; here one factorization serves all joints. Every
//! refresh factorizes anew. Limitations: a contact row to which joints leave no freedom is given 1e-10 of what it had without them.
//! Theory: docs/theory/25-sweeps.md. Source: \[Tomcin2014\], \[Peiret2019\].

mod couplings;
mod joints;
mod ldl;
mod ordering;
mod reduce;

use delassus_core::{
    Checked, Law, Memory, Method, ParameterError, Parameters, Prepared, Problem, Progress, Refresh,
    SolveError, SolverDescriptor,
};

use crate::laws::RowRule;
use crate::order::Schedule;
use crate::packed::Packed;
use crate::parameters::SweepOrder;
use crate::sweep::{Rule, Swept};
use couplings::couplings;
use joints::{Joints, Places};
use reduce::reduced;

/// Parameters of [`Hybrid`].
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct HybridParameters {
    /// Order of the blocks that are not joints.
    #[parameter(flatten)]
    pub sweep: SweepOrder,
}

/// Joints directly, contacts by sweeps (G.38).
pub type Hybrid = Checked<HybridMethod>;

/// The method of [`Hybrid`].
#[derive(Debug, Clone)]
pub struct HybridMethod {
    parameters: HybridParameters,
}

impl Method for HybridMethod {
    type Parameters = HybridParameters;
    type Prepared = Split;

    const DESCRIPTOR: SolverDescriptor = SolverDescriptor {
        id: "hybrid",
        aliases: &["direct-joints"],
        name: "Direct joints, projected Gauss-Seidel for contacts",
        summary: "A sparse factorization of the joints and pgs on what they leave to contacts; chains and mass ratios in joints cost nothing.",
        citations: &["Tomcin2014", "Peiret2019"],
        theory: &["G.2", "G.3", "G.4", "G.5", "G.38", "G.39"],
        cost: "m, factor once",
        laws: SolverDescriptor::ALL_LAWS,
        holds_rows: true,
        coupled_compliance: true,
        max_asymmetry: 1e-12,
        ..SolverDescriptor::BASE
    };

    fn new(parameters: HybridParameters) -> Result<Self, ParameterError> {
        Ok(Self { parameters })
    }

    fn memory(&self, problem: &Problem) -> u64 {
        let rows_of = |joints: bool| {
            let blocks = problem.blocks().iter();
            let kind = blocks.filter(|block| (block.law == Law::Equality) == joints);
            kind.map(|block| block.dim as u64).sum::<u64>()
        };
        let (joints, others) = (rows_of(true), rows_of(false));
        let plain = Packed::memory(problem) + RowRule::memory(problem);
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
        Split::new(self.parameters.sweep, problem, impulses)
    }
}

/// A prepared problem: joints factorized, the others swept.
#[derive(Debug, Clone)]
pub struct Split {
    /// Everything that is not a joint, with Â.
    swept: Swept<RowRule>,
    joints: Joints,
    /// λ of the start, and now, of the rows of joints.
    start: Vec<f64>,
    solved: Vec<f64>,
    /// Row of the problem of every row that is swept.
    others: Vec<usize>,
    /// Rows that are solved for.
    active_rows: usize,
}

impl Split {
    fn new(sweep: SweepOrder, problem: &Problem, impulses: Vec<f64>) -> Result<Self, SolveError> {
        let blocks = problem.blocks();
        let is_joint: Vec<bool> = (blocks.iter().enumerate())
            .map(|(index, block)| {
                block.law == Law::Equality && problem.active_dim(index) == block.dim
            })
            .collect();
        let couplings = couplings(problem);
        let places = Places::new(problem, &couplings, &is_joint);
        let mut joints = Joints::new(problem, &couplings, &places);
        let rest = reduced(problem, &couplings, &places, &mut joints).map_err(|_| {
            SolveError::Factorization {
                reason: "the joints leave numbers that overflow; use other units or another solver",
            }
        })?;
        let kept = blocks.iter().zip(&is_joint).filter(|(_, joint)| !**joint);
        let others: Vec<usize> = kept.flat_map(|(block, _)| block.rows()).collect();
        let start: Vec<f64> = joints.rows.iter().map(|row| impulses[*row]).collect();
        let schedule = sweep.schedule(&rest, Schedule::default());
        let first = others.iter().map(|row| impulses[*row]).collect();
        Ok(Self {
            swept: Swept::new(RowRule::new(1.0), schedule, &rest, first)?,
            solved: start.clone(),
            start,
            joints,
            others,
            active_rows: problem.active_rows(),
        })
    }
}

impl Prepared for Split {
    /// Joints are factorized anew.
    fn refresh(&mut self, _: &Problem, _: Refresh) -> Result<bool, SolveError> {
        Ok(false)
    }

    fn iterate(&mut self, _: &Problem, sweeps: u32) -> Result<Progress, SolveError> {
        for _ in 0..sweeps {
            self.swept.sweep_once();
        }
        if sweeps > 0 {
            // from the start each time: chunks of sweeps give the bits of the whole
            self.solved.copy_from_slice(&self.start);
            self.joints
                .solve(&self.swept.packed().impulses, &mut self.solved);
        }
        Ok(Progress::of_sweeps(sweeps, self.active_rows))
    }

    fn impulses(&self, out: &mut [f64]) -> Result<(), SolveError> {
        for (row, impulse) in self.joints.rows.iter().zip(&self.solved) {
            out[*row] = *impulse;
        }
        for (row, impulse) in self.others.iter().zip(&self.swept.packed().impulses) {
            out[*row] = *impulse;
        }
        Ok(())
    }

    fn is_finite(&self) -> bool {
        self.swept.packed().is_finite() && self.solved.iter().all(|x| x.is_finite())
    }

    /// What is swept, and the impulses of the joints.
    fn state(&self, out: &mut Vec<u64>) -> Result<Option<Memory>, SolveError> {
        let memory = self.swept.push_state(out);
        Memory::push(out, self.solved.iter().copied());
        Ok(Some(memory))
    }

    /// One, of the joints, if there are any.
    fn factorizations(&self) -> Option<u64> {
        Some(u64::from(!self.joints.rows.is_empty()))
    }
}

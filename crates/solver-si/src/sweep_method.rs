//! Methods that differ in the rule of a block and in the order of the visits.

use std::fmt::Debug;

use delassus_core::{
    Method, ParameterError, Parameters, Prepared, Problem, SolveError, SolverDescriptor, interrupt,
};

use crate::order::Schedule;
use crate::sweep::{PreparedSweeps, Rule};

/// The rule of a solver, and the order in which its sweeps visit the blocks.
pub trait SweepPlan: Debug + Send + Sized + 'static {
    /// As [`Method::Parameters`].
    type Parameters: Parameters;

    /// How one block is updated.
    type Rule: Rule;

    /// Declared properties of the solver.
    const DESCRIPTOR: SolverDescriptor;

    /// As [`Method::new`].
    ///
    /// # Errors
    /// Those of [`Method::new`].
    fn new(parameters: Self::Parameters) -> Result<Self, ParameterError>;

    /// A rule that no problem is built into yet.
    fn rule(&self) -> Self::Rule;

    /// Multiplications that [`Self::schedule`] takes as long as, in addition to what every plan
    /// does.
    fn scheduling(_: &Problem) -> f64 {
        0.0
    }

    /// The visits of a sweep over a problem, in the memory of an earlier schedule.
    fn schedule(&mut self, rule: &mut Self::Rule, problem: &Problem, memory: Schedule) -> Schedule;
}

/// The method of a plan.
#[derive(Debug, Clone)]
pub struct SweepMethod<P> {
    plan: P,
}

impl<P> SweepMethod<P> {
    /// The plan, with its parameters.
    pub fn plan(&self) -> &P {
        &self.plan
    }
}

impl<P: SweepPlan> Method for SweepMethod<P>
where
    PreparedSweeps<P::Rule>: Prepared,
{
    type Parameters = P::Parameters;
    type Prepared = PreparedSweeps<P::Rule>;

    const DESCRIPTOR: SolverDescriptor = P::DESCRIPTOR;

    fn new(parameters: P::Parameters) -> Result<Self, ParameterError> {
        let plan = P::new(parameters)?;
        Ok(Self { plan })
    }

    fn footprint(&self, problem: &Problem) -> u64 {
        PreparedSweeps::<P::Rule>::memory(problem)
    }

    fn prepare(
        &mut self,
        problem: &Problem,
        impulses: Vec<f64>,
    ) -> Result<PreparedSweeps<P::Rule>, SolveError> {
        interrupt::afford(P::scheduling(problem))?;
        let mut rule = self.plan.rule();
        let schedule = self.plan.schedule(&mut rule, problem, Schedule::default());
        PreparedSweeps::new(rule, schedule, problem, impulses)
    }

    fn prepare_into(
        &mut self,
        swept: &mut PreparedSweeps<P::Rule>,
        problem: &Problem,
        impulses: &[f64],
    ) -> Result<bool, SolveError> {
        interrupt::afford(P::scheduling(problem))?;
        swept.prepare_into(problem, impulses, |rule, memory| {
            self.plan.schedule(rule, problem, memory)
        })
    }
}

//! `auto`: the method that suits a problem, and the next one where it stalls.
//!
//! A problem is sorted by its hardest law, its rows and its symmetry; each class has sequences of
//! methods: sweeps, Newton steps in the velocities of bodies, and methods on the matrix of the
//! impulses one after the other. Sequences take turns. Who promises to arrive for less than what
//! the others cost goes on; who does not, waits until the others have cost as much. Every stage
//! begins at the best iterate of those before, and the best one by the natural map is returned.
//! Where a sequence begins or ends is a line ([`delassus_core::SolverFacts::decisions`]).
//!
//! Departures: other solvers do not compute a residual; this one computes the natural map (M.5) to
//! choose between methods. It prepares a stage when it begins, so `iterate` allocates.
//! Costs are counted; a clock only skips a matrix that does not fit into the rest of a limit. If
//! the limit ends the solve, the iterate of `pgs` on a second thread is returned if it is better
//! (U.45). Limitations: what no stage solves ends in sweeps, which end where nothing gets better.
//!
//! Theory: docs/theory/28-auto.md (U.40)–(U.45). Source: \[Rice1976\]; the stages cite their own.

use delassus_core::{
    Checked, Determinism, ImpulseSolver, Method, ParameterError, Parameters, Problem, SolveError,
    SolverDescriptor, Unsupported, WorkUnit,
};

use crate::combination::Combination;
use crate::facts::Facts;
use crate::second_thread::SecondThread;
use crate::stage::{self, Stage};

/// Parameters of [`Auto`].
#[derive(Debug, Clone, Copy, PartialEq, Parameters)]
pub struct AutoParameters {
    /// Natural map that the choice of methods aims at first; where it is reached, the next target
    /// is a hundredth of it.
    #[parameter(default = 1e-8, unit = "-", range = "[1e-15, 1]")]
    pub target: f64,
    /// Threads. Under a limit on the time 2 give a second thread to `pgs`, once the solve has used
    /// a hundredth of the limit and a millisecond: if the limit ends the solve, the better of the
    /// two iterates is returned. They change no other solve. A machine with one processor has one.
    #[parameter(default = 2, unit = "-", range = "[1, 2]")]
    pub threads: usize,
}

/// The method that suits a problem (U.40).
pub type Auto = Checked<AutoParameters>;

impl Method for AutoParameters {
    type Parameters = Self;
    type Prepared = Combination;

    const DESCRIPTOR: SolverDescriptor = SolverDescriptor {
        id: "auto",
        aliases: &["default"],
        name: "Automatic choice",
        summary: "Pivots, sweeps and Newton steps as the problem suggests and progress demands, the best iterate kept; \
                  two threads under a limit on the time. `solve` without `--solver` takes it.",
        citations: &["Rice1976"],
        theory: &["U.40", "U.41", "U.42", "U.43", "U.44", "U.45"],
        cost: "m to m³",
        forms: SolverDescriptor::ALL_FORMS,
        cone_rows: 6,
        work_unit: WorkUnit::Stage,
        needs_positive_diagonal: false,
        determinism: Determinism::Processor,
        // it changes its methods
        unit_is_map: false,
        ..SolverDescriptor::COMPLETE
    };

    fn new(parameters: Self) -> Result<Self, ParameterError> {
        Ok(parameters)
    }

    fn check(&self, problem: &Problem) -> Result<(), Unsupported> {
        let plan = stage::plan(&Facts::counted(problem)).concat();
        if plan.iter().any(|stage| stage.suits(problem)) {
            return Ok(());
        }
        let first = plan.first().and_then(|stage| stage.build().ok());
        first.map_or(Ok(()), |solver| solver.check(problem).map(|_| ()))
    }

    fn footprint(&self, problem: &Problem) -> u64 {
        let need = |stage: Stage| Some(stage.build().ok()?.footprint(problem));
        // every sequence keeps what it has
        let sequences = stage::plan(&Facts::counted(problem)).into_iter();
        let needs =
            sequences.map(|sequence| sequence.into_iter().filter_map(need).max().unwrap_or(0));
        let sequences = needs.fold(problem.memory(), u64::saturating_add);
        if self.threads < 2 {
            return sequences;
        }
        // the second thread has a problem of its own
        let second = need(Stage::Scalar).unwrap_or(0);
        sequences
            .saturating_add(problem.memory())
            .saturating_add(second)
    }

    fn prepare(
        &mut self,
        problem: &Problem,
        impulses: Vec<f64>,
    ) -> Result<Combination, SolveError> {
        let AutoParameters { target, threads } = *self;
        let second = SecondThread::new(threads);
        Combination::new(problem, target, impulses, second)
    }
}

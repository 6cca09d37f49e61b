//! Sequences, the best iterate of all, and what was decided.

use delassus_core::{Prepared, Problem, Progress, SolveError, SolverFacts};
use delassus_metrics::EvaluatorMemory;

use crate::facts::Facts;
use crate::judge::Judge;
use crate::method_sequence::MethodSequence;
use crate::second_thread::SecondThread;
use crate::stage;

/// Sequences, the best iterate and what was decided.
#[derive(Debug)]
pub struct Combination {
    pub(crate) target: f64,
    pub(crate) facts: Facts,
    pub(crate) sequences: Vec<MethodSequence>,
    /// The sequence whose turn it is.
    pub(crate) turn: Option<usize>,
    /// The sequence of the turn before, if the turn ended although the sequence could go on.
    pub(crate) last: Option<usize>,
    /// The sequence that has improved the best iterate last.
    pub(crate) leader: Option<usize>,
    /// Where the solve began.
    pub(crate) origin: Vec<f64>,
    /// The iterate looked at last.
    pub(crate) iterate: Vec<f64>,
    pub(crate) best: Vec<f64>,
    /// Natural map of the best iterate \[-\]; NaN before the first look.
    pub(crate) residual: f64,
    pub(crate) exhausted: bool,
    /// Scales of the problem, between two calls.
    judged: EvaluatorMemory,
    /// Rows that are not at zero in the best iterate \[-\].
    pub(crate) closed: usize,
    /// Momenta of the bodies and velocities of the rows.
    pub(crate) work: (Vec<f64>, Vec<f64>),
    /// Units of work of all stages so far \[-\].
    pub(crate) units: u64,
    /// What has found the best iterate.
    pub(crate) finder: &'static str,
    pub(crate) decisions: Vec<String>,
    /// Factorizations of all stages so far, where one counts them \[-\].
    pub(crate) factored: Option<u64>,
    /// Plain `pgs` under a limit on the time.
    pub(crate) second: SecondThread,
}

impl Prepared for Combination {
    fn iterate(&mut self, problem: &Problem, sweeps: u32) -> Result<Progress, SolveError> {
        let mut judge = Judge::new(problem, std::mem::take(&mut self.judged));
        let is_limited = self.begin_call();
        let outcome = self.turns(&mut judge, problem, sweeps, is_limited);
        if is_limited {
            self.end_call(&mut judge, &outcome);
        }
        self.judged = judge.into_memory();
        outcome
    }

    fn impulses(&self, out: &mut [f64]) -> Result<(), SolveError> {
        out.copy_from_slice(&self.best);
        Ok(())
    }

    fn facts(&self) -> SolverFacts {
        SolverFacts {
            decisions: self.lines(),
            ..SolverFacts::default()
        }
    }

    fn factorizations(&self) -> Option<u64> {
        self.factored
    }
}

impl Combination {
    /// Nothing has begun; `impulses` are where the solve begins.
    pub(crate) fn new(
        problem: &Problem,
        target: f64,
        impulses: Vec<f64>,
        second: SecondThread,
    ) -> Result<Self, SolveError> {
        let facts = Facts::of(problem)?;
        let sequences = stage::plan(&facts)
            .into_iter()
            .map(MethodSequence::new)
            .collect();
        Ok(Self {
            target,
            sequences,
            closed: closed(&impulses, facts.rows),
            facts,
            origin: impulses.clone(),
            iterate: impulses.clone(),
            best: impulses,
            residual: f64::NAN,
            turn: None,
            last: None,
            leader: None,
            exhausted: problem.rows() == 0,
            judged: EvaluatorMemory::default(),
            work: Default::default(),
            units: 0,
            finder: "the start",
            decisions: Vec::new(),
            factored: None,
            second,
        })
    }

    fn turns(
        &mut self,
        judge: &mut Judge<'_>,
        problem: &Problem,
        sweeps: u32,
        is_limited: bool,
    ) -> Result<Progress, SolveError> {
        let mut progress = Progress::default();
        while progress.sweeps < sweeps && !self.exhausted {
            progress += self.work(judge, problem, sweeps - progress.sweeps)?;
            if is_limited {
                self.second.start(problem, &self.origin);
            }
        }
        progress.finished = self.exhausted;
        Ok(progress)
    }
}

/// Rows that are not at zero; all where nothing is known, at a start from zero \[-\].
pub(crate) fn closed(impulses: &[f64], rows: usize) -> usize {
    let closed = impulses.iter().filter(|impulse| **impulse != 0.0).count();
    if closed > 0 { closed } else { rows }
}

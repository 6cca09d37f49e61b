//! Sequences: methods that take turns, each going on from where it has come, and what a turn costs
//! (U.42), (U.44).

use delassus_core::{ImpulseSolver, Problem, Start};

use crate::facts::Facts;
use crate::stage::Stage;
use crate::watch::Watch;

/// A sequence that has found the best iterate is charged so much of its costs when turns are given
/// \[-\].
pub(crate) const LEADER: f64 = 0.5;
/// Costs beyond which no promise of a sequence is believed, over what it has cost \[-\].
pub(crate) const BELIEVED: f64 = 50.0;

/// A stage under way.
pub(crate) struct Running {
    pub(crate) stage: Stage,
    pub(crate) solver: Box<dyn ImpulseSolver>,
    pub(crate) units: u32,
    /// Natural map of the last answer of the same stage when it began, infinite the first time
    /// \[-\].
    pub(crate) begun: f64,
    pub(crate) watch: Watch,
    /// The problem that is solved in place of the one given, if there is one.
    pub(crate) substitute: Option<Problem>,
    /// Factorizations of its solver that are counted already \[-\].
    pub(crate) counted: Option<u64>,
}

impl std::fmt::Debug for Running {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Running")
            .field("stage", &self.stage)
            .field("units", &self.units)
            .finish_non_exhaustive()
    }
}

/// Stages one after the other, of which one is under way.
#[derive(Debug)]
pub(crate) struct MethodSequence {
    stages: Vec<Stage>,
    /// Stages that have ended \[-\].
    done: usize,
    pub(crate) running: Option<Running>,
    /// What was counted for the sequence, in units of (U.42) \[-\].
    pub(crate) spent: f64,
    /// What it had cost when its turn began.
    began: f64,
    /// Where the next stage begins, if a stage has left an answer of a substitute to it.
    pub(crate) start: Option<Vec<f64>>,
    /// Natural map of the last answer of a stage that follows itself \[-\].
    pub(crate) answer: Option<f64>,
}

impl MethodSequence {
    pub(crate) fn new(stages: Vec<Stage>) -> Self {
        Self {
            stages,
            done: 0,
            running: None,
            spent: 0.0,
            began: 0.0,
            start: None,
            answer: None,
        }
    }

    /// The stage under way, or the next one; none at the end.
    pub(crate) fn stage(&self) -> Option<Stage> {
        self.stages.get(self.done).copied()
    }

    /// Goes on to the next stage.
    pub(crate) fn advance(&mut self) {
        self.running = None;
        self.done += 1;
    }

    pub(crate) fn begin_turn(&mut self) {
        self.began = self.spent;
    }

    /// True once the sequence has cost something.
    pub(crate) fn has_begun(&self) -> bool {
        self.spent > 0.0
    }

    /// What this turn has cost so far \[-\].
    pub(crate) fn turn(&self) -> f64 {
        self.spent - self.began
    }

    /// True if the sequence makes sweeps of Gauss–Seidel.
    pub(crate) fn is_sweeps(&self) -> bool {
        self.stage().is_some_and(Stage::is_sweeps)
    }

    /// What counts against the sequence when turns are given: what it has cost, and what its next
    /// stage costs before it can have an answer (U.44) \[-\]; infinite for a sequence that has
    /// ended.
    pub(crate) fn key(&self, facts: &Facts, closed: usize, leads: bool) -> f64 {
        let Some(stage) = self.stage() else {
            return f64::INFINITY;
        };
        let entry = match self.running {
            Some(_) => 0.0,
            None => facts.entry(stage, closed),
        };
        let key = self.spent + entry;
        if leads { LEADER * key } else { key }
    }

    /// What is missing to `target` at the sequence's rate \[-\]; of a sequence that has not begun
    /// what it costs to begin.
    pub(crate) fn missing(&self, facts: &Facts, closed: usize, target: f64) -> f64 {
        match (&self.running, self.stage()) {
            (Some(running), Some(stage)) => {
                let missing = running.watch.promise(target) * facts.unit(stage, closed);
                missing.min(BELIEVED * self.spent)
            }
            (None, Some(stage)) => facts.entry(stage, closed),
            _ => f64::INFINITY,
        }
    }

    /// Puts the best iterate in place of that of a stage whose own is ten times worse.
    pub(crate) fn catch_up(&mut self, problem: &Problem, best: &[f64], residual: f64) {
        let Some(running) = &mut self.running else {
            return;
        };
        let idle = running.watch.steps_without_progress();
        if running.stage == Stage::Primal && idle < IDLE {
            return;
        }
        let behind = residual < BEHIND * running.watch.best();
        if behind && running.substitute.is_none() && !running.stage.is_direct() {
            let outcome = running.solver.prepare(problem, Start::Warm(best));
            if outcome.is_err() {
                self.advance();
                return;
            }
            running.watch = running.watch.moved(residual);
        }
    }
}

/// Steps in the velocities of the bodies without progress before that \[-\]: the first ones lead
/// away from the iterate of the sweeps.
const IDLE: u32 = 200;
/// A stage starts again from the best iterate of all stages if the natural map of that iterate is
/// below this share of its own \[-\].
const BEHIND: f64 = 0.1;

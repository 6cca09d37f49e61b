//! What a look at a stage says, and what follows from it.

use delassus_core::{Problem, SolveError};

use crate::combination::{Combination, closed};
use crate::judge::Judge;
use crate::lines::Decision;
use crate::method_sequence::Running;
use crate::stage::Stage;
use crate::watch::Watch;

/// A sequence leads that has brought the best natural map down by this factor \[-\].
const PROGRESS: f64 = 0.9;
/// A loop of De Saxcé goes on while it brings the residual down by this factor \[-\].
const HALF: f64 = 0.5;
/// Blocks up to which more than one sweep of whole blocks is tried \[-\] …
const FEW: usize = 8;
/// … so many before they are judged \[-\].
const SEEN: u32 = 4;
/// Steps in the velocities follow a try whose promise costs more than so many of them \[-\].
const OPENING: f64 = 3.0;
/// What a target that is reached is followed by \[-\].
const NEXT_TARGET: f64 = 1e-2;
/// The last target \[-\].
const LAST_TARGET: f64 = 1e-13;

/// How the stage that was looked at stands.
pub(crate) struct State {
    pub(crate) stage: Stage,
    pub(crate) units: u32,
    pub(crate) begun: f64,
    pub(crate) watch: Watch,
    /// Natural map of its iterate \[-\].
    pub(crate) answer: f64,
    /// True if it says that it has ended.
    pub(crate) finished: bool,
}

/// What follows a look.
pub(crate) enum Verdict {
    /// The stage goes on.
    Stay,
    /// Another sequence has its turn.
    Turn,
    /// This sequence of sweeps has its turn.
    Rival(usize),
    /// The stage has ended.
    Ended,
    /// The stage has ended and is followed by itself.
    Again,
}

impl Combination {
    /// Reads the iterate of a stage, keeps it if it is the best, and says how good it is.
    pub(crate) fn look(
        &mut self,
        judge: &mut Judge<'_>,
        at: usize,
        running: &mut Running,
    ) -> Result<f64, SolveError> {
        running.solver.read_impulses(&mut self.iterate)?;
        let residual = judge.residual(&self.iterate);
        if self.residual.is_nan() {
            // where the solve began is of no interest if that is an answer
            let start = if residual <= self.target {
                f64::INFINITY
            } else {
                judge.residual(&self.best)
            };
            self.residual = start;
            running.watch = Watch::new(start, running.units);
        }
        if residual < PROGRESS * self.residual {
            self.leader = Some(at);
        }
        if residual < self.residual {
            self.finder = running.stage.label();
            self.residual = residual;
            self.best.copy_from_slice(&self.iterate);
            self.closed = closed(&self.best, self.facts.rows);
        }
        let pause = running.stage.pause(running.units);
        running
            .watch
            .look(running.units, residual, pause, self.target);
        while self.residual <= self.target && self.target > LAST_TARGET {
            self.target = (NEXT_TARGET * self.target).max(LAST_TARGET);
        }
        Ok(residual)
    }

    /// What follows a try that would not arrive first: steps in the velocities if they open the
    /// solve, otherwise the next sweeps; none once other sweeps have begun.
    fn after_try(&self, at: usize, running: &State) -> Option<usize> {
        let (next, begin) = self.next_sweeps(at)?;
        let price = self.facts.unit(running.stage, self.closed);
        let arrives = running.watch.promise(self.target) * price;
        let step = self.facts.unit(Stage::Primal, self.closed);
        let opening = self.opening().filter(|_| arrives > OPENING * step);
        (running.stage == Stage::Relaxed && arrives > begin).then_some(opening.unwrap_or(next))
    }

    /// True if whole blocks are tried no longer: a sweep of many, more of few while they promise
    /// something.
    fn is_over(&self, running: &State) -> bool {
        match running.stage {
            Stage::First if self.facts.blocks > FEW => true,
            Stage::First if running.units >= SEEN => {
                let price = self.facts.unit(running.stage, self.closed);
                let others = self.facts.entry(Stage::Conjugate, self.closed);
                running.watch.promise(self.target) * price > others
            }
            _ => false,
        }
    }

    /// What follows a look; says why.
    pub(crate) fn verdict(&mut self, at: usize, running: &State) -> Verdict {
        let (stage, units, residual) = (running.stage, running.units, self.residual);
        let done = stage.counted(units);
        let at_end = format!("ends after {done} at natural map {residual:.1e}");
        if running.finished || running.stage.is_direct() {
            self.exhausted = residual <= LAST_TARGET;
            if running.stage == Stage::Cones && running.answer < HALF * running.begun {
                // once more, with the slip of this answer
                let why = "its answer is better than the one before: it solves again, with the sliding of this answer";
                self.decide(&Decision::new(stage, at_end, why));
                return Verdict::Again;
            }
            let why = match stage.is_direct() {
                true => "it solves only once",
                false => "the method reports its end",
            };
            self.decide(&Decision::new(stage, at_end, why));
            return Verdict::Ended;
        }
        if self.is_over(running) {
            let why = match self.facts.blocks > FEW {
                true => format!("on more than {FEW} blocks it makes only one sweep"),
                false => "other sweeps are expected to get there first".to_owned(),
            };
            self.decide(&Decision::new(stage, at_end, why));
            return Verdict::Ended;
        }
        if let Some(next) = self.after_try(at, running) {
            self.say_begins(next, running);
            return Verdict::Rival(next);
        }
        let patience = match running.stage.is_sweeps() {
            _ if residual <= LAST_TARGET => 2,
            true => 1000 + units / 10 * 9,
            false => running.stage.patience(),
        };
        if running.watch.steps_without_progress() >= patience {
            self.exhausted = residual <= LAST_TARGET;
            let idle = running.watch.steps_without_progress();
            let why = format!("no progress in the last {}", stage.counted(idle));
            self.decide(&Decision::new(stage, at_end, why));
            return Verdict::Ended;
        }
        self.next_turn(at, running).unwrap_or(Verdict::Stay)
    }

    /// Does what the verdict says.
    pub(crate) fn follow(&mut self, problem: &Problem, at: usize, verdict: Verdict, answer: f64) {
        match verdict {
            Verdict::Stay => {}
            Verdict::Rival(rival) => self.begin_turn(problem, rival),
            Verdict::Turn => {
                self.turn = None;
                self.last = Some(at);
            }
            Verdict::Ended | Verdict::Again => {
                let sequence = &mut self.sequences[at];
                let ended = sequence.running.take();
                if ended.is_some_and(|running| running.substitute.is_some()) {
                    sequence.start = Some(self.iterate.clone());
                }
                if matches!(verdict, Verdict::Again) {
                    sequence.answer = Some(answer);
                } else {
                    sequence.advance();
                }
                self.turn = None;
            }
        }
    }
}

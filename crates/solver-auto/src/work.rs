//! What happens in a turn: a stage begins, works up to its next look, and may fail.

use delassus_core::{ImpulseSolver, Problem, Progress, SolveError, Start, counted, interrupt};

use crate::combination::Combination;
use crate::facts::Class;
use crate::judge::Judge;
use crate::lines::Decision;
use crate::method_sequence::Running;
use crate::stage::{Stage, treats};
use crate::verdict::State;
use crate::watch::Watch;

/// A residual at which nothing can be gained \[-\].
const EXACT: f64 = 1e-15;
/// Corners of the polygons that stand in for discs \[-\]: within 0.5 % of them.
const CORNERS: u32 = 32;

impl Combination {
    /// Work of the sequence whose turn it is up to its next look, at most `units`, and what follows
    /// from it.
    pub(crate) fn work(
        &mut self,
        judge: &mut Judge<'_>,
        problem: &Problem,
        units: u32,
    ) -> Result<Progress, SolveError> {
        if self.residual <= EXACT {
            self.exhausted = true;
            return Ok(Progress::default());
        }
        interrupt::check()?;
        let Some((at, mut running)) = self.running(problem) else {
            interrupt::check()?;
            self.end_without_method();
            return Ok(Progress::default());
        };
        let problem_of_stage = running.substitute.as_ref().unwrap_or(problem);
        let units = units.min(running.watch.next() - running.units).max(1);
        let price = self.facts.unit(running.stage, self.closed);
        let outcome = running.solver.iterate(problem_of_stage, units);
        self.count(&mut running);
        let progress = match outcome {
            Ok(progress) => progress,
            Err(SolveError::Interrupted) if interrupt::requested() => {
                self.sequences[at].running = Some(running);
                return Err(SolveError::Interrupted);
            }
            Err(error) => {
                self.sequences[at].advance();
                self.turn = None;
                self.units += 1;
                self.failed(&running, error)?;
                return Ok(Progress::of_sweeps(1, 0));
            }
        };
        let done = progress.sweeps.max(1);
        running.units += done;
        self.units += u64::from(done);
        self.sequences[at].spent += f64::from(done) * price;
        if !progress.finished && running.units < running.watch.next() {
            self.sequences[at].running = Some(running);
            return Ok(whole(progress));
        }
        let answer = self.look(judge, at, &mut running)?;
        let state = State {
            stage: running.stage,
            units: running.units,
            begun: running.begun,
            watch: running.watch,
            answer,
            finished: progress.finished,
        };
        self.sequences[at].running = Some(running);
        let verdict = self.verdict(at, &state);
        self.follow(problem, at, verdict, answer);
        Ok(whole(progress))
    }

    fn end_without_method(&mut self) {
        self.decide(&Decision {
            who: "auto".to_owned(),
            what: format!("ends at natural map {:.1e}", self.residual),
            why: "no method is left".to_owned(),
        });
        self.exhausted = true;
    }

    /// The stage under way in the sequence whose turn it is, taken out of it; none if no sequence
    /// has one left.
    fn running(&mut self, problem: &Problem) -> Option<(usize, Running)> {
        loop {
            let at = match self.turn {
                Some(at) => at,
                None => self.choose(problem)?,
            };
            if let Some(running) = self.sequences[at].running.take() {
                return Some((at, running));
            }
            if let Some(running) = self.begin(problem, at) {
                return Some((at, running));
            }
            self.turn = None;
        }
    }

    /// Takes over the factorizations that a stage has made since the last look; sweeps make none.
    fn count(&mut self, running: &mut Running) {
        if running.stage.is_sweeps() {
            return;
        }
        let all = running.solver.facts().factorizations;
        let new = all.map(|all| all - running.counted.unwrap_or(0));
        self.factored = counted(self.factored, new);
        running.counted = all;
    }

    /// What a stage solves in place of the problem, if it does.
    fn substitute(&mut self, stage: Stage, problem: &Problem, start: &[f64]) -> Option<Problem> {
        match stage {
            Stage::Polygons => problem.with_polygons(CORNERS).ok(),
            Stage::Cones => {
                let (momentum, velocity) = &mut self.work;
                velocity.resize(problem.rows(), 0.0);
                let done = problem.shifted_velocity_in(momentum, start, velocity);
                done.ok().and_then(|()| problem.with_cones(velocity).ok())
            }
            _ => None,
        }
    }

    /// Begins the next stage of a sequence; none if that does not suit the problem or cannot be
    /// prepared, and is passed over.
    fn begin(&mut self, problem: &Problem, at: usize) -> Option<Running> {
        let stage = self.sequences[at].stage()?;
        if stage.makes_matrix() && self.afford(stage).is_err() {
            self.sequences[at].advance();
            let why = "it would take longer than what is left of the limit";
            self.decide(&Decision::new(stage, "is left out", why).of_limit());
            return None;
        }
        let left = self.sequences[at].start.take();
        let start = match stage {
            Stage::Fresh => vec![0.0; problem.rows()],
            // piles at rest are solved from where every contact sticks
            Stage::Primal => self.origin.clone(),
            _ => left.unwrap_or_else(|| self.best.clone()),
        };
        let substitute = self.substitute(stage, problem, &start);
        let at_hand = substitute.as_ref().unwrap_or(problem);
        let Some(mut solver) = stage
            .build()
            .ok()
            .filter(|solver| treats(solver.as_ref(), at_hand))
        else {
            self.sequences[at].advance();
            return None;
        };
        let prepared = solver.prepare(at_hand, Start::Warm(&start));
        let sequence = &mut self.sequences[at];
        sequence.spent += self.facts.setup(stage);
        if let Err(error) = prepared {
            sequence.advance();
            self.decide(&Decision::new(stage, "cannot begin", error.to_string()));
            return None;
        }
        let own = stage == Stage::Primal || stage == Stage::Fresh;
        Some(Running {
            stage,
            solver,
            units: 0,
            begun: sequence.answer.take().unwrap_or(f64::INFINITY),
            watch: Watch::new(
                if own { f64::INFINITY } else { self.residual },
                stage.first_look(),
            ),
            substitute,
            counted: None,
        })
    }

    /// Fails if not even the first step of a stage on a matrix fits into the time left.
    fn afford(&self, stage: Stage) -> Result<(), SolveError> {
        interrupt::afford(self.facts.setup(stage))?;
        interrupt::afford_factor(self.facts.unit(stage, self.closed))
    }

    fn failed(&mut self, running: &Running, error: SolveError) -> Result<(), SolveError> {
        let proven = match &error {
            SolveError::Ray(ray) => ray.is_proof(),
            // pivots prove it where no bound moves
            SolveError::Infeasible { .. } => {
                running.stage != Stage::Pivoting || self.facts.class <= Class::Bounds
            }
            _ => false,
        };
        if proven && running.substitute.is_none() {
            return Err(error);
        }
        let what = format!("fails after {}", running.stage.counted(running.units));
        self.decide(&Decision::new(running.stage, what, error.to_string()));
        Ok(())
    }
}

/// The end of a stage is not that of the combination; a stage that ends without work has used a
/// unit.
fn whole(progress: Progress) -> Progress {
    Progress {
        sweeps: progress.sweeps.max(1),
        finished: false,
        ..progress
    }
}

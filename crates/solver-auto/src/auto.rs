//! `auto`: the method that suits a problem, and the next one where it stalls.
//!
//! A problem is sorted by its hardest law, its rows and its symmetry; each class has lanes of
//! methods: sweeps, Newton steps in the velocities of bodies, and methods on the matrix of the
//! impulses one after the other. Lanes take turns. Who promises to arrive for less than what the
//! others cost goes on; who does not, waits until the others have cost as much. Every stage begins
//! at the best iterate of those before, and the best one by the natural map is handed out. Where a
//! lane begins or ends is a line ([`ImpulseSolver::decisions`]).
//!
//! Departures: other solvers do not compute a residual; this one computes the natural map (M.5) to
//! choose between methods. It prepares a stage when it begins, so `iterate` allocates.
//! Nothing depends on clocks: costs are counted. Limitations: what no stage solves ends in sweeps,
//! which end where nothing gets better.
//!
//! Theory: docs/theory/28-auto.md (U.40)–(U.44). Source: \[Rice1976\]; the stages cite their own.

use delassus_core::{
    Checked, Determinism, ImpulseSolver, Method, ParameterError, Parameters, Prepared, Problem,
    Progress, SolveError, SolverDescriptor, Start, Unsupported, WorkUnit, counted, interrupt,
};

use crate::facts::Facts;
use crate::judge::Judge;
use crate::lane::{Lane, Running};
use crate::stage::{self, Stage};
use crate::watch::Watch;

/// A lane leads that has brought the best natural map down by this factor \[-\].
const PROGRESS: f64 = 0.9;
/// A loop of De Saxcé goes on while it brings the residual down by this factor \[-\].
const HALF: f64 = 0.5;
/// What a target that is reached is followed by \[-\].
const NEXT_TARGET: f64 = 1e-3;
/// The last target \[-\].
const LAST_TARGET: f64 = 1e-13;
/// A residual at which nothing can be gained \[-\].
const EXACT: f64 = 1e-15;

/// Parameters of [`Auto`].
#[derive(Debug, Clone, Copy, PartialEq, Parameters)]
pub struct AutoParameters {
    /// Natural map that the choice of methods aims at first; where it is reached, the next target
    /// is a thousandth of it.
    #[parameter(default = 1e-9, unit = "-", range = "[1e-15, 1]")]
    pub target: f64,
}

/// The method that suits a problem (U.40).
pub type Auto = Checked<AutoMethod>;

/// The method of [`Auto`].
#[derive(Debug)]
pub struct AutoMethod {
    parameters: AutoParameters,
}

impl Method for AutoMethod {
    type Parameters = AutoParameters;
    type Prepared = Combination;

    const DESCRIPTOR: SolverDescriptor = SolverDescriptor {
        id: "auto",
        aliases: &["default"],
        name: "Automatic choice",
        summary: "Pivots, sweeps and Newton steps as the problem suggests and progress demands, the best iterate kept; \
                  `solve` without `--solver` takes it.",
        citations: &["Rice1976"],
        theory: &["U.40", "U.41", "U.42", "U.43", "U.44"],
        cost: "m to m³",
        laws: SolverDescriptor::ALL_LAWS,
        work_unit: WorkUnit::Stage,
        holds_rows: true,
        coupled_compliance: true,
        needs_positive_diagonal: false,
        determinism: Determinism::Processor,
        ..SolverDescriptor::BASE
    };

    fn new(parameters: AutoParameters) -> Result<Self, ParameterError> {
        Ok(Self { parameters })
    }

    fn check(&self, problem: &Problem) -> Result<(), Unsupported> {
        let plan = stage::plan(&Facts::of(problem)).concat();
        if plan.iter().any(|stage| stage.suits(problem)) {
            return Ok(());
        }
        let first = plan.first().and_then(|stage| stage.build().ok());
        first.map_or(Ok(()), |solver| solver.check(problem).map(|_| ()))
    }

    fn memory(&self, problem: &Problem) -> u64 {
        let need = |stage: Stage| Some(stage.build().ok()?.memory(problem));
        // every lane keeps what it has
        let lanes = stage::plan(&Facts::of(problem)).into_iter();
        let needs = lanes.map(|lane| lane.into_iter().filter_map(need).max().unwrap_or(0));
        needs.fold(problem.memory(), u64::saturating_add)
    }

    fn prepare(
        &mut self,
        problem: &Problem,
        impulses: Vec<f64>,
    ) -> Result<Combination, SolveError> {
        let facts = Facts::of(problem);
        let lanes = stage::plan(&facts).into_iter().map(Lane::new).collect();
        Ok(Combination {
            target: self.parameters.target,
            lanes,
            facts,
            origin: impulses.clone(),
            iterate: impulses.clone(),
            best: impulses,
            residual: f64::NAN,
            turn: None,
            last: None,
            leader: None,
            exhausted: problem.rows() == 0,
            judge: Judge::default(),
            work: Default::default(),
            decisions: Vec::new(),
            factored: None,
        })
    }
}

/// Lanes, the best iterate and what was decided.
#[derive(Debug)]
pub struct Combination {
    pub(crate) target: f64,
    pub(crate) facts: Facts,
    pub(crate) lanes: Vec<Lane>,
    /// The lane whose turn it is.
    pub(crate) turn: Option<usize>,
    /// The lane of the turn before, if the turn ended although the lane could go on.
    pub(crate) last: Option<usize>,
    /// The lane that has improved the best iterate last.
    pub(crate) leader: Option<usize>,
    /// Where the solve began.
    origin: Vec<f64>,
    /// The iterate looked at last.
    iterate: Vec<f64>,
    pub(crate) best: Vec<f64>,
    /// Natural map of the best iterate \[-\]; NaN before the first look.
    pub(crate) residual: f64,
    exhausted: bool,
    judge: Judge,
    /// Momenta of the bodies and velocities of the rows.
    work: (Vec<f64>, Vec<f64>),
    decisions: Vec<String>,
    /// Factorizations of all stages so far, where one counts them \[-\].
    factored: Option<u64>,
}

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
    /// Another lane has its turn.
    Turn,
    /// This lane of sweeps has its turn.
    Rival(usize),
    /// The stage has ended.
    Ended,
    /// The stage has ended and is followed by itself.
    Again,
}

impl Prepared for Combination {
    fn iterate(&mut self, problem: &Problem, sweeps: u32) -> Result<Progress, SolveError> {
        let mut progress = Progress::default();
        if sweeps > 0 && self.residual.is_nan() {
            self.residual = self.judge.residual(problem, &self.best);
        }
        while progress.sweeps < sweeps && !self.exhausted {
            progress += self.work(problem, sweeps - progress.sweeps)?;
        }
        progress.finished = self.exhausted;
        Ok(progress)
    }

    fn impulses(&self, out: &mut [f64]) -> Result<(), SolveError> {
        out.copy_from_slice(&self.best);
        Ok(())
    }

    fn decisions(&self) -> Vec<String> {
        let name = |lane: &Vec<Stage>| {
            let ids: Vec<&str> = lane.iter().map(|stage| stage.id()).collect();
            ids.join(", then ")
        };
        let names: Vec<String> = stage::plan(&self.facts).iter().map(name).collect();
        let mut lines = vec![format!(
            "{}: in turns {}",
            self.facts.text(),
            names.join(" | ")
        )];
        lines.extend(self.decisions.iter().cloned());
        lines
    }

    fn factorizations(&self) -> Option<u64> {
        self.factored
    }
}

impl Combination {
    /// Work of the lane whose turn it is up to its next look, at most `units`, and what follows
    /// from it.
    fn work(&mut self, problem: &Problem, units: u32) -> Result<Progress, SolveError> {
        if self.residual <= EXACT {
            self.exhausted = true;
            return Ok(Progress::default());
        }
        interrupt::check()?;
        let Some((at, mut running)) = self.running(problem) else {
            interrupt::check()?;
            self.decide(format!(
                "no method is left: the best iterate has natural map {:.1e}",
                self.residual
            ));
            self.exhausted = true;
            return Ok(Progress::default());
        };
        let problem_of_stage = running.substitute.as_ref().unwrap_or(problem);
        let units = units.min(running.watch.next() - running.units).max(1);
        let outcome = running.solver.iterate(problem_of_stage, units);
        self.count(&mut running);
        let progress = match outcome {
            Ok(progress) => progress,
            Err(SolveError::Interrupted) if interrupt::requested() => {
                self.lanes[at].running = Some(running);
                return Err(SolveError::Interrupted);
            }
            Err(error) => {
                self.lanes[at].advance();
                self.turn = None;
                self.failed(&running, error)?;
                return Ok(Progress::of_sweeps(1, 0));
            }
        };
        let done = progress.sweeps.max(1);
        running.units += done;
        let price = self.facts.unit(running.stage, self.closed());
        self.lanes[at].spent += f64::from(done) * price;
        if !progress.finished && running.units < running.watch.next() {
            self.lanes[at].running = Some(running);
            return Ok(whole(progress));
        }
        let answer = self.look(problem, (at, &mut running))?;
        let state = State {
            stage: running.stage,
            units: running.units,
            begun: running.begun,
            watch: running.watch,
            answer,
            finished: progress.finished,
        };
        self.lanes[at].running = Some(running);
        let verdict = self.verdict(at, &state);
        self.follow(problem, at, verdict, answer);
        Ok(whole(progress))
    }

    /// The stage under way in the lane whose turn it is, taken out of it; none if no lane has one
    /// left.
    fn running(&mut self, problem: &Problem) -> Option<(usize, Running)> {
        loop {
            let at = match self.turn {
                Some(at) => at,
                None => self.choose(problem)?,
            };
            if let Some(running) = self.lanes[at].running.take() {
                return Some((at, running));
            }
            if let Some(running) = self.begin(problem, at) {
                return Some((at, running));
            }
            self.turn = None;
        }
    }

    /// Takes over the factorizations that a stage has made since the last look.
    fn count(&mut self, running: &mut Running) {
        let all = running.solver.factorizations();
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

    /// Begins the next stage of a lane; none if that does not suit the problem or cannot be
    /// prepared, and is passed over.
    fn begin(&mut self, problem: &Problem, at: usize) -> Option<Running> {
        let stage = self.lanes[at].stage()?;
        let left = self.lanes[at].start.take();
        let start = match stage {
            Stage::Fresh => vec![0.0; problem.rows()],
            // piles at rest are solved from where every contact sticks
            Stage::Primal => self.origin.clone(),
            _ => left.unwrap_or_else(|| self.best.clone()),
        };
        let substitute = self.substitute(stage, problem, &start);
        let at_hand = substitute.as_ref().unwrap_or(problem);
        if !stage.suits(at_hand) {
            self.lanes[at].advance();
            return None;
        }
        let prepared = stage.build().map_err(|error| error.to_string());
        let prepared = prepared.and_then(|mut solver| {
            let outcome = solver.prepare(at_hand, Start::Warm(&start));
            outcome.map(|()| solver).map_err(|error| error.to_string())
        });
        let lane = &mut self.lanes[at];
        lane.spent += self.facts.setup(stage);
        let solver = match prepared {
            Ok(solver) => solver,
            Err(error) => {
                lane.advance();
                self.decide(format!("{} cannot begin: {error}", stage.id()));
                return None;
            }
        };
        let own = stage == Stage::Primal || stage == Stage::Fresh;
        Some(Running {
            stage,
            solver,
            units: 0,
            begun: lane.answer.take().unwrap_or(f64::INFINITY),
            watch: Watch::new(if own { f64::INFINITY } else { self.residual }),
            substitute,
            counted: None,
        })
    }

    /// Reads the iterate of a stage, keeps it if it is the best, and says how good it is.
    fn look(
        &mut self,
        problem: &Problem,
        (at, running): (usize, &mut Running),
    ) -> Result<f64, SolveError> {
        running.solver.read_impulses(&mut self.iterate)?;
        let residual = self.judge.residual(problem, &self.iterate);
        if residual < PROGRESS * self.residual {
            self.leader = Some(at);
        }
        if residual < self.residual {
            self.residual = residual;
            self.best.copy_from_slice(&self.iterate);
        }
        let few = !running.stage.is_sweeps();
        running
            .watch
            .look(running.units, residual, few, self.target);
        while self.residual <= self.target && self.target > LAST_TARGET {
            self.target = (NEXT_TARGET * self.target).max(LAST_TARGET);
        }
        Ok(residual)
    }

    /// What follows a look; says why.
    fn verdict(&mut self, at: usize, running: &State) -> Verdict {
        let (id, units, residual) = (running.stage.id(), running.units, self.residual);
        if running.finished || running.stage.is_direct() {
            self.exhausted = residual <= LAST_TARGET;
            if running.stage == Stage::Cones && running.answer < HALF * running.begun {
                // once more, with the slip of this answer
                self.decide(format!(
                    "{id} on cones: natural map {residual:.1e} after {units}"
                ));
                return Verdict::Again;
            }
            self.decide(format!("{id}: natural map {residual:.1e} after {units}"));
            return Verdict::Ended;
        }
        let patience = match running.stage.is_sweeps() {
            _ if residual <= LAST_TARGET => 2,
            true => 1000 + units / 10 * 9,
            false => running.stage.patience(),
        };
        if running.watch.waited() >= patience {
            self.exhausted = residual <= LAST_TARGET;
            let text =
                format!("{id}: natural map {residual:.1e} after {units} units, and no better");
            self.decide(text);
            return Verdict::Ended;
        }
        self.next_turn(at, running).unwrap_or(Verdict::Stay)
    }

    /// Does what the verdict says.
    fn follow(&mut self, problem: &Problem, at: usize, verdict: Verdict, answer: f64) {
        match verdict {
            Verdict::Stay => {}
            Verdict::Rival(rival) => self.begin_turn(problem, rival),
            Verdict::Turn => {
                self.turn = None;
                self.last = Some(at);
            }
            Verdict::Ended | Verdict::Again => {
                let lane = &mut self.lanes[at];
                let ended = lane.running.take();
                if ended.is_some_and(|running| running.substitute.is_some()) {
                    lane.start = Some(self.iterate.clone());
                }
                if matches!(verdict, Verdict::Again) {
                    lane.answer = Some(answer);
                } else {
                    lane.advance();
                }
                self.turn = None;
            }
        }
    }

    fn failed(&mut self, running: &Running, error: SolveError) -> Result<(), SolveError> {
        let proven = matches!(&error, SolveError::Ray(ray) if ray.is_proof());
        if proven && running.substitute.is_none() {
            return Err(error);
        }
        self.decide(format!("{}: {error}", running.stage.id()));
        Ok(())
    }

    pub(crate) fn decide(&mut self, line: String) {
        self.decisions.push(line);
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

/// Corners of the polygons that stand in for discs \[-\]: within 0.5 % of them.
const CORNERS: u32 = 32;

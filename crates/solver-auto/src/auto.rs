//! `auto`: the method that suits a problem, and the next one where it stalls.
//!
//! A problem is sorted by its hardest law, its rows and its symmetry; each class has a fixed list of methods, those that end
//! by themselves first, or sweeps first. Sweeps go on while their rate promises to arrive for less than what Newton steps
//! cost; Newton steps go on while they get anywhere. Every stage begins at the best iterate of those before, and the best
//! one by the natural map is handed out. Each decision is a line ([`ImpulseSolver::decisions`]).
//!
//! Departures: an ordinary solver holds no residual; this one looks at the natural map (M.5), because choosing is what it is
//! for. It prepares a stage when it begins, so `iterate` allocates. Nothing depends on clocks: costs are counted.
//! Limitations: what no stage solves ends in sweeps, which end where nothing gets better.
//!
//! Theory: docs/theory/28-auto.md (U.40)–(U.43). Source: \[Rice1976\]; the stages cite their own.

use delassus_core::{
    Checked, Determinism, ImpulseSolver, Method, ParameterError, Parameters, Prepared, Problem,
    Progress, SolveError, SolverDescriptor, Start, Unsupported, WorkUnit, counted,
};

use crate::facts::Facts;
use crate::judge::Judge;
use crate::stage::{self, Stage};
use crate::watch::Watch;

/// Sweeps before their rate is believed \[-\].
const TRUSTED: u32 = 20;
/// Sweeps that Newton's method likes to begin after, where they cost less than it \[-\].
const SETTLED: u32 = 200;
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
    /// Natural map that the choice of methods aims at first; where it is reached, the next target is a thousandth of it.
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
        theory: &["U.40", "U.41", "U.42", "U.43"],
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
        let plan = stage::plan(&Facts::of(problem));
        if plan.iter().any(|stage| stage.suits(problem)) {
            return Ok(());
        }
        let first = plan.first().and_then(|stage| stage.build().ok());
        first.map_or(Ok(()), |solver| solver.check(problem).map(|_| ()))
    }

    fn memory(&self, problem: &Problem) -> u64 {
        let solvers = stage::plan(&Facts::of(problem)).into_iter();
        let needs = solvers.filter_map(|stage| Some(stage.build().ok()?.memory(problem)));
        needs.max().unwrap_or(0).saturating_add(problem.memory())
    }

    fn prepare(
        &mut self,
        problem: &Problem,
        impulses: Vec<f64>,
    ) -> Result<Combination, SolveError> {
        let facts = Facts::of(problem);
        let plan = stage::plan(&facts);
        let names: Vec<&str> = plan.iter().map(|stage| stage.id()).collect();
        let decisions = vec![format!("{}: {}", facts.text(), names.join(", then "))];
        Ok(Combination {
            target: self.parameters.target,
            plan,
            facts,
            start: impulses.clone(),
            best: impulses,
            residual: f64::NAN,
            answer: f64::INFINITY,
            looping: false,
            running: None,
            done: 0,
            exhausted: problem.rows() == 0,
            judge: Judge::default(),
            work: Default::default(),
            decisions,
            factored: None,
        })
    }
}

impl std::fmt::Debug for Running {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Running")
            .field("stage", &self.stage)
            .field("units", &self.units)
            .finish_non_exhaustive()
    }
}

/// The stage under way.
struct Running {
    stage: Stage,
    solver: Box<dyn ImpulseSolver>,
    units: u32,
    /// Natural map of the last answer of the same stage when it began, infinite the first time \[-\].
    begun: f64,
    watch: Watch,
    /// The problem that is solved in place of the one given, if there is one.
    substitute: Option<Problem>,
    /// Factorizations of its solver that are counted already \[-\].
    counted: Option<u64>,
}

/// Stages, the best iterate and what was decided.
#[derive(Debug)]
pub struct Combination {
    target: f64,
    facts: Facts,
    plan: Vec<Stage>,
    /// Stages that have ended \[-\].
    done: usize,
    running: Option<Running>,
    /// Where the next stage begins: the best iterate, unless a stage made it something else.
    start: Vec<f64>,
    best: Vec<f64>,
    /// Natural map of the best iterate \[-\]; NaN before the first look.
    residual: f64,
    /// Natural map of the iterate looked at last \[-\].
    answer: f64,
    /// True while a stage follows itself.
    looping: bool,
    exhausted: bool,
    judge: Judge,
    /// Momenta of the bodies and velocities of the rows.
    work: (Vec<f64>, Vec<f64>),
    decisions: Vec<String>,
    /// Factorizations of all stages so far, where one counts them \[-\].
    factored: Option<u64>,
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
        self.decisions.clone()
    }

    fn factorizations(&self) -> Option<u64> {
        self.factored
    }
}

impl Combination {
    /// Work of the stage under way up to its next look, at most `units`, and what follows from it.
    fn work(&mut self, problem: &Problem, units: u32) -> Result<Progress, SolveError> {
        if self.residual <= EXACT {
            self.decide(format!(
                "natural map {:.1e}: nothing to gain",
                self.residual
            ));
            self.exhausted = true;
            return Ok(Progress::default());
        }
        let running = self.running.take().or_else(|| self.begin(problem));
        let Some(mut running) = running else {
            self.exhausted = true;
            return Ok(Progress::default());
        };
        let problem_of_stage = running.substitute.as_ref().unwrap_or(problem);
        let units = units.min(running.watch.next() - running.units).max(1);
        let outcome = running.solver.iterate(problem_of_stage, units);
        self.count(&mut running);
        let progress = match outcome {
            Ok(progress) => progress,
            Err(error) => {
                self.failed(&running, error)?;
                return Ok(Progress::of_sweeps(1, 0));
            }
        };
        running.units += progress.sweeps.max(1);
        if progress.finished || running.units >= running.watch.next() {
            self.look(problem, &mut running)?;
            if let Some(stages) = self.verdict(&running, progress.finished) {
                self.done += stages;
                self.looping = stages == 0;
                return Ok(whole(progress));
            }
        }
        self.running = Some(running);
        Ok(whole(progress))
    }

    /// Takes over the factorizations that a stage has made since the last look.
    fn count(&mut self, running: &mut Running) {
        let all = running.solver.factorizations();
        let new = all.map(|all| all - running.counted.unwrap_or(0));
        self.factored = counted(self.factored, new);
        running.counted = all;
    }

    /// What a stage solves in place of the problem, if it does.
    fn substitute(&mut self, stage: Stage, problem: &Problem) -> Option<Problem> {
        match stage {
            Stage::Polygons => problem.with_polygons(CORNERS).ok(),
            Stage::Cones => {
                let (momentum, velocity) = &mut self.work;
                velocity.resize(problem.rows(), 0.0);
                let done = problem.shifted_velocity_in(momentum, &self.start, velocity);
                done.ok().and_then(|()| problem.with_cones(velocity).ok())
            }
            _ => None,
        }
    }

    /// The next stage that can be prepared; `None` if there is none.
    fn begin(&mut self, problem: &Problem) -> Option<Running> {
        while let Some(stage) = self.plan.get(self.done).copied() {
            let substitute = self.substitute(stage, problem);
            let at_hand = substitute.as_ref().unwrap_or(problem);
            if !stage.suits(at_hand) {
                self.done += 1;
                continue;
            }
            if stage == Stage::Fresh {
                self.start.fill(0.0);
            }
            let prepared = stage.build().map_err(|error| error.to_string());
            let prepared = prepared.and_then(|mut solver| {
                let start = Start::Warm(&self.start);
                let outcome = solver.prepare(at_hand, start);
                outcome.map(|()| solver).map_err(|error| error.to_string())
            });
            match prepared {
                Ok(solver) => {
                    return Some(Running {
                        stage,
                        solver,
                        units: 0,
                        begun: if self.looping {
                            self.answer
                        } else {
                            f64::INFINITY
                        },
                        watch: Watch::new(self.residual),
                        substitute,
                        counted: None,
                    });
                }
                Err(error) => {
                    self.decide(format!("{} cannot begin: {error}", stage.id()));
                    self.done += 1;
                }
            }
        }
        self.decide(format!(
            "no method is left: the best iterate has natural map {:.1e}",
            self.residual
        ));
        None
    }

    /// Reads the iterate of a stage and keeps it if it is the best.
    fn look(&mut self, problem: &Problem, running: &mut Running) -> Result<(), SolveError> {
        running.solver.read_impulses(&mut self.start)?;
        let residual = self.judge.residual(problem, &self.start);
        self.answer = residual;
        if residual < self.residual {
            self.residual = residual;
            self.best.copy_from_slice(&self.start);
        }
        let few = running.stage != Stage::Sweeps;
        running.watch.look(running.units, residual, few);
        if running.substitute.is_none() {
            self.start.copy_from_slice(&self.best);
        }
        Ok(())
    }

    /// How many stages to go on by, if this one has ended or is to be left; says why.
    fn verdict(&mut self, running: &Running, finished: bool) -> Option<usize> {
        let (id, units) = (running.stage.id(), running.units);
        while self.residual <= self.target && self.target > LAST_TARGET {
            self.target = (NEXT_TARGET * self.target).max(LAST_TARGET);
        }
        let residual = self.residual;
        if finished && running.stage == Stage::Cones && self.answer < HALF * running.begun {
            // once more, with the slip of this answer
            self.decide(format!(
                "{id} on cones: natural map {residual:.1e} after {units}"
            ));
            return Some(0);
        }
        if finished || running.stage.is_direct() {
            self.decide(format!("{id}: natural map {residual:.1e} after {units}"));
            self.exhausted = residual <= self.target;
            return Some(1);
        }
        if running.stage == Stage::Sweeps {
            return self.leaves_sweeps(running).then_some(1);
        }
        let patience = if residual <= LAST_TARGET {
            2
        } else {
            running.stage.patience()
        };
        if running.watch.waited() < patience {
            return None;
        }
        self.exhausted = residual <= LAST_TARGET;
        let text = format!("{id}: natural map {residual:.1e} after {units} steps, and no better");
        self.decide(text);
        Some(1)
    }

    /// True if what follows is worth more than the sweeps that are missing (U.41).
    fn leaves_sweeps(&mut self, running: &Running) -> bool {
        let (id, units, residual) = (running.stage.id(), running.units, self.residual);
        let Some(next) = self.plan.get(self.done + 1).copied() else {
            // the end of the list: as long as anything moves
            let stalled = running.watch.waited() > 1000 + units / 10 * 9;
            if stalled {
                self.decide(format!("{id}: natural map {residual:.1e}, and no better"));
            }
            return stalled;
        };
        let worth = self.facts.newton(self.closed()) / self.facts.sweep();
        let missing = running.watch.missing(self.target);
        let settled = units >= TRUSTED && f64::from(units) >= worth.min(f64::from(SETTLED));
        let leaves = settled && missing > worth;
        if leaves {
            self.decide(format!(
                "{units} sweeps of {id}: natural map {residual:.1e}, a factor of {:.6} per sweep; {} is worth {worth:.0} sweeps, \
                 and {missing:.0} are missing to {:.0e}",
                running.watch.rate(),
                next.id(),
                self.target,
            ));
        }
        leaves
    }

    /// Rows that are not at zero in the best iterate \[-\].
    fn closed(&self) -> usize {
        self.best.iter().filter(|impulse| **impulse != 0.0).count()
    }

    fn failed(&mut self, running: &Running, error: SolveError) -> Result<(), SolveError> {
        let proven = matches!(&error, SolveError::Ray(ray) if ray.is_proof());
        if proven && running.substitute.is_none() {
            return Err(error);
        }
        self.decide(format!("{}: {error}", running.stage.id()));
        self.done += 1;
        Ok(())
    }

    fn decide(&mut self, line: String) {
        self.decisions.push(line);
    }
}

/// The end of a stage is not that of the combination; a stage that ends without work has used a unit.
fn whole(progress: Progress) -> Progress {
    Progress {
        sweeps: progress.sweeps.max(1),
        finished: false,
        ..progress
    }
}

/// Corners of the polygons that stand in for discs \[-\]: within 0.5 % of them.
const CORNERS: u32 = 32;

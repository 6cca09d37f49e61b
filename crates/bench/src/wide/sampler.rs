//! Runs an entry as often as it is asked to, and keeps what it measured.

use std::rc::Rc;

use delassus_core::{ImpulseSolver, Problem, Solver, Traffic};
use delassus_dynamics::{Scheme, SchemeError, World, scheme};
use delassus_metrics::{Evaluator, Metric};
use delassus_problems::generate;
use delassus_scenes::build;
use delassus_solver_si::Pgs;
use delassus_solver_wide::WidePgs;
use delassus_solver_wide::wide_pgs::WidePgsParameters;
use serde_json::{Map, Value, json};

use super::job::{Steps, TimedSolve, TimedSubstep};
use super::{BenchError, SUBSTEPS, TimedEntry, TimedWork};

/// Least number of runs of a sample, so that its median means something.
const REPEATS: u64 = 5;

/// The last problem that was made: entries of one scene follow each other, and large walls take
/// long to make.
#[derive(Debug, Default)]
pub struct LastProblem {
    last: Option<(String, Rc<Problem>)>,
}

impl LastProblem {
    /// The problem of an entry.
    ///
    /// # Errors
    /// The generator refuses.
    pub fn problem(&mut self, entry: &TimedEntry) -> Result<Rc<Problem>, BenchError> {
        let (generator, parameters) = match entry.work {
            TimedWork::Joints | TimedWork::JointsProjection => {
                ("joint-grid", json!({ "n": entry.size }))
            }
            TimedWork::Patch => ("wall", json!({ "base": entry.size, "law": "patch" })),
            _ => ("wall", json!({ "base": entry.size, "law": "coulomb" })),
        };
        let key = format!("{generator} {parameters}");
        match &self.last {
            Some((last, problem)) if *last == key => Ok(Rc::clone(problem)),
            _ => {
                // the old problem goes before the new one comes
                self.last = None;
                let problem = Rc::new(generate(generator, &object(parameters))?.problem);
                self.last = Some((key, Rc::clone(&problem)));
                Ok(problem)
            }
        }
    }
}

/// One entry, settled.
#[expect(
    missing_debug_implementations,
    reason = "solvers and schemes have none"
)]
pub struct Sampler {
    work: TimedWork,
    elements: usize,
    job: Job,
}

enum Job {
    Solve(TimedSolve),
    Stage(Box<TimedSubstep>),
    Steps(Box<Steps>),
}

/// What an entry gave.
#[derive(Debug, Clone)]
pub struct Samples {
    /// The entry.
    pub entry: TimedEntry,
    /// Contact points or joints \[-\].
    pub elements: usize,
    /// Seconds per unit of work, one number per sample; sorted.
    pub seconds: Vec<f64>,
    /// Seconds of the unit of work that was disturbed least.
    pub least: f64,
    /// Bytes per unit of work, if the solver counts them.
    pub traffic: Option<Traffic>,
    /// Relative residual after the larger number of sweeps from a cold start (M.4), for sweeps.
    pub residual: Option<f64>,
}

impl Sampler {
    /// Makes the scene and settles it.
    ///
    /// # Errors
    /// A scene, solver or scheme that refuses; a level that this processor does not have.
    pub fn new(entry: &TimedEntry, scenes: &mut LastProblem) -> Result<Self, BenchError> {
        let work = entry.work;
        if work == TimedWork::Substep {
            let steps = Steps::new([steps(entry, SUBSTEPS[0])?, steps(entry, SUBSTEPS[1])?])?;
            // three rows per point: the wall has Coulomb contacts and nothing else
            let found = steps.rows / 3;
            return Self::checked(entry, found, Job::Steps(Box::new(steps)));
        }
        let problem = scenes.problem(entry)?;
        let points = if work == TimedWork::Patch { 4 } else { 1 };
        let found = points * problem.blocks().len();
        let job = match work {
            TimedWork::Stage => Job::Stage(Box::new(TimedSubstep::new(
                solver(entry)?,
                Problem::clone(&problem),
            )?)),
            _ => Job::Solve(TimedSolve::new(solver(entry)?, problem)?),
        };
        Self::checked(entry, found, job)
    }

    fn checked(entry: &TimedEntry, found: usize, job: Job) -> Result<Self, BenchError> {
        let (work, elements) = (entry.work, entry.elements());
        if found == elements {
            Ok(Self {
                work,
                elements,
                job,
            })
        } else {
            Err(BenchError::Elements {
                found,
                expected: elements,
            })
        }
    }

    /// Runs about `units` units of work, at least `REPEATS` times what a slope needs, and returns
    /// the time of one \[s\].
    ///
    /// A slope is a difference of two times, so a much disturbed one may be negative.
    ///
    /// # Errors
    /// A solver or a scheme that fails.
    pub fn run(&mut self, units: u64) -> Result<f64, BenchError> {
        let repeats = units.div_ceil(self.work.units()).max(REPEATS);
        match &mut self.job {
            Job::Solve(solve) if self.work.is_packing() => solve.packing(repeats),
            Job::Solve(solve) => solve.slope(repeats),
            Job::Stage(stage) => stage.run(repeats),
            Job::Steps(steps) => steps.slope(repeats),
        }
    }

    /// Ends the entry: sorts the samples, counts bytes, judges the impulses.
    ///
    /// # Errors
    /// A solver that fails, a problem without a scale.
    pub fn finish(
        mut self,
        entry: TimedEntry,
        mut seconds: Vec<f64>,
    ) -> Result<Samples, BenchError> {
        seconds.sort_by(f64::total_cmp);
        let least = match &self.job {
            Job::Solve(solve) if self.work.is_pass() => solve.least_slope(),
            Job::Steps(steps) => steps.least_slope(),
            Job::Solve(solve) => solve.least_packing(),
            Job::Stage(stage) => stage.least(),
        };
        let traffic = match &self.job {
            Job::Solve(solve) if self.work.is_pass() => solve.solver.facts().traffic,
            _ => None,
        };
        let residual = match &mut self.job {
            Job::Solve(solve) if self.work.is_pass() => {
                let problem = Rc::clone(&solve.problem);
                residual(&problem, solve.solve_cold()?)?
            }
            _ => None,
        };
        Ok(Samples {
            entry,
            elements: self.elements,
            seconds,
            least,
            traffic,
            residual,
        })
    }
}

impl Samples {
    /// Median per element \[ns\].
    pub fn median(&self) -> f64 {
        let middle = self.seconds.get(self.seconds.len() / 2);
        self.per_element(middle.copied().unwrap_or(f64::NAN))
    }

    /// Least per element \[ns\]: the difference of the least times of the short and of the long
    /// run, or the least time.
    pub fn least(&self) -> f64 {
        self.per_element(self.least)
    }

    fn per_element(&self, seconds: f64) -> f64 {
        1e9 * seconds / self.elements as f64
    }
}

fn solver(entry: &TimedEntry) -> Result<Box<dyn ImpulseSolver>, BenchError> {
    if entry.work == TimedWork::Pgs {
        return Ok(Box::new(Pgs::new(Default::default())?));
    }
    let parameters = WidePgsParameters {
        layout: entry.work.layout(),
        level: entry.level,
        threads: entry.work.threads(),
        ..WidePgsParameters::default()
    };
    Ok(Box::new(WidePgs::new(parameters)?))
}

fn steps(entry: &TimedEntry, substeps: u32) -> Result<(Box<dyn Scheme>, World), BenchError> {
    let wall = json!({ "base": entry.size, "friction": 0.6, "law": "disc" });
    let world = build("wall", &object(wall))?;
    let soft = scheme("soft-step").map_err(SchemeError::from)?;
    // three rows per point in both passes, as in the other rows of the table
    let parameters = object(json!({ "substeps": substeps, "friction": "both" }));
    Ok((soft.build_with(&parameters, Some(solver(entry)?))?, world))
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

fn residual(problem: &Problem, impulses: &[f64]) -> Result<Option<f64>, BenchError> {
    let residuals = Evaluator::new(problem)?.evaluate(impulses)?;
    Ok(residuals.get(Metric::NaturalMap))
}

//! `wide-newton`: f32 sweeps until the active set is quiet, then Newton steps in f64 from there.
//!
//! A sweep of `wide-pgs` costs a hundredth of a Newton step and less, and finds which contacts are open, stick and slide; a Newton
//! step is exact on a face, and wasted on a wrong one. So sweeps go on in doubling counts until few blocks are on another face than
//! at half of them (Z.20), at most `sweeps`; then `prox-newton` begins at their impulses: with its convex problems where everything
//! sticks, on the natural map where something slides (Z.21). The natural map is looked at outside after every step. Where it does
//! not fall, twice as many sweeps lead elsewhere, and in the end the steps are those of `prox-newton` with all its means (Z.22).
//!
//! Budget per work unit: a wide sweep, or a factorization of `prox-newton`; a phase is prepared when it begins, so `iterate`
//! allocates. Nearest siblings: `prox-newton`, whose five sweeps of its own are scalar and whose convex start does not know
//! whether anything slides; `refined(wide-pgs)`, whose Newton steps are dense.
//!
//! Departures from \[More1991\], whose sweeps are gradient projections and whose face is searched by conjugate gradients: faces are those
//! of friction too, and the step is not confined to the face, since the proximal term lets it leave.
//!
//! # Limitations
//! Until the first Newton step the impulses are those of f32. Problems beyond the range of f32 get no sweeps. Those of `prox-newton`.
//!
//! Theory: docs/theory/27-primal-newton.md (Z.20)–(Z.22). Source: \[More1991\], \[Facchinei1998\], \[Alart1991\].

use delassus_core::{
    Checked, ImpulseSolver, LawKind, Method, ParameterError, Parameters, Prepared, Problem,
    Progress, SolveError, Solver, SolverDescriptor, Start, Support, Unsupported, WorkUnit,
};
use delassus_solver_newton::ProxNewton;
use delassus_solver_newton::prox_newton::ProxNewtonParameters;
use delassus_solver_si::WidePgs;

use crate::faces::Faces;
use crate::judge::Judge;

/// Sweeps before the first look \[-\].
const FIRST_LOOK: u32 = 8;
/// Progress: the natural map falls by this factor at least.
const PROGRESS: f64 = 0.9;
/// Newton steps without progress that end a phase.
const PATIENCE: u32 = 8;
/// Returns to the sweeps before Newton's method has to go on alone.
const RETURNS: u32 = 2;
/// A natural map at which nothing can be gained \[-\].
const EXACT: f64 = 1e-15;

/// Parameters of [`WideNewton`].
#[derive(Debug, Clone, Copy, PartialEq, Parameters)]
pub struct WideNewtonParameters {
    /// Wide sweeps at most before the first Newton step; doubled with every return to them.
    #[parameter(default = 256, unit = "-", range = "[1, 1000000]")]
    pub sweeps: u32,
    /// Share of the blocks that may change their face between two looks while the active set counts as quiet.
    #[parameter(default = 0.01, unit = "-", range = "[0, 1]")]
    pub quiet: f64,
    /// First proximal parameter of Newton's method on the natural map, of the diagonal of A.
    #[parameter(default = 1e-3, unit = "-", range = "[1e-9, 10]")]
    pub proximal: f64,
}

/// Wide sweeps, then Newton steps (Z.20)–(Z.22).
pub type WideNewton = Checked<WideNewtonMethod>;

/// The method of [`WideNewton`].
#[derive(Debug)]
pub struct WideNewtonMethod {
    parameters: WideNewtonParameters,
}

const LAWS: &[(LawKind, Support)] = <ProxNewton as Solver>::DESCRIPTOR.laws;

impl Method for WideNewtonMethod {
    type Parameters = WideNewtonParameters;
    type Prepared = TwoPhases;

    const DESCRIPTOR: SolverDescriptor = SolverDescriptor {
        id: "wide-newton",
        name: "Wide sweeps, then Newton",
        summary: "Sweeps of wide-pgs until the active set is quiet, then sparse Newton steps in f64 from its impulses; where \
                  they fail, more sweeps, and prox-newton in the end.",
        citations: &["More1991", "Facchinei1998", "Alart1991"],
        theory: &["Z.20", "Z.21", "Z.22"],
        cost: "m, then sparse factor",
        laws: LAWS,
        work_unit: WorkUnit::Stage,
        holds_rows: true,
        needs_bodies: true,
        ..SolverDescriptor::BASE
    };

    fn new(parameters: WideNewtonParameters) -> Result<Self, ParameterError> {
        Ok(Self { parameters })
    }

    fn check(&self, problem: &Problem) -> Result<(), Unsupported> {
        // what it takes over from wide-pgs is nothing that it could not do without
        let newton = newton(ProxNewtonParameters::default());
        newton.map_or(Ok(()), |newton| newton.check(problem).map(|_| ()))
    }

    fn memory(&self, problem: &Problem) -> u64 {
        let newton = newton(ProxNewtonParameters::default());
        let wide = WidePgs::new(Default::default());
        let newton = newton.map_or(0, |solver| solver.memory(problem));
        wide.map_or(0, |solver| solver.memory(problem))
            .saturating_add(newton)
    }

    fn prepare(&mut self, problem: &Problem, impulses: Vec<f64>) -> Result<TwoPhases, SolveError> {
        let mut phases = TwoPhases {
            parameters: self.parameters,
            wide: WidePgs::new(Default::default()).map_err(|_| SolveError::NotPrepared)?,
            newton: None,
            phase: Phase::Done,
            faces: Faces::default(),
            judge: Judge::default(),
            trial: impulses.clone(),
            best: impulses,
            map: f64::NAN,
            returns: 0,
            decisions: Vec::new(),
        };
        phases.begin(problem);
        Ok(phases)
    }
}

/// `prox-newton` with these parameters.
fn newton(parameters: ProxNewtonParameters) -> Result<ProxNewton, ParameterError> {
    ProxNewton::new(parameters)
}

/// What the next unit does.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Phase {
    /// Sweeps: done, those at the next look, and those at most.
    Sweeps { done: u32, look: u32, limit: u32 },
    /// Newton steps: done, without progress, and the natural map when progress was last seen.
    Newton { done: u32, waited: u32, noted: f64 },
    /// Steps of `prox-newton` with all its means, until it ends.
    Alone,
    Done,
}

/// Both solvers, the best iterate and what was decided.
#[derive(Debug)]
pub struct TwoPhases {
    parameters: WideNewtonParameters,
    wide: WidePgs,
    newton: Option<ProxNewton>,
    phase: Phase,
    faces: Faces,
    judge: Judge,
    trial: Vec<f64>,
    /// What is handed out.
    best: Vec<f64>,
    /// Its natural map \[-\]; NaN while it is that of sweeps, which nobody judges.
    map: f64,
    returns: u32,
    decisions: Vec<String>,
}

impl TwoPhases {
    /// The first sweeps, from `best`.
    fn begin(&mut self, problem: &Problem) {
        (self.map, self.returns) = (f64::NAN, 0);
        self.decisions.clear();
        self.faces.forget();
        if problem.active_rows() == 0 {
            self.phase = Phase::Done;
            return;
        }
        self.sweep_from_best(problem);
    }

    fn sweep_from_best(&mut self, problem: &Problem) {
        let limit = self.parameters.sweeps << self.returns;
        self.phase = Phase::Sweeps {
            done: 0,
            look: FIRST_LOOK.min(limit),
            limit,
        };
        if let Err(error) = self.wide.prepare(problem, Start::Warm(&self.best)) {
            self.decide(format!("wide-pgs cannot begin: {error}"));
            self.trial.copy_from_slice(&self.best);
            self.step_from_trial(problem);
        }
    }

    /// Newton's method from where the sweeps have led: after a return that is elsewhere, if not better.
    fn step_from_trial(&mut self, problem: &Problem) {
        self.faces.look(problem, &self.trial);
        let map = self.judge.residual(problem, &self.trial);
        if self.map.is_nan() || map < self.map {
            self.map = map;
            self.best.copy_from_slice(&self.trial);
        }
        let slides = self.faces.slides();
        let alone = self.returns >= RETURNS;
        let parameters = ProxNewtonParameters {
            proximal: self.parameters.proximal,
            convex_start: alone || !slides,
            start_sweeps: if alone { 5 } else { 0 },
            ..ProxNewtonParameters::default()
        };
        let how = match (alone, slides) {
            (true, _) => "prox-newton goes on alone",
            (false, true) => "Newton steps on the natural map",
            (false, false) => "nothing slides: Newton steps on convex problems",
        };
        self.decide(format!("natural map {map:.1e}; {how}"));
        let prepared = newton(parameters).map_err(|error| error.to_string());
        let prepared = prepared.and_then(|mut newton| {
            let outcome = newton.prepare(problem, Start::Warm(&self.trial));
            outcome.map(|()| newton).map_err(|error| error.to_string())
        });
        self.phase = match prepared {
            Ok(newton) => {
                self.newton = Some(newton);
                let noted = self.map;
                match alone {
                    true => Phase::Alone,
                    false => Phase::Newton {
                        done: 0,
                        waited: 0,
                        noted,
                    },
                }
            }
            Err(error) => {
                self.decide(format!("prox-newton cannot begin: {error}"));
                Phase::Done
            }
        };
    }

    /// Sweeps up to the next look, at most `units`, and what follows from it.
    fn sweep(
        &mut self,
        problem: &Problem,
        units: u32,
        (done, look, limit): (u32, u32, u32),
    ) -> Result<Progress, SolveError> {
        let count = units.min(look - done);
        let outcome = self.wide.iterate(problem, count);
        let read = outcome.and_then(|progress| {
            self.wide.read_impulses(&mut self.trial)?;
            Ok(progress)
        });
        let progress = match read {
            Ok(progress) => progress,
            Err(error) => {
                // an overflow of f32: from the last impulses on without it
                self.decide(format!("wide-pgs: {error}"));
                self.trial.copy_from_slice(&self.best);
                self.step_from_trial(problem);
                return Ok(Progress::of_sweeps(1, 0));
            }
        };
        let done = done + count;
        self.phase = Phase::Sweeps { done, look, limit };
        if self.map.is_nan() {
            self.best.copy_from_slice(&self.trial);
        }
        if done < look {
            return Ok(progress);
        }
        let changed = self.faces.look(problem, &self.trial);
        let quiet = changed as f64 <= self.parameters.quiet * problem.blocks().len() as f64;
        if quiet || done >= limit {
            self.decide(format!(
                "{done} wide sweeps: {changed} of {} blocks on another face than at half of them",
                problem.blocks().len()
            ));
            self.step_from_trial(problem);
        } else {
            let look = (2 * look).min(limit);
            self.phase = Phase::Sweeps { done, look, limit };
        }
        Ok(progress)
    }

    /// One Newton step, and whether it is worth another.
    fn step(&mut self, problem: &Problem) -> Result<Progress, SolveError> {
        let Some(newton) = &mut self.newton else {
            self.phase = Phase::Done;
            return Ok(Progress::default());
        };
        let outcome = newton.iterate(problem, 1);
        let read = outcome.and_then(|progress| {
            newton.read_impulses(&mut self.trial)?;
            Ok(progress)
        });
        let (progress, map) = match read {
            Ok(progress) => (progress, self.judge.residual(problem, &self.trial)),
            Err(error) => {
                self.decide(format!("prox-newton: {error}"));
                (
                    Progress {
                        finished: true,
                        ..Progress::of_sweeps(1, problem.rows())
                    },
                    f64::INFINITY,
                )
            }
        };
        if map < self.map {
            self.map = map;
            self.best.copy_from_slice(&self.trial);
        }
        self.conclude(problem, progress.finished);
        Ok(progress)
    }

    /// What follows a Newton step (Z.22).
    fn conclude(&mut self, problem: &Problem, finished: bool) {
        if self.map <= EXACT {
            self.decide(format!("natural map {:.1e}: nothing to gain", self.map));
            self.phase = Phase::Done;
            return;
        }
        match &mut self.phase {
            Phase::Newton {
                done,
                waited,
                noted,
            } => {
                *done += 1;
                *waited += 1;
                if self.map < PROGRESS * *noted {
                    (*waited, *noted) = (0, self.map);
                }
                let done = *done;
                if finished || *waited >= PATIENCE {
                    self.decide(format!("{done} Newton steps: natural map {:.1e}", self.map));
                    self.returns += 1;
                    self.sweep_from_best(problem);
                }
            }
            _ if finished => {
                self.decide(format!("the end: natural map {:.1e}", self.map));
                self.phase = Phase::Done;
            }
            _ => {}
        }
    }

    fn decide(&mut self, line: String) {
        self.decisions.push(line);
    }
}

impl Prepared for TwoPhases {
    fn repeat(&mut self, problem: &Problem, impulses: &[f64]) -> Result<bool, SolveError> {
        if impulses.len() != self.best.len() {
            return Ok(false);
        }
        self.best.copy_from_slice(impulses);
        self.begin(problem);
        Ok(true)
    }

    fn iterate(&mut self, problem: &Problem, sweeps: u32) -> Result<Progress, SolveError> {
        let mut progress = Progress::default();
        while progress.sweeps < sweeps && self.phase != Phase::Done {
            let done = match self.phase {
                Phase::Sweeps { done, look, limit } => {
                    let units = sweeps - progress.sweeps;
                    self.sweep(problem, units, (done, look, limit))?
                }
                _ => self.step(problem)?,
            };
            progress += Progress {
                sweeps: done.sweeps.max(1),
                finished: false,
                ..done
            };
        }
        progress.finished = self.phase == Phase::Done;
        Ok(progress)
    }

    fn impulses(&self, out: &mut [f64]) -> Result<(), SolveError> {
        out.copy_from_slice(&self.best);
        Ok(())
    }

    fn decisions(&self) -> Vec<String> {
        self.decisions.clone()
    }
}

//! `refined`: a coarse or f32 answer, corrected in f64 to its last digits.
//!
//! Where every law bounds rows by numbers that do not depend on λ, the correction δ of an iterate λ
//! solves the same problem with the bounds shifted by −λ and with w(λ) in place of b (U.9). S
//! solves that one too: its rounding is relative to δ, so every round gains the digits of its
//! arithmetic, and w and λ + δ are f64 (U.10). Other laws are polished by the Newton steps of
//! `alart-curnier` from where S has come (U.11). The best iterate by the natural map is returned.
//!
//! Budget per work unit: `units` units of S; rows of bounds add one packing of the problem per
//! round; other laws add `steps` dense Newton steps, O(m³) each.
//!
//! # Limitations
//! - Rows are corrected by S on problems with bodies and without compliance between rows; others go
//!   to Newton's method.
//! - A work unit allocates: the corrections are problems of their own. S starts each of them
//!   afresh.
//! - Where S does not converge, its corrections do not either; Newton's steps may still.
//!
//! Theory: docs/theory/26-wrappers.md (U.9)–(U.11). Source: \[Wilkinson1963\], \[Moler1967\],
//! \[Alart1991\].

mod correction;

use delassus_core::{
    Choice, Fidelity, ImpulseSolver, LawForm, ParameterError, Parameters, Precision, Problem,
    Progress, SolveError, Solver, SolverDescriptor, SolverFacts, Start, StateCoverage, Unsupported,
    WorkUnit, counted, intern,
};
use delassus_solver_dense::AlartCurnier;

use crate::descriptor::WrapperDescriptor;
use crate::judge::{Best, Judge};
use crate::{Inner, Wrapper, units};
use correction::Correction;

/// A round ends once it has reduced the natural map to this part \[-\]: f32 has seven digits, and
/// packing costs some sweeps.
const ROUND: f64 = 1e-3;

/// What corrects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Choice)]
pub enum Corrector {
    /// S where it can, otherwise Newton's method.
    #[default]
    Auto,
    /// S on the problem of the correction (U.9); problems of other laws are refused.
    Defect,
    /// The steps of alart-curnier (U.11).
    Newton,
}

/// Parameters of [`Refined`].
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct RefinedParameters {
    /// What corrects.
    #[parameter(default = Corrector::Auto)]
    pub corrector: Corrector,
    /// Work units of S in one of the wrapper.
    #[parameter(default = 20, unit = "-", range = "[1, 1000000]")]
    pub units: u32,
    /// Newton steps in one work unit, where they correct.
    #[parameter(default = 20, unit = "-", range = "[1, 1000000]")]
    pub steps: u32,
}

/// S, refined (U.9)–(U.11).
#[allow(missing_debug_implementations, reason = "S shows nothing of itself")]
pub struct Refined {
    inner: Box<dyn ImpulseSolver>,
    newton: AlartCurnier,
    descriptor: SolverDescriptor,
    parameters: RefinedParameters,
    judge: Judge,
    prepared: Option<Rounds>,
    /// Time of the last work unit, under a limit \[s\].
    unit: f64,
}

/// Where the refinement stands.
struct Rounds {
    best: Best,
    /// λ of a unit before it is judged.
    trial: Vec<f64>,
    stage: Stage,
    finished: bool,
}

enum Stage {
    /// S on the problem of the correction about `base`, whose natural map is known; none before the
    /// first round.
    Defect {
        round: Option<Box<Round>>,
        correction: Correction,
    },
    /// S on the problem itself; Newton goes on from the best iterate once a step of its own has
    /// been the best.
    Newton { helped: bool, iterate: Vec<f64> },
}

struct Round {
    problem: Problem,
    base: Best,
}

impl Refined {
    /// True if S corrects.
    fn corrects(&self, problem: &Problem) -> Result<bool, Unsupported> {
        let defect = || {
            Correction::check(self.descriptor.id, problem)?;
            let about = Correction::new(problem).about(problem, &vec![0.0; problem.rows()]);
            match about {
                Ok(correction) => self.inner.check(&correction).map(|_| true),
                // numbers that overflow in the sums: nothing that S could correct
                Err(_) => Ok(false),
            }
        };
        match self.parameters.corrector {
            Corrector::Newton => Ok(false),
            Corrector::Auto => Ok(defect().unwrap_or(false)),
            Corrector::Defect => defect(),
        }
    }
}

impl Rounds {
    /// One unit: (work of the solvers, true if both would repeat themselves).
    fn unit(
        &mut self,
        problem: &Problem,
        inner: &mut dyn ImpulseSolver,
        newton: &mut AlartCurnier,
        parameters: &RefinedParameters,
        judge: &mut Judge,
    ) -> Result<Progress, SolveError> {
        let before = self.best.map;
        let mut done = match &mut self.stage {
            Stage::Defect { round, correction } => {
                let current = match round.take() {
                    Some(current) => current,
                    None => {
                        let problem = correction.about(problem, &self.best.impulses)?;
                        inner.prepare(&problem, Start::Cold)?;
                        let base = self.best.clone();
                        Box::new(Round { problem, base })
                    }
                };
                let done = units::complete(inner, &current.problem, parameters.units)?;
                inner.read_impulses(&mut self.trial)?;
                correction.add(&current.base.impulses, &mut self.trial);
                let map = judge.of(problem, &self.trial);
                self.best.offer(&self.trial, map);
                let ended = self.best.map <= ROUND * current.base.map;
                *round = (!ended && !done.finished).then_some(current);
                done
            }
            Stage::Newton { helped, iterate } => {
                let mut done = Progress::default();
                if !*helped {
                    done = units::complete(inner, problem, parameters.units)?;
                    inner.read_impulses(iterate)?;
                }
                let start = if *helped {
                    &self.best.impulses
                } else {
                    &*iterate
                };
                let steps = correct(newton, problem, start, parameters.steps, &mut self.trial)?;
                if !*helped {
                    let map = judge.of(problem, iterate);
                    self.best.offer(iterate, map);
                }
                *helped = steps.is_some_and(|steps| {
                    done.row_updates = done.row_updates.saturating_add(steps.row_updates);
                    let map = judge.of(problem, &self.trial);
                    self.best.offer(&self.trial, map)
                });
                done
            }
        };
        done.sweeps = 1;
        // a direct S gives the same answer again
        self.finished = done.finished && self.best.map >= before;
        done.finished = self.finished;
        Ok(done)
    }
}

/// Newton steps from `start` to `trial`. One that fails corrects nothing, and S goes on: `None`.
fn correct(
    newton: &mut AlartCurnier,
    problem: &Problem,
    start: &[f64],
    steps: u32,
    trial: &mut [f64],
) -> Result<Option<Progress>, SolveError> {
    let steps = newton
        .prepare(problem, Start::Warm(start))
        .and_then(|()| units::complete(newton, problem, steps))
        .and_then(|steps| newton.read_impulses(trial).map(|()| steps));
    match steps {
        // cut short by the limit, which is no failure of the method
        Err(SolveError::Interrupted) => Err(SolveError::Interrupted),
        steps => Ok(steps.ok()),
    }
}

impl Wrapper for Refined {
    type Parameters = RefinedParameters;

    const DESCRIPTOR: WrapperDescriptor = WrapperDescriptor {
        id: "refined",
        name: "Refinement",
        summary: "Corrects what S reaches: by S on the problem of the correction, in f64 outside, or by Newton steps.",
        citations: &["Wilkinson1963", "Moler1967", "Alart1991"],
        theory: &["U.9", "U.10", "U.11"],
        cost: "units × (S) + m³",
        laws: "those of S that alart-curnier solves",
        needs_map: false,
    };

    fn declare(inner: &SolverDescriptor, own: SolverDescriptor) -> SolverDescriptor {
        let newton = AlartCurnier::DESCRIPTOR;
        let is_polished = |form: LawForm| newton.forms.iter().any(|(own, _)| *own == form);
        let forms = inner.forms.iter().copied();
        SolverDescriptor {
            forms: intern::forms(forms.filter(|(form, _)| is_polished(*form)).collect()),
            cone_rows: inner.cone_rows.min(newton.cone_rows),
            point_rows: inner.point_rows.min(newton.point_rows),
            precision: Precision::F64,
            work_unit: WorkUnit::Sweep,
            ..own
        }
    }

    fn new(
        inner: Inner,
        descriptor: SolverDescriptor,
        parameters: RefinedParameters,
    ) -> Result<Self, ParameterError> {
        Ok(Self {
            inner: inner.solver,
            newton: AlartCurnier::new(Default::default())?,
            descriptor,
            parameters,
            judge: Judge::default(),
            prepared: None,
            unit: 0.0,
        })
    }
}

impl ImpulseSolver for Refined {
    fn descriptor(&self) -> &SolverDescriptor {
        &self.descriptor
    }

    fn check(&self, problem: &Problem) -> Result<Fidelity, Unsupported> {
        let fidelity = self.descriptor.check(problem)?;
        self.inner.check(problem)?;
        if !self.corrects(problem)? {
            self.newton.check(problem)?;
        }
        Ok(fidelity)
    }

    fn footprint(&self, problem: &Problem) -> u64 {
        let inner = self.inner.footprint(problem);
        let own = match self.corrects(problem) {
            Ok(true) => problem.memory().saturating_mul(3),
            _ => self.newton.footprint(problem),
        };
        inner.saturating_add(own)
    }

    fn prepare(&mut self, problem: &Problem, start: Start<'_>) -> Result<(), SolveError> {
        self.prepared = None;
        self.unit = 0.0;
        self.check(problem)?;
        let mut impulses = vec![0.0; problem.rows()];
        start.write(&mut impulses)?;
        let stage = if self.corrects(problem)? {
            Stage::Defect {
                round: None,
                correction: Correction::new(problem),
            }
        } else {
            self.inner.prepare(problem, start)?;
            Stage::Newton {
                helped: false,
                iterate: impulses.clone(),
            }
        };
        let map = self.judge.of(problem, &impulses);
        self.prepared = Some(Rounds {
            trial: impulses.clone(),
            best: Best { impulses, map },
            stage,
            finished: false,
        });
        Ok(())
    }

    fn iterate(&mut self, problem: &Problem, sweeps: u32) -> Result<Progress, SolveError> {
        let Some(rounds) = &mut self.prepared else {
            return Err(SolveError::NotPrepared);
        };
        SolveError::check_length("problem", problem.rows(), rounds.trial.len())?;
        if rounds.finished {
            return Ok(Progress {
                finished: sweeps > 0,
                ..Progress::default()
            });
        }
        units::repeat(sweeps, &self.descriptor, &mut self.unit, || {
            let (inner, newton) = (self.inner.as_mut(), &mut self.newton);
            rounds.unit(problem, inner, newton, &self.parameters, &mut self.judge)
        })
    }

    fn read_impulses(&mut self, out: &mut [f64]) -> Result<(), SolveError> {
        let rounds = self.prepared.as_ref().ok_or(SolveError::NotPrepared)?;
        let best = &rounds.best.impulses;
        SolveError::check_length("impulses", out.len(), best.len())?;
        out.copy_from_slice(best);
        Ok(())
    }

    fn fingerprint(&mut self, out: &mut Vec<u64>) -> Result<Option<StateCoverage>, SolveError> {
        let rounds = self.prepared.as_ref().ok_or(SolveError::NotPrepared)?;
        let begin = out.len();
        StateCoverage::push(out, rounds.best.impulses.iter().copied());
        out.push(u64::from(rounds.finished));
        let memory = match &rounds.stage {
            // the next round depends on the best iterate alone
            Stage::Defect { round: None, .. } => Some(StateCoverage::Complete),
            Stage::Defect {
                round: Some(round), ..
            } => {
                StateCoverage::push(out, round.base.impulses.iter().copied());
                self.inner.fingerprint(out)?
            }
            Stage::Newton { helped, .. } => {
                out.push(u64::from(*helped));
                self.inner.fingerprint(out)?
            }
        };
        // what S says of a rest is about every unit of its own, and seen are only some
        let memory = memory.filter(|memory| *memory == StateCoverage::Complete);
        if memory.is_none() {
            out.truncate(begin);
        }
        Ok(memory)
    }

    /// Those of S and of Newton's method, but a unit streams more than one of S, and S solves other
    /// problems.
    fn facts(&self) -> SolverFacts {
        let inner = units::facts(self.inner.facts());
        let newton = self.newton.facts().factorizations;
        SolverFacts {
            solutions: None,
            factorizations: counted(inner.factorizations, newton),
            ..inner
        }
    }
}

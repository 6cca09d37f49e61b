//! Checks the inputs and results of a solver as [`ImpulseSolver`] promises, so that a [`Method`]
//! contains only its algorithm.

mod size;

use crate::descriptor::{Fidelity, Precision, SolverDescriptor, WorkUnit};
use crate::error::{ParameterError, SolveError, Unsupported};
use crate::facts::{SolverFacts, counted};
use crate::finite::first_not_finite;
use crate::frame_solver::{FrameMotion, FrameSetup, FrameSolver, HalfSteps};
use crate::interrupt;
use crate::method::{Method, Prepared};
use crate::parameter::Parameters;
use crate::problem::{Operator, Problem, RoundRows};
use crate::progress::Progress;
use crate::scaling::PowerScale;
use crate::solver::{ImpulseSolver, Solver, SolverUpdate, StateCoverage};
use crate::start::Start;
pub use size::ProblemSize;

/// The solver that consists of a method and checks of its inputs and results.
#[derive(Debug, Clone)]
pub struct Checked<M: Method> {
    method: M,
    slot: Option<Slot<M::Prepared>>,
    /// Factorizations of problems that were prepared before the present one.
    retired: Option<u64>,
    /// Memory that is reused for the impulses of a start.
    spare: Vec<f64>,
}

/// Multiplications that taking over one byte of a problem with bodies takes as long as \[1/B\]:
/// every method packs it in an order of its own.
const PREPARING: f64 = 2.0;

/// A prepared problem with its size and units.
#[derive(Debug, Clone)]
struct Slot<P> {
    prepared: P,
    size: ProblemSize,
    /// Units that the method computes in.
    scale: PowerScale,
    /// Rows that the method computes in.
    round: RoundRows,
    /// Factorizations that `prepared` had already counted when it was prepared again; `retired`
    /// contains them.
    before: u64,
    /// True if half-steps were integrated since the problem was prepared or updated.
    integrated: bool,
    /// Time of the last work unit since then, under a limit \[s\].
    unit: f64,
    /// The impulses of the last whole units if a limit cut the one after them short; else empty.
    whole: Vec<f64>,
}

impl<M: Method> Checked<M> {
    /// Returns the method, with its parameters.
    pub fn method(&self) -> &M {
        &self.method
    }

    /// Returns the result of the last `prepare`.
    ///
    /// # Errors
    /// Not prepared.
    pub fn prepared(&self) -> Result<&M::Prepared, SolveError> {
        Ok(&self.slot()?.prepared)
    }

    fn slot(&self) -> Result<&Slot<M::Prepared>, SolveError> {
        self.slot.as_ref().ok_or(SolveError::NotPrepared)
    }

    fn slot_of(&mut self, problem: &Problem) -> Result<&mut Slot<M::Prepared>, SolveError> {
        let slot = self.slot.as_mut().ok_or(SolveError::NotPrepared)?;
        slot.size.check(problem)?;
        Ok(slot)
    }

    fn factorizations(&self) -> Option<u64> {
        let now = self.slot.as_ref().and_then(|slot| {
            let all = slot.prepared.factorizations()?;
            Some(all.saturating_sub(slot.before))
        });
        counted(self.retired, now)
    }

    /// Refuses problems that the method does not support; returns the units that the method
    /// computes in.
    fn admit(&self, problem: &Problem) -> Result<PowerScale, Unsupported> {
        M::DESCRIPTOR.admit(problem, &mut |_| ())?;
        self.method.check(problem.round())?;
        match M::DESCRIPTOR.precision {
            Precision::F64 => Ok(PowerScale::IDENTITY),
            Precision::F32 => PowerScale::of(M::DESCRIPTOR.id, problem.round()),
        }
    }
}

impl<P: Prepared> Slot<P> {
    /// `None` in other units, which need a frame of their own.
    fn frame_solver(&mut self) -> Option<&mut dyn FrameSolver> {
        let same_units = self.scale.is_identity() && self.round.is_empty();
        self.prepared.as_frame_solver().filter(|_| same_units)
    }

    /// Fails if an impulse or velocity is not finite; the error names the first such impulse.
    fn check_finite(&self) -> Result<(), SolveError> {
        if self.prepared.is_finite() {
            return Ok(());
        }
        let mut impulses = vec![0.0; self.size.rows];
        self.prepared.impulses(&mut impulses)?;
        check_impulses(&impulses)?;
        Err(SolveError::NonFiniteVelocity)
    }

    /// Iterates; keeps the impulses from before if a limit may cut a unit short.
    fn iterate(&mut self, problem: &Problem, sweeps: u32) -> Result<Progress, SolveError> {
        if self.prepared.is_cut_short().is_none() || interrupt::limit().is_none() {
            return self.prepared.iterate(problem, sweeps);
        }
        self.whole.resize(self.size.rows, 0.0);
        self.prepared.impulses(&mut self.whole)?;
        let outcome = self.prepared.iterate(problem, sweeps);
        if self.prepared.is_cut_short() == Some(true) {
            return Err(SolveError::Interrupted);
        }
        self.whole.clear();
        outcome
    }

    fn is_cut_short(&self) -> bool {
        !self.whole.is_empty()
    }

    fn read_impulses(&self, out: &mut [f64]) -> Result<(), SolveError> {
        SolveError::check_length("impulses", out.len(), self.size.rows)?;
        self.check_finite()?;
        match self.is_cut_short() {
            true => out.copy_from_slice(&self.whole),
            false => self.prepared.impulses(out)?,
        }
        check_impulses(out)?;
        self.scale.unscale_impulses(out);
        self.round.give(out);
        Ok(())
    }
}

fn check_impulses(impulses: &[f64]) -> Result<(), SolveError> {
    match first_not_finite(impulses) {
        Some(row) => Err(SolveError::NonFinite { row }),
        None => Ok(()),
    }
}

impl<M: Method> Solver for Checked<M> {
    type Parameters = M::Parameters;

    const DESCRIPTOR: SolverDescriptor = M::DESCRIPTOR;

    fn new(parameters: M::Parameters) -> Result<Self, ParameterError> {
        parameters.validate()?;
        Ok(Self {
            method: M::new(parameters)?,
            slot: None,
            retired: None,
            spare: Vec::new(),
        })
    }
}

impl<M: Method> ImpulseSolver for Checked<M> {
    fn descriptor(&self) -> &SolverDescriptor {
        &M::DESCRIPTOR
    }

    fn check(&self, problem: &Problem) -> Result<Fidelity, Unsupported> {
        let fidelity = M::DESCRIPTOR.check(problem)?;
        self.method.check(problem.round())?;
        Ok(fidelity)
    }

    fn footprint(&self, problem: &Problem) -> u64 {
        self.method.footprint(problem.round())
    }

    fn prepare(&mut self, problem: &Problem, start: Start<'_>) -> Result<(), SolveError> {
        match problem.operator() {
            Operator::Bodies(_) => interrupt::afford(PREPARING * problem.memory() as f64)?,
            // its passes look at the limit
            Operator::Matrix(_) => interrupt::check()?,
        }
        if let (Operator::Matrix(matrix), true) =
            (problem.operator(), M::DESCRIPTOR.max_asymmetry.is_finite())
        {
            // the limit may end it here, and it is known afterwards
            matrix.delassus.symmetry_defect_in_time()?;
        }
        self.retired = self.factorizations();
        let mut last = self.slot.take();
        let scale = self.admit(problem)?;
        let own = scale.apply(M::DESCRIPTOR.id, problem.round())?;
        let mut round = match &mut last {
            Some(slot) => std::mem::take(&mut slot.round),
            None => RoundRows::default(),
        };
        round.renew(problem, M::DESCRIPTOR.precision);
        let start = round.start(start, problem.rows())?;
        let mut spare = std::mem::take(&mut self.spare);
        let impulses = scale.lend_start(start, problem.rows(), &mut spare)?;
        let again = match last {
            Some(Slot { mut prepared, .. }) => {
                let before = prepared.factorizations();
                let repeated = self.method.prepare_into(&mut prepared, &own, impulses)?;
                repeated.then_some((prepared, before.unwrap_or(0)))
            }
            None => None,
        };
        let (prepared, before) = match again {
            Some(again) => again,
            None => {
                let lent = scale.is_identity() && matches!(start, Start::Warm(_));
                let own_start = if lent {
                    impulses.to_vec()
                } else {
                    std::mem::take(&mut spare)
                };
                (self.method.prepare(&own, own_start)?, 0)
            }
        };
        self.spare = spare;
        let slot = Slot {
            prepared,
            before,
            size: ProblemSize::of(problem),
            scale,
            round,
            integrated: false,
            unit: 0.0,
            whole: Vec::new(),
        };
        slot.check_finite()?;
        self.slot = Some(slot);
        Ok(())
    }

    fn update(&mut self, problem: &Problem, update: SolverUpdate<'_>) -> Result<(), SolveError> {
        let slot = self.slot_of(problem)?;
        let taken = match update {
            SolverUpdate::Impulses(impulses) => {
                slot.size.check_start(impulses)?;
                let rows = slot.size.rows;
                match slot.round.start(Start::Warm(impulses), rows)? {
                    // other units need a problem and impulses of their own
                    Start::Warm(own) => {
                        slot.scale.is_identity()
                            && slot.prepared.warm_start(problem.round(), own)?
                    }
                    Start::Cold => false,
                }
            }
            SolverUpdate::Numbers(changed) => {
                let scale = self.admit(problem)?;
                let slot = self.slot_of(problem)?;
                scale == slot.scale && !slot.is_cut_short() && {
                    let own = scale.apply(M::DESCRIPTOR.id, problem.round())?;
                    slot.prepared.update(&own, changed)?
                }
            }
        };
        if taken {
            let slot = self.slot_of(problem)?;
            (slot.integrated, slot.unit) = (false, 0.0);
            slot.whole.clear();
            return slot.check_finite();
        }
        if let SolverUpdate::Impulses(impulses) = update {
            return self.prepare(problem, Start::Warm(impulses));
        }
        let mut current = std::mem::take(&mut self.spare);
        current.clear();
        current.resize(problem.rows(), 0.0);
        self.slot()?.read_impulses(&mut current)?;
        let outcome = self.prepare(problem, Start::Warm(&current));
        self.spare = current;
        outcome
    }

    fn iterate(&mut self, problem: &Problem, sweeps: u32) -> Result<Progress, SolveError> {
        if self.slot_of(problem)?.is_cut_short() {
            // goes on from whole units
            let mut start = vec![0.0; problem.rows()];
            self.read_impulses(&mut start)?;
            self.update(problem, SolverUpdate::Impulses(&start))?;
        }
        let slot = self.slot_of(problem)?;
        let own = problem.round();
        let mut unit = slot.unit;
        let known = (M::DESCRIPTOR.work_unit != WorkUnit::Stage).then_some(&mut unit);
        let outcome = interrupt::in_parts(sweeps, known, |part| slot.iterate(own, part));
        slot.unit = unit;
        slot.check_finite()?;
        outcome
    }

    fn read_impulses(&mut self, out: &mut [f64]) -> Result<(), SolveError> {
        self.slot()?.read_impulses(out)
    }

    fn read_velocities(&mut self, problem: &Problem, out: &mut [f64]) -> Result<(), SolveError> {
        let slot = self.slot_of(problem)?;
        slot.size.check_velocities(out)?;
        slot.check_finite()?;
        if slot.prepared.velocities(out)? {
            slot.scale.unscale_velocities(out);
            return Ok(());
        }
        let mut impulses = vec![0.0; slot.size.rows];
        slot.read_impulses(&mut impulses)?;
        problem.body_velocities(&impulses, out)
    }

    fn fingerprint(&mut self, out: &mut Vec<u64>) -> Result<Option<StateCoverage>, SolveError> {
        let slot = self.slot()?;
        if slot.is_cut_short() {
            return Ok(None);
        }
        slot.prepared.fingerprint(out)
    }

    fn facts(&self) -> SolverFacts {
        let slot = self.slot.as_ref();
        SolverFacts {
            factorizations: self.factorizations(),
            device: self.method.device(),
            ..slot.map_or_else(SolverFacts::default, |slot| slot.prepared.facts())
        }
    }

    fn as_frame_solver(&mut self) -> Option<&mut dyn FrameSolver> {
        self.slot.as_mut()?.frame_solver()?;
        Some(self)
    }
}

impl<M: Method> FrameSolver for Checked<M> {
    fn integrate(
        &mut self,
        problem: &Problem,
        setup: &FrameSetup<'_>,
        half_steps: HalfSteps,
    ) -> Result<bool, SolveError> {
        let slot = self.slot_of(problem)?;
        slot.size.check_frame(setup)?;
        let integrated = match slot.frame_solver() {
            Some(frames) => frames.integrate(problem, setup, half_steps)?,
            None => false,
        };
        if integrated {
            slot.integrated = true;
            slot.check_finite()?;
        }
        Ok(integrated)
    }

    fn read_motion(&mut self, out: &mut FrameMotion) -> Result<(), SolveError> {
        let slot = self.slot.as_mut().filter(|slot| slot.integrated);
        let frames = slot.and_then(Slot::frame_solver);
        frames.ok_or(SolveError::NotPrepared)?.read_motion(out)?;
        check_impulses(&out.impulses)
    }
}

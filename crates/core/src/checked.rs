//! The outer layer of a solver: what [`ImpulseSolver`] promises to check, once, around methods that
//! only compute.

use crate::bodies::BodyRows;
use crate::descriptor::{Fidelity, Precision, SolverDescriptor};
use crate::error::{DeviceError, ParameterError, SolveError, Unsupported};
use crate::finite::first_not_finite;
use crate::interrupt;
use crate::parameter::Parameters;
use crate::problem::Problem;
use crate::scaling::PowerScale;
use crate::solver::{
    ImpulseSolver, Memory, Progress, Refresh, Solutions, Solver, Traffic, counted,
};
use crate::start::Start;
use crate::substeps::{Carried, Halves, Substeps};

/// A method with its parameters: what the author of a solver writes. [`Checked`] makes a solver of
/// it.
///
/// What reaches a method has been checked: the descriptor admits the problem, the start has one
/// finite impulse per row. An f32 method is given problems in units whose numbers have room in f32
/// ([`PowerScale`]), and its answers are converted back.
pub trait Method: Send + Sized + 'static {
    /// Plain data: `#[derive(Parameters)]`, or `()` for none.
    type Parameters: Parameters;

    /// What [`Self::prepare`] makes.
    type Prepared: Prepared;

    /// What the solver declares about itself.
    const DESCRIPTOR: SolverDescriptor;

    /// Takes the parameters, which are in their ranges.
    ///
    /// # Errors
    /// A parameter that this machine cannot serve.
    fn new(parameters: Self::Parameters) -> Result<Self, ParameterError>;

    /// Refuses what the descriptor admits and the method cannot treat. Provided: nothing.
    ///
    /// # Errors
    /// The reason to refuse.
    fn check(&self, problem: &Problem) -> Result<(), Unsupported> {
        let _ = problem;
        Ok(())
    }

    /// As [`ImpulseSolver::memory`] \[B\].
    fn memory(&self, problem: &Problem) -> u64 {
        problem.memory().saturating_mul(2)
    }

    /// As [`ImpulseSolver::device`].
    fn device(&self) -> Option<Result<String, DeviceError>> {
        None
    }

    /// Colours, factorizes, uploads; `impulses` is the start, one per row \[N·s\]. All allocation
    /// happens here.
    ///
    /// # Errors
    /// A failed factorization or device.
    fn prepare(
        &mut self,
        problem: &Problem,
        impulses: Vec<f64>,
    ) -> Result<Self::Prepared, SolveError>;

    /// Prepares another problem in the memory of an earlier one, to the bits of [`Self::prepare`];
    /// false if a new one shall be made. Provided: false.
    ///
    /// # Errors
    /// Those of [`Self::prepare`].
    fn repeat(
        &mut self,
        prepared: &mut Self::Prepared,
        problem: &Problem,
        impulses: &[f64],
    ) -> Result<bool, SolveError> {
        let _ = (prepared, problem, impulses);
        Ok(false)
    }
}

/// A problem that a method has prepared, and its iterate. Every problem and slice that is passed
/// has the right size.
pub trait Prepared: Send {
    /// Takes over what changed, keeping the impulses; false if the problem shall be prepared anew
    /// with them. Provided: false.
    ///
    /// # Errors
    /// A failed factorization or device.
    fn refresh(&mut self, problem: &Problem, what: Refresh) -> Result<bool, SolveError> {
        let _ = (problem, what);
        Ok(false)
    }

    /// Puts other impulses in, one per row \[N·s\], and begins anew with them: momentum, order of
    /// the sweeps and whatever else decides the sweeps to come is that after a `prepare`; nothing
    /// is allocated. False, with nothing changed, if the problem shall be prepared anew. Provided:
    /// false.
    ///
    /// # Errors
    /// A failed device.
    fn restart(&mut self, problem: &Problem, impulses: &[f64]) -> Result<bool, SolveError> {
        let _ = (problem, impulses);
        Ok(false)
    }

    /// Runs `sweeps` work units. `problem` is in the caller's units, also where `prepare` was given
    /// others.
    ///
    /// # Errors
    /// A direct method that found no solution, a failed device.
    fn iterate(&mut self, problem: &Problem, sweeps: u32) -> Result<Progress, SolveError>;

    /// Copies the impulses, one per row \[N·s\].
    ///
    /// # Errors
    /// A failed device.
    fn impulses(&self, out: &mut [f64]) -> Result<(), SolveError>;

    /// True if every impulse, and every velocity that is kept, is a number: asked after every call
    /// that computes, so that the error comes at once. Provided: true; what is read is looked at in
    /// any case.
    fn is_finite(&self) -> bool {
        true
    }

    /// Copies the velocities of the bodies, six each \[m/s, rad/s\]; false, with nothing written,
    /// if the method keeps none. Provided: false.
    ///
    /// # Errors
    /// A failed device.
    fn velocities(&self, out: &mut [f64]) -> Result<bool, SolveError> {
        let _ = out;
        Ok(false)
    }

    /// As [`ImpulseSolver::carry`]; all slices have the right length. Provided: false.
    ///
    /// # Errors
    /// A failed device.
    fn carry(
        &mut self,
        problem: &Problem,
        frame: &Substeps<'_>,
        halves: Halves,
    ) -> Result<bool, SolveError> {
        let _ = (problem, frame, halves);
        Ok(false)
    }

    /// As [`ImpulseSolver::read_carried`]; asked only after something was carried. Provided:
    /// nothing.
    fn carried(&self, out: &mut Carried) {
        let _ = out;
    }

    /// As [`ImpulseSolver::state`].
    ///
    /// # Errors
    /// A failed device.
    fn state(&self, out: &mut Vec<u64>) -> Result<Option<Memory>, SolveError> {
        let _ = out;
        Ok(None)
    }

    /// As [`ImpulseSolver::read_solutions`].
    fn solutions(&self) -> Option<Solutions> {
        None
    }

    /// As [`ImpulseSolver::decisions`].
    fn decisions(&self) -> Vec<String> {
        Vec::new()
    }

    /// As [`ImpulseSolver::traffic`].
    fn traffic(&self) -> Option<Traffic> {
        None
    }

    /// Matrices factorized since this was made, those of [`Method::prepare`] among them \[-\],
    /// counted as [`ImpulseSolver::factorizations`] says. Provided: `None`.
    fn factorizations(&self) -> Option<u64> {
        None
    }
}

/// The solver of a method.
#[derive(Debug, Clone)]
pub struct Checked<M: Method> {
    method: M,
    slot: Option<Slot<M::Prepared>>,
    /// Factorizations of what is not prepared any more.
    retired: Option<u64>,
    /// Memory for a start.
    spare: Vec<f64>,
}

/// How large a prepared problem is, which another must be to be the same.
#[derive(Debug, Clone, Copy)]
struct Size {
    rows: usize,
    blocks: usize,
    bodies: Option<usize>,
}

/// What is prepared.
#[derive(Debug, Clone)]
struct Slot<P> {
    prepared: P,
    size: Size,
    /// Units that the method computes in.
    scale: PowerScale,
    /// Factorizations from before it was prepared again, which are counted as retired.
    before: u64,
    /// True if bodies were carried since the problem was prepared or refreshed.
    carried: bool,
}

impl<M: Method> Checked<M> {
    /// The method inside, with the parameters that it was made from.
    pub fn method(&self) -> &M {
        &self.method
    }

    /// What the last `prepare` has made.
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

    /// Refuses what the method does not treat; returns the units that it computes in.
    fn admit(&self, problem: &Problem) -> Result<PowerScale, Unsupported> {
        M::DESCRIPTOR.admit(problem, &mut |_| ())?;
        self.method.check(problem)?;
        match M::DESCRIPTOR.precision {
            Precision::F64 => Ok(PowerScale::IDENTITY),
            Precision::F32 => PowerScale::of(M::DESCRIPTOR.id, problem),
        }
    }
}

// Nothing here depends on the method, so that it is compiled once and not for every solver.
impl Size {
    fn of(problem: &Problem) -> Self {
        Self {
            rows: problem.rows(),
            blocks: problem.blocks().len(),
            bodies: problem.bodies().map(BodyRows::len),
        }
    }

    fn check(&self, problem: &Problem) -> Result<(), SolveError> {
        let other = Self::of(problem);
        if self.bodies.is_some() && other.bodies.is_none() {
            return Err(SolveError::NoBodies);
        }
        let bodies = (other.bodies.unwrap_or(0), self.bodies.unwrap_or(0));
        SolveError::check_length("problem", other.rows, self.rows)?;
        SolveError::check_length("blocks", other.blocks, self.blocks)?;
        SolveError::check_length("bodies", bodies.0, bodies.1)
    }

    fn check_velocities(&self, velocities: &[f64]) -> Result<(), SolveError> {
        let bodies = self.bodies.ok_or(SolveError::NoBodies)?;
        SolveError::check_length("velocities", velocities.len(), 6 * bodies)
    }

    fn check_frame(&self, frame: &Substeps<'_>) -> Result<(), SolveError> {
        let bodies = self.bodies.unwrap_or(0);
        SolveError::check_length("separations", frame.separations.len(), self.blocks)?;
        SolveError::check_length("lifts", frame.lifts.len(), self.blocks)?;
        SolveError::check_length("kicks", frame.kicks.len(), bodies)?;
        SolveError::check_length("gyroscopes", frame.gyroscopes.len(), bodies)
    }

    fn check_start(&self, impulses: &[f64]) -> Result<(), SolveError> {
        SolveError::check_length("warm start", impulses.len(), self.rows)?;
        match first_not_finite(impulses) {
            Some(row) => Err(SolveError::WarmStart { row }),
            None => Ok(()),
        }
    }
}

impl<P: Prepared> Slot<P> {
    /// An error that names the first impulse that is no number, if one or a velocity is none.
    fn check_finite(&self) -> Result<(), SolveError> {
        if self.prepared.is_finite() {
            return Ok(());
        }
        let mut impulses = vec![0.0; self.size.rows];
        self.prepared.impulses(&mut impulses)?;
        check_impulses(&impulses)?;
        // a velocity can overflow before any impulse does
        Err(SolveError::NonFinite { row: 0 })
    }

    fn read_impulses(&self, out: &mut [f64]) -> Result<(), SolveError> {
        SolveError::check_length("impulses", out.len(), self.size.rows)?;
        self.check_finite()?;
        self.prepared.impulses(out)?;
        check_impulses(out)?;
        self.scale.unscale_impulses(out);
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
        self.method.check(problem)?;
        Ok(fidelity)
    }

    fn memory(&self, problem: &Problem) -> u64 {
        self.method.memory(problem)
    }

    fn prepare(&mut self, problem: &Problem, start: Start<'_>) -> Result<(), SolveError> {
        interrupt::check()?;
        self.retired = self.factorizations();
        let last = self.slot.take();
        let scale = self.admit(problem)?;
        let own = scale.apply(M::DESCRIPTOR.id, problem)?;
        let mut spare = std::mem::take(&mut self.spare);
        let impulses = scale.lend_start(start, problem.rows(), &mut spare)?;
        let again = match last {
            Some(Slot { mut prepared, .. }) => {
                let before = prepared.factorizations();
                let repeated = self.method.repeat(&mut prepared, &own, impulses)?;
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
            size: Size::of(problem),
            scale,
            carried: false,
        };
        slot.check_finite()?;
        self.slot = Some(slot);
        Ok(())
    }

    fn refresh(&mut self, problem: &Problem, what: Refresh) -> Result<(), SolveError> {
        self.slot_of(problem)?;
        let scale = self.admit(problem)?;
        let slot = self.slot_of(problem)?;
        if scale == slot.scale {
            let own = scale.apply(M::DESCRIPTOR.id, problem)?;
            if slot.prepared.refresh(&own, what)? {
                slot.carried = false;
                return slot.check_finite();
            }
        }
        let mut impulses = std::mem::take(&mut self.spare);
        impulses.clear();
        impulses.resize(problem.rows(), 0.0);
        self.slot()?.read_impulses(&mut impulses)?;
        let outcome = self.prepare(problem, Start::Warm(&impulses));
        self.spare = impulses;
        outcome
    }

    fn restart(&mut self, problem: &Problem, impulses: &[f64]) -> Result<(), SolveError> {
        let slot = self.slot_of(problem)?;
        slot.size.check_start(impulses)?;
        // other units need a problem and impulses of their own
        if slot.scale.is_identity() && slot.prepared.restart(problem, impulses)? {
            return slot.check_finite();
        }
        self.prepare(problem, Start::Warm(impulses))
    }

    fn iterate(&mut self, problem: &Problem, sweeps: u32) -> Result<Progress, SolveError> {
        let slot = self.slot_of(problem)?;
        let progress = interrupt::in_parts(sweeps, |part| slot.prepared.iterate(problem, part))?;
        slot.check_finite()?;
        Ok(progress)
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

    fn carry(
        &mut self,
        problem: &Problem,
        frame: &Substeps<'_>,
        halves: Halves,
    ) -> Result<bool, SolveError> {
        let slot = self.slot_of(problem)?;
        slot.size.check_frame(frame)?;
        // other units would need a frame of their own
        if !slot.scale.is_identity() || !slot.prepared.carry(problem, frame, halves)? {
            return Ok(false);
        }
        slot.carried = true;
        slot.check_finite()?;
        Ok(true)
    }

    fn read_carried(&mut self, out: &mut Carried) -> Result<(), SolveError> {
        let slot = self.slot()?;
        if !slot.carried {
            return Err(SolveError::NotPrepared);
        }
        slot.prepared.carried(out);
        check_impulses(&out.impulses)
    }

    fn state(&mut self, out: &mut Vec<u64>) -> Result<Option<Memory>, SolveError> {
        self.slot()?.prepared.state(out)
    }

    fn read_solutions(&self) -> Option<Solutions> {
        self.slot.as_ref()?.prepared.solutions()
    }

    fn decisions(&self) -> Vec<String> {
        let slot = self.slot.as_ref();
        slot.map_or_else(Vec::new, |slot| slot.prepared.decisions())
    }

    fn traffic(&self) -> Option<Traffic> {
        self.slot.as_ref()?.prepared.traffic()
    }

    fn factorizations(&self) -> Option<u64> {
        let now = self.slot.as_ref().and_then(|slot| {
            let all = slot.prepared.factorizations()?;
            Some(all.saturating_sub(slot.before))
        });
        counted(self.retired, now)
    }

    fn device(&self) -> Option<Result<String, DeviceError>> {
        self.method.device()
    }
}

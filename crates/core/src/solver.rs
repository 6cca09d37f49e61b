//! The solver trait.

use std::ops::{Add, AddAssign, DerefMut};

use serde::{Deserialize, Serialize};

use crate::descriptor::{Fidelity, SolverDescriptor};
use crate::error::{DeviceError, ParameterError, SolveError, Unsupported};
use crate::memory::MemoryLimit;
use crate::parameter::Parameters;
use crate::problem::Problem;
use crate::start::Start;
use crate::substeps::{Carried, Halves, Substeps};

/// Finds λ for one frozen problem.
///
/// The caller runs `check`, `prepare`, `iterate` (in one piece or in chunks), `read_impulses`. A
/// solver holds no residual, clock or log: the caller reads λ and judges it. `iterate(a)` then
/// `iterate(b)` equals `iterate(a + b)`.
pub trait ImpulseSolver: Send {
    /// What the solver declares about itself.
    fn descriptor(&self) -> &SolverDescriptor;

    /// Says whether the solver solves this problem, or another one in its place.
    ///
    /// # Errors
    /// The reason to refuse.
    fn check(&self, problem: &Problem) -> Result<Fidelity, Unsupported> {
        self.descriptor().check(problem)
    }

    /// Memory that `prepare` takes beside the problem, estimated from counts \[B\]. Provided: twice
    /// that of the problem, which a copy in another layout takes at most.
    fn memory(&self, problem: &Problem) -> u64 {
        problem.memory().saturating_mul(2)
    }

    /// The same as [`Self::check`], and refuses a problem that takes more than `limit` together
    /// with the solver.
    ///
    /// # Errors
    /// The reason to refuse.
    fn check_within(&self, problem: &Problem, limit: MemoryLimit) -> Result<Fidelity, Unsupported> {
        let fidelity = self.check(problem)?;
        let needed = problem.memory().saturating_add(self.memory(problem));
        match limit.admit("the problem with the solver's copy of it", needed) {
            Ok(()) => Ok(fidelity),
            Err(memory) => Err(Unsupported::Memory {
                solver: self.descriptor().id,
                memory,
            }),
        }
    }

    /// Prepares for `iterate`: colours, factorizes, uploads. All allocation happens here; a solver
    /// that was prepared before may prepare again in the memory that it has.
    ///
    /// # Errors
    /// A refused problem, a warm start of the wrong length or with non-finite impulses, a failed
    /// factorization.
    fn prepare(&mut self, problem: &Problem, start: Start<'_>) -> Result<(), SolveError>;

    /// Takes over what changed in the prepared problem, keeping the impulses.
    ///
    /// Structure, Jacobians and laws must be those of `prepare`. Provided: `prepare` with the
    /// impulses reached; a solver that can keep more than that overrides it.
    ///
    /// # Errors
    /// Not prepared, or another number of rows.
    fn refresh(&mut self, problem: &Problem, what: Refresh) -> Result<(), SolveError> {
        let _ = what;
        let mut impulses = vec![0.0; problem.rows()];
        self.read_impulses(&mut impulses)?;
        self.prepare(problem, Start::Warm(&impulses))
    }

    /// Puts other impulses \[N·s\] into the prepared problem: what comes is what would come after
    /// `prepare(problem, Start::Warm(impulses))`, bit for bit. `problem` is the one that was
    /// prepared or refreshed last.
    ///
    /// Provided: `prepare`. A solver that can keep what it packed overrides it and then does not
    /// allocate: solvers that wrap it (docs/theory/26-wrappers.md) call it in every sweep.
    ///
    /// # Errors
    /// Not prepared, impulses of the wrong length or not finite.
    fn restart(&mut self, problem: &Problem, impulses: &[f64]) -> Result<(), SolveError> {
        self.prepare(problem, Start::Warm(impulses))
    }

    /// Runs `sweeps` work units. Does not allocate (CPU solvers).
    ///
    /// # Errors
    /// Not prepared, or a direct method that found no solution.
    fn iterate(&mut self, problem: &Problem, sweeps: u32) -> Result<Progress, SolveError>;

    /// Copies the impulses, one per row \[N·s\].
    ///
    /// # Errors
    /// Not prepared, or a slice of the wrong length.
    fn read_impulses(&mut self, out: &mut [f64]) -> Result<(), SolveError>;

    /// Body velocities v_f + M⁻¹Jᵀλ, 6 per body \[m/s, rad/s\] (P.1).
    ///
    /// A solver that keeps velocities overrides this and returns its own.
    ///
    /// # Errors
    /// Not prepared, or a problem without bodies.
    fn read_velocities(&mut self, problem: &Problem, out: &mut [f64]) -> Result<(), SolveError> {
        let mut impulses = vec![0.0; problem.rows()];
        self.read_impulses(&mut impulses)?;
        problem.body_velocities(&impulses, out)
    }

    /// Makes substeps of a frame by itself, bodies and separations included (T.32)–(T.37), from the
    /// prepared problem, whose free velocity is that of the first; false, with nothing changed, if
    /// it cannot. The halves of a frame are asked for in their order, all at once or in pieces, and
    /// each piece begins where the last one ended.
    ///
    /// Between halves impulses may be read, but the problem's bias and compliance are none of the
    /// solver's business until the next `prepare` or `refresh`. Provided: false.
    ///
    /// # Errors
    /// Not prepared, slices of the wrong length, a velocity or position that is no number.
    fn carry(
        &mut self,
        problem: &Problem,
        frame: &Substeps<'_>,
        halves: Halves,
    ) -> Result<bool, SolveError> {
        let _ = (problem, frame, halves);
        Ok(false)
    }

    /// Where [`Self::carry`] has brought the bodies, and the impulses of its substeps.
    ///
    /// # Errors
    /// Nothing was carried.
    fn read_carried(&mut self, out: &mut Carried) -> Result<(), SolveError> {
        let _ = out;
        Err(SolveError::NotPrepared)
    }

    /// Appends the bits of everything that decides the sweeps to come, and says what they are
    /// worth; `None`, with nothing appended, if the solver does not tell.
    ///
    /// A driver that sees the same bits twice has a proof that the solver has stopped or goes in a
    /// circle. Left out is what `iterate` does not change: the prepared problem, parameters.
    ///
    /// # Errors
    /// Not prepared, or a failed device.
    fn state(&mut self, out: &mut Vec<u64>) -> Result<Option<Memory>, SolveError> {
        let _ = out;
        Ok(None)
    }

    /// The solutions found so far, for a method that looks for all of them; `None` for every other
    /// method.
    fn read_solutions(&self) -> Option<Solutions> {
        None
    }

    /// What the solver has decided since `prepare`, and why, a line each: for a method that chooses
    /// between others. Nothing depends on clocks, so equal inputs give equal lines.
    fn decisions(&self) -> Vec<String> {
        Vec::new()
    }

    /// Memory that one work unit of the prepared problem streams, counted from the layout; `None`
    /// if nobody counted.
    ///
    /// What a roofline needs: data that every work unit reads or writes once. Body velocities that
    /// are gathered count where the layout visits them.
    fn traffic(&self) -> Option<Traffic> {
        None
    }

    /// Matrices factorized since the solver was built, in `prepare`, `refresh` and `iterate`
    /// together \[-\]; `None` for a method that factorizes none, or whose factorizations nobody
    /// counts.
    ///
    /// A factorization is one that costs more than a pass over the rows: of all rows, of all
    /// bodies, of a set of rows, an incomplete one of these, a decomposition. Those of single
    /// blocks and bodies, and updates of a factor by a row, belong to the row updates.
    fn factorizations(&self) -> Option<u64> {
        None
    }

    /// The device that computes beside the processor, by name and driver: it decides the bits of
    /// the answer. `None` for solvers of the processor.
    fn device(&self) -> Option<Result<String, DeviceError>> {
        None
    }
}

/// A solver behind a pointer: `Box<S>`, `&mut S`, trait objects among them.
impl<S> ImpulseSolver for S
where
    S: DerefMut<Target: ImpulseSolver> + Send,
{
    fn descriptor(&self) -> &SolverDescriptor {
        (**self).descriptor()
    }

    fn check(&self, problem: &Problem) -> Result<Fidelity, Unsupported> {
        (**self).check(problem)
    }

    fn memory(&self, problem: &Problem) -> u64 {
        (**self).memory(problem)
    }

    fn check_within(&self, problem: &Problem, limit: MemoryLimit) -> Result<Fidelity, Unsupported> {
        (**self).check_within(problem, limit)
    }

    fn prepare(&mut self, problem: &Problem, start: Start<'_>) -> Result<(), SolveError> {
        (**self).prepare(problem, start)
    }

    fn refresh(&mut self, problem: &Problem, what: Refresh) -> Result<(), SolveError> {
        (**self).refresh(problem, what)
    }

    fn restart(&mut self, problem: &Problem, impulses: &[f64]) -> Result<(), SolveError> {
        (**self).restart(problem, impulses)
    }

    fn iterate(&mut self, problem: &Problem, sweeps: u32) -> Result<Progress, SolveError> {
        (**self).iterate(problem, sweeps)
    }

    fn read_impulses(&mut self, out: &mut [f64]) -> Result<(), SolveError> {
        (**self).read_impulses(out)
    }

    fn read_velocities(&mut self, problem: &Problem, out: &mut [f64]) -> Result<(), SolveError> {
        (**self).read_velocities(problem, out)
    }

    fn carry(
        &mut self,
        problem: &Problem,
        frame: &Substeps<'_>,
        halves: Halves,
    ) -> Result<bool, SolveError> {
        (**self).carry(problem, frame, halves)
    }

    fn read_carried(&mut self, out: &mut Carried) -> Result<(), SolveError> {
        (**self).read_carried(out)
    }

    fn state(&mut self, out: &mut Vec<u64>) -> Result<Option<Memory>, SolveError> {
        (**self).state(out)
    }

    fn read_solutions(&self) -> Option<Solutions> {
        (**self).read_solutions()
    }

    fn decisions(&self) -> Vec<String> {
        (**self).decisions()
    }

    fn traffic(&self) -> Option<Traffic> {
        (**self).traffic()
    }

    fn factorizations(&self) -> Option<u64> {
        (**self).factorizations()
    }

    fn device(&self) -> Option<Result<String, DeviceError>> {
        (**self).device()
    }
}

/// Factorizations of two solvers, or of one at two times, together: `None` only where neither
/// counts them.
pub fn counted(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.saturating_add(other)),
        (one, other) => one.or(other),
    }
}

/// What the bits of [`ImpulseSolver::state`] decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Memory {
    /// Every sweep to come: where they come back after d sweeps, the solver repeats itself with a
    /// period that divides d.
    Whole,
    /// Every sweep to come, if so many sweeps \[-\] leave them as they are; otherwise something
    /// that was left out (the order of a random sweep, the weight of a momentum) matters.
    Resting(u32),
}

impl Memory {
    /// Appends numbers bit for bit.
    pub fn push(out: &mut Vec<u64>, values: impl IntoIterator<Item = f64>) {
        out.extend(values.into_iter().map(f64::to_bits));
    }
}

/// What a method that looks for all solutions has found.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Solutions {
    /// The solutions; the first is the one that the method answers with.
    pub list: Vec<Solution>,
    /// True if there is no other: the search has ended and nothing was dropped. Members of a
    /// continuous family are not counted one by one.
    pub complete: bool,
}

/// One of several solutions of a problem.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Solution {
    /// λ, one per row \[N·s\].
    pub impulses: Vec<f64>,
    /// True if it is proven that no other solution lies near.
    pub isolated: bool,
}

/// Bytes that one work unit moves, as counted from the data layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Traffic {
    /// Read in order \[B\].
    pub read: u64,
    /// Written in order \[B\].
    pub written: u64,
    /// Read and written through indices: body velocities and masses \[B\].
    pub gathered: u64,
}

impl Traffic {
    /// All bytes \[B\].
    pub fn total(&self) -> u64 {
        self.read + self.written + self.gathered
    }
}

/// A solver with its parameters: what a registry lists and builds.
pub trait Solver: ImpulseSolver + Sized + 'static {
    /// Plain data: `#[derive(Parameters)]`, or `()` for none.
    type Parameters: Parameters;

    /// What the solver declares about itself.
    const DESCRIPTOR: SolverDescriptor;

    /// Builds the solver.
    ///
    /// # Errors
    /// A parameter out of its range.
    fn new(parameters: Self::Parameters) -> Result<Self, ParameterError>;
}

/// Collects solvers: a registry implements it, each solver crate calls it once per solver.
pub trait SolverVisitor {
    /// Takes one solver.
    fn visit<S: Solver>(&mut self);
}

/// What changed in a problem whose structure, Jacobians and laws did not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Refresh {
    /// The bias b_pos.
    pub bias: bool,
    /// The compliance R.
    pub compliance: bool,
    /// The free velocity v_f.
    pub free_velocity: bool,
    /// Which rows are solved for.
    pub activity: bool,
}

impl Refresh {
    /// Everything that may change.
    pub const ALL: Self = Self {
        bias: true,
        compliance: true,
        free_velocity: true,
        activity: true,
    };
}

/// Work done by `iterate`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Progress {
    /// Work units done \[-\]; fewer than asked for only if `finished`, or where the limit of the
    /// caller is reached ([`crate::interrupt`]).
    pub sweeps: u32,
    /// Scalar rows updated, one row that touches two bodies counting one \[-\].
    pub row_updates: u64,
    /// True if further sweeps cannot change the answer (direct methods).
    pub finished: bool,
}

impl Progress {
    /// `sweeps` passes that updated each of `rows` rows once.
    pub fn of_sweeps(sweeps: u32, rows: usize) -> Self {
        Self {
            sweeps,
            row_updates: u64::from(sweeps) * rows as u64,
            finished: false,
        }
    }
}

impl Add for Progress {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            sweeps: self.sweeps.saturating_add(other.sweeps),
            row_updates: self.row_updates.saturating_add(other.row_updates),
            finished: self.finished || other.finished,
        }
    }
}

impl AddAssign for Progress {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

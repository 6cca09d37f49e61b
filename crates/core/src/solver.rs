//! The solver trait and its registration.

use std::ops::DerefMut;

use crate::descriptor::{Fidelity, SolverDescriptor};
use crate::error::{ParameterError, SolveError, Unsupported};
use crate::facts::SolverFacts;
use crate::frame_solver::FrameSolver;
use crate::memory::MemoryLimit;
use crate::parameter::Parameters;
use crate::problem::Problem;
use crate::progress::Progress;
use crate::start::Start;

/// Computes the impulses λ of one frozen problem.
///
/// Call `check`, `prepare`, `iterate` (once or several times) and `read_impulses`, in this order.
/// `iterate(a)` followed by `iterate(b)` gives the same impulses as `iterate(a + b)`, bit for bit.
/// A solver does not decide whether its impulses are a solution, reads no clock and writes no log.
/// The caller reads λ and evaluates the residual.
///
/// `prepare` accepts any problem. `update` accepts only the prepared problem, with other numbers or
/// other impulses.
pub trait ImpulseSolver: Send {
    /// Returns the solver's identifier, laws, precision and other declared properties.
    fn descriptor(&self) -> &SolverDescriptor;

    /// Reports whether the solver solves this problem exactly or approximates it.
    ///
    /// # Errors
    /// The reason to refuse.
    fn check(&self, problem: &Problem) -> Result<Fidelity, Unsupported> {
        self.descriptor().check(problem)
    }

    /// Estimates the memory that `prepare` needs in addition to the problem \[B\]. Default: twice
    /// the size of the problem, an upper bound for a copy in another layout.
    fn footprint(&self, problem: &Problem) -> u64 {
        problem.memory().saturating_mul(2)
    }

    /// Prepares a problem for `iterate` (colouring, factorization, upload) and sets the starting
    /// impulses. All allocation belongs here; preparing again may reuse the memory.
    ///
    /// # Errors
    /// A refused problem, a warm start of the wrong length or with an impulse that is not finite, a
    /// failed factorization.
    fn prepare(&mut self, problem: &Problem, start: Start<'_>) -> Result<(), SolveError>;

    /// Replaces numbers or impulses of the prepared problem. Structure, Jacobians and laws must be
    /// those of the problem given to `prepare`.
    ///
    /// - [`SolverUpdate::Numbers`] reads the changed numbers from `problem` and keeps the impulses.
    /// - [`SolverUpdate::Impulses`] replaces the impulses. Later sweeps then give the same bits as
    ///   after `prepare` with this warm start.
    ///
    /// Default: prepares again, from the current or the given impulses. Override it without
    /// allocating if possible, because wrappers replace the impulses in every sweep
    /// (docs/theory/26-wrappers.md).
    ///
    /// # Errors
    /// Not prepared, another number of rows, impulses of the wrong length or not finite.
    fn update(&mut self, problem: &Problem, update: SolverUpdate<'_>) -> Result<(), SolveError> {
        let mut current = Vec::new();
        let impulses: &[f64] = match update {
            SolverUpdate::Impulses(impulses) => impulses,
            SolverUpdate::Numbers(_) => {
                current.resize(problem.rows(), 0.0);
                self.read_impulses(&mut current)?;
                &current
            }
        };
        self.prepare(problem, Start::Warm(impulses))
    }

    /// Performs `sweeps` work units ([`crate::WorkUnit`]). CPU solvers do not allocate here unless
    /// they document it.
    ///
    /// # Errors
    /// Not prepared, or a direct method that found no solution.
    fn iterate(&mut self, problem: &Problem, sweeps: u32) -> Result<Progress, SolveError>;

    /// Copies the impulses, one per row \[N·s\].
    ///
    /// # Errors
    /// Not prepared, or a slice of the wrong length.
    fn read_impulses(&mut self, out: &mut [f64]) -> Result<(), SolveError>;

    /// Writes the body velocities v_f + M⁻¹Jᵀλ, six per body \[m/s, rad/s\] (P.1). Default:
    /// computed from λ. Solvers that store velocities return these.
    ///
    /// # Errors
    /// Not prepared, or a problem without bodies.
    fn read_velocities(&mut self, problem: &Problem, out: &mut [f64]) -> Result<(), SolveError> {
        let mut impulses = vec![0.0; problem.rows()];
        self.read_impulses(&mut impulses)?;
        problem.body_velocities(&impulses, out)
    }

    /// Appends a fingerprint of the state that `iterate` changes, and returns what it proves if
    /// this fingerprint recurs. Returns `None`, with nothing appended, if the solver has no
    /// fingerprint, which is the default. The fingerprint omits the prepared problem and the
    /// parameters.
    ///
    /// # Errors
    /// Not prepared, or a failed device.
    fn fingerprint(&mut self, out: &mut Vec<u64>) -> Result<Option<StateCoverage>, SolveError> {
        let _ = out;
        Ok(None)
    }

    /// Returns what the solver reports about its work. Call it once per solve, not once per sweep.
    /// Default: no facts.
    fn facts(&self) -> SolverFacts {
        SolverFacts::default()
    }

    /// Returns the interface for integrating whole frames; `None` if the solver cannot integrate
    /// the prepared problem. Default: `None`.
    fn as_frame_solver(&mut self) -> Option<&mut dyn FrameSolver> {
        None
    }
}

/// Forwards to a solver behind a pointer: `Box<S>`, `&mut S`, or a trait object.
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

    fn footprint(&self, problem: &Problem) -> u64 {
        (**self).footprint(problem)
    }

    fn prepare(&mut self, problem: &Problem, start: Start<'_>) -> Result<(), SolveError> {
        (**self).prepare(problem, start)
    }

    fn update(&mut self, problem: &Problem, update: SolverUpdate<'_>) -> Result<(), SolveError> {
        (**self).update(problem, update)
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

    fn fingerprint(&mut self, out: &mut Vec<u64>) -> Result<Option<StateCoverage>, SolveError> {
        (**self).fingerprint(out)
    }

    fn facts(&self) -> SolverFacts {
        (**self).facts()
    }

    fn as_frame_solver(&mut self) -> Option<&mut dyn FrameSolver> {
        (**self).as_frame_solver()
    }
}

/// Like [`ImpulseSolver::check`], and also refuses a problem that, together with the prepared
/// solver, needs more memory than `limit`.
///
/// # Errors
/// The reason to refuse.
pub fn check_within(
    solver: &dyn ImpulseSolver,
    problem: &Problem,
    limit: MemoryLimit,
) -> Result<Fidelity, Unsupported> {
    let fidelity = solver.check(problem)?;
    let needed = problem.memory().saturating_add(solver.footprint(problem));
    match limit.admit("the problem with the solver's copy of it", needed) {
        Ok(()) => Ok(fidelity),
        Err(memory) => Err(Unsupported::Memory {
            solver: solver.descriptor().id,
            memory,
        }),
    }
}

/// What it proves that a fingerprint recurs ([`ImpulseSolver::fingerprint`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StateCoverage {
    /// The fingerprint determines all later sweeps. If it recurs after d sweeps, the solver cycles
    /// with a period that divides d.
    Complete,
    /// The solver has reached a fixed point if this number of sweeps \[-\] leaves the fingerprint
    /// unchanged. Fewer sweeps prove nothing, because the fingerprint omits some state (the order
    /// of a random sweep, the weight of a momentum).
    FixedPoint(u32),
}

impl StateCoverage {
    /// Appends the bits of each number to `out`.
    pub fn push(out: &mut Vec<u64>, values: impl IntoIterator<Item = f64>) {
        out.extend(values.into_iter().map(f64::to_bits));
    }
}

/// A solver with its parameters, which a registry can list and build.
pub trait Solver: ImpulseSolver + Sized + 'static {
    /// Plain data: `#[derive(Parameters)]`, or `()` for none.
    type Parameters: Parameters;

    /// Declared properties of the solver.
    const DESCRIPTOR: SolverDescriptor;

    /// Builds the solver.
    ///
    /// # Errors
    /// A parameter out of its range.
    fn new(parameters: Self::Parameters) -> Result<Self, ParameterError>;
}

/// Collects solvers. A registry implements this trait, and each solver crate calls [`Self::visit`]
/// once per solver.
pub trait SolverVisitor {
    /// Takes one solver.
    fn visit<S: Solver>(&mut self);
}

/// What [`ImpulseSolver::update`] changes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SolverUpdate<'a> {
    /// Numbers of the problem changed; the impulses are kept.
    Numbers(Changes),
    /// These impulses, one per row \[N·s\], replace the current impulses; the numbers of the
    /// problem are unchanged.
    Impulses(&'a [f64]),
}

/// The numbers that changed in a problem whose structure, Jacobians and laws did not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Changes {
    /// The bias b_pos.
    pub bias: bool,
    /// The compliance R.
    pub compliance: bool,
    /// The free velocity v_f.
    pub free_velocity: bool,
    /// Which rows are solved for.
    pub activity: bool,
}

impl Changes {
    /// Everything that may change.
    pub const ALL: Self = Self {
        bias: true,
        compliance: true,
        free_velocity: true,
        activity: true,
    };
}

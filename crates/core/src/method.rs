//! The algorithm of a solver, which its author implements.

use crate::descriptor::SolverDescriptor;
use crate::error::{DeviceError, ParameterError, SolveError, Unsupported};
use crate::facts::SolverFacts;
use crate::frame_solver::FrameSolver;
use crate::parameter::Parameters;
use crate::problem::Problem;
use crate::progress::Progress;
use crate::solver::{Changes, StateCoverage};

/// The algorithm of a solver with its parameters. The author of a solver implements this trait, and
/// [`crate::Checked`] makes a solver of it.
///
/// All inputs of a method have been checked: the descriptor admits the problem, and the start has
/// one finite impulse per row. Two conversions happen outside the method, and its results are
/// converted back. An f32 method gets the problem in units whose numbers fit into f32
/// ([`crate::PowerScale`]). A law with a coefficient per friction row is replaced by one with equal
/// coefficients ([`Problem::round`]).
pub trait Method: Send + Sized + 'static {
    /// Plain data: `#[derive(Parameters)]`, or `()` for none.
    type Parameters: Parameters;

    /// Result of [`Self::prepare`].
    type Prepared: Prepared;

    /// Declared properties of the solver.
    const DESCRIPTOR: SolverDescriptor;

    /// Creates the method from parameters that are within their ranges.
    ///
    /// # Errors
    /// A parameter that this machine does not support.
    fn new(parameters: Self::Parameters) -> Result<Self, ParameterError>;

    /// Refuses problems that the descriptor admits but the method cannot solve. Default: refuses
    /// nothing.
    ///
    /// # Errors
    /// The reason to refuse.
    fn check(&self, problem: &Problem) -> Result<(), Unsupported> {
        let _ = problem;
        Ok(())
    }

    /// Estimates the memory that `prepare` needs in addition to the problem \[B\]. Default: twice
    /// the size of the problem, an upper bound for a copy in another layout.
    fn footprint(&self, problem: &Problem) -> u64 {
        problem.memory().saturating_mul(2)
    }

    /// Returns the name and driver of the device that computes, or why there is none. `None` for
    /// methods that run on the processor, which is the default.
    fn device(&self) -> Option<Result<String, DeviceError>> {
        None
    }

    /// Prepares the problem for `iterate` (colouring, factorization, upload). The solve starts from
    /// `impulses`, one per row \[N·s\]. All allocation happens here.
    ///
    /// # Errors
    /// A failed factorization or device.
    fn prepare(
        &mut self,
        problem: &Problem,
        impulses: Vec<f64>,
    ) -> Result<Self::Prepared, SolveError>;

    /// Prepares another problem in the memory of `prepared`. The result equals that of
    /// [`Self::prepare`], bit for bit. Returns false if the caller must call [`Self::prepare`]
    /// instead. Default: false.
    ///
    /// # Errors
    /// Those of [`Self::prepare`].
    fn prepare_into(
        &mut self,
        prepared: &mut Self::Prepared,
        problem: &Problem,
        impulses: &[f64],
    ) -> Result<bool, SolveError> {
        let _ = (prepared, problem, impulses);
        Ok(false)
    }
}

/// A prepared problem and the current iterate of a method. [`crate::Checked`] has checked the size
/// of every problem and slice.
pub trait Prepared: Send {
    /// Reads the numbers that changed and keeps the impulses. Returns false if the caller must
    /// prepare the problem again, starting from these impulses. Default: false.
    ///
    /// # Errors
    /// A failed factorization or device.
    fn update(&mut self, problem: &Problem, changed: Changes) -> Result<bool, SolveError> {
        let _ = (problem, changed);
        Ok(false)
    }

    /// Replaces the impulses, one per row \[N·s\], without allocating. All other state that affects
    /// later sweeps (momentum, order of the rows) is reset to what [`Method::prepare`] sets.
    /// Returns false, with nothing changed, if the caller must prepare the problem again. Default:
    /// false.
    ///
    /// # Errors
    /// A failed device.
    fn warm_start(&mut self, problem: &Problem, impulses: &[f64]) -> Result<bool, SolveError> {
        let _ = (problem, impulses);
        Ok(false)
    }

    /// Performs `sweeps` work units ([`crate::WorkUnit`]). `problem` has the rows of the problem
    /// that [`Method::prepare`] got, but the units of the caller, even if `prepare` got a problem
    /// in other units.
    ///
    /// # Errors
    /// A direct method that found no solution, a failed device.
    fn iterate(&mut self, problem: &Problem, sweeps: u32) -> Result<Progress, SolveError>;

    /// Whether the limit of the caller cut the last call of [`Self::iterate`] short, so that the
    /// impulses are those of no whole unit: [`crate::Checked`] then returns those from before the
    /// call. `None` if units of this problem are not looked into. Default: `None`.
    fn is_cut_short(&self) -> Option<bool> {
        None
    }

    /// Copies the impulses, one per row \[N·s\].
    ///
    /// # Errors
    /// A failed device.
    fn impulses(&self, out: &mut [f64]) -> Result<(), SolveError>;

    /// Returns true if all impulses and stored velocities are finite. [`crate::Checked`] calls it
    /// after every call that computes, so that an error is reported immediately. Default: true;
    /// impulses and velocities are also checked when they are read.
    fn is_finite(&self) -> bool {
        true
    }

    /// Copies the velocities of the bodies, six each \[m/s, rad/s\]. Returns false, with nothing
    /// written, if the method does not store velocities. Default: false.
    ///
    /// # Errors
    /// A failed device.
    fn velocities(&self, out: &mut [f64]) -> Result<bool, SolveError> {
        let _ = out;
        Ok(false)
    }

    /// Appends a fingerprint of the state that `iterate` changes, and returns what it proves if
    /// this fingerprint recurs. Default: `None`, with nothing appended.
    ///
    /// # Errors
    /// A failed device.
    fn fingerprint(&self, out: &mut Vec<u64>) -> Result<Option<StateCoverage>, SolveError> {
        let _ = out;
        Ok(None)
    }

    /// Number of factorizations since this value was created, including those in
    /// [`Method::prepare`] \[-\]. [`SolverFacts::factorizations`] says what counts.
    /// [`crate::Checked`] calls this function at every preparation, so it is separate from
    /// [`Self::facts`]. Default: `None`.
    fn factorizations(&self) -> Option<u64> {
        None
    }

    /// Returns what the method reports about its work. [`crate::Checked`] adds factorizations and
    /// device. Default: no facts.
    fn facts(&self) -> SolverFacts {
        SolverFacts::default()
    }

    /// Returns the interface for integrating whole frames; `None` if the method cannot integrate
    /// the prepared problem. [`crate::Checked`] has checked the length of all slices, and
    /// [`FrameSolver::read_motion`] is called only after [`FrameSolver::integrate`]. Default:
    /// `None`.
    fn as_frame_solver(&mut self) -> Option<&mut dyn FrameSolver> {
        None
    }
}

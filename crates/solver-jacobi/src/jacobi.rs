//! `jacobi`: all pieces at once, with masses split among them and momentum.
//!
//! Every manifold and joint makes one Gauss–Seidel sweep over its own rows, with each body's mass divided by the number
//! of pieces on it (J.4, J.6), from velocities that no other piece changes meanwhile; then every body sums what its
//! pieces did (J.2). The split masses make the step short enough to be safe and too short to be fast; Nesterov's momentum
//! with gradient restart repairs that (J.12, J.13). Step rules, relaxation and acceleration are parameters, down to
//! the plain diagonal. `jacobi-f32` is the same in f32, bit for bit what the compute shaders are compared with.
//!
//! Budget per iteration: one pass over all rows, one over all bodies, one sum; 164 bytes per contact point of manifolds
//! of four in f32 (J.16).
//! Nearest siblings: `pgs` lets the next row see each change; `async-jacobi` writes while others read.
//!
//! Limitations: the proofs of descent are for convex sets and, with momentum, for steps of single rows; the guard is
//! what remains otherwise. The diagonal and the counting rules are not safe in general (J.9). Problems without
//! bodies are refused.
//! Theory: docs/theory/15-jacobi.md. Source: \[Tonge2012\], \[Nesterov1983\], \[ODonoghue2015\], \[Wang2015\].

use delassus_core::{
    Memory, ParameterError, PowerScale, Problem, Progress, Refresh, SolveError, SolverDescriptor,
    Start, Traffic,
};

use crate::engine::Engine;
use crate::parameters::{self, JacobiParameters};
use crate::real::Real;

/// Jacobi in the arithmetic `T`.
#[derive(Debug, Clone)]
pub(crate) struct Simultaneous<T> {
    parameters: JacobiParameters,
    engine: Option<Engine<T>>,
    /// Units that the engine computes in.
    scale: PowerScale,
}

impl<T: Real> Simultaneous<T> {
    pub(crate) fn new(parameters: JacobiParameters) -> Result<Self, ParameterError> {
        delassus_core::Parameters::validate(&parameters)?;
        Ok(Self {
            parameters,
            engine: None,
            scale: PowerScale::IDENTITY,
        })
    }

    pub(crate) fn prepare(
        &mut self,
        problem: &Problem,
        start: Start<'_>,
    ) -> Result<(), SolveError> {
        self.engine = None;
        self.scale = scale_of::<T>(problem)?;
        let problem = self.scale.apply(NARROW, problem)?;
        let impulses = self.scale.start(start, problem.rows())?;
        let engine = Engine::new(&problem, impulses, self.parameters)?;
        engine.check_finite()?;
        self.engine = Some(engine);
        Ok(())
    }

    pub(crate) fn refresh(&mut self, problem: &Problem, what: Refresh) -> Result<(), SolveError> {
        self.engine(problem)?;
        if scale_of::<T>(problem)? != self.scale {
            let mut impulses = vec![0.0; problem.rows()];
            self.read_impulses(&mut impulses)?;
            return self.prepare(problem, Start::Warm(&impulses));
        }
        let engine = self.engine.as_mut().ok_or(SolveError::NotPrepared)?;
        let problem = self.scale.apply(NARROW, problem)?;
        engine.refresh(&problem, what)?;
        engine.check_finite()
    }

    pub(crate) fn iterate(
        &mut self,
        problem: &Problem,
        sweeps: u32,
    ) -> Result<Progress, SolveError> {
        self.engine(problem)?;
        let engine = self.engine.as_mut().ok_or(SolveError::NotPrepared)?;
        for _ in 0..sweeps {
            engine.iterate();
        }
        engine.check_finite()?;
        Ok(Progress::of_sweeps(sweeps, engine.pack().active_rows()))
    }

    pub(crate) fn read_impulses(&self, out: &mut [f64]) -> Result<(), SolveError> {
        let engine = self.engine.as_ref().ok_or(SolveError::NotPrepared)?;
        length("impulses", out.len(), engine.pack().rows())?;
        engine.check_finite()?;
        engine.state().read(engine.pack(), out);
        self.scale.unscale_impulses(out);
        Ok(())
    }

    pub(crate) fn read_velocities(
        &self,
        problem: &Problem,
        out: &mut [f64],
    ) -> Result<(), SolveError> {
        let engine = self.engine(problem)?;
        length("velocities", out.len(), 6 * engine.bodies())?;
        engine.check_finite()?;
        engine.state().read_velocities(out);
        self.scale.unscale_velocities(out);
        Ok(())
    }

    pub(crate) fn state(&self, out: &mut Vec<u64>) -> Result<Option<Memory>, SolveError> {
        let engine = self.engine.as_ref().ok_or(SolveError::NotPrepared)?;
        Ok(Some(engine.state_bits(out)))
    }

    pub(crate) fn traffic(&self) -> Option<Traffic> {
        self.engine.as_ref().map(Engine::traffic)
    }

    /// Largest natural residual of the iterate \[m/s | rad/s\].
    pub(crate) fn residual(&self) -> Result<f64, SolveError> {
        let engine = self.engine.as_ref().ok_or(SolveError::NotPrepared)?;
        Ok(engine.residual() / self.scale.velocities())
    }

    /// What is prepared, if it fits the problem.
    fn engine(&self, problem: &Problem) -> Result<&Engine<T>, SolveError> {
        let engine = self.engine.as_ref().ok_or(SolveError::NotPrepared)?;
        let bodies = problem.bodies().ok_or(SolveError::NoBodies)?;
        length("problem", problem.rows(), engine.pack().rows())?;
        length("bodies", bodies.len(), engine.bodies())?;
        Ok(engine)
    }
}

/// The only solver here whose numbers need other units than the caller's.
const NARROW: &str = "jacobi-f32";

/// Units in which `T` has room for the problem.
fn scale_of<T: Real>(problem: &Problem) -> Result<PowerScale, SolveError> {
    if T::NARROW {
        return Ok(PowerScale::of(NARROW, problem)?);
    }
    Ok(PowerScale::IDENTITY)
}

/// An error unless a length is the expected one.
pub(crate) fn length(what: &'static str, found: usize, expected: usize) -> Result<(), SolveError> {
    if found == expected {
        return Ok(());
    }
    Err(SolveError::Length {
        what,
        found,
        expected,
    })
}

/// Declares a solver that is [`Simultaneous`] in one arithmetic.
macro_rules! simultaneous {
    ($solver:ident, $scalar:ty, $about:literal, $descriptor:expr) => {
        #[doc = $about]
        #[derive(Debug, Clone)]
        pub struct $solver {
            inner: $crate::jacobi::Simultaneous<$scalar>,
        }

        impl $solver {
            /// Largest natural residual of the iterate, as the shader computes it \[m/s | rad/s\].
            ///
            /// # Errors
            /// Not prepared.
            pub fn residual(&self) -> Result<f64, delassus_core::SolveError> {
                self.inner.residual()
            }
        }

        impl delassus_core::Solver for $solver {
            type Parameters = $crate::parameters::JacobiParameters;

            const DESCRIPTOR: delassus_core::SolverDescriptor = $descriptor;

            fn new(parameters: Self::Parameters) -> Result<Self, delassus_core::ParameterError> {
                let inner = $crate::jacobi::Simultaneous::new(parameters)?;
                Ok(Self { inner })
            }
        }

        $crate::jacobi::solve_by_inner!($solver);
    };
}
pub(crate) use simultaneous;

/// Implements `ImpulseSolver` for a solver whose field `inner` does all the work.
macro_rules! solve_by_inner {
    ($solver:ident) => {
        impl delassus_core::ImpulseSolver for $solver {
            fn descriptor(&self) -> &delassus_core::SolverDescriptor {
                &<Self as delassus_core::Solver>::DESCRIPTOR
            }

            fn check(
                &self,
                problem: &delassus_core::Problem,
            ) -> Result<delassus_core::Fidelity, delassus_core::Unsupported> {
                let solver = <Self as delassus_core::Solver>::DESCRIPTOR.id;
                if problem.bodies().is_none() {
                    return Err(delassus_core::Unsupported::Bodies { solver });
                }
                <Self as delassus_core::Solver>::DESCRIPTOR.check(problem)
            }

            fn prepare(
                &mut self,
                problem: &delassus_core::Problem,
                start: delassus_core::Start<'_>,
            ) -> Result<(), delassus_core::SolveError> {
                self.check(problem)?;
                self.inner.prepare(problem, start)
            }

            fn refresh(
                &mut self,
                problem: &delassus_core::Problem,
                what: delassus_core::Refresh,
            ) -> Result<(), delassus_core::SolveError> {
                self.check(problem)?;
                self.inner.refresh(problem, what)
            }

            fn iterate(
                &mut self,
                problem: &delassus_core::Problem,
                sweeps: u32,
            ) -> Result<delassus_core::Progress, delassus_core::SolveError> {
                self.inner.iterate(problem, sweeps)
            }

            fn read_impulses(&mut self, out: &mut [f64]) -> Result<(), delassus_core::SolveError> {
                self.inner.read_impulses(out)
            }

            fn read_velocities(
                &mut self,
                problem: &delassus_core::Problem,
                out: &mut [f64],
            ) -> Result<(), delassus_core::SolveError> {
                self.inner.read_velocities(problem, out)
            }

            fn state(
                &mut self,
                out: &mut Vec<u64>,
            ) -> Result<Option<delassus_core::Memory>, delassus_core::SolveError> {
                self.inner.state(out)
            }

            fn traffic(&self) -> Option<delassus_core::Traffic> {
                self.inner.traffic()
            }
        }
    };
}
pub(crate) use solve_by_inner;

simultaneous!(
    Jacobi,
    f64,
    "Mass-split projected Jacobi with momentum, in f64 (J.1–J.16).",
    SolverDescriptor {
        id: "jacobi",
        aliases: &["projected-jacobi", "mass-splitting"],
        name: "Projected Jacobi",
        summary: "All manifolds and joints at once, with split masses and restarted momentum; pgs without an order.",
        citations: parameters::CITATIONS,
        theory: parameters::THEORY,
        laws: parameters::ALL_LAWS_EXACT,
        holds_rows: true,
        ..SolverDescriptor::BASE
    }
);

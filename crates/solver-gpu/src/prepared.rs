//! What the solvers of this crate have in common: the device's parameters, and the checks around what lies on it.

use std::sync::Arc;

use delassus_core::parameter::require;
use delassus_core::{
    DeviceError, Fidelity, Memory, ParameterError, Parameters, PowerScale, Problem, Progress,
    SolveError, SolverDescriptor, Start, Traffic, Unsupported,
};
use delassus_solver_jacobi::pack::Pack;

use crate::device::Device;

/// What every solver on a device is told about it.
#[derive(Debug, Clone, PartialEq, Parameters)]
#[parameters(check = "Self::check")]
pub struct DeviceParameters {
    /// Threads of a workgroup: 32, 64, 128 or 256. They change no bit of an answer that repeats.
    #[parameter(default = 64, unit = "-")]
    pub workgroup: u32,
    /// Iterations of one submission at most. They change no bit of an answer that repeats.
    #[parameter(default = 256, unit = "-", range = ">= 1")]
    pub submission: u32,
    /// Part of the adapter's name, backend or driver. Empty: the environment variable DELASSUS_ADAPTER, otherwise the
    /// first, hardware before software.
    pub adapter: String,
}

impl DeviceParameters {
    fn check(&self) -> Result<(), ParameterError> {
        check_workgroup(self.workgroup)
    }
}

/// Refuses workgroups that do not hold whole chunks of the sums (K.3).
///
/// # Errors
/// Anything but 32, 64, 128 and 256 threads.
pub fn check_workgroup(workgroup: u32) -> Result<(), ParameterError> {
    let fits = matches!(workgroup, 32 | 64 | 128 | 256);
    require(
        fits,
        "workgroup",
        workgroup,
        "it must be 32, 64, 128 or 256",
    )
}

/// The device of a solver.
pub(crate) fn open(solver: &'static str, adapter: &str) -> Result<Arc<Device>, Unsupported> {
    let device = Device::shared(adapter);
    device.map_err(|device| Unsupported::Device { solver, device })
}

/// Refuses problems without bodies, and laws that the solver does not know.
pub(crate) fn check(
    descriptor: &SolverDescriptor,
    problem: &Problem,
) -> Result<Fidelity, Unsupported> {
    if problem.bodies().is_none() {
        return Err(Unsupported::Bodies {
            solver: descriptor.id,
        });
    }
    descriptor.check(problem)
}

/// Impulses to start from, one per row \[N·s\].
pub(crate) fn impulses(problem: &Problem, start: Start<'_>) -> Result<Vec<f64>, SolveError> {
    let mut impulses = vec![0.0; problem.rows()];
    start.write(&mut impulses)?;
    Ok(impulses)
}

/// A packed problem on a device, with its iterate.
pub(crate) trait OnDevice {
    fn pack(&self) -> &Pack<f32>;
    fn iterate(&mut self, sweeps: u32) -> Result<(), SolveError>;
    fn read_impulses(&self, out: &mut [f64]) -> Result<(), SolveError>;
    fn read_velocities(&self, out: &mut [f64]) -> Result<(), SolveError>;
    fn seconds(&self) -> Result<Option<f64>, DeviceError>;
    fn traffic(&self) -> Traffic;
}

/// What a solver has prepared, if it has; it fits only the problem that it was made from.
#[derive(Debug)]
pub(crate) struct Prepared<E> {
    engine: Option<E>,
    blocks: usize,
    /// Units that the device computes in.
    scale: PowerScale,
}

impl<E: OnDevice> Prepared<E> {
    pub(crate) const NONE: Self = Self {
        engine: None,
        blocks: 0,
        scale: PowerScale::IDENTITY,
    };

    pub(crate) fn new(problem: &Problem, engine: E, scale: PowerScale) -> Self {
        Self {
            engine: Some(engine),
            blocks: problem.blocks().len(),
            scale,
        }
    }

    /// Units that the device computes in.
    pub(crate) fn scale(&self) -> PowerScale {
        self.scale
    }

    pub(crate) fn get(&self) -> Result<&E, SolveError> {
        self.engine.as_ref().ok_or(SolveError::NotPrepared)
    }

    /// What is prepared, if it fits the problem.
    pub(crate) fn of(&mut self, problem: &Problem) -> Result<&mut E, SolveError> {
        self.fits(problem)?;
        self.engine.as_mut().ok_or(SolveError::NotPrepared)
    }

    fn fits(&self, problem: &Problem) -> Result<(), SolveError> {
        let pack = self.get()?.pack();
        let bodies = problem.bodies().ok_or(SolveError::NoBodies)?;
        length("problem", problem.rows(), pack.rows())?;
        length("blocks", problem.blocks().len(), self.blocks)?;
        length("bodies", bodies.len(), pack.bodies.len() - 1)
    }

    pub(crate) fn iterate(
        &mut self,
        problem: &Problem,
        sweeps: u32,
    ) -> Result<Progress, SolveError> {
        let engine = self.of(problem)?;
        engine.iterate(sweeps)?;
        Ok(Progress::of_sweeps(sweeps, engine.pack().active_rows()))
    }

    pub(crate) fn read_impulses(&self, out: &mut [f64]) -> Result<(), SolveError> {
        let engine = self.get()?;
        length("impulses", out.len(), engine.pack().rows())?;
        engine.read_impulses(out)?;
        self.scale.unscale_impulses(out);
        Ok(())
    }

    pub(crate) fn read_velocities(
        &self,
        problem: &Problem,
        out: &mut [f64],
    ) -> Result<(), SolveError> {
        self.fits(problem)?;
        let engine = self.get()?;
        let bodies = engine.pack().bodies.len() - 1;
        length("velocities", out.len(), 6 * bodies)?;
        engine.read_velocities(out)?;
        self.scale.unscale_velocities(out);
        Ok(())
    }

    /// Appends λ and v as they are read: f32 widened, which rounds nothing.
    pub(crate) fn state(&self, out: &mut Vec<u64>) -> Result<(), SolveError> {
        let engine = self.get()?;
        let (rows, bodies) = (engine.pack().rows(), engine.pack().bodies.len() - 1);
        let mut numbers = vec![0.0; rows + 6 * bodies];
        let (impulses, velocities) = numbers.split_at_mut(rows);
        engine.read_impulses(impulses)?;
        engine.read_velocities(velocities)?;
        Memory::push(out, numbers);
        Ok(())
    }

    pub(crate) fn seconds(&self) -> Result<Option<f64>, SolveError> {
        Ok(self.get()?.seconds()?)
    }

    pub(crate) fn traffic(&self) -> Option<Traffic> {
        self.engine.as_ref().map(E::traffic)
    }
}

fn length(what: &'static str, found: usize, expected: usize) -> Result<(), SolveError> {
    if found == expected {
        return Ok(());
    }
    Err(SolveError::Length {
        what,
        found,
        expected,
    })
}

/// Implements [`OnDevice`] by the methods of the same names.
macro_rules! on_device {
    ($engine:ty) => {
        impl $crate::prepared::OnDevice for $engine {
            fn pack(&self) -> &delassus_solver_jacobi::pack::Pack<f32> {
                self.pack()
            }

            fn iterate(&mut self, sweeps: u32) -> Result<(), delassus_core::SolveError> {
                self.iterate(sweeps)
            }

            fn read_impulses(&self, out: &mut [f64]) -> Result<(), delassus_core::SolveError> {
                self.read_impulses(out)
            }

            fn read_velocities(&self, out: &mut [f64]) -> Result<(), delassus_core::SolveError> {
                self.read_velocities(out)
            }

            fn seconds(&self) -> Result<Option<f64>, delassus_core::DeviceError> {
                self.seconds()
            }

            fn traffic(&self) -> delassus_core::Traffic {
                self.traffic()
            }
        }
    };
}
pub(crate) use on_device;

/// The methods of `ImpulseSolver` that the field `prepared` answers, and the device of the field `parameters`.
macro_rules! solve_by_prepared {
    () => {
        fn descriptor(&self) -> &delassus_core::SolverDescriptor {
            &<Self as delassus_core::Solver>::DESCRIPTOR
        }

        fn device(&self) -> Option<Result<String, delassus_core::DeviceError>> {
            let device = $crate::device::Device::shared(&self.parameters.device.adapter);
            Some(device.map(|device| device.report().identity()))
        }

        fn read_impulses(&mut self, out: &mut [f64]) -> Result<(), delassus_core::SolveError> {
            self.prepared.read_impulses(out)
        }

        fn read_velocities(
            &mut self,
            problem: &delassus_core::Problem,
            out: &mut [f64],
        ) -> Result<(), delassus_core::SolveError> {
            self.prepared.read_velocities(problem, out)
        }

        fn traffic(&self) -> Option<delassus_core::Traffic> {
            self.prepared.traffic()
        }
    };
}
pub(crate) use solve_by_prepared;

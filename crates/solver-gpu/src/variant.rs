//! The ways in which `gpu-jacobi` runs: dispatches over the whole device, or one workgroup.

use std::sync::Arc;

use delassus_core::{BodyRows, Choice, DeviceError, Problem, SolveError, Traffic};
use delassus_solver_jacobi::pack::Pack;

use crate::device::Device;
use crate::dispatches::{DispatchSettings, Dispatches};
use crate::history::HistoryEntry;
use crate::resident::{self, Resident};

/// How the iterations run; changes no bit of the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Choice)]
pub enum Variant {
    /// Resident where the problem fits and a dispatch costs more than an iteration: on hardware.
    #[default]
    Auto,
    /// Two or three dispatches per iteration.
    Dispatches,
    /// One dispatch per iteration, and one per call: each manifold sums the impulses on its bodies
    /// itself. For contacts alone, without Chebyshev steps, and for bodies in at most 64 manifolds.
    Fused,
    /// All iterations in one dispatch of one workgroup.
    Resident,
}

/// A prepared problem in one of the two.
#[derive(Debug)]
pub(crate) enum Execution {
    Dispatches(Box<Dispatches>),
    Resident(Box<Resident>),
}

impl Variant {
    fn is_resident(self, device: &Device, bodies: usize) -> bool {
        match self {
            // software has no launch to save, and runs a workgroup on one core
            Self::Auto => !device.report().is_software && resident::check_bodies(bodies).is_ok(),
            Self::Dispatches | Self::Fused => false,
            Self::Resident => true,
        }
    }
}

impl Execution {
    pub(crate) fn new(
        variant: Variant,
        device: Arc<Device>,
        settings: DispatchSettings,
        pack: Pack<f32>,
        impulses: Vec<f64>,
    ) -> Result<Self, DeviceError> {
        // one workgroup keeps no natural residuals
        if !settings.residuals && variant.is_resident(&device, pack.bodies.len() - 1) {
            let problems = vec![(pack, impulses)];
            let resident = Resident::new(device, settings, problems)?;
            return Ok(Self::Resident(Box::new(resident)));
        }
        let dispatches = Dispatches::new(device, settings, pack, &impulses)?;
        Ok(Self::Dispatches(Box::new(dispatches)))
    }

    /// Takes over another problem, which `change` packs in the memory of the pack; false where one
    /// workgroup runs all iterations, or would.
    pub(crate) fn repeat(
        &mut self,
        variant: Variant,
        device: &Arc<Device>,
        settings: DispatchSettings,
        problem: &Problem,
        impulses: &[f64],
        change: impl FnOnce(&mut Pack<f32>) -> Result<(), SolveError>,
    ) -> Result<bool, SolveError> {
        let bodies = problem.bodies().map_or(0, BodyRows::len);
        let resident = !settings.residuals && variant.is_resident(device, bodies);
        match self {
            Self::Dispatches(dispatches) if !resident && dispatches.is_on(device) => {
                dispatches.repeat(settings, impulses, change)?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    pub(crate) fn iterate(&mut self, sweeps: u32) -> Result<(), SolveError> {
        match self {
            Self::Dispatches(dispatches) => dispatches.iterate(sweeps),
            Self::Resident(resident) => resident.iterate(sweeps).map_err(|(_, error)| error),
        }
    }

    /// Takes over what `change` has refreshed in the pack; false if it does not fit.
    pub(crate) fn refresh(
        &mut self,
        problem: &Problem,
        change: impl FnOnce(&mut Pack<f32>, &Problem) -> Result<bool, SolveError>,
    ) -> Result<bool, SolveError> {
        match self {
            Self::Dispatches(dispatches) => dispatches.refresh(problem, change),
            Self::Resident(resident) => resident.refresh(problem, change),
        }
    }

    pub(crate) fn read_impulses(&self, out: &mut [f64]) -> Result<(), SolveError> {
        match self {
            Self::Dispatches(dispatches) => dispatches.read_impulses(out),
            Self::Resident(resident) => resident.read_impulses(0, out),
        }
    }

    pub(crate) fn read_velocities(&self, out: &mut [f64]) -> Result<(), SolveError> {
        match self {
            Self::Dispatches(dispatches) => dispatches.read_velocities(out),
            Self::Resident(resident) => resident.read_velocities(0, out),
        }
    }

    pub(crate) fn read_history(&self) -> Result<Vec<HistoryEntry>, DeviceError> {
        match self {
            Self::Dispatches(dispatches) => dispatches.read_history(),
            Self::Resident(resident) => resident.read_history(0),
        }
    }

    pub(crate) fn seconds(&self) -> Result<Option<f64>, DeviceError> {
        match self {
            Self::Dispatches(dispatches) => dispatches.seconds(),
            Self::Resident(resident) => resident.seconds(),
        }
    }

    pub(crate) fn pack(&self) -> &Pack<f32> {
        match self {
            Self::Dispatches(dispatches) => dispatches.pack(),
            Self::Resident(resident) => &resident.packs()[0],
        }
    }

    pub(crate) fn traffic(&self) -> Traffic {
        match self {
            Self::Dispatches(dispatches) => dispatches.traffic(),
            Self::Resident(resident) => resident.traffic(),
        }
    }

    /// Dispatches of one iteration \[-\]; none where one makes many.
    pub(crate) fn dispatches(&self) -> u64 {
        match self {
            Self::Dispatches(dispatches) => dispatches.per_iteration(),
            Self::Resident(_) => 0,
        }
    }

    pub(crate) fn is_resident(&self) -> bool {
        matches!(self, Self::Resident(_))
    }
}

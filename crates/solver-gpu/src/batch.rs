//! Many small problems at once, one workgroup each, in one submission.
//!
//! A sweep over parameters has one structure and many worlds ([`GpuBatch::prepare_worlds`]): the
//! structure is packed and uploaded once, and each world adds only the values in which it differs
//! (K.49).
//!
//! One small scene leaves a device idle: it has a hundred processors, and a scene of a hundred
//! bodies occupies one of them. A batch gives each problem a workgroup of its own, and a submission
//! runs all of them (K.7). What a problem gets is, bit for bit, what [`crate::GpuJacobi`] gives it
//! alone.
//!
//! Limitations: 511 bodies per problem; all problems of a batch run equally many iterations, so the
//! slowest decides. Theory: docs/theory/16-gpu.md. Source: \[Tonge2012\].

use std::fmt;
use std::sync::Arc;

use delassus_core::{
    ParameterError, Parameters, PowerScale, Problem, SolveError, Solver, Start, Unsupported,
};
use delassus_solver_jacobi::pack::Pack;
use delassus_solver_jacobi::worlds::{WorldError, WorldParameters, WorldSteps, WorldTemplate};

use crate::device::Device;
use crate::gpu_jacobi::{GpuJacobi, GpuJacobiParameters};
use crate::history::HistoryEntry;
use crate::prepared;
use crate::resident::{Resident, check_bodies};
use crate::variant::Variant;
use crate::world_results::WorldResult;

/// Who refuses a problem.
const SOLVER: &str = GpuJacobi::DESCRIPTOR.id;

/// What happened to which problem.
#[derive(Debug, Clone, PartialEq)]
pub struct BatchError {
    /// Index of the problem.
    pub problem: usize,
    /// What happened.
    pub error: SolveError,
}

impl fmt::Display for BatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "problem {}: {}", self.problem, self.error)
    }
}

impl std::error::Error for BatchError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}

/// Problems that are solved side by side (K.7).
#[derive(Debug)]
pub struct GpuBatch {
    parameters: GpuJacobiParameters,
    steps: WorldSteps,
    resident: Option<Resident>,
}

impl GpuBatch {
    /// A batch with the parameters of [`GpuJacobi`]; `variant` says nothing here.
    ///
    /// # Errors
    /// A parameter out of its range.
    pub fn new(parameters: GpuJacobiParameters) -> Result<Self, ParameterError> {
        // whatever `variant` says, this is the resident one
        let resident = GpuJacobiParameters {
            variant: Variant::Resident,
            ..parameters.clone()
        };
        resident.validate()?;
        Ok(Self {
            parameters,
            steps: WorldSteps::default(),
            resident: None,
        })
    }

    /// The same with steps of worlds of one structure that the device computes, where it can.
    pub fn with_steps(self, steps: WorldSteps) -> Self {
        Self { steps, ..self }
    }

    /// Uploads the problems, each from zero impulses.
    ///
    /// # Errors
    /// The first problem that is refused, or too large for a workgroup; a failure of the device as
    /// one of problem 0.
    pub fn prepare(&mut self, problems: &[Problem]) -> Result<(), BatchError> {
        let starts = vec![Start::Cold; problems.len()];
        self.prepare_from(problems, &starts)
    }

    /// Uploads the problems, each with its own start.
    ///
    /// # Errors
    /// As [`Self::prepare`]; another number of starts than of problems.
    pub fn prepare_from(
        &mut self,
        problems: &[Problem],
        starts: &[Start<'_>],
    ) -> Result<(), BatchError> {
        self.resident = None;
        if starts.len() != problems.len() {
            let error = SolveError::Length {
                what: "starts",
                found: starts.len(),
                expected: problems.len(),
            };
            return Err(BatchError { problem: 0, error });
        }
        let mut packed = Vec::with_capacity(problems.len());
        for (index, (problem, start)) in problems.iter().zip(starts).enumerate() {
            let pack = self.pack(problem, *start);
            packed.push(pack.map_err(|error| BatchError {
                problem: index,
                error,
            })?);
        }
        let resident = self.device().and_then(|device| {
            let settings = self.parameters.settings();
            Ok(Resident::new(device, settings, packed)?)
        });
        let first = |error| BatchError { problem: 0, error };
        self.resident = Some(resident.map_err(first)?);
        Ok(())
    }

    /// Uploads worlds of one structure, which start from zero impulses. What a world gets is, bit
    /// for bit, what [`crate::GpuJacobi`] gives to [`WorldParameters::problem`], and to rounding if
    /// the device computes the steps.
    ///
    /// # Errors
    /// Parameters that do not fit the structure or make no valid problem, with the world; a
    /// structure that is refused or too large, or a failure of the device, as an error of world 0.
    pub fn prepare_worlds(
        &mut self,
        structure: &Problem,
        worlds: &WorldParameters,
    ) -> Result<(), WorldError> {
        self.resident = None;
        let first = |error| WorldError::of(0, error);
        GpuJacobi::DESCRIPTOR
            .check(structure)
            .map_err(|error| first(error.into()))?;
        let twin = self.parameters.jacobi;
        let template = WorldTemplate::with_steps(self.steps, SOLVER, twin, structure, worlds)?;
        let values = template.values(SOLVER, worlds)?;
        let resident = self.device().and_then(|device| {
            let settings = self.parameters.settings();
            let count = worlds.worlds;
            Ok(Resident::of_worlds(
                device,
                settings,
                template,
                count,
                &[],
                &values,
            )?)
        });
        self.resident = Some(resident.map_err(first)?);
        Ok(())
    }

    /// Gives other numbers to the prepared worlds: the same lists as before, with other contents.
    /// Impulses stay as a warm start, and nothing of the structure is packed or uploaded again.
    ///
    /// # Errors
    /// Those of [`Self::prepare_worlds`]; worlds that are not prepared.
    pub fn update_worlds(&mut self, worlds: &WorldParameters) -> Result<(), WorldError> {
        let not_prepared = || WorldError::of(0, SolveError::NotPrepared);
        let resident = self.resident.as_mut().ok_or_else(not_prepared)?;
        let own = resident.worlds().ok_or_else(not_prepared)?;
        if worlds.worlds != own.worlds() {
            return Err(WorldError::Length {
                what: "the list",
                found: worlds.worlds,
                expected: own.worlds(),
            });
        }
        let values = own.template().values(SOLVER, worlds)?;
        let written = resident.write_worlds(&values);
        written.map_err(|error| WorldError::of(0, error))
    }

    /// Runs iterations of all problems, waits for them, and says how each ended. A problem whose
    /// iterate breaks stops no other.
    ///
    /// # Errors
    /// Not prepared, or a failed device.
    pub fn iterate_each(
        &mut self,
        sweeps: u32,
        tolerance: f64,
    ) -> Result<Vec<WorldResult>, SolveError> {
        let resident = self.resident.as_mut().ok_or(SolveError::NotPrepared)?;
        resident.run(sweeps)?;
        let states = resident.states().iter();
        Ok(states
            .map(|state| WorldResult::of(state, tolerance))
            .collect())
    }

    fn pack(
        &self,
        problem: &Problem,
        start: Start<'_>,
    ) -> Result<(Pack<f32>, Vec<f64>), SolveError> {
        let solver = SOLVER;
        GpuJacobi::DESCRIPTOR.check(problem)?;
        let scale = PowerScale::of(solver, problem)?;
        if !scale.is_identity() {
            let reason =
                "and a batch is in the units of its problems; solve this one alone".to_owned();
            return Err(Unsupported::Range { solver, reason }.into());
        }
        check_bodies(problem.bodies().ok_or(SolveError::NoBodies)?.len())?;
        let impulses = scale.start(start, problem.rows())?;
        Ok((self.parameters.jacobi.pack(problem)?, impulses))
    }

    fn device(&self) -> Result<Arc<Device>, SolveError> {
        Ok(prepared::open(SOLVER, &self.parameters.device.adapter)?)
    }

    /// Number of problems \[-\].
    pub fn len(&self) -> usize {
        self.resident.as_ref().map_or(0, |r| r.packs().len())
    }

    /// True if there is no problem.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Runs iterations of all problems and waits for them.
    ///
    /// # Errors
    /// Not prepared, a failed device, or the first problem whose iterate is no longer finite.
    pub fn iterate(&mut self, sweeps: u32) -> Result<(), BatchError> {
        let not_prepared = BatchError {
            problem: 0,
            error: SolveError::NotPrepared,
        };
        let resident = self.resident.as_mut().ok_or(not_prepared)?;
        let result = resident.iterate(sweeps);
        result.map_err(|(problem, error)| BatchError { problem, error })
    }

    /// Copies the impulses of a problem, one per row \[N·s\].
    ///
    /// # Errors
    /// Not prepared, no such problem, a slice of the wrong length, a failed device.
    pub fn read_impulses(&self, problem: usize, out: &mut [f64]) -> Result<(), SolveError> {
        let (resident, pack) = self.problem(problem)?;
        SolveError::check_length("impulses", out.len(), pack.rows())?;
        resident.read_impulses(problem, out)
    }

    /// Copies the velocities of a problem, six per body \[m/s, rad/s\].
    ///
    /// # Errors
    /// As [`Self::read_impulses`].
    pub fn read_velocities(&self, problem: usize, out: &mut [f64]) -> Result<(), SolveError> {
        let (resident, pack) = self.problem(problem)?;
        SolveError::check_length("velocities", out.len(), 6 * (pack.bodies.len() - 1))?;
        resident.read_velocities(problem, out)
    }

    /// Copies the impulses of all problems, one problem after the other, in one transfer \[N·s\].
    ///
    /// # Errors
    /// Not prepared, a failed device, a slice of the wrong length, or the first problem whose
    /// impulses are not finite.
    pub fn read_all_impulses(&self, out: &mut [f64]) -> Result<(), BatchError> {
        let first = |error| BatchError { problem: 0, error };
        let resident = self.resident.as_ref();
        let resident = resident.ok_or(first(SolveError::NotPrepared))?;
        let rows = resident.packs().iter().map(Pack::rows).sum();
        SolveError::check_length("impulses", out.len(), rows).map_err(first)?;
        let mut at = 0;
        let read = resident.read_all_impulses(|_, own| {
            out[at..at + own.len()].copy_from_slice(own);
            at += own.len();
        });
        read.map_err(|(problem, error)| BatchError { problem, error })
    }

    /// The residual of every iteration of a problem.
    ///
    /// # Errors
    /// Not prepared, no such problem, a failed device.
    pub fn read_history(&self, problem: usize) -> Result<Vec<HistoryEntry>, SolveError> {
        let (resident, _) = self.problem(problem)?;
        Ok(resident.read_history(problem)?)
    }

    /// Time that the last `iterate` took on the device \[s\]; `None` on devices without time
    /// stamps.
    ///
    /// # Errors
    /// Not prepared, or a failed device.
    pub fn device_seconds(&self) -> Result<Option<f64>, SolveError> {
        let resident = self.resident.as_ref().ok_or(SolveError::NotPrepared)?;
        Ok(resident.seconds()?)
    }

    fn problem(&self, problem: usize) -> Result<(&Resident, &Pack<f32>), SolveError> {
        let resident = self.resident.as_ref().ok_or(SolveError::NotPrepared)?;
        let packs = resident.packs();
        let pack = packs.of(problem).ok_or(SolveError::Length {
            what: "the batch",
            found: packs.len(),
            expected: problem + 1,
        })?;
        Ok((resident, pack))
    }
}

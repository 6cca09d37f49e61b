//! Many small problems at once: one workgroup each, all iterations in one dispatch.
//!
//! A workgroup keeps the velocities that the pieces read in its own memory and waits for no other,
//! so an iteration costs three barriers and no dispatch (K.7). Operations and their order are those
//! of the dispatches, so the bits are too. What does not fit into the memory that every device has
//! is refused: [`MAX_BODIES`]. Worlds of one structure share its words and numbers, and the device
//! writes the numbers in which they differ (K.49).

mod buffers;
mod packs;
mod read;

#[cfg(test)]
use std::ops::Range;
use std::sync::Arc;

use delassus_core::{DeviceError, Problem, SolveError};
use delassus_solver_jacobi::Acceleration;
use delassus_solver_jacobi::pack::Pack;
use delassus_solver_jacobi::rule::LocalSweep;
use delassus_solver_jacobi::worlds::WorldTemplate;
use wgpu::BindGroup;

#[cfg(test)]
use crate::buffers::GpuQuad;
use crate::buffers::StorageBuffer;
use crate::commands::{self, Stopwatch};
use crate::control::{State, index};
use crate::device::Device;
use crate::dispatches::DispatchSettings;
use crate::history::RawEntry;
use crate::joined::Joined;
use crate::loops;
use crate::pipelines::{
    Access::{self, Read, Write},
    Kernel, Workgroups, flag,
};
use crate::prelude::MAX_BODIES;
use crate::shaders;
use crate::world_numbers::WorldNumbers;
use buffers::{Buffers, FIRST_CAPACITY, HISTORY};
pub(crate) use packs::Packs;

const ACCESS: &[Access] = &[Read, Read, Read, Write, Write, Write, Write, Write];

/// Prepared problems and their iterates.
#[derive(Debug)]
pub(crate) struct Resident {
    device: Arc<Device>,
    settings: DispatchSettings,
    step: Arc<Kernel>,
    renew: Arc<Kernel>,
    buffers: Buffers,
    /// For a whole submission, and for the last one.
    bindings: [BindGroup; 2],
    grid: Workgroups,
    stopwatch: Option<Stopwatch>,
    joined: Joined,
    packs: Packs,
    worlds: Option<WorldNumbers>,
    /// States after the last iterations.
    states: Vec<State>,
    /// Iterations of one dispatch \[-\].
    per_dispatch: u32,
    iterations: u32,
    capacity: u32,
}

/// An error if a problem has too many bodies for a workgroup.
pub(crate) fn check_bodies(bodies: usize) -> Result<(), DeviceError> {
    if bodies < MAX_BODIES {
        return Ok(());
    }
    Err(DeviceError::Limit {
        what: "a workgroup's memory (bodies)",
        needed: bodies as u64,
        allowed: MAX_BODIES as u64 - 1,
    })
}

fn kernel(
    device: &Device,
    settings: DispatchSettings,
    sweep: LocalSweep,
    steps: bool,
) -> Result<Arc<Kernel>, DeviceError> {
    let (sequential, momentum) = (
        sweep == LocalSweep::Block,
        settings.acceleration != Acceleration::None,
    );
    let constants = [
        ("STEPS", flag(steps)),
        ("SEQUENTIAL", flag(sequential)),
        ("MOMENTUM", flag(momentum)),
    ];
    let workgroup = settings.workgroup;
    let key = format!("resident {workgroup} {steps} {sequential} {momentum}");
    device.cached(&key, || {
        Kernel::new(device, &shaders::RESIDENT, workgroup, &constants, ACCESS)
    })
}

/// Threads for the largest of the problems: no more rounds over its pieces (K.7), and no threads
/// without a piece.
fn threads<'p>(device: &Device, packs: impl Iterator<Item = &'p Pack<f32>>) -> u32 {
    let pieces = |pack: &Pack<f32>| pack.manifolds.len() + pack.units.len();
    let most = packs.map(pieces).max();
    match most {
        _ if device.report().is_software => 64,
        Some(65..=128) => 128,
        Some(129..) => 256,
        _ => 64,
    }
}

impl Resident {
    /// Uploads packed problems of one sweep with their impulses, one per row \[N·s\].
    pub(crate) fn new(
        device: Arc<Device>,
        mut settings: DispatchSettings,
        problems: Vec<(Pack<f32>, Vec<f64>)>,
    ) -> Result<Self, DeviceError> {
        if settings.workgroup == 0 {
            settings.workgroup = threads(&device, problems.iter().map(|(pack, _)| pack));
        }
        let mut joined = Joined::default();
        for (pack, impulses) in &problems {
            check_bodies(pack.bodies.len() - 1)?;
            joined.push(pack, impulses, &[])?;
        }
        let packs: Vec<Pack<f32>> = problems.into_iter().map(|(pack, _)| pack).collect();
        let problems = packs.len();
        let packs = Packs { packs, problems };
        let mut resident = Self::of_joined(device, settings, joined, packs)?;
        resident.restart(0)?;
        Ok(resident)
    }

    /// Uploads the structure of some worlds and their values, and writes their numbers on the
    /// device; they start from the impulses of each \[N·s\], or all from zero if there are none.
    pub(crate) fn of_worlds(
        device: Arc<Device>,
        mut settings: DispatchSettings,
        template: WorldTemplate,
        worlds: usize,
        starts: &[Vec<f64>],
        values: &[f32],
    ) -> Result<Self, DeviceError> {
        let pack = template.pack().clone();
        check_bodies(pack.bodies.len() - 1)?;
        if settings.workgroup == 0 {
            settings.workgroup = threads(&device, [&pack].into_iter());
        }
        let mut joined = Joined::of_worlds(&template, worlds)?;
        joined.start_worlds(&pack, starts);
        let first = joined.numbers.len();
        let packs = Packs {
            packs: vec![pack],
            problems: worlds,
        };
        let mut resident = Self::of_joined(Arc::clone(&device), settings, joined, packs)?;
        // the heads are the first words
        let shared = [&resident.buffers.words, &resident.buffers.numbers];
        let own = WorldNumbers::new(&device, template, worlds, shared, first)?;
        resident.worlds = Some(own);
        resident.write_worlds(values)?;
        Ok(resident)
    }

    /// Uploads joined problems; their velocities are not computed yet.
    fn of_joined(
        device: Arc<Device>,
        settings: DispatchSettings,
        mut joined: Joined,
        packs: Packs,
    ) -> Result<Self, DeviceError> {
        let sweep = packs.of(0).map_or(LocalSweep::Block, |p| p.rule().sweep);
        let kernel = |steps| kernel(&device, settings, sweep, steps);
        let (step, renew) = (kernel(true)?, kernel(false)?);
        let buffers = Buffers::new(&device, &joined)?;
        // they are on the device now
        for list in [&mut joined.numbers, &mut joined.impulses] {
            *list = Vec::new();
        }
        joined.words = Vec::new();
        let groups = device.limits().max_compute_workgroups_per_dimension;
        let turns = packs
            .packs
            .iter()
            .map(|p| loops::of_resident(p, settings.workgroup));
        let turns = turns.max().unwrap_or(0);
        let mut resident = Self {
            per_dispatch: loops::per_dispatch(
                &device,
                turns,
                settings.workgroup,
                settings.submission,
            ),
            bindings: buffers.bind(&device, &step)?,
            grid: Workgroups::of(packs.len(), groups)?,
            stopwatch: Stopwatch::new(&device)?,
            states: vec![State::START; packs.len()],
            device,
            settings,
            step,
            renew,
            buffers,
            joined,
            packs,
            worlds: None,
            iterations: 0,
            capacity: FIRST_CAPACITY,
        };
        resident.write_records()?;
        Ok(resident)
    }

    /// Writes the numbers of all worlds; their impulses stay.
    pub(crate) fn write_worlds(&mut self, values: &[f32]) -> Result<(), DeviceError> {
        let half = self.half();
        if let Some(worlds) = &self.worlds {
            worlds.write(&self.device, values)?;
        }
        self.restart(half)
    }

    /// The worlds of one structure, if that is what the problems are.
    pub(crate) fn worlds(&self) -> Option<&WorldNumbers> {
        self.worlds.as_ref()
    }

    /// Some quads of all numbers, for tests.
    #[cfg(test)]
    pub(crate) fn numbers(&self, range: Range<usize>) -> Result<Vec<GpuQuad>, DeviceError> {
        self.buffers.numbers.read(&self.device, range)
    }

    /// Velocities of the impulses in half `parity`, without momentum; the history starts anew.
    fn restart(&mut self, parity: u32) -> Result<(), DeviceError> {
        self.buffers
            .states
            .copy(&self.device, &self.buffers.first_states)?;
        self.states.fill(State::START);
        self.write_sweeps(1, 1, parity)?;
        commands::submit(&self.device, None, 1, 1, |pass, _| {
            self.renew.dispatch(pass, &self.bindings[1], self.grid);
        })?;
        // both halves hold λ now
        self.write_sweeps(0, self.per_dispatch, 0)?;
        self.iterations = 0;
        Ok(())
    }

    /// Writes what the record of the first problem says for all.
    fn write_sweeps(&mut self, copy: usize, sweeps: u32, parity: u32) -> Result<(), DeviceError> {
        let Some(record) = self.joined.records.first_mut() else {
            return Ok(());
        };
        record.sweeps = sweeps;
        record.parity = parity;
        let first = std::slice::from_ref(record);
        self.buffers.records[copy].write_at(&self.device, 0, first)
    }

    /// Writes all records: where the history of every problem begins, and how it steps.
    fn write_records(&mut self) -> Result<(), DeviceError> {
        let mut first = 0;
        for record in &mut self.joined.records {
            record.capacity = self.capacity;
            record.history = first;
            record.acceleration = self.settings.acceleration.code();
            record.guarded = self.settings.guard.into();
            first += self.capacity;
        }
        let [whole, last] = &self.buffers.records;
        whole.write(&self.device, &self.joined.records)?;
        last.copy(&self.device, whole)
    }

    /// Makes room for the history of `entries` iterations.
    fn reserve(&mut self, entries: u32) -> Result<(), DeviceError> {
        if entries <= self.capacity {
            return Ok(());
        }
        let (old, problems) = (self.capacity as usize, self.packs.len());
        let capacity = entries.max(self.capacity.saturating_mul(2));
        let total = index(capacity as usize * problems)?;
        let kept: Vec<RawEntry> = self.buffers.history.read(&self.device, 0..old * problems)?;
        let size = size_of::<RawEntry>() as u64;
        let larger = StorageBuffer::zeroed(&self.device, HISTORY, size * u64::from(total))?;
        for (problem, entries) in kept.chunks(old).enumerate() {
            let first = size * u64::from(capacity) * problem as u64;
            larger.write_at(&self.device, first, entries)?;
        }
        self.buffers.history = larger;
        self.capacity = capacity;
        self.bindings = self.buffers.bind(&self.device, &self.step)?;
        self.write_records()?;
        self.write_sweeps(0, self.per_dispatch, 0)
    }

    /// Runs iterations of all problems and waits for them; the first that broke is named with its
    /// error.
    pub(crate) fn iterate(&mut self, sweeps: u32) -> Result<(), (usize, SolveError)> {
        self.run(sweeps).map_err(|error| (0, error.into()))?;
        let broken = self.states.iter().position(|state| !state.last.is_finite());
        let Some(problem) = broken else {
            return Ok(());
        };
        let rows = self.packs.of(problem).map_or(0, Pack::rows);
        let read = self.read_impulses(problem, &mut vec![0.0; rows]);
        read.map_err(|error| (problem, error))
    }

    /// Runs iterations of all problems and waits for them, whatever their iterates are.
    pub(crate) fn run(&mut self, sweeps: u32) -> Result<(), DeviceError> {
        if sweeps == 0 || self.packs.len() == 0 {
            return Ok(());
        }
        let entries = self.iterations.checked_add(sweeps);
        let entries = entries.ok_or(DeviceError::Limit {
            what: "the number of iterations",
            needed: u64::from(self.iterations) + u64::from(sweeps),
            allowed: u32::MAX.into(),
        })?;
        self.reserve(entries)?;
        let whole = sweeps / self.per_dispatch;
        let rest = sweeps % self.per_dispatch;
        self.write_sweeps(1, rest, 0)?;
        let steps = whole + u32::from(rest > 0);
        let watch = self.stopwatch.as_ref();
        let per_submission = self.settings.submission / self.per_dispatch;
        commands::submit(&self.device, watch, steps, per_submission, |pass, step| {
            let copy = usize::from(step == whole);
            self.step.dispatch(pass, &self.bindings[copy], self.grid);
        })?;
        self.iterations = entries;
        let states = &self.buffers.states;
        self.states = states.read(&self.device, 0..self.packs.len())?;
        if self.states.iter().all(|state| state.iteration == entries) {
            return Ok(());
        }
        Err(DeviceError::Lost {
            reason: "a dispatch ended before its last iteration".into(),
        })
    }

    /// The half of the impulses that holds λ_k.
    fn half(&self) -> u32 {
        self.iterations % 2
    }

    /// Takes over what `change` has refreshed in the pack of the only problem; false if it does not
    /// fit.
    pub(crate) fn refresh(
        &mut self,
        problem: &Problem,
        change: impl FnOnce(&mut Pack<f32>, &Problem) -> Result<bool, SolveError>,
    ) -> Result<bool, SolveError> {
        let half = self.half();
        let Some(pack) = self.packs.packs.first_mut() else {
            return Err(SolveError::NotPrepared);
        };
        if !change(pack, problem)? {
            return Ok(false);
        }
        let mut fresh = Joined::default();
        let none = vec![0.0; pack.rows()];
        fresh.push(pack, &none, &[])?;
        self.buffers.words.write(&self.device, &fresh.words)?;
        self.buffers.numbers.write(&self.device, &fresh.numbers)?;
        self.restart(half)?;
        Ok(true)
    }

    pub(crate) fn packs(&self) -> &Packs {
        &self.packs
    }

    /// Iterations that one dispatch makes at most \[-\].
    #[cfg(test)]
    pub(crate) fn per_dispatch(&self) -> u32 {
        self.per_dispatch
    }

    /// The momentum of every problem after the last iterations.
    pub(crate) fn states(&self) -> &[State] {
        &self.states
    }
}

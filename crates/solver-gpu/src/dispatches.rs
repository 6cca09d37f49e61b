//! A packed problem on the device, and its iteration: pieces, then bodies, then the next.
//!
//! Everything of a solve is recorded before it is submitted; nothing is read in between.

mod kernels;
mod memory;
#[cfg(test)]
mod snapshot;
mod traffic;

use std::sync::Arc;

use delassus_core::{DeviceError, Problem, SolveError};
use delassus_solver_jacobi::Acceleration;
use delassus_solver_jacobi::pack::{BODY_FREE, Iterate, Pack};
use delassus_solver_jacobi::rule::LocalSweep;

use crate::buffers::GpuQuad;
use crate::commands::{self, Stopwatch};
use crate::control::{Control, State};
use crate::device::Device;
use crate::history::{History, HistoryEntry};
use crate::hubs;
use crate::iteration::IterationVariant;
use crate::loops;
use crate::natural::Natural;
use crate::prelude::NO_ITERATION;
use crate::prepared::threads_per_workgroup;
use crate::tiles::{self, ManifoldLayout};

use kernels::BoundKernels;
use memory::{Buffers, MemoryForm};
#[cfg(test)]
pub(crate) use snapshot::Snapshot;

/// What a solve is run with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct DispatchSettings {
    pub(crate) acceleration: Acceleration,
    pub(crate) guard: bool,
    /// The history has natural residuals.
    pub(crate) residuals: bool,
    /// Threads of a workgroup, or 0 for those that are fastest \[-\].
    pub(crate) workgroup: u32,
    /// Iterations of one submission \[-\].
    pub(crate) submission: u32,
    /// How manifolds lie on the device.
    pub(crate) layout: ManifoldLayout,
    /// One dispatch per iteration (K.52).
    pub(crate) fused: bool,
}

impl DispatchSettings {
    fn has_momentum(self) -> bool {
        self.acceleration != Acceleration::None
    }

    fn form(self) -> MemoryForm {
        MemoryForm {
            momentum: self.has_momentum(),
            layout: self.layout,
            fused: self.fused,
        }
    }
}

/// A prepared problem and its iterate.
#[derive(Debug)]
pub(crate) struct Dispatches {
    device: Arc<Device>,
    settings: DispatchSettings,
    kernels: BoundKernels,
    buffers: Buffers,
    history: History,
    natural: Option<Natural>,
    stopwatch: Option<Stopwatch>,
    control: Control,
    pack: Pack<f32>,
    /// The half of the impulses that holds λ_k.
    current: u32,
    iterations: u32,
}

impl Dispatches {
    /// Uploads a packed problem and impulses, one per row \[N·s\].
    pub(crate) fn new(
        device: Arc<Device>,
        settings: DispatchSettings,
        pack: Pack<f32>,
        impulses: &[f64],
    ) -> Result<Self, DeviceError> {
        Self::in_memory_of(None, device, settings, pack, impulses)
    }

    /// Takes over another problem, which `change` packs in the memory of the pack; buffers whose
    /// sizes stay are reused.
    pub(crate) fn repeat(
        &mut self,
        settings: DispatchSettings,
        impulses: &[f64],
        change: impl FnOnce(&mut Pack<f32>) -> Result<(), SolveError>,
    ) -> Result<(), SolveError> {
        change(&mut self.pack)?;
        let pack = std::mem::take(&mut self.pack);
        let (old, device) = (Some(&self.buffers), Arc::clone(&self.device));
        *self = Self::in_memory_of(old, device, settings, pack, impulses)?;
        Ok(())
    }

    fn in_memory_of(
        old: Option<&Buffers>,
        device: Arc<Device>,
        mut settings: DispatchSettings,
        pack: Pack<f32>,
        impulses: &[f64],
    ) -> Result<Self, DeviceError> {
        settings.workgroup =
            threads_per_workgroup(settings.workgroup, &device, pack.manifolds.points());
        let variant = IterationVariant {
            workgroup: settings.workgroup,
            sequential: pack.rule().sweep == LocalSweep::Block,
            momentum: settings.has_momentum(),
            layout: settings.layout,
            isotropic: settings.layout == ManifoldLayout::Tiles && tiles::is_isotropic(&pack),
        };
        let history = History::new(&device)?;
        let hubs = hubs::of(&device, &pack)?;
        loops::check_units(&device, &pack, settings.workgroup)?;
        let control = Control::new(
            &pack,
            &hubs,
            settings.acceleration,
            settings.guard,
            history.capacity(),
        )?;
        let control = control.laid_out(settings.layout)?;
        let form = settings.form();
        let buffers = Buffers::new(&device, &pack, impulses, &hubs, &control, form, old)?;
        let memory = buffers.memory(&history);
        let (hubs, fused) = (hubs.len(), settings.fused);
        let kernels = BoundKernels::new(&device, variant, &pack, hubs, fused, &memory)?;
        let natural = natural(&device, settings, &pack, &buffers, &history)?;
        let mut dispatches = Self {
            stopwatch: Stopwatch::new(&device)?,
            device,
            settings,
            kernels,
            buffers,
            history,
            natural,
            control,
            pack,
            current: 0,
            iterations: 0,
        };
        dispatches.restart()?;
        Ok(dispatches)
    }

    /// Bytes of the buffers of the problem \[B\].
    #[cfg(test)]
    pub(crate) fn bytes(&self) -> u64 {
        self.buffers.bytes()
    }

    /// True if the problem lies on a device, which has not failed.
    pub(crate) fn is_on(&self, device: &Arc<Device>) -> bool {
        Arc::ptr_eq(&self.device, device) && device.failure().is_none()
    }

    /// Velocities of the impulses, without momentum; the history starts anew.
    fn restart(&mut self) -> Result<(), DeviceError> {
        self.control.state = State::START;
        self.control.capacity = self.history.capacity();
        self.write_control()?;
        if let Some(natural) = &self.natural {
            natural.clear(&self.device)?;
        }
        commands::submit(&self.device, None, 1, 1, |pass, _| {
            self.kernels.record_renewal(pass, self.current);
        })?;
        // the kernels wrote λ into the other half too, so that λ_{k−1} = λ_k
        self.iterations = 0;
        Ok(())
    }

    fn write_control(&self) -> Result<(), DeviceError> {
        for (copy, buffer) in self
            .control
            .of_halves()
            .iter_mut()
            .zip(&self.buffers.control)
        {
            if self.settings.fused && copy.parity == self.current {
                // the first iteration has none before it, whose sums it would add up
                copy.state.iteration = NO_ITERATION;
            }
            buffer.write(&self.device, &[*copy])?;
        }
        Ok(())
    }

    /// Runs iterations, waits for them, and reads the state of the momentum.
    pub(crate) fn iterate(&mut self, sweeps: u32) -> Result<(), SolveError> {
        if sweeps == 0 {
            return Ok(());
        }
        let entries = self.iterations.checked_add(sweeps);
        let entries = entries.ok_or(DeviceError::Limit {
            what: "the number of iterations",
            needed: u64::from(self.iterations) + u64::from(sweeps),
            allowed: u32::MAX.into(),
        })?;
        if self.history.reserve(&self.device, entries)? {
            let memory = self.buffers.memory(&self.history);
            self.kernels.rebind(&self.device, &memory)?;
            let capacity = self.history.capacity();
            if let Some(natural) = &mut self.natural {
                natural.grow(&self.device, capacity)?;
                natural.bind(&self.device, self.buffers.sources())?;
            }
            for buffer in &self.buffers.control {
                let offset = std::mem::offset_of!(Control, capacity) as u64;
                buffer.write_at(&self.device, offset, &[capacity])?;
            }
            self.control.capacity = capacity;
        }
        let per_submission = self.settings.submission;
        let stopwatch = self.stopwatch.as_ref();
        commands::submit(
            &self.device,
            stopwatch,
            sweeps,
            per_submission,
            |pass, step| {
                let parity = (self.current + step % 2) % 2;
                self.kernels.record(pass, parity);
                if let Some(natural) = &self.natural {
                    natural.record(pass, 1 - parity);
                }
                if step + 1 == sweeps {
                    self.kernels.record_end(pass, 1 - parity);
                }
            },
        )?;
        self.current = (self.current + sweeps % 2) % 2;
        self.iterations = entries;
        let last = self.state()?.last;
        if last.is_finite() {
            return Ok(());
        }
        let mut impulses = vec![0.0; self.pack.rows()];
        self.read_impulses(&mut impulses)
    }

    /// State of the momentum after the last iteration.
    fn state(&self) -> Result<State, DeviceError> {
        // the end of a fused call writes what its next iteration would
        let copy = if self.settings.fused {
            1 - self.current
        } else {
            self.current
        };
        let control = &self.buffers.control[copy as usize];
        let read: Vec<Control> = control.read(&self.device, 0..1)?;
        Ok(read.first().map_or(State::START, |control| control.state))
    }

    /// Takes over what `pack` has been refreshed with.
    pub(crate) fn refresh(
        &mut self,
        problem: &Problem,
        change: impl FnOnce(&mut Pack<f32>, &Problem) -> Result<bool, SolveError>,
    ) -> Result<bool, SolveError> {
        if !change(&mut self.pack, problem)? {
            return Ok(false);
        }
        let (buffers, device) = (&self.buffers, &self.device);
        let heads = &self.pack.manifolds.heads;
        buffers.manifold_heads.write_at(device, 0, heads)?;
        buffers.write_numbers(device, &self.pack, self.settings.layout)?;
        buffers.unit_heads.write(device, &self.pack.units.heads)?;
        buffers
            .unit_numbers
            .write(device, &self.pack.units.numbers)?;
        buffers.write_bodies(device, &self.pack, self.settings.layout)?;
        self.restart()?;
        Ok(true)
    }

    /// Reads λ_k, one per row \[N·s\].
    pub(crate) fn read_impulses(&self, out: &mut [f64]) -> Result<(), SolveError> {
        let quads = self.pack.units.impulse_quads();
        let first = quads * self.current as usize;
        let rows = first..first + quads;
        let iterate = Iterate {
            points: self.read_points(self.current)?,
            rows: self.buffers.rows.read::<GpuQuad>(&self.device, rows)?,
            ..Iterate::default()
        };
        iterate.read(&self.pack, out);
        match out.iter().position(|x| !x.is_finite()) {
            Some(row) => Err(SolveError::NonFinite { row }),
            None => Ok(()),
        }
    }

    /// λ of the points in a half of the impulses, a quad each \[N·s\].
    fn read_points(&self, half: u32) -> Result<Vec<GpuQuad>, DeviceError> {
        let (layout, pack) = (self.settings.layout, &self.pack);
        let count = match layout {
            ManifoldLayout::Manifolds => pack.manifolds.points(),
            ManifoldLayout::Tiles => layout.impulses(pack),
        };
        let first = count * half as usize;
        let (points, range) = (&self.buffers.points, first..first + count);
        match layout {
            ManifoldLayout::Manifolds => points.read(&self.device, range),
            ManifoldLayout::Tiles => {
                let numbers: Vec<f32> = points.read(&self.device, range)?;
                Ok(tiles::untiled_impulses(pack, &numbers))
            }
        }
    }

    /// Reads v_k, six per body \[m/s, rad/s\].
    pub(crate) fn read_velocities(&self, out: &mut [f64]) -> Result<(), SolveError> {
        let quads = BODY_FREE * self.pack.bodies.len();
        let part = match (self.settings.has_momentum(), self.settings.fused) {
            (false, _) => 0,
            (true, false) => 1,
            (true, true) => self.current as usize,
        };
        let first = part * quads;
        let range = first..first + quads;
        let iterate = Iterate {
            settled: self.buffers.velocity.read::<GpuQuad>(&self.device, range)?,
            ..Iterate::default()
        };
        iterate.read_velocities(out);
        if out.iter().all(|x| x.is_finite()) {
            return Ok(());
        }
        let mut impulses = vec![0.0; self.pack.rows()];
        self.read_impulses(&mut impulses)?;
        Err(SolveError::NonFiniteVelocity)
    }

    pub(crate) fn read_history(&self) -> Result<Vec<HistoryEntry>, DeviceError> {
        let mut entries = self.history.read(&self.device, self.iterations)?;
        if let Some(natural) = &self.natural {
            let residuals = natural.read(&self.device, self.iterations)?;
            for (entry, residual) in entries.iter_mut().zip(residuals) {
                entry.natural = Some(residual.into());
            }
        }
        Ok(entries)
    }

    /// Seconds that the last iterations took on the device; `None` without time stamps \[s\].
    pub(crate) fn seconds(&self) -> Result<Option<f64>, DeviceError> {
        let watch = self.stopwatch.as_ref().filter(|_| self.iterations > 0);
        watch.map(|watch| watch.seconds(&self.device)).transpose()
    }

    pub(crate) fn pack(&self) -> &Pack<f32> {
        &self.pack
    }

    /// Dispatches of one iteration: manifolds and units where there are any, and bodies; those of
    /// the natural residual on top. One if fused, without the one that ends a call \[-\].
    pub(crate) fn per_iteration(&self) -> u64 {
        if self.settings.fused {
            return 1;
        }
        let kinds = [self.pack.manifolds.is_empty(), self.pack.units.is_empty()];
        let pieces = kinds.iter().filter(|empty| !**empty).count() as u64;
        let residual = if self.natural.is_some() { pieces } else { 0 };
        pieces + residual + 1
    }
}

/// The kernels of the natural residual, if it is requested.
fn natural(
    device: &Device,
    settings: DispatchSettings,
    pack: &Pack<f32>,
    buffers: &Buffers,
    history: &History,
) -> Result<Option<Natural>, DeviceError> {
    if !settings.residuals {
        return Ok(None);
    }
    let mut natural = Natural::new(device, settings.workgroup, pack, history.capacity())?;
    natural.bind(device, buffers.sources())?;
    Ok(Some(natural))
}

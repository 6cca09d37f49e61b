//! The memory of a solve: what lies in which buffer.

use std::borrow::Cow;

use bytemuck::Pod;
use delassus_core::DeviceError;
use delassus_solver_jacobi::pack::{BODY_FREE, Iterate, Pack};

use crate::buffers::{GpuQuad, StorageBuffer};
use crate::control::Control;
use crate::device::Device;
use crate::fused;
use crate::history::History;
use crate::iteration::IterationMemory;
use crate::natural::Sources;
use crate::tiles::{self, ManifoldLayout};

/// The buffers of a problem.
#[derive(Debug, Clone)]
pub(super) struct Buffers {
    pub(super) control: [StorageBuffer; 2],
    pub(super) manifold_heads: StorageBuffer,
    /// Frames and points, then extras.
    pub(super) manifold_numbers: StorageBuffer,
    pub(super) points: StorageBuffer,
    pub(super) unit_heads: StorageBuffer,
    pub(super) unit_numbers: StorageBuffer,
    pub(super) rows: StorageBuffer,
    /// Masses, then free velocities.
    pub(super) bodies: StorageBuffer,
    pub(super) velocity: StorageBuffer,
    pub(super) wrench: StorageBuffer,
    pub(super) adjacency: StorageBuffer,
    pub(super) sums: StorageBuffer,
}

/// Makes the buffers of a problem, or takes those of the problem before where their sizes fit.
struct Maker<'a> {
    device: &'a Device,
    old: Option<&'a Buffers>,
}

/// One of the buffers of a problem.
type Which = fn(&Buffers) -> &StorageBuffer;

impl Maker<'_> {
    /// A buffer of `bytes` bytes, and whether it may hold what another problem left.
    fn make(
        &self,
        what: &'static str,
        bytes: usize,
        which: Which,
    ) -> Result<(StorageBuffer, bool), DeviceError> {
        let old = self.old.map(which);
        match old.filter(|old| old.bytes() == bytes as u64) {
            Some(old) => Ok((old.clone(), true)),
            None => {
                let fresh = StorageBuffer::zeroed(self.device, what, bytes as u64)?;
                Ok((fresh, false))
            }
        }
    }

    fn holding<T: Pod>(
        &self,
        what: &'static str,
        [first, second]: [&[T]; 2],
        which: Which,
    ) -> Result<StorageBuffer, DeviceError> {
        let bytes = size_of_val(first) + size_of_val(second);
        let (buffer, _) = self.make(what, bytes, which)?;
        buffer.write_both(self.device, first, second)?;
        Ok(buffer)
    }

    fn zeroed(
        &self,
        what: &'static str,
        bytes: usize,
        which: Which,
    ) -> Result<StorageBuffer, DeviceError> {
        let (buffer, used) = self.make(what, bytes, which)?;
        if used {
            buffer.clear(self.device)?;
        }
        Ok(buffer)
    }

    /// Impulses in the first of `parts` parts: the first kernels write the others. Zeros do not go
    /// up.
    fn impulses(
        &self,
        what: &'static str,
        first: &[f32],
        parts: usize,
        which: Which,
    ) -> Result<StorageBuffer, DeviceError> {
        let buffer = self.zeroed(what, parts * size_of_val(first), which)?;
        if first.iter().any(|x| x.to_bits() != 0) {
            buffer.write_at(self.device, 0, first)?;
        }
        Ok(buffer)
    }
}

/// Frames and points of the manifolds, as they lie on the device.
fn numbers(pack: &Pack<f32>, layout: ManifoldLayout) -> Cow<'_, [GpuQuad]> {
    match layout {
        ManifoldLayout::Manifolds => pack.manifolds.numbers.as_slice().into(),
        ManifoldLayout::Tiles => tiles::tiled(pack).into(),
    }
}

/// Inverse masses of the bodies, as they lie on the device.
fn masses(pack: &Pack<f32>, layout: ManifoldLayout) -> Cow<'_, [GpuQuad]> {
    match layout {
        ManifoldLayout::Tiles if tiles::is_isotropic(pack) => tiles::isotropic(pack).into(),
        _ => pack.bodies.mass.as_slice().into(),
    }
}

/// How the memory of a problem is made.
#[derive(Debug, Clone, Copy)]
pub(super) struct MemoryForm {
    /// Velocities have two parts.
    pub(super) momentum: bool,
    /// How manifolds lie on the device.
    pub(super) layout: ManifoldLayout,
    /// One kernel per iteration: velocities, wrenches and sums are one buffer, and lists of slots
    /// follow the heads.
    pub(super) fused: bool,
}

impl MemoryForm {
    /// Bytes of velocities, wrenches and sums.
    fn motion(self, pack: &Pack<f32>) -> [usize; 3] {
        if self.fused {
            return [fused::motion_bytes(pack, self.momentum), 0, 0];
        }
        let quad = size_of::<GpuQuad>();
        let velocities = BODY_FREE * pack.bodies.len() * if self.momentum { 2 } else { 1 };
        let wrenches = 2 * pack.slots.body.len();
        let sums = 2 * size_of::<f32>() * Control::sum_entries(pack);
        [quad * velocities, quad * wrenches, sums]
    }

    /// Heads of the manifolds, and lists of slots and hubs.
    fn heads<'p>(self, pack: &'p Pack<f32>, hubs: &[u32]) -> (Cow<'p, [[u32; 4]]>, Vec<u32>) {
        if self.fused {
            return (fused::heads(pack).into(), Vec::new());
        }
        let slots = &pack.slots;
        let lists = [slots.first_slot.as_slice(), &slots.slots, hubs].concat();
        (pack.manifolds.heads.as_slice().into(), lists)
    }
}

impl Buffers {
    /// Those of a packed problem with impulses, one per row \[N·s\]; `old` are those of a problem
    /// before, which are needed no more.
    pub(super) fn new(
        device: &Device,
        pack: &Pack<f32>,
        impulses: &[f64],
        hubs: &[u32],
        control: &Control,
        form: MemoryForm,
        old: Option<&Self>,
    ) -> Result<Self, DeviceError> {
        let start = Iterate::of_impulses(pack, impulses);
        let layout = form.layout;
        let [velocities, wrenches, sums] = form.motion(pack);
        let make = Maker { device, old };
        let copies = control.of_halves();
        let [even, odd] = copies.map(|copy| StorageBuffer::holding(device, "the control", &[copy]));
        let (m, u) = (&pack.manifolds, &pack.units);
        let (heads, adjacency) = form.heads(pack, hubs);
        let numbers = numbers(pack, layout);
        let points = [&*numbers, m.extras.as_slice()];
        let impulses: Cow<'_, [f32]> = match layout {
            ManifoldLayout::Manifolds => start.points.as_flattened().into(),
            ManifoldLayout::Tiles => tiles::tiled_impulses(pack, &start.points).into(),
        };
        let rows = start.rows.as_flattened();
        let masses = masses(pack, layout);
        let masses = [&*masses, pack.bodies.free.as_slice()];
        Ok(Self {
            control: [even?, odd?],
            manifold_heads: make.holding("the manifolds", [&*heads, &[]], |b| &b.manifold_heads)?,
            manifold_numbers: make.holding("the points of the manifolds", points, |b| {
                &b.manifold_numbers
            })?,
            points: make.impulses("the impulses of the points", &impulses, 2, |b| &b.points)?,
            unit_heads: make.holding("the row blocks", [&u.heads, &[]], |b| &b.unit_heads)?,
            unit_numbers: make.holding("the rows", [&u.numbers, &[]], |b| &b.unit_numbers)?,
            rows: make.impulses("the impulses of the rows", rows, 3, |b| &b.rows)?,
            bodies: make.holding("the bodies", masses, |b| &b.bodies)?,
            velocity: make.zeroed("the velocities", velocities, |b| &b.velocity)?,
            wrench: make.zeroed("the wrenches", wrenches, |b| &b.wrench)?,
            adjacency: make.holding("the slots of the bodies", [&adjacency, &[]], |b| {
                &b.adjacency
            })?,
            sums: make.zeroed("the sums", sums, |b| &b.sums)?,
        })
    }

    /// Bytes of all of them \[B\].
    #[cfg(test)]
    pub(super) fn bytes(&self) -> u64 {
        let [even, odd] = &self.control;
        let pieces = [&self.manifold_heads, &self.unit_heads, &self.adjacency];
        let numbers = [&self.manifold_numbers, &self.unit_numbers, &self.bodies];
        let state = [&self.points, &self.rows, &self.velocity];
        let sums = [&self.wrench, &self.sums, even, odd];
        let all = pieces.iter().chain(&numbers).chain(&state).chain(&sums);
        all.map(|buffer| buffer.bytes()).sum()
    }

    /// Frames, points and extras of the manifolds.
    pub(super) fn write_numbers(
        &self,
        device: &Device,
        pack: &Pack<f32>,
        layout: ManifoldLayout,
    ) -> Result<(), DeviceError> {
        let extras = &pack.manifolds.extras;
        let numbers = numbers(pack, layout);
        self.manifold_numbers.write_both(device, &numbers, extras)
    }

    /// Masses and free velocities of the bodies.
    pub(super) fn write_bodies(
        &self,
        device: &Device,
        pack: &Pack<f32>,
        layout: ManifoldLayout,
    ) -> Result<(), DeviceError> {
        let masses = masses(pack, layout);
        self.bodies.write_both(device, &masses, &pack.bodies.free)
    }

    /// What the natural residual reads after iterations that end in half 0 and in half 1.
    pub(super) fn sources(&self) -> [[Sources<'_>; 2]; 2] {
        [0, 1].map(|half| {
            let control = &self.control[half];
            let of = |heads, numbers, impulses| [control, heads, numbers, impulses, &self.velocity];
            [
                of(&self.manifold_heads, &self.manifold_numbers, &self.points),
                of(&self.unit_heads, &self.unit_numbers, &self.rows),
            ]
        })
    }

    /// What the kernels of an iteration bind.
    pub(super) fn memory<'a>(&'a self, history: &'a History) -> IterationMemory<'a> {
        let [even, odd] = &self.control;
        IterationMemory {
            control: [even, odd],
            manifolds: [&self.manifold_heads, &self.manifold_numbers, &self.points],
            rows: [&self.unit_heads, &self.unit_numbers, &self.rows],
            bodies: &self.bodies,
            velocity: &self.velocity,
            wrench: &self.wrench,
            adjacency: &self.adjacency,
            sums: &self.sums,
            history: history.buffer(),
        }
    }
}

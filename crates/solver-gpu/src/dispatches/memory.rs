//! The memory of a solve: what lies in which buffer.

use delassus_core::DeviceError;
use delassus_solver_jacobi::pack::{BODY_FREE, Iterate, Pack};

use crate::buffers::{GpuQuad, StorageBuffer};
use crate::control::Control;
use crate::device::Device;
use crate::history::History;
use crate::iteration::IterationMemory;
use crate::natural::Sources;

/// The buffers of a problem.
#[derive(Debug)]
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

impl Buffers {
    pub(super) fn new(
        device: &Device,
        pack: &Pack<f32>,
        hubs: &[u32],
        control: &Control,
        momentum: bool,
        impulses: &[f64],
    ) -> Result<Self, DeviceError> {
        let mut iterate = Iterate::new(pack);
        iterate.load(pack, impulses);
        let quad = size_of::<GpuQuad>();
        let velocities = BODY_FREE * pack.bodies.len() * if momentum { 2 } else { 1 };
        let sums = Control::sum_entries(pack);
        let zeroed = |what, bytes: usize| StorageBuffer::zeroed(device, what, bytes as u64);
        let copies = control.of_halves();
        let [even, odd] = copies.map(|copy| StorageBuffer::holding(device, "the control", &[copy]));
        let m = &pack.manifolds;
        Ok(Self {
            control: [even?, odd?],
            manifold_heads: StorageBuffer::holding(device, "the manifolds", &m.heads)?,
            manifold_numbers: StorageBuffer::holding_both(
                device,
                "the points of the manifolds",
                &m.numbers,
                &m.extras,
            )?,
            points: StorageBuffer::holding(device, "the impulses of the points", &iterate.points)?,
            unit_heads: StorageBuffer::holding(device, "the row blocks", &pack.units.heads)?,
            unit_numbers: StorageBuffer::holding(device, "the rows", &pack.units.numbers)?,
            rows: StorageBuffer::holding(device, "the impulses of the rows", &iterate.rows)?,
            bodies: StorageBuffer::holding_both(
                device,
                "the bodies",
                &pack.bodies.mass,
                &pack.bodies.free,
            )?,
            velocity: zeroed("the velocities", quad * velocities)?,
            wrench: zeroed("the wrenches", 2 * quad * pack.slots.body.len())?,
            adjacency: StorageBuffer::holding(
                device,
                "the slots of the bodies",
                &[pack.slots.first_slot.as_slice(), &pack.slots.slots, hubs].concat(),
            )?,
            sums: zeroed("the sums", 2 * size_of::<f32>() * sums)?,
        })
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

//! The memory of problems that stay on the device.

use delassus_core::DeviceError;
use wgpu::BindGroup;

use crate::buffers::{GpuQuad, StorageBuffer};
use crate::control::State;
use crate::device::Device;
use crate::history::RawEntry;
use crate::joined::{Joined, ProblemRecord};
use crate::pipelines::Kernel;

/// Entries of a problem's first history \[-\].
pub(super) const FIRST_CAPACITY: u32 = 128;

/// What errors call the histories.
pub(super) const HISTORY: &str = "the residual history";

#[derive(Debug)]
pub(super) struct Buffers {
    /// Records with the iterations of a whole submission, and of the last one.
    pub(super) records: [StorageBuffer; 2],
    pub(super) words: StorageBuffer,
    pub(super) numbers: StorageBuffer,
    pub(super) impulses: StorageBuffer,
    pub(super) scratch: StorageBuffer,
    pub(super) velocity: StorageBuffer,
    pub(super) states: StorageBuffer,
    /// The states before the first iteration.
    pub(super) first_states: StorageBuffer,
    pub(super) history: StorageBuffer,
}

impl Buffers {
    pub(super) fn new(device: &Device, joined: &Joined) -> Result<Self, DeviceError> {
        let quad = size_of::<GpuQuad>() as u64;
        let problems = joined.records.len();
        let record = size_of::<ProblemRecord>() as u64;
        let records = || StorageBuffer::zeroed(device, "the problems", record * problems as u64);
        let first_states = vec![State::START; problems];
        let state = size_of::<State>() as u64;
        let zeroed = |what, quads: usize| StorageBuffer::zeroed(device, what, quad * quads as u64);
        let history = size_of::<RawEntry>() as u64 * u64::from(FIRST_CAPACITY);
        Ok(Self {
            records: [records()?, records()?],
            words: StorageBuffer::holding(device, "the heads", &joined.words)?,
            numbers: joined.upload_numbers(device)?,
            impulses: joined.upload_impulses(device)?,
            scratch: zeroed("the wrenches", joined.scratch)?,
            velocity: zeroed("the velocities", joined.velocities)?,
            states: StorageBuffer::zeroed(device, "the momentum", state * problems as u64)?,
            first_states: StorageBuffer::holding(device, "the first momentum", &first_states)?,
            history: StorageBuffer::zeroed(device, HISTORY, history * problems as u64)?,
        })
    }

    pub(super) fn bind(
        &self,
        device: &Device,
        kernel: &Kernel,
    ) -> Result<[BindGroup; 2], DeviceError> {
        let bind = |copy: usize| {
            let (b, record) = (self, &self.records[copy]);
            let (impulses, velocity) = (&b.impulses, &b.velocity);
            let buffers = [
                record, &b.words, &b.numbers, impulses, &b.scratch, velocity, &b.states, &b.history,
            ];
            kernel.bind(device, &buffers)
        };
        Ok([bind(0)?, bind(1)?])
    }
}

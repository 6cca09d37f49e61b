//! One submission: what is recorded, and what comes back of it.

use delassus_core::DeviceError;
use delassus_solver_gpu::buffers::{StorageBuffer, map};
use delassus_solver_gpu::commands::Stopwatch;
use delassus_solver_gpu::device::Device;
use wgpu::{BufferDescriptor, BufferUsages, ComputePass, ComputePassDescriptor};

/// A part of a buffer that comes back.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Taken<'a> {
    pub(crate) from: &'a StorageBuffer,
    /// Its first byte.
    pub(crate) first: usize,
    pub(crate) bytes: usize,
}

impl<'a> Taken<'a> {
    /// The beginning of a buffer.
    pub(crate) fn first(from: &'a StorageBuffer, bytes: usize) -> Self {
        Self {
            from,
            first: 0,
            bytes,
        }
    }
}

/// One pass of kernels, in one submission that is waited for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Submission<'a> {
    pub(crate) device: &'a Device,
    pub(crate) watch: Option<&'a Stopwatch>,
    /// Buffers that begin with zeros.
    pub(crate) cleared: &'a [&'a StorageBuffer],
    /// What comes back \[B\].
    pub(crate) bytes: usize,
}

impl Submission<'_> {
    /// Runs what `record` records, and reads what it names, one after the other.
    pub(crate) fn run<'b>(
        &self,
        record: impl FnOnce(&mut ComputePass<'_>) -> Vec<Taken<'b>>,
    ) -> Result<Vec<u8>, DeviceError> {
        let (device, size) = (self.device, self.bytes as u64);
        let staging = device.checked("the frame", size, || {
            let raw = device.raw();
            let staging = raw.create_buffer(&BufferDescriptor {
                label: Some("the frame"),
                size,
                usage: BufferUsages::MAP_READ | BufferUsages::COPY_DST,
                mapped_at_creation: false,
            });
            let mut encoder = raw.create_command_encoder(&Default::default());
            for buffer in self.cleared {
                encoder.clear_buffer(buffer.raw(), 0, None);
            }
            let mut compute = encoder.begin_compute_pass(&ComputePassDescriptor {
                label: Some("the frame"),
                timestamp_writes: self.watch.map(Stopwatch::whole_pass),
            });
            let taken = record(&mut compute);
            drop(compute);
            let mut to = 0;
            for part in taken.into_iter().filter(|part| part.bytes > 0) {
                let (first, bytes) = (part.first as u64, part.bytes as u64);
                encoder.copy_buffer_to_buffer(part.from.raw(), first, &staging, to, bytes);
                to += bytes;
            }
            device.queue().submit([encoder.finish()]);
            staging
        })?;
        let mut read = vec![0; self.bytes];
        map(device, &staging, |content| read.copy_from_slice(content))?;
        Ok(read)
    }
}

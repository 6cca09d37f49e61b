//! One submission: what is recorded, and what is downloaded.

use delassus_core::DeviceError;
use delassus_solver_gpu::buffers::{StorageBuffer, submit_and_read};
use delassus_solver_gpu::commands::Stopwatch;
use delassus_solver_gpu::device::Device;
use delassus_solver_gpu::staging::BufferRange;
use wgpu::{ComputePass, ComputePassDescriptor};

/// A part of a buffer to download.
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
    /// Bytes to download \[B\].
    pub(crate) bytes: usize,
}

impl Submission<'_> {
    /// Runs what `record` records, and reads what it names, one after the other.
    pub(crate) fn run<'b>(
        &self,
        record: impl FnOnce(&mut ComputePass<'_>) -> Vec<Taken<'b>>,
    ) -> Result<Vec<u8>, DeviceError> {
        let device = self.device;
        let (encoder, taken) = device.checked("the frame", 0, || {
            let mut encoder = device.raw().create_command_encoder(&Default::default());
            for buffer in self.cleared {
                encoder.clear_buffer(buffer.raw(), 0, None);
            }
            let mut compute = encoder.begin_compute_pass(&ComputePassDescriptor {
                label: Some("the frame"),
                timestamp_writes: self.watch.map(Stopwatch::whole_pass),
            });
            let taken = record(&mut compute);
            drop(compute);
            (encoder, taken)
        })?;
        let part = |taken: Taken<'b>| BufferRange {
            from: taken.from.raw(),
            first: taken.first as u64,
            bytes: taken.bytes as u64,
        };
        let parts: Vec<BufferRange<'b>> = taken.into_iter().map(part).collect();
        let mut read = vec![0; self.bytes];
        submit_and_read(device, "the frame", encoder, &parts, &mut read)?;
        Ok(read)
    }
}

//! Recording work: one pass per submission, timed on the device where it can be.
//!
//! All iterations of a solve go into one pass: the commands of a pass run in order, and each sees
//! what the one before has written. A long solve is cut into several submissions, because drivers
//! reset devices that do not answer for seconds; the cut changes no number.

use delassus_core::DeviceError;
use wgpu::{
    BufferDescriptor, BufferUsages, ComputePass, ComputePassDescriptor, ComputePassTimestampWrites,
    QuerySet, QuerySetDescriptor, QueryType,
};

use crate::buffers;
use crate::device::Device;

/// Two time stamps on the device: the beginning of the first pass and the end of the last.
#[derive(Debug)]
pub struct Stopwatch {
    queries: QuerySet,
    resolved: wgpu::Buffer,
    staging: wgpu::Buffer,
}

/// Two time stamps of 64 bits \[B\].
const STAMPS: u64 = 16;

impl Stopwatch {
    /// A stopwatch; `None` on devices without time stamps.
    ///
    /// # Errors
    /// What the driver says.
    pub fn new(device: &Device) -> Result<Option<Self>, DeviceError> {
        if !device.has_timestamps() {
            return Ok(None);
        }
        let buffer = |usage| BufferDescriptor {
            label: Some("time stamps"),
            size: STAMPS,
            usage,
            mapped_at_creation: false,
        };
        device.checked("time stamps", STAMPS, || {
            let raw = device.raw();
            let queries = raw.create_query_set(&QuerySetDescriptor {
                label: Some("time stamps"),
                ty: QueryType::Timestamp,
                count: 2,
            });
            let resolve = BufferUsages::QUERY_RESOLVE | BufferUsages::COPY_SRC;
            let read = BufferUsages::MAP_READ | BufferUsages::COPY_DST;
            Some(Self {
                queries,
                resolved: raw.create_buffer(&buffer(resolve)),
                staging: raw.create_buffer(&buffer(read)),
            })
        })
    }

    /// The stamps of a pass that is timed from its beginning to its end.
    pub fn whole_pass(&self) -> ComputePassTimestampWrites<'_> {
        ComputePassTimestampWrites {
            query_set: &self.queries,
            beginning_of_pass_write_index: Some(0),
            end_of_pass_write_index: Some(1),
        }
    }

    /// Seconds between the beginning and the end of the last [`submit`], or of the last
    /// [`Self::whole_pass`] \[s\].
    ///
    /// # Errors
    /// What the driver says.
    pub fn seconds(&self, device: &Device) -> Result<f64, DeviceError> {
        device.checked("time stamps", STAMPS, || {
            let mut encoder = device.raw().create_command_encoder(&Default::default());
            encoder.resolve_query_set(&self.queries, 0..2, &self.resolved, 0);
            encoder.copy_buffer_to_buffer(&self.resolved, 0, &self.staging, 0, STAMPS);
            device.queue().submit([encoder.finish()]);
        })?;
        let mut stamps = [0_u64; 2];
        buffers::map(device, &self.staging, |content| {
            bytemuck::bytes_of_mut(&mut stamps).copy_from_slice(content);
        })?;
        let ticks = stamps[1].saturating_sub(stamps[0]);
        Ok(ticks as f64 * f64::from(device.queue().get_timestamp_period()) * 1e-9)
    }
}

/// Records `record(pass, step)` for every step, and submits after each `per_submission` of them.
///
/// # Errors
/// What the driver says.
pub fn submit(
    device: &Device,
    stopwatch: Option<&Stopwatch>,
    steps: u32,
    per_submission: u32,
    mut record: impl FnMut(&mut ComputePass<'_>, u32),
) -> Result<(), DeviceError> {
    let per_submission = per_submission.max(1);
    let mut first = 0;
    while first < steps {
        let last = steps.min(first.saturating_add(per_submission));
        let stamp = |write: bool, index| write.then_some(index);
        let timestamp_writes = stopwatch.and_then(|watch| {
            let (begin, end) = (stamp(first == 0, 0), stamp(last == steps, 1));
            (begin.is_some() || end.is_some()).then_some(ComputePassTimestampWrites {
                query_set: &watch.queries,
                beginning_of_pass_write_index: begin,
                end_of_pass_write_index: end,
            })
        });
        device.checked("the iterations", 0, || {
            let mut encoder = device.raw().create_command_encoder(&Default::default());
            let mut pass = encoder.begin_compute_pass(&ComputePassDescriptor {
                label: Some("iterations"),
                timestamp_writes,
            });
            for step in first..last {
                record(&mut pass, step);
            }
            drop(pass);
            device.queue().submit([encoder.finish()]);
        })?;
        first = last;
    }
    Ok(())
}

//! What the adapter does at best: bytes per second of a copy, and the cost of a launch.

use std::error::Error;
use std::time::Instant;

use delassus_core::DeviceError;
use delassus_solver_gpu::Device;
use delassus_solver_gpu::buffers::StorageBuffer;
use delassus_solver_gpu::commands::{self, Stopwatch};
use delassus_solver_gpu::pipelines::{Access, Kernel, Shader, Workgroups};
use delassus_solver_gpu::staging;

use crate::awake::wake;
use crate::page::{Section, least, row};

const COPY: Shader = Shader {
    name: "copy.wgsl",
    prelude: String::new,
    parts: &[include_str!("../../../solver-gpu/examples/copy.wgsl")],
};

/// Bytes that copies move at least in a run \[B\], on a card and in software.
const MOVED: [u64; 2] = [1 << 30, 1 << 25];
/// Runs, of which the fastest counts \[-\].
const RUNS: usize = 5;

/// A copy of `size` bytes as a kernel.
#[derive(Debug)]
pub(crate) struct Copying {
    kernel: Kernel,
    bindings: wgpu::BindGroup,
    grid: Workgroups,
}

impl Copying {
    pub(crate) fn new(device: &Device, size: u64, workgroup: u32) -> Result<Self, DeviceError> {
        let source = StorageBuffer::zeroed(device, "the source", size)?;
        let copied = StorageBuffer::zeroed(device, "the copy", size)?;
        let access = [Access::Read, Access::Write];
        let kernel = Kernel::new(device, &COPY, workgroup, &[], &access)?;
        Ok(Self {
            bindings: kernel.bind(device, &[&source, &copied])?,
            grid: kernel.grid(device, usize::try_from(size / 16).unwrap_or(usize::MAX))?,
            kernel,
        })
    }

    /// Seconds of so many copies in one submission, by the device's clock where it has one; and
    /// with the wait.
    pub(crate) fn run(
        &self,
        device: &Device,
        watch: Option<&Stopwatch>,
        copies: u32,
    ) -> Result<[f64; 2], DeviceError> {
        let start = Instant::now();
        commands::submit(device, watch, copies, copies, |pass, _| {
            self.kernel.dispatch(pass, &self.bindings, self.grid);
        })?;
        device.wait()?;
        let waited = start.elapsed().as_secs_f64();
        let own = watch.map(|watch| watch.seconds(device)).transpose()?;
        Ok([own.unwrap_or(waited), waited])
    }
}

/// Bytes read and written per second by a kernel that copies, moving about `bytes` at once \[B/s\].
/// The better of two sizes of workgroup.
pub(crate) fn copy_bandwidth(device: &Device, bytes: u64) -> Result<f64, Box<dyn Error>> {
    let [few, many] = [copies(device, bytes, 64)?, copies(device, bytes, 256)?];
    Ok(few.max(many))
}

fn copies(device: &Device, bytes: u64, workgroup: u32) -> Result<f64, Box<dyn Error>> {
    let limits = device.limits();
    let bound = limits
        .max_buffer_size
        .min(limits.max_storage_buffer_binding_size);
    let size = (bytes / 2).min(256 << 20).min(bound) / 16 * 16;
    let copying = Copying::new(device, size, workgroup)?;
    let moved = MOVED[usize::from(device.report().is_software)];
    let copies = u32::try_from(moved / (2 * size))?.clamp(1, 256);
    let watch = Stopwatch::new(device)?;
    let mut fastest = f64::INFINITY;
    wake(device)?;
    for _ in 0..RUNS {
        fastest = fastest.min(copying.run(device, watch.as_ref(), copies)?[0]);
    }
    Ok(2.0 * size as f64 * f64::from(copies) / fastest)
}

/// The table of copies.
pub(crate) fn bandwidth(device: &Device, section: Section) -> Result<(), Box<dyn Error>> {
    section.columns(
        "A kernel that copies 16 bytes per thread, bytes read and written: what an iteration can have at best.",
        &["MiB moved", "GB/s, workgroups of 64", "of 256"],
    );
    for moved in [1_u64, 8, 32, 128, 512] {
        if section.fits(&format!("{moved} MiB"), 2.0) {
            let mut cells = vec![moved.to_string()];
            for workgroup in [64, 256] {
                let bandwidth = copies(device, moved << 20, workgroup)?;
                cells.push(format!("{:.1}", bandwidth / 1e9));
            }
            row(&cells);
        }
    }
    Ok(())
}

/// The table of transfers.
pub(crate) fn transfers(device: &Device, section: Section) -> Result<(), Box<dyn Error>> {
    section.columns(
        "Memory of the processor to a buffer of the device with the wait, and a buffer back into a vector, through reused staging buffers. \
         The last column counts the staging buffers that all runs of the row have made, of at most 16 MiB each.",
        &["MiB", "GB/s up", "GB/s down", "staging buffers made"],
    );
    for mib in [1_usize, 16, 128] {
        if !section.fits(&format!("{mib} MiB"), mib as f64 / 8.0) {
            continue;
        }
        let words = vec![1.0_f32; mib << 18];
        let size = size_of_val(&words[..]);
        let bytes = size as f64;
        let buffer = StorageBuffer::zeroed(device, "the transfers", size as u64)?;
        let (mut up, mut down) = (f64::INFINITY, f64::INFINITY);
        let before = staging::transfers(device)?;
        for _ in 0..RUNS {
            let start = Instant::now();
            buffer.write(device, &words)?;
            device.queue().submit([]);
            device.wait()?;
            up = up.min(start.elapsed().as_secs_f64());
            let start = Instant::now();
            let read: Vec<f32> = buffer.read(device, 0..words.len())?;
            down = down.min(start.elapsed().as_secs_f64());
            if read != words {
                return Err("what was read is not what was written".into());
            }
        }
        let rates = [up, down].map(|seconds| format!("{:.1}", bytes / seconds / 1e9));
        let [up, down] = rates;
        let made: u64 = staging::transfers(device)?.since(&before).made.iter().sum();
        row(&[mib.to_string(), up, down, made.to_string()]);
    }
    Ok(())
}

/// The table of launches.
pub(crate) fn launches(device: &Device, section: Section) -> Result<(), Box<dyn Error>> {
    section.columns(
        "A kernel of one workgroup that waits for the one before. A dispatch is the slope between 64 and 1024 of them in one \
         submission, on the device and on the host with recording; a submission is one dispatch with its wait.",
        &["µs per dispatch, device", "µs per dispatch, host", "µs per submission and wait"],
    );
    let copying = Copying::new(device, 1024, 64)?;
    let watch = Stopwatch::new(device)?;
    wake(device)?;
    let mut all = [[f64::INFINITY; 2]; 3];
    for _ in 0..20 {
        for (least, count) in all.iter_mut().zip([1, 64, 1024]) {
            let run = copying.run(device, watch.as_ref(), count)?;
            least[0] = least[0].min(run[0]);
            least[1] = least[1].min(run[1]);
        }
    }
    let [one, few, many] = all;
    let slope = |clock: usize| 1e6 * (many[clock] - few[clock]) / 960.0;
    let submission = 1e6 * least([one[1]]);
    row(&[slope(0), slope(1), submission].map(|us| format!("{us:.1}")));
    Ok(())
}

//! Times `gpu-jacobi` on walls of a thousand to ten million contact points: by the device's own
//! clock, end to end, and beside a copy of as many bytes. Prints a table.
//!
//! ```text
//! cargo run --release -p delassus-solver-gpu --example scaling [-- LARGEST]
//! ```
//!
//! `LARGEST` is the number of contact points to stop at, a million without it; ten million need 12
//! GB and a device that binds 440 MB. A size that the device does not take has a row with the limit
//! that is in the way. `DELASSUS_ADAPTER` chooses the adapter.

use std::error::Error;
use std::time::Instant;

use delassus_core::{DeviceError, ImpulseSolver, MemoryLimit, Problem, SolveError, Solver, Start};
use delassus_problems::generators::{BoxProblem, Generator, Wall};
use delassus_solver_gpu::buffers::StorageBuffer;
use delassus_solver_gpu::commands::{self, Stopwatch};
use delassus_solver_gpu::gpu_jacobi::{GpuJacobi, GpuJacobiParameters};
use delassus_solver_gpu::pipelines::{Access, Kernel, Shader};
use delassus_solver_gpu::{Device, Variant};
use delassus_solver_jacobi::Acceleration;
use delassus_solver_jacobi::parameters::JacobiParameters;

/// Walls of 4 n² contact points; the last but one fills bindings of 128 MiB, the least that WebGPU
/// promises.
const BASES: [usize; 6] = [16, 50, 158, 500, 873, 1581];

/// Iterations from a cold start to the impulses on the processor \[-\].
const WHOLE: u32 = 20;

/// Passes of which the fastest counts \[-\]: what disturbs a machine only adds time.
const PASSES: usize = 5;

const COPY: Shader = Shader {
    name: "copy.wgsl",
    prelude: String::new,
    parts: &[include_str!("copy.wgsl")],
};

/// Bytes of one array of a copy at most \[B\]: outside the caches of every device.
const LARGEST_COPY: u64 = 256 << 20;

/// Bytes read and written per second by a kernel that copies, moving about `bytes` at once \[B/s\].
fn copy_bandwidth(device: &Device, bytes: u64) -> Result<f64, Box<dyn Error>> {
    let limits = device.limits();
    let largest = limits
        .max_buffer_size
        .min(limits.max_storage_buffer_binding_size);
    let size = (bytes / 2).min(LARGEST_COPY).min(largest) / 16 * 16;
    let source = StorageBuffer::zeroed(device, "the source", size)?;
    let copied = StorageBuffer::zeroed(device, "the copy", size)?;
    let access = [Access::Read, Access::Write];
    let kernel = Kernel::new(device, &COPY, 64, &[], &access)?;
    let bindings = kernel.bind(device, &[&source, &copied])?;
    let grid = kernel.grid(device, usize::try_from(size / 16)?)?;
    let repeats = u32::try_from((1_u64 << 30) / size)?.clamp(4, 64);
    let watch = Stopwatch::new(device)?;
    let mut fastest = f64::INFINITY;
    for _ in 0..PASSES {
        let start = Instant::now();
        commands::submit(device, watch.as_ref(), repeats, repeats, |pass, _| {
            kernel.dispatch(pass, &bindings, grid);
        })?;
        device.wait()?;
        let seconds = match &watch {
            Some(watch) => watch.seconds(device)?,
            None => start.elapsed().as_secs_f64(),
        };
        fastest = fastest.min(seconds);
    }
    Ok(2.0 * size as f64 * f64::from(repeats) / fastest)
}

/// Seconds of an iteration by the clock of the device, or of the processor where it has none.
fn per_iteration(solver: &mut GpuJacobi, problem: &Problem) -> Result<f64, Box<dyn Error>> {
    let points = solver.prepared()?.counts().points;
    let iterations = u32::try_from(10_000_000 / points.max(1))?.clamp(4, 64);
    let mut fastest = f64::INFINITY;
    for _ in 0..PASSES {
        solver.prepare(problem, Start::Cold)?;
        let start = Instant::now();
        solver.iterate(problem, iterations)?;
        let elapsed = start.elapsed().as_secs_f64();
        let seconds = solver.prepared()?.seconds()?.unwrap_or(elapsed);
        fastest = fastest.min(seconds / f64::from(iterations));
    }
    Ok(fastest)
}

/// Seconds of preparation, iterations and readback.
fn end_to_end(solver: &mut GpuJacobi, problem: &Problem) -> Result<[f64; 3], Box<dyn Error>> {
    let mut impulses = vec![0.0; problem.rows()];
    let start = Instant::now();
    solver.prepare(problem, Start::Cold)?;
    let prepared = start.elapsed().as_secs_f64();
    solver.iterate(problem, WHOLE)?;
    let iterated = start.elapsed().as_secs_f64();
    solver.read_impulses(&mut impulses)?;
    let read = start.elapsed().as_secs_f64();
    Ok([prepared, iterated - prepared, read - iterated])
}

/// Measures and prints a row; a problem too large for the device is a row too.
fn row(
    name: &str,
    parameters: GpuJacobiParameters,
    problem: &Problem,
    device: &Device,
) -> Result<(), Box<dyn Error>> {
    let measured = measure(name, parameters, problem, device);
    let limit = measured.as_ref().err().and_then(|e| e.downcast_ref());
    if let Some(SolveError::Device(limit @ DeviceError::Limit { .. })) = limit {
        let points = problem.blocks().len();
        println!("| {points} | {name} | {limit} |");
        return Ok(());
    }
    measured
}

fn measure(
    name: &str,
    parameters: GpuJacobiParameters,
    problem: &Problem,
    device: &Device,
) -> Result<(), Box<dyn Error>> {
    let mut solver = GpuJacobi::new(parameters)?;
    solver.prepare(problem, Start::Cold)?;
    let points = solver.prepared()?.counts().points as f64;
    let bytes = solver.facts().traffic.map_or(0, |traffic| traffic.total());
    let seconds = per_iteration(&mut solver, problem)?;
    let [prepare, iterate, read] = end_to_end(&mut solver, problem)?.map(|s| 1e3 * s);
    let bandwidth = bytes as f64 / seconds;
    let copy = copy_bandwidth(device, bytes)?;
    println!(
        "| {points} | {name} | {:.0} | {:.1} | {:.2} | {:.1} | {:.1} | {:.2} | {:.1} | {prepare:.1} + {iterate:.1} + {read:.1} |",
        bytes as f64 / points,
        1e6 * seconds,
        1e9 * seconds / points,
        bandwidth / 1e9,
        copy / 1e9,
        bandwidth / copy,
        prepare + iterate + read,
    );
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let largest: usize = match std::env::args().nth(1) {
        Some(text) => text.parse()?,
        None => 1_000_000,
    };
    let device = Device::shared("")?;
    let report = device.report();
    let kind = if report.is_software {
        "software"
    } else {
        "hardware"
    };
    let clock = if device.has_timestamps() {
        "the device's"
    } else {
        "the processor's"
    };
    println!(
        "{}, {}, {kind}; clock: {clock}\n",
        report.name, report.driver
    );
    println!(
        "| points | solver | B per point and iteration | µs per iteration | ns per point | GB/s | copy GB/s | share | ms end to end, {WHOLE} iterations | prepare + iterate + read |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for base in BASES.into_iter().filter(|base| 4 * base * base <= largest) {
        let wall = BoxProblem::from(Wall {
            base,
            ..Wall::default()
        });
        let problem = wall.generate_within(MemoryLimit::NONE)?.problem;
        let momentum = GpuJacobiParameters {
            variant: Variant::Dispatches,
            ..GpuJacobiParameters::default()
        };
        let plain = GpuJacobiParameters {
            jacobi: JacobiParameters {
                acceleration: Acceleration::None,
                ..momentum.jacobi
            },
            ..momentum.clone()
        };
        let resident = GpuJacobiParameters {
            variant: Variant::Resident,
            ..momentum.clone()
        };
        row("momentum", momentum, &problem, &device)?;
        row("plain", plain, &problem, &device)?;
        // what the resident variant holds
        if problem.bodies().is_some_and(|bodies| bodies.len() < 512) {
            row("momentum, one workgroup", resident, &problem, &device)?;
        }
    }
    Ok(())
}

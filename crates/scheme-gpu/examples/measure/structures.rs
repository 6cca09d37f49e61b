//! Worlds of one structure: packed once, and as many problems of their own.

use std::error::Error;
use std::time::Instant;

use delassus_core::{MassProperties, Problem};
use delassus_problems::generators::{BoxProblem, Generator, Wall};
use delassus_solver_gpu::gpu_jacobi::GpuJacobiParameters;
use delassus_solver_gpu::staging::transfers;
use delassus_solver_gpu::{Device, GpuBatch, WorldParameters, WorldSteps};

use crate::awake::wake;
use crate::page::{Section, row};

/// Iterations of a run \[-\]: those of the other table of worlds.
const SWEEPS: u32 = 30;
/// Runs, of which the fastest counts \[-\].
const RUNS: usize = 5;
/// Boxes at the bottom of a wall \[-\]: the middle of `many-worlds`.
const BASE: usize = 6;

/// What a table row says, the least of all runs \[s\], and bytes that went up.
struct Cost {
    prepare: f64,
    again: f64,
    solve: f64,
    bytes: [u64; 2],
}

/// A number between 0.5 and 1.5 that is no other world's.
fn factor(world: usize, place: usize) -> f64 {
    0.5 + ((37 * world + 11 * place) % 101) as f64 / 101.0
}

/// Worlds with friction of their own, and with velocities or masses.
fn lists(structure: &Problem, worlds: usize) -> Vec<(&'static str, WorldParameters)> {
    let mut friction = WorldParameters::of(worlds);
    friction.friction = (0..worlds).map(|world| 0.5 * factor(world, 0)).collect();
    let (mut motion, mut masses) = (friction.clone(), friction.clone());
    let Some(bodies) = structure.bodies() else {
        return Vec::new();
    };
    for world in 0..worlds {
        let free = bodies.free_velocity.iter().enumerate();
        let own = free.map(|(at, v)| v * factor(world, at));
        motion.free_velocity.extend(own);
        let own = bodies.mass.iter().enumerate();
        masses.masses.extend(own.map(|(body, mass)| MassProperties {
            inverse_mass: mass.inverse_mass * factor(world, body),
            inverse_inertia: mass.inverse_inertia * factor(world, body),
        }));
    }
    vec![
        ("friction", friction),
        ("friction, velocities", motion),
        ("friction, masses", masses),
    ]
}

/// The table of worlds of one structure.
pub(crate) fn structures(
    device: &Device,
    largest: usize,
    section: Section,
) -> Result<(), Box<dyn Error>> {
    section.columns(
        "Walls of six boxes at the bottom that differ in a list of parameters alone, 30 iterations from a cold start. \
         The structure is packed once; other values then take another preparation (\"again\"). In the last row every world \
         is packed as a problem of its own, which has been made before.",
        &[
            "worlds",
            "differ in",
            "30 iterations, ms",
            "prepare, ms",
            "prepare / iterations",
            "again, ms",
            "kB up per world",
            "again, kB up per world",
        ],
    );
    let wall = BoxProblem::from(Wall {
        base: BASE,
        ..Wall::default()
    });
    let structure = wall.generate()?.problem;
    let mut last = 0.5;
    for worlds in [64, 1024, 4096].into_iter().filter(|n| *n <= largest) {
        if !section.fits(&worlds.to_string(), 6.0 * last) {
            continue;
        }
        let start = Instant::now();
        for (name, list) in lists(&structure, worlds) {
            let cost = of_structure(device, &structure, (&list, WorldSteps::Processor))?;
            line(worlds, name, &cost);
            if name == "friction, masses" {
                let cost = of_structure(device, &structure, (&list, WorldSteps::Device))?;
                line(worlds, "the same, steps on the device", &cost);
                let cost = of_problems(device, &structure, &list)?;
                line(worlds, "the same, packed each", &cost);
            }
        }
        last = start.elapsed().as_secs_f64();
    }
    Ok(())
}

fn of_structure(
    device: &Device,
    structure: &Problem,
    (worlds, steps): (&WorldParameters, WorldSteps),
) -> Result<Cost, Box<dyn Error>> {
    let mut batch = GpuBatch::new(GpuJacobiParameters::default())?.with_steps(steps);
    let mut cost = Cost::NONE;
    for _ in 0..RUNS {
        let before = transfers(device)?;
        cost.prepare = timed(cost.prepare, || batch.prepare_worlds(structure, worlds))?;
        let prepared = transfers(device)?;
        wake(device)?;
        let run = timed(cost.solve, || batch.iterate(SWEEPS))?;
        cost.solve = cost.solve.min(batch.device_seconds()?.unwrap_or(run));
        let iterated = transfers(device)?;
        cost.again = timed(cost.again, || batch.update_worlds(worlds))?;
        let after = transfers(device)?;
        cost.bytes = [
            prepared.since(&before).bytes[0],
            after.since(&iterated).bytes[0],
        ];
    }
    Ok(cost)
}

fn of_problems(
    device: &Device,
    structure: &Problem,
    worlds: &WorldParameters,
) -> Result<Cost, Box<dyn Error>> {
    let problems = (0..worlds.worlds).map(|world| worlds.problem(structure, world));
    let problems = problems.collect::<Result<Vec<Problem>, _>>()?;
    let mut batch = GpuBatch::new(GpuJacobiParameters::default())?;
    let mut cost = Cost::NONE;
    for _ in 0..RUNS {
        let before = transfers(device)?;
        cost.prepare = timed(cost.prepare, || batch.prepare(&problems))?;
        cost.bytes = [transfers(device)?.since(&before).bytes[0]; 2];
        wake(device)?;
        let run = timed(cost.solve, || batch.iterate(SWEEPS))?;
        cost.solve = cost.solve.min(batch.device_seconds()?.unwrap_or(run));
    }
    cost.again = cost.prepare;
    Ok(cost)
}

impl Cost {
    const NONE: Self = Self {
        prepare: f64::INFINITY,
        again: f64::INFINITY,
        solve: f64::INFINITY,
        bytes: [0; 2],
    };
}

/// The less of `least` and the seconds that `work` takes.
fn timed<E>(least: f64, work: impl FnOnce() -> Result<(), E>) -> Result<f64, E> {
    let start = Instant::now();
    work()?;
    Ok(least.min(start.elapsed().as_secs_f64()))
}

fn line(worlds: usize, name: &str, cost: &Cost) {
    let ms = |seconds: f64| format!("{:.2}", 1e3 * seconds);
    let each = |bytes: u64| format!("{:.3}", bytes as f64 / 1e3 / worlds as f64);
    row(&[
        worlds.to_string(),
        name.to_owned(),
        ms(cost.solve),
        ms(cost.prepare),
        format!("{:.2}", cost.prepare / cost.solve),
        ms(cost.again),
        each(cost.bytes[0]),
        each(cost.bytes[1]),
    ]);
}

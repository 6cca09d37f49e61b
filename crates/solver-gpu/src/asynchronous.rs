//! A problem whose threads add to the velocities that they read, on the device.

mod initial;

use std::sync::Arc;

use delassus_core::{
    Choice, DeviceError, Prepared, Problem, Progress, SolveError, SolverFacts, Traffic,
};
use delassus_solver_jacobi::pack::{BODY_FREE, BODY_MASS, FIXED, Pack};
use delassus_solver_jacobi::rule::LocalSweep;
use wgpu::BindGroup;

use crate::buffers::{GpuQuad, StorageBuffer};
use crate::commands::{self, Stopwatch};
use crate::device::Device;
use crate::joined::{self, Joined};
use crate::loops;
use crate::pipelines::{
    Access::{self, Read, Write},
    Kernel, Shader, Workgroups, flag,
};
use crate::renew::Renewal;
use crate::shaders;
use initial::{Initial, overflow};

/// How threads add to a velocity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Choice)]
pub enum Accumulation {
    /// Compare and exchange in a loop.
    #[default]
    Cas,
    /// Whole numbers of a small unit.
    FixedPoint,
    /// The device's addition of f32.
    Float,
}

/// What a solve is run with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct AsyncSettings {
    pub(crate) accumulation: Accumulation,
    /// A fixed-point unit is 2^−bits \[m/s, rad/s\].
    pub(crate) bits: u32,
    pub(crate) workgroup: u32,
    pub(crate) submission: u32,
}

const ACCESS: &[Access] = &[Read, Read, Read, Write, Write, Write, Write];

/// A kernel with its bindings.
#[derive(Debug)]
struct Bound {
    kernel: Arc<Kernel>,
    bindings: BindGroup,
    grid: Workgroups,
}

/// A prepared problem and its iterate.
#[derive(Debug)]
pub struct Asynchronous {
    device: Arc<Device>,
    settings: AsyncSettings,
    pieces: Bound,
    /// Velocities from sums, where they are not the sums themselves.
    bodies: Option<Bound>,
    /// Velocities anew, where they are.
    renewal: Option<Renewal>,
    buffers: Buffers,
    stopwatch: Option<Stopwatch>,
    joined: Joined,
    pack: Pack<f32>,
    /// Iterations since the start \[-\].
    sweeps: u32,
    /// True once an iteration has failed: an overflow leaves velocities that no later one repairs.
    broken: bool,
}

#[derive(Debug)]
struct Buffers {
    record: StorageBuffer,
    words: StorageBuffer,
    numbers: StorageBuffer,
    impulses: StorageBuffer,
    velocity: StorageBuffer,
    /// Wrenches, or contributions in fixed point.
    share: StorageBuffer,
    /// Sums of contributions, and what the largest overflow needs.
    totals: StorageBuffer,
}

impl Buffers {
    fn new(
        device: &Device,
        pack: &Pack<f32>,
        impulses: &[f64],
        bits: Option<u32>,
    ) -> Result<(Self, Joined), DeviceError> {
        let slot_bodies: Vec<u32> = pack.slots.body.iter().map(|b| b & !FIXED).collect();
        let mut joined = Joined::default();
        joined.push(pack, impulses, &slot_bodies)?;
        let initial = Initial::new(pack, impulses, bits)?;
        let share = if bits.is_some() {
            StorageBuffer::holding(device, "the contributions", &initial.share)?
        } else {
            StorageBuffer::holding(device, "the wrenches", &initial.wrench)?
        };
        let buffers = Self {
            record: StorageBuffer::holding(device, "the problem", &joined.records)?,
            words: StorageBuffer::holding(device, "the heads", &joined.words)?,
            numbers: StorageBuffer::holding(device, "the rows and bodies", &joined.numbers)?,
            impulses: joined.upload_impulses(device)?,
            velocity: StorageBuffer::holding(device, "the velocities", &initial.velocity)?,
            share,
            totals: StorageBuffer::holding(device, "the sums of contributions", &initial.totals)?,
        };
        Ok((buffers, joined))
    }

    /// In the order of the shaders' bindings.
    fn all(&self) -> [&StorageBuffer; 7] {
        let (b, impulses, velocity) = (self, &self.impulses, &self.velocity);
        let (words, numbers, share) = (&b.words, &b.numbers, &b.share);
        [
            &b.record, words, numbers, impulses, velocity, share, &b.totals,
        ]
    }

    fn bind(
        &self,
        device: &Device,
        launch: &Launch,
        settings: AsyncSettings,
    ) -> Result<Bound, DeviceError> {
        let kernel = kernel(device, launch, settings)?;
        let grid = kernel.grid(device, launch.threads)?;
        let bindings = kernel.bind(device, &self.all()[..launch.bindings])?;
        Ok(Bound {
            kernel,
            bindings,
            grid,
        })
    }
}

/// A shader for so many threads, with the first `bindings` buffers.
struct Launch {
    shader: &'static Shader,
    sequential: bool,
    bindings: usize,
    threads: usize,
}

impl Asynchronous {
    /// Uploads a packed problem and impulses, one per row \[N·s\].
    pub(crate) fn new(
        device: Arc<Device>,
        settings: AsyncSettings,
        pack: Pack<f32>,
        impulses: &[f64],
    ) -> Result<Self, DeviceError> {
        loops::check_units(&device, &pack, settings.workgroup)?;
        let fixed = settings.accumulation == Accumulation::FixedPoint;
        let bits = fixed.then_some(settings.bits);
        let (buffers, joined) = Buffers::new(&device, &pack, impulses, bits)?;
        let sequential = pack.rule().sweep == LocalSweep::Block;
        let bind = |shader: &'static Shader, bindings: usize, threads: usize| {
            let launch = Launch {
                shader,
                sequential,
                bindings,
                threads,
            };
            buffers.bind(&device, &launch, settings)
        };
        let threads = pack.manifolds.len() + pack.units.len();
        let pieces = match settings.accumulation {
            Accumulation::Cas => bind(&shaders::ASYNC_CAS, 6, threads)?,
            Accumulation::Float => bind(&shaders::ASYNC_FLOAT, 6, threads)?,
            Accumulation::FixedPoint => bind(&shaders::ASYNC_FIXED, 7, threads)?,
        };
        let (bodies, renewal) = if fixed {
            let bodies = bind(&shaders::FIXED_BODIES, 7, pack.bodies.len())?;
            (Some(bodies), None)
        } else {
            let [record, words, numbers, impulses, velocity, share, _] = buffers.all();
            let bound = [record, words, numbers, impulses, velocity, share];
            let renewal = Renewal::new(&device, settings.workgroup, &pack, &bound)?;
            (None, Some(renewal))
        };
        Ok(Self {
            stopwatch: Stopwatch::new(&device)?,
            device,
            settings,
            pieces,
            bodies,
            renewal,
            buffers,
            joined,
            pack,
            sweeps: 0,
            broken: false,
        })
    }

    /// Runs iterations and waits for them.
    fn run(&mut self, sweeps: u32) -> Result<(), SolveError> {
        if sweeps == 0 {
            return Ok(());
        }
        let most = self.settings.submission;
        let watch = self.stopwatch.as_ref();
        commands::submit(&self.device, watch, sweeps, most, |pass, step| {
            if let Some(renewal) = &self.renewal
                && Renewal::is_due(self.sweeps.wrapping_add(step))
            {
                renewal.record(pass);
            }
            for bound in std::iter::once(&self.pieces).chain(&self.bodies) {
                bound.kernel.dispatch(pass, &bound.bindings, bound.grid);
            }
        })?;
        self.sweeps = self.sweeps.wrapping_add(sweeps);
        // says which impulse broke
        let mut impulses = vec![0.0; self.pack.rows()];
        self.impulses(&mut impulses)?;
        self.check_range()
    }

    fn check_whole(&self) -> Result<(), SolveError> {
        if self.broken {
            return Err(SolveError::NotPrepared);
        }
        Ok(())
    }

    /// An error if a contribution was above its share of the fixed-point range.
    fn check_range(&self) -> Result<(), SolveError> {
        if self.bodies.is_none() {
            return Ok(());
        }
        let at = 2 * self.pack.bodies.len();
        let noted: Vec<[i32; 4]> = self.buffers.totals.read(&self.device, at..at + 1)?;
        match noted.first() {
            Some([0, ..]) => Ok(()),
            Some([times, ..]) => Err(overflow(f64::from(*times)).into()),
            None => Ok(()),
        }
    }

    /// Time that the last iterations took on the device \[s\]; `None` on devices without time
    /// stamps.
    ///
    /// # Errors
    /// A failed device.
    pub fn seconds(&self) -> Result<Option<f64>, DeviceError> {
        let watch = self.stopwatch.as_ref().filter(|_| self.sweeps > 0);
        watch.map(|watch| watch.seconds(&self.device)).transpose()
    }
}

impl Prepared for Asynchronous {
    fn iterate(&mut self, _: &Problem, sweeps: u32) -> Result<Progress, SolveError> {
        self.check_whole()?;
        let outcome = self.run(sweeps);
        self.broken = outcome.is_err();
        outcome?;
        Ok(Progress::of_sweeps(sweeps, self.pack.active_rows()))
    }

    fn impulses(&self, out: &mut [f64]) -> Result<(), SolveError> {
        self.check_whole()?;
        let record = &self.joined.records[0];
        let quads = |range| self.buffers.impulses.read(&self.device, range);
        joined::read_impulses(&self.pack, record, 0, out, quads)
    }

    fn velocities(&self, out: &mut [f64]) -> Result<bool, SolveError> {
        self.check_whole()?;
        let quads = |range| self.buffers.velocity.read(&self.device, range);
        joined::read_velocities(&self.pack, 0, out, quads)?;
        Ok(true)
    }

    /// Bytes that one iteration moves; an atomic addition reads and writes its word (K.9).
    fn facts(&self) -> SolverFacts {
        let quad = size_of::<GpuQuad>() as u64;
        let pack = &self.pack;
        let heads = 16 * (pack.manifolds.heads.len() + pack.units.heads.len()) as u64;
        let numbers =
            pack.manifolds.numbers.len() + pack.manifolds.extras.len() + pack.units.numbers.len();
        let impulses = quad * (pack.manifolds.points() + pack.units.impulse_quads()) as u64;
        let (slots, linked) = (pack.slots.body.len() as u64, pack.slots.slots.len() as u64);
        let own = BODY_MASS as u64 * quad * linked + 2 * quad * 2 * linked;
        let masses = if pack.rule().sweep == LocalSweep::Block {
            BODY_MASS as u64 * quad * slots
        } else {
            0
        };
        let bodies = match self.bodies {
            Some(_) => 3 * BODY_FREE as u64 * quad * pack.bodies.len() as u64,
            None => 0,
        };
        let traffic = Traffic {
            read: heads + quad * numbers as u64 + impulses + bodies,
            written: impulses,
            gathered: BODY_FREE as u64 * quad * slots + masses + own + 48 * linked,
        };
        SolverFacts {
            dispatches: Some(1 + u64::from(self.bodies.is_some())),
            ..traffic.into()
        }
    }
}

fn kernel(
    device: &Device,
    launch: &Launch,
    settings: AsyncSettings,
) -> Result<Arc<Kernel>, DeviceError> {
    let (shader, sequential) = (launch.shader, launch.sequential);
    let (workgroup, bits) = (settings.workgroup, settings.bits);
    let mut constants = vec![
        ("STEPS", 1.0),
        ("SEQUENTIAL", flag(sequential)),
        ("MOMENTUM", 0.0),
    ];
    if settings.accumulation == Accumulation::FixedPoint {
        constants.push(("BITS", f64::from(bits)));
    }
    let key = format!("{} {workgroup} {sequential} {bits}", shader.name);
    let access = &ACCESS[..launch.bindings];
    device.cached(&key, || {
        Kernel::new(device, shader, workgroup, &constants, access)
    })
}

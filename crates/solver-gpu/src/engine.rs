//! A packed problem on the device, and its iteration: pieces, then bodies, then the next.
//!
//! Two bind groups per kernel, for even and odd iterations, exchange the halves of the impulses and the two copies of
//! the control. Everything of a solve is recorded before it is submitted; nothing is read in between.

use std::sync::Arc;

use delassus_core::{DeviceError, Problem, SolveError, Traffic};
use delassus_solver_jacobi::Acceleration;
use delassus_solver_jacobi::pack::{BODY_FREE, BODY_MASS, Pack, State as Iterate};
use delassus_solver_jacobi::rule::Sweep;
use wgpu::{BindGroup, ComputePass};

use crate::buffers::Storage;
use crate::commands::{self, Stopwatch};
use crate::control::{Control, State, index, sum_entries};
use crate::device::Device;
use crate::history::{History, HistoryEntry};
use crate::hubs;
use crate::natural::{Natural, Sources};
use crate::pipelines::{Access, Grid, Kernel};
use crate::shaders;

/// Numbers of four.
pub(crate) type Quad = [f32; 4];

/// What a solve is run with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Settings {
    pub(crate) acceleration: Acceleration,
    pub(crate) guard: bool,
    /// The history has natural residuals.
    pub(crate) residuals: bool,
    /// Threads of a workgroup \[-\].
    pub(crate) workgroup: u32,
    /// Iterations of one submission \[-\].
    pub(crate) submission: u32,
}

/// The compiled kernels of an iteration.
#[derive(Debug)]
struct Kernels {
    manifolds: Kernel,
    rows: Kernel,
    bodies: Kernel,
}

const PIECE_ACCESS: &[Access] = &[
    Access::Read,
    Access::Read,
    Access::Read,
    Access::Write,
    Access::Read,
    Access::Read,
    Access::Write,
    Access::Write,
];

const BODY_ACCESS: &[Access] = &[
    Access::Read,
    Access::Write,
    Access::Read,
    Access::Write,
    Access::Read,
    Access::Read,
    Access::Write,
    Access::Write,
];

impl Kernels {
    /// Kernels that step, or that compute anew what follows from λ.
    fn shared(
        device: &Device,
        workgroup: u32,
        (steps, sequential, momentum): (bool, bool, bool),
    ) -> Result<Arc<Self>, DeviceError> {
        let flag = |on: bool| f64::from(u8::from(on));
        let constants = [
            ("STEPS", flag(steps)),
            ("SEQUENTIAL", flag(sequential)),
            ("MOMENTUM", flag(momentum)),
        ];
        let key = format!("jacobi {workgroup} {steps} {sequential} {momentum}");
        let build = |shader, access| Kernel::new(device, shader, (workgroup, &constants), access);
        device.kept(&key, || {
            Ok(Self {
                manifolds: build(&shaders::MANIFOLDS, PIECE_ACCESS)?,
                rows: build(&shaders::ROWS, PIECE_ACCESS)?,
                bodies: build(&shaders::BODIES, BODY_ACCESS)?,
            })
        })
    }
}

/// The buffers of a problem.
#[derive(Debug)]
struct Buffers {
    control: [Storage; 2],
    manifold_heads: Storage,
    /// Frames and points, then extras.
    manifold_numbers: Storage,
    points: Storage,
    unit_heads: Storage,
    unit_numbers: Storage,
    rows: Storage,
    /// Masses, then free velocities.
    bodies: Storage,
    velocity: Storage,
    wrench: Storage,
    adjacency: Storage,
    sums: Storage,
}

/// The bind groups of even and odd iterations.
#[derive(Debug)]
struct Bindings {
    manifolds: [BindGroup; 2],
    rows: [BindGroup; 2],
    bodies: [BindGroup; 2],
}

/// How many workgroups each kernel takes.
#[derive(Debug, Clone, Copy)]
struct Grids {
    manifolds: Grid,
    rows: Grid,
    bodies: Grid,
}

/// A prepared problem and its iterate.
#[derive(Debug)]
pub(crate) struct Engine {
    device: Arc<Device>,
    settings: Settings,
    step: Arc<Kernels>,
    renew: Arc<Kernels>,
    buffers: Buffers,
    history: History,
    natural: Option<Natural>,
    bindings: Bindings,
    grids: Grids,
    stopwatch: Option<Stopwatch>,
    control: Control,
    pack: Pack<f32>,
    /// The half of the impulses that holds λ_k.
    current: u32,
    iterations: u32,
}

impl Engine {
    /// Uploads a packed problem and impulses, one per row \[N·s\].
    pub(crate) fn new(
        device: Arc<Device>,
        settings: Settings,
        pack: Pack<f32>,
        impulses: &[f64],
    ) -> Result<Self, DeviceError> {
        let momentum = settings.acceleration != Acceleration::None;
        let sequential = pack.rule().sweep == Sweep::Block;
        let kernels =
            |steps| Kernels::shared(&device, settings.workgroup, (steps, sequential, momentum));
        let (step, renew) = (kernels(true)?, kernels(false)?);
        let history = History::new(&device)?;
        let momentum_guard = (settings.acceleration, settings.guard);
        let hubs = hubs::of(&device, &pack)?;
        let mut control = Control::new(&pack, momentum_guard, history.capacity())?;
        control.hubs = index(hubs.len())?;
        let buffers = Buffers::new(&device, (&pack, &hubs), &control, (momentum, impulses))?;
        let bindings = buffers.bind(&device, &step, &history)?;
        // and one workgroup for the sums, and one for each hub
        let groups_of_bodies = pack.bodies.len().div_ceil(settings.workgroup as usize) + 1;
        let groups_of_bodies = groups_of_bodies + hubs.len();
        let groups = device.limits().max_compute_workgroups_per_dimension;
        let grids = Grids {
            manifolds: step.manifolds.grid(&device, pack.manifolds.len())?,
            rows: step.rows.grid(&device, pack.units.len())?,
            bodies: Grid::of(groups_of_bodies, groups)?,
        };
        let natural = match settings.residuals {
            true => {
                let capacity = history.capacity();
                let mut natural = Natural::new(&device, settings.workgroup, &pack, capacity)?;
                natural.bind(&device, buffers.sources())?;
                Some(natural)
            }
            false => None,
        };
        let mut engine = Self {
            stopwatch: Stopwatch::new(&device)?,
            device,
            settings,
            step,
            renew,
            buffers,
            history,
            natural,
            bindings,
            grids,
            control,
            pack,
            current: 0,
            iterations: 0,
        };
        engine.restart()?;
        Ok(engine)
    }

    /// Velocities of the impulses, without momentum; the history starts anew.
    fn restart(&mut self) -> Result<(), DeviceError> {
        self.control.state = State::START;
        self.control.capacity = self.history.capacity();
        self.write_control()?;
        if let Some(natural) = &self.natural {
            natural.clear(&self.device)?;
        }
        commands::submit(&self.device, None, (1, 1), |pass, _| {
            record(
                pass,
                &self.renew,
                (&self.bindings, self.grids),
                self.current,
            );
        })?;
        // the kernels wrote λ into the other half too, so that λ_{k−1} = λ_k
        self.iterations = 0;
        Ok(())
    }

    fn write_control(&self) -> Result<(), DeviceError> {
        for (parity, buffer) in (0..).zip(&self.buffers.control) {
            let control = Control {
                parity,
                ..self.control
            };
            buffer.write(&self.device, &[control])?;
        }
        Ok(())
    }

    /// Runs iterations, waits for them, and reads the state of the momentum.
    pub(crate) fn iterate(&mut self, sweeps: u32) -> Result<(), SolveError> {
        if sweeps == 0 {
            return Ok(());
        }
        let entries = self.iterations.checked_add(sweeps);
        let entries = entries.ok_or(DeviceError::Limit {
            what: "the number of iterations",
            needed: u64::from(self.iterations) + u64::from(sweeps),
            allowed: u32::MAX.into(),
        })?;
        if self.history.reserve(&self.device, entries)? {
            self.bindings = self.buffers.bind(&self.device, &self.step, &self.history)?;
            let capacity = self.history.capacity();
            if let Some(natural) = &mut self.natural {
                natural.grow(&self.device, capacity)?;
                natural.bind(&self.device, self.buffers.sources())?;
            }
            for buffer in &self.buffers.control {
                let offset = std::mem::offset_of!(Control, capacity) as u64;
                buffer.write_at(&self.device, offset, &[capacity])?;
            }
            self.control.capacity = capacity;
        }
        let per_submission = self.settings.submission;
        let stopwatch = self.stopwatch.as_ref();
        commands::submit(
            &self.device,
            stopwatch,
            (sweeps, per_submission),
            |pass, step| {
                let parity = (self.current + step % 2) % 2;
                record(pass, &self.step, (&self.bindings, self.grids), parity);
                if let Some(natural) = &self.natural {
                    natural.record(pass, 1 - parity);
                }
            },
        )?;
        self.current = (self.current + sweeps % 2) % 2;
        self.iterations = entries;
        let last = self.state()?.last;
        if last.is_finite() {
            return Ok(());
        }
        let mut impulses = vec![0.0; self.pack.rows()];
        self.read_impulses(&mut impulses)
    }

    /// State of the momentum after the last iteration.
    fn state(&self) -> Result<State, DeviceError> {
        let control = &self.buffers.control[self.current as usize];
        let read: Vec<Control> = control.read(&self.device, 0..1)?;
        Ok(read.first().map_or(State::START, |control| control.state))
    }

    /// Takes over what `pack` has been refreshed with.
    pub(crate) fn refresh(
        &mut self,
        problem: &Problem,
        change: impl FnOnce(&mut Pack<f32>, &Problem) -> Result<bool, SolveError>,
    ) -> Result<bool, SolveError> {
        if !change(&mut self.pack, problem)? {
            return Ok(false);
        }
        let (buffers, device) = (&self.buffers, &self.device);
        buffers
            .manifold_heads
            .write(device, &self.pack.manifolds.heads)?;
        let numbers = joined(&self.pack.manifolds.numbers, &self.pack.manifolds.extras);
        buffers.manifold_numbers.write(device, &numbers)?;
        buffers.unit_heads.write(device, &self.pack.units.heads)?;
        buffers
            .unit_numbers
            .write(device, &self.pack.units.numbers)?;
        let bodies = joined(&self.pack.bodies.mass, &self.pack.bodies.free);
        buffers.bodies.write(device, &bodies)?;
        self.restart()?;
        Ok(true)
    }

    /// Reads λ_k, one per row \[N·s\].
    pub(crate) fn read_impulses(&self, out: &mut [f64]) -> Result<(), SolveError> {
        let half = |quads: usize| {
            let first = quads * self.current as usize;
            first..first + quads
        };
        let points = half(self.pack.manifolds.points());
        let rows = half(self.pack.units.impulse_quads());
        let iterate = Iterate {
            points: self.buffers.points.read::<Quad>(&self.device, points)?,
            rows: self.buffers.rows.read::<Quad>(&self.device, rows)?,
            ..Iterate::default()
        };
        iterate.read(&self.pack, out);
        match out.iter().position(|x| !x.is_finite()) {
            Some(row) => Err(SolveError::NonFinite { row }),
            None => Ok(()),
        }
    }

    /// Reads v_k, six per body \[m/s, rad/s\].
    pub(crate) fn read_velocities(&self, out: &mut [f64]) -> Result<(), SolveError> {
        let momentum = self.settings.acceleration != Acceleration::None;
        let quads = BODY_FREE * self.pack.bodies.len();
        let first = if momentum { quads } else { 0 };
        let range = first..first + quads;
        let iterate = Iterate {
            settled: self.buffers.velocity.read::<Quad>(&self.device, range)?,
            ..Iterate::default()
        };
        iterate.read_velocities(out);
        if out.iter().all(|x| x.is_finite()) {
            return Ok(());
        }
        let mut impulses = vec![0.0; self.pack.rows()];
        self.read_impulses(&mut impulses)?;
        // a velocity overflowed before any impulse did
        Err(SolveError::NonFinite { row: 0 })
    }

    pub(crate) fn read_history(&self) -> Result<Vec<HistoryEntry>, DeviceError> {
        let mut entries = self.history.read(&self.device, self.iterations)?;
        if let Some(natural) = &self.natural {
            let residuals = natural.read(&self.device, self.iterations)?;
            for (entry, residual) in entries.iter_mut().zip(residuals) {
                entry.natural = Some(residual.into());
            }
        }
        Ok(entries)
    }

    /// Seconds that the last iterations took on the device; `None` without time stamps \[s\].
    pub(crate) fn seconds(&self) -> Result<Option<f64>, DeviceError> {
        match &self.stopwatch {
            Some(watch) if self.iterations > 0 => watch.seconds(&self.device).map(Some),
            _ => Ok(None),
        }
    }

    pub(crate) fn pack(&self) -> &Pack<f32> {
        &self.pack
    }

    /// Bytes that one iteration moves, counted from the buffers (K.4).
    pub(crate) fn traffic(&self) -> Traffic {
        let b = &self.buffers;
        let momentum = self.settings.acceleration != Acceleration::None;
        let slots = self.pack.slots.body.len() as u64;
        let linked = self.pack.slots.slots.len() as u64;
        let quad = size_of::<Quad>() as u64;
        // of the rows' three parts one is read, one written, and one is the thread's own
        let impulses = b.points.bytes() / 2 + b.rows.bytes() / 3;
        let fixed = [
            &b.manifold_heads,
            &b.manifold_numbers,
            &b.unit_heads,
            &b.unit_numbers,
        ];
        let fixed: u64 = fixed.iter().map(|buffer| buffer.bytes()).sum();
        let masses = if self.pack.rule().sweep == Sweep::Block {
            BODY_MASS
        } else {
            0
        };
        let seen = quad * (BODY_FREE + masses) as u64 * slots;
        // with momentum v_k is read and two velocities are written
        let bodies = (BODY_FREE * self.pack.bodies.len()) as u64 * quad;
        let old = if momentum { bodies } else { 0 };
        // the natural residual reads pieces, impulses and velocities once more
        let again = u64::from(self.natural.is_some());
        let halves = u64::from(momentum) + 1 + again;
        let seen = seen + again * quad * BODY_FREE as u64 * slots;
        Traffic {
            read: (1 + again) * fixed + halves * impulses + b.bodies.bytes() + old,
            written: impulses + 2 * quad * linked + b.sums.bytes() + b.velocity.bytes(),
            gathered: seen + 2 * quad * linked + b.adjacency.bytes(),
        }
    }
}

/// Everything that an iteration reads and writes, for tests.
#[cfg(test)]
#[derive(Debug)]
pub(crate) struct Snapshot {
    pub(crate) points: Vec<Quad>,
    pub(crate) earlier_points: Vec<Quad>,
    pub(crate) rows: Vec<Quad>,
    pub(crate) earlier_rows: Vec<Quad>,
    pub(crate) velocity: Vec<Quad>,
    pub(crate) settled: Vec<Quad>,
    pub(crate) wrench: Vec<Quad>,
    pub(crate) beta: f32,
    pub(crate) next_beta: f32,
    pub(crate) weight: f32,
}

#[cfg(test)]
impl Engine {
    pub(crate) fn snapshot(&self) -> Result<Snapshot, DeviceError> {
        let half = |buffer: &Storage, quads: usize, half: u32| {
            let first = quads * half as usize;
            buffer.read::<Quad>(&self.device, first..first + quads)
        };
        let (points, rows) = (
            self.pack.manifolds.points(),
            self.pack.units.impulse_quads(),
        );
        let (now, other) = (self.current, 1 - self.current);
        let bodies = BODY_FREE * self.pack.bodies.len();
        let momentum = self.settings.acceleration != Acceleration::None;
        let state = self.state()?;
        let b = &self.buffers;
        Ok(Snapshot {
            points: half(&b.points, points, now)?,
            earlier_points: half(&b.points, points, other)?,
            rows: half(&b.rows, rows, now)?,
            earlier_rows: half(&b.rows, rows, other)?,
            velocity: half(&b.velocity, bodies, 0)?,
            settled: half(&b.velocity, bodies, momentum.into())?,
            wrench: half(&b.wrench, 2 * self.pack.slots.body.len(), 0)?,
            beta: state.beta,
            next_beta: state.next_beta,
            weight: state.weight,
        })
    }
}

/// One iteration: manifolds and units, which write different impulses and wrenches, then bodies.
fn record(
    pass: &mut ComputePass<'_>,
    kernels: &Kernels,
    (bindings, grids): (&Bindings, Grids),
    parity: u32,
) {
    let parity = parity as usize;
    kernels
        .manifolds
        .dispatch(pass, &bindings.manifolds[parity], grids.manifolds);
    kernels
        .rows
        .dispatch(pass, &bindings.rows[parity], grids.rows);
    kernels
        .bodies
        .dispatch(pass, &bindings.bodies[parity], grids.bodies);
}

fn joined<T: Clone>(first: &[T], second: &[T]) -> Vec<T> {
    [first, second].concat()
}

impl Buffers {
    fn new(
        device: &Device,
        (pack, hubs): (&Pack<f32>, &[u32]),
        control: &Control,
        (momentum, impulses): (bool, &[f64]),
    ) -> Result<Self, DeviceError> {
        let mut iterate = Iterate::new(pack);
        iterate.load(pack, impulses);
        let quad = size_of::<Quad>();
        let velocities = BODY_FREE * pack.bodies.len() * if momentum { 2 } else { 1 };
        let sums = sum_entries(control.sums as usize);
        let zeroed = |what, bytes: usize| Storage::zeroed(device, what, bytes as u64);
        let copies = [
            Control {
                parity: 0,
                ..*control
            },
            Control {
                parity: 1,
                ..*control
            },
        ];
        let [even, odd] = copies.map(|copy| Storage::holding(device, "the control", &[copy]));
        let m = &pack.manifolds;
        Ok(Self {
            control: [even?, odd?],
            manifold_heads: Storage::holding(device, "the manifolds", &m.heads)?,
            manifold_numbers: Storage::holding(
                device,
                "the points of the manifolds",
                &joined(&m.numbers, &m.extras),
            )?,
            points: Storage::holding(device, "the impulses of the points", &iterate.points)?,
            unit_heads: Storage::holding(device, "the row blocks", &pack.units.heads)?,
            unit_numbers: Storage::holding(device, "the rows", &pack.units.numbers)?,
            rows: Storage::holding(device, "the impulses of the rows", &iterate.rows)?,
            bodies: Storage::holding(
                device,
                "the bodies",
                &joined(&pack.bodies.mass, &pack.bodies.free),
            )?,
            velocity: zeroed("the velocities", quad * velocities)?,
            wrench: zeroed("the wrenches", 2 * quad * pack.slots.body.len())?,
            adjacency: Storage::holding(
                device,
                "the slots of the bodies",
                &[pack.slots.first_slot.as_slice(), &pack.slots.slots, hubs].concat(),
            )?,
            sums: zeroed("the sums", 2 * size_of::<f32>() * sums)?,
        })
    }

    /// What the natural residual reads after iterations that end in half 0 and in half 1.
    fn sources(&self) -> [[Sources<'_>; 2]; 2] {
        [0, 1].map(|half| {
            let control = &self.control[half];
            let of = |heads, numbers, impulses| [control, heads, numbers, impulses, &self.velocity];
            [
                of(&self.manifold_heads, &self.manifold_numbers, &self.points),
                of(&self.unit_heads, &self.unit_numbers, &self.rows),
            ]
        })
    }

    /// The kernels that step and those that renew have the same layouts: one set of bind groups serves both.
    fn bind(
        &self,
        device: &Device,
        kernels: &Kernels,
        history: &History,
    ) -> Result<Bindings, DeviceError> {
        let manifolds = |now: usize| {
            let buffers = [
                &self.control[now],
                &self.manifold_heads,
                &self.manifold_numbers,
                &self.points,
                &self.bodies,
                &self.velocity,
                &self.wrench,
                &self.sums,
            ];
            kernels.manifolds.bind(device, &buffers)
        };
        let rows = |now: usize| {
            let buffers = [
                &self.control[now],
                &self.unit_heads,
                &self.unit_numbers,
                &self.rows,
                &self.bodies,
                &self.velocity,
                &self.wrench,
                &self.sums,
            ];
            kernels.rows.bind(device, &buffers)
        };
        let bodies = |now: usize| {
            let buffers = [
                &self.control[now],
                &self.control[1 - now],
                &self.bodies,
                &self.velocity,
                &self.wrench,
                &self.adjacency,
                &self.sums,
                history.buffer(),
            ];
            kernels.bodies.bind(device, &buffers)
        };
        Ok(Bindings {
            manifolds: [manifolds(0)?, manifolds(1)?],
            rows: [rows(0)?, rows(1)?],
            bodies: [bodies(0)?, bodies(1)?],
        })
    }
}

//! A coloured problem on the device: one dispatch per colour, or one for all sweeps.

mod spans;

use std::sync::Arc;

use delassus_core::{
    Choice, DeviceError, Prepared, Problem, Progress, SolveError, SolverFacts, StateCoverage,
    Traffic,
};
use delassus_solver_jacobi::kernels::coloured::{TaskOrder, TaskSpan, start};
use delassus_solver_jacobi::pack::{BODY_FREE, BODY_MASS, Iterate, Pack};
use wgpu::BindGroup;

use crate::buffers::{GpuQuad, StorageBuffer};
use crate::commands::{self, Stopwatch};
use crate::control::index;
use crate::device::Device;
use crate::joined::{self, Joined};
use crate::loops;
use crate::pipelines::{
    Access::{self, Read, Write},
    Kernel, Workgroups, flag,
};
use crate::prelude::COUNT_ROUND;
use crate::prepared;
use crate::renew::{INTERVAL, Renewal};
use crate::shaders;
use spans::{spans_of, turns_of, words_of};

/// Whether all sweeps run in one dispatch of one workgroup.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Choice)]
pub enum Fused {
    /// Where a colour has fewer tasks than a workgroup could solve at once, or two.
    #[default]
    Auto,
    /// Always.
    On,
    /// Never: one dispatch per colour.
    Off,
}

/// What a solve is run with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ColouredSettings {
    pub(crate) fused: Fused,
    pub(crate) workgroup: u32,
    pub(crate) submission: u32,
}

/// Tasks of the largest colour at most for which one workgroup makes all sweeps \[-\]: two rounds
/// of 64 threads, less than what a dispatch costs.
const FUSED_TASKS: u32 = 128;

const ACCESS: &[Access] = &[Read, Read, Read, Write, Write, Read];

#[derive(Debug)]
struct Buffers {
    /// With the sweeps of three kinds of dispatches.
    records: [StorageBuffer; 3],
    words: StorageBuffer,
    numbers: StorageBuffer,
    impulses: StorageBuffer,
    /// And, after the world's, the count of spans.
    velocity: StorageBuffer,
    wrenches: StorageBuffer,
}

impl Buffers {
    fn new(
        device: &Device,
        pack: &Pack<f32>,
        order: &TaskOrder,
        impulses: &[f64],
    ) -> Result<(Self, Joined), DeviceError> {
        let mut more = vec![index(order.tasks())?];
        more.extend_from_slice(&order.first_piece);
        more.extend_from_slice(&order.pieces);
        let mut joined = Joined::default();
        joined.push(pack, impulses, &more)?;
        let mut iterate = Iterate::new(pack);
        iterate.load(pack, impulses);
        start(pack, &mut iterate);
        iterate.settled.push([0.0; 4]);
        let records = || StorageBuffer::holding(device, "the problem", &joined.records);
        let buffers = Self {
            records: [records()?, records()?, records()?],
            words: StorageBuffer::holding(device, "the heads", &joined.words)?,
            numbers: StorageBuffer::holding(device, "the rows and bodies", &joined.numbers)?,
            impulses: joined.upload_impulses(device)?,
            velocity: StorageBuffer::holding(device, "the velocities", &iterate.settled)?,
            wrenches: StorageBuffer::holding(device, "the wrenches", &iterate.wrench)?,
        };
        Ok((buffers, joined))
    }

    fn plan(
        &self,
        device: &Device,
        kernel: &Kernel,
        spans: &[TaskSpan],
        fused: bool,
    ) -> Result<ColouredDispatches, DeviceError> {
        let bind = |copy: usize, spans: &[[u32; 4]]| {
            let spans = StorageBuffer::holding(device, "the colours", spans)?;
            kernel.bind(device, &self.bound(copy, &spans))
        };
        if fused {
            let spans: Vec<[u32; 4]> = spans.iter().map(words_of).collect();
            let groups = usize::from(!spans.is_empty());
            let bindings = [bind(0, &spans)?, bind(1, &spans)?, bind(2, &spans)?];
            return Ok(ColouredDispatches::Fused(
                bindings,
                Workgroups::of(groups, 1)?,
            ));
        }
        let mut colours = Vec::with_capacity(spans.len());
        for span in spans {
            let threads = if span.serial { 1 } else { span.count as usize };
            let grid = kernel.grid(device, threads)?;
            colours.push((bind(0, &[words_of(span)])?, grid));
        }
        Ok(ColouredDispatches::Colours(colours))
    }

    /// What a kernel binds, with the sweeps of one kind of dispatches.
    fn bound<'b>(&'b self, copy: usize, last: &'b StorageBuffer) -> [&'b StorageBuffer; 6] {
        let (record, velocity) = (&self.records[copy], &self.velocity);
        let (words, numbers) = (&self.words, &self.numbers);
        [record, words, numbers, &self.impulses, velocity, last]
    }
}

/// What is dispatched.
#[derive(Debug)]
enum ColouredDispatches {
    /// Many sweeps: as many as a dispatch makes, those up to the next multiple of that, and the
    /// last ones.
    Fused([BindGroup; 3], Workgroups),
    /// A dispatch per colour.
    Colours(Vec<(BindGroup, Workgroups)>),
}

/// A prepared problem and its iterate.
#[derive(Debug)]
pub struct Coloured {
    device: Arc<Device>,
    settings: ColouredSettings,
    kernel: Arc<Kernel>,
    buffers: Buffers,
    plan: ColouredDispatches,
    renewal: Renewal,
    stopwatch: Option<Stopwatch>,
    joined: Joined,
    pack: Pack<f32>,
    linked: usize,
    /// Spans of one sweep \[-\].
    spans: usize,
    /// Sweeps of one dispatch \[-\], if fused.
    per_dispatch: u32,
    /// Sweeps since the start \[-\].
    sweeps: u32,
}

impl Coloured {
    /// Uploads a packed problem, its order and impulses, one per row \[N·s\].
    pub(crate) fn new(
        device: Arc<Device>,
        settings: ColouredSettings,
        pack: Pack<f32>,
        order: &TaskOrder,
        impulses: &[f64],
    ) -> Result<Self, DeviceError> {
        let (buffers, joined) = Buffers::new(&device, &pack, order, impulses)?;
        let spans = spans_of(&device, &pack, order);
        let largest = order.spans.iter().map(|span| span.count).max();
        let fused = match settings.fused {
            Fused::Auto => largest.unwrap_or(0) <= FUSED_TASKS,
            Fused::On => true,
            Fused::Off => false,
        };
        let workgroup = settings.workgroup;
        let kernel = kernel(&device, workgroup, fused)?;
        let plan = buffers.plan(&device, &kernel, &spans, fused)?;
        let bound = buffers.bound(0, &buffers.wrenches);
        let renewal = Renewal::new(&device, workgroup, &pack, &bound)?;
        let turns = turns_of(&pack, order, &spans, workgroup);
        let wanted = settings.submission.min(INTERVAL);
        let per_dispatch = loops::per_dispatch(&device, turns, workgroup, wanted);
        // a divisor of the interval
        let per_dispatch = 1 << per_dispatch.ilog2();
        let linked = pack.slots.slots.len();
        let mut coloured = Self {
            stopwatch: Stopwatch::new(&device)?,
            per_dispatch,
            renewal,
            spans: spans.len(),
            device,
            settings,
            kernel,
            buffers,
            plan,
            joined,
            pack,
            linked,
            sweeps: 0,
        };
        coloured.write_sweeps(0, coloured.per_dispatch)?;
        Ok(coloured)
    }

    fn write_sweeps(&mut self, copy: usize, sweeps: u32) -> Result<(), DeviceError> {
        for record in &mut self.joined.records {
            record.sweeps = sweeps;
        }
        self.buffers.records[copy].write(&self.device, &self.joined.records)
    }

    /// Runs sweeps and waits for them.
    fn run(&mut self, sweeps: u32) -> Result<(), SolveError> {
        if sweeps == 0 {
            return Ok(());
        }
        self.write_count()?;
        let (first, watch) = (self.sweeps, self.stopwatch.as_ref());
        match &self.plan {
            ColouredDispatches::Fused(..) => self.iterate_fused(sweeps)?,
            ColouredDispatches::Colours(colours) => {
                let most = self.settings.submission;
                commands::submit(&self.device, watch, sweeps, most, |pass, step| {
                    if Renewal::is_due(first.wrapping_add(step)) {
                        self.renewal.record(pass);
                    }
                    for (bindings, grid) in colours {
                        self.kernel.dispatch(pass, bindings, *grid);
                    }
                })?;
            }
        }
        self.sweeps = self.sweeps.wrapping_add(sweeps);
        self.check_count(sweeps)?;
        let mut impulses = vec![0.0; self.pack.rows()];
        // says which impulse broke
        self.impulses(&mut impulses)
    }

    /// Dispatches of `per_dispatch` sweeps, which start at multiples of it, and up to two shorter
    /// ones.
    fn iterate_fused(&mut self, sweeps: u32) -> Result<(), DeviceError> {
        let (first, whole) = (self.sweeps, self.per_dispatch);
        let head = ((whole - first % whole) % whole).min(sweeps);
        let (middle, tail) = ((sweeps - head) / whole, (sweeps - head) % whole);
        self.write_sweeps(1, head)?;
        self.write_sweeps(2, tail)?;
        let mut pieces = Vec::new();
        pieces.extend((head > 0).then_some((1, first)));
        let at = |piece: u32| first.wrapping_add(head + piece * whole);
        pieces.extend((0..middle).map(|piece| (0, at(piece))));
        pieces.extend((tail > 0).then_some((2, at(middle))));
        let ColouredDispatches::Fused(bindings, grid) = &self.plan else {
            return Ok(());
        };
        let steps = u32::try_from(pieces.len()).unwrap_or(u32::MAX);
        let per_submission = self.settings.submission / whole;
        let watch = self.stopwatch.as_ref();
        commands::submit(&self.device, watch, steps, per_submission, |pass, step| {
            let (copy, sweep) = pieces[step as usize];
            if Renewal::is_due(sweep) {
                self.renewal.record(pass);
            }
            self.kernel.dispatch(pass, &bindings[copy], *grid);
        })
    }

    /// Spans are counted from zero.
    fn write_count(&self) -> Result<(), DeviceError> {
        let last = self.buffers.velocity.bytes() - size_of::<GpuQuad>() as u64;
        self.buffers
            .velocity
            .write_at(&self.device, last, &[[0.0_f32; 4]])
    }

    /// An error if a kernel left its loops before their end.
    fn check_count(&self, sweeps: u32) -> Result<(), DeviceError> {
        let at = BODY_FREE * self.pack.bodies.len();
        let counted: Vec<GpuQuad> = self.buffers.velocity.read(&self.device, at..at + 1)?;
        let count = |quad: &GpuQuad| f64::from(quad[1]) * COUNT_ROUND + f64::from(quad[0]);
        let found = counted.first().map_or(0.0, count);
        let expected = f64::from(sweeps) * self.spans as f64;
        if found == expected {
            return Ok(());
        }
        Err(DeviceError::Lost {
            reason: format!("a kernel ended early: it solved {found} of {expected} colours"),
        })
    }

    /// Time that the last sweeps took on the device \[s\]; `None` on devices without time stamps.
    ///
    /// # Errors
    /// A failed device.
    pub fn seconds(&self) -> Result<Option<f64>, DeviceError> {
        let watch = self.stopwatch.as_ref().filter(|_| self.sweeps > 0);
        watch.map(|watch| watch.seconds(&self.device)).transpose()
    }
}

impl Prepared for Coloured {
    fn iterate(&mut self, _: &Problem, sweeps: u32) -> Result<Progress, SolveError> {
        self.run(sweeps)?;
        Ok(Progress::of_sweeps(sweeps, self.pack.active_rows()))
    }

    fn impulses(&self, out: &mut [f64]) -> Result<(), SolveError> {
        let record = &self.joined.records[0];
        let quads = |range| self.buffers.impulses.read(&self.device, range);
        joined::read_impulses(&self.pack, record, 0, out, quads)
    }

    fn velocities(&self, out: &mut [f64]) -> Result<bool, SolveError> {
        let quads = |range| self.buffers.velocity.read(&self.device, range);
        joined::read_velocities(&self.pack, 0, out, quads)?;
        Ok(true)
    }

    fn fingerprint(&self, out: &mut Vec<u64>) -> Result<Option<StateCoverage>, SolveError> {
        let bodies = self.pack.bodies.len() - 1;
        prepared::state(self, self.pack.rows(), 6 * bodies, out)?;
        // sweeps since the last renewal
        out.push((self.sweeps % INTERVAL).into());
        Ok(Some(StateCoverage::Complete))
    }

    /// Bytes that one sweep moves, counted from the buffers (K.8).
    fn facts(&self) -> SolverFacts {
        let quad = size_of::<GpuQuad>() as u64;
        let pack = &self.pack;
        let heads = 16 * (pack.manifolds.heads.len() + pack.units.heads.len()) as u64;
        let numbers =
            pack.manifolds.numbers.len() + pack.manifolds.extras.len() + pack.units.numbers.len();
        let impulses = quad * (pack.manifolds.points() + pack.units.impulse_quads()) as u64;
        let seen = (BODY_FREE + BODY_MASS) as u64 * quad * pack.slots.body.len() as u64;
        let traffic = Traffic {
            read: heads + quad * numbers as u64 + impulses,
            written: impulses,
            gathered: seen + BODY_FREE as u64 * quad * self.linked as u64,
        };
        SolverFacts {
            dispatches: Some(match &self.plan {
                ColouredDispatches::Fused(..) => 0,
                ColouredDispatches::Colours(colours) => colours.len() as u64,
            }),
            ..traffic.into()
        }
    }
}

fn kernel(device: &Device, workgroup: u32, fused: bool) -> Result<Arc<Kernel>, DeviceError> {
    let constants = [
        ("STEPS", 1.0),
        ("SEQUENTIAL", 1.0),
        ("MOMENTUM", 0.0),
        ("FUSED", flag(fused)),
    ];
    let key = format!("coloured {workgroup} {fused}");
    device.cached(&key, || {
        Kernel::new(device, &shaders::COLOURED, workgroup, &constants, ACCESS)
    })
}

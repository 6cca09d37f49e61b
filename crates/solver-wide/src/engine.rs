//! Sweeps: colours in turn, the overflow last, on one thread or several.

use std::sync::{Arc, MutexGuard};

use delassus_core::{
    Activity, Changes, FrameJoint, FrameMotion, FrameSetup, HalfSteps, Problem, Traffic,
};
use rayon::ThreadPool;

use super::batch::{Batch, BatchOrder, Context};
use super::bundle::Fill;
use super::exchange::{Exchange, write};
use super::kinds::KINDS;
use super::lanes::BodyRow;
use super::level::Level;
use super::manifolds::{Addresses, PackingResult};
use super::plan::Group;
use super::prefetch::PREFETCH_BYTES;
use super::velocities::narrow;
use super::workers::{RENEWAL, Task, ThreadPart, WorkerPool};

/// True if rows are inactive, other than all friction.
fn holds_more(problem: &Problem) -> bool {
    !matches!(
        problem.uniform_activity(),
        Some(Activity::Solve | Activity::NormalsOnly)
    )
}

/// Manifolds from which on parts are packed side by side \[-\]: below, it takes less time than to
/// wake a thread.
const SIDE_BY_SIDE: usize = 200;

/// Writes the bundles of a part.
fn pack_part(
    level: Level,
    addresses: &Addresses,
    context: &mut Context<'_>,
    part: &mut ThreadPart,
) -> PackingResult {
    let mut fits = true;
    part.each_batch(context, |batch, context| fits &= batch.pack(context));
    let mut packed = addresses.deliver(level, context, part);
    packed.fits &= fits;
    packed
}

/// The bundles of a problem, and the threads that sweep over them.
#[derive(Debug)]
pub(crate) struct Engine {
    level: Level,
    workers: Arc<WorkerPool>,
    /// Where each manifold goes, part by part.
    addresses: Vec<Addresses>,
    /// Sweeps since the velocities were set.
    sweeps: u64,
    full: bool,
    /// Where the threads of the workers live.
    pool: Option<Arc<ThreadPool>>,
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.workers.dismiss();
    }
}

impl Engine {
    /// An engine without bundles; `pool` if there is more than one thread.
    pub(crate) fn new(level: Level, threads: usize, pool: Option<Arc<ThreadPool>>) -> Self {
        Self {
            level,
            workers: WorkerPool::new(threads, pool.as_deref()),
            addresses: Vec::new(),
            sweeps: 0,
            full: false,
            pool,
        }
    }

    /// Packs a problem. `groups` is empty if the plan is the one of the last call; false if it
    /// cannot be.
    pub(crate) fn prepare(&mut self, context: &mut Context<'_>, groups: Option<&[Group]>) -> bool {
        if let Some(groups) = groups {
            self.assign(groups, context);
        }
        let fits = self.pack(context);
        if fits || groups.is_some() {
            let cold = context.impulses.iter().all(|x| *x == 0.0);
            self.set_free(&context.bodies.free_velocity, cold);
        }
        fits
    }

    /// Takes over what changed.
    pub(crate) fn refresh(&mut self, context: &mut Context<'_>, what: Changes) {
        if what.bias || what.compliance || what.activity {
            // inactive rows need the full kernel, and only its refresh looks at them
            let holds = what.activity && holds_more(context.problem);
            let more = self.update(context, what) || holds;
            if more && !self.full {
                self.full = true;
                self.update(context, Changes::ALL);
            }
        }
        if what.free_velocity {
            self.set_free(&context.bodies.free_velocity, false);
        }
    }

    /// Sweeps.
    pub(crate) fn iterate(&mut self, sweeps: u32) {
        let first = self.sweeps;
        self.sweeps += u64::from(sweeps);
        self.workers.run(Task::Solve { sweeps, first });
    }

    /// True if the engine can integrate a frame: its blocks are joints that keep their arms, and
    /// contact points that the fast kernel solves.
    pub(crate) fn integrates_frames(&self, joints: &[FrameJoint]) -> bool {
        let mut all = !self.full;
        self.each_batch(|batch| all = all && batch.integrates_frames(joints));
        all
    }

    /// Integrates half-steps of a frame; false if a joint is singular in f32.
    pub(crate) fn integrate_frame(
        &mut self,
        frame: &FrameSetup<'_>,
        half_steps: HalfSteps,
    ) -> bool {
        if half_steps.start == 0 {
            let mut regular = true;
            for index in 0..self.workers.threads() {
                for batch in self.workers.part(index).batches_mut() {
                    regular &= batch.begin_frame(frame);
                }
            }
            if !regular {
                return false;
            }
        }
        self.workers.with_common(|common| {
            common.frame.set(frame, half_steps);
            let bodies = common.slots.len();
            for slots in &mut common.barrier_slots {
                slots.resize_with(bodies, Default::default);
            }
        });
        self.workers.run(Task::HalfSteps);
        self.sweeps = self.workers.part(0).frame_bodies.sweeps;
        true
    }

    /// Joints of the frame.
    pub(crate) fn frame_joints(&self) -> usize {
        self.workers.with_common(|common| common.frame.joints)
    }

    /// Copies out where the bodies are, and what the impulses did.
    pub(crate) fn read_frame(&self, out: &mut FrameMotion) {
        let part = self.workers.part(0);
        let bodies = 0..part.frame_bodies.bodies();
        out.bodies.clear();
        out.bodies
            .extend(bodies.map(|body| part.frame_bodies.body(body)));
        drop(part);
        for index in 1..self.workers.threads() {
            let part = self.workers.part(index);
            for body in &part.exchange.owned {
                let body = *body as usize;
                out.bodies[body] = part.frame_bodies.body(body);
            }
        }
        self.each_batch(|batch| batch.read_sums(out));
    }

    /// Copies the impulses out.
    pub(crate) fn read_impulses(&self, first_rows: &[u32], out: &mut [f64]) {
        self.each_batch(|batch| batch.read_impulses(first_rows, out));
    }

    /// Copies the velocities of the bodies out, six per body.
    pub(crate) fn read_velocities(&self, out: &mut [f64]) {
        let bodies = out.as_chunks_mut::<6>().0;
        let widen = |row: &BodyRow| {
            let [x, y, z, _, p, q, r, _] = *row;
            [x, y, z, p, q, r].map(f64::from)
        };
        let part = self.workers.part(0);
        for (out, row) in bodies.iter_mut().zip(&part.velocities) {
            *out = widen(row);
        }
        drop(part);
        for index in 1..self.workers.threads() {
            let part = self.workers.part(index);
            for body in &part.exchange.owned {
                bodies[*body as usize] = widen(&part.velocities[*body as usize]);
            }
        }
    }

    /// Appends what decides the next sweep and cannot be read: what reading rounds, and sweeps
    /// since the last renewal.
    pub(crate) fn state(&self, out: &mut Vec<u64>) {
        self.each_batch(|batch| batch.state(out));
        out.push(self.sweeps % RENEWAL);
    }

    /// True if every velocity is a number.
    pub(crate) fn is_finite(&self) -> bool {
        (0..self.workers.threads()).all(|index| self.workers.part(index).finite)
    }

    /// Bytes of one sweep.
    pub(crate) fn traffic(&self) -> Traffic {
        let mut sum = Traffic::default();
        self.each_batch(|batch| sum = sum + batch.traffic());
        for index in 0..self.workers.threads() {
            sum = sum + self.workers.part(index).exchange.traffic();
        }
        sum
    }

    /// Bundles in the colours, and the lanes of them that hold something.
    pub(crate) fn fill(&self) -> Fill {
        let mut sum = Fill::default();
        for index in 0..self.workers.threads() {
            if let Some((_overflow, colours)) = self.workers.part(index).steps.split_last() {
                for batch in colours.iter().flatten() {
                    let Fill { bundles, filled } = batch.fill();
                    sum.bundles += bundles;
                    sum.filled += filled;
                }
            }
        }
        sum
    }

    /// Visits the batches, thread by thread in the order of a sweep.
    fn each_batch(&self, mut visit: impl FnMut(&dyn Batch)) {
        for index in 0..self.workers.threads() {
            let part = self.workers.part(index);
            part.batches().for_each(|batch| visit(&**batch));
        }
    }

    /// Makes the batches of a plan.
    fn assign(&mut self, groups: &[Group], context: &Context<'_>) {
        // fewer than 2³¹ bodies: `pair` has refused the others
        let world = u32::try_from(context.bodies.len()).unwrap_or(0);
        let colours = groups.iter().filter_map(|group| group.colour);
        let colours = colours.max().map_or(0, |last| last + 1);
        let threads = self.workers.threads();
        for index in 0..threads {
            let steps = &mut self.workers.part(index).steps;
            steps.clear();
            steps.resize_with(colours + 1, Vec::new);
            for group in groups.iter().filter(|group| group.part == index) {
                // the overflow goes one lane at a time
                let level = group.colour.map_or(Level::Scalar, |_| self.level);
                let order = BatchOrder {
                    shape: group.shape,
                    blocks: &group.first_blocks,
                    world,
                    projection: context.projection,
                };
                let batch = (KINDS[group.shape.kind].batch)(level, &order);
                steps[group.colour.unwrap_or(colours)].push(batch);
            }
        }
        for index in 0..threads {
            let part = &mut *self.workers.part(index);
            let bytes: u64 = part.batches().map(|batch| batch.traffic().read).sum();
            part.far = bytes >= PREFETCH_BYTES;
        }
        let addresses = (0..threads).map(|index| Addresses::of(&mut self.workers.part(index)));
        self.addresses = addresses.collect();
        if threads > 1 {
            let exchanges = Exchange::plan(groups, context.bodies, threads, colours + 1);
            for (index, exchange) in exchanges.into_iter().enumerate() {
                self.workers.part(index).exchange = exchange;
            }
            self.workers.with_common(|common| {
                let bodies = context.bodies.len();
                common.slots.resize_with(bodies, Default::default);
            });
        }
    }

    /// What all threads have.
    fn all_parts(&self) -> Vec<MutexGuard<'_, ThreadPart>> {
        let threads = 0..self.workers.threads();
        threads.map(|index| self.workers.part(index)).collect()
    }

    /// Writes every bundle; false if a block is not what the plan says.
    fn pack(&mut self, context: &mut Context<'_>) -> bool {
        let level = self.level;
        let packed = if let [addresses] = self.addresses.as_slice() {
            pack_part(level, addresses, context, &mut self.workers.part(0))
        } else {
            self.pack_side_by_side(context)
        };
        self.full = packed.needs_full || holds_more(context.problem);
        if self.full && packed.fits {
            self.update(context, Changes::ALL);
        }
        packed.fits
    }

    /// Writes the bundles of several threads, on as many where there are enough of them.
    fn pack_side_by_side(&self, context: &Context<'_>) -> PackingResult {
        let work = |(addresses, part): (&Addresses, &mut ThreadPart)| {
            let mut context = Context {
                work: Vec::new(),
                ..*context
            };
            pack_part(self.level, addresses, &mut context, part)
        };
        let mut parts = self.all_parts();
        let pairs = self.addresses.iter().zip(&mut parts);
        let pairs = pairs.map(|(list, part)| (list, &mut **part));
        let manifolds: usize = self.addresses.iter().map(Addresses::len).sum();
        let pool = self.pool.as_ref().filter(|_| manifolds >= SIDE_BY_SIDE);
        let Some(pool) = pool else {
            return pairs
                .map(work)
                .fold(PackingResult::PLAIN, PackingResult::and);
        };
        let mut packed = vec![PackingResult::PLAIN; self.addresses.len()];
        // the threads of the workers, which are awake, and after that are the workers again
        self.workers.release();
        pool.in_place_scope(|scope| {
            let mut jobs = pairs.zip(&mut packed);
            let first = jobs.next();
            for (pair, packed) in jobs {
                scope.spawn(move |_| *packed = work(pair));
            }
            self.workers.engage(pool);
            if let Some((pair, packed)) = first {
                *packed = work(pair);
            }
        });
        packed
            .into_iter()
            .fold(PackingResult::PLAIN, PackingResult::and)
    }

    /// Refreshes every batch; true if the manifolds need the full kernel.
    fn update(&mut self, context: &mut Context<'_>, what: Changes) -> bool {
        context.full = self.full;
        let mut more = false;
        for index in 0..self.workers.threads() {
            let mut part = self.workers.part(index);
            part.each_batch(context, |batch, context| {
                more |= batch.refresh(context, what);
            });
        }
        more
    }

    /// Takes over v_f and sums the velocities.
    fn set_free(&mut self, free: &[f64], cold: bool) {
        self.sweeps = 0;
        self.workers.with_common(|common| {
            common.free.clear();
            let free = free.as_chunks::<6>().0.iter();
            common.free.extend(free.map(narrow));
        });
        if !cold {
            self.workers.run(Task::Renew);
            return;
        }
        self.workers.with_common(|common| {
            for (slot, row) in common.slots.iter().zip(&common.free) {
                write(slot, row);
            }
            for index in 0..self.workers.threads() {
                let mut part = self.workers.part(index);
                part.set_free(index, &common.free);
                part.note_finite(index);
            }
        });
    }
}

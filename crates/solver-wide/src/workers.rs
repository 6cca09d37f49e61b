//! The threads of one solver: they wait between tasks, spinning for a while, and share nothing but
//! slots.

mod frame;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::thread::Thread;

use rayon::ThreadPool;

use super::batch::{Batch, BodiesOfThread, Context, Visit};
use super::exchange::{Counter, Exchange, Slot, ThreadMoment, wait_until};
use super::frame::{FrameBodies, FrameTask};
use super::lanes::BodyRow;
use super::velocities::Velocities;

/// Sweeps after which the velocities are summed anew from the impulses \[-\].
///
/// A velocity takes a rounding of f32 per change and the changes of thousands of sweeps drift apart
/// from λ; summing anew costs about half a sweep.
pub(crate) const RENEWAL: u64 = 64;

/// Turns of the loop after which a thread without work sleeps \[-\]: longer than a scheme needs
/// between two calls.
const IDLE: u32 = 20_000;

/// A task of the threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Task {
    /// v = v_f + M⁻¹Jᵀλ.
    Renew,
    /// So many sweeps, the first of them with this number since the velocities were summed.
    Solve { sweeps: u32, first: u64 },
    /// Half-steps of the frame that all threads read.
    HalfSteps,
}

/// What one thread has: its bundles, its velocities.
#[derive(Debug, Default)]
pub(crate) struct ThreadPart {
    /// Batches, step by step: colour by colour, then the overflow, one lane at a time, of the first
    /// thread.
    pub(crate) steps: Vec<Vec<Box<dyn Batch>>>,
    /// One per body, and the world, which stands still.
    pub(crate) velocities: Vec<BodyRow>,
    /// True if the bundles come from memory.
    pub(crate) far: bool,
    pub(crate) exchange: Exchange,
    pub(crate) frame_bodies: FrameBodies,
    /// True if every velocity was a number after the last task.
    pub(crate) finite: bool,
    /// Workspace of packing.
    work: Vec<f64>,
}

/// What all threads read.
#[derive(Debug, Default)]
pub(crate) struct SharedSweepState {
    /// v_f.
    pub(crate) free: Vec<BodyRow>,
    pub(crate) slots: Vec<Slot>,
    pub(crate) frame: FrameTask,
    /// Where threads publish velocities at a barrier; two barriers alternate between them.
    pub(crate) barrier_slots: [Vec<Slot>; 2],
}

/// The parts of all threads, and their tasks.
#[derive(Debug)]
pub(crate) struct WorkerPool {
    parts: Vec<Mutex<ThreadPart>>,
    common: RwLock<SharedSweepState>,
    task: Mutex<Task>,
    /// Number of tasks so far.
    round: Counter,
    finished: AtomicUsize,
    quit: AtomicBool,
    /// Threads that have arrived at the barriers of the task.
    arrived: Counter,
    done: Vec<Counter>,
    /// The other threads, once they follow.
    sleepers: Vec<Mutex<Option<Thread>>>,
}

impl WorkerPool {
    /// So many threads, those of a pool if there are more than one.
    pub(crate) fn new(threads: usize, pool: Option<&ThreadPool>) -> Arc<Self> {
        let workers = Arc::new(Self {
            parts: (0..threads).map(|_| Mutex::default()).collect(),
            common: RwLock::default(),
            task: Mutex::new(Task::Renew),
            round: Counter::default(),
            finished: AtomicUsize::new(0),
            quit: AtomicBool::new(false),
            arrived: Counter::default(),
            done: (0..threads).map(|_| Counter::default()).collect(),
            sleepers: (1..threads).map(|_| Mutex::default()).collect(),
        });
        if let Some(pool) = pool {
            workers.engage(pool);
        }
        workers
    }

    /// Lets the threads of the pool wait for tasks, as soon as they have done what the pool has for
    /// them.
    pub(crate) fn engage(self: &Arc<Self>, pool: &ThreadPool) {
        let seen = self.round.0.load(Ordering::Relaxed);
        for index in 1..self.threads() {
            let workers = Arc::clone(self);
            pool.spawn(move || {
                *locked(&workers.sleepers[index - 1]) = Some(std::thread::current());
                workers.follow(index, seen);
            });
        }
    }

    /// Gives the threads back to their pool, which has something else for them; waits until they
    /// are there.
    pub(crate) fn release(&self) {
        self.finished.store(0, Ordering::Relaxed);
        self.dismiss();
        self.wait_for_others();
        self.quit.store(false, Ordering::Relaxed);
    }

    fn wait_for_others(&self) {
        let others = self.threads() - 1;
        wait_until(|| self.finished.load(Ordering::Acquire) == others);
    }

    /// Wakes the threads that sleep.
    fn wake(&self) {
        for sleeper in &self.sleepers {
            if let Some(thread) = &*locked(sleeper) {
                thread.unpark();
            }
        }
    }

    /// Number of threads, the caller's among them.
    pub(crate) fn threads(&self) -> usize {
        self.parts.len()
    }

    /// The part of a thread; only between tasks.
    pub(crate) fn part(&self, index: usize) -> MutexGuard<'_, ThreadPart> {
        locked(&self.parts[index])
    }

    /// Changes what all threads read; only between tasks.
    pub(crate) fn with_common<R>(&self, change: impl FnOnce(&mut SharedSweepState) -> R) -> R {
        change(&mut self.common.write().unwrap_or_else(PoisonError::into_inner))
    }

    /// One task on all threads; the caller is the first of them.
    pub(crate) fn run(&self, task: Task) {
        *locked(&self.task) = task;
        for done in &self.done {
            done.0.store(0, Ordering::Relaxed);
        }
        self.finished.store(0, Ordering::Relaxed);
        self.arrived.0.store(0, Ordering::Relaxed);
        self.round.0.fetch_add(1, Ordering::Release);
        self.wake();
        self.work(0, task);
        self.wait_for_others();
    }

    /// Ends the other threads.
    pub(crate) fn dismiss(&self) {
        self.quit.store(true, Ordering::Release);
        self.round.0.fetch_add(1, Ordering::Release);
        self.wake();
    }

    /// What a thread of the pool does until it is dismissed; `seen` rounds were over before.
    fn follow(&self, index: usize, mut seen: u64) {
        loop {
            let mut turns = 0;
            while self.round.0.load(Ordering::Acquire) == seen {
                if turns < IDLE {
                    turns += 1;
                    std::hint::spin_loop();
                } else {
                    // a wake-up that came before makes this return at once
                    std::thread::park();
                }
            }
            seen += 1;
            if self.quit.load(Ordering::Acquire) {
                self.finished.fetch_add(1, Ordering::Release);
                return;
            }
            let task = *locked(&self.task);
            self.work(index, task);
            self.finished.fetch_add(1, Ordering::Release);
        }
    }

    fn work(&self, index: usize, task: Task) {
        let common = self.common.read().unwrap_or_else(PoisonError::into_inner);
        let mut part = self.part(index);
        let mut share = Share {
            index,
            part: &mut part,
            common: &common,
            done: &self.done,
            now: 0,
            arrived: &self.arrived,
            barriers: 0,
        };
        match task {
            Task::Renew => share.renew(),
            Task::Solve { sweeps, first } => {
                for sweep in first..first + u64::from(sweeps) {
                    if sweep > 0 && sweep % RENEWAL == 0 {
                        share.renew();
                    }
                    share.sweep(Visit::Solve);
                }
            }
            Task::HalfSteps => share.integrate_frame(),
        }
        part.note_finite(index);
    }
}

impl ThreadPart {
    /// The batches in the order of a sweep.
    pub(crate) fn batches(&self) -> impl Iterator<Item = &Box<dyn Batch>> {
        self.steps.iter().flatten()
    }

    /// The same, to be changed.
    pub(crate) fn batches_mut(&mut self) -> impl Iterator<Item = &mut Box<dyn Batch>> {
        self.steps.iter_mut().flatten()
    }

    /// Shows every batch to `visit`, with the workspace of this thread.
    pub(crate) fn each_batch(
        &mut self,
        context: &mut Context<'_>,
        mut visit: impl FnMut(&mut dyn Batch, &mut Context<'_>),
    ) {
        std::mem::swap(&mut context.work, &mut self.work);
        for batch in self.batches_mut() {
            visit(batch.as_mut(), context);
        }
        std::mem::swap(&mut context.work, &mut self.work);
    }

    /// Takes over the free velocities of the bodies that the thread reads.
    pub(crate) fn set_free(&mut self, index: usize, free: &[BodyRow]) {
        self.velocities.resize(free.len() + 1, [0.0; 8]);
        self.velocities[free.len()] = [0.0; 8];
        if index == 0 {
            self.velocities[..free.len()].copy_from_slice(free);
        } else {
            for body in &self.exchange.touched {
                self.velocities[*body as usize] = free[*body as usize];
            }
        }
    }

    /// Looks at the bodies that the thread was the last to touch; one thread looks at all.
    pub(crate) fn note_finite(&mut self, index: usize) {
        // no early end: a plain fold over all bits is vectorised
        let bad = |row: &BodyRow| row.iter().fold(false, |bad, x| bad | !x.is_finite());
        let velocities = &self.velocities;
        let any = if index == 0 && self.exchange.owned.is_empty() {
            velocities.iter().fold(false, |any, row| any | bad(row))
        } else {
            let owned = self.exchange.owned.iter();
            owned.fold(false, |any, body| any | bad(&velocities[*body as usize]))
        };
        self.finite = !any;
    }
}

/// What one thread holds during a task.
struct Share<'a> {
    index: usize,
    part: &'a mut ThreadPart,
    common: &'a SharedSweepState,
    done: &'a [Counter],
    /// Steps since the task began.
    now: u64,
    arrived: &'a Counter,
    /// Barriers since the task began.
    barriers: u64,
}

impl Share<'_> {
    /// Visits all bundles in the order of a sweep.
    fn sweep(&mut self, visit: Visit) {
        self.each_batch(visit == Visit::Apply, |batch, bodies| {
            batch.visit(&mut bodies.velocities, visit);
        });
    }

    /// Does something with every batch in the order of a sweep; `starts` if all velocities are
    /// known.
    fn each_batch(
        &mut self,
        starts: bool,
        mut visit: impl FnMut(&mut dyn Batch, &mut BodiesOfThread<'_>),
    ) {
        for step in 0..self.part.steps.len() {
            self.take(step, starts);
            let part = &mut *self.part;
            let far = part.far;
            let mut bodies = BodiesOfThread {
                velocities: Velocities {
                    rows: &mut part.velocities,
                    far,
                },
                motions: Velocities {
                    rows: &mut part.frame_bodies.motions,
                    far,
                },
            };
            for batch in &mut part.steps[step] {
                visit(&mut **batch, &mut bodies);
            }
            self.give(step);
        }
    }

    /// v = v_f + M⁻¹Jᵀλ.
    fn renew(&mut self) {
        self.part.set_free(self.index, &self.common.free);
        self.sweep(Visit::Apply);
    }

    fn take(&mut self, step: usize, starts: bool) {
        if self.done.len() > 1 {
            let moment = ThreadMoment {
                step,
                now: self.now,
            };
            let part = &mut *self.part;
            let (slots, velocities) = (&self.common.slots, &mut part.velocities);
            part.exchange
                .take(moment, starts, self.done, slots, velocities);
        }
    }

    fn give(&mut self, step: usize) {
        if self.done.len() > 1 {
            let moment = ThreadMoment {
                step,
                now: self.now,
            };
            let (part, slots) = (&*self.part, &self.common.slots);
            let done = &self.done[self.index];
            part.exchange.give(moment, done, slots, &part.velocities);
        }
        self.now += 1;
    }
}

/// What a mutex holds; a panic elsewhere leaves numbers, which the next `prepare` overwrites.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

//! Sweeps at one vector level: colours in turn, the overflow last, on one thread or several.

use std::fmt::Debug;
use std::marker::PhantomData;
use std::sync::{Mutex, MutexGuard, PoisonError};

use delassus_core::Refresh;
#[cfg(target_arch = "aarch64")]
use fearless_simd::Neon;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
use fearless_simd::{Avx2, Avx512, Sse2, f32x4, f32x8, f32x16};
use rayon::ThreadPool;

use super::barrier::Barrier;
use super::batch::{Batch, Context};
use super::lanes::BodyRow;
use super::lanes::Lanes;
use super::level::Level;
use super::manifold::Packed;
use super::plan::Group;
use super::velocities::{Plain, Shared, Store, Velocities, narrow};

/// Everything that depends on the number of lanes.
pub(crate) trait Engine: Send + Debug {
    /// Packs a problem. `groups` is empty if the plan is the one of the last call; false if it cannot be.
    fn prepare(&mut self, context: &mut Context<'_>, groups: Option<&[Group]>) -> bool;

    /// Takes over what changed.
    fn refresh(&mut self, context: &mut Context<'_>, what: Refresh);

    /// Sweeps.
    fn iterate(&mut self, sweeps: u32);

    /// Copies the impulses out.
    fn read_impulses(&self, first_rows: &[u32], out: &mut [f64]);

    /// The velocities of the bodies.
    fn velocities(&self) -> &Velocities;

    /// Bundles in the colours, and the lanes of them that hold something.
    fn fill(&self) -> (usize, usize);
}

/// The engine of a level; `pool` if there is more than one thread.
pub(crate) fn engine(level: Level, threads: usize, pool: Option<ThreadPool>) -> Box<dyn Engine> {
    match level {
        Level::Scalar => Box::new(Typed::<f32, 1>::new((), threads, pool)),
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        Level::Sse2(token) => Box::new(Typed::<f32x4<Sse2>, 4>::new(token, threads, pool)),
        #[cfg(target_arch = "aarch64")]
        Level::Neon(token) => Box::new(Typed::<f32x4<Neon>, 4>::new(token, threads, pool)),
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        Level::Avx2(token) => Box::new(Typed::<f32x8<Avx2>, 8>::new(token, threads, pool)),
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        Level::Avx512(token) => Box::new(Typed::<f32x16<Avx512>, 16>::new(token, threads, pool)),
    }
}

/// The batches of one thread, colour by colour. Each thread has its own memory.
type Part<const N: usize> = Vec<Vec<Batch<N>>>;

struct Typed<V: Lanes<N>, const N: usize> {
    token: V::Token,
    parts: Vec<Mutex<Part<N>>>,
    /// The overflow, one lane at a time.
    serial: Mutex<Vec<Batch<1>>>,
    velocities: Velocities,
    /// v_f.
    free: Vec<BodyRow>,
    /// Sweeps since the velocities were set.
    sweeps: u64,
    pool: Option<ThreadPool>,
    full: bool,
    lanes: PhantomData<fn() -> V>,
}

impl<V: Lanes<N>, const N: usize> Debug for Typed<V, N> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Typed")
            .field("lanes", &N)
            .field("threads", &self.parts.len())
            .field("bodies", &self.velocities.len())
            .finish_non_exhaustive()
    }
}

/// Sweeps after which the velocities are summed anew from the impulses \[-\].
///
/// A velocity takes a rounding of f32 per change and the changes of thousands of sweeps drift apart from λ; summing
/// anew costs about half a sweep.
const RENEWAL: u64 = 64;

/// What a pass does with the bundles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pass {
    /// v = v_f + M⁻¹Jᵀλ.
    Renew,
    /// So many sweeps, the first of them with this number since the velocities were summed.
    Solve { sweeps: u32, first: u64 },
}

/// What the threads of a pass share.
struct Task<'a, W> {
    pass: Pass,
    free: &'a [BodyRow],
    threads: usize,
    /// Waits for the other threads.
    wait: W,
}

impl<V: Lanes<N>, const N: usize> Typed<V, N> {
    fn new(token: V::Token, threads: usize, pool: Option<ThreadPool>) -> Self {
        let velocities = if pool.is_some() {
            Velocities::Shared(Vec::new())
        } else {
            Velocities::Plain(Vec::new())
        };
        Self {
            token,
            parts: (0..threads).map(|_| Mutex::new(Vec::new())).collect(),
            serial: Mutex::new(Vec::new()),
            velocities,
            free: Vec::new(),
            sweeps: 0,
            pool,
            full: false,
            lanes: PhantomData,
        }
    }

    /// Makes the batches of a plan.
    fn assign(&mut self, groups: &[Group], world: u32, projection: bool) {
        let colours = groups.iter().filter_map(|group| group.colour);
        let colours = colours.max().map_or(0, |last| last + 1);
        for part in &mut self.parts {
            let part = held(part);
            part.clear();
            part.resize_with(colours, Vec::new);
        }
        held(&mut self.serial).clear();
        for group in groups {
            match group.colour {
                Some(colour) => {
                    let batch = Batch::new(group, world, projection);
                    held(&mut self.parts[group.part])[colour].push(batch);
                }
                None => held(&mut self.serial).push(Batch::new(group, world, projection)),
            }
        }
    }

    /// Writes every bundle; false if a block is not what the plan says.
    fn pack(&mut self, context: &mut Context<'_>) -> bool {
        let mut all = Packed {
            fits: true,
            needs_full: false,
        };
        let mut note = |packed: Packed| {
            all.fits &= packed.fits;
            all.needs_full |= packed.needs_full;
        };
        for part in &mut self.parts {
            for batch in held(part).iter_mut().flatten() {
                note(batch.pack::<V>(self.token, context));
            }
        }
        for batch in held(&mut self.serial) {
            note(batch.pack::<f32>((), context));
        }
        self.full = all.needs_full;
        if self.full && all.fits {
            self.update(context, Refresh::ALL);
        }
        all.fits
    }

    /// Refreshes every batch; true if the manifolds need the full kernel.
    fn update(&mut self, context: &mut Context<'_>, what: Refresh) -> bool {
        context.full = self.full;
        let mut more = false;
        for part in &mut self.parts {
            for batch in held(part).iter_mut().flatten() {
                more |= batch.refresh::<V>(self.token, context, what);
            }
        }
        for batch in held(&mut self.serial) {
            more |= batch.refresh::<f32>((), context, what);
        }
        more
    }

    fn run(&mut self, pass: Pass) {
        let (token, threads, free) = (self.token, self.parts.len(), &self.free);
        match (&mut self.velocities, &self.pool) {
            (Velocities::Shared(rows), Some(pool)) => {
                let (parts, serial) = (&self.parts, &self.serial);
                let barrier = Barrier::new(threads);
                pool.broadcast(|context| {
                    let index = context.index();
                    let task = Task {
                        pass,
                        free,
                        threads,
                        wait: || barrier.wait(),
                    };
                    let mut share = Share {
                        index,
                        part: &mut locked(&parts[index]),
                        serial: (index == 0).then(|| locked(serial)),
                    };
                    share.work::<V, _>(token, &mut Shared(rows), &task);
                });
            }
            (Velocities::Plain(rows), _) => {
                let task = Task {
                    pass,
                    free,
                    threads,
                    wait: || {},
                };
                if let Some(part) = self.parts.first_mut() {
                    let mut share = Share {
                        index: 0,
                        part: held(part),
                        serial: Some(locked(&self.serial)),
                    };
                    share.work::<V, _>(token, &mut Plain(rows), &task);
                }
            }
            // threads come with their pool
            (Velocities::Shared(_), None) => {}
        }
    }

    /// Takes over v_f and sums the velocities.
    fn set_free(&mut self, free: &[f64], cold: bool) {
        self.free.clear();
        self.free.extend(free.as_chunks::<6>().0.iter().map(narrow));
        self.sweeps = 0;
        self.velocities.set(&self.free);
        if !cold {
            self.run(Pass::Renew);
        }
    }
}

/// What one thread holds during a pass.
struct Share<'a, const N: usize> {
    index: usize,
    part: &'a mut Part<N>,
    /// The overflow, for the first thread.
    serial: Option<MutexGuard<'a, Vec<Batch<1>>>>,
}

impl<const N: usize> Share<'_, N> {
    fn work<V: Lanes<N>, S: Store>(
        &mut self,
        token: V::Token,
        store: &mut S,
        task: &Task<'_, impl Fn()>,
    ) {
        match task.pass {
            Pass::Renew => self.renew::<V, S>(token, store, task),
            Pass::Solve { sweeps, first } => {
                for sweep in first..first + u64::from(sweeps) {
                    if sweep > 0 && sweep % RENEWAL == 0 {
                        self.renew::<V, S>(token, store, task);
                    }
                    for batches in self.part.iter_mut() {
                        for batch in batches {
                            batch.solve::<V, S>(token, store);
                        }
                        (task.wait)();
                    }
                    if let Some(serial) = &mut self.serial {
                        for batch in serial.iter_mut() {
                            batch.solve::<f32, S>((), store);
                        }
                    }
                    (task.wait)();
                }
            }
        }
    }

    /// v = v_f + M⁻¹Jᵀλ, the sum in the order of a sweep.
    fn renew<V: Lanes<N>, S: Store>(
        &mut self,
        token: V::Token,
        store: &mut S,
        task: &Task<'_, impl Fn()>,
    ) {
        let count = task.free.len().div_ceil(task.threads);
        let bodies = (0u32..).zip(task.free).skip(self.index * count).take(count);
        for (body, row) in bodies {
            store.set_body(body, *row);
        }
        (task.wait)();
        for batches in self.part.iter() {
            for batch in batches {
                batch.apply::<V, S>(token, store);
            }
            (task.wait)();
        }
        for batch in self.serial.iter().flat_map(|serial| serial.iter()) {
            batch.apply::<f32, S>((), store);
        }
        (task.wait)();
    }
}

impl<V: Lanes<N>, const N: usize> Engine for Typed<V, N> {
    fn prepare(&mut self, context: &mut Context<'_>, groups: Option<&[Group]>) -> bool {
        if let Some(groups) = groups {
            // fewer than 2³¹ bodies: `pair` has refused the others
            let world = u32::try_from(context.bodies.len()).unwrap_or(0);
            self.assign(groups, world, context.projection);
        }
        let fits = self.pack(context);
        if fits || groups.is_some() {
            let cold = context.impulses.iter().all(|x| *x == 0.0);
            self.set_free(&context.bodies.free_velocity, cold);
        }
        fits
    }

    fn refresh(&mut self, context: &mut Context<'_>, what: Refresh) {
        if what.bias || what.compliance || what.activity {
            // held rows need the full kernel, and only its refresh looks at them
            let holds = what.activity && !context.problem.all_active();
            let more = self.update(context, what) || holds;
            if more && !self.full {
                self.full = true;
                self.update(context, Refresh::ALL);
            }
        }
        if what.free_velocity {
            self.set_free(&context.bodies.free_velocity, false);
        }
    }

    fn iterate(&mut self, sweeps: u32) {
        let first = self.sweeps;
        self.sweeps += u64::from(sweeps);
        self.run(Pass::Solve { sweeps, first });
    }

    fn read_impulses(&self, first_rows: &[u32], out: &mut [f64]) {
        for part in &self.parts {
            for batch in locked(part).iter().flatten() {
                batch.read_impulses(first_rows, out);
            }
        }
        for batch in locked(&self.serial).iter() {
            batch.read_impulses(first_rows, out);
        }
    }

    fn velocities(&self) -> &Velocities {
        &self.velocities
    }

    fn fill(&self) -> (usize, usize) {
        let mut sums = (0, 0);
        for part in &self.parts {
            for batch in locked(part).iter().flatten() {
                let (bundles, lanes) = batch.fill();
                sums = (sums.0 + bundles, sums.1 + lanes);
            }
        }
        sums
    }
}

/// What a mutex holds; a panic elsewhere leaves numbers, which the next `prepare` overwrites.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn held<T>(mutex: &mut Mutex<T>) -> &mut T {
    mutex.get_mut().unwrap_or_else(PoisonError::into_inner)
}

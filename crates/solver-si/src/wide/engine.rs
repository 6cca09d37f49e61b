//! Sweeps at one vector level: colours in turn, the overflow last, on one thread or several.

use std::fmt::Debug;
use std::marker::PhantomData;
use std::sync::Arc;

use delassus_core::{Activity, Problem, Refresh, Traffic};
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
use fearless_simd::{Avx2, Avx512, Sse2, f32x4, f32x8, f32x16};
#[cfg(target_arch = "aarch64")]
use fearless_simd::{Neon, f32x4};
use rayon::ThreadPool;

use super::batch::{Batch, Context};
use super::crew::{Crew, Part, Pass, RENEWAL};
use super::deliver::{Addresses, deliver};
use super::exchange::{Exchange, write};
use super::lanes::BodyRow;
use super::lanes::Lanes;
use super::level::Level;
use super::manifold::Packed;
use super::plan::Group;
use super::velocities::narrow;

/// True if rows are held, other than all friction.
fn holds_more(problem: &Problem) -> bool {
    !matches!(
        problem.uniform_activity(),
        Some(Activity::Solve | Activity::NormalsOnly)
    )
}

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

    /// Copies the velocities of the bodies out, six per body.
    fn read_velocities(&self, out: &mut [f64]);

    /// Appends what decides the next sweep and cannot be read: what reading rounds, and sweeps since the last renewal.
    fn state(&self, out: &mut Vec<u64>);

    /// True if every velocity is a number.
    fn is_finite(&self) -> bool;

    /// Bytes of one sweep.
    fn traffic(&self) -> Traffic;

    /// Bundles in the colours, and the lanes of them that hold something.
    fn fill(&self) -> (usize, usize);
}

/// The engine of a level; `pool` if there is more than one thread.
pub(crate) fn engine(
    level: Level,
    threads: usize,
    pool: Option<Arc<ThreadPool>>,
) -> Box<dyn Engine> {
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

struct Typed<V: Lanes<N>, const N: usize> {
    token: V::Token,
    crew: Arc<Crew<N>>,
    bodies: usize,
    /// Where each manifold goes, in the colours and in the overflow.
    addresses: Addresses,
    serial_addresses: Addresses,
    /// Sweeps since the velocities were set.
    sweeps: u64,
    full: bool,
    /// Where the threads of the crew live.
    _pool: Option<Arc<ThreadPool>>,
    lanes: PhantomData<fn() -> V>,
}

impl<V: Lanes<N>, const N: usize> Debug for Typed<V, N> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Typed")
            .field("lanes", &N)
            .field("threads", &self.crew.threads())
            .field("bodies", &self.bodies)
            .finish_non_exhaustive()
    }
}

impl<V: Lanes<N>, const N: usize> Drop for Typed<V, N> {
    fn drop(&mut self) {
        self.crew.dismiss();
    }
}

impl<V: Lanes<N>, const N: usize> Typed<V, N> {
    fn new(token: V::Token, threads: usize, pool: Option<Arc<ThreadPool>>) -> Self {
        Self {
            token,
            crew: Crew::new::<V>(token, threads, pool.as_deref()),
            bodies: 0,
            addresses: Addresses::default(),
            serial_addresses: Addresses::default(),
            sweeps: 0,
            full: false,
            _pool: pool,
            lanes: PhantomData,
        }
    }

    /// Makes the batches of a plan.
    fn assign(&mut self, groups: &[Group], context: &Context<'_>) {
        // fewer than 2³¹ bodies: `pair` has refused the others
        let world = u32::try_from(context.bodies.len()).unwrap_or(0);
        let colours = groups.iter().filter_map(|group| group.colour);
        let colours = colours.max().map_or(0, |last| last + 1);
        let threads = self.crew.threads();
        for index in 0..threads {
            let part = &mut *self.crew.part(index);
            part.colours.clear();
            part.colours.resize_with(colours, Vec::new);
            part.serial.clear();
            let own = groups.iter().filter(|group| group.part == index);
            for group in own {
                match group.colour {
                    Some(colour) => {
                        part.colours[colour].push(Batch::new(group, world, context.projection));
                    }
                    None => part
                        .serial
                        .push(Batch::new(group, world, context.projection)),
                }
            }
        }
        let parts: Vec<_> = (0..threads).map(|index| self.crew.part(index)).collect();
        let wide = parts.iter().flat_map(|part| part.colours.iter().flatten());
        self.addresses = Addresses::of(wide);
        self.serial_addresses = Addresses::of(parts.iter().flat_map(|part| &part.serial));
        drop(parts);
        self.bodies = context.bodies.len();
        if threads > 1 {
            let exchanges = Exchange::plan(groups, context.bodies, threads, colours + 1);
            for (index, exchange) in exchanges.into_iter().enumerate() {
                self.crew.part(index).exchange = exchange;
            }
            self.crew.with_common(|common| {
                common
                    .slots
                    .resize_with(context.bodies.len(), Default::default);
            });
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
        let mut parts: Vec<_> = (0..self.crew.threads())
            .map(|index| self.crew.part(index))
            .collect();
        let (mut wide, mut single) = (Vec::new(), Vec::new());
        for part in &mut parts {
            let Part {
                colours, serial, ..
            } = &mut **part;
            wide.extend(colours.iter_mut().flatten());
            single.extend(serial.iter_mut());
        }
        for batch in &mut wide {
            note(Packed {
                fits: batch.pack(context),
                needs_full: false,
            });
        }
        for batch in &mut single {
            note(Packed {
                fits: batch.pack(context),
                needs_full: false,
            });
        }
        note(deliver::<V, N>(
            self.token,
            context,
            &self.addresses,
            &mut wide,
        ));
        note(deliver::<f32, 1>(
            (),
            context,
            &self.serial_addresses,
            &mut single,
        ));
        drop(parts);
        self.full = all.needs_full || holds_more(context.problem);
        if self.full && all.fits {
            self.update(context, Refresh::ALL);
        }
        all.fits
    }

    /// Refreshes every batch; true if the manifolds need the full kernel.
    fn update(&mut self, context: &mut Context<'_>, what: Refresh) -> bool {
        context.full = self.full;
        let mut more = false;
        for index in 0..self.crew.threads() {
            let part = &mut *self.crew.part(index);
            for batch in part.colours.iter_mut().flatten() {
                more |= batch.refresh::<V>(self.token, context, what);
            }
            for batch in &mut part.serial {
                more |= batch.refresh::<f32>((), context, what);
            }
        }
        more
    }

    /// Takes over v_f and sums the velocities.
    fn set_free(&mut self, free: &[f64], cold: bool) {
        self.sweeps = 0;
        self.crew.with_common(|common| {
            common.free.clear();
            let free = free.as_chunks::<6>().0.iter();
            common.free.extend(free.map(narrow));
        });
        if !cold {
            self.crew.run::<V>(self.token, Pass::Renew);
            return;
        }
        self.crew.with_common(|common| {
            for (slot, row) in common.slots.iter().zip(&common.free) {
                write(slot, row);
            }
            for index in 0..self.crew.threads() {
                let mut part = self.crew.part(index);
                part.set_free(index, &common.free);
                part.note_finite(index);
            }
        });
    }
}

impl<V: Lanes<N>, const N: usize> Engine for Typed<V, N> {
    fn prepare(&mut self, context: &mut Context<'_>, groups: Option<&[Group]>) -> bool {
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

    fn refresh(&mut self, context: &mut Context<'_>, what: Refresh) {
        if what.bias || what.compliance || what.activity {
            // held rows need the full kernel, and only its refresh looks at them
            let holds = what.activity && holds_more(context.problem);
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
        self.crew
            .run::<V>(self.token, Pass::Solve { sweeps, first });
    }

    fn read_impulses(&self, first_rows: &[u32], out: &mut [f64]) {
        for index in 0..self.crew.threads() {
            let part = self.crew.part(index);
            for batch in part.colours.iter().flatten() {
                batch.read_impulses(first_rows, out);
            }
            for batch in &part.serial {
                batch.read_impulses(first_rows, out);
            }
        }
    }

    fn read_velocities(&self, out: &mut [f64]) {
        let bodies = out.as_chunks_mut::<6>().0;
        let widen = |row: &BodyRow| {
            let [x, y, z, _, p, q, r, _] = *row;
            [x, y, z, p, q, r].map(f64::from)
        };
        let part = self.crew.part(0);
        for (out, row) in bodies.iter_mut().zip(&part.velocities) {
            *out = widen(row);
        }
        drop(part);
        for index in 1..self.crew.threads() {
            let part = self.crew.part(index);
            for body in &part.exchange.owned {
                bodies[*body as usize] = widen(&part.velocities[*body as usize]);
            }
        }
    }

    fn state(&self, out: &mut Vec<u64>) {
        for index in 0..self.crew.threads() {
            let part = self.crew.part(index);
            let wide = part.colours.iter().flatten();
            wide.for_each(|batch| batch.state(out));
            part.serial.iter().for_each(|batch| batch.state(out));
        }
        out.push(self.sweeps % RENEWAL);
    }

    fn is_finite(&self) -> bool {
        (0..self.crew.threads()).all(|index| self.crew.part(index).finite)
    }

    fn traffic(&self) -> Traffic {
        let mut sum = Traffic::default();
        let mut add = |one: Traffic| {
            sum.read += one.read;
            sum.written += one.written;
            sum.gathered += one.gathered;
        };
        for index in 0..self.crew.threads() {
            let part = self.crew.part(index);
            part.colours
                .iter()
                .flatten()
                .for_each(|batch| add(batch.traffic()));
            part.serial.iter().for_each(|batch| add(batch.traffic()));
            add(part.exchange.traffic());
        }
        sum
    }

    fn fill(&self) -> (usize, usize) {
        let mut sums = (0, 0);
        for index in 0..self.crew.threads() {
            for batch in self.crew.part(index).colours.iter().flatten() {
                let (bundles, lanes) = batch.fill();
                sums = (sums.0 + bundles, sums.1 + lanes);
            }
        }
        sums
    }
}

//! `async-jacobi`: every block a thread that reads velocities while other threads add to them.
//!
//! The kernel of \[PeriDyno2021\] as it really runs: one launch per iteration, no double buffer,
//! atomic additions to the velocities, the step 1/(n_a + n_b) with n the number of contacts on a
//! body (J.9). What a thread reads depends on which threads have written, so the answer depends on
//! the scheduler. Here the scheduler is a seeded random one: a number of threads is in flight, and
//! at every event one of them, chosen at random, goes on: it reads and computes, then it adds to
//! its first body, then to its second (J.17). One thread in flight is Gauss–Seidel in random order;
//! all of them together are nearly Jacobi, but never quite.
//!
//! Budget per iteration: one pass over all blocks, velocities updated incrementally. Nearest
//! siblings: `jacobi` with rule = "count" reads the velocities of the start; `pgs` with order =
//! "random".
//!
//! Limitations: an emulation. Equal seeds give equal bits here; on a device nothing does. The step
//! is safe for contacts with few rows only; a patch counts as many times as it has points. A thread
//! is a block and not a row, so that friction laws that couple two rows can be projected. Theory:
//! docs/theory/15-jacobi.md. Source: \[PeriDyno2021\]; chaotic relaxation is \[Chazan1969\].

use delassus_core::{
    Changes, Checked, LawForm, Method, ParameterError, Parameters, Prepared, Problem, Progress,
    SolveError, SolverDescriptor, StateCoverage, Support,
};
use delassus_structure::geometry::FIXED;

use crate::kernels::vectors::{moved, scale, xyz};
use crate::kernels::{IterationStep, bodies, rows};
use crate::pack::{BODY_FREE, BODY_MASS, Iterate, Pack};
use crate::rule::{FactorRule, LocalSweep, Splitting, StepRule};

/// Parameters of [`AsyncJacobi`].
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct AsyncJacobiParameters {
    /// AsyncIterate in flight. 1 is Gauss-Seidel in random order.
    #[parameter(default = 32, unit = "-", range = ">= 1")]
    pub in_flight: usize,
    /// Seed of the scheduler. Any 64-bit number.
    #[parameter(default = 0, unit = "-")]
    pub seed: u64,
}

/// The asynchronous kernel under a seeded scheduler (J.17).
pub type AsyncJacobi = Checked<AsyncJacobiParameters>;

/// A problem whose blocks are threads.
#[derive(Debug, Clone)]
pub struct AsyncIterate {
    in_flight: usize,
    pack: Pack<f64>,
    state: Iterate<f64>,
    random: SplitMix,
    /// AsyncIterate in flight: a unit and what it does next.
    flights: Vec<Flight>,
    order: Vec<u32>,
}

/// A thread that has started.
#[derive(Debug, Clone, Copy)]
struct Flight {
    unit: u32,
    /// Zero before it has computed, then one more than the sides that it has added to.
    stage: u32,
}

/// Laws whose rows the step of the tutorial counts often enough (J.9): facets and rolling contacts
/// have more rows to a point.
pub const FORMS: &[(LawForm, Support)] = SolverDescriptor::ALL_BUT_POLYGONS_AND_SEVERAL;

impl Method for AsyncJacobiParameters {
    type Parameters = Self;
    type Prepared = AsyncIterate;

    const DESCRIPTOR: SolverDescriptor = SolverDescriptor {
        id: "async-jacobi",
        aliases: &["chaotic-relaxation", "peridyno-2021"],
        name: "Asynchronous Jacobi",
        summary: "Blocks read velocities while others add to them, under a seeded scheduler; on a device it would not repeat.",
        citations: &["PeriDyno2021", "Chazan1969"],
        theory: &["J.9", "J.17"],
        cost: "m",
        forms: FORMS,
        supports_inactive_rows: true,
        needs_bodies: true,
        ..SolverDescriptor::BASE
    };

    fn new(parameters: Self) -> Result<Self, ParameterError> {
        Ok(parameters)
    }

    fn prepare(
        &mut self,
        problem: &Problem,
        impulses: Vec<f64>,
    ) -> Result<AsyncIterate, SolveError> {
        let AsyncJacobiParameters { in_flight, seed } = *self;
        let pack = Pack::of_blocks(problem, RULE)?;
        let mut threads = AsyncIterate {
            in_flight,
            random: SplitMix(seed),
            flights: Vec::new(),
            order: Vec::new(),
            pack,
            state: Iterate::default(),
        };
        threads.load(&impulses);
        Ok(threads)
    }

    fn prepare_into(
        &mut self,
        threads: &mut AsyncIterate,
        problem: &Problem,
        impulses: &[f64],
    ) -> Result<bool, SolveError> {
        threads.random = SplitMix(self.seed);
        threads.pack.repeat_blocks(problem, RULE)?;
        threads.load(impulses);
        Ok(true)
    }
}

/// The step of the tutorial.
const RULE: StepRule = StepRule {
    rule: FactorRule::Count,
    splitting: Splitting::Blocks,
    sweep: LocalSweep::Points,
    omega: 1.0,
};

impl Prepared for AsyncIterate {
    fn update(&mut self, problem: &Problem, changed: Changes) -> Result<bool, SolveError> {
        // there are no manifolds, so the structure always fits
        self.pack.refresh(problem, changed)?;
        self.restart();
        Ok(true)
    }

    fn iterate(&mut self, _: &Problem, sweeps: u32) -> Result<Progress, SolveError> {
        for _ in 0..sweeps {
            self.launch();
        }
        Ok(Progress::of_sweeps(sweeps, self.pack.active_rows()))
    }

    fn impulses(&self, out: &mut [f64]) -> Result<(), SolveError> {
        self.state.read(&self.pack, out);
        Ok(())
    }

    fn is_finite(&self) -> bool {
        let quads = self.pack.units.impulse_quads();
        let Iterate { rows, settled, .. } = &self.state;
        let finite = |all: &[[f64; 4]]| all.iter().flatten().all(|x| x.is_finite());
        finite(settled) && finite(&rows[..quads])
    }

    fn velocities(&self, out: &mut [f64]) -> Result<bool, SolveError> {
        self.state.read_velocities(out);
        Ok(true)
    }

    /// Impulses and velocities: a launch runs every thread once, so one that moves nothing moves
    /// nothing in any order.
    fn fingerprint(&self, out: &mut Vec<u64>) -> Result<Option<StateCoverage>, SolveError> {
        self.state.bits(&self.pack, false, out);
        Ok(Some(StateCoverage::FixedPoint(1)))
    }
}

impl AsyncIterate {
    /// Begins at the impulses of a problem that was packed, every thread in its place.
    fn load(&mut self, impulses: &[f64]) {
        self.state.fit(&self.pack);
        self.state.load(&self.pack, impulses);
        let units = self.pack.units.len();
        self.order.clear();
        self.order.extend((0_u32..).take(units));
        let flights = self.in_flight.min(units);
        self.flights.clear();
        self.flights.reserve(flights);
        self.restart();
    }

    /// Velocities of the impulses.
    fn restart(&mut self) {
        rows::wrenches(&self.pack, &mut self.state);
        bodies::run(&self.pack, &mut self.state, 0.0);
    }

    /// One launch of the kernel: every thread once, in a random order, several at a time.
    fn launch(&mut self) {
        self.random.shuffle(&mut self.order);
        self.flights.clear();
        let mut next = 0;
        loop {
            while self.flights.len() < self.in_flight && next < self.order.len() {
                let unit = self.order[next];
                self.flights.push(Flight { unit, stage: 0 });
                next += 1;
            }
            if self.flights.is_empty() {
                return;
            }
            let chosen = self.random.below(self.flights.len());
            if self.advance(chosen) {
                self.flights.swap_remove(chosen);
            }
        }
    }

    /// One event of a thread; true when it has ended.
    fn advance(&mut self, flight: usize) -> bool {
        let Flight { unit, stage } = self.flights[flight];
        self.flights[flight].stage += 1;
        let unit = unit as usize;
        let quads = self.pack.units.impulse_quads();
        let sides = self.pack.units.heads[unit][3];
        if stage == 0 {
            let Iterate { rows, settled, .. } = &mut self.state;
            let step = IterationStep::plain(false);
            rows::unit(&self.pack, settled, rows, [0, 0, quads], step, unit, None);
        } else {
            self.add(unit, stage as usize - 1);
        }
        let ended = stage == sides;
        if ended {
            self.keep(unit);
        }
        ended
    }

    /// Adds what the new impulses of a thread change in the velocity of one of its bodies.
    fn add(&mut self, unit: usize, side: usize) {
        let pack = &self.pack;
        let quads = pack.units.impulse_quads();
        let sides = pack.units.heads[unit][3] as usize;
        let body = pack.slots.body[pack.units.heads[unit][2] as usize + side];
        if body & FIXED != 0 {
            return;
        }
        let body = body as usize;
        let mass = &pack.bodies.mass[BODY_MASS * body..];
        let [first, rows, _, numbers] =
            pack.units.heads[pack.units.len() + unit].map(|x| x as usize);
        for local in 0..rows {
            let (at, lane) = ((first + local) / 4, (first + local) % 4);
            let change = self.state.rows[quads + at][lane] - self.state.rows[at][lane];
            let j = numbers + 1 + rows + 2 * (sides * local + side);
            let push = scale(change, xyz(pack.units.numbers[j]));
            let turn = scale(change, xyz(pack.units.numbers[j + 1]));
            let (linear, angular) = moved([mass[0], mass[1], mass[2]], push, turn);
            let velocity = &mut self.state.settled[BODY_FREE * body..][..BODY_FREE];
            for axis in 0..3 {
                velocity[0][axis] += linear[axis];
                velocity[1][axis] += angular[axis];
            }
        }
    }

    /// The new impulses of a thread replace the old ones.
    fn keep(&mut self, unit: usize) {
        let quads = self.pack.units.impulse_quads();
        let [first, rows, ..] = self.pack.units.heads[self.pack.units.len() + unit];
        for at in first as usize / 4..(first + rows).div_ceil(4) as usize {
            self.state.rows[at] = self.state.rows[quads + at];
        }
    }
}

/// A small random generator: what the scheduler needs and no more.
#[derive(Debug, Clone, Copy)]
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    /// A number below `bound`, which is small: the bias of the remainder is not seen.
    fn below(&mut self, bound: usize) -> usize {
        let bound = bound as u64;
        // below a usize
        usize::try_from(self.next() % bound).unwrap_or(0)
    }

    fn shuffle(&mut self, list: &mut [u32]) {
        for last in (1..list.len()).rev() {
            let other = self.below(last + 1);
            list.swap(last, other);
        }
    }
}

//! The work of one entry, ready to be repeated.

use std::hint::black_box;
use std::rc::Rc;
use std::time::Instant;

use delassus_core::{ChangedNumbers, ImpulseSolver, Problem, SolverUpdate, Start};
use delassus_dynamics::{Scheme, World};

use super::{BenchError, SETTLE, SUBSTEPS, SWEEPS};

/// Length of a step \[s\].
pub(super) const DT: f64 = 1.0 / 60.0;

/// Times of a shorter and a longer run, or of one run and nothing \[s\].
///
/// A sample is the difference of the two medians: a run that another program interrupts does not
/// move it.
#[derive(Debug, Clone)]
struct Times {
    sample: [Vec<f64>; 2],
    least: [f64; 2],
}

impl Times {
    fn new() -> Self {
        Self {
            sample: Default::default(),
            least: [f64::INFINITY; 2],
        }
    }

    fn note(&mut self, times: [f64; 2]) {
        for ((sample, least), time) in self.sample.iter_mut().zip(&mut self.least).zip(times) {
            sample.push(time);
            *least = least.min(time);
        }
    }

    /// Difference of the medians, and a new sample begins.
    fn take(&mut self) -> f64 {
        let [short, long] = self.sample.each_mut().map(|times| {
            times.sort_by(f64::total_cmp);
            let median = times.get(times.len() / 2).copied();
            times.clear();
            median.unwrap_or(f64::NAN)
        });
        long - short
    }

    /// Difference of the least times of all samples: what other programs disturb least.
    fn least(&self) -> f64 {
        self.least[1] - self.least[0]
    }
}

/// Sweeps, or `prepare` with reading, of one solver on one problem.
pub(super) struct TimedSolve {
    pub(super) solver: Box<dyn ImpulseSolver>,
    pub(super) problem: Rc<Problem>,
    start: Vec<f64>,
    impulses: Vec<f64>,
    velocities: Vec<f64>,
    times: Times,
}

impl TimedSolve {
    /// Settles the problem; every measured run starts from the impulses reached.
    pub(super) fn new(
        mut solver: Box<dyn ImpulseSolver>,
        problem: Rc<Problem>,
    ) -> Result<Self, BenchError> {
        let start = settled(solver.as_mut(), &problem)?;
        let bodies = problem.bodies().map_or(0, |bodies| bodies.len());
        Ok(Self {
            impulses: vec![0.0; problem.rows()],
            velocities: vec![0.0; 6 * bodies],
            solver,
            problem,
            start,
            times: Times::new(),
        })
    }

    /// Seconds per sweep, the slope of the medians of `pairs` pairs of runs.
    pub(super) fn slope(&mut self, pairs: u64) -> Result<f64, BenchError> {
        for _ in 0..pairs {
            let mut times = [0.0; 2];
            for (time, sweeps) in times.iter_mut().zip(SWEEPS) {
                let start = Start::Warm(&self.start);
                self.solver.prepare(&self.problem, start)?;
                // caches as they are in the middle of a solve
                self.solver.iterate(&self.problem, 1)?;
                let clock = Instant::now();
                self.solver.iterate(black_box(&self.problem), sweeps)?;
                *time = clock.elapsed().as_secs_f64();
            }
            self.times.note(times);
        }
        Ok(self.times.take() / difference(SWEEPS))
    }

    /// Difference of the least times of all slopes so far, per sweep \[s\].
    pub(super) fn least_slope(&self) -> f64 {
        self.times.least() / difference(SWEEPS)
    }

    /// Seconds per `prepare` with the impulses of the last step and reading of what it found: the
    /// median of `repeats`.
    pub(super) fn packing(&mut self, repeats: u64) -> Result<f64, BenchError> {
        for _ in 0..repeats {
            let clock = Instant::now();
            let start = Start::Warm(&self.start);
            self.solver.prepare(black_box(&self.problem), start)?;
            self.solver.read_impulses(&mut self.impulses)?;
            self.solver
                .read_velocities(&self.problem, &mut self.velocities)?;
            self.times.note([0.0, clock.elapsed().as_secs_f64()]);
        }
        Ok(self.times.take())
    }

    /// The least time of packing so far \[s\].
    pub(super) fn least_packing(&self) -> f64 {
        self.times.least()
    }

    /// Impulses after the larger number of sweeps from a cold start.
    pub(super) fn solve_cold(&mut self) -> Result<&[f64], BenchError> {
        self.solver.prepare(&self.problem, Start::Cold)?;
        self.solver.iterate(&self.problem, SWEEPS[1])?;
        self.solver.read_impulses(&mut self.impulses)?;
        Ok(&self.impulses)
    }
}

fn difference([few, many]: [u32; 2]) -> f64 {
    f64::from(many - few)
}

/// Impulses after [`SETTLE`] sweeps from a cold start.
fn settled(solver: &mut dyn ImpulseSolver, problem: &Problem) -> Result<Vec<f64>, BenchError> {
    solver.prepare(problem, Start::Cold)?;
    solver.iterate(problem, SETTLE)?;
    let mut impulses = vec![0.0; problem.rows()];
    solver.read_impulses(&mut impulses)?;
    Ok(impulses)
}

/// The solver's share of a substep of Soft Step.
pub(super) struct TimedSubstep {
    pub(super) solver: Box<dyn ImpulseSolver>,
    problem: Problem,
    biased: Vec<f64>,
    relaxed: Vec<f64>,
    free: Vec<f64>,
    odd: bool,
    times: Times,
}

impl TimedSubstep {
    pub(super) fn new(
        mut solver: Box<dyn ImpulseSolver>,
        problem: Problem,
    ) -> Result<Self, BenchError> {
        settled(solver.as_mut(), &problem)?;
        // a bias on the normals, first of every three rows
        let mut biased = vec![0.0; problem.rows()];
        biased.iter_mut().step_by(3).for_each(|b| *b = -1e-4);
        let bodies = problem
            .bodies()
            .ok_or(BenchError::Unknown("bodies in the problem"))?;
        Ok(Self {
            free: bodies.free_velocity.clone(),
            relaxed: problem.bias().to_vec(),
            solver,
            problem,
            biased,
            odd: false,
            times: Times::new(),
        })
    }

    /// Seconds per substep, the median of `repeats`; the setters of the problem, which belong to
    /// the scheme, stand outside the clock.
    pub(super) fn run(&mut self, repeats: u64) -> Result<f64, BenchError> {
        let relax = ChangedNumbers {
            bias: true,
            ..ChangedNumbers::default()
        };
        let motion = ChangedNumbers {
            free_velocity: true,
            ..relax
        };
        for _ in 0..repeats {
            self.odd = !self.odd;
            // velocities that differ from the last ones, so that nothing can be skipped
            if let Some(speed) = self.free.get_mut(1) {
                *speed += if self.odd { 1e-9 } else { -1e-9 };
            }
            self.problem.set_bias(&self.biased)?;
            self.problem.set_free_velocity(&self.free)?;
            let clock = Instant::now();
            self.solver
                .update(&self.problem, SolverUpdate::Numbers(motion))?;
            self.solver.iterate(&self.problem, 1)?;
            let biased = clock.elapsed().as_secs_f64();
            self.problem.set_bias(&self.relaxed)?;
            let clock = Instant::now();
            self.solver
                .update(&self.problem, SolverUpdate::Numbers(relax))?;
            self.solver.iterate(&self.problem, 1)?;
            let relaxed = clock.elapsed().as_secs_f64();
            self.times.note([0.0, biased + relaxed]);
        }
        Ok(self.times.take())
    }

    /// The least time of a substep so far \[s\].
    pub(super) fn least(&self) -> f64 {
        self.times.least()
    }
}

/// A wall that Soft Step moves, twice: with few and with many substeps.
pub(super) struct Steps {
    pairs: [(Box<dyn Scheme>, World); 2],
    pub(super) rows: usize,
    times: Times,
}

impl Steps {
    /// Settles both worlds.
    pub(super) fn new(mut pairs: [(Box<dyn Scheme>, World); 2]) -> Result<Self, BenchError> {
        let mut rows = 0;
        for (scheme, world) in &mut pairs {
            for _ in 0..SETTLE {
                rows = scheme.step(world, DT, &mut ())?.rows;
            }
        }
        let times = Times::new();
        Ok(Self { pairs, rows, times })
    }

    /// Seconds per substep, the slope of the medians of `pairs` pairs of steps.
    pub(super) fn slope(&mut self, pairs: u64) -> Result<f64, BenchError> {
        for _ in 0..pairs {
            let mut times = [0.0; 2];
            for (time, (scheme, world)) in times.iter_mut().zip(&mut self.pairs) {
                let clock = Instant::now();
                scheme.step(world, DT, &mut ())?;
                *time = clock.elapsed().as_secs_f64();
            }
            self.times.note(times);
        }
        Ok(self.times.take() / difference(SUBSTEPS))
    }

    /// Difference of the least times of all slopes so far, per substep \[s\].
    pub(super) fn least_slope(&self) -> f64 {
        self.times.least() / difference(SUBSTEPS)
    }
}

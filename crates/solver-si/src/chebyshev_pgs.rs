//! `chebyshev-pgs`: Chebyshev semi-iteration over symmetric sweeps of projected Gauss–Seidel.
//!
//! The change that a sweep S makes is extrapolated by the three-term recurrence of Chebyshev's
//! polynomials (G.30), whose weights follow from a bound ρ of the spectrum of the sweep alone,
//! without inner products of iterates: λ⁺ = ω (γ (S(λ) − λ) + λ − λ⁻) + λ⁻. A chain of ten links
//! contracts by .657 per symmetric sweep in place of .957.
//!
//! ρ is given, or found: `delay` plain sweeps whose last contraction is the first guess, then
//! cycles of eight extrapolated sweeps, after which a contraction that is slower than the
//! polynomial promised says how much larger ρ is (G.31). A cycle in which the steps have grown, as
//! they do when bounds change, ends in plain sweeps.
//!
//! Budget per sweep: that of the sweep inside (two passes if symmetric, else one), one more product
//! with M⁻¹Jᵀ, two vectors. Nearest sibling: `nncg`, which weighs its direction by quotients of
//! steps and needs no bound.
//!
//! The solver returns S(λ), a projected iterate. Departures: the paper accelerates projective
//! dynamics and restarts nothing; it takes ρ from a tuned constant. Limitations: no proof where
//! bounds change; `sweep = "forwards"` has complex eigenvalues in general, `"simultaneous"`
//! diverges where Jacobi's iteration does. Theory: docs/theory/25-sweeps.md. Source: \[Wang2015\],
//! \[Golub2013\].

use delassus_core::{
    Changes, Checked, Choice, Method, ParameterError, Parameters, Prepared, Problem, Progress,
    SolveError, SolverDescriptor, StateCoverage,
};

use crate::laws::RowRule;
use crate::order::{Order, Schedule};
use crate::packed::{PackedRows, effective_masses, read_packed};
use crate::sweep::{PreparedSweeps, SWEEP};

mod recurrence;

use recurrence::{Recurrence, Weights};

/// What is extrapolated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Choice)]
pub enum Sweep {
    /// A pass forwards and a pass backwards: eigenvalues in [0, ρ].
    #[default]
    Symmetric,
    /// A pass forwards: eigenvalues in [0, ρ] on chains and other consistently ordered problems.
    Forwards,
    /// A pass in which every row sees the velocities of its start (Jacobi): eigenvalues in [−ρ, ρ]
    /// on such problems.
    Simultaneous,
}

/// Plain sweeps before the first extrapolation when none are given \[-\], as in \[Wang2015\].
const DEFAULT_DELAY: u64 = 10;

/// Parameters of [`ChebyshevPgs`].
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct ChebyshevPgsParameters {
    /// What is extrapolated.
    pub sweep: Sweep,
    /// Bound ρ of the eigenvalues of a sweep. 0: it is estimated from the steps.
    #[parameter(default = 0.0, unit = "-", range = "[0, 1)")]
    pub rho: f64,
    /// Plain sweeps before extrapolation begins, and begins again.
    #[parameter(default = DEFAULT_DELAY, unit = "-", range = "[1, 10000]")]
    pub delay: u64,
}

/// Chebyshev semi-iteration (G.30).
pub type ChebyshevPgs = Checked<ChebyshevPgsParameters>;

impl Method for ChebyshevPgsParameters {
    type Parameters = Self;
    type Prepared = SemiIteration;

    const DESCRIPTOR: SolverDescriptor = SolverDescriptor {
        id: "chebyshev-pgs",
        aliases: &["chebyshev"],
        name: "Chebyshev projected Gauss-Seidel",
        summary: "Symmetric sweeps of pgs, extrapolated by Chebyshev's recurrence with restarts; hands out projected iterates.",
        citations: &["Wang2015", "Golub2013"],
        theory: &["G.2", "G.3", "G.4", "G.5", "G.28", "G.30", "G.31"],
        cost: "2m",
        ..SWEEP
    };

    fn new(parameters: Self) -> Result<Self, ParameterError> {
        Ok(parameters)
    }

    fn footprint(&self, problem: &Problem) -> u64 {
        // a simultaneous sweep takes four vectors of its own
        let vectors = 7 * size_of::<f64>() + 2 * size_of::<u32>();
        PreparedSweeps::<RowRule>::memory(problem) + (vectors * problem.rows()) as u64
    }

    fn prepare(
        &mut self,
        problem: &Problem,
        impulses: Vec<f64>,
    ) -> Result<SemiIteration, SolveError> {
        let ChebyshevPgsParameters { sweep, rho, delay } = *self;
        let weights = match sweep {
            Sweep::Symmetric | Sweep::Forwards => Weights::Positive,
            Sweep::Simultaneous => Weights::Symmetric,
        };
        let before = impulses.clone();
        let schedule = schedule(sweep, problem, Schedule::default());
        let mut iteration = SemiIteration {
            swept: PreparedSweeps::new(RowRule::new(1.0), schedule, problem, impulses)?,
            effective_masses: Vec::new(),
            previous: before.clone(),
            before,
            recurrence: Recurrence::new(weights, rho, delay),
        };
        effective_masses(problem, &mut iteration.effective_masses);
        Ok(iteration)
    }

    fn prepare_into(
        &mut self,
        iteration: &mut SemiIteration,
        problem: &Problem,
        impulses: &[f64],
    ) -> Result<bool, SolveError> {
        let (sweep, swept) = (self.sweep, &mut iteration.swept);
        swept.prepare_into(problem, impulses, |_, memory| {
            schedule(sweep, problem, memory)
        })?;
        effective_masses(problem, &mut iteration.effective_masses);
        for start in [&mut iteration.before, &mut iteration.previous] {
            start.clear();
            start.extend_from_slice(impulses);
        }
        iteration.recurrence.begin();
        Ok(true)
    }
}

/// The visits of a sweep; reuses the memory of earlier ones.
fn schedule(sweep: Sweep, problem: &Problem, memory: Schedule) -> Schedule {
    let blocks = problem.blocks().len();
    match sweep {
        Sweep::Symmetric => memory.there_and_back(blocks),
        Sweep::Forwards => memory.in_order(Order::Natural, 0, blocks),
        Sweep::Simultaneous => memory.in_order(Order::Simultaneous, 0, blocks),
    }
}

/// A prepared problem with its two last starts.
#[derive(Debug, Clone)]
pub struct SemiIteration {
    /// Its impulses are what the last sweep made of `before`.
    swept: PreparedSweeps<RowRule>,
    effective_masses: Vec<f64>,
    /// Where the last sweep began, λ.
    before: Vec<f64>,
    /// Where the sweep before it began, λ⁻.
    previous: Vec<f64>,
    recurrence: Recurrence,
}

impl SemiIteration {
    fn packed(&self) -> &PackedRows {
        self.swept.packed()
    }

    /// The extrapolation that is due, one sweep, and what its step says about the next (G.30).
    fn step(&mut self) {
        if let Some((omega, gamma)) = self.recurrence.due() {
            let swept = self.swept.packed().impulses.iter();
            let starts = self.previous.iter_mut().zip(&mut self.before);
            for ((previous, before), swept) in starts.zip(swept) {
                let step = gamma * (swept - *before) + *before - *previous;
                let next = omega * step + *previous;
                *previous = std::mem::replace(before, next);
            }
            // what comes back are the impulses of the last sweep
            self.swept.packed_mut().replace(&mut self.before);
        } else {
            self.previous.copy_from_slice(&self.before);
        }
        let size = (self.swept).measured_sweep(&mut self.before, &self.effective_masses);
        self.recurrence.advance(size.sqrt());
    }
}

impl Prepared for SemiIteration {
    fn update(&mut self, problem: &Problem, changed: Changes) -> Result<bool, SolveError> {
        self.swept.update(problem, changed)?;
        effective_masses(problem, &mut self.effective_masses);
        self.recurrence.begin();
        Ok(true)
    }

    fn iterate(&mut self, _: &Problem, sweeps: u32) -> Result<Progress, SolveError> {
        for _ in 0..sweeps {
            self.step();
        }
        Ok(Progress::of_sweeps(sweeps, self.swept.rows_of_a_sweep()))
    }

    read_packed!(packed);

    /// Everything of the sweep, the place in the recurrence, and the starts where an extrapolation
    /// is due.
    fn fingerprint(&self, out: &mut Vec<u64>) -> Result<Option<StateCoverage>, SolveError> {
        let memory = self.swept.push_state(out);
        self.recurrence.push_state(out);
        if self.recurrence.due().is_some() {
            StateCoverage::push(out, self.before.iter().copied());
            StateCoverage::push(out, self.previous.iter().copied());
        }
        Ok(Some(memory))
    }
}

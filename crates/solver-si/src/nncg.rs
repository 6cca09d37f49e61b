//! `nncg`: nonsmooth nonlinear conjugate gradients over sweeps of `pgs`.
//!
//! A sweep of `pgs` moves λ to S(λ); its step g = S(λ) − λ takes the place of a negative gradient,
//! and the Fletcher–Reeves quotient β of successive steps that of a line search: λ ← S(λ) + β p, p
//! ← β p + g (G.29). Where β exceeds one the steps have grown, bounds have changed: the direction
//! is dropped and the sweep stands.
//!
//! Budget per sweep: one pass over all rows, one more product with M⁻¹Jᵀ for the extrapolation, two
//! vectors. Nearest siblings: `pgs`, which it becomes where β is always above one; `chebyshev-pgs`,
//! whose weights are fixed by a spectrum.
//!
//! The solver always returns S(λ), a projected iterate: the extrapolation happens at the
//! beginning of the next sweep. A version that stops after the extrapolation, as Bullet's does,
//! returns normal impulses that pull. Departures: steps are measured in units of energy, g·D g,
//! since rows of joints, contacts and motors have different units. Limitations: no proof of
//! convergence with bounds; gains on chains and joints, little on piles where contacts open and
//! close. Theory: docs/theory/25-sweeps.md. Source: \[Silcowitz2010\], \[Fletcher1964\].

use delassus_core::{
    Changes, Checked, Method, ParameterError, Parameters, Prepared, Problem, Progress, SolveError,
    SolverDescriptor, StateCoverage,
};

use crate::laws::RowRule;
use crate::order::Schedule;
use crate::packed::{PackedRows, effective_masses, read_packed};
use crate::parameters::SweepOrder;
use crate::sweep::{PreparedSweeps, SWEEP};

/// Parameters of [`Nncg`].
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct NncgParameters {
    /// Order of the blocks in a sweep.
    #[parameter(flatten)]
    pub sweep: SweepOrder,
}

/// Nonsmooth nonlinear conjugate gradients (G.29).
pub type Nncg = Checked<NncgParameters>;

impl Method for NncgParameters {
    type Parameters = Self;
    type Prepared = NncgIterate;

    const DESCRIPTOR: SolverDescriptor = SolverDescriptor {
        id: "nncg",
        aliases: &["nonsmooth-nonlinear-conjugate-gradient"],
        name: "Nonsmooth nonlinear conjugate gradients",
        summary: "Sweeps of pgs as gradients of a Fletcher-Reeves iteration; hands out projected iterates only.",
        citations: &["Silcowitz2010", "Fletcher1964"],
        theory: &["G.2", "G.3", "G.4", "G.5", "G.29"],
        cost: "m",
        ..SWEEP
    };

    fn new(parameters: Self) -> Result<Self, ParameterError> {
        Ok(parameters)
    }

    fn footprint(&self, problem: &Problem) -> u64 {
        PreparedSweeps::<RowRule>::memory(problem) + (3 * size_of::<f64>() * problem.rows()) as u64
    }

    fn prepare(
        &mut self,
        problem: &Problem,
        impulses: Vec<f64>,
    ) -> Result<NncgIterate, SolveError> {
        let schedule = self.sweep.schedule(problem, Schedule::default());
        let mut conjugate = NncgIterate {
            swept: PreparedSweeps::new(RowRule::new(1.0), schedule, problem, impulses)?,
            effective_masses: Vec::new(),
            before: Vec::new(),
            direction: Vec::new(),
            last: 0.0,
            extrapolates: false,
        };
        conjugate.begin(problem);
        Ok(conjugate)
    }

    fn prepare_into(
        &mut self,
        conjugate: &mut NncgIterate,
        problem: &Problem,
        impulses: &[f64],
    ) -> Result<bool, SolveError> {
        let (order, swept) = (self.sweep, &mut conjugate.swept);
        swept.prepare_into(problem, impulses, |_, memory| {
            order.schedule(problem, memory)
        })?;
        conjugate.begin(problem);
        Ok(true)
    }
}

/// A prepared problem with its direction.
#[derive(Debug, Clone)]
pub struct NncgIterate {
    /// Its impulses are what the last sweep made of `before`.
    swept: PreparedSweeps<RowRule>,
    effective_masses: Vec<f64>,
    /// Where the last sweep began; the next start between two sweeps.
    before: Vec<f64>,
    /// β p: what the next sweep adds to its start.
    direction: Vec<f64>,
    /// ‖g‖² of the last sweep \[J\]; zero before the first one.
    last: f64,
    /// True if an extrapolation is due.
    extrapolates: bool,
}

impl NncgIterate {
    fn packed(&self) -> &PackedRows {
        self.swept.packed()
    }

    /// Starts with a problem that was swept over never, or with other numbers.
    fn begin(&mut self, problem: &Problem) {
        effective_masses(problem, &mut self.effective_masses);
        self.before.resize(problem.rows(), 0.0);
        self.direction.resize(problem.rows(), 0.0);
        self.restart();
        self.last = 0.0;
    }

    /// Starts anew from the impulses that the last sweep left.
    fn restart(&mut self) {
        self.direction.fill(0.0);
        self.extrapolates = false;
    }

    /// The extrapolation that is due, one sweep, and the next direction (G.29).
    fn step(&mut self) {
        if self.extrapolates {
            let swept = self.swept.packed().impulses.iter();
            for ((p, before), swept) in self.direction.iter_mut().zip(&mut self.before).zip(swept) {
                let gradient = swept - *before;
                *before = swept + *p;
                *p += gradient;
            }
            // what comes back are the impulses of the last sweep
            self.swept.packed_mut().replace(&mut self.before);
        }
        let size = (self.swept).measured_sweep(&mut self.before, &self.effective_masses);
        let beta = size / self.last;
        self.extrapolates = true;
        if size == 0.0 || beta > 1.0 {
            self.restart();
        } else if self.last > 0.0 {
            self.direction.iter_mut().for_each(|p| *p *= beta);
        }
        self.last = size;
    }
}

impl Prepared for NncgIterate {
    fn update(&mut self, problem: &Problem, changed: Changes) -> Result<bool, SolveError> {
        self.swept.update(problem, changed)?;
        self.begin(problem);
        Ok(true)
    }

    fn iterate(&mut self, _: &Problem, sweeps: u32) -> Result<Progress, SolveError> {
        for _ in 0..sweeps {
            self.step();
        }
        Ok(Progress::of_sweeps(sweeps, self.swept.rows_of_a_sweep()))
    }

    read_packed!(packed);

    /// Everything of the sweep, the direction and the start of the last sweep, if an extrapolation
    /// is due, and ‖g‖.
    fn fingerprint(&self, out: &mut Vec<u64>) -> Result<Option<StateCoverage>, SolveError> {
        let memory = self.swept.push_state(out);
        if self.extrapolates {
            StateCoverage::push(out, self.direction.iter().copied());
            StateCoverage::push(out, self.before.iter().copied());
        }
        StateCoverage::push(out, [self.last]);
        Ok(Some(memory))
    }
}

//! `anderson`: Anderson acceleration of the sweeps of a solver.
//!
//! One sweep of S is a map g, and its fixed points are what S solves. The next sweep starts where a
//! combination of the last m + 1 sweeps would have the smallest change g(λ) − λ if g were affine:
//! type II of \[Walker2011\], by differences, in the energy norm (U.2)–(U.4). On problems whose
//! active set has settled that is GMRES on the sweep; before, kinks make it guess wrong, and a
//! start whose sweep changes more than the last by a factor is thrown away together with the memory
//! (U.5).
//!
//! Budget per work unit: one sweep of S, an update of S (about a sweep), 4 m products of vectors.
//!
//! # Limitations
//! - A unit of S must be a map: a method whose units also depend on those before them is refused.
//! - The solver always returns what a sweep of S gave, admissible where S keeps impulses
//!   admissible.
//! - Every sweep is the first one of a freshly started S: momentum of S is off, and an order that
//!   changes from sweep to sweep stays at its first. A method that finishes in one unit gains
//!   nothing.
//! - There is no proof of convergence with projections.
//! - A solver S that does not override `update` is prepared in every sweep, and allocates then.
//! - In f32 the differences of sweeps are rounding before the sweeps have converged; `refined` goes
//!   on from there.
//!
//! Departures from \[Walker2011\]: normal equations of columns of unit length in place of QR, with
//! columns left out that depend on newer ones; differences weighted by A_ii + R_ii; the safeguard.
//! Theory: docs/theory/26-wrappers.md (U.2)–(U.5). Source: \[Walker2011\], \[Anderson1965\].

mod history;

use delassus_core::{
    Fidelity, ImpulseSolver, ParameterError, Parameters, Problem, Progress, SolveError,
    SolverDescriptor, SolverFacts, SolverUpdate, Start, StateCoverage, Unsupported,
};

use crate::descriptor::WrapperDescriptor;
use crate::{Inner, Wrapper, units};
use history::{History, Successive};

/// Parameters of [`Anderson`].
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct AndersonParameters {
    /// Sweeps that are combined with the last one.
    #[parameter(default = 5, unit = "-", range = "[1, 32]")]
    pub depth: usize,
    /// How far the change of a sweep may grow from one to the next before the combination is thrown
    /// away.
    #[parameter(default = 2.0, unit = "-", range = "[1, 1e6]")]
    pub growth: f64,
}

/// Accelerated sweeps of S (U.2)–(U.5).
#[allow(missing_debug_implementations, reason = "S shows nothing of itself")]
pub struct Anderson {
    inner: Box<dyn ImpulseSolver>,
    descriptor: SolverDescriptor,
    parameters: AndersonParameters,
    prepared: Option<Iterates>,
    /// Time of the last work unit, under a limit \[s\].
    unit: f64,
}

/// Where the iteration stands.
#[derive(Debug, Clone)]
struct Iterates {
    /// x: where the next sweep starts.
    start: Vec<f64>,
    /// g of the last start that was accepted; the start itself before.
    reached: Vec<f64>,
    /// g(x) of the sweep at hand.
    swept: Vec<f64>,
    /// g(x) − x of the last start that was accepted, and of the sweep at hand.
    change: [Vec<f64>; 2],
    /// Length of the former in the energy norm \[√J\]; `None` before the first sweep.
    length: Option<f64>,
    /// True if `start` is a combination, false if it is `reached`.
    combined: bool,
    finished: bool,
    history: History,
}

impl Iterates {
    fn new(problem: &Problem, reached: Vec<f64>, depth: usize) -> Self {
        let zeros = || vec![0.0; problem.rows()];
        Self {
            start: reached.clone(),
            swept: zeros(),
            change: [zeros(), zeros()],
            length: None,
            combined: false,
            finished: false,
            history: History::new(problem, depth),
            reached,
        }
    }

    /// Begins anew with the iterate that `reached` holds.
    fn forget(&mut self) {
        self.start.copy_from_slice(&self.reached);
        self.length = None;
        self.combined = false;
        self.finished = false;
        self.history.clear();
    }

    /// Throws the combination away: a plain sweep comes next.
    fn reject(&mut self) {
        self.start.copy_from_slice(&self.reached);
        self.combined = false;
        self.history.clear();
    }

    /// Evaluates the last sweep, stores it, and chooses where the next one starts.
    fn take(&mut self, growth: f64) {
        let [last, change] = &mut self.change;
        for ((f, g), x) in change.iter_mut().zip(&self.swept).zip(&self.start) {
            *f = g - x;
        }
        let length = self.history.length(change);
        let grown = self.length.is_some_and(|last| length > growth * last);
        // a length that is no number is no better
        if self.combined && (grown || !length.is_finite()) {
            return self.reject();
        }
        if self.length.is_some() {
            let change = Successive {
                now: change,
                before: last,
            };
            let reached = Successive {
                now: &self.swept,
                before: &self.reached,
            };
            self.history.push(change, reached);
        }
        std::mem::swap(last, change);
        self.length = Some(length);
        self.reached.copy_from_slice(&self.swept);
        self.combined = self.history.combine(last, &self.reached, &mut self.start);
    }
}

impl Anderson {
    /// One sweep from where the last ones point.
    fn sweep(&mut self, problem: &Problem) -> Result<Progress, SolveError> {
        let iterates = self.prepared.as_mut().ok_or(SolveError::NotPrepared)?;
        let inner = &mut self.inner;
        let outcome = inner
            .update(problem, SolverUpdate::Impulses(&iterates.start))
            .and_then(|()| inner.iterate(problem, 1))
            .and_then(|done| inner.read_impulses(&mut iterates.swept).map(|()| done));
        match outcome {
            Ok(done) => {
                iterates.take(self.parameters.growth);
                iterates.finished = done.finished;
                Ok(done)
            }
            // a combination from which S leaves the numbers
            Err(error) if error.is_non_finite() && iterates.combined => {
                iterates.reject();
                Ok(Progress::of_sweeps(1, problem.active_rows()))
            }
            Err(error) => Err(error),
        }
    }

    fn begin(&mut self, problem: &Problem) -> Result<(), SolveError> {
        let mut reached = vec![0.0; problem.rows()];
        self.inner.read_impulses(&mut reached)?;
        self.prepared = Some(Iterates::new(problem, reached, self.parameters.depth));
        Ok(())
    }
}

impl Wrapper for Anderson {
    type Parameters = AndersonParameters;

    const DESCRIPTOR: WrapperDescriptor = WrapperDescriptor {
        id: "anderson",
        name: "Anderson acceleration",
        summary: "Starts every sweep of S where the last ones, combined, change least; a guess that makes it worse is dropped.",
        citations: &["Walker2011", "Anderson1965"],
        theory: &["U.2", "U.3", "U.4", "U.5"],
        cost: "S + m",
        laws: "those of S, whose unit must be a map",
        needs_map: true,
    };

    fn new(
        inner: Inner,
        descriptor: SolverDescriptor,
        parameters: AndersonParameters,
    ) -> Result<Self, ParameterError> {
        Ok(Self {
            inner: inner.solver,
            descriptor,
            parameters,
            prepared: None,
            unit: 0.0,
        })
    }
}

impl ImpulseSolver for Anderson {
    fn descriptor(&self) -> &SolverDescriptor {
        &self.descriptor
    }

    fn check(&self, problem: &Problem) -> Result<Fidelity, Unsupported> {
        Self::DESCRIPTOR.check_inner(self.inner.descriptor())?;
        self.inner.check(problem)
    }

    fn footprint(&self, problem: &Problem) -> u64 {
        let vectors = 2 * self.parameters.depth as u64 + 6;
        let own = (8 * problem.rows() as u64).saturating_mul(vectors);
        self.inner.footprint(problem).saturating_add(own)
    }

    fn prepare(&mut self, problem: &Problem, start: Start<'_>) -> Result<(), SolveError> {
        self.prepared = None;
        self.unit = 0.0;
        Self::DESCRIPTOR.check_inner(self.inner.descriptor())?;
        self.inner.prepare(problem, start)?;
        self.begin(problem)
    }

    fn update(&mut self, problem: &Problem, update: SolverUpdate<'_>) -> Result<(), SolveError> {
        let iterates = self.prepared.as_mut().ok_or(SolveError::NotPrepared)?;
        self.inner.update(problem, update)?;
        match update {
            SolverUpdate::Numbers(_) => iterates.history.weigh(problem),
            // as S holds them, perhaps rounded
            SolverUpdate::Impulses(_) => self.inner.read_impulses(&mut iterates.reached)?,
        }
        iterates.forget();
        Ok(())
    }

    fn iterate(&mut self, problem: &Problem, sweeps: u32) -> Result<Progress, SolveError> {
        // refuses another problem
        let mut done = self.inner.iterate(problem, 0)?;
        if self.prepared.as_ref().is_some_and(|own| own.finished) {
            done.finished = sweeps > 0;
            return Ok(done);
        }
        let (own, mut seconds) = (self.descriptor, self.unit);
        let done = units::repeat(sweeps, &own, &mut seconds, || self.sweep(problem));
        self.unit = seconds;
        done
    }

    fn read_impulses(&mut self, out: &mut [f64]) -> Result<(), SolveError> {
        let iterates = self.prepared.as_ref().ok_or(SolveError::NotPrepared)?;
        SolveError::check_length("impulses", out.len(), iterates.reached.len())?;
        out.copy_from_slice(&iterates.reached);
        Ok(())
    }

    /// All of it: S begins every sweep anew.
    fn fingerprint(&mut self, out: &mut Vec<u64>) -> Result<Option<StateCoverage>, SolveError> {
        let iterates = self.prepared.as_ref().ok_or(SolveError::NotPrepared)?;
        let [last, _] = &iterates.change;
        for numbers in [&iterates.start, &iterates.reached, last] {
            StateCoverage::push(out, numbers.iter().copied());
        }
        StateCoverage::push(out, [iterates.length.unwrap_or(-1.0)]);
        out.push(u64::from(iterates.combined) + 2 * u64::from(iterates.finished));
        iterates.history.state(out);
        Ok(Some(StateCoverage::Complete))
    }

    fn facts(&self) -> SolverFacts {
        units::facts(self.inner.facts())
    }
}

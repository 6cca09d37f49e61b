//! `best-so-far`: the best iterate of a solver, judged by the natural map.
//!
//! After every work unit of S the natural map of the problem (M.5) is evaluated in f64, and what is
//! returned is the iterate with the smallest one, the start among them (U.1). Methods whose
//! residual rises now and then, momentum, Newton steps, an ω too large, so become monotone to their
//! caller; S itself goes on from its own iterate.
//!
//! Budget per work unit: that of S, and one product with A.
//!
//! # Limitations
//! - The natural map bounds the error up to conditioning: the best by it need not be the nearest to
//!   the solution.
//! - A solver that computes in f32 rounds its start, and that is the start which is never worsened.
//! - Where the natural map overflows, the latest iterate is returned.
//!
//! Theory: docs/theory/26-wrappers.md (U.1).

use delassus_core::{
    Fidelity, ImpulseSolver, ParameterError, Problem, Progress, SolveError, SolverDescriptor,
    SolverFacts, SolverUpdate, Start, StateCoverage, Unsupported, interrupt,
};

use crate::descriptor::WrapperDescriptor;
use crate::judge::{Best, Judge};
use crate::{Inner, Wrapper, units};

/// The best iterate of S (U.1).
#[allow(missing_debug_implementations, reason = "S shows nothing of itself")]
pub struct BestSoFar {
    inner: Box<dyn ImpulseSolver>,
    descriptor: SolverDescriptor,
    judge: Judge,
    prepared: Option<Iterates>,
    /// Time of the last work unit, under a limit \[s\].
    unit: f64,
}

struct Iterates {
    best: Best,
    /// The latest of S.
    latest: Vec<f64>,
}

impl BestSoFar {
    /// Begins with the iterate that S has.
    fn begin(&mut self, problem: &Problem) -> Result<(), SolveError> {
        let mut iterates = self.prepared.take().unwrap_or(Iterates {
            best: Best::default(),
            latest: Vec::new(),
        });
        iterates.latest.resize(problem.rows(), 0.0);
        self.inner.read_impulses(&mut iterates.latest)?;
        iterates.best.impulses.clone_from(&iterates.latest);
        iterates.best.map = self.judge.of(problem, &iterates.latest);
        self.prepared = Some(iterates);
        Ok(())
    }
}

impl Wrapper for BestSoFar {
    type Parameters = ();

    const DESCRIPTOR: WrapperDescriptor = WrapperDescriptor {
        id: "best-so-far",
        name: "Best iterate",
        summary: "Hands out the iterate of S with the smallest natural map, the start among them.",
        citations: &["Facchinei2003"],
        theory: &["U.1"],
        cost: "S + m",
        laws: "those of S",
        needs_map: false,
    };

    fn declare(_: &SolverDescriptor, own: SolverDescriptor) -> SolverDescriptor {
        SolverDescriptor {
            // a unit that finds nothing better returns its start
            unit_is_map: false,
            ..own
        }
    }

    fn new(inner: Inner, descriptor: SolverDescriptor, (): ()) -> Result<Self, ParameterError> {
        Ok(Self {
            inner: inner.solver,
            descriptor,
            judge: Judge::default(),
            prepared: None,
            unit: 0.0,
        })
    }
}

impl ImpulseSolver for BestSoFar {
    fn descriptor(&self) -> &SolverDescriptor {
        &self.descriptor
    }

    fn check(&self, problem: &Problem) -> Result<Fidelity, Unsupported> {
        self.inner.check(problem)
    }

    fn footprint(&self, problem: &Problem) -> u64 {
        // two iterates and the evaluator's factors
        let own = problem.memory();
        self.inner.footprint(problem).saturating_add(own)
    }

    fn prepare(&mut self, problem: &Problem, start: Start<'_>) -> Result<(), SolveError> {
        self.prepared = None;
        self.unit = 0.0;
        self.inner.prepare(problem, start)?;
        self.begin(problem)
    }

    fn update(&mut self, problem: &Problem, update: SolverUpdate<'_>) -> Result<(), SolveError> {
        self.inner.update(problem, update)?;
        if let SolverUpdate::Numbers(_) = update {
            let iterates = self.prepared.as_ref().ok_or(SolveError::NotPrepared)?;
            let best = SolverUpdate::Impulses(&iterates.best.impulses);
            self.inner.update(problem, best)?;
        }
        self.begin(problem)
    }

    fn iterate(&mut self, problem: &Problem, sweeps: u32) -> Result<Progress, SolveError> {
        let Some(Iterates { best, latest }) = &mut self.prepared else {
            return Err(SolveError::NotPrepared);
        };
        // refuses another problem before it is judged
        self.inner.iterate(problem, 0)?;
        let (inner, own, seconds) = (&mut self.inner, &self.descriptor, &mut self.unit);
        self.judge.with(problem, |map| {
            units::repeat(sweeps, own, seconds, || {
                let before = interrupt::left();
                let unit = inner.iterate(problem, 1)?;
                inner.read_impulses(latest)?;
                // the residual takes as long as the unit of S at least
                let left = interrupt::left();
                if left < before - left {
                    return Err(SolveError::Interrupted);
                }
                best.offer(latest, map(latest));
                Ok(unit)
            })
        })
    }

    fn read_impulses(&mut self, out: &mut [f64]) -> Result<(), SolveError> {
        let iterates = self.prepared.as_ref().ok_or(SolveError::NotPrepared)?;
        let best = &iterates.best.impulses;
        SolveError::check_length("impulses", out.len(), best.len())?;
        out.copy_from_slice(best);
        Ok(())
    }

    fn fingerprint(&mut self, out: &mut Vec<u64>) -> Result<Option<StateCoverage>, SolveError> {
        let memory = self.inner.fingerprint(out)?;
        if let (Some(_), Some(iterates)) = (memory, &self.prepared) {
            StateCoverage::push(out, iterates.best.impulses.iter().copied());
            StateCoverage::push(out, [iterates.best.map]);
        }
        Ok(memory)
    }

    fn facts(&self) -> SolverFacts {
        units::facts(self.inner.facts())
    }
}

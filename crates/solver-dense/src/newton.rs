//! Nonsmooth Newton methods: one engine for the equations that are written by `maps`.
//!
//! One sweep is one Newton step: velocities, an element of the generalized Jacobian, one LU
//! factorization, a line search that costs O(m) per trial because the velocities are affine in y.
//! Around the steps stands the proximal-point method, which makes singular matrices regular and
//! repeats a problem that Newton's method fails on with a stronger regularization (Y.9). The first
//! sweeps are projected Gauss–Seidel. The solver returns the best iterate.
//!
//! Theory: docs/theory/22-newton.md (Y.1)–(Y.12).

mod contradiction;
pub mod coulomb;
mod iterate;
mod jordan;
mod maps;
pub(crate) mod method;
pub(crate) mod model;
pub mod motions;
mod reduction;
mod relaxation;
mod safeguards;
mod search;
mod settings;
mod system;

use delassus_core::{Changes, Problem, Progress, SolveError, StateCoverage};

use crate::assembly::DenseDelassus;
use crate::state::{State, read_state};
pub(crate) use contradiction::Contradiction;
pub(crate) use iterate::Iterate;
pub(crate) use maps::Map;
use model::Model;
pub(crate) use settings::NewtonSettings;
pub(crate) use system::LinearSystem;

/// The prepared problem and the iterate of a method of this family.
#[derive(Debug)]
pub struct Newton {
    settings: NewtonSettings,
    state: State,
    matrix: DenseDelassus,
    model: Model,
    iterate: Iterate,
    /// Factorizations of the iterates before this one \[-\].
    factored: u64,
}

impl Newton {
    pub(crate) fn prepare(
        problem: &Problem,
        impulses: Vec<f64>,
        settings: NewtonSettings,
    ) -> Result<Self, SolveError> {
        let state = State::new(problem, impulses);
        let matrix = DenseDelassus::assemble_with_compliance(problem)?;
        let model = Model::new(problem, &matrix, &state.impulses, settings.scaling)?;
        let iterate = Iterate::new(&model, &state.impulses, &settings);
        Ok(Self {
            settings,
            state,
            matrix,
            model,
            iterate,
            factored: 0,
        })
    }

    /// Residual of the best iterate in scaled units, as the method measures it \[√J\]; infinite
    /// before the first sweep.
    pub fn residual(&self) -> f64 {
        self.iterate.best_residual
    }

    /// Proximal parameter of the current step \[-\].
    pub fn proximal(&self) -> f64 {
        self.iterate.alpha
    }
}

impl delassus_core::Prepared for Newton {
    fn update(&mut self, problem: &Problem, changed: Changes) -> Result<bool, SolveError> {
        self.state.update(problem);
        if changed.compliance {
            self.matrix = DenseDelassus::assemble_with_compliance(problem)?;
        }
        let impulses = &self.state.impulses;
        self.model = Model::new(problem, &self.matrix, impulses, self.settings.scaling)?;
        self.factored += self.iterate.system.factored;
        self.iterate = Iterate::new(&self.model, impulses, &self.settings);
        Ok(true)
    }

    fn iterate(&mut self, _: &Problem, sweeps: u32) -> Result<Progress, SolveError> {
        let mut done = 0;
        while done < sweeps && !self.iterate.finished {
            if let Some(error) = &self.iterate.failed {
                return Err(error.clone());
            }
            let outcome = self.iterate.sweep(&self.model, &self.settings);
            if outcome == Err(SolveError::Interrupted) {
                // the impulses are those of the sweeps before
                if done == 0 {
                    return Err(SolveError::Interrupted);
                }
                break;
            }
            self.iterate.failed = outcome.err();
            done += 1;
            self.iterate
                .write_improved(&self.model, &mut self.state.impulses);
        }
        if let Some(error) = &self.iterate.failed {
            return Err(error.clone());
        }
        let passes = u64::from(done) + std::mem::take(&mut self.iterate.passes);
        Ok(Progress {
            sweeps: done,
            row_updates: passes * self.model.size() as u64,
            finished: self.iterate.finished,
        })
    }

    read_state!(state);

    fn fingerprint(&self, out: &mut Vec<u64>) -> Result<Option<StateCoverage>, SolveError> {
        self.iterate.push_state(&self.state.impulses, out);
        Ok(Some(StateCoverage::Complete))
    }

    fn factorizations(&self) -> Option<u64> {
        Some(self.factored + self.iterate.system.factored)
    }
}

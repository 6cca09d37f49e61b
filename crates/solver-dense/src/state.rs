//! What every solver of this crate keeps between calls: impulses, b, and which rows are held.

use delassus_core::{Problem, SolveError, Start};

/// Impulses and data of the prepared problem.
#[derive(Debug, Clone)]
pub(crate) struct State {
    /// λ \[N·s\].
    pub(crate) impulses: Vec<f64>,
    /// b \[m/s | rad/s\].
    pub(crate) b: Vec<f64>,
    /// Rows that are solved for, ascending.
    pub(crate) active: Vec<usize>,
    /// True once a direct method has written its answer.
    pub(crate) solved: bool,
}

impl State {
    pub(crate) fn new(problem: &Problem, start: Start<'_>) -> Result<Self, SolveError> {
        let rows = problem.rows();
        let mut state = Self {
            impulses: vec![0.0; rows],
            b: vec![0.0; rows],
            active: Vec::with_capacity(rows),
            solved: false,
        };
        start.write(&mut state.impulses)?;
        state.update(problem)?;
        Ok(state)
    }

    /// Takes over b and the activity.
    pub(crate) fn update(&mut self, problem: &Problem) -> Result<(), SolveError> {
        if problem.rows() != self.b.len() {
            return Err(SolveError::Length {
                what: "problem",
                found: problem.rows(),
                expected: self.b.len(),
            });
        }
        self.b.copy_from_slice(problem.b());
        self.active.clear();
        for (index, block) in problem.blocks().iter().enumerate() {
            let first = block.first_row;
            self.active.extend(first..first + problem.active_dim(index));
        }
        self.solved = false;
        Ok(())
    }

    pub(crate) fn read(&self, out: &mut [f64]) -> Result<(), SolveError> {
        delassus_core::copy_impulses(&self.impulses, out)
    }

    /// Refuses to hand out NaN or infinity.
    pub(crate) fn check_finite(&self) -> Result<(), SolveError> {
        match self.impulses.iter().position(|x| !x.is_finite()) {
            Some(row) => Err(SolveError::NonFinite { row }),
            None => Ok(()),
        }
    }
}

/// The prepared data, or the error that says that there are none.
pub(crate) fn prepared<T>(slot: &mut Option<T>) -> Result<&mut T, SolveError> {
    slot.as_mut().ok_or(SolveError::NotPrepared)
}

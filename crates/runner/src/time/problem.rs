//! One problem whose sweeps are timed.

use std::sync::{Arc, Mutex};

use delassus_core::MemoryLimit;
use delassus_problems::NamedProblem;
use delassus_problems::generators::{GeneratorEntry, Size, generate_within};

use crate::record::{ProblemFacts, ProblemLabel};
use crate::solve::problems::as_matrix;

/// One problem whose sweeps are timed.
#[derive(Debug, Clone, PartialEq)]
pub struct TimedProblem {
    /// Name and origin.
    pub label: ProblemLabel,
    /// Give solvers the Delassus matrix instead of the bodies.
    pub as_matrix: bool,
}

impl TimedProblem {
    /// Makes the problem.
    ///
    /// # Errors
    /// Parameters that are each in range but give no valid problem together; a problem that takes
    /// more than `limit`.
    pub fn build(&self, limit: MemoryLimit) -> Result<NamedProblem, String> {
        let made = generate_within(&self.label.source, &self.label.parameters, limit);
        let named = made.map_err(|error| error.to_string())?;
        if self.as_matrix {
            return as_matrix(Box::new(named), limit).map(|named| *named);
        }
        Ok(named)
    }

    /// How large the problem will be.
    pub(super) fn size(&self, known: &[GeneratorEntry]) -> Option<Size> {
        let generator = known
            .iter()
            .find(|g| g.descriptor.id == self.label.source)?;
        let recipe = generator.build(&self.label.parameters).ok()?;
        Some(recipe.counts())
    }
}

/// A problem with what tables print about it.
#[derive(Debug)]
pub(super) struct ListedProblem {
    pub(super) named: NamedProblem,
    pub(super) facts: ProblemFacts,
}

/// The problem of the last cell with its index: the cells of a problem follow each other, and the
/// largest problems would fill memory if all were kept.
pub(super) type Latest = Mutex<Option<(usize, Arc<ListedProblem>)>>;

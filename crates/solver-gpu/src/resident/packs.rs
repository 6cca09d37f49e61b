//! The packs of several problems.

use std::ops::Index;

use delassus_solver_jacobi::pack::Pack;

/// The packs of problems: one each, or one for all if they are worlds of one structure.
#[derive(Debug)]
pub(crate) struct Packs {
    pub(super) packs: Vec<Pack<f32>>,
    pub(super) problems: usize,
}

impl Packs {
    /// Number of problems \[-\].
    pub(crate) fn len(&self) -> usize {
        self.problems
    }

    /// The pack of a problem.
    pub(crate) fn of(&self, problem: usize) -> Option<&Pack<f32>> {
        let shared = self.packs.len() == 1 && problem < self.problems;
        self.packs.get(if shared { 0 } else { problem })
    }

    /// The packs of all problems.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Pack<f32>> {
        (0..self.problems).filter_map(|problem| self.of(problem))
    }
}

impl Index<usize> for Packs {
    type Output = Pack<f32>;

    fn index(&self, problem: usize) -> &Pack<f32> {
        &self.packs[if self.packs.len() == 1 { 0 } else { problem }]
    }
}

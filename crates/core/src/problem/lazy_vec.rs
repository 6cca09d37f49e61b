//! Numbers that are computed at the first access.

use std::sync::{Mutex, OnceLock, PoisonError};

/// Numbers that follow from others, computed at the first access. Their memory is reused after
/// [`Self::forget`].
#[derive(Debug, Default)]
pub(super) struct LazyVec {
    numbers: OnceLock<Vec<f64>>,
    /// The memory of numbers that were dropped; locked while the next ones are computed.
    spare: Mutex<Vec<f64>>,
}

impl Clone for LazyVec {
    /// The numbers without the spare memory.
    fn clone(&self) -> Self {
        Self {
            numbers: self.numbers.clone(),
            spare: Mutex::default(),
        }
    }
}

impl LazyVec {
    /// The numbers; `compute` appends them to an empty list at the first access.
    pub(super) fn get_or(&self, compute: impl FnOnce(&mut Vec<f64>)) -> &[f64] {
        self.numbers.get_or_init(|| {
            let mut spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner);
            let mut numbers = std::mem::take(&mut *spare);
            numbers.clear();
            compute(&mut numbers);
            numbers
        })
    }

    /// The numbers, if they have been computed.
    pub(super) fn get(&self) -> Option<&[f64]> {
        self.numbers.get().map(Vec::as_slice)
    }

    /// The numbers for changes in place, if they have been computed.
    pub(super) fn get_mut(&mut self) -> Option<&mut [f64]> {
        self.numbers.get_mut().map(Vec::as_mut_slice)
    }

    /// Drops the numbers; the next access computes them again.
    pub(super) fn forget(&mut self) {
        if let Some(numbers) = self.numbers.take() {
            let spare = self.spare.get_mut();
            *spare.unwrap_or_else(PoisonError::into_inner) = numbers;
        }
    }
}

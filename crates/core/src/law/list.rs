//! Factors of many blocks in flat memory.

use std::ops::Range;

use super::factor::Factor;

/// Factors of many blocks in one list that owns their numbers. A solver fills it when it prepares a
/// problem.
///
/// [`Self::clear`] keeps the memory, and iterating does not allocate.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FactorList {
    stored: Vec<Stored>,
    /// Scales and weights.
    numbers: Vec<f64>,
}

/// A factor without its slices, and where their numbers are.
#[derive(Debug, Clone, PartialEq)]
struct Stored {
    factor: Factor<'static>,
    scales: Range<usize>,
    weights: Range<usize>,
}

impl FactorList {
    /// Removes all factors and keeps the memory.
    pub fn clear(&mut self) {
        self.stored.clear();
        self.numbers.clear();
    }

    /// Adds a factor at the end.
    pub fn push(&mut self, factor: Factor<'_>) {
        let (scales, weights) = (self.take(factor.scales), self.take(factor.weights));
        let Factor {
            first,
            len,
            shape,
            radius,
            turn,
            de_saxce,
            with_normal,
            ..
        } = factor;
        self.stored.push(Stored {
            factor: Factor {
                first,
                len,
                shape,
                radius,
                weights: &[],
                scales: &[],
                turn,
                de_saxce,
                with_normal,
            },
            scales,
            weights,
        });
    }

    fn take(&mut self, numbers: &[f64]) -> Range<usize> {
        let first = self.numbers.len();
        self.numbers.extend_from_slice(numbers);
        first..self.numbers.len()
    }

    /// Number of factors \[-\].
    pub fn len(&self) -> usize {
        self.stored.len()
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.stored.is_empty()
    }

    /// Memory that the factors take \[B\].
    pub fn bytes(&self) -> usize {
        size_of_val(self.stored.as_slice()) + size_of_val(self.numbers.as_slice())
    }

    /// Memory that these factors would take in a list \[B\].
    pub fn bytes_of(factors: &[Factor<'_>]) -> usize {
        let numbers = |factor: &Factor<'_>| factor.scales.len() + factor.weights.len();
        let numbers: usize = factors.iter().map(numbers).sum();
        size_of::<Stored>() * factors.len() + size_of::<f64>() * numbers
    }

    /// The factors at some indices, in their order.
    #[inline]
    pub fn slice(&self, range: Range<usize>) -> impl Iterator<Item = Factor<'_>> {
        self.stored[range].iter().map(|stored| self.view(stored))
    }

    #[inline]
    fn view(&self, stored: &Stored) -> Factor<'_> {
        Factor {
            scales: &self.numbers[stored.scales.clone()],
            weights: &self.numbers[stored.weights.clone()],
            ..stored.factor
        }
    }
}

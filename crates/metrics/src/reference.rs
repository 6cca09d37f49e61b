//! Several trusted solutions of one problem: which is the nearest, and how far apart they are
//! (M.31).

use crate::definition::{MetricInput, TrustedSolution};
use crate::error::MetricError;
use crate::evaluator::Evaluator;

impl Evaluator<'_> {
    /// The reference that is nearest to an answer, with the velocity error against it \[-\] (M.19,
    /// M.31); the first of several that are equally near, `None` without one.
    ///
    /// # Errors
    /// Wrong lengths, numbers that are not finite or overflow.
    pub fn nearest<'a>(
        &mut self,
        answer: &MetricInput<'a>,
    ) -> Result<Option<(TrustedSolution<'a>, f64)>, MetricError> {
        let mut nearest: Option<(TrustedSolution<'a>, f64, f64)> = None;
        for reference in answer.references() {
            let (error, change) = self.velocity_distance(answer.impulses, reference)?;
            if nearest.is_none_or(|(_, least, _)| error < least) {
                nearest = Some((reference, error, change));
            }
        }
        let Some((reference, error, change)) = nearest else {
            return Ok(None);
        };
        Ok(Some((reference, self.relative(error, change)?)))
    }

    /// Impulses of the nearest reference; `None` without one, or if it is known by its velocities
    /// alone.
    pub(crate) fn nearest_impulses<'a>(
        &mut self,
        answer: &MetricInput<'a>,
    ) -> Result<Option<&'a [f64]>, MetricError> {
        // of one there is nothing to compare
        let reference = if answer.others.is_empty() {
            answer.reference
        } else {
            self.nearest(answer)?.map(|(reference, _)| reference)
        };
        Ok(match reference {
            Some(TrustedSolution::Impulses(impulses)) => Some(impulses),
            Some(TrustedSolution::Velocities(_)) | None => None,
        })
    }

    /// The least distance between two of these impulses in energy units \[-\] (M.21, M.31); `None`
    /// of fewer than two.
    ///
    /// # Errors
    /// Wrong lengths, numbers that are not finite or overflow.
    pub fn separation(&mut self, impulses: &[&[f64]]) -> Result<Option<f64>, MetricError> {
        let mut least: Option<f64> = None;
        for (index, a) in impulses.iter().enumerate() {
            for b in &impulses[..index] {
                let distance = self.agreement(a, b)?;
                least = Some(least.map_or(distance, |least| least.min(distance)));
            }
        }
        Ok(least)
    }
}

//! Natural map of the median world (M.38).

use super::natural_map_world::NaturalMapWorld;
use crate::definition::{MetricDoc, MetricInput, MetricValue, RequestedMetric};
use crate::evaluator::Evaluator;

/// η₂ of the median world \[-\]: the larger of the two in the middle.
pub(crate) struct NaturalMapWorldMedian;

impl RequestedMetric for NaturalMapWorldMedian {
    const DOC: MetricDoc = MetricDoc {
        id: "natural_map_world_median",
        name: "natural map of the median world",
        formula: "median_W η₂(λ_W), W the worlds that no impulse couples, each with its own E_s",
        misleads: "half of the worlds may be as bad as they like",
        ..<NaturalMapWorld as RequestedMetric>::DOC
    };

    fn value(evaluator: &mut Evaluator<'_>, answer: &MetricInput<'_>) -> MetricValue {
        let worlds = evaluator.natural_map_of_worlds(answer.impulses)?;
        Ok(median(worlds))
    }
}

/// The number in the middle; of an even number the larger of two, zero of none.
pub(super) fn median(mut worlds: Vec<f64>) -> Option<f64> {
    worlds.sort_unstable_by(f64::total_cmp);
    worlds.get(worlds.len() / 2).copied().or(Some(0.0))
}

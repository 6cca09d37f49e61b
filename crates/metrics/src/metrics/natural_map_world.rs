//! Natural map of every world by itself: the worst and the median (M.38).

use delassus_core::Island;

use super::natural_map::NaturalMap;
use crate::definition::{AccumulatedMetric, MetricDoc, MetricInput, MetricValue, RequestedMetric};
use crate::error::{MetricError, check_input};
use crate::evaluator::{Evaluator, EvaluatorMemory};

/// η₂ of the worst world \[-\].
pub(crate) struct NaturalMapWorld;

impl RequestedMetric for NaturalMapWorld {
    const DOC: MetricDoc = MetricDoc {
        id: "natural_map_world",
        name: "natural map of the worst world",
        formula: "max_W η₂(λ_W), W the worlds that no impulse couples, each with its own E_s",
        theory: &["M.38"],
        applies: "every problem; one that is given by its matrix is one world",
        misleads: "one world that is hard hides how the others fare; a world at rest without weight is judged by 1 J",
        ..NaturalMap::DOC
    };

    fn value(evaluator: &mut Evaluator<'_>, answer: &MetricInput<'_>) -> MetricValue {
        let worlds = evaluator.natural_map_of_worlds(answer.impulses)?;
        Ok(worst(worlds))
    }
}

/// The largest number.
pub(super) fn worst(worlds: Vec<f64>) -> Option<f64> {
    Some(worlds.into_iter().fold(0.0, f64::max))
}

impl Evaluator<'_> {
    /// The natural map (M.4) of every world as if it were a problem of its own, in the order of
    /// their first blocks \[-\] (M.38).
    ///
    /// # Errors
    /// Those of [`Self::evaluate`].
    pub fn natural_map_of_worlds(&mut self, impulses: &[f64]) -> Result<Vec<f64>, MetricError> {
        self.each_world(impulses, |world, own| world.natural_map(own))
    }

    /// What `judge` makes of every world as a problem of its own, in the order of their first
    /// blocks.
    pub(super) fn each_world(
        &mut self,
        impulses: &[f64],
        judge: JudgeOfWorlds,
    ) -> Result<Vec<f64>, MetricError> {
        check_input("impulses", impulses, self.problem.rows())?;
        let overflow = |_| MetricError::EnergyScale;
        let worlds = match self.worlds.take() {
            Some(worlds) => worlds,
            None => self.problem.islands().map_err(overflow)?,
        };
        let maps = each(&worlds, impulses, judge);
        let _ = self.worlds.set(worlds);
        maps
    }
}

/// Judges the impulses of one world.
type JudgeOfWorlds = fn(&mut Evaluator<'_>, &[f64]) -> Result<f64, MetricError>;

fn each(
    worlds: &[Island],
    impulses: &[f64],
    judge: JudgeOfWorlds,
) -> Result<Vec<f64>, MetricError> {
    let mut memory = EvaluatorMemory::default();
    let mut own = Vec::new();
    let maps = worlds.iter().map(|world| {
        world.gather(impulses, &mut own);
        let mut evaluator = Evaluator::in_memory_of(std::mem::take(&mut memory), &world.problem)?;
        let map = judge(&mut evaluator, &own)?;
        memory = evaluator.into_memory();
        Ok(map)
    });
    maps.collect()
}

//! `[timing]`: sweeps are timed, and nothing is solved to a tolerance.

use super::Measure;
use super::context::Context;
use super::section::Section;
use super::text::SpecError;
use crate::driver::{Schedule, TimingPlan};

/// Row updates of a long pass where the spec names none \[-\]: some 10 ms at 10 ns each.
const ROW_UPDATES: u64 = 1_000_000;
/// Pairs of passes where the spec names none \[-\].
const REPETITIONS: u32 = 9;
/// What a timed cell evaluates before and after its sweeps.
const METRIC: &str = "natural_map";

/// Reads the section, if there is one; the criterion of all problems is then the headline.
pub(super) fn read(
    root: &Section<'_>,
    context: &mut Context<'_>,
) -> Result<Option<TimingPlan>, SpecError> {
    let Some(item) = root.get("timing") else {
        return Ok(None);
    };
    let section = Section::of_item(root.document, "[timing]", item)?;
    section.allow(&["row_updates", "repetitions"])?;
    let foreign = ["stop", "measure", "reference"];
    for (key, span, _) in root.entries() {
        if foreign.contains(&key) {
            let message = format!("{key} does not go with timing: sweeps are timed, not solves");
            return Err(root.document.error(span, message));
        }
    }
    context.criteria = vec![METRIC.to_owned()];
    let repetitions = section.count("repetitions", 1, 1000)?;
    Ok(Some(TimingPlan {
        row_updates: section
            .count("row_updates", 1, u64::MAX)?
            .unwrap_or(ROW_UPDATES),
        repetitions: repetitions.map_or(REPETITIONS, |n| u32::try_from(n).unwrap_or(1000)),
    }))
}

/// Timed problems are made anew for their cells: only generators can do that, and nothing stops them.
pub(super) fn check(problem: &Section<'_>) -> Result<(), SpecError> {
    for key in ["files", "stop", "start"] {
        if let Some(item) = problem.get(key) {
            let message =
                format!("{key} does not go with timing: generated problems are swept cold");
            return Err(problem.error_at(item, message));
        }
    }
    Ok(())
}

/// What is evaluated.
pub(super) fn measure(plan: &TimingPlan) -> Measure {
    Measure {
        metrics: vec![METRIC.to_owned()],
        schedule: Schedule::Every(1),
        repetitions: plan.repetitions,
    }
}

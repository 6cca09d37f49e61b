//! Why times that are compared may not be those of the methods.

use crate::record::CellRecord;
use crate::view::{Kind, Work};

use super::sides::{Goal, Side};

/// By how much the load average of a loaded machine exceeds the jobs of the run \[-\].
const LOADED: f64 = 1.0;
/// The optimisation level of solvers whose times mean something.
const OPTIMISED: &str = "3";

/// What to know of the times that were compared: that there is one pass of a cell, that the program
/// was not optimised, or that the machine did something else. `None` of counts, and of times
/// without such doubts.
pub fn doubts(pairs: &[(Side<'_>, Side<'_>)], goal: &Goal) -> Option<String> {
    if goal.cost != Work::Seconds {
        return None;
    }
    let sides = || pairs.iter().flat_map(|(a, b)| [a, b]);
    let cells = || {
        let own = sides().flat_map(|side| {
            let records = side.bundle.records.iter();
            records.filter(move |record| record.method() == side.method)
        });
        own.filter(|record| !record.outcome.iterate_seconds.is_empty())
    };
    let section = match pairs.first()?.0.bundle.kind() {
        Kind::Solves => "[measure]",
        Kind::Timings => "[timing]",
        Kind::Trajectories => "[simulate]",
    };
    let found: Vec<String> = [
        once(cells()),
        unoptimised(sides(), cells()),
        loaded(cells()),
    ]
    .into_iter()
    .flatten()
    .collect();
    (!found.is_empty()).then(|| {
        format!(
            "Which one is faster may be chance: {}. Write `repetitions = 9` into {section}, and run it again with a \
             release build on a machine that does nothing else.",
            found.join("; ")
        )
    })
}

/// Says that cells were timed once.
fn once<'r>(cells: impl Iterator<Item = &'r CellRecord>) -> Option<String> {
    let (mut single, mut all) = (0, 0);
    for cell in cells {
        all += 1;
        single += usize::from(cell.outcome.iterate_seconds.len() == 1);
    }
    match single {
        0 => None,
        _ if single == all => Some("every time is of a single pass".to_owned()),
        _ => Some(format!("{single} of {all} times are of a single pass")),
    }
}

/// Says that a program was built without optimisation.
fn unoptimised<'s, 'r>(
    mut sides: impl Iterator<Item = &'s Side<'s>>,
    mut cells: impl Iterator<Item = &'r CellRecord>,
) -> Option<String> {
    let is_debug = |cell: &CellRecord| {
        cell.origin
            .as_ref()
            .is_some_and(|own| own.profile == "debug")
    };
    let level = sides.find_map(|side| {
        let level = side.bundle.manifest.get("solver_opt_level")?.as_str()?;
        (level != OPTIMISED && level != "unknown").then(|| level.to_owned())
    });
    match (cells.any(is_debug), level) {
        (_, Some(level)) => Some(format!(
            "the solvers were built at optimisation level {level}, not {OPTIMISED}"
        )),
        (true, None) => Some("the program is a debug build".to_owned()),
        (false, None) => None,
    }
}

/// Says how much else the machine did.
fn loaded<'r>(cells: impl Iterator<Item = &'r CellRecord>) -> Option<String> {
    let others = cells.filter_map(|cell| {
        let origin = cell.origin.as_ref()?;
        #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
        let own = origin.jobs as f64 * origin.threads.max(1) as f64;
        let load = origin.load.filter(|load| load - own >= LOADED)?;
        Some((load, origin.machine.logical_cores))
    });
    let (load, cores) = others.max_by(|a, b| a.0.total_cmp(&b.0))?;
    let plural = if cores == 1 { "" } else { "s" };
    Some(format!(
        "the machine was loaded (load average up to {load:.1} on {cores} core{plural})"
    ))
}

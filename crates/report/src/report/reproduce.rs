//! How a run is repeated, and what of it is the same then.

use delassus_core::{Status, depends_on_time};

use crate::bundle::Bundle;
use crate::numbers::grouped;
use crate::record::CellRecord;
use crate::tables::BY_CLOCK;
use crate::text::escape;

/// The command, the files with the numbers, what repeats, and the spec.
pub(super) fn html(bundle: &Bundle) -> String {
    let place = match bundle.command.starts_with("cargo ") {
        true => "From the folder of the project in which it was run",
        false => "From the folder in which it was run",
    };
    format!(
        "<p>{place}:</p>\n<pre><code>{}</code></pre>\n\
         <p>The samples are in <a href=\"records.csv\">records.csv</a>, one row per cell in \
         <a href=\"summary.csv\">summary.csv</a>. {}</p>\n\
         <details><summary>The specification</summary>\n<pre><code>{}</code></pre>\n</details>\n",
        escape(&bundle.command),
        escape(&repeats(bundle)),
        escape(&bundle.spec)
    )
}

/// Which columns a repeated run has again.
fn repeats(bundle: &Bundle) -> String {
    let number = |holds: fn(&CellRecord) -> bool| {
        let found = bundle.records.iter().filter(|record| holds(record));
        found.count()
    };
    let (all, clocked) = (bundle.records.len(), number(is_chosen_by_a_clock));
    let limited = number(|record| !is_chosen_by_a_clock(record) && is_limited(record));
    let devices = number(|record| !is_chosen_by_a_clock(record) && is_on_a_device(record));
    let usual = "Columns that are not times are the same, byte for byte, when the run is repeated";
    if clocked == all && all > 0 {
        return BY_CLOCK.to_owned();
    }
    let mut exceptions = Vec::new();
    for (number, why) in [
        (clocked, "whose substeps a clock has chosen"),
        (
            limited,
            "that ended at a limit of time or memory, or decided something by a clock",
        ),
        (
            devices,
            "that ran on a device, which another driver or device need not repeat",
        ),
    ] {
        let noun = if number == 1 { "cell" } else { "cells" };
        if number > 0 {
            let number = grouped(u64::try_from(number).unwrap_or(u64::MAX));
            exceptions.push(format!("{number} {noun} {why}"));
        }
    }
    match exceptions.is_empty() {
        true => format!("{usual}."),
        false => format!("{usual}, except those of {}.", exceptions.join("; of ")),
    }
}

fn is_chosen_by_a_clock(record: &CellRecord) -> bool {
    let calibration = record.outcome.calibration();
    calibration.is_some_and(|own| own.budget.is_time())
}

fn is_limited(record: &CellRecord) -> bool {
    let outcome = &record.outcome;
    outcome.limit.is_some()
        || outcome.status == Status::MaxTime
        || depends_on_time(outcome.decisions())
}

fn is_on_a_device(record: &CellRecord) -> bool {
    let scheme = record.scheme().and_then(|scheme| scheme.device.as_ref());
    record.solver.device.as_ref().or(scheme).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Calibration, FrameBudget, Payload, Trial};
    use crate::testing::{realistic, trajectories};

    #[test]
    fn a_run_that_a_clock_has_shaped_does_not_promise_bytes() {
        let mut run = trajectories();
        let page = html(&run);
        assert!(
            page.contains("byte for byte, when the run is repeated.</p>"),
            "{page}"
        );
        for (chosen, record) in run.records.iter_mut().enumerate() {
            if let Payload::Simulate(own) = &mut record.outcome.payload {
                own.calibration = Some(Calibration {
                    budget: FrameBudget::Seconds(2e-3),
                    substeps: 1,
                    trials: vec![Trial::counted(1, 1e-3)],
                });
            }
            if chosen == 1 {
                break;
            }
        }
        let page = html(&run);
        let said = "except those of 2 cells whose substeps a clock has chosen.";
        assert!(page.contains(said), "{page}");
        run.records.truncate(2);
        let page = html(&run);
        assert!(
            page.contains("chosen by a clock") && !page.contains("byte for byte"),
            "{page}"
        );
        // a budget of row updates promises as before
        for record in &mut run.records {
            if let Payload::Simulate(own) = &mut record.outcome.payload
                && let Some(calibration) = &mut own.calibration
            {
                calibration.budget = FrameBudget::RowUpdates(40);
            }
        }
        assert!(html(&run).contains("byte for byte"));
    }

    #[test]
    fn cells_that_ended_at_a_limit_of_time_are_counted() {
        let mut run = realistic();
        run.records[0].outcome.status = Status::MaxTime;
        run.records[1].solver.device = Some("a card".to_owned());
        let page = html(&run);
        let said = "except those of 1 cell that ended at a limit of time or memory, or decided something by a clock; \
                    of 1 cell that ran on a device";
        assert!(page.contains(said), "{page}");
    }

    #[test]
    fn the_place_fits_the_command() {
        let mut run = realistic();
        assert!(html(&run).contains("From the folder of the project in which it was run:"));
        run.command = "delassus run small.toml".to_owned();
        assert!(html(&run).contains("From the folder in which it was run:"));
    }
}

//! Cells of a results folder as a table for a terminal: how each ended, what it took, and its
//! curve.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::output::printable;
use super::sparkline::{Axes, sparkline};
use crate::analysis::over;
use crate::bundle::Bundle;
use crate::record::{CellRecord, NO_ADAPTER, Outcome};
use crate::view::Over;

/// Characters of a curve \[-\].
const WIDTH: usize = 24;

/// A table of records, with a line that says what the curves are.
pub(crate) struct Cells {
    pub(crate) rows: Vec<Vec<String>>,
    pub(crate) legend: String,
}

/// The table of these records of a bundle, in their order; with the first digits of their keys if
/// asked for.
pub(crate) fn table(bundle: &Bundle, records: &[&CellRecord], keys: bool) -> Cells {
    let axes = axes(bundle, records);
    let over_time = bundle.is_over_time();
    let shown = quantity(bundle);
    let (subject, method) = match over_time {
        true => ("scene", "method"),
        false => ("problem", "solver"),
    };
    let mut head = vec![subject, method, "status"];
    head.extend(match (over_time, bundle.is_timed()) {
        (true, _) => ["frames", "row updates", "seconds"],
        (false, _) => ["sweeps", "row updates", "seconds"],
    });
    let mut rows = vec![head.iter().map(|&text| text.to_owned()).collect::<Vec<_>>()];
    if let Some(name) = &shown {
        rows[0].extend(headings(name, over_time));
        rows[0].push("curve".to_owned());
    }
    let measured = measured(bundle, records, shown.as_deref());
    let whole = whole_columns(&measured);
    let mut before = None;
    for (record, values) in records.iter().zip(measured) {
        let name = record.problem.name.as_str();
        // a name once is enough for all of its lines
        let first = before.replace(name) != Some(name);
        let mut row = vec![
            if first {
                printable(name)
            } else {
                String::new()
            },
            printable(record.method()),
        ];
        row.extend(numbers(record, over_time));
        if let Some(quantity) = &shown {
            let curve = axes
                .get(name)
                .map(|axes| sparkline(&points(&record.outcome, quantity, over_time), *axes, WIDTH));
            let values = values.into_iter().zip(&whole);
            row.extend(values.map(|(value, whole)| number(value, *whole)));
            row.push(curve.unwrap_or_default());
        }
        if keys {
            row.insert(0, record.key.chars().take(12).collect());
        }
        rows.push(row);
    }
    if keys {
        rows[0].insert(0, "key".to_owned());
    }
    Cells {
        rows,
        legend: legend(bundle, shown.as_deref()),
    }
}

/// What the columns of the quantity hold of each record.
fn measured(
    bundle: &Bundle,
    records: &[&CellRecord],
    quantity: Option<&str>,
) -> Vec<Vec<Option<f64>>> {
    let values = |record: &CellRecord| match quantity {
        None => Vec::new(),
        Some(name) if bundle.is_over_time() => {
            let taken = taken(name).iter();
            taken
                .map(|what| over(record, name, *what, bundle.closed_forms))
                .collect()
        }
        Some(name) => vec![record.outcome.last(name)],
    };
    records.iter().map(|record| values(record)).collect()
}

/// What is shown of an observable: what the page of the run takes of it, and its value at the end.
fn taken(observable: &str) -> &'static [Over] {
    match Over::usual(observable) {
        Over::Last => &[Over::Last],
        _ => &[Over::Max, Over::Last],
    }
}

/// The headings of what is measured; of a run over time with what is taken of it.
fn headings(quantity: &str, over_time: bool) -> Vec<String> {
    let name = printable(quantity);
    if !over_time {
        return vec![name];
    }
    let words = taken(quantity).iter().map(|what| what.words());
    let mut headings: Vec<String> = words.map(str::to_owned).collect();
    headings[0] = format!("{name} ({})", headings[0]);
    headings
}

/// What the curves are of: the first criterion, or the first thing that was measured.
fn quantity(bundle: &Bundle) -> Option<String> {
    if bundle.is_over_time() {
        return bundle.first_observable().map(str::to_owned);
    }
    let measured = |name: &&String| {
        let mut records = bundle.records.iter();
        records.any(|record| record.outcome.column(name).is_some())
    };
    let criterion = bundle.criteria.iter().find(measured);
    let metrics = bundle
        .records
        .iter()
        .flat_map(|record| &record.outcome.metrics);
    criterion.or_else(|| metrics.into_iter().next()).cloned()
}

fn legend(bundle: &Bundle, quantity: Option<&str>) -> String {
    match quantity {
        None => String::new(),
        Some(name) if bundle.is_over_time() => format!(
            "curve: magnitude of {} over time, from 0 to the largest of the scene",
            printable(name)
        ),
        Some(name) => format!(
            "curve: {} over row updates, both logarithmic; ▁ is the tolerance {}, █ the worst start of the problem",
            printable(name),
            scientific(bundle.tolerance)
        ),
    }
}

/// Status, work and time of a cell.
fn numbers(record: &CellRecord, over_time: bool) -> [String; 4] {
    let outcome = &record.outcome;
    let status = match record.lacks_device() {
        true => NO_ADAPTER.to_owned(),
        false => record.ending(),
    };
    let count = match over_time {
        true => outcome.frames(),
        false => outcome.sweeps,
    };
    let updates = match record.counts_work() {
        true => outcome.row_updates.to_string(),
        false => "-".to_owned(),
    };
    let seconds = outcome.seconds().map_or("-".to_owned(), scientific);
    [status, count.to_string(), updates, seconds]
}

/// The axes of every problem or scene: all of its curves can be compared.
fn axes<'r>(bundle: &Bundle, records: &[&'r CellRecord]) -> BTreeMap<&'r str, Axes> {
    let over_time = bundle.is_over_time();
    let mut all: BTreeMap<&str, Axes> = BTreeMap::new();
    let Some(quantity) = quantity(bundle) else {
        return all;
    };
    for record in records {
        let axes = all.entry(&record.problem.name).or_insert(Axes {
            most: 0.0,
            bottom: if over_time { 0.0 } else { bundle.tolerance },
            top: 0.0,
            logarithmic: !over_time,
        });
        for (index, (position, value)) in points(&record.outcome, &quantity, over_time)
            .into_iter()
            .enumerate()
        {
            axes.most = axes.most.max(position);
            // a residual that grows leaves the frame: others would be flat
            if value.is_finite() && (over_time || index == 0) {
                axes.top = axes.top.max(value);
            }
        }
    }
    all
}

/// Positions and magnitudes of a quantity of a cell: over row updates, sweeps where those are not
/// counted, or time \[s\].
fn points(outcome: &Outcome, quantity: &str, over_time: bool) -> Vec<(f64, f64)> {
    if over_time {
        let (times, values) = outcome.series(quantity);
        return times
            .into_iter()
            .zip(values.into_iter().map(f64::abs))
            .collect();
    }
    let Some(column) = outcome.column(quantity) else {
        return Vec::new();
    };
    let samples = outcome.samples.iter().filter_map(|sample| {
        let work = match outcome.row_updates {
            0 => sample.sweeps,
            _ => sample.row_updates,
        };
        #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
        let work = work as f64;
        Some((work, sample.value(column)?.abs()))
    });
    samples.collect()
}

/// Which columns of these rows hold whole numbers alone.
fn whole_columns(rows: &[Vec<Option<f64>>]) -> Vec<bool> {
    let is_whole = |value: f64| value.fract() == 0.0 && value.abs() < 1e6;
    let columns = 0..rows.first().map_or(0, Vec::len);
    columns
        .map(|column| rows.iter().all(|row| row[column].is_none_or(is_whole)))
        .collect()
}

/// A value of a cell: in a column of whole numbers, as counts of bodies, with all its digits.
fn number(value: Option<f64>, whole: bool) -> String {
    match (value, whole) {
        (None, _) => "-".to_owned(),
        (Some(value), true) => format!("{value:.0}"),
        (Some(value), false) => scientific(value),
    }
}

/// Three significant digits.
pub(crate) fn scientific(value: f64) -> String {
    match value {
        0.0 => "0".to_owned(),
        value => format!("{value:.2e}"),
    }
}

/// A finished cell for a program, without its samples.
pub(crate) fn object(record: &CellRecord) -> Value {
    let outcome = &record.outcome;
    let residuals = outcome.metrics.iter().filter_map(|name| {
        let value = outcome.last(name).filter(|value| value.is_finite())?;
        Some((name.clone(), Value::from(value)))
    });
    json!({
        "problem": record.problem.name,
        "solver": record.method(),
        "key": record.key,
        "status": record.ending(),
        "message": outcome.message,
        "approximations": outcome.approximations,
        "rows": record.facts.rows,
        "sweeps": record.counts_work().then_some(outcome.sweeps),
        "row_updates": record.counts_work().then_some(outcome.row_updates),
        "factorizations": outcome.factorizations,
        "seconds": outcome.seconds(),
        "residuals": residuals.collect::<Map<String, Value>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_has_one_notation() {
        let rows = [
            [Some(4.0), Some(4.0)],
            [Some(3.996), Some(0.0)],
            [None, None],
        ];
        let rows = rows.map(Vec::from);
        let whole = whole_columns(&rows);
        let texts = |column: usize| {
            rows.each_ref()
                .map(|row| number(row[column], whole[column]))
        };
        assert_eq!(texts(0), ["4.00e0", "4.00e0", "-"]);
        assert_eq!(texts(1), ["4", "0", "-"]);
        assert!(whole_columns(&[]).is_empty());
    }
}

//! A finished cell at a glance.

use std::path::Path;

use serde_json::{Value, json};

use super::{Line, SCHEMA, bytes_of, page};
use crate::bundle::Bundle;
use crate::cli::cells::{self, object, scientific};
use crate::cli::failure::Failure;
use crate::cli::output::{Output, count, printable};
use crate::record::CellRecord;
use crate::store::{self, Kept};

/// The key of a cell's file, if the file is one by its name and its place.
pub(super) fn key_of(path: &Path) -> Option<String> {
    let stem = path.file_stem()?.to_str()?;
    let json = path.extension()? == "json";
    let key = stem.len() == 64 && stem.bytes().all(|byte| byte.is_ascii_hexdigit());
    (json && key).then(|| stem.to_owned())
}

/// Reads the cell of a file.
pub(super) fn read(path: &Path, key: &str) -> Result<Box<CellRecord>, Failure> {
    let shown = printable(&path.to_string_lossy());
    let bytes = bytes_of(path)?;
    match store::cell_of(&bytes, key) {
        Kept::Cell(record) => Ok(record),
        Kept::Corrupt(reason) => Err(Failure::Mismatch(format!("{shown}: {reason}"))),
        Kept::Nothing => Err(Failure::request(format!("{shown}: no such file"))),
    }
}

/// Prints the page, or one object.
pub(super) fn show(
    record: &CellRecord,
    bundle: Option<&Bundle>,
    as_json: bool,
    output: &mut Output,
) -> Result<(), Failure> {
    if as_json {
        let mut cell = object(record);
        cell["schema"] = json!(SCHEMA);
        cell["facts"] = serde_json::to_value(&record.facts).unwrap_or(Value::Null);
        cell["parameters"] = Value::Object(record.solver.parameters.clone());
        cell["decisions"] = json!(record.outcome.decisions());
        cell["worst_block"] = json!(record.outcome.worst_block());
        cell["impulse_hash"] = json!(record.outcome.impulse_hash);
        return output.json(&cell);
    }
    let title = printable(&format!("{}, {}", record.problem.name, record.method()));
    page(&title, &lines(record), output)?;
    if let Some(bundle) = bundle {
        let table = cells::table(bundle, &[record], false);
        output.line("")?;
        output.table(&table.rows)?;
        output.line(&table.legend)?;
    }
    Ok(())
}

fn lines(record: &CellRecord) -> Vec<Line> {
    let (outcome, facts) = (&record.outcome, &record.facts);
    let many = |number: usize, noun: &str| count(number as u64, noun);
    let mut lines: Vec<Line> = vec![("key", record.key.clone()), ("status", record.ending())];
    lines.extend(outcome.message.iter().map(|text| ("", printable(text))));
    let mut parts = vec![many(facts.rows, "row"), many(facts.blocks, "block")];
    parts.push(many(facts.contacts, "contact"));
    parts.push(match facts.bodies {
        Some(1) => "1 body".to_owned(),
        Some(bodies) => format!("{bodies} bodies"),
        None => "no bodies, a matrix".to_owned(),
    });
    lines.push(("problem", parts.join(", ")));
    let set = |map: &serde_json::Map<String, Value>| {
        let all = map.iter().map(|(key, value)| format!("{key}={value}"));
        printable(&all.collect::<Vec<_>>().join(" "))
    };
    if !record.solver.id.is_empty() {
        let text = format!("{} {}", record.solver.id, set(&record.solver.parameters));
        lines.push(("solver", text.trim_end().to_owned()));
    }
    if let Some(scheme) = record.scheme() {
        lines.push((
            "scheme",
            format!("{} {}", scheme.id, set(&scheme.parameters)),
        ));
        lines.push((
            "length",
            format!(
                "{} frames, {:?} s",
                outcome.frames(),
                outcome.covered().unwrap_or(0.0)
            ),
        ));
    }
    let work = format!(
        "{}, {}",
        count(outcome.sweeps, "sweep"),
        count(outcome.row_updates, "row update")
    );
    lines.push(("work", work));
    if let Some(seconds) = outcome.seconds() {
        lines.push((
            "time",
            format!(
                "{} s, median of {}",
                scientific(seconds),
                many(outcome.iterate_seconds.len(), "pass").replace("passs", "passes")
            ),
        ));
    }
    for name in &outcome.metrics {
        let Some(value) = outcome.last(name) else {
            continue;
        };
        let best = outcome.best(name).filter(|best| *best < value);
        let best = best.map_or_else(String::new, |best| {
            format!(", {} at its best", scientific(best))
        });
        lines.push((
            "measured",
            printable(&format!("{name} {}{best}", scientific(value))),
        ));
    }
    if let Some(worst) = outcome.worst_block() {
        let text = format!(
            "{}, natural_map_block {}",
            worst.block,
            scientific(worst.residual)
        );
        lines.push(("worst block", text));
    }
    lines.extend(
        outcome
            .approximations
            .iter()
            .map(|text| ("approximate", printable(text))),
    );
    lines.extend(
        outcome
            .decisions()
            .iter()
            .map(|text| ("decided", printable(text))),
    );
    if !outcome.impulse_hash.is_empty() {
        lines.push(("hash", outcome.impulse_hash.clone()));
    }
    if let Some(origin) = &record.origin {
        let text = format!(
            "{}, {} build of {}",
            origin.machine.cpu, origin.profile, origin.commit
        );
        lines.push(("made on", printable(&text)));
    }
    lines
}

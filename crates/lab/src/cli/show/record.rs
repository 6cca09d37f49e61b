//! A finished cell at a glance.

use std::path::Path;

use delassus_core::Status;
use delassus_records::disk;
use delassus_runner::unfit;
use serde_json::{Value, json};

use super::page::{Line, SCHEMA, page};
use crate::bundle::Bundle;
use crate::cli::cells::{self, object, scientific};
use crate::cli::decisions;
use crate::cli::failure::Failure;
use crate::cli::output::{Output, count, printable, time};
use crate::record::{CellRecord, WorldEnd};
use crate::store::{self, StoredCell};

/// The key of a cell's file, if the file is one by its name and its place.
pub(super) fn key_of(path: &Path) -> Option<String> {
    let stem = path.file_stem()?.to_str()?;
    let json = path.extension()? == "json";
    let key = stem.len() == 64 && stem.bytes().all(|byte| byte.is_ascii_hexdigit());
    (json && key).then(|| stem.to_owned())
}

/// Reads the cell of a file, which lies among the cells of its results folder or apart from them.
pub(super) fn read(path: &Path, key: &str) -> Result<Box<CellRecord>, Failure> {
    let cells = path.parent().unwrap_or(Path::new(""));
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let bytes = disk::read_named(path).map_err(|error| unfit::unread(cells, &name, error))?;
    let record = match store::cell_of(&bytes, key) {
        StoredCell::Cell(record) => record,
        StoredCell::Corrupt(reason) => {
            return Err(unfit::not_as_left(cells, &name, reason).into());
        }
        StoredCell::Nothing => {
            let shown = printable(&path.to_string_lossy());
            return Err(Failure::request(format!("{shown}: no such file")));
        }
    };
    if cells.file_name().is_some_and(|name| name == store::CELLS) {
        let results = cells.parent().unwrap_or(Path::new(""));
        unfit::check_files_of_record(results, &record)?;
    }
    Ok(record)
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
        if let Some(peer) = record.outcome.peer() {
            cell["peer"] = json!(peer);
        }
        if let Some(calibration) = record.outcome.calibration() {
            cell["calibration"] = json!(calibration);
        }
        if !record.outcome.worlds().is_empty() {
            cell["worlds"] = json!(record.outcome.worlds());
        }
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
    let outcome = &record.outcome;
    let mut lines: Vec<Line> = vec![("key", record.key.clone()), ("status", record.ending())];
    lines.extend(outcome.message.iter().map(|text| ("", printable(text))));
    lines.extend(configuration(record));
    lines.extend(work(record));
    lines.extend(measured(record));
    lines.extend(worlds(record));
    let said = |label, texts: &[String]| -> Vec<Line> {
        texts.iter().map(|text| (label, printable(text))).collect()
    };
    lines.extend(said("approximate", &outcome.approximations));
    let decided = decisions::lines(outcome.decisions(), 0).into_iter();
    lines.extend(decided.map(|line| ("decided", line)));
    lines.extend(outcome.peer().map(|peer| {
        let answer = &peer.answer;
        let restarted = if peer.restarted {
            ", restarted for every sample"
        } else {
            ""
        };
        let text = format!(
            "{} after {} iterations{restarted}",
            answer.claimed, answer.iterations
        );
        ("claimed", text)
    }));
    if !outcome.impulse_hash.is_empty() {
        lines.push(("hash", outcome.impulse_hash.clone()));
    }
    if let Some(origin) = &record.origin {
        let (cpu, profile) = (&origin.machine.cpu, &origin.profile);
        let text = format!("{cpu}, {profile} build of {}", origin.commit);
        lines.push(("made on", printable(&text)));
    }
    lines
}

/// What was solved or stepped, and by what.
fn configuration(record: &CellRecord) -> Vec<Line> {
    let facts = &record.facts;
    let many = |number: usize, noun: &str| count(number as u64, noun);
    let bodies = match facts.bodies {
        Some(1) => "1 body".to_owned(),
        Some(bodies) => format!("{bodies} bodies"),
        None => "no bodies, a matrix".to_owned(),
    };
    let parts = [
        many(facts.rows, "row"),
        many(facts.blocks, "block"),
        many(facts.contacts, "contact"),
        bodies,
    ];
    let mut lines = vec![("problem", parts.join(", "))];
    let with = |id: &str, map: &serde_json::Map<String, Value>| {
        let all = map.iter().map(|(key, value)| format!(" {key}={value}"));
        printable(&format!("{id}{}", all.collect::<String>()))
    };
    let solver = &record.solver;
    if !solver.id.is_empty() {
        lines.push(("solver", with(&solver.id, &solver.parameters)));
    }
    if let Some(scheme) = record.scheme() {
        lines.push(("scheme", with(&scheme.id, &scheme.parameters)));
    }
    if let Some(own) = record.outcome.calibration() {
        let trials = own.trials.iter();
        let trials =
            trials.map(|trial| format!("{} at {}", own.budget.shown(trial.cost), trial.substeps));
        let trials: Vec<String> = trials.collect();
        lines.push((
            "substeps",
            format!("{}, by a budget of {}", own.substeps, own.budget),
        ));
        lines.push(("", format!("tried: {}", trials.join(", "))));
        lines.extend(own.unsteady().map(|said| ("", said)));
    }
    lines
}

/// What it took.
fn work(record: &CellRecord) -> Vec<Line> {
    let outcome = &record.outcome;
    let [sweeps, updates] = [
        (outcome.sweeps, "sweep"),
        (outcome.row_updates, "row update"),
    ]
    .map(|(number, noun)| count(number, noun));
    let factored = outcome.factorizations;
    let factored = factored.map_or_else(String::new, |number| {
        format!(", {}", count(number, "factorization"))
    });
    let work = match record.counts_work() {
        true => format!("{sweeps}, {updates}{factored}"),
        false => "not reported by engines".to_owned(),
    };
    let mut lines = vec![("work", work)];
    if let Some(covered) = outcome.covered() {
        let frames = count(outcome.frames(), "frame");
        lines.push(("length", format!("{frames}, {} s", rounded(covered))));
    }
    if let Some(seconds) = outcome.seconds() {
        let of = match outcome.iterate_seconds.len() {
            1 => "1 pass".to_owned(),
            passes => format!("{passes} passes"),
        };
        lines.push(("time", format!("{} s, median of {of}", time(seconds))));
    }
    lines
}

/// A time without the rounding errors of its steps.
fn rounded(seconds: f64) -> f64 {
    (seconds * 1e9).round() / 1e9
}

/// The last value of everything that was measured, the value closest to zero where another sample
/// has it, and the worst block.
fn measured(record: &CellRecord) -> Vec<Line> {
    let outcome = &record.outcome;
    let values = outcome.metrics.iter().filter_map(|name| {
        let value = outcome.last(name)?;
        let best = outcome.best(name);
        let best = best.filter(|best| best.abs() < value.abs());
        let best = best.map(|best| format!(", {} at its best", scientific(best)));
        let text = format!("{name} {}{}", scientific(value), best.unwrap_or_default());
        Some(("measured", printable(&text)))
    });
    let mut lines: Vec<Line> = values.collect();
    if let Some(worst) = outcome.worst_block() {
        let residual = scientific(worst.residual);
        let text = format!("{}, natural_map_block {residual}", worst.block);
        lines.push(("worst block", text));
    }
    lines
}

/// Worlds that are named one by one at most \[-\].
const NAMED: usize = 8;

/// How many worlds are solved, and those that are not, with their parameters.
fn worlds(record: &CellRecord) -> Vec<Line> {
    let worlds = record.outcome.worlds();
    if worlds.is_empty() {
        return Vec::new();
    }
    let is_open = |(_, world): &(usize, &WorldEnd)| world.status != Status::Solved;
    let open: Vec<(usize, &WorldEnd)> = worlds.iter().enumerate().filter(is_open).collect();
    let solved = worlds.len() - open.len();
    let last = worlds.iter().filter_map(|world| world.sweeps).max();
    let after = last.map_or_else(String::new, |last| {
        format!(", the last after {}", count(last, "sweep"))
    });
    let text = format!("{solved} of {} solved{after}", worlds.len());
    let mut lines = vec![("worlds", text)];
    lines.extend(open.iter().take(NAMED).map(|(number, world)| {
        let parameters = world.parameters.iter();
        let parameters = parameters.map(|(key, value)| format!(" {key}={value}"));
        let residual = world.residual.map_or("none".to_owned(), scientific);
        let text = format!(
            "world {number}{}: {}, natural map {residual}",
            parameters.collect::<String>(),
            world.status
        );
        ("", printable(&text))
    }));
    if open.len() > NAMED {
        lines.push(("", format!("and {} more", open.len() - NAMED)));
    }
    lines
}

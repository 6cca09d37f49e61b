//! `delassus demo`: a small experiment that ships with the program, run like any other.

use std::collections::BTreeMap;
use std::path::Path;

use delassus_core::Status;
use delassus_records::disk;
use serde_json::json;

use super::args::DemoVerb;
use super::cells::{self, object};
use super::diagnostic::print_diagnostic;
use super::experiment::run_into;
use super::failure::Failure;
use super::interrupt::Interrupt;
use super::output::{Output, printable};
use crate::analysis::work_to;
use crate::bundle::Bundle;
use crate::numbers::power;
use crate::record::CellRecord;
use crate::registry::Registry;
use crate::run::RunError;
use crate::store::write_atomic;
use crate::view::{Work, headline};
use crate::{results, run, spec};

/// The spec.
const SPEC: &str = include_str!("../../templates/demo/demo.toml");
/// Its name in the folder of the results.
const FILE: &str = "demo.toml";

/// Runs the verb.
pub(crate) fn run(
    verb: &DemoVerb,
    registry: &Registry,
    output: &mut Output,
    interrupt: &Interrupt,
) -> Result<(), Failure> {
    let spec = verb.out.join(FILE);
    refuse_changed(&spec)?;
    // what is refused leaves nothing behind
    let text = spec::of_text(&spec, SPEC.to_owned(), registry).map_err(RunError::Spec)?;
    run::admit(&verb.out, &text)?;
    if !spec.is_file() {
        write_atomic(&spec, SPEC.as_bytes()).map_err(|error| Failure::unwritten(&spec, &error))?;
    }
    let quiet = verb.quiet || verb.json;
    let summary = run_into(&spec, &verb.out, quiet, registry, output, interrupt)?;
    let bundle = results::load(&verb.out, registry)?.bundle;
    let report = verb.out.join("report.html");
    if verb.json {
        for record in &bundle.records {
            output.json(&object(record))?;
        }
        output.json(&json!({
            "schema": "demo/1",
            "cells": summary.cells,
            "kept": summary.kept,
            "statuses": summary.endings(),
            "spec": spec.to_string_lossy(),
            "report": report.to_string_lossy(),
        }))?;
    } else {
        show(&bundle, output)?;
        output.line("")?;
        let [report, spec] = [&report, &spec].map(|path| printable(&path.to_string_lossy()));
        output.line(&format!("report  {report}"))?;
        output.line(&format!("spec    {spec}, a start for your own"))?;
    }
    match summary.exit_code() {
        0 => Ok(()),
        _ => Err(Failure::run(format!(
            "{} of {} cells failed; the report says why",
            summary.failed(),
            summary.cells
        ))),
    }
}

/// Refuses a folder with a spec that somebody has changed: it is theirs.
fn refuse_changed(path: &Path) -> Result<(), Failure> {
    match disk::read_named(path) {
        Ok(there) if there != SPEC.as_bytes() => Err(Failure::request(format!(
            "{} is not the spec of this program's demo; run it with `delassus run`, or name another folder with --out",
            printable(&path.to_string_lossy())
        ))),
        // one that is not there is written, and what is wrong with another is said then
        _ => Ok(()),
    }
}

fn show(bundle: &Bundle, output: &mut Output) -> Result<(), Failure> {
    let records: Vec<&CellRecord> = bundle.records.iter().collect();
    let table = cells::table(bundle, &records, false);
    output.table(&table.rows)?;
    output.line("")?;
    output.line(&table.legend)?;
    for line in sentences(bundle, &records) {
        output.line(&line)?;
    }
    if let Some(line) = left_out(&records) {
        output.line(&line)?;
    }
    print_diagnostic(&format!("{} cells", records.len()));
    Ok(())
}

/// What row updates do not count: factorizations, which are most of the work of who makes them.
fn left_out(records: &[&CellRecord]) -> Option<String> {
    let mut made: BTreeMap<&str, u64> = BTreeMap::new();
    for record in records {
        *made.entry(record.method()).or_default() += record.outcome.factorizations.unwrap_or(0);
    }
    let made = made.iter().filter(|(_, number)| **number > 0);
    let made: Vec<String> = made
        .map(|(method, number)| format!("{} made {number}", printable(method)))
        .collect();
    (!made.is_empty()).then(|| {
        let made = made.join(", ");
        format!("row updates count no factorizations, of which {made}: compare seconds as well")
    })
}

/// For each problem who needed the fewest row updates to the tolerance, and how much more the
/// others took: the costs that `compare` compares, up to the first sample within the tolerance.
fn sentences(bundle: &Bundle, records: &[&CellRecord]) -> Vec<String> {
    let mut problems: BTreeMap<usize, Vec<&CellRecord>> = BTreeMap::new();
    for record in records {
        let same = |other: &&CellRecord| other.problem.name == record.problem.name;
        let first = records.iter().position(same).unwrap_or_default();
        problems.entry(first).or_default().push(record);
    }
    let (metric, tolerance) = (headline(), bundle.tolerance);
    let updates = |record: &CellRecord| {
        let (outcome, work) = (&record.outcome, Work::RowUpdates);
        let needed = work_to(outcome, &metric, tolerance, work);
        needed.filter(|_| outcome.status == Status::Solved)
    };
    let sentence = |cells: &Vec<&CellRecord>| {
        let solved = cells.iter().filter_map(|cell| Some((cell, updates(cell)?)));
        let (best, least) = solved.min_by(|one, other| one.1.total_cmp(&other.1))?;
        let others = cells.iter().filter(|record| record.key != best.key);
        let others = others.map(|record| {
            let method = record.method();
            match updates(record).map(|needed| needed / least.max(1.0)) {
                Some(times) if times < 100.0 => format!("{method} {times:.1}×"),
                Some(times) => format!("{method} {times:.0}×"),
                None => format!("{method} does not get there"),
            }
        });
        let others: Vec<String> = others.collect();
        Some(printable(&format!(
            "{}: fewest row updates to {metric} ≤ {}: {} ({least}); {}",
            best.problem.name,
            power(tolerance),
            best.method(),
            others.join(", ")
        )))
    };
    problems.values().filter_map(sentence).collect()
}

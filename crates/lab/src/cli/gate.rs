//! `delassus gate`: what a spec asserts of its numbers, as an exit code.

use std::path::Path;

use delassus_core::Choice;
use delassus_records::folder::is_results;
use delassus_runner::gates::{Gates, judged, judged_as_run};
use delassus_runner::spec::SpecError;
use serde_json::{Value, json};

use super::args::GateVerb;
use super::diagnostic::print_diagnostic;
use super::experiment::run_into;
use super::failure::Failure;
use super::interrupt::Interrupt;
use super::output::{Output, count, finite, printable};
use crate::gate::{CellFinding, GateSpec, GateVerdict, Judged};
use crate::matrix;
use crate::registry::Registry;
use crate::{results, run, spec};

/// Version of the objects of `--json`.
const SCHEMA: &str = "gate/1";

/// Runs the verb.
pub(crate) fn run(
    verb: &GateVerb,
    registry: &Registry,
    output: &mut Output,
    interrupt: &Interrupt,
) -> Result<(), Failure> {
    let refused = |error: SpecError| Failure::request(error.to_string());
    let whole = spec::read(&verb.spec, registry);
    let spec = match &whole {
        // records that are there need no files
        Err(_) if verb.no_run => spec::read_for_views(&verb.spec, registry),
        whole => whole.clone(),
    };
    let spec = spec.map_err(refused)?;
    if spec.gates.is_empty() {
        return Err(Failure::request(format!(
            "{} asserts nothing: add [[gate]], as in value = \"status\", equals = \"solved\"",
            printable(&spec.file)
        )));
    }
    let folder = run::folder_of(&verb.spec, verb.out.as_deref(), registry)?;
    let failed = match verb.no_run {
        true => there(&folder)?,
        false => {
            let quiet = verb.quiet || verb.json;
            run_into(&verb.spec, &folder, quiet, registry, output, interrupt)?.failed()
        }
    };
    let bundle = results::load(&folder, registry)?.bundle;
    let matrix = whole.and_then(|spec| matrix::expand(spec, registry));
    let gates = match &matrix {
        Ok(matrix) => judged(matrix, bundle),
        Err(error) => {
            judged_as_run(&spec, bundle).ok_or_else(|| Failure::request(error.to_string()))?
        }
    };
    if gates.strangers > 0 {
        let number = count(gates.strangers as u64, "cell");
        print_diagnostic(&format!(
            "note: {number} of another program or an older spec; without --no-run they are run again"
        ));
    }
    tell(verb, &gates, output)?;
    conclude(verb, &gates, failed)
}

/// No cell failed now; refuses a folder without results.
fn there(folder: &Path) -> Result<usize, Failure> {
    if is_results(folder) {
        return Ok(0);
    }
    let shown = printable(&folder.to_string_lossy());
    Err(Failure::request(format!(
        "{shown} has no results: leave --no-run out, or name their folder with --out"
    )))
}

fn tell(verb: &GateVerb, gates: &Gates<'_>, output: &mut Output) -> Result<(), Failure> {
    for (gate, judged) in &gates.judged {
        match verb.json {
            true => output.json(&object(gate, judged))?,
            false => output.line(&line(gate, judged))?,
        }
    }
    match verb.json {
        true => output.json(&json!({
            "schema": SCHEMA,
            "gates": gates.judged.len(),
            "passed": number(gates, GateVerdict::Pass),
            "failed": number(gates, GateVerdict::Fail),
            "undecided": number(gates, GateVerdict::Undecided),
            "strangers": gates.strangers,
        })),
        false => Ok(()),
    }
}

fn number(gates: &Gates<'_>, verdict: GateVerdict) -> usize {
    let judged = gates.judged.iter();
    judged
        .filter(|(_, judged)| judged.verdict == verdict)
        .count()
}

/// `fail       sweeps = 63 of pgs: 1 of 6 cells: chain n=9, pgs: 64`.
fn line(gate: &GateSpec, judged: &Judged) -> String {
    let verdict = judged.verdict.name();
    let name = match gate.name.as_str() {
        "" => String::new(),
        name => format!("{name}: "),
    };
    let (assertion, message) = (gate.assertion(), &judged.message);
    printable(&format!("{verdict:<9}  {name}{assertion}: {message}"))
}

fn object(gate: &GateSpec, judged: &Judged) -> Value {
    let cell = |cell: &CellFinding| {
        json!({
            "problem": cell.problem,
            "solver": cell.method,
            "verdict": cell.verdict.name(),
            "value": finite(cell.value),
            "interval": cell.interval.map(|i| json!({
                "low": finite(Some(i.low)), "high": finite(Some(i.high)), "coverage": i.coverage,
            })),
            "found": cell.found,
        })
    };
    json!({
        "schema": SCHEMA,
        "name": gate.name,
        "assertion": gate.assertion(),
        "value": gate.value,
        "verdict": judged.verdict.name(),
        "message": judged.message,
        "cells": judged.cells.iter().map(cell).collect::<Vec<_>>(),
    })
}

fn conclude(verb: &GateVerb, gates: &Gates<'_>, failed: usize) -> Result<(), Failure> {
    let all = count(gates.judged.len() as u64, "gate");
    let [fails, undecided] =
        [GateVerdict::Fail, GateVerdict::Undecided].map(|verdict| number(gates, verdict));
    let open = match undecided {
        0 => String::new(),
        some => format!(", {some} undecided"),
    };
    if fails > 0 || (verb.strict && undecided > 0) {
        return Err(Failure::Gate(format!("{all}: {fails} failed{open}")));
    }
    if failed > 0 {
        let cells = count(failed as u64, "cell");
        return Err(Failure::run(format!(
            "{all}: none failed{open}, but {cells} did; the report says why"
        )));
    }
    if !verb.quiet {
        print_diagnostic(&format!("{all}: none failed{open}"));
    }
    Ok(())
}

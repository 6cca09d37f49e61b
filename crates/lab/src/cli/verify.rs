//! `delassus verify`: a results folder, or an unpacked bundle, checked against itself.

use std::sync::atomic::AtomicBool;

use delassus_runner::verify::{Finding, VerifyReport, Vouched, verify};
use serde_json::{Value, json};

use super::args::VerifyVerb;
use super::failure::Failure;
use super::output::{Output, count, printable};
use super::talk::talk;
use crate::built::BUILD;
use crate::registry::Registry;
use crate::spec;

/// Runs the verb.
pub(crate) fn run(
    verb: &VerifyVerb,
    registry: &Registry,
    output: &mut Output,
    cancel: &AtomicBool,
) -> Result<(), Failure> {
    let spec = verb.spec.as_deref();
    if let Some(spec) = spec {
        spec::read(spec, registry).map_err(|error| Failure::request(error.to_string()))?;
    }
    let verdict = verify(&verb.folder, spec, registry, &BUILD, cancel)?;
    for (kind, list) in [
        ("mismatch", &verdict.findings),
        ("unchecked", &verdict.unchecked),
        ("note", &verdict.notes),
    ] {
        list.iter().try_for_each(|finding| match verb.json {
            true => output.json(&object(kind, finding)),
            false => output.line(&line(kind, finding)),
        })?;
    }
    match verb.json {
        true => output.json(&totals(&verdict, &verb.folder.to_string_lossy()))?,
        false => output.line(&summary(&verdict))?,
    }
    conclude(&verdict)
}

/// `mismatch  cells/KEY.json  stack, pgs: natural_map …`.
fn line(kind: &str, finding: &Finding) -> String {
    let Finding { file, cell, what } = finding;
    let text = match cell {
        Some((problem, method)) => format!("{kind}  {file}  {problem}, {method}: {what}"),
        None => format!("{kind}  {file}  {what}"),
    };
    printable(&text)
}

fn object(kind: &str, finding: &Finding) -> Value {
    let (problem, solver) = finding.cell.clone().unzip();
    json!({
        "schema": "verify/1",
        "verdict": kind,
        "file": finding.file,
        "problem": problem,
        "solver": solver,
        "message": finding.what,
    })
}

fn totals(verdict: &VerifyReport, folder: &str) -> Value {
    json!({
        "schema": "verify/1",
        "folder": folder,
        "cells": verdict.cells,
        "judged": verdict.judged,
        "hashed": verdict.hashed,
        "missing": verdict.missing,
        "residuals": verdict.values,
        "residuals_left": verdict.left,
        "keys": verdict.keys,
        "files": verdict.files,
        "made": verdict.made,
        "vouched": vouched(verdict.vouched),
        "mismatches": verdict.findings.len(),
        "unchecked": verdict.unchecked.len(),
        "notes": verdict.notes.len(),
    })
}

/// The word for what vouches for the records.
fn vouched(by: Vouched) -> &'static str {
    match by {
        Vouched::Root => "root",
        Vouched::Unfinished => "unfinished",
        Vouched::Older => "older",
    }
}

fn summary(verdict: &VerifyReport) -> String {
    let many = |number: usize, noun: &str| count(number as u64, noun);
    let mut parts = vec![
        format!("{} judged again", many(verdict.judged, "cell")),
        format!("{} of them", many(verdict.values, "residual")),
        format!("{} without impulses", verdict.hashed),
        format!("{} computed again", many(verdict.keys, "key")),
        format!("{} hashed", many(verdict.files, "file")),
    ];
    if verdict.made > 0 {
        parts.push(format!("{} made again", many(verdict.made, "file")));
    }
    if verdict.left > 0 {
        parts.push(format!(
            "{} left, which need more than impulses",
            many(verdict.left, "residual")
        ));
    }
    if verdict.missing > 0 {
        parts.push(format!("{} not run yet", many(verdict.missing, "cell")));
    }
    format!("{}: {}", many(verdict.cells, "cell"), parts.join(", "))
}

fn conclude(verdict: &VerifyReport) -> Result<(), Failure> {
    if verdict.cancelled {
        return Err(Failure::Interrupted(
            "interrupted: not everything was checked".to_owned(),
        ));
    }
    if verdict.vouched == Vouched::Older {
        talk(
            "note: an older program has run this; it left no root of the cells, so that a cell that is gone is not noticed",
        );
    }
    match (
        verdict.findings.len() as u64,
        verdict.unchecked.len() as u64,
    ) {
        (0, 0) => {
            talk("everything is as it was recorded");
            Ok(())
        }
        (0, unchecked) => Err(Failure::run(format!(
            "{} could not be checked",
            count(unchecked, "thing")
        ))),
        (found, _) => Err(Failure::Mismatch(format!(
            "{} with what was recorded; a new run mends it, where the program and the spec are the same",
            count(found, "mismatch").replace("mismatchs", "mismatches")
        ))),
    }
}

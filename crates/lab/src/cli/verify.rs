//! `delassus verify`: a results folder, or an unpacked bundle, checked against itself.

use std::sync::atomic::AtomicBool;

use delassus_report::overview::{self, IndexCheck};
#[cfg(unix)]
use delassus_runner::rerun::rerun;
use delassus_runner::verify::{Finding, RecordEvidence, VerifyReport, Versions, verify};
use serde_json::{Value, json};

use super::args::VerifyVerb;
use super::diagnostic::print_diagnostic;
use super::failure::Failure;
use super::output::{Output, count, printable};
#[cfg(unix)]
use super::worker;
use crate::built::BUILD;
use crate::registry::Registry;
#[cfg(not(unix))]
use crate::run::RunError;

/// What mends results that are not as recorded.
const MEND: &str = "run the same spec again with the same program; into this folder to restore files that have changed, into another one (--out) if records were forged";
/// The same where each line says what does.
const MEND_EACH: &str = "each line says what to do";
/// The same for an unpacked bundle.
const MEND_BUNDLE: &str = "unpack the archive again, into a new folder; if that folder has them too, the archive was forged, and a run of its spec gives other results";

/// Runs the verb.
pub(crate) fn run(
    verb: &VerifyVerb,
    registry: &Registry,
    output: &mut Output,
    cancel: &AtomicBool,
) -> Result<(), Failure> {
    let index = match overview::is_folder_of_results(&verb.folder) {
        true => index(verb, output)?,
        false => None,
    };
    let spec = verb.spec.as_deref();
    let mut verdict = match (verify(&verb.folder, spec, registry, &BUILD, cancel), index) {
        (Ok(verdict), _) => verdict,
        (Err(error), None) => return Err(error.into()),
        // the error names the folders inside
        (Err(error), Some(wrong)) => return Err(Failure::Mismatch(format!("{wrong}\n  {error}"))),
    };
    let same = match verb.rerun {
        true => run_again(verb, registry, cancel, &mut verdict)?,
        false => 0,
    };
    for (kind, list) in [
        ("mismatch", &verdict.findings),
        ("unchecked", &verdict.unchecked),
        ("redrawn", &verdict.redrawn),
        ("note", &verdict.notes),
    ] {
        list.iter().try_for_each(|finding| match verb.json {
            true => output.json(&object(kind, finding)),
            false => output.line(&line(kind, finding)),
        })?;
    }
    match verb.json {
        true => output.json(&totals(&verdict, same, &verb.folder.to_string_lossy()))?,
        false => output.line(&summary(&verdict, same))?,
    }
    conclude(&verdict)
}

/// Compares the page over all results of a folder, if there is one, with what they give; what is
/// wrong with it.
fn index(verb: &VerifyVerb, output: &mut Output) -> Result<Option<String>, Failure> {
    let found = match overview::check(&verb.folder) {
        Ok(found @ (IndexCheck::Differs | IndexCheck::Foreign)) => found,
        _ => return Ok(None),
    };
    let path = verb.folder.join(overview::FILE);
    let shown = printable(&path.to_string_lossy());
    let draw = "`delassus report` on their folder draws it again";
    let advice = match found {
        IndexCheck::Foreign => {
            format!("unless it is a page of your own, move it away; then {draw}")
        }
        _ => format!("a run, or a folder that was copied here, changes it: {draw}"),
    };
    match verb.json {
        true => output.json(&json!({
            "schema": "verify/1", "verdict": "mismatch", "file": path.to_string_lossy(),
        }))?,
        false => output.line(&format!("mismatch  {shown}"))?,
    }
    Ok(Some(format!(
        "{shown} is not the index of the results next to it; {advice}"
    )))
}

/// Runs the cells again; how many come to what their records say.
#[cfg(unix)]
fn run_again(
    verb: &VerifyVerb,
    registry: &Registry,
    cancel: &AtomicBool,
    verdict: &mut VerifyReport,
) -> Result<usize, Failure> {
    verdict.unshown.clear();
    verdict.only_rerun.clear();
    let isolation = worker::always();
    let again = rerun(
        &verb.folder,
        verb.spec.as_deref(),
        &verdict.records,
        registry,
        Some(&isolation),
        cancel,
    )?;
    verdict.findings.extend(again.findings);
    verdict.unchecked.extend(again.unchecked);
    verdict.cancelled |= again.cancelled;
    Ok(again.same)
}

#[cfg(not(unix))]
fn run_again(
    _: &VerifyVerb,
    _: &Registry,
    _: &AtomicBool,
    _: &mut VerifyReport,
) -> Result<usize, Failure> {
    Err(RunError::NoIsolation.into())
}

/// `mismatch  cells/KEY.json  stack, pgs: natural_map …`.
fn line(kind: &str, finding: &Finding) -> String {
    let Finding { file, cell, .. } = finding;
    let what = said(finding);
    let text = match cell {
        Some((problem, method)) => format!("{kind}  {file}  {problem}, {method}: {what}"),
        None => format!("{kind}  {file}  {what}"),
    };
    printable(&text)
}

/// What is wrong, and what mends it where another run does not.
fn said(finding: &Finding) -> String {
    match finding.mend {
        Some(mend) => format!("{}; {mend}", finding.what),
        None => finding.what.clone(),
    }
}

fn object(kind: &str, finding: &Finding) -> Value {
    let (problem, solver) = finding.cell.clone().unzip();
    json!({
        "schema": "verify/1",
        "verdict": kind,
        "file": finding.file,
        "problem": problem,
        "solver": solver,
        "message": said(finding),
    })
}

fn totals(verdict: &VerifyReport, same: usize, folder: &str) -> Value {
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
        "unshown": verdict.unshown.len(),
        "only_rerun": verdict.only_rerun,
        "rerun": same,
        "vouched": vouched(verdict.vouched),
        "mismatches": verdict.findings.len(),
        "unchecked": verdict.unchecked.len(),
        "redrawn": verdict.redrawn.len(),
        "made_by": verdict.versions.as_ref().map(|versions| &versions.made_by),
        "notes": verdict.notes.len(),
    })
}

/// The word for what vouches for the records.
fn vouched(by: RecordEvidence) -> &'static str {
    match by {
        RecordEvidence::Root => "root",
        RecordEvidence::Unfinished => "unfinished",
        RecordEvidence::Older => "older",
    }
}

fn summary(verdict: &VerifyReport, same: usize) -> String {
    let many = |number: usize, noun: &str| count(number as u64, noun);
    let mut parts = Vec::new();
    if verdict.judged > 0 {
        let (residuals, cells) = (
            many(verdict.values, "residual"),
            many(verdict.judged, "cell"),
        );
        parts.push(format!(
            "{residuals} of {cells} computed again from the impulses"
        ));
    }
    if verdict.left > 0 {
        let residuals = many(verdict.left, "residual");
        parts.push(format!(
            "{residuals} not checked, which need more than impulses"
        ));
    }
    if verdict.hashed > 0 {
        parts.push(format!(
            "{} without stored impulses",
            many(verdict.hashed, "cell")
        ));
    }
    parts.push(format!("{} computed again", many(verdict.keys, "key")));
    parts.push(format!("{} hashed", many(verdict.files, "file")));
    if verdict.made > 0 {
        let files = many(verdict.made, "file");
        parts.push(format!("{files} drawn or written again and compared"));
    }
    if same > 0 {
        parts.push(format!("{} run again", many(same, "cell")));
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
    if verdict.vouched == RecordEvidence::Older {
        print_diagnostic(
            "note: an older program ran this; it left no root of the cells, so a missing cell is not noticed",
        );
    }
    if !verdict.unshown.is_empty() {
        let cells = count(verdict.unshown.len() as u64, "cell");
        print_diagnostic(&format!(
            "note: {cells} without an answer: nothing but another run can confirm how they ended; --rerun runs them again"
        ));
    }
    if !verdict.only_rerun.is_empty() {
        let all: Vec<&str> = verdict.only_rerun.iter().copied().collect();
        print_diagnostic(&format!(
            "note: compared only with --rerun: {}",
            all.join(", ")
        ));
    }
    if let Some(Versions { made_by, here }) = &verdict.versions {
        print_diagnostic(&printable(&format!(
            "note: made by {made_by}, this is {here}"
        )));
    }
    match (
        verdict.findings.len() as u64,
        verdict.unchecked.len() as u64,
        verdict.redrawn.len() as u64,
    ) {
        (0, 0, 0) => {
            print_diagnostic("everything is as it was recorded");
            Ok(())
        }
        (0, 0, redrawn) => Err(Failure::Redrawn(format!(
            "the data are as recorded; {} drawn by another version differ from what this one draws: `delassus report` draws them again, and that version checks them",
            count(redrawn, "file")
        ))),
        (0, unchecked, _) => Err(Failure::run(format!(
            "{} could not be checked",
            count(unchecked, "thing")
        ))),
        (found, ..) => Err(Failure::Mismatch(format!(
            "{} with what was recorded: {}",
            count(found, "mismatch").replace("mismatchs", "mismatches"),
            match verdict.is_bundle {
                _ if verdict.findings.iter().all(|found| found.mend.is_some()) => MEND_EACH,
                true => MEND_BUNDLE,
                false => MEND,
            }
        ))),
    }
}

//! `delassus report`: the pictures of results again, in their folder or in another one.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use delassus_records::folder::is_results;
use delassus_records::outputs;
use delassus_report::figures::Width;
use delassus_report::overview::{self, IndexUpdate};
use delassus_report::report::{Report, ReportError};
use serde_json::json;

use super::args::ReportVerb;
use super::diagnostic::print_diagnostic;
use super::experiment::note_unfinished;
use super::failure::Failure;
use super::output::{Output, count, printable};
use crate::lock::LockPurpose;
use crate::registry::Registry;
use crate::run::RunError;
use crate::{results, run};

/// Runs the verb `report`.
pub(crate) fn run(
    verb: &ReportVerb,
    registry: &Registry,
    output: &mut Output,
) -> Result<(), Failure> {
    if overview::is_folder_of_results(&verb.folder) {
        return match &verb.out {
            None => index(verb, output),
            Some(_) => Err(Failure::request(
                "--out: the index of all results lies in their folder; name the results of one run",
            )),
        };
    }
    if let Some(out) = &verb.out {
        admit_drawing(out)?;
    }
    let _lock = match (is_results(&verb.folder), &verb.out) {
        (false, _) => None,
        (true, Some(_)) => run::lock_to_read(&verb.folder)?,
        (true, None) => Some(run::lock(&verb.folder, LockPurpose::Whole).map_err(unwritable)?),
    };
    let spec = verb.spec.as_deref();
    let mut report = results::load_with_spec(&verb.folder, spec, registry)?;
    if spec.is_none()
        && let Some(note) = results::unread_spec(&verb.folder, registry)
    {
        print_diagnostic(&printable(&format!("note: {note}")));
    }
    if let Some(note) = results::unread_page(&verb.folder, spec, registry) {
        print_diagnostic(&printable(&format!("note: {note}")));
    }
    let mut widths: Vec<Width> = verb.widths.iter().map(|width| (*width).into()).collect();
    widths.dedup();
    report.widths = widths;
    let folder = verb.out.as_ref().unwrap_or(&verb.folder);
    let before = views(folder);
    match &verb.out {
        Some(out) => results::draw_apart(&report, out)?,
        None => results::draw(&report, &verb.folder).map_err(unwritable)?,
    }
    say_removed(folder, &before);
    note_unfinished(&verb.folder);
    if verb.out.is_none()
        && let Some(note) = run::index_note(&verb.folder)
    {
        print_diagnostic(&printable(&note));
    }
    say(&report, &folder.join("report.html"), verb.json, output)
}

/// The figures and tables that the last report in a folder wrote.
fn views(folder: &Path) -> BTreeSet<String> {
    let listed = outputs::listed(folder).unwrap_or_default();
    let names = listed.files.into_keys();
    let is_view = |name: &String| name.starts_with("figures/") || name.starts_with("tables/");
    names.filter(is_view).collect()
}

/// Names the figures and tables of the report before that are gone.
fn say_removed(folder: &Path, before: &BTreeSet<String>) {
    let gone = before.iter().filter(|name| !folder.join(name).exists());
    // of a figure there are several forms
    let gone: BTreeSet<&str> = gone
        .map(|name| {
            name.rsplit_once('.')
                .map_or(name.as_str(), |(stem, _)| stem)
        })
        .collect();
    if !gone.is_empty() {
        let gone: Vec<&str> = gone.into_iter().collect();
        print_diagnostic(&printable(&format!(
            "note: removed, as this report does not have them any more: {}",
            gone.join(", ")
        )));
    }
}

/// Says where the page is, and what it has.
fn say(report: &Report, page: &Path, json: bool, output: &mut Output) -> Result<(), Failure> {
    if json {
        return output.json(&json!({
            "report": page.to_string_lossy(),
            "cells": report.bundle.records.len(),
            "missing": report.bundle.missing,
            "figures": report.figures.len(),
            "tables": report.tables.len(),
        }));
    }
    let counts = [
        (report.bundle.records.len(), "cell"),
        (report.figures.len(), "figure"),
        (report.tables.len(), "table"),
    ];
    let counts = counts.map(|(number, noun)| count(number as u64, noun));
    print_diagnostic(&counts.join(", "));
    output.line(&printable(&page.to_string_lossy()))
}

/// Refuses a folder for a report of its own that holds something else.
fn admit_drawing(out: &Path) -> Result<(), Failure> {
    let shown = printable(&out.to_string_lossy());
    if is_results(out) {
        return Err(Failure::request(format!(
            "--out {shown}: the folder holds the results of a run; name another one"
        )));
    }
    let is_empty = fs::read_dir(out).map_or(true, |mut files| files.next().is_none());
    if !is_empty && !out.join(outputs::LIST).is_file() {
        return Err(Failure::request(format!(
            "--out {shown}: the folder is not empty, and no report made it; name a new one"
        )));
    }
    Ok(())
}

/// The failure of a report, with what helps where its results are read-only.
fn unwritable(error: RunError) -> Failure {
    match &error {
        RunError::Write { source, .. } | RunError::Report(ReportError::Write { source, .. })
            if run::is_read_only(source) =>
        {
            Failure::Store(format!(
                "{error}; with --out FOLDER the report is drawn elsewhere"
            ))
        }
        _ => error.into(),
    }
}

/// The page over all results folders in a folder.
fn index(verb: &ReportVerb, output: &mut Output) -> Result<(), Failure> {
    let shown = |path: &Path| printable(&path.to_string_lossy());
    match overview::renew(&verb.folder) {
        Ok(IndexUpdate::Is(path, experiments)) if verb.json => output.json(&json!({
            "index": path.to_string_lossy(),
            "experiments": experiments,
        })),
        Ok(IndexUpdate::Is(path, experiments)) => {
            print_diagnostic(&count(experiments as u64, "experiment"));
            output.line(&shown(&path))
        }
        Ok(IndexUpdate::Foreign(path)) => Err(Failure::Store(format!(
            "cannot write {}: it is not a page of this program; move it away, and run the command again",
            shown(&path)
        ))),
        Ok(IndexUpdate::NotHere) => Ok(()),
        Err(error) => Err(Failure::Store(format!(
            "cannot write {}: {error}",
            shown(&verb.folder.join(overview::FILE))
        ))),
    }
}

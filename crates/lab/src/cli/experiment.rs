//! `delassus run`: experiments from a spec.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use delassus_core::Status;
use delassus_runner::command::of_package;
use delassus_runner::error::NOT_AS_LEFT;
use serde_json::json;

use super::args::RunVerb;
use super::cells::object;
use super::diagnostic::print_diagnostic;
use super::failure::Failure;
use super::interrupt::Interrupt;
use super::kind::{FileKind, require};
use super::output::{Output, count, printable, time};
use super::plan;
use super::worker;
use crate::built::BUILD;
use crate::progress::{Meter, Style};
use crate::record::{CellRecord, NO_ADAPTER};
use crate::registry::Registry;
use crate::run::{RunArgs, RunError, RunListener, RunSummary, Shard};
use crate::{results, run};

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        match error.exit_code() {
            2 => Self::request(error.to_string()),
            3 if matches!(error, RunError::Busy { .. }) => {
                Self::Store(format!("{error}; try again when that has ended"))
            }
            3 => Self::Store(error.to_string()),
            4 => Self::Missing(error.to_string()),
            NOT_AS_LEFT => Self::Mismatch(error.to_string()),
            130 => Self::Interrupted(error.to_string()),
            _ => Self::run(error.to_string()),
        }
    }
}

/// Runs the verb `run`.
pub(crate) fn run(
    verb: &RunVerb,
    registry: &Registry,
    output: &mut Output,
    interrupt: &Interrupt,
) -> Result<(), Failure> {
    let mut failed = Ok(());
    for spec in std::iter::once(&verb.spec).chain(&verb.more) {
        let arguments = arguments(verb, spec)?;
        if verb.dry_run {
            let planned = dry_run(verb, registry, &arguments, output);
            planned.map_err(|failure| unless_other(&arguments.spec, registry, failure))?;
            continue;
        }
        let summary = perform(verb, &arguments, registry, output, interrupt);
        let summary =
            summary.map_err(|failure| unless_other(&arguments.spec, registry, failure))?;
        match conclude(verb, &summary, output) {
            // cells that failed keep no other spec from running
            Err(failure @ Failure::Run(_)) => failed = Err(failure),
            other => other?,
        }
    }
    failed
}

/// The failure of a spec; that of a scene or a problem file says what the file is, and that of a
/// solver which the package around the spec may have, how that is run.
fn unless_other(spec: &Path, registry: &Registry, failure: Failure) -> Failure {
    let Failure::Request(message) = failure else {
        return failure;
    };
    if spec.is_file()
        && let Err(other) = require(spec, FileKind::Spec)
    {
        return other;
    }
    let inside = match spec.is_dir() {
        true => spec.join("experiment.toml"),
        false => spec.to_owned(),
    };
    let package = of_package(&inside, registry).filter(|_| message.contains("unknown solver"));
    Failure::Request(match package {
        Some((folder, command)) => format!(
            "{message}\nhint: this program lacks the solvers of the package {}; `{command}` there builds one that has them",
            printable(&folder.to_string_lossy())
        ),
        None => message,
    })
}

/// What the runner is asked for.
fn arguments(verb: &RunVerb, spec: &Path) -> Result<RunArgs, Failure> {
    let shard = match &verb.shard {
        Some(text) => Some(
            text.parse::<Shard>()
                .map_err(|reason| Failure::request(format!("--shard: {reason}")))?,
        ),
        None => None,
    };
    Ok(RunArgs {
        spec: spec.to_owned(),
        out: verb.out.clone(),
        jobs: usize::from(verb.jobs),
        shard,
        require_gpu: verb.require_gpu,
        isolation: worker::isolation(verb),
        limits: verb.limits.into(),
        build: BUILD,
    })
}

/// Runs the cells and writes the report; progress on standard error, with `--json` a line per cell
/// on standard output.
fn perform(
    verb: &RunVerb,
    arguments: &RunArgs,
    registry: &Registry,
    output: &mut Output,
    interrupt: &Interrupt,
) -> Result<RunSummary, Failure> {
    let listener = Listener {
        meter: Meter::new(Style::detect(verb.quiet)),
        json: verb.json.then(|| Mutex::new((&mut *output, None))),
        concluding: &interrupt.concluding,
        wait: verb.wait,
        waiting: AtomicBool::new(false),
    };
    let finished = run::run(registry, arguments, &listener, &interrupt.asked);
    listener.meter.end();
    let said = listener
        .json
        .map(|json| json.into_inner().unwrap_or_else(PoisonError::into_inner));
    if let Some((_, Some(failure))) = said {
        // the cells are kept whatever became of standard output
        finished?;
        return Err(failure);
    }
    Ok(finished?)
}

/// Runs the spec at `spec` into `folder` as the verb `run` does with nothing but `--out` and
/// `--quiet`.
pub(super) fn run_into(
    spec: &Path,
    folder: &Path,
    quiet: bool,
    registry: &Registry,
    output: &mut Output,
    interrupt: &Interrupt,
) -> Result<RunSummary, Failure> {
    let verb = RunVerb::plain(spec, folder, quiet)?;
    let summary = perform(
        &verb,
        &arguments(&verb, &verb.spec)?,
        registry,
        output,
        interrupt,
    )?;
    match summary {
        RunSummary {
            cancelled: true, ..
        } => Err(Failure::Interrupted(format!(
            "interrupted: {}",
            totals(&summary)
        ))),
        RunSummary { lost: 1.., .. } => Err(lost(&summary)),
        summary => Ok(summary),
    }
}

fn dry_run(
    verb: &RunVerb,
    registry: &Registry,
    arguments: &RunArgs,
    output: &mut Output,
) -> Result<(), Failure> {
    let (planned, dir) = run::plan(registry, arguments)?;
    let lines = planned.lines(&dir);
    let estimate = planned.estimate(&lines, registry);
    if verb.json {
        lines.iter().try_for_each(|line| output.json(line))?;
        for line in planned.notes() {
            print_diagnostic(&format!("note: {}", printable(&line)));
        }
        return output.json(&json!({ "estimate": estimate }));
    }
    output.text(&plan::table(&lines))?;
    for line in planned.notes() {
        output.line(&printable(&line))?;
    }
    output.text(&estimate.text())
}

/// The last words: totals, where the report is, how to continue.
fn conclude(verb: &RunVerb, summary: &RunSummary, output: &mut Output) -> Result<(), Failure> {
    if verb.json {
        output.json(&json!({
            "cells": summary.cells,
            "kept": summary.kept,
            "ran": summary.ran,
            "missing": summary.missing,
            "lost": summary.lost,
            "statuses": summary.endings(),
            "unstepped": summary.unstepped,
            "cancelled": summary.cancelled,
            "folder": summary.dir.to_string_lossy(),
            "report": summary.report.as_ref().map(|path| path.to_string_lossy()),
        }))?;
    }
    let totals = totals(summary);
    if summary.cancelled {
        return Err(Failure::Interrupted(format!(
            "interrupted: {totals}\nfinished cells are kept; run the same command again to continue"
        )));
    }
    if !verb.quiet {
        print_diagnostic(&totals);
        if summary.report.is_none() && summary.missing > 0 {
            print_diagnostic("no report yet: run without --shard when every part is done");
        }
    }
    if let (Some(report), false) = (&summary.report, verb.json) {
        output.line(&printable(&report.to_string_lossy()))?;
    }
    match summary.exit_code() {
        0 => Ok(()),
        3 => Err(lost(summary)),
        _ if summary.is_refused() => Err(Failure::run(
            "every cell is unsupported, so nothing was computed; the report says why",
        )),
        _ => Err(Failure::run(format!(
            "{} of {} cells failed; the report says why",
            summary.failed(),
            summary.cells
        ))),
    }
}

/// Others have ended processes of cells.
fn lost(summary: &RunSummary) -> Failure {
    Failure::Store(format!(
        "{} of {} without a record: the system or another program ended their processes, or they could not be started, three times each; run the same command again",
        summary.lost,
        count(summary.cells as u64, "cell")
    ))
}

/// `60 cells: 55 solved, 3 not converged, 2 unsupported; 40 ran, 20 kept from before`.
fn totals(summary: &RunSummary) -> String {
    let with = |wanted: &[Status]| -> usize {
        let statuses = summary.statuses.iter();
        statuses
            .filter(|(status, _)| wanted.contains(status))
            .map(|(_, count)| count)
            .sum()
    };
    let solved = with(&[Status::Solved]);
    let unsupported = with(&[Status::Unsupported]);
    let failed = summary.failed();
    let records: usize = summary.statuses.values().sum();
    let groups = [
        (solved, summary.good),
        (
            records - solved - unsupported - failed,
            not_good(summary.good),
        ),
        (unsupported, "unsupported"),
        (failed, "failed"),
        (summary.missing, "to do"),
    ];
    let parts: Vec<String> = groups
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, name)| format!("{count} {name}"))
        .collect();
    format!(
        "{}: {}; {} ran, {} kept from before",
        count(summary.cells as u64, "cell"),
        parts.join(", "),
        summary.ran,
        summary.kept
    )
}

/// What is neither good nor unsupported nor failed.
fn not_good(good: &str) -> &'static str {
    match good {
        "solved" => "not converged",
        _ => "broken off",
    }
}

/// Shows progress on standard error and, if asked to, writes cells on standard output.
struct Listener<'o> {
    meter: Meter,
    /// Standard output, and the first thing that went wrong with it.
    json: Option<Mutex<(&'o mut Output, Option<Failure>)>>,
    /// Set when the cells are over.
    concluding: &'o AtomicBool,
    /// Wait for another process that has the folder.
    wait: bool,
    /// It was said that the run waits.
    waiting: AtomicBool,
}

impl RunListener for Listener<'_> {
    fn started(&self, cells: usize, kept: usize) {
        self.meter.begin(cells - kept);
        if kept > 0 {
            let cells = count(cells as u64, "cell");
            self.meter
                .note(&format!("{kept} of {cells} kept from before"));
        }
    }

    fn cell_started(&self, problem: &str, solver: &str) {
        self.meter.start(&cell_name(problem, solver));
    }

    fn cell_finished(&self, record: &CellRecord) {
        let cell = cell_name(&record.problem.name, record.method());
        let failed = record.outcome.status.is_failure();
        self.meter.finish(&cell, &how(record), failed);
        let Some(json) = &self.json else {
            return;
        };
        let mut json = json.lock().unwrap_or_else(PoisonError::into_inner);
        let (output, failure) = &mut *json;
        if failure.is_none() {
            *failure = output.json(&object(record)).err();
        }
    }

    fn concluding(&self) {
        self.concluding.store(true, Ordering::Relaxed);
    }

    fn waits_for(&self, process: Option<u32>) -> bool {
        if self.wait && !self.waiting.swap(true, Ordering::Relaxed) {
            let process = process.map_or_else(
                || "another process".to_owned(),
                |id| format!("process {id}"),
            );
            self.note(&format!("waiting for {process}, which has the folder"));
        }
        self.wait
    }

    fn note(&self, text: &str) {
        self.meter.note(&printable(text));
    }
}

fn cell_name(problem: &str, solver: &str) -> String {
    printable(&format!("{problem}, {solver}"))
}

/// How a cell ended, on one line.
fn how(record: &CellRecord) -> String {
    let outcome = &record.outcome;
    if record.lacks_device() {
        let message = outcome.message.as_deref().unwrap_or_default();
        return format!("{NO_ADAPTER} ({})", printable(message));
    }
    let mut text = record.ending();
    if record.scheme().is_some() {
        text.push_str(&format!(", {}", count(outcome.frames(), "frame")));
        if let Some(own) = outcome.calibration() {
            text.push_str(&format!(
                " of {}",
                count(u64::from(own.substeps), "substep")
            ));
            if let Some(unsteady) = own.unsteady() {
                text.push_str(&format!(" ({unsteady})"));
            }
        }
        if outcome.sweeps > 0 {
            text.push_str(&format!(", {}", count(outcome.sweeps, "sweep")));
        }
    } else if !outcome.samples.is_empty() {
        text.push_str(&format!(", {}", count(outcome.sweeps, "sweep")));
    }
    if let Some(seconds) = outcome.seconds() {
        text.push_str(&format!(", {} s", time(seconds)));
    }
    if let Some(message) = &outcome.message {
        text.push_str(&format!(": {}", printable(message)));
    }
    for approximation in &outcome.approximations {
        text.push_str(&format!("; approximate: {}", printable(approximation)));
    }
    text
}

/// Says of results that a run has not come to its end, how far it is and how to go on.
pub(super) fn note_unfinished(folder: &Path) {
    if let Some(note) = results::unfinished(folder) {
        print_diagnostic(&printable(&format!("note: {note}")));
    }
}

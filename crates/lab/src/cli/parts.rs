//! `delassus status` and `delassus merge`: runs in parts, on several machines.

use delassus_runner::error::NOT_AS_LEFT;
use delassus_runner::isolate::LimitChoice;
use delassus_runner::merge::{MergeReport, merge as merge_folders};
use delassus_runner::status::{RunStatus, Tally, status as status_of};
use serde_json::{Value, json};

use super::args::{MergeVerb, StatusVerb};
use super::diagnostic::print_diagnostic;
use super::failure::Failure;
use super::output::{Output, count, printable};
use crate::built::BUILD;
use crate::registry::Registry;
use crate::run::RunArgs;

/// Runs the verb `status`.
pub(crate) fn status(
    verb: &StatusVerb,
    registry: &Registry,
    output: &mut Output,
) -> Result<(), Failure> {
    let arguments = RunArgs {
        spec: verb.path.clone(),
        out: verb.out.clone(),
        jobs: 1,
        shard: None,
        require_gpu: false,
        isolation: None,
        limits: LimitChoice::default(),
        build: BUILD,
    };
    let status = status_of(registry, &arguments, verb.shards.map(usize::from))?;
    match verb.json {
        true => objects(&status, output)?,
        false => output.table(&rows(&status))?,
    }
    let words = format!(
        "{}: {}",
        printable(&status.folder.to_string_lossy()),
        totals(&status)
    );
    match status.exit_code() {
        0 => {
            print_diagnostic(&words);
            Ok(())
        }
        NOT_AS_LEFT => Err(Failure::Mismatch(format!(
            "{words}; `delassus fsck` names the files"
        ))),
        _ => Err(Failure::run(format!("not everything is done: {words}"))),
    }
}

/// The kinds of a tally, in the order of the columns.
fn kinds(tally: &Tally) -> [(&'static str, usize); 5] {
    [
        ("cells", tally.cells),
        ("done", tally.done),
        ("failed", tally.failed),
        ("damaged", tally.damaged),
        ("missing", tally.missing),
    ]
}

fn rows(status: &RunStatus) -> Vec<Vec<String>> {
    let row = |name: String, tally: &Tally| {
        let numbers = kinds(tally).map(|(_, number)| number.to_string());
        [vec![name], numbers.to_vec()].concat()
    };
    let names = kinds(&status.total).map(|(name, _)| name.to_owned());
    let mut rows = vec![[vec!["part".to_owned()], names.to_vec()].concat()];
    let shards = status.shards.iter();
    rows.extend(shards.map(|(shard, tally)| row(shard.to_string(), tally)));
    rows.push(row("all".to_owned(), &status.total));
    rows
}

fn objects(status: &RunStatus, output: &mut Output) -> Result<(), Failure> {
    let object = |tally: &Tally| {
        let mut object = json!({ "schema": "status/1" });
        for (name, number) in kinds(tally) {
            object[name] = json!(number);
        }
        object
    };
    for (shard, tally) in &status.shards {
        let mut part = object(tally);
        part["shard"] = json!(shard.to_string());
        output.json(&part)?;
    }
    let mut all = object(&status.total);
    all["stale"] = json!(status.stale);
    all["folder"] = Value::from(status.folder.to_string_lossy());
    output.json(&all)
}

/// `9 cells: 7 done, 2 missing; 3 stale files`.
fn totals(status: &RunStatus) -> String {
    let kinds = kinds(&status.total);
    let parts: Vec<String> = kinds[1..]
        .iter()
        .filter(|(_, number)| *number > 0)
        .map(|(name, number)| format!("{number} {name}"))
        .collect();
    let mut text = format!(
        "{}: {}",
        count(status.total.cells as u64, "cell"),
        parts.join(", ")
    );
    if status.stale > 0 {
        let files = count(status.stale as u64, "stale file");
        text.push_str(&format!("; {files}"));
    }
    text
}

/// Runs the verb `merge`.
pub(crate) fn merge(verb: &MergeVerb, output: &mut Output) -> Result<(), Failure> {
    let merged = merge_folders(&verb.folders, &verb.out)?;
    let MergeReport {
        cells,
        copied,
        kept,
        missing,
    } = merged;
    let folder = verb.out.to_string_lossy();
    if verb.json {
        output.json(&json!({
            "schema": "merge/1",
            "folder": folder,
            "cells": cells,
            "copied": copied,
            "kept": kept,
            "missing": missing,
        }))?;
    } else {
        output.line(&printable(&folder))?;
    }
    let cells = count(cells as u64, "cell");
    print_diagnostic(&format!(
        "{cells}: {copied} copied, {kept} there before, {missing} missing; `delassus run` with this folder writes the report"
    ));
    Ok(())
}

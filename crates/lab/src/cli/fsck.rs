//! `delassus fsck` and `delassus migrate`: the files of a results folder.

use delassus_runner::fsck::{self, Damage};
use serde_json::json;

use super::args::{FsckVerb, MigrateVerb};
use super::diagnostic::print_diagnostic;
use super::failure::Failure;
use super::output::{Output, count, printable};

/// Version of the objects that both verbs write.
const SCHEMA: u32 = 1;

/// Runs the verb `fsck`.
pub(crate) fn check(verb: &FsckVerb, output: &mut Output) -> Result<(), Failure> {
    let checked = fsck::check(&verb.folder)?;
    show(&checked.damages, verb.json, output)?;
    if verb.json {
        output.json(&json!({
            "schema": SCHEMA,
            "cells": checked.cells,
            "whole": checked.whole,
            "missing": checked.missing,
            "older": checked.older,
            "strays": checked.strays,
            "left_over": checked.left_over,
            "unlisted": checked.unlisted,
            "damaged": checked.damages.len(),
        }))?;
    }
    for file in &checked.unlisted {
        print_diagnostic(&printable(&format!(
            "note: {file}: is in no list of the folder"
        )));
    }
    let others = [
        (checked.missing, "without a file"),
        (checked.older, "in an older form"),
        (checked.strays, "of other programs or specs"),
    ];
    let mut totals = format!(
        "{}: {} whole",
        count(checked.cells as u64, "cell"),
        checked.whole
    );
    for (number, what) in others.iter().filter(|(number, _)| *number > 0) {
        totals.push_str(&format!(", {number} {what}"));
    }
    match checked.exit_code() {
        0 => {
            print_diagnostic(&totals);
            Ok(())
        }
        _ => Err(damaged(&checked.damages, &totals)),
    }
}

/// Runs the verb `migrate`.
pub(crate) fn migrate(verb: &MigrateVerb, output: &mut Output) -> Result<(), Failure> {
    let migrated = fsck::migrate(&verb.folder)?;
    show(&migrated.left, verb.json, output)?;
    if verb.json {
        output.json(&json!({
            "schema": SCHEMA,
            "migrated": migrated.migrated,
            "current": migrated.current,
            "left": migrated.left.len(),
        }))?;
    }
    let totals = format!(
        "{} migrated, {} in the form of this version already",
        count(migrated.migrated as u64, "cell"),
        migrated.current
    );
    if migrated.left.is_empty() {
        print_diagnostic(&totals);
        return Ok(());
    }
    Err(damaged(&migrated.left, &totals))
}

/// One line, or one object, per file.
fn show(damages: &[Damage], json: bool, output: &mut Output) -> Result<(), Failure> {
    damages.iter().try_for_each(|damage| match json {
        true => output.json(damage),
        false => output.line(&printable(&format!(
            "{}: {}; lost: {}; {}",
            damage.file, damage.reason, damage.lost, damage.action
        ))),
    })
}

fn damaged(damages: &[Damage], totals: &str) -> Failure {
    let found = count(damages.len() as u64, "damaged part");
    Failure::Mismatch(format!("{found}; {totals}"))
}

//! `delassus play`: one scene with several schemes, side by side on a page, without a spec of the
//! user's.

mod length;
mod usual;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use delassus_core::{EntryError, Status, is_engine};
use delassus_records::{disk, key};
use delassus_replay::Replay;
use serde_json::{Map, Value, json};
use toml::Table;

use super::args::{ListWhat, PlayVerb};
use super::cells::{self, object};
use super::check::Start;
use super::diagnostic::print_diagnostic;
use super::experiment::run_into;
use super::failure::Failure;
use super::interrupt::Interrupt;
use super::kind::is_scene_file;
use super::list::elsewhere;
use super::output::{Output, printable};
use super::request::{find_solver, parameters};
use super::scene::RequestedScene;
use crate::record::CellRecord;
use crate::registry::Registry;
use crate::results;
use crate::run::RunSummary;
use crate::simulate::{Observable, resolved};
use crate::store::{CELLS, write_atomic};

/// Name of the experiment.
pub(super) const ID: &str = "play";
/// Name of the spec in the folder of the results.
const FILE: &str = "play.toml";
/// Motions on one page \[-\]; the page shows no more.
const MOST: usize = 16;
/// How the first line of a spec begins that this verb wrote; the hash of the rest follows.
const MARK: &str = "# written by `delassus play`, which overwrites it unless you change it: ";

/// Runs the verb.
pub(crate) fn run(
    verb: &PlayVerb,
    registry: &Registry,
    output: &mut Output,
    interrupt: &Interrupt,
) -> Result<(), Failure> {
    let scene = RequestedScene::new(&verb.scene, &verb.parameters, false)?;
    scene.require_bodies()?;
    let (scheme, left_out) = match verb.scheme.is_empty() {
        true => usual::schemes(&scene.world, registry),
        false => (verb.scheme.clone(), Vec::new()),
    };
    let verb = &PlayVerb {
        scheme,
        ..verb.clone()
    };
    if !verb.json {
        left_out
            .iter()
            .try_for_each(|line| output.line(&printable(line)))?;
    }
    let solves = check_methods(verb, registry)?;
    if let Some(seconds) = verb.seconds {
        length::check(seconds)?;
    }
    let folder = verb.out.clone();
    let folder = folder.unwrap_or_else(|| PathBuf::from(format!("results/play-{}", scene.stem)));
    let spec = folder.join(FILE);
    let text = |seconds: f64| spec_of(verb, &scene, solves, seconds);
    let seconds = match (verb.seconds, earlier_length(&spec, text)) {
        (Some(seconds), _) | (None, Some(seconds)) => seconds,
        (None, None) => length::affordable(verb, &scene.world, registry, &interrupt.asked),
    };
    let replaced = put(&spec, &text(seconds)?)?;
    if is_scene_file(Path::new(&verb.scene)) {
        copy(Path::new(&verb.scene), &folder)?;
    }
    let quiet = verb.quiet || verb.json;
    let summary = run_into(&spec, &folder, quiet, registry, output, interrupt)?;
    let bundle = results::load(&folder, registry)?.bundle;
    let records: Vec<&CellRecord> = bundle.records.iter().collect();
    let [replay, report] = ["replay.html", "report.html"].map(|name| folder.join(name));
    if verb.json {
        for record in &records {
            output.json(&object(record))?;
        }
        output.json(&json!({
            "schema": "play/1",
            "cells": summary.cells,
            "kept": summary.kept,
            "seconds": seconds,
            "replaced": replaced,
            "statuses": summary.endings(),
            "replay": replay.is_file().then(|| replay.to_string_lossy()),
            "report": report.to_string_lossy(),
            "spec": spec.to_string_lossy(),
        }))?;
    } else {
        let table = cells::table(&bundle, &records, false);
        output.table(&table.rows)?;
        output.line("")?;
        output.line(&table.legend)?;
        let untouched = scene.world.colliders().len() > 1 && no_contacts(&folder, &records);
        if let Some(note) = length::note(seconds, untouched).filter(|_| verb.seconds.is_none()) {
            output.line(&note)?;
        }
        if replaced {
            output.line(
                "the page of an earlier call, with other motions, is replaced: --out FOLDER keeps both",
            )?;
        }
        for (name, path) in [("replay", &replay), ("report", &report), ("spec  ", &spec)] {
            if path.is_file() {
                output.line(&format!("{name}  {}", printable(&path.to_string_lossy())))?;
            }
        }
    }
    judged(&summary)
}

/// True if there is recorded motion and nothing touches in it.
fn no_contacts(folder: &Path, records: &[&CellRecord]) -> bool {
    let recorded = |record: &&CellRecord| {
        let name = format!("{CELLS}/{}.replay", record.key);
        Replay::from_bytes(&disk::read_in(folder, &name).ok()?).ok()
    };
    let mut replays = records.iter().filter_map(recorded).peekable();
    let is_free = |replay: Replay| replay.header.added.iter().all(|added| *added == 0);
    replays.peek().is_some() && replays.all(is_free)
}

/// An error if a motion diverged or failed, or if there is none.
fn judged(summary: &RunSummary) -> Result<(), Failure> {
    let of = |status| summary.statuses.get(&status).copied().unwrap_or_default();
    let (cells, unsupported) = (summary.cells, of(Status::Unsupported));
    let all: usize = summary.statuses.values().sum();
    let wrong = all - of(Status::Solved) - unsupported - of(Status::Cancelled);
    if wrong > 0 {
        return Err(Failure::run(format!(
            "{wrong} of {cells} motions diverged or failed; the report says why"
        )));
    }
    if summary.is_refused() {
        return Err(Failure::run(
            "no scheme steps this scene, so there is nothing to play; the report says why",
        ));
    }
    Ok(())
}

/// The length that an earlier call without one has chosen for the same motions \[s\].
fn earlier_length(spec: &Path, text: impl Fn(f64) -> Result<String, Failure>) -> Option<f64> {
    let there = own(&String::from_utf8_lossy(&disk::read_named(spec).ok()?))?.to_owned();
    let mut lines = there.lines();
    let seconds = lines.find_map(|line| line.strip_prefix("seconds = "))?;
    let seconds = seconds.parse().ok()?;
    let same = seconds <= length::USUAL && text(seconds).ok()? == there;
    same.then_some(seconds)
}

/// The text below the mark of a spec that is as this verb wrote it.
fn own(text: &str) -> Option<&str> {
    let (first, rest) = text.split_once('\n')?;
    (first.strip_prefix(MARK)? == &key::of_text(rest)[..16]).then_some(rest)
}

/// The spec that makes the page; `solves` if a scheme needs the solver.
fn spec_of(
    verb: &PlayVerb,
    scene: &RequestedScene,
    solves: bool,
    seconds: f64,
) -> Result<String, Failure> {
    let mut text = String::new();
    let names = verb.scheme.join(", ");
    let title = format!("{}: {names}", scene.stem);
    let part = match seconds < length::USUAL {
        true => format!(" The page has the first {seconds:?} s; --seconds makes more."),
        false => String::new(),
    };
    let head = [
        ("title", title),
        (
            "question",
            format!("How does the scene move with each scheme?{part}"),
        ),
    ];
    section(
        &mut text,
        None,
        head.map(|(key, value)| (key.to_owned(), value.into())),
    )?;
    section(&mut text, Some("scene"), scene_keys(verb)?)?;
    for id in &verb.scheme {
        section(
            &mut text,
            Some("scheme"),
            [("use".to_owned(), id.as_str().into())],
        )?;
    }
    if solves {
        let solver = verb.solver.as_str();
        section(
            &mut text,
            Some("solver"),
            [("use".to_owned(), solver.into())],
        )?;
    }
    let observables = observables(verb, scene)?;
    text.push_str(&format!(
        "\n[simulate]\nseconds = {seconds:?}\nobservables = {observables:?}\n\n[replay]\n"
    ));
    Ok(text)
}

/// What is measured: the first is shown below each view.
fn observables(verb: &PlayVerb, scene: &RequestedScene) -> Result<Vec<String>, Failure> {
    let mut chosen: Vec<String> = Vec::new();
    for name in &verb.observables {
        let refused = |reason: &dyn std::fmt::Display| {
            Failure::request(printable(&format!("--observable: {reason}")))
        };
        let parsed = Observable::parse(name).map_err(|unknown| refused(&unknown))?;
        resolved(&scene.world, &parsed).map_err(|missing| refused(&missing))?;
        if chosen.contains(name) {
            return Err(refused(&format!("{name} is named twice")));
        }
        chosen.push(name.clone());
    }
    let touches = !(scene.world.colliders().is_empty() && scene.world.manifolds().is_empty());
    let usual = [
        ("penetration_max", touches),
        ("drift_max", !scene.world.joints().is_empty()),
        ("toppled", Start::of(scene.world.clone()).is_structure),
        ("energy_error", true),
    ];
    let usual = usual.into_iter().filter(|(_, is_there)| *is_there);
    for (name, _) in usual {
        if !chosen.iter().any(|own| own == name) {
            chosen.push(name.to_owned());
        }
    }
    Ok(chosen)
}

/// Refuses schemes and solvers that there are not, and says which engines are not installed; true
/// if a scheme needs the solver.
fn check_methods(verb: &PlayVerb, registry: &Registry) -> Result<bool, Failure> {
    let mut named = BTreeSet::new();
    let mut absent = Vec::new();
    let mut solves = false;
    for id in &verb.scheme {
        if id.is_empty() {
            let message = "--scheme: a name is missing next to a comma";
            return Err(Failure::request(message));
        }
        let entry = registry.scheme(id).map_err(|error| {
            let is_unknown = matches!(error, EntryError::UnknownId { .. }) && !is_engine(id);
            let what = is_unknown.then(|| elsewhere(id, Some(ListWhat::Schemes), registry));
            if let Some(what) = what.flatten() {
                let message = format!("--scheme: unknown scheme {id:?}{what}");
                return Failure::request(printable(&message));
            }
            let hint = match is_engine(id) {
                true => "`delassus list engines` names those that are installed",
                false => "`delassus list presets` and `delassus list schemes` name them all",
            };
            Failure::request(format!("{error}\n  {hint}"))
        })?;
        if !named.insert(entry.descriptor.id) {
            return Err(Failure::request(format!("--scheme {id}: named twice")));
        }
        if entry.open {
            absent.extend(entry.build_with(&Map::new(), None).err());
        }
        solves |= entry.descriptor.uses_solver;
    }
    let said: Vec<String> = absent.iter().map(ToString::to_string).collect();
    if said.len() == verb.scheme.len() {
        return Err(Failure::Missing(said.join("\n")));
    }
    for text in said {
        print_diagnostic(&printable(&format!("left out: {text}")));
    }
    if named.len() > MOST {
        let message = format!("--scheme: a page plays at most {MOST} motions");
        return Err(Failure::request(message));
    }
    find_solver(&verb.solver, registry)?;
    Ok(solves)
}

/// What the entry of the scene says: its name and parameters, or its file.
fn scene_keys(verb: &PlayVerb) -> Result<Vec<(String, Value)>, Failure> {
    let path = Path::new(&verb.scene);
    if is_scene_file(path) {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        return Ok(vec![
            ("file".to_owned(), copy_of(path).into()),
            ("name".to_owned(), name.into()),
        ]);
    }
    let given: Map<String, Value> = parameters("--set", &verb.parameters)?;
    let name = ("use".to_owned(), verb.scene.as_str().into());
    Ok(std::iter::once(name).chain(given).collect())
}

/// Name of the copy of a scene file: results are made of files in their folder.
fn copy_of(path: &Path) -> String {
    let ending = path.extension().unwrap_or_default().to_string_lossy();
    format!("scene-copy.{ending}")
}

/// Puts a scene file next to the spec.
fn copy(path: &Path, folder: &Path) -> Result<(), Failure> {
    let bytes = disk::read_named(path);
    let bytes = bytes.map_err(|error| {
        Failure::run(format!("{}: {error}", printable(&path.to_string_lossy())))
    })?;
    let to = folder.join(copy_of(path));
    write_atomic(&to, &bytes).map_err(|error| Failure::unwritten(&to, &error))
}

/// Appends a section of a spec, in an array of sections if it has a name.
fn section(
    text: &mut String,
    name: Option<&str>,
    keys: impl IntoIterator<Item = (String, Value)>,
) -> Result<(), Failure> {
    if let Some(name) = name {
        text.push_str(&format!("\n[[{name}]]\n"));
    }
    for (key, value) in keys {
        let mut one = Table::new();
        let value = toml::Value::try_from(&value);
        let value = value.map_err(|error| Failure::request(format!("--set {key}: {error}")))?;
        one.insert(key, value);
        text.push_str(&one.to_string());
    }
    Ok(())
}

/// Writes the spec where it can be looked at; true if it takes the place of another one. One that
/// somebody has changed is theirs.
fn put(path: &Path, text: &str) -> Result<bool, Failure> {
    let there = disk::read_named(path).ok();
    let there = there.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let replaced = match there.as_deref().map(own) {
        None => false,
        Some(Some(earlier)) => earlier != text,
        Some(None) => {
            return Err(Failure::request(format!(
                "{} is not as `delassus play` wrote it; run it with `delassus run`, or name another folder with --out",
                printable(&path.to_string_lossy())
            )));
        }
    };
    let text = format!("{MARK}{}\n{text}", &key::of_text(text)[..16]);
    write_atomic(path, text.as_bytes()).map_err(|error| Failure::unwritten(path, &error))?;
    Ok(replaced)
}

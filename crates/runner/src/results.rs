//! A results folder as a whole: what a run writes besides its cells, and how it is read again.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use delassus_core::ParameterDoc;
use delassus_problems::generators::generators;
use delassus_records::disk;
use delassus_records::folder::VIEWS;
use delassus_scenes::scenes;
use serde_json::{Value, json};

use crate::bundle::{Bundle, PartDoc};
use crate::citations;
use crate::closed_forms::KnownClosedForms;
use crate::error::RunError;
use crate::export::{self, ExportTable, TableShape};
use crate::json_file;
use crate::key;
use crate::manifest::ROOT;
use crate::outputs::{self, Outputs, Work};
use crate::registry::{Registry, SolverEntry, schemes};
use crate::replays;
use crate::report::{self, Report};
use crate::spec::{Plan, Spec};
use crate::store::{self, EXPERIMENT, MANIFEST};
use crate::tables::TableSpec;
use crate::unfit;
use crate::view::CellComponent;

mod load;
mod records;

pub use load::{
    holds_results, is_current, is_own, load, load_with_spec, spec_of, unfinished, unread_page,
    unread_spec,
};
pub use records::RecordFolder;
pub(crate) use records::records;

/// The bundle of a run, without records.
pub(crate) fn bundle(spec: &Spec, command: String, manifest: Value, registry: &Registry) -> Bundle {
    let readme = spec.page();
    let stop = spec.stop();
    Bundle {
        id: spec.id.clone(),
        title: spec.title.clone(),
        question: spec.question.clone(),
        readme,
        spec: spec.text.clone(),
        command,
        tolerance: stop.rule.tolerance,
        criteria: stop.criteria,
        manifest,
        records: Vec::new(),
        missing: 0,
        unstepped: Vec::new(),
        parts: parts(
            registry,
            matches!(spec.plan, Plan::Simulate(_)),
            spec.solvers.iter().map(|solver| solver.id.as_str()),
        ),
        closed_forms: &KnownClosedForms,
        contacts: BTreeMap::new(),
    }
}

/// The bundle with the figures, tables and strips that the spec asks for.
pub(crate) fn report(dir: &Path, spec: &Spec, bundle: Bundle, registry: &Registry) -> Report {
    Report {
        replays: recorded(dir, &bundle),
        strips: spec.strips.clone(),
        bundle,
        // a spec that was read names nothing that there is not
        references: citations::bibliography(spec, registry).unwrap_or_default(),
        widths: Vec::new(),
        figures: spec.figures.clone(),
        tables: located(&spec.tables, &spec.folder),
    }
}

/// The replays of the cells of a bundle. Records of programs that leave no root have no hash of
/// theirs.
fn recorded(dir: &Path, bundle: &Bundle) -> BTreeMap<String, PathBuf> {
    let is_older = !bundle.manifest[ROOT].is_string();
    let records = bundle.records.iter();
    let moving = records.filter(|record| replays::belongs_to(record, is_older));
    replays::files(dir, moving.map(|record| record.key.as_str()))
}

/// Refuses recorded motion that is none and whose record has no hash of it.
fn check_replays(dir: &Path, bundle: &Bundle) -> Result<(), RunError> {
    let recorded = recorded(dir, bundle);
    let records = bundle.records.iter();
    let unhashed = records.filter(|record| record.outcome.replay_hash().is_none());
    let mut keys = unhashed.map(|record| &record.key);
    keys.try_for_each(|key| match recorded.contains_key(key) {
        false => Ok(()),
        true => replays::check(dir, key, None)
            .map(drop)
            .map_err(|reason| unfit::fault(dir, &store::replay_name(key), reason)),
    })
}

/// What scenes (`over_time`) or generators, schemes and solvers say about their parameters; `used`
/// are solvers, among them compositions.
fn parts<'n>(
    registry: &Registry,
    over_time: bool,
    used: impl Iterator<Item = &'n str>,
) -> Vec<PartDoc> {
    let doc = |part, id, parameters: Vec<ParameterDoc>| PartDoc {
        part,
        id,
        parameters,
        solver: None,
    };
    let mut all: Vec<PartDoc> = Vec::new();
    if over_time {
        let scenes = scenes().into_iter();
        all.extend(scenes.map(|s| doc(CellComponent::Problem, s.descriptor.id, s.parameters)));
    } else {
        let generators = generators().into_iter();
        all.extend(generators.map(|g| doc(CellComponent::Problem, g.descriptor.id, g.parameters)));
    }
    let schemes = schemes().into_iter();
    all.extend(schemes.map(|s| doc(CellComponent::Scheme, s.descriptor.id, s.parameters)));
    let solver = |entry: &SolverEntry| PartDoc {
        // of one that is not here nothing is known
        solver: (!entry.open).then_some(entry.descriptor),
        ..doc(
            CellComponent::Solver,
            entry.descriptor.id,
            entry.parameters.clone(),
        )
    };
    all.extend(registry.entries().iter().map(solver));
    for name in used {
        let known = all
            .iter()
            .any(|p| p.part == CellComponent::Solver && p.id == name);
        if !known && let Ok(entry) = registry.find(name) {
            all.push(solver(&entry));
        }
    }
    all
}

/// The tables with the files that they read named from here instead of from the spec.
fn located(tables: &[TableSpec], folder: &Path) -> Vec<TableSpec> {
    let mut tables = tables.to_vec();
    for table in &mut tables {
        table.locate(|file| folder.join(file));
    }
    tables
}

/// The tables of results whose spec is gone: files that they read lie in the folder, or are not
/// there.
fn inside(tables: &[TableSpec], dir: &Path) -> Vec<TableSpec> {
    let mut tables = tables.to_vec();
    for table in &mut tables {
        table.locate(|file| match file.to_str() {
            Some(name) if disk::open_in(dir, name).is_ok() => dir.join(name),
            _ => PathBuf::new(),
        });
    }
    tables
}

/// Hash of everything that the report of a run is made from: the program, the spec with its keys,
/// the checksums `sums` of the cells in their order, and the files that tables read.
pub(crate) fn source<'s>(
    spec: &Spec,
    experiment: &[u8],
    sums: impl Iterator<Item = &'s str>,
) -> String {
    let files = spec.tables.iter().filter_map(TableSpec::file).map(|file| {
        let bytes = disk::read_named(&spec.folder.join(file));
        bytes.map_or_else(|_| String::new(), |bytes| key::of_bytes(&bytes))
    });
    key::of_json(&json!({
        "schema": key::SCHEMA,
        "build": key::build_id(),
        "experiment": key::of_bytes(experiment),
        "cells": sums.collect::<Vec<_>>(),
        "files": files.collect::<Vec<_>>(),
    }))
}

/// Writes manifest, experiment, records and summary.
pub(crate) fn write(
    outputs: &mut Outputs<'_>,
    experiment: &[u8],
    bundle: &Bundle,
) -> Result<(), RunError> {
    let written = |path: PathBuf, done: io::Result<()>| {
        done.map_err(|source| RunError::Write { path, source })
    };
    let done = outputs.put(EXPERIMENT, experiment);
    written(outputs.path(EXPERIMENT), done)?;
    let done = json_file::pretty(&bundle.manifest).and_then(|bytes| outputs.put(MANIFEST, &bytes));
    written(outputs.path(MANIFEST), done)?;
    write_tables(outputs, bundle)
}

/// Writes the records as tables.
fn write_tables(outputs: &mut Outputs<'_>, bundle: &Bundle) -> Result<(), RunError> {
    let written = |path: PathBuf, done: io::Result<()>| {
        done.map_err(|source| RunError::Write { path, source })
    };
    let records = bundle.records.as_slice();
    let shape = TableShape::of(records);
    let tables = ExportTable::of(&shape);
    for table in &tables {
        let name = format!("{table}.csv");
        let done = outputs.put_with(&name, |file| {
            export::write_csv(*table, &bundle.id, &shape, records, file).map(drop)
        });
        written(outputs.path(&name), done)?;
    }
    // one of an earlier spec would belong to no cell
    for table in [ExportTable::Solutions, ExportTable::Worlds] {
        if !tables.contains(&table) {
            let name = format!("{table}.csv");
            let done = outputs.take_away(&name);
            written(outputs.path(&name), done)?;
        }
    }
    Ok(())
}

/// Draws a report into `out`, a folder of its own: tables, figures, page, and the records as
/// tables, to which the page leads. What an earlier report left there and this one does not have
/// goes.
///
/// # Errors
/// Figures that cannot be drawn; files that cannot be written.
pub fn draw_apart(report: &Report, out: &Path) -> Result<(), RunError> {
    unfit::check_ways(out, &VIEWS)?;
    draw_with(report, Outputs::begin_apart(out))
}

/// Draws the same into the results folder `dir` whose records the report is of. What the run wrote
/// besides stays.
///
/// # Errors
/// Those of [`draw_apart`].
pub fn draw(report: &Report, dir: &Path) -> Result<(), RunError> {
    unfit::check_ways(dir, &VIEWS)?;
    draw_with(report, Outputs::begin(dir, Work::Report))
}

/// Draws the same of the results in `dir` into another folder, for an archive of them: the list
/// there goes on from that of the results.
///
/// # Errors
/// Those of [`draw_apart`].
pub fn draw_into(dir: &Path, report: &Report, into: &Path) -> Result<(), RunError> {
    if let Ok(list) = disk::read_in(dir, outputs::LIST) {
        let path = into.join(outputs::LIST);
        let written = store::write_atomic(&path, &list);
        written.map_err(|source| RunError::Write { path, source })?;
    }
    draw(report, into)
}

fn draw_with(report: &Report, mut outputs: Outputs<'_>) -> Result<(), RunError> {
    write_tables(&mut outputs, &report.bundle)?;
    report::write_to(report, &mut outputs)?;
    let path = outputs.path(outputs::LIST);
    let listed = outputs.finish("");
    listed.map_err(|source| RunError::Write { path, source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bundles_know_the_parameters_of_all_parts_of_a_cell() {
        let of = |over_time| {
            let composed = ["best-so-far(anderson(pgs))"].into_iter();
            parts(&Registry::standard(), over_time, composed)
        };
        for (over_time, part, id, name) in [
            (false, CellComponent::Problem, "falling-box", "half_height"),
            (
                true,
                CellComponent::Problem,
                "heavy-tip-chain",
                "mass_ratio",
            ),
            (true, CellComponent::Scheme, "soft-step", "substeps"),
            (false, CellComponent::Solver, "psor", "omega"),
            (
                true,
                CellComponent::Solver,
                "best-so-far(anderson(pgs))",
                "anderson.depth",
            ),
        ] {
            let parts = of(over_time);
            let mut own = parts.iter().filter(|p| p.part == part && p.id == id);
            let parameters = &own.next().expect(id).parameters;
            assert!(parameters.iter().any(|p| p.name == name), "{id}");
            assert!(own.next().is_none(), "{id} twice");
        }
        // a scene and a generator of one name have parameters of their own
        let scene = of(true).into_iter().find(|p| p.id == "falling-box");
        let parameters = scene.expect("a scene").parameters;
        assert!(parameters.iter().all(|p| p.name != "half_height"));
    }
}

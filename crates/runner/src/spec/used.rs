//! What a spec uses: of the program, by name, for citations; of the disk, by path.

use std::ops::Range;
use std::path::{Path, PathBuf};

use delassus_records::disk;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::contents::{Plan, Spec};
use crate::simulate::plan::SceneSource;
use crate::solve::ProblemSource;
use crate::solve::measure::ReferenceSource;
use crate::tables::TableSpec;

/// Sections whose keys [`FILE_KEYS`] name files.
const FILE_SECTIONS: [&str; 3] = ["problem", "scene", "table"];
/// Keys of files, which are relative to the spec.
const FILE_KEYS: [&str; 3] = ["files", "otherwise", "file"];

/// Name of the page of an experiment, next to its spec.
pub(crate) const PAGE: &str = "README.md";

impl Spec {
    /// The files that the spec names and that are there: problems, scenes, what tables read.
    pub fn files(&self) -> Vec<PathBuf> {
        let mut paths: Vec<PathBuf> = match &self.plan {
            Plan::Solve(plan) => {
                let files = plan.problems.iter().map(|family| match &family.source {
                    ProblemSource::Files { paths, .. } => paths.as_slice(),
                    ProblemSource::Generator { .. } => &[],
                });
                files.flatten().cloned().collect()
            }
            Plan::Simulate(plan) => {
                let files = plan
                    .scenes
                    .iter()
                    .filter_map(|family| match &family.source {
                        SceneSource::File(path) => Some(path.clone()),
                        SceneSource::Named { .. } => None,
                    });
                files.collect()
            }
            Plan::Time(_) => Vec::new(),
        };
        let tables = self.tables.iter().filter_map(TableSpec::file);
        // a table whose file is not there says so
        let tables = tables.map(|file| self.folder.join(file));
        paths.extend(tables.filter(|path| path.is_file()));
        paths
    }

    /// The first absolute path by which the spec names files, and where it stands in the text.
    pub(crate) fn absolute_path(&self) -> Option<(String, Range<usize>)> {
        let root = DeTable::parse(&self.text).ok()?.into_inner();
        let sections = FILE_SECTIONS.iter().filter_map(|name| root.get(*name));
        let mut paths: Vec<(&str, Range<usize>)> = Vec::new();
        sections.for_each(|section| add_paths(section, false, &mut paths));
        paths.retain(|(path, _)| Path::new(path).is_absolute());
        let first = paths.into_iter().min_by_key(|(_, span)| span.start);
        first.map(|(path, span)| (path.to_owned(), span))
    }

    /// The page of the experiment: `README.md` next to the spec, if there is one and it is no link.
    pub(crate) fn page(&self) -> Option<String> {
        let bytes = disk::read(&self.folder.join(PAGE)).ok()?;
        String::from_utf8(bytes).ok()
    }

    /// Identifiers of the solvers, that of a computed reference among them.
    pub fn solver_ids(&self) -> impl Iterator<Item = &str> {
        let reference = match &self.plan {
            Plan::Solve(plan) => match &plan.reference {
                Some(ReferenceSource::Solver(solver)) => Some(solver.id.as_str()),
                Some(ReferenceSource::Stored | ReferenceSource::Certified) | None => None,
            },
            Plan::Time(_) | Plan::Simulate(_) => None,
        };
        let own = self.solvers.iter().map(|solver| solver.id.as_str());
        own.chain(reference)
    }

    /// Identifiers of the schemes and presets.
    pub fn scheme_ids(&self) -> impl Iterator<Item = &str> {
        let schemes = match &self.plan {
            Plan::Simulate(plan) => &plan.schemes[..],
            Plan::Solve(_) | Plan::Time(_) => &[],
        };
        schemes.iter().map(|scheme| scheme.id.as_str())
    }

    /// Identifiers of the scenes that are none of files.
    pub fn scene_ids(&self) -> impl Iterator<Item = &str> {
        let scenes = match &self.plan {
            Plan::Simulate(plan) => &plan.scenes[..],
            Plan::Solve(_) | Plan::Time(_) => &[],
        };
        scenes.iter().filter_map(|scene| match &scene.source {
            SceneSource::Named { id, .. } => Some(id.as_str()),
            SceneSource::File(_) => None,
        })
    }

    /// What is measured: criteria and metrics, or observables.
    pub fn metric_ids(&self) -> Vec<&str> {
        let names: Vec<&String> = match &self.plan {
            Plan::Solve(plan) => {
                let stops = plan
                    .problems
                    .iter()
                    .flat_map(|problem| &problem.stop.criteria);
                let criteria = plan.stop.criteria.iter().chain(stops);
                criteria.chain(&plan.measure.metrics).collect()
            }
            Plan::Time(plan) => plan.metrics.iter().collect(),
            Plan::Simulate(plan) => plan.simulate.observables.iter().collect(),
        };
        names.into_iter().map(String::as_str).collect()
    }
}

/// Adds the texts in `item` that name files; `is_file` where the key of the item names some.
fn add_paths<'t>(
    item: &'t Spanned<DeValue<'_>>,
    is_file: bool,
    paths: &mut Vec<(&'t str, Range<usize>)>,
) {
    match item.get_ref() {
        DeValue::String(text) if is_file => paths.push((&**text, item.span())),
        DeValue::Array(items) => items
            .iter()
            .for_each(|item| add_paths(item, is_file, paths)),
        DeValue::Table(table) => {
            for (key, item) in table.iter() {
                add_paths(item, FILE_KEYS.contains(&key.get_ref().as_ref()), paths);
            }
        }
        _ => {}
    }
}

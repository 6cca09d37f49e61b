//! What a spec uses: of the program, by name, for citations; of the disk, by path.

use std::path::PathBuf;

use delassus_records::disk;

use super::contents::{Plan, Spec};
use crate::simulate::plan::SceneSource;
use crate::solve::ProblemSource;
use crate::solve::measure::ReferenceSource;
use crate::tables::TableSpec;

/// Name of the page of an experiment, beside its spec.
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

    /// The page of the experiment: `README.md` beside the spec, if there is one and it is no link.
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

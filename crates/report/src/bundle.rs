//! Everything that figures and tables are made from.

use std::collections::{BTreeMap, BTreeSet};

use delassus_core::{ParameterDoc, SolverDescriptor};
use serde_json::Value;

use crate::closed_form::ClosedFormLookup;
pub use crate::contact_impulse::{ContactImpulse, FrictionImpulse, SliceOutline};
use crate::origin::Origin;
use crate::record::{CellRecord, ProblemLabel};
use crate::view::{CellComponent, Kind, Selection, named};

/// One finished (or partly finished) run, loaded from its folder.
#[derive(Debug, Clone)]
pub struct Bundle {
    /// Identifier: the name of the experiment's folder.
    pub id: String,
    /// Title of the experiment.
    pub title: String,
    /// The question that it answers.
    pub question: String,
    /// The experiment's README (question, method, finding) as Markdown, if it has one.
    pub readme: Option<String>,
    /// The spec, as written by its author.
    pub spec: String,
    /// The command that reproduces the run from the project's root.
    pub command: String,
    /// Tolerance of `Solved` \[-\].
    pub tolerance: f64,
    /// Metrics that must all be within the tolerance.
    pub criteria: Vec<String>,
    /// Where and with what it ran: commit, compiler, CPU, vector level, threads, hashes, versions.
    pub manifest: Value,
    /// The finished cells, in the order of the matrix.
    pub records: Vec<CellRecord>,
    /// Cells of the matrix that have no record yet.
    pub missing: usize,
    /// Scenes that no scheme of the spec steps.
    pub unstepped: Vec<String>,
    /// What the parameters of problems or scenes, schemes and solvers are.
    pub parts: Vec<PartDoc>,
    /// Where closed forms come from.
    pub closed_forms: &'static dyn ClosedFormLookup,
    /// Impulses of contacts at the end of solves, by the keys of their cells; filled where a
    /// figure shows them.
    pub contacts: BTreeMap<String, Vec<ContactImpulse>>,
}

/// What a generator, scene, scheme or solver says about its parameters.
#[derive(Debug, Clone)]
pub struct PartDoc {
    /// Which part of a cell it is.
    pub part: CellComponent,
    /// Its identifier.
    pub id: &'static str,
    /// Its parameters.
    pub parameters: Vec<ParameterDoc>,
    /// What else a solver declares of itself; `None` of the others.
    pub solver: Option<SolverDescriptor>,
}

impl Bundle {
    /// What the experiment does with its cells.
    pub fn kind(&self) -> Kind {
        match (self.is_over_time(), self.is_timed()) {
            (true, _) => Kind::Trajectories,
            (false, true) => Kind::Timings,
            (false, false) => Kind::Solves,
        }
    }

    /// True if solves stop where this metric is within the tolerance.
    pub fn stops_at(&self, metric: &str) -> bool {
        self.kind() == Kind::Solves && self.criteria.iter().any(|name| name == metric)
    }

    /// True for an experiment over time: problems are scenes, solvers are schemes with solvers.
    pub fn is_over_time(&self) -> bool {
        self.records.iter().any(|record| record.scheme().is_some())
    }

    /// The observable that stands for a run over time: the first that has a value in some cell, as
    /// an overlap has where bodies touch; the first of all if none has one.
    pub fn first_observable(&self) -> Option<&str> {
        let all = || {
            self.records
                .iter()
                .flat_map(|record| &record.outcome.metrics)
        };
        let has_value = |name: &&String| {
            let mut records = self.records.iter();
            records.any(|record| record.outcome.series(name).1.iter().any(|x| x.is_finite()))
        };
        let found = all().find(has_value).or_else(|| all().next());
        found.map(String::as_str)
    }

    /// True if sweeps were timed and nothing was solved to a tolerance.
    pub fn is_timed(&self) -> bool {
        let timed = |record: &CellRecord| record.outcome.timing().is_some();
        self.records.iter().any(timed)
    }

    /// What to say of times that were not all taken under the same conditions; `None` if they were.
    pub fn mixed_times(&self) -> Option<String> {
        let timed = self
            .records
            .iter()
            .filter(|r| !r.outcome.iterate_seconds.is_empty());
        let mut cells: BTreeMap<String, usize> = BTreeMap::new();
        let mut conditions = BTreeSet::new();
        for record in timed {
            let made = record.origin.as_ref().map(Origin::conditions);
            let shown = made.as_ref().map(ToString::to_string);
            let shown = shown.unwrap_or_else(|| "not known".to_owned());
            *cells.entry(shown).or_default() += 1;
            conditions.insert(made);
        }
        if conditions.len() < 2 {
            return None;
        }
        let parts = cells
            .iter()
            .map(|(shown, number)| format!("{shown}: {number}"));
        Some(format!(
            "The times come from different conditions and do not compare: cells by condition, {}.",
            parts.collect::<Vec<_>>().join("; ")
        ))
    }

    /// Size of a cache of the machine that ran it \[B\], as "L2"; `None` where the manifest does
    /// not say.
    pub fn cache(&self, name: &str) -> Option<u64> {
        self.manifest.get("caches")?.get(name)?.as_u64()
    }

    /// Labels of the solvers, or of schemes and solvers, in the order of first appearance.
    pub fn solvers(&self) -> Vec<&str> {
        distinct(self.records.iter().map(|r| r.method()))
    }

    /// The labels of [`Self::solvers`] of which every cell was skipped, each with the first reason.
    pub fn skipped_solvers(&self) -> Vec<(&str, &str)> {
        let skipped = self.solvers().into_iter().filter_map(|method| {
            let mut own = self.records.iter().filter(|r| r.method() == method);
            let reason = own.clone().find_map(|r| r.outcome.message.as_deref());
            (!own.any(CellRecord::was_attempted)).then_some((method, reason.unwrap_or_default()))
        });
        skipped.collect()
    }

    /// Names of the problems, in the order of first appearance.
    pub fn problems(&self) -> Vec<&str> {
        distinct(self.records.iter().map(|r| r.problem.name.as_str()))
    }

    /// The problems of which a chosen cell was attempted, and the chosen solvers.
    pub(crate) fn attempted(&self, chosen: Selection<'_>) -> [Vec<&str>; 2] {
        let (mut problems, mut solvers) = (self.problems(), self.solvers());
        problems.retain(|name| {
            let mut cells = self.records.iter();
            cells.any(|r| r.problem.name == *name && chosen.shows(r) && r.was_attempted())
        });
        solvers.retain(|label| named(label, chosen.solvers));
        [problems, solvers]
    }

    /// The problem of this name.
    pub fn problem(&self, name: &str) -> Option<&ProblemLabel> {
        let mut problems = self.records.iter().map(|r| &r.problem);
        problems.find(|problem| problem.name == name)
    }

    /// The record of one problem with one solver.
    pub fn cell(&self, problem: &str, solver: &str) -> Option<&CellRecord> {
        let mut cells = self.records.iter();
        cells.find(|r| r.problem.name == problem && r.method() == solver)
    }
}

/// The names, each once, in the order of first appearance.
pub(crate) fn distinct<T: Ord + Clone>(names: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut seen = BTreeSet::new();
    let names = names.into_iter();
    names.filter(|name| seen.insert(name.clone())).collect()
}

/// The cells of each set: of the problems or scenes that a name or the beginning of their names
/// stands for; a set per first word if `sets` is empty.
pub(crate) fn by_set<'r>(
    cells: &[&'r CellRecord],
    sets: &[String],
) -> Vec<(String, Vec<&'r CellRecord>)> {
    let word = |r: &&CellRecord| {
        let word = r.problem.name.split(' ').next();
        word.unwrap_or_default().to_owned()
    };
    let sets = match sets {
        [] => distinct(cells.iter().map(word)),
        sets => sets.to_vec(),
    };
    let of_set = |set: String| {
        let wanted = [set];
        let own = cells.iter().copied();
        let own = own.filter(|r| named(&r.problem.name, &wanted)).collect();
        let [set] = wanted;
        (set, own)
    };
    sets.into_iter().map(of_set).collect()
}

/// Scenes without a cell, in one line; nothing if there is none.
pub fn left_over(unstepped: &[String]) -> Option<String> {
    if unstepped.is_empty() {
        return None;
    }
    let names: Vec<String> = unstepped.iter().map(|name| format!("{name:?}")).collect();
    let (noun, has) = match names.len() {
        1 => ("scene", "has"),
        _ => ("scenes", "have"),
    };
    Some(format!(
        "no scheme steps {} {noun}, which {has} no cell: {}",
        names.len(),
        names.join(", ")
    ))
}

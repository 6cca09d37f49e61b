//! The problems of cells: frozen copies in the folder, or those of the spec.

use std::collections::BTreeMap;
use std::path::Path;

use delassus_problems::NamedProblem;

use super::judge::Subject;
use super::report::VerifyReport;
use crate::key;
use crate::matrix::{CellMatrix, Experiment};
use crate::passing::frozen::{self, Frozen};
use crate::record::CellRecord;
use crate::run_metadata::BUNDLE;
use crate::solve::MatrixProblem;

/// Where problems come from.
pub(crate) struct Subjects<'s> {
    dir: &'s Path,
    /// By name.
    frozen: BTreeMap<String, Frozen>,
    of_spec: BTreeMap<&'s str, &'s MatrixProblem>,
    /// The frozen problem that was read last: the cells of a problem stand together.
    read: Option<(String, Result<Box<NamedProblem>, String>)>,
}

/// What of a frozen problem is not as the spec has it.
fn other_than(entry: &Frozen, problem: &MatrixProblem) -> Option<&'static str> {
    if entry.criteria != problem.criteria {
        return Some("list of criteria");
    }
    if entry.tolerance.to_bits() != problem.options.stop.tolerance.to_bits() {
        return Some("tolerance");
    }
    // one that cannot be read here is frozen all the same
    let named = problem.content.as_ref().ok()?;
    let own = key::digest(&named.problem, named.reference_impulses());
    (own != entry.digest).then_some("content")
}

impl<'s> Subjects<'s> {
    pub(crate) fn new(
        dir: &'s Path,
        matrix: Option<&'s CellMatrix>,
        verdict: &mut VerifyReport,
    ) -> Self {
        let frozen = frozen::listed(dir).unwrap_or_else(|what| {
            verdict.find(frozen::LIST, what);
            Vec::new()
        });
        let problems = match matrix.map(|matrix| &matrix.experiment) {
            Some(Experiment::Solve(solves)) => &solves.problems[..],
            _ => &[],
        };
        let by_name = |problem: &'s MatrixProblem| (problem.label.name.as_str(), problem);
        let of_spec: BTreeMap<&str, &MatrixProblem> = problems.iter().map(by_name).collect();
        for entry in &frozen {
            let problem = of_spec.get(entry.name.as_str());
            if let Some(Err(why)) = problem.map(|problem| &problem.content) {
                let name = &entry.name;
                let what =
                    format!("has the problem {name:?}, which cannot be made from the spec: {why}");
                verdict.find(frozen::LIST, what);
            }
            if let Some(what) = problem.and_then(|problem| other_than(entry, problem)) {
                let what = format!("{}: its {what} is not that of the spec", entry.name);
                verdict.find(frozen::LIST, what);
            }
        }
        let is_frozen = |name: &str| frozen.iter().any(|entry| entry.name == name);
        let mut made = problems.iter().filter(|problem| problem.content.is_ok());
        // a bundle has every problem that its spec gives
        if dir.join(BUNDLE).exists()
            && let Some(problem) = made.find(|problem| !is_frozen(&problem.label.name))
        {
            let name = &problem.label.name;
            let what = format!("does not list the problem {name:?}, which the spec gives");
            verdict.find(frozen::LIST, what);
        }
        Self {
            dir,
            frozen: frozen
                .into_iter()
                .map(|one| (one.name.clone(), one))
                .collect(),
            of_spec,
            read: None,
        }
    }

    /// Compares the file of every frozen problem with the list and with the problem that the spec
    /// gives, to the last byte if this program has run the cells (`is_own`).
    pub(super) fn check_files(&self, is_own: bool, verdict: &mut VerifyReport) {
        for (name, entry) in &self.frozen {
            let problem = self.of_spec.get(name.as_str());
            let own = problem.and_then(|problem| problem.content.as_deref().ok());
            if let Some(what) = frozen::fault(self.dir, entry, own.filter(|_| is_own)) {
                verdict.find(&entry.file, what);
            }
        }
    }

    /// What the cell is judged by; why that is not known.
    pub(crate) fn of(&mut self, record: &CellRecord) -> Result<Subject<'_>, String> {
        let name = record.problem.name.as_str();
        if let Some(entry) = self.frozen.get(name) {
            if self.read.as_ref().is_none_or(|(read, _)| read != name) {
                let problem = frozen::read(self.dir, entry).map(Box::new);
                self.read = Some((name.to_owned(), problem));
            }
            let read = self.read.as_ref().map(|(_, read)| read.as_ref());
            let named = read
                .ok_or("its problem was not read")?
                .map_err(Clone::clone)?;
            return Ok(Subject {
                problem: &named.problem,
                criteria: &entry.criteria,
                tolerance: entry.tolerance,
            });
        }
        let found = self.of_spec.get(name);
        let problem = found.ok_or("its problem is neither frozen here nor in the spec")?;
        Ok(Subject {
            problem: &problem.content.as_ref().map_err(Clone::clone)?.problem,
            criteria: &problem.criteria,
            tolerance: problem.options.stop.tolerance,
        })
    }
}

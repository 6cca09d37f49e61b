//! `delassus solve`: what is printed about one file.

use delassus_core::{Solutions, Status};
use delassus_problems::Facts;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::decisions;
use super::files::ShownFiles;
use super::output::{count, printable, time};
use super::request::Request;
use crate::record::{Outcome, PeerReport, WorstBlock};

/// Status of a file that exists but is not a problem.
pub(crate) const UNREADABLE: &str = "unreadable";

/// One object of `--json`, one line otherwise.
#[derive(Debug, Serialize)]
pub(crate) struct Answer<'a> {
    /// The file, as given on the command line.
    file: &'a str,
    solver: &'a str,
    pub(crate) status: String,
    sweeps: u64,
    row_updates: u64,
    /// Matrices factorized \[-\]; null where the solver counts none.
    factorizations: Option<u64>,
    /// Prepare and iterate of the untraced pass \[s\]; null if there was none.
    seconds: Option<f64>,
    /// Every metric that applies, at the end of the solve.
    residuals: Map<String, Value>,
    /// Smallest value of each criterion over the samples.
    best: Map<String, Value>,
    /// The block that is farthest from its own solution (M.25).
    worst_block: Option<WorstBlock>,
    pub(crate) message: Option<String>,
    rows: Option<usize>,
    contacts: Option<usize>,
    /// Energy scale E_s of the headline residual \[J\] (M.3).
    energy_scale: Option<f64>,
    /// All solutions, where the solver looks for them: their number, whether there are no others,
    /// each λ.
    solutions: Value,
    /// What a solver that chooses between others decided; empty for all others.
    decisions: Vec<String>,
    /// What a solver in a process of its own says about its answer, unjudged.
    #[serde(skip_serializing_if = "Option::is_none")]
    peer: Option<PeerReport>,
    parameters: Map<String, Value>,
    tolerance: f64,
    criteria: &'a [String],
    /// What the solver solved in the problem's place; empty if it is exact.
    approximations: Vec<String>,
    /// Where `--save` put the solution.
    pub(crate) saved: Option<String>,
    /// Where `--save` put all solutions, if the solver looks for them.
    pub(crate) saved_solutions: Option<String>,
    /// How many solutions there are, for the line.
    #[serde(skip)]
    number: Option<String>,
}

impl<'a> Answer<'a> {
    /// An answer without a solve.
    pub(crate) fn new(file: &'a str, request: &'a Request) -> Self {
        Self {
            file,
            solver: request.entry.descriptor.id,
            status: UNREADABLE.to_owned(),
            sweeps: 0,
            row_updates: 0,
            factorizations: None,
            seconds: None,
            residuals: Map::new(),
            best: Map::new(),
            worst_block: None,
            message: None,
            rows: None,
            contacts: None,
            energy_scale: None,
            solutions: Value::Null,
            decisions: Vec::new(),
            peer: None,
            parameters: request.complete_parameters(),
            tolerance: request.options.stop.tolerance,
            criteria: &request.criteria,
            approximations: Vec::new(),
            saved: None,
            saved_solutions: None,
            number: None,
        }
    }

    /// Takes over how the solve went.
    pub(crate) fn take(&mut self, outcome: &Outcome, facts: &Facts) {
        self.status = outcome.status.to_string();
        self.sweeps = outcome.sweeps;
        self.row_updates = outcome.row_updates;
        self.factorizations = outcome.factorizations;
        self.seconds = outcome.seconds();
        if let Some(sample) = outcome.samples.last() {
            let pairs = outcome.metrics.iter().zip(sample.values());
            let known = pairs.filter_map(|(name, value)| Some((name.clone(), number(value)?)));
            self.residuals = known.collect();
        }
        let best = self.criteria.iter();
        self.best = best
            .filter_map(|name| Some((name.clone(), number(outcome.best(name))?)))
            .collect();
        self.worst_block = outcome.worst_block();
        self.message.clone_from(&outcome.message);
        self.approximations.clone_from(&outcome.approximations);
        self.decisions = outcome.decisions().to_vec();
        self.peer = outcome.peer().cloned();
        self.rows = Some(facts.rows);
        self.contacts = Some(facts.contacts);
        if let Some(found) = outcome.solutions() {
            self.solutions = solutions(found);
            self.number = Some(number_of(found));
        }
    }

    /// Takes over the scale of the residuals \[J\], which a problem without energy does not have.
    pub(crate) fn take_scale(&mut self, joules: Option<f64>) {
        self.energy_scale = joules.filter(|joules| joules.is_finite());
    }

    /// What a solver that chooses between others decided.
    pub(crate) fn decisions(&self) -> &[String] {
        &self.decisions
    }

    /// The cell of a table of several solvers: seconds of a solve that reached its goal, otherwise
    /// the status.
    pub(crate) fn cell(&self) -> String {
        match self.seconds {
            Some(time) if self.status == Status::Solved.id() => scientific(time),
            _ => self.status.clone(),
        }
    }

    /// How the solve went, for a line of progress.
    pub(crate) fn progress(&self) -> String {
        match self.seconds {
            Some(seconds) if self.status == Status::Solved.id() => {
                format!("{}, {} s", self.status, time(seconds))
            }
            _ => self.status.clone(),
        }
    }

    /// The line for a reader about file `index` of `files`; `plan` shows what the solver decided.
    pub(crate) fn line(&self, files: &ShownFiles, index: usize, plan: bool) -> String {
        let solved = self.status == Status::Solved.id();
        let has_run = !self.residuals.is_empty();
        let mut cells = vec![
            (self.status.clone(), STATUS),
            (shown(has_run.then(|| self.sweeps.to_string())), COUNT),
            (shown(self.seconds.map(scientific)), COUNT),
        ];
        for name in self.criteria {
            let value = self.residuals.get(name).and_then(Value::as_f64);
            cells.push((shown(value.map(scientific)), width(name)));
        }
        let mut line = start(&files.names[index], files, &cells);
        let mut notes = Vec::new();
        if !solved && has_run {
            let best = self.best.iter().filter_map(|(name, value)| {
                Some(format!("{name} {}", scientific(value.as_f64()?)))
            });
            notes.push(format!("best {}", best.collect::<Vec<_>>().join(", ")));
            notes.extend(self.worst_block.map(|worst| {
                let residual = scientific(worst.residual);
                format!("worst block {} (natural_map_block {residual})", worst.block)
            }));
        }
        notes.extend(self.number.clone());
        notes.extend(self.peer.as_ref().map(claim));
        notes.extend(self.message.as_deref().map(printable));
        notes.extend(
            self.approximations
                .iter()
                .map(|a| format!("approximate: {a}")),
        );
        if !notes.is_empty() {
            line.push_str("  ");
            line.push_str(&notes.join("; "));
        }
        if plan {
            for decision in decisions::lines(&self.decisions, 4) {
                line.push('\n');
                line.push_str(&decision);
            }
        }
        line
    }
}

/// What a peer claims: `it claims converged after 12 iterations`.
fn claim(peer: &PeerReport) -> String {
    let answer = &peer.answer;
    let iterations = count(answer.iterations, "iteration");
    format!("it claims {} after {iterations}", answer.claimed)
}

/// `3 solutions`, with what the number does not say.
pub(crate) fn number_of(found: &Solutions) -> String {
    let number = count(found.list.len() as u64, "solution");
    let apart = found.list.iter().all(|solution| solution.isolated);
    match (found.complete, apart) {
        (false, _) => format!("at least {number}"),
        (true, false) => format!("{number}, some of them members of families"),
        (true, true) => number,
    }
}

/// The list as `--json` has it.
fn solutions(found: &Solutions) -> Value {
    json!({
        "count": found.list.len(),
        "complete": found.complete,
        "list": found.list,
    })
}

/// Widths of the columns, in characters.
const STATUS: isize = -11;
const COUNT: isize = 10;

fn width(criterion: &str) -> isize {
    isize::try_from(criterion.chars().count().max(9)).unwrap_or(COUNT)
}

/// The line above the answers.
pub(crate) fn header(files: &ShownFiles, criteria: &[String]) -> String {
    let mut cells = vec![
        ("status".to_owned(), STATUS),
        ("sweeps".to_owned(), COUNT),
        ("seconds".to_owned(), COUNT),
    ];
    cells.extend(criteria.iter().map(|name| (name.clone(), width(name))));
    start(&files.title, files, &cells)
}

/// The file and the cells: a negative width aligns to the left.
fn start(file: &str, files: &ShownFiles, cells: &[(String, isize)]) -> String {
    let names = files.names.iter().chain([&files.title]);
    let widest = names.map(|name| name.chars().count()).max().unwrap_or(0);
    let mut line = format!("{file:<widest$}");
    for (cell, width) in cells {
        let size = width.unsigned_abs();
        line.push_str("  ");
        line.push_str(&if *width < 0 {
            format!("{cell:<size$}")
        } else {
            format!("{cell:>size$}")
        });
    }
    line.trim_end().to_owned()
}

fn shown(cell: Option<String>) -> String {
    cell.unwrap_or_else(|| "-".to_owned())
}

/// Three significant digits with an exponent, so that a column has one notation.
fn scientific(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    format!("{value:.2e}")
}

fn number(value: Option<f64>) -> Option<Value> {
    // an infinite residual has no JSON number
    value.filter(|v| v.is_finite()).map(Value::from)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn header_and_cells_share_their_columns() {
        let files = ["a/long name.dat", "b"].map(PathBuf::from);
        let files = ShownFiles::new(&files);
        let criteria = ["natural_map".to_owned()];
        let header = header(&files, &criteria);
        let cells = [
            ("solved".to_owned(), STATUS),
            ("12".to_owned(), COUNT),
            ("0.0123".to_owned(), COUNT),
            ("1.00e-9".to_owned(), width("natural_map")),
        ];
        let line = start("b", &files, &cells);
        assert_eq!(header.chars().count(), line.chars().count());
        assert_eq!(header.find("status"), line.find("solved"));
    }
}

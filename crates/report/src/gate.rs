//! Gates: assertions of a spec about the cells of a run, for whoever must notice when a number
//! changes.
//!
//! Counts are compared exactly, residuals with bounds, times as ratios within one run and only as
//! far as their interval proves something. Theory: docs/theory/29-evidence.md (A.16)–(A.17).

mod finding;
mod judge;
mod times;

use delassus_core::suggest::{list, nearest};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::columns::{Columns, Number, Refusal, View};
use crate::record::CellRecord;
use crate::settings::{Setting, settings};
use crate::statuses::STATUSES;
use crate::view::{Kind, Over, named};

pub use finding::{CellFinding, GateVerdict};
pub use judge::{Judged, judge};

settings! {
    /// One `[[gate]]` of a spec.
    pub struct GateSpec {
        /// What it is for, in a few words; printed before the assertion.
        #[serde(default)]
        pub name: String,
        /// What is looked at: a count, "status", "cells", "`impulse_hash`", "seconds", or a number
        /// of a cell as figures name it.
        pub value: String,
        over,
        /// With the value "cells": only those that ended so are counted.
        #[serde(default)]
        pub status: Option<String>,
        /// Problems or scenes that it is about, by name or by what their names begin with; all if
        /// left out.
        problems | scenes,
        /// Schemes, by label or by what labels begin with.
        schemes,
        /// Solvers, by label or by what labels begin with.
        solvers,
        /// Label of a solver: the value is the ratio to that of this solver on the same problem.
        #[serde(default)]
        pub beside: Option<String>,
        /// The value, exactly: a count, or a text.
        #[serde(default)]
        pub equals: Option<Exactly>,
        /// The largest value that passes.
        #[serde(default)]
        pub at_most: Option<f64>,
        /// The smallest value that passes.
        #[serde(default)]
        pub at_least: Option<f64>,
    }
}

/// What a value must be.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged, expecting = "equals must be a whole number or a text")]
pub enum Exactly {
    /// A count \[-\].
    Count(u64),
    /// A status or a hash.
    Text(String),
}

impl Setting for Exactly {
    fn schema() -> Value {
        json!({ "anyOf": [{ "type": "integer", "minimum": 0 }, { "type": "string" }] })
    }
}

/// Counts of a cell, as `summary.csv` has them, and its frames.
type Counter = fn(&CellRecord) -> Option<u64>;
const COUNTERS: [(&str, Counter); 9] = [
    ("rows", |r| Some(r.facts.rows as u64)),
    ("blocks", |r| Some(r.facts.blocks as u64)),
    ("contacts", |r| Some(r.facts.contacts as u64)),
    ("bodies", |r| r.facts.bodies.map(|n| n as u64)),
    (SWEEPS, |r| ran(r).then_some(r.outcome.sweeps)),
    (ROW_UPDATES, |r| ran(r).then_some(r.outcome.row_updates)),
    ("factorizations", |r| r.outcome.factorizations),
    ("frames", |r| r.scheme().map(|_| r.outcome.frames())),
    ("solutions", |r| {
        Some(r.outcome.solutions()?.list.len() as u64)
    }),
];
const SWEEPS: &str = "sweeps";
const ROW_UPDATES: &str = "row_updates";
const SECONDS: &str = "seconds";
const STATUS: &str = "status";
const CELLS: &str = "cells";
const HASH: &str = "impulse_hash";

/// Work that can be compared with another solver's.
const RATIOS: [&str; 3] = [SWEEPS, ROW_UPDATES, SECONDS];

/// True for a cell that got as far as its first sample: others count nothing.
fn ran(record: &CellRecord) -> bool {
    !record.outcome.samples.is_empty()
}

/// A bound as a spec writes it.
fn plain(bound: f64) -> String {
    match bound.abs() {
        short if short == 0.0 || (1e-3..1e6).contains(&short) => bound.to_string(),
        _ => format!("{bound:e}"),
    }
}

/// What a gate looks at.
#[derive(Debug, Clone, Copy)]
enum Quantity {
    Status,
    Hash,
    Cells,
    Seconds,
    Counter(Counter),
    Number,
}

impl GateSpec {
    fn quantity(&self) -> Quantity {
        let counter = COUNTERS.iter().find(|(id, _)| *id == self.value);
        match (self.value.as_str(), counter) {
            (STATUS, _) => Quantity::Status,
            (HASH, _) => Quantity::Hash,
            (CELLS, _) => Quantity::Cells,
            (SECONDS, _) => Quantity::Seconds,
            (_, Some((_, counter))) => Quantity::Counter(*counter),
            (_, None) => Quantity::Number,
        }
    }

    /// The assertion in a line: what must be how, of which cells.
    pub fn assertion(&self) -> String {
        let mut text = match (self.value.as_str(), &self.status) {
            (CELLS, Some(status)) => format!("cells that are {status}"),
            (value, _) if self.over != Over::Last => format!("{value} ({})", self.over.id()),
            (value, _) => value.to_owned(),
        };
        if let Some(beside) = &self.beside {
            text += &format!(" over that of {beside}");
        }
        match &self.equals {
            Some(Exactly::Count(count)) => text += &format!(" = {count}"),
            Some(Exactly::Text(wanted)) => text += &format!(" = {wanted}"),
            None => {}
        }
        for (sign, bound) in [("≥", self.at_least), ("≤", self.at_most)] {
            if let Some(bound) = bound {
                text += &format!(" {sign} {}", plain(bound));
            }
        }
        for (word, names) in [
            ("of", &self.solvers),
            ("by", &self.schemes),
            ("on", &self.problems),
        ] {
            if !names.is_empty() {
                text += &format!(" {word} {}", list(names.iter().map(String::as_str)));
            }
        }
        text
    }

    /// True if it is about the cell of this problem with this scheme and solver, empty where there
    /// is none.
    pub fn is_about(&self, problem: &str, scheme: &str, solver: &str) -> bool {
        let fits = |name: &str, wanted| name.is_empty() || named(name, wanted);
        named(problem, &self.problems)
            && fits(scheme, &self.schemes)
            && fits(solver, &self.solvers)
            && self.beside.as_deref() != Some(solver)
    }

    /// Everything that is refused: each refusal is of a fault of its own.
    pub fn refusals(&self, columns: &Columns<'_>) -> Vec<Refusal> {
        let mut refusals = Vec::new();
        match self.check_value(columns) {
            // of what is unknown, nothing follows for the bounds
            Err(refusal) => refusals.push(refusal),
            Ok(()) => {
                refusals.extend(self.check_ratio(columns).err());
                refusals.extend(self.check_bound().err());
            }
        }
        refusals.extend(self.check_counted().err());
        refusals
    }

    /// Refuses a status that is none, and one that nothing counts.
    fn check_counted(&self) -> Result<(), Refusal> {
        match &self.status {
            Some(_) if self.value != CELLS => Err(Refusal::of_key(
                "status",
                "status goes with value = \"cells\", which counts them",
            )),
            Some(word) => check_status(word),
            None => Ok(()),
        }
    }

    /// Refuses a value that no cell has.
    fn check_value(&self, columns: &Columns<'_>) -> Result<(), Refusal> {
        let value = self.value.as_str();
        let is_number = matches!(self.quantity(), Quantity::Number);
        if is_number && Number::is_of_the_clock(value) {
            let message = format!(
                "{value} depends on the machine: gates compare times as ratios, value = \"seconds\" with beside = \"SOLVER\""
            );
            return Err(Refusal::of_value(value, message));
        }
        if is_number && let Err(refusal) = columns.number(value) {
            let own = [STATUS, CELLS, HASH, SECONDS].into_iter();
            let own = own.chain(COUNTERS.map(|(id, _)| id));
            let known = own.chain(columns.measured.iter().map(String::as_str));
            let meant = nearest(value, known.clone());
            // a metric that exists and is not measured has better advice
            return Err(match (meant, (columns.known)(value)) {
                (_, true) => refusal,
                (Some(meant), _) => Refusal::of_value(
                    value,
                    format!("unknown value {value:?} in [[gate]]; did you mean {meant:?}?"),
                ),
                (None, _) => Refusal::of_value(
                    value,
                    format!(
                        "unknown value {value:?} in [[gate]]; known: {}",
                        list(known)
                    ),
                ),
            });
        }
        if self.over != Over::Last && !is_number {
            let message = format!("over goes with an observable, and {value} is none");
            return Err(Refusal::of_key("over", message));
        }
        columns.summary(self.over)
    }

    /// Refuses ratios of what has none, and times that are no ratio.
    fn check_ratio(&self, columns: &Columns<'_>) -> Result<(), Refusal> {
        let value = self.value.as_str();
        match &self.beside {
            None if value == SECONDS => Err(Refusal::of_value(
                value,
                "seconds depend on the machine: gates compare them with another solver's, beside = \"SOLVER\"",
            )),
            Some(_) if columns.kind == Kind::Trajectories => Err(Refusal::of_key(
                "beside",
                "beside goes with [[problem]]: scenes are timed alone, and each scheme has work of its own",
            )),
            Some(_) if !RATIOS.contains(&value) => Err(Refusal::of_key(
                "beside",
                format!("beside goes with {}, not with {value}", RATIOS.join(", ")),
            )),
            _ => Ok(()),
        }
    }

    /// Refuses an assertion without a bound, or with one that does not fit what is looked at.
    fn check_bound(&self) -> Result<(), Refusal> {
        let value = self.value.as_str();
        let bounds = [("at_most", self.at_most), ("at_least", self.at_least)];
        let text = matches!(self.quantity(), Quantity::Status | Quantity::Hash);
        for (key, bound) in bounds {
            if bound.is_some_and(|bound| !bound.is_finite()) {
                return Err(Refusal::of_key(
                    key,
                    format!("{key} must be a finite number"),
                ));
            }
            if bound.is_some() && (text || self.equals.is_some()) {
                let message = match text {
                    true => format!("{value} has no order: write equals = \"…\""),
                    false => format!("equals says all: leave {key} out"),
                };
                return Err(Refusal::of_key(key, message));
            }
        }
        let real = matches!(self.quantity(), Quantity::Number | Quantity::Seconds);
        match &self.equals {
            Some(_) if real || self.beside.is_some() => Err(Refusal::of_key(
                "equals",
                format!("{value} is no count here: write at_most or at_least"),
            )),
            Some(Exactly::Count(_)) if text => Err(Refusal::of_key(
                "equals",
                format!("{value} is a text: write equals = \"…\""),
            )),
            Some(Exactly::Text(wanted)) if !text => Err(Refusal::of_value(
                wanted,
                format!("{value} is a count: write equals = 12"),
            )),
            Some(Exactly::Text(wanted)) if value == STATUS => check_status(wanted),
            None if bounds.iter().all(|(_, bound)| bound.is_none()) => Err(Refusal::of_key(
                "value",
                "a gate needs equals, at_most or at_least",
            )),
            _ => Ok(()),
        }
    }
}

fn check_status(word: &str) -> Result<(), Refusal> {
    let known = STATUSES.iter().map(|doc| doc.id);
    if known.clone().any(|id| id == word) {
        return Ok(());
    }
    let message = match nearest(word, known.clone()) {
        Some(meant) => format!("unknown status {word:?}; did you mean {meant:?}?"),
        None => format!("unknown status {word:?}; known: {}", list(known)),
    };
    Err(Refusal::of_value(word, message))
}

impl View for GateSpec {
    fn shows_times(&self) -> bool {
        self.value == SECONDS
    }

    fn check(&mut self, columns: &Columns<'_>) -> Result<(), Refusal> {
        let refusals = self.refusals(columns).into_iter();
        refusals.map(Err).next().unwrap_or(Ok(()))
    }
}

#[cfg(test)]
mod tests;

//! What the cells of a run say about a gate.

use super::finding::{CellFinding, GateVerdict, alone, because};
use super::{Counter, Exactly, GateSpec, Quantity, times};
use crate::analysis::count;
use crate::bundle::Bundle;
use crate::columns::Number;
use crate::numbers::{grouped, significant};
use crate::record::CellRecord;

/// Cells that a message names.
const NAMED: usize = 3;

/// What came of a gate.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// Whether it holds.
    pub verdict: GateVerdict,
    /// Why, in a line.
    pub message: String,
    /// What each cell says; of a count of cells, nothing.
    pub cells: Vec<CellFinding>,
}

/// Judges a gate by the records of a run. `missing` are the problems and methods of cells that it
/// is about and that have no record.
pub fn judge(gate: &GateSpec, bundle: &Bundle, missing: &[(String, String)]) -> Judged {
    let chosen: Vec<&CellRecord> = bundle
        .records
        .iter()
        .filter(|r| {
            let scheme = r.scheme().map_or("", |scheme| &scheme.label);
            gate.is_about(&r.problem.name, scheme, &r.solver.label)
        })
        .collect();
    if let Quantity::Cells = gate.quantity() {
        return counted(gate, &chosen, missing);
    }
    let mut cells: Vec<CellFinding> = match (gate.quantity(), &gate.beside) {
        (Quantity::Seconds, Some(beside)) => times::judge(gate, bundle, &chosen, beside),
        (_, Some(beside)) => {
            let pairs = chosen.iter();
            pairs
                .filter_map(|r| of_pair(gate, r, bundle.cell(&r.problem.name, beside)))
                .collect()
        }
        _ => chosen.iter().map(|r| of_cell(gate, bundle, r)).collect(),
    };
    cells.extend(missing.iter().map(|(problem, method)| CellFinding {
        problem: problem.clone(),
        method: method.clone(),
        verdict: GateVerdict::Undecided,
        found: "not run yet".to_owned(),
        value: None,
        interval: None,
    }));
    let Some(verdict) = cells.iter().map(|cell| cell.verdict).max() else {
        return Judged {
            verdict: GateVerdict::Fail,
            message: "no cell is meant".to_owned(),
            cells,
        };
    };
    Judged {
        verdict,
        message: message(verdict, &cells),
        cells,
    }
}

/// How many cells there are, or ended as the gate says.
fn counted(gate: &GateSpec, chosen: &[&CellRecord], missing: &[(String, String)]) -> Judged {
    let ended = |r: &&&CellRecord| gate.status.as_deref().is_none_or(|s| r.ending_id() == s);
    let number = chosen.iter().filter(ended).count() as u64;
    let all = chosen.len() + missing.len();
    // whatever the cells that are still to run come to
    let most = number + missing.len() as u64;
    let fails = (number..=most).all(|n| within(gate, count(n)) == GateVerdict::Fail);
    let verdict = match fails {
        true => GateVerdict::Fail,
        false if missing.is_empty() => GateVerdict::Pass,
        false => GateVerdict::Undecided,
    };
    let mut message = format!("{number} of {all} cells");
    let others = chosen.iter().filter(|r| !ended(r));
    let others: Vec<CellFinding> = others
        .map(|r| CellFinding::of(r, GateVerdict::Pass, r.ending()))
        .collect();
    if !missing.is_empty() {
        message += &format!("; {} not run yet", missing.len());
    } else if verdict == GateVerdict::Fail && !others.is_empty() {
        message += &format!("; not {}", some(others.iter()));
    }
    Judged {
        verdict,
        message,
        cells: Vec::new(),
    }
}

/// Whether a number keeps the bounds.
pub(super) fn within(gate: &GateSpec, value: f64) -> GateVerdict {
    let exact = match &gate.equals {
        Some(Exactly::Count(wanted)) => value == count(*wanted),
        Some(Exactly::Text(_)) => false,
        None => true,
    };
    let low = gate.at_least.is_none_or(|least| value >= least);
    let high = gate.at_most.is_none_or(|most| value <= most);
    match exact && low && high {
        true => GateVerdict::Pass,
        false => GateVerdict::Fail,
    }
}

fn of_cell(gate: &GateSpec, bundle: &Bundle, record: &CellRecord) -> CellFinding {
    if record.lacks_device() {
        return CellFinding::of(record, GateVerdict::Undecided, "unsupported: no adapter");
    }
    let text = |found: &str| {
        let same = matches!(&gate.equals, Some(Exactly::Text(wanted)) if wanted == found);
        let verdict = if same {
            GateVerdict::Pass
        } else {
            GateVerdict::Fail
        };
        CellFinding::of(record, verdict, found)
    };
    match gate.quantity() {
        Quantity::Status => match text(record.ending_id()) {
            cell if cell.verdict == GateVerdict::Pass => cell,
            cell => CellFinding {
                found: because(record),
                ..cell
            },
        },
        Quantity::Hash => text(&record.outcome.impulse_hash),
        Quantity::Counter(counter) => match counter(record) {
            Some(number) => found(gate, record, count(number), grouped(number)),
            None => nothing(record),
        },
        Quantity::Number | Quantity::Cells | Quantity::Seconds => {
            let number = Number::of(bundle, &gate.value, gate.over);
            match number.value(record) {
                Some(value) => found(gate, record, value, significant(value, 4)),
                None => nothing(record),
            }
        }
    }
}

fn found(gate: &GateSpec, record: &CellRecord, value: f64, text: String) -> CellFinding {
    CellFinding {
        value: Some(value),
        ..CellFinding::of(record, within(gate, value), text)
    }
}

/// A cell without a value does not keep a bound.
fn nothing(record: &CellRecord) -> CellFinding {
    let text = format!("no value; {}", because(record));
    CellFinding::of(record, GateVerdict::Fail, text)
}

/// The work of two solves compared with each other; `None` where there is no cell to compare with,
/// as of a problem that the other refuses.
fn of_pair(
    gate: &GateSpec,
    record: &CellRecord,
    other: Option<&CellRecord>,
) -> Option<CellFinding> {
    let Quantity::Counter(counter) = gate.quantity() else {
        return None;
    };
    let other = other?;
    Some(alone(record, other).unwrap_or_else(|| ratio(gate, record, other, counter)))
}

fn ratio(
    gate: &GateSpec,
    record: &CellRecord,
    other: &CellRecord,
    counter: Counter,
) -> CellFinding {
    let (Some(own), Some(its)) = (counter(record), counter(other)) else {
        return nothing(record);
    };
    let ratio = match (own, its) {
        // solved at the start by both is alike
        (0, 0) => 1.0,
        (_, 0) => f64::INFINITY,
        (own, its) => count(own) / count(its),
    };
    let text = format!(
        "{} ({} to {})",
        significant(ratio, 4),
        grouped(own),
        grouped(its)
    );
    found(gate, record, ratio, text)
}

fn message(verdict: GateVerdict, cells: &[CellFinding]) -> String {
    let (all, noun) = (cells.len(), if cells.len() == 1 { "cell" } else { "cells" });
    if verdict != GateVerdict::Pass {
        let those = cells.iter().filter(|cell| cell.verdict == verdict);
        let number = those.clone().count();
        return format!("{number} of {all} {noun}: {}", some(those));
    }
    let numbers = cells.iter().filter(|cell| cell.value.is_some());
    let by_value = |a: &&CellFinding, b: &&CellFinding| {
        let value = |cell: &CellFinding| cell.value.unwrap_or(f64::NAN);
        value(a).total_cmp(&value(b))
    };
    let ends = (numbers.clone().min_by(by_value), numbers.max_by(by_value));
    match ends {
        (Some(least), Some(most)) if least.found == most.found => {
            format!("{all} {noun}: {}", least.found)
        }
        (Some(least), Some(most)) => format!("{all} {noun}: {} to {}", least.found, most.found),
        _ => format!("{all} {noun}"),
    }
}

/// The first cells with what was found.
fn some<'c>(cells: impl Iterator<Item = &'c CellFinding> + Clone) -> String {
    let all = cells.clone().count();
    let first = cells
        .take(NAMED)
        .map(|cell| format!("{}, {}: {}", cell.problem, cell.method, cell.found));
    let mut text = first.collect::<Vec<_>>().join("; ");
    if all > NAMED {
        text += &format!("; and {} more", all - NAMED);
    }
    text
}

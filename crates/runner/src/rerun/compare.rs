//! What differs between the record of a cell and that of the same cell, run again.

use delassus_core::{Determinism, Status, depends_on_time};
use delassus_records::machine::MachineInfo;
use serde_json::{Map, Value};

use crate::machine::is_like;
use crate::record::CellRecord;
use crate::registry::Registry;

/// Entries of an outcome that are times, or limits which the second run has from the record.
const TIMES: [&str; 3] = ["prepare_seconds", "iterate_seconds", "limit"];
/// The same one level below: of timed sweeps, and of a peer.
const INNER_TIMES: [(&str, &str); 2] = [("timing", "short_seconds"), ("peer", "seconds")];

/// Says how the second record differs from the first one, times left out.
pub(super) fn difference(record: &CellRecord, again: &CellRecord) -> Option<String> {
    let (said, found) = (record.outcome.status, again.outcome.status);
    if said != found {
        return Some(format!(
            "it says {said}, and run again it ends with {found}"
        ));
    }
    let mut found = Differences::default();
    for (one, other, of) in [
        (facts(record), facts(again), "facts"),
        (outcome(record), outcome(again), ""),
    ] {
        found.compare(&one, &other, of);
    }
    let first = found.first?;
    let more = match found.number - 1 {
        0 => String::new(),
        1 => " (and one other value)".to_owned(),
        more => format!(" (and {more} other values)"),
    };
    Some(format!("{first}{more}"))
}

fn facts(record: &CellRecord) -> Value {
    serde_json::to_value(&record.facts).unwrap_or_default()
}

/// The outcome as it stands in the file of a record, without times.
fn outcome(record: &CellRecord) -> Value {
    let mut record = serde_json::to_value(record).unwrap_or_default();
    let mut outcome = record["outcome"].take();
    if let Some(entries) = outcome.as_object_mut() {
        for name in TIMES {
            take(entries, name);
        }
        for (name, inner) in INNER_TIMES {
            if let Some(entries) = entries.get_mut(name).and_then(Value::as_object_mut) {
                take(entries, inner);
            }
        }
    }
    outcome
}

/// Removes an entry.
fn take(entries: &mut Map<String, Value>, name: &str) {
    entries.retain(|entry, _| entry != name);
}

/// Values that differ: the first in words, and how many there are.
#[derive(Default)]
struct Differences {
    first: Option<String>,
    number: usize,
}

impl Differences {
    fn compare(&mut self, said: &Value, again: &Value, path: &str) {
        let below = |name: &str| match path {
            "" => name.to_owned(),
            path => format!("{path}.{name}"),
        };
        match (said, again) {
            (Value::Object(one), Value::Object(other)) => {
                for (name, value) in one {
                    let same = other.get(name).unwrap_or(&Value::Null);
                    self.compare(value, same, &below(name));
                }
                let more = other.iter().filter(|(name, _)| !one.contains_key(*name));
                for (name, value) in more {
                    self.compare(&Value::Null, value, &below(name));
                }
            }
            (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
                for (index, (said, again)) in one.iter().zip(other).enumerate() {
                    self.compare(said, again, &format!("{path}[{index}]"));
                }
            }
            (Value::Array(one), Value::Array(other)) => {
                let (one, other) = (one.len(), other.len());
                self.add(|| format!("it has {one} {path}, and run again {other}"));
            }
            // as they are written: −0 is not 0
            (said, again) => {
                let (said, again) = (said.to_string(), again.to_string());
                if said != again {
                    self.add(|| {
                        let (said, again) = (short(&said), short(&again));
                        format!("its {path} is {said}, and run again {again}")
                    });
                }
            }
        }
    }

    fn add(&mut self, words: impl FnOnce() -> String) {
        self.number += 1;
        self.first.get_or_insert_with(words);
    }
}

/// Characters of a value that a message shows \[-\].
const SHOWN: usize = 160;

fn short(text: &str) -> String {
    match text.chars().nth(SHOWN) {
        None => text.to_owned(),
        Some(_) => text.chars().take(SHOWN).chain(['…']).collect(),
    }
}

/// What decides whether a cell must come to the same again.
pub(super) struct Conditions<'r> {
    registry: &'r Registry,
    here: MachineInfo,
}

impl<'r> Conditions<'r> {
    pub(super) fn new(registry: &'r Registry, here: MachineInfo) -> Self {
        Self { registry, here }
    }

    /// True for a cell that may come to something else here, or on another day: one with a limit of
    /// time or memory, on a device, of a solver without a fixed order, in words of a process that
    /// ended. On another processor, sums of linear algebra may end with other bits; impulses of a
    /// solver that promises them everywhere may not.
    pub(super) fn may_differ(&self, record: &CellRecord, again: &CellRecord) -> bool {
        let outcome = &record.outcome;
        let scheme = record.scheme().and_then(|scheme| scheme.device.as_ref());
        let has_device = record.solver.device.as_ref().or(scheme).is_some();
        let is_limited = outcome.limit.is_some()
            || outcome.status == Status::MaxTime
            || [record, again]
                .iter()
                .any(|one| depends_on_time(one.outcome.decisions()));
        let calibration = outcome.calibration();
        let is_timed = calibration.is_some_and(|own| own.budget.is_time());
        let has_words = outcome.status.is_killed() && again.outcome.status == outcome.status;
        let is_lost = outcome.status == Status::DeviceLost;
        if has_device || is_limited || is_timed || has_words || is_lost {
            return true;
        }
        let solver = self.registry.find(&record.solver.id);
        match solver.map(|entry| entry.descriptor.determinism) {
            Ok(Determinism::None) => true,
            _ if self.is_machine_of(record) => false,
            Ok(Determinism::Processor) => true,
            Ok(Determinism::Bitwise) | Err(_) => {
                let again = &again.outcome;
                outcome.status == again.status && outcome.impulse_hash == again.impulse_hash
            }
        }
    }

    /// True for a record of a machine like this one.
    fn is_machine_of(&self, record: &CellRecord) -> bool {
        let origin = record.origin.as_ref();
        origin.is_some_and(|origin| is_like(&origin.machine, &self.here))
    }
}

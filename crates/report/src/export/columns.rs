//! Columns: which of them the records of an experiment have, and how values are written.

use delassus_records::store::Outline;
use serde_json::{Map, Value};

use crate::analysis::Spread;
use crate::record::CellRecord;
use crate::view::Kind;

/// A column of a summary: its name, and what it says of a record.
pub(super) type Column = (&'static str, fn(&CellRecord) -> String);
/// A column of a table of samples: of a record and the number of a sample.
pub(super) type SampleColumn = (&'static str, fn(&CellRecord, usize) -> String);

/// A column that is there where a solver counts them: tables of older records are what they were.
pub(super) const FACTORIZATIONS: &str = "factorizations";

/// Columns that are there where a solver has a process of its own, for the same reason.
const PEERS: [&str; 5] = [
    "claimed",
    "peer",
    "peer_hash",
    "peer_clock",
    "peer_iterations",
];

/// Columns that are there where a budget has chosen the substeps of a scheme.
const CALIBRATIONS: [&str; 4] = [
    "budget",
    "chosen_substeps",
    "calibrated_cost",
    "calibration",
];

/// The columns of the tables of an experiment, known before the first row.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TableShape {
    /// Metrics or observables, in the order of first appearance.
    pub(super) metrics: Vec<String>,
    pub(super) over_time: bool,
    timed: bool,
    counted: bool,
    pub(super) searched: bool,
    pub(super) has_worlds: bool,
    claimed: bool,
    calibrated: bool,
}

impl TableShape {
    /// That of the tables of these records.
    pub fn of(records: &[CellRecord]) -> Self {
        let mut shape = Self::default();
        for record in records {
            shape.add(Outline::of(record));
        }
        shape
    }

    /// Adds the columns of one more record.
    pub fn add(&mut self, outline: Outline) {
        for metric in outline.metrics {
            if !self.metrics.contains(&metric) {
                self.metrics.push(metric);
            }
        }
        self.over_time |= outline.over_time;
        self.timed |= outline.timed;
        self.counted |= outline.counted;
        self.searched |= outline.searched;
        self.has_worlds |= outline.has_worlds;
        self.claimed |= outline.claimed;
        self.calibrated |= outline.calibrated;
    }

    pub(super) fn kind(&self) -> Kind {
        match (self.over_time, self.timed) {
            (true, _) => Kind::Trajectories,
            (false, true) => Kind::Timings,
            (false, false) => Kind::Solves,
        }
    }

    /// The columns that these records have.
    fn shown<'c>(&self, columns: &'c [Column]) -> impl Iterator<Item = &'c Column> + use<'c> {
        let (counted, claimed, calibrated) = (self.counted, self.claimed, self.calibrated);
        let columns = columns.iter();
        columns.filter(move |(name, _)| {
            (counted || *name != FACTORIZATIONS)
                && (claimed || !PEERS.contains(name))
                && (calibrated || !CALIBRATIONS.contains(name))
        })
    }

    /// The names of those of `columns` that these records have.
    pub(super) fn names(&self, columns: &[Column]) -> Vec<String> {
        let shown = self.shown(columns);
        shown.map(|(name, _)| (*name).to_owned()).collect()
    }

    /// What they say of a record.
    pub(super) fn values(&self, columns: &[Column], record: &CellRecord) -> Vec<String> {
        self.shown(columns)
            .map(|(_, value)| value(record))
            .collect()
    }
}

pub(super) fn message(record: &CellRecord) -> String {
    inert(record.outcome.message.as_deref().unwrap_or_default())
}

pub(super) fn approximations(record: &CellRecord) -> String {
    inert(&record.outcome.approximations.join("; "))
}

/// Columns of the spread of the samples of a time.
pub(super) fn spread_of(what: &str) -> [String; 3] {
    ["min", "max", "iqr"].map(|part| format!("{what}_{part}_seconds"))
}

/// Least, largest and interquartile range of the samples; nothing where there are none.
pub(super) fn spread(samples: impl Iterator<Item = f64>) -> [String; 3] {
    let spread = Spread::of(samples);
    [
        spread.map(|spread| spread.min),
        spread.map(|spread| spread.max),
        spread.map(|spread| spread.iqr),
    ]
    .map(real)
}

/// A text that no spreadsheet evaluates and no terminal obeys: an apostrophe before what begins
/// like a formula, and escapes in the place of what moves a cursor or turns text. Numbers are not
/// texts.
pub fn inert(text: &str) -> String {
    let is_formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let begin = if is_formula { "'" } else { "" };
    let mut out = begin.to_owned();
    for c in text.chars() {
        match moves(c) {
            true => out.extend(c.escape_default()),
            false => out.push(c),
        }
    }
    out
}

/// True for a character that a terminal does not show, lines and tabs aside.
fn moves(c: char) -> bool {
    (c.is_control() && !matches!(c, '\n' | '\t'))
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Parameters as JSON.
pub(super) fn object(map: &Map<String, Value>) -> String {
    let text = Value::Object(map.clone()).to_string();
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match moves(c) {
            true => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            false => out.push(c),
        }
    }
    out
}

/// The text of what is there; nothing for nothing.
pub(super) fn whole(value: Option<impl ToString>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

/// The shortest text that reads back as the same number; nothing for no number.
pub(super) fn real(value: Option<f64>) -> String {
    value.map_or_else(String::new, |value| format!("{value:?}"))
}

//! What `verify` takes from results as it stands: fields that only another run gives, and those
//! that nothing gives. `docs/reliability.md` has the same list.

use delassus_core::Status;

use crate::record::CellRecord;

/// A field that `verify` passes over.
#[derive(Debug, Clone, Copy)]
pub struct UnverifiedField {
    /// The file: `cells` for a record, `replays` for recorded motion, `sources` and `method` for
    /// folders of a bundle, or its name.
    pub file: &'static str,
    /// The path of the value in the file; `[]` stands for every place of a list, and `.*` for
    /// everything below.
    pub field: &'static str,
    /// What is compared with it.
    pub by: FieldCheck,
}

/// What a field that `verify` passes over is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldCheck {
    /// Another run of the cell, by `verify --rerun`, as what this names.
    Rerun(&'static str),
    /// Nothing: it is a time, a date, or a text of the machine or its user.
    Nothing(&'static str),
}

use FieldCheck::{Nothing, Rerun};

const fn of_experiment(field: &'static str, by: FieldCheck) -> UnverifiedField {
    UnverifiedField {
        file: "experiment.json",
        field,
        by,
    }
}

const fn of_record(field: &'static str, by: FieldCheck) -> UnverifiedField {
    UnverifiedField {
        file: "cells",
        field,
        by,
    }
}

/// Every field that `verify` passes over in the results of the same program, in a folder that was
/// made here or in a bundle.
pub const UNVERIFIED_FIELDS: [UnverifiedField; 41] = [
    of_record("outcome.status", Rerun("failures")),
    of_record("outcome.message", Rerun("messages")),
    of_record("outcome.samples[].values[]", Rerun(SAMPLES)),
    of_record("outcome.samples[].sweeps", Rerun(SAMPLES)),
    of_record("outcome.samples[].row_updates", Rerun(SAMPLES)),
    of_record("outcome.samples[].moment.time", Rerun(SAMPLES)),
    of_record("outcome.sweeps", Rerun(COUNTS)),
    of_record("outcome.row_updates", Rerun(COUNTS)),
    of_record("outcome.factorizations", Rerun(COUNTS)),
    of_record("outcome.decisions[]", Rerun("decisions")),
    of_record("outcome.impulse_hash", Rerun("hashes of answers")),
    of_record("outcome.reference", Rerun("references")),
    of_record("outcome.solutions.*", Rerun("further solutions")),
    of_record("outcome.peer.*", Rerun("words of peers")),
    of_record("outcome.worlds[].sweeps", Rerun(COUNTS)),
    of_record("outcome.timing.read_bytes", Rerun(BYTES)),
    of_record("outcome.timing.written_bytes", Rerun(BYTES)),
    of_record("outcome.timing.gathered_bytes", Rerun(BYTES)),
    of_record("outcome.timing.working_set", Rerun(BYTES)),
    of_record("outcome.depths.*", Rerun("overlaps")),
    of_record("outcome.calibration.*", Rerun("costs of trials")),
    UnverifiedField {
        file: "replays",
        field: "frames after the first",
        by: Rerun("recorded motion"),
    },
    of_record("outcome.prepare_seconds[]", Nothing(TIME)),
    of_record("outcome.iterate_seconds[]", Nothing(TIME)),
    of_record("outcome.timing.short_seconds[]", Nothing(TIME)),
    of_record("outcome.peer.seconds", Nothing(TIME)),
    of_record("outcome.limit.*", Nothing("a limit of the user")),
    of_record("origin.date", Nothing("a date")),
    of_record("origin.load", Nothing(MACHINE)),
    of_record("origin.noise", Nothing(MACHINE)),
    of_record("origin.jobs", Nothing("a choice of the user")),
    of_record("origin.turns", Nothing("the order of the timed passes")),
    of_record("origin.machine.*", Nothing(MACHINE)),
    of_record("origin.head", Nothing("the checkout of the spec")),
    of_experiment(
        "command",
        Nothing("folders of the user, in a bundle or a copy"),
    ),
    of_experiment("readme", Nothing("a text of the user, in a copy")),
    of_experiment("id", Nothing("a text of the user, in a copy")),
    of_experiment("spec_file", Nothing("folders of the user, in a copy")),
    of_experiment("spec_place", Nothing("folders of the user, in a copy")),
    UnverifiedField {
        file: "sources",
        field: "text that changes no number",
        by: Nothing(
            "comments and blanks of data and scenes, in a bundle whose hashes are all renewed",
        ),
    },
    UnverifiedField {
        file: "method",
        field: "*",
        by: Nothing("the package of the user's own solver, in a bundle"),
    },
];

/// Values on the way to an answer, and over time.
const SAMPLES: &str = "samples";
/// Work that a solver counts.
const COUNTS: &str = "counts";
/// Bytes of timed sweeps.
const BYTES: &str = "bytes";
const TIME: &str = "a time";
const MACHINE: &str = "the machine";

impl UnverifiedField {
    /// The field as a row of the table in `docs/reliability.md`.
    pub fn row(&self) -> String {
        let by = match self.by {
            Rerun(what) => format!("`--rerun`: {what}"),
            Nothing(what) => format!("nothing: {what}"),
        };
        format!("| `{}` | `{}` | {by} |", self.file, self.field)
    }

    /// True if it covers the field of this path.
    pub fn covers(&self, file: &str, field: &str) -> bool {
        let is_below = self.field.strip_suffix("*");
        self.file == file && is_below.map_or(self.field == field, |start| field.starts_with(start))
    }
}

/// What of a record only another run of its cell gives, in words.
pub(super) fn only_rerun(record: &CellRecord) -> Vec<&'static str> {
    let outcome = &record.outcome;
    let is_solve = outcome.solve().is_some();
    let counted = outcome.factorizations.is_some() || !outcome.worlds().is_empty();
    let solutions = outcome.solutions().map_or(0, |found| found.list.len());
    let has_words = outcome.message.is_some() && outcome.status != Status::Unsupported;
    let all = [
        (outcome.samples.len() > 1, SAMPLES),
        (counted, COUNTS),
        (!outcome.decisions().is_empty(), "decisions"),
        (
            !is_solve && !outcome.impulse_hash.is_empty(),
            "hashes of answers",
        ),
        (outcome.reference().is_some(), "references"),
        (solutions > 1, "further solutions"),
        (outcome.peer().is_some(), "words of peers"),
        (outcome.timing().is_some(), BYTES),
        (outcome.replay_hash().is_some(), "recorded motion"),
        (outcome.calibration().is_some(), "costs of trials"),
        (has_words, "messages"),
    ];
    let found = all.into_iter().filter(|(is_there, _)| *is_there);
    found.map(|(_, words)| words).collect()
}

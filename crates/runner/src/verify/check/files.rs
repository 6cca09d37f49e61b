//! The files of a cell besides its record: recorded motion and impulses.

use std::fs;

use delassus_core::Status;
use delassus_records::disk;
use delassus_replay::Replay;

use super::super::judge;
use super::super::versions::is_own;
use super::{Check, of_cell};
use crate::folder::RecordEvidence;
use crate::key;
use crate::matrix::Experiment;
use crate::record::CellRecord;
use crate::store::{self, CELLS};
use crate::{replays, unfit};

impl Check<'_> {
    /// The recorded motion: its hash and, if the same program has recorded it, what of it follows
    /// from spec and scene.
    pub(super) fn replay(&mut self, record: &CellRecord) {
        let path = store::replay_path(self.dir, &record.key);
        let hash = record.outcome.replay_hash();
        let is_older = self.folder.vouched == RecordEvidence::Older;
        let is_left = hash.is_some() || fs::symlink_metadata(path).is_ok();
        if !replays::belongs_to(record, is_older) || !is_left {
            return;
        }
        self.verdict.files += 1;
        let checked = replays::check(self.dir, &record.key, hash);
        let checked =
            checked.and_then(|bytes| match self.replay_contradiction(record, &bytes)? {
                Some(what) => Err(format!("contradicts spec and record: {what}")),
                None => Ok(()),
            });
        if let Err(what) = checked {
            self.find(record, store::replay_name(&record.key), what);
        }
    }

    fn replay_contradiction(
        &self,
        record: &CellRecord,
        bytes: &[u8],
    ) -> Result<Option<&'static str>, String> {
        let (Some(matrix), Some(cell)) = (self.matrix, self.cell_of(record)) else {
            return Ok(None);
        };
        let Experiment::Simulate(over) = &matrix.experiment else {
            return Ok(Some("nothing moves in this experiment"));
        };
        if !is_own(record) {
            return Ok(None);
        }
        let replay =
            Replay::from_bytes(bytes).map_err(|error| format!("is no recorded motion: {error}"))?;
        let is_whole = record.outcome.status == Status::Solved;
        Ok(over.replay_contradiction(cell, &replay, is_whole))
    }

    /// The impulses: their hash, and what the metrics make of them. The largest criterion, where
    /// all of them follow from impulses.
    pub(super) fn impulses(&mut self, record: &CellRecord) -> Option<f64> {
        let file = format!("{CELLS}/{}.impulses", record.key);
        let bytes = match disk::read_in(self.dir, &file) {
            Ok(bytes) => bytes,
            Err(error) => {
                self.find(record, file, unfit::reason(&error));
                return None;
            }
        };
        self.verdict.files += 1;
        if key::of_bytes(&bytes) != record.outcome.impulse_hash {
            let what = "are not the impulses of the record: their hash differs".to_owned();
            self.find(record, file, what);
            return None;
        }
        let is_of_here = self.is_of_here(record);
        let subject = match self.subjects.of(record) {
            Ok(subject) => subject,
            Err(what) => {
                let finding = of_cell(record, file, what);
                // a bundle has the problem of every cell that was solved
                match self.verdict.is_bundle {
                    true => self.verdict.findings.push(finding),
                    false => self.verdict.unchecked.push(finding),
                }
                return None;
            }
        };
        let judged = judge::judge(record, is_of_here, &subject, &bytes);
        self.verdict.judged += 1;
        self.verdict.values += judged.values;
        self.verdict.left += judged.left;
        let file = format!("{CELLS}/{}.json", record.key);
        for what in judged.differences {
            self.find(record, file.clone(), what);
        }
        judged.worst
    }
}

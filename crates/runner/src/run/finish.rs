//! What a run writes besides its cells: before the first one whose folder it is, after the last one
//! the report.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::atomic::Ordering;

use delassus_core::Status;
use delassus_records::disk;
use delassus_report::overview::{self, IndexUpdate};
use serde_json::Value;

use super::work::{Finished, Run};
use super::{RunError, RunSummary};
use crate::bundle::Bundle;
use crate::json_file;
use crate::matrix::MatrixCell;
use crate::outputs::{self, Outputs, Work};
use crate::ownership;
use crate::record::CellRecord;
use crate::run_metadata::{self, RunMetadata};
use crate::store::{self, StoredCell};
use crate::{command, key, linked, manifest, report, results, slices};

/// Renews the index of the folder that a results folder lies in; what to say where it is not
/// renewed. No report is less for that.
pub fn index_note(dir: &Path) -> Option<String> {
    match overview::renew_beside(dir) {
        Ok(IndexUpdate::NotHere | IndexUpdate::Is(..)) => None,
        Ok(IndexUpdate::Foreign(path)) => Some(format!(
            "note: {} is not a page of this program and stays as it is",
            path.display()
        )),
        Err(error) => Some(format!(
            "note: the {} over all results is not renewed: {error}",
            overview::FILE
        )),
    }
}

impl Run<'_> {
    /// Says in the folder that it changes, before the first change.
    pub(super) fn mark(&self) -> Result<(), RunError> {
        if self.is_marked.load(Ordering::Acquire) {
            return Ok(());
        }
        outputs::mark(self.dir, Work::Run).map_err(|source| RunError::Write {
            path: self.dir.join(outputs::LIST),
            source,
        })?;
        self.is_marked.store(true, Ordering::Release);
        Ok(())
    }

    /// Says in the folder whose results it holds, and that they are made here.
    pub(super) fn claim(&self) -> Result<(), RunError> {
        let path = self.dir.join(store::EXPERIMENT);
        let refused = |source| RunError::Write {
            path: path.clone(),
            source,
        };
        let said = self.said(&self.bundle());
        let content = json_file::pretty(&said).map_err(refused)?;
        let is_there = disk::read(&path).is_ok_and(|there| there == content);
        if !is_there {
            self.mark()?;
        }
        // before the experiment: a folder with that and without a claim is somebody else's
        let claimed = ownership::claim(self.dir, &run_metadata::origin(&said));
        claimed.map_err(|source| RunError::Write {
            path: self.dir.join(ownership::FILE),
            source,
        })?;
        match is_there {
            true => Ok(()),
            false => store::write_durable(&path, &content).map_err(refused),
        }
    }

    /// The bundle without records.
    fn bundle(&self) -> Bundle {
        Bundle {
            unstepped: self.matrix.unstepped(),
            ..results::bundle(
                &self.matrix.spec,
                command::of(
                    &self.args.spec,
                    self.dir,
                    &Path::new("results").join(&self.matrix.spec.id),
                    self.registry,
                ),
                Value::Null,
                self.registry,
            )
        }
    }

    /// What the run says of itself.
    fn said(&self, bundle: &Bundle) -> RunMetadata {
        let keys = self.matrix.cells.iter().map(|cell| cell.key.clone());
        run_metadata::experiment(self.dir, &self.matrix.spec, bundle, keys.collect())
    }

    /// Writes tables, figures and report of everything that there is, unless they are there
    /// already.
    pub(super) fn finish(mut self) -> Result<RunSummary, RunError> {
        let mut statuses = BTreeMap::new();
        let (mut missing, mut refused) = (0, 0);
        for (cell, finished) in self.matrix.cells.iter().zip(&self.cells) {
            let status = match finished {
                Finished::Not => {
                    missing += 1;
                    continue;
                }
                Finished::Before(summary) => summary.status,
                Finished::Now(record, _) => record.outcome.status,
            };
            *statuses.entry(status).or_insert(0) += 1;
            let is_refused = status == Status::Unsupported && !self.matrix.is_absent(cell);
            refused += usize::from(is_refused);
        }
        let alone = self.args.shard.is_none();
        if alone {
            self.report()?;
            if let Some(note) = index_note(self.dir) {
                self.progress.note(&note);
            }
        }
        Ok(RunSummary {
            dir: self.dir.to_owned(),
            report: alone.then(|| self.dir.join("report.html")),
            cells: self.cells.len(),
            kept: self.kept,
            ran: self.ran,
            missing,
            lost: self.lost.load(Ordering::Relaxed),
            refused,
            statuses,
            good: self.matrix.experiment.good_ending(),
            unstepped: self.matrix.unstepped(),
            cancelled: self.cancel.load(Ordering::Relaxed),
        })
    }

    fn report(&mut self) -> Result<(), RunError> {
        let mut bundle = self.bundle();
        let write = |name: &'static str| {
            let path = self.dir.join(name);
            move |source| RunError::Write { path, source }
        };
        let experiment = json_file::pretty(&self.said(&bundle));
        let experiment = experiment.map_err(write(store::EXPERIMENT))?;
        let sums = self.cells.iter().map(|cell| cell.sum().unwrap_or_default());
        let of = results::source(&self.matrix.spec, &experiment, sums);
        if outputs::are_current(self.dir, &of) && run_metadata::manifest(self.dir).is_ok() {
            return Ok(());
        }
        let listed = write(outputs::LIST);
        let sums = self.sums();
        bundle.records = self.records()?;
        bundle.missing = self.cells.len() - bundle.records.len();
        let spec = key::of_text(&self.matrix.spec.text);
        bundle.manifest = manifest::manifest(&self.args.build, &spec, &bundle.records);
        bundle.manifest[manifest::ROOT] = manifest::root(&sums).into();
        linked::note(&mut bundle.manifest, self.registry);
        if slices::wanted(&self.matrix.spec.figures) {
            bundle.contacts = slices::contacts(self.dir, &bundle.records, Some(self.matrix));
        }
        let mut outputs = Outputs::begin(self.dir, Work::Run);
        outputs.set_cells(sums);
        results::write(&mut outputs, &experiment, &bundle)?;
        report::write_to(
            &results::report(self.dir, &self.matrix.spec, bundle, self.registry),
            &mut outputs,
        )?;
        outputs.finish(&of).map_err(listed)
    }

    /// The checksums of the records by their keys.
    fn sums(&self) -> BTreeMap<String, String> {
        let cells = self.matrix.cells.iter().zip(&self.cells);
        let sums =
            cells.filter_map(|(cell, done)| Some((cell.key.clone(), done.sum()?.to_owned())));
        sums.collect()
    }

    /// The records, in the order of the matrix; those from before are read now.
    fn records(&mut self) -> Result<Vec<CellRecord>, RunError> {
        let mut records = Vec::with_capacity(self.cells.len());
        for (cell, finished) in self.matrix.cells.iter().zip(&mut self.cells) {
            match std::mem::replace(finished, Finished::Not) {
                Finished::Not => {}
                Finished::Now(record, _) => records.push(*record),
                Finished::Before(_) => match store::read_cell(self.dir, &cell.key) {
                    StoredCell::Cell(record) => records.push(*record),
                    // it was there a moment ago, and a report without it would say that it never
                    // was
                    StoredCell::Nothing => return Err(self.lost(cell, "it is gone")),
                    StoredCell::Corrupt(reason) => return Err(self.lost(cell, &reason)),
                },
            }
        }
        Ok(records)
    }

    fn lost(&self, cell: &MatrixCell, reason: &str) -> RunError {
        let text = format!("it was whole when this run began, and now {reason}; run again");
        RunError::Unreadable {
            path: store::cell_path(self.dir, &cell.key),
            source: io::Error::other(text),
        }
    }
}

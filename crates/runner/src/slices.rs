//! The contact impulses of cells, for the figures that show them: from the files of impulses and
//! the laws of the problems.

use std::collections::BTreeMap;
use std::path::Path;

use delassus_core::Problem;
use delassus_records::disk;

use crate::bundle::{Bundle, ContactImpulse};
use crate::figures::FigureSpec;
use crate::key::of_bytes;
use crate::matrix::CellMatrix;
use crate::record::CellRecord;
use crate::registry::Registry;
use crate::run_metadata;
use crate::store::{impulses_name, impulses_of};
use crate::verify::{Subjects, VerifyReport};

/// Gives a bundle the contact impulses of its cells, if one of the figures shows them: from the
/// results in `dir`, whose spec, which the user may name, is expanded once more. A cell whose
/// impulses or problem are not at hand has none.
pub fn fill(
    dir: &Path,
    spec: Option<&Path>,
    bundle: &mut Bundle,
    figures: &[FigureSpec],
    registry: &Registry,
) {
    if !wanted(figures) {
        return;
    }
    let matrix = run_metadata::read(dir).ok().and_then(|mut saved| {
        saved.name_spec(spec);
        run_metadata::matrix_as_run(dir, &saved, registry).ok()
    });
    bundle.contacts = contacts(dir, &bundle.records, matrix.as_ref());
}

/// True if one of the figures shows impulses.
pub(crate) fn wanted(figures: &[FigureSpec]) -> bool {
    figures.iter().any(|figure| figure.plot.shows_impulses())
}

/// The contact impulses of the cells of a run by the keys of the cells.
pub(crate) fn contacts(
    dir: &Path,
    records: &[CellRecord],
    matrix: Option<&CellMatrix>,
) -> BTreeMap<String, Vec<ContactImpulse>> {
    // what is wrong with frozen problems is for delassus verify to say
    let mut subjects = Subjects::new(dir, matrix, &mut VerifyReport::default());
    let mut all = BTreeMap::new();
    for record in records {
        let hash = &record.outcome.impulse_hash;
        let bytes = disk::read_in(dir, &impulses_name(&record.key)).ok();
        let own = bytes.filter(|bytes| !hash.is_empty() && of_bytes(bytes) == *hash);
        let impulses = own.and_then(|bytes| impulses_of(&bytes));
        let (Some(impulses), Ok(subject)) = (impulses, subjects.of(record)) else {
            continue;
        };
        if impulses.len() == subject.problem.rows() {
            all.insert(record.key.clone(), of_problem(subject.problem, &impulses));
        }
    }
    all
}

/// The contacts of a problem, of every law.
fn of_problem(problem: &Problem, impulses: &[f64]) -> Vec<ContactImpulse> {
    let blocks = problem.blocks().iter();
    let contacts =
        blocks.filter_map(|block| ContactImpulse::of(&block.law, impulses.get(block.rows())?));
    contacts.collect()
}

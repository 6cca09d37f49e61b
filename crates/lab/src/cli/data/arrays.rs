//! Tables and impulses as NumPy archives.

use std::io::{self, BufWriter, Seek, Write};
use std::path::Path;

use delassus_formats::npz::{ArchiveWriter, NamedArray, NpyValues, archive};
use delassus_records::disk;
use delassus_records::key::of_bytes;
use delassus_report::export::{TypedColumn, TypedValues};

use super::super::failure::Failure;
use crate::record::CellRecord;
use crate::store::{impulses_name, impulses_of, write_atomic_with};

/// A table: an array per column, as long as there are rows. Gaps are NaN in numbers and empty
/// texts; counts and flags are whole numbers where every row has one, and numbers where one has
/// not.
pub(super) fn of_table(columns: Vec<TypedColumn>, rows: usize) -> Result<Vec<u8>, Failure> {
    let array = |column: TypedColumn| NamedArray {
        name: column.name.into(),
        shape: vec![rows],
        values: match column.values {
            TypedValues::Text(values) => {
                NpyValues::Text(values.into_iter().map(Option::unwrap_or_default).collect())
            }
            TypedValues::Whole(values) => wholes(values),
            TypedValues::Flag(values) => {
                wholes(values.into_iter().map(|v| v.map(i64::from)).collect())
            }
            TypedValues::Real(values) => {
                let number = |v: Option<f64>| v.unwrap_or(f64::NAN);
                NpyValues::F64(values.into_iter().map(number).collect())
            }
        },
    };
    let arrays: Vec<NamedArray> = columns.into_iter().map(array).collect();
    packed(&arrays)
}

fn wholes(values: Vec<Option<i64>>) -> NpyValues {
    if let Some(all) = values.iter().copied().collect::<Option<Vec<i64>>>() {
        return NpyValues::I64(all);
    }
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
    let number = |v: &Option<i64>| v.map_or(f64::NAN, |v| v as f64);
    NpyValues::F64(values.iter().map(number).collect())
}

/// Writes the final impulses of every cell that has some to `path`, under the key of the cell, one
/// cell after the other; returns the number of cells and of numbers.
pub(super) fn write_impulses(
    path: &Path,
    folder: &Path,
    records: &[CellRecord],
) -> Result<(usize, usize), Failure> {
    let mut counts = (0, 0);
    let mut refused = None;
    let written = write_atomic_with(path, |file| {
        let mut archive = ArchiveWriter::new(BufWriter::new(file));
        match put_impulses(&mut archive, folder, records, &mut counts) {
            Ok(()) => archive.finish().map_err(io::Error::other)?.flush(),
            Err(failure) => {
                refused = Some(failure);
                Err(io::ErrorKind::Other.into())
            }
        }
    });
    match (refused, written) {
        (Some(failure), _) => Err(failure),
        (None, Err(error)) => Err(Failure::unwritten(path, &error)),
        (None, Ok(())) => Ok(counts),
    }
}

fn put_impulses(
    archive: &mut ArchiveWriter<impl Write + Seek>,
    folder: &Path,
    records: &[CellRecord],
    (cells, numbers): &mut (usize, usize),
) -> Result<(), Failure> {
    let solved = |r: &&CellRecord| r.scheme().is_none() && !r.outcome.impulse_hash.is_empty();
    for record in records.iter().filter(solved) {
        let key = &record.key;
        let bytes = disk::read_in(folder, &impulses_name(key))
            .map_err(|error| Failure::run(format!("impulses of cell {key}: {error}")))?;
        let own = (of_bytes(&bytes) == record.outcome.impulse_hash).then(|| impulses_of(&bytes));
        let Some(impulses) = own.flatten() else {
            return Err(Failure::run(format!(
                "impulses of cell {key} are not those that the record has the hash of; `delassus fsck` says what is damaged"
            )));
        };
        *cells += 1;
        *numbers += impulses.len();
        let array = NamedArray {
            name: key.clone().into(),
            shape: vec![impulses.len()],
            values: NpyValues::F64(impulses),
        };
        archive
            .put(&array)
            .map_err(|error| Failure::Store(error.to_string()))?;
    }
    Ok(())
}

fn packed(arrays: &[NamedArray]) -> Result<Vec<u8>, Failure> {
    archive(arrays).map_err(|error| Failure::run(error.to_string()))
}

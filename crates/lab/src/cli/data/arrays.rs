//! Tables and impulses as NumPy archives.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};

use delassus_formats::npz::{ArchiveWriter, Element, NamedArray, NpyValues, NpzError, write_text};
use delassus_records::disk;
use delassus_records::key::of_bytes;
use delassus_report::export::{ColumnType, TypedValue};
use delassus_runner::unfit;

use super::super::failure::Failure;
use crate::record::CellRecord;
use crate::store::{Part, impulses_name, impulses_of};

/// The arrays of a table, one per column.
///
/// An archive has one array after the other, and a table comes row by row: the columns wait in
/// files of their own, which have no names and go with the program.
pub(super) struct Arrays(Vec<Column>);

/// A column that waits.
struct Column {
    name: String,
    kind: ColumnType,
    file: BufWriter<File>,
    /// True if a row has no value.
    has_gaps: bool,
    /// Characters of the longest text \[-\].
    characters: usize,
}

impl Arrays {
    /// Arrays of these columns without rows; the files wait in `folder`, which has room for as
    /// much.
    pub(super) fn begin(folder: &Path, columns: &[(String, ColumnType)]) -> io::Result<Self> {
        let column = |(name, kind): &(String, ColumnType)| -> io::Result<Column> {
            Ok(Column {
                name: name.clone(),
                kind: *kind,
                file: BufWriter::new(tempfile::tempfile_in(folder)?),
                has_gaps: false,
                characters: 0,
            })
        };
        let all = columns.iter().map(column).collect::<io::Result<_>>();
        all.map(Self)
    }

    /// Adds a row.
    pub(super) fn put(&mut self, row: &[Option<TypedValue<'_>>]) -> io::Result<()> {
        let mut columns = self.0.iter_mut().zip(row);
        columns.try_for_each(|(column, value)| column.put(*value))
    }

    /// Writes the archive; every array has as many elements as there are rows.
    pub(super) fn finish<W: Write + Seek>(self, file: W, rows: usize) -> io::Result<W> {
        let mut archive = ArchiveWriter::new(file);
        for column in self.0 {
            column.write(&mut archive, rows)?;
        }
        archive.finish().map_err(io::Error::other)
    }
}

impl Column {
    /// Gaps are NaN in numbers, empty texts, and zeros that [`Column::has_gaps`] marks.
    fn put(&mut self, value: Option<TypedValue<'_>>) -> io::Result<()> {
        self.has_gaps |= value.is_none();
        match (self.kind, value) {
            (ColumnType::Text, Some(TypedValue::Text(text))) => {
                self.characters = self.characters.max(text.chars().count());
                let length = u32::try_from(text.len()).unwrap_or(u32::MAX);
                self.file.write_all(&length.to_le_bytes())?;
                self.file.write_all(text.as_bytes())
            }
            (ColumnType::Text, _) => self.file.write_all(&0_u32.to_le_bytes()),
            (ColumnType::Real, Some(TypedValue::Real(x))) => self.file.write_all(&x.to_le_bytes()),
            (ColumnType::Real, _) => self.file.write_all(&f64::NAN.to_le_bytes()),
            (ColumnType::Whole | ColumnType::Flag, value) => {
                let whole = match value {
                    Some(TypedValue::Whole(whole)) => Some(whole),
                    Some(TypedValue::Flag(flag)) => Some(i64::from(flag)),
                    _ => None,
                };
                self.file.write_all(&[u8::from(whole.is_some())])?;
                self.file
                    .write_all(&whole.unwrap_or_default().to_le_bytes())
            }
        }
    }

    /// Writes the array: numbers are numbers, gaps are NaN in them and empty texts; counts and
    /// flags are whole numbers where every row has one, and numbers where one has not.
    fn write(self, archive: &mut ArchiveWriter<impl Write + Seek>, rows: usize) -> io::Result<()> {
        let mut file = self.file.into_inner().map_err(|error| error.into_error())?;
        file.rewind()?;
        let mut waiting = BufReader::new(file);
        let element = match (self.kind, self.has_gaps) {
            (ColumnType::Text, _) => Element::Text(self.characters.max(1)),
            (ColumnType::Whole | ColumnType::Flag, false) => Element::I64,
            (ColumnType::Real, _) | (_, true) => Element::F64,
        };
        let fill = |to: &mut dyn Write| -> io::Result<()> {
            for _ in 0..rows {
                match (self.kind, element) {
                    (_, Element::Text(characters)) => {
                        write_text(to, &text(&mut waiting)?, characters)?;
                    }
                    (ColumnType::Real, _) => to.write_all(&eight(&mut waiting)?)?,
                    (_, element) => to.write_all(&whole_number(&mut waiting, element)?)?,
                }
            }
            Ok(())
        };
        let written = archive.put_with(&self.name, element, &[rows], fill);
        written.map_err(io::Error::other)
    }
}

fn eight(waiting: &mut impl Read) -> io::Result<[u8; 8]> {
    let mut bytes = [0; 8];
    waiting.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn text(waiting: &mut impl Read) -> io::Result<String> {
    let mut length = [0; 4];
    waiting.read_exact(&mut length)?;
    let length = usize::try_from(u32::from_le_bytes(length)).unwrap_or(usize::MAX);
    let mut bytes = vec![0; length];
    waiting.read_exact(&mut bytes)?;
    String::from_utf8(bytes).map_err(io::Error::other)
}

/// The bytes of a count or a flag as such an element.
fn whole_number(waiting: &mut impl Read, element: Element) -> io::Result<[u8; 8]> {
    let mut there = [0];
    waiting.read_exact(&mut there)?;
    let bytes = eight(waiting)?;
    if element == Element::I64 {
        return Ok(bytes);
    }
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
    let number = match there {
        [0] => f64::NAN,
        _ => i64::from_le_bytes(bytes) as f64,
    };
    Ok(number.to_le_bytes())
}

/// The archive of the final impulses of every cell that has some, under the key of the cell.
pub(super) struct ImpulseFile {
    path: PathBuf,
    archive: ArchiveWriter<BufWriter<Part>>,
    cells: usize,
    numbers: usize,
}

impl ImpulseFile {
    /// Begins the archive in `folder`.
    pub(super) fn begin(folder: &Path) -> Result<Self, Failure> {
        let path = folder.join("impulses.npz");
        let part = Part::begin(&path).map_err(|error| Failure::unwritten(&path, &error))?;
        Ok(Self {
            path,
            archive: ArchiveWriter::new(BufWriter::new(part)),
            cells: 0,
            numbers: 0,
        })
    }

    /// Adds the impulses of a record of the results folder `results`, if it has some.
    pub(super) fn put(&mut self, results: &Path, record: &CellRecord) -> Result<(), Failure> {
        if record.scheme().is_some() || record.outcome.impulse_hash.is_empty() {
            return Ok(());
        }
        let key = &record.key;
        let name = impulses_name(key);
        let bytes = disk::read_in(results, &name);
        let bytes = bytes.map_err(|error| unfit::unread(results, &name, error))?;
        let own = (of_bytes(&bytes) == record.outcome.impulse_hash).then(|| impulses_of(&bytes));
        let Some(impulses) = own.flatten() else {
            let reason = "are not the impulses of the record: their hash differs";
            return Err(unfit::not_as_left(results, &name, reason).into());
        };
        self.cells += 1;
        self.numbers += impulses.len();
        let array = NamedArray {
            name: key.clone().into(),
            shape: vec![impulses.len()],
            values: NpyValues::F64(impulses),
        };
        let put = self.archive.put(&array);
        put.map_err(|error| unwritten(&self.path, error))
    }

    /// Writes what is left and gives the file its name; where it is, its cells and its numbers.
    pub(super) fn finish(self) -> Result<(PathBuf, usize, usize), Failure> {
        let Self { path, archive, .. } = self;
        let file = archive.finish().map_err(|error| unwritten(&path, error))?;
        let finished = whole(file).and_then(Part::finish);
        finished.map_err(|error| Failure::unwritten(&path, &error))?;
        Ok((path, self.cells, self.numbers))
    }
}

fn unwritten(path: &Path, error: NpzError) -> Failure {
    Failure::unwritten(path, &error)
}

/// The file behind a buffer, with all that the buffer holds.
pub(super) fn whole(mut file: BufWriter<Part>) -> io::Result<Part> {
    file.flush()?;
    file.into_inner().map_err(|error| error.into_error())
}

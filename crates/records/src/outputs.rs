//! The files that a report is made of: written where they change, listed, and taken away with the
//! figures and tables that they belong to.
//!
//! The list also has the checksum of every record, so that a record that is gone or replaced is
//! noticed, and a checksum of its own. Whoever changes the folder marks the list first: a folder
//! whose change was cut short says so, and vouches for nothing.

use std::collections::BTreeMap;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use delassus_core::parameter::in_words;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::disk;
pub use crate::disk::is_inside;
use crate::key;
use crate::store::{write_atomic, write_atomic_with, write_durable};

/// The list of the files that the last report wrote.
pub const LIST: &str = "outputs.json";

/// What changes a results folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Work {
    /// Cells, and all that is made from them.
    Run,
    /// Figures, tables and the page.
    Report,
}

/// Content of [`LIST`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct List {
    /// Hash of everything that the files were made from; empty if that is not known.
    of: String,
    /// What has begun to change the folder and has not ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    under_way: Option<Work>,
    files: BTreeMap<String, Written>,
    /// The checksums of the records that the run left, by their keys.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    cells: BTreeMap<String, String>,
    /// SHA-256 of this list without it, hexadecimal; older lists have none.
    #[serde(default)]
    sum: String,
}

impl List {
    /// The list in `bytes`, with the right checksum or none.
    fn parse(bytes: &[u8]) -> io::Result<Self> {
        let parsed = serde_json::from_slice(bytes);
        let words = |error: serde_json::Error| match error.is_eof() {
            true => "its end is missing".to_owned(),
            false => in_words(&error),
        };
        let list: Self =
            parsed.map_err(|error| io::Error::new(io::ErrorKind::InvalidData, words(error)))?;
        let wrong = |what: &str| Err(io::Error::new(io::ErrorKind::InvalidData, what));
        // older lists have none
        if list.sum.is_empty() {
            return Ok(list);
        }
        match list.own_sum()? == list.sum {
            false => wrong("its checksum is wrong"),
            true if list.clone().bytes()? != bytes => wrong("it has letters that no run writes"),
            true => Ok(list),
        }
    }

    fn own_sum(&self) -> io::Result<String> {
        let bare = Self {
            sum: String::new(),
            ..self.clone()
        };
        Ok(key::of_bytes(&serde_json::to_vec(&bare)?))
    }

    /// The bytes of its file.
    fn bytes(mut self) -> io::Result<Vec<u8>> {
        self.sum = self.own_sum()?;
        let mut text = serde_json::to_vec_pretty(&self)?;
        text.push(b'\n');
        Ok(text)
    }
}

/// What was written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Written {
    bytes: u64,
    sha256: String,
}

impl Written {
    /// True if the file `name` of the folder is still as it was written.
    fn is_in(&self, dir: &Path, name: &str) -> bool {
        disk::is_as_listed(dir, name, self.bytes, &self.sha256).unwrap_or(false)
    }
}

/// Writes the files of one report into a results folder.
#[derive(Debug)]
pub struct Outputs<'d> {
    dir: &'d Path,
    work: Work,
    former: List,
    files: BTreeMap<String, Written>,
    /// The records that a run leaves; a report has those of the run before it.
    cells: BTreeMap<String, String>,
    is_marked: bool,
    /// True for a report where a run was cut short, which it does not end.
    is_cut: bool,
}

impl<'d> Outputs<'d> {
    /// Begins a report in `dir`, made by `work`.
    pub fn begin(dir: &'d Path, work: Work) -> Self {
        let former = read(dir);
        let unfinished = former.under_way == Some(Work::Run) || !dir.join(LIST).exists();
        Self {
            dir,
            work,
            is_cut: work == Work::Report && unfinished,
            files: BTreeMap::new(),
            cells: former.cells.clone(),
            former,
            is_marked: false,
        }
    }

    /// Begins a report in a folder that has no cells.
    pub fn begin_apart(dir: &'d Path) -> Self {
        Self {
            is_cut: false,
            ..Self::begin(dir, Work::Report)
        }
    }

    /// Lists the records that the run leaves: their checksums by their keys.
    pub fn set_cells(&mut self, cells: BTreeMap<String, String>) {
        self.cells = cells;
    }

    /// Marks the folder before its first change.
    fn mark(&mut self) -> io::Result<()> {
        if !self.is_marked {
            mark(self.dir, self.work)?;
            self.is_marked = true;
        }
        Ok(())
    }

    /// Where the file of this name is.
    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    /// Writes a file unless it is there already, byte for byte. Its name is a path with `/` inside
    /// the folder.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn put(&mut self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let written = Written {
            bytes: bytes.len() as u64,
            sha256: key::of_bytes(bytes),
        };
        self.place(name, written, |path| write_atomic(path, bytes))
    }

    /// The same for a file that is too large to be in memory: `fill` writes it in pieces, to
    /// nowhere for its hash, and once more where it has changed.
    ///
    /// # Errors
    /// The file cannot be written; what `fill` fails with.
    pub fn put_with(
        &mut self,
        name: &str,
        fill: impl Fn(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut summed = Summed::default();
        fill(&mut summed)?;
        let written = Written {
            bytes: summed.bytes,
            sha256: key::hex(&summed.hasher.finalize()),
        };
        self.place(name, written, |path| {
            write_atomic_with(path, |file| {
                let mut file = BufWriter::new(file);
                fill(&mut file)?;
                file.flush()
            })
        })
    }

    /// Lists a file, and writes it first unless it is there already.
    fn place(
        &mut self,
        name: &str,
        written: Written,
        write: impl FnOnce(&Path) -> io::Result<()>,
    ) -> io::Result<()> {
        if !written.is_in(self.dir, name) {
            disk::check_way(self.dir, name)?;
            self.mark()?;
            write(&self.path(name))?;
        }
        self.files.insert(name.to_owned(), written);
        Ok(())
    }

    /// The files that were put so far, with their hashes.
    pub fn files(&self) -> impl Iterator<Item = (&str, &str)> {
        let files = self.files.iter();
        files.map(|(name, written)| (name.as_str(), written.sha256.as_str()))
    }

    /// Removes a file that the report before wrote, unless somebody has changed it since.
    ///
    /// # Errors
    /// The list cannot be written.
    pub fn take_away(&mut self, name: &str) -> io::Result<()> {
        if let Some(written) = self.former.files.remove(name) {
            self.mark()?;
            remove(self.dir, name, &written);
        }
        Ok(())
    }

    /// Removes the figures and tables that the report before wrote and this one did not, and lists
    /// what there is now.
    ///
    /// `of` is the hash of everything that the files were made from; see [`are_current`].
    ///
    /// # Errors
    /// The list cannot be written.
    pub fn finish(mut self, of: &str) -> io::Result<()> {
        let former = self.former.files.clone();
        for (name, written) in std::mem::take(&mut self.former.files) {
            if self.files.contains_key(&name) {
                continue;
            }
            match is_view(&name) {
                true => {
                    self.mark()?;
                    remove(self.dir, &name, &written);
                }
                // a report without a run leaves what the run wrote
                false => drop(self.files.insert(name, written)),
            }
        }
        // a report that has changed nothing leaves what is known
        let known = self.work == Work::Report && self.files == former;
        let of = if known { &self.former.of } else { of };
        let list = List {
            of: of.to_owned(),
            under_way: self.is_cut.then_some(Work::Run),
            files: self.files,
            cells: self.cells,
            sum: String::new(),
        };
        write_atomic(&self.dir.join(LIST), &list.bytes()?)
    }
}

/// Counts and hashes what is written, and keeps none of it.
#[derive(Default)]
struct Summed {
    bytes: u64,
    hasher: Sha256,
}

impl Write for Summed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes += bytes.len() as u64;
        self.hasher.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Says in the list of `dir`, if there is one, that `work` changes the folder from now on.
///
/// The mark is forced to the disk, as what it precedes may be.
///
/// # Errors
/// The list cannot be written.
pub fn mark(dir: &Path, work: Work) -> io::Result<()> {
    let path = dir.join(LIST);
    let mut list = read(dir);
    if list.under_way == Some(Work::Run) || list.under_way == Some(work) || !path.exists() {
        return Ok(());
    }
    list.under_way = Some(work);
    if work == Work::Run {
        list.of.clear();
        list.cells.clear();
    }
    write_durable(&path, &list.bytes()?)
}

/// True if the files of the last report were made from what has the hash `of`, and are there as it
/// wrote them.
pub fn are_current(dir: &Path, of: &str) -> bool {
    let list = read(dir);
    let there = |(name, written): (&String, &Written)| written.is_in(dir, name);
    let is_whole = list.under_way.is_none() && !list.sum.is_empty();
    is_whole && list.of == of && !list.files.is_empty() && list.files.iter().all(there)
}

/// What the list of a folder says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FolderListing {
    /// Hash of everything that the files were made from; empty if that is not known.
    pub of: String,
    /// The files that the last report wrote, with their bytes and hashes.
    pub files: BTreeMap<String, (u64, String)>,
    /// The checksums of the records that the last run left, by their keys.
    pub cells: BTreeMap<String, String>,
    /// What has begun to change the folder and has not ended.
    pub under_way: Option<Work>,
    /// True if it has a checksum; lists of older programs have none.
    pub has_sum: bool,
}

/// What the list in `dir` says; the reason if it cannot be read.
///
/// # Errors
/// There is none, or it is damaged.
pub fn listed(dir: &Path) -> io::Result<FolderListing> {
    let list = List::parse(&disk::read_in(dir, LIST)?)?;
    let files = list.files.into_iter();
    Ok(FolderListing {
        of: list.of,
        files: files
            .map(|(name, written)| (name, (written.bytes, written.sha256)))
            .collect(),
        cells: list.cells,
        under_way: list.under_way,
        has_sum: !list.sum.is_empty(),
    })
}

/// The list in `dir` as bytes, as if the file `name` had been written with other content, which the
/// files were not made from.
///
/// # Errors
/// There is no list, or none that can be read.
pub fn with_other(dir: &Path, name: &str, content: &[u8]) -> io::Result<Vec<u8>> {
    let mut list = List::parse(&disk::read_in(dir, LIST)?)?;
    let written = Written {
        bytes: content.len() as u64,
        sha256: key::of_bytes(content),
    };
    list.files.insert(name.to_owned(), written);
    list.of.clear();
    list.bytes()
}

/// The list in `bytes` with its checksum computed anew, for tests of what the checksum hides.
///
/// # Errors
/// The bytes are no list.
pub fn sealed(bytes: &[u8]) -> io::Result<Vec<u8>> {
    serde_json::from_slice::<List>(bytes)?.bytes()
}

/// The list in a folder; nothing if there is none that can be read.
fn read(dir: &Path) -> List {
    let text = disk::read_in(dir, LIST).unwrap_or_default();
    List::parse(&text).unwrap_or_default()
}

/// True for the files of figures and tables: nothing that came from elsewhere may lead out of their
/// folders.
fn is_view(name: &str) -> bool {
    let file = ["figures/", "tables/"].map(|folder| name.strip_prefix(folder));
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let mut files = file.into_iter().flatten();
    files.any(|file| !file.starts_with('.') && file.chars().all(plain))
}

/// Removes a file that is still what was written; what somebody has changed since is theirs.
fn remove(dir: &Path, name: &str, written: &Written) {
    if written.is_in(dir, name) {
        // one that stays does no harm
        let _ = disk::remove(&dir.join(name));
    }
}

#[cfg(test)]
mod tests;

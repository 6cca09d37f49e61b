//! The files that a report is made of: written where they change, listed, and taken away with the figures and tables that
//! they belong to.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::disk;
pub use crate::disk::is_inside;
use crate::key;
use crate::store::write_atomic;

/// The list of the files that the last report wrote.
pub const LIST: &str = "outputs.json";

/// Content of [`LIST`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct List {
    /// Hash of everything that the files were made from; empty if that is not known.
    of: String,
    files: BTreeMap<String, Written>,
}

/// What was written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Written {
    bytes: u64,
    sha256: String,
}

/// Writes the files of one report into a results folder.
#[derive(Debug)]
pub struct Outputs<'d> {
    dir: &'d Path,
    former: List,
    files: BTreeMap<String, Written>,
}

impl<'d> Outputs<'d> {
    /// Begins a report in `dir`.
    pub fn begin(dir: &'d Path) -> Self {
        Self {
            dir,
            former: read(dir),
            files: BTreeMap::new(),
        }
    }

    /// Where the file of this name is.
    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    /// Writes a file unless it is there already, byte for byte. Its name is a path with `/` inside the folder.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn put(&mut self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let written = Written {
            bytes: bytes.len() as u64,
            sha256: key::of_bytes(bytes),
        };
        let listed = (written.bytes, &*written.sha256);
        if !disk::is_as_listed(self.dir, name, listed).unwrap_or(false) {
            disk::check_way(self.dir, name)?;
            write_atomic(&self.path(name), bytes)?;
        }
        self.files.insert(name.to_owned(), written);
        Ok(())
    }

    /// Removes a file that the report before wrote, unless somebody has changed it since.
    pub fn take_away(&mut self, name: &str) {
        if let Some(written) = self.former.files.remove(name) {
            remove(self.dir, name, &written);
        }
    }

    /// Removes the figures and tables that the report before wrote and this one did not, and lists what there is now.
    ///
    /// `of` is the hash of everything that the files were made from; see [`are_current`].
    ///
    /// # Errors
    /// The list cannot be written.
    pub fn finish(mut self, of: &str) -> io::Result<()> {
        for (name, written) in std::mem::take(&mut self.former.files) {
            if self.files.contains_key(&name) {
                continue;
            }
            match is_view(&name) {
                true => remove(self.dir, &name, &written),
                // a report without a run leaves what the run wrote
                false => drop(self.files.insert(name, written)),
            }
        }
        let list = List {
            of: of.to_owned(),
            files: self.files,
        };
        let mut text = serde_json::to_vec_pretty(&list)?;
        text.push(b'\n');
        write_atomic(&self.dir.join(LIST), &text)
    }
}

/// True if the files of the last report were made from what has the hash `of`, and all of them are there.
pub fn are_current(dir: &Path, of: &str) -> bool {
    let list = read(dir);
    let there = |(name, written): (&String, &Written)| {
        let facts = fs::symlink_metadata(dir.join(name));
        facts.is_ok_and(|facts| facts.is_file() && facts.len() == written.bytes)
    };
    list.of == of && !list.files.is_empty() && list.files.iter().all(there)
}

/// The files that the last report wrote, by name, with their bytes and hashes; the reason if the list cannot be read.
///
/// # Errors
/// There is none, or it is damaged.
pub fn listed(dir: &Path) -> io::Result<BTreeMap<String, (u64, String)>> {
    let list: List = serde_json::from_slice(&disk::read(&dir.join(LIST))?)?;
    let files = list.files.into_iter();
    Ok(files
        .map(|(name, written)| (name, (written.bytes, written.sha256)))
        .collect())
}

/// The list in `dir` as bytes, as if the file `name` had been written with other content, which the
/// files were not made from.
///
/// # Errors
/// There is no list, or none that can be read.
pub fn with_other(dir: &Path, name: &str, content: &[u8]) -> io::Result<Vec<u8>> {
    let mut list: List = serde_json::from_slice(&disk::read(&dir.join(LIST))?)?;
    let written = Written {
        bytes: content.len() as u64,
        sha256: key::of_bytes(content),
    };
    list.files.insert(name.to_owned(), written);
    list.of.clear();
    let mut text = serde_json::to_vec_pretty(&list)?;
    text.push(b'\n');
    Ok(text)
}

/// The list in a folder; nothing if there is none that can be read.
fn read(dir: &Path) -> List {
    let text = disk::read(&dir.join(LIST)).unwrap_or_default();
    serde_json::from_slice(&text).unwrap_or_default()
}

/// True for the files of figures and tables: nothing that came from elsewhere may lead out of their folders.
fn is_view(name: &str) -> bool {
    let file = ["figures/", "tables/"].map(|folder| name.strip_prefix(folder));
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let mut files = file.into_iter().flatten();
    files.any(|file| !file.starts_with('.') && file.chars().all(plain))
}

/// Removes a file that is still what was written; what somebody has changed since is theirs.
fn remove(dir: &Path, name: &str, written: &Written) {
    let listed = (written.bytes, &*written.sha256);
    if disk::is_as_listed(dir, name, listed).unwrap_or(false) {
        // one that stays does no harm
        let _ = disk::remove(&dir.join(name));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(dir: &Path, files: &[(&str, &str)], of: &str) {
        let mut outputs = Outputs::begin(dir);
        for (name, text) in files {
            outputs.put(name, text.as_bytes()).unwrap();
        }
        outputs.finish(of).unwrap();
    }

    #[test]
    fn a_renamed_figure_goes_and_what_is_the_users_stays() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path();
        let first = [
            ("records.csv", "r"),
            ("figures/old.svg", "o"),
            ("figures/edited.svg", "e"),
            ("figures/kept.svg", "k"),
        ];
        report(dir, &first, "1");
        fs::write(dir.join("figures/edited.svg"), "E").unwrap();
        fs::write(dir.join("figures/mine.svg"), "m").unwrap();
        report(
            dir,
            &[("figures/kept.svg", "k"), ("tables/t.csv", "t")],
            "2",
        );
        let there = |name: &str| dir.join(name).exists();
        assert!(!there("figures/old.svg"));
        for name in [
            "records.csv",
            "figures/edited.svg",
            "figures/mine.svg",
            "figures/kept.svg",
            "tables/t.csv",
        ] {
            assert!(there(name), "{name}");
        }
        // what the report before the last wrote is still known
        assert!(read(dir).files.contains_key("records.csv"));
    }

    #[test]
    fn nothing_leads_out_of_the_folder() {
        for name in [
            "figures/../x",
            "../figures/x.svg",
            "figures/a/b.svg",
            "/figures/x.svg",
            "report.html",
            "figures/.x",
            "figures\\x",
        ] {
            assert!(!is_view(name), "{name}");
        }
        assert!(is_view("figures/a-b_1.svg") && is_view("tables/x.csv"));
    }

    #[test]
    fn a_report_is_current_while_its_source_and_its_files_are() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path();
        assert!(!are_current(dir, ""));
        report(dir, &[("a", "1"), ("figures/b", "2")], "source");
        assert!(are_current(dir, "source") && !are_current(dir, "another"));
        fs::write(dir.join("a"), "12").unwrap();
        assert!(!are_current(dir, "source"), "another length");
        report(dir, &[("a", "1"), ("figures/b", "2")], "source");
        fs::remove_file(dir.join("figures/b")).unwrap();
        assert!(!are_current(dir, "source"), "a missing file");
        fs::write(dir.join(LIST), "{").unwrap();
        assert!(!are_current(dir, "source"), "a damaged list");
    }

    #[test]
    fn equal_files_are_not_written_again() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path();
        report(dir, &[("a", "1")], "");
        let before = fs::metadata(dir.join("a")).unwrap();
        let mut permissions = before.permissions();
        permissions.set_readonly(true);
        fs::set_permissions(dir.join("a"), permissions).unwrap();
        report(dir, &[("a", "1")], "");
        // a new file in its place would have the permissions of any new file
        assert!(
            fs::metadata(dir.join("a"))
                .unwrap()
                .permissions()
                .readonly()
        );
        report(dir, &[("a", "2")], "");
        assert!(
            !fs::metadata(dir.join("a"))
                .unwrap()
                .permissions()
                .readonly()
        );
    }
}

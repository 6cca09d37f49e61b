//! The files that quoted numbers stand in: tables, figures, records and summary of a results
//! folder.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};

use delassus_findings::{CellQuery, Sheet};

/// Why there is no value.
#[derive(Debug)]
pub(crate) enum Missing {
    /// The run did not have it: its files are not shipped.
    Row(String),
    Other(String),
}

impl From<String> for Missing {
    fn from(why: String) -> Self {
        Self::Other(why)
    }
}

/// The files of one experiment that have been read.
#[derive(Debug)]
pub(crate) struct Results {
    folder: PathBuf,
    sheets: BTreeMap<PathBuf, Sheet>,
}

impl Results {
    /// Results in a folder; those of another spec of the experiment stand next to it.
    pub(crate) fn new(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            sheets: BTreeMap::new(),
        }
    }

    /// The folder of results and the file in it.
    fn path(&self, source: &str) -> PathBuf {
        let (kind, id) = source.split_once(' ').unwrap_or((source, ""));
        let (folder, id) = match id.split_once('/') {
            Some((spec, id)) => {
                let name = self
                    .folder
                    .file_name()
                    .unwrap_or_default()
                    .to_string_lossy();
                (self.folder.with_file_name(format!("{name}-{spec}")), id)
            }
            None => (self.folder.clone(), id),
        };
        match kind {
            "table" => folder.join(format!("tables/{id}.csv")),
            "figure" => folder.join(format!("figures/{id}.csv")),
            other => folder.join(format!("{other}.csv")),
        }
    }

    fn sheet(&mut self, source: &str) -> Result<&Sheet, String> {
        let path = self.path(source);
        if !self.sheets.contains_key(&path) {
            let file = File::open(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            let sheet =
                Sheet::read(file).map_err(|error| format!("{}: {error}", path.display()))?;
            self.sheets.insert(path.clone(), sheet);
        }
        Ok(&self.sheets[&path])
    }

    /// The lowest and the highest value that a mark asks for; `None` where the cell has no number.
    pub(crate) fn value(&mut self, query: &CellQuery) -> Result<Option<(f64, f64)>, Missing> {
        let sheet = self.sheet(&query.source)?;
        sheet
            .find(query)
            .map(|found| found.value)
            .map_err(Missing::Row)
    }
}

//! The files that quoted numbers stand in: tables, figures, records and summary of a results folder.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::mark::{Query, Take};

/// A CSV file in memory.
#[derive(Debug)]
struct Sheet {
    columns: Vec<String>,
    rows: Vec<csv::StringRecord>,
}

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
    /// Results in a folder; those of another spec of the experiment stand beside it.
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
            let fail = |error: csv::Error| format!("{}: {error}", path.display());
            let mut reader = csv::Reader::from_path(&path).map_err(fail)?;
            let columns = reader.headers().map_err(fail)?.iter().map(str::to_owned);
            let columns = columns.collect();
            let rows: Result<Vec<_>, _> = reader.records().collect();
            let rows = rows.map_err(fail)?;
            self.sheets.insert(path.clone(), Sheet { columns, rows });
        }
        Ok(&self.sheets[&path])
    }

    /// The lowest and the highest value that a mark asks for; `None` where the cell has no number.
    pub(crate) fn value(&mut self, query: &Query) -> Result<Option<(f64, f64)>, Missing> {
        let sheet = self.sheet(&query.source)?;
        let index = |name: &str| {
            let found = sheet.columns.iter().position(|column| column == name);
            let columns = &sheet.columns;
            found.ok_or_else(|| {
                Missing::Row(format!("{query}: no column {name:?} among {columns:?}"))
            })
        };
        let column = index(&query.column)?;
        let conditions: Result<Vec<(usize, &str)>, Missing> = query
            .conditions
            .iter()
            .map(|(name, text)| Ok((index(name)?, text.as_str())))
            .collect();
        let conditions = conditions?;
        let fits =
            |row: &&csv::StringRecord| conditions.iter().all(|(at, text)| like(&row[*at], text));
        let rows: Vec<&csv::StringRecord> = sheet.rows.iter().filter(fits).collect();
        if rows.is_empty() {
            return Err(Missing::Row(format!("{query}: no such row")));
        }
        let values = rows
            .iter()
            .filter_map(|row| row[column].parse::<f64>().ok());
        let values: Vec<f64> = values.collect();
        let by_size = |a: &f64, b: &f64| a.abs().total_cmp(&b.abs());
        let one = |value: Option<f64>| value.map(|value| (value, value));
        Ok(match query.take {
            Take::Largest => one(values.iter().copied().max_by(by_size)),
            Take::Smallest => one(values.iter().copied().min_by(by_size)),
            #[expect(clippy::cast_precision_loss, reason = "a few rows")]
            Take::Number => one(Some(values.len() as f64)),
            Take::All if values.len() < rows.len() => None,
            Take::All => {
                let low = values.iter().copied().reduce(f64::min);
                low.zip(values.iter().copied().reduce(f64::max))
            }
        })
    }
}

/// True if the text is the pattern, in which * stands for anything.
fn like(text: &str, pattern: &str) -> bool {
    match pattern.split_once('*') {
        None => text == pattern,
        Some((start, rest)) => text.strip_prefix(start).is_some_and(|text| {
            let mut ends = text.char_indices().map(|(at, _)| at).chain([text.len()]);
            ends.any(|at| like(&text[at..], rest))
        }),
    }
}

#[test]
fn patterns() {
    assert!(like("tip mass_ratio=10", "tip*") && like("a", "a") && like("abc", "*b*"));
    assert!(!like("tip", "chain*") && !like("abc", "ab") && like("ab", "ab*"));
}

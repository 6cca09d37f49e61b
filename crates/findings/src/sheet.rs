//! A CSV file in memory, and the rows of it that a mark asks for.

use std::io::Read;

use crate::mark::{CellQuery, Take};

/// A CSV file in memory.
#[derive(Debug)]
pub struct Sheet {
    columns: Vec<String>,
    rows: Vec<csv::StringRecord>,
}

/// What a mark asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct MarkMatch {
    /// The lowest and the highest value; `None` where a cell has no number.
    pub value: Option<(f64, f64)>,
    /// The column of the values.
    pub column: usize,
    /// The row of the value; `None` where it is of several.
    pub row: Option<usize>,
}

impl Sheet {
    /// Reads a file.
    ///
    /// # Errors
    /// It is no CSV, or cannot be read.
    pub fn read(file: impl Read) -> Result<Self, csv::Error> {
        let mut reader = csv::Reader::from_reader(file);
        let columns = reader.headers()?.iter().map(str::to_owned).collect();
        let rows = reader.records().collect::<Result<_, _>>()?;
        Ok(Self { columns, rows })
    }

    /// What a mark asks for.
    ///
    /// # Errors
    /// A column or row that is not there.
    pub fn find(&self, query: &CellQuery) -> Result<MarkMatch, String> {
        let index = |name: &str| {
            let found = self.columns.iter().position(|column| column == name);
            let columns = &self.columns;
            found.ok_or_else(|| format!("{query}: no column {name:?} among {columns:?}"))
        };
        let column = index(&query.column)?;
        let conditions: Result<Vec<(usize, &str)>, String> = query
            .conditions
            .iter()
            .map(|(name, text)| Ok((index(name)?, text.as_str())))
            .collect();
        let conditions = conditions?;
        let fits =
            |row: &csv::StringRecord| conditions.iter().all(|(at, text)| like(&row[*at], text));
        let rows = self.rows.iter().enumerate().filter(|(_, row)| fits(row));
        let rows: Vec<(usize, Option<f64>)> = rows
            .map(|(at, row)| (at, row[column].parse::<f64>().ok()))
            .collect();
        if rows.is_empty() {
            return Err(format!("{query}: no such row"));
        }
        Ok(taken(&rows, query.take, column))
    }
}

fn taken(rows: &[(usize, Option<f64>)], take: Take, column: usize) -> MarkMatch {
    let values = || rows.iter().filter_map(|(at, value)| Some((*at, (*value)?)));
    let by_size = |a: &(usize, f64), b: &(usize, f64)| a.1.abs().total_cmp(&b.1.abs());
    let one = |found: Option<(usize, f64)>| MarkMatch {
        value: found.map(|(_, value)| (value, value)),
        column,
        row: found.map(|(at, _)| at),
    };
    let of_all = |value: Option<(f64, f64)>| MarkMatch {
        value,
        column,
        row: (rows.len() == 1).then(|| rows[0].0),
    };
    match take {
        Take::Largest => one(values().max_by(by_size)),
        Take::Smallest => one(values().min_by(by_size)),
        Take::Number => {
            let number: f64 = values().map(|_| 1.0).sum();
            of_all(Some((number, number)))
        }
        Take::All if values().count() < rows.len() => of_all(None),
        Take::All => {
            let low = values().map(|(_, value)| value).reduce(f64::min);
            let high = values().map(|(_, value)| value).reduce(f64::max);
            of_all(low.zip(high))
        }
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

//! Marks that tell which cell of which table a number of a README is: HTML comments, which nobody
//! sees.
//!
//! ```text
//! 77<!-- table drift; scene = chain; Baumgarte sweeps=16, pgs; in 1e-3 -->
//! 2.6 to 3.2<!-- range; table drift; scene = tip*; direct substeps=1, dense-direct -->
//! 1.0·10⁻⁴<!-- table rates; largest of relative difference [-] -->
//! ```
//!
//! A comment that begins with "measured there" stands next to times of a machine, which are not
//! compared.
//!
//! The parts: how the number compares ("range", "at most", "at least"; equal if left out); where it
//! stands ("table ID", "figure ID", "records" or "summary", with "SPEC/" in front of the id for
//! another spec of the folder); conditions "COLUMN = TEXT" on its row, where * stands for anything;
//! its column, or "largest of", "smallest of" (magnitudes) or "number of" it; and what the number
//! counts in. A Markdown table has one mark for all of its cells, in front of it:
//!
//! ```text
//! <!-- grid; table drift; in 1e-3
//! rows scene: chain; tip mass_ratio=1
//! columns: Baumgarte sweeps=16, pgs; AVBD iterations=8
//! -->
//!
//! <!-- grid; records
//! rows scene / scheme: chain / on; -; chain / off
//! columns frame: 241; 481
//! value: natural_map
//! -->
//! ```
//!
//! Its rows and columns are columns of the file, or conditions on one or several; a hyphen is not
//! compared.

use std::fmt;
use std::ops::Range;

use crate::number::{self, Quoted};

/// Which value of which file.
#[derive(Debug, Clone, PartialEq)]
pub struct CellQuery {
    /// "table drift", "figure work", "records", "summary".
    pub source: String,
    /// Columns and what stands in them in the rows that fit; * stands for anything.
    pub conditions: Vec<(String, String)>,
    /// What is taken of those rows.
    pub take: Take,
    /// The column of the value.
    pub column: String,
}

/// What is taken of the rows that fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Take {
    /// All values, from the lowest to the highest; equal to one number only if they are.
    All,
    /// The value of largest magnitude.
    Largest,
    /// The value of smallest magnitude.
    Smallest,
    /// How many there are.
    Number,
}

const TAKES: [(Take, &str); 3] = [
    (Take::Largest, "largest of "),
    (Take::Smallest, "smallest of "),
    (Take::Number, "number of "),
];

impl fmt::Display for CellQuery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.source)?;
        for (column, text) in &self.conditions {
            write!(f, "; {column} = {text}")?;
        }
        let take = TAKES.iter().find(|(take, _)| *take == self.take);
        write!(f, "; {}{}", take.map_or("", |(_, text)| text), self.column)
    }
}

/// How a quoted number compares with the value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compare {
    /// It rounds to the number.
    Equal,
    /// It lies in a range.
    Range,
    /// It is not larger.
    AtMost,
    /// It is not smaller.
    AtLeast,
}

/// A number of a README with its mark.
#[derive(Debug, Clone, PartialEq)]
pub struct Quote {
    /// Where the value stands.
    pub query: CellQuery,
    /// How it compares.
    pub compare: Compare,
    /// What the number counts in.
    pub unit: f64,
    /// `None` for a dash: there is no value.
    pub number: Option<Quoted>,
    /// Line of the mark, from 1.
    pub line: usize,
    /// Where the number stands in the text, in bytes; nothing for a dash.
    pub at: Range<usize>,
}

impl Quote {
    /// Why the quoted number is not this value; nothing if it is.
    pub fn objection(&self, value: Option<(f64, f64)>) -> Option<String> {
        let (quoted, (low, high)) = match (self.number, value) {
            (None, None) => return None,
            (None, Some(value)) => return Some(format!("a dash, but there is {value:?}")),
            (Some(quoted), None) => return Some(format!("{quoted:?}, but there is no value")),
            (Some(quoted), Some(value)) => (quoted, value),
        };
        let (a, b) = (low / self.unit, high / self.unit);
        let (low, high) = (a.min(b), a.max(b));
        // halves may be rounded either way
        let slack = 1e-9 * quoted.low.abs().max(quoted.high.abs());
        let above = low >= quoted.low - slack;
        let below = high <= quoted.high + slack;
        let fits = match self.compare {
            Compare::Equal | Compare::Range => above && below,
            Compare::AtMost => below,
            Compare::AtLeast => above,
        };
        (!fits).then(|| format!("{quoted:?} ({:?}), but it is {low} to {high}", self.compare))
    }
}

/// All marked numbers of a README.
///
/// # Errors
/// The line of a mark that cannot be read, with what is wrong with it.
pub fn quotes(text: &str) -> Result<Vec<Quote>, String> {
    let mut all = Vec::new();
    let mut rest = 0;
    while let Some(found) = text[rest..].find("<!--") {
        let start = rest + found;
        let line = text[..start].matches('\n').count() + 1;
        let end = text[start..]
            .find("-->")
            .ok_or(format!("line {line}: no end"))?;
        let mark = text[start + 4..start + end].trim();
        rest = start + end + 3;
        let at = |why: String| format!("line {line}: {why} in {mark:?}");
        if mark.starts_with("measured there") {
            continue;
        }
        if let Some(grid) = mark.strip_prefix("grid;") {
            all.extend(of_grid(grid, text, rest, line).map_err(at)?);
        } else {
            all.push(of_number(mark, &text[..start], line).map_err(at)?);
        }
    }
    Ok(all)
}

fn of_number(mark: &str, before: &str, line: usize) -> Result<Quote, String> {
    let (compare, mark) = compare(mark);
    let (source, conditions, column, unit) = parts(mark, true)?;
    let column = column.ok_or("no column")?;
    let range = compare == Compare::Range;
    let (start, number) = number::at_end(before, range).ok_or("no number in front")?;
    let (take, column) = take(&column);
    let query = CellQuery {
        source,
        conditions,
        take,
        column,
    };
    Ok(Quote {
        query,
        compare,
        unit,
        number: Some(number),
        line,
        at: start..before.len(),
    })
}

fn compare(mark: &str) -> (Compare, &str) {
    let words = [
        ("range;", Compare::Range),
        ("at most;", Compare::AtMost),
        ("at least;", Compare::AtLeast),
    ];
    let found = words
        .iter()
        .find_map(|(word, compare)| Some((*compare, mark.strip_prefix(word)?)));
    found.unwrap_or((Compare::Equal, mark))
}

fn take(column: &str) -> (Take, String) {
    let found = TAKES
        .iter()
        .find_map(|(take, text)| Some((*take, column.strip_prefix(text)?)));
    let (take, column) = found.unwrap_or((Take::All, column));
    (take, column.to_owned())
}

/// Source, conditions, column and unit.
type Parts = (String, Vec<(String, String)>, Option<String>, f64);

/// Takes a mark apart; the last part is a column where there is `to_be` one, whatever it contains.
fn parts(mark: &str, to_be: bool) -> Result<Parts, String> {
    let mut items: Vec<&str> = mark.split(';').map(str::trim).collect();
    let source = items.remove(0).to_owned();
    let known = ["table ", "figure "]
        .iter()
        .any(|kind| source.starts_with(kind));
    if !known && source != "records" && source != "summary" {
        return Err(format!(
            "{source:?} is no table, figure, records or summary"
        ));
    }
    let mut unit = 1.0;
    if let Some(factor) = items.last().and_then(|last| last.strip_prefix("in ")) {
        unit = factor
            .parse()
            .map_err(|_| format!("{factor:?} is no unit"))?;
        items.pop();
    }
    let column = if to_be {
        items.pop().map(str::to_owned)
    } else {
        None
    };
    let condition = |item: &str| {
        let (column, text) = item
            .split_once(" = ")
            .ok_or(format!("{item:?} is no condition"))?;
        Ok((column.to_owned(), text.to_owned()))
    };
    let conditions: Result<Vec<_>, String> = items.into_iter().map(condition).collect();
    Ok((source, conditions?, column, unit))
}

/// An axis of a grid.
struct GridAxis {
    /// The column that the names select rows by; `None` where the names are columns.
    by: Option<String>,
    names: Vec<String>,
}

/// What the mark of a grid says behind its first line.
struct GridMark {
    rows: GridAxis,
    columns: GridAxis,
    value: Option<String>,
}

impl GridMark {
    fn read<'t>(lines: impl Iterator<Item = &'t str>) -> Result<Self, String> {
        let (mut rows, mut columns, mut value) = (None, None, None);
        for said in lines.filter(|said| !said.is_empty()) {
            let (head, names) = said.split_once(':').ok_or("no colon")?;
            let (kind, by) = match head.split_once(' ') {
                Some((kind, by)) => (kind, Some(by.to_owned())),
                None => (head, None),
            };
            let axis = || GridAxis {
                by,
                names: (names.split(';').map(|name| name.trim().to_owned())).collect(),
            };
            match kind {
                "value" => value = Some(said["value:".len()..].trim().to_owned()),
                "rows" => rows = Some(axis()),
                "columns" => columns = Some(axis()),
                _ => return Err(format!("{kind:?} is neither rows nor columns")),
            }
        }
        Ok(Self {
            rows: rows.ok_or("no rows")?,
            columns: columns.ok_or("no columns")?,
            value,
        })
    }

    /// Conditions and column of a cell.
    fn cell(&self, row: &str, column: &str) -> (Vec<(String, String)>, Option<String>) {
        let (mut conditions, mut value) = (Vec::new(), self.value.clone());
        for (axis, name) in [(&self.rows, row), (&self.columns, column)] {
            match &axis.by {
                Some(by) => {
                    let pairs = by.split(" / ").zip(name.split(" / "));
                    conditions.extend(pairs.map(|(by, name)| (by.to_owned(), name.to_owned())));
                }
                None => value = Some(name.to_owned()),
            }
        }
        (conditions, value)
    }
}

fn of_grid(mark: &str, text: &str, after: usize, line: usize) -> Result<Vec<Quote>, String> {
    let mut lines = mark.lines().map(str::trim);
    let (source, conditions, _, unit) = parts(lines.next().unwrap_or_default(), false)?;
    let grid = GridMark::read(lines)?;
    let (rows, columns) = (&grid.rows.names, &grid.columns.names);
    let body = body(text, after);
    if body.len() != rows.len() || body.iter().any(|row| row.len() != columns.len()) {
        return Err(format!("the table has {} rows", body.len()));
    }
    let mut all = Vec::new();
    for (row, cells) in rows.iter().zip(&body) {
        for (column, place) in columns.iter().zip(cells) {
            // a name that is left out stands for a column of the table that is not checked
            if row == "-" || column == "-" {
                continue;
            }
            let cell = &text[place.clone()];
            let range = cell.contains(" to ");
            let number = number::at_end(cell, range);
            if number.is_none() && !matches!(cell, "–" | "") {
                return Err(format!("{cell:?} is no number"));
            }
            let (own, value) = grid.cell(row, column);
            let (take, column) = take(&value.ok_or("no column")?);
            all.push(Quote {
                query: CellQuery {
                    source: source.clone(),
                    conditions: conditions.iter().cloned().chain(own).collect(),
                    take,
                    column,
                },
                compare: match range {
                    true => Compare::Range,
                    false => Compare::Equal,
                },
                unit,
                at: number.map_or(0..0, |(start, _)| place.start + start..place.end),
                number: number.map(|(_, number)| number),
                line,
            });
        }
    }
    Ok(all)
}

/// Places of the cells of the Markdown table that begins behind `after`, without its heading and
/// the names of its rows.
fn body(text: &str, after: usize) -> Vec<Vec<Range<usize>>> {
    let blank = text[after..].len() - text[after..].trim_start().len();
    let mut start = after + blank;
    let mut rows = Vec::new();
    for line in text[start..].split_inclusive('\n') {
        if !line.starts_with('|') {
            break;
        }
        rows.push(cells(line, start));
        start += line.len();
    }
    rows.drain(..rows.len().min(2));
    rows
}

/// Places of the cells of a line that begins at `start`, without the first.
fn cells(line: &str, start: usize) -> Vec<Range<usize>> {
    let inner = line.trim_end();
    let inner = inner.strip_suffix('|').unwrap_or(inner);
    // the bar in front, which every line of a table has here
    let mut at = start + 1;
    let mut places = Vec::new();
    for cell in inner.get(1..).unwrap_or_default().split('|') {
        let begin = at + cell.len() - cell.trim_start().len();
        places.push(begin..begin + cell.trim().len());
        at += cell.len() + 1;
    }
    places.drain(..1);
    places
}

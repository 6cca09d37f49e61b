//! How wide the columns of a table on paper are, where their texts are broken into lines, and where
//! a table that is longer than a page is divided.

use crate::tables::notation::PrintedTable;
use crate::tables::{Cell, CellValue, Table};

/// Characters of a line of text in the size of tables.
const LINE: usize = 84;
/// Characters that the space between two columns takes, of a table with few columns and with many.
const SPACE: [usize; 2] = [3, 2];
/// Columns of a table that has little space between them.
const MANY_COLUMNS: usize = 6;
/// Characters of a line of a text where there is no room.
const NARROW: usize = 14;
/// Characters that a line of a heading has, where no cell of its column has more.
const HEADING: usize = 12;
/// Lines of a page that rows take; headings, caption and notes take the others.
const PAGE: usize = 40;
/// Lines that the space around a section takes.
const SECTION: usize = 2;

/// A column of the table that is printed.
#[derive(Debug)]
pub(super) struct TexColumn {
    /// Its place in the table.
    pub(super) index: usize,
    pub(super) numeric: bool,
    /// Characters that a line of a text in it has at most.
    pub(super) most: usize,
}

/// The columns that say something, as wide as they fit beside each other.
pub(super) fn columns(table: &Table, printed: &PrintedTable) -> Vec<TexColumn> {
    let rows = || table.sections.iter().flat_map(|section| &section.rows);
    let says = |column: &usize| {
        let mut cells = rows().filter_map(|row| row.get(*column));
        rows().next().is_none() || cells.any(|cell| !cell.shown().is_empty())
    };
    let shown = (0..table.columns.len()).filter(says);
    let mut columns: Vec<TexColumn> = shown
        .map(|index| TexColumn {
            index,
            numeric: table.columns[index].numeric,
            most: LINE,
        })
        .collect();
    let room = LINE.saturating_sub(SPACE[usize::from(is_tight(columns.len()))] * columns.len());
    let mut widths: Vec<usize> = columns.iter().map(|c| width(table, printed, c)).collect();
    let mut narrow = vec![false; columns.len()];
    while widths.iter().sum::<usize>() > room {
        let open = (0..columns.len()).filter(|at| !narrow[*at]);
        let Some(at) = open.max_by_key(|at| (widths[*at], columns.len() - at)) else {
            break;
        };
        let column = &mut columns[at];
        column.most = (widths[at].min(column.most)).saturating_sub(1);
        narrow[at] = column.most <= NARROW;
        column.most = column.most.max(NARROW);
        widths[at] = width(table, printed, column);
    }
    columns
}

/// True for a table whose columns have little space between them.
pub(super) fn is_tight(columns: usize) -> bool {
    columns > MANY_COLUMNS
}

/// Characters of the widest line of a column.
fn width(table: &Table, printed: &PrintedTable, column: &TexColumn) -> usize {
    let cells = characters(&widest(table, printed, column));
    let heading = heading(table, printed, column);
    let heading = heading.iter().map(|line| characters(line)).max();
    cells.max(heading.unwrap_or(0))
}

fn characters(text: &str) -> usize {
    text.chars().count()
}

/// The widest line among the cells of a column.
pub(super) fn widest(table: &Table, printed: &PrintedTable, column: &TexColumn) -> String {
    let lines = cells(table, column.index).flat_map(|(section, cell)| {
        let text = printed.cell(section, column.index, cell);
        match is_text(cell) {
            true => lines(&text, column.most),
            false => vec![text],
        }
    });
    let widest = lines.max_by_key(|line| characters(line));
    widest.unwrap_or_default()
}

/// The cells of a column, with the number of their section.
fn cells(table: &Table, column: usize) -> impl Iterator<Item = (usize, &Cell)> {
    let sections = table.sections.iter().enumerate();
    sections.flat_map(move |(at, section)| {
        let rows = section.rows.iter();
        rows.filter_map(move |row| Some((at, row.get(column)?)))
    })
}

/// True for a cell whose text may be broken into lines.
pub(super) fn is_text(cell: &Cell) -> bool {
    matches!(cell.content, CellValue::Text(_) | CellValue::Ending(_))
}

/// The lines of a heading: about as long as the cells below.
pub(super) fn heading(table: &Table, printed: &PrintedTable, column: &TexColumn) -> Vec<String> {
    let most = characters(&widest(table, printed, column)).max(HEADING);
    lines(printed.heading(column.index), most)
}

/// Rows of sections, as they stand on a page: the section, and from which to which of its rows.
pub(super) type Part = Vec<(usize, std::ops::Range<usize>)>;

/// Lines of a page that rows take: more where the table is wider than a line of text, and so set
/// smaller.
fn page_lines(table: &Table, printed: &PrintedTable, columns: &[TexColumn]) -> usize {
    let widths = columns.iter().map(|column| width(table, printed, column));
    let space = SPACE[usize::from(is_tight(columns.len()))] * columns.len();
    let whole = widths.sum::<usize>() + space;
    PAGE * whole.max(LINE) / LINE
}

/// The rows of each page.
pub(super) fn parts(table: &Table, printed: &PrintedTable, columns: &[TexColumn]) -> Vec<Part> {
    let height = |section: usize, row: &[Cell]| {
        let heights = columns.iter().filter_map(|column| {
            let cell = row.get(column.index).filter(|cell| is_text(cell))?;
            let text = printed.cell(section, column.index, cell);
            Some(lines(&text, column.most).len())
        });
        heights.max().unwrap_or(1)
    };
    let page = page_lines(table, printed, columns);
    let mut parts: Vec<Part> = Vec::new();
    let mut left = 0;
    for (index, section) in table.sections.iter().enumerate() {
        let mut is_open = false;
        for (at, row) in section.rows.iter().enumerate() {
            let own = height(index, row) + if is_open { 0 } else { SECTION };
            if own > left || parts.is_empty() {
                parts.push(Vec::new());
                left = page;
                is_open = false;
            }
            left = left.saturating_sub(own);
            let Some(part) = parts.last_mut() else {
                continue;
            };
            match part.last_mut().filter(|_| is_open) {
                Some((_, rows)) => rows.end = at + 1,
                None => part.push((index, at..at + 1)),
            }
            is_open = true;
        }
    }
    parts
}

/// The words of a text in lines of at most so many characters. What belongs together stays on a
/// line, as `p = 0.1`, and a longer word is broken behind a sign, or anywhere if it has none.
pub(super) fn lines(text: &str, most: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for (glue, piece) in pieces(text, most.max(1)) {
        let line = lines.last_mut().filter(|line| {
            line.is_empty() || characters(line) + glue.len() + characters(&piece) <= most
        });
        match line {
            Some(line) if line.is_empty() => *line = piece,
            Some(line) => {
                line.push_str(glue);
                line.push_str(&piece);
            }
            None => lines.push(piece),
        }
    }
    lines
}

/// Signs that are not the end of a line, with the words beside them.
const BINDING: [&str; 3] = ["=", "/", "±"];
/// Signs behind which a long word may be broken.
const BREAKS: [char; 9] = ['-', '_', '/', '(', ',', '=', ':', '.', '@'];

/// The pieces of a text between which a line may end, with what stands before each on a line.
fn pieces(text: &str, most: usize) -> Vec<(&'static str, String)> {
    let mut words: Vec<String> = Vec::new();
    let mut binds = false;
    for word in text.split(' ') {
        let is_sign = BINDING.contains(&word);
        match words.last_mut().filter(|_| binds || is_sign) {
            Some(last) => {
                last.push(' ');
                last.push_str(word);
            }
            None => words.push(word.to_owned()),
        }
        binds = is_sign;
    }
    let mut pieces = Vec::new();
    for word in words {
        let mut glue = " ";
        if characters(&word) <= most {
            pieces.push((glue, word));
            continue;
        }
        let mut piece = String::new();
        for c in word.chars() {
            if characters(&piece) == most {
                pieces.push((std::mem::take(&mut glue), std::mem::take(&mut piece)));
            }
            piece.push(c);
            if BREAKS.contains(&c) || c == ' ' {
                pieces.push((std::mem::take(&mut glue), std::mem::take(&mut piece)));
            }
        }
        pieces.extend((!piece.is_empty()).then_some((glue, piece)));
    }
    pieces
}

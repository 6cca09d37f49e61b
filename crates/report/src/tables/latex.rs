//! Tables for LaTeX: `booktabs`, the best values bold, what failed counted, a caption that says how
//! much there is.

use std::fmt::Write as _;

use crate::tex::{breakable, escape, label, number, sentence};

use super::notation::{PrintedTable, without_one};
use super::output::is_good;
use super::{Cell, CellValue, Table};

/// Rows that a table on paper has.
const MOST_ROWS: usize = 60;
/// Characters beyond which a text is broken into lines.
const LONG_TEXT: usize = 40;
/// Characters that a line of a heading has, where no cell of its column has more.
const HEADING: usize = 12;
/// Columns of a table that has little space between them.
const MANY_COLUMNS: usize = 6;

/// The table as the environment `table`, to be read with `\input`; needs the packages `booktabs`
/// and `graphicx`.
///
/// Columns without content are left out. Where cells have no value, the last row counts them. A
/// table that is wider than a line is set smaller, so that it is as wide as the line.
pub fn to_latex(table: &Table, name: &str, caption: &str) -> String {
    let rows = || table.sections.iter().flat_map(|section| &section.rows);
    let says = |column: &usize| {
        let mut cells = rows().filter_map(|row| row.get(*column));
        cells.any(|cell| !cell.shown().is_empty())
    };
    let total = rows().count();
    let mut columns: Vec<usize> = (0..table.columns.len()).collect();
    columns.retain(|column| total == 0 || says(column));
    let printed = PrintedTable::of(table);
    let mut tex = begin(table, &columns, name, &caption_of(table, caption, total));
    let headings = columns.iter().map(|i| heading(table, &printed, *i));
    line(&mut tex, headings);
    let long: Vec<bool> = (0..table.columns.len())
        .map(|column| is_long(table, column))
        .collect();
    let mut left = MOST_ROWS;
    for (index, section) in table.sections.iter().enumerate() {
        if left == 0 || section.rows.is_empty() {
            continue;
        }
        tex.push_str("    \\midrule\n");
        if !section.title.is_empty() {
            let title = escape(&without_one(&section.title));
            let count = columns.len();
            let _ = writeln!(
                tex,
                "    \\multicolumn{{{count}}}{{@{{}}l}}{{\\emph{{{title}}}}} \\\\"
            );
        }
        for row in section.rows.iter().take(left) {
            let texts = columns.iter().map(|i| match row.get(*i) {
                Some(found) => cell(found, &printed.cell(index, *i, found), long[*i]),
                None => String::new(),
            });
            line(&mut tex, texts);
        }
        left = left.saturating_sub(section.rows.len());
    }
    if let Some(counts) = failures(table, &columns) {
        tex.push_str("    \\midrule\n");
        line(&mut tex, counts.into_iter());
    }
    tex.push_str("    \\bottomrule\n  \\end{tabular}}\n");
    for note in &table.notes {
        let _ = writeln!(tex, "  \\par\\smallskip {}", sentence(&without_one(note)));
    }
    tex.push_str("\\end{table}\n");
    tex
}

/// The table up to its headings.
fn begin(table: &Table, columns: &[usize], name: &str, caption: &str) -> String {
    let mut tex = format!(
        "% needs \\usepackage{{booktabs,graphicx}}\n\\begin{{table}}\n  \\centering\n  \\footnotesize\n  \
         \\caption{{{caption}}}\n  \\label{{tab:{}}}\n",
        label(name),
    );
    if columns.len() > MANY_COLUMNS {
        tex.push_str("  \\setlength{\\tabcolsep}{4pt}\n");
    }
    let forms = columns.iter().map(|i| form(table, *i, columns.len()));
    let _ = writeln!(
        tex,
        "  \\resizebox{{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}}{{!}}{{%\n  \
         \\begin{{tabular}}{{{}}}\n    \\toprule",
        forms.collect::<String>()
    );
    tex
}

/// What the spec says of the table, how many rows it has, and which of them are not printed.
fn caption_of(table: &Table, caption: &str, total: usize) -> String {
    let mut text = sentence(caption.trim());
    let without = table.sections.iter().flat_map(|section| &section.rows);
    let without = without
        .filter(|row| {
            let mut cells = row.iter().zip(&table.columns);
            // a text says in words what it lacks
            cells.any(|(cell, column)| column.numeric && !has_value(cell))
        })
        .count();
    let plural = if total == 1 { "" } else { "s" };
    let _ = write!(text, " {total} row{plural}");
    if without > 0 {
        let _ = write!(text, ", {without} with a method that did not get there");
    }
    text.push('.');
    if total > MOST_ROWS {
        let _ = write!(
            text,
            " The first {MOST_ROWS} rows are shown; all are in the data."
        );
    }
    text.trim_start().to_owned()
}

fn has_value(cell: &Cell) -> bool {
    match &cell.content {
        CellValue::Ending(ending) => is_good(ending),
        CellValue::Empty => cell.failed == 0,
        _ => true,
    }
}

/// Characters of the longest text of a column.
fn longest(table: &Table, column: usize, text: impl Fn(usize, &Cell) -> String) -> usize {
    let sections = table.sections.iter().enumerate();
    let cells = sections.flat_map(|(at, section)| {
        let rows = section.rows.iter();
        rows.filter_map(move |row| Some((at, row.get(column)?)))
    });
    let lengths = cells.map(|(at, cell)| text(at, cell).chars().count());
    lengths.max().unwrap_or(0)
}

/// True for a column whose texts are broken into lines.
fn is_long(table: &Table, column: usize) -> bool {
    !table.columns[column].numeric && longest(table, column, |_, cell| cell.shown()) > LONG_TEXT
}

/// How a column of so many is set: numbers to the right, long texts in lines.
fn form(table: &Table, column: usize, columns: usize) -> &'static str {
    match (table.columns[column].numeric, is_long(table, column)) {
        (true, _) => "r",
        (_, true) if columns < 3 => "p{0.6\\linewidth}",
        (_, true) => "p{0.3\\linewidth}",
        _ => "l",
    }
}

/// A heading, in lines that are about as long as the cells below.
fn heading(table: &Table, printed: &PrintedTable, column: usize) -> String {
    let text = printed.heading(column);
    let numeric = table.columns[column].numeric;
    let widest = longest(table, column, |at, cell| printed.cell(at, column, cell));
    let lines: Vec<String> = match is_long(table, column) {
        // the column breaks its lines itself
        true => vec![escape(text)],
        false => lines(text, widest.max(HEADING))
            .iter()
            .map(|l| escape(l))
            .collect(),
    };
    let side = if numeric { "r" } else { "l" };
    let text = match lines.as_slice() {
        [one] => one.clone(),
        all => format!(
            "\\begin{{tabular}}[b]{{@{{}}{side}@{{}}}}{}\\end{{tabular}}",
            all.join("\\\\")
        ),
    };
    match numeric {
        true => format!("\\multicolumn{{1}}{{r}}{{{text}}}"),
        false => text,
    }
}

/// The words of a text in lines of at most so many characters, longer words alone.
fn lines(text: &str, most: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().filter(|line| {
            let length = line.chars().count();
            length == 0 || length + 1 + word.chars().count() <= most
        });
        match line {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) => {
                line.push(' ');
                line.push_str(word);
            }
            None => lines.push(word.to_owned()),
        }
    }
    lines
}

/// A cell whose text is `text` for people; a long one may be broken within its words.
fn cell(cell: &Cell, text: &str, long: bool) -> String {
    let text = match &cell.content {
        // a number, two ends, a share or a count in brackets
        CellValue::Number(_) | CellValue::Count(_) | CellValue::Interval(_) => {
            let words: Vec<String> = text.split(' ').map(number).collect();
            words.join(" ")
        }
        _ if long => breakable(text),
        _ => escape(text),
    };
    match cell.best {
        // powers of ten are set in mathematics, which \textbf does not reach
        true => format!("{{\\boldmath\\textbf{{{text}}}}}"),
        false => text,
    }
}

/// A last row with the number of cells of each column that have no value; none where all have.
fn failures(table: &Table, columns: &[usize]) -> Option<Vec<String>> {
    let failed = |column: &usize| {
        let rows = table.sections.iter().flat_map(|section| &section.rows);
        let cells = rows.filter_map(|row| row.get(*column));
        let numeric = table.columns[*column].numeric;
        cells.filter(|cell| numeric && !has_value(cell)).count()
    };
    let counts: Vec<usize> = columns.iter().map(failed).collect();
    let (first, _) = (columns.first()?, counts.iter().find(|count| **count > 0)?);
    let mut texts: Vec<String> = counts
        .iter()
        .map(|count| match count {
            0 => String::new(),
            count => format!("–({count})"),
        })
        .collect();
    if !table.columns[*first].numeric {
        texts[0] = "without a value".to_owned();
    }
    Some(texts)
}

fn line(tex: &mut String, cells: impl Iterator<Item = String>) {
    let cells: Vec<String> = cells.collect();
    let _ = writeln!(tex, "    {} \\\\", cells.join(" & "));
}

#[cfg(test)]
mod tests;

//! Tables for LaTeX: `booktabs`, the best values bold, what failed counted, a caption that says how
//! much there is.

use std::fmt::Write as _;

use crate::tex::{escape, label, number, sentence};

use super::notation::{PrintedTable, with_failures, without_one};
use super::output::is_good;
use super::{Cell, CellValue, Table};

/// Rows that a table on paper has.
const MOST_ROWS: usize = 60;
/// Characters beyond which a text is broken into lines.
const LONG_TEXT: usize = 40;

/// The table as the environment `table`, to be read with `\input`; needs the package `booktabs`.
///
/// Columns without content are left out. Where cells have no value, the last row counts them.
pub fn to_latex(table: &Table, name: &str, caption: &str) -> String {
    let rows = || table.sections.iter().flat_map(|section| &section.rows);
    let says = |column: &usize| {
        let mut cells = rows().filter_map(|row| row.get(*column));
        cells.any(|cell| !cell.shown().is_empty())
    };
    let total = rows().count();
    let mut columns: Vec<usize> = (0..table.columns.len()).collect();
    columns.retain(|column| total == 0 || says(column));
    let mut tex = format!(
        "% needs \\usepackage{{booktabs}}\n\\begin{{table}}\n  \\centering\n  \\footnotesize\n  \\caption{{{}}}\n  \
         \\label{{tab:{}}}\n  \\begin{{tabular}}{{{}}}\n    \\toprule\n",
        caption_of(table, caption, total),
        label(name),
        columns.iter().map(|i| form(table, *i)).collect::<String>(),
    );
    let printed = PrintedTable::of(table);
    let headings = columns.iter().map(|i| {
        let numeric = table.columns[*i].numeric;
        heading(printed.heading(*i), numeric)
    });
    line(&mut tex, headings);
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
                Some(found) => {
                    let numeric = table.columns[*i].numeric;
                    cell(found, &printed.cell(index, *i, found), numeric)
                }
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
    tex.push_str("    \\bottomrule\n  \\end{tabular}\n");
    for note in &table.notes {
        let _ = writeln!(tex, "  \\par\\smallskip {}", sentence(&without_one(note)));
    }
    tex.push_str("\\end{table}\n");
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
        let _ = write!(text, ", {without} with a method that did not get there (–)");
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

/// How a column is set: numbers to the right, long texts in lines.
fn form(table: &Table, column: usize) -> String {
    if table.columns[column].numeric {
        return "r".to_owned();
    }
    let rows = table.sections.iter().flat_map(|section| &section.rows);
    let lengths = rows.filter_map(|row| row.get(column));
    let longest = lengths.map(|cell| cell.shown().chars().count()).max();
    match longest {
        Some(long) if long > LONG_TEXT => "p{0.3\\linewidth}".to_owned(),
        _ => "l".to_owned(),
    }
}

fn heading(text: &str, numeric: bool) -> String {
    let text = escape(text);
    if numeric {
        format!("\\multicolumn{{1}}{{r}}{{{text}}}")
    } else {
        text
    }
}

/// A cell whose text is `text` for people.
fn cell(cell: &Cell, text: &str, numeric: bool) -> String {
    let text = match &cell.content {
        CellValue::Ending(_) if numeric && !has_value(cell) => {
            with_failures("–".to_owned(), cell.failed)
        }
        // a number, two ends, a share or a count in brackets
        CellValue::Number(_) | CellValue::Count(_) | CellValue::Interval(_) => {
            let words: Vec<String> = text.split(' ').map(number).collect();
            words.join(" ")
        }
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

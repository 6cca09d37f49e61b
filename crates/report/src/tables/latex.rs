//! Tables for LaTeX: `booktabs`, the best values bold, what failed counted, a caption that says how
//! much there is.

mod layout;

use std::fmt::Write as _;

use crate::tex::{escape, label, number, sentence};

use super::notation::{PrintedTable, without_one};
use super::output::is_good;
use super::{Cell, CellValue, Table};
use layout::{Part, TexColumn, is_text, is_tight, lines};

/// Pages that a table on paper has.
const MOST_PARTS: usize = 12;

/// The table as environments `table`, to be read with `\input`; needs the packages `booktabs` and
/// `graphicx`.
///
/// Columns without content are left out. Where cells have no value, the last row counts them. A
/// table that is longer than a page has several environments with one number, each with the
/// headings. Texts are broken into lines so that the table is as wide as a line; what is still
/// wider is set smaller.
pub fn to_latex(table: &Table, name: &str, caption: &str) -> String {
    let printed = PrintedTable::of(table);
    let page = Page {
        columns: layout::columns(table, &printed),
        table,
        printed,
    };
    let mut parts = layout::parts(table, &page.printed, &page.columns);
    if parts.is_empty() {
        parts.push(Part::new());
    }
    let all = parts.len();
    parts.truncate(MOST_PARTS);
    let printed = parts.iter().flatten();
    let printed = printed.flat_map(|(at, rows)| &table.sections[*at].rows[rows.clone()]);
    let shown = Table::counted_rows(printed);
    let mut tex = "% needs \\usepackage{booktabs,graphicx}\n".to_owned();
    let count = parts.len();
    for (at, part) in parts.iter().enumerate() {
        tex.push_str("\\begin{table}\n  \\centering\n  \\footnotesize\n  \\setlength{\\belowcaptionskip}{6pt}\n");
        match at {
            0 => {
                let caption = caption_of(table, caption, (all > count).then_some(shown));
                let label = label(name);
                let _ = writeln!(tex, "  \\caption{{{caption}}}\n  \\label{{tab:{label}}}");
            }
            _ => {
                let part = at + 1;
                let _ = writeln!(
                    tex,
                    "  \\addtocounter{{table}}{{-1}}\n  \\caption[]{{Continued, {part} of {count}.}}"
                );
            }
        }
        let is_last = at + 1 == count;
        page.body(&mut tex, part, is_last, count > 1);
        if is_last {
            for note in &table.notes {
                let _ = writeln!(tex, "  \\par\\smallskip {}", sentence(&without_one(note)));
            }
        }
        tex.push_str("\\end{table}\n");
    }
    tex
}

/// A table with the columns that are printed.
struct Page<'t> {
    table: &'t Table,
    printed: PrintedTable,
    columns: Vec<TexColumn>,
}

impl Page<'_> {
    /// Headings and rows of a part. The widths of all parts are equal where there are several.
    fn body(&self, tex: &mut String, part: &Part, is_last: bool, has_parts: bool) {
        let Self {
            table,
            printed,
            columns,
        } = self;
        if is_tight(columns.len()) {
            tex.push_str("  \\setlength{\\tabcolsep}{4pt}\n");
        }
        let forms = columns.iter().map(|column| side(column.numeric));
        let _ = writeln!(
            tex,
            "  \\resizebox{{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}}{{!}}{{%\n  \
             \\begin{{tabular}}{{{}}}\n    \\toprule",
            forms.collect::<String>()
        );
        line(tex, columns.iter().map(|column| self.heading(column)));
        for (section, rows) in part {
            tex.push_str("    \\midrule\n");
            let section = (*section, &table.sections[*section]);
            if !section.1.title.is_empty() {
                let title = escape(&without_one(&section.1.title));
                let count = columns.len();
                let _ = writeln!(
                    tex,
                    "    \\multicolumn{{{count}}}{{@{{}}l}}{{\\emph{{{title}}}}} \\\\"
                );
            }
            for row in &section.1.rows[rows.clone()] {
                let texts = columns.iter().map(|column| match row.get(column.index) {
                    Some(found) => {
                        cell(found, &printed.cell(section.0, column.index, found), column)
                    }
                    None => String::new(),
                });
                line(tex, texts);
            }
        }
        if let Some(counts) = failures(table, columns).filter(|_| is_last) {
            tex.push_str("    \\midrule\n");
            line(tex, counts.into_iter());
        }
        if has_parts {
            let widest = columns
                .iter()
                .map(|column| layout::widest(table, printed, column));
            let widest: Vec<String> = widest
                .map(|text| format!("\\hphantom{{{}}}", escape(&text)))
                .collect();
            let _ = writeln!(tex, "    {} \\\\[-\\baselineskip]", widest.join(" & "));
        }
        tex.push_str("    \\bottomrule\n  \\end{tabular}}\n");
    }

    /// A heading, in lines that are about as long as the cells below.
    fn heading(&self, column: &TexColumn) -> String {
        let lines = layout::heading(self.table, &self.printed, column);
        let text = stacked(&lines, 'b', column.numeric);
        match column.numeric {
            true => format!("\\multicolumn{{1}}{{r}}{{{text}}}"),
            false => text,
        }
    }
}

/// On which side texts stand: numbers to the right.
fn side(numeric: bool) -> char {
    if numeric { 'r' } else { 'l' }
}

/// Lines above each other, the last one (`b`) or the first one (`t`) on the line of the row.
fn stacked(lines: &[String], place: char, numeric: bool) -> String {
    let set: Vec<String> = lines.iter().map(|line| escape(line)).collect();
    match set.as_slice() {
        [one] => one.clone(),
        all => format!(
            "\\begin{{tabular}}[{place}]{{@{{}}{}@{{}}}}{}\\end{{tabular}}",
            side(numeric),
            all.join("\\\\")
        ),
    }
}

/// What the spec says of the table, how many rows it has, and how many of them are printed if these
/// are not all.
fn caption_of(table: &Table, caption: &str, shown: Option<usize>) -> String {
    let mut text = sentence(caption.trim());
    let rows = || table.sections.iter().flat_map(|section| &section.rows);
    let total = Table::counted_rows(rows());
    let without = rows()
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
    if let Some(shown) = shown {
        let _ = write!(
            text,
            " The first {shown} rows are shown; all are in the data."
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

/// A cell whose text is `text` for people, in lines if it is long.
fn cell(cell: &Cell, text: &str, column: &TexColumn) -> String {
    let text = match is_text(cell) {
        true => stacked(&lines(text, column.most), 't', column.numeric),
        // a number, two ends, a share or a count in brackets
        false => {
            let words: Vec<String> = text.split(' ').map(number).collect();
            words.join(" ")
        }
    };
    match cell.best {
        // powers of ten are set in mathematics, which \textbf does not reach
        true => format!("{{\\boldmath\\textbf{{{text}}}}}"),
        false => text,
    }
}

/// A last row with the number of cells of each column that have no value; none where all have.
fn failures(table: &Table, columns: &[TexColumn]) -> Option<Vec<String>> {
    let failed = |column: &TexColumn| {
        let rows = table.sections.iter().flat_map(|section| &section.rows);
        let cells = rows.filter_map(|row| row.get(column.index));
        cells
            .filter(|cell| column.numeric && !has_value(cell))
            .count()
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
    if !first.numeric {
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

//! Tables as CSV and HTML.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use delassus_core::Status;

use crate::analysis::interval;
use crate::export::inert;
use crate::record::{ENDED, TIMED};
use crate::text::escape;

use super::notation::{PrintedTable, without_one};
use super::{Cell, CellValue, Section, Table};

/// The column of what is to be said of a cell.
pub(super) const REMARK: &str = "remark";
/// Columns of what only some tables have.
const ASIDES: [&str; 4] = [
    interval::HEADING,
    REMARK,
    "smallest residual [-]",
    "reached by",
];
/// Rows beyond which a table is higher than its window on the page.
const TALL: usize = 24;
/// Characters beyond which a text may be broken into lines.
const LONG_TEXT: usize = 44;

/// The table as CSV: a heading, one line per row, numbers with all their digits, fields quoted
/// where needed.
///
/// The section's title is the first column where the table has sections. Texts that a spreadsheet
/// would take for a formula start with an apostrophe.
pub fn to_csv(table: &Table) -> String {
    let sections = table.sections.iter().any(|s| !s.title.is_empty());
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut write = |fields: Vec<String>| {
        // writing to memory does not fail
        let _ = writer.write_record(&fields);
    };
    let mut heading: Vec<String> = Vec::new();
    if sections {
        heading.push("section".to_owned());
    }
    heading.extend(table.columns.iter().map(|c| inert(&c.title)));
    write(heading);
    for section in &table.sections {
        for row in &section.rows {
            let mut fields = Vec::with_capacity(row.len() + 1);
            if sections {
                fields.push(inert(&section.title));
            }
            fields.extend(row.iter().map(csv_field));
            write(fields);
        }
    }
    let bytes = writer.into_inner().unwrap_or_default();
    String::from_utf8(bytes).unwrap_or_default()
}

/// The table as rows of texts for a terminal, the headings first; sections run on without their
/// titles.
pub fn to_text(table: &Table) -> Vec<Vec<String>> {
    let printed = PrintedTable::of(table);
    let mut lines = vec![printed.headings().map(str::to_owned).collect()];
    for (at, section) in table.sections.iter().enumerate() {
        let texts = |row: &Vec<Cell>| {
            let cells = row.iter().enumerate();
            cells
                .map(|(column, cell)| printed.cell(at, column, cell))
                .collect()
        };
        lines.extend(section.rows.iter().map(texts));
    }
    lines
}

fn csv_field(cell: &Cell) -> String {
    match &cell.content {
        CellValue::Empty => String::new(),
        CellValue::Text(text) => inert(text),
        CellValue::Count(value) => value.to_string(),
        CellValue::Number(value) => format!("{value:?}"),
        CellValue::Interval(found) => interval::shown(found),
        CellValue::Ending(ending) => ending.clone(),
    }
}

/// How a table stands on a page.
#[derive(Debug, Clone, Copy)]
pub struct OnPage<'a> {
    /// Rows at most.
    pub most: usize,
    /// What it is called, for readers who do not see it.
    pub name: &'a str,
    /// The file with all of its rows.
    pub file: &'a str,
    /// What the identifiers of its cells begin with.
    pub anchor: &'a str,
    /// Rows and columns of the cells that a link leads to; rows are counted through all sections.
    pub linked: &'a BTreeSet<(usize, usize)>,
}

impl OnPage<'_> {
    /// Identifier of a cell.
    pub fn cell(anchor: &str, row: usize, column: usize) -> String {
        format!("{anchor}-r{}-c{}", row + 1, column + 1)
    }
}

/// The table as HTML.
pub fn to_html(table: &Table, page: OnPage<'_>) -> String {
    let mut html = format!(
        "<div class=\"edges\"><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{}\"><table>\n<thead><tr>",
        escape(page.name)
    );
    let printed = PrintedTable::of(table);
    let empty = empty_asides(table);
    for (index, (column, heading)) in table.columns.iter().zip(printed.headings()).enumerate() {
        if empty.contains(&index) {
            continue;
        }
        let class = if column.numeric { " class=\"n\"" } else { "" };
        let _ = write!(
            html,
            "<th scope=\"col\"{class}>{}</th>",
            unbroken(&escape(heading))
        );
    }
    html.push_str("</tr></thead>\n");
    let mut at = 0;
    for (index, section) in table.sections.iter().enumerate() {
        if at < page.most {
            let texts = |column: usize, cell: &Cell| printed.cell(index, column, cell);
            html_section(&mut html, table, &empty, section, at, page, texts);
        }
        at += section.rows.len();
    }
    html.push_str("</table></div></div>\n");
    if at > page.most {
        let _ = writeln!(
            html,
            "<p class=\"note\">The first {} of {at} rows; all are in the <a href=\"{}\">CSV file</a>.</p>",
            page.most,
            escape(page.file)
        );
    } else if at > TALL {
        let _ = writeln!(
            html,
            "<p class=\"note still\">{at} rows: scroll inside the table.</p>"
        );
    }
    for note in &table.notes {
        let _ = writeln!(html, "<p class=\"note\">{}</p>", coded(&without_one(note)));
    }
    html
}

/// The columns of [`ASIDES`] without any: the page leaves them out, and the files have them.
fn empty_asides(table: &Table) -> Vec<usize> {
    let is_empty = |cell: &Cell| match &cell.content {
        CellValue::Empty => cell.failed == 0,
        CellValue::Text(text) => text.is_empty(),
        _ => false,
    };
    let rows = || table.sections.iter().flat_map(|section| &section.rows);
    let columns = table.columns.iter().enumerate();
    let asides = columns.filter(|(_, c)| ASIDES.contains(&c.title.as_str()));
    let asides = asides.map(|(index, _)| index);
    asides
        .filter(|index| rows().all(|row| row.get(*index).is_none_or(is_empty)))
        .collect()
}

/// The rows of one section, whose first is the `first`th of the table; `text` makes what people
/// read of the cell of a column.
fn html_section(
    html: &mut String,
    table: &Table,
    empty: &[usize],
    section: &Section,
    first: usize,
    page: OnPage<'_>,
    text: impl Fn(usize, &Cell) -> String,
) {
    html.push_str("<tbody>\n");
    if !section.title.is_empty() {
        let _ = writeln!(
            html,
            "<tr><th class=\"section\" scope=\"rowgroup\" colspan=\"{}\">{}</th></tr>",
            table.columns.len() - empty.len(),
            escape(&without_one(&section.title))
        );
    }
    for (at, row) in (first..page.most).zip(&section.rows) {
        html.push_str("<tr>");
        let shown = row.iter().enumerate().filter(|(i, _)| !empty.contains(i));
        for (i, cell) in shown {
            let numeric = table.columns.get(i).is_some_and(|c| c.numeric);
            let id = page.linked.contains(&(at, i));
            let id = id.then(|| OnPage::cell(page.anchor, at, i));
            html.push_str(&html_cell(cell, &text(i, cell), numeric, id.as_deref()));
        }
        html.push_str("</tr>\n");
    }
    html.push_str("</tbody>\n");
}

fn html_cell(cell: &Cell, text: &str, numeric: bool, id: Option<&str>) -> String {
    let mut classes = Vec::new();
    if numeric {
        classes.push("n");
    }
    match &cell.content {
        CellValue::Text(text) if text.chars().count() > LONG_TEXT => classes.push("t"),
        CellValue::Ending(ending) => {
            classes.push(if is_good(ending) { "ok" } else { "no" });
        }
        _ => {}
    }
    let text = escape(text);
    let mut class = if classes.is_empty() {
        String::new()
    } else {
        format!(" class=\"{}\"", classes.join(" "))
    };
    if let Some(id) = id {
        let _ = write!(class, " id=\"{id}\"");
    }
    if cell.best {
        format!("<td{class}><strong>{text}</strong></td>")
    } else {
        format!("<td{class}>{text}</td>")
    }
}

/// True for how a cell ended that got where it should.
pub(crate) fn is_good(ending: &str) -> bool {
    ending == Status::Solved.id() || [ENDED, TIMED].contains(&ending)
}

/// Escapes a text; what stands between backquotes is set as code.
pub(crate) fn coded(note: &str) -> String {
    let pieces = note.split('`').enumerate();
    let set = pieces.map(|(i, piece)| {
        if i % 2 == 1 {
            format!("<code>{}</code>", escape(piece))
        } else {
            unbroken(&escape(piece))
        }
    });
    set.collect()
}

/// Keeps percent signs on the line of their numbers.
fn unbroken(text: &str) -> String {
    text.replace(" %", "\u{a0}%")
}

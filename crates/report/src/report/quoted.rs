//! Numbers that the README quotes from tables of the report lead to their cells.
//!
//! Which cell a number is of is said by its mark, as `delassus_findings` reads it; nothing is
//! guessed.

use std::collections::{BTreeMap, BTreeSet};

use delassus_findings::{CellQuery, Quote, Sheet, quotes};

use crate::tables::{OnPage, Table, to_csv};

/// A table of the page that numbers can be of.
#[derive(Debug)]
pub(crate) struct Source<'a> {
    /// As marks name it: `table rates`, `figure work`.
    pub(crate) name: String,
    /// Identifier of its place on the page.
    pub(crate) anchor: String,
    /// What identifiers of its cells begin with.
    pub(crate) cells: String,
    pub(crate) table: &'a Table,
    /// Rows that the page shows.
    pub(crate) rows: usize,
}

/// A README whose numbers are links.
#[derive(Debug, Default)]
pub(crate) struct Linked {
    /// The Markdown.
    pub(crate) text: String,
    /// Cells that a link leads to, by what their identifiers begin with.
    pub(crate) cells: BTreeMap<String, BTreeSet<(usize, usize)>>,
    /// Numbers that are those of their cells.
    pub(crate) agree: usize,
    /// Numbers whose cells say something else in this run.
    pub(crate) differ: usize,
}

/// No cell.
static NONE: BTreeSet<(usize, usize)> = BTreeSet::new();

impl Linked {
    /// Cells that a link leads to, of the table whose identifiers begin so.
    pub(crate) fn of(&self, cells: &str) -> &BTreeSet<(usize, usize)> {
        self.cells.get(cells).unwrap_or(&NONE)
    }
}

/// What follows a number that is not the one of this run.
const DIFFERS: &str = "≠";

/// Links the marked numbers of a README; a README whose marks cannot be read stays as it is.
pub(crate) fn link(readme: &str, sources: &[Source<'_>]) -> Linked {
    let mut linked = Linked {
        text: readme.to_owned(),
        ..Linked::default()
    };
    let Ok(quotes) = quotes(readme) else {
        return linked;
    };
    let sheets: Vec<Option<Sheet>> = sources
        .iter()
        .map(|source| Sheet::read(to_csv(source.table).as_bytes()).ok())
        .collect();
    let find = |query: &CellQuery| {
        let at = sources
            .iter()
            .position(|source| source.name == query.source)?;
        let found = sheets[at].as_ref()?.find(query).ok()?;
        Some((&sources[at], found))
    };
    // from the end, so that places before stay what they are
    for quote in quotes.iter().rev() {
        let Some((source, found)) = find(&quote.query) else {
            continue;
        };
        let titled = source.table.sections.iter().any(|s| !s.title.is_empty());
        let column = found.column.checked_sub(usize::from(titled));
        let shown = found.row.filter(|row| *row < source.rows).zip(column);
        let to = shown.map_or_else(
            || source.anchor.clone(),
            |(row, column)| OnPage::cell(&source.cells, row, column),
        );
        if replace(&mut linked, quote, found.value, &to) {
            let own = linked.cells.entry(source.cells.clone()).or_default();
            own.extend(shown);
        }
    }
    linked
}

/// Makes a link of a number; false for a dash, and for what is no number of a text.
fn replace(linked: &mut Linked, quote: &Quote, value: Option<(f64, f64)>, to: &str) -> bool {
    let number = linked.text.get(quote.at.clone()).unwrap_or_default();
    if number.is_empty() || number.contains(['[', ']', '\n']) {
        return false;
    }
    let differs = quote.objection(value).is_some();
    let (count, sign) = match differs {
        true => (&mut linked.differ, DIFFERS),
        false => (&mut linked.agree, ""),
    };
    *count += 1;
    let link = format!("[{number}{sign}](#{to})");
    linked.text.replace_range(quote.at.clone(), &link);
    true
}

/// What the page says of them; nothing if no number is linked.
pub(crate) fn note(linked: &Linked) -> String {
    let Linked { agree, differ, .. } = linked;
    match (agree, differ) {
        (0, 0) => String::new(),
        (agree, 0) => format!(
            "<p class=\"note\">{agree} numbers of this text lead to the cells of tables below that they are.</p>\n"
        ),
        (agree, differ) => format!(
            "<p class=\"note\">{} numbers of this text lead to cells of tables below; {agree} are those of their cells, \
             {differ} not, in this run, and carry {DIFFERS}.</p>\n",
            agree + differ
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::{Cell, Column, Section};

    fn table() -> Table {
        let row = |name: &str, value: f64| vec![Cell::text(name), Cell::number(Some(value))];
        let section = |title: &str, rows| Section {
            title: title.to_owned(),
            rows,
        };
        Table {
            columns: vec![Column::text("scene"), Column::numeric("pgs")],
            sections: vec![
                section("first", vec![row("chain", 0.0766), row("tip", 11.93)]),
                section("second", vec![row("chain", 3.0)]),
            ],
            notes: Vec::new(),
        }
    }

    #[test]
    fn numbers_lead_to_their_cells_and_say_where_they_differ() {
        let table = table();
        let source = Source {
            name: "table drift".to_owned(),
            anchor: "table-drift".to_owned(),
            cells: "table-drift".to_owned(),
            table: &table,
            rows: 2,
        };
        let text = "77<!-- table drift; section = first; scene = chain; pgs; in 1e-3 --> mm, \
                    12<!-- table drift; scene = tip; pgs --> m, 13<!-- table drift; scene = tip; pgs -->, \
                    0.07 to 3.1<!-- range; table drift; scene = chain; pgs -->, 3<!-- table drift; section = second; pgs -->, \
                    5<!-- table other; scene = chain; pgs -->\n\n\
                    <!-- grid; table drift; section = first\nrows scene: chain; tip\ncolumns: pgs\n-->\n\
                    | scene | a |\n|---|---|\n| chain | 0.077 |\n| tip | 11 |\n";
        let linked = link(text, &[source]);
        for part in [
            "[77](#table-drift-r1-c2)<!--",
            "[12](#table-drift-r2-c2)<!--",
            "[13≠](#table-drift-r2-c2)<!--",
            // of several cells, and of one that the page does not show
            "[0.07 to 3.1](#table-drift)<!--",
            "[3](#table-drift)<!--",
            " 5<!-- table other",
            "| chain | [0.077](#table-drift-r1-c2) |",
            "| tip | [11≠](#table-drift-r2-c2) |",
        ] {
            assert!(linked.text.contains(part), "{part}: {}", linked.text);
        }
        assert_eq!((linked.agree, linked.differ), (5, 2));
        let cells = BTreeSet::from([(0, 1), (1, 1)]);
        assert_eq!(linked.cells["table-drift"], cells);
        assert!(note(&linked).contains("5 are those of their cells, 2 not"));
    }

    #[test]
    fn a_text_whose_marks_cannot_be_read_stays_as_it_is() {
        for text in [
            "1<!--",
            "x<!-- tabel x -->",
            "|<!-- grid; table x\nrows: a\ncolumns: b\n-->\n|\n|\n|",
        ] {
            assert_eq!(link(text, &[]).text, text);
        }
    }
}

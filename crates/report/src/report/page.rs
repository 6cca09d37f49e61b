//! The page: one HTML file that needs nothing else.

mod contents;
pub(crate) mod scripts;

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::Value;

use crate::bundle::Bundle;
use crate::figures::{FigureSpec, Width};
use crate::tables::{OnPage, Table, TableSpec, to_html};
use crate::text::escape;

use super::quoted::{self, Linked, Source};
use super::replays::{DrawnStrip, Motion, PAGE as REPLAY};
use super::{answer, captions, markdown, reproduce, summary};
use contents::Contents;

/// Style of the pages.
pub(crate) const STYLE: &str = include_str!("style.css");
/// Rows of a table, and of the data of a figure, that the page shows.
const MOST_ROWS: usize = 300;
const MOST_DATA_ROWS: usize = 150;
/// The same of a page that would be too large: a part of these.
const PARTS: [usize; 4] = [1, 3, 10, 30];
/// A page is smaller than this \[B\].
const MOST_BYTES: usize = 2_000_000;

/// A figure with all that the page shows of it.
#[derive(Debug)]
pub(crate) struct DrawnFigure<'a> {
    pub(crate) spec: &'a FigureSpec,
    /// File name without its ending.
    pub(crate) name: String,
    /// The picture; `None` where the page has no room for it.
    pub(crate) svg: Option<String>,
    /// The numbers of its curves, where they can be zoomed and the page has room.
    pub(crate) numbers: Option<String>,
    /// True where colours stand for values.
    pub(crate) scale: bool,
    pub(crate) data: Table,
    /// What to know before times are compared.
    pub(crate) note: Option<String>,
}

/// A table with all that the page shows of it.
#[derive(Debug)]
pub(crate) struct BuiltTable<'a> {
    pub(crate) spec: &'a TableSpec,
    /// File name without its ending.
    pub(crate) name: String,
    pub(crate) table: Table,
}

/// The whole page: with fewer rows of its tables where it would be too large.
pub(crate) fn render(
    bundle: &Bundle,
    figures: &[DrawnFigure<'_>],
    tables: &[BuiltTable<'_>],
    motion: &Motion<'_>,
) -> String {
    let page = |part: &usize| {
        let page = Page {
            bundle,
            figures,
            tables,
            motion,
            rows: (MOST_ROWS / part, MOST_DATA_ROWS / part),
        };
        page.render()
    };
    let mut pages = PARTS.iter().map(page);
    let first = pages.next().unwrap_or_default();
    if first.len() < MOST_BYTES {
        return first;
    }
    pages.find(|page| page.len() < MOST_BYTES).unwrap_or(first)
}

struct Page<'a> {
    bundle: &'a Bundle,
    figures: &'a [DrawnFigure<'a>],
    tables: &'a [BuiltTable<'a>],
    motion: &'a Motion<'a>,
    /// Rows of a table, and of the data of a figure.
    rows: (usize, usize),
}

impl Page<'_> {
    fn render(&self) -> String {
        let bundle = self.bundle;
        let readme = bundle.readme.as_deref().map(markdown::without_controls);
        let linked = readme.map(|readme| quoted::link(&readme, &self.sources()));
        let linked = linked.unwrap_or_default();
        let mut contents = Contents::default();
        let mut main = String::new();
        let replay = self.motion.page.then_some(REPLAY);
        if let Some(answer) = answer::html(bundle, replay) {
            section(&mut main, &mut contents, "answer", "Answer", &answer);
        }
        let overview = summary::html(bundle);
        section(&mut main, &mut contents, "matrix", "Overview", &overview);
        if bundle.readme.is_some() {
            let readme = markdown::render(&linked.text, &self.targets(&linked));
            contents.headings(&readme.headings);
            let _ = write!(
                main,
                "<section id=\"readme\" class=\"readme\">\n{}{}</section>\n",
                readme.html,
                quoted::note(&linked)
            );
        }
        self.views(&mut main, &mut contents, &linked);
        let manifest = manifest(&bundle.manifest);
        for (id, title, body) in [
            ("reproduce", "How to reproduce", reproduce::html(bundle)),
            ("manifest", "Manifest", manifest),
            ("statuses", "What the statuses mean", summary::legend()),
        ] {
            section(&mut main, &mut contents, id, title, &body);
        }
        let title = escape(&bundle.title);
        let zooms = self.figures.iter().any(|figure| figure.numbers.is_some());
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n\
             <meta name=\"generator\" content=\"delassus\">\n<meta name=\"color-scheme\" content=\"light dark\">\n\
             <link rel=\"icon\" href=\"data:,\">\n\
             <title>{title}</title>\n<style>\n{}{STYLE}</style>\n{}</head>\n<body>\n\
             <a class=\"skip\" href=\"#main\">Skip to the content</a>\n\
             <header>\n<div>\n<p class=\"id\">{}</p>\n<h1>{title}</h1>\n<p class=\"lead\">{}</p>\n</div>\n</header>\n\
             <div class=\"page\">\n{}<main id=\"main\" tabindex=\"-1\">\n{main}</main>\n</div>\n</body>\n</html>\n",
            scripts::policy(zooms),
            scripts::style(zooms),
            scripts::html(zooms),
            escape(&bundle.id),
            escape(&bundle.question),
            contents.html(),
        )
    }

    /// Figures, motion and tables.
    fn views(&self, main: &mut String, contents: &mut Contents, linked: &Linked) {
        if !self.figures.is_empty() {
            let parts = (1..).zip(self.figures);
            let body: String = parts.map(|(n, f)| self.figure(n, f, linked)).collect();
            section(main, contents, "figures", "Figures", &body);
            for (number, figure) in (1..).zip(self.figures) {
                let id = format!("figure-{}", figure.name);
                contents.below(id, format!("{number}"), &figure.spec.id);
            }
        }
        if self.motion.page {
            let strips = (1..).zip(&self.motion.strips).map(|(n, s)| strip(n, s));
            let body = format!(
                "<p><a href=\"replay.html\">Replay</a>: the recorded cells side by side, with contacts and impulses.</p>\n{}",
                strips.collect::<String>()
            );
            section(main, contents, "motion", "Motion", &body);
        }
        if !self.tables.is_empty() {
            let parts = (1..).zip(self.tables);
            let body: String = parts.map(|(n, t)| self.table(n, t, linked)).collect();
            section(main, contents, "tables", "Tables", &body);
            for (number, table) in (1..).zip(self.tables) {
                let id = format!("table-{}", table.name);
                contents.below(id, format!("{number}"), &table.spec.id);
            }
        }
    }

    /// Tables that numbers of the README can be of.
    fn sources(&self) -> Vec<Source<'_>> {
        let tables = self.tables.iter().map(|table| Source {
            name: format!("table {}", table.spec.id),
            anchor: format!("table-{}", table.name),
            cells: format!("table-{}", table.name),
            table: &table.table,
            rows: self.rows.0,
        });
        let figures = self.figures.iter().map(|figure| Source {
            name: format!("figure {}", figure.spec.id),
            anchor: format!("figure-{}-data", figure.name),
            cells: format!("figure-{}", figure.name),
            table: &figure.data,
            rows: self.rows.1,
        });
        tables.chain(figures).collect()
    }

    /// Places of the page that the README can lead to.
    fn targets(&self, linked: &Linked) -> BTreeSet<String> {
        let sections = [
            "answer",
            "matrix",
            "figures",
            "motion",
            "tables",
            "reproduce",
            "manifest",
            "statuses",
        ];
        let mut targets: BTreeSet<String> = sections.map(str::to_owned).into();
        targets.extend(
            self.tables
                .iter()
                .map(|table| format!("table-{}", table.name)),
        );
        for figure in self.figures {
            targets.insert(format!("figure-{}", figure.name));
            targets.insert(format!("figure-{}-data", figure.name));
        }
        let strips = self.motion.strips.iter();
        targets.extend(strips.map(|strip| format!("strip-{}", strip.spec.id)));
        for (anchor, cells) in &linked.cells {
            let cells = cells.iter();
            targets.extend(cells.map(|(row, column)| OnPage::cell(anchor, *row, *column)));
        }
        targets
    }

    fn figure(&self, number: usize, figure: &DrawnFigure<'_>, linked: &Linked) -> String {
        let name = &figure.name;
        let picture = match &figure.svg {
            Some(svg) => {
                let class = if figure.scale { "plot" } else { "plot lines" };
                frame(&format!("Figure {number}"), class, svg)
            }
            None => format!(
                "<p class=\"note\">Too large for this page: open the <a href=\"figures/{name}.svg\">SVG file</a>.</p>\n"
            ),
        };
        let numbers = figure
            .numbers
            .as_deref()
            .map_or_else(String::new, scripts::data);
        let note = figure.note.as_ref().map_or_else(String::new, |note| {
            format!(" <span class=\"note\">{}</span>", escape(note))
        });
        let anchor = format!("figure-{name}");
        let width = match figure.spec.width {
            Width::Page => "",
            Width::Column => " class=\"column\"",
        };
        let data = OnPage {
            most: self.rows.1,
            name: &format!("Data of figure {number}"),
            file: &format!("figures/{name}.csv"),
            anchor: &anchor,
            linked: linked.of(&anchor),
        };
        format!(
            "<figure id=\"{anchor}\"{width}>\n{picture}{numbers}<figcaption><b>Figure {number}.</b> {}{note} \
             <span class=\"files\"><a href=\"figures/{name}.svg\">SVG</a> <a href=\"figures/{name}.pdf\">PDF</a> \
             <a href=\"figures/{name}.tex\">LaTeX</a> <a href=\"figures/{name}.csv\">CSV</a></span></figcaption>\n\
             <details id=\"{anchor}-data\"><summary>Data of figure {number}</summary>\n{}</details>\n</figure>\n",
            escape(&captions::page(self.bundle, figure.spec)),
            to_html(&figure.data, data)
        )
    }

    fn table(&self, number: usize, table: &BuiltTable<'_>, linked: &Linked) -> String {
        let name = &table.name;
        let anchor = format!("table-{name}");
        let shown = OnPage {
            most: self.rows.0,
            name: &format!("Table {number}"),
            file: &format!("tables/{name}.csv"),
            anchor: &anchor,
            linked: linked.of(&anchor),
        };
        format!(
            "<div class=\"table\" id=\"{anchor}\">\n<p class=\"caption\"><b>Table {number}.</b> {} \
             <span class=\"files\"><a href=\"tables/{name}.tex\">LaTeX</a> <a href=\"tables/{name}.csv\">CSV</a></span></p>\n{}</div>\n",
            escape(&table.spec.caption),
            to_html(&table.table, shown)
        )
    }
}

fn section(main: &mut String, contents: &mut Contents, id: &str, title: &str, body: &str) {
    contents.section(id, title);
    let _ = write!(
        main,
        "<section id=\"{id}\">\n<h2>{title}</h2>\n{body}</section>\n"
    );
}

/// A picture in the frame in which it scrolls where it is wider than the screen.
fn frame(name: &str, class: &str, picture: &str) -> String {
    format!(
        "<div class=\"edges\"><div class=\"{class}\" tabindex=\"0\" role=\"region\" aria-label=\"{name}\">\n{picture}</div></div>\n"
    )
}

fn strip(number: usize, strip: &DrawnStrip<'_>) -> String {
    let id = &strip.name;
    format!(
        "<figure id=\"strip-{id}\">\n{}<figcaption><b>Strip {number}.</b> {} \
         <span class=\"files\"><a href=\"figures/{id}.svg\">SVG</a> <a href=\"figures/{id}.pdf\">PDF</a> <a href=\"figures/{id}.png\">PNG</a></span></figcaption>\n</figure>\n",
        frame(&format!("Strip {number}"), "plot", &strip.picture),
        escape(&strip.spec.caption),
    )
}

/// The name of an entry of the manifest in words. The commit is not that of the checkout: it stays
/// where a later one changes nothing of the program.
fn label(name: &str) -> String {
    match name {
        "commit" => "last commit that changed the program".to_owned(),
        "modified" => "program modified since that commit".to_owned(),
        "head" => "commit checked out in the folder of the spec when the run began".to_owned(),
        name => name.replace('_', " "),
    }
}

/// The manifest as rows of names and values.
fn manifest(manifest: &Value) -> String {
    let Value::Object(entries) = manifest else {
        return "<p class=\"note\">There is no manifest.</p>\n".to_owned();
    };
    let mut html = String::from(
        "<div class=\"edges\"><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Manifest\"><table class=\"manifest\"><tbody>\n",
    );
    for (name, value) in entries {
        let text = match value {
            Value::Array(items) if items.iter().any(Value::is_object) => {
                items.iter().map(plain).collect::<Vec<_>>().join("; ")
            }
            other => plain(other),
        };
        let _ = writeln!(
            html,
            "<tr><th scope=\"row\">{}</th><td>{}</td></tr>",
            escape(&label(name)),
            escape(&text)
        );
    }
    html.push_str("</tbody></table></div></div>\n");
    html
}

/// A value without quotes.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => "unknown".to_owned(),
        Value::Object(inner) => {
            let pairs = inner.iter().map(|(k, v)| format!("{k} {}", plain(v)));
            pairs.collect::<Vec<_>>().join(", ")
        }
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

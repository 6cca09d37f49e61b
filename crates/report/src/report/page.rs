//! The page: one HTML file that needs nothing else.

use std::fmt::Write as _;

use serde_json::Value;

use crate::bundle::Bundle;
use crate::tables::to_html;
use crate::text::escape;

use super::replays::{DrawnStrip, Motion};
use super::{BuiltTable, DrawnFigure, markdown, summary};

const STYLE: &str = include_str!("style.css");
/// Rows of a table, and of the data of a figure, that the page shows.
const MOST_ROWS: usize = 300;
const MOST_DATA_ROWS: usize = 150;

/// The whole page.
pub(crate) fn render(
    bundle: &Bundle,
    figures: &[DrawnFigure<'_>],
    tables: &[BuiltTable<'_>],
    motion: &Motion<'_>,
) -> String {
    let title = escape(&bundle.title);
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">\n\
         <meta name=\"generator\" content=\"delassus\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <header>\n<p class=\"id\">{}</p>\n<h1>{title}</h1>\n<p class=\"lead\">{}</p>\n</header>\n<main>\n",
        escape(&bundle.id),
        escape(&bundle.question)
    );
    section(
        &mut page,
        "matrix",
        "The matrix in numbers",
        &summary::html(bundle),
    );
    if let Some(readme) = &bundle.readme {
        let body = markdown::render(readme);
        let _ = write!(
            page,
            "<section id=\"readme\" class=\"readme\">\n{body}</section>\n"
        );
    }
    if !figures.is_empty() {
        let body: String = (1..).zip(figures).map(|(n, f)| figure(n, f)).collect();
        section(&mut page, "figures", "Figures", &body);
    }
    if motion.page {
        let strips = (1..).zip(&motion.strips).map(|(n, s)| strip(n, s));
        let body = format!(
            "<p><a href=\"replay.html\">Replay</a>: the recorded cells side by side, with contacts and impulses.</p>\n{}",
            strips.collect::<String>()
        );
        section(&mut page, "motion", "Motion", &body);
    }
    if !tables.is_empty() {
        let body: String = (1..).zip(tables).map(|(n, t)| table(n, t)).collect();
        section(&mut page, "tables", "Tables", &body);
    }
    section(
        &mut page,
        "reproduce",
        "How to reproduce",
        &reproduce(bundle),
    );
    section(
        &mut page,
        "manifest",
        "Manifest",
        &manifest(&bundle.manifest),
    );
    section(
        &mut page,
        "statuses",
        "What the statuses mean",
        &summary::legend(),
    );
    page.push_str("</main>\n</body>\n</html>\n");
    page
}

fn section(page: &mut String, id: &str, title: &str, body: &str) {
    let _ = write!(
        page,
        "<section id=\"{id}\">\n<h2>{title}</h2>\n{body}</section>\n"
    );
}

fn figure(number: usize, figure: &DrawnFigure<'_>) -> String {
    let name = &figure.name;
    let picture = match &figure.svg {
        Some(svg) => format!("<div class=\"plot\" tabindex=\"0\">\n{svg}</div>\n"),
        None => "<p class=\"note\">Too large for this page: open the SVG file.</p>\n".to_owned(),
    };
    let note = figure.note.as_ref().map_or_else(String::new, |note| {
        format!(" <span class=\"note\">{}</span>", escape(note))
    });
    format!(
        "<figure id=\"figure-{name}\">\n{picture}<figcaption><b>Figure {number}.</b> {}{note} \
         <span class=\"files\"><a href=\"figures/{name}.svg\">SVG</a> <a href=\"figures/{name}.pdf\">PDF</a> \
         <a href=\"figures/{name}.tex\">LaTeX</a> <a href=\"figures/{name}.csv\">CSV</a></span></figcaption>\n\
         <details><summary>Data of figure {number}</summary>\n{}</details>\n</figure>\n",
        escape(&figure.spec.caption),
        to_html(&figure.data, MOST_DATA_ROWS)
    )
}

fn strip(number: usize, strip: &DrawnStrip<'_>) -> String {
    let id = &strip.spec.id;
    format!(
        "<figure id=\"strip-{id}\">\n<div class=\"plot\" tabindex=\"0\">\n{}</div>\n<figcaption><b>Strip {number}.</b> {} \
         <span class=\"files\"><a href=\"figures/{id}.svg\">SVG</a> <a href=\"figures/{id}.pdf\">PDF</a> <a href=\"figures/{id}.png\">PNG</a></span></figcaption>\n</figure>\n",
        strip.picture,
        escape(&strip.spec.caption),
    )
}

fn table(number: usize, table: &BuiltTable<'_>) -> String {
    let name = &table.name;
    format!(
        "<div class=\"table\" id=\"table-{name}\">\n<p class=\"caption\"><b>Table {number}.</b> {} \
         <span class=\"files\"><a href=\"tables/{name}.tex\">LaTeX</a> <a href=\"tables/{name}.csv\">CSV</a></span></p>\n{}</div>\n",
        escape(&table.spec.caption),
        to_html(&table.table, MOST_ROWS)
    )
}

fn reproduce(bundle: &Bundle) -> String {
    format!(
        "<p>From the root of the project:</p>\n<pre><code>{}</code></pre>\n\
         <p>The samples are in <a href=\"records.csv\">records.csv</a>, one row per cell in \
         <a href=\"summary.csv\">summary.csv</a>. Columns that are not times are the same, byte for byte, \
         when the run is repeated.</p>\n\
         <details><summary>The specification</summary>\n<pre><code>{}</code></pre>\n</details>\n",
        escape(&bundle.command),
        escape(&bundle.spec)
    )
}

/// The manifest as rows of names and values.
fn manifest(manifest: &Value) -> String {
    let Value::Object(entries) = manifest else {
        return "<p class=\"note\">There is no manifest.</p>\n".to_owned();
    };
    let mut html =
        String::from("<div class=\"scroll\" tabindex=\"0\"><table class=\"manifest\"><tbody>\n");
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
            escape(&name.replace('_', " ")),
            escape(&text)
        );
    }
    html.push_str("</tbody></table></div>\n");
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

//! The page.

use std::fmt::Write as _;

use super::scan::{ExperimentEntry, PAGES, Row};
use crate::numbers::grouped;
use crate::report::page::{STYLE, scripts};
use crate::text::escape;

/// The mark in the head of a page that this program has written.
pub(super) const MARK: &str = "<meta name=\"generator\" content=\"delassus index\">";
/// Characters of a text that the page shows; somebody else's may be longer than any page.
const MOST: usize = 600;

/// Columns: what they are called, and whether they hold numbers.
const COLUMNS: [(&str, bool); 9] = [
    ("Experiment", false),
    ("Finding", false),
    ("Cells", true),
    ("Solved, ended", true),
    ("Failed", true),
    ("Not run", true),
    ("When [UTC]", false),
    ("Machine", false),
    ("Files", false),
];

/// The whole page.
pub(super) fn render(rows: &[Row]) -> String {
    let body = match rows.is_empty() {
        true => "<p>No results yet.</p>\n".to_owned(),
        false => numbers(rows) + &table(rows),
    };
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n\
         {MARK}\n<meta name=\"color-scheme\" content=\"light dark\">\n\
         <link rel=\"icon\" href=\"data:,\">\n<title>Results</title>\n<style>\n{STYLE}</style>\n{}</head>\n<body>\n\
         <a class=\"skip\" href=\"#main\">Skip to the content</a>\n\
         <header>\n<div>\n<p class=\"id\">Delassus</p>\n<h1>Results</h1>\n<p class=\"lead\">Experiments of this folder, as of their \
         last reports.</p>\n</div>\n</header>\n<main id=\"main\" tabindex=\"-1\">\n{body}</main>\n</body>\n</html>\n",
        scripts::policy(false),
        scripts::html(false),
    )
}

/// How much there is.
fn numbers(rows: &[Row]) -> String {
    let read = || rows.iter().filter_map(|row| row.holds.as_ref().ok());
    let sum = |of: fn(&ExperimentEntry) -> usize| read().map(of).sum::<usize>();
    let lost = rows.len() - read().count();
    let mut html = String::from("<dl class=\"numbers\">\n");
    for (name, count, always) in [
        ("experiments", rows.len(), true),
        ("cells", sum(|e| e.cells), true),
        ("failed", sum(|e| e.failed), false),
        ("not run", sum(ExperimentEntry::left), false),
        ("cannot be read", lost, false),
    ] {
        if always || count > 0 {
            let count = grouped(count as u64);
            let _ = writeln!(html, "<div><dt>{name}</dt><dd>{count}</dd></div>");
        }
    }
    html + "</dl>\n"
}

/// One row per folder. On a narrow screen rows are cards (`style.css`), which would be no rows to
/// who is told of them: hence the roles.
fn table(rows: &[Row]) -> String {
    let mut html = String::from(
        "<div class=\"edges\"><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Experiments\">\
         <table class=\"index\" role=\"table\">\n<thead role=\"rowgroup\"><tr role=\"row\">",
    );
    for (name, numeric) in COLUMNS {
        let class = if numeric { " class=\"n\"" } else { "" };
        let _ = write!(
            html,
            "<th scope=\"col\" role=\"columnheader\"{class}>{name}</th>"
        );
    }
    html.push_str("</tr></thead>\n<tbody role=\"rowgroup\">\n");
    for row in rows {
        html.push_str("<tr role=\"row\">");
        match &row.holds {
            Ok(experiment) => known(&mut html, row, experiment),
            Err(reason) => unknown(&mut html, row, reason),
        }
        html.push_str("</tr>\n");
    }
    html.push_str("</tbody>\n</table></div></div>\n");
    html
}

/// A cell with the name of its column.
fn cell(html: &mut String, column: usize, content: &str) {
    let (name, numeric) = COLUMNS[column];
    let class = if numeric { "n" } else { "t" };
    let _ = write!(
        html,
        "<td role=\"cell\" class=\"{class}\" data-label=\"{name}\">{content}</td>"
    );
}

fn known(html: &mut String, row: &Row, experiment: &ExperimentEntry) {
    let title = shown(&experiment.title);
    let title = match (row.linked, experiment.pages.contains(&PAGES[0])) {
        (true, true) => format!("<a href=\"{}\">{title}</a>", address(&row.folder, PAGES[0])),
        _ => title,
    };
    let question = shown(&experiment.question);
    let mut subject = format!(
        "<b>{title}</b><br><span class=\"note\">{}</span><br>{question}",
        shown(&row.folder)
    );
    if let Some(damage) = &experiment.damage {
        let _ = write!(
            subject,
            "<br><span class=\"note no\">{}</span>",
            shown(damage)
        );
    }
    cell(html, 0, &subject);
    let finding = experiment.finding.as_deref().unwrap_or_default();
    cell(html, 1, &shown(finding));
    let left = experiment.left();
    for (column, count) in [
        (2, experiment.cells),
        (3, experiment.good),
        (4, experiment.failed),
        (5, left),
    ] {
        cell(html, column, &grouped(count as u64));
    }
    cell(html, 6, &moment(experiment.date.as_deref()));
    cell(
        html,
        7,
        &shown(experiment.machine.as_deref().unwrap_or_default()),
    );
    cell(html, 8, &files(row, experiment));
}

fn unknown(html: &mut String, row: &Row, reason: &str) {
    let text = format!(
        "<b>{}</b><br><span class=\"note no\">cannot be read: {}</span>",
        shown(&row.folder),
        shown(reason)
    );
    cell(html, 0, &text);
    for column in 1..COLUMNS.len() {
        cell(html, column, "");
    }
}

impl ExperimentEntry {
    /// Cells without a record \[-\].
    fn left(&self) -> usize {
        self.cells.saturating_sub(self.done)
    }
}

/// Links to the files of a results folder; without a report it says so.
fn files(row: &Row, experiment: &ExperimentEntry) -> String {
    if !row.linked {
        return "its name is no address".to_owned();
    }
    let mut links: Vec<String> = Vec::new();
    if !experiment.pages.contains(&PAGES[0]) {
        links.push("no report yet".to_owned());
    }
    for page in &experiment.pages {
        let name = page.strip_suffix(".html").unwrap_or(page);
        // links of one name would be told apart by nothing
        links.push(format!(
            "<a href=\"{}\" aria-label=\"{name} of {}\">{name}</a>",
            address(&row.folder, page),
            plain(&row.folder)
        ));
    }
    links.join(" ")
}

/// Date and time without seconds: `2026-01-02 13:45`; what is no date as it is.
fn moment(date: Option<&str>) -> String {
    let date = date.unwrap_or_default();
    let plain = date.is_ascii() && date.len() >= 16 && date.as_bytes()[10] == b'T';
    match plain {
        true => shown(&format!("{} {}", &date[..10], &date[11..16])),
        false => shown(date),
    }
}

/// A text from outside: escaped, on one line, and not longer than a page can show.
fn shown(text: &str) -> String {
    // letters that turn the direction of writing do so inside of the element only
    format!("<bdi>{}</bdi>", plain(text))
}

/// The same for attributes.
fn plain(text: &str) -> String {
    let visible = |c: char| if c.is_control() { ' ' } else { c };
    let start: String = text.chars().take(MOST).map(visible).collect();
    let rest = if text.chars().nth(MOST).is_some() {
        "…"
    } else {
        ""
    };
    escape(start.trim()) + rest
}

/// The address of a file in a folder next to the page: a name that looks like a scheme, a root or a
/// query is none.
fn address(folder: &str, file: &str) -> String {
    let mut address = String::from("./");
    for byte in folder.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                address.push(char::from(byte));
            }
            _ => {
                let _ = write!(address, "%{byte:02X}");
            }
        }
    }
    format!("{address}/{file}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_stays_in_its_folder() {
        assert_eq!(
            address("01-chain-rates", "report.html"),
            "./01-chain-rates/report.html"
        );
        assert_eq!(address("javascript:x", "r"), "./javascript%3Ax/r");
        assert_eq!(address("a?b#c d\"é", "r"), "./a%3Fb%23c%20d%22%C3%A9/r");
    }

    #[test]
    fn moments_are_short() {
        assert_eq!(
            moment(Some("2026-01-02T13:45:06Z")),
            "<bdi>2026-01-02 13:45</bdi>"
        );
        assert_eq!(
            moment(Some("yesterday <b>")),
            "<bdi>yesterday &lt;b&gt;</bdi>"
        );
        assert_eq!(moment(None), "<bdi></bdi>");
    }

    #[test]
    fn a_long_text_is_cut() {
        let long = shown(&"<".repeat(2 * MOST));
        assert!(long.matches("&lt;").count() == MOST && long.ends_with("…</bdi>"));
    }
}

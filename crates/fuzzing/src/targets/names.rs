//! Names and texts from outside, in everything that they reach.

use delassus_report::export::inert;
use delassus_report::report::{file_name, inert_html};
use delassus_report::tables::{self, CellValue, Column, Section, Table};
use delassus_report::text::{clean, escape};

/// The bytes as a name, and as a page of Markdown.
pub(crate) fn meet(bytes: &[u8]) {
    let name = String::from_utf8_lossy(bytes);
    let escaped = escape(&name);
    assert!(!escaped.contains(['<', '>', '"', '\'']), "{escaped}");
    assert_well_formed(&format!("<p title=\"{0}\">{0}</p>", escape(&clean(&name))));
    assert!(!clean(&name).contains(char::is_control), "{name:?}");
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let file = file_name(&name);
    assert!(file.chars().all(plain) && !file.starts_with('.'), "{file}");
    spreadsheet(&name);
    page(&inert_html(&name));
}

/// A cell, a heading, a title and a note of a table.
fn spreadsheet(name: &str) {
    let text = || CellValue::Text(name.to_owned());
    let table = Table {
        columns: vec![Column {
            title: name.to_owned(),
            numeric: false,
            joined: false,
        }],
        sections: vec![Section {
            title: name.to_owned(),
            rows: vec![vec![text().into()]],
        }],
        notes: vec![clean(name)],
    };
    let csv = tables::to_csv(&table);
    let mut reader = csv::ReaderBuilder::new();
    let mut reader = reader.has_headers(false).from_reader(csv.as_bytes());
    let rows: Result<Vec<csv::StringRecord>, _> = reader.records().collect();
    let rows = rows.expect("what is written is read");
    assert_eq!(rows.len(), 2, "{csv:?}");
    for cell in rows.iter().flatten() {
        assert!(
            !cell.starts_with(['=', '+', '-', '@', '\t', '\r']),
            "{cell:?}"
        );
    }
    let last = rows[1].iter().next_back();
    assert_eq!(last, Some(inert(name).as_str()));
}

/// Nothing that a page of ours does not have itself.
fn page(html: &str) {
    let lower = html.to_ascii_lowercase();
    for start in [
        "<script", "<style", "<img", "<iframe", "<svg", "<object", "<form", "<input", "<base",
        "<meta",
    ] {
        assert!(!lower.contains(start), "{start} in {html:?}");
    }
    for (start, end) in tags(html) {
        let tag = lower[start..end].to_owned();
        assert!(!tag.contains(" on") || tag.contains('"'), "{tag}");
        if let Some(at) = tag.find("href=\"") {
            let url = &tag[at + 6..];
            let url: String = url
                .chars()
                .filter(|c| !c.is_control() && *c != ' ')
                .collect();
            assert!(
                !url.starts_with("javascript:") && !url.starts_with("data:"),
                "{tag}"
            );
        }
    }
}

/// Where the tags of a page begin and end.
fn tags(html: &str) -> Vec<(usize, usize)> {
    let starts = html.match_indices('<').map(|(start, _)| start);
    starts
        .map(|start| (start, start + tag_end(&html[start..]) + 1))
        .collect()
}

/// Panics unless `text` is XML with balanced tags, quoted attributes, known entities, and no
/// character that XML cannot have.
pub(crate) fn assert_well_formed(text: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        assert!(
            !rest[..start].contains('>'),
            "stray > in {:?}",
            &rest[..start]
        );
        assert_entities(&rest[..start]);
        let end = start + tag_end(&rest[start..]);
        let tag = &rest[start + 1..end];
        rest = &rest[end + 1..];
        if tag.starts_with(['?', '!']) {
            continue;
        }
        match tag.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop(), Some(name.trim()), "wrong closing tag"),
            None => {
                assert!(!tag.contains('<'), "< inside a tag: {tag}");
                assert_eq!(tag.matches('"').count() % 2, 0, "odd quotes: {tag}");
                if !tag.ends_with('/') {
                    open.push(tag.split_whitespace().next().unwrap_or_default());
                }
            }
        }
    }
    assert!(open.is_empty(), "left open: {open:?}");
    let forbidden =
        |c: char| c.is_control() && !matches!(c, '\n' | '\t' | '\r' | '\u{7f}'..='\u{9f}');
    assert!(!text.contains(forbidden), "control characters");
}

/// End of a tag, past quoted attributes.
fn tag_end(text: &str) -> usize {
    let mut quoted = false;
    let ends = text.char_indices().find(|(_, c)| {
        if *c == '"' {
            quoted = !quoted;
        }
        *c == '>' && !quoted
    });
    ends.expect("a tag is not closed").0
}

fn assert_entities(text: &str) {
    for piece in text.split('&').skip(1) {
        let name = piece.split(';').next().unwrap_or_default();
        let known = ["lt", "gt", "amp", "quot", "apos", "#39"];
        assert!(known.contains(&name), "unknown entity {name:.20}");
    }
}

//! Comments and prose end at column 100; `rustfmt` does that for code.

use std::path::PathBuf;

use crate::workspace::{files, read, root};

/// Columns of a line of prose \[-\].
const COLUMNS: usize = 100;
/// Pages that tests make: their texts come from the program.
const GENERATED: [&str; 3] = ["docs/gallery.md", "docs/orders.md", "docs/statuses.md"];

/// True if a line could be broken: it has more than one word, and is neither a row of a table or of
/// a diagram, a heading, a formula, a picture, nor an indented command.
fn breakable(prose: &str) -> bool {
    let exempt = ["|", "  |", "#", "$$", "    ", "!["];
    let words = prose.trim_start_matches(['-', '>', ' ']);
    !exempt.iter().any(|begin| prose.starts_with(begin))
        && !prose.contains("   ")
        && words
            .split('`')
            .step_by(2)
            .any(|text| text.trim().contains(' '))
}

/// True if a line of a page is too long as it is read, without marks of numbers and addresses.
fn too_long(line: &str) -> bool {
    let shown = without(without(line.to_owned(), "<!--", "-->"), "](", ")");
    columns(&shown) > COLUMNS && breakable(&shown)
}

/// Columns of a line \[-\]; accents that combine with the letter before them take none.
fn columns(line: &str) -> usize {
    let combining = '\u{300}'..='\u{36f}';
    line.chars().filter(|c| !combining.contains(c)).count()
}

/// The text without what stands from `open` to `close`: marks of numbers, targets of links.
fn without(mut text: String, open: &str, close: &str) -> String {
    while let Some(begin) = text.find(open) {
        let rest = &text[begin + open.len()..];
        let end = rest
            .find(close)
            .map_or(text.len(), |at| begin + open.len() + at + close.len());
        text.replace_range(begin..end, "");
    }
    text
}

/// The lines of a page that are prose, with their numbers: no code, no formulas, no marks.
fn prose(page: &str) -> Vec<(usize, &str)> {
    let (mut fence, mut formula, mut mark) = (false, false, false);
    let mut found = Vec::new();
    for (number, line) in page.lines().enumerate() {
        let begins = line.trim_start();
        if begins.starts_with("```") {
            fence = !fence;
        } else if fence {
        } else if formula || begins.starts_with("$$") {
            formula ^= line.matches("$$").count() % 2 == 1;
        } else if mark {
            mark = !line.contains("-->");
        } else if line.matches("<!--").count() > line.matches("-->").count() {
            mark = true;
        } else {
            found.push((number + 1, line));
        }
    }
    found
}

/// The text of a line of Rust that holds nothing but a comment.
fn comment(line: &str) -> Option<&str> {
    let begins = line.trim_start();
    let slashes = ["/// ", "//! ", "// "];
    slashes
        .iter()
        .find_map(|slashes| begins.strip_prefix(slashes))
}

#[test]
fn comments_and_prose_end_at_column_100() {
    let mut faults = Vec::new();
    for path in files(&["crates", "experiments", "tests"], &[".rs"]) {
        for (number, line) in read(&path).lines().enumerate() {
            if columns(line) > COLUMNS && comment(line).is_some_and(breakable) {
                faults.push(format!("{}:{}", path.display(), number + 1));
            }
        }
    }
    let pages = [
        "README.md",
        "CHANGELOG.md",
        "docs",
        "experiments",
        "workflow",
        "data",
        "crates",
    ];
    let written = |path: &PathBuf| !GENERATED.iter().any(|page| path.ends_with(page));
    for path in files(&pages, &[".md"]).into_iter().filter(written) {
        let text = read(&path);
        let long = prose(&text).into_iter().filter(|(_, line)| too_long(line));
        faults.extend(long.map(|(number, _)| format!("{}:{number}", path.display())));
    }
    let root = format!("{}/", root().display());
    let faults: Vec<String> = faults
        .iter()
        .map(|fault| fault.replace(&root, ""))
        .collect();
    assert!(
        faults.is_empty(),
        "beyond column {COLUMNS}:\n{}",
        faults.join("\n")
    );
}

#[test]
fn what_could_be_broken_is_found() {
    let long = "word ".repeat(25);
    assert!(too_long(&long) && too_long(&format!("- {long}")));
    for exempt in [
        "word ".repeat(20),
        format!("| {long} |"),
        format!("[one]({})", "x".repeat(100)),
        format!("3<!-- {long} --> of them"),
        format!("`{long}`"),
        "x".repeat(200),
    ] {
        assert!(!too_long(&exempt), "{exempt}");
    }
    let page = format!("```\n{long}\n```\n$$ a\n{long}$$\n{long}\n");
    assert_eq!(
        prose(&page).iter().map(|found| found.0).collect::<Vec<_>>(),
        [6]
    );
    assert!(comment("let a = 1; // no").is_none() && comment("    /// yes").is_some());
}

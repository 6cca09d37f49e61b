//! Hostile texts in everything that a spec names, in everything that they reach.
//!
//! A name either reaches a sink as what it is, a text that does nothing there, or the spec is
//! refused. A sink is one function here; the next one is a line in [`SINKS`].

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

use crate::support::{Lab, Ran};

/// The texts, with what they are.
fn texts() -> Vec<(&'static str, String)> {
    let texts = [
        ("a tag of a script", "<script>alert(1)</script>"),
        ("a tag in capitals", "<ScRiPt src=//e.x></sCrIpT>"),
        ("an image that fails", "<img src=x onerror=alert(1)>"),
        ("an attribute", "\" onmouseover=\"alert(1)"),
        (
            "an attribute in single quotes",
            "' onfocus='alert(1)' autofocus='",
        ),
        ("the end of the title", "</title><script>alert(1)</script>"),
        ("the end of the style", "</style><svg onload=alert(1)>"),
        (
            "the end of a section of characters",
            "]]><script>alert(1)</script>",
        ),
        ("a comment", "<!-- --><b>--!>"),
        ("entities", "&lt;script&gt; &#60;b&#62; &unknown; &"),
        ("an address of a script", "javascript:alert(1)"),
        ("a link of Markdown", "[here](javascript:alert(1))"),
        ("an image of Markdown", "![x](http://e.x/y.png \"t\")"),
        (
            "a page of Markdown",
            "# heading\n\n```\ncode\n```\n<b>bold</b>\n- list",
        ),
        (
            "commands of LaTeX",
            "\\input{/etc/passwd} \\write18{ls} $x_1^2$ % & # {~}",
        ),
        (
            "a formula that starts with =",
            "=HYPERLINK(\"http://e.x\";\"x\")",
        ),
        ("a formula that starts with +", "+1+cmd|' /C calc'!A0"),
        ("a formula that starts with -", "-2+3"),
        ("a formula that starts with @", "@SUM(A1:A9)"),
        ("a tab before a formula", "\t=1+1"),
        ("the end of a line before a formula", "x\r\n=1+1"),
        ("commas and lone quotes", "a,\"b;'c"),
        (
            "colours of a terminal",
            "\u{1b}[31mred\u{1b}[0m\u{1b}]0;title\u{7}",
        ),
        ("controls of eight bits", "\u{9b}31m\u{90}q\u{9c}"),
        ("text turned round", "\u{202e}gnp.exe\u{2066}x"),
        ("zero", "before\0after"),
        ("a mark of byte order", "\u{feff}name"),
        ("no characters", "\u{fffe}\u{ffff}\u{e000}"),
        ("backspaces and a bell", "ok\u{8}\u{8}ko\u{7}"),
        ("separators of paths", "../../../etc/passwd"),
        ("separators of paths of Windows", "..\\..\\C:\\x|y?z*"),
        ("escapes of addresses", "%2e%2e%2f%00%0d%0aSet-Cookie"),
        ("marks of templates", "{{TITLE}} {title} {id} ${x} #{y}"),
        (
            "entries of BibTeX",
            "@misc{x, title={}} % comment\n@string{a=1}",
        ),
        ("a lone quote", "\""),
        ("blanks alone", "   "),
    ];
    let texts = texts.map(|(what, text)| (what, text.to_owned()));
    let long = ("a name of a megabyte", "<b>&\"'".repeat(150_000));
    // the one that takes longest first
    [long].into_iter().chain(texts).collect()
}

/// What a text reaches.
type Sink = fn(&Outcome, &Outcome);

/// The sinks; a new writer of names takes a line here.
const SINKS: &[(&str, Sink)] = &[
    ("page", page),
    ("pictures", pictures),
    ("tables", tables),
    ("terminal", terminal),
    ("json", json),
    ("markdown", markdown),
    ("bibtex", bibtex),
    ("file names", file_names),
];

/// What became of a text.
struct Outcome {
    text: String,
    /// As much of it as is the label of a solver.
    label: String,
    lab: Lab,
    run: Ran,
    /// What the verbs said that people read.
    said: Vec<Ran>,
    /// The same as objects.
    objects: Vec<Ran>,
    cited: Ran,
}

impl Outcome {
    /// A spec that is called `text` wherever it can be, and everything that is made of it.
    fn of(text: &str) -> Self {
        let lab = Lab::new();
        // a label stands in every cell, curve and row: one of a megabyte makes two hundred of them
        let label: String = text.chars().take(MOST_OF_LABEL).collect();
        let [quoted, quoted_label] = [text, &label].map(|text| toml::Value::from(text).to_string());
        let mut spec = String::new();
        for (place, piece) in SPEC.split('@').enumerate() {
            match place {
                0 => {}
                LABEL => spec.push_str(&quoted_label),
                _ => spec.push_str(&quoted),
            }
            spec.push_str(piece);
        }
        lab.file("experiment/experiment.toml", spec);
        lab.file("experiment/README.md", text);
        // processes for four cells are the most of what this would take
        let run = lab.run(&["run", "experiment", "--out", "out", "--no-isolate"]);
        let verbs: [&[&str]; 7] = [
            &["show", "out"],
            &["status", "out"],
            &["compare", "out", "--out", "compared"],
            &["plan", "experiment", "--out", "out"],
            &["verify", "out"],
            &["bundle", "out", "--out", "bundle.zip"],
            // refused, with the names of the solvers in the message
            &["compare", "out", "--metric", "nat_rel"],
        ];
        let said = verbs.iter().map(|verb| lab.run(verb)).collect();
        let as_json = |verb: &[&str]| lab.run(&[verb, &["--json"]].concat());
        let objects = verbs[..4].iter().map(|verb| as_json(verb)).collect();
        let cited = lab.run(&["cite", "experiment"]);
        Self {
            text: text.to_owned(),
            label,
            lab,
            run,
            said,
            objects,
            cited,
        }
    }

    fn read(&self, name: &str) -> String {
        let path = self.lab.path(name);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }
}

/// Characters of a text in the label of a solver [-].
const MOST_OF_LABEL: usize = 5_000;

/// Which of the marks of [`SPEC`] is that label.
const LABEL: usize = 3;

const SPEC: &str = r#"
title = @
question = @
[[problem]]
name = "pile"
use = "stack"
n = [1, 2]
law = "coulomb"
[[solver]]
use = "pgs"
label = @
[[solver]]
use = "block-gs"
[stop]
tolerance = 1e-6
metrics = ["natural_map"]
[[figure]]
id = "curves"
caption = @
plot = { convergence = { x = "sweeps" } }
[[table]]
id = "all"
caption = @
show = { cells = {} }
"#;

#[test]
fn texts_do_nothing_wherever_they_go() {
    let texts = texts();
    assert!(texts.len() >= 20 && SINKS.len() >= 6);
    let harmless = Outcome::of("harmless");
    assert_eq!(harmless.run.code, 0, "{}", harmless.run.stderr);
    let next = AtomicUsize::new(0);
    let refused = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some((what, text)) = texts.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let outcome = Outcome::of(text);
                    if outcome.run.code == 2 {
                        terminal(&outcome, &harmless);
                        refused.lock().expect("no panic").push(*what);
                        continue;
                    }
                    println!("{what}");
                    for (_, sink) in SINKS {
                        sink(&outcome, &harmless);
                    }
                }
            });
        }
    });
    let refused = refused.into_inner().expect("no panic");
    println!("refused: {refused:?}");
    assert!(
        refused.len() * 4 < texts.len(),
        "most are names: {refused:?}"
    );
}

/// The tags of a page or picture, each with the names of its attributes and what its links lead to.
fn tags(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        rest = &rest[start..];
        let mut quoted = false;
        let end = rest.char_indices().find(|(_, c)| {
            quoted ^= *c == '"';
            *c == '>' && !quoted
        });
        let (end, _) = end.expect("a tag is not closed");
        let tag = &rest[1..end];
        rest = &rest[end + 1..];
        if tag.starts_with('!') || tag.starts_with('/') {
            continue;
        }
        let mut pieces = tag.split('"');
        let mut shape = String::new();
        // names of attributes stand outside the quotes
        while let Some(outside) = pieces.next() {
            shape.push_str(outside.trim_end_matches('/').trim_end());
            let value = pieces.next().unwrap_or_default();
            if outside.ends_with("href=") || outside.ends_with("src=") {
                shape.push_str(value);
            }
        }
        found.insert(shape);
    }
    found
}

/// The page has the tags and the attributes of a harmless one; the part that is Markdown has some
/// more, none that does anything.
fn page(outcome: &Outcome, harmless: &Outcome) {
    let own = tags(&outcome.read("out/report.html"));
    let known = tags(&harmless.read("out/report.html"));
    let inert = [
        "h2",
        "h3",
        "ul",
        "li",
        "pre",
        "code",
        "p",
        "a href=#",
        "hr",
        "strong",
        "em",
        "ol",
        "blockquote",
        "br",
    ];
    for tag in own.difference(&known) {
        let picture = tag.starts_with("text ") || tag.starts_with("tspan") || tag.starts_with("td");
        // a heading of the page of Markdown has a place that the contents lead to, within the page
        let place = tag.starts_with("a href=#readme-") || matches!(&**tag, "h2 id=" | "h3 id=");
        assert!(
            picture || place || inert.contains(&tag.as_str()),
            "{:?}: <{tag}>",
            outcome.text
        );
    }
}

/// Every picture is XML with the elements of a harmless one.
fn pictures(outcome: &Outcome, harmless: &Outcome) {
    for name in ["out/figures/curves.svg", "compared/comparison.svg"] {
        let text = outcome.read(name);
        let names = |text: &str| -> BTreeSet<String> {
            let tags = tags(text).into_iter();
            tags.map(|tag| tag.split(' ').next().unwrap_or_default().to_owned())
                .collect()
        };
        let (own, known) = (names(&text), names(&harmless.read(name)));
        assert!(own.is_subset(&known), "{:?}: {own:?}", outcome.text);
        // XML knows three controls
        let forbidden = |c: char| {
            (c.is_control() && !matches!(c, '\n' | '\r' | '\t'))
                || matches!(c, '\u{fffe}' | '\u{ffff}')
        };
        assert!(!text.contains(forbidden), "{name}: {:?}", outcome.text);
    }
}

/// No cell of a table is a formula, and every line has all columns.
fn tables(outcome: &Outcome, harmless: &Outcome) {
    for name in [
        "out/records.csv",
        "out/summary.csv",
        "out/tables/all.csv",
        "out/figures/curves.csv",
        "compared/comparison.csv",
    ] {
        let rows = |outcome: &Outcome| -> Vec<csv::StringRecord> {
            let text = outcome.read(name);
            let mut reader = csv::ReaderBuilder::new();
            let mut reader = reader.has_headers(false).from_reader(text.as_bytes());
            reader
                .records()
                .map(|row| row.expect("a line of all columns"))
                .collect()
        };
        let own = rows(outcome);
        assert_eq!(
            own.len(),
            rows(harmless).len(),
            "{name}: {:?}",
            outcome.text
        );
        for cell in own.iter().flatten() {
            let number = cell.parse::<f64>().is_ok();
            let formula = cell.starts_with(['=', '+', '-', '@', '\t', '\r']);
            assert!(number || !formula, "{name}: {cell:?}");
        }
    }
}

/// Nothing moves the cursor, colours or turns text, or rings.
fn terminal(outcome: &Outcome, _: &Outcome) {
    for ran in outcome.said.iter().chain([&outcome.run, &outcome.cited]) {
        for text in [&ran.stdout, &ran.stderr] {
            let moves = |c: char| {
                (c.is_control() && c != '\n')
                    || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
            };
            let at = text.find(moves);
            let near = at.map(|at| text[..at].chars().rev().take(60).collect::<String>());
            assert!(at.is_none(), "{:.60?}: {near:?}", outcome.text);
            assert!(!text.contains("panicked"), "{text:.400}");
        }
    }
}

/// Every line is an object, and one of them holds the text as it is.
fn json(outcome: &Outcome, _: &Outcome) {
    let mut found = false;
    for ran in &outcome.objects {
        for object in ran.objects() {
            found |= holds(&object, &outcome.label);
        }
    }
    assert!(found, "{:.60?} is in no object", outcome.text);
}

fn holds(value: &Value, text: &str) -> bool {
    match value {
        Value::String(own) => own == text,
        Value::Array(items) => items.iter().any(|item| holds(item, text)),
        Value::Object(entries) => entries.values().any(|entry| holds(entry, text)),
        _ => false,
    }
}

/// The page of a bundle has one heading, its own tables and blocks of code, and no link, no image
/// and no tag.
fn markdown(outcome: &Outcome, harmless: &Outcome) {
    let page = |outcome: &Outcome| {
        let archive = fs::read(outcome.lab.path("bundle.zip")).expect("a bundle");
        let mut archive = zip::ZipArchive::new(std::io::Cursor::new(archive)).expect("an archive");
        let names: Vec<String> = archive
            .file_names()
            .map(|name| name.expect("a name").into_owned())
            .collect();
        for name in &names {
            let plain =
                |part: std::path::Component<'_>| matches!(part, std::path::Component::Normal(_));
            assert!(Path::new(name).components().all(plain), "{name}");
        }
        let name = names
            .iter()
            .find(|name| name.ends_with("/README.md") && name.matches('/').count() == 1);
        let mut file = archive.by_name(name.expect("a page")).expect("a page");
        let mut text = String::new();
        std::io::Read::read_to_string(&mut file, &mut text).expect("UTF-8");
        text
    };
    let (own, known) = (page(outcome), page(harmless));
    // the title is the first line of both
    assert_eq!(own.lines().count(), known.lines().count(), "{own:.400}");
    let mut lines = own.lines();
    let title = lines.next().expect("a title");
    assert!(lines.eq(known.lines().skip(1)), "{:.60?}", outcome.text);
    let mut escaped = false;
    for c in title.trim_start_matches("# ").chars() {
        assert!(
            escaped || !matches!(c, '<' | '[' | '!' | '`' | '*' | '|' | '&' | '#' | '$'),
            "{title:.200}"
        );
        escaped = c == '\\' && !escaped;
    }
}

/// What is cited has nothing to do with what things are called.
fn bibtex(outcome: &Outcome, harmless: &Outcome) {
    assert_eq!(outcome.cited.stdout, harmless.cited.stdout);
}

/// The files are those of a harmless spec, but for the keys of cells.
fn file_names(outcome: &Outcome, harmless: &Outcome) {
    let names = |outcome: &Outcome| {
        let mut names = BTreeSet::new();
        let mut folders = vec![outcome.lab.path("")];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).expect("a folder") {
                let path = entry.expect("an entry").path();
                let name = path
                    .file_name()
                    .expect("a name")
                    .to_string_lossy()
                    .into_owned();
                let key = name.split('.').next().is_some_and(|stem| stem.len() == 64);
                names.insert(if key { "KEY".to_owned() } else { name });
                if path.is_dir() {
                    folders.push(path);
                }
            }
        }
        names
    };
    assert_eq!(names(outcome), names(harmless), "{:.60?}", outcome.text);
}

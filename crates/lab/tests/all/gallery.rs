//! `docs/gallery.md`: every kind of figure and table that papers use, with the lines of
//! `experiments/29-gallery` that make it.
//!
//! The page is made of the specs and of the files in `docs/gallery`. After `delassus run` on both
//! specs, `UPDATE_GOLDEN=1 cargo test -p delassus-lab --test all gallery` takes the pictures and
//! tables of `results` over and writes the page.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::Lab;
use delassus_conformance::skip;

/// Specs and their results.
const SPECS: [(&str, &str); 2] = [
    ("experiment.toml", "29-gallery"),
    ("motion.toml", "29-gallery-motion"),
];

/// Kinds of figures and tables, by the identifiers that the specs give them.
const KINDS: [(&str, &str); 28] = [
    ("F1", "Residual against sweeps"),
    ("F2", "Residual against work or time"),
    ("F3", "A family of parameters"),
    ("F4", "Performance profile"),
    ("F5", "Targets within a budget"),
    ("F6", "Work and precision"),
    ("F7", "Speed and accuracy"),
    ("F8", "Drift against time"),
    ("F9", "Energy against time"),
    ("F10", "Substeps or sweeps"),
    ("F11", "Overlaps of contact points"),
    ("F12", "Jitter"),
    ("F13", "Scaling with contacts"),
    ("F14", "Threads"),
    ("F15", "Ratios of masses"),
    ("F16", "Self-convergence"),
    ("F17", "Bars with every value"),
    ("F18", "Boxes and violins"),
    ("F19", "Compared with a closed form"),
    ("F20", "Friction cones"),
    ("F21", "Strips of stills"),
    ("F22", "Properties of a problem set"),
    ("F23", "Predictability"),
    ("T1", "Time and quality"),
    ("T2", "Sets of problems"),
    ("T3", "Wins, ties and losses"),
    ("T4", "Properties of solvers"),
    ("T5", "Machine and versions"),
];
/// All pictures and tables together \[B\].
const MOST_BYTES: u64 = 1_500_000;
/// Rows of a table on the page.
const ROWS: usize = 8;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &str) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// One entry of a spec: its lines, and what they say.
struct Block {
    spec: &'static str,
    kind: String,
    lines: String,
    says: toml::Table,
}

/// The entries of a spec; they are divided by empty lines, and comments above them are left out.
fn blocks(spec: &'static str) -> Vec<Block> {
    let text = read(&format!("experiments/29-gallery/{spec}"));
    let block = |part: &str| {
        let lines: Vec<&str> = part.lines().filter(|line| !line.starts_with('#')).collect();
        let kind = lines.first()?.strip_prefix("[[")?.strip_suffix("]]")?;
        let lines = lines.join("\n");
        let mut whole: toml::Table = lines.parse().expect("an entry of a spec");
        let says = whole.remove(kind)?.as_array()?.first()?.as_table()?.clone();
        let kind = kind.to_owned();
        Some(Block {
            spec,
            kind,
            lines,
            says,
        })
    };
    text.split("\n\n").filter_map(block).collect()
}

impl Block {
    fn text(&self, key: &str) -> Option<&str> {
        self.says.get(key)?.as_str()
    }

    /// The name that figures choose a problem or scene by.
    fn name(&self) -> Option<&str> {
        let subject = matches!(self.kind.as_str(), "problem" | "scene");
        subject.then(|| self.text("name").or_else(|| self.text("use")))?
    }

    /// True for a figure or table of this kind: `F1` and `F1-bands` are both F1.
    fn is(&self, kind: &str) -> bool {
        let view = matches!(self.kind.as_str(), "figure" | "table" | "strip");
        let id = self.text("id").unwrap_or_default();
        view && id.split('-').next() == Some(kind)
    }

    /// First words of the problems or scenes that it chooses.
    fn chosen(&self) -> Vec<String> {
        let settings = ["plot", "show"]
            .iter()
            .find_map(|key| self.says.get(*key)?.as_table()?.values().next()?.as_table());
        let settings = settings.unwrap_or(&self.says);
        let names = ["problems", "scenes"]
            .iter()
            .filter_map(|key| settings.get(*key)?.as_array());
        let names = names
            .flatten()
            .filter_map(|name| name.as_str()?.split(' ').next());
        names.map(str::to_owned).collect()
    }
}

fn all_blocks() -> Vec<Block> {
    SPECS.iter().flat_map(|(spec, _)| blocks(spec)).collect()
}

/// The page.
fn page(all: &[Block]) -> String {
    let mut page = String::from(
        "# Gallery\n\nThis page shows every kind of figure and table that papers of this field use, with the lines of a spec that make it. The specs are \
         [experiment.toml](../experiments/29-gallery/experiment.toml), for frozen problems, and\n\
         [motion.toml](../experiments/29-gallery/motion.toml), for scenes in motion; [figures](figures.md) and \
         [tables](tables.md) list the keys of each kind. This command draws all of them:\n\n    \
         delassus run experiments/29-gallery/*.toml\n\n\
         After it, `UPDATE_GOLDEN=1 cargo test -p delassus-lab --test all gallery` writes this page. Problems are small and limits short: \
         the page shows the kinds and does not compare methods.\n\n",
    );
    for (kind, title) in KINDS {
        let _ = writeln!(page, "- [{kind}: {title}](#{})", anchor(kind, title));
    }
    for (kind, title) in KINDS {
        let _ = writeln!(page, "\n## {kind}: {title}");
        for block in all.iter().filter(|block| block.is(kind)) {
            page += &entry(block, all);
        }
    }
    page
}

/// What a heading is linked by.
fn anchor(kind: &str, title: &str) -> String {
    let heading = format!("{kind} {title}").to_lowercase();
    let letter = |c: char| c.is_ascii_alphanumeric() || c == ' ' || c == '-';
    heading
        .chars()
        .filter(|c| letter(*c))
        .collect::<String>()
        .replace(' ', "-")
}

/// A picture or table, its caption, and the lines of the spec.
fn entry(block: &Block, all: &[Block]) -> String {
    let id = block.text("id").expect("an identifier");
    let caption = block.text("caption").unwrap_or_default();
    let mut text = match block.kind.as_str() {
        "table" => format!("\n{}\n", table(&read(&format!("docs/gallery/{id}.csv")))),
        _ => format!("\n![{id}: {caption}](gallery/{id}.svg)\n"),
    };
    let _ = write!(text, "\n{caption}\n\n```toml\n{}\n", block.lines.trim());
    let chosen = block.chosen();
    let drawn = |other: &&Block| {
        let name = other.name().filter(|_| other.spec == block.spec);
        name.is_some_and(|name| chosen.iter().any(|own| own == name))
    };
    for other in all.iter().filter(drawn) {
        let _ = write!(text, "\n{}\n", other.lines.trim());
    }
    text += "```\n";
    text
}

/// The first rows of a table.
fn table(csv: &str) -> String {
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .from_reader(csv.as_bytes());
    let rows: Vec<csv::StringRecord> = reader.records().map(|row| row.expect("a row")).collect();
    let line = |row: &csv::StringRecord| {
        let cells: Vec<String> = row.iter().map(|cell| cell.replace('|', "\\|")).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let (head, rest) = rows.split_first().expect("a heading");
    let mut text = line(head) + &"|---".repeat(head.len()) + "|\n";
    text.extend(rest.iter().take(ROWS).map(line));
    match rest.len().checked_sub(ROWS).filter(|more| *more > 0) {
        Some(more) => text + &format!("\n{more} more rows."),
        None => text.trim_end().to_owned(),
    }
}

/// The file of an entry in `docs/gallery`, and where a run leaves it.
fn files(block: &Block) -> (String, String) {
    let id = block.text("id").expect("an identifier");
    let (folder, ending) = match block.kind.as_str() {
        "table" => ("tables", "csv"),
        _ => ("figures", "svg"),
    };
    let results = SPECS
        .iter()
        .find(|(spec, _)| *spec == block.spec)
        .expect("its spec")
        .1;
    (
        format!("docs/gallery/{id}.{ending}"),
        format!("results/{results}/{folder}/{id}.{ending}"),
    )
}

#[test]
fn the_page_shows_every_kind_with_the_lines_of_the_spec() {
    let all = all_blocks();
    let views = || {
        all.iter()
            .filter(|block| matches!(block.kind.as_str(), "figure" | "table" | "strip"))
    };
    let update = std::env::var_os("UPDATE_GOLDEN").is_some();
    if update {
        for block in views() {
            let (here, results) = files(block);
            fs::create_dir_all(root().join("docs/gallery")).expect("a folder");
            fs::copy(root().join(&results), root().join(&here))
                .unwrap_or_else(|e| panic!("{results}: {e}; run both specs first"));
        }
        fs::write(root().join("docs/gallery.md"), page(&all)).expect("written");
    }
    for (kind, _) in KINDS {
        assert!(views().any(|block| block.is(kind)), "{kind} is in no spec");
    }
    let known = |block: &&Block| KINDS.iter().any(|(kind, _)| block.is(kind));
    assert!(views().all(|block| known(&block)), "a view of no kind");
    let mut bytes = 0;
    for block in views() {
        let path = files(block).0;
        let text = read(&path);
        bytes += text.len() as u64;
        if path.ends_with(".svg") {
            // text is text, and there is something to see next to it
            assert!(
                text.starts_with("<svg") || text.starts_with("<?xml"),
                "{path}"
            );
            assert!(text.contains("<title") && text.contains("<text"), "{path}");
            assert!(text.contains("<poly") || text.contains("<path"), "{path}");
        }
    }
    assert!(bytes < MOST_BYTES, "{bytes} B");
    assert_eq!(
        read("docs/gallery.md"),
        page(&all),
        "UPDATE_GOLDEN=1 if this is meant"
    );
}

/// Compiles a paper with these figures and tables of the results in a folder, as the page on
/// publishing does; says so where there is no TeX.
fn compile(folder: &Path, views: &[(&str, &str)]) {
    let mut paper = String::from(
        "\\documentclass{article}\n\\usepackage[margin=18mm]{geometry}\n\\usepackage{graphicx,booktabs}\n\\begin{document}\n",
    );
    for (kind, id) in views {
        let place = if *kind == "table" {
            "tables"
        } else {
            "figures"
        };
        let _ = writeln!(paper, "\\input{{{place}/{id}}}\n\\clearpage");
    }
    paper += "\\end{document}\n";
    fs::write(folder.join("paper.tex"), paper).expect("written");
    let mut tex = Command::new("pdflatex");
    tex.args([
        "-interaction=nonstopmode",
        "-halt-on-error",
        "-no-shell-escape",
        "paper.tex",
    ]);
    match tex.current_dir(folder).output() {
        Ok(out) => {
            let said = String::from_utf8_lossy(&out.stdout);
            if said.contains(".sty' not found") {
                skip("gallery", "this TeX lacks geometry, graphicx or booktabs");
                return;
            }
            assert!(out.status.success(), "{said}");
            // a letter that a font lacks is left out without an error
            assert!(!said.contains("Missing character"), "{said}");
            // and what is wider than the page runs off it without one
            assert!(!said.contains("Overfull \\hbox"), "{said}");
            assert!(folder.join("paper.pdf").is_file());
            println!("compiled {} figures and tables", views.len());
        }
        Err(error) => skip("gallery", format!("no pdflatex here: {error}")),
    }
    for ending in ["tex", "pdf", "log", "aux"] {
        let _ = fs::remove_file(folder.join(format!("paper.{ending}")));
    }
}

#[test]
fn every_kind_is_drawn_again_byte_by_byte() {
    let lab = Lab::new();
    for (spec, _) in SPECS {
        // the same figures of shorter runs
        let text = read(&format!("experiments/29-gallery/{spec}"));
        let short = text
            .replace("seconds = 2.0", "seconds = 0.16")
            .replace("seconds = 5.0", "seconds = 0.16")
            .replace("max_sweeps = 3000", "max_sweeps = 200")
            .replace("frames = [0.0, 1.5, 3.0, 4.5]", "frames = [0.0, 0.1]");
        assert_ne!(short, text, "{spec}");
        lab.file(spec, &short);
        let run = lab.run(&["run", spec, "--out", "out", "--quiet", "--no-isolate"]);
        assert_eq!(run.code, 0, "{spec}: {}", run.stderr);
        let views = blocks(spec);
        let views = || {
            views
                .iter()
                .filter(|block| matches!(block.kind.as_str(), "figure" | "table" | "strip"))
        };
        let drawn = || -> Vec<(String, Vec<u8>)> {
            let path = |block: &Block| {
                files(block)
                    .1
                    .split('/')
                    .skip(2)
                    .collect::<Vec<_>>()
                    .join("/")
            };
            let file = |name: String| {
                let bytes = fs::read(lab.path(&format!("out/{name}")))
                    .unwrap_or_else(|e| panic!("{name}: {e}"));
                (name, bytes)
            };
            views().map(|block| file(path(block))).collect()
        };
        let first = drawn();
        for (name, bytes) in &first {
            let text = String::from_utf8_lossy(bytes);
            let empty = [
                "no finished cell",
                "no cell",
                "no solver attempted",
                "not measured here",
                "cannot be told apart",
            ];
            assert!(
                empty.iter().all(|why| !text.contains(why)),
                "{name} is empty"
            );
        }
        let names = views().map(|block| (block.kind.as_str(), block.text("id").expect("an id")));
        compile(&lab.path("out"), &names.collect::<Vec<_>>());
        fs::remove_dir_all(lab.path("out/figures")).expect("figures");
        let report = lab.run(&["report", "out"]);
        assert_eq!(report.code, 0, "{}", report.stderr);
        for ((name, before), (_, after)) in first.iter().zip(drawn()) {
            assert!(
                *before == after,
                "{name} is another one when it is drawn again"
            );
        }
        fs::remove_dir_all(lab.path("out")).expect("results");
    }
}

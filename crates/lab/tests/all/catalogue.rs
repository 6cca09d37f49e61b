//! `docs/solvers.md` and `docs/schemes.md`: what `delassus list` says of every solver and scheme,
//! as tables.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use delassus_registry::behind_features;
use serde_json::Value;

use crate::support::Lab;

/// What stands above the table of solvers.
const SOLVERS: &str = "\
# Solvers

All solvers of the program, in the order of `delassus list solvers`.
`delassus list solvers NAME` prints one of them with its parameters, limits and aliases, and
`delassus cite NAME` prints its papers as BibTeX. [Choosing](choosing.md) says which solver to take.

The columns:

- **laws**: the laws of contacts and joints that the solver solves exactly
  ([definitions](theory/01-problem.md)). A law with `~` is only approximated. \"Bodies only\": the
  solver does not support a problem that is given by its matrix.
- **numbers**: the precision of the iteration, and when equal inputs give equal bits. `bitwise`
  means on any processor and with any number of threads; `processor` means on processors with the
  same vector instructions; `none` promises nothing.
- **cost**: row updates per sweep, for m rows. \"m\" is one pass over the rows, \"m³\" a few dense
  factorizations, \"k\" a number of inner sweeps that a parameter sets.
- **theory**: the page, and the equations that the solver implements.
- **papers**: keys of [references.bib](references.bib).
";

/// What stands above the table of wrappers.
const WRAPPERS: &str = "\
## Solvers around solvers

A wrapper changes what another solver S does. Write `anderson(pgs)` where a solver is expected.
Wrappers can be nested, as in `--solver 'best-so-far(anderson(block-gs))'`
([theory](theory/26-wrappers.md)).
";

/// What stands above the table of presets.
const PRESETS: &str = "\
# Schemes and presets

A scheme advances a world of bodies, joints and contacts by one frame. The scheme `velocity` freezes
one problem per substep and solves it with any [solver](solvers.md). A preset is a named set of
values of its parameters. `delassus list presets NAME` prints all values of a preset, and
`delassus cite NAME` its papers. [Choosing](choosing.md) says which one to take.

## Presets of `velocity`

A preset that has the name of a program computes, row by row, what the source code of that program
computes. [Presets and their sources](theory/19-presets.md) compares both and lists the
[departures](theory/19-presets.md#departures).

Presets named after programs let the impulses of a contact act in the middle of the gap, as these
programs do (`contact_place = \"middle\"`). A ball that lands sliding then rolls on with 0.1 to 4.5 %
too little or too much speed ([table](theory/19-presets.md#lever-arms-order-warm-start)). With
`contact_place = \"surface\"`, the default of `velocity`, every preset keeps its angular momentum
about the contact.

The columns:

- **substeps**: substeps per frame.
- **sweeps**: sweeps of the solve in each substep, which removes a part of the position errors.
  \"+ n\" are the relax sweeps: a second solve, without that part, after the bodies have moved.
- **position errors**: the value of `stabilization`, by which the solve removes position errors, and
  the passes over the positions, if there are any.
- **papers**: keys of [references.bib](references.bib).
";

/// What stands above the table of schemes.
const SCHEMES: &str = "\
## Schemes

`delassus list schemes NAME` prints the parameters of a scheme.

- **solver**: \"any\" if the scheme solves its problems with a solver of your choice, \"own\" if it
  has a method of its own.
- **theory**: the page, and the equations that the scheme implements.
";

/// How both pages are made.
const MADE: &str = "\
The tests compare this page with the program. To write it anew, run
`UPDATE_GOLDEN=1 cargo test -p delassus-lab --test all catalogue`.
";

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

/// What the program lists.
fn list(what: &str) -> Vec<Value> {
    let ran = Lab::new().run(&["list", what, "--json"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    ran.objects()
}

fn text<'v>(entry: &'v Value, key: &str) -> &'v str {
    let value = entry[key].as_str();
    value.unwrap_or_else(|| panic!("{} has no {key}", entry["id"]))
}

fn texts(entry: &Value, key: &str) -> Vec<String> {
    let list = entry[key].as_array().expect("a list").iter();
    list.map(|item| item.as_str().expect("a text").to_owned())
        .collect()
}

/// The page of `docs/theory` that defines each equation.
fn pages_of_equations() -> BTreeMap<String, String> {
    let mut pages = BTreeMap::new();
    for entry in fs::read_dir(docs().join("theory")).expect("a folder") {
        let path = entry.expect("a file").path();
        let name = path.file_name().expect("a name").to_string_lossy();
        let page = fs::read_to_string(&path).expect("a page");
        for part in page.split("\\tag{").skip(1) {
            let number = part.split('}').next().unwrap_or_default();
            pages.insert(number.to_owned(), name.clone().into_owned());
        }
    }
    pages
}

/// The letter and the number of an equation.
fn split(equation: &str) -> (&str, u32) {
    let (letter, number) = equation.split_once('.').expect("an equation");
    (letter, number.parse().expect("a number"))
}

/// Equations with runs of three and more drawn together: `G.1–G.5, G.24`.
fn ranges(equations: &[&str]) -> String {
    let follows = |a: &str, b: &str| split(a).0 == split(b).0 && split(a).1 + 1 == split(b).1;
    let runs = equations.chunk_by(|a, b| follows(a, b));
    let shown = runs.map(|run| match run {
        [first, _, .., last] => format!("{first}–{last}"),
        short => short.join(", "),
    });
    shown.collect::<Vec<_>>().join(", ")
}

/// The pages of a method's equations, as links, each with its equations.
fn theory(entry: &Value, pages: &BTreeMap<String, String>) -> String {
    let equations = texts(entry, "theory");
    let equations: Vec<&str> = equations.iter().map(String::as_str).collect();
    let runs = equations.chunk_by(|a, b| pages[*a] == pages[*b]);
    let shown = runs.map(|run| {
        let page = &pages[run[0]];
        let number = page.split('-').next().unwrap_or(page);
        format!("[{number}](theory/{page}) {}", ranges(run))
    });
    shown.collect::<Vec<_>>().join("; ")
}

/// The name of a method, and the cargo feature that it needs.
fn name(entry: &Value) -> String {
    let id = text(entry, "id");
    match behind_features().find(|(name, _)| *name == id) {
        Some((_, feature)) => format!("`{id}` (feature `{feature}`)"),
        None => format!("`{id}`"),
    }
}

/// A table with a heading.
fn table(heading: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let line = |cells: &[String]| {
        let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let heading: Vec<String> = heading.iter().map(|cell| (*cell).to_owned()).collect();
    let mut text = line(&heading) + &"|---".repeat(heading.len()) + "|\n";
    text.extend(rows.map(|cells| line(&cells)));
    text
}

/// Which solvers let the rows of a block share compliance.
fn compliance(solvers: &[&Value]) -> String {
    let rows_only = solvers.iter().filter(|s| s["coupled_compliance"] == false);
    let names: Vec<String> = rows_only
        .map(|s| format!("- `{}`\n", text(s, "id")))
        .collect();
    format!(
        "All solvers support compliance per row. All but these also support compliance that couples the\n\
         rows of a block:\n\n{}",
        names.concat()
    )
}

fn solvers_page() -> String {
    let (all, pages) = (list("solvers"), pages_of_equations());
    let (wrappers, solvers): (Vec<&Value>, Vec<&Value>) =
        all.iter().partition(|entry| entry["wrapper"].is_string());
    let what = |s: &Value| format!("{}. {}", text(s, "name"), text(s, "summary"));
    let papers = |s: &Value| texts(s, "citations").join(", ");
    let laws = |s: &Value| {
        let bodies = if s["needs_bodies"] == true {
            "; bodies only"
        } else {
            ""
        };
        format!("{}{bodies}", text(s, "laws_in_words"))
    };
    let rows = solvers.iter().map(|s| {
        vec![
            name(s),
            what(s),
            laws(s),
            format!("{}, {}", text(s, "precision"), text(s, "determinism")),
            text(s, "cost").to_owned(),
            theory(s, &pages),
            papers(s),
        ]
    });
    let heading = ["solver", "what it does", "laws", "numbers", "cost"];
    let heading = [&heading[..], &["theory", "papers"]].concat();
    let around = wrappers.iter().map(|s| {
        vec![
            name(s),
            what(s),
            text(s, "laws_in_words").to_owned(),
            text(s, "cost").to_owned(),
            theory(s, &pages),
            papers(s),
        ]
    });
    let outer = [
        "wrapper",
        "what it does",
        "laws",
        "cost",
        "theory",
        "papers",
    ];
    [
        SOLVERS.to_owned(),
        table(&heading, rows),
        compliance(&solvers),
        WRAPPERS.to_owned(),
        table(&outer, around),
        MADE.to_owned(),
    ]
    .join("\n")
}

/// The default of a parameter, as a text.
fn default(entry: &Value, parameter: &str) -> String {
    let list = entry["parameters"].as_array().expect("a list");
    let found = list.iter().find(|doc| doc["name"] == parameter);
    match &found.unwrap_or_else(|| panic!("no {parameter}"))["default"] {
        Value::String(value) => value.clone(),
        other => other.to_string(),
    }
}

/// How a preset removes position errors.
fn position_errors(preset: &Value) -> String {
    let solve = format!("`{}`", default(preset, "stabilization"));
    let time = default(preset, "position_time");
    match default(preset, "position_sweeps").as_str() {
        "0" => solve,
        "1" => format!("{solve}, 1 pass per {time}"),
        passes => format!("{solve}, {passes} passes per {time}"),
    }
}

fn schemes_page() -> String {
    let (presets, schemes, pages) = (list("presets"), list("schemes"), pages_of_equations());
    let rows = presets.iter().map(|preset| {
        assert_eq!(text(preset, "preset_of"), "velocity");
        let sweeps = match default(preset, "relax_sweeps").as_str() {
            "0" => default(preset, "sweeps"),
            relax => format!("{} + {relax}", default(preset, "sweeps")),
        };
        vec![
            name(preset),
            text(preset, "summary").to_owned(),
            default(preset, "substeps"),
            sweeps,
            position_errors(preset),
            texts(preset, "citations").join(", "),
        ]
    });
    let of_presets = ["preset", "what it does", "substeps", "sweeps"];
    let of_presets = [&of_presets[..], &["position errors", "papers"]].concat();
    let others = schemes.iter().map(|scheme| {
        let any = scheme["uses_solver"] == true;
        vec![
            name(scheme),
            text(scheme, "summary").to_owned(),
            if any { "any" } else { "own" }.to_owned(),
            theory(scheme, &pages),
            texts(scheme, "citations").join(", "),
        ]
    });
    let of_schemes = ["scheme", "what it does", "solver", "theory", "papers"];
    [
        PRESETS.to_owned(),
        table(&of_presets, rows),
        SCHEMES.to_owned(),
        table(&of_schemes, others),
        MADE.to_owned(),
    ]
    .join("\n")
}

/// Compares a page with what it should be, or writes it.
fn compare(page: &str, expected: &str) {
    let path = docs().join(page);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, expected).expect("written");
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    let differs = written.lines().zip(expected.lines()).find(|(a, b)| a != b);
    assert!(
        written == expected,
        "docs/{page} differs from the program, first in {differs:?}; UPDATE_GOLDEN=1 if this is meant"
    );
}

#[test]
fn the_page_of_solvers_agrees_with_the_program() {
    compare("solvers.md", &solvers_page());
}

#[test]
fn the_page_of_schemes_agrees_with_the_program() {
    compare("schemes.md", &schemes_page());
}

/// The README shows a few of them: each row begins with a name that the program has.
#[test]
fn every_method_in_the_tables_of_the_readme_exists() {
    let readme = fs::read_to_string(docs().join("../README.md")).expect("a README");
    let all = ["solvers", "presets", "schemes"].map(list).concat();
    let rows: Vec<&str> = readme
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split('`').next())
        .collect();
    assert!(rows.len() >= 10, "only {rows:?}");
    for row in rows {
        let known = all.iter().any(|entry| text(entry, "id") == row);
        assert!(known, "there is no {row}");
    }
}

#[test]
fn the_page_of_folders_names_every_crate() {
    let page = fs::read_to_string(docs().join("layout.md")).expect("a page");
    let crates = fs::read_dir(docs().join("../crates")).expect("a folder");
    for entry in crates.map(|entry| entry.expect("a folder")) {
        let name = format!("`crates/{}`", entry.file_name().to_string_lossy());
        assert!(page.contains(&name), "docs/layout.md does not name {name}");
    }
}

#[test]
fn runs_of_equations_are_drawn_together() {
    let of = |list: &[&str]| ranges(list);
    assert_eq!(of(&["G.1", "G.2", "G.3", "G.24"]), "G.1–G.3, G.24");
    assert_eq!(of(&["G.1", "G.2", "W.3"]), "G.1, G.2, W.3");
    assert_eq!(of(&[]), "");
}

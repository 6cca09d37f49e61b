//! `data`: tables of a results folder for other programs, and what a paper takes with it.

use std::fs;
use std::process::Command;

use delassus_conformance::skip;

use crate::support::Lab;

const PYTHON: &str = "python_opens_the_tables_with_the_lines_of_the_documentation";

const SPEC: &str = r#"
title = "Two cells"
[[problem]]
use = "chain"
n = [3, 4]
[[solver]]
use = "pgs"
[stop]
tolerance = 1e-10
[[figure]]
id = "own"
caption = "Residual, 100 % of it"
plot = { convergence = { x = "row_updates", y = "natural_map" } }
[[table]]
id = "all"
caption = "Everything."
show = { cells = {} }
"#;

/// A laboratory with results in `out`.
fn ran() -> Lab {
    let lab = Lab::new();
    lab.file("two.toml", SPEC);
    let run = lab.run(&["run", "two.toml", "--out", "out", "--quiet"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    lab
}

#[test]
fn tables_are_written_for_data_frames() {
    let lab = ran();
    let first = lab.run(&["data", "out"]);
    assert_eq!(first.code, 0, "{}", first.stderr);
    for name in ["records", "summary"] {
        assert!(
            first.stdout.contains(&format!("{name}.parquet\n")),
            "{}",
            first.stdout
        );
        let path = lab.path(&format!("out/{name}.parquet"));
        let bytes = fs::read(&path).expect(name);
        assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"));
        assert_eq!(lab.run(&["data", "out"]).code, 0);
        assert_eq!(fs::read(&path).expect(name), bytes);
    }
    // CSV is what lies next to the results
    assert_eq!(
        lab.run(&["data", "out", "--format", "csv", "--out", "a/b"])
            .code,
        0
    );
    for name in ["records.csv", "summary.csv"] {
        let [here, there] = ["out", "a/b"]
            .map(|folder| fs::read(lab.path(&format!("{folder}/{name}"))).expect(name));
        assert_eq!(here, there, "{name}");
    }
    let said = lab.run(&["data", "out", "--json"]);
    assert!(
        said.stdout.contains("\"schema\":\"summary/1\",\"rows\":2"),
        "{}",
        said.stdout
    );
    assert_eq!(lab.run(&["data", "nowhere"]).code, 2);
}

/// What the documentation says, with what must come of it: a library, and lines for Python.
const LINES: [(&str, &str); 4] = [
    (
        "polars",
        "import polars\nt = polars.read_parquet(\"out/summary.parquet\")\nassert t[\"sweeps\"].to_list() == SWEEPS and t[\"solver\"].to_list() == [\"pgs\"] * 2",
    ),
    (
        "pandas",
        "import pandas\nt = pandas.read_parquet(\"out/summary.parquet\")\nassert list(t[\"sweeps\"]) == SWEEPS and list(t[\"problem\"]) == NAMES",
    ),
    (
        "numpy",
        "import numpy\nt = numpy.load(\"out/summary.npz\")\nassert list(t[\"sweeps\"]) == SWEEPS and list(t[\"problem\"]) == NAMES\nassert t[\"sweeps\"].dtype.kind == \"i\" and t[\"natural_map\"].dtype.kind == \"f\" and (t[\"natural_map\"] <= 1e-10).all()",
    ),
    (
        "numpy",
        "import numpy\nt = numpy.load(\"out/summary.npz\")\nx = numpy.load(\"out/impulses.npz\")\nassert sorted(x.files) == sorted(t[\"cell\"])\nfor i in range(2):\n  assert (x[t[\"cell\"][i]] == numpy.fromfile(\"out/cells/\" + t[\"cell\"][i] + \".impulses\")).all() and x[t[\"cell\"][i]].shape == (t[\"rows\"][i],)",
    ),
];

#[test]
fn python_opens_the_tables_with_the_lines_of_the_documentation() {
    let lab = ran();
    for format in ["parquet", "npz"] {
        let written = lab.run(&["data", "out", "--format", format]);
        assert_eq!(written.code, 0, "{}", written.stderr);
    }
    let archive = fs::read(lab.path("out/impulses.npz")).expect("an archive");
    assert!(archive.starts_with(b"PK\x03\x04"));
    assert_eq!(lab.run(&["data", "out", "--format", "npz"]).code, 0);
    assert_eq!(
        fs::read(lab.path("out/impulses.npz")).expect("again"),
        archive
    );
    let summary = fs::read_to_string(lab.path("out/summary.csv")).expect("a table");
    let mut reader = csv::Reader::from_reader(summary.as_bytes());
    let column = |name: &str, header: &csv::StringRecord| {
        header.iter().position(|h| h == name).expect("a column")
    };
    let header = reader.headers().expect("a header").clone();
    let rows: Vec<csv::StringRecord> = reader.records().map(|row| row.expect("a row")).collect();
    let all = |name: &str| {
        rows.iter()
            .map(|row| row[column(name, &header)].to_owned())
            .collect::<Vec<_>>()
    };
    let head = format!(
        "SWEEPS = [{}]\nNAMES = {:?}\n",
        all("sweeps").join(", "),
        all("problem")
    );
    for (library, lines) in LINES {
        let mut python = Command::new("python3");
        python
            .args(["-c", &format!("{head}{lines}")])
            .current_dir(lab.path("."));
        match python.output() {
            Ok(out) if out.status.success() => {}
            Ok(out) if String::from_utf8_lossy(&out.stderr).contains("ModuleNotFoundError") => {
                skip(PYTHON, format!("this Python has no {library}"));
            }
            Ok(out) => panic!("{library}: {}", String::from_utf8_lossy(&out.stderr)),
            Err(error) => skip(PYTHON, format!("no Python here: {error}")),
        }
    }
}

#[test]
fn impulses_that_are_not_those_of_the_record_are_refused() {
    let lab = ran();
    let folder = fs::read_dir(lab.path("out/cells")).expect("cells");
    let mut files = folder.map(|entry| entry.expect("a file").path());
    let file = files.find(|path| path.extension().is_some_and(|e| e == "impulses"));
    fs::write(file.expect("impulses"), [0_u8; 24]).expect("written");
    let refused = lab.run(&["data", "out", "--format", "npz", "--out", "arrays"]);
    assert_eq!(refused.code, 6, "{}", refused.stderr);
    assert!(
        refused.stderr.contains("delassus fsck"),
        "{}",
        refused.stderr
    );
    assert!(!lab.path("arrays/impulses.npz").exists());
}

#[test]
fn a_paper_finds_pictures_captions_tables_and_references() {
    let lab = ran();
    let read = |name: &str| fs::read_to_string(lab.path(&format!("out/{name}"))).expect(name);
    let figure = read("figures/own.tex");
    for part in [
        "\\includegraphics{figures/own.pdf}",
        "\\caption{Residual, 100 \\% of it. n = 2 cells: 2 problems, 1 method.",
        "\\label{fig:own}",
    ] {
        assert!(figure.contains(part), "{part} in {figure}");
    }
    assert!(read("tables/all.tex").contains("\\label{tab:all}"));
    let references = read("references.bib");
    let cited = lab.run(&["cite", "two.toml"]).stdout;
    assert!(
        !cited.is_empty() && references.trim() == cited.trim(),
        "{references}"
    );
    let pdf = fs::read(lab.path("out/figures/own.pdf")).expect("a page");
    assert!(pdf.starts_with(b"%PDF-1.7"));
    // both widths where they are asked for, and no longer where they are not
    let widths = ["report", "out", "--width", "column", "--width", "page"];
    assert_eq!(lab.run(&widths).code, 0);
    let [column, page] = ["84mm", "174mm"].map(|width| read(&format!("figures/own-{width}.svg")));
    assert!(
        column.contains("width=\"83.99mm\"") || column.contains("width=\"84.00mm\""),
        "{:.200}",
        column
    );
    assert_eq!(page, read("figures/own.svg"));
    assert!(lab.path("out/figures/own-84mm.pdf").is_file());
    assert_eq!(lab.run(&["report", "out"]).code, 0);
    assert!(!lab.path("out/figures/own-84mm.pdf").exists());
    let plot = ["plot", "out", "--width", "column", "--out", "own.pdf"];
    assert_eq!(lab.run(&plot).code, 0);
    assert!(
        fs::read(lab.path("own.pdf"))
            .expect("a page")
            .starts_with(b"%PDF")
    );
}

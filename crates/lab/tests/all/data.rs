//! `data`: tables of a results folder for other programs, and what a paper takes with it.

use std::fs;

use crate::support::Lab;

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
    // CSV is what lies beside the results
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

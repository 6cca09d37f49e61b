use super::*;
use crate::tables::{Column, Section, build};
use crate::testing::{chains, realistic, tables};
use delassus_skips::skip;

/// Asserts that braces, environments and columns of a file are balanced, as far as that can be seen
/// without TeX.
fn balanced(tex: &str) {
    let mut depth = 0;
    let mut escaped = false;
    for c in tex.chars() {
        match (escaped, c) {
            (false, '{') => depth += 1,
            (false, '}') => depth -= 1,
            _ => {}
        }
        escaped = !escaped && c == '\\';
        assert!(depth >= 0, "{tex}");
    }
    assert_eq!(depth, 0, "{tex}");
    let of =
        |mark: &str, environment: &str| tex.matches(&format!("\\{mark}{{{environment}}}")).count();
    let tables = of("begin", "table");
    assert!(tables > 0, "{tex}");
    assert_eq!(tables, of("end", "table"), "{tex}");
    // a text of several lines is a table of its own
    let inner = tex.matches("\\begin{tabular}[").count();
    for mark in ["begin", "end"] {
        assert_eq!(of(mark, "tabular"), tables + inner, "\\{mark} in {tex}");
    }
    for part in tex.split("\\begin{table}").skip(1) {
        let form = part.split("\\begin{tabular}{").nth(1).expect("columns");
        let columns = form
            .lines()
            .next()
            .expect("a line")
            .matches(['l', 'r'])
            .count();
        let body = part.split("\\toprule\n").nth(1).expect("a body");
        for row in body.lines().take_while(|line| !line.contains("bottomrule")) {
            if !row.contains(" \\\\") || row.contains("\\emph{") {
                continue;
            }
            let bare = row.replace("\\&", "");
            assert_eq!(bare.matches('&').count() + 1, columns, "{row}");
        }
    }
}

#[test]
fn every_kind_is_balanced_and_has_its_caption() {
    for run in [realistic(), chains()] {
        for spec in tables() {
            let table = build(&run, &spec);
            let tex = to_latex(&table, &spec.id, &spec.caption);
            balanced(&tex);
            assert!(tex.contains(&format!("\\label{{tab:{}}}", spec.id)));
            assert!(tex.contains(&format!("\\caption{{The {} table.", spec.id)));
        }
    }
}

#[test]
fn the_best_are_bold_and_failures_are_counted() {
    let mut best: Cell = CellValue::Number(1.5e-9).into();
    best.best = true;
    let failed = || CellValue::Ending("max_sweeps".to_owned()).into();
    let table = Table::plain(
        vec![
            Column::text("problem"),
            Column::numeric("pgs [s]"),
            Column::numeric("empty"),
        ],
        vec![
            vec![Cell::text("a"), best, CellValue::Empty.into()],
            vec![Cell::text("b"), failed(), CellValue::Empty.into()],
            vec![Cell::text("c"), failed(), CellValue::Empty.into()],
        ],
        ["Median of `seconds`.".to_owned()],
    );
    let tex = to_latex(&table, "t", "Times.");
    balanced(&tex);
    assert!(
        tex.contains("& \\multicolumn{1}{r}{pgs {[}ns{]}} \\\\")
            && tex.contains("a & {\\boldmath\\textbf{1.500}} \\\\"),
        "{tex}"
    );
    // how a run ended stands in its cell, as in the CSV
    assert!(
        tex.contains("b & max sweeps \\\\") && tex.contains("without a value & –(2) \\\\"),
        "{tex}"
    );
    assert!(tex.contains("\\caption{Times. 3 rows, 2 with a method that did not get there.}"));
    // a status in words is no dash
    let words = vec![Column::text("problem"), Column::text("status")];
    let words = Table::plain(words, vec![vec![Cell::text("a"), failed()]], []);
    let words = to_latex(&words, "t", "Ends.");
    assert!(words.contains("\\caption{Ends. 1 row.}"), "{words}");
    assert!(!tex.contains("empty") && tex.contains("Median of \\texttt{seconds}."));
}

#[test]
fn hostile_names_are_letters() {
    let name = "\\end{table}\\input{/etc/passwd}%$&#_~^{}<>|\"`'--?`!` \u{7}\u{202e}漢";
    let table = Table {
        columns: vec![Column::text(name), Column::numeric(name)],
        sections: vec![Section {
            title: name.to_owned(),
            rows: vec![vec![
                Cell::text(name),
                CellValue::Ending(name.to_owned()).into(),
            ]],
        }],
        notes: vec![name.to_owned()],
    };
    let tex = to_latex(&table, name, name);
    balanced(&tex);
    assert!(!tex.contains("\\input") && !tex.contains('\u{7}'));
    assert!(tex.contains("\\label{tab:-end-table--input-"));
}

/// A table of so many rows with long labels.
fn long(rows: usize) -> Table {
    let label =
        |i: usize| format!("soft-step(block-gs) substeps={i} relax_sweeps=2 position_passes=1");
    let row = |i: usize| {
        vec![
            Cell::text(label(i)),
            Cell::size(i),
            Cell::text(label(i + 1)),
        ]
    };
    let columns = vec![
        Column::text("method"),
        Column::numeric("row updates to the tolerance, median [-]"),
        Column::text("against"),
    ];
    let rows: Vec<Vec<Cell>> = (0..rows).map(row).collect();
    Table::plain(columns, rows, ["A note.".to_owned()])
}

#[test]
fn a_table_that_is_longer_than_a_page_has_parts_with_headings() {
    let row = |i: usize| vec![Cell::size(i)];
    let of =
        |rows: usize| Table::plain(vec![Column::numeric("n")], (0..rows).map(row).collect(), []);
    let tex = to_latex(&of(100), "n", "");
    balanced(&tex);
    assert_eq!(tex.matches("\\begin{table}").count(), 3, "{tex}");
    assert_eq!(
        tex.matches("\\multicolumn{1}{r}{n} \\\\").count(),
        3,
        "{tex}"
    );
    assert_eq!(tex.matches("\\label{").count(), 1);
    assert!(tex.contains("\\addtocounter{table}{-1}\n  \\caption[]{Continued, 3 of 3.}"));
    for i in 0..100 {
        assert_eq!(
            tex.matches(&format!("    {i} \\\\\n")).count(),
            1,
            "row {i}"
        );
    }
    // a short one is one, and so is one without rows
    for rows in [0, 30] {
        let tex = to_latex(&of(rows), "n", "");
        assert_eq!(tex.matches("\\begin{table}").count(), 1, "{rows}");
        balanced(&tex);
    }
    // a very long one says what it leaves out
    let tex = to_latex(&of(1000), "n", "");
    balanced(&tex);
    assert_eq!(tex.matches("\\begin{table}").count(), 12);
    let shown = (0..1000)
        .filter(|i| tex.contains(&format!("    {i} \\\\\n")))
        .count();
    let said = format!("1000 rows. The first {shown} rows are shown; all are in the data.");
    assert!(shown < 1000 && tex.contains(&said), "{shown}");
}

#[test]
fn labels_are_broken_into_lines_where_a_table_is_too_wide() {
    let tex = to_latex(&long(2), "t", "");
    balanced(&tex);
    let first = tex
        .lines()
        .find(|line| line.contains("substeps=0"))
        .expect("a row");
    let lines: Vec<&str> = first.split("\\\\").collect();
    assert!(lines.len() > 3, "{first}");
    let label = "\\begin{tabular}[t]{@{}l@{}}soft-step(block-gs)";
    assert!(first.trim().starts_with(label), "{first}");
    // one that fits is not
    let one = Table::plain(
        vec![Column::text("a")],
        vec![vec![Cell::text("soft-step substeps=4")]],
        [],
    );
    assert!(to_latex(&one, "t", "").contains("\n    soft-step substeps=4 \\\\\n"));
}

#[test]
fn lines_end_where_words_do_or_signs() {
    let of = |text: &str, most: usize| lines(text, most).join("|");
    assert_eq!(of("3 / 1 / 2, p = 1.4e−8", 12), "3 / 1 / 2,|p = 1.4e−8");
    assert_eq!(
        of("best-so-far(anderson(psor))", 15),
        "best-so-far(|anderson(psor))"
    );
    assert_eq!(
        of(&"0123456789abcdef".repeat(2), 14),
        "0123456789abcd|ef0123456789ab|cdef"
    );
    assert_eq!(of("", 5), "");
}

#[test]
fn probabilities_are_formulas() {
    let cell = Cell::text("3 / 1 / 2, p = 1.4e−8");
    let table = Table::plain(vec![Column::numeric("pgs")], vec![vec![cell]], []);
    let tex = to_latex(&table, "t", "");
    assert!(
        tex.contains("3 / 1 / 2, p = $1.4\\cdot10^{-8}$ \\\\"),
        "{tex}"
    );
}

#[test]
fn headings_and_hashes_are_broken_into_lines() {
    let hash = "0123456789abcdef".repeat(6);
    let columns = [
        Column::text("what"),
        Column::numeric("time to the tolerance, mean [s]"),
        Column::text("value"),
    ];
    let row = vec![Cell::text("a"), Cell::number(Some(2.0)), Cell::text(&hash)];
    let table = Table::plain(columns.to_vec(), vec![row], []);
    let tex = to_latex(&table, "t", "");
    balanced(&tex);
    let heading =
        "\\begin{tabular}[b]{@{}r@{}}time to the\\\\tolerance,\\\\mean {[}s{]}\\end{tabular}";
    assert!(tex.contains(heading), "{tex}");
    assert!(
        tex.contains("& \\begin{tabular}[t]{@{}l@{}}0123456789abcdef"),
        "{tex}"
    );
}

#[test]
fn tex_takes_every_kind_and_every_hostile_name_where_there_is_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut paper = String::from(
        "\\documentclass{article}\n\\usepackage{booktabs,graphicx}\n\\begin{document}\n",
    );
    for run in [realistic(), chains()] {
        for spec in tables() {
            paper += &to_latex(&build(&run, &spec), &spec.id, &spec.caption);
            paper += "\\clearpage\n";
        }
    }
    paper += &to_latex(&long(150), "long", "A long table.");
    paper += "\\clearpage\n";
    paper += "\\typeout{HOSTILE NAMES}\n";
    let every: String = (' '..='~').collect();
    let cells = [
        every.as_str(),
        "\\input{x}",
        "λ ≤ 10⁻⁸ · µ ‖v‖∞ ± 2 √3 → 漢",
        "Gauß–Seidel, Müller…",
    ];
    let rows = cells.map(|text| vec![Cell::text(text)]).to_vec();
    let table = Table::plain(
        vec![Column::text(every.as_str())],
        rows,
        cells.map(str::to_owned),
    );
    paper += &to_latex(&table, "hostile", &every);
    paper += "\\end{document}\n";
    std::fs::write(folder.path().join("paper.tex"), paper).expect("written");
    let mut tex = std::process::Command::new("pdflatex");
    tex.args([
        "-interaction=nonstopmode",
        "-halt-on-error",
        "-no-shell-escape",
        "paper.tex",
    ]);
    match tex.current_dir(folder.path()).output() {
        Ok(out) => {
            let said = String::from_utf8_lossy(&out.stdout);
            let lacks = said.contains(".sty' not found");
            // no table of a run is wider than the lines of the text; hostile words have no breaks
            let kinds = said.split("HOSTILE NAMES").next().unwrap_or_default();
            assert!(!kinds.contains("Overfull \\hbox"), "{kinds}");
            // and none is longer than a page
            assert!(!kinds.contains("Float too large"), "{kinds}");
            if lacks {
                skip(
                    "tex_takes_every_kind_and_every_hostile_name_where_there_is_one",
                    "this TeX lacks booktabs or graphicx",
                );
            }
            assert!(out.status.success() || lacks, "{said}");
            assert!(lacks || folder.path().join("paper.pdf").is_file());
        }
        Err(error) => skip(
            "tex_takes_every_kind_and_every_hostile_name_where_there_is_one",
            format!("no pdflatex here: {error}"),
        ),
    }
}

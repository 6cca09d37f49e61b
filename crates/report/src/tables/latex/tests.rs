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
    for environment in ["table", "tabular"] {
        for mark in ["begin", "end"] {
            let found = tex.matches(&format!("\\{mark}{{{environment}}}")).count();
            // a heading of several lines is a table of its own
            let inner = tex.matches("\\begin{tabular}[b]").count();
            let inner = inner * usize::from(environment == "tabular");
            assert_eq!(found, 1 + inner, "\\{mark}{{{environment}}} in {tex}");
        }
    }
    let form = tex.split("\\begin{tabular}{").nth(1).expect("columns");
    let form = form.lines().next().expect("a line");
    let form = form
        .replace("p{0.3\\linewidth}", "l")
        .replace("p{0.6\\linewidth}", "l");
    let columns = form.matches(['l', 'r']).count();
    let body = tex.split("\\toprule\n").nth(1).expect("a body");
    for row in body.lines().take_while(|line| !line.contains("bottomrule")) {
        if !row.contains(" \\\\") || row.contains("\\emph{") {
            continue;
        }
        let bare = row.replace("\\&", "");
        assert_eq!(bare.matches('&').count() + 1, columns, "{row}");
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

#[test]
fn long_tables_say_what_they_leave_out() {
    let row = |i: usize| vec![Cell::size(i)];
    let rows = (0..100).map(row).collect();
    let tex = to_latex(&Table::plain(vec![Column::numeric("n")], rows, []), "n", "");
    balanced(&tex);
    assert!(tex.contains("100 rows. The first 60 rows are shown") && !tex.contains("    60 \\\\"));
    // no rows at all are a table as well
    balanced(&to_latex(
        &Table::plain(vec![Column::text("n")], Vec::new(), []),
        "n",
        "",
    ));
}

#[test]
fn headings_are_broken_into_lines_and_hashes_into_pieces() {
    let hash = "0123456789abcdef".repeat(4);
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
    assert!(tex.contains("\\sloppy 0123\\allowbreak{}4567"), "{tex}");
    assert!(
        tex.contains("{!}{%\n  \\begin{tabular}{lrp{0.3\\linewidth}}\n"),
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

use super::*;
use crate::origin::Origin;
use crate::record::SolverLabel;
use crate::testing::{
    HOSTILE, assert_well_formed, bundle, cell, chains, decay, of_solves, over_time_figures,
    realistic, report, trajectories,
};
use delassus_core::Status;
use delassus_records::{build::Build, machine::MachineInfo};
use delassus_replay::page::{self, PageCell, PageSeries};
use std::fs;

fn written(report: &Report) -> (tempfile::TempDir, String) {
    let dir = tempfile::tempdir().expect("a folder");
    write(report, dir.path()).expect("a report");
    let page = fs::read_to_string(dir.path().join("report.html")).expect("the page");
    (dir, page)
}

/// The page without its head, whose void elements are not XML.
fn body(page: &str) -> &str {
    let start = page.find("<body>").expect("a body");
    page[start..].trim_end().trim_end_matches("</html>")
}

#[test]
fn the_page_is_one_file_with_everything_in_it() {
    let run = report(realistic());
    let (dir, page) = written(&run);
    assert_well_formed(body(&page));
    // tests/browser.sh opens the page in a browser
    if let Some(pages) = std::env::var_os("DELASSUS_PAGES") {
        let folder = Path::new(&pages).join("realistic");
        fs::create_dir_all(&folder).expect("a folder");
        fs::write(folder.join("report.html"), &page).expect("the page");
    }
    for text in [
        &run.bundle.title,
        &run.bundle.question,
        &run.bundle.command,
        "Overview",
        "Figure 1.",
        "Table 4.",
        "0123abc",
        "n = [2, 5, 10]",
        "Which is best?",
        "the matrix is not symmetric: 0.27",
        "\"<a href=\"#table-cells\">cells</a>\"",
        "<a href=\"#table-cells-r1-c6\">254</a>",
        "<a href=\"#figure-rates-r1-c5\">0.93</a>",
        "<a href=\"#table-cells-r2-c6\">190≠</a>",
        "id=\"table-cells-r2-c6\">183</td>",
        "2 are those of their cells, 1 not",
    ] {
        assert!(page.contains(text), "{text}");
    }
    assert_eq!(page.matches("<svg ").count(), run.figures.len());
    assert!(page.len() < 2_000_000, "{}", page.len());
    // nothing is fetched
    for outside in ["<img", "<iframe", "@import", "url(http", "src="] {
        assert!(!page.contains(outside), "{outside}");
    }
    assert_eq!(page.matches("<link").count(), 1, "an icon that is none");
    let numbers = page.matches("<script type=\"application/json\"").count();
    assert!(numbers > 0 && page.matches("<script").count() == numbers + 2);
    for spec in &run.figures {
        let svg = fs::read_to_string(dir.path().join(format!("figures/{}.svg", spec.id)));
        assert_well_formed(&svg.expect("a figure"));
    }
    for spec in &run.tables {
        assert!(dir.path().join(format!("tables/{}.csv", spec.id)).is_file());
    }
}

#[test]
fn what_is_not_supported_has_one_word() {
    let mut over_time = report(trajectories());
    over_time.figures = over_time_figures();
    over_time.tables.clear();
    let mut solves = report(realistic());
    solves.figures.extend(of_solves());
    for run in [solves, over_time] {
        let (_dir, page) = written(&run);
        let start = page.find("<main").expect("what is said");
        let said = page[start..].to_lowercase();
        assert!(said.contains("unsupported"));
        for other in [
            "refus",
            "not taken",
            "not supported",
            "not take ",
            "skipped",
        ] {
            let place = said.find(other);
            let around = place.map(|at| said.get(at.saturating_sub(80)..at + 40));
            assert!(place.is_none(), "{other}: {around:?}");
        }
    }
}

#[test]
fn identifiers_on_the_page_are_unique() {
    let (_dir, page) = written(&report(realistic()));
    let mut ids: Vec<&str> = page
        .split(" id=\"")
        .skip(1)
        .filter_map(|part| part.split('"').next())
        .collect();
    let all = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), all);
}

#[test]
fn writing_twice_gives_the_same_bytes() {
    for run in [
        report(realistic()),
        report(chains()),
        report(bundle(Vec::new())),
    ] {
        let ((a, page_a), (b, page_b)) = (written(&run), written(&run));
        assert_eq!(page_a, page_b);
        for name in [
            "figures/residual-sweeps.svg",
            "tables/cells.csv",
            "figures/rates.csv",
        ] {
            let read = |dir: &tempfile::TempDir| fs::read(dir.path().join(name)).expect(name);
            assert_eq!(read(&a), read(&b), "{name}");
        }
    }
}

/// A report in which every text is a stranger's.
fn strange() -> Report {
    let all = HOSTILE.concat();
    let own = |i: usize| HOSTILE[i % HOSTILE.len()];
    let cells = (0..HOSTILE.len()).flat_map(|i| {
        let rate = 0.5 + 0.01 * crate::analysis::count(i as u64);
        let solved = cell(own(i), own(i + 1), Status::Solved, 30, decay(rate));
        [
            solved,
            cell(own(i), own(i + 2), Status::Failed, 30, decay(0.9)),
        ]
    });
    let mut run = report(bundle(cells.collect()));
    for (i, record) in run.bundle.records.iter_mut().enumerate() {
        record.outcome.message = Some(own(i).to_owned());
    }
    run.bundle.id.clone_from(&all);
    run.bundle.title.clone_from(&all);
    run.bundle.question.clone_from(&all);
    let texts: Vec<String> = HOSTILE
        .iter()
        .map(|text| format!("## {text}\n\n{text}\n\n- x {text}\n\n    {text}\n"))
        .collect();
    run.bundle.readme = Some(format!("# x\n\n{all}\n\n{}", texts.concat()));
    run.bundle.spec.clone_from(&all);
    run.bundle.command.clone_from(&all);
    run.bundle.manifest =
        serde_json::json!({ (all.clone()): all, "nested": { (all.clone()): [all] } });
    run.bundle.criteria = vec![all.clone()];
    let few: Vec<String> = HOSTILE[..3].iter().map(|text| (*text).to_owned()).collect();
    for (i, figure) in run.figures.iter_mut().enumerate() {
        figure.id = format!("../../{}{i}", own(i));
        figure.caption.clone_from(&all);
        // fewer series than cannot be told apart, so that their names reach the script
        if let figures::Plot::Convergence(plot) = &mut figure.plot {
            plot.solvers.clone_from(&few);
        }
    }
    for (i, table) in run.tables.iter_mut().enumerate() {
        table.id = format!("/etc/{}{i}", own(i));
        table.caption.clone_from(&all);
    }
    run
}

#[test]
fn hostile_text_cannot_run() {
    let run = strange();
    let (dir, page) = written(&run);
    assert_well_formed(body(&page));
    let numbers = page.matches("<script type=\"application/json\"").count();
    assert!(numbers > 0, "names of series in data of a script");
    assert_eq!(page.matches("<script").count(), numbers + 2);
    assert_eq!(page.matches("</script>").count(), numbers + 2);
    for bad in [
        "<img",
        "<iframe",
        "<object",
        "<form",
        "<base",
        "<!--",
        "href=\"javascript:",
    ] {
        assert!(!page.contains(bad), "{bad}");
    }
    let figures = fs::read_dir(dir.path().join("figures"))
        .expect("figures")
        .count();
    // pictures in two forms, data, environment
    assert_eq!(figures, 4 * run.figures.len());
    // tests/browser.sh opens the page in a browser
    if let Some(pages) = std::env::var_os("DELASSUS_PAGES") {
        let cells = HOSTILE.map(|text| PageCell {
            scene: text,
            method: text,
            bytes: text.as_bytes(),
            ending: Some(text),
            series: Some(PageSeries {
                name: text,
                times: &[0.0, 1.0],
                values: &[0.5, -0.5],
            }),
        });
        let replay = page::render(&run.bundle.title, &cells, &HOSTILE.map(str::to_owned));
        let folder = Path::new(&pages).join("hostile");
        fs::create_dir_all(&folder).expect("a folder");
        fs::write(folder.join("report.html"), page).expect("the page");
        fs::write(folder.join("replay.html"), replay).expect("the page");
    }
}

#[test]
fn a_huge_run_still_gives_a_page_below_two_megabytes() {
    let noisy = |i: u32| {
        move |k: f64| Some(libm::exp(-0.001 * k) * (1.1 + libm::sin(k * 1.7 + f64::from(i))))
    };
    let mut cells = Vec::new();
    for problem in 0..12 {
        for solver in 0..12 {
            let name = format!("problem {problem}");
            let label = format!("solver {solver}");
            let mut one = cell(&name, &label, Status::MaxSweeps, 1500, noisy(solver));
            let all = 0..1500u32;
            one.outcome.samples = all
                .map(|k| crate::record::Sample {
                    sweeps: u64::from(k),
                    row_updates: u64::from(k),
                    values: vec![noisy(solver)(f64::from(k)), None],
                })
                .collect();
            cells.push(one);
        }
    }
    let mut run = report(bundle(cells));
    let first = run.figures[0].clone();
    // ten of them where every case of everything is asked for; four give 1 284 341 bytes
    let whole = std::env::var("DELASSUS_TESTS").is_ok_and(|value| value == "whole");
    let (figures, most) = if whole {
        (10, 2_000_000)
    } else {
        (4, 1_400_000)
    };
    run.figures = (0..figures)
        .map(|i| FigureSpec {
            id: format!("figure-{i}"),
            ..first.clone()
        })
        .collect();
    let (_dir, page) = written(&run);
    assert!(page.len() < most, "{}", page.len());
    assert!(page.contains("<svg "));
}

#[test]
fn cells_that_have_not_run_are_counted() {
    let mut run = report(realistic());
    run.bundle.missing = 7;
    let (_dir, page) = written(&run);
    assert!(page.contains("<dt>not run yet</dt><dd>7</dd>"));
}

#[test]
fn a_folder_that_cannot_be_written_is_an_error() {
    let dir = tempfile::tempdir().expect("a folder");
    let file = dir.path().join("file");
    fs::write(&file, "x").expect("a file");
    let error = write(&report(realistic()), &file).expect_err("a file is no folder");
    assert!(error.to_string().contains("cannot write"));
}

#[test]
fn times_of_different_machines_say_so_where_they_are_shown() {
    let mut run = report(realistic());
    let note = "do not compare";
    let count = |run: &Report| written(run).1.matches(note).count();
    assert_eq!(count(&run), 0, "records that do not know their origin");
    let origin = |level: &str, solver: &SolverLabel| {
        let mut machine = MachineInfo::here("avx2".to_owned());
        machine.solver_level = level.to_owned();
        Some(Origin::begun(&Build::UNKNOWN, &machine, 1, &solver.parameters).ended())
    };
    for record in &mut run.bundle.records {
        record.origin = origin("avx2", &record.solver);
    }
    assert_eq!(count(&run), 0, "one machine");
    // a cell without times cannot disturb any
    let skipped = run
        .bundle
        .records
        .iter_mut()
        .find(|r| r.outcome.status == Status::Unsupported);
    let skipped = skipped.expect("a skipped cell");
    skipped.origin = origin("scalar", &skipped.solver);
    assert_eq!(count(&run), 0, "a cell without times");
    run.bundle.records[0].origin = origin("scalar", &run.bundle.records[0].solver);
    let (_dir, page) = written(&run);
    let all = run.figures.iter().filter(|f| f.plot.shows_times()).count()
        + run.tables.iter().filter(|t| t.show.shows_times()).count();
    assert!(all > 1 && all < run.figures.len() + run.tables.len());
    assert_eq!(page.matches(note).count(), all);
    // and the files of the figures, which are used without the page
    let drawn = page.matches("times from different machines").count();
    assert_eq!(
        drawn,
        run.figures.iter().filter(|f| f.plot.shows_times()).count()
    );
    assert!(page.contains("vector level scalar, ") && page.contains("vector level avx2, "));
}

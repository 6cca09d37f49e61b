//! `docs/performance.md` against the benches: its commands name what exists, its tables are those that are printed.

use delassus_bench::wide::machine::Bandwidth;
use delassus_bench::wide::peer::PeerRow;
use delassus_bench::wide::table::{HEADER, MACHINE_HEADER, PEER_HEADER, TimedRun, render};
use delassus_bench::wide::{Samples, TimedEntry, TimedWork, VectorLevel, entries};
use delassus_core::Traffic;

use crate::workspace::{read, root};

fn document() -> String {
    read(&root().join("docs/performance.md"))
}

/// The commands in backquotes that begin with `cargo bench`, as words.
fn commands(text: &str) -> Vec<Vec<String>> {
    let quoted = text.split('`').skip(1).step_by(2);
    let benches = quoted.filter(|code| code.starts_with("cargo bench"));
    let unquote = |word: &str| word.trim_matches('\'').to_owned();
    benches
        .map(|code| code.split_whitespace().map(unquote).collect())
        .collect()
}

/// The word after `flag`.
fn after<'a>(command: &'a [String], flag: &str) -> Option<&'a str> {
    let at = command.iter().position(|word| word == flag)?;
    command.get(at + 1).map(String::as_str)
}

/// The folder of the crate that a command names, and its manifest.
fn package(command: &[String]) -> (std::path::PathBuf, toml::Table) {
    let path = match (after(command, "-p"), after(command, "--manifest-path")) {
        (Some(name), None) => {
            let folder = name.strip_prefix("delassus-").expect("a crate of ours");
            root().join("crates").join(folder).join("Cargo.toml")
        }
        (None, Some(path)) => root().join(path),
        _ => panic!("{command:?} names no package or two"),
    };
    let manifest: toml::Table = read(&path).parse().expect("a valid manifest");
    if let Some(name) = after(command, "-p") {
        assert_eq!(manifest["package"]["name"].as_str(), Some(name));
    }
    (path.parent().expect("a folder").to_owned(), manifest)
}

/// The benches that a command runs.
fn benches(command: &[String], manifest: &toml::Table) -> Vec<String> {
    let listed = manifest["bench"].as_array().expect("an array of benches");
    let names = listed.iter().filter_map(|bench| bench["name"].as_str());
    match after(command, "--bench") {
        Some(named) => {
            assert!(names.clone().any(|name| name == named), "no bench {named}");
            vec![named.to_owned()]
        }
        None => names.map(str::to_owned).collect(),
    }
}

#[test]
fn every_bench_command_of_the_document_names_what_exists() {
    let commands = commands(&document());
    assert!(commands.len() >= 4, "the document lost its commands");
    let entries = entries(&VectorLevel::NAMED);
    let solvers = ["pgs", "block-gs", "dantzig"];
    for command in &commands {
        let (folder, manifest) = package(command);
        let benches = benches(command, &manifest);
        let sources: String = benches
            .iter()
            .map(|bench| read(&folder.join("benches").join(format!("{bench}.rs"))))
            .collect();
        let Some(filters) = command.iter().position(|word| word == "--") else {
            continue;
        };
        for filter in &command[filters + 1..] {
            if filter.starts_with('-') || entries.iter().any(|e| e.id().contains(filter.as_str())) {
                continue;
            }
            // criterion's filters are regular expressions over names that the bench puts together
            for word in filter
                .split(|c| "()|/".contains(c))
                .filter(|w| !w.is_empty())
            {
                let known = solvers.contains(&word) || sources.contains(word);
                assert!(known, "{filter:?} of {command:?} filters nothing: {word}");
            }
        }
    }
}

#[test]
fn the_tables_of_the_document_are_those_of_the_benches() {
    let text = document();
    for header in [HEADER, PEER_HEADER, MACHINE_HEADER] {
        let found = text.lines().filter(|line| *line == header).count();
        assert_eq!(found, 1, "{header}");
    }
}

#[test]
fn the_table_of_the_wide_solver_holds_every_entry_of_the_bench_and_no_other() {
    let text = document();
    let rows = text.lines().skip_while(|line| *line != HEADER).skip(2);
    let columns = HEADER.matches('|').count();
    let mut found = Vec::new();
    for row in rows.take_while(|line| line.starts_with('|')) {
        assert_eq!(row.matches('|').count(), columns, "{row}");
        let cells: Vec<String> = row.split('|').map(|cell| cell.trim().to_owned()).collect();
        found.push((cells[1].clone(), cells[2].clone(), cells[3].clone()));
    }
    // the table itself says which levels its machine had
    let measured = |level: &VectorLevel| found.iter().any(|(_, _, name)| name == level.id());
    let levels: Vec<VectorLevel> = VectorLevel::NAMED.into_iter().filter(measured).collect();
    assert!(!levels.is_empty(), "no table");
    let expected: Vec<(String, String, String)> = entries(&levels)
        .iter()
        .map(|e| (e.title(), e.elements().to_string(), e.level().to_owned()))
        .collect();
    assert_eq!(found, expected);
}

/// A sample of `ns` nanoseconds per element.
fn samples(work: TimedWork, level: VectorLevel, ns: f64) -> Samples {
    let entry = TimedEntry {
        work,
        size: 20,
        level,
    };
    let seconds = 1e-9 * ns * entry.elements() as f64;
    Samples {
        entry,
        elements: entry.elements(),
        seconds: vec![seconds],
        least: seconds,
        traffic: Some(Traffic {
            read: 60 * entry.elements() as u64,
            written: 20 * entry.elements() as u64,
            gathered: 0,
        }),
        residual: None,
    }
}

#[test]
fn a_row_compares_with_what_has_no_wider_vectors_and_with_one_thread() {
    let peer = |lanes: usize, ns: f64| {
        let line = format!("pass/20\t1600\t3\t{ns}\t{ns}");
        PeerRow::parse(&line, lanes).expect("five fields")
    };
    let run = TimedRun {
        samples: vec![
            samples(TimedWork::Pass, VectorLevel::Avx2, 4.0),
            samples(TimedWork::Pass, VectorLevel::Sse2, 8.0),
            samples(TimedWork::TwoThreads, VectorLevel::Avx2, 2.0),
        ],
        peers: vec![peer(4, 10.0), peer(8, 5.0)],
        notes: Vec::new(),
    };
    // 80 streamed bytes per point at 40 GB/s are 2 ns
    let bandwidth = Bandwidth {
        rates: vec![(1_000_000, 40e9)],
    };
    let text = render(&run, &bandwidth);
    let cells = |row: usize| -> Vec<&str> {
        let line = text.lines().skip_while(|l| *l != HEADER).nth(2 + row);
        line.expect("a row").split('|').map(str::trim).collect()
    };
    assert_eq!(cells(0)[4..7], ["4.0 (4.0)", "80 + 0", "2.0"]);
    assert_eq!(cells(0)[8..10], ["5.0 (8)", "0.80"]);
    assert_eq!(cells(1)[8..10], ["10 (4)", "0.80"]);
    assert_eq!(cells(2)[4], "2.0 (2.0); 2.00 × one");
    assert_eq!(cells(2)[8], "");
}

#[test]
fn lines_of_a_peer_that_are_not_in_the_agreed_form_are_errors() {
    for line in [
        "",
        "pass/20\t1600\t3\t5.0",
        "pass/20\tmany\t3\t5.0\t5.0",
        "pass/20\t1600\t3\tx\t5.0",
    ] {
        assert!(PeerRow::parse(line, 4).is_err(), "{line:?}");
    }
}

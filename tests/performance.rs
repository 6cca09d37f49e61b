//! `docs/performance.md` and its records in `docs/performance`, against the benches and each other:
//! commands name what exists, tables of the wide solver are those that the bench prints, and the
//! page has no number that no record has.

use std::collections::BTreeSet;

use delassus_bench::wide::machine::Bandwidth;
use delassus_bench::wide::peer::PeerRow;
use delassus_bench::wide::table::{HEADER, MACHINE_HEADER, PEER_HEADER, TimedRun, render};
use delassus_bench::wide::{Samples, TimedEntry, TimedWork, VectorLevel, entries};
use delassus_core::Traffic;

use crate::workspace::{files, read, root};

/// The page.
fn page() -> String {
    read(&root().join("docs/performance.md"))
}

/// The pages of the records, one per date and machine.
fn records() -> Vec<String> {
    let paths = files(&["docs/performance"], &[".md"]);
    paths.iter().map(|path| read(path)).collect()
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
fn every_bench_command_names_what_exists() {
    let mut commands = commands(&page());
    assert!(commands.len() >= 4, "the page lost its commands");
    commands.extend(records().iter().flat_map(|record| self::commands(record)));
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
fn records_have_the_tables_of_the_benches() {
    let records = records();
    for header in [HEADER, PEER_HEADER, MACHINE_HEADER] {
        let has = |record: &String| record.lines().any(|line| line == header);
        assert!(records.iter().any(has), "{header}");
    }
}

#[test]
fn rows_of_the_wide_solver_are_entries_of_the_bench_in_its_order() {
    for record in records() {
        let rows = record.lines().skip_while(|line| *line != HEADER).skip(2);
        let columns = cells(HEADER).len();
        let mut found = Vec::new();
        for row in rows.take_while(|line| line.starts_with('|')) {
            let cells = cells(row);
            assert_eq!(cells.len(), columns, "{row}");
            found.push([0, 1, 2].map(|column| cells[column].clone()));
        }
        // the table itself says which levels its machine had
        let measured = |level: &VectorLevel| found.iter().any(|[.., name]| name == level.id());
        let levels: Vec<VectorLevel> = VectorLevel::NAMED.into_iter().filter(measured).collect();
        // the bench may have got entries since the record was taken
        let mut entries = entries(&levels).into_iter();
        for row in found {
            let is_row =
                |e: TimedEntry| row == [e.title(), e.elements().to_string(), e.level().to_owned()];
            assert!(entries.any(is_row), "{row:?} is no entry, or out of order");
        }
    }
}

/// The cells of a row of a table.
fn cells(row: &str) -> Vec<String> {
    let inner = row.trim().trim_start_matches('|').trim_end_matches('|');
    inner
        .split('|')
        .map(|cell| cell.trim().to_owned())
        .collect()
}

/// The tables of a page: heads and rows.
fn tables(text: &str) -> Vec<Vec<Vec<String>>> {
    let mut tables = vec![Vec::new()];
    for line in text.lines() {
        if line.starts_with("|---") {
            continue;
        }
        let open = tables.last_mut().expect("one table at least");
        if line.starts_with('|') {
            open.push(cells(line));
        } else if !open.is_empty() {
            tables.push(Vec::new());
        }
    }
    tables.retain(|table| !table.is_empty());
    tables
}

/// A number and half a unit of its last digit; `None` for anything else, ranges among them.
fn rounded(text: &str) -> Option<(f64, f64)> {
    let decimals = text.split_once('.').map_or("", |(_, decimals)| decimals);
    let half = 0.5 * 0.1f64.powi(i32::try_from(decimals.len()).ok()?);
    Some((text.parse().ok()?, half))
}

#[test]
fn a_ratio_is_that_of_the_two_columns_before_it() {
    let mut checked = 0;
    for table in tables(&page()) {
        let Some(column) = table[0].iter().position(|head| head == "ratio") else {
            continue;
        };
        for row in &table[1..] {
            let lists = [column - 2, column - 1, column].map(|c| row[c].split(", "));
            let [ours, peers, ratios] = lists;
            for ((ours, peer), ratio) in ours.zip(peers).zip(ratios) {
                let numbers = (rounded(ours), rounded(peer), rounded(ratio));
                let (Some((a, da)), Some((b, db)), Some((r, dr))) = numbers else {
                    continue;
                };
                let bound = dr + a / b * (da / a + db / b);
                assert!((r - a / b).abs() <= bound, "{a} / {b} is not {r}: {row:?}");
                checked += 1;
            }
        }
    }
    assert!(checked >= 20, "only {checked} ratios found");
}

/// The numbers of a text, thousands joined: `1 600` is 1600.
fn numbers(text: &str) -> BTreeSet<String> {
    let chars: Vec<char> = text.chars().collect();
    let digit = |at: usize| chars.get(at).is_some_and(char::is_ascii_digit);
    let thousands = |at: usize| (1..4).all(|k| digit(at + k)) && !digit(at + 4);
    let mut found = BTreeSet::new();
    let mut number = String::new();
    for (at, &c) in chars.iter().enumerate() {
        let inside = !number.is_empty();
        if digit(at) || (inside && c == '.' && digit(at + 1)) {
            number.push(c);
        } else if inside && !(c.is_whitespace() && thousands(at)) {
            found.insert(std::mem::take(&mut number));
        }
    }
    found.insert(number);
    found
}

#[test]
fn tables_of_the_page_have_no_number_that_no_record_has() {
    let recorded: BTreeSet<String> = records().iter().flat_map(|text| numbers(text)).collect();
    for table in tables(&page()) {
        let head = &table[0];
        for row in &table[1..] {
            for (cell, _) in row.iter().zip(head).filter(|(_, head)| *head != "ratio") {
                let missing: Vec<String> = numbers(cell).difference(&recorded).cloned().collect();
                assert!(missing.is_empty(), "no record has {missing:?} of {row:?}");
            }
        }
    }
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

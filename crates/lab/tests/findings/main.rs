//! Findings say what was measured: every marked number of an experiment's README is that of the
//! table it names.
//!
//! The values stand in `finding.csv` next to each README, so that the test needs no run.
//! `UPDATE_FINDINGS=1 cargo test -p delassus-lab --test findings` writes them anew from `results/`,
//! and `UPDATE_FINDINGS=numbers` the numbers of the READMEs too: whoever runs it reads every
//! sentence again. docs/findings.md has the whole procedure.
//!
//! A program of its own, because the documentation and `tests/findings.sh` call it by name and with
//! another environment.

mod rewrite;
mod source;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use delassus_findings::{Quote, quotes};
use sha2::{Digest, Sha256};
use source::{Missing, Results};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Folders of the experiments with the marked numbers of their READMEs.
fn experiments() -> Vec<(PathBuf, Vec<Quote>)> {
    let folders = fs::read_dir(root().join("experiments")).expect("the experiments");
    let mut folders: Vec<PathBuf> = folders
        .map(|entry| entry.expect("an entry").path())
        .collect();
    folders.sort();
    let read = |folder: PathBuf| {
        let text = fs::read_to_string(folder.join("README.md")).expect("a README");
        let quotes = quotes(&text).unwrap_or_else(|why| panic!("{}: {why}", folder.display()));
        (folder, quotes)
    };
    folders.into_iter().map(read).collect()
}

/// Lowest and highest value of each mark.
type Values = BTreeMap<String, Option<(f64, f64)>>;

fn read_values(path: &Path) -> Values {
    let mut reader =
        csv::Reader::from_path(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let number = |text: &str| text.parse::<f64>().ok();
    let rows = reader.records().map(|row| {
        let row = row.expect("a row");
        (row[0].to_owned(), number(&row[1]).zip(number(&row[2])))
    });
    rows.collect()
}

/// Ten digits: more than a text quotes, and fewer than a processor may change.
fn rounded(value: f64) -> String {
    let text = format!("{value:.9e}");
    text.parse::<f64>()
        .map_or(text, |value| format!("{value:?}"))
}

/// Writes the values of a run; what the run did not have, because its files are not shipped, stays
/// as it was.
fn write_values(path: &Path, quotes: &[Quote], results: &mut Results) -> Result<(), String> {
    let before = if path.exists() {
        read_values(path)
    } else {
        Values::new()
    };
    let mut values: BTreeMap<String, [String; 2]> = BTreeMap::new();
    for quote in quotes {
        let mark = quote.query.to_string();
        let value = match results.value(&quote.query) {
            Ok(value) => value,
            Err(Missing::Row(why)) => *before.get(&mark).ok_or(why)?,
            Err(Missing::Other(why)) => return Err(why),
        };
        let [low, high] =
            [value.map(|v| v.0), value.map(|v| v.1)].map(|v| v.map_or(String::new(), rounded));
        values.insert(mark, [low, high]);
    }
    let mut writer = csv::Writer::from_path(path).map_err(|error| error.to_string())?;
    let mut put = |row: [&str; 3]| writer.write_record(row).map_err(|error| error.to_string());
    put(["mark", "low", "high"])?;
    for (mark, [low, high]) in &values {
        put([mark, low, high])?;
    }
    writer.flush().map_err(|error| error.to_string())
}

/// What is wrong with the numbers of a README.
fn objections(quotes: &[Quote], value: impl Fn(&Quote) -> Option<(f64, f64)>) -> Vec<String> {
    let wrong = quotes.iter().filter_map(|quote| {
        let why = quote.objection(value(quote))?;
        Some(format!("line {}: {why}: {}", quote.line, quote.query))
    });
    wrong.collect()
}

#[test]
fn quoted_numbers_are_those_of_the_tables() {
    let update = std::env::var_os("UPDATE_FINDINGS");
    let mut wrong = Vec::new();
    for (folder, quotes) in experiments() {
        let path = folder.join("finding.csv");
        let name = folder.file_name().expect("a name").to_owned();
        if quotes.is_empty() {
            assert!(!path.exists(), "{}: nothing is marked", path.display());
            continue;
        }
        let results = root().join("results").join(&name);
        if update.is_some() && results.is_dir() {
            let written = write_values(&path, &quotes, &mut Results::new(&results));
            written.unwrap_or_else(|why| panic!("{}: {why}", folder.display()));
        }
        let values = read_values(&path);
        if update == Some("numbers".into()) {
            let readme = folder.join("README.md");
            let text = fs::read_to_string(&readme).expect("a README");
            let measured = |quote: &Quote| *values.get(&quote.query.to_string())?;
            let new = rewrite::rewritten(&text, &quotes, measured);
            fs::write(&readme, new).expect("a README that can be written");
            continue;
        }
        let mut unused: Vec<&String> = values.keys().collect();
        unused.retain(|mark| !quotes.iter().any(|quote| quote.query.to_string() == **mark));
        assert!(
            unused.is_empty(),
            "{}: no number of the README is {unused:?}",
            path.display()
        );
        let value = |quote: &Quote| {
            let mark = quote.query.to_string();
            let found = values.get(&mark);
            *found.unwrap_or_else(|| panic!("{}: has no {mark:?}: update it", path.display()))
        };
        let found = objections(&quotes, value).into_iter();
        wrong.extend(found.map(|why| format!("{}, {why}", name.display())));
    }
    assert_none(&wrong, "their tables");
}

#[track_caller]
fn assert_none(wrong: &[String], source: &str) {
    let (count, list) = (wrong.len(), wrong.join("\n"));
    assert_eq!(count, 0, "numbers that are not those of {source}:\n{list}");
}

/// Results that lie in the workspace are compared as well, where they are of the spec as it is now.
#[test]
fn quoted_numbers_are_those_of_results_that_are_here() {
    let mut wrong = Vec::new();
    for (folder, quotes) in experiments() {
        let name = folder.file_name().expect("a name").to_owned();
        let results = root().join("results").join(&name);
        let Ok(manifest) = fs::read_to_string(results.join("manifest.json")) else {
            continue;
        };
        let spec = fs::read(folder.join("experiment.toml")).expect("a spec");
        let hash: String = Sha256::digest(&spec)
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        // a mark may name the results of another spec, which may not be here
        let own = quotes
            .into_iter()
            .filter(|quote| !quote.query.source.contains('/'));
        let own: Vec<Quote> = own.collect();
        if !manifest.contains(&hash) {
            continue;
        }
        let mut results = Results::new(&results);
        for quote in own {
            let value = match results.value(&quote.query) {
                Ok(value) => value,
                // a run without the files that are not shipped
                Err(Missing::Row(_)) => continue,
                Err(Missing::Other(why)) => panic!("{}: {why}", name.display()),
            };
            let found = objections(&[quote], |_| value).into_iter();
            wrong.extend(found.map(|why| format!("{}, {why}", name.display())));
        }
    }
    assert_none(&wrong, "results/");
}

#[test]
fn the_findings_that_rest_on_tables_are_marked() {
    let count = |id: &str| {
        let all = experiments();
        let found = all.iter().find(|(folder, _)| folder.ends_with(id));
        found.map_or(0, |(_, quotes)| quotes.len())
    };
    for (id, least) in LEAST {
        assert!(count(id) >= least, "{id}: {} of {least}", count(id));
    }
}

/// A maximum that a finding quotes is over all frames of 1/60 s: a sample between two of them would
/// hide a peak.
#[test]
fn quoted_maxima_are_over_all_frames() {
    let mut wrong = Vec::new();
    let mut maxima = 0;
    for (folder, quotes) in experiments() {
        let text = fs::read_to_string(folder.join("experiment.toml")).expect("a spec");
        let spec: toml::Table = text.parse().expect("TOML");
        let is_quoted = |id: &str| {
            let source = format!("table {id}");
            quotes.iter().any(|quote| quote.query.source == source)
        };
        for table in list(&spec, "table") {
            let show = table["show"].get("trajectories");
            let over = show.and_then(|show| show.get("over")?.as_str());
            let id = table["id"].as_str().expect("an id");
            if over != Some("max") || !is_quoted(id) {
                continue;
            }
            maxima += 1;
            let shown = show.and_then(|show| show.get("schemes")?.as_array());
            for scheme in list(&spec, "scheme") {
                let label = scheme.get("label").unwrap_or(&scheme["use"]);
                let is_shown = shown.is_none_or(|shown| shown.contains(label))
                    && meet(
                        scheme.get("scenes"),
                        show.and_then(|show| show.get("scenes")),
                    );
                if is_shown && skips_frames(scheme, &spec["simulate"]) {
                    wrong.push(format!("{}, {id}: {label}", folder.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "samples far apart:\n{}", wrong.join("\n"));
    assert!(maxima > 5, "{maxima} tables");
}

/// The frame of most specs \[s\], and the rounding of its decimals.
const FRAME: f64 = (1.0 + 1e-9) / 60.0;

fn list<'t>(spec: &'t toml::Table, key: &str) -> &'t [toml::Value] {
    let found = spec.get(key).and_then(toml::Value::as_array);
    found.map_or(&[], Vec::as_slice)
}

/// Whether two choices of scenes have one in common; a choice that is left out is all of them.
fn meet(ours: Option<&toml::Value>, theirs: Option<&toml::Value>) -> bool {
    let names = |of: Option<&toml::Value>| of.and_then(|of| of.as_array().cloned());
    let (Some(ours), Some(theirs)) = (names(ours), names(theirs)) else {
        return true;
    };
    ours.iter().any(|name| theirs.contains(name))
}

/// Whether samples of a scheme are more than a frame of 1/60 s and more than a step apart.
fn skips_frames(scheme: &toml::Value, simulate: &toml::Value) -> bool {
    let own = |key: &str| scheme.get(key).or_else(|| simulate.get(key));
    let every = own("every").and_then(toml::Value::as_integer).unwrap_or(1);
    let dt = own("dt").and_then(toml::Value::as_float);
    let apart = f64::from(i32::try_from(every).expect("a few frames")) * dt.unwrap_or(1.0 / 60.0);
    every > 1 && apart > FRAME
}

/// Experiments that are deterministic, and how many of their numbers are marked at least.
const LEAST: [(&str, usize); 16] = [
    ("00-falling-box", 4),
    ("01-chain-rates", 8),
    ("02-real-contacts", 10),
    ("03-baumgarte", 25),
    ("04-soft-constraints", 12),
    ("05-drift", 85),
    ("06-weld", 60),
    ("07-warm-start", 40),
    ("08-clamping", 70),
    ("09-stacking", 120),
    ("10-mass-ratio", 85),
    ("11-friction-laws", 80),
    ("12-impact", 250),
    ("13-penetration-recovery", 40),
    ("14-arch", 150),
    ("31-presets", 70),
];

/// Experiments whose numbers are times of a machine.
const TIMED: [&str; 6] = [
    "15-layouts",
    "18-scaling",
    "20-gather-or-atomic",
    "21-gpu-scaling",
    "22-peridyno",
    "28-many-worlds",
];

#[test]
fn times_say_that_they_were_measured_somewhere() {
    for id in TIMED {
        let path = root().join("experiments").join(id).join("README.md");
        let text = fs::read_to_string(path).expect("a README");
        assert!(text.contains("<!-- measured there -->"), "{id}");
    }
}

#[test]
fn a_wrong_number_is_found() {
    let text = "It leaves 7600<!-- table drift; scene = tip; pgs; in 1e-3 --> mm, and 2.6 to \
                3.2<!-- range; table drift; scene = tip; direct --> m.\n\n<!-- grid; table drift\n\
                rows scene: tip; chain\ncolumns: pgs; xpbd\n-->\n| scene | a | b |\n|---|---|---|\n| tip | 12 | – |\n\
                | chain | 0.08 | 3 to 4 |\n";
    let quotes = quotes(text).expect("marks");
    let marks: Vec<String> = quotes.iter().map(|quote| quote.query.to_string()).collect();
    assert_eq!(marks[0], "table drift; scene = tip; pgs");
    assert_eq!(marks[5], "table drift; scene = chain; xpbd");
    let values = [
        Some((11.931, 11.931)),
        Some((3.188, 3.188)),
        Some((11.931, 11.931)),
        None,
        Some((0.0766, 0.0766)),
        Some((2.9, 3.5)),
    ];
    let wrong: Vec<bool> = quotes
        .iter()
        .zip(values)
        .map(|(q, v)| q.objection(v).is_some())
        .collect();
    assert_eq!(wrong, [true, false, false, false, false, false]);
    assert!(
        quotes[3].objection(Some((1.0, 1.0))).is_some(),
        "a dash is no number"
    );
    assert!(
        quotes[5].objection(Some((2.9, 4.6))).is_some(),
        "beyond the range"
    );
    for bad in [
        "1<!-- tabel x; y -->",
        "x<!-- table a; b -->",
        "1<!-- table a -->",
        "1<!-- table a; b; c -->",
        "1<!--",
    ] {
        assert!(delassus_findings::quotes(bad).is_err(), "{bad}");
    }
}

//! `delassus explain`: what a status, an exit code, a metric, a term of the glossary, a parameter
//! or a value of one means.

mod glossary;
mod parameters;

use serde_json::{Value, json};

use super::args::ExplainVerb;
use super::failure::Failure;
use super::list::{entries_named, list_named, listed, metric_names, metrics_named};
use super::output::{Output, wrapped};
use crate::registry::Registry;
use crate::simulate::Quantity;
use crate::statuses::STATUSES;
use crate::suggest::{did_you_mean, list, nearest};

/// Width of a page, in characters.
const WIDTH: usize = 100;
/// Most longer names that an error suggests \[-\].
const LONGER: usize = 6;

/// A code with its long form.
struct Explained {
    code: &'static str,
    kind: &'static str,
    meaning: &'static str,
    action: &'static str,
}

const fn exit(code: &'static str, meaning: &'static str, action: &'static str) -> Explained {
    Explained {
        code,
        kind: "exit code",
        meaning,
        action,
    }
}

/// Words for lists that typing errors are compared with.
const LISTS: [&str; 8] = [
    "solvers",
    "schemes",
    "presets",
    "scenes",
    "metrics",
    "observables",
    "laws",
    "statuses",
];

/// What to do after a signal.
const AGAIN: &str = "run the same command again: it goes on where it stopped";

/// What the program ends with. README, docs and `--help` say the same in fewer words.
const EXITS: [Explained; 11] = [
    exit(
        "0",
        "the request was done; a solver that did not converge is a result, not a failure",
        "nothing",
    ),
    exit(
        "1",
        "a cell failed or was not reproducible, every cell of a run was unsupported, a problem file could not be read, or something could not be checked; everything else was done",
        "read the line that begins with \"error:\" and the messages of the cells; `delassus list statuses` explains how a cell can end",
    ),
    exit(
        "2",
        "the request was wrong: an unknown name, a value out of range, a spec that contradicts itself, or a folder of another experiment. Nothing has run",
        "correct what the message points at: it names the place and, where it can, the closest valid name",
    ),
    exit(
        "3",
        "another process uses the results folder, the system does not read or write a file (rights, a full disk, --max-file, a pipe in the place of a file to write), or processes of cells were ended from outside several times",
        "wait for the other process with --wait, or name another folder with --out; run the same command again for cells whose processes were ended",
    ),
    exit(
        "4",
        "this machine lacks what was asked for: a graphics adapter, processes for cells, or the program of a peer or an engine",
        "look at `delassus doctor`, or ask for less: without --require-gpu such cells end as unsupported; the message of a peer or an engine has the line that installs it",
    ),
    exit(
        "5",
        "a number is not what a [[gate]] of the spec asserts; with --strict also if the run cannot decide it",
        "`delassus gate SPEC` has a line for each gate; correct what changed the number, or change the gate",
    ),
    exit(
        "6",
        "a file of the results is missing, damaged or not as the run left it, or a residual, an impulse or a key is not what the record says",
        "`delassus fsck DIR` lists such files with what repairs each, `delassus verify DIR` lists every difference; run the spec again, or go back to a copy that verifies",
    ),
    exit(
        "7",
        "the data are as recorded, but another version of the program drew tables, figures or pages differently",
        "treat it as 0 if only the data matter; `delassus report DIR` draws them again, or check them with the version that `delassus verify` names",
    ),
    exit(
        "130",
        "interrupted by Ctrl-C (SIGINT); finished cells are kept",
        AGAIN,
    ),
    exit(
        "129",
        "interrupted by SIGHUP, which a terminal sends when it is closed; finished cells are kept",
        AGAIN,
    ),
    exit(
        "143",
        "interrupted by SIGTERM, which schedulers send; finished cells are kept",
        AGAIN,
    ),
];

/// Version of the objects of `--json`.
const SCHEMA: &str = "explain/1";

/// Runs the verb.
pub(crate) fn run(
    verb: &ExplainVerb,
    registry: &Registry,
    output: &mut Output,
) -> Result<(), Failure> {
    let all = all();
    if verb.words.is_empty() {
        return match verb.json {
            true => all.iter().try_for_each(|one| output.json(&object(one))),
            false => {
                let row = |one: &Explained| [one.code, one.kind, one.meaning].map(str::to_owned);
                output.table(&all.iter().map(|one| row(one).to_vec()).collect::<Vec<_>>())
            }
        };
    }
    // a term may have several words
    let word = verb.words.join(" ");
    let word = word.trim();
    let list = list_named(word, registry);
    let status_or_code = find(word, &all);
    let mut pages = match status_or_code {
        Some(one) => vec![(page(one), object(one))],
        None => words(word, registry),
    };
    if list.is_some() {
        // a parameter that is called so too is not what is meant
        pages.retain(|(_, object)| object["kind"] == "term");
    } else if status_or_code.is_none() {
        // a law before the parameters that take it as a value
        let words = std::mem::replace(&mut pages, entries(word, registry));
        pages.extend(words);
    }
    if pages.is_empty() && list.is_none() {
        return Err(unknown(word, &all, registry));
    }
    for (page, object) in &pages {
        match verb.json {
            true => output.json(object)?,
            false => output.text(page)?,
        }
    }
    match list {
        Some(list) if verb.json => output.json(&json!({
            "schema": SCHEMA,
            "kind": "list",
            "id": word,
            "entries": list.ids,
        })),
        Some(list) => {
            output.table(&list.rows)?;
            output.line(&list.hint)
        }
        None => Ok(()),
    }
}

/// The pages of a list's entries with this name.
fn entries(name: &str, registry: &Registry) -> Vec<(String, Value)> {
    let mut pages = entries_named(name, registry);
    for (_, object) in &mut pages {
        object["schema"] = SCHEMA.into();
    }
    pages
}

/// A page with a heading and indented parts.
fn headed(heading: &str, parts: &[(&str, &str)]) -> String {
    let mut text = format!("{heading}\n");
    for (title, body) in parts.iter().filter(|(_, body)| !body.is_empty()) {
        let title = if title.is_empty() {
            String::new()
        } else {
            format!("{title}\n")
        };
        text += &format!("{title}{}\n", wrapped(body, 2, WIDTH));
    }
    text
}

fn page(one: &Explained) -> String {
    let parts = [("", one.meaning), ("what to do", one.action)];
    headed(&format!("{} ({})", one.code, one.kind), &parts)
}

fn object(one: &Explained) -> Value {
    json!({
        "schema": SCHEMA,
        "code": one.code,
        "kind": one.kind,
        "meaning": one.meaning,
        "action": one.action,
    })
}

/// The pages and objects of the metrics with this name, of the terms of the glossary, and of
/// parameters and their values.
fn words(name: &str, registry: &Registry) -> Vec<(String, Value)> {
    let metrics = metrics_named(name).into_iter().map(|(page, mut object)| {
        object["schema"] = SCHEMA.into();
        (page, object)
    });
    let terms = glossary::find(name).into_iter().map(|term| {
        let parts = [
            ("", term.meaning.as_str()),
            ("symbol, unit", term.symbol.as_str()),
            ("elsewhere called", term.elsewhere.as_str()),
        ];
        let page = headed(&format!("{} (term of docs/glossary.md)", term.name), &parts);
        let object = json!({
            "schema": SCHEMA,
            "kind": "term",
            "id": term.name,
            "meaning": term.meaning,
            "symbol": term.symbol,
            "elsewhere": term.elsewhere,
        });
        (page, object)
    });
    let parameters = parameters::find(name, registry).into_iter().map(|word| {
        let (kind, owners) = (word.kind(), word.had_by());
        let parts = [("", word.meaning.as_str()), ("of", owners.as_str())];
        let page = headed(&format!("{} ({kind})", word.name), &parts);
        let object = json!({
            "schema": SCHEMA,
            "kind": if word.value_of.is_some() { "value" } else { "parameter" },
            "id": word.name,
            "parameter": word.value_of,
            "meaning": word.meaning,
            "of": word.owners,
        });
        (page, object)
    });
    metrics.chain(terms).chain(parameters).collect()
}

/// Exit codes, then statuses.
fn all() -> Vec<Explained> {
    let statuses = STATUSES.iter().map(|doc| Explained {
        code: doc.id,
        kind: "status of a cell",
        meaning: doc.meaning,
        action: doc.action,
    });
    EXITS.into_iter().chain(statuses).collect()
}

/// The entry of a code; a cycle may have its period with it, an exit code the word before it.
fn find<'a>(code: &str, all: &'a [Explained]) -> Option<&'a Explained> {
    let word = code.trim();
    let word = word
        .strip_prefix("exit")
        .map_or(word, |rest| rest.trim_start_matches([' ', '-']));
    let word = word.split(['(', '[']).next().unwrap_or(word).trim();
    all.iter().find(|one| one.code.eq_ignore_ascii_case(word))
}

/// The error about a word that nothing explains, with the closest one.
fn unknown(word: &str, all: &[Explained], registry: &Registry) -> Failure {
    let (metrics, terms, parameters) = (
        metric_names(),
        glossary::terms(),
        parameters::names(registry),
    );
    let codes = all.iter().map(|one| one.code);
    let known = codes.chain(metrics.iter().map(String::as_str));
    let known = known.chain(terms.iter().flat_map(glossary::Term::names));
    let known = known.chain(parameters.iter().copied());
    let observables = Quantity::ALL.iter().map(|quantity| quantity.doc().id);
    let known: Vec<&str> = known.chain(LISTS).chain(observables).collect();
    let word = word.trim();
    let mut longer = known.iter().copied().filter(|name| name.starts_with(word));
    let longer = list(longer.by_ref().take(LONGER));
    let hint = match (listed(word, registry), nearest(word, known.iter().copied())) {
        (Some(listed), _) => listed,
        (None, _) if longer.contains(", ") && !word.is_empty() => format!("; there are {longer}"),
        (None, Some(name)) => did_you_mean(Some(&name)),
        (None, None) => {
            "; `delassus explain` lists the codes, `delassus explain metrics` the metrics, \
                 `delassus explain solvers` the solvers, docs/glossary.md the terms"
                .to_owned()
        }
    };
    Failure::request(format!(
        "{word:?} is no status, exit code, metric, term, parameter or entry of a list{hint}"
    ))
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum as _;
    use delassus_report::report::ANSWER_WORDS;

    use super::*;
    use crate::cli::args::ListWhat;
    use crate::cli::list;

    #[test]
    fn codes_are_found_as_they_are_printed() {
        let all = all();
        for (asked, code) in [
            ("6", "6"),
            ("exit 130", "130"),
            ("max_sweeps", "max_sweeps"),
            ("Solved", "solved"),
            ("cycling(2)", "cycling"),
        ] {
            assert_eq!(find(asked, &all).unwrap().code, code, "{asked}");
        }
        let registry = Registry::standard();
        let refused = |code: &str| match (find(code, &all), unknown(code, &all, &registry)) {
            (None, Failure::Request(message)) => message,
            _ => panic!("{code} was found"),
        };
        assert!(refused("max_sweep").contains("did you mean \"max_sweeps\"?"));
        assert!(refused("xyzzy").contains("lists the codes"));
        assert!(refused("solvres").contains("did you mean \"solvers\"?"));
        for (name, kind) in [("pgs", "solver"), ("F9", "law"), ("soft-step", "preset")] {
            let found = entries(name, &registry);
            assert!(
                found.iter().any(|(_, object)| object["kind"] == kind),
                "{name}"
            );
        }
    }

    /// What the program prints as headings, flags and results has an explanation.
    #[test]
    fn words_that_the_program_prints_are_explained() {
        let registry = Registry::standard();
        let all = all();
        let lists = ListWhat::value_variants().iter();
        let lists = lists.flat_map(|what| list::header(*what).iter().copied());
        let run = [
            "problem",
            "scene",
            "status",
            "frames",
            "sweeps",
            "row updates",
            "seconds",
            "curve",
        ];
        let plan = [
            "rows",
            "method",
            "key",
            "state",
            "done",
            "to do",
            "unsupported",
        ];
        let compared = [
            "median",
            "interval",
            "p",
            "Holm",
            "noise",
            "needs less",
            "no difference",
        ];
        let own = ["term", "parameter", "value", "exit code"];
        let words = lists.chain(run).chain(plan).chain(compared).chain(own);
        let missing: Vec<&str> = words
            .chain(ANSWER_WORDS)
            // a name, or a text that says what it is
            .filter(|word| !["name", "title"].contains(word) && !word.starts_with("what "))
            .filter(|word| {
                find(word, &all).is_none()
                    && super::words(word, &registry).is_empty()
                    && entries(word, &registry).is_empty()
                    && list_named(word, &registry).is_none()
            })
            .collect();
        assert!(missing.is_empty(), "{missing:?}");
    }

    #[test]
    fn every_code_stands_once() {
        let all = all();
        for one in &all {
            assert_eq!(
                all.iter().filter(|other| other.code == one.code).count(),
                1,
                "{}",
                one.code
            );
        }
    }
}

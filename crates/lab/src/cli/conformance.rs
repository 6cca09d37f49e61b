//! `delassus check-peer` and `check-engine`: small problems and scenes with known solutions for a
//! program in a process of its own.

use serde_json::json;

use super::args::{CheckEngineVerb, CheckPeerVerb};
use super::failure::Failure;
use super::interrupt::Interrupt;
use super::output::{Output, count, printable};
use super::request::positive;
use crate::registry::engine;
use crate::registry::process::{self, CheckVerdict, CheckedCase};

/// The program that was checked.
struct Checked<'a> {
    /// `peer` or `engine`, a key of `--json`.
    kind: &'static str,
    name: &'a str,
    version: &'a str,
}

/// Runs `check-peer`.
///
/// A signal ends it with the processes that it has started, which [`Interrupt`] sees to.
pub(crate) fn peer(
    verb: &CheckPeerVerb,
    output: &mut Output,
    _: &Interrupt,
) -> Result<(), Failure> {
    let checked = process::check(&verb.solver);
    let (hello, cases) = checked.map_err(|error| Failure::of_entry(&error))?;
    let checked = Checked {
        kind: "peer",
        name: &hello.peer,
        version: &hello.version,
    };
    report(&checked, &cases, verb.json, output)
}

/// Runs `check-engine`.
///
/// A signal ends it like [`peer`].
pub(crate) fn engine(
    verb: &CheckEngineVerb,
    output: &mut Output,
    _: &Interrupt,
) -> Result<(), Failure> {
    let seconds = positive("--frame-seconds", verb.frame_seconds)?;
    let checked = engine::check(&verb.engine, seconds);
    let (hello, cases) = checked.map_err(|error| Failure::of_entry(&error))?;
    let checked = Checked {
        kind: "engine",
        name: &hello.engine,
        version: &hello.version,
    };
    report(&checked, &cases, verb.json, output)
}

/// Prints the cases; an error if one fails.
fn report(
    checked: &Checked<'_>,
    cases: &[CheckedCase],
    as_json: bool,
    output: &mut Output,
) -> Result<(), Failure> {
    if as_json {
        for case in cases {
            let (verdict, seen) = words(&case.verdict);
            output.json(&json!({
                checked.kind: checked.name,
                "version": checked.version,
                "case": case.name,
                "rule": case.rule,
                "verdict": verdict,
                "seen": seen,
            }))?;
        }
    } else {
        let head = format!("{} {}", checked.name, checked.version);
        output.line(&printable(&head))?;
        let mut rows = vec![
            ["case", "", "what must be so", "seen"]
                .map(str::to_owned)
                .to_vec(),
        ];
        rows.extend(cases.iter().map(row));
        output.table(&rows)?;
    }
    let failed = cases.iter().filter(|case| fails(case)).count() as u64;
    match failed {
        0 => Ok(()),
        failed => Err(Failure::run(format!(
            "{} of {} failed",
            count(failed, "case"),
            cases.len()
        ))),
    }
}

fn fails(case: &CheckedCase) -> bool {
    matches!(case.verdict, CheckVerdict::Fails(_))
}

fn row(case: &CheckedCase) -> Vec<String> {
    let (verdict, seen) = words(&case.verdict);
    vec![
        case.name.to_owned(),
        verdict.to_owned(),
        case.rule.to_owned(),
        printable(seen),
    ]
}

/// The word for a verdict, and what was seen.
fn words(verdict: &CheckVerdict) -> (&'static str, &str) {
    match verdict {
        CheckVerdict::Passes(seen) => ("passes", seen),
        CheckVerdict::Fails(seen) => ("FAILS", seen),
        CheckVerdict::DoesNotApply(seen) => ("does not apply", seen),
    }
}

//! `delassus check-peer`: small problems with known solutions for a solver in a process of its own.

use delassus_core::EntryError;
use serde_json::json;

use super::args::CheckPeerVerb;
use super::failure::Failure;
use super::output::{Output, count, printable};
use crate::registry::process::{CheckVerdict, CheckedCase, check};

/// Runs the verb.
pub(crate) fn run(verb: &CheckPeerVerb, output: &mut Output) -> Result<(), Failure> {
    let checked = check(&verb.solver);
    let (hello, cases) =
        checked.map_err(|error: EntryError| Failure::request(printable(&error.to_string())))?;
    if verb.json {
        for case in &cases {
            let (verdict, seen) = words(&case.verdict);
            output.json(&json!({
                "peer": hello.peer,
                "version": hello.version,
                "case": case.name,
                "rule": case.rule,
                "verdict": verdict,
                "seen": seen,
            }))?;
        }
    } else {
        let head = format!("{} {}", hello.peer, hello.version);
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

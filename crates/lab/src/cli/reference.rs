//! `delassus reference`: certified solutions of problem files, or why there is none.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use delassus_core::ContactLaw;
use delassus_problems::{KnownSolution, NamedProblem, read_file_within, snapshot_bytes};
use delassus_records::disk;
use delassus_reference::{
    Attempt, Basis, Certified, NoReference, ReferenceOptions, ReferenceSearch, Uniqueness, certify,
};
use serde_json::{Value, json};

use super::args::ReferenceVerb;
use super::failure::Failure;
use super::files;
use super::output::{Output, count, printable};
use super::request::{law, positive};
use crate::guard::caught;
use crate::memory;
use crate::registry::Registry;
use crate::store::write_durable;

/// Runs the verb.
pub(crate) fn run(
    verb: &ReferenceVerb,
    registry: &Registry,
    output: &mut Output,
    cancel: &AtomicBool,
) -> Result<(), Failure> {
    let law = law(&verb.law)?;
    let options = ReferenceOptions {
        tolerance: positive("--tol", verb.tol)?,
        max_rows: verb.max_rows,
        thorough: verb.thorough,
        ..ReferenceOptions::default()
    };
    files::check(&verb.problems)?;
    files::only_problems(&verb.problems)?;
    let targets = targets(verb)?;
    let mut without = 0;
    for (index, path) in verb.problems.iter().enumerate() {
        let file = path.to_string_lossy();
        let found = judged(path, law, registry, options, cancel);
        if cancel.load(Ordering::Relaxed) {
            let files = count(verb.problems.len() as u64, "file");
            return Err(Failure::Interrupted(format!(
                "interrupted: {index} of {files} done"
            )));
        }
        let (named, verdict) = match found {
            Ok(found) => found,
            Err(message) => {
                without += 1;
                print_failure(verb.json, &file, &message, output)?;
                continue;
            }
        };
        without += usize::from(verdict.reference.is_err());
        let saved = match (&verdict.reference, targets.get(index)) {
            (Ok(found), Some(target)) => Some(save(target, named, found)?),
            _ => None,
        };
        if verb.json {
            output.json(&object(&file, &verdict, saved.as_deref()))?;
        } else {
            output.line(&line(&file, &verdict))?;
            for attempt in verdict.attempts.iter().filter(|_| verb.methods) {
                output.line(&method_line(attempt))?;
            }
        }
    }
    if without > 0 {
        let files = count(verb.problems.len() as u64, "file");
        return Err(Failure::run(format!(
            "{without} of {files} without a reference"
        )));
    }
    Ok(())
}

fn print_failure(
    json: bool,
    file: &str,
    message: &str,
    output: &mut Output,
) -> Result<(), Failure> {
    if json {
        return output.json(&json!({ "file": file, "status": "failed", "message": message }));
    }
    let (file, message) = (printable(file), printable(message));
    output.line(&format!("{file}  failed  {message}"))
}

/// The snapshots to write, one per file, in a folder that exists; none without `--save`.
fn targets(verb: &ReferenceVerb) -> Result<Vec<PathBuf>, Failure> {
    let Some(folder) = &verb.save else {
        return Ok(Vec::new());
    };
    disk::folder(folder).map_err(|error| Failure::unwritten(folder, &error))?;
    let names = files::distinct_names(&verb.problems);
    let snapshot = |name: &String| {
        let stem = name.strip_suffix(".csv").unwrap_or(name);
        folder.join(format!("{stem}.dls"))
    };
    Ok(names.iter().map(snapshot).collect())
}

fn judged(
    path: &Path,
    law: ContactLaw,
    registry: &Registry,
    options: ReferenceOptions,
    cancel: &AtomicBool,
) -> Result<(NamedProblem, ReferenceSearch), String> {
    let named = read_file_within(path, law, memory::limit()).map_err(|error| error.to_string())?;
    let verdict = caught(|| certify(&named.problem, registry, options, cancel))?;
    Ok((named, verdict))
}

/// Writes the problem with its first solution; returns the path.
fn save(target: &Path, mut named: NamedProblem, found: &Certified) -> Result<String, Failure> {
    if let Some(first) = found.solutions.first() {
        named.reference = Some(KnownSolution {
            impulses: first.impulses.clone(),
            provenance: words(found, 0),
            residual: Some(first.residual),
        });
    }
    let shown = target.to_string_lossy().into_owned();
    write_durable(target, &snapshot_bytes(&named))
        .map_err(|error| Failure::unwritten(target, &error))?;
    Ok(shown)
}

/// What certifies a solution, on one line.
fn words(found: &Certified, index: usize) -> String {
    let solution = &found.solutions[index];
    let methods = solution.methods.join(", ");
    let residual = solution.residual;
    match solution.basis {
        Basis::TwoFamilies => format!(
            "{methods} agree to {:.1e}, natural map {residual:.1e}",
            solution.agreement
        ),
        Basis::Returned(method) => {
            format!("found by {methods}, and {method} comes back to it, natural map {residual:.1e}")
        }
        Basis::Enumeration => {
            format!("every active set was looked at ({methods}), natural map {residual:.1e}")
        }
        Basis::Gap(bound) => format!(
            "{methods}, error in velocity at most {bound:.1e} by the duality gap, natural map {residual:.1e}"
        ),
    }
}

fn uniqueness(found: Uniqueness) -> &'static str {
    match found {
        Uniqueness::Convex => "unique velocities: the problem is convex",
        Uniqueness::Enumerated => "there are no other solutions",
        Uniqueness::Open => "other solutions may exist",
    }
}

/// The line for a reader.
fn line(file: &str, verdict: &ReferenceSearch) -> String {
    let file = printable(file);
    match &verdict.reference {
        Err(reason) => format!("{file}  no reference  {}", printable(&reason.to_string())),
        Ok(found) => {
            let all: Vec<String> = (0..found.solutions.len())
                .map(|index| words(found, index))
                .collect();
            let number = match all.len() {
                1 => "certified".to_owned(),
                several => format!("{several} solutions"),
            };
            let rest = uniqueness(found.uniqueness);
            let redundant = match &verdict.redundancy {
                Some(rank) if rank.null_dimension() > 0 => {
                    let free = count(rank.null_dimension() as u64, "free direction");
                    format!("; the impulses are not unique: {free}")
                }
                _ => String::new(),
            };
            format!("{file}  {number}  {}; {rest}{redundant}", all.join("; "))
        }
    }
}

/// What came of one method, for `--methods`.
fn method_line(attempt: &Attempt) -> String {
    let what = match &attempt.outcome {
        Err(reason) => printable(reason),
        Ok(answers) => {
            let all = answers.iter().map(|answer| match answer.refined_by {
                Some(by) => format!(
                    "{:.1e}, refined by {by} to {:.1e}",
                    answer.found, answer.residual
                ),
                None => format!("{:.1e}", answer.residual),
            });
            all.collect::<Vec<_>>().join("; ")
        }
    };
    format!("  {:<15} {what}", attempt.method)
}

fn object(file: &str, verdict: &ReferenceSearch, saved: Option<&str>) -> Value {
    let attempts: Vec<Value> = verdict.attempts.iter().map(attempt_object).collect();
    let rank = verdict.redundancy.map(|rank| {
        json!({ "rank": rank.rank, "null": rank.null_dimension(), "condition": rank.condition() })
    });
    let found = match &verdict.reference {
        Err(reason) => {
            let family = match reason {
                NoReference::Family { family, .. } => Some(json!({
                    "dimension": family.dimension, "extent": family.extent, "ends": family.ends,
                })),
                _ => None,
            };
            return json!({
                "file": file, "status": "no_reference", "message": reason.to_string(), "redundancy": rank,
                "family": family, "attempts": attempts,
            });
        }
        Ok(found) => found,
    };
    let solutions = found.solutions.iter().map(|one| {
        let (basis, gap) = match one.basis {
            Basis::TwoFamilies => ("two_families", None),
            Basis::Returned(_) => ("returned", None),
            Basis::Enumeration => ("enumeration", None),
            Basis::Gap(bound) => ("gap", Some(bound)),
        };
        let returned = match one.basis {
            Basis::Returned(method) => Some(method),
            _ => None,
        };
        json!({
            "methods": one.methods, "basis": basis, "gap": gap, "returned_by": returned,
            "residual": one.residual, "agreement": one.agreement,
            "impulses": one.impulses, "velocities": one.velocities,
        })
    });
    let unique = match found.uniqueness {
        Uniqueness::Convex => "convex",
        Uniqueness::Enumerated => "enumerated",
        Uniqueness::Open => "open",
    };
    json!({
        "file": file, "status": "certified", "uniqueness": unique,
        "solutions": solutions.collect::<Vec<_>>(), "redundancy": rank,
        "attempts": attempts, "saved": saved,
    })
}

fn attempt_object(attempt: &Attempt) -> Value {
    let mut object = json!({
        "method": attempt.method, "family": attempt.family.to_string(), "infeasible": attempt.infeasible,
    });
    match &attempt.outcome {
        Err(reason) => object["message"] = json!(reason),
        Ok(answers) => {
            let all = answers.iter().map(|answer| {
                json!({
                    "found": answer.found, "residual": answer.residual, "refined_by": answer.refined_by,
                })
            });
            object["answers"] = Value::Array(all.collect());
        }
    }
    object
}

//! `delassus solve`: problem files, one answer each.

use std::any::Any;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

use delassus_core::{Start, Status};
use delassus_metrics::Metric;
use delassus_problems::{NamedProblem, ReadError, read_file_with};

use super::answer::{Answer, UNREADABLE, header};
use super::args::{SolveVerb, StartChoice};
use super::failure::Failure;
use super::files;
use super::output::{Output, count, talk};
use super::request::Request;
use super::save::Saver;
use crate::driver::drive;
use crate::judge::Judge;
use crate::record::Outcome;
use crate::registry::Registry;

/// Runs the verb.
pub(crate) fn run(
    verb: &SolveVerb,
    registry: &Registry,
    output: &mut Output,
    cancel: &AtomicBool,
) -> Result<(), Failure> {
    let request = Request::new(verb, registry)?;
    files::check(&verb.problems)?;
    let saver = match &verb.save {
        Some(folder) => Some(Saver::new(folder, &verb.problems)?),
        None => None,
    };
    let names: Vec<String> = verb
        .problems
        .iter()
        .map(|path| path.to_string_lossy().into_owned())
        .collect();
    if !verb.json {
        output.line(&header(&names, &request.criteria))?;
    }
    let mut counts: BTreeMap<Status, usize> = BTreeMap::new();
    let (mut unreadable, mut unsupported) = (0_usize, 0_usize);
    for (index, path) in verb.problems.iter().enumerate() {
        if cancel.load(Ordering::Relaxed) {
            let done = format!(
                "interrupted: {index} of {} done",
                count(names.len() as u64, "file")
            );
            return Err(Failure::Interrupted(done));
        }
        let mut answer = Answer::new(&names[index], &request);
        match read_file_with(path, request.law) {
            Err(error) => {
                let known = matches!(error, ReadError::UnsupportedFormat { .. });
                *(if known {
                    &mut unsupported
                } else {
                    &mut unreadable
                }) += 1;
                answer.status = if known {
                    Status::Unsupported.id()
                } else {
                    UNREADABLE
                };
                answer.message = Some(error.to_string());
            }
            Ok(named) => {
                let (outcome, impulses) = solve(&request, &named, cancel);
                *counts.entry(outcome.status).or_default() += 1;
                answer.take(&outcome, &named.facts());
                let finite = !impulses.is_empty() && impulses.iter().all(|x| x.is_finite());
                if let (Some(saver), true) = (&saver, finite) {
                    answer.saved = Some(saver.save(index, &named.problem, &impulses)?);
                }
            }
        }
        if verb.json {
            output.json(&answer)?;
        } else {
            output.line(&answer.line(&names))?;
        }
    }
    *counts.entry(Status::Unsupported).or_default() += unsupported;
    finish(names.len(), &counts, unreadable)
}

/// Solves one problem; no failure escapes, each is a status.
fn solve(request: &Request<'_>, named: &NamedProblem, cancel: &AtomicBool) -> (Outcome, Vec<f64>) {
    let failed = |reason: String| (Outcome::without_samples(Status::Failed, reason), Vec::new());
    let problem = &named.problem;
    let impulses = match request.start {
        StartChoice::Cold => None,
        StartChoice::Ones => Some(vec![1.0; problem.rows()]),
        StartChoice::Stored => match named.reference_impulses() {
            Some(stored) => Some(stored.to_vec()),
            None => return failed("the file stores no solution; use --start cold".to_owned()),
        },
    };
    let start = impulses.as_deref().map_or(Start::Cold, Start::Warm);
    let columns: Vec<&str> = Metric::ALL.iter().map(|metric| metric.id()).collect();
    let criteria: Vec<&str> = request.criteria.iter().map(String::as_str).collect();
    let mut judge = match Judge::new(problem, &columns, &criteria) {
        Ok(judge) => judge,
        Err(error) => return failed(error.to_string()),
    };
    if let Some(reference) = named.reference_impulses() {
        judge = judge.with_reference(reference, "stored");
    }
    let mut solver = match request.entry.build(&request.parameters) {
        Ok(solver) => solver,
        Err(error) => return failed(error.to_string()),
    };
    let options = &request.options;
    let solve = || drive(solver.as_mut(), problem, start, &mut judge, options, cancel);
    // a solver of the user may panic: its file has failed, the others have not
    catch_unwind(AssertUnwindSafe(solve)).unwrap_or_else(|payload| failed(panicked(&*payload)))
}

/// What a panic said.
fn panicked(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| payload.downcast_ref::<&str>().copied());
    format!(
        "the solver panicked: {}",
        text.unwrap_or("without a message")
    )
}

/// The last word on standard error, and the exit code.
fn finish(
    files: usize,
    counts: &BTreeMap<Status, usize>,
    unreadable: usize,
) -> Result<(), Failure> {
    let mut parts: Vec<String> = counts
        .iter()
        .filter(|(_, count)| **count > 0)
        .map(|(status, count)| format!("{count} {status}"))
        .collect();
    if unreadable > 0 {
        parts.push(format!("{unreadable} {UNREADABLE}"));
    }
    let summary = format!("{}: {}", count(files as u64, "file"), parts.join(", "));
    let with = |status: Status| counts.get(&status).copied().unwrap_or(0);
    if with(Status::Cancelled) > 0 {
        return Err(Failure::Interrupted(format!("interrupted; {summary}")));
    }
    let failures = unreadable + with(Status::Failed) + with(Status::Broken);
    if failures > 0 {
        return Err(Failure::run(summary));
    }
    talk(&summary);
    Ok(())
}

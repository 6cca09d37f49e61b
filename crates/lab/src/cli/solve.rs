//! `delassus solve`: problem files, one answer each.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use delassus_core::{Problem, Start, Status, Unsupported, check_within};
use delassus_metrics::{Evaluator, Metric};
use delassus_problems::{NamedProblem, ProblemReadError, read_file_within};

use super::answer::{Answer, UNREADABLE, header};
use super::args::{SolveVerb, StartChoice};
use super::failure::Failure;
use super::files;
use super::output::{Output, count};
use super::request::Request;
use super::save::Saver;
use super::talk::talk;
use crate::driver::drive;
use crate::guard::caught;
use crate::judge::Judge;
use crate::memory;
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
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for (index, path) in verb.problems.iter().enumerate() {
        if cancel.load(Ordering::Relaxed) {
            let files = count(names.len() as u64, "file");
            let done = format!("interrupted: {index} of {files} done");
            return Err(Failure::Interrupted(done));
        }
        let mut answer = Answer::new(&names[index], &request);
        match read_file_within(path, request.law, request.memory) {
            Err(error) => {
                if matches!(error, ProblemReadError::UnsupportedFormat { .. }) {
                    answer.status = Status::Unsupported.to_string();
                }
                answer.message = Some(error.to_string());
            }
            Ok(named) => {
                let (outcome, impulses) = solve(&request, &named, cancel);
                answer.take(&outcome, &named.facts());
                let scale = Evaluator::new(&named.problem).map(|judge| judge.energy_scale().joules);
                answer.take_scale(scale.ok());
                if let (Some(saver), true) = (&saver, is_answer(&outcome, &impulses)) {
                    answer.saved = Some(saver.save(index, &named.problem, &impulses)?);
                }
                if let (Some(saver), Some(found)) = (&saver, outcome.solutions()) {
                    let path = saver.save_all(index, &named.problem, found)?;
                    answer.saved_solutions = Some(path);
                }
            }
        }
        *counts.entry(answer.status.clone()).or_default() += 1;
        if verb.json {
            output.json(&answer)?;
        } else {
            output.line(&answer.line(&names))?;
        }
    }
    finish(names.len(), &counts)
}

/// True if there are impulses worth keeping: a solve that ran to its own end, without NaN.
fn is_answer(outcome: &Outcome, impulses: &[f64]) -> bool {
    let ended = outcome.status != Status::Cancelled && !outcome.samples.is_empty();
    ended && impulses.iter().all(|x| x.is_finite())
}

/// Solves one problem; no failure escapes, each is a status.
pub(super) fn solve(
    request: &Request,
    named: &NamedProblem,
    cancel: &AtomicBool,
) -> (Outcome, Vec<f64>) {
    let failed = |reason: String| (Outcome::without_samples(Status::Failed, reason), Vec::new());
    let problem = &named.problem;
    let cheap = Metric::ALL.iter().filter(|metric| !metric.doc().dense);
    let columns: Vec<&str> = cheap.map(|metric| metric.id()).collect();
    if let Some(reason) = too_large(request, problem, &columns) {
        let outcome = Outcome::without_samples(Status::Unsupported, reason);
        return (outcome, Vec::new());
    }
    let impulses = match request.start {
        StartChoice::Cold => None,
        StartChoice::Ones => Some(vec![1.0; problem.rows()]),
        StartChoice::Stored => match named.reference_impulses() {
            Some(stored) => Some(stored.to_vec()),
            None => return failed("the file stores no solution; use --start cold".to_owned()),
        },
        StartChoice::Warm => match &named.warm_start {
            Some(stored) => Some(stored.clone()),
            None => return failed("the file stores no warm start; use --start cold".to_owned()),
        },
    };
    let start = impulses.as_deref().map_or(Start::Cold, Start::Warm);
    let criteria: Vec<&str> = request.criteria.iter().map(String::as_str).collect();
    let mut judge = match Judge::new(problem, &columns, &criteria) {
        Ok(judge) => judge,
        Err(error) => return failed(error.to_string()),
    };
    if let Some(reference) = named.reference_impulses() {
        judge = judge.with_reference(reference, "stored");
    }
    let options = &request.options;
    let solve = || match request.entry.build(&request.parameters) {
        Ok(mut solver) => drive(solver.as_mut(), problem, start, &mut judge, options, cancel),
        Err(error) => failed(error.to_string()),
    };
    // the driver contains the panics of a solve; this is for the constructor and `check` of a
    // user's solver
    caught(solve).unwrap_or_else(|text| failed(format!("the solver panicked: {text}")))
}

/// Why the solver is not prepared, if that would take more memory than there may be.
fn too_large(request: &Request, problem: &Problem, columns: &[&str]) -> Option<String> {
    let judged = memory::of_metrics(problem, columns);
    let left = request.memory.less(judged);
    let check = || {
        let solver = request.entry.build(&request.parameters).ok()?;
        check_within(solver.as_ref(), problem, left).err()
    };
    // another refusal, or a panic, is found again where the problem is solved
    match caught(check) {
        Ok(Some(error @ Unsupported::Memory { .. })) => Some(error.to_string()),
        _ => None,
    }
}

/// The last word on standard error, and the exit code.
fn finish(files: usize, counts: &BTreeMap<String, usize>) -> Result<(), Failure> {
    let with = |status: &str| counts.get(status).copied().unwrap_or(0);
    let solved = Status::Solved.id();
    let others = counts.iter().filter(|(status, _)| *status != solved);
    let parts: Vec<String> = std::iter::once((solved, with(solved)))
        .chain(others.map(|(status, count)| (status.as_str(), *count)))
        .map(|(status, count)| format!("{count} {status}"))
        .collect();
    let summary = format!("{}: {}", count(files as u64, "file"), parts.join(", "));
    if with(Status::Cancelled.id()) > 0 {
        return Err(Failure::Interrupted(format!("interrupted; {summary}")));
    }
    let failed = |status: &str| status.parse().is_ok_and(Status::is_failure);
    let failed = counts
        .iter()
        .any(|(status, count)| *count > 0 && failed(status));
    if failed || with(UNREADABLE) > 0 {
        return Err(Failure::run(summary));
    }
    talk(&summary);
    Ok(())
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use delassus_core::{
        Fidelity, ImpulseSolver, ParameterError, Problem, Progress, SolveError, Solver,
        SolverDescriptor, Unsupported,
    };

    use super::*;
    use crate::cli::args::{Cli, Verb};

    /// A user's solver that panics before the driver guards it.
    struct Hostile;

    impl Solver for Hostile {
        type Parameters = ();
        const DESCRIPTOR: SolverDescriptor = SolverDescriptor {
            id: "hostile",
            ..SolverDescriptor::BASE
        };
        fn new((): ()) -> Result<Self, ParameterError> {
            Ok(Self)
        }
    }

    impl ImpulseSolver for Hostile {
        fn descriptor(&self) -> &SolverDescriptor {
            &Self::DESCRIPTOR
        }
        fn check(&self, _: &Problem) -> Result<Fidelity, Unsupported> {
            panic!("no contacts today")
        }
        fn prepare(&mut self, _: &Problem, _: Start<'_>) -> Result<(), SolveError> {
            Ok(())
        }
        fn iterate(&mut self, _: &Problem, _: u32) -> Result<Progress, SolveError> {
            Ok(Progress::default())
        }
        fn read_impulses(&mut self, _: &mut [f64]) -> Result<(), SolveError> {
            Ok(())
        }
    }

    #[test]
    fn a_panic_of_a_users_solver_is_a_status() {
        let registry = Registry::empty().with::<Hostile>();
        let line = ["delassus", "solve", "x", "--solver", "hostile"];
        let Ok(Cli {
            verb: Verb::Solve(verb),
            ..
        }) = Cli::try_parse_from(line)
        else {
            panic!("a valid command line");
        };
        let request = Request::new(&verb, &registry).unwrap();
        let named = delassus_problems::generate("chain", &serde_json::Map::new()).unwrap();
        let (outcome, impulses) = solve(&request, &named, &AtomicBool::new(false));
        assert_eq!(outcome.status, Status::Failed);
        let message = outcome.message.unwrap();
        assert_eq!(message, "the solver panicked: no contacts today");
        assert!(impulses.is_empty());
    }
}

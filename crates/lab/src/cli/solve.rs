//! `delassus solve`: problem files, one answer each.

mod grid;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use delassus_core::{Problem, Start, Status, Unsupported, check_within};
use delassus_metrics::{Evaluator, Metric};
use delassus_problems::{NamedProblem, ProblemReadError, read_file_within};

use super::answer::{Answer, UNREADABLE, header};
use super::args::{SolveVerb, StartChoice};
use super::diagnostic::print_diagnostic;
use super::failure::Failure;
use super::files::{self, ShownFiles};
use super::output::{Output, count, printable};
use super::request::Request;
use super::save::Saver;
use crate::driver::drive;
use crate::guard::caught;
use crate::judge::Judge;
use crate::memory;
use crate::progress::{Meter, Style};
use crate::record::Outcome;
use crate::registry::Registry;
use grid::Grid;

/// Runs the verb.
pub(crate) fn run(
    verb: &SolveVerb,
    registry: &Registry,
    output: &mut Output,
    cancel: &AtomicBool,
) -> Result<(), Failure> {
    let requests = Request::all(verb, registry)?;
    files::check(&verb.problems)?;
    files::only_problems(&verb.problems)?;
    let savers = savers(verb)?;
    let given = verb.problems.iter().map(|path| path.to_string_lossy());
    let given: Vec<String> = given.map(Into::into).collect();
    let shown = ShownFiles::new(&verb.problems);
    let mut grid = (requests.len() > 1 && !verb.json).then(|| Grid::new(&verb.solvers));
    if !verb.json && grid.is_none() {
        output.line(&header(&shown, &requests[0].criteria))?;
    }
    let meter = Meter::new(progress_style(verb, grid.is_some()));
    meter.begin(given.len() * requests.len());
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let (mut interrupted, mut decides) = (None, false);
    for (index, path) in verb.problems.iter().enumerate() {
        if cancel.load(Ordering::Relaxed) {
            interrupted = Some(index);
            break;
        }
        let named = read_file_within(path, requests[0].law, requests[0].memory);
        let mut answers = Vec::with_capacity(requests.len());
        for (at, request) in requests.iter().enumerate() {
            let cell = format!("{}, {}", shown.names[index], printable(&verb.solvers[at]));
            meter.start(&cell);
            let saver = savers.get(at).map(|saver| (saver, index));
            let answer = answer(&given[index], request, &named, saver, cancel)?;
            meter.finish(&cell, &answer.progress(), false);
            *counts.entry(answer.status.clone()).or_default() += 1;
            if grid.is_none() {
                meter.suspend(|| match verb.json {
                    true => output.json(&answer),
                    false => output.line(&answer.line(&shown, index, verb.explain)),
                })?;
            }
            decides |= !answer.decisions().is_empty();
            answers.push(answer);
        }
        if let Some(grid) = &mut grid {
            grid.push(&shown.names[index], &answers, verb.explain);
        }
    }
    meter.end();
    if let Some(grid) = grid {
        output.text(&grid.text(&shown))?;
    }
    if verb.explain && !decides {
        print_diagnostic(&undecided(verb));
    }
    let files = count(given.len() as u64, "file");
    let stopped = |done| Failure::Interrupted(format!("interrupted: {done} of {files} done"));
    interrupted.map_or_else(|| finish(verb, &counts), |done| Err(stopped(done)))
}

fn progress_style(verb: &SolveVerb, is_grid: bool) -> Style {
    match Style::detect(verb.json) {
        // each line of the answer is progress enough
        Style::Lines if !is_grid => Style::Quiet,
        style => style,
    }
}

/// Said after a solve with `--explain` of which there is nothing to explain.
fn undecided(verb: &SolveVerb) -> String {
    printable(&format!(
        "--explain: {} decided nothing; `auto` and solvers that choose say what they did",
        verb.solvers.join(", ")
    ))
}

/// Where solutions are saved, per solver; of several solvers each has a folder of its own.
fn savers(verb: &SolveVerb) -> Result<Vec<Saver>, Failure> {
    let Some(folder) = &verb.save else {
        return Ok(Vec::new());
    };
    let folders = verb.solvers.iter().map(|name| match verb.solvers.len() {
        1 => folder.clone(),
        _ => folder.join(name),
    });
    folders
        .map(|folder| Saver::new(&folder, &verb.problems))
        .collect()
}

/// Solves a problem, if it could be read, and saves the solution.
fn answer<'a>(
    file: &'a str,
    request: &'a Request,
    named: &Result<NamedProblem, ProblemReadError>,
    saver: Option<(&Saver, usize)>,
    cancel: &AtomicBool,
) -> Result<Answer<'a>, Failure> {
    let mut answer = Answer::new(file, request);
    let named = match named {
        Ok(named) => named,
        Err(error) => {
            if matches!(error, ProblemReadError::UnsupportedFormat { .. }) {
                answer.status = Status::Unsupported.to_string();
            }
            answer.message = Some(error.to_string());
            return Ok(answer);
        }
    };
    let (outcome, impulses) = solve(request, named, cancel);
    answer.take(&outcome, &named.facts());
    let scale = Evaluator::new(&named.problem).map(|judge| judge.energy_scale().joules);
    answer.take_scale(scale.ok());
    if let (Some((saver, index)), true) = (saver, is_answer(&outcome, &impulses)) {
        answer.saved = Some(saver.save(index, &named.problem, &impulses)?);
    }
    if let (Some((saver, index)), Some(found)) = (saver, outcome.solutions()) {
        let path = saver.save_all(index, &named.problem, found)?;
        answer.saved_solutions = Some(path);
    }
    Ok(answer)
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
        StartChoice::Captured => match &named.captured {
            Some(captured) => Some(captured.impulses.clone()),
            None => {
                let reason = "the file stores no impulses of an engine; use --start cold";
                return failed(reason.to_owned());
            }
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
fn finish(verb: &SolveVerb, counts: &BTreeMap<String, usize>) -> Result<(), Failure> {
    let with = |status: &str| counts.get(status).copied().unwrap_or(0);
    let solved = Status::Solved.id();
    let others = counts.iter().filter(|(status, _)| *status != solved);
    let parts: Vec<String> = std::iter::once((solved, with(solved)))
        .chain(others.map(|(status, count)| (status.as_str(), *count)))
        .map(|(status, count)| format!("{count} {status}"))
        .collect();
    let files = count(verb.problems.len() as u64, "file");
    let what = match verb.solvers.len() {
        1 => files,
        solvers => format!("{files} × {solvers} solvers"),
    };
    let limit = match with(Status::MaxTime.id()) {
        0 => String::new(),
        _ => format!(
            "; time limit {} s per file (--max-seconds)",
            verb.max_seconds
        ),
    };
    let summary = format!("{what}: {}{limit}", parts.join(", "));
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
    print_diagnostic(&summary);
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

//! The command line of `delassus`, for the program itself and for programs with solvers of their
//! own.

mod answer;
mod args;
mod bundle;
mod cells;
mod check;
mod cite;
mod compare;
mod conformance;
mod convert;
mod data;
mod decisions;
mod demo;
mod destination;
mod diagnostic;
mod doctor;
mod experiment;
mod explain;
mod export;
mod failure;
mod files;
mod fsck;
mod gate;
mod host;
mod inspect;
mod interrupt;
mod kind;
mod list;
mod new;
mod output;
mod pages;
mod parts;
mod plan;
mod play;
mod plot;
mod probe;
mod reference;
mod report;
mod request;
mod save;
mod scene;
mod schema;
mod session;
mod show;
mod soft;
mod solve;
mod sparkline;
mod verify;
mod watch;
mod worker;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use delassus_core::MemoryLimit;
use delassus_core::suggest::nearest;
use delassus_records::disk;
#[cfg(unix)]
use delassus_runner::isolate;
use delassus_runner::linked;

use crate::memory;
use crate::registry::{Registry, process};
use crate::results;
use args::{Cli, Verb};
use failure::Failure;
use output::Output;

pub use host::HostProcess;

/// Runs the command line with the solvers of `registry`: the whole `main` of a program.
///
/// Exit codes: 0 done (a solver that did not converge is a result), 1 something failed, 2 the
/// request was wrong, 3 another process has the results folder, a file of it cannot be written or
/// processes of cells were ended from outside, 4 this machine lacks what was asked for, 5 a gate
/// fails, 6 something is not as it was recorded, 7 another version drew what data give otherwise,
/// 128 + n ended by signal n. Standard output is data, standard error is messages.
pub fn main_with(registry: Registry) -> ExitCode {
    session::make_up();
    ExitCode::from(run_words(&registry, std::env::args_os()))
}

/// Runs the command line in a process that has loaded this program as a library. The first of
/// `words` is the name of the program. Returns the exit code, those of [`main_with`].
pub fn main_in(
    host: HostProcess,
    registry: &Registry,
    words: impl IntoIterator<Item = OsString>,
) -> u8 {
    host::enter(host);
    run_words(registry, words)
}

fn run_words(registry: &Registry, words: impl IntoIterator<Item = OsString>) -> u8 {
    let mut output = Output::stdout();
    let outcome = parse(words, &mut output).and_then(|verb| match verb {
        Some(verb) => dispatch(&verb, registry, &mut output),
        None => Ok(()),
    });
    let code = outcome.map_or_else(Failure::report, |()| 0);
    process::end_all();
    #[cfg(unix)]
    if process::has_started() {
        isolate::end_started();
    }
    code
}

/// True for a verb that starts the programs which the user or a spec names as solvers. What comes
/// from elsewhere starts none.
fn starts_programs(verb: &Verb) -> bool {
    match verb {
        Verb::Run(_)
        | Verb::Plan(_)
        | Verb::Play(_)
        | Verb::Solve(_)
        | Verb::Export(_)
        | Verb::Reference(_)
        | Verb::Gate(_)
        | Verb::Work => true,
        Verb::Compare(request) => request.folders.iter().all(|dir| results::is_own(dir)),
        Verb::Verify(request) => results::is_own(&request.folder),
        Verb::Bundle(request) => results::is_own(&request.folder),
        Verb::Report(request) => results::is_own(&request.folder),
        _ => false,
    }
}

/// True for a verb that writes files and has nothing to conclude at a signal.
fn ends_at_once(verb: &Verb) -> bool {
    matches!(
        verb,
        Verb::Merge(_)
            | Verb::Convert(_)
            | Verb::Compare(_)
            | Verb::Report(_)
            | Verb::Migrate(_)
            | Verb::Bundle(_)
            | Verb::Plot(_)
            | Verb::Data(_)
            | Verb::New(_)
    )
}

/// True for a verb that reads results, of which not every solver need be on this machine.
fn reads_results(verb: &Verb) -> bool {
    matches!(
        verb,
        Verb::Verify(_) | Verb::Bundle(_) | Verb::Report(_) | Verb::Compare(_)
    )
}

/// The results folders that a verb reads: they may name solvers that another program had.
fn read_folders(verb: &Verb) -> Vec<&Path> {
    match verb {
        Verb::Report(request) => vec![&request.folder],
        Verb::Verify(request) => vec![&request.folder],
        Verb::Bundle(request) => vec![&request.folder],
        Verb::Data(request) => vec![&request.folder],
        Verb::Plot(request) => vec![&request.folder],
        Verb::Show(request) => vec![&request.path],
        Verb::Compare(request) => request.folders.iter().map(PathBuf::as_path).collect(),
        _ => Vec::new(),
    }
}

/// The verb; `None` if help or the version was asked for and printed.
fn parse(
    words: impl IntoIterator<Item = OsString>,
    output: &mut Output,
) -> Result<Option<Verb>, Failure> {
    match Cli::try_parse_from(words) {
        Ok(cli) => {
            match (cli.max_file.map(MemoryLimit::bytes), largest_file()) {
                (Some(bytes), _) => {
                    disk::allow(bytes);
                    disk::limit_memory(memory::of_file().unwrap_or(u64::MAX));
                }
                (None, bytes) if bytes < disk::MOST_BYTES => disk::allow_for_memory(bytes),
                (None, bytes) => disk::allow(bytes),
            }
            Ok(Some(cli.verb))
        }
        Err(error) => {
            let error = nearest_first(error);
            let text = error.render().to_string();
            match error.kind() {
                ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
                    output.text(&text).map(|()| None)
                }
                // a page of help is no error message
                ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => Err(Failure::Help(text)),
                // the text of clap begins with "error: ", as does the report of every failure
                _ => {
                    let text = text.trim_end();
                    let text = text.strip_prefix("error: ").unwrap_or(text);
                    Err(Failure::request(format!("{text}{}", of_scenes(&error))))
                }
            }
        }
    }
}

/// The error about a verb that there is not, with the verb that is most likely meant first.
fn nearest_first(mut error: clap::Error) -> clap::Error {
    let Some(ContextValue::String(verb)) = error.get(ContextKind::InvalidSubcommand) else {
        return error;
    };
    let suggested = match error.get(ContextKind::SuggestedSubcommand) {
        _ if !of_scenes(&error).is_empty() => vec!["play".to_owned()],
        Some(ContextValue::Strings(all)) => {
            let first = nearest(verb, all.iter().map(String::as_str));
            let others = all.iter().filter(|name| Some(*name) != first.as_ref());
            first.iter().chain(others).cloned().collect()
        }
        _ => return error,
    };
    error.insert(
        ContextKind::SuggestedSubcommand,
        ContextValue::Strings(suggested),
    );
    error
}

/// Which verbs take scenes, for who looks for a verb that steps one.
fn of_scenes(error: &clap::Error) -> &'static str {
    let words = [
        "simulate",
        "simulation",
        "step",
        "replay",
        "animate",
        "view",
    ];
    match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(verb)) if nearest(verb, words).is_some() => {
            "\n  `delassus play SCENE` steps a scene and writes a page that plays it, `delassus check SCENE` looks at it\n  \
             before the first step, `delassus run SPEC` steps the scenes of an experiment"
        }
        _ => "",
    }
}

/// Size of a file that is read without being asked to: what it is made into takes a few times as
/// much memory \[B\].
fn largest_file() -> u64 {
    disk::MOST_BYTES.min(memory::free() / 4)
}

fn dispatch(verb: &Verb, registry: &Registry, output: &mut Output) -> Result<(), Failure> {
    let starting = starts_programs(verb).then(|| registry.clone().with_commands());
    // what programs of solvers start ends with this one, unless that is a part of another
    #[cfg(unix)]
    if host::host().is_none() {
        process::before_first(isolate::adopt);
    }
    let registry = starting.as_ref().unwrap_or(registry);
    let reading = reads_results(verb).then(|| registry.clone().for_results());
    let registry = reading.as_ref().unwrap_or(registry);
    // how a worker ends says why
    if !matches!(verb, Verb::Work) {
        interrupt::outlive_file_limit();
    }
    if ends_at_once(verb) {
        interrupt::end_at_first();
    }
    let known = |registry, dir| linked::known_in(dir, registry);
    let registry = &read_folders(verb).into_iter().fold(registry.clone(), known);
    match verb {
        Verb::Demo(request) => demo::run(request, registry, output, &interrupt::install()),
        Verb::Play(request) => play::run(request, registry, output, &interrupt::install()),
        Verb::Check(request) => check::run(request, output),
        Verb::Run(request) => experiment::run(request, registry, output, &interrupt::install()),
        Verb::Plan(request) => {
            experiment::run(&request.run()?, registry, output, &interrupt::install())
        }
        Verb::Status(request) => parts::status(request, registry, output),
        Verb::Merge(request) => parts::merge(request, output),
        Verb::Solve(request) => solve::run(request, registry, output, &interrupt::install().asked),
        Verb::Export(request) => {
            export::run(request, registry, output, &interrupt::install().asked)
        }
        Verb::Convert(request) => convert::run(request, output),
        Verb::Inspect(request) => inspect::run(request, output, &interrupt::install().asked),
        Verb::Show(request) => show::run(request, registry, output, &interrupt::install().asked),
        Verb::Reference(request) => {
            reference::run(request, registry, output, &interrupt::install().asked)
        }
        Verb::List(request) => list::run(request, registry, output),
        Verb::Cite(request) => cite::run(request, registry, output),
        Verb::Compare(request) => compare::run(request, registry, output),
        Verb::Gate(request) => gate::run(request, registry, output, &interrupt::install()),
        Verb::Report(request) => report::run(request, registry, output),
        Verb::Fsck(request) => fsck::check(request, output),
        Verb::Migrate(request) => fsck::migrate(request, output),
        Verb::Verify(request) => {
            verify::run(request, registry, output, &interrupt::install().asked)
        }
        Verb::Bundle(request) => bundle::run(request, registry, output),
        Verb::Plot(request) => plot::run(request, registry, output),
        Verb::Data(request) => data::run(request, registry, output),
        Verb::Watch(request) => watch::run(request, registry, output, &interrupt::install()),
        Verb::New(request) => new::run(request, registry, output),
        Verb::Explain(request) => explain::run(request, registry, output),
        Verb::Completions(request) => pages::completions(request, output),
        Verb::Schema(request) => schema::run(request, registry, output),
        Verb::Man(request) => pages::man(request, output),
        Verb::Soft(request) => soft::run(request, output),
        Verb::Doctor(request) => doctor::run(request, output),
        Verb::CheckPeer(request) => conformance::peer(request, output, &interrupt::install()),
        Verb::CheckEngine(request) => conformance::engine(request, output, &interrupt::install()),
        Verb::Work => worker::run(registry),
    }
}

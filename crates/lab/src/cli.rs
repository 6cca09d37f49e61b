//! The command line of `delassus`, for the program itself and for programs with solvers of their own.

mod answer;
mod args;
mod cite;
mod compare;
mod convert;
mod doctor;
mod experiment;
mod export;
mod failure;
mod files;
mod inspect;
mod interrupt;
mod list;
mod output;
mod plan;
mod probe;
mod reference;
mod request;
mod save;
mod session;
mod solve;
mod talk;

use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;

use crate::registry::Registry;
use args::{Cli, Verb};
use failure::Failure;
use output::Output;

/// Runs the command line with the solvers of `registry`: the whole `main` of a program.
///
/// Exit codes: 0 done (a solver that did not converge is a result), 1 something failed, 2 the request was
/// wrong, 3 another process has the results folder, 130 interrupted. Standard output is data, standard error is talk.
pub fn main_with(registry: Registry) -> ExitCode {
    session::make_up();
    let mut output = Output::stdout();
    match parse(&mut output).and_then(|verb| match verb {
        Some(verb) => dispatch(&verb, &registry, &mut output),
        None => Ok(()),
    }) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

/// The verb; `None` if help or the version was asked for and printed.
fn parse(output: &mut Output) -> Result<Option<Verb>, Failure> {
    match Cli::try_parse() {
        Ok(cli) => Ok(Some(cli.verb)),
        Err(error) => {
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
                    Err(Failure::request(text))
                }
            }
        }
    }
}

fn dispatch(verb: &Verb, registry: &Registry, output: &mut Output) -> Result<(), Failure> {
    match verb {
        Verb::Run(request) => experiment::run(request, registry, output, &interrupt::install()),
        Verb::Solve(request) => solve::run(request, registry, output, &interrupt::install().asked),
        Verb::Export(request) => {
            export::run(request, registry, output, &interrupt::install().asked)
        }
        Verb::Convert(request) => convert::run(request, output),
        Verb::Inspect(request) => inspect::run(request, output, &interrupt::install().asked),
        Verb::Reference(request) => {
            reference::run(request, registry, output, &interrupt::install().asked)
        }
        Verb::List(request) => list::run(request, registry, output),
        Verb::Cite(request) => cite::run(request, registry, output),
        Verb::Compare(request) => compare::run(request, registry, output),
        Verb::Report(request) => experiment::report(request, registry, output),
        Verb::Doctor(request) => doctor::run(request, output),
    }
}

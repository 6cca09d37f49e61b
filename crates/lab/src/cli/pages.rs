//! `delassus completions` and `delassus man`: what shells and manuals want to know of the command
//! line.

use std::env;
use std::path::Path;

use clap::{Command, CommandFactory};
use clap_mangen::Man;
use serde_json::json;

use super::args::{Cli, CompletionsVerb, ManVerb};
use super::failure::Failure;
use super::host::host;
use super::output::{Output, printable};
use crate::store::write_atomic;
use crate::suggest::{did_you_mean, nearest};

/// The name that the program was built with: programs with solvers of their own have others.
fn program() -> String {
    let path = match host() {
        Some(_) => None,
        None => env::current_exe().ok(),
    };
    let stem = path.as_deref().and_then(Path::file_stem);
    stem.map_or_else(
        || "delassus".to_owned(),
        |stem| stem.to_string_lossy().into_owned(),
    )
}

/// Runs the verb `completions`.
pub(crate) fn completions(verb: &CompletionsVerb, output: &mut Output) -> Result<(), Failure> {
    let mut script = Vec::new();
    let name = program();
    clap_complete::generate(verb.shell, &mut Cli::command(), &name, &mut script);
    let script = String::from_utf8_lossy(&script);
    match verb.json {
        true => output.json(&json!({
            "schema": "completions/1",
            "shell": verb.shell.to_string(),
            "program": name,
            "script": script,
        })),
        false => output.text(&script),
    }
}

/// Runs the verb `man`.
pub(crate) fn man(verb: &ManVerb, output: &mut Output) -> Result<(), Failure> {
    let all = pages()?;
    let Some(folder) = &verb.out else {
        let name = match &verb.verb {
            None => program(),
            Some(verb) => format!("{}-{verb}", program()),
        };
        let found = all.iter().find(|(page, _)| *page == name);
        let (name, page) =
            found.ok_or_else(|| unknown(verb.verb.as_deref().unwrap_or_default()))?;
        return match verb.json {
            true => output.json(&json!({ "schema": "man/1", "name": name, "page": page })),
            false => output.text(page),
        };
    };
    for (name, page) in &all {
        let path = folder.join(format!("{name}.1"));
        let shown = printable(&path.to_string_lossy());
        write_atomic(&path, page.as_bytes()).map_err(|error| Failure::unwritten(&path, &error))?;
        match verb.json {
            true => output.json(
                &json!({ "schema": "man/1", "name": name, "file": path.to_string_lossy() }),
            )?,
            false => output.line(&shown)?,
        }
    }
    Ok(())
}

/// Every page with its name: the program's, then a page per verb.
fn pages() -> Result<Vec<(String, String)>, Failure> {
    let name = program();
    let mut command = Cli::command().name(name.clone());
    command.build();
    let verbs = command
        .get_subcommands()
        .filter(|verb| verb.get_name() != "help");
    let verbs = verbs.map(|verb| {
        let page = format!("{name}-{}", verb.get_name());
        (page.clone(), verb.clone().name(page))
    });
    let all = [(name.clone(), command.clone())].into_iter().chain(verbs);
    all.map(|(name, command)| Ok((name, roff(command)?)))
        .collect()
}

fn roff(command: Command) -> Result<String, Failure> {
    let mut page = Vec::new();
    // a date would make another page every day
    let made = Man::new(command).date("").render(&mut page);
    made.map_err(|error| Failure::run(format!("the page cannot be made: {error}")))?;
    Ok(String::from_utf8_lossy(&page).into_owned())
}

fn unknown(verb: &str) -> Failure {
    let command = Cli::command();
    let names = command.get_subcommands().map(Command::get_name);
    let close = nearest(verb, names);
    Failure::request(format!(
        "no verb is named {verb:?}{}",
        did_you_mean(close.as_deref())
    ))
}

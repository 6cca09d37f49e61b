//! `delassus convert`: problem files from one format to another.

mod setting;
mod source;
mod target;

use std::path::Path;

use serde_json::json;

use super::args::ConvertVerb;
use super::destination::Destination;
use super::diagnostic::print_diagnostic;
use super::failure::Failure;
use super::files;
use super::output::{Output, printable};
use super::request::law;
use crate::memory;
use setting::Setting;
use source::Source;
pub(super) use target::{Container, ConvertError, frozen, of_data};
use target::{Made, make};

/// Runs the verb.
pub(crate) fn run(verb: &ConvertVerb, output: &mut Output) -> Result<(), Failure> {
    let law = law(&verb.law)?;
    files::check(std::slice::from_ref(&verb.input))?;
    let shown = verb.output.to_string_lossy().into_owned();
    let container = target::container(verb)?;
    let to = Destination::of("OUT", &verb.output)?;
    to.check(verb.json)?;
    let limit = memory::limit();
    let source = Source::read(&verb.input, limit)
        .map_err(|error| Failure::run(format!("{}: {error}", printable(&name(&verb.input)))))?;
    let made = make(&source, container, verb, Setting { law, limit });
    let made = made.map_err(|error| Failure::request(format!("{}: {error}", printable(&shown))))?;
    refuse_losses(verb, &made)?;
    for note in &made.notes {
        print_diagnostic(&format!("note: {note}"));
    }
    to.write(&made.bytes, output)?;
    if verb.json {
        return output.json(&json!({
            "file": shown,
            "from": source.format(),
            "to": made.format,
            "bytes": made.bytes.len(),
            "losses": made.losses,
            "notes": made.notes,
        }));
    }
    let line = format!(
        "{}  {} from {}",
        printable(&shown),
        made.format,
        source.format()
    );
    to.say(&line, output)
}

/// Fails where something would be lost that nobody said may be lost.
fn refuse_losses(verb: &ConvertVerb, made: &Made) -> Result<(), Failure> {
    if made.losses.is_empty() {
        return Ok(());
    }
    if verb.lossy {
        for loss in &made.losses {
            print_diagnostic(&format!("lost: {loss}"));
        }
        return Ok(());
    }
    Err(Failure::request(format!(
        "{} as {} would lose something:\n  {}\n  --lossy accepts that; .dls and FCLIB (.hdf5) keep more",
        printable(&name(&verb.input)),
        made.format,
        made.losses.join("\n  ")
    )))
}

fn name(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

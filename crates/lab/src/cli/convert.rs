//! `delassus convert`: problem files from one format to another.

mod source;
mod target;

use std::path::Path;

use delassus_core::MemoryLimit;
use serde_json::json;

use super::args::ConvertVerb;
use super::failure::Failure;
use super::files;
use super::output::{Output, printable};
use super::request::law;
use super::talk::talk;
use crate::memory;
use crate::store::write_atomic;
use source::Source;
pub(super) use target::{Container, ConvertError, frozen, of_data};
use target::{Made, make};

/// Runs the verb.
pub(crate) fn run(verb: &ConvertVerb, output: &mut Output) -> Result<(), Failure> {
    let law = law(&verb.law)?;
    files::check(std::slice::from_ref(&verb.input))?;
    let shown = verb.output.to_string_lossy().into_owned();
    let container = target::container(verb)?;
    if verb.output.is_dir() {
        return Err(Failure::request(format!(
            "{}: is a folder; name the file to write in it",
            printable(&shown)
        )));
    }
    let limit = memory::limit();
    let source = Source::read(&verb.input, limit)
        .map_err(|error| Failure::run(format!("{}: {error}", printable(&name(&verb.input)))))?;
    let made = make(&source, container, verb, (law, limit));
    let made = made.map_err(|error| Failure::request(format!("{}: {error}", printable(&shown))))?;
    refuse_losses(verb, &made)?;
    for note in &made.notes {
        talk(&format!("note: {note}"));
    }
    write_atomic(&verb.output, &made.bytes)
        .map_err(|error| Failure::unwritten(&verb.output, &error))?;
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
    output.line(&line)
}

/// Fails where something would be lost that nobody said may be lost.
fn refuse_losses(verb: &ConvertVerb, made: &Made) -> Result<(), Failure> {
    if made.losses.is_empty() {
        return Ok(());
    }
    if verb.lossy {
        for loss in &made.losses {
            talk(&format!("lost: {loss}"));
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

/// Law of contacts and limit of memory.
pub(super) type Setting = (delassus_core::FrictionLaw, MemoryLimit);

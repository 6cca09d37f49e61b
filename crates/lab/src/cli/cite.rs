//! `delassus cite`: the BibTeX of everything that specs and names use.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use delassus_runner::citations::{self, Source};
use serde_json::json;

use super::args::CiteVerb;
use super::failure::Failure;
use super::output::Output;
use crate::registry::Registry;
use crate::run::RunError;
use crate::spec;

/// Who cites each key.
type Cited = BTreeMap<String, BTreeSet<String>>;

/// Runs the verb.
pub(crate) fn run(
    request: &CiteVerb,
    registry: &Registry,
    output: &mut Output,
) -> Result<(), Failure> {
    let mut cited = Cited::new();
    for name in &request.names {
        let path = Path::new(name);
        let found = if path.exists() {
            let spec = spec::read(path, registry).map_err(RunError::Spec)?;
            let found = citations::of_spec(&spec, registry);
            found.map_err(|error| Failure::request(error.to_string()))?
        } else {
            vec![of_name(name, registry)?]
        };
        for Source { id, citations } in found {
            for key in citations {
                cited
                    .entry((*key).to_owned())
                    .or_default()
                    .insert(id.clone());
            }
        }
    }
    let entries = citations::entries();
    let mut first = true;
    for (key, by) in &cited {
        let bibtex = entries.get(key.as_str());
        if request.json {
            output.json(&json!({ "key": key, "bibtex": bibtex, "cited_by": by }))?;
            continue;
        }
        if !std::mem::take(&mut first) {
            output.line("")?;
        }
        match bibtex {
            Some(text) => output.line(text)?,
            // a solver of a program of one's own
            None => {
                let by: Vec<&str> = by.iter().map(String::as_str).collect();
                let by = by.join(", ");
                output.line(&format!(
                    "% {key} (cited by {by}) is not in the bibliography of this program"
                ))?;
            }
        }
    }
    Ok(())
}

/// What a name is: a solver, or else a scheme, a scene or a metric.
fn of_name(name: &str, registry: &Registry) -> Result<Source, Failure> {
    citations::of_name(name, registry).map_err(|unknown| {
        Failure::request(format!(
            "{unknown}\n  and no spec, scheme, scene or metric has that name; `delassus list` names them all"
        ))
    })
}

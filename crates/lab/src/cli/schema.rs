//! `delassus schema`: the JSON schema of specs, for editors.

use delassus_runner::spec::schema;
use serde_json::json;

use super::args::SchemaVerb;
use super::destination::Destination;
use super::failure::Failure;
use super::output::{Output, printable};
use crate::registry::Registry;

/// Runs the verb.
pub(crate) fn run(
    verb: &SchemaVerb,
    registry: &Registry,
    output: &mut Output,
) -> Result<(), Failure> {
    let schema = schema(registry);
    let text = serde_json::to_string_pretty(&schema)
        .map_err(|error| Failure::run(error.to_string()))?
        + "\n";
    let Some(out) = &verb.out else {
        return match verb.json {
            true => output.json(&json!({ "schema": "schema/1", "spec": schema })),
            false => output.text(&text),
        };
    };
    let to = Destination::of("--out", out)?;
    to.require_ending("--out", out, &["json"], "a schema is a JSON file")?;
    to.check(verb.json)?;
    to.write(text.as_bytes(), output)?;
    match verb.json {
        true => output.json(&json!({
            "schema": "schema/1",
            "file": out.to_string_lossy(),
            "bytes": text.len(),
        })),
        false => to.say(&printable(&out.to_string_lossy()), output),
    }
}

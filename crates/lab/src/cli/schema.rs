//! `delassus schema`: the JSON schema of specs, for editors.

use delassus_runner::spec::schema;
use serde_json::json;

use super::args::SchemaVerb;
use super::failure::Failure;
use super::output::{Output, printable};
use crate::registry::Registry;
use crate::store::write_atomic;

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
    let shown = printable(&out.to_string_lossy());
    write_atomic(out, text.as_bytes()).map_err(|error| Failure::unwritten(out, &error))?;
    match verb.json {
        true => output.json(&json!({
            "schema": "schema/1",
            "file": out.to_string_lossy(),
            "bytes": text.len(),
        })),
        false => output.line(&shown),
    }
}

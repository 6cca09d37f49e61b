//! A figure that is in no spec.

use std::path::Path;

use serde_json::{Map, Value};

use crate::error::RunError;
use crate::figures::FigureSpec;
use crate::registry::Registry;
use crate::{saved, spec};

/// Identifier of a figure that is in no spec.
const PLOT: &str = "delassus-plot";

/// A figure of the results in `dir` that its spec does not have: a kind with its settings, checked
/// as in the spec.
///
/// # Errors
/// Not a results folder; an unknown kind, settings that it does not have, or that the records have
/// no numbers for.
pub fn figure(
    dir: &Path,
    kind: &str,
    settings: &Map<String, Value>,
    registry: &Registry,
) -> Result<FigureSpec, RunError> {
    let saved = saved::read(dir)?;
    let file = saved::spec_file(dir, &saved).unwrap_or_else(|| dir.join(spec::FILE_NAME));
    // keys and values of JSON are keys and values of TOML, where they are no tables and not null
    let settings: Vec<String> = settings
        .iter()
        .map(|(key, value)| format!("{} = {value}", Value::from(key.as_str())))
        .collect();
    let figure = format!(
        "\n[[figure]]\nid = {:?}\nplot = {{ {} = {{ {} }} }}\n",
        PLOT,
        Value::from(kind),
        settings.join(", ")
    );
    let mut spec = spec::of_text(&file, saved.spec + &figure, registry)?;
    let last = spec.figures.pop().filter(|figure| figure.id == PLOT);
    last.ok_or_else(|| RunError::Spec(spec.error(0..0, "the figure was not read")))
}

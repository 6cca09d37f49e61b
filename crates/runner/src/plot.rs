//! A figure that is in no spec.

use std::path::Path;
use std::slice::from_ref;

use serde_json::{Map, Value};

use crate::bundle::Bundle;
use crate::error::RunError;
use crate::figures::FigureSpec;
use crate::registry::Registry;
use crate::spec::Spec;
use crate::suggest::list;
use crate::view::named;
use crate::{run_metadata, spec};

/// Identifier of a figure that is in no spec.
const PLOT: &str = "delassus-plot";

/// Makes figures of results that their spec does not have.
#[derive(Debug)]
pub struct FigureReader {
    spec: Spec,
}

impl FigureReader {
    /// Reads the spec of the results in `dir`.
    ///
    /// # Errors
    /// Not a results folder.
    pub fn of(dir: &Path, registry: &Registry) -> Result<Self, RunError> {
        let saved = run_metadata::read(dir)?;
        let file =
            run_metadata::spec_file(dir, &saved).unwrap_or_else(|| dir.join(spec::FILE_NAME));
        let spec = spec::text_alone(&file, saved.spec, registry)?;
        Ok(Self { spec })
    }

    /// True for a parameter that the spec sets, as figures name it: "n" of problems, "scene.n",
    /// "scheme.substeps", "solver.omega".
    pub fn sets(&self, name: &str) -> bool {
        self.spec.sets(name)
    }

    /// A figure of a kind with these settings, checked as in the spec.
    ///
    /// # Errors
    /// An unknown kind, settings that it does not have, or that the records have no numbers for.
    pub fn figure(
        &self,
        kind: &str,
        settings: &Map<String, Value>,
    ) -> Result<FigureSpec, RunError> {
        let plot = toml_line(kind, settings);
        let figure = format!("[[figure]]\nid = {PLOT:?}\nplot = {plot}\n");
        Ok(self.spec.figure(&figure)?)
    }
}

/// A kind with its settings, as a spec writes it behind `plot =`.
pub fn toml_line(kind: &str, settings: &Map<String, Value>) -> String {
    format!("{{ {} = {} }}", Value::from(kind), table(settings))
}

/// The settings as a table of TOML in one line. Other values that are not null, and strings, are
/// written as in JSON.
fn table(settings: &Map<String, Value>) -> String {
    let value = |value: &Value| match value {
        Value::Object(inner) => table(inner),
        other => other.to_string(),
    };
    let pairs = settings.iter();
    let pairs = pairs.map(|(key, own)| format!("{} = {}", Value::from(key.as_str()), value(own)));
    format!("{{ {} }}", pairs.collect::<Vec<_>>().join(", "))
}

/// Refuses a figure of problems, scenes, schemes or solvers that no record of `bundle` has.
///
/// # Errors
/// The name that none has, with those that there are.
pub fn check(figure: &FigureSpec, bundle: &Bundle) -> Result<(), String> {
    let chosen = figure.plot.selection();
    let records = || bundle.records.iter();
    let subject = match bundle.is_over_time() {
        true => "scene",
        false => "problem",
    };
    let schemes = records().filter_map(|record| Some(record.scheme()?.label.as_str()));
    let solvers = records().map(|record| record.solver.label.as_str());
    let solvers = solvers.filter(|label| !label.is_empty());
    for (what, wanted, known) in [
        (subject, chosen.problems, bundle.problems()),
        ("scheme", chosen.schemes, schemes.collect()),
        ("solver", chosen.solvers, solvers.collect()),
    ] {
        let is_known = |name: &String| known.iter().any(|known| named(known, from_ref(name)));
        if let Some(name) = wanted.iter().find(|name| !is_known(name)) {
            return Err(format!(
                "no {what} of these results is named {name:?}; there are {}",
                list(known)
            ));
        }
    }
    Ok(())
}

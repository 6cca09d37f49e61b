//! `delassus solve`: the request, checked as a whole before any file is read.

use delassus_core::{ContactLaw, EntryError, MemoryLimit};
use serde_json::{Map, Number, Value};

use super::args::{SolveVerb, StartChoice};
use super::failure::Failure;
use super::list::listed;
use crate::driver::{Options, SampleSchedule, StopRule};
use crate::judge::{RecordColumn, check_criteria};
use crate::memory;
use crate::registry::{Registry, SolverEntry};
use delassus_core::numbers::shown;

/// What to do with every file.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) entry: SolverEntry,
    /// The parameters given on the command line.
    pub(crate) parameters: Map<String, Value>,
    /// Metrics that must be within the tolerance.
    pub(crate) criteria: Vec<String>,
    pub(crate) options: Options,
    /// Memory that one problem may take with its solver.
    pub(crate) memory: MemoryLimit,
    pub(crate) law: ContactLaw,
    pub(crate) start: StartChoice,
}

impl Request {
    /// Checks everything that does not depend on a file, of one solver.
    pub(crate) fn new(verb: &SolveVerb, registry: &Registry) -> Result<Self, Failure> {
        let one = Self::all(verb, registry)?.into_iter().next();
        one.ok_or_else(|| Failure::request("--solver: name one"))
    }

    /// The same of every solver, in the order of the command line. A parameter is for the solvers
    /// that have it.
    pub(crate) fn all(verb: &SolveVerb, registry: &Registry) -> Result<Vec<Self>, Failure> {
        let given = parameters("--set", &verb.parameters)?;
        let mut entries: Vec<SolverEntry> = Vec::with_capacity(verb.solvers.len());
        for (at, name) in verb.solvers.iter().enumerate() {
            if verb.solvers[..at].contains(name) {
                return Err(Failure::request(format!("--solver {name}: given twice")));
            }
            entries.push(find_solver(name, registry)?);
        }
        let has = |entry: &SolverEntry, key: &str| entry.parameters.iter().any(|p| p.name == key);
        let somewhere: Vec<bool> = given
            .keys()
            .map(|key| entries.iter().any(|entry| has(entry, key)))
            .collect();
        let mut requests = Vec::with_capacity(entries.len());
        for entry in &entries {
            // what no solver has is refused in the words of the first
            let pairs = given.iter().zip(&somewhere);
            let own = pairs.filter(|((key, _), known)| !**known || has(entry, key));
            let own = own.map(|((key, value), _)| (key.clone(), value.clone()));
            requests.push(Self::of(verb, entry.clone(), own.collect())?);
        }
        Ok(requests)
    }

    fn of(
        verb: &SolveVerb,
        entry: SolverEntry,
        parameters: Map<String, Value>,
    ) -> Result<Self, Failure> {
        let refused = |error: &dyn std::error::Error| Failure::request(error.to_string());
        entry.build(&parameters).map_err(|error| match error {
            EntryError::Environment { .. } | EntryError::Process { .. } => {
                Failure::of_entry(&error)
            }
            _ => {
                let id = entry.descriptor.id;
                Failure::request(format!(
                    "{error}\n  `delassus list solvers {id}` describes its parameters"
                ))
            }
        })?;
        let criteria: Vec<&str> = verb.metrics.iter().map(String::as_str).collect();
        for name in &criteria {
            RecordColumn::parse(name).map_err(|error| refused(&error))?;
        }
        check_criteria(&criteria).map_err(|(name, reason)| {
            Failure::request(format!(
                "--metric {name} {reason}\n  `delassus list metrics` says which may decide"
            ))
        })?;
        let limit = match verb.max_seconds {
            f64::INFINITY => None,
            seconds => Some(positive("--max-seconds", seconds)?),
        };
        let stop = StopRule {
            tolerance: positive("--tol", verb.tol)?,
            max_sweeps: verb.max_sweeps,
            max_seconds: limit,
            ..StopRule::default()
        };
        Ok(Self {
            entry,
            parameters,
            criteria: verb.metrics.clone(),
            options: Options {
                stop,
                schedule: SampleSchedule::Geometric(1.05),
                repetitions: 1,
            },
            memory: match &verb.max_memory {
                Some(text) => text
                    .parse::<MemoryLimit>()
                    .map_err(|reason| Failure::request(format!("--max-memory: {reason}")))?,
                None => memory::limit(),
            },
            law: law(&verb.law)?,
            start: verb.start,
        })
    }

    /// The given parameters over the defaults.
    pub(crate) fn complete_parameters(&self) -> Map<String, Value> {
        self.entry.complete(&self.parameters)
    }
}

/// The solver of this name. The error of another name says what it is, or where all are listed.
pub(crate) fn find_solver(name: &str, registry: &Registry) -> Result<SolverEntry, Failure> {
    registry.find(name).map_err(|error| {
        if matches!(error, EntryError::Process { .. }) {
            return Failure::of_entry(&error);
        }
        let other = match error {
            EntryError::UnknownId { .. } => listed(name, registry),
            _ => None,
        };
        Failure::request(match (error, other) {
            (_, Some(hint)) => format!("unknown solver {name:?}{hint}"),
            (error, None) => format!("{error}\n  `delassus list solvers` names them all"),
        })
    })
}

pub(crate) fn positive(option: &str, value: f64) -> Result<f64, Failure> {
    if value > 0.0 && value.is_finite() {
        return Ok(value);
    }
    Err(Failure::request(format!(
        "{option} {}: must be a finite number > 0",
        shown(value)
    )))
}

/// The friction law of `--law`.
pub(crate) fn law(name: &str) -> Result<ContactLaw, Failure> {
    ContactLaw::of_files(name).map_err(|error| Failure::request(format!("--law {name}: {error}")))
}

/// `KEY=VALUE` arguments of `option` as parameters.
pub(crate) fn parameters(
    option: &str,
    arguments: &[String],
) -> Result<Map<String, Value>, Failure> {
    let mut map = Map::new();
    for argument in arguments {
        let Some((key, text)) = argument.split_once('=') else {
            return Err(Failure::request(format!(
                "{option} {argument}: write KEY=VALUE, as {option} omega=1.3"
            )));
        };
        let key = key.trim();
        if map.insert(key.to_owned(), value(text.trim())).is_some() {
            return Err(Failure::request(format!("{option} {key}: given twice")));
        }
    }
    Ok(map)
}

/// A truth value, an integer, a finite number, a list in brackets, or else text.
fn value(text: &str) -> Value {
    if text.starts_with('[')
        && let Ok(list) = serde_json::from_str(text)
    {
        return list;
    }
    if let Ok(truth) = text.parse::<bool>() {
        return Value::Bool(truth);
    }
    if let Ok(integer) = text.parse::<i64>() {
        return Value::from(integer);
    }
    if let Ok(integer) = text.parse::<u64>() {
        return Value::from(integer);
    }
    let number = text.parse::<f64>().ok().and_then(Number::from_f64);
    number.map_or_else(|| Value::String(text.to_owned()), Value::Number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_take_the_type_that_they_look_like() {
        let given = [
            "true",
            "3",
            "18446744073709551615",
            "1.5",
            "1e-3",
            ".5",
            "nan",
            "x y",
            "",
            "[0, 1.5]",
            "[0,",
        ];
        let taken = given.map(value);
        let expected = [
            json!(true),
            json!(3),
            json!(u64::MAX),
            json!(1.5),
            json!(1e-3),
            json!(0.5),
            json!("nan"),
            json!("x y"),
            json!(""),
            json!([0, 1.5]),
            json!("[0,"),
        ];
        assert_eq!(taken, expected);
    }

    #[test]
    fn a_parameter_is_given_once_and_with_a_value() {
        let one = parameters(
            "--set",
            &["omega=1.3".to_owned(), "order = random".to_owned()],
        )
        .unwrap();
        assert_eq!(
            Value::Object(one),
            json!({ "omega": 1.3, "order": "random" })
        );
        assert!(parameters("--set", &["omega".to_owned()]).is_err());
        assert!(parameters("--set", &["a=1".to_owned(), "a=2".to_owned()]).is_err());
    }

    #[test]
    fn limits_are_positive_and_finite() {
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(positive("--tol", bad).is_err(), "{bad}");
        }
        assert!(positive("--tol", 5e-324).is_ok());
    }
}

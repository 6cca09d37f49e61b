//! What `plot` says of a kind that needs more than the results suggest: a line that draws it, or
//! why none does.

use std::collections::BTreeSet;
use std::path::Path;

use delassus_report::figures::FigureSpec;
use delassus_report::settings::Setting;
use delassus_runner::plot::{FigureReader, check, toml_line};
use serde_json::{Map, Value, json};

use crate::bundle::Bundle;
use crate::cli::output::printable;
use crate::record::CellRecord;
use crate::suggest::list;

/// Lines that are tried at most \[-\].
const MOST_LINES: usize = 20_000;

/// The settings of a kind: names, types and descriptions.
pub(super) fn schema_of(kind: &str) -> Value {
    let mut schema = FigureSpec::schema();
    schema["properties"]["plot"]["properties"][kind].take()
}

/// What to say of a kind without `missing` settings.
pub(super) fn advice(
    folder: &Path,
    kind: &str,
    missing: &[String],
    settings: &Map<String, Value>,
    bundle: &Bundle,
    reader: &FigureReader,
) -> String {
    let schema = schema_of(kind);
    let described = |key: &String| {
        let text = schema["properties"][key]["description"].as_str();
        format!("\n  --set {key}=…: {}", text.unwrap_or_default())
    };
    let mut choices = Vec::new();
    for key in missing {
        let values = values(kind, key, &schema["properties"][key], bundle, reader);
        let asked = missing.iter().filter(|key| is_parameter(kind, key)).count();
        if is_parameter(kind, key) && values.len() < asked {
            return foreign(kind, missing, settings, reader)
                .unwrap_or_else(|| too_few(kind, asked, &values));
        }
        choices.push((key.as_str(), values));
    }
    let mut refusal = None;
    for number in 0..MOST_LINES {
        let Some(line) = line(&choices, settings, number) else {
            break;
        };
        let drawn = reader
            .figure(kind, &line)
            .map_err(|error| error.to_string());
        match drawn.and_then(|spec| check(&spec, bundle)) {
            Ok(()) => {
                let described: String = missing.iter().map(described).collect();
                return format!(
                    "plot {kind} needs {}{described}\n  for these results: {}\n  in a spec: plot = {}\n  `delassus list \
                     figures {kind}` has all its settings",
                    missing.join(", "),
                    command(folder, kind, &line),
                    toml_line(kind, &line),
                );
            }
            Err(reason) => {
                refusal.get_or_insert(reason);
            }
        }
    }
    let reason = refusal.unwrap_or_default();
    format!("{reason}\n  `delassus list figures {kind}` has the settings of this kind")
}

/// What to say of results whose spec gives no parameter several values, if that is why a kind with
/// its usual settings is refused.
pub(super) fn not_varied(kind: &str, refusal: &str) -> Option<String> {
    let reasons = [
        "unknown parameter that the spec sets",
        "the spec sets no parameter",
    ];
    let is_it = reasons.iter().any(|reason| refusal.contains(reason));
    is_it.then(|| too_few(kind, 1, &[]))
}

/// True for a setting that names a parameter with several values.
fn is_parameter(kind: &str, key: &str) -> bool {
    matches!(
        (kind, key),
        ("parameter" | "predictability", "x")
            | ("heat", "x" | "y")
            | ("scaling" | "threads", "along")
    )
}

/// What to say of results in which too few parameters have several values.
fn too_few(kind: &str, asked: usize, there: &[Value]) -> String {
    let what = match (kind, asked) {
        ("threads", _) => "a number of threads with several values, as threads = [1, 2, 4]",
        ("self-convergence", _) => "a scheme with several lengths of a frame, as dt = [0.01, 0.02]",
        ("predictability", _) => "a parameter of the scenes with several values, one of them 0",
        (_, 1) => "a parameter with several values",
        _ => "two parameters with several values",
    };
    let there = there.iter().filter_map(Value::as_str);
    let there = match list(there) {
        none if none.is_empty() => "none".to_owned(),
        some => format!("only {some}"),
    };
    format!(
        "plot {kind} needs {what}; these results have {there}: change the spec, and run it again\n  `delassus list figures \
         {kind}` has the settings of this kind"
    )
}

/// The refusal of a kind that does not go with the experiment, whatever its settings.
fn foreign(
    kind: &str,
    missing: &[String],
    settings: &Map<String, Value>,
    reader: &FigureReader,
) -> Option<String> {
    let mut settings = settings.clone();
    let schema = schema_of(kind);
    for key in missing {
        let own = &schema["properties"][key];
        let value = match (own["enum"].as_array(), own["type"].as_str()) {
            (Some(words), _) => words.first().cloned().unwrap_or_default(),
            (None, Some("array")) => json!([kind]),
            _ => json!(kind),
        };
        settings.insert(key.clone(), value);
    }
    let refusal = reader.figure(kind, &settings).err()?.to_string();
    let refusal = refusal.lines().next().unwrap_or_default().to_owned();
    refusal
        .contains(&format!("{kind} goes with"))
        .then_some(refusal)
}

/// The settings of the line of this number; `None` behind the last.
fn line(
    choices: &[(&str, Vec<Value>)],
    settings: &Map<String, Value>,
    mut number: usize,
) -> Option<Map<String, Value>> {
    let mut line = settings.clone();
    for (key, values) in choices {
        line.insert((*key).to_owned(), values[number % values.len()].clone());
        number /= values.len();
    }
    (number == 0).then_some(line)
}

/// What a setting could be for these results.
fn values(
    kind: &str,
    key: &str,
    schema: &Value,
    bundle: &Bundle,
    reader: &FigureReader,
) -> Vec<Value> {
    if let Some(words) = schema["enum"].as_array() {
        return words.clone();
    }
    let metrics = bundle.records.iter().flat_map(|r| &r.outcome.metrics);
    let mut measured: Vec<&str> = Vec::new();
    for metric in metrics {
        if !measured.contains(&metric.as_str()) {
            measured.push(metric);
        }
    }
    if !is_parameter(kind, key) {
        let is_list = schema["type"] == "array";
        let value = |metric| match is_list {
            true => json!([metric]),
            false => json!(metric),
        };
        return measured.into_iter().map(value).collect();
    }
    let fits = |name: &String| match kind {
        "threads" => name.ends_with("threads"),
        // the run that others are compared with has a zero
        "predictability" => name.strip_prefix("scene.").is_some_and(|key| {
            let records = bundle.records.iter();
            let mut values = records.filter_map(|r| r.problem.parameters.get(key));
            values.any(|value| value.as_f64() == Some(0.0))
        }),
        _ => true,
    };
    // presets differ in parameters that no spec sets
    let varied = varied(bundle).into_iter();
    let varied = varied.filter(|name| reader.sets(name)).filter(fits);
    varied.map(Value::from).collect()
}

/// Parameters that differ among the cells, as figures name them.
fn varied(bundle: &Bundle) -> Vec<String> {
    let over_time = bundle.is_over_time();
    let of_problem = if over_time { "scene." } else { "" };
    let mut names: Vec<String> = Vec::new();
    let mut collect = |prefix: &str, of: fn(&CellRecord) -> Option<&Map<String, Value>>| {
        let maps = || bundle.records.iter().filter_map(of);
        let keys: BTreeSet<&String> = maps().flat_map(Map::keys).collect();
        for key in keys {
            let values = maps().filter_map(|map| map.get(key));
            let values: BTreeSet<String> = values.map(Value::to_string).collect();
            if values.len() > 1 {
                names.push(format!("{prefix}{key}"));
            }
        }
    };
    collect(of_problem, |record| Some(&record.problem.parameters));
    collect("scheme.", |record| Some(&record.scheme()?.parameters));
    collect("solver.", |record| Some(&record.solver.parameters));
    names
}

/// The line that draws a figure, to be typed as it stands.
fn command(folder: &Path, kind: &str, settings: &Map<String, Value>) -> String {
    let mut words = vec![
        "delassus plot".to_owned(),
        quoted(&folder.to_string_lossy()),
        kind.to_owned(),
    ];
    for (key, value) in settings {
        let text = match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        words.push(format!("--set {}", quoted(&format!("{key}={text}"))));
    }
    words.join(" ")
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "._-=/,:+".contains(c);
    let word = printable(word);
    match word.chars().all(plain) && !word.is_empty() {
        true => word,
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_choice_has_a_line() {
        let choices = vec![
            ("x", vec![json!("a"), json!("b")]),
            ("y", vec![json!(1), json!(2), json!(3)]),
        ];
        let lines = (0..10).map_while(|number| line(&choices, &Map::new(), number));
        let lines: BTreeSet<String> = lines.map(|line| Value::from(line).to_string()).collect();
        assert_eq!(lines.len(), 6);
        assert_eq!(line(&[], &Map::new(), 1), None);
    }

    #[test]
    fn commands_survive_a_shell() {
        let settings = Map::from_iter([
            ("observables".to_owned(), json!(["x[1].x"])),
            ("x".to_owned(), json!("scene.n")),
        ]);
        assert_eq!(
            command(Path::new("my results/it's"), "predictability", &settings),
            r#"delassus plot 'my results/it'\''s' predictability --set 'observables=["x[1].x"]' --set x=scene.n"#
        );
    }
}

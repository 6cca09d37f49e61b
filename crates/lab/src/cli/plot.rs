//! `delassus plot`: one figure of a results folder, without a change of its spec.

mod advice;

use std::path::Path;
use std::slice::from_ref;

use delassus_report::figures::{self, FigureSpec};
use delassus_report::settings::Setting;
use delassus_runner::plot::{FigureReader, check};
use delassus_runner::slices;
use serde_json::{Map, Value, json};

use super::args::PlotVerb;
use super::destination::{Destination, has_ending};
use super::diagnostic::print_diagnostic;
use super::experiment::note_unfinished;
use super::failure::Failure;
use super::output::{Output, printable};
use super::request::parameters;
use crate::bundle::Bundle;
use crate::registry::Registry;
use crate::results;
use crate::suggest::{did_you_mean, list, nearest};
use crate::view::{Kind, Work};

/// Endings of the names of pictures.
const ENDINGS: [&str; 2] = ["svg", "pdf"];

/// Runs the verb.
pub(crate) fn run(
    verb: &PlotVerb,
    registry: &Registry,
    output: &mut Output,
) -> Result<(), Failure> {
    let to = verb.out.as_deref().map(destination).transpose()?;
    to.iter().try_for_each(|to| to.check(verb.json))?;
    let mut report = results::load(&verb.folder, registry)?;
    note_unfinished(&verb.folder);
    let mut settings = parameters("--set", &verb.settings)?;
    let bundle = &report.bundle;
    let named = verb.kind.as_deref();
    let own = named.and_then(|name| report.figures.iter().find(|own| own.id == name));
    let kind = match (own, named) {
        (Some(own), _) => {
            let (kind, own_settings) = parts(own)?;
            for (key, value) in own_settings {
                settings.entry(key).or_insert(value);
            }
            kind
        }
        (None, Some(name)) => known(name, &report.figures)?.to_owned(),
        (None, None) => usual_kind(bundle.kind()).to_owned(),
    };
    let records = bundle.records.iter();
    if let Some(metric) = records.flat_map(|record| &record.outcome.metrics).next() {
        add_usual(&kind, metric, bundle, &mut settings);
    }
    bracket(&kind, &mut settings);
    let spec = figure(verb, own, &kind, &settings, bundle, registry)?;
    let specs = from_ref(&spec);
    slices::fill(&verb.folder, None, &mut report.bundle, specs, registry);
    let (bundle, drawn) = (&report.bundle, &report.figures);
    let svg =
        figures::draw(bundle, drawn, &spec).map_err(|error| Failure::run(error.to_string()))?;
    let reply = json!({ "schema": "plot/1", "kind": kind, "settings": settings });
    let (Some(out), Some(to)) = (&verb.out, &to) else {
        return print(reply, svg, verb.json, output);
    };
    let bytes = match has_ending(out, &["pdf"]) {
        true => pdf(&svg, &spec)?,
        false => svg.into_bytes(),
    };
    to.write(&bytes, output)?;
    let file = out.to_string_lossy();
    if verb.json {
        let mut reply = reply;
        reply["file"] = file.as_ref().into();
        reply["bytes"] = bytes.len().into();
        return output.json(&reply);
    }
    print_diagnostic(&format!("{kind} of {}", printable(&bundle.title)));
    to.say(&printable(&file), output)
}

fn pdf(svg: &str, spec: &FigureSpec) -> Result<Vec<u8>, Failure> {
    let pdf = delassus_pdf::from_svg(svg, spec.width.millimetres());
    pdf.map_err(|error| Failure::run(error.to_string()))
}

/// Prints the picture where no file is named.
fn print(mut reply: Value, svg: String, is_json: bool, output: &mut Output) -> Result<(), Failure> {
    if !is_json {
        return output.text(&svg);
    }
    reply["svg"] = svg.into();
    output.json(&reply)
}

/// The figure with these settings, named as that of the spec; the error says what to set.
fn figure(
    verb: &PlotVerb,
    own: Option<&FigureSpec>,
    kind: &str,
    settings: &Map<String, Value>,
    bundle: &Bundle,
    registry: &Registry,
) -> Result<FigureSpec, Failure> {
    let reader = FigureReader::of(&verb.folder, registry)?;
    let missing = missing(kind, settings);
    if !missing.is_empty() {
        let advice = advice::advice(&verb.folder, kind, &missing, settings, bundle, &reader);
        return Err(Failure::request(advice));
    }
    let mut spec = reader.figure(kind, settings).map_err(|error| {
        let text = error.to_string();
        // the settings are what the results suggest: no other ones help
        match verb.settings.is_empty() {
            true => Failure::request(advice::not_varied(kind, &text).unwrap_or(text)),
            false => Failure::from(error),
        }
    })?;
    check(&spec, bundle).map_err(Failure::request)?;
    if let Some(own) = own {
        spec.id.clone_from(&own.id);
        spec.caption.clone_from(&own.caption);
        spec.width = own.width;
    }
    if let Some(width) = verb.width {
        spec.width = width.into();
    }
    Ok(spec)
}

/// Where a picture goes.
fn destination(out: &Path) -> Result<Destination, Failure> {
    let to = Destination::of("--out", out)?;
    to.require_ending("--out", out, &ENDINGS, "a figure is an SVG or a PDF file")?;
    Ok(to)
}

/// The kind of a figure of the spec, and its settings.
fn parts(own: &FigureSpec) -> Result<(String, Map<String, Value>), Failure> {
    let unread = || Failure::run(format!("figure {:?} cannot be written as settings", own.id));
    let value = serde_json::to_value(&own.plot).map_err(|_| unread())?;
    let Value::Object(kinds) = value else {
        return Err(unread());
    };
    match kinds.into_iter().next() {
        // what is left out has no value in a spec
        Some((kind, Value::Object(mut settings))) => {
            settings.retain(|_, value| !value.is_null() && *value != json!([]));
            Ok((kind, settings))
        }
        _ => Err(unread()),
    }
}

/// Refuses a name that is neither a kind of figure nor a figure of the spec.
fn known<'n>(name: &'n str, figures: &[FigureSpec]) -> Result<&'n str, Failure> {
    let schema = FigureSpec::schema();
    let kinds = schema["properties"]["plot"]["properties"].as_object();
    let kinds: Vec<&str> = kinds
        .into_iter()
        .flatten()
        .map(|(kind, _)| kind.as_str())
        .collect();
    if kinds.contains(&name) {
        return Ok(name);
    }
    let ids = figures.iter().map(|figure| figure.id.as_str());
    let hint = did_you_mean(nearest(name, kinds.iter().copied().chain(ids.clone())).as_deref());
    let own = match figures {
        [] => String::new(),
        _ => format!("; figures of the spec: {}", list(ids)),
    };
    Err(Failure::request(printable(&format!(
        "unknown kind or figure {name:?}{hint}{own}; kinds: {}",
        list(kinds.iter().copied())
    ))))
}

/// What is drawn where nobody says.
fn usual_kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Solves => "convergence",
        Kind::Timings => "scaling",
        Kind::Trajectories => "trajectory",
    }
}

/// What a kind cannot do without, where nobody says: the first thing that was measured, against
/// work.
fn add_usual(kind: &str, metric: &str, bundle: &Bundle, settings: &mut Map<String, Value>) {
    let mut usual = |key: &str, value: Value| {
        settings.entry(key).or_insert(value);
    };
    match kind {
        "convergence" | "work-precision" => {
            usual("x", Work::RowUpdates.id().into());
            usual("y", metric.into());
        }
        "profile" => {
            usual("cost", Work::RowUpdates.id().into());
            usual("tolerances", json!([bundle.tolerance]));
        }
        "targets" => usual("cost", Work::RowUpdates.id().into()),
        "trajectory" | "bars" | "violin" => usual("y", metric.into()),
        "speed-accuracy" => {
            if !bundle.is_over_time() {
                usual("x", Work::Seconds.id().into());
            }
            usual("y", metric.into());
        }
        "distribution" => usual("x", metric.into()),
        "self-convergence" => usual("observables", json!([metric])),
        _ => {}
    }
}

/// Settings that a kind needs, that are not given, and that nothing of the results suggests.
fn missing(kind: &str, settings: &Map<String, Value>) -> Vec<String> {
    let own = advice::schema_of(kind);
    let needed = own["required"].as_array().into_iter().flatten();
    let needed = needed.filter_map(Value::as_str);
    let missing = needed.filter(|key| !settings.contains_key(*key));
    missing.map(str::to_owned).collect()
}

/// Makes a list of one of a value that stands where a kind has a list: one name needs no brackets.
fn bracket(kind: &str, settings: &mut Map<String, Value>) {
    let own = advice::schema_of(kind);
    for (key, value) in settings {
        let is_list = own["properties"][key.as_str()]["type"] == "array";
        if is_list && !value.is_array() {
            *value = json!([value.take()]);
        }
    }
}

//! From the text of a spec to [`Spec`], section by section.

use std::path::{Path, PathBuf};

use delassus_metrics::{Metric, Needs};
use delassus_problems::generators::{GeneratorEntry, generators};
use serde_json::Map;
use toml::de::{DeTable, DeValue};

use super::axes;
use super::files;
use super::section::{Item, Section, list, number, wrong_type};
use super::text::{Document, SpecError};
use super::view_checks;
use super::{
    FILE_NAME, Measure, ProblemEntry, ProblemSource, ReferenceSource, SolverEntry, Spec, StartKind,
};
use crate::driver::{Schedule, StopRule};
use crate::judge::Column;
use crate::registry::{BuildError, Entry, Registry};

/// Criteria of a spec that names none: the headline, and the residual of the literature beside it.
const CRITERIA: [&str; 2] = ["natural_map", "siconos"];

/// What the sections need to know of each other.
struct Context<'c> {
    registry: &'c Registry,
    generators: Vec<GeneratorEntry>,
    folder: &'c Path,
    stop: StopRule,
    criteria: Vec<String>,
}

/// Reads a spec's text; `path` is where it came from.
pub(crate) fn spec(path: &Path, text: String, registry: &Registry) -> Result<Spec, SpecError> {
    let file = path.display().to_string();
    let folder = path.parent().unwrap_or(Path::new("")).to_owned();
    let document = Document {
        file: &file,
        text: &text,
    };
    let table = DeTable::parse(&text).map_err(|error| {
        let message = error.message().replace('\n', ", ");
        document.error(error.span().unwrap_or(0..0), message)
    })?;
    let root = Section::new(document, "the spec", table.get_ref(), 0..0);
    root.allow(&[
        "title",
        "question",
        "problem",
        "solver",
        "stop",
        "measure",
        "reference",
        "figure",
        "table",
    ])?;
    let title = root.string("title")?;
    let title = title.ok_or_else(|| root.error("the spec has no title: title = \"…\""))?;
    let question = root.string("question")?.unwrap_or_default();
    let mut context = Context {
        registry,
        generators: generators(),
        folder: &folder,
        stop: StopRule::default(),
        criteria: CRITERIA.map(str::to_owned).to_vec(),
    };
    if let Some(item) = root.get("stop") {
        let section = Section::of_item(document, "[stop]", item)?;
        (context.stop, context.criteria) = stop(&section, &context)?;
    }
    let problems = sections(&root, "problem", "[[problem]]")?;
    let problems = problems.iter().map(|section| problem(section, &context));
    let problems = problems.collect::<Result<Vec<_>, _>>()?;
    let solvers = sections(&root, "solver", "[[solver]]")?;
    let solvers = solvers.iter().map(|section| solver(section, &context));
    let solvers = solvers.collect::<Result<Vec<_>, _>>()?;
    let measure = measure(&root, &context, &problems)?;
    let reference = reference(&root, &context)?;
    if reference.is_none() && measure.metrics.iter().any(|m| needs_reference(m)) {
        return Err(root.error(
            "a metric needs a reference solution: add reference = \"stored\", or [reference] with a solver",
        ));
    }
    let (figures, tables) = view_checks::read(&root, &measure.metrics, &problems)?;
    Ok(Spec {
        id: identifier(path),
        title: title.to_owned(),
        question: question.to_owned(),
        stop: context.stop.clone(),
        criteria: context.criteria.clone(),
        problems,
        solvers,
        measure,
        reference,
        figures,
        tables,
        file: file.clone(),
        folder: folder.clone(),
        text: text.clone(),
    })
}

/// The name of the experiment's folder, or the file's own name if it is not [`FILE_NAME`].
fn identifier(path: &Path) -> String {
    let named = |path: &Path| path.file_stem().map(|s| s.to_string_lossy().into_owned());
    let name = if path.file_name().is_some_and(|name| name == FILE_NAME) {
        let folder = path.parent().map(Path::to_owned).unwrap_or_default();
        let folder = if folder.file_name().is_none() {
            // "." or "..": the real name
            let folder = if folder == Path::new("") {
                PathBuf::from(".")
            } else {
                folder
            };
            folder.canonicalize().unwrap_or(folder)
        } else {
            folder
        };
        folder.file_name().map(|s| s.to_string_lossy().into_owned())
    } else {
        named(path)
    };
    name.unwrap_or_else(|| "experiment".to_owned())
}

/// The tables of an array of tables; at least one.
fn sections<'d>(
    root: &Section<'d>,
    key: &str,
    label: &'static str,
) -> Result<Vec<Section<'d>>, SpecError> {
    let Some(item) = root.get(key) else {
        return Err(root.error(format!("the spec has no {label}")));
    };
    match item.get_ref() {
        DeValue::Array(array) if !array.is_empty() => {
            let sections = array.iter();
            let sections = sections.map(|item| Section::of_item(root.document, label, item));
            sections.collect()
        }
        _ => Err(root.error_at(item, format!("write {label}, once per {key}"))),
    }
}

/// A stop rule; what it does not say comes from the context.
fn stop(
    section: &Section<'_>,
    context: &Context<'_>,
) -> Result<(StopRule, Vec<String>), SpecError> {
    section.allow(&[
        "tolerance",
        "metrics",
        "max_sweeps",
        "max_seconds",
        "divergence",
    ])?;
    let mut rule = context.stop.clone();
    if let Some(tolerance) = section.positive("tolerance")? {
        rule.tolerance = tolerance;
    }
    if let Some(sweeps) = section.count("max_sweeps", 1, u64::MAX)? {
        rule.max_sweeps = sweeps;
    }
    if let Some(seconds) = section.positive("max_seconds")? {
        rule.max_seconds = Some(seconds);
    }
    if let Some(divergence) = section.positive("divergence")? {
        rule.divergence = divergence;
    }
    let criteria = metrics(section)?;
    for name in criteria.iter().flatten() {
        if let Ok(Column::Velocity { .. }) = Column::parse(name) {
            let item = section.get("metrics").map_or(0..0, |item| item.span());
            let message = format!("{name} cannot decide when to stop: a velocity is no residual");
            return Err(section.document.error(item, message));
        }
    }
    Ok((rule, criteria.unwrap_or_else(|| context.criteria.clone())))
}

/// The metric names under `metrics`, each known and named once.
fn metrics(section: &Section<'_>) -> Result<Option<Vec<String>>, SpecError> {
    let Some(names) = section.strings("metrics")? else {
        return Ok(None);
    };
    let mut known: Vec<String> = Vec::with_capacity(names.len());
    for (name, item) in names {
        if let Err(unknown) = Column::parse(name) {
            let mut message = unknown.to_string();
            if unknown.nearest.is_none() {
                message = format!("{message}; known: {}", list(Metric::ALL.map(Metric::id)));
            }
            return Err(section.error_at(item, message));
        }
        if known.iter().any(|other| other == name) {
            return Err(section.error_at(item, format!("{name} is named twice")));
        }
        known.push(name.to_owned());
    }
    Ok(Some(known))
}

/// True if the metric compares with a known solution.
fn needs_reference(name: &str) -> bool {
    match Column::parse(name) {
        Ok(Column::Metric(metric)) => metric.doc().needs == Needs::Reference,
        _ => false,
    }
}

const PROBLEM_KEYS: [&str; 5] = ["use", "name", "as_matrix", "start", "stop"];

fn problem(section: &Section<'_>, context: &Context<'_>) -> Result<ProblemEntry, SpecError> {
    let source = match (section.get("use"), section.get("files")) {
        (Some(_), None) => generator(section, context)?,
        (None, Some(_)) => {
            section.allow(&[
                "files",
                "otherwise",
                "law",
                "name",
                "as_matrix",
                "start",
                "stop",
            ])?;
            files::source(section, context.folder)?
        }
        (Some(_), Some(item)) => {
            let message = "[[problem]] has both use and files; write two of them";
            return Err(section.error_at(item, message));
        }
        (None, None) => {
            let message = "[[problem]] needs use = \"GENERATOR\" or files = [\"GLOB\"]";
            return Err(section.error(message));
        }
    };
    let start = match section.choice("start", &["cold", "ones", "stored"])? {
        Some("ones") => StartKind::Ones,
        Some("stored") => StartKind::Stored,
        _ => StartKind::Cold,
    };
    let (rule, criteria) = match section.get("stop") {
        Some(item) => {
            let own = Section::of_item(section.document, "stop of [[problem]]", item)?;
            stop(&own, context)?
        }
        None => (context.stop.clone(), context.criteria.clone()),
    };
    Ok(ProblemEntry {
        name: section.string("name")?.map(str::to_owned),
        source,
        as_matrix: section.flag("as_matrix")?.unwrap_or(false),
        start,
        stop: rule,
        criteria,
        span: section.span(),
    })
}

fn generator(section: &Section<'_>, context: &Context<'_>) -> Result<ProblemSource, SpecError> {
    let ids: Vec<&str> = context.generators.iter().map(|g| g.descriptor.id).collect();
    let id = section.named("use", "generator", &ids)?;
    let found = context.generators.iter().find(|g| g.descriptor.id == id);
    let defaults = found.map_or_else(Map::new, |g| g.defaults.clone());
    Ok(ProblemSource::Generator {
        id: id.to_owned(),
        axes: axes::read(section, &PROBLEM_KEYS, &defaults)?,
    })
}

fn solver(section: &Section<'_>, context: &Context<'_>) -> Result<SolverEntry, SpecError> {
    let entry = find_solver(section, "use", context)?;
    let axes = axes::read(section, &["use", "label"], &entry.defaults)?;
    for axis in &axes {
        for (value, span) in &axis.values {
            let single = Map::from_iter([(axis.key.clone(), value.clone())]);
            if let Err(error) = entry.build(&single) {
                return Err(section.document.error(span.clone(), reason(&error)));
            }
        }
    }
    Ok(SolverEntry {
        id: entry.descriptor.id.to_owned(),
        label: section.string("label")?.map(str::to_owned),
        axes,
        span: section.span(),
    })
}

fn find_solver<'c>(
    section: &Section<'_>,
    key: &str,
    context: &Context<'c>,
) -> Result<&'c Entry, SpecError> {
    let names: Vec<&str> = context.registry.names().collect();
    let name = section.named(key, "solver", &names)?;
    let found = context.registry.find(name);
    found.map_err(|error| section.error(error.to_string()))
}

/// A refused parameter in the words of a spec.
fn reason(error: &BuildError) -> String {
    match error {
        BuildError::Parameter {
            parameter, reason, ..
        } => format!("{parameter}: {reason}"),
        other => other.to_string(),
    }
}

fn measure(
    root: &Section<'_>,
    context: &Context<'_>,
    problems: &[ProblemEntry],
) -> Result<Measure, SpecError> {
    let mut measure = Measure {
        metrics: Vec::new(),
        schedule: Schedule::Every(1),
        repetitions: 1,
    };
    if let Some(item) = root.get("measure") {
        let section = Section::of_item(root.document, "[measure]", item)?;
        section.allow(&["metrics", "samples", "repetitions"])?;
        measure.metrics = metrics(&section)?.unwrap_or_default();
        if let Some(item) = section.get("samples") {
            measure.schedule = schedule(&section, item)?;
        }
        if let Some(count) = section.count("repetitions", 1, 1000)? {
            measure.repetitions = u32::try_from(count).unwrap_or(1000);
        }
    }
    let criteria = context.criteria.iter();
    for name in criteria.chain(problems.iter().flat_map(|p| &p.criteria)) {
        if !measure.metrics.contains(name) {
            measure.metrics.push(name.clone());
        }
    }
    Ok(measure)
}

fn schedule(section: &Section<'_>, item: &Item<'_>) -> Result<Schedule, SpecError> {
    let expected = "\"every\", { every = 10 } or { geometric = 1.05 }";
    match item.get_ref() {
        DeValue::String(text) if text == "every" => return Ok(Schedule::Every(1)),
        DeValue::Table(_) => {}
        _ => return Err(wrong_type(section.document, "samples", expected, item)),
    }
    let own = Section::of_item(section.document, "samples", item)?;
    own.allow(&["every", "geometric"])?;
    let every = own.count("every", 1, u64::MAX)?;
    let geometric = own.get("geometric").map(|item| (item, number(item)));
    match (every, geometric) {
        (Some(step), None) => Ok(Schedule::Every(step)),
        (None, Some((_, Some(ratio)))) if ratio > 1.0 && ratio.is_finite() => {
            Ok(Schedule::Geometric(ratio))
        }
        (None, Some((item, _))) => {
            let found = section.document.excerpt(item.span());
            let message = format!("geometric must be a finite number > 1, found {found}");
            Err(section.error_at(item, message))
        }
        _ => Err(wrong_type(section.document, "samples", expected, item)),
    }
}

fn reference(
    root: &Section<'_>,
    context: &Context<'_>,
) -> Result<Option<ReferenceSource>, SpecError> {
    let Some(item) = root.get("reference") else {
        return Ok(None);
    };
    match item.get_ref() {
        DeValue::String(text) if text == "stored" => return Ok(Some(ReferenceSource::Stored)),
        DeValue::Table(_) => {}
        _ => {
            let expected = "\"stored\" or a table with a solver";
            return Err(wrong_type(root.document, "reference", expected, item));
        }
    }
    let section = Section::of_item(root.document, "[reference]", item)?;
    let entry = find_solver(&section, "solver", context)?;
    let reserved = ["solver", "tolerance", "max_sweeps"];
    let axes = axes::read(&section, &reserved, &entry.defaults)?;
    let mut parameters = Map::new();
    for axis in axes {
        let mut values = axis.values.into_iter();
        match (values.next(), values.next()) {
            (Some((value, _)), None) => parameters.insert(axis.key, value),
            (_, Some((_, span))) => {
                let message = format!("{}: a reference has one value per parameter", axis.key);
                return Err(section.document.error(span, message));
            }
            (None, None) => None,
        };
    }
    entry
        .build(&parameters)
        .map_err(|error| section.error(reason(&error)))?;
    Ok(Some(ReferenceSource::Solver {
        id: entry.descriptor.id.to_owned(),
        parameters,
        tolerance: section.positive("tolerance")?.unwrap_or(1e-12),
        max_sweeps: section
            .count("max_sweeps", 1, u64::MAX)?
            .unwrap_or(1_000_000),
    }))
}

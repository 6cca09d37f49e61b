//! From the text of a spec to [`Spec`], section by section.

use std::path::{Path, PathBuf};

use delassus_core::{EntryError, MemoryLimit};
use delassus_problems::generators::generators;
use serde_json::{Map, Value};
use toml::de::{DeTable, DeValue};

use super::axes::{self, Axis};
use super::context::{Context, find_solver, reason};
use super::measure::{measure, needs_reference, reference, stop};
use super::section::Section;
use super::text::{Document, SpecError};
use super::{
    FILE_NAME, Measure, ProblemEntry, ProblemSource, SolverEntry, Spec, StartKind, TrajectoryPlan,
    files, timing, trajectory, view_checks,
};
use crate::driver::{Schedule, StopRule};
use crate::machine;
use crate::registry::Registry;

/// Criteria of a spec that names none: the headline, and the residual of the literature beside it.
const CRITERIA: [&str; 2] = ["natural_map", "siconos"];

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
        "max_memory",
        "problem",
        "scene",
        "scheme",
        "solver",
        "stop",
        "measure",
        "reference",
        "timing",
        "simulate",
        "figure",
        "table",
    ])?;
    let title = root.string("title")?;
    let title = title.ok_or_else(|| root.error("the spec has no title: title = \"…\""))?;
    let question = root.string("question")?.unwrap_or_default();
    let max_memory = max_memory(&root)?;
    let over_time = is_over_time(&root)?;
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
    let timing = timing::read(&root, &mut context)?;
    let (problems, trajectory) = if over_time {
        (Vec::new(), Some(plan(&root, &folder)?))
    } else {
        let problems = sections(&root, "problem", "[[problem]]")?;
        if timing.is_some() {
            problems.iter().try_for_each(timing::check)?;
        }
        let problems = problems.iter().map(|section| problem(section, &context));
        (problems.collect::<Result<Vec<_>, _>>()?, None)
    };
    // schemes that solve by themselves need none
    let solvers = match root.get("solver") {
        None if over_time => Vec::new(),
        _ => sections(&root, "solver", "[[solver]]")?,
    };
    let solvers = solvers.iter().map(|section| solver(section, &context));
    let solvers = solvers.collect::<Result<Vec<_>, _>>()?;
    let measure = match (&trajectory, &timing) {
        (Some(plan), _) => measure_over_time(plan),
        (None, Some(plan)) => timing::measure(plan),
        (None, None) => measure(&root, &context, &problems)?,
    };
    let reference = reference(&root, &context)?;
    if reference.is_none() && measure.metrics.iter().any(|m| needs_reference(m)) {
        return Err(root.error(
            "a metric needs a reference solution: add reference = \"stored\", or [reference] with a solver",
        ));
    }
    let used = view_checks::Used {
        metrics: &measure.metrics,
        problems: &problems,
        trajectory: trajectory.as_ref(),
        timed: timing.is_some(),
        solvers: &solvers,
    };
    let (figures, tables) = view_checks::read(&root, used)?;
    let criteria = if over_time || timing.is_some() {
        Vec::new()
    } else {
        context.criteria.clone()
    };
    Ok(Spec {
        id: identifier(path),
        title: title.to_owned(),
        question: question.to_owned(),
        max_memory,
        stop: context.stop.clone(),
        criteria,
        problems,
        trajectory,
        solvers,
        measure,
        timing,
        reference,
        figures,
        tables,
        file: file.clone(),
        folder: folder.clone(),
        text: text.clone(),
    })
}

/// True for a spec of scenes. Refuses sections of both kinds, and a spec of neither.
fn is_over_time(root: &Section<'_>) -> Result<bool, SpecError> {
    let entries = root.entries();
    let kind = |key: &str| match key {
        "problem" => Some(false),
        "scene" => Some(true),
        _ => None,
    };
    let first = entries.iter().find_map(|(key, ..)| kind(key));
    let Some(over_time) = first else {
        return Err(root.error("the spec has neither [[problem]] nor [[scene]]"));
    };
    let (own, other, foreign): (_, _, &[&str]) = if over_time {
        (
            "[[scene]]",
            "[[problem]]",
            &["problem", "stop", "measure", "reference", "timing"],
        )
    } else {
        ("[[problem]]", "[[scene]]", &["scene", "scheme", "simulate"])
    };
    match entries.iter().find(|(key, ..)| foreign.contains(key)) {
        None => Ok(over_time),
        Some((key, span, _)) => {
            let message =
                format!("{key} goes with {other}, but this spec has {own}; write two specs");
            Err(root.document.error(span.clone(), message))
        }
    }
}

/// `max_memory`: an amount with its unit.
fn max_memory(root: &Section<'_>) -> Result<Option<MemoryLimit>, SpecError> {
    let (Some(text), Some(item)) = (root.string("max_memory")?, root.get("max_memory")) else {
        return Ok(None);
    };
    let amount = text.parse::<MemoryLimit>();
    let refuse = |reason: String| root.error_at(item, format!("max_memory: {reason}"));
    amount.map(Some).map_err(refuse)
}

/// `[[scene]]`, `[[scheme]]` and `[simulate]`.
fn plan(root: &Section<'_>, folder: &Path) -> Result<TrajectoryPlan, SpecError> {
    let scenes = sections(root, "scene", "[[scene]]")?;
    let schemes = sections(root, "scheme", "[[scheme]]")?;
    let Some(item) = root.get("simulate") else {
        return Err(root.error("the spec has no [simulate]: seconds = …, observables = […]"));
    };
    let simulate = Section::of_item(root.document, "[simulate]", item)?;
    trajectory::read(&scenes, &schemes, &simulate, folder)
}

/// The observables in place of the metrics.
fn measure_over_time(plan: &TrajectoryPlan) -> Measure {
    Measure {
        metrics: plan.simulate.observables.clone(),
        schedule: Schedule::Every(u64::from(plan.simulate.every)),
        repetitions: plan.simulate.repetitions,
    }
}

/// The name of the experiment's folder, the file's own name if it is not [`FILE_NAME`], or both if it stands beside one.
fn identifier(path: &Path) -> String {
    let named = |path: &Path| path.file_stem().map(|s| s.to_string_lossy().into_owned());
    let name = if path.file_name().is_some_and(|name| name == FILE_NAME) {
        folder_name(path)
    } else if path.with_file_name(FILE_NAME).is_file() {
        let pair = folder_name(path).zip(named(path));
        pair.map(|(folder, own)| format!("{folder}-{own}"))
    } else {
        named(path)
    };
    name.unwrap_or_else(|| "experiment".to_owned())
}

/// The name of the folder that a file stands in.
fn folder_name(path: &Path) -> Option<String> {
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
    let start = match section.choice("start", &["cold", "ones", "stored", "warm"])? {
        Some("ones") => StartKind::Ones,
        Some("stored") => StartKind::Stored,
        Some("warm") => StartKind::Warm,
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
    // one value at a time, with the first of every other axis: what is allowed may depend on them
    let first = |axis: &Axis| Some((axis.key.clone(), axis.values.first()?.0.clone()));
    let first: Map<String, Value> = axes.iter().filter_map(first).collect();
    for axis in &axes {
        for (value, span) in &axis.values {
            let mut chosen = first.clone();
            chosen.insert(axis.key.clone(), value.clone());
            match entry.build(&chosen) {
                // the other axis has its turn
                Err(EntryError::Parameter { parameter, .. })
                    if parameter != axis.key && first.contains_key(&parameter) => {}
                // its cells are skipped on this machine
                Err(_) if machine::lacks(&chosen).is_some() => {}
                Err(error) => return Err(section.document.error(span.clone(), reason(&error))),
                Ok(_) => {}
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

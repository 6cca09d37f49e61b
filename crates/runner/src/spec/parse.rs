//! From the text of a spec to [`Spec`], section by section.

use std::collections::BTreeSet;
use std::path::Path;

use delassus_core::{EntryError, MemoryLimit};
use delassus_problems::generators::generators;
use serde_json::{Map, Value};
use toml::de::{DeTable, DeValue};

use super::contents::{FILE_NAME, Plan, SolverFamily, Spec};
use super::prune::RemovedEntries;
use super::views::{self, KnownCells, Views};
use crate::columns::Columns;
use crate::document::axes::{self, GridAxis};
use crate::document::context::{Context, NamedFiles, find_solver, known, reason};
use crate::document::keys;
use crate::document::section::{Item, SpecSection, sections};
use crate::document::text::{Document, MOST_ERRORS, SpecError, without_code_marks};
use crate::figures::FigureSpec;
use crate::isolate::LimitChoice;
use crate::judge::RecordColumn;
use crate::machine;
use crate::motion::Observable;
use crate::registry::Registry;
use crate::simulate::plan as simulate;
use crate::solve::{measure, plan as solve};
use crate::time::plan as time;
use crate::view::Kind;

/// Errors of a part of a spec that reading it does not find.
pub(crate) type FurtherErrors<'f> = &'f dyn Fn(&Spec) -> Vec<SpecError>;

/// Reads a spec's text; `path` is where it came from, and `files` says whether the files that it
/// names are read.
///
/// After an error the rest is read without what is wrong, and asked for its `further` errors.
pub(crate) fn spec(
    path: &Path,
    text: String,
    registry: &Registry,
    files: NamedFiles,
    further: FurtherErrors<'_>,
) -> Result<Spec, SpecError> {
    let file = path.display().to_string();
    let document = Document {
        file: &file,
        text: &text,
    };
    let table = DeTable::parse(&text).map_err(|error| syntax(document, &error))?;
    let whole = table.into_inner();
    let (mut pruned, mut errors) = (RemovedEntries::default(), Vec::new());
    let root = SpecSection::new(document, "the spec", &whole, 0..0);
    // files that are missing take nothing else away
    if let NamedFiles::Needed = files {
        let folder = path.parent().unwrap_or(Path::new(""));
        errors = solve::missing_files(&root, folder);
    }
    let files = match errors.is_empty() {
        true => files,
        false => NamedFiles::Unread,
    };
    let read = |table: &DeTable<'_>| {
        let root = SpecSection::new(document, "the spec", table, 0..0);
        read(path, &root, registry, files)
    };
    let mut found = read_valid_part(document, whole.clone(), read, &mut pruned, &mut errors);
    if let Some(Plan::Solve(plan)) = found.as_ref().map(|core| &core.plan) {
        errors.extend(solve::missing_reference(&root, plan));
    }
    let views = views(&root, found.as_ref(), &pruned);
    errors.extend(missing_title(&root, &errors));
    let views = views.map_err(|error| errors.push(error)).ok();
    if errors.is_empty()
        && let (Some(core), Some(views)) = (found.take(), views)
    {
        return Ok(core.with(path, views, document));
    }
    if let Some(core) = found {
        let part = core.with(path, Views::default(), document);
        // what lacks something may be refused for this alone
        let own = |error: &SpecError| !document.at(error).is_some_and(|at| pruned.caused(at));
        let further = further(&part).into_iter().flat_map(SpecError::apart);
        errors.extend(further.filter(own));
    }
    match SpecError::of_all(errors) {
        Some(error) => Err(error),
        None => Err(SpecError::of_file(&file, "cannot be read")),
    }
}

/// Refuses a spec with problems or scenes and without a title; a misspelt title is one fault.
fn missing_title(root: &SpecSection<'_>, errors: &[SpecError]) -> Option<SpecError> {
    let mut subjects = ["problem", "scene"].iter();
    let does_something = subjects.any(|key| root.get(key).is_some());
    let suggested = "did you mean \"title\"?";
    let mut texts = errors.iter().map(ToString::to_string);
    let is_misspelt = texts.any(|text| text.contains(suggested));
    (does_something && root.get("title").is_none() && !is_misspelt)
        .then(|| root.error("the spec has no title: title = \"…\""))
}

/// Reads a spec without the entries that have errors: those that a suggestion mends are read as
/// suggested, the others move to `pruned`. The errors move to `errors`. `None` if what is left has
/// no meaning or there are too many errors.
fn read_valid_part<'t>(
    document: Document<'_>,
    mut table: DeTable<'t>,
    read: impl Fn(&DeTable<'t>) -> Result<CoreSpec, SpecError>,
    pruned: &mut RemovedEntries,
    errors: &mut Vec<SpecError>,
) -> Option<CoreSpec> {
    while errors.len() < MOST_ERRORS {
        let error = match read(&table) {
            Ok(core) => return Some(core),
            Err(error) => error,
        };
        let (at, message) = (document.at(&error), error.message.clone());
        if !pruned.caused(at.unwrap_or(0)) {
            errors.push(error);
        }
        let meant = meant(&message);
        let goes_on = at.is_some_and(|at| {
            let put = meant.is_some_and(|meant| pruned.put(&mut table, at, meant));
            put || pruned.take(&mut table, at)
        });
        if !goes_on {
            break;
        }
    }
    None
}

/// The name that a message suggests.
fn meant(message: &str) -> Option<&str> {
    let (_, name) = message.split_once("did you mean \"")?;
    Some(name.split_once("\"?")?.0)
}

/// What a spec does, without what it shows.
struct CoreSpec {
    title: String,
    question: String,
    max_memory: Option<MemoryLimit>,
    limits: LimitChoice,
    plan: Plan,
    solvers: Vec<SolverFamily>,
}

impl CoreSpec {
    fn with(self, path: &Path, views: Views, document: Document<'_>) -> Spec {
        Spec {
            id: identifier(path),
            title: self.title,
            question: self.question,
            max_memory: self.max_memory,
            limits: self.limits,
            plan: self.plan,
            solvers: self.solvers,
            figures: views.figures,
            tables: views.tables,
            strips: views.strips,
            gates: views.gates,
            file: document.file.to_owned(),
            folder: path.parent().unwrap_or(Path::new("")).to_owned(),
            text: document.text.to_owned(),
        }
    }
}

/// Figures, tables, strips and gates, checked against what is known of the cells.
fn views(
    root: &SpecSection<'_>,
    core: Option<&CoreSpec>,
    pruned: &RemovedEntries,
) -> Result<Views, SpecError> {
    let Some(core) = core else {
        return match unread_columns(root) {
            Some(columns) => views::read(root, KnownCells::Part(&columns, &keys_of_cells(root))),
            None => views::read(root, KnownCells::Nothing),
        };
    };
    let columns = core.plan.columns(&core.solvers);
    match pruned.keeps_columns() {
        true => views::read(root, KnownCells::Whole(&columns)),
        // without what is gone, names of figures and tables would be refused that are right
        false => views::read(root, KnownCells::Part(&columns, &keys_of_cells(root))),
    }
}

/// What is known of cells that could not be read: what is done with them, and by that which metrics
/// there are.
fn unread_columns(root: &SpecSection<'_>) -> Option<Columns<'static>> {
    let known_over_time: fn(&str) -> bool = |name| Observable::parse(name).is_ok();
    let known: fn(&str) -> bool = |name| RecordColumn::parse(name).is_ok();
    let (kind, known) = match ["scene", "timing", "problem"].map(|key| root.get(key).is_some()) {
        [true, _, _] => (Kind::Trajectories, known_over_time),
        [_, true, _] => (Kind::Timings, known),
        [_, _, true] => (Kind::Solves, known),
        _ => return None,
    };
    Some(Columns {
        kind,
        measured: &[],
        known,
        problems: Vec::new(),
        schemes: Vec::new(),
        solvers: Vec::new(),
        has_budget: root.get("simulate").is_some(),
        has_worlds: true,
    })
}

/// All keys that a spec gives to its problems, scenes, schemes and solvers.
fn keys_of_cells(root: &SpecSection<'_>) -> BTreeSet<String> {
    let mut keys = BTreeSet::new();
    for section in ["problem", "scene", "scheme", "solver"] {
        if let Some(item) = root.get(section) {
            add_keys(item, &mut keys);
        }
    }
    keys
}

fn add_keys(item: &Item<'_>, keys: &mut BTreeSet<String>) {
    match item.get_ref() {
        DeValue::Table(table) => {
            for (key, inner) in table {
                keys.insert(key.get_ref().to_string());
                add_keys(inner, keys);
            }
        }
        DeValue::Array(array) => array.iter().for_each(|inner| add_keys(inner, keys)),
        _ => {}
    }
}

fn syntax(document: Document<'_>, error: &toml::de::Error) -> SpecError {
    let message = without_code_marks(&error.message().replace('\n', ", "));
    document.error(error.span().unwrap_or(0..0), message)
}

/// Reads the tables of a spec that make its cells, up to the first error.
fn read(
    path: &Path,
    root: &SpecSection<'_>,
    registry: &Registry,
    files: NamedFiles,
) -> Result<CoreSpec, SpecError> {
    root.allow(keys::SPEC)?;
    let title = root.string("title")?;
    let question = root.string("question")?.unwrap_or_default();
    let max_memory = max_memory(root)?;
    let limits = limits(root)?;
    if title.is_none()
        && ["problem", "scene"]
            .iter()
            .all(|key| root.get(key).is_none())
    {
        let message = "the spec has no title = \"…\", and neither [[problem]] nor [[scene]]";
        return Err(root.error(message));
    }
    let over_time = is_over_time(root)?;
    let context = Context {
        registry,
        generators: generators(),
        folder: path.parent().unwrap_or(Path::new("")),
        files,
    };
    let planned = plan(root, over_time, &context);
    if planned.is_err() {
        // an error of the plan may take more away than is wrong: what can be read comes before it
        if root.get("solver").is_some() {
            solvers(root, &context)?;
        }
        match (over_time, root.get("timing")) {
            (true, _) => simulate::check_apart(root, &context)?,
            (false, None) => solve::check_apart(root, &context)?,
            (false, Some(_)) => {}
        }
    }
    let (plan, solvers) = planned?;
    Ok(CoreSpec {
        title: title.unwrap_or_default().to_owned(),
        question: question.to_owned(),
        max_memory,
        limits,
        plan,
        solvers,
    })
}

/// The figure of a text with one `[[figure]]`.
pub(super) fn figure(text: &str, columns: &Columns<'_>) -> Result<FigureSpec, SpecError> {
    let document = Document { file: "", text };
    let table = DeTable::parse(text).map_err(|error| syntax(document, &error))?;
    let root = SpecSection::new(document, "the figure", table.get_ref(), 0..0);
    let mut figures = views::read(&root, KnownCells::Whole(columns))?.figures;
    match (figures.pop(), figures.is_empty()) {
        (Some(figure), true) => Ok(figure),
        _ => Err(root.error("not one figure")),
    }
}

/// What is done, to what, with which solvers.
fn plan(
    root: &SpecSection<'_>,
    over_time: bool,
    context: &Context<'_>,
) -> Result<(Plan, Vec<SolverFamily>), SpecError> {
    let stop = measure::stop(root)?;
    let passes = time::passes(root)?;
    if over_time {
        // schemes that solve by themselves need none
        let some = root.get("solver").is_some();
        let solvers = some.then(|| solvers(root, context)).transpose()?;
        let plan = Plan::Simulate(simulate::read(root, context)?);
        Ok((plan, solvers.unwrap_or_default()))
    } else if let Some(passes) = passes {
        let plan = Plan::Time(time::read(root, context, passes)?);
        Ok((plan, solvers(root, context)?))
    } else {
        let problems = solve::problems(root, context, &stop)?;
        let plan = Plan::Solve(solve::read(root, context, stop, problems)?);
        Ok((plan, solvers(root, context)?))
    }
}

/// True for a spec of scenes. Refuses sections of both kinds, and a spec of neither.
fn is_over_time(root: &SpecSection<'_>) -> Result<bool, SpecError> {
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
        (
            "[[problem]]",
            "[[scene]]",
            &["scene", "scheme", "simulate", "replay", "strip"],
        )
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
fn max_memory(root: &SpecSection<'_>) -> Result<Option<MemoryLimit>, SpecError> {
    amount(root, "max_memory")
}

fn amount(section: &SpecSection<'_>, key: &str) -> Result<Option<MemoryLimit>, SpecError> {
    let (Some(text), Some(item)) = (section.string(key)?, section.get(key)) else {
        return Ok(None);
    };
    let amount = text.parse::<MemoryLimit>();
    let refuse = |reason: String| section.error_at(item, format!("{key}: {reason}"));
    amount.map(Some).map_err(refuse)
}

/// `[limits]`: what the process of a cell may take.
fn limits(root: &SpecSection<'_>) -> Result<LimitChoice, SpecError> {
    let Some(item) = root.get("limits") else {
        return Ok(LimitChoice::default());
    };
    let section = SpecSection::of_item(root.document, "[limits]", item)?;
    section.allow(keys::LIMITS)?;
    Ok(LimitChoice {
        seconds: section.positive("seconds")?,
        cpu_seconds: section.positive("cpu_seconds")?,
        memory: amount(&section, "memory")?,
    })
}

/// The name of the experiment's folder, the file's own name if it is not [`FILE_NAME`], or both if
/// it stands next to one.
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
    let mut folder = path.parent().map(Path::to_owned).unwrap_or_default();
    if folder.file_name().is_none() {
        // "." or "..", or nothing before the file's name: the real name
        folder = folder.join(".").canonicalize().unwrap_or(folder);
    }
    folder.file_name().map(|s| s.to_string_lossy().into_owned())
}

/// `[[solver]]`.
fn solvers(root: &SpecSection<'_>, context: &Context<'_>) -> Result<Vec<SolverFamily>, SpecError> {
    let sections = sections(root, "solver", "[[solver]]")?;
    let solvers = sections.iter().map(|section| solver(section, context));
    solvers.collect()
}

fn solver(section: &SpecSection<'_>, context: &Context<'_>) -> Result<SolverFamily, SpecError> {
    let entry = find_solver(section, "use", context)?;
    let axes = axes::read(section, keys::SOLVER, &known(section, &entry, keys::SOLVER))?;
    // one value at a time, with the first of every other axis: what is allowed may depend on them
    let first = |axis: &GridAxis| Some((axis.key.clone(), axis.values.first()?.0.clone()));
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
                Err(_) if machine::lacks(&chosen).is_some() || entry.open => {}
                Err(error) => return Err(section.document.error(span.clone(), reason(&error))),
                Ok(_) => {}
            }
        }
    }
    Ok(SolverFamily {
        id: entry.descriptor.id.to_owned(),
        label: section.string("label")?.map(str::to_owned),
        axes,
        span: section.span(),
    })
}

//! `delassus list`: what there is, one line each or one entry with everything.

mod engines;
mod files;
mod item;
mod law;
mod metric;
mod motion;
mod named;
mod peers;
mod solver;
mod views;
mod world;
mod wrapper;

use clap::ValueEnum;
use delassus_core::{ENGINE, ENGINE_COMMAND, EntryError, LawKind, is_engine};
use delassus_dynamics::constraints::constraint_kinds;
use delassus_metrics::Metric;
use delassus_problems::generators::{GeneratorEntry, generators};
use delassus_records::trace::TraceQuantity;
use delassus_report::settings::Setting;
use delassus_scenes::scenes;
use serde_json::{Map, Value, json};

use super::args::{ListVerb, ListWhat};
use super::diagnostic::print_diagnostic;
use super::failure::Failure;
use super::output::{Output, wrapped};
use crate::figures::FigureSpec;
use crate::registry::{Registry, process, schemes};
use crate::statuses::{STATUSES, StatusDoc};
use crate::suggest::{did_you_mean, nearest};
use crate::tables::TableSpec;
use item::{Item, cells, parameters, part};
use metric::{metric, trace};
pub(crate) use named::{entries_named, list_named, listed, metric_names, metrics_named};

/// Width of the detailed pages, in characters.
const WIDTH: usize = 100;

/// Runs the verb.
pub(crate) fn run(
    request: &ListVerb,
    registry: &Registry,
    output: &mut Output,
) -> Result<(), Failure> {
    let Some(what) = request.what else {
        return overview(request.json, output);
    };
    let mut items = match (what, &request.name) {
        (ListWhat::Engines, Some(name)) if name.starts_with(ENGINE_COMMAND) => {
            vec![engines::of_command(name, registry)?]
        }
        _ => items(what, registry)?,
    };
    if let (ListWhat::Solvers, Some(name)) = (what, &request.name) {
        items.extend(composition(name, &items, registry)?);
    }
    let chosen: Vec<&Item> = match &request.name {
        None => items.iter().collect(),
        Some(name) => {
            let name = match what {
                ListWhat::Engines => name.strip_prefix(ENGINE).unwrap_or(name),
                _ => name.as_str(),
            };
            let found = find(name, &items);
            if found.is_empty() {
                return Err(unknown(name, what, &items, registry));
            }
            found
        }
    };
    match what {
        ListWhat::Peers if items.is_empty() => print_diagnostic(&peers::absent("peers")),
        ListWhat::Engines if items.is_empty() => print_diagnostic(&peers::absent("engines")),
        _ => {}
    }
    if request.json {
        return chosen.iter().try_for_each(|item| output.json(&item.json));
    }
    if request.name.is_some() {
        return chosen
            .iter()
            .try_for_each(|item| output.text(&page(&item.page)));
    }
    let mut rows = vec![cells(header(what))];
    rows.extend(chosen.iter().map(|item| item.line.clone()));
    output.table(&rows)
}

/// What can be listed: a line or an object each.
fn overview(is_json: bool, output: &mut Output) -> Result<(), Failure> {
    let lists = ListWhat::value_variants().iter();
    let named = lists.filter_map(|what| Some((what.to_possible_value()?, about(*what))));
    if is_json {
        let mut objects =
            named.map(|(list, text)| json!({ "list": list.get_name(), "about": text }));
        return objects.try_for_each(|object| output.json(&object));
    }
    let mut rows = vec![cells(&["list", "what it has"])];
    rows.extend(named.map(|(list, text)| cells(&[list.get_name(), text])));
    output.table(&rows)?;
    output.line("")?;
    output.line("`delassus list LIST` has its entries, `delassus list LIST NAME` all about one.")
}

/// The page of a solver around solvers or of one in a process, which no list has; it is found by
/// the name that was given.
fn composition(name: &str, items: &[Item], registry: &Registry) -> Result<Option<Item>, Failure> {
    let listed = items.iter().any(|item| item.id() == name);
    if listed || !(name.contains(['(', ')']) || process::is_process(name)) {
        return Ok(None);
    }
    let refused = |error: EntryError| Failure::request(error.to_string());
    // the user names the program
    let starting = registry.clone().with_commands();
    let entry = starting.find(name).map_err(refused)?;
    if entry.open {
        drop(entry.build(&Map::new()).map_err(refused)?);
    }
    let mut item = solver::item(&entry);
    item.line[0] = name.to_owned();
    Ok(Some(item))
}

/// The header of a list, which begins with the kind of its entries.
pub(super) fn header(what: ListWhat) -> &'static [&'static str] {
    match what {
        ListWhat::Solvers => &["solver", "in", "repeats", "cost", "laws", "source"],
        ListWhat::Metrics => &["metric", "unit", "needs", "name"],
        ListWhat::Observables => &["observable", "unit", "needs", "name"],
        ListWhat::Generators => &["generator", "parameters", "what it makes"],
        ListWhat::Laws => &["law", "equation", "rows", "name"],
        ListWhat::Scenes => &["scene", "parameters", "what it is"],
        ListWhat::Schemes => &["scheme", "solver", "what it does"],
        ListWhat::Presets => &["preset", "solver", "what it does"],
        ListWhat::Constraints => &["constraint", "rows", "force", "what it keeps"],
        ListWhat::Statuses => &["status", "what it means"],
        ListWhat::Figures => &["figure", "needs", "what it shows"],
        ListWhat::Tables => &["table", "needs", "what it shows"],
        ListWhat::Formats => &["format", "read by", "written by", "what it holds"],
        ListWhat::Experiments => &["experiment", "title"],
        ListWhat::Peers => &["peer", "version", "solvers", "licence", "install"],
        ListWhat::Engines => &["engine", "version", "licence", "install"],
    }
}

/// What a list has.
fn about(what: ListWhat) -> &'static str {
    match what {
        ListWhat::Solvers => "what solves a problem, and wrappers around solvers",
        ListWhat::Metrics => "residuals and other numbers of a solve or a run over time",
        ListWhat::Observables => "what can be measured over time",
        ListWhat::Generators => "families of problems with parameters",
        ListWhat::Laws => "laws of friction, contact and joints",
        ListWhat::Scenes => "worlds with parameters that can be stepped",
        ListWhat::Schemes => "what steps a world",
        ListWhat::Presets => "schemes with the parameters of an engine or a paper",
        ListWhat::Constraints => "joints, springs, drives and other constraints of a world",
        ListWhat::Statuses => "how a cell can end",
        ListWhat::Figures => "kinds of [[figure]] in a spec",
        ListWhat::Tables => "kinds of [[table]] in a spec",
        ListWhat::Formats => "files of problems that can be read or written",
        ListWhat::Experiments => "specs in the folder experiments",
        ListWhat::Peers => "solvers of other programs, and which are here",
        ListWhat::Engines => "engines of other programs, and which are here",
    }
}

/// The entries of a list.
///
/// # Errors
/// No folder of experiments.
fn items(what: ListWhat, registry: &Registry) -> Result<Vec<Item>, Failure> {
    Ok(match what {
        ListWhat::Solvers => {
            let solvers = registry.entries().iter().map(solver::item);
            let wrappers = registry.wrappers();
            let wrappers = wrappers.iter().map(|entry| wrapper::item(entry, registry));
            solvers.chain(wrappers).collect()
        }
        ListWhat::Metrics => metrics(),
        ListWhat::Observables => motion::observables(),
        ListWhat::Generators => generators().iter().map(generator).collect(),
        ListWhat::Laws => {
            let kinds = LawKind::ALL.iter();
            kinds.map(|kind| law::law(*kind, registry)).collect()
        }
        ListWhat::Scenes => scenes().iter().map(motion::scene).collect(),
        ListWhat::Schemes => motion::all(&schemes(), false),
        ListWhat::Presets => motion::all(&schemes(), true),
        ListWhat::Constraints => constraint_kinds().iter().map(motion::constraint).collect(),
        ListWhat::Statuses => STATUSES.iter().map(status).collect(),
        ListWhat::Figures => views::kinds(&FigureSpec::schema(), "plot", "figures.md"),
        ListWhat::Tables => views::kinds(&TableSpec::schema(), "show", "tables.md"),
        ListWhat::Formats => files::formats(),
        ListWhat::Experiments => files::experiments()?,
        ListWhat::Peers => peers::all(),
        ListWhat::Engines => engines::all(),
    })
}

/// The metrics of problems, of traces and over time.
fn metrics() -> Vec<Item> {
    metrics_of_solves().chain(motion::observables()).collect()
}

/// The metrics of problems and of traces.
fn metrics_of_solves() -> impl Iterator<Item = Item> {
    let of_problems = Metric::ALL.iter().map(|m| metric(m.doc()));
    of_problems.chain(TraceQuantity::ALL.iter().map(|q| trace(q.doc())))
}

/// The entries with this identifier or alias: a residual has one as a metric of a problem and one
/// over time.
fn find<'i>(name: &str, items: &'i [Item]) -> Vec<&'i Item> {
    // a wrapper is listed with a place for its solver, an experiment with its folder
    let plain = |id: &str| id.strip_suffix("(S)") == Some(name);
    let last = |id: &str| id.rsplit('/').next() == Some(name);
    // the number of an equation or a law, as in (F9), stands at the end of a cell, or in the theory
    let number = is_number(name).then(|| name.to_ascii_uppercase());
    let numbered = |item: &Item| {
        number.as_ref().is_some_and(|number| {
            let cell = format!("({number})");
            let theory = item.json["theory"].as_array().into_iter().flatten();
            let mut theory = theory.filter_map(Value::as_str);
            item.line.iter().any(|text| text.ends_with(&cell)) || theory.any(|own| own == number)
        })
    };
    let named = |item: &&Item| {
        let id = item.id();
        id == name || item.aliases.contains(&name) || plain(id) || last(id) || numbered(item)
    };
    items.iter().filter(named).collect()
}

/// True for a letter with a number, as in F9 or P.20.
fn is_number(name: &str) -> bool {
    let mut rest = name.chars();
    rest.next().is_some_and(|first| first.is_ascii_alphabetic())
        && name.len() > 1
        && rest.all(|c| c.is_ascii_digit() || c == '.')
}

/// The error about a name that a list does not have: the list that has it, or the closest name.
fn unknown(name: &str, what: ListWhat, items: &[Item], registry: &Registry) -> Failure {
    if let Some(missing) = not_built(name, what, registry) {
        return Failure::request(missing.to_string());
    }
    let ids = items.iter().map(Item::id);
    let aliases = items.iter().flat_map(|item| item.aliases.iter().copied());
    let hint = match elsewhere(name, Some(what), registry) {
        Some(hint) => hint,
        None => did_you_mean(nearest(name, ids.chain(aliases)).as_deref()),
    };
    Failure::request(format!("unknown {} {name:?}{hint}", singular(what)))
}

/// What this build lacks, if it is a solver or a scheme of this name.
fn not_built(name: &str, what: ListWhat, registry: &Registry) -> Option<EntryError> {
    let missing = match what {
        ListWhat::Solvers => registry.find(name).err(),
        ListWhat::Schemes => registry.scheme(name).err(),
        _ => None,
    };
    missing.filter(|error| matches!(error, EntryError::NotBuilt { .. }))
}

/// What a name is that another list has, and the command that shows it.
pub(super) fn elsewhere(name: &str, what: Option<ListWhat>, registry: &Registry) -> Option<String> {
    if is_engine(name) && what != Some(ListWhat::Engines) {
        return Some(format!(
            "; it is an engine: `delassus list engines '{name}'` shows it"
        ));
    }
    if process::is_process(name) && what != Some(ListWhat::Solvers) {
        return Some(format!(
            "; it is a solver of another program: `delassus list solvers '{name}'` shows it"
        ));
    }
    let others = ListWhat::value_variants().iter();
    // peers would be started
    let starts = [ListWhat::Peers, ListWhat::Engines];
    let mut others = others.filter(|other| Some(**other) != what && !starts.contains(other));
    others.find_map(|other| {
        let listed = items(*other, registry).ok()?;
        let id = find(name, &listed).first()?.id().to_owned();
        let list = other.to_possible_value()?;
        let (list, kind) = (list.get_name(), singular(*other));
        let article = if kind.starts_with(['a', 'e', 'i', 'o', 'u']) {
            "an"
        } else {
            "a"
        };
        Some(format!(
            "; it is {article} {kind}: `delassus list {list} {id}` shows it"
        ))
    })
}

/// The word for one entry, which begins the header of the list.
fn singular(what: ListWhat) -> &'static str {
    header(what)[0]
}

/// Headings on the left margin, their text indented below.
fn page(parts: &[(String, String)]) -> String {
    let mut text = String::new();
    for (heading, body) in parts {
        if body.is_empty() {
            continue;
        }
        text.push_str(heading);
        text.push('\n');
        for line in body.lines() {
            text.push_str(&wrapped(line, 4, WIDTH));
            text.push('\n');
        }
    }
    text
}

fn generator(entry: &GeneratorEntry) -> Item {
    let descriptor = &entry.descriptor;
    let (lines, list) = parameters(&entry.parameters, &entry.defaults);
    Item {
        aliases: &[],
        line: cells(&[descriptor.id, &list.len().to_string(), descriptor.summary]),
        page: vec![
            part(descriptor.id, descriptor.summary),
            part("parameters", lines),
            part("known solution", descriptor.reference),
        ],
        json: json!({
            "id": descriptor.id,
            "summary": descriptor.summary,
            "parameters": list,
            "reference": descriptor.reference,
        }),
    }
}

fn status(doc: &StatusDoc) -> Item {
    Item {
        aliases: &[],
        line: cells(&[doc.id, doc.meaning]),
        page: vec![
            part(doc.id, doc.meaning),
            part("what to do", doc.action),
            part("more", "docs/statuses.md"),
        ],
        json: json!({ "id": doc.id, "meaning": doc.meaning, "action": doc.action }),
    }
}

//! What a spec says about scenes that are stepped: `[[scene]]`, `[[scheme]]` and `[simulate]`.

use std::ops::Range;
use std::path::{Path, PathBuf};

use delassus_core::is_engine;
use delassus_dynamics::SchemeEntry;
use delassus_scenes::{SceneEntry, scenes};
use serde_json::{Map, Value};
use toml::de::DeValue;

use crate::columns::Columns;
use crate::document::axes::{self, GridAxis, family};
use crate::document::context::{Context, known};
use crate::document::keys::{self, MOST_EVERY};
use crate::document::section::{Item, SpecSection, list, sections, wrong_type};
use crate::document::text::SpecError;
use crate::motion::{Observable, Quantity};
use crate::record::FrameBudget;
use crate::registry::{Registry, process};
use crate::view::{DT, Kind};

use super::budget;
use super::replay;
pub use super::replay::ReplayPlan;
use super::threshold::{self, Threshold};

/// Length of a frame where the spec names none \[s\].
const DEFAULT_DT: f64 = 1.0 / 60.0;
/// Largest number of samples of one cell.
const MOST_SAMPLES: f64 = 1e6;
/// Largest number of frames of one cell.
const MOST_FRAMES: f64 = 1e8;

/// What is stepped, with what, and what is read off.
#[derive(Debug, Clone, PartialEq)]
pub struct SimulationPlan {
    /// The scenes, in order.
    pub scenes: Vec<SceneFamily>,
    /// The schemes, in order.
    pub schemes: Vec<SchemeFamily>,
    /// `[simulate]`.
    pub simulate: Simulate,
    /// `[replay]`.
    pub replay: Option<ReplayPlan>,
}

/// One `[[scene]]`: a family of scenes.
#[derive(Debug, Clone, PartialEq)]
pub struct SceneFamily {
    /// Name given by the author.
    pub name: Option<String>,
    /// Where the scenes come from.
    pub source: SceneSource,
    /// The entry in the text.
    pub span: Range<usize>,
}

/// Where a family of scenes comes from.
#[derive(Debug, Clone, PartialEq)]
pub enum SceneSource {
    /// A scene of the list with a grid over its parameters.
    Named {
        /// Identifier.
        id: String,
        /// The parameters that the spec sets.
        axes: Vec<GridAxis>,
        /// The threshold of a parameter that is looked for.
        threshold: Option<Threshold>,
    },
    /// A scene file.
    File(PathBuf),
}

/// One `[[scheme]]`: a family of configured schemes.
#[derive(Debug, Clone, PartialEq)]
pub struct SchemeFamily {
    /// Identifier of the preset or scheme.
    pub id: String,
    /// Label given by the author.
    pub label: Option<String>,
    /// The parameters that the spec sets, the length of a frame ([`DT`]) among them.
    pub axes: Vec<GridAxis>,
    /// Labels or identifiers of the solvers that it runs with, with their places; all if empty.
    pub solvers: Vec<(String, Range<usize>)>,
    /// Names of the scenes that it steps, or what they begin with, with their places; all if empty.
    pub scenes: Vec<(String, Range<usize>)>,
    /// `[simulate]` with the entry's own `seconds` and `every`.
    pub simulate: Simulate,
    /// The entry in the text.
    pub span: Range<usize>,
}

/// `[simulate]`.
#[derive(Debug, Clone, PartialEq)]
pub struct Simulate {
    /// Length of a frame \[s\]; a scheme may have its own.
    pub dt: f64,
    /// Time that a run covers \[s\]; zero where every scheme has its own.
    pub seconds: f64,
    /// Where the length of a frame changes, in order.
    pub changes: Vec<DtChange>,
    /// Frames per sample \[-\].
    pub every: u32,
    /// What is read off at every sample.
    pub observables: Vec<String>,
    /// Untraced passes per cell \[-\].
    pub repetitions: u32,
    /// What a frame may cost, where that chooses the substeps.
    pub budget: Option<FrameBudget>,
}

/// A change of the length of frames.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DtChange {
    /// When \[s\].
    pub at: f64,
    /// The new length as a multiple of the length at the start \[-\].
    pub factor: f64,
}

impl SimulationPlan {
    /// What figures and tables can ask for, but for the solvers.
    pub(crate) fn columns(&self) -> Columns<'_> {
        let scenes = self.scenes.iter().filter_map(|scene| match &scene.source {
            SceneSource::Named { id, axes, .. } => Some(family(id, axes)),
            SceneSource::File(_) => None,
        });
        let schemes = self.schemes.iter();
        Columns {
            kind: Kind::Trajectories,
            measured: &self.simulate.observables,
            known: |name| Observable::parse(name).is_ok(),
            problems: scenes.collect(),
            schemes: schemes.map(|s| family(&s.id, &s.axes)).collect(),
            solvers: Vec::new(),
            has_budget: self.simulate.budget.is_some(),
            has_worlds: false,
        }
    }
}

/// Reads the three sections.
pub(crate) fn read(
    root: &SpecSection<'_>,
    context: &Context<'_>,
) -> Result<SimulationPlan, SpecError> {
    let scene_sections = sections(root, "scene", "[[scene]]")?;
    let scheme_sections = sections(root, "scheme", "[[scheme]]")?;
    let listed = scenes();
    let own = |section: &SpecSection<'_>| section.get("seconds").is_some();
    let all = !scheme_sections.is_empty() && scheme_sections.iter().all(own);
    // an error of [simulate] may take all of it away: those of scenes and schemes come before it
    let simulate = simulate(root, all);
    let entries = scene_sections.iter().map(|section| {
        let entry = scene(section, &listed, context.folder)?;
        if let (SceneSource::Named { threshold, .. }, Ok(simulate)) = (&entry.source, &simulate)
            && let Some(threshold) = threshold
        {
            threshold.check(&simulate.observables, section)?;
            if simulate.budget.is_some() {
                let message = "a threshold takes many runs, and the budget of [simulate] chooses the substeps of one; \
                               leave one of the two out";
                return Err(section.error(message));
            }
        }
        Ok(entry)
    });
    let entries = entries.collect::<Result<_, SpecError>>()?;
    let unread = UNREAD;
    let settings = simulate.as_ref().unwrap_or(&unread);
    let schemes = scheme_sections.iter();
    let schemes = schemes.map(|section| scheme(section, settings, context.registry));
    let schemes = schemes.collect::<Result<_, _>>()?;
    let replay = replay::read(root)?;
    Ok(SimulationPlan {
        scenes: entries,
        schemes,
        simulate: simulate?,
        replay,
    })
}

/// Finds what is wrong in scenes, schemes and `[simulate]`, each without the others; sections that
/// are missing are left to [`read`].
pub(crate) fn check_apart(root: &SpecSection<'_>, context: &Context<'_>) -> Result<(), SpecError> {
    if root.get("scheme").is_some() {
        let schemes = sections(root, "scheme", "[[scheme]]")?;
        let mut schemes = schemes.iter();
        schemes.try_for_each(|section| scheme(section, &UNREAD, context.registry).map(drop))?;
    }
    if root.get("simulate").is_some() {
        simulate(root, true)?;
    }
    // a spec without scenes is not one over time
    if root.get("scene").is_some() {
        let listed = scenes();
        let sections = sections(root, "scene", "[[scene]]")?;
        let mut sections = sections.iter();
        sections.try_for_each(|section| scene(section, &listed, context.folder).map(drop))?;
    }
    Ok(())
}

/// Stands for a `[simulate]` with an error: the length of a run is not known.
const UNREAD: Simulate = Simulate {
    dt: DEFAULT_DT,
    seconds: f64::NAN,
    changes: Vec::new(),
    every: 1,
    observables: Vec::new(),
    repetitions: 1,
    budget: None,
};

fn scene(
    section: &SpecSection<'_>,
    known: &[SceneEntry],
    folder: &Path,
) -> Result<SceneFamily, SpecError> {
    let source = match (section.get("use"), section.get("file")) {
        (Some(_), Some(item)) => {
            let message = "[[scene]] has both use and file; write two of them";
            return Err(section.error_at(item, message));
        }
        (None, None) => {
            let message = "[[scene]] needs use = \"SCENE\" or file = \"PATH\"";
            return Err(section.error(message));
        }
        (None, Some(_)) => {
            section.allow(keys::SCENE_FILE)?;
            let path = section.string("file")?.unwrap_or_default();
            SceneSource::File(folder.join(path))
        }
        (Some(_), None) => {
            let ids: Vec<&str> = known.iter().map(|scene| scene.descriptor.id).collect();
            let id = section.named("use", "scene", &ids)?;
            let found = known.iter().find(|scene| scene.descriptor.id == id);
            let defaults = found.map_or_else(Map::new, |scene| scene.defaults.clone());
            let axes = axes::read(section, keys::SCENE, &defaults)?;
            if let Some(entry) = found {
                axes::check_values(section, "scene", id, entry, &axes)?;
            }
            SceneSource::Named {
                id: id.to_owned(),
                threshold: threshold::read(section, &defaults, &axes)?,
                axes,
            }
        }
    };
    Ok(SceneFamily {
        name: section.string("name")?.map(str::to_owned),
        source,
        span: section
            .get("file")
            .map_or_else(|| section.span(), |item| item.span()),
    })
}

/// The scheme that a section names: one of the list, or an engine in a process of its own.
fn find_scheme(section: &SpecSection<'_>, registry: &Registry) -> Result<SchemeEntry, SpecError> {
    let schemes = crate::registry::schemes();
    let names: Vec<&str> = delassus_core::registry::names(&schemes).collect();
    let name = match (section.string("use")?, section.get("use")) {
        (Some(name), _) if is_engine(name) => name,
        (Some(name), Some(item)) if !names.contains(&name) && is_solver(name, registry) => {
            let message = format!("{name:?} is a solver, not a scheme: name it in [[solver]]");
            return Err(section.error_at(item, message));
        }
        _ => section.named("use", "scheme", &names)?,
    };
    registry
        .scheme(name)
        .map_err(|error| match section.get("use") {
            Some(item) => section.error_at(item, error.to_string()),
            None => section.error(error.to_string()),
        })
}

/// True if a solver has this name; the program of one in a process is not started.
fn is_solver(name: &str, registry: &Registry) -> bool {
    process::is_process(name) || registry.names().any(|known| known == name)
}

fn scheme(
    section: &SpecSection<'_>,
    simulate: &Simulate,
    registry: &Registry,
) -> Result<SchemeFamily, SpecError> {
    let found = find_scheme(section, registry)?;
    let name = found.descriptor.id;
    let simulate = &own_length(section, simulate)?;
    let mut defaults = known(section, &found, keys::SCHEME);
    defaults.insert(DT.to_owned(), Value::from(simulate.dt));
    let axes = axes::read(section, keys::SCHEME, &defaults)?;
    axes::check_values(section, "scheme", found.descriptor.id, &found, &axes)?;
    if simulate.budget.is_some() {
        budget::check_scheme(section, name, &found.defaults, &axes)?;
    }
    for (value, span) in axes.iter().filter(|a| a.key == DT).flat_map(|a| &a.values) {
        let dt = value.as_f64().filter(|dt| *dt > 0.0);
        let checked = dt.ok_or_else(|| format!("dt must be a finite number > 0, found {value}"));
        let checked = checked.and_then(|dt| affordable(simulate, dt));
        checked.map_err(|message| section.document.error(span.clone(), message))?;
    }
    if !axes.iter().any(|axis| axis.key == DT) {
        affordable(simulate, simulate.dt).map_err(|message| section.error(message))?;
    }
    let solvers = section.strings("solvers")?.unwrap_or_default();
    if let (false, Some((_, item))) = (found.descriptor.uses_solver, solvers.first()) {
        let message = format!("{name} solves by itself: name no solvers");
        return Err(section.error_at(item, message));
    }
    let scenes = section.strings("scenes")?.unwrap_or_default();
    Ok(SchemeFamily {
        id: found.descriptor.id.to_owned(),
        label: section.string("label")?.map(str::to_owned),
        axes,
        solvers: placed(&solvers),
        scenes: placed(&scenes),
        simulate: simulate.clone(),
        span: section.span(),
    })
}

/// Names with their places in the text.
fn placed(names: &[(&str, &Item<'_>)]) -> Vec<(String, Range<usize>)> {
    let names = names.iter();
    names
        .map(|(name, item)| ((*name).to_owned(), item.span()))
        .collect()
}

/// The settings of a scheme whose runs have a length or a number of samples of their own.
fn own_length(section: &SpecSection<'_>, simulate: &Simulate) -> Result<Simulate, SpecError> {
    let mut own = simulate.clone();
    if let (Some(seconds), Some(item)) = (
        section.between("seconds", keys::RUN_SECONDS)?,
        section.get("seconds"),
    ) {
        if !simulate.changes.is_empty() {
            let message = "dt_changes hold for all schemes: leave out seconds";
            return Err(section.error_at(item, message));
        }
        own.seconds = seconds;
    }
    if let Some(every) = section.count("every", 1, u64::from(MOST_EVERY))? {
        own.every = u32::try_from(every).unwrap_or(MOST_EVERY);
    }
    Ok(own)
}

/// Refuses frames whose length is out of range, runs without a frame, and runs that would fill the
/// memory.
fn affordable(simulate: &Simulate, dt: f64) -> Result<(), String> {
    let factors = simulate.changes.iter().map(|change| change.factor);
    let shortest = factors.clone().fold(1.0, f64::min);
    let [least, most] = keys::FRAME_SECONDS;
    let mut lengths = std::iter::once(1.0)
        .chain(factors)
        .map(|factor| dt * factor);
    if let Some(length) = lengths.find(|length| !(least..=most).contains(length)) {
        return Err(format!(
            "a frame of {length:e} s: dt, times each factor of dt_changes, must lie from {least:e} to {most:e} s"
        ));
    }
    if simulate.seconds.is_nan() {
        return Ok(());
    }
    let frames = simulate.seconds / (dt * shortest);
    let (seconds, every) = (simulate.seconds, simulate.every);
    if simulate.seconds < 0.5 * dt {
        return Err(format!("{seconds:?} s are less than one frame of {dt:?} s"));
    }
    if !(frames <= MOST_FRAMES && frames / f64::from(every) <= MOST_SAMPLES) {
        return Err(format!(
            "{seconds:?} s are {frames:.1e} frames of {dt:?} s with a sample every {every}; at most {MOST_FRAMES:e} frames \
             and {MOST_SAMPLES:e} samples are accepted"
        ));
    }
    Ok(())
}

/// `own`: every scheme has seconds of its own. An error about these is the last that is found.
fn simulate(root: &SpecSection<'_>, own: bool) -> Result<Simulate, SpecError> {
    let Some(item) = root.get("simulate") else {
        return Err(root.error("the spec has no [simulate]: seconds = …, observables = […]"));
    };
    let section = &SpecSection::of_item(root.document, "[simulate]", item)?;
    section.allow(keys::SIMULATE)?;
    let count = |key: &str, most: u32| -> Result<u32, SpecError> {
        let count = section.count(key, 1, u64::from(most))?;
        Ok(count.map_or(1, |n| u32::try_from(n).unwrap_or(most)))
    };
    let (every, repetitions) = (count("every", MOST_EVERY)?, count("repetitions", 1000)?);
    let dt = section
        .between("dt", keys::FRAME_SECONDS)?
        .unwrap_or(DEFAULT_DT);
    let budget = budget::read(section)?;
    // what is missing comes after what is wrong
    let seconds = section.between("seconds", keys::RUN_SECONDS)?;
    let observables = observables(section)?;
    let seconds = match seconds {
        Some(seconds) => seconds,
        // each scheme says how long its runs are
        None if own && section.get("dt_changes").is_none() => 0.0,
        None => {
            let message = "[simulate] needs seconds = …, the time that a run covers; or every [[scheme]] its own";
            return Err(section.error(message));
        }
    };
    Ok(Simulate {
        dt,
        seconds,
        changes: changes(section, seconds)?,
        every,
        observables,
        repetitions,
        budget,
    })
}

/// The names under `observables`, each known and named once.
fn observables(section: &SpecSection<'_>) -> Result<Vec<String>, SpecError> {
    let Some(names) = section.strings("observables")? else {
        return Err(section.error("[simulate] needs observables = [\"drift_max\", …]"));
    };
    let mut known: Vec<String> = Vec::with_capacity(names.len());
    for (name, item) in names {
        if let Err(unknown) = Observable::parse(name) {
            let mut message = unknown.to_string();
            if unknown.nearest.is_none() {
                let ids = Quantity::ALL.iter().map(|quantity| quantity.doc().id);
                let of_bodies = ["x[1].y", "v[1].y", "w[1].z", "C[0].0"];
                let probes = of_bodies.into_iter().chain(["force[0].y", "force[0,1].y"]);
                message = format!("{message}; known: {}", list(ids.chain(probes)));
            }
            return Err(section.error_at(item, message));
        }
        if known.iter().any(|other| other == name) {
            return Err(section.error_at(item, format!("{name} is named twice")));
        }
        known.push(name.to_owned());
    }
    Ok(known)
}

/// `dt_changes = [{ at = 5.0, factor = 0.5 }]`, in the order of time.
fn changes(section: &SpecSection<'_>, seconds: f64) -> Result<Vec<DtChange>, SpecError> {
    let Some(item) = section.get("dt_changes") else {
        return Ok(Vec::new());
    };
    let expected = "an array of { at = …, factor = … }";
    let DeValue::Array(array) = item.get_ref() else {
        return Err(wrong_type(section.document, "dt_changes", expected, item));
    };
    let mut changes: Vec<DtChange> = Vec::with_capacity(array.len());
    for item in array.iter() {
        let change = change(section, item)?;
        let earliest = changes.last().map_or(0.0, |last| last.at);
        if !(change.at > earliest && change.at < seconds) {
            let message = format!(
                "at = {} must be after {earliest} s and before the end at {seconds} s",
                change.at
            );
            return Err(section.error_at(item, message));
        }
        changes.push(change);
    }
    Ok(changes)
}

fn change(section: &SpecSection<'_>, item: &Item<'_>) -> Result<DtChange, SpecError> {
    let own = SpecSection::of_item(section.document, "dt_changes", item)?;
    own.allow(keys::CHANGE)?;
    let (at, factor) = (own.positive("at")?, own.between("factor", keys::FACTORS)?);
    match (at, factor) {
        (Some(at), Some(factor)) => Ok(DtChange { at, factor }),
        _ => Err(section.error_at(item, "a change of dt needs at = … [s] and factor = …")),
    }
}

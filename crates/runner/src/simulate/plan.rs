//! What a spec says about scenes that are stepped: `[[scene]]`, `[[scheme]]` and `[simulate]`.

use std::ops::Range;
use std::path::{Path, PathBuf};

use delassus_core::is_engine;
use delassus_dynamics::SchemeEntry;
use delassus_scenes::{SceneEntry, scenes};
use serde_json::{Map, Value};

use crate::columns::Columns;
use crate::document::axes::{self, GridAxis, family};
use crate::document::context::{Context, known};
use crate::document::keys;
use crate::document::section::{Item, SpecSection, sections};
use crate::document::text::SpecError;
use crate::motion::Observable;
use crate::registry::{Registry, process};
use crate::view::{DT, Kind};

use super::budget;
use super::replay;
pub use super::replay::ReplayPlan;
use super::section::{Simulate, UNREAD, affordable, own_length, simulate};
use super::threshold::{self, Threshold};

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

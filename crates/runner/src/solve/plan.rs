//! What a spec says about problems that are solved: `[[problem]]`, `[stop]`, `[measure]` and
//! `[reference]`.

use std::ops::Range;
use std::path::{Path, PathBuf};

use delassus_core::{Choice, ContactLaw};

use super::draws::{Draws, MAX_WORLDS};
use super::files;
use super::measure::{Measure, ReferenceSource, Stop, measure, needs_reference, reference, stop};
use crate::columns::Columns;
use crate::document::axes::{GridAxis, family, size};
use crate::document::context::{Context, NamedFiles, generator};
use crate::document::keys;
use crate::document::section::{SpecSection, sections};
use crate::document::text::SpecError;
use crate::judge::RecordColumn;
use crate::view::Kind;

/// The parameter that a tolerance of several is.
pub(super) const TOLERANCE: &str = "tolerance";
/// The parameter that the number of worlds is, and what their problem has for a generator.
pub(super) const WORLDS: &str = "worlds";
/// The criterion that every world must meet.
const OF_WORLDS: &str = "natural_map_world";
/// What problems from files have for a generator.
pub(super) const FILE: &str = "file";

/// What is solved, until when, and what is measured.
#[derive(Debug, Clone, PartialEq)]
pub struct SolvePlan {
    /// The problems, in order.
    pub problems: Vec<ProblemFamily>,
    /// When a solve ends, for problems that do not say otherwise.
    pub stop: Stop,
    /// What is measured.
    pub measure: Measure,
    /// Where the reference of the velocity error comes from.
    pub reference: Option<ReferenceSource>,
}

/// One `[[problem]]`: a family of problems.
#[derive(Debug, Clone, PartialEq)]
pub struct ProblemFamily {
    /// Name given by the author.
    pub name: Option<String>,
    /// Where the problems come from.
    pub source: ProblemSource,
    /// Give solvers the Delassus matrix instead of the bodies.
    pub as_matrix: bool,
    /// Where the spec says that all problems of the entry are worlds of one problem.
    pub as_worlds: Option<Range<usize>>,
    /// Draws of the parameters of worlds.
    pub draws: Option<Draws>,
    /// The impulses that solves start from.
    pub start: StartKind,
    /// When a solve ends.
    pub stop: Stop,
    /// Its tolerance, where that is one of several and a parameter of the problems \[-\].
    pub level: Option<f64>,
    /// Law under which the same problems have the reference of these, and where the spec says so.
    pub reference_law: Option<(String, Range<usize>)>,
    /// The entry in the text.
    pub span: Range<usize>,
}

/// Where a family of problems comes from.
#[derive(Debug, Clone, PartialEq)]
pub enum ProblemSource {
    /// A generator with a grid over its parameters.
    Generator {
        /// Identifier.
        id: String,
        /// The parameters that the spec sets.
        axes: Vec<GridAxis>,
    },
    /// Files.
    Files {
        /// The files that matched, in order.
        paths: Vec<PathBuf>,
        /// Friction law of files that do not name one.
        law: ContactLaw,
    },
}

/// The impulses that a solve starts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum StartKind {
    /// Zero.
    Cold,
    /// One on every row \[N·s\].
    Ones,
    /// The known solution that comes with the problem.
    Stored,
    /// What the scheme started from, for problems that `delassus export` froze.
    Warm,
    /// What the engine ended with, for problems that were captured in one.
    Captured,
}

impl SolvePlan {
    /// What figures and tables can ask for, but for the solvers.
    pub(crate) fn columns(&self) -> Columns<'_> {
        let families = self.problems.iter().filter_map(|p| {
            let mut family = match &p.source {
                ProblemSource::Generator { id, axes } => family(id, axes),
                ProblemSource::Files { .. } if p.level.is_some() => family(FILE, &[]),
                ProblemSource::Files { .. } => return None,
            };
            if let (Some(_), ProblemSource::Generator { axes, .. }) = (&p.as_worlds, &p.source) {
                let own = |key: &str| axes.iter().any(|a| a.key == key && a.values.len() > 1);
                family.parameters.retain(|key| !own(key));
                family.parameters.push(WORLDS);
            }
            family.parameters.extend(p.level.map(|_| TOLERANCE));
            Some(family)
        });
        Columns {
            kind: Kind::Solves,
            measured: &self.measure.metrics,
            known: |name| RecordColumn::parse(name).is_ok(),
            problems: families.collect(),
            schemes: Vec::new(),
            solvers: Vec::new(),
            has_budget: false,
            has_worlds: self.problems.iter().any(|p| p.as_worlds.is_some()),
        }
    }
}

/// Reads `[[problem]]`.
pub(crate) fn problems(
    root: &SpecSection<'_>,
    context: &Context<'_>,
    stop: &Stop,
) -> Result<Vec<ProblemFamily>, SpecError> {
    let sections = sections(root, "problem", "[[problem]]")?;
    let mut problems = Vec::new();
    for section in &sections {
        problems.extend(levels(section, problem(section, context, stop)?)?);
    }
    Ok(problems)
}

/// The problems of an entry, once per tolerance where it names several.
fn levels(
    section: &SpecSection<'_>,
    family: ProblemFamily,
) -> Result<Vec<ProblemFamily>, SpecError> {
    let Some(tolerances) = section.positives("tolerances")? else {
        return Ok(vec![family]);
    };
    let own = match &family.source {
        ProblemSource::Generator { axes, .. } => axes.iter().find(|axis| axis.key == TOLERANCE),
        ProblemSource::Files { .. } => None,
    };
    if let Some((_, span)) = own.and_then(|axis| axis.values.first()) {
        let message = "the generator has a parameter tolerance of its own: write an entry per tolerance of the solve";
        return Err(section.document.error(span.clone(), message));
    }
    let at = |tolerance: f64| {
        let mut level = family.clone();
        level.stop.rule.tolerance = tolerance;
        level.level = Some(tolerance);
        level
    };
    Ok(tolerances.into_iter().map(at).collect())
}

/// Reads everything but problems and stop rule.
pub(crate) fn read(
    root: &SpecSection<'_>,
    context: &Context<'_>,
    stop: Stop,
    problems: Vec<ProblemFamily>,
) -> Result<SolvePlan, SpecError> {
    let criteria = problems.iter().flat_map(|problem| &problem.stop.criteria);
    let measure = measure(root, stop.criteria.iter().chain(criteria))?;
    let reference = reference(root, context)?;
    let foreign = problems.iter().find_map(|p| p.reference_law.as_ref());
    if let (None, Some((_, span))) = (&reference, foreign) {
        let message = "reference_law says whose reference it is: add reference = \"certified\", \"stored\", or [reference] with a solver";
        return Err(root.document.error(span.clone(), message));
    }
    Ok(SolvePlan {
        problems,
        stop,
        measure,
        reference,
    })
}

/// Checks what does not depend on the problems, where these cannot be read.
pub(crate) fn check_apart(root: &SpecSection<'_>, context: &Context<'_>) -> Result<(), SpecError> {
    let stop = stop(root)?;
    measure(root, stop.criteria.iter())?;
    reference(root, context).map(drop)
}

/// The errors of entries whose `files` match none, or cannot be read.
pub(crate) fn missing_files(root: &SpecSection<'_>, folder: &Path) -> Vec<SpecError> {
    // files do not go with timing, whether they are there or not
    let may_name_files = root.get("problem").is_some() && root.get("timing").is_none();
    let sections = match may_name_files {
        true => sections(root, "problem", "[[problem]]").unwrap_or_default(),
        false => Vec::new(),
    };
    let of_files = sections
        .iter()
        .filter(|own| own.get("files").is_some() && own.get("use").is_none());
    let found = of_files.map(|section| files::source(section, folder, NamedFiles::Needed));
    found.filter_map(Result::err).collect()
}

/// The error of a metric that compares with a reference where the spec has none.
pub(crate) fn missing_reference(root: &SpecSection<'_>, plan: &SolvePlan) -> Option<SpecError> {
    let wanting = plan
        .measure
        .metrics
        .iter()
        .find(|name| needs_reference(name))?;
    if plan.reference.is_some() || root.get("reference").is_some() {
        return None;
    }
    let message = format!(
        "{wanting} needs a reference solution: add reference = \"stored\", or [reference] with a solver"
    );
    let item = ["measure", "stop"].iter().find_map(|key| {
        let section = root.get(key)?.get_ref().as_table()?;
        let mut lists = section
            .values()
            .filter_map(|item| item.get_ref().as_array());
        lists.find_map(|list| {
            list.iter()
                .find(|item| item.get_ref().as_str() == Some(wanting.as_str()))
        })
    });
    Some(match item {
        Some(item) => root.error_at(item, message),
        None => root.error(message),
    })
}

fn problem(
    section: &SpecSection<'_>,
    context: &Context<'_>,
    stop: &Stop,
) -> Result<ProblemFamily, SpecError> {
    let source = match (section.get("use"), section.get("files")) {
        (Some(_), Some(item)) => {
            let message = "[[problem]] has both use and files; write two of them";
            return Err(section.error_at(item, message));
        }
        (None, Some(_)) => {
            section.allow(keys::FILES)?;
            let (paths, law) = files::source(section, context.folder, context.files)?;
            ProblemSource::Files { paths, law }
        }
        _ => {
            let (id, axes) = generator(section, context)?;
            ProblemSource::Generator { id, axes }
        }
    };
    let start = start(section)?;
    let stop = match section.get("stop") {
        Some(item) => {
            let own = SpecSection::of_item(section.document, "stop of [[problem]]", item)?;
            Stop::read(&own, stop)?
        }
        None => stop.clone(),
    };
    let as_worlds = as_worlds(section, &source)?;
    let draws = match &source {
        ProblemSource::Generator { axes, .. } => Draws::read(section, axes)?,
        ProblemSource::Files { .. } => None,
    };
    if let (Some(_), None, Some(item)) = (draws, &as_worlds, section.get("draws")) {
        return Err(section.error_at(item, "draws goes with as_worlds = true"));
    }
    let mut stop = stop;
    if as_worlds.is_some() && !stop.criteria.iter().any(|name| name == OF_WORLDS) {
        stop.criteria.push(OF_WORLDS.to_owned());
    }
    let reference_law = section.string("reference_law")?.map(str::to_owned);
    let place = section.get("reference_law").map(|item| item.span());
    Ok(ProblemFamily {
        reference_law: reference_law.zip(place),
        name: section.string("name")?.map(str::to_owned),
        source,
        as_matrix: section.flag("as_matrix")?.unwrap_or(false),
        as_worlds,
        draws,
        start,
        stop,
        level: None,
        span: section.span(),
    })
}

fn start(section: &SpecSection<'_>) -> Result<StartKind, SpecError> {
    let named = section.choice("start", keys::STARTS)?;
    let start = named.and_then(|name| StartKind::from_name(name).ok());
    Ok(start.unwrap_or(StartKind::Cold))
}

/// Where the entry says that its problems are worlds of one problem.
fn as_worlds(
    section: &SpecSection<'_>,
    source: &ProblemSource,
) -> Result<Option<Range<usize>>, SpecError> {
    if section.flag("as_worlds")? != Some(true) {
        return Ok(None);
    }
    if let Some(item) = section.get("reference_law") {
        let message = "as_worlds and reference_law do not go together; leave one of them out";
        return Err(section.error_at(item, message));
    }
    if let (Some(true), Some(item)) = (section.flag("as_matrix")?, section.get("as_matrix")) {
        let message = "as_worlds needs the bodies; leave as_matrix or as_worlds out";
        return Err(section.error_at(item, message));
    }
    let place = section.get("as_worlds").map(|item| item.span());
    let worlds = match source {
        ProblemSource::Generator { axes, .. } => size(axes),
        ProblemSource::Files { paths, .. } => paths.len() as u128,
    };
    if worlds > u128::from(MAX_WORLDS) {
        let message = format!("as_worlds: {worlds} worlds; at most {MAX_WORLDS} are accepted");
        return Err(section.document.error(place.unwrap_or_default(), message));
    }
    Ok(place)
}

//! `[stop]`, `[measure]` and `[reference]`: when a solve of a problem ends, and what is evaluated.

use delassus_metrics::Needs;
use delassus_records::trace::TraceQuantity;
use serde_json::{Map, Value};
use toml::de::DeValue;

use crate::document::axes;
use crate::document::context::{Context, find_solver, is_absent, reason};
use crate::document::keys;
use crate::document::section::{Item, SpecSection, number, wrong_type};
use crate::document::text::SpecError;
use crate::driver::{SampleSchedule, StopRule};
use crate::judge::{ORDERS, RecordColumn, check_criteria};

/// Criteria of a spec that names none: the headline, and the residual of the literature with it.
const CRITERIA: [&str; 2] = ["natural_map", "siconos"];

/// When a solve ends.
#[derive(Debug, Clone, PartialEq)]
pub struct Stop {
    /// The tolerance and the limits.
    pub rule: StopRule,
    /// Metrics that must be within the tolerance.
    pub criteria: Vec<String>,
}

/// `[measure]`.
#[derive(Debug, Clone, PartialEq)]
pub struct Measure {
    /// Metrics of every sample; the criteria of every problem are among them.
    pub metrics: Vec<String>,
    /// When samples are taken.
    pub schedule: SampleSchedule,
    /// Untraced passes per cell \[-\].
    pub repetitions: u32,
    /// Orders of the blocks that a spread is of, the problem's own among them \[-\]; `None` where
    /// none is measured.
    pub orders: Option<u32>,
}

/// `[reference]`.
#[derive(Debug, Clone, PartialEq)]
pub enum ReferenceSource {
    /// The known solution that comes with the problem.
    Stored,
    /// Velocities that methods of two families agree on (F.1).
    Certified,
    /// A solver, run to a tolerance of the natural map.
    Solver(ReferenceSolver),
}

/// The solver that computes a reference, and until when.
#[derive(Debug, Clone, PartialEq)]
pub struct ReferenceSolver {
    /// Registry identifier.
    pub id: String,
    /// The parameters that the spec sets.
    pub parameters: Map<String, Value>,
    /// Tolerance of the natural map \[-\].
    pub tolerance: f64,
    /// Sweep limit \[-\].
    pub max_sweeps: u64,
}

/// Reads `[stop]`, if there is one.
pub(crate) fn stop(root: &SpecSection<'_>) -> Result<Stop, SpecError> {
    let usual = Stop {
        rule: StopRule::default(),
        criteria: CRITERIA.map(str::to_owned).to_vec(),
    };
    match root.get("stop") {
        None => Ok(usual),
        Some(item) => {
            let section = SpecSection::of_item(root.document, "[stop]", item)?;
            Stop::read(&section, &usual)
        }
    }
}

impl Stop {
    /// Reads one; what it does not say is as `usual`.
    pub(super) fn read(section: &SpecSection<'_>, usual: &Self) -> Result<Self, SpecError> {
        section.allow(keys::STOP)?;
        let mut rule = usual.rule.clone();
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
        let names: Vec<&str> = criteria.iter().flatten().map(String::as_str).collect();
        if let Err((name, reason)) = check_criteria(&names) {
            let item = section.get("metrics").map_or(0..0, |item| item.span());
            return Err(section.document.error(item, format!("{name} {reason}")));
        }
        Ok(Self {
            rule,
            criteria: criteria.unwrap_or_else(|| usual.criteria.clone()),
        })
    }
}

/// The metric names under `metrics`, each known and named once.
fn metrics(section: &SpecSection<'_>) -> Result<Option<Vec<String>>, SpecError> {
    let Some(names) = section.strings("metrics")? else {
        return Ok(None);
    };
    let mut known: Vec<String> = Vec::with_capacity(names.len());
    for (name, item) in names {
        if let Err(unknown) = RecordColumn::parse(name) {
            return Err(section.error_at(item, unknown.to_string()));
        }
        if known.iter().any(|other| other == name) {
            return Err(section.error_at(item, format!("{name} is named twice")));
        }
        known.push(name.to_owned());
    }
    Ok(Some(known))
}

/// True if the metric compares with a known solution.
pub(super) fn needs_reference(name: &str) -> bool {
    match RecordColumn::parse(name) {
        Ok(RecordColumn::Metric(metric)) => metric.doc().needs == Needs::Reference,
        _ => false,
    }
}

/// Reads `[measure]`; every one of `criteria` is measured.
pub(super) fn measure<'c>(
    root: &SpecSection<'_>,
    criteria: impl Iterator<Item = &'c String>,
) -> Result<Measure, SpecError> {
    let mut measure = Measure {
        metrics: Vec::new(),
        schedule: SampleSchedule::Every(1),
        repetitions: 1,
        orders: None,
    };
    if let Some(item) = root.get("measure") {
        let section = SpecSection::of_item(root.document, "[measure]", item)?;
        section.allow(keys::MEASURE)?;
        measure.metrics = metrics(&section)?.unwrap_or_default();
        if let Some(item) = section.get("samples") {
            measure.schedule = schedule(&section, item)?;
        }
        if let Some(count) = section.count("repetitions", 1, 1000)? {
            measure.repetitions = u32::try_from(count).unwrap_or(1000);
        }
        measure.orders = orders(&section, &measure.metrics)?;
    }
    for name in criteria {
        if !measure.metrics.contains(name) {
            measure.metrics.push(name.clone());
        }
    }
    Ok(measure)
}

/// How many orders of the blocks the spreads among `metrics` are of.
fn orders(section: &SpecSection<'_>, metrics: &[String]) -> Result<Option<u32>, SpecError> {
    let spreads = [TraceQuantity::ImpulseSpread, TraceQuantity::VelocitySpread].map(|q| q.doc().id);
    let asked = metrics.iter().any(|name| spreads.contains(&name.as_str()));
    let count = section.count("orders", 2, 100)?;
    match (count, section.get("orders")) {
        (Some(_), Some(item)) if !asked => {
            let message = format!(
                "orders goes with {} among the metrics",
                spreads.join(" or ")
            );
            Err(section.error_at(item, message))
        }
        (count, _) => {
            let count = count.and_then(|count| u32::try_from(count).ok());
            Ok(asked.then(|| count.unwrap_or(ORDERS)))
        }
    }
}

fn schedule(section: &SpecSection<'_>, item: &Item<'_>) -> Result<SampleSchedule, SpecError> {
    let expected = "\"every\", { every = 10 } or { geometric = 1.05 }";
    match item.get_ref() {
        DeValue::String(text) if text == "every" => return Ok(SampleSchedule::Every(1)),
        DeValue::Table(_) => {}
        _ => return Err(wrong_type(section.document, "samples", expected, item)),
    }
    let own = SpecSection::of_item(section.document, "samples", item)?;
    own.allow(keys::SAMPLES)?;
    let every = own.count("every", 1, u64::MAX)?;
    let geometric = own.get("geometric").map(|item| (item, number(item)));
    match (every, geometric) {
        (Some(step), None) => Ok(SampleSchedule::Every(step)),
        (None, Some((_, Some(ratio)))) if ratio > 1.0 && ratio.is_finite() => {
            Ok(SampleSchedule::Geometric(ratio))
        }
        (None, Some((item, _))) => {
            let found = section.document.excerpt(item.span());
            let message = format!("geometric must be a finite number > 1, found {found}");
            Err(section.error_at(item, message))
        }
        _ => Err(wrong_type(section.document, "samples", expected, item)),
    }
}

/// Reads `[reference]`.
pub(super) fn reference(
    root: &SpecSection<'_>,
    context: &Context<'_>,
) -> Result<Option<ReferenceSource>, SpecError> {
    let Some(item) = root.get("reference") else {
        return Ok(None);
    };
    match item.get_ref() {
        DeValue::String(text) if text == "stored" => return Ok(Some(ReferenceSource::Stored)),
        DeValue::String(text) if text == "certified" => {
            return Ok(Some(ReferenceSource::Certified));
        }
        DeValue::Table(_) => {}
        _ => {
            let expected = "\"stored\", \"certified\" or a table with a solver";
            return Err(wrong_type(root.document, "reference", expected, item));
        }
    }
    let section = SpecSection::of_item(root.document, "[reference]", item)?;
    let entry = find_solver(&section, "solver", context)?;
    let axes = axes::read(&section, keys::REFERENCE, &entry.defaults)?;
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
    match entry.build(&parameters) {
        Ok(_) => {}
        // whoever reads results needs no reference again
        Err(error) if context.registry.reads_results() && is_absent(&error) => {}
        Err(error) => return Err(section.error(reason(&error))),
    }
    Ok(Some(ReferenceSource::Solver(ReferenceSolver {
        id: entry.descriptor.id.to_owned(),
        parameters,
        tolerance: section.positive("tolerance")?.unwrap_or(1e-12),
        max_sweeps: section
            .count("max_sweeps", 1, u64::MAX)?
            .unwrap_or(1_000_000),
    })))
}

//! The section `[simulate]` of a spec.

use delassus_metrics::Metric;
use toml::de::DeValue;

use crate::document::keys::{self, MOST_EVERY};
use crate::document::section::{Item, SpecSection, list, wrong_type};
use crate::document::text::SpecError;
use crate::motion::{Observable, Quantity};
use crate::record::FrameBudget;

use super::budget;

/// Length of a frame where the spec names none \[s\].
const DEFAULT_DT: f64 = 1.0 / 60.0;
/// Largest number of samples of one cell.
const MOST_SAMPLES: f64 = 1e6;
/// Largest number of frames of one cell.
const MOST_FRAMES: f64 = 1e8;

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

/// Stands for a `[simulate]` with an error: the length of a run is not known.
pub(super) const UNREAD: Simulate = Simulate {
    dt: DEFAULT_DT,
    seconds: f64::NAN,
    changes: Vec::new(),
    every: 1,
    observables: Vec::new(),
    repetitions: 1,
    budget: None,
};

/// The settings of a scheme whose runs have a length or a number of samples of their own.
pub(super) fn own_length(
    section: &SpecSection<'_>,
    simulate: &Simulate,
) -> Result<Simulate, SpecError> {
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
pub(super) fn affordable(simulate: &Simulate, dt: f64) -> Result<(), String> {
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
pub(super) fn simulate(root: &SpecSection<'_>, own: bool) -> Result<Simulate, SpecError> {
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
            if Metric::by_id(name).is_some() {
                message = format!(
                    "unknown observable {name:?}: it is a metric, measured of [[problem]]; \
                     `delassus list observables` has their names"
                );
            } else if unknown.nearest.is_none() {
                let ids = Quantity::ALL.iter().map(|quantity| quantity.doc().id);
                let of_bodies = ["x[1].y", "v[1].y", "w[1].z", "C[0].0"];
                let probes = of_bodies.into_iter().chain(["force[0].y", "force[0,1].y"]);
                let known = list(ids.chain(probes));
                message = format!("unknown observable {name:?}; known: {known}");
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

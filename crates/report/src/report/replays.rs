//! Recorded motion in a report: the page that plays it, and the strips.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use delassus_core::Status;
use delassus_records::disk;
use delassus_replay::page::{self, MOST_CELLS, PageCell, PageSeries};
use delassus_replay::strip::{self, StripRow};
use delassus_replay::{Replay, ReplayError};

use crate::bundle::Bundle;
use crate::figures::Width;
use crate::numbers::significant;
use crate::outputs::Outputs;
use crate::quantities::{on_axis, quantity};
use crate::record::CellRecord;
use crate::strips::StripSpec;
use crate::view::CellFilter as _;

use super::captions;
use super::files::{ReportError, file_name, put, put_bytes, put_picture};

/// The page that plays the recorded cells.
pub(crate) const PAGE: &str = "replay.html";
/// A strip of more bytes is in the page of the report as its picture in pixels \[B\].
const MOST_BYTES: usize = 250_000;

/// What the page of a report shows of recorded motion.
#[derive(Debug, Default)]
pub(crate) struct Motion<'a> {
    /// True if there is a page that plays it.
    pub(crate) page: bool,
    pub(crate) strips: Vec<DrawnStrip<'a>>,
}

/// A strip with its picture as a part of a page.
#[derive(Debug)]
pub(crate) struct DrawnStrip<'a> {
    pub(crate) spec: &'a StripSpec,
    /// File name without its ending.
    pub(crate) name: String,
    pub(crate) picture: String,
}

/// Writes `replay.html`, and `figures/<id>.svg` and `.png` of every strip; takes away the page of a
/// report before that has none now.
pub(crate) fn write<'a>(
    bundle: &Bundle,
    strips: &'a [StripSpec],
    replays: &BTreeMap<String, PathBuf>,
    dir: &mut Outputs<'_>,
) -> Result<Motion<'a>, ReportError> {
    if replays.is_empty() {
        let taken = dir.take_away(PAGE);
        taken.map_err(|source| ReportError::Write {
            path: dir.path(PAGE),
            source,
        })?;
        return Ok(Motion::default());
    }
    let recorded: Vec<(&CellRecord, &Path)> = bundle
        .records
        .iter()
        .filter_map(|record| Some((record, replays.get(&record.key)?.as_path())))
        .collect();
    play(bundle, &recorded, dir)?;
    let strips = strips.iter().map(|spec| still(spec, &recorded, dir));
    Ok(Motion {
        page: true,
        strips: strips.collect::<Result<_, _>>()?,
    })
}

/// A recorded motion as the page has it.
struct Recording {
    bytes: Vec<u8>,
    /// How it ended, unless it came to its end.
    ending: Option<String>,
}

/// The recordings that the page shows, and what it notes about them.
fn recordings(
    recorded: &[(&CellRecord, &Path)],
) -> Result<(Vec<Recording>, Vec<String>), ReportError> {
    let (mut recordings, mut notes) = (Vec::new(), Vec::new());
    for (record, path) in recorded.iter().take(MOST_CELLS) {
        let bytes = read(record, path)?;
        let replay = Replay::from_bytes(&bytes).map_err(|error| wrong(record, error))?;
        let thinned = replay.header.left_out;
        if thinned > 0 {
            notes.push(format!(
                "{}: the weakest contacts of its frames are left out, {thinned} in all.",
                name(record)
            ));
        }
        let ending = ending(record, replay.header.times.last().copied());
        recordings.push(Recording { bytes, ending });
        notes.extend(explained(record));
    }
    // those that are only named need not be read
    recordings.resize_with(recorded.len(), || Recording {
        bytes: Vec::new(),
        ending: None,
    });
    Ok((recordings, notes))
}

fn play(
    bundle: &Bundle,
    recorded: &[(&CellRecord, &Path)],
    dir: &mut Outputs<'_>,
) -> Result<(), ReportError> {
    let (recordings, mut notes) = recordings(recorded)?;
    let is_recorded = |record: &CellRecord| recorded.iter().any(|(own, _)| own.key == record.key);
    let others = bundle.records.iter().filter(|record| !is_recorded(record));
    notes.extend(others.filter_map(explained).take(MOST_CELLS));
    let observable = bundle.first_observable().unwrap_or_default();
    let courses: Vec<Course> = recorded
        .iter()
        .map(|(record, _)| Course::of(record, observable))
        .collect();
    let cells: Vec<PageCell<'_>> = recorded
        .iter()
        .zip(&recordings)
        .zip(&courses)
        .map(|(((record, _), recording), course)| PageCell {
            scene: &record.problem.name,
            method: record.method(),
            bytes: &recording.bytes,
            ending: recording.ending.as_deref(),
            series: Some(course.series()),
        })
        .collect();
    let text = page::render(&bundle.title, &cells, &notes);
    put(dir, PAGE, &text)
}

/// How a motion ended whose record says that it did not come to its end; `last` is the time of its
/// last frame \[s\].
fn ending(record: &CellRecord, last: Option<f64>) -> Option<String> {
    let status = record.outcome.status;
    if status == Status::Solved {
        return None;
    }
    let word = record.ending().replace('_', " ");
    Some(
        match (last.filter(|time| *time > 0.0), &record.outcome.message) {
            (Some(time), _) => format!("{word} after {} s", significant(time, 4)),
            (None, Some(message)) => format!("{word}: {message}"),
            (None, None) => word,
        },
    )
}

/// The note about a motion that did not come to its end, with the reason.
fn explained(record: &CellRecord) -> Option<String> {
    let ending = ending(record, None)?;
    Some(format!("{}: {ending}", name(record)))
}

/// Points of an observable on the page of replays \[-\].
const MOST_POINTS: usize = 300;

/// An observable of a run over time, with as many points as are seen.
struct Course {
    name: String,
    times: Vec<f64>,
    values: Vec<f64>,
}

impl Course {
    fn of(record: &CellRecord, id: &str) -> Self {
        let (times, values) = record.outcome.series(id);
        let finite = times
            .into_iter()
            .zip(values)
            .filter(|(_, value)| value.is_finite());
        let all: Vec<(f64, f64)> = finite.collect();
        let every = all.len().div_ceil(MOST_POINTS).max(1);
        let last = all.len().saturating_sub(1);
        let kept = all.into_iter().enumerate();
        let kept = kept.filter(|(index, _)| index.is_multiple_of(every) || *index == last);
        let (times, values) = kept.map(|(_, point)| point).unzip();
        Self {
            name: on_axis(&quantity(id)),
            times,
            values,
        }
    }

    fn series(&self) -> PageSeries<'_> {
        PageSeries {
            name: &self.name,
            times: &self.times,
            values: &self.values,
        }
    }
}

fn still<'a>(
    spec: &'a StripSpec,
    recorded: &[(&CellRecord, &Path)],
    dir: &mut Outputs<'_>,
) -> Result<DrawnStrip<'a>, ReportError> {
    let chosen = recorded
        .iter()
        .filter(|(record, _)| spec.selection().shows(record));
    let chosen: Vec<_> = chosen.take(strip::MOST_ROWS).collect();
    let mut replays = Vec::new();
    for (record, path) in &chosen {
        let bytes = read(record, path)?;
        replays.push(Replay::from_bytes(&bytes).map_err(|error| wrong(record, error))?);
    }
    let endings: Vec<Option<String>> = chosen
        .iter()
        .zip(&replays)
        .map(|((record, _), replay)| ending(record, replay.header.times.last().copied()))
        .collect();
    let rows: Vec<StripRow<'_>> = chosen
        .iter()
        .zip(&replays)
        .zip(&endings)
        .map(|(((record, _), replay), ending)| StripRow {
            scene: &record.problem.name,
            method: record.method(),
            replay,
            ending: ending.as_deref(),
        })
        .collect();
    let drawn = strip::draw(&spec.caption, &rows, &spec.settings());
    let drawn = drawn.map_err(|source| ReportError::Replay {
        cell: format!("strip {}", spec.id),
        source,
    })?;
    let name = file_name(&spec.id);
    put_picture(dir, &name, &drawn.svg, Width::Page)?;
    put_bytes(dir, &format!("figures/{name}.png"), &drawn.png)?;
    let names: Vec<String> = chosen.iter().map(|(r, _)| self::name(r)).collect();
    let tex = captions::strip(&spec.caption, &names, &name);
    put(dir, &format!("figures/{name}.tex"), &tex)?;
    let picture = if drawn.svg.len() <= MOST_BYTES {
        drawn.svg
    } else {
        page::picture(&drawn.png, &spec.caption)
    };
    Ok(DrawnStrip {
        spec,
        name,
        picture,
    })
}

fn read(record: &CellRecord, path: &Path) -> Result<Vec<u8>, ReportError> {
    disk::read(path).map_err(|error| wrong(record, ReplayError::Damaged(error.to_string())))
}

fn name(record: &CellRecord) -> String {
    format!("{} with {}", record.problem.name, record.method())
}

fn wrong(record: &CellRecord, source: ReplayError) -> ReportError {
    ReportError::Replay {
        cell: name(record),
        source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::trajectories;

    #[test]
    fn a_motion_that_was_stopped_says_how_and_when() {
        let mut record = trajectories().records.swap_remove(0);
        assert_eq!(ending(&record, Some(2.0)), None);
        assert_eq!(explained(&record), None);
        record.outcome.status = Status::Diverged;
        record.outcome.message = Some("frame 21: a body moves at 2.000e7 m/s".to_owned());
        let said = ending(&record, Some(0.35)).expect("an ending");
        assert_eq!(said, "diverged after 0.3500 s");
        let note = explained(&record).expect("a note");
        assert!(
            note.ends_with(": diverged: frame 21: a body moves at 2.000e7 m/s"),
            "{note}"
        );
        record.outcome.status = Status::Unsupported;
        record.outcome.message = Some("dantzig solves no cones".to_owned());
        let said = ending(&record, Some(0.0)).expect("an ending");
        assert_eq!(said, "unsupported: dantzig solves no cones");
        record.outcome.message = None;
        assert_eq!(ending(&record, None).as_deref(), Some("unsupported"));
    }
}

//! Recorded motion in a report: the page that plays it, and the strips.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use delassus_records::disk;
use delassus_replay::page::{self, MOST_CELLS, PageCell, PageSeries};
use delassus_replay::strip::{self, StripRow};
use delassus_replay::{Replay, ReplayError};

use crate::bundle::Bundle;
use crate::figures::Width;
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
    play(&bundle.title, &recorded, dir)?;
    let strips = strips.iter().map(|spec| still(spec, &recorded, dir));
    Ok(Motion {
        page: true,
        strips: strips.collect::<Result<_, _>>()?,
    })
}

fn play(
    title: &str,
    recorded: &[(&CellRecord, &Path)],
    dir: &mut Outputs<'_>,
) -> Result<(), ReportError> {
    let mut files = Vec::new();
    let mut notes = Vec::new();
    for (index, (record, path)) in recorded.iter().enumerate() {
        // those that are only named need not be read
        let shown = index < MOST_CELLS;
        let bytes = if shown {
            read(record, path)?
        } else {
            Vec::new()
        };
        if shown {
            let replay = Replay::from_bytes(&bytes).map_err(|error| wrong(record, error))?;
            let thinned = replay.header.left_out;
            if thinned > 0 {
                notes.push(format!(
                    "{}: the weakest contacts of its frames are left out, {thinned} in all.",
                    name(record)
                ));
            }
        }
        files.push(bytes);
    }
    let courses: Vec<Course> = recorded
        .iter()
        .map(|(record, _)| Course::of(record))
        .collect();
    let cells: Vec<PageCell<'_>> = recorded
        .iter()
        .zip(&files)
        .zip(&courses)
        .map(|(((record, _), bytes), course)| PageCell {
            scene: &record.problem.name,
            method: record.method(),
            bytes,
            series: Some(course.series()),
        })
        .collect();
    let text = page::render(title, &cells, &notes);
    put(dir, PAGE, &text)
}

/// Points of an observable on the page of replays \[-\].
const MOST_POINTS: usize = 300;

/// The first observable of a run over time, with as many points as are seen.
struct Course {
    name: String,
    times: Vec<f64>,
    values: Vec<f64>,
}

impl Course {
    fn of(record: &CellRecord) -> Self {
        let id = record.outcome.metrics.first().map_or("", String::as_str);
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
    let rows: Vec<StripRow<'_>> = chosen
        .iter()
        .zip(&replays)
        .map(|((record, _), replay)| StripRow {
            scene: &record.problem.name,
            method: record.method(),
            replay,
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

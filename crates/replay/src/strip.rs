//! A strip of stills: frames of recorded motion from left to right, one row per cell, as SVG and
//! PNG.
//!
//! Bodies are convex solids with flat shading in a parallel projection, painted from the farthest
//! to the nearest; see `order`. Balls are discs.

mod camera;
mod canvas;
mod order;
mod pixels;
mod scene;
mod settings;
mod svg;

use crate::colour::{ColourBy, viridis};
use crate::{Replay, ReplayError};
use canvas::{Anchor, Canvas};
use scene::{Still, camera};
pub use settings::{StillTimes, StripSettings};

/// One row.
#[derive(Debug, Clone, Copy)]
pub struct StripRow<'r> {
    /// Name of the scene.
    pub scene: &'r str,
    /// Name of what stepped it.
    pub method: &'r str,
    /// What was recorded.
    pub replay: &'r Replay,
    /// How the motion ended that did not come to its end, as "diverged after 0.35 s". Such a motion
    /// sets the scales of colours and arrows only where all rows are such.
    pub ending: Option<&'r str>,
}

/// A strip as a file of each kind.
#[derive(Debug, Clone, PartialEq)]
pub struct Strip {
    /// With text as text.
    pub svg: String,
    /// In pixels, two per unit of the SVG.
    pub png: Vec<u8>,
}

/// Rows of a strip \[-\].
pub const MOST_ROWS: usize = 12;
/// Width of a strip \[px\].
const WIDTH: f64 = 1000.0;
const MARGIN: f64 = 12.0;
const GAP: f64 = 6.0;
/// Height of a line of text \[px\].
const LINE: f64 = 17.0;
const TEXT: f64 = 12.5;
/// Largest and smallest height of a still over its width \[-\].
const TALL: [f64; 2] = [0.35, 1.6];

/// Draws a strip; equal rows give equal bytes.
///
/// # Errors
/// [`ReplayError::Draw`] for a picture that is too large to hold.
pub fn draw(
    title: &str,
    rows: &[StripRow<'_>],
    settings: &StripSettings,
) -> Result<Strip, ReplayError> {
    let chosen: Vec<Vec<usize>> = rows
        .iter()
        .map(|row| moments(row.replay, &settings.moments))
        .collect();
    let columns = chosen.iter().map(Vec::len).max().unwrap_or(0).max(1);
    let width = (WIDTH - 2.0 * MARGIN - GAP * real(columns - 1)) / real(columns);
    let quantity = settings.quantity;
    let stills = rows.iter().zip(&chosen).map(|(row, frames)| {
        let still = |frame: &usize| Still::new(row.replay, *frame, quantity);
        frames.iter().map(still).collect()
    });
    let stills: Vec<Vec<Still<'_>>> = stills.collect();
    let framing = stills.iter().zip(rows).filter(|(_, row)| frames(rows, row));
    let framing = framing.flat_map(|(stills, _)| stills);
    let camera = camera(framing, settings.view, width, TALL);
    let tall = camera.height;
    let top = largest(rows, |row| {
        let own = stills[row].iter().map(Still::largest);
        own.fold(0.0, f64::max)
    });
    let strongest = largest(rows, |row| rows[row].replay.header.impulse.top);
    let row_height = LINE + tall + LINE + GAP;
    let height = 2.0 * MARGIN + row_height * real(rows.len()) + 3.0 * LINE;
    let mut canvas = Canvas::new(WIDTH, height, title);
    for (index, (row, stills)) in rows.iter().zip(&stills).enumerate() {
        let y = MARGIN + row_height * real(index);
        let ending = row.ending.map_or_else(String::new, |e| format!("   {e}"));
        let label = format!("{}   {}{ending}", row.method, row.scene);
        canvas.text([MARGIN, y + TEXT], TEXT, Anchor::Start, &label);
        for (column, still) in stills.iter().enumerate() {
            let corner = [MARGIN + (width + GAP) * real(column), y + LINE + 2.0];
            canvas.clip(Some([corner[0], corner[1], width, tall]));
            still.paint(&camera, corner, top, strongest, settings, &mut canvas);
            canvas.clip(None);
            let time = match still.gone() {
                0 => format!("{:.2} s", still.time()),
                gone => format!("{:.2} s, {gone} out of view", still.time()),
            };
            let middle = [corner[0] + 0.5 * width, corner[1] + tall + TEXT + 1.0];
            canvas.text(middle, 0.9 * TEXT, Anchor::Middle, &time);
        }
    }
    if rows.is_empty() {
        let text = "no recorded cell is chosen";
        canvas.text([MARGIN, MARGIN + TEXT], TEXT, Anchor::Start, text);
    } else {
        let y = height - MARGIN - 2.2 * LINE;
        legend(&mut canvas, y, settings, top, strongest, whose(rows));
    }
    Ok(Strip {
        svg: svg::render(&canvas),
        png: pixels::render(&canvas)?,
    })
}

/// The largest value of the rows that came to their end; the smallest of the others where none
/// did.
fn largest(rows: &[StripRow<'_>], value: impl Fn(usize) -> f64) -> f64 {
    let ended = |row: &usize| rows[*row].ending.is_none();
    let all = 0..rows.len();
    match all.clone().filter(ended).map(&value).reduce(f64::max) {
        Some(most) => most,
        None => all.map(&value).reduce(f64::min).unwrap_or(0.0),
    }
}

/// True if the view has to show what the motion of a row passes: it came to its end, or no motion
/// of its scene did.
fn frames(rows: &[StripRow<'_>], row: &StripRow<'_>) -> bool {
    let mut scene = rows.iter().filter(|other| other.scene == row.scene);
    row.ending.is_none() || scene.all(|other| other.ending.is_some())
}

/// Said behind the name of the scale where some rows take no part in it.
fn whose(rows: &[StripRow<'_>]) -> &'static str {
    let stopped = rows.iter().filter(|row| row.ending.is_some()).count();
    match stopped > 0 && stopped < rows.len() {
        true => ", scale of the motions that came to their end",
        false => "",
    }
}

/// The frames of a row.
fn moments(replay: &Replay, moments: &StillTimes) -> Vec<usize> {
    let times = &replay.header.times;
    let (Some(first), Some(last)) = (times.first(), times.last()) else {
        return Vec::new();
    };
    let at: Vec<f64> = match moments {
        StillTimes::Times(times) => times.clone(),
        StillTimes::Count(1) => vec![*last],
        StillTimes::Count(count) => {
            let share = |i: u32| f64::from(i) / f64::from(count - 1);
            (0..*count)
                .map(|i| first + (last - first) * share(i))
                .collect()
        }
    };
    at.iter().filter_map(|time| replay.nearest(*time)).collect()
}

/// The scale of colours with its unit and ticks.
fn legend(
    canvas: &mut Canvas,
    y: f64,
    settings: &StripSettings,
    top: f64,
    strongest: f64,
    whose: &str,
) {
    let (x, width, height) = (MARGIN, 260.0, 10.0);
    let quantity = settings.quantity;
    let label = format!("{}{whose}", quantity.label());
    canvas.text([x, y], 0.9 * TEXT, Anchor::Start, &label);
    let steps = 64;
    for step in 0..steps {
        let share = |i: i32| f64::from(i) / f64::from(steps);
        let (left, right) = (x + width * share(step), x + width * share(step + 1) + 0.3);
        let corners = [
            [left, y + 5.0],
            [right, y + 5.0],
            [right, y + 5.0 + height],
            [left, y + 5.0 + height],
        ];
        canvas.polygon(
            corners.to_vec(),
            viridis(share(step) + 0.5 / f64::from(steps)),
            None,
        );
    }
    for (share, text) in ticks(quantity, top) {
        let anchor = match share {
            0.0 => Anchor::Start,
            1.0 => Anchor::End,
            _ => Anchor::Middle,
        };
        let below = [x + share * width, y + 6.0 + height + TEXT];
        canvas.text(below, 0.85 * TEXT, anchor, &text);
    }
    if settings.contacts && strongest > 0.0 {
        let text = format!(
            "arrows: contact impulses of a substep, the longest {} N·s",
            number(strongest)
        );
        let right = [x + width + 40.0, y + 5.0 + height];
        canvas.text(right, 0.9 * TEXT, Anchor::Start, &text);
    }
}

/// Places and texts of the ticks of a scale that ends at `top`.
fn ticks(quantity: ColourBy, top: f64) -> Vec<(f64, String)> {
    if top <= 0.0 {
        return vec![(0.0, "0".to_owned())];
    }
    if !quantity.is_logarithmic() {
        let tick = |share| (share, number(share * top));
        return [0.0, 0.5, 1.0].map(tick).into();
    }
    let decades = quantity.decades();
    let tick = |k: u8| {
        let share = f64::from(k) / f64::from(decades);
        let value = number(top * libm::exp10(f64::from(k) - f64::from(decades)));
        match k {
            0 => (share, format!("≤ {value}")),
            _ => (share, value),
        }
    };
    // of many decades every second has room
    let written = |k: &u8| decades < 4 || k.is_multiple_of(2) || *k == decades;
    (0..=decades).filter(written).map(tick).collect()
}

/// Three digits.
fn number(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    if !(1e-3..1e4).contains(&value.abs()) {
        return format!("{value:.1e}");
    }
    let decimals = [1000.0, 100.0, 10.0, 1.0, 0.1, 0.01]
        .iter()
        .position(|p| value.abs() >= *p);
    let decimals = decimals.map_or(5, |p| p.saturating_sub(1));
    let text = format!("{value:.decimals$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of rows and columns")]
fn real(count: usize) -> f64 {
    count as f64
}

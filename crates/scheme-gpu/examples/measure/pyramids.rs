//! Fields of pyramids of boxes, to a hundred thousand bodies, which several sections measure.

use std::error::Error;
use std::time::Instant;

use delassus_dynamics::{StepError, World};
use serde_json::json;

use crate::page::{Section, refused, row};

/// Pyramids of 55 boxes along one edge of the field.
const EDGES: [usize; 5] = [1, 4, 13, 25, 43];
/// Boxes of a pyramid \[-\].
const BOXES: usize = 55;
/// Time step \[s\].
pub(crate) const DT: f64 = 1.0 / 60.0;

/// A row per field of at most `largest` boxes: the number of bodies and the cells that `measure`
/// returns, or what the device does not hold. A field takes about seven times as long as the one
/// before it, the first seven times `seconds`.
pub(crate) fn rows(
    section: &Section,
    largest: usize,
    seconds: f64,
    mut measure: impl FnMut(World) -> Result<Vec<String>, Box<dyn Error>>,
) -> Result<(), Box<dyn Error>> {
    let mut last = seconds;
    for edge in EDGES {
        let bodies = BOXES * edge * edge;
        let shown = bodies.to_string();
        if bodies > largest || !section.fits(&shown, 7.0 * last) {
            continue;
        }
        let start = Instant::now();
        let given = json!({ "rows": edge, "columns": edge });
        let given = given.as_object().ok_or("an object")?;
        let world = delassus_scenes::build("many-pyramids", given)?;
        match measure(world) {
            Ok(cells) => row(&[vec![shown], cells].concat()),
            Err(error) => match *error.downcast::<StepError>()? {
                StepError::Solve(error) => refused(&shown, error)?,
                error => return Err(error.into()),
            },
        }
        last = start.elapsed().as_secs_f64();
    }
    Ok(())
}

pub(crate) fn milliseconds(seconds: f64) -> String {
    format!("{:.2}", 1e3 * seconds)
}

/// A time by the clock of the device, which some devices do not have.
pub(crate) fn clock(seconds: Option<f64>) -> String {
    seconds.map_or("no clock".to_owned(), milliseconds)
}

pub(crate) fn megabytes(bytes: u64) -> String {
    format!("{:.2}", bytes as f64 / 1e6)
}

/// The smaller of two times by the clock of the device.
pub(crate) fn least(before: Option<f64>, now: Option<f64>) -> Option<f64> {
    match (before, now) {
        (Some(a), Some(b)) => Some(a.min(b)),
        _ => before.or(now),
    }
}

//! `delassus export --worst`: the frame in which an observable is worst.

use std::sync::atomic::AtomicBool;

use delassus_core::Status;

use super::request::Request;
use crate::cli::failure::Failure;
use crate::cli::output::printable;
use crate::progress::{Meter, Style};
use crate::simulate::{Leg, Observable, ObservedRun, Simulation, resolved, simulate};

/// The last frame that is looked at unless the request names one \[-\]: 5 s of 60 frames per
/// second.
pub(super) const LAST: u32 = 299;

/// The frame of a run at whose end an observable is largest in magnitude.
pub(super) struct WorstFrame {
    /// The frame, counted from 0.
    pub(super) frame: u32,
    /// Identifier of the observable.
    pub(super) observable: String,
    /// Its value at the end of the frame.
    pub(super) value: f64,
    /// The last frame that was looked at.
    last: u32,
}

impl WorstFrame {
    /// Runs the scene to the end of frame `last` and looks at the end of each frame; of equal
    /// values the first counts.
    pub(super) fn find(
        request: &Request,
        name: &str,
        last: u32,
        cancel: &AtomicBool,
    ) -> Result<Self, Failure> {
        let observable = Observable::parse(name).map_err(|error| {
            let error = printable(&error.to_string());
            Failure::request(format!("--worst: {error}"))
        })?;
        resolved(&request.world, &observable)
            .map_err(|missing| Failure::request(printable(&format!("--worst: {missing}"))))?;
        let frames = last.saturating_add(1);
        let run = run(request, observable, frames, cancel)?;
        let values = run
            .samples
            .iter()
            .map(|sample| sample.values.first().copied().flatten());
        let ends = run.moments.iter().zip(values);
        // the start belongs to no frame
        let ends = ends.filter_map(|(moment, value)| Some((moment.frame.checked_sub(1)?, value?)));
        let worst = ends.filter(|(_, value)| value.is_finite());
        let worst = worst.reduce(|most, next| match next.1.abs() > most.1.abs() {
            true => next,
            false => most,
        });
        let Some((frame, value)) = worst else {
            let why = match (run.message, observable) {
                (Some(message), _) => format!(": {message}"),
                (None, Observable::Quantity(quantity)) => {
                    format!("; it applies to {}", quantity.doc().applies)
                }
                (None, _) => String::new(),
            };
            return Err(Failure::request(format!(
                "--worst {name}: has no value in {frames} frames{why}"
            )));
        };
        Ok(Self {
            frame: u32::try_from(frame).unwrap_or(last),
            observable: observable.id(),
            value,
            last,
        })
    }

    /// The frame in words.
    pub(super) fn words(&self) -> String {
        let Self {
            frame,
            observable,
            value,
            last,
        } = self;
        format!(
            "of frames 0 to {last}, {observable} is largest at the end of frame {frame}: {value:e}"
        )
    }
}

/// Runs the scene over so many frames, with the observable after each.
fn run(
    request: &Request,
    observable: Observable,
    frames: u32,
    cancel: &AtomicBool,
) -> Result<ObservedRun, Failure> {
    // says that it goes on, as no frame is written yet
    let meter = Meter::new(Style::detect(false));
    meter.begin(1);
    meter.start(&printable(&format!("the worst frame of {}", request.stem)));
    let run = simulate(
        &Simulation {
            world: &request.world,
            scheme: &|| request.scheme(),
            legs: &[Leg {
                dt: request.dt,
                frames,
            }],
            every: 1,
            observables: &[observable],
            repetitions: 0,
            max_seconds: None,
        },
        cancel,
    );
    meter.end();
    if run.status == Status::Cancelled {
        let done = run.frames;
        return Err(Failure::Interrupted(format!(
            "interrupted: {done} of {frames} frames looked at"
        )));
    }
    Ok(run)
}

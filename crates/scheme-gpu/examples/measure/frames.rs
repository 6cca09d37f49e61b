//! Frames that stay on the device: pyramids of boxes, to a hundred thousand bodies.

use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

use delassus_core::SolveError;
use delassus_dynamics::{PositionScheme, Scheme, StepError};
use delassus_scheme_gpu::{GpuSoftStep, GpuSoftStepParameters};
use delassus_solver_gpu::Device;
use serde_json::json;

use crate::awake::Awake;
use crate::page::{Section, refused, row};

/// Pyramids of 55 boxes along one edge of the field.
pub(crate) const EDGES: [usize; 5] = [1, 4, 13, 25, 43];
/// Boxes of a pyramid \[-\].
pub(crate) const BOXES: usize = 55;
/// Frames, of which the fastest counts \[-\]; the first has buffers to make.
const FRAMES: usize = 6;
/// Time step \[s\].
pub(crate) const DT: f64 = 1.0 / 60.0;

/// What a frame takes.
struct Frame {
    rows: usize,
    /// On the device \[s\]; `None` without time stamps.
    own: Option<f64>,
    /// The whole step \[s\].
    step: f64,
    uploaded: u64,
}

/// The table of frames.
pub(crate) fn frames(
    device: &Arc<Device>,
    largest: usize,
    section: Section,
) -> Result<(), Box<dyn Error>> {
    section.columns(
        "`gpu-soft-step` with its defaults on pyramids of boxes side by side. The step has collision and packing on the processor, upload, \
         frame and readback. Meanwhile copies keep a card from its rest.",
        &["bodies", "rows", "frame on the device, ms", "step, ms", "MB up"],
    );
    let mut last = 0.2;
    for edge in EDGES
        .into_iter()
        .filter(|edge| BOXES * edge * edge <= largest)
    {
        let bodies = (BOXES * edge * edge).to_string();
        if !section.fits(&bodies, 7.0 * last) {
            continue;
        }
        let start = Instant::now();
        match measure(device, edge)? {
            Ok(frame) => row(&[
                bodies,
                frame.rows.to_string(),
                frame
                    .own
                    .map_or("no clock".to_owned(), |s| format!("{:.2}", 1e3 * s)),
                format!("{:.2}", 1e3 * frame.step),
                format!("{:.2}", frame.uploaded as f64 / 1e6),
            ]),
            Err(error) => refused(&bodies, error)?,
        }
        last = start.elapsed().as_secs_f64();
    }
    Ok(())
}

/// The fastest of some frames, or what the device does not hold.
fn measure(device: &Arc<Device>, edge: usize) -> Result<Result<Frame, SolveError>, Box<dyn Error>> {
    let given = json!({ "rows": edge, "columns": edge });
    let given = given.as_object().ok_or("an object")?;
    let mut world = delassus_scenes::build("many-pyramids", given)?;
    let mut scheme = GpuSoftStep::new(GpuSoftStepParameters::default())?;
    let mut frame = Frame {
        rows: 0,
        own: None,
        step: f64::INFINITY,
        uploaded: 0,
    };
    let _awake = Awake::new(device);
    for _ in 0..FRAMES {
        let start = Instant::now();
        let report = match scheme.step(&mut world, DT, &mut ()) {
            Ok(report) => report,
            Err(StepError::Solve(error)) => return Ok(Err(error)),
            Err(error) => return Err(error.into()),
        };
        frame.step = frame.step.min(start.elapsed().as_secs_f64());
        if let Some(seconds) = scheme.device_seconds()? {
            frame.own = Some(frame.own.map_or(seconds, |least| least.min(seconds)));
        }
        frame.rows = report.rows;
        frame.uploaded = scheme.uploaded();
    }
    Ok(Ok(frame))
}

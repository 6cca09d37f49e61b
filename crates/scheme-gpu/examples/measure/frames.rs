//! Frames that stay on the device: pyramids of boxes, to a hundred thousand bodies.

use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

use delassus_dynamics::{PositionScheme, Scheme, World};
use delassus_scheme_gpu::{GpuSoftStep, GpuSoftStepParameters};
use delassus_solver_gpu::Device;

use crate::awake::Awake;
use crate::page::Section;
use crate::pyramids::{DT, clock, least, megabytes, milliseconds, rows};

/// Frames, of which the fastest counts \[-\]; the first has buffers to make.
const FRAMES: usize = 6;

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
    rows(&section, largest, 0.2, |mut world| {
        let frame = measure(device, &mut world)?;
        Ok(vec![
            frame.rows.to_string(),
            clock(frame.own),
            milliseconds(frame.step),
            megabytes(frame.uploaded),
        ])
    })
}

/// The fastest of some frames.
fn measure(device: &Arc<Device>, world: &mut World) -> Result<Frame, Box<dyn Error>> {
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
        let report = scheme.step(world, DT, &mut ())?;
        frame.step = frame.step.min(start.elapsed().as_secs_f64());
        frame.own = least(frame.own, scheme.device_seconds()?);
        frame.rows = report.rows;
        frame.uploaded = scheme.uploaded();
    }
    Ok(frame)
}

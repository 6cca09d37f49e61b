//! Frames whose bodies stay on the device, with poses read every tenth: pyramids of boxes, to a
//! hundred thousand bodies.

use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

use delassus_core::SolveError;
use delassus_dynamics::{PositionScheme, StepError};
use delassus_scheme_gpu::{BodyReads, CollisionPlace, GpuSoftStep, GpuSoftStepParameters};
use delassus_solver_gpu::Device;
use delassus_solver_gpu::staging::transfers;
use serde_json::json;

use crate::awake::wake;
use crate::frames::{BOXES, DT, EDGES};
use crate::page::{Section, refused, row};

/// Frames between two reads \[-\].
const FRAMES: u32 = 10;
/// Reads, of which the fastest counts \[-\].
const READS: usize = 5;

/// What ten frames and a read take.
#[derive(Debug, Clone, Copy)]
struct Stayed {
    /// The last frame with its search on the device \[s\]; `None` without time stamps.
    own: Option<f64>,
    /// Ten frames with their read \[s\].
    all: f64,
    /// Bytes of a read of ten frames, up and down.
    bytes: [u64; 2],
}

/// The table of bodies that stay.
pub(crate) fn stays(
    device: &Arc<Device>,
    largest: usize,
    section: Section,
) -> Result<(), Box<dyn Error>> {
    section.columns(
        "The same pyramids by `advance`: bodies stay on the device, and poses come down after every tenth frame. The device's time is that of one frame \
         with its search; a frame is a tenth of ten frames with their read. The ratio is what the host and the bus add. Bytes are those of ten frames.",
        &[
            "bodies",
            "search and frame on the device, ms",
            "frame, ms",
            "ratio",
            "MB up",
            "MB down",
        ],
    );
    let mut last = 0.4;
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
            Ok(Stayed { own, all, bytes }) => {
                let frame = all / f64::from(FRAMES);
                let mega = |bytes: u64| format!("{:.3}", bytes as f64 / 1e6);
                let none = || "no clock".to_owned();
                row(&[
                    bodies,
                    own.map_or_else(none, |own| format!("{:.2}", 1e3 * own)),
                    format!("{:.2}", 1e3 * frame),
                    own.map_or_else(none, |own| format!("{:.2}", frame / own)),
                    mega(bytes[0]),
                    mega(bytes[1]),
                ]);
            }
            Err(error) => refused(&bodies, error)?,
        }
        last = start.elapsed().as_secs_f64();
    }
    Ok(())
}

fn measure(
    device: &Arc<Device>,
    edge: usize,
) -> Result<Result<Stayed, SolveError>, Box<dyn Error>> {
    let given = json!({ "rows": edge, "columns": edge });
    let given = given.as_object().ok_or("an object")?;
    let mut world = delassus_scenes::build("many-pyramids", given)?;
    let mut scheme = GpuSoftStep::new(GpuSoftStepParameters {
        collision: CollisionPlace::Resident,
        ..GpuSoftStepParameters::default()
    })?;
    let mut stayed = Stayed {
        own: None,
        all: f64::INFINITY,
        bytes: [0; 2],
    };
    // the first read has buffers to make, and a world to take up
    for _ in 0..=READS {
        wake(device)?;
        let before = transfers(device)?;
        let start = Instant::now();
        match scheme.advance(&mut world, DT, FRAMES, BodyReads::Poses) {
            Ok(_) => {}
            Err(StepError::Solve(error)) => return Ok(Err(error)),
            Err(error) => return Err(error.into()),
        }
        stayed.all = stayed.all.min(start.elapsed().as_secs_f64());
        stayed.bytes = transfers(device)?.since(&before).bytes;
        let parts = [scheme.collision_seconds()?, scheme.device_seconds()?];
        if let [Some(search), Some(frame)] = parts {
            let own = search + frame;
            stayed.own = Some(stayed.own.map_or(own, |least| least.min(own)));
        }
    }
    Ok(Ok(stayed))
}

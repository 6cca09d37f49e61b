//! Frames whose bodies stay on the device, with poses read every tenth: pyramids of boxes, to a
//! hundred thousand bodies.

use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

use delassus_dynamics::{PositionScheme, World};
use delassus_scheme_gpu::{BodyReads, CollisionPlace, GpuSoftStep, GpuSoftStepParameters};
use delassus_solver_gpu::staging::transfers;
use delassus_solver_gpu::{Device, ManifoldLayout};

use crate::awake::wake;
use crate::page::Section;
use crate::pyramids::{DT, clock, least, milliseconds, rows};

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
            "layout",
            "search and frame on the device, ms",
            "frame, ms",
            "ratio",
            "MB up",
            "MB down",
        ],
    );
    rows(&section, largest, 0.4, |world| {
        row_of(device, world, ManifoldLayout::Manifolds)
    })?;
    rows(&section, largest, 0.4, |world| {
        row_of(device, world, ManifoldLayout::Tiles)
    })
}

fn row_of(
    device: &Arc<Device>,
    mut world: World,
    layout: ManifoldLayout,
) -> Result<Vec<String>, Box<dyn Error>> {
    let Stayed { own, all, bytes } = measure(device, &mut world, layout)?;
    let frame = all / f64::from(FRAMES);
    let [up, down] = bytes.map(|bytes| format!("{:.3}", bytes as f64 / 1e6));
    let ratio = own.map_or("no clock".to_owned(), |own| format!("{:.2}", frame / own));
    let layout = layout.to_string();
    Ok(vec![
        layout,
        clock(own),
        milliseconds(frame),
        ratio,
        up,
        down,
    ])
}

fn measure(
    device: &Arc<Device>,
    world: &mut World,
    layout: ManifoldLayout,
) -> Result<Stayed, Box<dyn Error>> {
    let mut scheme = GpuSoftStep::new(GpuSoftStepParameters {
        collision: CollisionPlace::Resident,
        layout,
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
        scheme.advance(world, DT, FRAMES, BodyReads::Poses)?;
        stayed.all = stayed.all.min(start.elapsed().as_secs_f64());
        stayed.bytes = transfers(device)?.since(&before).bytes;
        let parts = [scheme.collision_seconds()?, scheme.device_seconds()?];
        if let [Some(search), Some(frame)] = parts {
            stayed.own = least(stayed.own, Some(search + frame));
        }
    }
    Ok(stayed)
}

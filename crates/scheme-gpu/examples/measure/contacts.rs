//! Contacts that the device finds, beside those of the processor: pyramids of boxes, to a hundred
//! thousand bodies.

use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

use delassus_core::SolveError;
use delassus_dynamics::{PositionScheme, Scheme, StepError, World};
use delassus_scheme_gpu::{CollisionPlace, GpuSoftStep, GpuSoftStepParameters};
use delassus_solver_gpu::Device;

use crate::awake::Awake;
use crate::page::Section;
use crate::pyramids::{DT, clock, least, megabytes, milliseconds, rows};

/// Frames, of which the fastest counts \[-\]; the first has buffers to make, and kernels.
const FRAMES: usize = 4;

/// What a frame takes, in seconds.
#[derive(Debug, Clone, Copy)]
struct Times {
    /// The search and the frame on the device; `None` without time stamps.
    search: Option<f64>,
    frame: Option<f64>,
    /// The whole step.
    step: f64,
    /// Bytes, without those of a search.
    uploaded: u64,
}

/// The table of contacts.
pub(crate) fn contacts(
    device: &Arc<Device>,
    largest: usize,
    section: Section,
) -> Result<(), Box<dyn Error>> {
    section.columns(
        "The same pyramids, contacts found on the processor (`collision = \"host\"`), on the device (`\"device\"`), and rows packed there, too \
         (`\"resident\"`, with its contacts read for the world and with `read_contacts = false`). Search and frame on the device are by its clock: \
         cells, pairs and manifolds, then rows and substeps. The search of the processor is what a world takes to find its contacts once more. Steps have \
         all that a frame needs.",
        &[
            "bodies",
            "manifolds",
            "search on the device, ms",
            "search of the processor, ms",
            "resident frame on the device, ms",
            "step, resident, contacts left, ms",
            "step, resident, ms",
            "step, device, ms",
            "step, host, ms",
            "MB up, resident",
        ],
    );
    rows(&section, largest, 0.4, |world| {
        let _awake = Awake::new(device);
        let (manifolds, search, [left, resident, on_device, on_host]) = measure(&world)?;
        Ok(vec![
            manifolds.to_string(),
            clock(on_device.search),
            milliseconds(search),
            clock(left.frame),
            milliseconds(left.step),
            milliseconds(resident.step),
            milliseconds(on_device.step),
            milliseconds(on_host.step),
            megabytes(left.uploaded),
        ])
    })
}

/// Manifolds, the search of the processor \[s\], and a frame in the ways of [`WAYS`].
type Measured = (usize, f64, [Times; 4]);

/// Who finds contacts, and whether they are read.
const WAYS: [(CollisionPlace, bool); 4] = [
    (CollisionPlace::Resident, false),
    (CollisionPlace::Resident, true),
    (CollisionPlace::Device, true),
    (CollisionPlace::Host, true),
];

fn measure(start: &World) -> Result<Measured, Box<dyn Error>> {
    let mut all = Vec::new();
    let mut last = None;
    for way in WAYS {
        let mut world = start.clone();
        all.push(fastest(way, &mut world)?);
        last = Some(world);
    }
    let (Ok(all), Some(mut world)) = (<[Times; 4]>::try_from(all), last) else {
        return Err("four runs".into());
    };
    let mut search = f64::INFINITY;
    for _ in 0..FRAMES {
        let begin = Instant::now();
        let found: Result<(), StepError> = world.with_contacts(|_| Ok(()));
        found?;
        search = search.min(begin.elapsed().as_secs_f64());
    }
    Ok((world.manifolds().len(), search, all))
}

fn fastest(
    (collision, read_contacts): (CollisionPlace, bool),
    world: &mut World,
) -> Result<Times, StepError> {
    let parameters = GpuSoftStepParameters {
        collision,
        read_contacts,
        ..GpuSoftStepParameters::default()
    };
    let mut scheme = GpuSoftStep::new(parameters).map_err(delassus_dynamics::SchemeError::from)?;
    let mut times = Times {
        search: None,
        frame: None,
        step: f64::INFINITY,
        uploaded: 0,
    };
    for _ in 0..FRAMES {
        let begin = Instant::now();
        scheme.step(world, DT, &mut ())?;
        times.step = times.step.min(begin.elapsed().as_secs_f64());
        let search = scheme.collision_seconds().map_err(SolveError::Device)?;
        times.search = least(times.search, search);
        let frame = scheme.device_seconds().map_err(SolveError::Device)?;
        times.frame = least(times.frame, frame);
        times.uploaded = scheme.uploaded();
    }
    Ok(times)
}

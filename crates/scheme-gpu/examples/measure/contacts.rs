//! Contacts that the device finds, beside those of the processor: pyramids of boxes, to a hundred
//! thousand bodies.

use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

use delassus_core::SolveError;
use delassus_dynamics::{PositionScheme, Scheme, StepError, World};
use delassus_scheme_gpu::{CollisionPlace, GpuSoftStep, GpuSoftStepParameters};
use delassus_solver_gpu::Device;
use serde_json::json;

use crate::awake::Awake;
use crate::frames::{BOXES, DT, EDGES};
use crate::page::{Section, refused, row};

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
        let _awake = Awake::new(device);
        match measure(edge)? {
            Ok((manifolds, search, [left, resident, on_device, on_host])) => row(&[
                bodies,
                manifolds.to_string(),
                clock(on_device.search),
                milliseconds(search),
                clock(left.frame),
                milliseconds(left.step),
                milliseconds(resident.step),
                milliseconds(on_device.step),
                milliseconds(on_host.step),
                format!("{:.2}", left.uploaded as f64 / 1e6),
            ]),
            Err(error) => refused(&bodies, error)?,
        }
        last = start.elapsed().as_secs_f64();
    }
    Ok(())
}

fn milliseconds(seconds: f64) -> String {
    format!("{:.2}", 1e3 * seconds)
}

fn clock(seconds: Option<f64>) -> String {
    seconds.map_or("no clock".to_owned(), milliseconds)
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

fn measure(edge: usize) -> Result<Result<Measured, SolveError>, Box<dyn Error>> {
    let given = json!({ "rows": edge, "columns": edge });
    let given = given.as_object().ok_or("an object")?;
    let start = delassus_scenes::build("many-pyramids", given)?;
    let mut all = Vec::new();
    let mut last = None;
    for way in WAYS {
        let mut world = start.clone();
        match fastest(way, &mut world) {
            Ok(times) => all.push(times),
            Err(StepError::Solve(error)) => return Ok(Err(error)),
            Err(error) => return Err(error.into()),
        }
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
    Ok(Ok((world.manifolds().len(), search, all)))
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
    let least = |before: Option<f64>, now: Option<f64>| match (before, now) {
        (Some(a), Some(b)) => Some(a.min(b)),
        _ => before.or(now),
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

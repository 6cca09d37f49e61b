//! Contacts that the device finds, beside those of the processor: pyramids of boxes, to a hundred thousand bodies.

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
    /// The search on the device; `None` without time stamps.
    own: Option<f64>,
    /// The whole step.
    step: f64,
}

/// The table of contacts.
pub(crate) fn contacts(
    device: &Arc<Device>,
    largest: usize,
    section: Section,
) -> Result<(), Box<dyn Error>> {
    section.columns(
        "The same pyramids, contacts found on the processor (`collision = \"host\"`) and on the device (`\"device\"`). Search on the device: \
         cells, pairs and manifolds by the clock of the device. The search of the processor is what a world takes to find its contacts \
         once more. Steps have all that a frame needs: with contacts of the device their readback, and packing on the processor either way.",
        &[
            "bodies",
            "manifolds",
            "search on the device, ms",
            "search of the processor, ms",
            "step, device, ms",
            "step, host, ms",
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
            Ok((manifolds, search, [on_device, on_host])) => row(&[
                bodies,
                manifolds.to_string(),
                on_device
                    .own
                    .map_or("no clock".to_owned(), |s| format!("{:.2}", 1e3 * s)),
                format!("{:.2}", 1e3 * search),
                format!("{:.2}", 1e3 * on_device.step),
                format!("{:.2}", 1e3 * on_host.step),
            ]),
            Err(error) => refused(&bodies, error)?,
        }
        last = start.elapsed().as_secs_f64();
    }
    Ok(())
}

/// Manifolds, the search of the processor \[s\], and a frame with contacts of the device and of the processor.
type Measured = (usize, f64, [Times; 2]);

fn measure(edge: usize) -> Result<Result<Measured, SolveError>, Box<dyn Error>> {
    let given = json!({ "rows": edge, "columns": edge });
    let given = given.as_object().ok_or("an object")?;
    let start = delassus_scenes::build("many-pyramids", given)?;
    let mut both = Vec::new();
    let mut last = None;
    for collision in [CollisionPlace::Device, CollisionPlace::Host] {
        let mut world = start.clone();
        match fastest(collision, &mut world) {
            Ok(times) => both.push(times),
            Err(StepError::Solve(error)) => return Ok(Err(error)),
            Err(error) => return Err(error.into()),
        }
        last = Some(world);
    }
    let (&[device, host], Some(mut world)) = (both.as_slice(), last) else {
        return Err("two runs".into());
    };
    let mut search = f64::INFINITY;
    for _ in 0..FRAMES {
        let begin = Instant::now();
        let found: Result<(), StepError> = world.with_contacts(|_| Ok(()));
        found?;
        search = search.min(begin.elapsed().as_secs_f64());
    }
    Ok(Ok((world.manifolds().len(), search, [device, host])))
}

fn fastest(collision: CollisionPlace, world: &mut World) -> Result<Times, StepError> {
    let parameters = GpuSoftStepParameters {
        collision,
        ..GpuSoftStepParameters::default()
    };
    let mut scheme = GpuSoftStep::new(parameters).map_err(delassus_dynamics::SchemeError::from)?;
    let mut times = Times {
        own: None,
        step: f64::INFINITY,
    };
    for _ in 0..FRAMES {
        let begin = Instant::now();
        scheme.step(world, DT, &mut ())?;
        times.step = times.step.min(begin.elapsed().as_secs_f64());
        let own = scheme.collision_seconds().map_err(SolveError::Device)?;
        if let Some(seconds) = own {
            times.own = Some(times.own.map_or(seconds, |least| least.min(seconds)));
        }
    }
    Ok(times)
}

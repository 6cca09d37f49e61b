//! What every scheme around the kernels does on the host: freeze, run, write back.

use delassus_core::{DeviceError, SolveError};
use delassus_dynamics::{Probe, Stage, StepError, StepReport, StepView, World};
use delassus_solver_jacobi::compiled::Compiled;

use crate::frame_result::FrameResult;
use crate::freeze::{Frozen, freeze};
use crate::parameters::SoftStepParameters;
use crate::stepping::frame::{FrameOutcome, PackedFrame};

/// One frame of `dt` \[s\]; `run` makes its substeps.
///
/// # Errors
/// A time step that is none, a world that cannot be frozen, a device that fails.
pub fn step<T: Compiled>(
    world: &mut World,
    dt: f64,
    parameters: &SoftStepParameters,
    probe: &mut dyn Probe,
    run: impl FnOnce(&PackedFrame<T>) -> Result<FrameOutcome<T>, DeviceError>,
) -> Result<StepReport, StepError> {
    StepError::check_time_step(dt)?;
    world.with_contacts(|world| advance(world, dt, parameters, probe, run))
}

/// The same on the contacts that the world has at present.
///
/// # Errors
/// Those of [`step`].
pub fn advance<T: Compiled>(
    world: &mut World,
    dt: f64,
    parameters: &SoftStepParameters,
    probe: &mut dyn Probe,
    run: impl FnOnce(&PackedFrame<T>) -> Result<FrameOutcome<T>, DeviceError>,
) -> Result<StepReport, StepError> {
    StepError::check_time_step(dt)?;
    let h = dt / f64::from(parameters.substeps);
    let Frozen { rows, frame } = freeze::<T>(world, parameters, h)?;
    let outcome = run(&frame).map_err(SolveError::Device)?;
    let mut impulses = vec![0.0; rows.problem().rows()];
    outcome.state.read(&frame.packs[0], &mut impulses);
    let ending = FrameResult {
        motion: &outcome.motion,
        slots: (&frame.packs[0].slots.body, &outcome.totals),
        schedule: frame.schedule,
        rows: frame.packs[0].rows(),
        active: [0, 1].map(|pass| frame.packs[pass].active_rows()),
        h,
    };
    let (updates, report) = ending.updates(world);
    rows.write_back(world, &updates, &impulses, parameters.substeps)?;
    probe_end(probe, world, parameters.substeps, h, &impulses);
    Ok(report)
}

/// Shows a probe the end of a frame of so many substeps of h \[s\], in which nothing was frozen on
/// the host.
pub fn probe_end(probe: &mut dyn Probe, world: &World, substeps: u32, h: f64, impulses: &[f64]) {
    if probe.wants(Stage::Integrated) {
        let view = StepView {
            substep: substeps - 1,
            h,
            world,
            problem: None,
            impulses,
        };
        probe.at(Stage::Integrated, &view);
    }
}

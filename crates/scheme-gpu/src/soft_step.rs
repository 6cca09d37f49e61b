//! What both schemes do on the host: refuse, freeze, run, land.

use delassus_core::{DeviceError, Fidelity, SolveError};
use delassus_dynamics::{
    ContactLaw, Probe, SchemeError, Stage, StepError, StepReport, StepView, World,
};
use delassus_solver_jacobi::kernels::stepping::frame::{Frame, Outcome};
use delassus_solver_jacobi::real::Real;

use crate::freeze::{Frozen, freeze};
use crate::joints;
use crate::landing::landings;
use crate::parameters::SoftStepParameters;

/// Refuses what the kernels do not know.
pub(crate) fn check(world: &World, scheme: &'static str) -> Result<Fidelity, SchemeError> {
    joints::check(world, scheme)?;
    for (index, manifold) in world.manifolds().iter().enumerate() {
        let reason = if manifold.restitution > 0.0 {
            "bounces: the device has no pass for restitution, use soft-step"
        } else if manifold.law == ContactLaw::Patch {
            "is a patch, whose normals share one block: use a disc per point, or soft-step"
        } else {
            continue;
        };
        return Err(SchemeError::Unsupported {
            scheme,
            what: format!("manifolds[{index}]"),
            reason,
        });
    }
    Ok(Fidelity::Exact)
}

/// One frame.
pub(crate) fn step<T: Real>(
    world: &mut World,
    (dt, parameters): (f64, &SoftStepParameters),
    probe: &mut dyn Probe,
    run: impl FnOnce(&Frame<T>) -> Result<Outcome<T>, DeviceError>,
) -> Result<StepReport, StepError> {
    if !(dt.is_finite() && dt > 0.0) {
        return Err(StepError::TimeStep { dt });
    }
    let h = dt / f64::from(parameters.substeps);
    let Frozen { rows, frame } = freeze::<T>(world, parameters, h)?;
    let outcome = run(&frame).map_err(SolveError::Device)?;
    let mut impulses = vec![0.0; rows.problem().rows()];
    outcome.state.read(&frame.packs[0], &mut impulses);
    let (landings, report) = landings(world, &frame, &outcome, h);
    rows.land(world, &landings, &impulses, parameters.substeps)?;
    if probe.wants(Stage::Integrated) {
        let view = StepView {
            substep: parameters.substeps - 1,
            h,
            world,
            problem: None,
            impulses: &impulses,
        };
        probe.at(Stage::Integrated, &view);
    }
    Ok(report)
}

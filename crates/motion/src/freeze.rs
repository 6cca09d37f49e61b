//! The frozen problems of a run, with the impulses that the scheme starts from.

use delassus_core::Problem;
use delassus_dynamics::{Probe, Scheme, Stage, StepError, StepView, World};

/// A frozen problem of a step.
#[derive(Debug, Clone, PartialEq)]
pub struct FrozenSubstep {
    /// The problem that the scheme hands to its solver, with its bias.
    pub problem: Problem,
    /// The impulses that the scheme starts from, one per row \[N·s\].
    pub warm_start: Vec<f64>,
    /// Time at the start of the substep \[s\].
    pub time: f64,
    /// Length of the substep \[s\].
    pub h: f64,
}

/// What a step showed of one of its substeps.
#[derive(Debug, Clone, PartialEq)]
pub struct Capture {
    substep: u32,
    /// The problem of the substep that was asked for, if there was one.
    pub frozen: Option<FrozenSubstep>,
    /// Substeps that froze a problem \[-\].
    pub substeps: u32,
}

impl Probe for Capture {
    fn wants(&self, stage: Stage) -> bool {
        stage == Stage::Assembled
    }

    fn at(&mut self, _: Stage, view: &StepView<'_>) {
        let Some(problem) = view.problem else {
            return;
        };
        self.substeps += 1;
        if view.substep == self.substep {
            self.frozen = Some(FrozenSubstep {
                problem: problem.clone(),
                warm_start: view.impulses.to_vec(),
                time: view.world.time(),
                h: view.h,
            });
        }
    }
}

/// Advances `world` by one frame of `dt` \[s\] and keeps the problem of one of its substeps,
/// counted from 0.
///
/// # Errors
/// Whatever the scheme fails with; the world is then as it was.
pub fn freeze(
    world: &mut World,
    scheme: &mut dyn Scheme,
    dt: f64,
    substep: u32,
) -> Result<Capture, StepError> {
    let mut capture = Capture {
        substep,
        frozen: None,
        substeps: 0,
    };
    scheme.step(world, dt, &mut capture)?;
    Ok(capture)
}

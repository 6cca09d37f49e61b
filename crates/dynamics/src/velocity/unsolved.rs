//! What becomes of a step whose solve ends above its tolerance.

use delassus_core::{Choice, ParameterError, Problem, SolveError, interrupt};

use super::VelocityScheme;
use super::parameters::{VelocityParameters, WarmRows, WarmStart};
use super::stop::OnUnsolved;
use super::substep::Substep;
use crate::error::StepError;
use crate::scheme::{Probe, StepReport};
use crate::world::World;

impl VelocityParameters {
    /// Refuses an `on_unsolved` that the other parameters leave without a meaning.
    pub(super) fn check_unsolved(&self) -> Result<(), ParameterError> {
        let starts = self.warm_start != WarmStart::Off && self.warm_rows == WarmRows::All;
        let expected = match self.stop.on_unsolved {
            OnUnsolved::Apply => return Ok(()),
            _ if self.stop.tolerance.is_none() => {
                "without a tolerance no solve is judged; set tolerance, or take \"apply\""
            }
            OnUnsolved::Hold if !starts => {
                "it applies the impulses of the warm start; set warm_start to \"scaled\" or \"on\" and \
                 warm_rows to \"all\""
            }
            _ => return Ok(()),
        };
        Err(ParameterError {
            parameter: "on_unsolved",
            value: format!("{:?}", self.stop.on_unsolved.name()),
            expected,
        })
    }
}

impl Substep<'_, '_> {
    /// Runs the solver, and gives the substep the impulses that the bodies get.
    pub(super) fn find_impulses(&mut self, sweeps: u32) -> Result<(), StepError> {
        let Some(unsolved) = self.iterate(sweeps)? else {
            return self.read_impulses();
        };
        match self.frame.on_unsolved {
            OnUnsolved::Apply => return self.read_impulses(),
            OnUnsolved::Scale => {
                self.read_impulses()?;
                let impulses = &mut self.frame.work.solved.impulses;
                scale(&self.rows.assembly.problem, impulses)?;
            }
            OnUnsolved::Hold => {}
            OnUnsolved::Halve | OnUnsolved::Refuse => {
                return Err(StepError::Unsolved {
                    substep: self.index,
                    sweeps: unsolved.sweeps,
                    residual: unsolved.residual,
                    tolerance: unsolved.bound,
                    by: unsolved.by,
                });
            }
        }
        // the next solve starts from what was applied
        self.frame.solver.release();
        Ok(())
    }
}

/// Scales impulses until they do no work on the velocities that they leave (T.56); rows that are
/// held keep theirs.
pub(super) fn scale(problem: &Problem, impulses: &mut [f64]) -> Result<(), SolveError> {
    let mut solved = impulses.to_vec();
    for (index, block) in problem.blocks().iter().enumerate() {
        let rows = block.first_row..block.first_row + block.dim;
        solved[rows][problem.active_dim(index)..].fill(0.0);
    }
    let mut velocities = vec![0.0; solved.len()];
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    problem.shifted_velocity(impulses, &mut velocities);
    let work = dot(&solved, &velocities);
    if work <= 0.0 {
        return Ok(());
    }
    let mut momentum = Vec::new();
    interrupt::without(|| {
        problem.velocity_change_in_time(&mut momentum, &solved, &mut velocities)
    })?;
    let removed = (work / dot(&solved, &velocities)).min(1.0);
    for (impulse, solved) in impulses.iter_mut().zip(&solved) {
        *impulse -= removed * solved;
    }
    Ok(())
}

impl VelocityScheme {
    /// Steps the world by `dt` \[s\] on the contacts that it has, in parts where a solve misses its
    /// tolerance and the step is to be repeated.
    pub(super) fn advance(
        &mut self,
        world: &mut World,
        dt: f64,
        probe: &mut dyn Probe,
    ) -> Result<StepReport, StepError> {
        let stop = &self.parameters.stop;
        let policy = stop.on_unsolved;
        if policy != OnUnsolved::Halve {
            return self.frame(world, dt, policy, probe);
        }
        let most = stop.max_halvings;
        let (parts, mut done, mut level) = (1_u32 << most, 0_u32, 0);
        let mut report = StepReport::default();
        while done < parts {
            let part = dt / f64::from(1_u32 << level);
            let policy = if level < most {
                OnUnsolved::Halve
            } else {
                OnUnsolved::Apply
            };
            let anchors = self.workspace.anchors.clone();
            let mut backup = std::mem::take(&mut self.attempt);
            let outcome =
                backup.unless_failed(world, |world| self.frame(world, part, policy, probe));
            self.attempt = backup;
            match outcome {
                Ok(reached) => {
                    report.add(&reached);
                    done += parts >> level;
                    // two halves that are done are the whole again
                    level = most - done.trailing_zeros().min(most);
                }
                Err(StepError::Unsolved { .. }) => {
                    report.take_repeated(&self.workspace.unfinished);
                    self.workspace.anchors = anchors;
                    level += 1;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(report)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraints::Point;
    use crate::{Body, Inertia, Joint, WorldParts};
    use nalgebra::Vector3;

    #[test]
    fn impulses_are_scaled_down_to_no_work_and_never_up() {
        // 3 kg hang at rest from a point: the impulse is h m g, whatever acts across
        let mut parts = WorldParts {
            gravity: Vector3::new(0.0, -7.0, 0.0),
            ..WorldParts::default()
        };
        let above = parts.body(Body::fixed(Vector3::zeros()));
        let inertia = Inertia::new(3.0, Vector3::new(0.2, 0.3, 0.4));
        let body = parts.body(Body::dynamic(inertia, -0.8 * Vector3::y()));
        parts.joint(Joint::new(Point {
            bodies: [above, body],
            anchors: [Vector3::zeros(), 0.8 * Vector3::y()],
        }));
        let problem = parts.build().unwrap().freeze(0.01).unwrap();
        let exact = 0.01 * 3.0 * 7.0;
        for (factor, expected) in [(2.0, 1.0), (5.0, 1.0), (1.0, 1.0), (0.4, 0.4), (-1.0, 0.0)] {
            let mut impulses = [0.0, factor * exact, 0.0];
            scale(&problem, &mut impulses).unwrap();
            let found = impulses[1] / exact;
            assert!((found - expected).abs() < 1e-14, "{factor}: {found}");
        }
    }
}

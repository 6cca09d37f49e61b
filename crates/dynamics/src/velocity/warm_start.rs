//! Rows that are ready to be solved: frozen at the present poses, or those of the frame with
//! current numbers.
//!
//! A world may keep the manifolds of pairs that hardly moved ([`crate::ContactSettings::recycle`]).
//! Where all of them stay and no body has turned, the Jacobians of the frame before are those of
//! this frame to the same tolerance: only separations, forces and biases are new, and the next
//! frame begins like another substep.

use delassus_core::{Activity, Changes, Start};

use super::frozen::FrozenRows;
use super::parameters::{BouncingContacts, RelaxPoses, Restitution, WarmRows, WarmStart};
use super::row_solver::SolverProblem;
use super::stabilization::Bias;
use super::substep::{Frame, Substep};
use crate::error::StepError;

impl<'a> Frame<'a> {
    /// The rows of the previous frame with current separations, if they are reused; otherwise only
    /// their memory is.
    pub(super) fn reuse_rows(&mut self) -> Option<FrozenRows> {
        let (work, world) = (&mut *self.work, &*self.world);
        let mut last = work.rows.last.take()?;
        if !last.are_current(world, self.parameters, self.h) {
            work.rows.recycled.push(last);
            return None;
        }
        last.assembly.update_errors(world);
        let stored = &mut work.rows.stored;
        last.assembly.load_impulses(world, stored);
        if *stored != work.solved.impulses {
            // another scheme has stepped the world since
            self.solver.held = SolverProblem::Other;
        }
        std::mem::swap(stored, &mut work.solved.impulses);
        Some(last)
    }

    /// Freezes the rows of a substep, or brings those of the frame up to date, and makes the solver
    /// ready to iterate from the impulses of the substep before, or of the frame before (T.9).
    pub(super) fn warm_start<'s>(
        &'s mut self,
        rows: &'s mut Option<FrozenRows>,
        index: u32,
    ) -> Result<Substep<'s, 'a>, StepError> {
        let parameters = self.parameters;
        let stay = !parameters.assembles_every_substep(self.world)
            || parameters.keeps_relaxed_rows(self.world);
        match rows.take() {
            Some(current) if stay => {
                let mut substep = self.substep(rows.insert(current), index);
                substep.refresh_rows()?;
                Ok(substep)
            }
            earlier => {
                let frozen = self.freeze(earlier.as_ref())?;
                self.work.rows.recycled.extend(earlier);
                let mut substep = self.substep(rows.insert(frozen), index);
                substep.start_rows()?;
                Ok(substep)
            }
        }
    }

    /// Freezes rows at the present poses, for bodies that have the free velocities without them;
    /// impulses and the history of bounces are those of `earlier` rows of the frame.
    pub(super) fn freeze(&mut self, earlier: Option<&FrozenRows>) -> Result<FrozenRows, StepError> {
        let (parameters, h) = (self.parameters, self.h);
        let Frame { work, world, .. } = self;
        if let Some(earlier) = &earlier {
            let impulses = &work.solved.impulses;
            earlier.assembly.store_impulses(world, impulses, h);
        }
        let recycled = work.rows.recycled.pop();
        let later = earlier.is_some() && parameters.holds_contacts(world);
        let held = later.then_some(work.rows.held.as_slice());
        let (free, selection) = (&work.free.velocities, parameters.selection());
        let mut rows = FrozenRows::new(recycled, world, free, h, selection, held)?;
        match earlier {
            Some(earlier) => rows.keep_history(earlier),
            None => {
                if parameters.restitution == Restitution::BiasAfterForces {
                    rows.measure_approach(free);
                }
                if parameters.bouncing_contacts == BouncingContacts::New {
                    rows.limit_restitution(world);
                }
            }
        }
        let (assembly, approach) = (&rows.assembly, &rows.approach);
        work.bias.freeze(world, assembly, parameters, h, approach);
        Ok(rows)
    }
}

impl Substep<'_, '_> {
    /// Brings the rows of the frame to current errors and forces.
    fn refresh_rows(&mut self) -> Result<(), StepError> {
        let frame = &mut *self.frame;
        let parameters = frame.parameters;
        let assembly = &mut self.rows.assembly;
        assembly
            .problem
            .set_free_velocity(&frame.work.free.velocities)?;
        let relaxed =
            parameters.relax_sweeps > 0 && parameters.relax_separations == RelaxPoses::Moved;
        if !relaxed || parameters.corrects_in_substeps() {
            // otherwise those of the relax solve, at these poses
            assembly.update_errors(frame.world);
        }
        let (mut changed, mut held) = (Changes::default(), SolverProblem::Frame);
        if self.frame.solver.held != SolverProblem::Frame || !self.may_integrate_frame() {
            (changed, held) = (self.set_bias(Bias::On)?, SolverProblem::Substep);
        }
        if parameters.warm_start == WarmStart::Off {
            self.frame.work.solved.impulses.fill(0.0);
            let problem = &self.rows.assembly.problem;
            return self.frame.solver.prepare(problem, Start::Cold, held);
        }
        changed.free_velocity = true;
        self.update_solver(changed, held)
    }

    /// Makes the solver ready for new rows.
    fn start_rows(&mut self) -> Result<(), StepError> {
        // a solver that has integrated the last frame computes the bias of this one itself
        let accepted = self.frame.work.integration.accepted;
        let held = if accepted && self.may_integrate_frame() {
            SolverProblem::Frame
        } else {
            self.set_bias(Bias::On)?;
            SolverProblem::Substep
        };
        self.load_start();
        let impulses = &self.frame.work.solved.impulses;
        let start = match self.frame.parameters.warm_start {
            WarmStart::Off => Start::Cold,
            WarmStart::On | WarmStart::Scaled => Start::Warm(impulses),
        };
        let problem = &self.rows.assembly.problem;
        self.frame.solver.prepare(problem, start, held)
    }

    /// The start of the first substep, from the impulses that the world stores (T.9).
    fn load_start(&mut self) {
        let (parameters, h) = (self.frame.parameters, self.frame.h);
        let (world, impulses) = (&*self.frame.world, &mut self.frame.work.solved.impulses);
        self.rows.assembly.load_impulses(world, impulses);
        let factor = match parameters.warm_start {
            WarmStart::Off => 0.0,
            WarmStart::On => 1.0,
            WarmStart::Scaled if world.impulse_step > 0.0 => h / world.impulse_step,
            WarmStart::Scaled => 1.0,
        };
        impulses.iter_mut().for_each(|x| *x *= factor);
        if parameters.warm_rows == WarmRows::Contacts {
            impulses[self.rows.assembly.joint_rows.clone()].fill(0.0);
        }
    }

    /// Gives the problem bias, compliance and active rows of a solve; says what changed.
    pub(super) fn set_bias(&mut self, bias: Bias) -> Result<Changes, StepError> {
        let frame = &mut *self.frame;
        let (parameters, world, work) = (frame.parameters, &*frame.world, &mut *frame.work);
        let (rows, assembly) = (&mut work.bias, &mut self.rows.assembly);
        if parameters.has_sticky_friction() && bias == Bias::On {
            work.anchors.slips(world, assembly, &mut rows.slips);
        }
        rows.compute(world, assembly, parameters, frame.h, bias);
        let problem = &mut assembly.problem;
        problem.swap_bias(&mut rows.bias)?;
        if rows.soft {
            let coupled = rows.shared(parameters, bias);
            if problem.coupled_compliance() == coupled {
                problem.swap_compliance(&mut rows.compliance)?;
            } else {
                problem.set_block_compliance(&rows.compliance, coupled)?;
            }
        }
        let activity = match bias {
            Bias::Alone => Activity::NormalsOnly,
            Bias::On if parameters.holds_friction() => Activity::NormalsOnly,
            Bias::On | Bias::Off => Activity::Solve,
        };
        let changes = problem.uniform_activity() != Some(activity);
        if changes {
            problem.set_all_activity(activity);
        }
        Ok(Changes {
            bias: true,
            compliance: rows.soft,
            free_velocity: false,
            activity: changes,
        })
    }

    /// Makes the solver ready for the same rows with other numbers, from the impulses reached.
    pub(super) fn update_solver(
        &mut self,
        changed: Changes,
        held: SolverProblem,
    ) -> Result<(), StepError> {
        let Frame { solver, work, .. } = &mut *self.frame;
        let impulses = &work.solved.impulses;
        solver.update(&self.rows.assembly.problem, changed, impulses, held)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Body, Inertia, Scheme, VelocityScheme, World, WorldParts, presets};
    use delassus_collide::{Collider, Cuboid, HalfSpace};
    use delassus_core::Solver;
    use delassus_solver_wide::WidePgs;
    use nalgebra::Vector3;

    const DT: f64 = 1.0 / 60.0;

    /// Three unit cubes on each other.
    fn stack(recycle: f64) -> World {
        let mut parts = WorldParts {
            gravity: Vector3::new(0.0, -9.81, 0.0),
            ..WorldParts::default()
        };
        parts.contacts.recycle = recycle;
        let ground = parts.body(Body::fixed(Vector3::zeros()));
        parts.collider(Collider::new(ground, HalfSpace::default()));
        for level in 0..3 {
            let at = Vector3::new(0.02 * f64::from(level), 0.5 + f64::from(level), 0.0);
            let inertia = Inertia::new(1.0, Vector3::repeat(1.0 / 6.0));
            let body = parts.body(Body::dynamic(inertia, at));
            parts.collider(Collider::new(body, Cuboid::new(0.5, 0.5, 0.5)));
        }
        parts.build().unwrap()
    }

    fn scheme() -> VelocityScheme {
        let solver = Box::new(WidePgs::new(Default::default()).unwrap());
        let preset = presets().iter().find(|preset| preset.id == "soft-step");
        VelocityScheme::new((preset.unwrap().parameters)(), solver).unwrap()
    }

    /// Steps a world; the frames that reused their rows.
    fn run(world: &mut World, scheme: &mut VelocityScheme, frames: u32) -> u32 {
        let mut kept = 0;
        for _ in 0..frames {
            let found: Result<(), ()> = world.with_contacts(|_| Ok(()));
            found.unwrap();
            let last = scheme.workspace.rows.last.as_ref();
            let parameters = &scheme.parameters;
            let reused = last.is_some_and(|last| last.are_current(world, parameters, DT / 4.0));
            kept += u32::from(reused);
            scheme.step(world, DT, &mut ()).unwrap();
        }
        kept
    }

    #[test]
    fn rows_stay_while_contacts_do_and_the_stack_comes_to_the_same_rest() {
        let (mut fresh, mut world) = (stack(0.0), stack(1e-3));
        assert_eq!(run(&mut fresh, &mut scheme(), 400), 0);
        let mut stepped = scheme();
        let sinking = run(&mut world, &mut stepped, 300);
        assert!(
            sinking < 300,
            "it sinks by more than a millimetre: {sinking}"
        );
        assert_eq!(run(&mut world, &mut stepped, 100), 100);
        for (a, b) in fresh.bodies().iter().zip(world.bodies()) {
            let apart = (a.position.to_vector() - b.position.to_vector()).norm();
            assert!(apart < 1e-4, "{apart}");
            assert!(b.velocity.norm() < 1e-6, "{}", b.velocity);
        }
    }

    #[test]
    fn another_scheme_in_between_or_a_push_is_noticed() {
        let mut world = stack(1e-3);
        let mut first = scheme();
        run(&mut world, &mut first, 300);
        // what the first solver holds is older than the world now
        let mut light = world.clone();
        light
            .set_wrench(1, Vector3::new(0.0, 9.0, 0.0), Vector3::zeros())
            .unwrap();
        let mut alone = light.clone();
        run(&mut light, &mut scheme(), 1);
        assert_eq!(run(&mut light, &mut first, 1), 1, "the rows are the same");
        let mut other = scheme();
        run(&mut alone, &mut other, 2);
        for (a, b) in light.bodies().iter().zip(alone.bodies()) {
            let apart = (a.velocity - b.velocity).norm();
            // the rows are those of poses up to a millimetre away
            assert!(apart < 1e-5, "{apart}");
        }
        // a body that turns away ends it
        world
            .set_velocity(3, Vector3::zeros(), Vector3::new(0.0, 3.0, 0.0))
            .unwrap();
        assert!(run(&mut world, &mut first, 30) < 30);
        assert!(world.bodies()[3].orientation.angle() > 0.05);
    }
}

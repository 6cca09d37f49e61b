//! The solves of a substep: with bias, without it (T.15), for the second velocity field of split
//! impulses (T.13), and with restitution (T.14).
//!
//! Where the Jacobians follow the bodies, the rows of the relax solve are those of the moved poses.
//! They change the velocities that the solve begins with by the impulses that it adds, and by
//! nothing else: its free velocities are what v_f + M⁻¹Jᵀλ gives for the impulses λ and the rows of
//! the solve before (T.38).

use delassus_core::{Precision, Start};

use super::parameters::{RelaxPoses, Restitution, Stabilization};
use super::row_solver::SolverProblem;
use super::stabilization::Bias;
use super::stop::{OnUnsolved, Unsolved};
use super::substep::{Frame, Substep};
use super::{bias, work};
use crate::error::StepError;
use crate::scheme::Stage;
use crate::spatial::split_spatial;

/// Corrections that split impulses leave alone \[m | rad\]: a few roundings of coordinates of a
/// metre. A problem with nothing but rounding in it is contradictory where rows are redundant, and
/// a direct solver refuses it.
const RESOLUTION: f64 = 1e-15;

impl Substep<'_, '_> {
    /// Solves the rows with this bias. The solve with bias is followed by that of split impulses,
    /// if there is one; the solve without it is left out where it has no sweeps.
    pub(super) fn solve(&mut self, bias: Bias) -> Result<(), StepError> {
        match bias {
            Bias::On => {
                self.show(Stage::Assembled);
                self.solve_biased()?;
                self.show(Stage::Solved);
                self.solve(Bias::Alone)
            }
            Bias::Off if self.relaxes_at_moved_poses() => self.relax_at_moved_poses(),
            Bias::Off if self.frame.parameters.relax_sweeps > 0 => self.relax(),
            Bias::Off => Ok(()),
            Bias::Alone => self.find_pseudo_velocities(),
        }
    }

    /// The solve with bias. Where another solve of the same rows follows, its velocities only move
    /// the poses; a solver in f32 has rounded its impulses already, and its own velocities
    /// suffice. The impulses are then read only where something needs them.
    fn solve_biased(&mut self) -> Result<(), StepError> {
        let Frame { solver, probe, .. } = &*self.frame;
        let parameters = self.frame.parameters;
        let sweeps = parameters.sweeps;
        let single_precision = solver.inner.descriptor().precision == Precision::F32;
        let relaxes = parameters.relax_sweeps > 0 && !self.relaxes_at_moved_poses();
        let applies = self.frame.on_unsolved == OnUnsolved::Apply;
        if !single_precision || !relaxes || !applies {
            return self.solve_rows(sweeps);
        }
        let needed = parameters.stabilization == Stabilization::SplitImpulse
            || probe.wants(Stage::Solved)
            || probe.wants(Stage::Integrated);
        self.iterate(sweeps)?;
        let keeps = self.frame.work.free.momenta.iter().any(Option::is_some);
        if needed || keeps {
            self.read_impulses()?;
        }
        if keeps {
            // what turns momenta with their bodies
            let Frame { work, world, .. } = &mut *self.frame;
            work.solved.compute(&self.rows.assembly, world.bodies.len());
        }
        let Frame { solver, work, .. } = &mut *self.frame;
        let (free, velocities) = (&work.free.velocities, &mut work.solved.velocities);
        velocities.resize(free.len(), 0.0);
        let problem = &self.rows.assembly.problem;
        solver.inner.read_velocities(problem, velocities)?;
        for (v, free) in velocities.iter_mut().zip(free) {
            // what the solver added to v_f as it saw it: a body that nothing touches moves with v_f
            // itself
            *v = free + (*v - single(*free));
        }
        Ok(())
    }

    /// Solves the rows. The velocities follow from the impulses, so that action and reaction agree
    /// to the rounding of f64 whatever the solver computes in.
    fn solve_rows(&mut self, sweeps: u32) -> Result<(), StepError> {
        self.find_impulses(sweeps)?;
        let Frame { work, world, .. } = &mut *self.frame;
        let bodies = world.bodies.len();
        work.solved.compute(&self.rows.assembly, bodies);
        Ok(())
    }

    /// Runs the solver; says how it ended where it misses a tolerance.
    pub(super) fn iterate(&mut self, sweeps: u32) -> Result<Option<Unsolved>, StepError> {
        let (frame, problem) = (&mut *self.frame, &self.rows.assembly.problem);
        let (stop, report) = (&frame.parameters.stop, &mut frame.report);
        frame.solver.iterate(problem, sweeps, stop, report)
    }

    /// Reads the impulses that the solver has reached.
    pub(super) fn read_impulses(&mut self) -> Result<(), StepError> {
        let Frame { solver, work, .. } = &mut *self.frame;
        Ok(solver.inner.read_impulses(&mut work.solved.impulses)?)
    }

    /// The solve without bias, by the rows of the solve before.
    fn relax(&mut self) -> Result<(), StepError> {
        let parameters = self.frame.parameters;
        match parameters.relax_separations {
            RelaxPoses::Kept => self.rows.assembly.update_joints(self.frame.world),
            RelaxPoses::Moved => self.rows.assembly.update_errors(self.frame.world),
        }
        let changed = self.set_bias(Bias::Off)?;
        self.update_solver(changed, SolverProblem::Substep)?;
        self.solve_rows(parameters.relax_sweeps)?;
        self.show(Stage::Relaxed);
        Ok(())
    }

    /// The solve without bias, by rows of the moved poses; the bodies have the velocities that
    /// moved them.
    fn relax_at_moved_poses(&mut self) -> Result<(), StepError> {
        let parameters = self.frame.parameters;
        let work = &mut *self.frame.work;
        work.free.velocities.clone_from(&work.solved.velocities);
        let rows = self.frame.freeze(Some(&*self.rows))?;
        let earlier = std::mem::replace(self.rows, rows);
        if parameters.relax_separations == RelaxPoses::Kept {
            self.rows.assembly.keep_separations(&earlier.assembly);
        }
        self.frame.work.rows.recycled.push(earlier);
        self.move_start()?;
        self.set_bias(Bias::Off)?;
        let start = Start::Warm(&self.frame.work.solved.impulses);
        let problem = &self.rows.assembly.problem;
        self.frame
            .solver
            .prepare(problem, start, SolverProblem::Substep)?;
        self.add_impulses(parameters.relax_sweeps, Stage::Relaxed)
    }

    /// Free velocities from which the impulses reached lead to the velocities that moved the bodies
    /// (T.38).
    fn move_start(&mut self) -> Result<(), StepError> {
        let work = &mut *self.frame.work;
        let (free, solved, moved) = (&mut work.free, &mut work.solved, &mut work.moved_wrenches);
        let assembly = &mut self.rows.assembly;
        assembly.load_impulses(self.frame.world, &mut solved.impulses);
        moved.resize(free.velocities.len(), 0.0);
        assembly.body_velocities(&solved.impulses, &[], moved, &mut solved.velocities);
        for (free, pushed) in free.velocities.iter_mut().zip(&solved.velocities) {
            *free -= pushed - *free;
        }
        // the same for the momentum that is kept: the impulses reached acted where the bodies were
        let wrenches = solved.wrenches.chunks_exact(6).zip(moved.chunks_exact(6));
        for (kept, (before, after)) in free.momenta.iter_mut().zip(wrenches) {
            if let Some(kept) = kept {
                kept.momentum += split_spatial(before)[1] - split_spatial(after)[1];
            }
        }
        assembly.problem.set_free_velocity(&free.velocities)?;
        Ok(())
    }

    /// A solve from the impulses reached, whose work is that of the impulses that it adds.
    fn add_impulses(&mut self, sweeps: u32, stage: Stage) -> Result<(), StepError> {
        let work = &mut *self.frame.work;
        work.added_impulses.clone_from(&work.solved.impulses);
        self.solve_rows(sweeps)?;
        self.show(stage);
        let frame = &mut *self.frame;
        let (world, report) = (&*frame.world, &mut frame.report);
        let (added, solved) = (&mut frame.work.added_impulses, &frame.work.solved);
        for (added, impulse) in added.iter_mut().zip(&solved.impulses) {
            *added = impulse - *added;
        }
        let (assembly, velocities) = (&self.rows.assembly, &solved.velocities);
        work::rows(world, assembly, added, &[], velocities, report);
        Ok(())
    }

    /// Solves for the second velocity field of split impulses; empty without them (T.13).
    fn find_pseudo_velocities(&mut self) -> Result<(), StepError> {
        let parameters = self.frame.parameters;
        let work = &mut *self.frame.work;
        let (free, pseudo) = (&work.free, &mut work.pseudo);
        pseudo.velocities.clear();
        if parameters.stabilization != Stabilization::SplitImpulse {
            return Ok(());
        }
        pseudo.velocities.resize(free.velocities.len(), 0.0);
        let problem = &mut self.rows.assembly.problem;
        problem.set_free_velocity(&pseudo.velocities)?;
        self.set_bias(Bias::Alone)?;
        let h = self.frame.h;
        let small = |bias: &f64| (bias * h).abs() <= RESOLUTION;
        if self.rows.assembly.problem.bias().iter().all(small) {
            self.frame.work.pseudo.velocities.clear();
        } else {
            let problem = &self.rows.assembly.problem;
            self.frame
                .solver
                .prepare(problem, Start::Cold, SolverProblem::Other)?;
            let pseudo = &mut self.frame.work.pseudo;
            pseudo.impulses.clear();
            pseudo.impulses.resize(problem.rows(), 0.0);
            self.swap_pseudo_impulses();
            let found = self.find_impulses(parameters.sweeps);
            self.swap_pseudo_impulses();
            found?;
            let pseudo = &mut self.frame.work.pseudo;
            let problem = &self.rows.assembly.problem;
            problem.body_velocities(&pseudo.impulses, &mut pseudo.velocities)?;
        }
        // the problem of the substep again
        let problem = &mut self.rows.assembly.problem;
        problem.set_free_velocity(&self.frame.work.free.velocities)?;
        self.set_bias(Bias::On)?;
        Ok(())
    }

    /// Lets a solve find the impulses of the second velocity field.
    fn swap_pseudo_impulses(&mut self) {
        let work = &mut *self.frame.work;
        std::mem::swap(&mut work.solved.impulses, &mut work.pseudo.impulses);
    }

    /// A last solve in which the contacts that hit bounce (T.14).
    pub(super) fn apply_restitution(&mut self) -> Result<(), StepError> {
        let parameters = self.frame.parameters;
        let manifolds = &self.frame.world.manifolds;
        let last = parameters.restitution == Restitution::LastPass;
        if !last || manifolds.iter().all(|m| m.restitution == 0.0) {
            return Ok(());
        }
        self.set_bias(Bias::Off)?;
        let (frame, threshold) = (&mut *self.frame, parameters.restitution_threshold);
        let bias = &mut frame.work.bias;
        if !bias::restitution(frame.world, self.rows, threshold, bias) {
            return Ok(());
        }
        let problem = &mut self.rows.assembly.problem;
        problem.swap_bias(&mut bias.bias)?;
        let start = Start::Warm(&frame.work.solved.impulses);
        frame
            .solver
            .prepare(problem, start, SolverProblem::Substep)?;
        let sweeps = parameters.sweeps.max(parameters.relax_sweeps);
        self.add_impulses(sweeps, Stage::Restituted)?;
        self.write_velocities();
        Ok(())
    }
}

/// A number as a solver in f32 sees it.
#[allow(
    clippy::cast_possible_truncation,
    reason = "rounding is what is wanted"
)]
fn single(x: f64) -> f64 {
    f64::from(x as f32)
}

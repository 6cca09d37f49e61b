//! Frames whose substeps the solver integrates itself (T.32)–(T.37).
//!
//! A solver may offer to move the bodies and to compute the separations of a frame
//! ([`delassus_core::FrameSolver`]). The scheme accepts if all rows are contacts that stay for the
//! whole frame, or ball joints and hinges that follow the bodies, and only gravity acts on the
//! bodies that they touch. A probe sees every stage, and changes no bit.

use std::ops::Range;

use delassus_core::{HalfSteps, SolveError};

use super::frame_joints;
use super::frozen::FrozenRows;
use super::row_solver::SolverProblem;
use super::stabilization::Bias;
use super::substep::{Frame, Substep};
use crate::error::StepError;
use crate::scheme::{Stage, StepReport};

impl Substep<'_, '_> {
    /// True if the frame of these rows may be left to a solver that offers to integrate it; keeps
    /// what it starts from.
    pub(super) fn may_integrate_frame(&mut self) -> bool {
        let frame = &mut *self.frame;
        let (parameters, world, work) = (frame.parameters, &*frame.world, &mut *frame.work);
        let assembly = &self.rows.assembly;
        let contacts = &assembly.contacts;
        let (integration, free) = (&mut work.integration, &work.free);
        let rows_stay = if world.joints.is_empty() {
            !parameters.assembles_every_substep(world)
        } else {
            frame_joints::are_allowed(parameters)
        };
        let blocks = world.joints.len() + contacts.rows.len();
        parameters.allows_frame_integration()
            && rows_stay
            && !self.rows.may_bounce
            && blocks > 0
            && blocks == assembly.problem.blocks().len()
            && !contacts.roll()
            && work.bias.is_plain()
            && integration.begin(world, assembly, free, parameters, frame.h)
    }

    /// Lets the solver integrate all substeps of a frame, the first of which is ready to be solved;
    /// false, with nothing changed, if it does not.
    pub(super) fn integrate_frame(&mut self) -> Result<bool, StepError> {
        let bias_deferred = self.frame.solver.held == SolverProblem::Frame;
        if self.index > 0 || !(bias_deferred || self.may_integrate_frame()) {
            return Ok(false);
        }
        let parameters = self.frame.parameters;
        let probe = &*self.frame.probe;
        let watched = Stage::ALL.iter().any(|stage| probe.wants(*stage));
        let end = if watched { 1 } else { 2 * parameters.substeps };
        let accepted = self.integrate_half_steps(0..end)?;
        self.frame.work.integration.accepted = accepted;
        if !accepted {
            if bias_deferred {
                let changed = self.set_bias(Bias::On)?;
                self.update_solver(changed, SolverProblem::Substep)?;
            }
            return Ok(false);
        }
        self.frame.solver.held = SolverProblem::Frame;
        if watched {
            self.hold_contacts();
            self.integrate_with_probe()?;
        } else {
            self.write_motion(0..parameters.substeps)?;
            self.write_frame_velocities(parameters.substeps, None);
        }
        self.read_impulses()?;
        let frame = &mut *self.frame;
        let (assembly, velocities) = (&self.rows.assembly, &frame.work.solved.velocities);
        let (integration, report) = (&frame.work.integration, &mut frame.report);
        integration.record(frame.world, assembly, velocities, parameters, report);
        Ok(true)
    }

    /// Lets the solver integrate half-steps; false if it does not.
    fn integrate_half_steps(&mut self, half_steps: HalfSteps) -> Result<bool, StepError> {
        let frame = &mut *self.frame;
        let Some(solver) = frame.solver.inner.as_frame_solver() else {
            return Ok(false);
        };
        let (assembly, integration) = (&self.rows.assembly, &frame.work.integration);
        let setup = integration.setup(&assembly.contacts, frame.parameters, frame.h);
        Ok(solver.integrate(&assembly.problem, &setup, half_steps)?)
    }

    /// One half-step after the other, after the first, for a probe: at every stage the problem has
    /// its numbers, and those of joints their rows.
    fn integrate_with_probe(&mut self) -> Result<(), StepError> {
        let parameters = self.frame.parameters;
        // the rows at the start of the frame, where those of the problem have moved
        let mut start = None;
        for index in 0..parameters.substeps {
            self.index = index;
            if index > 0 {
                self.refresh_for_probe()?;
            }
            self.set_bias(Bias::On)?;
            self.show(Stage::Assembled);
            if index > 0 {
                self.integrate_half_steps(2 * index..2 * index + 1)?;
            }
            self.read_impulses()?;
            self.show(Stage::Solved);
            self.write_motion(index..index + 1)?;
            self.show(Stage::Integrated);
            let relaxes = parameters.relax_sweeps > 0;
            if relaxes {
                self.move_rows_for_probe(&mut start)?;
                self.rows.assembly.update_errors(self.frame.world);
                self.set_bias(Bias::Off)?;
            }
            self.integrate_half_steps(2 * index + 1..2 * index + 2)?;
            self.read_impulses()?;
            if relaxes {
                self.show(Stage::Relaxed);
            }
            self.read_motion()?;
            let first = &self.frame.work.free.velocities;
            let rows = start.as_mut().unwrap_or(&mut *self.rows);
            rows.assembly.problem.set_free_velocity(first)?;
            self.write_frame_velocities(index + 1, start.as_ref());
        }
        if let Some(start) = start {
            let moved = std::mem::replace(self.rows, start);
            self.frame.work.rows.recycled.push(moved);
        }
        Ok(())
    }

    /// Freezes the rows at the moved poses if there are joints, with the free velocities that give
    /// those of the bodies (T.38); `start` takes the rows of the start of the frame.
    fn move_rows_for_probe(&mut self, start: &mut Option<FrozenRows>) -> Result<(), StepError> {
        if self.frame.world.joints.is_empty() {
            return Ok(());
        }
        let rows = self.frame.freeze(Some(&*self.rows))?;
        let earlier = std::mem::replace(self.rows, rows);
        let Frame { solver, work, .. } = &mut *self.frame;
        if start.is_none() {
            *start = Some(earlier);
        } else {
            work.rows.recycled.push(earlier);
        }
        let assembly = &mut self.rows.assembly;
        let mut pushed = vec![0.0; work.free.velocities.len()];
        let (mut wrenches, mut free) = (pushed.clone(), pushed.clone());
        assembly.problem.set_free_velocity(&free)?;
        assembly.body_velocities(&work.solved.impulses, &[], &mut wrenches, &mut pushed);
        solver.inner.read_velocities(&assembly.problem, &mut free)?;
        for (free, pushed) in free.iter_mut().zip(&pushed) {
            *free -= pushed;
        }
        assembly.problem.set_free_velocity(&free)?;
        Ok(())
    }

    /// Gives the problem the free velocities and errors of a substep after the first; the report is
    /// that of the whole frame, at its end.
    fn refresh_for_probe(&mut self) -> Result<(), StepError> {
        let frame = &mut *self.frame;
        let (later, unread) = (
            &mut frame.work.integration.later,
            &mut StepReport::default(),
        );
        later.integrate(frame.world, frame.parameters.gyroscopic, frame.h, unread);
        let assembly = &mut self.rows.assembly;
        assembly.problem.set_free_velocity(&later.velocities)?;
        assembly.update_errors(frame.world);
        Ok(())
    }

    fn read_motion(&mut self) -> Result<(), StepError> {
        let Frame { solver, work, .. } = &mut *self.frame;
        let solver = solver.inner.as_frame_solver();
        let solver = solver.ok_or(SolveError::NotPrepared)?;
        Ok(solver.read_motion(&mut work.integration.motion)?)
    }

    /// Moves all bodies, and the time, to the end of some substeps.
    fn write_motion(&mut self, substeps: Range<u32>) -> Result<(), StepError> {
        self.read_motion()?;
        let frame = &mut *self.frame;
        let (free, integration) = (&frame.work.free, &mut frame.work.integration);
        let (mode, h) = (frame.parameters.gyroscopic, frame.h);
        integration.write_poses(frame.world);
        integration.advance_others(frame.world, free, mode, substeps, h, &mut frame.report);
        Ok(())
    }

    /// Gives the bodies that touch their velocities after so many substeps; `start` holds the rows
    /// of the start of the frame, if they are others.
    fn write_frame_velocities(&mut self, substeps: u32, start: Option<&FrozenRows>) {
        let Frame { work, world, .. } = &mut *self.frame;
        let assembly = &start.unwrap_or(&*self.rows).assembly;
        let momenta = &work.free.momenta;
        let (integration, solved) = (&work.integration, &mut work.solved);
        integration.write_velocities(world, assembly, momenta, substeps, solved);
    }
}

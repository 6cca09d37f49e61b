//! A frame, its substeps, and the stages that solve nothing: velocities, poses, what is stored.

use super::anchors::StickingAnchors;
use super::bias::RowBias;
use super::frame_integration::FrameIntegration;
use super::free::{self, FreeMotion};
use super::frozen::{FrozenRows, RowMemory};
use super::parameters::{PositionTime, VelocityParameters};
use super::position::{self, PositionMemory};
use super::row_solver::{PseudoMotion, RowSolver, SolvedMotion};
use super::stabilization::Bias;
use super::stop::OnUnsolved;
use super::work;
use crate::error::StepError;
use crate::scheme::{Probe, SolveCounts, Stage, StepReport, StepView};
use crate::spatial::split_spatial;
use crate::world::World;

/// The memory of a scheme: what each stage keeps or works with.
#[derive(Default)]
pub(super) struct Workspace {
    pub(super) rows: RowMemory,
    pub(super) free: FreeMotion,
    pub(super) bias: RowBias,
    pub(super) solved: SolvedMotion,
    pub(super) pseudo: PseudoMotion,
    /// Impulses that a solve adds to those that it starts from, one per row \[N·s\].
    pub(super) added_impulses: Vec<f64>,
    /// Impulses on the bodies by the rows of the moved poses, 6 per body \[N·s, N·m·s\].
    pub(super) moved_wrenches: Vec<f64>,
    pub(super) integration: FrameIntegration,
    pub(super) positions: PositionMemory,
    pub(super) anchors: StickingAnchors,
    /// What the frame did that ended with an error.
    pub(super) unfinished: StepReport,
}

impl Workspace {
    /// Nothing yet; `couples` if the stabilisation softens the rows of a joint together.
    pub(super) fn new(couples: bool) -> Self {
        Self {
            bias: RowBias::new(couples),
            ..Self::default()
        }
    }
}

/// A frame of substeps of equal length.
pub(super) struct Frame<'a> {
    pub(super) parameters: &'a VelocityParameters,
    pub(super) solver: &'a mut RowSolver,
    pub(super) work: &'a mut Workspace,
    pub(super) world: &'a mut World,
    /// Length of a substep \[s\].
    pub(super) h: f64,
    /// What to do where a solve misses its tolerance.
    pub(super) on_unsolved: OnUnsolved,
    pub(super) probe: &'a mut dyn Probe,
    pub(super) report: StepReport,
}

/// A substep whose rows are ready to be solved.
pub(super) struct Substep<'s, 'a> {
    pub(super) frame: &'s mut Frame<'a>,
    pub(super) rows: &'s mut FrozenRows,
    /// From 0.
    pub(super) index: u32,
}

impl<'a> Frame<'a> {
    /// Begins a frame; contacts that stick keep their anchors.
    pub(super) fn begin(
        parameters: &'a VelocityParameters,
        solver: &'a mut RowSolver,
        work: &'a mut Workspace,
        world: &'a mut World,
        h: f64,
        on_unsolved: OnUnsolved,
        probe: &'a mut dyn Probe,
    ) -> Self {
        if parameters.has_sticky_friction() {
            work.anchors.begin(world);
        }
        let report = StepReport {
            solves: Some(SolveCounts::default()),
            ..StepReport::default()
        };
        Self {
            parameters,
            solver,
            work,
            world,
            h,
            on_unsolved,
            probe,
            report,
        }
    }

    /// All substeps; the rows of the last.
    pub(super) fn run(&mut self) -> Result<Option<FrozenRows>, StepError> {
        let mut rows = self.reuse_rows();
        for index in 0..self.parameters.substeps {
            self.integrate_velocities();
            let mut substep = self.warm_start(&mut rows, index)?;
            if substep.integrate_frame()? {
                break;
            }
            if index == 0 {
                substep.hold_contacts();
            }
            substep.solve(Bias::On)?;
            substep.integrate_positions();
            substep.solve(Bias::Off)?;
            substep.store_velocities();
            substep.position_pass(PositionTime::Substep);
        }
        if let Some(rows) = &mut rows {
            let mut last = self.substep(rows, self.parameters.substeps - 1);
            last.apply_restitution()?;
            last.store_impulses();
            last.position_pass(PositionTime::Frame);
        }
        Ok(rows)
    }

    /// Finds the velocities of the bodies without constraints (T.1).
    pub(super) fn integrate_velocities(&mut self) {
        let (mode, report) = (self.parameters.gyroscopic, &mut self.report);
        self.work.free.integrate(self.world, mode, self.h, report);
    }

    /// A substep with these rows.
    pub(super) fn substep<'s>(
        &'s mut self,
        rows: &'s mut FrozenRows,
        index: u32,
    ) -> Substep<'s, 'a> {
        let frame = self;
        Substep { frame, rows, index }
    }
}

impl Substep<'_, '_> {
    /// Keeps the contacts of the start of the frame for later substeps, if their lever arms stay
    /// while those of joints follow.
    pub(super) fn hold_contacts(&mut self) {
        let Frame {
            parameters,
            work,
            world,
            ..
        } = &mut *self.frame;
        if parameters.holds_contacts(world) {
            world.contact_frames(parameters.contact_place, &mut work.rows.held);
        }
    }

    /// Moves every pose by h times its velocity, and by the pseudo-velocity if there is one (T.3,
    /// T.4).
    pub(super) fn integrate_positions(&mut self) {
        if self.relaxes_at_moved_poses() {
            // the impulses so far act where the bodies are, those of the relax solve where they
            // come to
            self.record_work();
            let velocities = self.frame.work.solved.velocities.chunks_exact(6);
            for (body, v) in self.frame.world.bodies.iter_mut().zip(velocities) {
                if body.is_dynamic() {
                    [body.velocity, body.spin] = split_spatial(v);
                }
            }
        }
        let Frame { world, work, h, .. } = &mut *self.frame;
        let (velocities, pseudo) = (&work.solved.velocities, &work.pseudo.velocities);
        let bodies = world.bodies.iter_mut().zip(&mut work.free.momenta);
        for (index, (body, kept)) in bodies.enumerate() {
            let mut v = [0.0; 6];
            v.copy_from_slice(&velocities[6 * index..6 * index + 6]);
            if !pseudo.is_empty() && body.is_dynamic() {
                for axis in 0..6 {
                    v[axis] += pseudo[6 * index + axis];
                }
            }
            let [velocity, spin] = split_spatial(&v);
            free::advance(body, kept.as_ref(), *h * velocity, &(*h * spin));
            if let Some(kept) = kept {
                let wrench = &work.solved.wrenches[6 * index..6 * index + 6];
                kept.follow(body, &split_spatial(wrench)[1], *h);
            }
        }
        world.time += *h;
        world.follow_turns(|_, body| *h * split_spatial(&velocities[6 * body..6 * body + 6])[1]);
        self.show(Stage::Integrated);
    }

    /// Gives the bodies their velocities at the end of the substep, and counts its work and the
    /// impulses of contacts that may bounce.
    pub(super) fn store_velocities(&mut self) {
        if !self.relaxes_at_moved_poses() {
            self.record_work();
        }
        self.write_velocities();
        if self.rows.may_bounce {
            let impulses = &self.frame.work.solved.impulses;
            for (sum, impulse) in self.rows.pushed.iter_mut().zip(impulses) {
                *sum += impulse;
            }
        }
    }

    /// Gives the bodies the velocities of the last solve; where the momentum is kept, those that
    /// belong to it at the present pose (T.50).
    pub(super) fn write_velocities(&mut self) {
        let Frame { world, work, .. } = &mut *self.frame;
        let velocities = work.solved.velocities.as_chunks::<6>().0.iter();
        let solved = velocities.zip(work.solved.wrenches.as_chunks::<6>().0);
        let bodies = world.bodies.iter_mut().zip(&work.free.momenta);
        for ((body, kept), (v, wrench)) in bodies.zip(solved) {
            if body.is_dynamic() {
                let [velocity, mut spin] = split_spatial(v);
                if let Some(kept) = kept {
                    spin = kept.spin(body, &split_spatial(wrench)[1]);
                }
                (body.velocity, body.spin) = (velocity, spin);
            }
        }
    }

    /// Corrects the poses, if this is the time (T.12).
    pub(super) fn position_pass(&mut self, time: PositionTime) {
        let passes = self.frame.parameters.position_passes();
        if passes.sweeps > 0 && self.frame.parameters.position_time == time {
            let (far, memory) = (&self.rows.assembly.far, &mut self.frame.work.positions);
            let updates = position::passes(self.frame.world, &passes, far, memory);
            self.frame.report.progress.row_updates += updates;
        }
    }

    /// Stores the impulses in the world, from which the next frame starts; contacts that slide
    /// release their anchors.
    pub(super) fn store_impulses(&mut self) {
        let frame = &mut *self.frame;
        let (assembly, impulses) = (&self.rows.assembly, &frame.work.solved.impulses);
        assembly.store_impulses(frame.world, impulses, frame.h);
        if frame.parameters.has_sticky_friction() {
            frame.work.anchors.end(frame.world, assembly, impulses);
        }
        frame.report.rows = assembly.problem.rows();
    }

    /// Adds what forces and the impulses of all rows did to the report.
    fn record_work(&mut self) {
        let frame = &mut *self.frame;
        let (assembly, solved) = (&self.rows.assembly, &frame.work.solved);
        work::record(frame.world, assembly, solved, frame.h, &mut frame.report);
    }

    /// Shows the substep to the probe.
    pub(super) fn show(&mut self, stage: Stage) {
        let frame = &mut *self.frame;
        if frame.probe.wants(stage) {
            let view = StepView {
                substep: self.index,
                h: frame.h,
                world: frame.world,
                problem: Some(&self.rows.assembly.problem),
                impulses: &frame.work.solved.impulses,
            };
            frame.probe.at(stage, &view);
        }
    }

    /// True if some rows of the relax solve are frozen at the moved poses.
    pub(super) fn relaxes_at_moved_poses(&self) -> bool {
        let frame = &*self.frame;
        frame.parameters.relaxes_at_moved_poses(frame.world)
    }
}

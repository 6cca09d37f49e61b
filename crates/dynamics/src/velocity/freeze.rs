//! Rows that are ready to be solved: frozen, or those of the frame with current numbers.

use delassus_core::{Activity, Changes, Start};

use super::frozen::Frozen;
use super::parameters::{
    AnchorMode, BouncingContacts, FrictionPasses, RelaxPoses, Restitution, WarmRows, WarmStart,
};
use super::stabilization::Pass;
use super::{VelocityScheme, free};
use crate::assembly::Assembly;
use crate::error::StepError;
use crate::scheme::StepReport;
use crate::world::World;

impl VelocityScheme {
    /// Freezes the rows, or brings those of the frame up to date; the solver is ready to iterate.
    pub(super) fn begin(
        &mut self,
        world: &mut World,
        frame: Option<Frozen>,
        h: f64,
        report: &mut StepReport,
    ) -> Result<Frozen, StepError> {
        match frame {
            Some(frozen) if !self.freezes_often(world) || self.has_followed(world) => {
                self.resume(world, frozen, h, report)
            }
            earlier => self.freeze(world, earlier, h, report),
        }
    }

    /// True if a substep leaves rows that are those of the next one: the relax pass has frozen them
    /// at its poses.
    fn has_followed(&self, world: &World) -> bool {
        let warm = self.parameters.warm_rows == WarmRows::All;
        warm && self.relaxes_moved(world) && !self.parameters.corrects_in_substeps()
    }

    /// True if rows are frozen in every substep.
    pub(super) fn freezes_often(&self, world: &World) -> bool {
        self.parameters.anchors == AnchorMode::Rotated || self.freezes_again(world)
    }

    /// True if the joints are frozen in every substep and the contacts are held.
    fn freezes_again(&self, world: &World) -> bool {
        self.parameters.anchors == AnchorMode::FixedContacts && !world.joints.is_empty()
    }

    /// The rows of the frame with current errors and forces.
    pub(super) fn resume(
        &mut self,
        world: &World,
        mut frozen: Frozen,
        h: f64,
        report: &mut StepReport,
    ) -> Result<Frozen, StepError> {
        let free = (&mut self.free, &mut self.momenta);
        free::velocities(world, self.parameters.gyroscopic, h, free, report);
        frozen.assembly.problem.set_free_velocity(&self.free)?;
        let relaxed = self.parameters.relax_sweeps > 0
            && self.parameters.relax_separations == RelaxPoses::Moved;
        if !relaxed || self.parameters.corrects_in_substeps() {
            // otherwise those of the relaxed pass, at these poses
            frozen.assembly.update_errors(world, &mut self.evaluated);
        }
        self.carrying.leaves = false;
        self.carrying.goes_on &= self.holds && self.may_carry(world, &frozen, h);
        if self.carrying.goes_on {
            // the solver finds the bias itself
            let what = Changes {
                free_velocity: true,
                ..Changes::default()
            };
            self.go_on(&frozen.assembly.problem, what)?;
            return Ok(frozen);
        }
        let what = self.set_bias(world, &mut frozen.assembly, h, Pass::Biased)?;
        if self.parameters.warm_start == WarmStart::Off {
            self.impulses.fill(0.0);
            self.solver.prepare(&frozen.assembly.problem, Start::Cold)?;
            self.holds = true;
        } else {
            let what = Changes {
                free_velocity: true,
                ..what
            };
            self.go_on(&frozen.assembly.problem, what)?;
        }
        Ok(frozen)
    }

    /// The rows of a substep, at the present poses.
    pub(super) fn freeze(
        &mut self,
        world: &mut World,
        mut earlier: Option<Frozen>,
        h: f64,
        report: &mut StepReport,
    ) -> Result<Frozen, StepError> {
        let free = (&mut self.free, &mut self.momenta);
        free::velocities(world, self.parameters.gyroscopic, h, free, report);
        let mut frozen = self.rows(world, earlier.as_mut(), h)?;
        self.spare.extend(earlier);
        // a solver that has taken the last frame finds the bias of this one itself
        self.carrying.leaves = self.carrying.taken && self.may_carry(world, &frozen, h);
        if !self.carrying.leaves {
            self.set_bias(world, &mut frozen.assembly, h, Pass::Biased)?;
        }
        self.load(world, &frozen.assembly, h);
        let start = match self.parameters.warm_start {
            WarmStart::Off => Start::Cold,
            WarmStart::On | WarmStart::Scaled => Start::Warm(&self.impulses),
        };
        self.solver.prepare(&frozen.assembly.problem, start)?;
        self.holds = true;
        Ok(frozen)
    }

    /// Rows at the present poses, for bodies that have the free velocities without them; impulses
    /// and the memory of bounces are those of `earlier` rows of the frame.
    pub(super) fn rows(
        &mut self,
        world: &mut World,
        mut earlier: Option<&mut Frozen>,
        h: f64,
    ) -> Result<Frozen, StepError> {
        self.carrying.goes_on = false;
        if let Some(earlier) = &earlier {
            earlier.assembly.store_impulses(world, &self.impulses, h);
        }
        let mut spare = self.spare.pop();
        let held = match &mut earlier {
            Some(earlier) => earlier.held.take(),
            None if self.freezes_again(world) => {
                let frames = spare.as_mut().and_then(|spare| spare.held.take());
                let mut frames = frames.unwrap_or_default();
                world.contact_frames(self.parameters.contact_place, &mut frames);
                Some(frames)
            }
            None => None,
        };
        let selection = self.parameters.selection();
        let mut frozen = Frozen::new(spare, world, &self.free, h, selection, held)?;
        match earlier {
            Some(earlier) => frozen.keep_history(earlier),
            None => self.measure_approach(world, &mut frozen),
        }
        let approach = &frozen.approach;
        self.bias
            .freeze(world, &frozen.assembly, &self.parameters, h, approach);
        Ok(frozen)
    }

    /// How fast the contacts of a new frame approach, of those that may bounce.
    fn measure_approach(&self, world: &World, frozen: &mut Frozen) {
        if self.parameters.restitution == Restitution::BiasAfterForces {
            frozen.approach_at(&self.free);
        }
        if self.parameters.bouncing_contacts == BouncingContacts::New {
            frozen.bounce_once(world);
        }
    }

    /// Bias, compliance and active rows of a pass; says what changed.
    pub(super) fn set_bias(
        &mut self,
        world: &World,
        assembly: &mut Assembly,
        h: f64,
        pass: Pass,
    ) -> Result<Changes, StepError> {
        self.look_for_slips(world, assembly, pass);
        self.bias.fill(world, assembly, &self.parameters, h, pass);
        assembly.problem.swap_bias(&mut self.bias.bias)?;
        if self.bias.soft {
            let problem = &mut assembly.problem;
            let coupled = self.bias.shared(&self.parameters, pass);
            if problem.coupled_compliance() == coupled {
                problem.swap_compliance(&mut self.bias.compliance)?;
            } else {
                problem.set_block_compliance(&self.bias.compliance, coupled)?;
            }
        }
        let relax_only = self.parameters.friction == FrictionPasses::RelaxOnly;
        let held = pass == Pass::Pseudo
            || (relax_only && pass == Pass::Biased && self.parameters.relax_sweeps > 0);
        let activity = if held {
            Activity::NormalsOnly
        } else {
            Activity::Solve
        };
        let changes = assembly.problem.uniform_activity() != Some(activity);
        if changes {
            assembly.problem.set_all_activity(activity);
        }
        Ok(Changes {
            bias: true,
            compliance: self.bias.soft,
            free_velocity: false,
            activity: changes,
        })
    }

    /// The warm start of the first substep, from the impulses that the world stores (T.9).
    pub(super) fn load(&mut self, world: &World, assembly: &Assembly, h: f64) {
        assembly.load_impulses(world, &mut self.impulses);
        let factor = match self.parameters.warm_start {
            WarmStart::Off => 0.0,
            WarmStart::On => 1.0,
            WarmStart::Scaled if world.impulse_step > 0.0 => h / world.impulse_step,
            WarmStart::Scaled => 1.0,
        };
        self.impulses.iter_mut().for_each(|x| *x *= factor);
        if self.parameters.warm_rows == WarmRows::Contacts {
            self.impulses[assembly.joint_rows.clone()].fill(0.0);
        }
    }
}

//! Rows that are ready to be solved: frozen, or those of the frame with current numbers.

use delassus_core::{Activity, Refresh, Start};

use super::bias::Pass;
use super::frozen::Frozen;
use super::parameters::{AnchorMode, FrictionPasses, WarmRows, WarmStart};
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
            Some(frozen) if !self.freezes_often(world) => self.resume(world, frozen, h, report),
            earlier => self.freeze(world, earlier, h, report),
        }
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
        free::velocities(world, self.parameters.gyroscopic, h, &mut self.free, report);
        frozen.assembly.problem.set_free_velocity(&self.free)?;
        if self.parameters.relax_sweeps == 0 {
            // otherwise those of the relaxed pass, at these poses
            frozen.assembly.update_errors(world, &mut self.evaluated);
        }
        self.carrying.leaves = false;
        self.carrying.goes_on &= self.holds && self.may_carry(world, &frozen, h);
        if self.carrying.goes_on {
            // the solver finds the bias itself
            let what = Refresh {
                free_velocity: true,
                ..Refresh::default()
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
            let what = Refresh {
                free_velocity: true,
                ..what
            };
            self.go_on(&frozen.assembly.problem, what)?;
        }
        Ok(frozen)
    }

    /// The rows at the present poses.
    pub(super) fn freeze(
        &mut self,
        world: &mut World,
        mut earlier: Option<Frozen>,
        h: f64,
        report: &mut StepReport,
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
                world.contact_frames(&mut frames);
                Some(frames)
            }
            None => None,
        };
        free::velocities(world, self.parameters.gyroscopic, h, &mut self.free, report);
        let selection = self.parameters.selection();
        let mut frozen = Frozen::new(spare, world, &self.free, h, selection, held)?;
        if let Some(earlier) = earlier {
            frozen.keep_history(&earlier);
            self.spare.push(earlier);
        }
        let approach = &frozen.approach;
        self.bias
            .freeze(world, &frozen.assembly, &self.parameters, h, approach);
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

    /// Bias, compliance and active rows of a pass; says what changed.
    pub(super) fn set_bias(
        &mut self,
        world: &World,
        assembly: &mut Assembly,
        h: f64,
        pass: Pass,
    ) -> Result<Refresh, StepError> {
        self.look_for_slips(world, assembly, pass);
        self.bias.fill(world, assembly, &self.parameters, h, pass);
        assembly.problem.swap_bias(&mut self.bias.bias)?;
        if self.bias.soft {
            let (compliance, coupled) = (&mut self.bias.compliance, &self.bias.coupled);
            let problem = &mut assembly.problem;
            if problem.coupled_compliance() == coupled {
                problem.swap_compliance(compliance)?;
            } else {
                problem.set_block_compliance(compliance, coupled)?;
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
        Ok(Refresh {
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

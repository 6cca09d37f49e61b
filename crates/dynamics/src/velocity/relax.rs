//! The relax pass (T.15): the same rows without stabilisation, from the impulses reached, after the
//! poses have moved.
//!
//! Where the Jacobians follow the bodies, the rows of the pass are those of the moved poses. They
//! change the velocities that the pass begins with by the impulses that it adds, and by nothing
//! else: its free velocities are what v_f + M⁻¹Jᵀλ gives for the impulses λ and the rows of the
//! solve before (T.38).

use delassus_core::Start;

use super::frozen::Frozen;
use super::parameters::RelaxPoses;
use super::stabilization::Pass;
use super::{VelocityScheme, work};
use crate::error::StepError;
use crate::scheme::{Probe, Stage, StepReport};
use crate::six::halves;
use crate::world::World;

impl VelocityScheme {
    /// True if some rows of the relax pass are frozen at the moved poses.
    pub(super) fn relaxes_moved(&self, world: &World) -> bool {
        let knobs = &self.parameters;
        knobs.relax_sweeps > 0 && knobs.relax_arms == RelaxPoses::Moved && self.freezes_often(world)
    }

    /// The pass with the rows of the solve before.
    pub(super) fn relax(
        &mut self,
        world: &World,
        frozen: &mut Frozen,
        (substep, h): (u32, f64),
        probe: &mut dyn Probe,
        report: &mut StepReport,
    ) -> Result<(), StepError> {
        match self.parameters.relax_separations {
            RelaxPoses::Kept => frozen.assembly.update_joints(world, &mut self.evaluated),
            RelaxPoses::Moved => frozen.assembly.update_errors(world, &mut self.evaluated),
        }
        let what = self.set_bias(world, &mut frozen.assembly, h, Pass::Relaxed)?;
        self.go_on(&frozen.assembly.problem, what)?;
        self.solve(&frozen.assembly, self.parameters.relax_sweeps, report)?;
        self.show(world, frozen, (Stage::Relaxed, substep, h), probe);
        Ok(())
    }

    /// The pass with rows of the moved poses, which are returned; the bodies of the world have the
    /// velocities that moved them.
    pub(super) fn relax_moved(
        &mut self,
        world: &mut World,
        mut earlier: Frozen,
        (substep, h): (u32, f64),
        probe: &mut dyn Probe,
        report: &mut StepReport,
    ) -> Result<Frozen, StepError> {
        self.free.clone_from(&self.velocities);
        let mut frozen = self.rows(world, Some(&mut earlier), h)?;
        if self.parameters.relax_separations == RelaxPoses::Kept {
            frozen.assembly.keep_separations(&earlier.assembly);
        }
        self.spare.push(earlier);
        self.start_from_moved(world, &mut frozen)?;
        self.set_bias(world, &mut frozen.assembly, h, Pass::Relaxed)?;
        let start = Start::Warm(&self.impulses);
        self.solver.prepare(&frozen.assembly.problem, start)?;
        self.holds = true;
        self.beside.clone_from(&self.impulses);
        self.solve(&frozen.assembly, self.parameters.relax_sweeps, report)?;
        self.show(world, &frozen, (Stage::Relaxed, substep, h), probe);
        for (gained, impulse) in self.beside.iter_mut().zip(&self.impulses) {
            *gained = impulse - *gained;
        }
        let (gained, velocities) = (&self.beside, &self.velocities);
        work::rows(world, &frozen.assembly, gained, velocities, report);
        Ok(frozen)
    }

    /// Free velocities from which the impulses reached lead to the velocities that moved the bodies
    /// (T.38).
    fn start_from_moved(&mut self, world: &World, frozen: &mut Frozen) -> Result<(), StepError> {
        let assembly = &mut frozen.assembly;
        assembly.load_impulses(world, &mut self.impulses);
        let moved = &mut self.moved_wrenches;
        moved.resize(self.free.len(), 0.0);
        assembly.body_velocities(&self.impulses, moved, &mut self.velocities);
        for (free, pushed) in self.free.iter_mut().zip(&self.velocities) {
            *free -= pushed - *free;
        }
        // the same for the momentum that is kept: the impulses reached acted where the bodies were
        let wrenches = self.wrenches.chunks_exact(6).zip(moved.chunks_exact(6));
        for (kept, (before, after)) in self.momenta.iter_mut().zip(wrenches) {
            if let Some(kept) = kept {
                kept.momentum += halves(before)[1] - halves(after)[1];
            }
        }
        assembly.problem.set_free_velocity(&self.free)?;
        Ok(())
    }
}

//! Solves beside those of the substep: the second velocity field of split impulses, and restitution.

use delassus_core::Start;

use super::bias::{self, Pass};
use super::frozen::Frozen;
use super::parameters::{Restitution, Stabilization};
use super::{VelocityScheme, set_velocities, work};
use crate::assembly::Assembly;
use crate::error::StepError;
use crate::scheme::{Probe, Stage, StepReport};
use crate::world::World;

/// Corrections that split impulses leave alone \[m | rad\]: a few roundings of coordinates of a metre. A problem with
/// nothing but rounding in it is contradictory where rows are redundant, and a direct solver refuses it.
const RESOLUTION: f64 = 1e-15;

impl VelocityScheme {
    /// The second velocity field of split impulses, 6 per body; empty without them.
    pub(super) fn pseudo_velocities(
        &mut self,
        world: &World,
        assembly: &mut Assembly,
        h: f64,
        report: &mut StepReport,
    ) -> Result<Vec<f64>, StepError> {
        if self.parameters.stabilization != Stabilization::SplitImpulse {
            return Ok(Vec::new());
        }
        let mut pseudo = assembly.clone();
        pseudo
            .problem
            .set_free_velocity(&vec![0.0; self.free.len()])?;
        self.set_bias(world, &mut pseudo, h, Pass::Pseudo)?;
        let small = |bias: &f64| (bias * h).abs() <= RESOLUTION;
        if pseudo.problem.bias().iter().all(small) {
            return Ok(Vec::new());
        }
        self.solver.prepare(&pseudo.problem, Start::Cold)?;
        self.holds = false;
        self.iterate(&pseudo.problem, self.parameters.sweeps, report)?;
        let mut impulses = vec![0.0; pseudo.problem.rows()];
        self.solver.read_impulses(&mut impulses)?;
        let mut velocities = vec![0.0; self.free.len()];
        pseudo.problem.body_velocities(&impulses, &mut velocities)?;
        Ok(velocities)
    }

    /// A last solve in which the contacts that hit bounce (T.14).
    pub(super) fn bounce(
        &mut self,
        world: &mut World,
        frozen: &mut Frozen,
        h: f64,
        probe: &mut dyn Probe,
        report: &mut StepReport,
    ) -> Result<(), StepError> {
        let last = self.parameters.restitution == Restitution::LastPass;
        if !last || world.manifolds.iter().all(|m| m.restitution == 0.0) {
            return Ok(());
        }
        self.set_bias(world, &mut frozen.assembly, h, Pass::Relaxed)?;
        let threshold = self.parameters.restitution_threshold;
        let (approach, pushed) = (&frozen.approach, &frozen.pushed);
        let assembly = &frozen.assembly;
        if !bias::restitution(world, assembly, threshold, approach, pushed, &mut self.bias) {
            return Ok(());
        }
        frozen.assembly.problem.swap_bias(&mut self.bias.bias)?;
        self.solver
            .prepare(&frozen.assembly.problem, Start::Warm(&self.impulses))?;
        let sweeps = self.parameters.sweeps.max(self.parameters.relax_sweeps);
        let earlier = self.impulses.clone();
        self.solve(&frozen.assembly, sweeps, report)?;
        self.show(
            world,
            frozen,
            (Stage::Restituted, self.parameters.substeps - 1, h),
            probe,
        );
        let gained: Vec<f64> = self
            .impulses
            .iter()
            .zip(&earlier)
            .map(|(x, y)| x - y)
            .collect();
        work::rows(world, &frozen.assembly, &gained, &self.velocities, report);
        set_velocities(world, &self.velocities);
        Ok(())
    }
}

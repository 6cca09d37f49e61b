//! Solves beside those of the substep: the second velocity field of split impulses, and
//! restitution.

use delassus_core::Start;

use super::bias;
use super::frozen::Frozen;
use super::parameters::{Restitution, Stabilization};
use super::stabilization::Pass;
use super::{VelocityScheme, work};
use crate::assembly::Assembly;
use crate::error::StepError;
use crate::scheme::{Probe, Stage, StepReport};
use crate::world::World;

/// Corrections that split impulses leave alone \[m | rad\]: a few roundings of coordinates of a
/// metre. A problem with nothing but rounding in it is contradictory where rows are redundant, and
/// a direct solver refuses it.
const RESOLUTION: f64 = 1e-15;

impl VelocityScheme {
    /// Solves for the second velocity field of split impulses; empty without them.
    pub(super) fn find_pseudo_velocities(
        &mut self,
        world: &World,
        assembly: &mut Assembly,
        h: f64,
        report: &mut StepReport,
    ) -> Result<(), StepError> {
        self.pseudo.clear();
        if self.parameters.stabilization != Stabilization::SplitImpulse {
            return Ok(());
        }
        self.pseudo.resize(self.free.len(), 0.0);
        assembly.problem.set_free_velocity(&self.pseudo)?;
        self.set_bias(world, assembly, h, Pass::Pseudo)?;
        let small = |bias: &f64| (bias * h).abs() <= RESOLUTION;
        if assembly.problem.bias().iter().all(small) {
            self.pseudo.clear();
        } else {
            self.solve_pseudo(assembly, report)?;
        }
        // the problem of the substep again
        assembly.problem.set_free_velocity(&self.free)?;
        self.set_bias(world, assembly, h, Pass::Biased)?;
        Ok(())
    }

    fn solve_pseudo(
        &mut self,
        assembly: &Assembly,
        report: &mut StepReport,
    ) -> Result<(), StepError> {
        let problem = &assembly.problem;
        self.solver.prepare(problem, Start::Cold)?;
        self.holds = false;
        self.iterate(problem, self.parameters.sweeps, report)?;
        self.beside.resize(problem.rows(), 0.0);
        self.solver.read_impulses(&mut self.beside)?;
        problem.body_velocities(&self.beside, &mut self.pseudo)?;
        Ok(())
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
        self.beside.clone_from(&self.impulses);
        self.solve(&frozen.assembly, sweeps, report)?;
        self.show(
            world,
            frozen,
            (Stage::Restituted, self.parameters.substeps - 1, h),
            probe,
        );
        for (gained, impulse) in self.beside.iter_mut().zip(&self.impulses) {
            *gained = impulse - *gained;
        }
        let gained = &self.beside;
        work::rows(world, &frozen.assembly, gained, &self.velocities, report);
        self.set_velocities(world);
        Ok(())
    }
}

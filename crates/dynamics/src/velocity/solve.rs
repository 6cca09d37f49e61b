//! The solves of a substep.

use delassus_core::{Changes, Precision, Problem, SolverUpdate, Start};

use super::VelocityScheme;
use crate::assembly::Assembly;
use crate::error::StepError;
use crate::scheme::StepReport;

impl VelocityScheme {
    /// Makes the solver ready for the same rows with other numbers, from the impulses reached.
    pub(super) fn go_on(&mut self, problem: &Problem, changed: Changes) -> Result<(), StepError> {
        if self.holds {
            self.solver
                .update(problem, SolverUpdate::Numbers(changed))?;
        } else {
            self.solver.prepare(problem, Start::Warm(&self.impulses))?;
            self.holds = true;
        }
        Ok(())
    }

    /// The last solve of a substep: the impulses are read, and the velocities follow from them, so
    /// that action and reaction agree to the rounding of f64 whatever the solver computes in.
    pub(super) fn solve(
        &mut self,
        assembly: &Assembly,
        sweeps: u32,
        report: &mut StepReport,
    ) -> Result<(), StepError> {
        self.iterate(&assembly.problem, sweeps, report)?;
        self.solver.read_impulses(&mut self.impulses)?;
        self.velocities.resize(self.free.len(), 0.0);
        self.wrenches.resize(self.free.len(), 0.0);
        assembly.body_velocities(&self.impulses, &mut self.wrenches, &mut self.velocities);
        Ok(())
    }

    /// A solve that another one follows. Its velocities only move the poses, and a solver in f32
    /// has rounded its impulses already: its own velocities serve. The impulses are read if
    /// somebody looks.
    pub(super) fn solve_first(
        &mut self,
        assembly: &Assembly,
        look: bool,
        report: &mut StepReport,
    ) -> Result<(), StepError> {
        let own = self.solver.descriptor().precision == Precision::F32;
        if self.parameters.relax_sweeps == 0 || !own {
            return self.solve(assembly, self.parameters.sweeps, report);
        }
        let problem = &assembly.problem;
        self.iterate(problem, self.parameters.sweeps, report)?;
        if look {
            self.solver.read_impulses(&mut self.impulses)?;
        }
        self.velocities.resize(self.free.len(), 0.0);
        self.solver.read_velocities(problem, &mut self.velocities)?;
        for (v, free) in self.velocities.iter_mut().zip(&self.free) {
            // what the solver added to v_f as it saw it: a body that nothing touches moves with v_f
            // itself
            *v = free + (*v - single(*free));
        }
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

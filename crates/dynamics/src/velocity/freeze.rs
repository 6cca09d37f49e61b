//! The problem of one step of a world, for who solves it without a scheme.

use delassus_core::Problem;

use super::bias::RowBias;
use super::free::FreeMotion;
use super::parameters::VelocityParameters;
use super::springs::check_rates;
use super::stabilization::Bias;
use crate::assembly::Assembly;
use crate::error::StepError;
use crate::scheme::StepReport;
use crate::world::World;

impl World {
    /// Freezes the problem of a step of `h` \[s\] from the present poses: rows of the joints, and
    /// of the contacts that are given or found. The bodies have the order of [`Self::bodies`].
    ///
    /// The free velocities are those after gravity, forces, damping and the gyroscopic torque. No
    /// position error is corrected: joints and overlaps that are off stay so, and open contacts may
    /// close their gap within the step. Springs of soft joints and contacts, and impedances, are
    /// part of the problem, restitution is not.
    ///
    /// ```
    /// use delassus_dynamics::{Body, Inertia, World};
    /// use nalgebra::Vector3;
    ///
    /// let mut world = World::new(Vector3::new(0.0, -10.0, 0.0))?;
    /// let ground = world.add_body(Body::fixed(Vector3::zeros()))?;
    /// let stone = world.add_body(Body::dynamic(Inertia::point(3.0), Vector3::zeros()))?;
    /// world.add_contact(ground, stone, Vector3::zeros(), Vector3::y(), 0.5)?;
    /// let problem = world.freeze(0.01)?;
    /// // normal, and two tangents
    /// assert_eq!(problem.b(), [-0.1, 0.0, 0.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// A time step that is not above zero, a spring that is too fast for it, rows that make no
    /// valid problem.
    pub fn freeze(&self, h: f64) -> Result<Problem, StepError> {
        StepError::check_time_step(h)?;
        check_rates(self, h)?;
        let mut world = self.clone();
        world.find_contacts(0.0);
        let parameters = VelocityParameters::default();
        let mut free = FreeMotion::default();
        let mut report = StepReport::default();
        free.integrate(&world, parameters.gyroscopic, h, &mut report);
        let (velocities, selection) = (&free.velocities, parameters.selection());
        let mut assembly = Assembly::new(&world, velocities, h, selection, None)?;
        let mut bias = RowBias::default();
        bias.freeze(&world, &assembly, &parameters, h, &[]);
        bias.compute(&world, &assembly, &parameters, h, Bias::Off);
        let problem = &mut assembly.problem;
        problem.set_bias(&bias.bias)?;
        problem.set_block_compliance(&bias.compliance, &bias.coupled)?;
        Ok(assembly.problem)
    }
}

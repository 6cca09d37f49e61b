//! Velocity-level time stepping: one frozen problem per substep, solved by any impulse solver.
//!
//! A substep applies forces (T.1), freezes the rows (T.7), solves them with a stabilising bias
//! (T.10), moves the poses (T.3, T.4) and solves again without the bias (T.15). All options are
//! fields of [`VelocityParameters`]; the published methods are [`presets()`].
//!
//! Loop budget of a frame of n substeps, with s sweeps of the solve with bias and r > 0 of that
//! without, over m rows and k bodies whose lever arms stay:
//!
//! n (s + r) sweeps + 1 freeze + 2n biases + n separations + 2n sums Jᵀλ over the m rows,
//! 6n loops over the k bodies (free velocities, v⁺ twice, poses, work, velocities written).
//!
//! Lever arms that follow the bodies make it n + 1 freezes, or n where the solve without bias keeps
//! its arms (2n where position passes move the bodies in between). A frame that the solver
//! integrates takes 1 freeze and no biases (T.32), (T.59). A solve to a tolerance adds one residual
//! per sweep (T.30). With lever arms that stay, a substep reads the Jacobians of joints, patches,
//! and contacts with bodies that do not move (for their work), and no others: separations take two
//! rotations per manifold, velocities one sum per manifold (T.19). Bias vectors are swapped with
//! the problem and not copied. After the first few, a step allocates nothing with solvers that
//! sweep over rows.
//!
//! Precision: the velocities of an f32 solver move the poses. Those of the next substep follow from
//! the impulses in f64, so that momentum is kept to the rounding of f64. Nearest siblings: XPBD and
//! AVBD work on the positions and freeze no problem.
//!
//! Limitations: order 1 in the step; contacts are those of the start of the frame. A world that
//! keeps contacts which hardly moved may keep their rows; a step then depends, within that
//! tolerance, on the poses of the step that froze them. Theory: docs/theory/10-time-stepping.md.
//! Source: \[Catto2024\], \[Macklin2019\], \[Stewart1996\].

mod anchors;
mod bias;
mod frame_integration;
mod frame_joints;
pub(crate) mod free;
mod freeze;
mod frozen;
mod impedance;
mod integrate_frame;
mod least_motion;
pub(crate) mod parameters;
mod position;
mod presets;
mod row_solver;
mod solve;
mod springs;
mod stabilization;
mod stop;
mod substep;
mod unsolved;
mod warm_start;
mod work;

use delassus_core::{Fidelity, ImpulseSolver, ParameterError, Parameters};

pub use parameters::{
    AnchorMode, BouncingContacts, FrictionPasses, Gyroscopic, LimitRows, OpenRows, PositionTime,
    PushLimit, RelaxPoses, Restitution, Stabilization, VelocityParameters, WarmRows, WarmStart,
};
pub use presets::{Preset, presets};
pub use stop::{OnUnsolved, SolveStop, ToleranceKind};

use crate::assembly::{Assembly, Selection};
use crate::backup::WorldBackup;
use crate::error::{SchemeError, StepError};
use crate::joint::SoftnessCoupling;
use crate::scheme::{Probe, Scheme, SchemeDescriptor, StepReport};
use crate::world::World;
use anchors::StickingAnchors;
use bias::RowBias;
use free::FreeMotion;
use row_solver::RowSolver;
pub(crate) use springs::check_frequencies;
use stabilization::Bias;
use substep::{Frame, Workspace};

/// The velocity-level scheme (T.1)–(T.15).
pub struct VelocityScheme {
    parameters: VelocityParameters,
    solver: RowSolver,
    workspace: Workspace,
    /// The world before the step, and before the part of it that may be repeated.
    backup: WorldBackup,
    attempt: WorldBackup,
}

impl std::fmt::Debug for VelocityScheme {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("VelocityScheme")
            .field("parameters", &self.parameters)
            .field("solver", &self.solver.inner.descriptor().id)
            .finish_non_exhaustive()
    }
}

impl VelocityScheme {
    /// What the scheme declares about itself.
    pub const DESCRIPTOR: SchemeDescriptor = SchemeDescriptor {
        id: "velocity",
        aliases: &["time-stepping"],
        name: "Velocity-level time stepping",
        summary: "one frozen velocity problem per substep, with any solver; the presets are values of its parameters",
        citations: &["Stewart1996", "Macklin2019", "Catto2024"],
        theory: &["T.1", "T.3", "T.4", "T.7", "T.10", "T.15", "T.30"],
        uses_solver: true,
        preset_of: None,
    };

    /// Builds the scheme around a solver.
    ///
    /// # Errors
    /// A parameter out of its range.
    pub fn new(
        parameters: VelocityParameters,
        solver: Box<dyn ImpulseSolver>,
    ) -> Result<Self, ParameterError> {
        parameters.validate()?;
        let couples = parameters.stabilization == Stabilization::Soft
            && parameters.joint_coupling == SoftnessCoupling::Block
            && solver.descriptor().coupled_compliance;
        Ok(Self {
            parameters,
            solver: RowSolver::new(solver),
            workspace: Workspace::new(couples),
            backup: WorldBackup::default(),
            attempt: WorldBackup::default(),
        })
    }

    /// The parameters.
    pub fn parameters(&self) -> &VelocityParameters {
        &self.parameters
    }

    /// Steps the world by `dt` \[s\] on the contacts that it has.
    fn frame(
        &mut self,
        world: &mut World,
        dt: f64,
        on_unsolved: OnUnsolved,
        probe: &mut dyn Probe,
    ) -> Result<StepReport, StepError> {
        let (parameters, solver, work) = (&self.parameters, &mut self.solver, &mut self.workspace);
        let h = dt / f64::from(parameters.substeps);
        let mut frame = Frame::begin(parameters, solver, work, world, h, on_unsolved, probe);
        let rows = frame.run();
        let report = frame.report;
        match rows {
            Ok(rows) => self.workspace.rows.last = rows,
            Err(error) => {
                self.workspace.unfinished = report;
                return Err(error);
            }
        }
        Ok(report)
    }
}

impl Scheme for VelocityScheme {
    fn descriptor(&self) -> &SchemeDescriptor {
        &Self::DESCRIPTOR
    }

    fn check(&self, world: &World) -> Result<Fidelity, SchemeError> {
        let likely = world.with_likely_contact();
        let world = likely.as_ref().unwrap_or(world);
        let parameters = &self.parameters;
        impedance::check(world, parameters)?;
        let mut free = FreeMotion::default();
        free.integrate(
            world,
            parameters.gyroscopic,
            1.0,
            &mut StepReport::default(),
        );
        let selection = Selection::default();
        let mut assembly = Assembly::new(world, &free.velocities, 1.0, selection, None)?;
        let mut bias = RowBias::default();
        bias.freeze(world, &assembly, parameters, 1.0, &[]);
        // solvers differ in the compliance that they take or need, and so do solves of a substep
        let mut check = |solve| -> Result<Fidelity, SchemeError> {
            bias.compute(world, &assembly, parameters, 1.0, solve);
            let problem = &mut assembly.problem;
            problem.set_block_compliance(&bias.compliance, &bias.coupled)?;
            Ok(self.solver.inner.check(problem)?)
        };
        if parameters.relax_sweeps > 0 {
            check(Bias::Off)?;
        }
        if parameters.stabilization == Stabilization::SplitImpulse {
            check(Bias::Alone)?;
        }
        check(Bias::On)
    }

    fn factorizations(&self) -> Option<u64> {
        self.solver.inner.facts().factorizations
    }

    fn step(
        &mut self,
        world: &mut World,
        dt: f64,
        probe: &mut dyn Probe,
    ) -> Result<StepReport, StepError> {
        StepError::check_time_step(dt)?;
        let h = dt / f64::from(self.parameters.substeps);
        springs::check_rates(world, h)?;
        impedance::check(world, &self.parameters)?;
        let mut backup = std::mem::take(&mut self.backup);
        let outcome = backup.guard(world, |world| self.advance(world, dt, probe));
        self.backup = backup;
        if outcome.is_err() {
            // the anchors of contacts that the world has forgotten again
            self.workspace.anchors = StickingAnchors::default();
        }
        outcome
    }
}

//! `velocity`: time stepping by one velocity-level problem per substep, solved by any impulse solver.
//!
//! A substep adds forces (T.1), freezes the rows (T.7), solves them with a stabilising bias (T.10), moves the poses with
//! the new velocities (T.3, T.4) and solves again without the bias (T.15). Every knob is data
//! ([`VelocityParameters`]); the named methods of the literature are [`presets()`].
//!
//! Cost: per substep one solve of `sweeps`, one of `relax_sweeps`, and one freeze of the rows where the lever arms
//! follow the bodies; with fixed arms a freeze per frame and two `refresh` per substep.
//! Nearest siblings: XPBD and AVBD work on the positions and have no frozen problem.
//!
//! Limitations: order 1 in the step; softness is diagonal, so that rows of one block do not share a spring; contacts
//! are those of the start of the frame.
//! Theory: docs/theory/10-time-stepping.md. Source: \[Catto2024\], \[Macklin2019\], \[Stewart1996\].

mod bias;
pub(crate) mod free;
pub(crate) mod parameters;
mod position;
mod presets;
mod work;

use delassus_core::{Activity, Fidelity, ImpulseSolver, ParameterError, Problem, Refresh, Start};
use nalgebra::Vector3;

pub use parameters::{
    AnchorMode, FrictionPasses, Gyroscopic, PositionPasses, Stabilization, VelocityParameters,
    WarmStart,
};
pub use presets::{Preset, presets};

use crate::assembly::{Assembly, RowKind};
use crate::contact::ContactFrame;
use crate::error::{FieldError, SchemeError, StepError};
use crate::scheme::{Probe, Scheme, SchemeDescriptor, Stage, StepReport, StepView};
use crate::world::World;
use bias::{Bias, Pass};

/// The velocity-level scheme (T.1)–(T.15).
pub struct VelocityScheme {
    parameters: VelocityParameters,
    solver: Box<dyn ImpulseSolver>,
    bias: Bias,
    free: Vec<f64>,
    velocities: Vec<f64>,
    impulses: Vec<f64>,
    /// True while the solver holds the problem of the substep; false after it solved another one.
    holds: bool,
}

impl std::fmt::Debug for VelocityScheme {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("VelocityScheme")
            .field("parameters", &self.parameters)
            .field("solver", &self.solver.descriptor().id)
            .finish_non_exhaustive()
    }
}

/// Corrections that split impulses leave alone \[m | rad\]: a few roundings of coordinates of a metre. A problem with
/// nothing but rounding in it is contradictory where rows are redundant, and a direct solver refuses it.
const RESOLUTION: f64 = 1e-15;

/// The rows of a frame that the substeps share.
struct Frozen {
    assembly: Assembly,
    /// Normal velocities at the start of the frame \[m/s\].
    approach: Vec<f64>,
    /// Sum of the impulses over the substeps \[N·s\].
    pushed: Vec<f64>,
    /// The contacts at the start of the frame, where their lever arms stay while those of the joints follow.
    held: Option<Vec<ContactFrame>>,
}

impl VelocityScheme {
    /// What the scheme declares about itself.
    pub const DESCRIPTOR: SchemeDescriptor = SchemeDescriptor {
        id: "velocity",
        aliases: &["time-stepping"],
        name: "Velocity-level time stepping",
        summary: "one frozen velocity problem per substep, with any solver; the presets are values of its parameters",
        citations: &["Stewart1996", "Macklin2019", "Catto2024"],
        theory: &["T.1", "T.3", "T.4", "T.7", "T.10", "T.15"],
        uses_solver: true,
        parameters: parameters::DOCS,
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
        Ok(Self {
            parameters,
            solver,
            bias: Bias::default(),
            free: Vec::new(),
            velocities: Vec::new(),
            impulses: Vec::new(),
            holds: false,
        })
    }

    /// The parameters.
    pub fn parameters(&self) -> &VelocityParameters {
        &self.parameters
    }

    fn substep(&self, dt: f64) -> Result<f64, StepError> {
        if dt.is_finite() && dt > 0.0 {
            Ok(dt / f64::from(self.parameters.substeps))
        } else {
            Err(StepError::TimeStep { dt })
        }
    }

    /// Forces, and the rows at the present poses.
    fn assemble(
        &mut self,
        world: &World,
        held: Option<Vec<ContactFrame>>,
        h: f64,
        report: &mut StepReport,
    ) -> Result<Frozen, StepError> {
        free::velocities(world, self.parameters.gyroscopic, h, &mut self.free, report);
        let margin = self.parameters.speculative_margin;
        let assembly = Assembly::new(world, &self.free, h, margin, held.as_deref())?;
        let mut approach = vec![0.0; assembly.problem.rows()];
        if let Some(bodies) = assembly.problem.bodies() {
            let start = body_velocities(world);
            bodies.multiply(assembly.problem.blocks(), &start, &mut approach);
        }
        let pushed = vec![0.0; approach.len()];
        Ok(Frozen {
            assembly,
            approach,
            pushed,
            held,
        })
    }

    /// Bias, compliance and active rows of a pass.
    fn set_bias(
        &mut self,
        world: &World,
        assembly: &mut Assembly,
        h: f64,
        pass: Pass,
    ) -> Result<(), StepError> {
        self.bias.fill(world, assembly, &self.parameters, h, pass);
        assembly.problem.set_bias(&self.bias.bias)?;
        assembly.problem.set_compliance(&self.bias.compliance)?;
        let relax_only = self.parameters.friction == FrictionPasses::RelaxOnly;
        let held = pass == Pass::Pseudo
            || (relax_only && pass == Pass::Biased && self.parameters.relax_sweeps > 0);
        let activity = if held {
            Activity::NormalsOnly
        } else {
            Activity::Solve
        };
        let activity = vec![activity; assembly.problem.blocks().len()];
        assembly.problem.set_activity(&activity)?;
        Ok(())
    }

    /// The warm start of the first substep, from the impulses that the world stores (T.9).
    fn load(&mut self, world: &World, assembly: &Assembly, h: f64) {
        assembly.load_impulses(world, &mut self.impulses);
        let factor = match self.parameters.warm_start {
            WarmStart::Off => 0.0,
            WarmStart::On => 1.0,
            WarmStart::Scaled if world.impulse_step > 0.0 => h / world.impulse_step,
            WarmStart::Scaled => 1.0,
        };
        self.impulses.iter_mut().for_each(|x| *x *= factor);
    }

    /// Makes the solver ready for the same rows with other numbers, from the impulses reached.
    fn go_on(&mut self, problem: &Problem, what: Refresh) -> Result<(), StepError> {
        if self.holds {
            self.solver.refresh(problem, what)?;
        } else {
            self.solver.prepare(problem, Start::Warm(&self.impulses))?;
            self.holds = true;
        }
        Ok(())
    }

    /// One solve; the impulses and velocities are read.
    fn solve(
        &mut self,
        problem: &Problem,
        sweeps: u32,
        report: &mut StepReport,
    ) -> Result<(), StepError> {
        report.progress += self.solver.iterate(problem, sweeps)?;
        report.progress.finished = false;
        self.solver.read_impulses(&mut self.impulses)?;
        self.velocities.resize(self.free.len(), 0.0);
        problem.body_velocities(&self.impulses, &mut self.velocities)?;
        Ok(())
    }

    fn show(&self, world: &World, frozen: &Frozen, at: (Stage, u32, f64), probe: &mut dyn Probe) {
        let (stage, substep, h) = at;
        if probe.wants(stage) {
            let view = StepView {
                substep,
                h,
                world,
                problem: Some(&frozen.assembly.problem),
                impulses: &self.impulses,
            };
            probe.at(stage, &view);
        }
    }

    fn frame(
        &mut self,
        world: &mut World,
        h: f64,
        probe: &mut dyn Probe,
    ) -> Result<StepReport, StepError> {
        let mut report = StepReport::default();
        let mut frame = None;
        for substep in 0..self.parameters.substeps {
            frame = Some(self.advance(world, frame, (substep, h), probe, &mut report)?);
        }
        if let Some(mut frozen) = frame {
            self.bounce(world, &mut frozen, h, probe, &mut report)?;
            frozen.assembly.store_impulses(world, &self.impulses, h);
            report.rows = frozen.assembly.problem.rows();
        }
        let passes = self.parameters.position_passes();
        if passes.sweeps > 0 {
            let margin = self.parameters.speculative_margin;
            report.progress.row_updates += position::passes(world, &passes, margin);
        }
        Ok(report)
    }

    /// One substep.
    fn advance(
        &mut self,
        world: &mut World,
        frame: Option<Frozen>,
        (substep, h): (u32, f64),
        probe: &mut dyn Probe,
        report: &mut StepReport,
    ) -> Result<Frozen, StepError> {
        let mut frozen = self.begin(world, frame, h, report)?;
        self.show(world, &frozen, (Stage::Assembled, substep, h), probe);
        self.solve(&frozen.assembly.problem, self.parameters.sweeps, report)?;
        self.show(world, &frozen, (Stage::Solved, substep, h), probe);
        let pseudo = self.pseudo_velocities(world, &mut frozen.assembly, h, report)?;
        let before = body_velocities(world);
        integrate(world, &self.velocities, &pseudo, h);
        world.time += h;
        self.show(world, &frozen, (Stage::Integrated, substep, h), probe);
        if self.parameters.relax_sweeps > 0 {
            frozen.assembly.update_errors(world);
            self.set_bias(world, &mut frozen.assembly, h, Pass::Relaxed)?;
            let what = Refresh {
                free_velocity: false,
                ..Refresh::ALL
            };
            self.go_on(&frozen.assembly.problem, what)?;
            self.solve(
                &frozen.assembly.problem,
                self.parameters.relax_sweeps,
                report,
            )?;
            self.show(world, &frozen, (Stage::Relaxed, substep, h), probe);
        }
        work::record(
            world,
            &frozen.assembly,
            &self.impulses,
            [&before, &self.velocities],
            h,
            report,
        );
        set_velocities(world, &self.velocities);
        for (sum, impulse) in frozen.pushed.iter_mut().zip(&self.impulses) {
            *sum += impulse;
        }
        Ok(frozen)
    }

    /// Freezes the rows, or brings those of the frame up to date; the solver is ready to iterate.
    fn begin(
        &mut self,
        world: &mut World,
        frame: Option<Frozen>,
        h: f64,
        report: &mut StepReport,
    ) -> Result<Frozen, StepError> {
        let again = match self.parameters.anchors {
            AnchorMode::Rotated => true,
            AnchorMode::Fixed => false,
            AnchorMode::FixedContacts => !world.joints.is_empty(),
        };
        match frame {
            Some(mut frozen) if !again => {
                free::velocities(world, self.parameters.gyroscopic, h, &mut self.free, report);
                frozen.assembly.problem.set_free_velocity(&self.free)?;
                frozen.assembly.update_errors(world);
                self.set_bias(world, &mut frozen.assembly, h, Pass::Biased)?;
                if self.parameters.warm_start == WarmStart::Off {
                    self.impulses.fill(0.0);
                    self.solver.prepare(&frozen.assembly.problem, Start::Cold)?;
                    self.holds = true;
                } else {
                    self.go_on(&frozen.assembly.problem, Refresh::ALL)?;
                }
                Ok(frozen)
            }
            mut earlier => {
                if let Some(earlier) = &earlier {
                    earlier.assembly.store_impulses(world, &self.impulses, h);
                }
                let held = match &mut earlier {
                    Some(earlier) => earlier.held.take(),
                    None if self.parameters.anchors == AnchorMode::FixedContacts => {
                        Some(world.contact_frames())
                    }
                    None => None,
                };
                let mut frozen = self.assemble(world, held, h, report)?;
                if let Some(earlier) = earlier {
                    keep_history(&mut frozen, &earlier);
                }
                self.set_bias(world, &mut frozen.assembly, h, Pass::Biased)?;
                self.load(world, &frozen.assembly, h);
                let start = match self.parameters.warm_start {
                    WarmStart::Off => Start::Cold,
                    WarmStart::On | WarmStart::Scaled => Start::Warm(&self.impulses),
                };
                self.solver.prepare(&frozen.assembly.problem, start)?;
                self.holds = true;
                Ok(frozen)
            }
        }
    }

    /// The second velocity field of split impulses, 6 per body; empty without them.
    fn pseudo_velocities(
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
        if self
            .bias
            .bias
            .iter()
            .all(|bias| (bias * h).abs() <= RESOLUTION)
        {
            return Ok(Vec::new());
        }
        self.solver.prepare(&pseudo.problem, Start::Cold)?;
        self.holds = false;
        report.progress += self
            .solver
            .iterate(&pseudo.problem, self.parameters.sweeps)?;
        report.progress.finished = false;
        let mut impulses = vec![0.0; pseudo.problem.rows()];
        self.solver.read_impulses(&mut impulses)?;
        let mut velocities = vec![0.0; self.free.len()];
        pseudo.problem.body_velocities(&impulses, &mut velocities)?;
        Ok(velocities)
    }

    /// A last solve in which the contacts that hit bounce (T.14).
    fn bounce(
        &mut self,
        world: &mut World,
        frozen: &mut Frozen,
        h: f64,
        probe: &mut dyn Probe,
        report: &mut StepReport,
    ) -> Result<(), StepError> {
        if world.manifolds.iter().all(|m| m.restitution == 0.0) {
            return Ok(());
        }
        self.set_bias(world, &mut frozen.assembly, h, Pass::Relaxed)?;
        let threshold = self.parameters.restitution_threshold;
        let (approach, pushed) = (&frozen.approach, &frozen.pushed);
        let assembly = &frozen.assembly;
        if !bias::restitution(world, assembly, threshold, approach, pushed, &mut self.bias) {
            return Ok(());
        }
        frozen.assembly.problem.set_bias(&self.bias.bias)?;
        self.solver
            .prepare(&frozen.assembly.problem, Start::Warm(&self.impulses))?;
        let sweeps = self.parameters.sweeps.max(self.parameters.relax_sweeps);
        let before = body_velocities(world);
        let earlier = self.impulses.clone();
        self.solve(&frozen.assembly.problem, sweeps, report)?;
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
        work::rows(
            world,
            &frozen.assembly,
            &gained,
            [&before, &self.velocities],
            report,
        );
        set_velocities(world, &self.velocities);
        Ok(())
    }
}

impl Scheme for VelocityScheme {
    fn descriptor(&self) -> &SchemeDescriptor {
        &Self::DESCRIPTOR
    }

    fn check(&self, world: &World) -> Result<Fidelity, SchemeError> {
        let mut free = Vec::new();
        let gyroscopic = self.parameters.gyroscopic;
        free::velocities(
            world,
            gyroscopic,
            1.0,
            &mut free,
            &mut StepReport::default(),
        );
        let assembly = Assembly::new(world, &free, 1.0, None, None)?;
        Ok(self.solver.check(&assembly.problem)?)
    }

    fn step(
        &mut self,
        world: &mut World,
        dt: f64,
        probe: &mut dyn Probe,
    ) -> Result<StepReport, StepError> {
        let h = self.substep(dt)?;
        check_frequencies(world, h)?;
        let saved = world.clone();
        let outcome = self
            .frame(world, h, probe)
            .and_then(|report| match world.non_finite() {
                None => Ok(report),
                Some(body) => {
                    let name = world.bodies[body].name.clone();
                    Err(StepError::NonFinite { body, name })
                }
            });
        if outcome.is_err() {
            *world = saved;
        }
        outcome
    }
}

/// Refuses springs that oscillate faster than the substeps can show (half the sampling rate).
pub(crate) fn check_frequencies(world: &World, h: f64) -> Result<(), StepError> {
    for (index, joint) in world.joints.iter().enumerate() {
        if let delassus_core::Softness::Frequency { hertz, .. } = joint.softness
            && hertz > 0.5 / h
        {
            let path = format!("joints[{index}].softness.hertz");
            let expected = format!(
                "at most {} Hz at substeps of {h} s (half a period per substep): take smaller steps, or make the joint rigid",
                0.5 / h
            );
            let error = FieldError::new(path, hertz, &expected);
            return Err(SchemeError::Field(error).into());
        }
    }
    Ok(())
}

/// Approach velocities and impulses of the rows that an earlier freeze of the same frame had too.
fn keep_history(frozen: &mut Frozen, earlier: &Frozen) {
    for (index, row) in frozen.assembly.rows.iter().enumerate() {
        if !matches!(row.kind, RowKind::Normal { .. }) {
            continue;
        }
        let same = |other: &crate::assembly::RowInfo| {
            other.source == row.source && other.local == row.local
        };
        if let Some(found) = earlier.assembly.rows.iter().position(same) {
            frozen.approach[index] = earlier.approach[found];
            frozen.pushed[index] = earlier.pushed[found];
        }
    }
}

/// Velocities of all bodies, 6 per body.
fn body_velocities(world: &World) -> Vec<f64> {
    let bodies = world.bodies.iter();
    bodies
        .flat_map(|b| b.velocity.iter().chain(b.spin.iter()).copied())
        .collect()
}

fn set_velocities(world: &mut World, velocities: &[f64]) {
    for (body, v) in world.bodies.iter_mut().zip(velocities.chunks_exact(6)) {
        if body.is_dynamic() {
            body.velocity = Vector3::new(v[0], v[1], v[2]);
            body.spin = Vector3::new(v[3], v[4], v[5]);
        }
    }
}

/// Moves every pose by h times its velocity, and the pseudo-velocity if there is one (T.3, T.4).
fn integrate(world: &mut World, velocities: &[f64], pseudo: &[f64], h: f64) {
    for (index, body) in world.bodies.iter_mut().enumerate() {
        let mut v = [0.0; 6];
        v.copy_from_slice(&velocities[6 * index..6 * index + 6]);
        if !pseudo.is_empty() && body.is_dynamic() {
            for axis in 0..6 {
                v[axis] += pseudo[6 * index + axis];
            }
        }
        let mut pose = body.pose();
        pose.advance(
            h * Vector3::new(v[0], v[1], v[2]),
            &(h * Vector3::new(v[3], v[4], v[5])),
        );
        (body.position, body.orientation) = (pose.position, pose.orientation);
    }
}

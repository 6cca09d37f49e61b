//! `velocity`: time stepping by one velocity-level problem per substep, solved by any impulse
//! solver.
//!
//! A substep adds forces (T.1), freezes the rows (T.7), solves them with a stabilising bias (T.10),
//! moves the poses with the new velocities (T.3, T.4) and solves again without the bias (T.15).
//! Every knob is data ([`VelocityParameters`]); the named methods of the literature are
//! [`presets()`].
//!
//! Cost: per substep one solve of `sweeps`, one of `relax_sweeps` (or both to a tolerance, (T.30),
//! and judged after each sweep), and one freeze of the rows where the lever arms follow the bodies;
//! with fixed arms a freeze per frame and two `update` per substep. Rows that a relax pass freezes
//! at the moved poses serve the next substep, too. After the first few, a step of contacts that are
//! handed in, or of joints, allocates nothing, whichever preset it is, with solvers that sweep over
//! rows; a joint in a position pass takes some matrices. With lever arms that stay, a substep reads
//! few Jacobians (joints and patches, and contacts with what does not move, for their work):
//! separations follow from two rotations per manifold, the velocities after its last solve from one
//! sum per manifold (T.19), and biases are exchanged with the problem. Solvers in f32 give the
//! velocities that move the poses; those of the next substep follow from the impulses in f64, so
//! that momentum is kept to the rounding of f64. Nearest siblings: XPBD and AVBD work on the
//! positions and have no frozen problem.
//!
//! Limitations: order 1 in the step; softness is diagonal, so that rows of one block do not share a
//! spring; contacts are those of the start of the frame. Where a world keeps contacts that hardly
//! moved, rows may stay as well, and a step then depends, to that tolerance, on the poses of the
//! step that froze them. Theory: docs/theory/10-time-stepping.md. Source: \[Catto2024\],
//! \[Macklin2019\], \[Stewart1996\].

mod bias;
mod carry;
pub(crate) mod free;
mod freeze;
mod frozen;
mod grips;
mod kept;
mod least_motion;
pub(crate) mod parameters;
mod passes;
mod position;
mod presets;
mod relax;
mod solve;
mod springs;
mod stabilization;
mod stop;
mod work;

use delassus_core::{Fidelity, ImpulseSolver, ParameterError, Parameters};

pub use parameters::{
    AnchorMode, BouncingContacts, FrictionPasses, Gyroscopic, LimitRows, OpenRows, PositionTime,
    PushLimit, RelaxPoses, Restitution, Stabilization, VelocityParameters, WarmRows, WarmStart,
};
pub use presets::{Preset, presets};
pub use stop::{SolveStop, ToleranceKind};

use crate::assembly::{Assembly, Selection};
use crate::constraint::Rows;
use crate::error::{SchemeError, StepError};
use crate::joint::SoftnessCoupling;
use crate::saved::Saved;
use crate::scheme::{Probe, Scheme, SchemeDescriptor, SolveCounts, Stage, StepReport, StepView};
use crate::six::halves;
use crate::world::World;
use bias::Bias;
use carry::Carrying;
use free::KeptMomentum;
use frozen::Frozen;
use grips::Grips;
use position::PositionMemory;
pub(crate) use springs::check_frequencies;
use stop::Judging;

/// The velocity-level scheme (T.1)–(T.15).
pub struct VelocityScheme {
    parameters: VelocityParameters,
    solver: Box<dyn ImpulseSolver>,
    bias: Bias,
    free: Vec<f64>,
    /// The momentum of the bodies that keep it through the substep.
    momenta: Vec<Option<KeptMomentum>>,
    velocities: Vec<f64>,
    /// Impulses on the bodies by the rows of the last solve, 6 per body.
    wrenches: Vec<f64>,
    /// Those of the same impulses by the rows of the moved poses.
    moved_wrenches: Vec<f64>,
    impulses: Vec<f64>,
    /// Impulses of a solve beside that of the substep.
    beside: Vec<f64>,
    /// The second velocity field of split impulses, 6 per body; empty without one.
    pseudo: Vec<f64>,
    /// Memory for the rows of a joint.
    evaluated: Rows,
    positions: PositionMemory,
    /// The world before the step.
    saved: Saved,
    /// True while the solver holds the problem of the substep; false after it solved another one.
    holds: bool,
    judging: Judging,
    carrying: Carrying,
    /// Where contacts gripped, with sticky friction.
    grips: Grips,
    /// Rows of the last frame.
    last: Option<Frozen>,
    /// Rows that are not needed any more: two at most, where a substep freezes beside those of the
    /// one before.
    spare: Vec<Frozen>,
}

impl std::fmt::Debug for VelocityScheme {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("VelocityScheme")
            .field("parameters", &self.parameters)
            .field("solver", &self.solver.descriptor().id)
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
            solver,
            bias: Bias::new(couples),
            free: Vec::new(),
            momenta: Vec::new(),
            velocities: Vec::new(),
            wrenches: Vec::new(),
            moved_wrenches: Vec::new(),
            impulses: Vec::new(),
            beside: Vec::new(),
            pseudo: Vec::new(),
            evaluated: Rows::default(),
            positions: PositionMemory::default(),
            saved: Saved::default(),
            holds: false,
            judging: Judging::default(),
            carrying: Carrying::default(),
            grips: Grips::default(),
            last: None,
            spare: Vec::new(),
        })
    }

    /// The parameters.
    pub fn parameters(&self) -> &VelocityParameters {
        &self.parameters
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
        let mut report = StepReport {
            solves: Some(SolveCounts::default()),
            ..StepReport::default()
        };
        let mut frame = self.kept(world, h);
        self.grip(world);
        for substep in 0..self.parameters.substeps {
            let mut frozen = self.begin(world, frame.take(), h, &mut report)?;
            let knows = self.carrying.goes_on || self.carrying.leaves;
            let leaves = substep == 0 && (knows || self.may_carry(world, &frozen, h));
            if leaves && self.carry(world, &mut frozen, h, probe, &mut report)? {
                frame = Some(frozen);
                break;
            }
            frame = Some(self.advance(world, frozen, (substep, h), probe, &mut report)?);
        }
        if let Some(mut frozen) = frame {
            self.bounce(world, &mut frozen, h, probe, &mut report)?;
            frozen.assembly.store_impulses(world, &self.impulses, h);
            self.let_go(world, &frozen);
            report.rows = frozen.assembly.problem.rows();
            self.correct_positions(world, &frozen, PositionTime::Frame, &mut report);
            self.last = Some(frozen);
        }
        Ok(report)
    }

    /// Adds what forces and the impulses of all rows did over `h` \[s\] to the report.
    fn record(&self, world: &World, frozen: &Frozen, h: f64, report: &mut StepReport) {
        let (assembly, impulses, velocities) = (&frozen.assembly, &self.impulses, &self.velocities);
        work::record(world, assembly, impulses, velocities, h, report);
    }

    /// The position passes, if this is their time.
    fn correct_positions(
        &mut self,
        world: &mut World,
        frozen: &Frozen,
        time: PositionTime,
        report: &mut StepReport,
    ) {
        let passes = self.parameters.position_passes();
        if passes.sweeps > 0 && self.parameters.position_time == time {
            let far = &frozen.assembly.far;
            let memory = &mut self.positions;
            report.progress.row_updates += position::passes(world, &passes, far, memory);
        }
    }

    /// One substep, whose rows are ready to be solved.
    fn advance(
        &mut self,
        world: &mut World,
        mut frozen: Frozen,
        (substep, h): (u32, f64),
        probe: &mut dyn Probe,
        report: &mut StepReport,
    ) -> Result<Frozen, StepError> {
        self.show(world, &frozen, (Stage::Assembled, substep, h), probe);
        let follows = self.relaxes_moved(world);
        let split = self.parameters.stabilization == Stabilization::SplitImpulse;
        let look = split || probe.wants(Stage::Solved) || probe.wants(Stage::Integrated);
        if follows {
            self.solve(&frozen.assembly, self.parameters.sweeps, report)?;
        } else {
            self.solve_first(&frozen.assembly, look, report)?;
        }
        self.show(world, &frozen, (Stage::Solved, substep, h), probe);
        self.find_pseudo_velocities(world, &mut frozen.assembly, h, report)?;
        if follows {
            // the impulses so far act where the bodies are, those of the relax pass where they come
            // to
            self.record(world, &frozen, h, report);
            for (body, v) in world.bodies.iter_mut().zip(self.velocities.chunks_exact(6)) {
                if body.is_dynamic() {
                    [body.velocity, body.spin] = halves(v);
                }
            }
        }
        self.integrate(world, h);
        world.time += h;
        let spins = &self.velocities;
        world.follow_turns(|_, body| h * halves(&spins[6 * body..6 * body + 6])[1]);
        self.show(world, &frozen, (Stage::Integrated, substep, h), probe);
        if follows {
            frozen = self.relax_moved(world, frozen, (substep, h), probe, report)?;
        } else {
            if self.parameters.relax_sweeps > 0 {
                self.relax(world, &mut frozen, (substep, h), probe, report)?;
            }
            self.record(world, &frozen, h, report);
        }
        self.set_velocities(world);
        self.correct_positions(world, &frozen, PositionTime::Substep, report);
        if frozen.bounces {
            for (sum, impulse) in frozen.pushed.iter_mut().zip(&self.impulses) {
                *sum += impulse;
            }
        }
        Ok(frozen)
    }

    /// Moves every pose by h times its velocity, and the pseudo-velocity if there is one (T.3,
    /// T.4).
    fn integrate(&self, world: &mut World, h: f64) {
        let bodies = world.bodies.iter_mut().zip(&self.momenta);
        for (index, (body, kept)) in bodies.enumerate() {
            let mut v = [0.0; 6];
            v.copy_from_slice(&self.velocities[6 * index..6 * index + 6]);
            if !self.pseudo.is_empty() && body.is_dynamic() {
                for axis in 0..6 {
                    v[axis] += self.pseudo[6 * index + axis];
                }
            }
            let [velocity, spin] = halves(&v);
            free::advance(body, kept.as_ref(), h * velocity, &(h * spin));
        }
    }

    /// Gives the bodies the velocities of the last solve; where the momentum is kept, those that
    /// belong to it at the present pose (T.50).
    fn set_velocities(&self, world: &mut World) {
        let velocities = self.velocities.as_chunks::<6>().0.iter();
        let rows = velocities.zip(self.wrenches.as_chunks::<6>().0);
        for ((body, kept), (v, wrench)) in world.bodies.iter_mut().zip(&self.momenta).zip(rows) {
            if body.is_dynamic() {
                let [velocity, mut spin] = halves(v);
                if let Some(kept) = kept {
                    spin = kept.spin(body, &halves(wrench)[1]);
                }
                (body.velocity, body.spin) = (velocity, spin);
            }
        }
    }
}

impl Scheme for VelocityScheme {
    fn descriptor(&self) -> &SchemeDescriptor {
        &Self::DESCRIPTOR
    }

    fn check(&self, world: &World) -> Result<Fidelity, SchemeError> {
        let likely = world.with_likely_contact();
        let world = likely.as_ref().unwrap_or(world);
        let mut free = Vec::new();
        let gyroscopic = self.parameters.gyroscopic;
        free::velocities(
            world,
            gyroscopic,
            1.0,
            (&mut free, &mut Vec::new()),
            &mut StepReport::default(),
        );
        let mut assembly = Assembly::new(world, &free, 1.0, Selection::default(), None)?;
        let mut bias = Bias::default();
        bias.freeze(world, &assembly, &self.parameters, 1.0, &[]);
        if !bias.coupled.is_empty() {
            let pass = stabilization::Pass::Biased;
            bias.fill(world, &assembly, &self.parameters, 1.0, pass);
            let problem = &mut assembly.problem;
            problem.set_block_compliance(&bias.compliance, &bias.coupled)?;
        }
        Ok(self.solver.check(&assembly.problem)?)
    }

    fn factorizations(&self) -> Option<u64> {
        self.solver.facts().factorizations
    }

    fn step(
        &mut self,
        world: &mut World,
        dt: f64,
        probe: &mut dyn Probe,
    ) -> Result<StepReport, StepError> {
        StepError::check_time_step(dt)?;
        let h = dt / f64::from(self.parameters.substeps);
        check_frequencies(world, h)?;
        let mut saved = std::mem::take(&mut self.saved);
        let outcome = saved.guard(world, |world| self.frame(world, h, probe));
        self.saved = saved;
        if outcome.is_err() {
            // the grips of contacts that the world has forgotten again
            self.grips = Grips::default();
        }
        outcome
    }
}

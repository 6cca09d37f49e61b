//! `xpbd`: extended position-based dynamics; Gauss–Seidel on the positions, velocities from the
//! poses.
//!
//! A substep moves the bodies freely (X.1), removes the position error of every joint and contact
//! in turn with the compliance and damping of its softness (X.4), reads the velocities off the
//! motion (X.7), and corrects the contact velocities once for restitution and sliding friction
//! (X.10), (X.11). Contacts between colliders are found in every substep, with a margin that grows
//! with the speed (X.13): an overlap that a frame overlooked would become velocity.
//!
//! Cost: per substep a look for contacts, `iterations` evaluations of every joint (one per row with
//! `block = false`) and contact, and one velocity pass. Nearest siblings: `avbd` solves for a body
//! at a time, by its position, and keeps its multipliers; the position passes of `velocity` repair
//! positions and leave the velocities alone.
//!
//! Departures from the paper: static friction holds a point where it began to stick
//! (`static_friction`, X.14), so that what rests creeps on slopes only; turns are sums of rotation
//! vectors; the rows of a joint are solved together unless `block = false`; contact multipliers are
//! summed over the iterations and kept ≥ 0, and the velocity pass may take back a push but never
//! pulls; friction of both passes shares one cone, whose velocity part is an impulse (the paper's
//! bound mixes units); free bodies rotate with their momentum kept unless
//! `gyroscopic = "explicit"`; motors act on the motion of a substep; pairs of colliders that are
//! near are collected in every substep and not once per frame. Limitations: multipliers start from
//! zero, so that one sweep carries a load over one joint, and towers with friction tremble until
//! the sweeps converge; the angular momentum of a system is kept to first order in h only, since a
//! correction acts along the new direction and not the old one. Theory:
//! docs/theory/11-position-level.md. Source: \[Macklin2016\], \[Mueller2020\].

mod block;
mod contact;
mod joint;
mod parameters;
mod substep;

use delassus_core::{ContactLaw, Fidelity, ParameterError, Parameters, Progress};

use joint::PosedJoint;
pub use parameters::{StaticFriction, XpbdParameters};
use substep::Substep;

use crate::backup::WorldBackup;
use crate::error::{SchemeError, StepError};
use crate::handles::Moment;
use crate::motion::{
    RowMemory, WITHOUT_ROLLING, check_laws, check_spins, fidelity, has_disc, position_rows,
    record_work, show, velocities,
};
use crate::scheme::{PositionScheme, Probe, Scheme, SchemeDescriptor, Stage, StepReport};
use crate::slips::Slips;
use crate::spatial::split_spatial;
use crate::velocity::check_frequencies;
use crate::velocity::free::FreeMotion;
use crate::world::World;

/// Extended position-based dynamics (X.1)–(X.14).
#[derive(Debug, Clone)]
pub struct Xpbd {
    parameters: XpbdParameters,
    state: Substep,
    /// The joint at hand.
    joint: PosedJoint,
    /// Velocities before the substep, 6 per body.
    before: Vec<f64>,
    free: FreeMotion,
    memory: RowMemory,
    anchors: Anchors,
    /// Those of before the step.
    earlier: Anchors,
    backup: WorldBackup,
}

/// Where contact points stick, from substep to substep (X.14).
#[derive(Debug, Clone, Default)]
struct Anchors {
    /// The moment of the world that they belong to.
    moment: Option<Moment>,
    slips: Slips,
}

impl Anchors {
    /// Brings them into the order of the contacts of a world; those of another world are forgotten.
    fn fit(&mut self, world: &World) {
        if self.moment != Some(world.moment()) {
            self.slips.clear();
        }
        self.slips.follow(world);
    }

    /// Keeps the slips of a substep.
    fn keep(&mut self, world: &World, state: &mut Substep) {
        self.moment = Some(world.moment());
        self.slips.clear();
        for manifold in 0..world.manifolds.len() {
            contact::remember(world, state, manifold, &mut self.slips);
        }
    }
}

impl Xpbd {
    /// The parameters.
    pub fn parameters(&self) -> &XpbdParameters {
        &self.parameters
    }

    /// What the method leaves out or bends in this world.
    fn departures(&self, world: &World) -> Fidelity {
        let mut reasons = Vec::new();
        if world.resists_rolling() {
            reasons.push(WITHOUT_ROLLING);
        }
        if has_disc(world) {
            reasons.push(match self.parameters.static_friction {
                StaticFriction::Anchored => {
                    "bodies that friction holds may creep: a contact point that slides starts anew from where it is"
                }
                StaticFriction::Paper | StaticFriction::Clamped => {
                    "bodies that friction holds creep: each substep starts anew from where the contacts are"
                }
            });
        }
        fidelity(reasons)
    }

    fn substep(
        &mut self,
        world: &mut World,
        substep: u32,
        h: f64,
        probe: &mut dyn Probe,
        report: &mut StepReport,
    ) -> Result<(), StepError> {
        let Self {
            parameters,
            state,
            joint: posed,
            before,
            free,
            memory,
            anchors,
            ..
        } = self;
        velocities(world, before);
        anchors.fit(world);
        state.begin(world, h, &anchors.slips);
        free.integrate(world, parameters.gyroscopic, h, report);
        check_spins(world, &free.velocities, h)?;
        world.check_turns(&free.velocities, h)?;
        for (body, v) in free.velocities.chunks_exact(6).enumerate() {
            let [velocity, spin] = split_spatial(v);
            state.motion.shift(world, body, h * velocity, &(h * spin));
        }
        world.time += h;
        let mut updates = solve_positions(world, state, posed, parameters);
        set_velocities(world, state, free, h);
        show(world, Stage::Solved, substep, h, probe);
        let threshold = parameters.restitution_threshold;
        let threshold = threshold.unwrap_or(2.0 * h * world.gravity.norm());
        for manifold in 0..world.manifolds.len() {
            updates += contact::velocities(world, state, manifold, before, threshold);
        }
        state.store(world);
        if parameters.static_friction == StaticFriction::Anchored {
            anchors.keep(world, state);
        }
        show(world, Stage::Integrated, substep, h, probe);
        report.rows = position_rows(world);
        report.progress += Progress {
            sweeps: parameters.iterations,
            row_updates: updates,
            finished: false,
        };
        report.external.linear += state.external.linear;
        report.external.angular += state.external.angular;
        record_work(world, before, h, report, memory);
        Ok(())
    }
}

/// The iterations of a substep; returns the updates of rows.
fn solve_positions(
    world: &mut World,
    state: &mut Substep,
    posed: &mut PosedJoint,
    parameters: &XpbdParameters,
) -> u64 {
    let mut updates = 0;
    for _ in 0..parameters.iterations {
        for joint in 0..world.joints.len() {
            updates += joint::solve(world, state, posed, joint, parameters.block);
        }
        for manifold in 0..world.manifolds.len() {
            let statics = parameters.static_friction;
            updates += contact::solve(world, state, manifold, statics);
        }
    }
    updates
}

/// The velocities that the positions give; spins follow from the momenta that are kept.
fn set_velocities(world: &mut World, state: &mut Substep, free: &mut FreeMotion, h: f64) {
    state.motion.set_velocities(world, h);
    world.follow_spins(h);
    let bodies = world.bodies.iter_mut().zip(&mut free.momenta);
    for ((body, kept), impulse) in bodies.zip(&state.pushed) {
        if let Some(kept) = kept {
            kept.follow(body, impulse, h);
            body.spin = kept.spin(body, impulse);
        }
    }
    state.store(world);
}

impl PositionScheme for Xpbd {
    type Parameters = XpbdParameters;

    const DESCRIPTOR: SchemeDescriptor = SchemeDescriptor {
        id: "xpbd",
        aliases: &["extended-position-based-dynamics", "small-steps"],
        name: "Extended position-based dynamics",
        summary: "Gauss-Seidel on positions in small substeps, each of which finds contacts anew; unlike avbd it keeps no multipliers, and bodies at rest on a slope creep",
        citations: &["Macklin2016", "Macklin2019", "Mueller2020"],
        theory: &[
            "X.1", "X.3", "X.4", "X.7", "X.8", "X.9", "X.10", "X.11", "X.13", "X.14",
        ],
        uses_solver: false,
        preset_of: None,
    };

    fn new(parameters: XpbdParameters) -> Result<Self, ParameterError> {
        parameters.validate()?;
        Ok(Self {
            parameters,
            state: Substep::default(),
            joint: PosedJoint::default(),
            before: Vec::new(),
            free: FreeMotion::default(),
            memory: RowMemory::default(),
            anchors: Anchors::default(),
            earlier: Anchors::default(),
            backup: WorldBackup::default(),
        })
    }
}

impl Scheme for Xpbd {
    fn descriptor(&self) -> &SchemeDescriptor {
        &<Self as PositionScheme>::DESCRIPTOR
    }

    fn check(&self, world: &World) -> Result<Fidelity, SchemeError> {
        check_contacts(world)?;
        Ok(self.departures(world))
    }

    fn step(
        &mut self,
        world: &mut World,
        dt: f64,
        probe: &mut dyn Probe,
    ) -> Result<StepReport, StepError> {
        StepError::check_time_step(dt)?;
        check_contacts(world)?;
        let count = self.parameters.substeps;
        let h = dt / f64::from(count);
        check_frequencies(world, h)?;
        self.earlier.moment = self.anchors.moment;
        self.earlier.slips.clone_from(&self.anchors.slips);
        let mut backup = std::mem::take(&mut self.backup);
        let outcome = backup.guard_substeps(world, count, h, |world, substep, report| {
            self.substep(world, substep, h, probe, report)
        });
        self.backup = backup;
        if outcome.is_err() {
            std::mem::swap(&mut self.anchors, &mut self.earlier);
        }
        outcome
    }
}

/// Refuses friction laws that the position solve does not support.
fn check_contacts(world: &World) -> Result<(), SchemeError> {
    let known = [
        ContactLaw::Frictionless,
        ContactLaw::Disc,
        ContactLaw::Coulomb,
    ];
    let reason = "has a friction law that the position solve does not know: it has a disc per contact point, use disc or frictionless";
    check_laws(world, "xpbd", &known, reason)
}

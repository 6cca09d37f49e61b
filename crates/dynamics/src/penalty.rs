//! `penalty`: contacts and joints as spring-dampers, the method that everyone starts from.
//!
//! An overlap pushes with a stiffness and a damping (H.1), (H.2), friction brakes a slip in
//! proportion to its speed up to the cone (H.9), and a joint pulls its bodies together. Explicitly
//! the forces of the start of a substep act on it (symplectic Euler, H.3), and the step is bounded
//! by the stiffest mode (H.5). Implicitly the forces are linear in the velocities of its end (one
//! Newton step, H.7), and the step is bounded by nothing but its damping.
//!
//! Cost: per substep one look for contacts and one evaluation of all forces; implicitly also the
//! elimination of a sparse matrix with a block of six per dynamic body, once more for every time
//! that contacts let go or limits are reached. Nearest siblings: `velocity` with soft rows solves
//! the same springs for impulses, under the exact laws of contact; `xpbd` and `avbd` make penalties
//! rigid by iterating.
//!
//! What is lagged in the implicit step: the Jacobians (no geometric stiffness), which points
//! overlap, the slopes of the law of Hunt and Crossley, the normal force that bounds friction (that
//! of the last substep), the slip speed of its secant. Limitations: a finite stiffness sinks and a
//! finite slip speed creeps, by (H.10) and (H.11); restitution is what stiffness and damping make
//! of it; bodies that pass through each other within a substep are not seen. Theory:
//! docs/theory/20-penalty.md. Source: \[Moore1988\], \[Hunt1975\], \[Baraff1998\].

mod departures;
mod parameters;
mod springs;
mod system;

use delassus_core::{Fidelity, ParameterError, Parameters, Progress};
use nalgebra::Vector3;

pub use parameters::{Integration, NormalForce, PenaltyParameters};

use crate::backup::WorldBackup;
use crate::error::{SchemeError, StepError};
use crate::motion::{
    RowMemory, check_spins, outside, position_rows, record_work, show, velocities,
};
use crate::scheme::{PositionScheme, Probe, Scheme, SchemeDescriptor, Stage, StepReport};
use crate::spatial::split_spatial;
use crate::velocity::check_frequencies;
use crate::velocity::free::{self, FreeMotion};
use crate::world::World;
use departures::{departures, refuse};
use springs::{Bounds, Spring, SpringTarget, Springs, explicit, springs};
use system::System;

/// Spring-dampers in place of constraints (H.1)–(H.9).
#[derive(Debug, Clone)]
pub struct Penalty {
    parameters: PenaltyParameters,
    work: Work,
    backup: WorldBackup,
}

/// What a substep works with.
#[derive(Debug, Clone, Default)]
struct Work {
    /// Velocities before the substep, 6 per body.
    before: Vec<f64>,
    /// The motion that forces give, to which the springs add theirs.
    motion: FreeMotion,
    /// The angular impulses of the springs \[N·m·s\].
    pushed: Vec<Vector3<f64>>,
    springs: Springs,
    implicit: Implicit,
    rows: RowMemory,
}

/// The forces of a substep, and what an implicit one works with.
#[derive(Debug, Clone, Default)]
struct Implicit {
    /// One per spring \[N | N·m\].
    forces: Vec<f64>,
    states: Vec<State>,
    /// Velocities without springs, 6 per body.
    free: Vec<f64>,
    system: System,
}

impl Penalty {
    /// The parameters.
    pub fn parameters(&self) -> &PenaltyParameters {
        &self.parameters
    }

    fn substep(
        &mut self,
        world: &mut World,
        substep: u32,
        h: f64,
        probe: &mut dyn Probe,
        report: &mut StepReport,
    ) -> Result<(), StepError> {
        let parameters = &self.parameters;
        let Work {
            before,
            motion,
            pushed,
            springs: found,
            implicit,
            rows,
        } = &mut self.work;
        velocities(world, before);
        motion.integrate(world, parameters.gyroscopic, h, report);
        let after = &mut motion.velocities;
        springs(world, parameters, before, h, found, rows);
        let passes = match parameters.integration {
            Integration::Explicit => {
                let list = found.list.iter();
                let forces = &mut implicit.forces;
                forces.clear();
                forces.extend(list.map(|spring| explicit(found, spring, before)));
                for (spring, force) in found.list.iter().zip(&*forces) {
                    push(world, found, spring, h * force, after);
                }
                1
            }
            Integration::Implicit => implicit.solve(world, found, after, h)?,
        };
        let forces = implicit.forces.as_slice();
        pushed.clear();
        pushed.resize(world.bodies.len(), Vector3::zeros());
        for (spring, force) in found.list.iter().zip(forces) {
            for (body, entry) in found.touched(spring) {
                let wrench = entry.map(|x| x * h * force);
                pushed[body] += split_spatial(&wrench)[1];
                outside(&world.bodies[body], &wrench, &mut report.external);
            }
        }
        check_spins(world, after, h)?;
        for (body, v) in world.bodies.iter_mut().zip(after.chunks_exact(6)) {
            if body.is_dynamic() {
                [body.velocity, body.spin] = split_spatial(v);
            }
        }
        store(world, found, forces, h);
        show(world, Stage::Solved, substep, h, probe);
        advance(world, motion, pushed, h);
        show(world, Stage::Integrated, substep, h, probe);
        report.rows = position_rows(world);
        report.progress += Progress::of_sweeps(passes, found.list.len());
        record_work(world, before, h, report, rows);
        Ok(())
    }
}

/// Moves the bodies by their velocities; `pushed` are the angular impulses of the springs
/// \[N·m·s\].
fn advance(world: &mut World, motion: &mut FreeMotion, pushed: &[Vector3<f64>], h: f64) {
    let bodies = world.bodies.iter_mut().zip(&mut motion.momenta);
    for ((body, kept), impulse) in bodies.zip(pushed) {
        let (displacement, turn) = (h * body.velocity, h * body.spin);
        free::advance(body, kept.as_ref(), displacement, &turn);
        if let Some(kept) = kept {
            kept.follow(body, impulse, h);
            body.spin = kept.spin(body, impulse);
        }
    }
    world.time += h;
    let spins = &motion.velocities;
    world.follow_turns(|_, body| h * split_spatial(&spins[6 * body..6 * body + 6])[1]);
}

/// What a spring of an implicit substep does.
#[derive(Debug, Clone, Copy, PartialEq)]
enum State {
    /// It follows the velocities of the end.
    Linear,
    /// Its force has reached a bound \[N | N·m\].
    Bound(f64),
}

impl Implicit {
    /// Makes the free velocities, 6 per body, those of the end (H.7), and writes the forces;
    /// returns how many systems they took: springs whose force leaves its bounds keep the bound,
    /// and the others are solved for again. A spring is bound once, so that this ends.
    fn solve(
        &mut self,
        world: &World,
        springs: &Springs,
        velocities: &mut [f64],
        h: f64,
    ) -> Result<u32, StepError> {
        let Self {
            forces,
            states,
            free,
            system,
        } = self;
        free.clear();
        free.extend_from_slice(velocities);
        let list = &springs.list;
        states.clear();
        states.resize(list.len(), State::Linear);
        forces.clear();
        forces.resize(list.len(), 0.0);
        for pass in 1.. {
            system.begin(world);
            for (spring, state) in list.iter().zip(&*states) {
                match state {
                    State::Linear => {
                        let slope = slope(spring, h);
                        let force = spring.load - slope * springs.velocity(spring, free);
                        system.add(springs, spring, h * force, h * slope);
                    }
                    State::Bound(force) => system.add(springs, spring, h * force, 0.0),
                }
            }
            let Some(changes) = system.solve() else {
                return Err(unsolved(world, free));
            };
            for ((v, free), change) in velocities.iter_mut().zip(&*free).zip(changes) {
                *v = free + change;
            }
            for ((force, spring), state) in forces.iter_mut().zip(list).zip(&*states) {
                *force = match state {
                    State::Linear => {
                        spring.load - slope(spring, h) * springs.velocity(spring, velocities)
                    }
                    State::Bound(bound) => *bound,
                };
            }
            if !bind(list, forces, states) {
                return Ok(pass);
            }
        }
        Ok(u32::MAX)
    }
}

/// −∂f/∂w at the end of a substep \[N·s/m | N·m·s/rad\] (H.7).
fn slope(spring: &Spring, h: f64) -> f64 {
    h * spring.stiffness + spring.damping
}

/// Binds the springs whose forces are out of their bounds, and the friction of contacts that let
/// go; false if there is none.
fn bind(springs: &[Spring], forces: &[f64], states: &mut [State]) -> bool {
    let mut changed = false;
    let mut pushes = true;
    for index in 0..springs.len() {
        let SpringTarget::Contact { axis, .. } = springs[index].target else {
            changed |= bind_one(&springs[index], forces[index], &mut states[index]);
            continue;
        };
        if axis == 0 {
            changed |= bind_one(&springs[index], forces[index], &mut states[index]);
            pushes = forces[index] > 0.0;
            continue;
        }
        let Bounds::Disc(radius) = springs[index].bounds else {
            continue;
        };
        let force = Vector3::new(forces[index], forces[index + 1], 0.0);
        let radius = if pushes { radius } else { 0.0 };
        if states[index] == State::Linear && force.norm() > radius {
            let kept = radius / force.norm();
            states[index] = State::Bound(kept * force.x);
            states[index + 1] = State::Bound(kept * force.y);
            changed = true;
        }
    }
    changed
}

fn bind_one(spring: &Spring, force: f64, state: &mut State) -> bool {
    let Bounds::Interval(lower, upper) = spring.bounds else {
        return false;
    };
    let within = (lower..=upper).contains(&force);
    if within || *state != State::Linear {
        return false;
    }
    *state = State::Bound(force.clamp(lower, upper));
    true
}

/// Why a system has no solution: a velocity that is not finite, or masses too far apart for the
/// stiffness.
fn unsolved(world: &World, free: &[f64]) -> StepError {
    let broken = |v: &[f64]| v.iter().any(|x| !x.is_finite());
    match free.chunks_exact(6).position(broken) {
        Some(body) => world.non_finite(body),
        None => StepError::Scheme(SchemeError::Unsupported {
            scheme: "penalty",
            what: "the system of an implicit substep".to_owned(),
            reason: "is singular to rounding: a mass is lost next to stiffness times step squared, take smaller steps or softer springs",
        }),
    }
}

/// Gives an impulse \[N·s | N·m·s\] along the row of a spring to the velocities of its bodies.
fn push(world: &World, springs: &Springs, spring: &Spring, impulse: f64, velocities: &mut [f64]) {
    for (index, entry) in springs.touched(spring) {
        let body = &world.bodies[index];
        let wrench = entry.map(|x| x * impulse);
        if body.is_dynamic() {
            let change = body.mass_properties().apply_inverse(&wrench);
            for (v, dv) in velocities[6 * index..].iter_mut().zip(change) {
                *v += dv;
            }
        }
    }
}

/// Stores the impulses of a substep; rows without a spring have none.
fn store(world: &mut World, springs: &Springs, forces: &[f64], h: f64) {
    for joint in &mut world.joints {
        let rows = joint.constraint.descriptor().units.len();
        joint.impulses.clear();
        joint.impulses.resize(rows, 0.0);
    }
    for manifold in &mut world.manifolds {
        manifold.impulses.clear();
        manifold.impulses.resize(3 * manifold.points.len(), 0.0);
    }
    for (spring, force) in springs.list.iter().zip(forces) {
        match spring.target {
            SpringTarget::Joint { joint, row } => world.joints[joint].impulses[row] = h * force,
            SpringTarget::Contact {
                manifold,
                point,
                axis,
            } => {
                let manifold = &mut world.manifolds[manifold];
                manifold.impulses[3 * point + axis] = h * force;
                if let (Some(tangent), Some((_, entry))) =
                    (axis.checked_sub(1), springs.touched(spring).last())
                {
                    manifold.impulse_tangents[tangent] = Vector3::from(split_spatial(entry)[0]);
                }
            }
        }
    }
    world.impulse_step = h;
}

impl PositionScheme for Penalty {
    type Parameters = PenaltyParameters;

    const DESCRIPTOR: SchemeDescriptor = SchemeDescriptor {
        id: "penalty",
        aliases: &["spring-damper", "compliant-contact"],
        name: "Penalty forces",
        summary: "baseline: contacts and joints as spring-dampers, explicit or linearly implicit; unlike avbd the stiffness stays as given",
        citations: &["Moore1988", "Hunt1975", "Baraff1998"],
        theory: &["H.1", "H.2", "H.3", "H.5", "H.7", "H.9"],
        uses_solver: false,
        preset_of: None,
    };

    fn new(parameters: PenaltyParameters) -> Result<Self, ParameterError> {
        parameters.validate()?;
        Ok(Self {
            parameters,
            work: Work::default(),
            backup: WorldBackup::default(),
        })
    }
}

impl Scheme for Penalty {
    fn descriptor(&self) -> &SchemeDescriptor {
        &<Self as PositionScheme>::DESCRIPTOR
    }

    fn check(&self, world: &World) -> Result<Fidelity, SchemeError> {
        refuse(world)?;
        Ok(departures(world))
    }

    fn step(
        &mut self,
        world: &mut World,
        dt: f64,
        probe: &mut dyn Probe,
    ) -> Result<StepReport, StepError> {
        StepError::check_time_step(dt)?;
        refuse(world)?;
        let count = self.parameters.substeps;
        let h = dt / f64::from(count);
        check_frequencies(world, h)?;
        let mut backup = std::mem::take(&mut self.backup);
        let outcome = backup.guard_substeps(world, count, h, |world, substep, report| {
            self.substep(world, substep, h, probe, report)
        });
        self.backup = backup;
        outcome
    }
}

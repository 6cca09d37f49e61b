//! `avbd`: augmented vertex block descent; a Newton step per body, multipliers and penalties per
//! row.
//!
//! An iteration visits every body and minimises, over its six coordinates alone, the inertia term
//! and the penalised energies of its rows (V.5); then every row takes over its force as multiplier
//! and stiffens its penalty by its error (V.8). The next substep starts from decayed multipliers
//! and penalties (V.9), and the slip of contact points that stick is stored (V.11);
//! friction that slides opposes the slip (V.13).
//!
//! Cost: per iteration two evaluations of every row for each of its bodies (one on bodies without
//! contacts and limits) and one more, and a 6 × 6 factorisation per body. Nearest siblings: `xpbd`
//! corrects a row at a time and keeps nothing; `velocity` solves for impulses.
//!
//! Departures from the paper: a visit repeats its Newton step until the same rows push before and
//! after it; the penalty of a rigid row is at least four times what resists as much as inertia
//! (`penalty_floor`, V.14); second derivatives are measured once per substep by differences; a row
//! at a bound shows the secant stiffness (V.6), none at all where it does not push, since manifolds
//! stay when bodies part; only overlap is stabilised, a gap is met in full; metres and radians have
//! a β each; damped springs have the implicit Euler stiffness k + d/h (V.3) from the start, without
//! growth (`spring_penalty`, V.12); both tangents of a contact have one penalty, and sliding
//! friction starts opposite to the slip (`friction_direction`, V.13); drives and contacts are of
//! first order within a substep; bodies come in their order, without colours. Limitations: a pair
//! of bodies is not moved at once, so that momentum is kept up to the convergence of the
//! iterations, and a pair of free bodies on a spring of stiffness K needs h²K/m of them to move as
//! one; penalties are state of the scheme and start again when it is given another world. No
//! restitution. Theory: docs/theory/11-position-level.md. Source: \[Giles2025\].

mod curvature;
mod departures;
mod friction;
mod memory;
mod parameters;
mod primal;
mod rows;

use delassus_core::{Fidelity, ParameterError, Parameters, Progress};
use nalgebra::Vector3;

pub use parameters::{AvbdParameters, FrictionDirection, SpringPenalty};

use crate::assembly::Source;
use crate::backup::WorldBackup;
use crate::error::{SchemeError, StepError};
use crate::motion::{
    Motion, RowMemory, check_spins, each_row, outside, record_work, show, velocities,
};
use crate::scheme::{PositionScheme, Probe, Scheme, SchemeDescriptor, Stage, StepReport};
use crate::spatial::split_spatial;
use crate::velocity::check_frequencies;
use crate::velocity::free::FreeMotion;
use crate::world::World;
use curvature::Differences;
use memory::SubstepMemory;
use primal::{Scratch, Targets, Visit};
use rows::Group;

/// Augmented vertex block descent (V.1)–(V.14).
#[derive(Debug, Clone)]
pub struct Avbd {
    parameters: AvbdParameters,
    memory: SubstepMemory,
    /// That of before the step.
    earlier: SubstepMemory,
    work: Work,
    backup: WorldBackup,
}

/// What a substep works with.
#[derive(Debug, Clone, Default)]
struct Work {
    /// Velocities before the substep, 6 per body.
    before: Vec<f64>,
    free: FreeMotion,
    groups: Vec<Group>,
    targets: Targets,
    motion: Motion,
    scratch: Scratch,
    /// Per body: the angular impulse of its rows \[N·m·s\].
    turned: Vec<Vector3<f64>>,
    rows: RowMemory,
    differences: Differences,
}

impl Avbd {
    /// The parameters.
    pub fn parameters(&self) -> &AvbdParameters {
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
        self.memory.fit(world);
        self.memory.follow(world, self.parameters.penalty_min);
        let (p, memory) = (&self.parameters, &self.memory);
        let Work {
            before,
            free,
            groups,
            targets,
            motion,
            rows,
            differences,
            ..
        } = &mut self.work;
        velocities(world, before);
        free.integrate(world, p.gyroscopic, h, report);
        let free = &free.velocities;
        check_spins(world, free, h)?;
        world.check_turns(free, h)?;
        rows::gather(world, p, h, memory, groups, rows, differences);
        targets.set(world, free, h, groups);
        motion.begin(world);
        guess(world, motion, free, &memory.velocities, h);
        world.time += h;
        if p.friction_direction == FrictionDirection::Slip {
            for group in groups {
                group.turn_friction(world, motion, h, &mut rows.rows);
            }
        }
        self.work.solve(world, p, h);
        self.end(world, substep, h, probe, report);
        Ok(())
    }

    /// Stores the impulses of a substep, and says what it did.
    fn end(
        &mut self,
        world: &mut World,
        substep: u32,
        h: f64,
        probe: &mut dyn Probe,
        report: &mut StepReport,
    ) {
        let p = &self.parameters;
        let Work {
            before,
            groups,
            rows: memory,
            ..
        } = &mut self.work;
        store(world, groups, h);
        show(world, Stage::Solved, substep, h, probe);
        show(world, Stage::Integrated, substep, h, probe);
        let rows = groups.iter().map(|group| group.rows.len());
        report.rows = rows.sum();
        let sweeps = p.iterations.saturating_add(u32::from(p.post_stabilize));
        report.progress += Progress::of_sweeps(sweeps, report.rows);
        report.progress += Progress {
            sweeps: 0,
            ..Progress::of_sweeps(p.iterations, report.rows)
        };
        let external = &mut report.external;
        each_row(world, memory, |row| {
            for (body, entry) in row.bodies.iter().zip(row.entries) {
                let wrench = entry.map(|x| x * row.impulse);
                outside(&world.bodies[*body], &wrench, external);
            }
        });
        record_work(world, before, h, report, memory);
        self.remember(world);
    }

    fn remember(&mut self, world: &World) {
        let SubstepMemory {
            moment,
            penalties,
            slips,
            velocities,
            ..
        } = &mut self.memory;
        let Work {
            before,
            groups,
            motion,
            rows: memory,
            ..
        } = &mut self.work;
        *moment = Some(world.moment());
        let contacts = groups.iter().filter(|group| group.is_contact());
        slips.clear();
        for group in contacts {
            slips.push(group.slip(world, motion, &mut memory.rows));
        }
        let rows = groups.iter().flat_map(|group| &group.rows);
        penalties.clear();
        penalties.extend(rows.map(|row| row.penalty));
        velocities.clear();
        velocities.extend(before.chunks_exact(6).map(|v| split_spatial(v)[0]));
    }
}

impl Work {
    /// The iterations, and the velocities that follow from them.
    fn solve(&mut self, world: &mut World, p: &AvbdParameters, h: f64) {
        let Self {
            groups,
            targets,
            motion,
            scratch,
            ..
        } = self;
        // with a stabilising iteration of their own, the others keep the old error
        let alpha = if p.post_stabilize { 1.0 } else { p.alpha };
        for _ in 0..p.iterations {
            let visit = Visit {
                groups,
                targets,
                h,
                alpha,
            };
            sweep(world, motion, &visit, scratch);
            for group in groups.iter_mut() {
                group.evaluate(world, motion, &mut scratch.rows);
                group.pulls(&scratch.rows.error, alpha, &mut scratch.pulls);
                group.update_dual(&scratch.pulls, p.friction_direction);
            }
        }
        motion.set_velocities(world, h);
        targets.angular_impulses(motion, h, &mut self.turned);
        if p.post_stabilize {
            let visit = Visit {
                groups,
                targets,
                h,
                alpha: 0.0,
            };
            sweep(world, motion, &visit, scratch);
        }
        world.follow_spins(h);
        let bodies = world.bodies.iter_mut().zip(&mut self.free.momenta);
        for ((body, kept), impulse) in bodies.zip(&self.turned) {
            if let Some(kept) = kept {
                kept.follow(body, impulse, h);
                body.spin = kept.spin(body, impulse);
            }
        }
    }
}

/// Moves the bodies to where the iterations start: as far along the free acceleration as the last
/// substep went (V.10), before which they had the velocities `earlier`.
fn guess(world: &mut World, motion: &mut Motion, free: &[f64], earlier: &[Vector3<f64>], h: f64) {
    for (index, v) in free.chunks_exact(6).enumerate() {
        let body = &world.bodies[index];
        let [goal, spin] = split_spatial(v);
        let mut velocity = goal;
        if body.is_dynamic() {
            let pull = goal - body.velocity;
            let gained = body.velocity - earlier[index];
            let square = pull.norm_squared();
            if square > 0.0 {
                velocity = body.velocity + (gained.dot(&pull) / square).clamp(0.0, 1.0) * pull;
            }
            for axis in (0..3).filter(|axis| body.lock_translation[*axis]) {
                velocity[axis] = 0.0;
            }
        }
        motion.shift(world, index, h * velocity, &(h * spin));
    }
}

/// One visit of every dynamic body, in their order.
fn sweep(world: &mut World, motion: &mut Motion, visit: &Visit<'_>, scratch: &mut Scratch) {
    for (body, target) in visit.targets.moving() {
        primal::update(world, motion, visit, body, target, scratch);
    }
}

/// Stores the impulses h λ.
fn store(world: &mut World, groups: &[Group], h: f64) {
    for joint in &mut world.joints {
        joint.impulses.clear();
    }
    for manifold in &mut world.manifolds {
        manifold.impulses.clear();
    }
    for group in groups {
        let impulses = match group.source {
            Source::Joint(index) => &mut world.joints[index].impulses,
            Source::Manifold(index) => {
                let manifold = &mut world.manifolds[index];
                manifold.impulse_tangents = group.tangents;
                &mut manifold.impulses
            }
        };
        impulses.extend(group.rows.iter().map(|row| h * row.force));
    }
    world.impulse_step = h;
}

impl PositionScheme for Avbd {
    type Parameters = AvbdParameters;

    const DESCRIPTOR: SchemeDescriptor = SchemeDescriptor {
        id: "avbd",
        aliases: &["augmented-vertex-block-descent"],
        name: "Augmented vertex block descent",
        summary: "a Newton step per body on an augmented Lagrangian whose penalties grow; unlike xpbd it keeps multipliers; penalties fit the masses, springs keep their stiffness and friction opposes the slip, where the paper's penalties err",
        citations: &["Giles2025"],
        theory: &[
            "V.1", "V.3", "V.5", "V.8", "V.9", "V.10", "V.11", "V.12", "V.13", "V.14", "X.13",
        ],
        uses_solver: false,
        preset_of: None,
    };

    fn new(parameters: AvbdParameters) -> Result<Self, ParameterError> {
        parameters.validate()?;
        Ok(Self {
            parameters,
            memory: SubstepMemory::default(),
            earlier: SubstepMemory::default(),
            work: Work::default(),
            backup: WorldBackup::default(),
        })
    }
}

impl Scheme for Avbd {
    fn descriptor(&self) -> &SchemeDescriptor {
        &<Self as PositionScheme>::DESCRIPTOR
    }

    fn check(&self, world: &World) -> Result<Fidelity, SchemeError> {
        departures::refuse(world)?;
        Ok(departures::departures(world, &self.parameters))
    }

    fn step(
        &mut self,
        world: &mut World,
        dt: f64,
        probe: &mut dyn Probe,
    ) -> Result<StepReport, StepError> {
        StepError::check_time_step(dt)?;
        self.check(world)?;
        let count = self.parameters.substeps;
        let h = dt / f64::from(count);
        check_frequencies(world, h)?;
        self.earlier.clone_from(&self.memory);
        let mut backup = std::mem::take(&mut self.backup);
        let outcome = backup.guard_substeps(world, count, h, |world, substep, report| {
            self.substep(world, substep, h, probe, report)
        });
        self.backup = backup;
        if outcome.is_err() {
            self.memory.clone_from(&self.earlier);
        }
        outcome
    }
}

//! What the position-level schemes share: the motion of a substep, the velocities that follow from
//! it, its work; how a frame is shown.

use delassus_collide::Collider;
use nalgebra::Vector3;

use crate::assembly::Source;
use crate::body::{Body, Pose};
use crate::constraint::{ForceKind, Rows};
use crate::contact::{ContactFrame, ContactPlace};
use crate::error::{FieldError, SchemeError};
use crate::joint::Joint;
use crate::rotation;
use crate::scheme::{Probe, Stage, StepReport, StepView};
use crate::spatial::{dot, relative, split_spatial};
use crate::world::{Momentum, World};
use delassus_core::numbers::significant;
use delassus_core::{ContactLaw, Fidelity};

/// How far the bodies have moved since the start of a substep.
///
/// Displacements are summed on their own: a difference of two positions would lose the digits of
/// their magnitude.
#[derive(Debug, Clone, Default)]
pub(crate) struct Motion {
    start: Vec<Pose>,
    displacement: Vec<Vector3<f64>>,
    /// Rotation vectors from the start \[rad\].
    turns: Vec<Vector3<f64>>,
}

impl Motion {
    /// Nothing has moved yet.
    pub(crate) fn begin(&mut self, world: &World) {
        self.start.clear();
        self.start.extend(world.bodies.iter().map(Body::pose));
        self.displacement.clear();
        self.displacement
            .resize(world.bodies.len(), Vector3::zeros());
        self.turns.clear();
        self.turns.resize(world.bodies.len(), Vector3::zeros());
    }

    /// Moves a body by a displacement \[m\] and adds to the rotation vector of its turn \[rad\]:
    /// sums of impulses are then sums of velocities, and angular momentum is kept to rounding.
    pub(crate) fn shift(
        &mut self,
        world: &mut World,
        body: usize,
        displacement: Vector3<f64>,
        turn: &Vector3<f64>,
    ) {
        let moved = &mut world.bodies[body];
        moved.position += displacement;
        self.displacement[body] += displacement;
        if *turn != Vector3::zeros() {
            self.turns[body] += turn;
            moved.orientation = rotation::turned(&self.start[body].orientation, &self.turns[body]);
        }
    }

    /// Displacement \[m\] of a body and the rotation vector \[rad\] of its turn, since the start.
    pub(crate) fn of(&self, body: usize) -> [f64; 6] {
        let x = self.displacement[body];
        let turn = self.turns[body];
        [x.x, x.y, x.z, turn.x, turn.y, turn.z]
    }

    /// Displacement \[m\] of the point of a body that is now at `arm` from its centre of mass.
    pub(crate) fn of_point(&self, world: &World, body: usize, arm: &Vector3<f64>) -> Vector3<f64> {
        let turn = world.bodies[body].orientation * self.start[body].orientation.inverse();
        self.displacement[body] + (arm - turn.inverse() * arm)
    }

    /// Change of a row's error to first order: J Δ, for bodies in the row's order.
    pub(crate) fn along(&self, bodies: &[usize], entries: &[[f64; 6]]) -> f64 {
        let pairs = bodies.iter().zip(entries);
        let share = |(body, entry): (&usize, &[f64; 6])| dot(entry, &self.of(*body));
        pairs.map(share).sum()
    }

    /// Gives the dynamic bodies the velocity of their motion over `h` \[s\] (X.7), and none about a
    /// locked axis.
    pub(crate) fn set_velocities(&self, world: &mut World, h: f64) {
        for body in 0..world.bodies.len() {
            if world.bodies[body].is_dynamic() {
                let spin = self.turns[body] / h;
                let velocity = self.displacement[body] / h;
                let body = &mut world.bodies[body];
                let locked = body.lock_rotation;
                body.velocity = velocity;
                body.spin = Vector3::from_fn(|axis, _| if locked[axis] { 0.0 } else { spin[axis] });
            }
        }
    }
}

/// Refuses bodies that turn by π or more in a substep: the turn that the poses show would be
/// another one.
pub(crate) fn check_spins(world: &World, free: &[f64], h: f64) -> Result<(), SchemeError> {
    for (index, (body, v)) in world.bodies.iter().zip(free.chunks_exact(6)).enumerate() {
        let speed = Vector3::new(v[3], v[4], v[5]).norm();
        if body.is_dynamic() && speed * h >= std::f64::consts::PI {
            let expected = format!(
                "must stay below {} rad/s, half a turn in a substep of {} s; take shorter steps",
                significant(std::f64::consts::PI / h, 4),
                significant(h, 3)
            );
            let path = format!("bodies[{index}].spin");
            return Err(FieldError::new(path, speed, &expected).into());
        }
    }
    Ok(())
}

/// Normal and tangent rows of a contact point.
pub(crate) fn contact_rows(frame: &ContactFrame, point: usize) -> [[[f64; 6]; 2]; 3] {
    let axes = [frame.normal, frame.tangents[0], frame.tangents[1]];
    axes.map(|axis| relative(&axis, &frame.arms[point]))
}

/// Rows of the joints, and three per contact point \[-\].
pub(crate) fn position_rows(world: &World) -> usize {
    let points: usize = world.manifolds.iter().map(|m| m.points.len()).sum();
    let units = |joint: &Joint| joint.constraint.descriptor().units.len();
    world.joints.iter().map(units).sum::<usize>() + 3 * points
}

/// Velocities of all bodies, 6 per body.
pub(crate) fn velocities(world: &World, out: &mut Vec<f64>) {
    let bodies = world.bodies.iter();
    let numbers = bodies.flat_map(|b| b.velocity.iter().chain(b.spin.iter()).copied());
    out.clear();
    out.extend(numbers);
}

/// Counts an impulse on a body towards the momentum from outside, as far as the body does not take
/// it up.
pub(crate) fn outside(body: &Body, impulse: &[f64; 6], external: &mut Momentum) {
    let [mut linear, angular] = split_spatial(impulse);
    if body.is_dynamic() {
        // what a locked axis takes up comes from outside as well
        for axis in 0..3 {
            if !body.lock_translation[axis] {
                linear[axis] = 0.0;
            }
        }
    } else {
        external.angular -= angular;
    }
    external.linear -= linear;
    external.angular -= body.position.to_vector().cross(&linear);
}

/// Memory for velocities, and for a joint and a manifold at the present poses.
#[derive(Debug, Clone, Default)]
pub(crate) struct RowMemory {
    velocities: Vec<f64>,
    pub(crate) rows: Rows,
    pub(crate) frame: ContactFrame,
}

/// One row of the world with the impulse that is stored for it.
pub(crate) struct StoredRow<'a> {
    /// Bodies of the row.
    pub(crate) bodies: &'a [usize],
    /// Jacobian entry per body at the present poses.
    pub(crate) entries: &'a [[f64; 6]],
    /// Impulse of the last substep \[N·s | N·m·s\].
    pub(crate) impulse: f64,
    /// True if its force may do work: a drive, or a target that moves.
    pub(crate) drive: bool,
}

/// Visits every row with its stored impulse; the rows of a manifold are normal and tangents, point
/// by point.
pub(crate) fn each_row(
    world: &World,
    RowMemory { rows, frame, .. }: &mut RowMemory,
    mut visit: impl FnMut(&StoredRow<'_>),
) {
    for (index, joint) in world.joints.iter().enumerate() {
        world.evaluate_joint(index, rows);
        let bodies = joint.constraint.bodies();
        let drives = joint.constraint.descriptor().force == ForceKind::Drive;
        let entries = rows.jacobian.chunks_exact(bodies.len());
        for ((entries, rate), impulse) in entries.zip(&rows.rate).zip(&joint.impulses) {
            visit(&StoredRow {
                bodies,
                entries,
                impulse: *impulse,
                drive: drives || *rate != 0.0,
            });
        }
    }
    for manifold in &world.manifolds {
        world.contact_frame(manifold, ContactPlace::Surface, frame);
        frame.tangents = manifold.impulse_tangents;
        let points = manifold.impulses.chunks_exact(3).enumerate();
        for (point, impulses) in points.take(manifold.points.len()) {
            for (entries, impulse) in contact_rows(frame, point).iter().zip(impulses) {
                visit(&StoredRow {
                    bodies: &manifold.bodies,
                    entries,
                    impulse: *impulse,
                    drive: false,
                });
            }
        }
    }
}

/// Adds the work of applied forces, drives and moving bodies over `h` \[s\] (T.16); `before` are
/// the velocities at its start, the stored impulses are those of the substep.
///
/// The Jacobians are those of its end, so that the balance closes to first order in h and not to
/// rounding.
pub(crate) fn record_work(
    world: &World,
    before: &[f64],
    h: f64,
    report: &mut StepReport,
    memory: &mut RowMemory,
) {
    let mut after = std::mem::take(&mut memory.velocities);
    velocities(world, &mut after);
    let mean = |body: usize| -> [f64; 6] {
        std::array::from_fn(|axis| 0.5 * (before[6 * body + axis] + after[6 * body + axis]))
    };
    for (index, body) in world.bodies.iter().enumerate() {
        if body.is_dynamic() {
            let (f, t) = (body.force, body.torque);
            report.applied_work += h * dot(&mean(index), &[f.x, f.y, f.z, t.x, t.y, t.z]);
        }
    }
    each_row(world, memory, |row| {
        for (body, entry) in row.bodies.iter().zip(row.entries) {
            let work = row.impulse * dot(entry, &mean(*body));
            if row.drive {
                report.drive_work += work;
            }
            if !world.bodies[*body].is_dynamic() {
                report.drive_work -= work;
            }
        }
    });
    memory.velocities = after;
}

/// What a scheme without rows for rolling leaves out.
pub(crate) const WITHOUT_ROLLING: &str = "resistance to rolling and spinning is left out";

/// How close a scheme comes to a world that it steps with these departures.
pub(crate) fn fidelity(reasons: Vec<&'static str>) -> Fidelity {
    if reasons.is_empty() {
        Fidelity::Exact
    } else {
        Fidelity::Approximate(reasons)
    }
}

/// True if a contact may have a disc of friction.
pub(crate) fn has_disc(world: &World) -> bool {
    let disc = |law: ContactLaw| !matches!(law, ContactLaw::Frictionless | ContactLaw::Pyramid);
    let rubs = |c: &Collider| c.material.friction > 0.0;
    let given = &world.manifolds[..world.colliders.given];
    given.iter().any(|m| disc(m.law) && m.friction > 0.0)
        || disc(world.contact_settings().law) && world.colliders().iter().any(rubs)
}

/// Refuses the friction laws that a scheme does not have.
pub(crate) fn check_laws(
    world: &World,
    scheme: &'static str,
    known: &[ContactLaw],
    reason: &'static str,
) -> Result<(), SchemeError> {
    let odd = |law: &ContactLaw| !known.contains(law);
    if let Some(index) = world.moving_surface() {
        return Err(SchemeError::Unsupported {
            scheme,
            what: format!("colliders[{index}].material.surface_velocity"),
            reason: "moves a surface, which this scheme has no velocity for",
        });
    }
    let found = world.contact_settings().law;
    if !world.colliders().is_empty() && odd(&found) {
        return Err(SchemeError::Unsupported {
            scheme,
            what: format!("contacts ({found})"),
            reason,
        });
    }
    match world.manifolds.iter().position(|m| odd(&m.law)) {
        None => Ok(()),
        Some(index) => {
            let what = format!(
                "{} ({})",
                name(Source::Manifold(index)),
                world.manifolds[index].law
            );
            Err(SchemeError::Unsupported {
                scheme,
                what,
                reason,
            })
        }
    }
}

/// Refuses joints that are soft as a block, for schemes that have a stiffness per row.
pub(crate) fn check_blocks(world: &World, scheme: &'static str) -> Result<(), SchemeError> {
    let coupled = world.joints.iter().position(Joint::has_coupled_compliance);
    coupled.map_or(Ok(()), |index| {
        Err(SchemeError::Unsupported {
            scheme,
            what: format!("joints[{index}].coupling"),
            reason: "couples the springs of its rows, and the method has a stiffness per row: use coupling = \"rows\"",
        })
    })
}

/// Path of a joint or manifold in messages.
pub(crate) fn name(source: Source) -> String {
    match source {
        Source::Joint(index) => format!("joints[{index}]"),
        Source::Manifold(index) => format!("manifolds[{index}]"),
    }
}

/// Lets the probe look, at the impulses that the world stores.
pub(crate) fn show(world: &World, stage: Stage, substep: u32, h: f64, probe: &mut dyn Probe) {
    if probe.wants(stage) {
        let joints = world.joints.iter().flat_map(|joint| &joint.impulses);
        let contacts = world.manifolds.iter().flat_map(|m| &m.impulses);
        let impulses: Vec<f64> = joints.chain(contacts).copied().collect();
        let view = StepView {
            substep,
            h,
            world,
            problem: None,
            impulses: &impulses,
        };
        probe.at(stage, &view);
    }
}

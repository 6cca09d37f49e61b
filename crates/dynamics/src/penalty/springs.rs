//! The spring-dampers of a substep: what every row of a joint and every overlapping contact point
//! pulls with.

use std::ops::Range;

use delassus_core::{ContactLaw, Softness};
use nalgebra::Vector3;

use super::parameters::{Integration, NormalForce, PenaltyParameters};
use crate::constraint::{ForceKind, RowUnit, Rows};
use crate::contact::{ContactFrame, ContactPlace, Manifold, PointIndex};
use crate::motion::{RowMemory, contact_rows};
use crate::spatial::dot;
use crate::world::World;

/// Where the force of a spring is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SpringTarget {
    /// A row of a joint.
    Joint { joint: usize, row: usize },
    /// Of a contact point: the normal (0) or a tangent (1, 2).
    Contact {
        manifold: usize,
        point: usize,
        axis: usize,
    },
}

/// What a force may be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Bounds {
    /// \[N | N·m\].
    Interval(f64, f64),
    /// The first tangent of two, with the largest force of both \[N\].
    Disc(f64),
    /// The second one.
    SecondOfDisc,
}

/// A spring and a damper along one row: f = load − damping·w, with w = J v + ∂C/∂t.
#[derive(Debug, Clone)]
pub(super) struct Spring {
    pub(super) target: SpringTarget,
    /// Its bodies and J in the list of all.
    touched: Range<usize>,
    /// ∂C/∂t \[m/s | rad/s\].
    pub(super) rate: f64,
    /// Force of the spring at the start of the substep \[N | N·m\].
    pub(super) load: f64,
    /// −∂f/∂C there \[N/m | N·m/rad\].
    pub(super) stiffness: f64,
    /// −∂f/∂w there \[N·s/m | N·m·s/rad\].
    pub(super) damping: f64,
    pub(super) bounds: Bounds,
}

#[cfg(test)]
impl Spring {
    /// Nothing that pulls along a row, for tests of systems.
    pub(super) fn slack(touched: Range<usize>) -> Self {
        Self {
            target: SpringTarget::Joint { joint: 0, row: 0 },
            touched,
            rate: 0.0,
            load: 0.0,
            stiffness: 0.0,
            damping: 0.0,
            bounds: Bounds::Interval(0.0, 0.0),
        }
    }
}

/// The springs of a world, and what they touch.
#[derive(Debug, Clone, Default)]
pub(super) struct Springs {
    pub(super) list: Vec<Spring>,
    bodies: Vec<usize>,
    /// J per body of every spring.
    entries: Vec<[f64; 6]>,
}

impl Springs {
    /// Bodies of a spring, with J.
    pub(super) fn touched(&self, spring: &Spring) -> impl Iterator<Item = (usize, &[f64; 6])> {
        let bodies = self.bodies[spring.touched.clone()].iter().copied();
        bodies.zip(&self.entries[spring.touched.clone()])
    }

    /// w of a spring at these velocities, 6 per body \[m/s | rad/s\].
    pub(super) fn velocity(&self, spring: &Spring, velocities: &[f64]) -> f64 {
        let share = |(body, entry): (usize, &[f64; 6])| {
            let v: [f64; 6] = std::array::from_fn(|axis| velocities[6 * body + axis]);
            dot(entry, &v)
        };
        self.touched(spring).map(share).sum::<f64>() + spring.rate
    }

    /// Lists what a spring touches.
    pub(super) fn touch(&mut self, bodies: &[usize], entries: &[[f64; 6]]) -> Range<usize> {
        let first = self.bodies.len();
        self.bodies.extend_from_slice(bodies);
        self.entries.extend_from_slice(entries);
        first..self.bodies.len()
    }

    pub(super) fn clear(&mut self) {
        self.list.clear();
        self.bodies.clear();
        self.entries.clear();
    }
}

/// The springs of a world at its present poses and velocities, 6 per body; open contacts and limits
/// have none.
pub(super) fn springs(
    world: &World,
    parameters: &PenaltyParameters,
    velocities: &[f64],
    h: f64,
    springs: &mut Springs,
    memory: &mut RowMemory,
) {
    let RowMemory { rows, frame, .. } = memory;
    springs.clear();
    for joint in 0..world.joints.len() {
        of_joint(world, parameters, joint, h, springs, rows);
    }
    for index in 0..world.manifolds.len() {
        let manifold = &world.manifolds[index];
        world.contact_frame(manifold, ContactPlace::Surface, frame);
        for point in (0..manifold.points.len()).filter(|point| frame.separations[*point] < 0.0) {
            let at = PointIndex {
                manifold: index,
                point,
            };
            let normal = normal(world, at, frame, parameters, h, velocities, springs);
            let pressing = match parameters.integration {
                Integration::Explicit => explicit(springs, &normal, velocities),
                Integration::Implicit => last_push(world, manifold, point)
                    .unwrap_or_else(|| explicit(springs, &normal, velocities)),
            };
            springs.list.push(normal);
            let bound = friction_of(manifold) * pressing;
            if bound > 0.0 {
                let slow = parameters.slip_speed;
                friction(manifold, at, frame, bound, slow, velocities, springs);
            }
        }
    }
}

/// Force of a spring that only pushes, at these velocities \[N\] (H.1).
pub(super) fn explicit(springs: &Springs, spring: &Spring, velocities: &[f64]) -> f64 {
    let force = spring.load - spring.damping * springs.velocity(spring, velocities);
    match spring.bounds {
        Bounds::Interval(lower, upper) => force.clamp(lower, upper),
        Bounds::Disc(_) | Bounds::SecondOfDisc => force,
    }
}

fn of_joint(
    world: &World,
    parameters: &PenaltyParameters,
    index: usize,
    h: f64,
    springs: &mut Springs,
    rows: &mut Rows,
) {
    let joint = &world.joints[index];
    let descriptor = joint.constraint.descriptor();
    world.evaluate_joint(index, rows);
    let bodies = joint.constraint.bodies();
    for (row, entries) in rows.jacobian.chunks_exact(bodies.len()).enumerate() {
        let error = rows.error[row];
        let only_pushes = descriptor.force == ForceKind::Limit;
        if only_pushes && error >= 0.0 {
            continue;
        }
        let unit = descriptor.units[row];
        let limit = joint.limit_of(unit);
        let own = match unit {
            RowUnit::Length => [parameters.joint_stiffness, parameters.joint_damping],
            RowUnit::Angle => [
                parameters.joint_angular_stiffness,
                parameters.joint_angular_damping,
            ],
        };
        let softness = joint.softness_of(unit);
        let soft = of_scene(world, softness, bodies, entries, h);
        let [mut stiffness, damping] = soft.unwrap_or(own);
        if descriptor.force == ForceKind::Drive && error == 0.0 {
            // a motor has a velocity and no error: nothing for a spring to pull at
            stiffness = 0.0;
        }
        let touched = springs.touch(bodies, entries);
        springs.list.push(Spring {
            target: SpringTarget::Joint { joint: index, row },
            touched,
            rate: rows.rate[row],
            load: -stiffness * error,
            stiffness,
            damping,
            bounds: Bounds::Interval(if only_pushes { 0.0 } else { -limit }, limit),
        });
    }
}

/// Stiffness \[N/m | N·m/rad\] and damping \[N·s/m | N·m·s/rad\] of a row that the scene makes
/// soft; `None` if it is rigid.
fn of_scene(
    world: &World,
    softness: Softness,
    bodies: &[usize],
    entries: &[[f64; 6]],
    h: f64,
) -> Option<[f64; 2]> {
    let mass = |body: &usize| world.bodies[*body].mass_properties();
    let pairs = entries.iter().zip(bodies.iter().map(mass));
    let diagonal: f64 = pairs.map(|(j, mass)| dot(j, &mass.apply_inverse(j))).sum();
    let asked = [
        softness.stiffness(diagonal, h),
        softness.damping(diagonal, h),
    ];
    let soft = !softness.is_rigid() && asked.iter().all(|x| x.is_finite());
    soft.then_some(asked)
}

/// The normal of a contact point that overlaps (H.1), (H.2).
fn normal(
    world: &World,
    at: PointIndex,
    frame: &ContactFrame,
    parameters: &PenaltyParameters,
    h: f64,
    velocities: &[f64],
    springs: &mut Springs,
) -> Spring {
    let manifold = &world.manifolds[at.manifold];
    let [entries, ..] = contact_rows(frame, at.point);
    let overlap = -frame.separations[at.point];
    let soft = of_scene(world, manifold.softness, &manifold.bodies, &entries, h);
    let own = [parameters.contact_stiffness, parameters.contact_damping];
    let [stiffness, damping] = soft.unwrap_or(own);
    let mut spring = Spring {
        target: SpringTarget::Contact {
            manifold: at.manifold,
            point: at.point,
            axis: 0,
        },
        touched: springs.touch(&manifold.bodies, &entries),
        rate: 0.0,
        load: stiffness * overlap,
        stiffness,
        damping,
        bounds: Bounds::Interval(0.0, f64::INFINITY),
    };
    if parameters.normal_force == NormalForce::HuntCrossley && soft.is_none() {
        let dissipation = parameters.contact_dissipation;
        // a spring that is torn apart faster than 1/dissipation has no force, and no slope
        let share = 1.0 - dissipation * springs.velocity(&spring, velocities);
        spring.damping = dissipation * spring.load;
        spring.stiffness = stiffness * share.max(0.0);
    }
    spring
}

/// The normal force of the last substep \[N\]; `None` before the first one of a world.
fn last_push(world: &World, manifold: &Manifold, point: usize) -> Option<f64> {
    let impulse = manifold.impulses.get(3 * point).copied().unwrap_or(0.0);
    (world.impulse_step > 0.0).then(|| impulse / world.impulse_step)
}

fn friction_of(manifold: &Manifold) -> f64 {
    if manifold.law == ContactLaw::Frictionless {
        0.0
    } else {
        manifold.friction
    }
}

/// Two dampers along the tangents with the secant slope of regularised friction (H.9).
fn friction(
    manifold: &Manifold,
    at: PointIndex,
    frame: &ContactFrame,
    bound: f64,
    slip_speed: f64,
    velocities: &[f64],
    springs: &mut Springs,
) {
    let [_, first, second] = contact_rows(frame, at.point);
    let mut tangent = |axis: usize, entries: [[f64; 6]; 2], bounds: Bounds| Spring {
        target: SpringTarget::Contact {
            manifold: at.manifold,
            point: at.point,
            axis,
        },
        touched: springs.touch(&manifold.bodies, &entries),
        rate: 0.0,
        load: 0.0,
        stiffness: 0.0,
        damping: 0.0,
        bounds,
    };
    let mut pair = [
        tangent(1, first, Bounds::Disc(bound)),
        tangent(2, second, Bounds::SecondOfDisc),
    ];
    let [u1, u2] = [0, 1].map(|axis| springs.velocity(&pair[axis], velocities));
    let speed = Vector3::new(u1, u2, 0.0).norm();
    for spring in &mut pair {
        spring.damping = bound / speed.max(slip_speed);
    }
    springs.list.extend(pair);
}

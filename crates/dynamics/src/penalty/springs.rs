//! The spring-dampers of a substep: what every row of a joint and every overlapping contact point pulls with.

use delassus_core::{ContactLaw, MassProperties, Softness};
use nalgebra::Vector3;

use super::parameters::{Integration, NormalForce, PenaltyParameters};
use crate::constraint::{ForceKind, RowUnit, Rows};
use crate::contact::{ContactFrame, Manifold};
use crate::motion::contact_rows;
use crate::six::dot;
use crate::world::World;

/// Where the force of a spring is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
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
    pub(super) place: Place,
    pub(super) bodies: Vec<usize>,
    /// J per body.
    pub(super) entries: Vec<[f64; 6]>,
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

impl Spring {
    /// w at these velocities, 6 per body \[m/s | rad/s\].
    pub(super) fn velocity(&self, velocities: &[f64]) -> f64 {
        let share = |(body, entry): (&usize, &[f64; 6])| {
            let v: [f64; 6] = std::array::from_fn(|axis| velocities[6 * body + axis]);
            dot(entry, &v)
        };
        let pairs = self.bodies.iter().zip(&self.entries);
        pairs.map(share).sum::<f64>() + self.rate
    }
}

/// The springs of a world at its present poses and velocities, 6 per body; open contacts and limits have none.
pub(super) fn springs(
    world: &World,
    parameters: &PenaltyParameters,
    velocities: &[f64],
    h: f64,
) -> Vec<Spring> {
    let mut list = Vec::new();
    for joint in 0..world.joints.len() {
        of_joint(world, parameters, joint, h, &mut list);
    }
    for index in 0..world.manifolds.len() {
        let manifold = &world.manifolds[index];
        let frame = manifold.frame(world.pair(manifold.bodies));
        for point in (0..manifold.points.len()).filter(|point| frame.separations[*point] < 0.0) {
            let normal = normal(world, (index, point), &frame, (parameters, h), velocities);
            let pressing = match parameters.integration {
                Integration::Explicit => explicit(&normal, velocities),
                Integration::Implicit => last_push(world, manifold, point)
                    .unwrap_or_else(|| explicit(&normal, velocities)),
            };
            list.push(normal);
            let bound = friction_of(manifold) * pressing;
            if bound > 0.0 {
                let speed = parameters.slip_speed;
                friction(
                    manifold,
                    (index, point),
                    &frame,
                    (bound, speed),
                    velocities,
                    &mut list,
                );
            }
        }
    }
    list
}

/// Force of a spring that only pushes, at these velocities \[N\] (H.1).
pub(super) fn explicit(spring: &Spring, velocities: &[f64]) -> f64 {
    let force = spring.load - spring.damping * spring.velocity(velocities);
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
    list: &mut Vec<Spring>,
) {
    let joint = &world.joints[index];
    let descriptor = joint.constraint.descriptor();
    let mut rows = Rows::default();
    world.evaluate_joint(index, &mut rows);
    let bodies = joint.constraint.bodies();
    let mass: Vec<MassProperties> = bodies
        .iter()
        .map(|body| world.bodies[*body].mass_properties())
        .collect();
    for (row, entries) in rows.entries(bodies.len()).into_iter().enumerate() {
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
        let [mut stiffness, damping] = of_scene(softness, &entries, &mass, h).unwrap_or(own);
        if descriptor.force == ForceKind::Drive && error == 0.0 {
            // a motor has a velocity and no error: nothing for a spring to pull at
            stiffness = 0.0;
        }
        list.push(Spring {
            place: Place::Joint { joint: index, row },
            bodies: bodies.to_vec(),
            entries,
            rate: rows.rate[row],
            load: -stiffness * error,
            stiffness,
            damping,
            bounds: Bounds::Interval(if only_pushes { 0.0 } else { -limit }, limit),
        });
    }
}

/// Stiffness \[N/m | N·m/rad\] and damping \[N·s/m | N·m·s/rad\] of a row that the scene makes soft; `None` if it is rigid.
fn of_scene(
    softness: Softness,
    entries: &[[f64; 6]],
    mass: &[MassProperties],
    h: f64,
) -> Option<[f64; 2]> {
    let pairs = entries.iter().zip(mass);
    let diagonal: f64 = pairs.map(|(j, mass)| dot(j, &mass.times(j))).sum();
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
    (index, point): (usize, usize),
    frame: &ContactFrame,
    (parameters, h): (&PenaltyParameters, f64),
    velocities: &[f64],
) -> Spring {
    let manifold = &world.manifolds[index];
    let [entries, ..] = contact_rows(frame, point);
    let overlap = -frame.separations[point];
    let mass = manifold
        .bodies
        .map(|body| world.bodies[body].mass_properties());
    let soft = of_scene(manifold.softness, &entries, &mass, h);
    let own = [parameters.contact_stiffness, parameters.contact_damping];
    let [stiffness, damping] = soft.unwrap_or(own);
    let mut spring = Spring {
        place: Place::Contact {
            manifold: index,
            point,
            axis: 0,
        },
        bodies: manifold.bodies.to_vec(),
        entries: entries.to_vec(),
        rate: 0.0,
        load: stiffness * overlap,
        stiffness,
        damping,
        bounds: Bounds::Interval(0.0, f64::INFINITY),
    };
    if parameters.normal_force == NormalForce::HuntCrossley && soft.is_none() {
        let dissipation = parameters.contact_dissipation;
        // a spring that is torn apart faster than 1/dissipation has no force, and no slope
        let share = 1.0 - dissipation * spring.velocity(velocities);
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
    (index, point): (usize, usize),
    frame: &ContactFrame,
    (bound, slip_speed): (f64, f64),
    velocities: &[f64],
    list: &mut Vec<Spring>,
) {
    let [_, first, second] = contact_rows(frame, point);
    let tangent = |axis: usize, entries: [[f64; 6]; 2], bounds: Bounds| Spring {
        place: Place::Contact {
            manifold: index,
            point,
            axis,
        },
        bodies: manifold.bodies.to_vec(),
        entries: entries.to_vec(),
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
    let [u1, u2] = [0, 1].map(|axis| pair[axis].velocity(velocities));
    let speed = Vector3::new(u1, u2, 0.0).norm();
    for spring in &mut pair {
        spring.damping = bound / speed.max(slip_speed);
    }
    list.extend(pair);
}

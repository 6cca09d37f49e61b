//! Contacts: overlap and static friction on the positions, restitution and sliding friction on the
//! velocities.

use delassus_core::ContactLaw;
use nalgebra::Vector3;

use super::joint::diagonal;
use super::parameters::StaticFriction;
use super::substep::Substep;
use crate::contact::{ContactFrame, ContactPlace, Manifold, PointIndex};
use crate::slips::Slips;
use crate::spatial::{dot, relative};
use crate::world::World;

/// J M⁻¹ Jᵀ of a contact point along `axis` \[1/kg\].
fn inverse_mass(world: &World, bodies: [usize; 2], rows: &[[f64; 6]; 2]) -> f64 {
    let mass = bodies.map(|body| world.bodies[body].mass_properties());
    let responses = [0, 1].map(|side| mass[side].apply_inverse(&rows[side]));
    diagonal(rows, &responses, &mass)
}

fn friction_of(manifold: &Manifold) -> f64 {
    if manifold.law == ContactLaw::Frictionless {
        0.0
    } else {
        manifold.friction
    }
}

/// One visit of a manifold on the positions (X.8), (X.9); returns the rows that it updated.
pub(super) fn solve(
    world: &mut World,
    substep: &mut Substep,
    index: usize,
    statics: StaticFriction,
) -> u64 {
    let mut updates = 0;
    let mut frame = std::mem::take(&mut substep.frame);
    for point in 0..world.manifolds[index].points.len() {
        updates += 1;
        let at = PointIndex {
            manifold: index,
            point,
        };
        normal(world, substep, at, &mut frame);
        let touches = substep.points[index][point].normal > 0.0;
        if touches && friction_of(&world.manifolds[index]) > 0.0 {
            updates += 2;
            friction(world, substep, at, &mut frame, statics);
        }
    }
    substep.frame = frame;
    updates
}

fn normal(world: &mut World, substep: &mut Substep, at: PointIndex, frame: &mut ContactFrame) {
    let manifold = &world.manifolds[at.manifold];
    world.contact_frame(manifold, ContactPlace::Surface, frame);
    let rows = relative(&frame.normal, &frame.arms[at.point]);
    let w = inverse_mass(world, manifold.bodies, &rows);
    if w <= 0.0 {
        return;
    }
    let bodies = manifold.bodies;
    let separation = frame.separations[at.point];
    let soft = manifold.softness.row(w, substep.h);
    let state = &mut substep.points[at.manifold][at.point];
    let start = state.start.min(0.0);
    let multiplier = &mut state.normal;
    let (residual, softened) = match soft {
        None => (separation, w),
        // as a joint's row (X.4); what is closed within the substep starts at the surface
        Some(soft) => {
            let kept = 1.0 - soft.bias_rate * substep.h;
            let residual = separation - kept * start + soft.compliance * *multiplier;
            (residual, w + soft.compliance)
        }
    };
    let wanted = (*multiplier - residual / softened).max(0.0);
    let change = wanted - *multiplier;
    *multiplier = wanted;
    if change != 0.0 {
        substep.push(world, &bodies, &rows.map(|row| row.map(|x| x * change)));
    }
}

fn friction(
    world: &mut World,
    substep: &mut Substep,
    at: PointIndex,
    frame: &mut ContactFrame,
    statics: StaticFriction,
) {
    let manifold = &world.manifolds[at.manifold];
    let bodies = manifold.bodies;
    world.contact_frame(manifold, ContactPlace::Surface, frame);
    let arms = frame.arms[at.point];
    let slip = slip(world, substep, at, frame);
    let length = slip.norm();
    if length == 0.0 {
        return;
    }
    let along = slip / length;
    let w = inverse_mass(world, bodies, &relative(&along, &arms));
    if w <= 0.0 {
        return;
    }
    let old = *substep.point(at);
    let bound = manifold.friction * old.normal;
    let mut wanted = old.friction - (length / w) * along;
    let slides = wanted.norm() > bound;
    substep.point(at).slides = slides;
    if slides {
        match statics {
            StaticFriction::Anchored | StaticFriction::Paper => return,
            StaticFriction::Clamped => wanted = cut(&wanted, bound),
        }
    }
    substep.point(at).friction = wanted;
    let change = relative(&(wanted - old.friction), &arms);
    substep.push(world, &bodies, &change);
}

/// Slip of a point since it began to stick (X.14), world axes \[m\].
fn slip(world: &World, substep: &Substep, at: PointIndex, frame: &ContactFrame) -> Vector3<f64> {
    let bodies = world.manifolds[at.manifold].bodies;
    let arms = &frame.arms[at.point];
    let moved = [0, 1].map(|side| substep.motion.of_point(world, bodies[side], &arms[side]));
    let before = world.bodies[bodies[0]].orientation * substep.points[at.manifold][at.point].slip;
    tangential(&(before + moved[1] - moved[0]), &frame.normal)
}

/// Keeps the slips of the points of a manifold that stick (X.14), in the axes of its first body.
pub(super) fn remember(world: &World, substep: &mut Substep, index: usize, slips: &mut Slips) {
    let manifold = &world.manifolds[index];
    let mut frame = std::mem::take(&mut substep.frame);
    world.contact_frame(manifold, ContactPlace::Surface, &mut frame);
    let inverse = world.bodies[manifold.bodies[0]].orientation.inverse();
    for (point, state) in substep.points[index].iter().enumerate() {
        let at = PointIndex {
            manifold: index,
            point,
        };
        let sticks = state.normal > 0.0 && !state.slides;
        slips.push(match sticks {
            true => inverse * slip(world, substep, at, &frame),
            false => Vector3::zeros(),
        });
    }
    substep.frame = frame;
}

/// The velocity pass: bounces, and sliding friction within what the cone has left (X.10), (X.11).
pub(super) fn velocities(
    world: &mut World,
    substep: &mut Substep,
    index: usize,
    before: &[f64],
    threshold: f64,
) -> u64 {
    let manifold = &world.manifolds[index];
    let (bodies, restitution) = (manifold.bodies, manifold.restitution);
    let (rigid, mu) = (manifold.softness.is_rigid(), friction_of(manifold));
    let mut frame = std::mem::take(&mut substep.frame);
    world.contact_frame(manifold, ContactPlace::Surface, &mut frame);
    let mut updates = 0;
    for point in 0..frame.arms.len() {
        let state = substep.points[index][point];
        if state.normal <= 0.0 {
            continue;
        }
        let arms = frame.arms[point];
        let rows = relative(&frame.normal, &arms);
        let approach = approach(bodies, &rows, before);
        let target = if approach < -threshold {
            -restitution * approach
        } else {
            0.0
        };
        let w = inverse_mass(world, bodies, &rows);
        if w <= 0.0 {
            continue;
        }
        let gap = target - relative_velocity(world, bodies, &arms).dot(&frame.normal);
        // impulses from here on, of which the position solve has used a part
        let used = state.normal / substep.h;
        // a spring keeps its velocity
        let total = match rigid {
            true => (used + gap / w).max(0.0),
            false => used,
        };
        substep.strike(world, &bodies, &rows, total - used);
        substep.points[index][point].normal = total * substep.h;
        updates += 1;
        if mu > 0.0 {
            let at = PointIndex {
                manifold: index,
                point,
            };
            slide(world, substep, at, &frame.normal, &arms, mu * total);
            updates += 2;
        }
    }
    substep.frame = frame;
    updates
}

/// Velocity along the rows of a contact \[m/s\]; `velocities` are 6 per body.
fn approach(bodies: [usize; 2], rows: &[[f64; 6]; 2], velocities: &[f64]) -> f64 {
    let velocities = velocities.as_chunks::<6>().0;
    let sides = bodies.iter().zip(rows);
    sides.map(|(body, row)| dot(row, &velocities[*body])).sum()
}

/// Stops the sliding as far as the bound \[N·s\] of the whole friction of the substep allows.
fn slide(
    world: &mut World,
    substep: &mut Substep,
    at: PointIndex,
    normal: &Vector3<f64>,
    arms: &[Vector3<f64>; 2],
    bound: f64,
) {
    let bodies = world.manifolds[at.manifold].bodies;
    let used = substep.point(at).friction / substep.h;
    let slip = tangential(&relative_velocity(world, bodies, arms), normal);
    let speed = slip.norm();
    let mut wanted = used;
    if speed > 0.0 {
        let along = slip / speed;
        let w = inverse_mass(world, bodies, &relative(&along, arms));
        if w > 0.0 {
            wanted -= (speed / w) * along;
        }
    }
    substep.point(at).slides |= wanted.norm() > bound;
    let wanted = cut(&wanted, bound);
    let change = relative(&(wanted - used), arms);
    substep.strike(world, &bodies, &change, 1.0);
    substep.point(at).friction = wanted * substep.h;
}

/// Velocity of B's point relative to A's \[m/s\].
fn relative_velocity(world: &World, bodies: [usize; 2], arms: &[Vector3<f64>; 2]) -> Vector3<f64> {
    let [a, b] = [0, 1].map(|side| {
        let body = &world.bodies[bodies[side]];
        body.velocity + body.spin.cross(&arms[side])
    });
    b - a
}

fn tangential(vector: &Vector3<f64>, normal: &Vector3<f64>) -> Vector3<f64> {
    vector - vector.dot(normal) * normal
}

/// The nearest vector of at most this length.
fn cut(vector: &Vector3<f64>, length: f64) -> Vector3<f64> {
    let norm = vector.norm();
    if norm > length {
        vector * (length / norm)
    } else {
        *vector
    }
}

//! What a replay records of a world at one instant.

use delassus_dynamics::{Manifold, World};
use delassus_replay::{ContactState, FrameState};
use nalgebra::Vector3;

use super::stage::index;

/// The state of a world, with the residuals of its bodies in the last solve \[-\].
pub fn frame_state(world: &World, residuals: Vec<f64>) -> FrameState {
    let bodies = world.bodies();
    let manifolds = world.manifolds().iter();
    FrameState {
        time: world.time(),
        positions: bodies.iter().map(|b| b.position.to_vector()).collect(),
        orientations: bodies.iter().map(|b| b.orientation).collect(),
        speeds: bodies.iter().map(|b| b.velocity.norm()).collect(),
        residuals,
        contacts: manifolds.flat_map(|m| contacts(world, m)).collect(),
    }
}

/// The points of a manifold that touch or push.
fn contacts(world: &World, manifold: &Manifold) -> Vec<ContactState> {
    let [a, b] = manifold.bodies;
    let [first, second] = [a, b].map(|body| &world.bodies()[body]);
    let frame = manifold.frame([first.pose(), second.pose()]);
    let patch = manifold.impulses().len() == frame.separations.len() + 3;
    let tangents = manifold.impulse_tangents();
    let mut found = Vec::new();
    for (point, separation) in frame.separations.iter().enumerate() {
        let impulse = impulse(manifold.impulses(), point, &frame.normal, &tangents, patch);
        // what is merely near is no contact to look at
        if *separation > 0.0 && impulse.norm() == 0.0 {
            continue;
        }
        found.push(ContactState {
            bodies: [index(a), index(b)],
            place: first.position.to_vector() + frame.arms[point][0],
            normal: frame.normal,
            impulse,
            depth: (-separation).max(0.0),
        });
    }
    found
}

/// The impulse of a point on body B \[N·s\]; a patch shares its friction among its points.
fn impulse(
    rows: &[f64],
    point: usize,
    normal: &Vector3<f64>,
    tangents: &[Vector3<f64>; 2],
    patch: bool,
) -> Vector3<f64> {
    let row = |index: usize| rows.get(index).copied().unwrap_or(0.0);
    if patch {
        let points = rows.len() - 3;
        let total: f64 = rows[..points].iter().sum();
        let share = if total > 0.0 { row(point) / total } else { 0.0 };
        let friction = row(points) * tangents[0] + row(points + 1) * tangents[1];
        return row(point) * normal + share * friction;
    }
    let first = 3 * point;
    row(first) * normal + row(first + 1) * tangents[0] + row(first + 2) * tangents[1]
}

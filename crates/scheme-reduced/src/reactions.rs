//! From the force of a joint on its child to the impulses of the joint's rows.

use delassus_dynamics::{Pose, Rows, World};
use nalgebra::Vector3;

use crate::articulated::{Link, Pass};
use crate::spatial::{Factor, Spatial};
use crate::tree::Tree;

/// Impulses of the rows of all joints, each joint's in the order of its rows \[N·s | N·m·s\].
pub(crate) type RowImpulses = Vec<Vec<f64>>;

/// No impulses.
pub(crate) fn none(world: &World) -> RowImpulses {
    let rows = world.joints().iter();
    rows.map(|joint| vec![0.0; joint.constraint.descriptor().units.len()])
        .collect()
}

/// Adds `weight` times the row forces of a tree at its present poses (Q.10).
pub(crate) fn add(world: &World, tree: &Tree, pass: &Pass, weight: f64, out: &mut RowImpulses) {
    let mut rows = Rows::default();
    for (node, link) in tree.nodes.iter().zip(&pass.links) {
        let Some((joint, side)) = node.joint else {
            continue;
        };
        let constraint = &world.joints()[joint].constraint;
        let parent = node
            .parent
            .map(|parent| (&tree.nodes[parent], &pass.links[parent]));
        let own = pose(world, tree, node.body, link);
        let other = match parent {
            Some((node, link)) => pose(world, tree, node.body, link),
            None => world.bodies()[constraint.bodies()[1 - side]].pose(),
        };
        let poses = if side == 0 {
            [own, other]
        } else {
            [other, own]
        };
        rows.clear();
        constraint.evaluate(&poses, world.time(), &mut rows);
        let entries = rows.jacobian.chunks_exact(2).map(|row| &row[side]);
        let entries: Vec<&[f64; 6]> = entries.collect();
        let forces = multipliers(&entries, link);
        for (impulse, force) in out[joint].iter_mut().zip(forces) {
            *impulse += weight * force;
        }
    }
}

fn pose(world: &World, tree: &Tree, body: usize, link: &Link) -> Pose {
    let mut position = tree.origin;
    position += link.place;
    let found = &world.bodies()[body];
    let orientation = if crate::bodies::is_point(found) {
        found.orientation
    } else {
        link.orientation
    };
    Pose {
        position,
        orientation,
    }
}

/// λ with Jᵀλ = the force of the joint, the entries those of the child. The rows are independent,
/// and a force that does no work along the free motions is in their span.
fn multipliers(entries: &[&[f64; 6]], link: &Link) -> [f64; 6] {
    // at the joint's point the lever arms vanish, and lengths and angles no longer mix
    let rows: Vec<Spatial> = entries
        .iter()
        .map(|entry| {
            let linear = Vector3::new(entry[0], entry[1], entry[2]);
            let angular = Vector3::new(entry[3], entry[4], entry[5]);
            Spatial::new(linear, angular).moved(&-link.joint_offset)
        })
        .collect();
    let force = link.wrench.moved(&-link.joint_offset);
    let count = rows.len().min(6);
    let (mut matrix, mut right) = ([[0.0; 6]; 6], [0.0; 6]);
    for i in 0..count {
        for j in 0..=i {
            matrix[i][j] = rows[i].dot(&rows[j]);
        }
        right[i] = rows[i].dot(&force);
    }
    match Factor::of(&matrix, count) {
        Some(factor) => factor.solve(&mut right),
        // rows of an assembled joint are independent
        None => right = [f64::NAN; 6],
    }
    right
}

//! Recognising joints that hold a point: ball joints, and what adds one to three rows of rotation to them.
//!
//! The first three rows are a right-handed orthonormal frame with one arm per body, as those of a contact point (W.3);
//! every other row has no linear part, and opposite angular parts on the two bodies. Universal joints, hinges and welds
//! are such joints.

use delassus_core::{BodyRows, Law, Problem};

use crate::geometry::{angular, arms, directions, is_frame, is_isotropic, linear, pair};

/// Rows of rotation of one joint at most \[-\].
pub const MAX_TURNING: usize = 3;

/// A joint that holds a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PointJoint {
    /// The directions of the first three rows.
    pub frame: [[f64; 3]; 3],
    /// From the centres of mass of both bodies to the point, world axes \[m\].
    pub arms: [[f64; 3]; 2],
    /// Angular parts of the other rows on the second body \[-\].
    pub axes: [[f64; 3]; MAX_TURNING],
    /// Number of these rows \[-\].
    pub turning: usize,
}

/// The joint that a block of three to six rows stands for, if it holds a point.
pub fn point_joint(problem: &Problem, bodies: &BodyRows, block: usize) -> Option<PointJoint> {
    let entry = &problem.blocks()[block];
    if entry.law != Law::Equality || !(3..=3 + MAX_TURNING).contains(&entry.dim) {
        return None;
    }
    let pair = pair(bodies, block)?;
    if !pair.mass.iter().all(|mass| is_isotropic(*mass)) {
        return None;
    }
    let frame = directions(bodies, block);
    if !is_frame(&frame) {
        return None;
    }
    let local = arms(bodies, block, &frame)?;
    let first = [0, 1, 2].map(|axis| local.arm[axis] + local.between[axis]);
    let turning = entry.dim - 3;
    let mut axes = [[0.0; 3]; MAX_TURNING];
    for (row, axis) in axes.iter_mut().enumerate().take(turning) {
        *axis = turning_of(bodies.row(block, 3 + row))?;
    }
    Some(PointJoint {
        frame,
        arms: [first, local.arm].map(|arm| into_world(&frame, arm)),
        axes,
        turning,
    })
}

/// The vector with these components along the axes of a frame.
#[inline]
pub fn into_world(frame: &[[f64; 3]; 3], local: [f64; 3]) -> [f64; 3] {
    let [n, t, s] = frame;
    [0, 1, 2].map(|axis| n[axis] * local[0] + t[axis] * local[1] + s[axis] * local[2])
}

fn turning_of(row: &[[f64; 6]]) -> Option<[f64; 3]> {
    let last = row.len() - 1;
    let axis = angular(&row[last]);
    let still = row.iter().all(|entry| linear(entry) == [0.0; 3]);
    let apart = last == 0 || angular(&row[0]) == axis.map(|x| -x);
    (still && apart).then_some(axis)
}

//! Recognising joints that hold a point: ball joints, and what adds one to three rows of rotation
//! to them.
//!
//! The first three rows are a right-handed orthonormal frame with one arm per body, as those of a
//! contact point (W.3); every other row has no linear part, and opposite angular parts on the two
//! bodies. Universal joints, hinges and welds are such joints.

use delassus_core::{BodyRows, LawForm, Problem};

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
    if entry.law.form() != LawForm::Free || !(3..=3 + MAX_TURNING).contains(&entry.dim) {
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

#[cfg(test)]
mod tests {
    use delassus_core::{Law, MassProperties, ProblemBuilder};

    use super::*;

    /// A right-handed frame with rational entries.
    const FRAME: [[f64; 3]; 3] = [[0.6, 0.8, 0.0], [-0.8, 0.6, 0.0], [0.0, 0.0, 1.0]];
    const ARMS: [[f64; 3]; 2] = [[0.5, -0.2, 0.1], [-0.3, 0.4, 0.7]];

    fn row(d: [f64; 3]) -> [[f64; 6]; 2] {
        let turning = |r: [f64; 3]| {
            [
                r[1] * d[2] - r[2] * d[1],
                r[2] * d[0] - r[0] * d[2],
                r[0] * d[1] - r[1] * d[0],
            ]
        };
        let ([p, q, r], [u, v, w]) = (turning(ARMS[0]), turning(ARMS[1]));
        let [x, y, z] = d;
        [[-x, -y, -z, -p, -q, -r], [x, y, z, u, v, w]]
    }

    fn found(rows: &[[[f64; 6]; 2]]) -> Option<PointJoint> {
        let mut builder = ProblemBuilder::new();
        let mass = MassProperties::aligned(2.0, [1.0; 3].into());
        let bodies = [(); 2].map(|()| builder.body(mass, [0.0; 6]));
        builder.block(Law::Equality, &bodies, rows);
        let problem = builder.build().expect("valid");
        let bodies = problem.bodies().expect("bodies");
        point_joint(&problem, bodies, 0)
    }

    #[test]
    fn arms_and_axes_come_back() {
        let mut rows = FRAME.map(row).to_vec();
        rows.push([
            [0.0, 0.0, 0.0, -0.5, 0.0, 2.0],
            [0.0, 0.0, 0.0, 0.5, 0.0, -2.0],
        ]);
        let joint = found(&rows).expect("a universal joint");
        assert_eq!((joint.turning, joint.frame), (1, FRAME));
        assert_eq!(joint.axes[0], [0.5, 0.0, -2.0]);
        for (arm, expected) in joint.arms.iter().zip(ARMS) {
            assert!((0..3).all(|axis| (arm[axis] - expected[axis]).abs() < 1e-15));
        }
    }

    #[test]
    fn other_rows_hold_no_point() {
        let [n, t, s] = FRAME;
        assert!(found(&[n, t, s].map(row)).is_some());
        // left-handed; a direction twice as long; a row that moves along as well as it turns
        assert_eq!(found(&[n, s, t].map(row)), None);
        assert_eq!(found(&[n, t, s.map(|x| 2.0 * x)].map(row)), None);
        assert_eq!(found(&[n, t, s, n].map(row)), None);
    }
}

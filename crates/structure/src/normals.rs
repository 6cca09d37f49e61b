//! Recognising manifolds of normals: frictionless points, and patches.
//!
//! The normals of a manifold have one direction, so of every arm only the part along the tangents
//! has an effect, and the angular part r × n of a row gives it. Frictionless points are blocks of
//! one row, and tangents are free to choose; a patch is one block, whose tangents and twist show
//! the frame and the point where friction acts (W.9).

use delassus_core::{BodyRows, LawForm, Problem};

use crate::geometry::{
    EXACT, SAME_CENTRES, angular, dot, is_frame, is_isotropic, linear, opposite, pair,
};

/// Normals of one manifold at most \[-\].
pub const MAX_NORMALS: usize = 4;

/// Normals with one direction between two bodies, in the axes normal, tangent, second tangent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NormalManifold {
    /// Number of normals \[-\], 1 to [`MAX_NORMALS`].
    pub points: usize,
    /// True if tangents and twist of a patch follow the normals.
    pub patch: bool,
    /// Normal and two tangents in world axes, orthonormal \[-\].
    pub frame: [[f64; 3]; 3],
    /// Along the two tangents, from the centre of mass of the second body to each point \[m\].
    pub arms: [[f64; 2]; MAX_NORMALS],
    /// From the centre of the first body to that of the second \[m\]; along the normal it is
    /// known for patches only, otherwise zero.
    pub between: [f64; 3],
    /// From the centre of the second body to where friction acts \[m\]; zero without friction.
    pub middle: [f64; 3],
}

/// The manifold of at most `most` normals that begins with a block, if one does.
///
/// Frictionless points are blocks that follow each other. The caller guarantees that they touch the
/// same bodies.
pub fn normal_manifold(
    problem: &Problem,
    bodies: &BodyRows,
    first: usize,
    most: usize,
) -> Option<NormalManifold> {
    let block = &problem.blocks()[first];
    let frictionless = is_frictionless(problem, first);
    let levers = block.law.levers();
    if !frictionless && levers.is_empty() {
        return None;
    }
    let pair = pair(bodies, first)?;
    if !pair.mass.iter().all(|mass| is_isotropic(*mass)) {
        return None;
    }
    match levers.len() {
        0 => points(problem, bodies, first, most.min(MAX_NORMALS)),
        count if count <= MAX_NORMALS => patch_of(bodies, first, count),
        _ => None,
    }
}

fn is_frictionless(problem: &Problem, block: usize) -> bool {
    let block = &problem.blocks()[block];
    block.dim == 1 && block.law.form() == LawForm::Normal
}

fn points(
    problem: &Problem,
    bodies: &BodyRows,
    first: usize,
    most: usize,
) -> Option<NormalManifold> {
    let mut manifold = NormalManifold {
        points: 0,
        patch: false,
        frame: frame_of(direction(bodies.row(first, 0)))?,
        arms: [[0.0; 2]; MAX_NORMALS],
        between: [0.0; 3],
        middle: [0.0; 3],
    };
    while manifold.points < most && is_frictionless(problem, first + manifold.points) {
        let row = bodies.row(first + manifold.points, 0);
        let Some((arm, [t, s])) = flat_arms(row, &manifold.frame) else {
            break;
        };
        if manifold.points == 0 {
            manifold.between = [0.0, t, s];
        } else if !same(&[0.0, t, s], &manifold.between) {
            break;
        }
        manifold.arms[manifold.points] = arm;
        manifold.points += 1;
    }
    (manifold.points > 0).then_some(manifold)
}

fn patch_of(bodies: &BodyRows, block: usize, points: usize) -> Option<NormalManifold> {
    let row = |row: usize| bodies.row(block, row);
    let tangents = [row(points), row(points + 1)];
    let frame = [row(0), tangents[0], tangents[1]].map(direction);
    if !is_frame(&frame) || !is_twist(row(points + 2), &frame[0]) {
        return None;
    }
    let turnings = [
        turning(tangents[0], &frame[1])?,
        turning(tangents[1], &frame[2])?,
    ];
    let [first, middle] = [0, 1].map(|side| arm_of_tangents(&frame, turnings.map(|t| t[side])));
    let (first, middle) = (first?, middle?);
    let between = [0, 1, 2].map(|axis| first[axis] - middle[axis]);
    let mut arms = [[0.0; 2]; MAX_NORMALS];
    for (index, arm) in arms.iter_mut().enumerate().take(points) {
        let (own, [t, s]) = flat_arms(row(index), &frame)?;
        if !same(&[between[0], t, s], &between) {
            return None;
        }
        *arm = own;
    }
    Some(NormalManifold {
        points,
        patch: true,
        frame,
        arms,
        between,
        middle,
    })
}

/// The linear part of the second body.
fn direction(row: &[[f64; 6]]) -> [f64; 3] {
    linear(&row[row.len() - 1])
}

/// A right-handed frame around a unit vector, the same for the same vector.
fn frame_of(normal: [f64; 3]) -> Option<[[f64; 3]; 3]> {
    if (dot(normal, normal) - 1.0).abs() > EXACT {
        return None;
    }
    let [x, y, z] = normal;
    // n × e of the axis e that is furthest from n: its length is at least √⅔
    let across = if x.abs() <= y.abs() && x.abs() <= z.abs() {
        [0.0, z, -y]
    } else if y.abs() <= z.abs() {
        [-z, 0.0, x]
    } else {
        [y, -x, 0.0]
    };
    let length = dot(across, across).sqrt();
    let t = across.map(|x| x / length);
    let s = [
        y * t[2] - z * t[1],
        z * t[0] - x * t[2],
        x * t[1] - y * t[0],
    ];
    Some([normal, t, s])
}

/// r × d of the first body and of the second, if the row has the direction d; one body stands for
/// both.
fn turning(row: &[[f64; 6]], d: &[f64; 3]) -> Option<[[f64; 3]; 2]> {
    let last = row.len() - 1;
    let second = angular(&row[last]);
    if linear(&row[last]) != *d {
        return None;
    }
    if last == 0 {
        return Some([second; 2]);
    }
    opposite(&row[0], *d).then(|| [angular(&row[0]).map(|x| -x), second])
}

/// Of a normal: the arm of the second body along the tangents, and the arm of the first less that.
fn flat_arms(row: &[[f64; 6]], frame: &[[f64; 3]; 3]) -> Option<([f64; 2], [f64; 2])> {
    let [n, t, s] = *frame;
    // r × n = r_s t − r_t s
    let [first, second] = turning(row, &n)?.map(|on_n| {
        let arm = [-dot(on_n, s), dot(on_n, t)];
        let size = EXACT * (1.0 + arm[0].abs() + arm[1].abs());
        (dot(on_n, n).abs() <= size).then_some(arm)
    });
    let (first, second) = (first?, second?);
    Some((second, [first[0] - second[0], first[1] - second[1]]))
}

/// The arm r of r × t and r × s, in the axes.
fn arm_of_tangents(frame: &[[f64; 3]; 3], [on_t, on_s]: [[f64; 3]; 2]) -> Option<[f64; 3]> {
    let [n, t, s] = *frame;
    let arm = [dot(on_t, s), dot(on_s, n), -dot(on_t, n)];
    let size = EXACT * (1.0 + arm[0].abs() + arm[1].abs() + arm[2].abs());
    let miss = [dot(on_t, t), dot(on_s, s), dot(on_s, t) + arm[0]];
    miss.iter().all(|x| x.abs() <= size).then_some(arm)
}

/// A row of the relative rotation about the normal.
fn is_twist(row: &[[f64; 6]], normal: &[f64; 3]) -> bool {
    let last = row.len() - 1;
    let [x, y, z] = *normal;
    row[last] == [0.0, 0.0, 0.0, x, y, z] && (last == 0 || row[0] == [0.0, 0.0, 0.0, -x, -y, -z])
}

/// Centres of mass that differ by rounding only.
fn same(a: &[f64; 3], b: &[f64; 3]) -> bool {
    let size = 1.0 + b[0].abs() + b[1].abs() + b[2].abs();
    (0..3).all(|axis| (a[axis] - b[axis]).abs() <= SAME_CENTRES * size)
}

#[cfg(test)]
mod tests {
    use delassus_core::{Friction, Law, MassProperties, Patch, ProblemBuilder};

    use super::*;
    use crate::geometry::cross;

    /// n = y, t = z, s = x.
    const FRAME: [[f64; 3]; 3] = [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]];

    /// J of a direction at a point, of bodies whose centres are at the origin and at (0, 2, 0.5).
    fn row(d: [f64; 3], at: [f64; 3]) -> [[f64; 6]; 2] {
        let (a, b) = (cross(at, d), cross([at[0], at[1] - 2.0, at[2] - 0.5], d));
        let [x, y, z] = d;
        [
            [-x, -y, -z, -a[0], -a[1], -a[2]],
            [x, y, z, b[0], b[1], b[2]],
        ]
    }

    fn pair_of_bodies() -> (ProblemBuilder, [usize; 2]) {
        let mut builder = ProblemBuilder::new();
        let mass = MassProperties::aligned(2.0, [1.0; 3].into());
        let bodies = [(); 2].map(|()| builder.body(mass, [0.0; 6]));
        (builder, bodies)
    }

    fn found(builder: ProblemBuilder, first: usize, most: usize) -> Option<NormalManifold> {
        let problem = builder.build().expect("valid");
        let bodies = problem.bodies().expect("bodies");
        normal_manifold(&problem, bodies, first, most)
    }

    const POINTS: [[f64; 3]; 3] = [[0.3, 1.0, 0.1], [-0.4, 1.0, 0.2], [0.1, 1.0, -0.5]];

    #[test]
    fn frictionless_points_are_together_as_far_as_their_normals_go() {
        let manifold = |most: usize, first: usize| {
            let (mut builder, bodies) = pair_of_bodies();
            let law = || Law::Contact(Friction::Frictionless);
            for point in POINTS {
                builder.block(law(), &bodies, &[row(FRAME[0], point)]);
            }
            builder.block(law(), &bodies, &[row(FRAME[2], POINTS[0])]);
            found(builder, first, most)
        };
        assert_eq!(manifold(4, 0).map(|m| m.points), Some(3));
        assert_eq!(manifold(2, 0).map(|m| m.points), Some(2));
        assert_eq!(manifold(1, 3).map(|m| m.points), Some(1));
        let manifold = manifold(4, 0).expect("a manifold");
        assert!(is_frame(&manifold.frame) && manifold.frame[0] == FRAME[0]);
        for (arm, point) in manifold.arms.iter().zip(POINTS) {
            // from the second centre, in the axes that were chosen
            let from = [point[0], point[1] - 2.0, point[2] - 0.5];
            for axis in 0..2 {
                assert!((arm[axis] - dot(from, manifold.frame[axis + 1])).abs() < 1e-15);
            }
        }
    }

    #[test]
    fn a_patch_shows_where_its_friction_acts() {
        let middle = [0.05, 1.0, 0.2];
        let patch = |skew: f64| {
            let (mut builder, bodies) = pair_of_bodies();
            let mut rows: Vec<_> = POINTS.iter().map(|point| row(FRAME[0], *point)).collect();
            rows.extend([row(FRAME[1], middle), row(FRAME[2], middle)]);
            rows.push([
                [0.0, 0.0, 0.0, 0.0, -1.0, 0.0],
                [0.0, 0.0, 0.0, 0.0, 1.0, 0.0],
            ]);
            rows[3][1][3] += skew;
            let levers = vec![0.3; 3];
            let law = Law::Patch(Box::new(Patch { mu: 0.5, levers }));
            builder.block(law, &bodies, &rows);
            found(builder, 0, 1)
        };
        assert_eq!(patch(1e-8), None);
        let manifold = patch(0.0).expect("a patch");
        assert!(manifold.patch && manifold.points == 3);
        assert_eq!(manifold.frame, FRAME);
        // c_B − c_A = (0, 2, 0.5); along n, t, s
        let near = |a: [f64; 3], b: [f64; 3]| (0..3).all(|i| (a[i] - b[i]).abs() < 1e-15);
        assert!(near(manifold.between, [2.0, 0.5, 0.0]));
        assert!(near(manifold.middle, [-1.0, -0.3, 0.05]));
    }
}

//! Packing of contact manifolds: [`WIDTH`] of them are read into lanes of f64, recognised, and
//! converted together.
//!
//! Recognition (W.3) is arithmetic on every Jacobian of a problem, and a scene whose contacts stay
//! would pay it in every step. Here it runs with the packing: one pass reads the rows of some
//! manifolds, and plain loops over the lanes, which the compiler turns into vector instructions of
//! the level, check and convert them. How many are staged together has nothing to do with the lanes
//! of the bundles that they go to. Points that the problem gives need no recognition. What such a
//! pass finds is what [`delassus_structure::geometry`] finds one block at a time, operation by
//! operation.
//!
//! Theory: docs/theory/14-wide.md.

mod load;

use delassus_structure::geometry::{EXACT, SAME_CENTRES, cross, dot};

use super::layout::{Head, MAX_POINTS, ManifoldPoint};
use super::numbers::Numbers;
use super::staging::{Staged, WIDTH};
use crate::bundle::{Interleaved, nobody};
use crate::velocities::single;

/// One number per lane before it is rounded.
type Wide<const N: usize> = [f64; N];

/// Three numbers per lane.
type Wide3<const N: usize> = [Wide<N>; 3];

/// The rows of one point: normal, tangent, second tangent of the first body, then those of the
/// second.
type PointRows = [[Wide<WIDTH>; 6]; 6];

/// What is read of manifolds that have the same number of points, and what it is converted into.
/// The number is a field and not a parameter of the type, so that staging compiles once per level.
pub(super) struct ManifoldStage {
    /// Points of each manifold, at most [`MAX_POINTS`].
    points: usize,
    boxed: bool,
    world: u32,
    /// Normal, tangent, second tangent of the first point.
    axes: [Wide3<WIDTH>; 3],
    /// Rows of problems that give no points.
    rows: [PointRows; MAX_POINTS],
    /// Arms of problems that do.
    arms: [[Wide3<WIDTH>; 2]; MAX_POINTS],
    numbers: [Numbers<WIDTH>; MAX_POINTS],
    impulses: [Wide3<WIDTH>; MAX_POINTS],
    /// Inverse masses and the nine inverse inertias of both bodies.
    mass: [Wide<WIDTH>; 2],
    inertia: [[Wide<WIDTH>; 9]; 2],
    bodies: [[u32; WIDTH]; 2],
    friction: Wide<WIDTH>,
}

/// What one lane turned out to be.
#[derive(Debug, Clone, Copy)]
pub(super) struct StagedMatch {
    /// The blocks have the laws, rows and bodies of a manifold.
    pub(super) fits: bool,
    /// The fast kernel leaves something out.
    pub(super) needs_full: bool,
}

impl ManifoldStage {
    /// Empty lanes.
    pub(super) fn new(points: usize, boxed: bool, world: u32) -> Self {
        Self {
            points: points.min(MAX_POINTS),
            boxed,
            world,
            axes: Interleaved::ZERO,
            rows: Interleaved::ZERO,
            arms: Interleaved::ZERO,
            numbers: [Numbers::EMPTY; MAX_POINTS],
            impulses: Interleaved::ZERO,
            mass: Interleaved::ZERO,
            inertia: Interleaved::ZERO,
            bodies: nobody(world),
            friction: [0.0; WIDTH],
        }
    }

    /// Empties all lanes.
    pub(super) fn clear(&mut self) {
        *self = Self::new(self.points, self.boxed, self.world);
    }

    /// Converts what was read, from points if they are `GIVEN`; true if every lane is a manifold.
    #[inline(always)]
    pub(super) fn convert<const GIVEN: bool>(&self, to: &mut Staged) -> bool {
        let mut miss = [0.0; WIDTH];
        let head = &mut to.head;
        head.bodies = self.bodies;
        for side in 0..2 {
            narrow(&mut head.mass[side], &self.mass[side]);
            let inertia = self.local_inertia(side);
            for entry in 0..6 {
                narrow(&mut head.inertia[side][entry], &inertia[entry]);
            }
        }
        self.check_frame(&mut miss);
        narrow(&mut head.friction, &self.friction);
        for axis in 0..3 {
            narrow(&mut head.normal[axis], &self.axes[0][axis]);
            narrow(&mut head.tangent[axis], &self.axes[1][axis]);
        }
        let mut first = [[0.0; WIDTH]; 3];
        for index in 0..self.points {
            let [arm_a, arm_b] = if GIVEN {
                [self.given_arm(index, 0), self.given_arm(index, 1)]
            } else {
                self.check_directions(index, &mut miss);
                let first = self.arm::<true>(index, &mut miss);
                [first, self.arm::<false>(index, &mut miss)]
            };
            let point = &mut to.points[index];
            let mut between = [[0.0; WIDTH]; 3];
            for axis in 0..3 {
                for lane in 0..WIDTH {
                    between[axis][lane] = arm_a[axis][lane] - arm_b[axis][lane];
                }
                narrow(&mut point.arm[axis], &arm_b[axis]);
                narrow(&mut point.impulse[axis], &self.impulses[index][axis]);
            }
            if index == 0 {
                first = between;
                for axis in 0..3 {
                    narrow(&mut head.between[axis], &between[axis]);
                }
            } else {
                check_centres(&between, &first, &mut miss);
            }
            let tangents = &mut to.tangents[index];
            couplings(head, point, tangents);
            self.numbers[index].write(point, tangents, self.boxed);
            to.normals[index] = *self.numbers[index].normals();
        }
        miss.iter().fold(true, |all, miss| all & (*miss == 0.0))
    }

    #[inline(always)]
    fn axis(&self, row: usize, lane: usize) -> [f64; 3] {
        let axis = &self.axes[row];
        [axis[0][lane], axis[1][lane], axis[2][lane]]
    }

    #[inline(always)]
    fn check_frame(&self, miss: &mut Wide<WIDTH>) {
        for lane in 0..WIDTH {
            let (n, t, s) = (self.axis(0, lane), self.axis(1, lane), self.axis(2, lane));
            let third = [
                n[1] * t[2] - n[2] * t[1],
                n[2] * t[0] - n[0] * t[2],
                n[0] * t[1] - n[1] * t[0],
            ];
            let aligned = ((third[0] - s[0]).abs() <= EXACT)
                & ((third[1] - s[1]).abs() <= EXACT)
                & ((third[2] - s[2]).abs() <= EXACT);
            let unit = ((dot(n, n) - 1.0).abs() <= EXACT) & ((dot(t, t) - 1.0).abs() <= EXACT);
            let good = aligned & unit & (dot(n, t).abs() <= EXACT);
            // an empty lane holds zeros
            let empty = (n[0] == 0.0) & (n[1] == 0.0) & (n[2] == 0.0) & (dot(t, t) == 0.0);
            miss[lane] = if good | empty { miss[lane] } else { 1.0 };
        }
    }

    /// The linear parts of a point are the axes, and those of the first body the opposite.
    #[inline(always)]
    fn check_directions(&self, point: usize, miss: &mut Wide<WIDTH>) {
        let rows = &self.rows[point];
        for row in 0..3 {
            for axis in 0..3 {
                for lane in 0..WIDTH {
                    let expected = self.axes[row][axis][lane];
                    let good = (rows[row + 3][axis][lane] == expected)
                        & (rows[row][axis][lane] == -expected);
                    miss[lane] = if good { miss[lane] } else { 1.0 };
                }
            }
        }
    }

    /// The arm in the axes, by the products of [`Self::arm`]: the bits of the same point are the
    /// same.
    #[inline(always)]
    fn given_arm(&self, point: usize, side: usize) -> Wide3<WIDTH> {
        let arm = &self.arms[point][side];
        let mut out = [[0.0; WIDTH]; 3];
        for lane in 0..WIDTH {
            let r = [arm[0][lane], arm[1][lane], arm[2][lane]];
            let (n, t, s) = (self.axis(0, lane), self.axis(1, lane), self.axis(2, lane));
            let (on_n, on_t) = (cross(r, n), cross(r, t));
            out[0][lane] = dot(on_t, s);
            out[1][lane] = -dot(on_n, s);
            out[2][lane] = dot(on_n, t);
        }
        out
    }

    /// The arm r with angular parts r × d, in the axes, checked (W.3).
    #[inline(always)]
    fn arm<const FIRST: bool>(&self, point: usize, miss: &mut Wide<WIDTH>) -> Wide3<WIDTH> {
        let rows = &self.rows[point];
        let mut out = [[0.0; WIDTH]; 3];
        for lane in 0..WIDTH {
            let turning = |row: usize| {
                let row = &rows[if FIRST { row } else { row + 3 }];
                let [x, y, z] = [row[3][lane], row[4][lane], row[5][lane]];
                if FIRST { [-x, -y, -z] } else { [x, y, z] }
            };
            let (n, t, s) = (self.axis(0, lane), self.axis(1, lane), self.axis(2, lane));
            let (on_n, on_t, on_s) = (turning(0), turning(1), turning(2));
            let arm = [dot(on_t, s), -dot(on_n, s), dot(on_n, t)];
            let size = EXACT * (1.0 + arm[0].abs() + arm[1].abs() + arm[2].abs());
            let good = (dot(on_n, n).abs() <= size)
                & (dot(on_t, t).abs() <= size)
                & (dot(on_s, s).abs() <= size)
                & ((dot(on_t, n) + arm[2]).abs() <= size)
                & ((dot(on_s, n) - arm[1]).abs() <= size)
                & ((dot(on_s, t) + arm[0]).abs() <= size);
            miss[lane] = if good { miss[lane] } else { 1.0 };
            out[0][lane] = arm[0];
            out[1][lane] = arm[1];
            out[2][lane] = arm[2];
        }
        out
    }

    /// Inverse inertia of one body in the axes: xx, xy, xz, yy, yz, zz.
    #[inline(always)]
    fn local_inertia(&self, side: usize) -> [Wide<WIDTH>; 6] {
        let mut out = [[0.0; WIDTH]; 6];
        let m = &self.inertia[side];
        for lane in 0..WIDTH {
            let (a, b, c) = (self.axis(0, lane), self.axis(1, lane), self.axis(2, lane));
            let times = |x: [f64; 3]| {
                [
                    m[0][lane] * x[0] + m[1][lane] * x[1] + m[2][lane] * x[2],
                    m[3][lane] * x[0] + m[4][lane] * x[1] + m[5][lane] * x[2],
                    m[6][lane] * x[0] + m[7][lane] * x[1] + m[8][lane] * x[2],
                ]
            };
            let (n, t, s) = (times(a), times(b), times(c));
            let first = m[0][lane];
            // a ball has no axes, and no rounding from turning them
            let round = (m[1][lane] == 0.0)
                & (m[2][lane] == 0.0)
                & (m[5][lane] == 0.0)
                & (m[4][lane] == first)
                & (m[8][lane] == first);
            let pick = |ball: f64, turned: f64| if round { ball } else { turned };
            out[0][lane] = pick(first, dot(a, n));
            out[1][lane] = pick(0.0, dot(a, t));
            out[2][lane] = pick(0.0, dot(a, s));
            out[3][lane] = pick(first, dot(b, t));
            out[4][lane] = pick(0.0, dot(b, s));
            out[5][lane] = pick(first, dot(c, s));
        }
        out
    }
}

/// The centres of mass are where they were for the first point.
#[inline(always)]
fn check_centres(a: &Wide3<WIDTH>, b: &Wide3<WIDTH>, miss: &mut Wide<WIDTH>) {
    for lane in 0..WIDTH {
        let size = 1.0 + b[0][lane].abs() + b[1][lane].abs() + b[2][lane].abs();
        let size = SAME_CENTRES * size;
        let good = ((a[0][lane] - b[0][lane]).abs() <= size)
            & ((a[1][lane] - b[1][lane]).abs() <= size)
            & ((a[2][lane] - b[2][lane]).abs() <= size);
        miss[lane] = if good { miss[lane] } else { 1.0 };
    }
}

/// A_tn, A_sn and A_st of one point: what its rows do to each other through the turning of both
/// bodies (W.4), of the numbers that the kernel has.
#[inline(always)]
fn couplings(head: &Head<WIDTH>, point: &mut ManifoldPoint<WIDTH>, tangents: &mut [f32; WIDTH]) {
    for lane in 0..WIDTH {
        let b = [0, 1, 2].map(|axis| point.arm[axis][lane]);
        let a = [0, 1, 2].map(|axis| b[axis] + head.between[axis][lane]);
        let first = turning(a, &head.inertia[0], lane);
        let second = turning(b, &head.inertia[1], lane);
        point.coupling[0][lane] = first[0] + second[0];
        point.coupling[1][lane] = first[1] + second[1];
        tangents[lane] = first[2] + second[2];
    }
}

/// (r × d)·I⁻¹(r × d') of one body for the pairs tn, sn, st of axes.
#[inline(always)]
fn turning([x, y, z]: [f32; 3], inertia: &[[f32; WIDTH]; 6], lane: usize) -> [f32; 3] {
    let [xx, xy, xz, yy, yz, zz] = [0, 1, 2, 3, 4, 5].map(|entry| inertia[entry][lane]);
    // r × n is (0, z, -y), r × t (-z, 0, x) and r × s (y, -x, 0)
    let moved_n = [xy * z - xz * y, yy * z - yz * y, yz * z - zz * y];
    let moved_t = [xz * x - xx * z, yz * x - xy * z, zz * x - xz * z];
    [
        x * moved_n[2] - z * moved_n[0],
        y * moved_n[0] - x * moved_n[1],
        y * moved_t[0] - x * moved_t[1],
    ]
}

#[inline(always)]
fn narrow(to: &mut [f32; WIDTH], from: &Wide<WIDTH>) {
    for lane in 0..WIDTH {
        to[lane] = single(from[lane]);
    }
}

//! The fifteen axes that can separate two boxes, and which of them is taken.

use std::cell::Cell;

use nalgebra::{Isometry3, Matrix3, Vector3};

use super::super::ContactQuery;
use super::super::preference::{Axis, Best, EdgeSearch, Group};

/// Sine of the angle below which edges count as parallel \[-\]: their cross product says nothing
/// that a face does not.
const PARALLEL: f64 = 1e-4;

/// How far rounding may move a separation, as a share of the lengths that it is made of \[-\]: some
/// thousand times what it does.
const ROUNDING: f64 = 1e-12;

/// The number of axes.
const AXES: u32 = 15;

/// How many of them are normal to faces.
const FACES: u32 = 6;

/// Two boxes, in the axes of A.
#[derive(Debug)]
pub(super) struct Pair {
    pub(super) halves: [Vector3<f64>; 2],
    /// From the axes of B to those of A.
    pub(super) rotation: Matrix3<f64>,
    /// The centre of B.
    pub(super) shift: Vector3<f64>,
    absolute: Matrix3<f64>,
    /// Separations that were computed.
    tests: Cell<u32>,
}

/// What an axis is the normal of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Two faces of box `of` (0 is A).
    Face { of: usize, axis: usize },
    /// An edge of either box, along these axes of theirs.
    Edges([usize; 2]),
}

/// What the axis of this number is the normal of: from 1 the faces of A, those of B, the pairs of
/// edges.
pub(super) fn kind(index: u32) -> Kind {
    let at = index.saturating_sub(1) as usize;
    match at {
        0..=2 => Kind::Face { of: 0, axis: at },
        3..=5 => Kind::Face {
            of: 1,
            axis: at - 3,
        },
        _ => Kind::Edges([(at - 6) / 3, (at - 6) % 3]),
    }
}

impl Pair {
    pub(super) fn new(halves: [Vector3<f64>; 2], b_in_a: &Isometry3<f64>) -> Self {
        let rotation = b_in_a.rotation.to_rotation_matrix().into_inner();
        Self {
            halves,
            rotation,
            shift: b_in_a.translation.vector,
            absolute: rotation.abs(),
            tests: Cell::new(0),
        }
    }

    /// Separation along one axis (N.1); `None` for edges that are nearly parallel.
    fn along(&self, index: u32) -> Option<Axis> {
        self.tests.set(self.tests.get() + 1);
        let [a, b] = &self.halves;
        let (group, (direction, reach)) = match kind(index) {
            Kind::Face { of: 0, axis } => {
                let row = self.absolute.row(axis);
                let reach = a[axis] + row[0] * b.x + row[1] * b.y + row[2] * b.z;
                (Group::FaceOfA, (Vector3::ith(axis, 1.0), reach))
            }
            Kind::Face { axis, .. } => {
                let reach = b[axis] + self.absolute.column(axis).dot(a);
                let direction = self.rotation.column(axis).into_owned();
                (Group::FaceOfB, (direction, reach))
            }
            Kind::Edges([i, j]) => (Group::Edges, self.across(i, j)?),
        };
        let distance = self.shift.dot(&direction);
        let outward = if distance < 0.0 { -1.0 } else { 1.0 };
        Some(Axis {
            index,
            group,
            normal: outward * direction,
            separation: outward * distance - reach,
        })
    }

    /// The unit vector across two edges, and how far both boxes reach along it \[m\]: of each box
    /// the two axes that are not the edge count, by the entries of the rotation that their
    /// components are.
    fn across(&self, i: usize, j: usize) -> Option<(Vector3<f64>, f64)> {
        let [a, b] = &self.halves;
        let (i1, i2, j1, j2) = ((i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3);
        let (first, second) = (self.rotation[(i1, j)], self.rotation[(i2, j)]);
        let sine = (first * first + second * second).sqrt();
        if sine.is_nan() || sine < PARALLEL {
            return None;
        }
        let mut direction = Vector3::zeros();
        (direction[i1], direction[i2]) = (-second / sine, first / sine);
        let r = &self.absolute;
        let reach =
            a[i1] * r[(i2, j)] + a[i2] * r[(i1, j)] + b[j1] * r[(i, j2)] + b[j2] * r[(i, j1)];
        Some((direction, reach / sine))
    }

    /// Sum of all lengths that a separation is made of \[m\].
    fn size(&self) -> f64 {
        let [a, b] = &self.halves;
        self.shift.abs().sum() + a.sum() + b.sum()
    }

    /// False if the separation across two edges is surely not above `least` \[m\], or if they are
    /// surely nearly parallel: nothing is divided to find this out. `slack` is more than rounding
    /// does \[m\].
    #[inline]
    fn may_exceed(&self, [i, j]: [usize; 2], least: f64, slack: f64) -> bool {
        let [a, b] = &self.halves;
        let (i1, i2, j1, j2) = ((i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3);
        let (first, second) = (self.rotation[(i1, j)], self.rotation[(i2, j)]);
        let square = first * first + second * second;
        if square < 0.99 * (PARALLEL * PARALLEL) {
            return false;
        }
        let r = &self.absolute;
        let reach =
            a[i1] * r[(i2, j)] + a[i2] * r[(i1, j)] + b[j1] * r[(i, j2)] + b[j2] * r[(i, j1)];
        let distance = (first * self.shift[i2] - second * self.shift[i1]).abs();
        // both sides times the sine; what is no number is looked at
        let is_below = distance - reach + slack < least * square.sqrt();
        !is_below
    }

    /// How many separations were computed since this was asked.
    pub(super) fn take_tests(&self) -> u32 {
        self.tests.take()
    }

    /// True if the axis of this number separates the boxes by more than the margin \[m\].
    pub(super) fn is_separated(&self, index: u32, margin: f64) -> bool {
        (1..=AXES).contains(&index)
            && self
                .along(index)
                .is_some_and(|axis| axis.separation > margin)
    }

    /// The axis to take and those to fall back on (N.2, N.3), in the order of preference; the
    /// number of an axis that separates the boxes by more than the margin, if there is one. What is
    /// taken does not depend on `edges`, only what there is to fall back on.
    pub(super) fn search(
        &self,
        query: &ContactQuery,
        cached: u32,
        edges: EdgeSearch,
    ) -> Result<[Option<Axis>; 3], u32> {
        let before = (1..=AXES).contains(&cached).then_some(cached);
        let before = before.and_then(|index| self.along(index));
        if let Some(axis) = before.filter(|axis| axis.separation > query.margin) {
            return Err(axis.index);
        }
        let of = |index: u32| {
            before
                .filter(|axis| axis.index == index)
                .or_else(|| self.along(index))
        };
        let mut best = Best::default();
        for index in 1..=FACES {
            let Some(axis) = of(index) else {
                continue;
            };
            if axis.separation > query.margin {
                return Err(index);
            }
            best.see(axis);
        }
        let width = self.halves[0].min().min(self.halves[1].min());
        let limit = edges.limit(&best, before, query.persistence, width);
        let slack = ROUNDING * self.size();
        for index in FACES + 1..=AXES {
            let least = best.separation(Group::Edges).max(limit).min(query.margin);
            if let Kind::Edges(pair) = kind(index)
                && !self.may_exceed(pair, least, slack)
            {
                continue;
            }
            let Some(axis) = of(index) else {
                continue;
            };
            if axis.separation > query.margin {
                return Err(index);
            }
            let is_behind = axis.separation <= limit;
            if !is_behind {
                best.see(axis);
            }
        }
        Ok(best.choose(before, query.persistence, width))
    }
}

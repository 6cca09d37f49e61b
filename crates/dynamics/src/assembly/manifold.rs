//! Rows of a contact manifold.

use delassus_core::{ContactLaw, Law};
use nalgebra::Vector3;

use super::row::{ContactEntry, EnteringRow, RowInfo, RowKind, Source};
use crate::contact::{ContactFrame, Manifold};
use crate::spatial::relative;

/// A manifold about to enter the problem.
pub(super) struct ManifoldRows<'a> {
    pub(super) index: usize,
    pub(super) manifold: &'a Manifold,
    /// Where the impulses act.
    pub(super) frame: &'a ContactFrame,
    /// The present ones \[m\].
    pub(super) separations: &'a [f64],
    pub(super) fixed: bool,
}

impl ManifoldRows<'_> {
    /// The law of a point.
    pub(super) fn law(&self) -> Law {
        let Manifold { friction, law, .. } = self.manifold;
        if self.manifold.resists_rolling() {
            let spinning = Some(self.manifold.spinning_friction);
            return Law::rolling(*friction, self.manifold.rolling_friction, spinning);
        }
        // a world has no manifold with a fixed box
        law.of_point(*friction)
    }

    /// Relative angular velocity about an axis.
    fn turning(&self, axis: &Vector3<f64>, local: usize) -> ContactEntry {
        let row = [
            [0.0, 0.0, 0.0, -axis.x, -axis.y, -axis.z],
            [0.0, 0.0, 0.0, axis.x, axis.y, axis.z],
        ];
        self.entry(local, RowKind::Friction, row)
    }

    fn entry(&self, local: usize, kind: RowKind, row: [[f64; 6]; 2]) -> ContactEntry {
        EnteringRow {
            info: self.info(local, kind),
            jacobian: row,
        }
    }

    fn info(&self, local: usize, kind: RowKind) -> RowInfo {
        RowInfo {
            source: Source::Manifold(self.index),
            local,
            kind,
            // separations are in the list of contacts
            error: 0.0,
            rate: 0.0,
        }
    }

    fn normal_kind(&self) -> RowKind {
        RowKind::Normal { fixed: self.fixed }
    }

    fn normal(&self, point: usize, local: usize) -> ContactEntry {
        let row = relative(&self.frame.normal, &self.frame.arms[point]);
        self.entry(local, self.normal_kind(), row)
    }

    /// Name of a point among all blocks.
    pub(super) fn feature(&self, point: usize) -> u64 {
        1 << 63 | (self.index as u64) << 16 | point as u64
    }

    /// Normal and tangents of one point.
    pub(super) fn three_rows(&self, point: usize) -> [RowInfo; 3] {
        let [normal, t, s] = [0, 1, 2].map(|local| 3 * point + local);
        let friction = |local| self.info(local, RowKind::Friction);
        [
            self.info(normal, self.normal_kind()),
            friction(t),
            friction(s),
        ]
    }

    /// Normal and tangents of one point, and the rows of its rolling where that is resisted.
    pub(super) fn point(&self, point: usize, entries: &mut Vec<ContactEntry>) {
        entries.clear();
        if self.manifold.law == ContactLaw::Frictionless {
            entries.push(self.normal(point, 3 * point));
        } else {
            let arms = &self.frame.arms[point];
            let rows = self.three_rows(point).into_iter().zip(self.frame.axes());
            entries.extend(rows.map(|(info, axis)| EnteringRow {
                info,
                jacobian: relative(&axis, arms),
            }));
        }
        if self.manifold.resists_rolling() {
            let first = 3 * (self.manifold.points.len() + point);
            let [t, s] = self.frame.tangents;
            for (local, axis) in (first..).zip([t, s, self.frame.normal]) {
                entries.push(self.turning(&axis, local));
            }
        }
    }

    /// All normals of a manifold, then two tangents and the twist about the middle of its points.
    pub(super) fn patch(&self, points: &[usize], entries: &mut Vec<ContactEntry>) -> Law {
        let count = self.manifold.points.len();
        let share = 1.0 / points.len().max(1) as f64;
        let mean = |side: usize| -> Vector3<f64> {
            let arms = points.iter().map(|point| self.frame.arms[*point][side]);
            share * arms.sum::<Vector3<f64>>()
        };
        let centre = [mean(0), mean(1)];
        let lever = |point: &usize| {
            let arm = self.frame.arms[*point][0] - centre[0];
            (arm - arm.dot(&self.frame.normal) * self.frame.normal).norm()
        };
        let levers = points.iter().map(lever).collect();
        entries.clear();
        entries.extend(points.iter().map(|point| self.normal(*point, *point)));
        for (axis, tangent) in self.frame.tangents.iter().enumerate() {
            let row = relative(tangent, &centre);
            entries.push(self.entry(count + axis, RowKind::Friction, row));
        }
        entries.push(self.turning(&self.frame.normal, count + 2));
        Law::patch(self.manifold.friction, levers)
    }
}

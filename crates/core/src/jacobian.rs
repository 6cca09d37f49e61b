//! Row Jacobians: numbers, or the contact points from which they are computed.
//!
//! Theory: docs/theory/01-problem.md.

use std::ops::{Deref, Range};
use std::sync::OnceLock;

use nalgebra::Vector3;

use crate::finite::are_small_factors;

/// Rows of a contact point: a normal and two tangents.
pub(crate) const POINT_ROWS: usize = 3;

/// Entries of a contact point: three rows between two bodies.
pub(crate) const POINT_ENTRIES: usize = 2 * POINT_ROWS;

/// Normal and tangents of a manifold, world axes \[-\].
pub type ContactAxes = [Vector3<f64>; 3];

/// Lever arms of a contact point from the centres of mass of its bodies, world axes \[m\].
pub type ContactArms = [Vector3<f64>; 2];

/// Row Jacobians of all blocks: six numbers per row and touched body. The type dereferences to a
/// slice of these entries.
///
/// If every block is a contact point with three rows between two bodies, axes and lever arms can be
/// stored instead ([`crate::ProblemBuilder::point`]): 6 numbers per point and 9 per manifold
/// instead of 36 per point. The first read computes the rows (P.14). They have the same bits as
/// rows that were added with [`crate::ProblemBuilder::block`]. After the first read, each change of
/// the points also updates the rows, in the same memory.
#[derive(Debug, Clone, Default)]
pub struct Jacobian {
    /// Of all blocks, or of none.
    points: ContactPoints,
    entries: OnceLock<Vec<[f64; 6]>>,
    /// Entries that room is made for once it is known whether they are points or rows \[-\].
    room: usize,
}

/// Contact points of three rows.
#[derive(Debug, Clone, Default)]
struct ContactPoints {
    /// Of each manifold.
    axes: Vec<ContactAxes>,
    /// Of each point: its manifold.
    manifolds: Vec<u32>,
    arms: Vec<ContactArms>,
}

/// Consecutive contact points with the same axes.
#[derive(Debug, Clone, Copy)]
pub struct ManifoldGeometry<'a> {
    /// Normal and tangents.
    pub axes: &'a ContactAxes,
    /// Lever arms of each point from both centres of mass \[m\].
    pub arms: &'a [ContactArms],
}

/// A contact point of three rows.
#[derive(Debug, Clone, Copy)]
pub struct PointGeometry<'a> {
    /// Normal and tangents.
    pub axes: &'a ContactAxes,
    /// Lever arms from both centres of mass \[m\].
    pub arms: &'a ContactArms,
}

impl PointGeometry<'_> {
    /// Returns the entries of row `row` for both bodies (P.14).
    #[inline(always)]
    pub fn row(&self, row: usize) -> [[f64; 6]; 2] {
        relative(&self.axes[row], self.arms)
    }
}

/// Returns the row that measures the velocity of the second body relative to the first, at a point
/// and along `axis` (P.14).
#[inline(always)]
pub fn relative(axis: &Vector3<f64>, [a, b]: &ContactArms) -> [[f64; 6]; 2] {
    let (a, b) = (a.cross(axis), b.cross(axis));
    [
        [-axis.x, -axis.y, -axis.z, -a.x, -a.y, -a.z],
        [axis.x, axis.y, axis.z, b.x, b.y, b.z],
    ]
}

impl ContactPoints {
    #[inline(always)]
    fn get(&self, point: usize) -> PointGeometry<'_> {
        PointGeometry {
            axes: &self.axes[self.manifolds[point] as usize],
            arms: &self.arms[point],
        }
    }

    fn clear(&mut self) {
        self.axes.clear();
        self.manifolds.clear();
        self.arms.clear();
    }

    /// Writes the entries of points from `first` on.
    fn write(&self, first: usize, entries: &mut [[f64; 6]]) {
        let places = entries.as_chunks_mut::<POINT_ENTRIES>().0;
        for (to, point) in places.iter_mut().zip(first..) {
            let point = self.get(point);
            for (row, pair) in to.as_chunks_mut::<2>().0.iter_mut().enumerate() {
                *pair = point.row(row);
            }
        }
    }

    /// The entries of all points.
    fn entries(&self) -> Vec<[f64; 6]> {
        let mut entries = vec![[0.0; 6]; POINT_ENTRIES * self.arms.len()];
        self.write(0, &mut entries);
        entries
    }
}

impl Jacobian {
    /// Number of entries \[-\].
    pub fn len(&self) -> usize {
        match self.points.arms.len() {
            0 => self.entries.get().map_or(0, Vec::len),
            points => POINT_ENTRIES * points,
        }
    }

    /// True if there is no entry.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the contact point of block `block`, if all blocks are stored as points.
    #[inline(always)]
    pub fn point(&self, block: usize) -> Option<PointGeometry<'_>> {
        (!self.points.arms.is_empty()).then(|| self.points.get(block))
    }

    /// Returns the contact points of `blocks`, if all blocks are stored as points and these have
    /// the same axes.
    #[inline(always)]
    pub fn points(&self, blocks: Range<usize>) -> Option<ManifoldGeometry<'_>> {
        let arms = self.points.arms.get(blocks.clone())?;
        let (first, rest) = self.points.manifolds.get(blocks)?.split_first()?;
        let axes = |manifold: &u32| &self.points.axes[*manifold as usize];
        let same = |manifold: &u32| manifold == first || axes(manifold) == axes(first);
        rest.iter().all(same).then(|| ManifoldGeometry {
            axes: axes(first),
            arms,
        })
    }

    /// True if all blocks are stored as contact points.
    #[inline]
    pub fn has_points(&self) -> bool {
        !self.points.arms.is_empty()
    }

    /// True if the rows are in memory, because they were given as numbers or have been computed.
    pub fn is_derived(&self) -> bool {
        self.entries.get().is_some()
    }

    /// Memory of all rows, and of the points from which they are computed \[B\].
    pub(crate) fn memory(&self) -> usize {
        let ContactPoints {
            axes,
            manifolds,
            arms,
        } = &self.points;
        self.len() * size_of::<[f64; 6]>()
            + size_of_val(axes.as_slice())
            + size_of_val(manifolds.as_slice())
            + size_of_val(arms.as_slice())
    }

    /// Changes the entries. If contact points are stored, they are first replaced by their rows.
    pub fn edit<T>(&mut self, change: impl FnOnce(&mut Vec<[f64; 6]>) -> T) -> T {
        let points = &mut self.points;
        let mut entries = self.entries.take().unwrap_or_else(|| points.entries());
        entries.reserve(std::mem::take(&mut self.room));
        points.manifolds.clear();
        points.arms.clear();
        let changed = change(&mut entries);
        self.entries = entries.into();
        changed
    }

    /// The rows, if they are given as numbers.
    pub(crate) fn rows_mut(&mut self) -> Option<&mut [[f64; 6]]> {
        if self.has_points() {
            return None;
        }
        self.entries.get_mut().map(Vec::as_mut_slice)
    }

    /// Computes the numbers of all rows from the points.
    #[cold]
    fn derive(&self) -> &[[f64; 6]] {
        self.entries.get_or_init(|| self.points.entries())
    }

    /// Removes all entries and points and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.points.clear();
        if let Some(entries) = self.entries.get_mut() {
            entries.clear();
        }
    }

    /// Makes room for entries \[-\].
    pub(crate) fn reserve(&mut self, entries: usize) {
        self.room = entries;
    }

    /// Begins a manifold.
    pub(crate) fn push_axes(&mut self, axes: &ContactAxes) {
        self.points.axes.push(*axes);
    }

    /// Adds a point of the manifold that was begun last.
    ///
    /// # Panics
    /// If none was begun.
    pub(crate) fn push_point(&mut self, arms: &ContactArms) {
        let points = &mut self.points;
        assert!(!points.axes.is_empty(), "axes come before their points");
        let manifold = points.axes.len() - 1;
        let room = std::mem::take(&mut self.room);
        points.manifolds.reserve(room / POINT_ENTRIES);
        points.arms.reserve(room / POINT_ENTRIES);
        if let Some(rows) = self.entries.get_mut() {
            let alone = rows.len() == POINT_ENTRIES * points.arms.len();
            rows.reserve(room);
            for axis in &points.axes[manifold] {
                rows.extend(relative(axis, arms));
            }
            if !alone {
                return;
            }
        }
        // fewer manifolds than blocks, and fewer blocks than `u32` counts
        points
            .manifolds
            .push(u32::try_from(manifold).unwrap_or(u32::MAX));
        points.arms.push(*arms);
    }

    /// Adds the block `block` of another Jacobian, whose entries there are `entries`. Points stay
    /// points if all blocks before it are points, too.
    pub(crate) fn push_block(&mut self, from: &Self, block: usize, entries: Range<usize>) {
        match from.point(block) {
            Some(point) if self.is_empty() || self.has_points() => {
                if self.points.arms.is_empty() || self.points.axes.last() != Some(point.axes) {
                    self.push_axes(point.axes);
                }
                self.push_point(point.arms);
            }
            _ => self.edit(|all| all.extend_from_slice(&from[entries])),
        }
    }

    /// Adds all blocks of another Jacobian. Points stay points if all blocks before them are
    /// points, too.
    pub(crate) fn extend(&mut self, from: &Self) {
        if !from.has_points() || !(self.is_empty() || self.has_points()) {
            self.edit(|all| all.extend_from_slice(from));
            return;
        }
        let mut last = None;
        for (manifold, arms) in from.points.manifolds.iter().zip(&from.points.arms) {
            if last != Some(manifold) {
                self.push_axes(&from.points.axes[*manifold as usize]);
                last = Some(manifold);
            }
            self.push_point(arms);
        }
    }

    /// Replaces the axes of a manifold and the arms of its points. Point `first` is its first
    /// point; the others follow it.
    ///
    /// # Panics
    /// If there are no such points.
    #[inline]
    pub(crate) fn set_points<'a>(
        &mut self,
        manifold: usize,
        axes: &ContactAxes,
        first: usize,
        arms: impl Iterator<Item = &'a ContactArms>,
    ) {
        let points = &mut self.points;
        points.axes[manifold] = *axes;
        let places = points.arms[first..].iter_mut();
        let count = places.zip(arms).map(|(to, from)| *to = *from).count();
        if let Some(rows) = self.entries.get_mut() {
            let rows = &mut rows[POINT_ENTRIES * first..][..POINT_ENTRIES * count];
            points.write(first, rows);
        }
    }

    /// True if the axes and arms of all points are so small that all entries are small
    /// ([`are_small_factors`]).
    pub(crate) fn has_small_points(&self) -> bool {
        let ContactPoints { axes, arms, .. } = &self.points;
        let mut vectors = axes.iter().flatten().chain(arms.iter().flatten());
        vectors.all(|vector| are_small_factors(vector.as_slice()))
    }

    /// Points become rows unless every block is one.
    pub(crate) fn keep_points_if(&mut self, fits: bool) {
        if self.has_points() && !fits {
            self.edit(|_| {});
        }
    }
}

impl Deref for Jacobian {
    type Target = [[f64; 6]];

    #[inline]
    fn deref(&self) -> &Self::Target {
        match self.entries.get() {
            Some(entries) => entries,
            None => self.derive(),
        }
    }
}

impl From<Vec<[f64; 6]>> for Jacobian {
    fn from(entries: Vec<[f64; 6]>) -> Self {
        Self {
            entries: OnceLock::from(entries),
            ..Self::default()
        }
    }
}

impl FromIterator<[f64; 6]> for Jacobian {
    fn from_iter<I: IntoIterator<Item = [f64; 6]>>(entries: I) -> Self {
        entries.into_iter().collect::<Vec<_>>().into()
    }
}

impl PartialEq for Jacobian {
    fn eq(&self, other: &Self) -> bool {
        self[..] == other[..]
    }
}

#[cfg(test)]
mod tests;

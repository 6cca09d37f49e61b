//! What a manifold takes over from the frame before.

use arrayvec::ArrayVec;
use delassus_collide::{MAX_POINTS, PairCache};
use delassus_core::ContactLaw;
use nalgebra::Vector3;

use super::solved::SolvedContact;
use crate::body::Pose;
use crate::contact::{Manifold, PosePair};
use crate::origin::PreviousPoints;
use crate::rotation;

impl Manifold {
    /// The colliders that touch; `None` for a manifold that was given to the world.
    pub fn colliders(&self) -> Option<[u32; 2]> {
        self.origin.as_ref().map(|origin| origin.colliders)
    }

    /// Per point: the features that touch, the same number while the same ones do. Empty for a
    /// manifold that was given to the world.
    pub fn features(&self) -> &[u64] {
        self.origin.as_ref().map_or(&[], |origin| &origin.features)
    }

    /// True if every point is the same as in the frame before, with as many before it; counts its
    /// points.
    pub(super) fn goes_on(&self, points: &mut usize) -> bool {
        let first = *points;
        *points += self.points.len();
        let previous = self.origin.iter().flat_map(|origin| origin.previous.iter());
        previous.eq((first..*points).map(Some))
    }

    /// The same in the next frame, with the memory of this one; `first` is the number of points
    /// before its own.
    #[inline]
    pub(super) fn going_on(&mut self, first: usize) -> Self {
        let mut origin = self.origin.take();
        if let Some(origin) = &mut origin {
            origin.previous = PreviousPoints::following(first, self.points.len());
        }
        Self {
            points: std::mem::take(&mut self.points),
            impulses: std::mem::take(&mut self.impulses),
            origin,
            ..*self
        }
    }

    /// What the pair of colliders remembers for the next frame.
    pub fn memory(&self) -> PairCache {
        self.origin
            .as_ref()
            .map_or_else(PairCache::default, |origin| origin.memory)
    }

    /// Takes the impulses of the same points of the frame before, along the tangents of then
    /// (T.20); `first` is the number of points before those of the pair.
    pub(super) fn take_over(&mut self, before: &[Self], first: usize) {
        let parts = self.origin.as_ref().map(|origin| origin.parts);
        let keep = self.tangent.or(before.first().and_then(|old| old.tangent));
        self.tangent = Some(tangent_near(&self.normal, keep));
        let same = |old: &Self| old.origin.as_ref().map(|origin| origin.parts) == parts;
        let Some(index) = before.iter().position(same) else {
            return;
        };
        let old = &before[index];
        let matches = self.matches(old);
        let first = first
            + before[..index]
                .iter()
                .map(|m| m.points.len())
                .sum::<usize>();
        if let Some(origin) = &mut self.origin {
            origin.previous = matches
                .iter()
                .map(|m| m.map(|point| first + point))
                .collect();
        }
        if old.impulses.is_empty() {
            return;
        }
        self.impulse_tangents = old.impulse_tangents;
        let stored = |row: usize| old.impulses.get(row).copied().unwrap_or(0.0);
        let (count, last) = (self.points.len(), old.points.len());
        if self.law == ContactLaw::Patch {
            let normals = matches.iter().map(|earlier| earlier.map_or(0.0, stored));
            self.impulses.extend(normals);
            self.impulses.extend((last..last + 3).map(stored));
            return;
        }
        // rows of rolling follow those of all points
        let [rolls, rolled] = [&*self, old].map(Self::resists_rolling);
        let per_point = if rolls { 6 } else { 3 };
        self.impulses.resize(per_point * count, 0.0);
        for (point, earlier) in matches.iter().enumerate() {
            let Some(earlier) = earlier else { continue };
            for row in 0..3 {
                self.impulses[3 * point + row] = stored(3 * earlier + row);
                if rolls && rolled {
                    self.impulses[3 * (count + point) + row] = stored(3 * (last + earlier) + row);
                }
            }
        }
    }

    /// Takes what somebody else has solved; `first` is the number of points before those of the
    /// pair in the frame before, if it had any, and `poses` those when it was solved.
    pub(super) fn take_solution(
        &mut self,
        solved: &SolvedContact,
        first: Option<usize>,
        poses: &[Pose; 2],
    ) {
        self.tangent = Some(tangent_near(&self.normal, Some(solved.tangent)));
        let poses = PosePair::of(poses);
        self.impulse_tangents = self.tangents(poses, &self.world_normal(poses));
        self.impulses
            .extend_from_slice(solved.impulses.as_flattened());
        let (Some(first), Some(origin)) = (first, &mut self.origin) else {
            return;
        };
        let places = solved.previous.iter();
        origin.previous = places.map(|p| p.map(|point| first + point)).collect();
    }

    /// Per point: the point of the frame before that it goes on from.
    fn matches(&self, old: &Self) -> ArrayVec<Option<usize>, MAX_POINTS> {
        let [now, before] = [self.features(), old.features()];
        let mut taken = [false; MAX_POINTS];
        let mut found: ArrayVec<Option<usize>, MAX_POINTS> = now
            .iter()
            .map(|feature| {
                let same = |(index, other): (usize, &u64)| {
                    (*other == *feature && *feature != 0 && !taken[index]).then_some(index)
                };
                let index = before.iter().enumerate().find_map(same)?;
                taken[index] = true;
                Some(index)
            })
            .collect();
        for (point, found) in found.iter_mut().enumerate().filter(|(_, f)| f.is_none()) {
            let place = self.points[point].anchors;
            let distance = |index: usize| {
                let other = old.points[index].anchors;
                let [a, b] = [0, 1].map(|side| (place[side] - other[side]).norm());
                a.min(b)
            };
            let free = (0..before.len()).filter(|index| !taken[*index]);
            let nearest = free.min_by(|a, b| distance(*a).total_cmp(&distance(*b)));
            if let Some(index) = nearest.filter(|index| distance(*index) < SAME_PLACE) {
                taken[index] = true;
                *found = Some(index);
            }
        }
        found
    }
}

/// A tangent of a normal, that of the frame before where it still is one.
fn tangent_near(normal: &Vector3<f64>, before: Option<Vector3<f64>>) -> Vector3<f64> {
    let kept = before.map(|tangent| tangent - tangent.dot(normal) * normal);
    match kept.filter(|tangent| tangent.norm_squared() > 0.25) {
        Some(tangent) => tangent.normalize(),
        None => rotation::tangents(normal)[0],
    }
}

/// A point of unknown features goes on from one that was closer than this on one of the bodies
/// \[m\].
const SAME_PLACE: f64 = 0.02;

//! What a manifold takes over from the frame before.

use arrayvec::ArrayVec;
use delassus_collide::{MAX_POINTS, Memory};
use delassus_core::ContactLaw;
use nalgebra::Vector3;

use super::solved::SolvedContact;
use crate::body::Pose;
use crate::contact::Manifold;
use crate::rotation;

impl Manifold {
    /// The colliders that touch; `None` for a manifold that was given to the world.
    pub fn colliders(&self) -> Option<[u32; 2]> {
        self.origin.as_ref().map(|origin| origin.colliders)
    }

    /// Per point: the features that touch, the same number while the same ones do. Empty for a manifold that was given
    /// to the world.
    pub fn features(&self) -> &[u64] {
        self.origin.as_ref().map_or(&[], |origin| &origin.features)
    }

    /// True if every point is the same as in the frame before, with as many before it; counts its points.
    pub(super) fn goes_on(&self, points: &mut usize) -> bool {
        let first = *points;
        *points += self.points.len();
        let previous = self.origin.iter().flat_map(|origin| &origin.previous);
        previous.eq((first..*points)
            .map(Some)
            .collect::<ArrayVec<_, MAX_POINTS>>()
            .iter())
    }

    /// The same in the next frame, with points and impulses that are not here any more; `first` is the number of points before
    /// its own.
    #[inline]
    pub(super) fn going_on(&mut self, first: usize) -> Self {
        let mut origin = self.origin.clone();
        if let Some(origin) = &mut origin {
            origin.previous = (first..first + self.points.len()).map(Some).collect();
        }
        Self {
            points: std::mem::take(&mut self.points),
            impulses: std::mem::take(&mut self.impulses),
            origin,
            ..*self
        }
    }

    /// What the pair of colliders remembers for the next frame.
    pub fn memory(&self) -> Memory {
        self.origin
            .as_ref()
            .map_or_else(Memory::default, |origin| origin.memory)
    }

    /// Takes the impulses of the same points of the frame before (T.20); `first` is the number of points before those of
    /// the pair.
    pub(super) fn take_over(&mut self, before: &[Self], first: usize, poses: [Pose; 2]) {
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
        let frames = [old, &*self].map(|m| m.tangents(&poses, &m.world_normal(&poses)));
        let turned = |[first, second]: [f64; 2]| {
            let vector = first * frames[0][0] + second * frames[0][1];
            frames[1].map(|tangent| vector.dot(&tangent))
        };
        let stored = &old.impulses;
        if self.law == ContactLaw::Patch {
            let (count, last) = (self.points.len(), old.points.len());
            self.impulses.resize(count + 3, 0.0);
            for (point, earlier) in matches.iter().enumerate() {
                self.impulses[point] = earlier.map_or(0.0, |earlier| stored[earlier]);
            }
            let [first, second] = turned([stored[last], stored[last + 1]]);
            self.impulses[count..].copy_from_slice(&[first, second, stored[last + 2]]);
            return;
        }
        // rows of rolling follow those of all points
        let [rolls, rolled] = [&*self, old].map(Self::resists_rolling);
        let per_point = if rolls { 6 } else { 3 };
        self.impulses.resize(per_point * self.points.len(), 0.0);
        for (point, earlier) in matches.iter().enumerate() {
            let Some(earlier) = earlier else { continue };
            let [normal, first, second] = [0, 1, 2].map(|row| stored[3 * earlier + row]);
            let [first, second] = turned([first, second]);
            self.impulses[3 * point..3 * point + 3].copy_from_slice(&[normal, first, second]);
            let last = 3 * (old.points.len() + earlier);
            if rolls && rolled && stored.len() >= last + 3 {
                let [first, second] = turned([stored[last], stored[last + 1]]);
                let rows = 3 * (self.points.len() + point);
                self.impulses[rows..rows + 3].copy_from_slice(&[first, second, stored[last + 2]]);
            }
        }
    }

    /// Takes what somebody else has solved; `first` is the number of points before those of the pair in the frame before, if it
    /// had any.
    pub(super) fn take_solution(&mut self, solved: &SolvedContact, first: Option<usize>) {
        self.tangent = Some(tangent_near(&self.normal, Some(solved.tangent)));
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

/// A point of unknown features goes on from one that was closer than this on one of the bodies \[m\].
const SAME_PLACE: f64 = 0.02;

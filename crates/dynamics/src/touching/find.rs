//! Finding the manifolds of a frame, pair by pair, and matching them with those of the frame
//! before.

use std::ops::Range;

use delassus_collide::{ContactQuery, PairCache, PairManifolds, are_separated, contacts};
use nalgebra::{Isometry3, Vector3};

use crate::contact::Manifold;
use crate::contact_reuse::{ContactVersion, SeparatingAxes, StoredContacts};
use crate::contact_settings::{ContactEvents, TangentMode};
use crate::world::World;

/// What a world had before it looked for contacts.
pub(crate) struct PreviousContacts {
    /// The manifolds that it found the last time; `None` if all serve again.
    pub(crate) manifolds: Option<Vec<Manifold>>,
    pub(crate) kept: StoredContacts,
    pub(crate) events: ContactEvents,
}

impl World {
    /// Finds the manifolds of the present poses for the time `ahead` \[s\] (see
    /// [`near`](crate::colliders::Colliders::near)); gives those of before back, `None` in a world
    /// without colliders.
    pub(crate) fn find_contacts(&mut self, ahead: f64) -> Option<PreviousContacts> {
        if self.colliders.list.is_empty() {
            return None;
        }
        let pairs = self.colliders.near(&self.bodies, &self.gravity, ahead);
        let stay = self.all_stay(&pairs);
        let mut events = ContactEvents::default();
        let mut kept = self.colliders.spare.kept();
        let manifolds = (!stay).then(|| self.look(&pairs, &mut kept, &mut events));
        self.colliders.spare.take_pairs(pairs);
        Some(PreviousContacts {
            manifolds,
            kept,
            events: std::mem::replace(&mut self.colliders.events, events),
        })
    }

    /// Looks at pairs of colliders one by one; returns the manifolds of before.
    fn look(
        &mut self,
        pairs: &[[u32; 2]],
        kept: &mut StoredContacts,
        events: &mut ContactEvents,
    ) -> Vec<Manifold> {
        self.colliders.version = ContactVersion::fresh();
        let mut earlier = self.take_found();
        let planes = self.colliders.resting_planes(&earlier, &self.bodies);
        let mut old = Earlier::default();
        let (mut found, mut features) = self.colliders.spare.points();
        let mut separating = std::mem::take(&mut self.colliders.spare.separating);
        separating.begin();
        for colliders in pairs.iter().copied() {
            let [a, b] = colliders.map(|index| index as usize);
            let poses = self.pair([a, b].map(|index| self.colliders.list[index].body));
            let own = old.of(&earlier, colliders, events);
            let relative = self.colliders.between([a, b], poses);
            let query = self.colliders.query([a, b]);
            if own.is_empty() && self.still_apart(colliders, &relative, &query, &mut separating) {
                continue;
            }
            if self.colliders.stays(&earlier[own.clone()], &relative) {
                self.keep(&mut earlier, own, old.first_point, kept);
                continue;
            }
            let before = &earlier[own];
            features.clear();
            features.extend(before.iter().flat_map(|m| m.features().iter().copied()));
            let mut memory = before
                .first()
                .map_or_else(PairCache::default, Manifold::memory);
            let geometries = [a, b].map(|index| &self.colliders.geometries[index]);
            let features = features.as_slice();
            contacts(
                geometries,
                &relative,
                &query,
                &mut memory,
                features,
                &mut found,
            );
            if found.is_empty() {
                separating.note(colliders, memory.axis);
            }
            self.colliders
                .leave_out_seams([a, b], &relative, &mut found);
            self.colliders
                .leave_out_crossing([a, b], &planes, &mut found);
            events.note(colliders, !before.is_empty(), !found.is_empty());
            for touching in found.iter() {
                let colliding = &mut self.colliders;
                let mut manifold = colliding.manifold(colliders, touching, memory, relative);
                let fixed = !self.bodies[manifold.bodies[1]].is_dynamic();
                self.colliders
                    .follow_round_sides(&mut manifold, [a, b], &relative, fixed);
                self.treat_surface(&mut manifold);
                manifold.take_over(before, old.first_point);
                self.manifolds.push(manifold);
            }
        }
        old.finish(&earlier, events);
        separating.finish();
        self.colliders.spare.separating = separating;
        self.colliders.spare.take_points(found, features);
        earlier
    }

    /// Takes all manifolds that were found out of the world.
    pub(super) fn take_found(&mut self) -> Vec<Manifold> {
        let mut earlier = self.colliders.spare.list();
        if self.colliders.given == 0 {
            std::mem::swap(&mut earlier, &mut self.manifolds);
        } else {
            earlier.extend(self.manifolds.drain(self.colliders.given..));
        }
        earlier
    }

    /// Lets manifolds of a pair serve again; `first` is the number of points before them.
    fn keep(
        &mut self,
        earlier: &mut [Manifold],
        own: Range<usize>,
        mut first: usize,
        kept: &mut StoredContacts,
    ) {
        let plain = self.colliders.may_stay();
        for then in own {
            let old = &mut earlier[then];
            kept.note([then, self.manifolds.len()], old);
            first += old.points.len();
            let before = first - old.points.len();
            if plain {
                self.manifolds.push(old.going_on(before));
                continue;
            }
            let mut manifold = old.going_on(before);
            self.treat_surface(&mut manifold);
            self.manifolds.push(manifold);
        }
    }

    /// True if every pair that touches has hardly moved since its manifolds were made, and no other
    /// touches: the manifolds serve again as they are.
    fn all_stay(&mut self, pairs: &[[u32; 2]]) -> bool {
        if !self.colliders.may_stay() {
            return false;
        }
        let (mut found, features) = self.colliders.spare.points();
        let mut apart = std::mem::take(&mut self.colliders.spare.near);
        let mut separating = std::mem::take(&mut self.colliders.spare.separating);
        let stay = self.serve_again(pairs, &mut apart)
            && self.none_touches(&apart, &mut found, &mut separating);
        self.colliders.spare.separating = separating;
        self.colliders.spare.near = apart;
        self.colliders.spare.take_points(found, features);
        stay
    }

    /// True if every pair that touched has hardly moved; lists the others, which are `apart`.
    fn serve_again(&self, pairs: &[[u32; 2]], apart: &mut Vec<[u32; 2]>) -> bool {
        apart.clear();
        let mut rest = &self.manifolds[self.colliders.given..];
        let mut points = 0;
        for colliders in pairs.iter().copied() {
            let pair = colliders.map(|index| index as usize);
            let own = rest.iter().take_while(|m| m.colliders() == Some(colliders));
            let (own, others) = rest.split_at(own.count());
            rest = others;
            if own.is_empty() {
                apart.push(colliders);
            } else if !self.colliders.stays(own, &self.relative(pair))
                || !own.iter().all(|manifold| manifold.goes_on(&mut points))
            {
                return false;
            }
        }
        rest.is_empty()
    }

    fn none_touches(
        &self,
        pairs: &[[u32; 2]],
        found: &mut PairManifolds,
        separating: &mut SeparatingAxes,
    ) -> bool {
        let resting = &self.manifolds[self.colliders.given..];
        let planes = self.colliders.resting_planes(resting, &self.bodies);
        separating.begin();
        let none = pairs.iter().copied().all(|colliders| {
            let pair = colliders.map(|index| index as usize);
            let query = self.colliders.query(pair);
            let relative = self.relative(pair);
            if self.still_apart(colliders, &relative, &query, separating) {
                return true;
            }
            let geometries = pair.map(|index| &self.colliders.geometries[index]);
            let mut memory = PairCache::default();
            contacts(geometries, &relative, &query, &mut memory, &[], found);
            if found.is_empty() {
                separating.note(colliders, memory.axis);
            }
            self.colliders.leave_out_seams(pair, &relative, found);
            self.colliders.leave_out_crossing(pair, &planes, found);
            found.is_empty()
        });
        if none {
            separating.finish();
        }
        none
    }

    /// True if what separated a pair at the last look still does; then it is noted again.
    fn still_apart(
        &self,
        pair: [u32; 2],
        relative: &Isometry3<f64>,
        query: &ContactQuery,
        separating: &mut SeparatingAxes,
    ) -> bool {
        let geometries = pair.map(|index| &self.colliders.geometries[index as usize]);
        let axis = separating.of(pair);
        let apart = are_separated(geometries, relative, query, axis);
        separating.note(pair, if apart { axis } else { 0 });
        apart
    }

    /// Pose of the second collider of a pair in the axes of the first.
    fn relative(&self, pair: [usize; 2]) -> Isometry3<f64> {
        let bodies = pair.map(|index| self.colliders.list[index].body);
        self.colliders.between(pair, self.pair(bodies))
    }

    /// Friction and tangents by how the surfaces move against each other (T.21), (T.22).
    pub(super) fn treat_surface(&self, manifold: &mut Manifold) {
        let Some(origin) = &manifold.origin else {
            return;
        };
        let settings = &self.colliders.settings;
        let [a, b] = origin
            .colliders
            .map(|index| &self.colliders.list[index as usize]);
        if settings.tangents == TangentMode::Kept && a.material.is_plain() && b.material.is_plain()
        {
            return;
        }
        let [first, second] = manifold.bodies.map(|body| &self.bodies[body]);
        let moving = second.orientation * b.material.surface_velocity
            - first.orientation * a.material.surface_velocity;
        let frame = manifold.frame(self.pair(manifold.bodies));
        let share = 1.0 / frame.arms.len().max(1) as f64;
        let slip = frame.arms.iter().map(|[r_a, r_b]| {
            let velocity = second.velocity + second.spin.cross(r_b);
            velocity - first.velocity - first.spin.cross(r_a)
        });
        let slip = share * slip.sum::<Vector3<f64>>() + moving;
        let slip = slip - slip.dot(&frame.normal) * frame.normal;
        let together = settings.combining.combine(&a.material, &b.material);
        manifold.friction = together.friction;
        if slip.norm() > settings.stiction_speed {
            manifold.friction = together.kinetic_friction;
            if settings.tangents == TangentMode::Sliding {
                manifold.tangent = Some(first.orientation.inverse() * slip.normalize());
            }
        }
        if moving != Vector3::zeros() {
            manifold.surface_velocity = first.orientation.inverse() * moving;
        }
    }
}

/// How far the manifolds of the frame before were read, in the order of their colliders.
#[derive(Default)]
pub(super) struct Earlier {
    next: usize,
    /// Points of those that were read.
    points: usize,
    /// Points before those of the pair that was read last.
    pub(super) first_point: usize,
}

impl Earlier {
    /// Those of a pair; pairs that come before it have ended.
    pub(super) fn of(
        &mut self,
        manifolds: &[Manifold],
        colliders: [u32; 2],
        events: &mut ContactEvents,
    ) -> Range<usize> {
        let of_next = |next: usize| manifolds.get(next).map(Manifold::colliders);
        while of_next(self.next).is_some_and(|next| next < Some(colliders)) {
            self.end(manifolds, events);
        }
        let first = self.next;
        self.first_point = self.points;
        while of_next(self.next) == Some(Some(colliders)) {
            self.points += manifolds[self.next].points.len();
            self.next += 1;
        }
        first..self.next
    }

    /// Notes the end of the next pair.
    fn end(&mut self, manifolds: &[Manifold], events: &mut ContactEvents) {
        if let Some(pair) = manifolds[self.next].colliders()
            && events.ended.last() != Some(&pair)
        {
            events.ended.push(pair);
        }
        self.points += manifolds[self.next].points.len();
        self.next += 1;
    }

    pub(super) fn finish(mut self, manifolds: &[Manifold], events: &mut ContactEvents) {
        while self.next < manifolds.len() {
            self.end(manifolds, events);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::Body;
    use crate::origin::PreviousPoints;
    use crate::world::WorldParts;
    use delassus_collide::{Collider, Cuboid, HalfSpace, Inertia};

    /// Two boxes side by side on the ground, which keep their contacts.
    fn boxes() -> World {
        let mut parts = WorldParts::default();
        parts.contacts.recycle = 0.01;
        let ground = parts.body(Body::fixed(Vector3::zeros()));
        parts.collider(Collider::new(ground, HalfSpace::default()));
        for x in [0.0, 3.0] {
            let inertia = Inertia::new(1.0, Vector3::repeat(0.2));
            let body = parts.body(Body::dynamic(inertia, Vector3::new(x, 0.5, 0.0)));
            parts.collider(Collider::new(body, Cuboid::cube(0.5)));
        }
        parts.build().expect("a world")
    }

    /// Stands for a frame that changes every impulse and may fail.
    fn push(world: &mut World, by: f64, outcome: Result<(), ()>) -> Result<(), ()> {
        for manifold in &mut world.manifolds {
            let rows = 3 * manifold.points.len();
            manifold.impulses.resize(rows, 0.0);
            manifold.impulses.iter_mut().for_each(|x| *x += by);
        }
        outcome
    }

    #[test]
    fn manifolds_that_were_kept_come_back_if_the_frame_fails() {
        let mut world = boxes();
        let frame = |by, outcome| move |world: &mut World| push(world, by, outcome);
        // the first frame that gives impulses fails
        assert_eq!(world.with_contacts(|_| Ok::<(), ()>(())), Ok(()));
        let bare = world.clone();
        assert_eq!(world.with_contacts(frame(1.0, Err(()))), Err(()));
        assert_eq!(world, bare);
        assert_eq!(world.with_contacts(frame(1.0, Ok(()))), Ok(()));
        // one box moves too far, the other stays
        world.bodies[2].position += Vector3::new(0.1, 0.0, 0.0);
        let before = world.clone();
        assert_eq!(world.with_contacts(frame(2.0, Err(()))), Err(()));
        assert_eq!(world, before);
        assert_eq!(world.with_contacts(frame(2.0, Ok(()))), Ok(()));
        let kept = &world.manifolds[0];
        assert_eq!(kept.points, before.manifolds[0].points);
        let origin = kept.origin.as_ref().expect("found");
        let following = PreviousPoints::following(0, kept.points.len());
        assert_eq!(origin.previous, following);
        assert!(kept.impulses.iter().all(|impulse| *impulse == 3.0));
        assert_ne!(world.manifolds[1].points, before.manifolds[1].points);
    }
}

//! Finding the manifolds of a frame, pair by pair, beside those of the frame before.

use std::sync::Arc;

use delassus_collide::{Memory, contacts};
use nalgebra::Vector3;

use crate::contact::Manifold;
use crate::contact_settings::{ContactEvents, TangentMode};
use crate::world::World;

/// What a world had before it looked for contacts.
pub(crate) struct Before {
    /// The manifolds that it found the last time; `None` if they serve again.
    pub(crate) manifolds: Option<Vec<Manifold>>,
    pub(crate) events: ContactEvents,
}

impl World {
    /// Takes manifolds of the frame before over as they are; `first` is the number of points before them.
    fn keep(&mut self, before: &[Manifold], mut first: usize) {
        for old in before {
            let mut manifold = self.colliders.copy(old, first);
            first += old.points.len();
            self.treat_surface(&mut manifold);
            self.manifolds.push(manifold);
        }
    }

    /// Finds the manifolds of the present poses for the time `ahead` \[s\] (see [`near`](crate::colliders::Colliders::near)); gives
    /// those of before back, `None` in a world without colliders.
    pub(crate) fn find_contacts(&mut self, ahead: f64) -> Option<Before> {
        if self.colliders.list.is_empty() {
            return None;
        }
        let pairs = self.colliders.near(&self.bodies, ahead);
        let stay = self.all_stay(&pairs);
        let mut events = ContactEvents::default();
        let manifolds = (!stay).then(|| self.look(&pairs, &mut events));
        self.colliders.spare.take_pairs(pairs);
        Some(Before {
            manifolds,
            events: std::mem::replace(&mut self.colliders.events, events),
        })
    }

    /// Looks at pairs of colliders one by one; returns the manifolds of before.
    fn look(&mut self, pairs: &[[u32; 2]], events: &mut ContactEvents) -> Vec<Manifold> {
        self.colliders.stamp = Arc::default();
        let mut earlier = self.colliders.spare.list();
        earlier.extend(self.manifolds.drain(self.colliders.given..));
        let mut old = Earlier::new(&earlier);
        let (mut found, mut features) = self.colliders.spare.points();
        for colliders in pairs.iter().copied() {
            let [a, b] = colliders.map(|index| index as usize);
            let poses = self.pair([a, b].map(|index| self.colliders.list[index].body));
            let before = old.of(colliders, events);
            let relative = self.colliders.between([a, b], poses);
            if self.colliders.stays(before, &relative) {
                let first = old.points_before(before);
                self.keep(before, first);
                continue;
            }
            features.clear();
            features.extend(before.iter().flat_map(|m| m.features().iter().copied()));
            let mut memory = before
                .first()
                .map_or_else(Memory::default, Manifold::memory);
            let geometries = [a, b].map(|index| &self.colliders.geometries[index]);
            let remembered = (&mut memory, features.as_slice());
            let query = self.colliders.query([a, b]);
            contacts(geometries, &relative, &query, remembered, &mut found);
            match (before.is_empty(), found.is_empty()) {
                (true, false) => events.begun.push(colliders),
                (false, true) => events.ended.push(colliders),
                _ => {}
            }
            for touching in &found {
                let from = (memory, relative);
                let mut manifold = self.colliders.manifold(colliders, touching, from);
                self.treat_surface(&mut manifold);
                manifold.take_over(before, old.points_before(before), poses);
                self.manifolds.push(manifold);
            }
        }
        old.finish(events);
        self.colliders.spare.take_points(found, features);
        earlier
    }

    /// True if every pair that touches has hardly moved since its manifolds were made, and no other touches: the manifolds
    /// serve again as they are.
    fn all_stay(&self, pairs: &[[u32; 2]]) -> bool {
        if !self.colliders.may_stay() {
            return false;
        }
        let relative = |[a, b]: [usize; 2]| {
            let bodies = [a, b].map(|index| self.colliders.list[index].body);
            self.colliders.between([a, b], self.pair(bodies))
        };
        let mut rest = &self.manifolds[self.colliders.given..];
        let mut points = 0;
        let mut apart = Vec::new();
        for colliders in pairs.iter().copied() {
            let pair = colliders.map(|index| index as usize);
            let own = rest.iter().take_while(|m| m.colliders() == Some(colliders));
            let (own, others) = rest.split_at(own.count());
            rest = others;
            if own.is_empty() {
                apart.push(pair);
            } else if !self.colliders.stays(own, &relative(pair))
                || !own.iter().all(|manifold| manifold.goes_on(&mut points))
            {
                return false;
            }
        }
        let mut found = Vec::new();
        rest.is_empty()
            && apart.into_iter().all(|pair| {
                let geometries = pair.map(|index| &self.colliders.geometries[index]);
                let none = (&mut Memory::default(), [].as_slice());
                let query = self.colliders.query(pair);
                contacts(geometries, &relative(pair), &query, none, &mut found);
                found.is_empty()
            })
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

/// The manifolds of the frame before, read in the order of their colliders.
pub(super) struct Earlier<'a> {
    manifolds: &'a [Manifold],
    next: usize,
    /// Points of those that were read.
    points: usize,
}

impl<'a> Earlier<'a> {
    pub(super) fn new(manifolds: &'a [Manifold]) -> Self {
        Self {
            manifolds,
            next: 0,
            points: 0,
        }
    }

    /// Those of a pair; pairs that come before it have ended.
    pub(super) fn of(&mut self, colliders: [u32; 2], events: &mut ContactEvents) -> &'a [Manifold] {
        while self.next < self.manifolds.len()
            && self.manifolds[self.next].colliders() < Some(colliders)
        {
            self.end(events);
        }
        let first = self.next;
        while self.next < self.manifolds.len()
            && self.manifolds[self.next].colliders() == Some(colliders)
        {
            self.points += self.manifolds[self.next].points.len();
            self.next += 1;
        }
        &self.manifolds[first..self.next]
    }

    /// Points of all manifolds before those of a pair, which are the last that were read.
    pub(super) fn points_before(&self, pair: &[Manifold]) -> usize {
        let points: usize = pair.iter().map(|manifold| manifold.points.len()).sum();
        self.points - points
    }

    /// Notes the end of the next pair.
    fn end(&mut self, events: &mut ContactEvents) {
        if let Some(pair) = self.manifolds[self.next].colliders()
            && events.ended.last() != Some(&pair)
        {
            events.ended.push(pair);
        }
        self.points += self.manifolds[self.next].points.len();
        self.next += 1;
    }

    pub(super) fn finish(mut self, events: &mut ContactEvents) {
        while self.next < self.manifolds.len() {
            self.end(events);
        }
    }
}

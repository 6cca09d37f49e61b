//! Contacts that a world finds by itself: colliders near each other, and what is carried from one frame to the next.
//!
//! A frame begins with the manifolds of all pairs of colliders within the margin. A point that had the same feature in
//! the frame before takes over its impulses, friction as a vector of the world (T.20); points whose features are not known are
//! matched by their place. Everything is in the order of the colliders.

use arrayvec::ArrayVec;
use delassus_collide::{
    BoxMethod, BroadPhase, Collider, Combining, Geometry, MAX_POINTS, Material, Memory, Query,
    Touching, contacts,
};
use delassus_core::{Choice, ContactLaw};
use nalgebra::{Isometry3, Vector3};
use serde::{Deserialize, Serialize};

use crate::body::{Body, Pose};
use crate::contact::{ContactPoint, Manifold};
use crate::error::FieldError;
use crate::rotation;
use crate::world::World;

/// How a world finds its contacts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ContactSettings {
    /// Friction law of the contacts found.
    pub law: ContactLaw,
    /// Surfaces closer than this are in contact: an open contact may close within the step and no more \[m\].
    pub margin: f64,
    /// How boxes find where they touch.
    pub boxes: BoxMethod,
    /// By how much a manifold prefers the features of the frame before, as a share of its size \[-\]; 0 lets them flip.
    pub persistence: f64,
    /// How the surfaces of two colliders act together.
    pub combining: Combining,
    /// Along which axes friction is solved.
    pub tangents: TangentMode,
    /// Surfaces that move faster than this against each other have kinetic friction \[m/s\].
    pub stiction_speed: f64,
    /// Pairs of bodies that do not touch, besides those that a joint connects.
    pub apart: Vec<[usize; 2]>,
}

/// Along which axes the friction of a contact that was found is solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Choice)]
pub enum TangentMode {
    /// Those of the frame before, which turn with body A.
    #[default]
    Kept,
    /// Along and across the sliding velocity of the start of the frame, kept where nothing slides.
    Sliding,
}

impl Default for ContactSettings {
    fn default() -> Self {
        let Query {
            margin,
            boxes,
            persistence,
        } = Query::default();
        Self {
            law: ContactLaw::default(),
            margin,
            boxes,
            persistence,
            combining: Combining::default(),
            tangents: TangentMode::default(),
            stiction_speed: 1e-3,
            apart: Vec::new(),
        }
    }
}

impl ContactSettings {
    /// Checks every field; `bodies` is the number of bodies that there are.
    pub(crate) fn validate(&self, bodies: usize) -> Result<(), FieldError> {
        FieldError::positive("margin", self.margin)?;
        FieldError::non_negative("persistence", self.persistence)?;
        FieldError::non_negative("stiction_speed", self.stiction_speed)?;
        if self.law == ContactLaw::FixedBox {
            return Err(fixed_box(self.law));
        }
        for (index, pair) in self.apart.iter().enumerate() {
            if let Some(body) = pair.iter().find(|body| **body >= bodies) {
                let expected = format!("the world has {bodies} bodies, numbered from 0");
                return Err(FieldError::new(format!("apart[{index}]"), body, &expected));
            }
        }
        Ok(())
    }
}

/// The refusal of a law that needs the time step.
pub(crate) fn fixed_box(law: ContactLaw) -> FieldError {
    let expected = "its limit needs the time step, which a world does not have; use \"pyramid\", or a frozen problem";
    FieldError::new("law", law, expected)
}

/// Where a manifold that a world found comes from.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Origin {
    /// Colliders A and B, in ascending order.
    pub(crate) colliders: [u32; 2],
    /// Their parts that touch.
    pub(crate) parts: [u32; 2],
    /// Feature of every point; zero where it is not known.
    pub(crate) features: ArrayVec<u64, MAX_POINTS>,
    /// Per point: where the same point was among all points found in the frame before.
    pub(crate) previous: ArrayVec<Option<usize>, MAX_POINTS>,
    memory: Memory,
}

/// Pairs of colliders that came into contact, or left it, at the start of a frame.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ContactEvents {
    /// Those that were not in contact in the frame before.
    pub begun: Vec<[u32; 2]>,
    /// Those that are not in contact any more.
    pub ended: Vec<[u32; 2]>,
}

/// The colliders of a world, ready to be asked.
#[derive(Debug, Clone, Default)]
pub(crate) struct Colliders {
    pub(crate) list: Vec<Collider>,
    pub(crate) settings: ContactSettings,
    /// Per collider.
    geometries: Vec<Geometry>,
    /// Per collider: its pose in the axes of the body.
    placements: Vec<Isometry3<f64>>,
    /// Pairs of bodies that do not touch, in ascending order.
    apart: Vec<[usize; 2]>,
    /// Manifolds of the world that were given to it; those found come after.
    pub(crate) given: usize,
    pub(crate) events: ContactEvents,
    spare: Spare,
}

/// Points and impulses of manifolds that are gone: their memory serves again. It is no part of a state.
#[derive(Debug, Default)]
struct Spare(Vec<(Vec<ContactPoint>, Vec<f64>)>);

impl Clone for Spare {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl PartialEq for Colliders {
    fn eq(&self, other: &Self) -> bool {
        (&self.list, &self.settings, self.given) == (&other.list, &other.settings, other.given)
    }
}

impl Colliders {
    /// Makes valid colliders ready; `joined` are the bodies of every joint.
    pub(crate) fn new<'a>(
        list: Vec<Collider>,
        settings: ContactSettings,
        given: usize,
        joined: impl Iterator<Item = &'a [usize]>,
    ) -> Result<Self, FieldError> {
        let geometry = |(index, collider): (usize, &Collider)| {
            let within = |error: FieldError| error.within(&format!("colliders[{index}].shape"));
            Geometry::new(&collider.shape).map_err(within)
        };
        let geometries: Result<Vec<_>, _> = list.iter().enumerate().map(geometry).collect();
        let ordered = |a: usize, b: usize| [a.min(b), a.max(b)];
        let mut apart: Vec<[usize; 2]> =
            settings.apart.iter().map(|p| ordered(p[0], p[1])).collect();
        if !list.is_empty() {
            for bodies in joined {
                for (at, a) in bodies.iter().enumerate() {
                    apart.extend(bodies[at + 1..].iter().map(|b| ordered(*a, *b)));
                }
            }
        }
        apart.sort_unstable();
        apart.dedup();
        Ok(Self {
            geometries: geometries?,
            placements: list.iter().map(Collider::placement).collect(),
            list,
            settings,
            apart,
            given,
            events: ContactEvents::default(),
            spare: Spare::default(),
        })
    }

    /// Pairs of colliders within the margin that may touch, in ascending order.
    fn near(&self, bodies: &[Body]) -> Vec<[u32; 2]> {
        let margin = 0.5 * self.settings.margin;
        let bound =
            |((collider, geometry), placement): ((&Collider, &Geometry), &Isometry3<f64>)| {
                let pose = bodies[collider.body].pose();
                let at = Isometry3::from_parts(pose.position.to_vector().into(), pose.orientation);
                geometry.bounds(&(at * placement), margin)
            };
        let all = self.list.iter().zip(&self.geometries).zip(&self.placements);
        let bounds: Vec<_> = all.map(bound).collect();
        let may = |a: u32, b: u32| {
            let [a, b] = [a, b].map(|index| &self.list[index as usize]);
            let pair = [a.body.min(b.body), a.body.max(b.body)];
            let moves = bodies[a.body].is_dynamic() || bodies[b.body].is_dynamic();
            moves
                && a.body != b.body
                && a.filter.allows(&b.filter)
                && self.apart.binary_search(&pair).is_err()
        };
        let mut pairs = Vec::new();
        BroadPhase::default().pairs(&bounds, may, &mut pairs);
        pairs
    }

    /// Pose of the second collider in the axes of the first.
    fn between(&self, [a, b]: [usize; 2], poses: [Pose; 2]) -> Isometry3<f64> {
        let inverse = poses[0].orientation.inverse();
        // a difference of positions keeps the digits that positions far from the origin would lose
        let shift = inverse * (poses[1].position - poses[0].position);
        let bodies = Isometry3::from_parts(shift.into(), inverse * poses[1].orientation);
        self.placements[a].inverse() * bodies * self.placements[b]
    }

    /// A manifold between two bodies from what touches of two colliders.
    fn manifold(&mut self, colliders: [u32; 2], touching: &Touching, memory: Memory) -> Manifold {
        let [a, b] = colliders.map(|index| index as usize);
        let materials = [&self.list[a].material, &self.list[b].material];
        let together = self.settings.combining.combine(materials[0], materials[1]);
        let points = touching.points.iter().map(|touch| ContactPoint {
            anchors: [
                (self.placements[a] * nalgebra::Point3::from(touch.points[0])).coords,
                (self.placements[b] * nalgebra::Point3::from(touch.points[1])).coords,
            ],
            radii: touch.radii,
        });
        let normal = self.placements[a].rotation * touching.normal;
        let bodies = [self.list[a].body, self.list[b].body];
        let law = self.settings.law;
        let (mut list, mut impulses) = self.spare.0.pop().unwrap_or_default();
        list.clear();
        list.extend(points);
        impulses.clear();
        let mut manifold = Manifold::new(bodies, normal, list, together.friction, law);
        manifold.impulses = impulses;
        manifold.restitution = together.restitution;
        manifold.origin = Some(Origin {
            colliders,
            parts: touching.parts,
            features: touching.points.iter().map(|touch| touch.feature).collect(),
            previous: touching.points.iter().map(|_| None).collect(),
            memory,
        });
        manifold
    }
}

impl World {
    /// The colliders.
    pub fn colliders(&self) -> &[Collider] {
        &self.colliders.list
    }

    /// How the world finds its contacts.
    pub fn contact_settings(&self) -> &ContactSettings {
        &self.colliders.settings
    }

    /// Pairs of colliders that came into contact or left it at the start of the last frame.
    pub fn contact_events(&self) -> &ContactEvents {
        &self.colliders.events
    }

    /// Runs a frame on the contacts of the present poses; the contacts are those of before if it fails.
    ///
    /// # Errors
    /// Those of the frame.
    pub fn with_contacts<T, E>(
        &mut self,
        frame: impl FnOnce(&mut Self) -> Result<T, E>,
    ) -> Result<T, E> {
        let earlier = self.find_contacts();
        let outcome = frame(self);
        match (&outcome, earlier) {
            (Err(_), Some((manifolds, events))) => {
                self.manifolds.truncate(self.colliders.given);
                self.manifolds.extend(manifolds);
                self.colliders.events = events;
            }
            (Ok(_), Some((manifolds, _))) => {
                let parts = manifolds.into_iter().map(|m| (m.points, m.impulses));
                self.colliders.spare.0.extend(parts);
            }
            (_, None) => {}
        }
        outcome
    }

    /// Finds the manifolds of the present poses; gives those of before back, `None` in a world without colliders.
    pub(crate) fn find_contacts(&mut self) -> Option<(Vec<Manifold>, ContactEvents)> {
        if self.colliders.list.is_empty() {
            return None;
        }
        let earlier = self.manifolds.split_off(self.colliders.given);
        let mut old = Earlier {
            manifolds: &earlier,
            next: 0,
            points: 0,
        };
        let query = Query {
            margin: self.colliders.settings.margin,
            boxes: self.colliders.settings.boxes,
            persistence: self.colliders.settings.persistence,
        };
        let mut events = ContactEvents::default();
        let (mut found, mut features) = (Vec::new(), Vec::new());
        for colliders in self.colliders.near(&self.bodies) {
            let [a, b] = colliders.map(|index| index as usize);
            let bodies = [a, b].map(|index| self.colliders.list[index].body);
            let poses = self.pair(bodies);
            let before = old.of(colliders, &mut events);
            features.clear();
            features.extend(before.iter().flat_map(|m| m.features().iter().copied()));
            let mut memory = before
                .first()
                .map_or_else(Memory::default, Manifold::memory);
            let geometries = [a, b].map(|index| &self.colliders.geometries[index]);
            let relative = self.colliders.between([a, b], poses);
            let remembered = (&mut memory, features.as_slice());
            contacts(geometries, &relative, &query, remembered, &mut found);
            match (before.is_empty(), found.is_empty()) {
                (true, false) => events.begun.push(colliders),
                (false, true) => events.ended.push(colliders),
                _ => {}
            }
            for touching in &found {
                let mut manifold = self.colliders.manifold(colliders, touching, memory);
                self.treat_surface(&mut manifold);
                manifold.take_over(before, old.points_before(before), poses);
                self.manifolds.push(manifold);
            }
        }
        old.finish(&mut events);
        let events = std::mem::replace(&mut self.colliders.events, events);
        Some((earlier, events))
    }

    /// A collider whose surface moves against its body; not every scheme has a velocity for it.
    pub fn moving_surface(&self) -> Option<usize> {
        let moves = |collider: &Collider| collider.material.surface_velocity != Vector3::zeros();
        self.colliders.list.iter().position(moves)
    }

    /// Friction and tangents by how the surfaces move against each other (T.21), (T.22).
    fn treat_surface(&self, manifold: &mut Manifold) {
        let Some(origin) = &manifold.origin else {
            return;
        };
        let settings = &self.colliders.settings;
        let [a, b] = origin
            .colliders
            .map(|index| &self.colliders.list[index as usize]);
        let plain =
            |m: &Material| m.kinetic_friction.is_none() && m.surface_velocity == Vector3::zeros();
        let materials = [&a.material, &b.material];
        if settings.tangents == TangentMode::Kept && materials.into_iter().all(plain) {
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
        if slip.norm() > settings.stiction_speed {
            let together = settings.combining.combine(&a.material, &b.material);
            manifold.friction = together.kinetic_friction;
            if settings.tangents == TangentMode::Sliding {
                manifold.tangent = Some(first.orientation.inverse() * slip.normalize());
            }
        }
        if moving != Vector3::zeros() {
            manifold.surface_velocity = first.orientation.inverse() * moving;
        }
    }

    /// A world with a contact of the kind that this one may find, where it may find any: what a scheme and its solver are
    /// asked about before the first contact.
    pub(crate) fn with_likely_contact(&self) -> Option<Self> {
        let list = &self.colliders.list;
        let dynamic = list.iter().position(|c| self.bodies[c.body].is_dynamic())?;
        let other = list.iter().position(|c| c.body != list[dynamic].body)?;
        let mut world = self.clone();
        let half = 0.5;
        let corner = |x: f64, z: f64| ContactPoint {
            anchors: [Vector3::new(x, -half, z), Vector3::new(x, half, z)],
            radii: [0.0; 2],
        };
        let points = vec![
            corner(half, half),
            corner(half, -half),
            corner(-half, -half),
            corner(-half, half),
        ];
        let bodies = [list[dynamic].body, list[other].body];
        let rules = &self.colliders.settings.combining;
        let together = rules.combine(&list[dynamic].material, &list[other].material);
        let law = self.colliders.settings.law;
        let mut manifold = Manifold::new(bodies, -Vector3::y(), points, together.friction, law);
        manifold.restitution = together.restitution;
        world.manifolds.push(manifold);
        Some(world)
    }
}

/// The manifolds of the frame before, read in the order of their colliders.
struct Earlier<'a> {
    manifolds: &'a [Manifold],
    next: usize,
    /// Points of those that were read.
    points: usize,
}

impl<'a> Earlier<'a> {
    /// Those of a pair; pairs that come before it have ended.
    fn of(&mut self, colliders: [u32; 2], events: &mut ContactEvents) -> &'a [Manifold] {
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
    fn points_before(&self, pair: &[Manifold]) -> usize {
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

    fn finish(mut self, events: &mut ContactEvents) {
        while self.next < self.manifolds.len() {
            self.end(events);
        }
    }
}

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

    fn memory(&self) -> Memory {
        self.origin
            .as_ref()
            .map_or_else(Memory::default, |origin| origin.memory)
    }

    /// Takes the impulses of the same points of the frame before (T.20); `first` is the number of points before those of
    /// the pair.
    fn take_over(&mut self, before: &[Self], first: usize, poses: [Pose; 2]) {
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
        let frames = [&*old, &*self].map(|m| m.tangents(&poses[0], &poses[0].rotate(&m.normal)));
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
        self.impulses.resize(3 * self.points.len(), 0.0);
        for (point, earlier) in matches.iter().enumerate() {
            let Some(earlier) = earlier else { continue };
            let [normal, first, second] = [0, 1, 2].map(|row| stored[3 * earlier + row]);
            let [first, second] = turned([first, second]);
            self.impulses[3 * point..3 * point + 3].copy_from_slice(&[normal, first, second]);
        }
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

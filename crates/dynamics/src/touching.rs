//! Contacts that a world finds by itself: colliders near each other, and what is carried from one
//! frame to the next.
//!
//! A frame begins with the manifolds of all pairs of colliders within the margin. A point that had
//! the same feature in the frame before takes over its impulses, friction as a vector of the world
//! (T.20); points whose features are not known are matched by their place. Everything is in the
//! order of the colliders. A scheme that corrects positions looks again in every substep, since
//! what it overlooks is an overlap by the time that it sees it.

mod external;
mod find;
mod matching;
mod planes;
mod seams;
mod solved;

use delassus_collide::{Collider, Material};
use delassus_core::Softness;
use nalgebra::Vector3;

use crate::contact::{ContactPoint, Manifold};
use crate::contact_reuse::ContactVersion;
use crate::contact_settings::{ContactEvents, ContactSettings};
use crate::world::World;
use find::PreviousContacts;

pub use external::FoundContact;
pub use solved::SolvedContact;

impl World {
    /// The colliders.
    pub fn colliders(&self) -> &[Collider] {
        &self.colliders.list
    }

    /// How the world finds its contacts.
    pub fn contact_settings(&self) -> &ContactSettings {
        &self.colliders.settings
    }

    /// Pairs of colliders that came into contact or left it at the start of the last frame, or of
    /// its substeps where the scheme looks again.
    pub fn contact_events(&self) -> &ContactEvents {
        &self.colliders.events
    }

    /// How many separations along axes of boxes and hulls it has computed to find its contacts,
    /// since it was built or copied: the work of a search in a number that every machine repeats.
    pub fn axis_tests(&self) -> u64 {
        self.colliders.spare.axis_tests()
    }

    /// Runs a frame on the contacts of the present poses; the contacts are those of before if it
    /// fails.
    ///
    /// # Errors
    /// Those of the frame.
    pub fn with_contacts<T, E>(
        &mut self,
        frame: impl FnOnce(&mut Self) -> Result<T, E>,
    ) -> Result<T, E> {
        let before = self.find_contacts(0.0);
        self.on_contacts(before, frame)
    }

    /// Runs a frame on contacts that were looked for; those of `before` are taken back if it fails.
    fn on_contacts<T, E>(
        &mut self,
        before: Option<PreviousContacts>,
        frame: impl FnOnce(&mut Self) -> Result<T, E>,
    ) -> Result<T, E> {
        let outcome = frame(self);
        let Some(before) = before else {
            return outcome;
        };
        if outcome.is_ok() {
            self.forget(before);
        } else {
            self.take_back(before);
        }
        outcome
    }

    /// Keeps the memory of what was before.
    fn forget(&mut self, before: PreviousContacts) {
        if let Some(manifolds) = before.manifolds {
            self.colliders.spare.take_back(manifolds);
        }
        self.colliders.spare.kept = before.kept;
    }

    /// Puts the contacts of before in the place of those that were found.
    fn take_back(&mut self, before: PreviousContacts) {
        self.colliders.events = before.events;
        // nobody shares what the failed frame made
        self.colliders.version = ContactVersion::fresh();
        if let Some(mut manifolds) = before.manifolds {
            before.kept.take_back(&mut manifolds, &mut self.manifolds);
            self.manifolds.truncate(self.colliders.given);
            self.manifolds.extend(manifolds);
        }
    }

    /// Runs a frame that finds its contacts by itself with [`Self::look_again`]; the contacts are
    /// those of before if it fails.
    pub(crate) fn looking_again<T, E>(
        &mut self,
        frame: impl FnOnce(&mut Self) -> Result<T, E>,
    ) -> Result<T, E> {
        if self.colliders.list.is_empty() {
            return frame(self);
        }
        let given = self.colliders.given;
        let manifolds = self.colliders.copies(&self.manifolds[given..]);
        let events = std::mem::take(&mut self.colliders.events);
        let outcome = frame(self);
        if outcome.is_err() {
            self.colliders.events = events;
            self.colliders.version = ContactVersion::fresh();
            self.manifolds.truncate(given);
            self.manifolds.extend(manifolds);
        } else {
            self.colliders.spare.take_copies(manifolds);
        }
        outcome
    }

    /// Finds the contacts of the present poses in the middle of a frame, for the time `ahead`
    /// \[s\]; its events are added to those of the frame.
    pub(crate) fn look_again(&mut self, ahead: f64) {
        let Some(mut before) = self.find_contacts(ahead) else {
            return;
        };
        let events = std::mem::take(&mut before.events);
        self.forget(before);
        let now = std::mem::replace(&mut self.colliders.events, events);
        self.colliders.events.begun.extend(now.begun);
        self.colliders.events.ended.extend(now.ended);
    }

    /// True if a surface or a manifold resists rolling or spinning.
    pub fn resists_rolling(&self) -> bool {
        let resists = |m: &Material| m.rolling_friction > 0.0 || m.spinning_friction > 0.0;
        self.colliders
            .list
            .iter()
            .any(|collider| resists(&collider.material))
            || self.manifolds.iter().any(Manifold::resists_rolling)
    }

    /// The first contact that is soft by the scene, by the path of its softness; not every scheme
    /// has springs for it.
    pub fn soft_contact(&self) -> Option<String> {
        let soft = |collider: &Collider| !collider.material.softness.is_rigid();
        if let Some(index) = self.colliders.list.iter().position(soft) {
            return Some(format!("colliders[{index}].material.softness"));
        }
        let soft = |manifold: &Manifold| !manifold.softness.is_rigid();
        let index = self.manifolds.iter().position(soft)?;
        Some(format!("manifolds[{index}].softness"))
    }

    /// A collider whose surface moves against its body; not every scheme has a velocity for it.
    pub fn moving_surface(&self) -> Option<usize> {
        let moves = |collider: &Collider| collider.material.surface_velocity != Vector3::zeros();
        self.colliders.list.iter().position(moves)
    }

    /// A world with a contact of the kind that this one may find, where it may find any: what a
    /// scheme and its solver are asked about before the first contact.
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
        self.close(&mut manifold);
        manifold.restitution = together.restitution;
        let soft = list.iter().map(|collider| collider.material.softness);
        manifold.softness = soft.fold(Softness::Rigid, |all, own| {
            all.in_series(own).unwrap_or(all)
        });
        let materials = || list.iter().map(|collider| &collider.material);
        manifold.rolling_friction = materials().map(|m| m.rolling_friction).fold(0.0, f64::max);
        manifold.spinning_friction = materials().map(|m| m.spinning_friction).fold(0.0, f64::max);
        world.manifolds.push(manifold);
        Some(world)
    }

    /// Rounds off the points of A so that they reach B: an open contact may be rigid where a closed
    /// one is soft.
    fn close(&self, manifold: &mut Manifold) {
        let [a, b] = manifold.bodies.map(|index| &self.bodies[index]);
        let apart = b.position.to_vector() - a.position.to_vector();
        for point in &mut manifold.points {
            let [at_a, at_b] = point.anchors;
            let way = apart + b.orientation * at_b - a.orientation * at_a;
            let gap = manifold.normal.dot(&way);
            // beyond rounding
            let radius = 1.001 * gap + 1e-3;
            if gap > 0.0 && radius.is_finite() {
                point.radii[0] = radius;
            }
        }
    }
}

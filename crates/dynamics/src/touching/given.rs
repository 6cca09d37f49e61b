//! Contacts that somebody else has found for a world: a device.

use std::sync::Arc;

use delassus_collide::{Memory, Touching};

use super::find::{Before, Earlier};
use crate::contact_settings::ContactEvents;
use crate::error::{FieldError, SchemeError, StepError};
use crate::world::World;

/// The manifold of a pair of colliders, found for the present poses of a world.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundContact {
    /// Colliders A and B, ascending.
    pub colliders: [u32; 2],
    /// What the pair remembers for the next frame.
    pub memory: Memory,
    /// The manifold, in the axes of the colliders.
    pub touching: Touching,
}

/// The state of the contacts of a world: worlds of equal stamps have the same manifolds, with the same names of points.
#[derive(Debug, Clone)]
pub struct ContactStamp(Arc<()>);

impl PartialEq for ContactStamp {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl World {
    /// The state of the contacts.
    pub fn contact_stamp(&self) -> ContactStamp {
        ContactStamp(Arc::clone(&self.colliders.stamp))
    }

    /// Pairs of bodies that do not touch, each ascending, in ascending order: those of joints and those of the settings.
    pub fn apart(&self) -> &[[usize; 2]] {
        self.colliders.apart()
    }

    /// As [`Self::with_contacts`], on contacts that somebody else has found: at most one manifold per pair, in ascending
    /// order of the colliders. Impulses are carried as if the world had found them (T.20).
    ///
    /// # Errors
    /// Contacts that do not fit the world, or those of the frame; the contacts are then those of before.
    pub fn with_found_contacts<T>(
        &mut self,
        found: &[FoundContact],
        frame: impl FnOnce(&mut Self) -> Result<T, StepError>,
    ) -> Result<T, StepError> {
        self.check_found(found)
            .map_err(|error| StepError::Scheme(SchemeError::Field(error)))?;
        let before = (!self.colliders.list.is_empty()).then(|| self.take(found));
        self.on_contacts(before, frame)
    }

    fn check_found(&self, found: &[FoundContact]) -> Result<(), FieldError> {
        let count = self.colliders.list.len();
        for (index, contact) in found.iter().enumerate() {
            let [a, b] = contact.colliders;
            let path = format!("found[{index}].colliders");
            if a >= b || b as usize >= count {
                let expected =
                    format!("ascending colliders; the world has {count}, numbered from 0");
                return Err(FieldError::new(path, format!("{a}, {b}"), &expected));
            }
            if index > 0 && found[index - 1].colliders >= contact.colliders {
                let expected = "pairs in ascending order, each once";
                return Err(FieldError::new(path, format!("{a}, {b}"), expected));
            }
            if contact.touching.points.len() > delassus_collide::MAX_POINTS {
                let path = format!("found[{index}].touching.points");
                let expected = "four points at most";
                let points = contact.touching.points.len();
                return Err(FieldError::new(path, points, expected));
            }
        }
        Ok(())
    }

    /// Makes manifolds of what was found; gives those of before back.
    fn take(&mut self, found: &[FoundContact]) -> Before {
        let mut events = ContactEvents::default();
        self.colliders.stamp = Arc::default();
        let mut earlier = self.colliders.spare.list();
        earlier.extend(self.manifolds.drain(self.colliders.given..));
        let mut old = Earlier::new(&earlier);
        for contact in found {
            let colliders = contact.colliders;
            let [a, b] = colliders.map(|index| index as usize);
            let poses = self.pair([a, b].map(|index| self.colliders.list[index].body));
            let before = old.of(colliders, &mut events);
            if before.is_empty() {
                events.begun.push(colliders);
            }
            let relative = self.colliders.between([a, b], poses);
            let from = (contact.memory, relative);
            let mut manifold = self.colliders.manifold(colliders, &contact.touching, from);
            self.treat_surface(&mut manifold);
            manifold.take_over(before, old.points_before(before), poses);
            self.manifolds.push(manifold);
        }
        old.finish(&mut events);
        Before {
            manifolds: Some(earlier),
            events: std::mem::replace(&mut self.colliders.events, events),
        }
    }
}

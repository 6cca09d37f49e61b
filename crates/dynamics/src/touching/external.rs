//! Contacts that somebody else has found for a world: a device.

use delassus_collide::{CollisionManifold, PairCache};

use super::find::{Earlier, PreviousContacts};
use crate::body::Pose;
use crate::contact::Manifold;
use crate::contact_reuse::ContactVersion;
use crate::contact_settings::ContactEvents;
use crate::error::{FieldError, SchemeError, StepError};
use crate::world::World;

/// The manifold of a pair of colliders, found for the present poses of a world.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundContact {
    /// Colliders A and B, ascending.
    pub colliders: [u32; 2],
    /// What the pair remembers for the next frame.
    pub memory: PairCache,
    /// The manifold, in the axes of the colliders.
    pub touching: CollisionManifold,
}

pub(super) fn refused(error: FieldError) -> StepError {
    StepError::Scheme(SchemeError::Field(error))
}

impl World {
    /// The state of the contacts.
    pub fn contact_version(&self) -> ContactVersion {
        self.colliders.version
    }

    /// Pairs of bodies that do not touch, each ascending, in ascending order: those of joints and
    /// those of the settings.
    pub fn apart(&self) -> &[[usize; 2]] {
        self.colliders.apart()
    }

    /// As [`Self::with_contacts`], on contacts that somebody else has found: at most one manifold
    /// per pair, in ascending order of the colliders. Impulses are carried as if the world had
    /// found them (T.20).
    ///
    /// # Errors
    /// Contacts that do not fit the world, or those of the frame; the contacts are then those of
    /// before.
    pub fn with_found_contacts<T>(
        &mut self,
        found: &[FoundContact],
        frame: impl FnOnce(&mut Self) -> Result<T, StepError>,
    ) -> Result<T, StepError> {
        self.check_found(found.iter())?;
        let before = (!self.colliders.list.is_empty()).then(|| self.take(found));
        self.on_contacts(before, frame)
    }

    pub(super) fn check_found<'a>(
        &self,
        found: impl Iterator<Item = &'a FoundContact>,
    ) -> Result<(), StepError> {
        self.check_pairs(found).map_err(refused)
    }

    fn check_pairs<'a>(
        &self,
        found: impl Iterator<Item = &'a FoundContact>,
    ) -> Result<(), FieldError> {
        let count = self.colliders.list.len();
        let mut before = None;
        for (index, contact) in found.enumerate() {
            let [a, b] = contact.colliders;
            let path = format!("found[{index}].colliders");
            if a >= b || b as usize >= count {
                let expected =
                    format!("ascending colliders; the world has {count}, numbered from 0");
                return Err(FieldError::new(path, format!("{a}, {b}"), &expected));
            }
            if before.replace(contact.colliders) >= Some(contact.colliders) {
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
    fn take(&mut self, found: &[FoundContact]) -> PreviousContacts {
        self.make(found.iter(), |manifold, before, first, _| {
            manifold.take_over(before, first);
        })
    }

    /// Makes manifolds; `finish` sees those of the pair in the frame before, how many points are
    /// before theirs, and the poses.
    pub(super) fn make<'a>(
        &mut self,
        found: impl Iterator<Item = &'a FoundContact>,
        mut finish: impl FnMut(&mut Manifold, &[Manifold], usize, [Pose; 2]),
    ) -> PreviousContacts {
        let mut events = ContactEvents::default();
        self.colliders.version = ContactVersion::fresh();
        let earlier = self.take_found();
        let mut old = Earlier::default();
        for contact in found {
            let colliders = contact.colliders;
            let [a, b] = colliders.map(|index| index as usize);
            let poses = self.pair([a, b].map(|index| self.colliders.list[index].body));
            let before = &earlier[old.of(&earlier, colliders, &mut events)];
            if before.is_empty() {
                events.begun.push(colliders);
            }
            let relative = self.colliders.between([a, b], poses);
            let (touching, memory) = (&contact.touching, contact.memory);
            let mut manifold = self
                .colliders
                .manifold(colliders, touching, memory, relative);
            self.treat_surface(&mut manifold);
            finish(&mut manifold, before, old.first_point, poses);
            self.manifolds.push(manifold);
        }
        old.finish(&earlier, &mut events);
        PreviousContacts {
            manifolds: Some(earlier),
            kept: self.colliders.spare.kept(),
            events: std::mem::replace(&mut self.colliders.events, events),
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::body::Body;
    use crate::world::WorldParts;
    use delassus_collide::{Collider, Cuboid, Inertia, Touch};
    use nalgebra::{Point3, UnitQuaternion, Vector3};

    /// Three boxes on each other, the colliders shifted and turned against their bodies.
    pub(in crate::touching) fn stack() -> World {
        let mut parts = WorldParts::default();
        let ground = parts.body(Body::fixed(Vector3::zeros()));
        parts.collider(Collider::new(ground, Cuboid::new(5.0, 0.5, 5.0)));
        let turned = UnitQuaternion::from_euler_angles(0.0, 0.3, 0.0);
        for level in 0..3 {
            let inertia = Inertia::new(1.0, Vector3::repeat(0.2));
            let height = 1.0 + 0.999 * f64::from(level);
            let body = parts.body(Body::dynamic(inertia, Vector3::new(0.1, height, 0.0)));
            let beside = Vector3::new(0.05, 0.0, -0.1);
            let collider = Collider::new(body, Cuboid::cube(0.5));
            parts.collider(collider.at(beside).turned(turned));
        }
        parts.build().expect("a world")
    }

    /// What a world found by itself, as if somebody else had.
    pub(in crate::touching) fn found(world: &World) -> Vec<FoundContact> {
        let of = |manifold: &Manifold| {
            let colliders = manifold.colliders().expect("found");
            let placements = colliders.map(|c| world.colliders()[c as usize].placement());
            let points = manifold.points.iter().zip(manifold.features());
            let touch = |(point, feature): (&crate::ContactPoint, &u64)| Touch {
                points: [0, 1].map(|side| {
                    let anchor = Point3::from(point.anchors[side]);
                    placements[side].inverse_transform_point(&anchor).coords
                }),
                radii: point.radii,
                separation: 0.0,
                feature: *feature,
            };
            FoundContact {
                colliders,
                memory: manifold.memory(),
                touching: CollisionManifold {
                    normal: placements[0].rotation.inverse() * manifold.normal,
                    points: points.map(touch).collect(),
                    parts: [0; 2],
                },
            }
        };
        world.manifolds().iter().map(of).collect()
    }

    /// Stands for a frame: every row gets an impulse of its own.
    fn push(world: &mut World) -> Result<(), StepError> {
        for (index, manifold) in world.manifolds.iter_mut().enumerate() {
            let rows = 3 * manifold.points.len();
            manifold.impulses = (0..rows).map(|row| (10 * index + row) as f64).collect();
        }
        Ok(())
    }

    #[test]
    fn contacts_of_somebody_else_are_taken_as_those_of_the_world() {
        let (mut own, mut other) = (stack(), stack());
        for frame in 0..3 {
            own.bodies[3].position += Vector3::new(0.01, 0.0, 0.0);
            other.bodies[3].position += Vector3::new(0.01, 0.0, 0.0);
            let looked: Result<(), StepError> = own.with_contacts(|_| Ok(()));
            looked.expect("no frame");
            let contacts = found(&own);
            assert_eq!(contacts.len(), 3, "frame {frame}");
            other
                .with_found_contacts(&contacts, |_| Ok(()))
                .expect("they fit");
            assert_eq!(own.manifolds.len(), other.manifolds.len());
            assert_eq!(own.contact_events(), other.contact_events());
            for (own, other) in own.manifolds.iter().zip(&other.manifolds) {
                assert_eq!(own.features(), other.features());
                assert_eq!(own.impulses.len(), other.impulses.len());
                for (a, b) in own.impulses.iter().zip(&other.impulses) {
                    assert!((a - b).abs() < 1e-12, "frame {frame}: {a} {b}");
                }
                let apart = (own.normal - other.normal).norm();
                assert!(apart < 1e-14, "frame {frame}: {apart}");
            }
            // impulses were carried from the second frame on
            let carried = own.manifolds[0].impulses.iter().any(|x| *x != 0.0);
            assert_eq!(carried, frame > 0);
            push(&mut own).expect("it pushes");
            push(&mut other).expect("it pushes");
        }
    }

    #[test]
    fn what_does_not_fit_is_refused_and_nothing_changes() {
        let mut world = stack();
        let looked: Result<(), StepError> = world.with_contacts(|_| Ok(()));
        looked.expect("no frame");
        let good = found(&world);
        let mut reversed = good.clone();
        reversed.reverse();
        let mut strange = good.clone();
        strange[2].colliders = [2, 9];
        let mut twisted = good.clone();
        twisted[0].colliders = [1, 0];
        let mut twice = good.clone();
        twice[1] = twice[0].clone();
        let before = world.clone();
        for bad in [reversed, strange, twisted, twice] {
            let refused = world.with_found_contacts(&bad, |_| Ok(()));
            let field = matches!(refused, Err(StepError::Scheme(SchemeError::Field(_))));
            assert!(field, "{refused:?}");
            assert_eq!(world, before);
            assert!(world.contact_version() == before.contact_version());
        }
        let failed: Result<(), _> =
            world.with_found_contacts(&good[..1], |_| Err(StepError::TimeStep { dt: 0.0 }));
        assert!(failed.is_err());
        assert_eq!(world, before);
        assert!(world.contact_version() != before.contact_version());
    }
}

//! Contacts that somebody else has found and solved for a world: a device that keeps them.

use delassus_core::{ContactLaw, SolveError};
use nalgebra::Vector3;

use super::external::{FoundContact, refused};
use crate::error::{FieldError, StepError};
use crate::world::World;

/// A contact of a frame that somebody else has found and solved, and whose friction is along known
/// axes.
#[derive(Debug, Clone, PartialEq)]
pub struct SolvedContact {
    /// The manifold at the start of the frame.
    pub found: FoundContact,
    /// The first tangent, in the axes of the body of A.
    pub tangent: Vector3<f64>,
    /// Per point: which point of the pair's manifold of the frame before it goes on from.
    pub previous: Vec<Option<usize>>,
    /// Per point: normal and tangential impulses of the last substep, along axes of the start of
    /// the frame \[N·s\].
    pub impulses: Vec<[f64; 3]>,
}

impl SolvedContact {
    fn check(&self) -> Result<(), FieldError> {
        let points = self.found.touching.points.len();
        let lists = [
            ("previous", self.previous.len()),
            ("impulses", self.impulses.len()),
        ];
        for (list, length) in lists {
            if length != points {
                return Err(FieldError::new(list, length, "one per point"));
            }
        }
        let far = |at: &usize| *at >= delassus_collide::MAX_POINTS;
        if let Some(at) = self.previous.iter().flatten().find(|at| far(at)) {
            let expected = "a point of the pair's manifold of before, at most four";
            return Err(FieldError::new("previous", at, expected));
        }
        FieldError::unit_vector("tangent", &self.tangent)?;
        FieldError::unit_vector("touching.normal", &self.found.touching.normal)?;
        for (point, touch) in self.found.touching.points.iter().enumerate() {
            let finite = FieldError::finite_vector("points[0]", &touch.points[0])
                .and_then(|()| FieldError::finite_vector("points[1]", &touch.points[1]));
            finite.map_err(|error| error.within(&format!("touching.points[{point}]")))?;
        }
        Ok(())
    }
}

impl World {
    /// Takes the contacts of a frame that somebody else has made at the present poses, in the place
    /// of those of the frame before.
    pub(crate) fn take_solved(&mut self, solved: &[SolvedContact]) {
        let found = solved.iter().map(|contact| &contact.found);
        let mut contacts = solved.iter();
        let before = self.make(found, |manifold, before, first, poses| {
            if let Some(contact) = contacts.next() {
                let first = (!before.is_empty()).then_some(first);
                manifold.take_solution(contact, first, &poses);
            }
        });
        self.forget(before);
    }

    /// Refuses contacts that do not fit the world, and laws that do not have three rows per point.
    pub(crate) fn check_solved(&self, solved: &[SolvedContact]) -> Result<(), StepError> {
        let law = self.contact_settings().law;
        if law == ContactLaw::Patch || self.resists_rolling() {
            let expected = "a law of three rows per point, without rolling";
            return Err(refused(FieldError::new("law", law, expected)));
        }
        self.check_found(solved.iter().map(|contact| &contact.found))?;
        for (index, contact) in solved.iter().enumerate() {
            let checked = contact.check();
            checked.map_err(|error| refused(error.within(&format!("solved[{index}]"))))?;
        }
        let mut impulses = solved.iter().flat_map(|s| s.impulses.as_flattened());
        match impulses.position(|x| !x.is_finite()) {
            Some(row) => Err(SolveError::NonFinite { row }.into()),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::external::tests::{found, stack};
    use super::*;
    use crate::frame::BodyUpdate;
    use nalgebra::UnitQuaternion;

    /// The contacts of a stack as somebody else may have solved them, and where its bodies are
    /// then.
    fn solved(world: &World) -> (Vec<SolvedContact>, Vec<BodyUpdate>) {
        let solved = found(world).into_iter().map(|found| {
            let points = found.touching.points.len();
            SolvedContact {
                tangent: Vector3::x(),
                previous: (0..points).map(Some).collect(),
                impulses: vec![[0.5, 0.1, -0.2]; points],
                found,
            }
        });
        let update = BodyUpdate {
            displacement: Vector3::new(0.0, -0.001, 0.0),
            turn: UnitQuaternion::identity(),
            velocity: Vector3::zeros(),
            spin: Vector3::zeros(),
        };
        (solved.collect(), vec![update; world.bodies().len()])
    }

    #[test]
    fn solved_contacts_take_the_place_of_those_of_before() {
        let mut world = stack();
        let looked: Result<(), StepError> = world.with_contacts(|_| Ok(()));
        looked.expect("no frame");
        let (contacts, updates) = solved(&world);
        let (before, version) = (world.clone(), world.contact_version());
        world
            .write_solved(&updates, &contacts, None, 0.01, 1)
            .expect("they fit");
        assert!(world.contact_version() != version);
        assert_eq!(world.impulse_step(), 0.01);
        for (own, old) in world.manifolds().iter().zip(before.manifolds()) {
            assert_eq!(own.features(), old.features());
            assert_eq!(&own.impulses()[..3], [0.5, 0.1, -0.2]);
        }
        let fallen = before.bodies[3].position - world.bodies[3].position;
        assert!((fallen.y - 0.001).abs() < 1e-12);
        assert!(world.contact_events().begun.is_empty());
        world
            .write_solved(&updates, &[], Some(&[]), 0.01, 1)
            .expect("none");
        assert!(world.manifolds().is_empty());
        assert_eq!(world.contact_events().ended.len(), 3);
    }

    #[test]
    fn solved_contacts_that_do_not_fit_are_refused_and_nothing_changes() {
        let mut world = stack();
        let looked: Result<(), StepError> = world.with_contacts(|_| Ok(()));
        looked.expect("no frame");
        let (good, updates) = solved(&world);
        type Break = fn(&mut SolvedContact);
        let breaks: [(&str, Break); 6] = [
            ("impulses", |s| s.impulses.truncate(1)),
            ("previous", |s| s.previous[0] = Some(usize::MAX)),
            ("tangent", |s| s.tangent = Vector3::repeat(f64::INFINITY)),
            ("touching.normal", |s| s.found.touching.normal *= 2.0),
            ("points[1]", |s| {
                s.found.touching.points[0].points[1].y = f64::NAN;
            }),
            ("finite", |s| s.impulses[1][2] = f64::NAN),
        ];
        let before = world.clone();
        for (name, damage) in breaks {
            let mut bad = good.clone();
            damage(&mut bad[1]);
            let refused = world.write_solved(&updates, &bad, None, 0.01, 1);
            let text = refused.expect_err(name).to_string();
            assert!(text.contains(name), "{name}: {text}");
            assert_eq!(world, before);
        }
        let mut parts = stack().into_parts();
        parts.contacts.law = ContactLaw::Patch;
        let mut patches = parts.build().expect("a world");
        assert!(
            patches
                .write_solved(&updates, &good, None, 0.01, 1)
                .is_err()
        );
    }
}

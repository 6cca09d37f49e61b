//! The impulses that a manifold stores from one step to the next: along which axes they are, and
//! along others (T.20).
//!
//! Normal impulses and the twist stay numbers. Friction is a vector of the world: whatever becomes
//! of the tangents in between, a row gets the share of that vector along its own tangent.

use delassus_core::ContactLaw;
use nalgebra::Vector3;

use crate::contact::Manifold;

impl Manifold {
    /// Impulses of the last substep, in the order of the rows: point by point normal and tangents;
    /// a patch has its normals first, then two tangents and the twist. Where rolling is resisted,
    /// two rolling rows and the twist of every point follow \[N·s | N·m·s\].
    pub fn impulses(&self) -> &[f64] {
        &self.impulses
    }

    /// The tangents that the friction and the rolling of [`Self::impulses`] are along, in world
    /// axes; zero before the first step.
    pub fn impulse_tangents(&self) -> [Vector3<f64>; 2] {
        self.impulse_tangents
    }

    /// The stored impulse of a row, with friction and rolling resolved along `tangents` of the
    /// world (T.20); zero where none is stored \[N·s | N·m·s\].
    pub(crate) fn impulse_along(&self, row: usize, tangents: &[Vector3<f64>; 2]) -> f64 {
        let stored = |row: usize| self.impulses.get(row).copied().unwrap_or(0.0);
        match self.tangential(row) {
            Some((first, side)) if self.impulse_tangents != *tangents => {
                let [t, s] = self.impulse_tangents;
                let vector = stored(first) * t + stored(first + 1) * s;
                vector.dot(&tangents[side])
            }
            _ => stored(row),
        }
    }

    /// The first row of the pair of tangential ones that a row belongs to, and which of both it is;
    /// `None` for normals and twists.
    fn tangential(&self, row: usize) -> Option<(usize, usize)> {
        let points = self.points.len();
        let (first, side) = if self.law == ContactLaw::Patch {
            (points, row.checked_sub(points)?)
        } else if row < 3 * points {
            (row - row % 3 + 1, (row % 3).checked_sub(1)?)
        } else {
            (row - row % 3, row % 3)
        };
        (side < 2).then_some((first, side))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assembly::Assembly;
    use crate::body::Body;
    use crate::contact::ContactPoint;
    use crate::world::WorldParts;
    use crate::{Inertia, rotation};

    /// A manifold with `points` points and the impulses 1, 2, 3 and so on along `tangents`.
    fn stored(law: ContactLaw, rows: usize, tangents: [Vector3<f64>; 2]) -> Manifold {
        let point = ContactPoint {
            anchors: [Vector3::zeros(); 2],
            radii: [0.0; 2],
        };
        let mut manifold = Manifold::new([0, 1], Vector3::z(), vec![point; 2], 0.5, law);
        manifold.impulses = (1..=rows).map(|row| row as f64).collect();
        manifold.impulse_tangents = tangents;
        manifold
    }

    #[test]
    fn friction_and_rolling_keep_their_vector_along_other_tangents() {
        let tangents = [Vector3::x(), Vector3::y()];
        // turned by 90° about the normal: what was along x is along the second one
        let turned = [-Vector3::y(), Vector3::x()];
        let rolling = stored(ContactLaw::Disc, 12, tangents);
        let rows = |manifold: &Manifold, count, along| -> Vec<f64> {
            let row = |row| manifold.impulse_along(row, along);
            (0..count).map(row).collect()
        };
        let expected = [
            1.0, -3.0, 2.0, 4.0, -6.0, 5.0, -8.0, 7.0, 9.0, -11.0, 10.0, 12.0,
        ];
        assert_eq!(rows(&rolling, 12, &turned), expected);
        assert_eq!(rows(&rolling, 12, &tangents), rolling.impulses);
        let patch = stored(ContactLaw::Patch, 5, tangents);
        assert_eq!(rows(&patch, 5, &turned), [1.0, 2.0, -4.0, 3.0, 5.0]);
        let bare = stored(ContactLaw::Disc, 0, tangents);
        assert_eq!(rows(&bare, 6, &turned), [0.0; 6]);
    }

    /// A body on another one, both of which may turn.
    fn pair(tangent: Option<Vector3<f64>>) -> WorldParts {
        let mut parts = WorldParts::default();
        for height in [0.0, 1.0] {
            let inertia = Inertia::new(1.0, Vector3::new(0.2, 0.3, 0.4));
            parts.body(Body::dynamic(inertia, height * Vector3::y()));
        }
        let point = |x: f64| ContactPoint {
            anchors: [Vector3::new(x, 0.5, 0.0), Vector3::new(x, -0.5, 0.0)],
            radii: [0.0; 2],
        };
        let points = vec![point(0.3), point(-0.3)];
        let mut manifold = Manifold::new([0, 1], Vector3::y(), points, 0.5, ContactLaw::Disc);
        manifold.tangent = tangent;
        parts.manifolds.push(manifold);
        parts
    }

    #[test]
    fn friction_of_given_manifolds_keeps_its_direction_however_the_bodies_turn() {
        for turn in [[0.0, 0.8, 0.0], [1e-9, 0.0, -1e-9], [0.3, -1.7, 0.2]] {
            let mut world = pair(None).build().expect("a valid world");
            let before = world.manifolds[0].frame(world.pair([0, 1]));
            world.manifolds[0].impulses = vec![1.0, 0.3, -0.2, 2.0, 0.1, 0.4];
            world.manifolds[0].impulse_tangents = before.tangents;
            world.bodies[0].orientation = rotation::exp(&Vector3::from(turn));
            let rows = Assembly::new(&world, &[0.0; 12], 0.01, Default::default(), None);
            let rows = rows.expect("rows");
            let mut loaded = Vec::new();
            rows.load_impulses(&world, &mut loaded);
            let now = world.manifolds[0].frame(world.pair([0, 1]));
            let of = |impulses: &[f64], tangents: &[Vector3<f64>; 2]| {
                impulses[1] * tangents[0] + impulses[2] * tangents[1]
            };
            for point in 0..2 {
                let stored = &world.manifolds[0].impulses[3 * point..];
                assert_eq!(loaded[3 * point], stored[0]);
                // what is left is along the plane of now
                let vector = of(stored, &before.tangents);
                let across = vector - vector.dot(&now.normal) * now.normal;
                let found = of(&loaded[3 * point..], &now.tangents);
                assert!(
                    (found - across).norm() < 1e-15,
                    "{turn:?}: {found} {across}"
                );
            }
            rows.store_impulses(&mut world, &loaded, 0.01);
            assert_eq!(world.manifolds[0].impulse_tangents, now.tangents);
        }
    }

    #[test]
    fn a_given_tangent_is_that_of_the_rows_and_lies_across_the_normal() {
        let tangent = Vector3::new(0.8, 1e-8, 0.6);
        let world = pair(Some(tangent)).build().expect("right but for rounding");
        let [first, second] = world.manifolds[0].frame(world.pair([0, 1])).tangents;
        assert!(
            (first - Vector3::new(0.8, 0.0, 0.6)).norm() < 1e-15,
            "{first}"
        );
        assert!(
            (second - Vector3::new(0.6, 0.0, -0.8)).norm() < 1e-15,
            "{second}"
        );
        for bad in [
            Vector3::new(0.8, 0.0, 0.5),
            Vector3::new(0.8, 0.6, 0.0),
            Vector3::new(f64::NAN, 0.0, 1.0),
        ] {
            let refused = pair(Some(bad)).build().expect_err("no tangent").to_string();
            assert!(refused.contains("manifolds[0].tangent"), "{refused}");
        }
    }
}

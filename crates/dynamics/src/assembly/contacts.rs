//! The normal rows of all contact points, laid out for a separation per substep.
//!
//! With n_a the normal in the axes of A and p the anchor of B, a separation is n · (c_B − c_A) +
//! (R_Bᵀ n) · p + (−r_A − r_B − n_a · q), q being the anchor of A: the last term, which also has
//! the radii, never changes, the others take two rotations and three products per manifold and one
//! product per point. On a rim p is the centre of its circle, and the radius times the sine of the
//! angle between axis and normal is taken off (T.54). It is the height that [`Manifold::frame`]
//! computes, up to rounding in another order.

use delassus_core::Softness;

use super::manifold::ManifoldRows;
use crate::contact::{ContactFrame, Manifold};
use crate::rim::Rim;
use crate::world::World;
use nalgebra::Vector3;

/// The normal rows, manifold by manifold, in the order of the rows.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct ContactRows {
    manifolds: Vec<Touching>,
    /// Per point: its row.
    pub(crate) rows: Vec<usize>,
    /// Per point: how far apart the bodies are \[m\].
    pub(crate) separations: Vec<f64>,
    /// Per point: anchor of B, in its axes, and the radius of its circle, of which it is the centre
    /// \[m\].
    anchors: Vec<Vector3<f64>>,
    rims: Vec<f64>,
    /// Per point: what of the separation does not change \[m\].
    heights: Vec<f64>,
    /// Per point: how far the anchor of B is from where the impulse acts, along the normal \[m\].
    pub(crate) lifts: Vec<f64>,
    /// Per point: true if one of the bodies is static for the scheme.
    pub(crate) fixed: Vec<bool>,
}

/// The manifold of consecutive points.
#[derive(Debug, Clone, PartialEq)]
struct Touching {
    manifold: usize,
    /// With the plane, which is A unless A is round on a flat B, and with the points.
    bodies: [usize; 2],
    /// Out of the plane, in the axes of its body.
    normal: Vector3<f64>,
    /// First tangent of the manifold, in the axes of its first body, and true if it was given.
    first_tangent: Vector3<f64>,
    has_tangent: bool,
    rim: Option<Rim>,
    /// True if B carries the plane or points move along their body.
    rolls: bool,
    /// Of its rows, in world axes.
    tangents: [Vector3<f64>; 2],
    /// One past its last point.
    end: usize,
}

/// True if the first tangent does not follow from the normal alone.
fn has_tangent(manifold: &Manifold) -> bool {
    manifold.tangent.is_some() || manifold.flat.is_some()
}

/// What a point keeps in addition to its separation.
struct PointNumbers {
    anchor: Vector3<f64>,
    rim: f64,
    height: f64,
    lift: f64,
}

impl PointNumbers {
    fn of(manifold: &Manifold, point: usize, separation: f64, share: f64) -> Self {
        let [plane, round] = manifold.sides();
        let anchors = manifold.points[point].anchors;
        let (a, anchor) = (anchors[plane], anchors[round]);
        let [r_a, r_b] = manifold.points[point].radii;
        let (anchor, rim) = match &manifold.rim {
            Some(rim) => rim.circle(point, &anchor),
            None => (anchor, 0.0),
        };
        Self {
            anchor,
            rim,
            height: -(r_a + r_b) - manifold.outward().dot(&a),
            lift: r_b + share * separation,
        }
    }
}

/// Numbers of the biased pass for one closed contact (S.3, S.4).
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ContactSpring {
    /// \[1/s\].
    pub(crate) bias_rate: f64,
    /// \[1/kg\].
    pub(crate) compliance: f64,
    /// Largest bias velocity \[m/s\].
    pub(crate) push_limit: f64,
}

impl ContactRows {
    /// Makes room for `points` more \[-\].
    pub(super) fn reserve(&mut self, points: usize) {
        self.rows.reserve(points);
        self.separations.reserve(points);
        self.anchors.reserve(points);
        self.rims.reserve(points);
        self.heights.reserve(points);
        self.lifts.reserve(points);
        self.fixed.reserve(points);
    }

    /// Takes all points out; the memory stays.
    pub(super) fn clear(&mut self) {
        self.manifolds.clear();
        self.rows.clear();
        self.separations.clear();
        self.anchors.clear();
        self.rims.clear();
        self.heights.clear();
        self.lifts.clear();
        self.fixed.clear();
    }

    /// Adds the normal row of a point; manifolds come one after the other.
    pub(super) fn push(&mut self, row: usize, part: &ManifoldRows<'_>, point: usize, fixed: bool) {
        let ManifoldRows {
            index,
            manifold,
            frame,
            ..
        } = *part;
        let separation = part.separations[point];
        self.rows.push(row);
        self.separations.push(separation);
        let numbers = PointNumbers::of(manifold, point, separation, frame.share);
        self.anchors.push(numbers.anchor);
        self.rims.push(numbers.rim);
        self.heights.push(numbers.height);
        self.lifts.push(numbers.lift);
        self.fixed.push(fixed);
        let end = self.rows.len();
        match self.manifolds.last_mut() {
            Some(last) if last.manifold == index => last.end = end,
            _ => self.manifolds.push(Touching {
                manifold: index,
                bodies: manifold.sides().map(|side| manifold.bodies[side]),
                normal: manifold.outward(),
                first_tangent: manifold.first_tangent(),
                has_tangent: has_tangent(manifold),
                rolls: manifold.flat.is_some() || manifold.rim.is_some(),
                rim: manifold.rim,
                tangents: frame.tangents,
                end,
            }),
        }
    }

    /// Number of manifolds \[-\].
    pub(super) fn manifolds(&self) -> usize {
        self.manifolds.len()
    }

    /// The tangents of the rows of a manifold, in world axes; `None` if it has no rows.
    pub(super) fn tangents(&self, manifold: usize) -> Option<&[Vector3<f64>; 2]> {
        let touching = &self.manifolds;
        let found = touching.binary_search_by_key(&manifold, |touching| touching.manifold);
        Some(&touching[found.ok()?].tangents)
    }

    /// The first tangent of the manifold in place `place`, which it had before if it has the normal
    /// that it had: then nothing is computed.
    #[inline]
    pub(super) fn first_tangent(&self, place: usize, manifold: &Manifold) -> Vector3<f64> {
        let same = |touching: &&Touching| {
            !has_tangent(manifold) && !touching.has_tangent && touching.normal == manifold.normal
        };
        match self.manifolds.get(place).filter(same) {
            Some(touching) => touching.first_tangent,
            None => manifold.first_tangent(),
        }
    }

    /// Notes along which tangents the impulses are that the world stores.
    pub(super) fn store_tangents(&self, world: &mut World) {
        for touching in &self.manifolds {
            world.manifolds[touching.manifold].impulse_tangents = touching.tangents;
        }
    }

    /// Gives the manifold in place `place`, whose points begin with `first`, the numbers of another
    /// instant; false if other points than `near` of it, or another manifold, are there.
    pub(super) fn renew(
        &mut self,
        [place, first]: [usize; 2],
        index: usize,
        manifold: &Manifold,
        near: &[usize],
        now: &ContactFrame,
        fixed: bool,
    ) -> bool {
        let Some(touching) = self.manifolds.get_mut(place) else {
            return false;
        };
        let end = first + near.len();
        let same = (touching.manifold, touching.bodies, touching.end)
            == (
                index,
                manifold.sides().map(|side| manifold.bodies[side]),
                end,
            )
            && self.fixed[first] == fixed;
        if !same {
            return false;
        }
        touching.first_tangent = now.first_tangent;
        touching.has_tangent = has_tangent(manifold);
        (touching.normal, touching.rim) = (manifold.outward(), manifold.rim);
        touching.rolls = manifold.flat.is_some() || manifold.rim.is_some();
        touching.tangents = now.tangents;
        for (at, point) in (first..end).zip(near) {
            let separation = now.separations[*point];
            let numbers = PointNumbers::of(manifold, *point, separation, now.share);
            self.separations[at] = separation;
            self.anchors[at] = numbers.anchor;
            self.rims[at] = numbers.rim;
            self.heights[at] = numbers.height;
            self.lifts[at] = numbers.lift;
        }
        true
    }

    /// The bodies of every manifold.
    pub(crate) fn bodies(&self) -> impl Iterator<Item = usize> {
        self.manifolds.iter().flat_map(|touching| touching.bodies)
    }

    /// True if a separation does not follow from (T.33): points move along their bodies as these
    /// turn, or B carries a plane.
    pub(crate) fn roll(&self) -> bool {
        self.manifolds.iter().any(|touching| touching.rolls)
    }

    /// Brings the separations to the present poses.
    pub(crate) fn update(&mut self, world: &World) {
        let mut first = 0;
        for touching in &self.manifolds {
            let [a, b] = touching.bodies.map(|body| &world.bodies[body]);
            let normal = a.orientation * touching.normal;
            let local = b.orientation.inverse_transform_vector(&normal);
            let between = (b.position - a.position).dot(&normal);
            let points = first..touching.end;
            let anchors = self.anchors[points.clone()].iter();
            let constants = anchors.zip(&self.heights[points.clone()]);
            let separations = &mut self.separations[points.clone()];
            for (separation, (anchor, height)) in separations.iter_mut().zip(constants) {
                *separation = between + (local.dot(anchor) + height);
            }
            if let Some(rim) = &touching.rim {
                let (_, sine) = rim.down(&local);
                for (separation, radius) in separations.iter_mut().zip(&self.rims[points]) {
                    *separation -= radius * sine;
                }
            }
            first = touching.end;
        }
    }

    /// The springs of all closed contacts in the biased pass: one with a static body, one without.
    pub(crate) fn springs(
        &self,
        [free, fixed]: [Softness; 2],
        diagonal: &[f64],
        h: f64,
        out: &mut Vec<ContactSpring>,
    ) {
        out.clear();
        out.extend(self.rows.iter().zip(&self.fixed).map(|(row, is_fixed)| {
            let softness = if *is_fixed { fixed } else { free };
            let soft = softness.row(diagonal[*row], h);
            soft.map_or_else(ContactSpring::default, |soft| ContactSpring {
                bias_rate: soft.bias_rate,
                compliance: soft.compliance,
                push_limit: f64::INFINITY,
            })
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Inertia;
    use crate::body::Body;
    use crate::contact::ContactPoint;
    use crate::rotation;
    use crate::world::WorldParts;
    use delassus_core::ContactLaw;

    #[test]
    fn separations_are_those_of_the_manifold_wherever_the_bodies_have_gone() {
        let mut parts = WorldParts::default();
        let far = Vector3::new(1e6, -3e5, 2e6);
        for offset in [Vector3::zeros(), Vector3::new(0.2, 1.1, -0.3)] {
            let inertia = Inertia::new(1.0, Vector3::repeat(0.2));
            parts.body(Body::dynamic(inertia, far + offset));
        }
        let point = |x: f64, radii| ContactPoint {
            anchors: [Vector3::new(x, 0.5, 0.1), Vector3::new(x, -0.5, -0.2)],
            radii,
        };
        let points = vec![
            point(0.5, [0.0; 2]),
            point(-0.5, [0.07, 0.0]),
            point(0.1, [0.1, 0.2]),
        ];
        let law = ContactLaw::Disc;
        parts
            .manifolds
            .push(Manifold::new([0, 1], Vector3::y(), points, 0.5, law));
        let mut world = parts.build().expect("a valid world");
        let axis = [Vector3::x(), Vector3::new(0.2, 0.1, -0.2)];
        let lowest = world.manifolds[0].points.iter().map(|p| p.anchors[1]);
        let rim = Rim::of(axis, &Vector3::y(), lowest);
        assert!(rim.is_some());
        for rim in [None, rim] {
            world.manifolds[0].rim = rim;
            follow(&mut world);
        }
    }

    fn follow(world: &mut World) {
        let mut rows = ContactRows::default();
        let start = ContactFrame::default();
        let part = ManifoldRows {
            index: 0,
            manifold: &world.manifolds[0],
            frame: &start,
            separations: &[0.0; 3],
            fixed: false,
        };
        for point in 0..3 {
            rows.push(3 * point, &part, point, false);
        }
        for step in 0..20 {
            let turn = 0.1 * f64::from(step) * Vector3::new(0.3, -1.0, 0.7);
            world.bodies[0].orientation = rotation::exp(&turn);
            world.bodies[1].orientation = rotation::exp(&(-0.4 * turn));
            world.bodies[1].position += Vector3::new(0.01, 0.02, -0.03);
            rows.update(world);
            let frame = world.manifolds[0].frame(world.pair([0, 1]));
            for (found, expected) in rows.separations.iter().zip(&frame.separations) {
                // sums of a handful of lengths around a metre
                assert!((found - expected).abs() < 4e-15, "{found} {expected}");
            }
        }
    }
}

//! The colliders of a world, ready to be asked.

mod apart;
mod edit;
mod spare;

use delassus_collide::{Collider, CollisionManifold, ContactQuery, Geometry, PairCache};
use nalgebra::{Isometry3, Vector3};

use crate::body::{Body, Pose};
use crate::contact::{ContactPoint, Manifold};
use crate::contact_reuse::ContactVersion;
use crate::contact_settings::{ContactEvents, ContactSettings, TangentMode};
use crate::error::FieldError;
use crate::neighbours::{compound, neighbours};
use crate::origin::Origin;
use crate::rim::Rim;
use spare::Spare;

/// The colliders of a world, ready to be asked.
#[derive(Debug, Clone, Default)]
pub(crate) struct Colliders {
    pub(crate) list: Vec<Collider>,
    pub(crate) settings: ContactSettings,
    /// Per collider.
    pub(crate) geometries: Vec<Geometry>,
    /// Per collider: its pose in the axes of the body.
    pub(crate) placements: Vec<Isometry3<f64>>,
    /// Per collider: true if that is the pose of the body itself.
    centred: Vec<bool>,
    /// Per collider: the largest distance of a point from the middle \[m\].
    pub(crate) extents: Vec<f64>,
    /// Per collider: others of its body that it may have a seam with.
    pub(crate) neighbours: Vec<Vec<u32>>,
    /// Per collider: true if its body has several.
    pub(crate) compound: Vec<bool>,
    /// Pairs of bodies that do not touch, in ascending order.
    apart: Vec<[usize; 2]>,
    /// True if no surface has friction that follows the motion.
    plain: bool,
    /// Manifolds of the world that were given to it; those found come after.
    pub(crate) given: usize,
    pub(crate) events: ContactEvents,
    /// Another one whenever manifolds were made anew: worlds that share it have the same points.
    pub(crate) version: ContactVersion,
    pub(crate) spare: Spare,
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
        let apart = apart::pairs_apart(&settings, joined.filter(|_| !list.is_empty()));
        let geometries = geometries?;
        let placements: Vec<_> = list.iter().map(Collider::placement).collect();
        Ok(Self {
            neighbours: neighbours(&list, &geometries, &placements),
            compound: compound(&list),
            extents: geometries.iter().map(Geometry::extent).collect(),
            geometries,
            placements,
            centred: list
                .iter()
                .map(|collider| collider.placement() == Isometry3::identity())
                .collect(),
            plain: list.iter().all(|collider| collider.material.is_plain()),
            list,
            settings,
            apart,
            given,
            events: ContactEvents::default(),
            version: ContactVersion::fresh(),
            spare: Spare::default(),
        })
    }

    /// Pairs of colliders within the margin that may touch, in ascending order. The margin of what
    /// gets further within `ahead` \[s\], until the next look, is its way (X.13).
    pub(crate) fn near(
        &mut self,
        bodies: &[Body],
        gravity: &Vector3<f64>,
        ahead: f64,
    ) -> Vec<[u32; 2]> {
        let margin = 0.5 * self.settings.margin;
        let mut ways = std::mem::take(&mut self.spare.ways);
        ways.clear();
        ways.extend(self.list.iter().enumerate().map(|(index, collider)| {
            let body = &bodies[collider.body];
            let gained = match body.is_dynamic() {
                true => ahead * body.acceleration(gravity).norm(),
                false => 0.0,
            };
            ahead * (self.speed(index, body) + gained)
        }));
        let bound = |(((collider, geometry), placement), way): (
            ((&Collider, &Geometry), &Isometry3<f64>),
            &f64,
        )| {
            let margin = margin.max(*way);
            let pose = bodies[collider.body].pose();
            let at = Isometry3::from_parts(pose.position.to_vector().into(), pose.orientation);
            geometry.bounds(&(at * placement), margin)
        };
        let all = self.list.iter().zip(&self.geometries).zip(&self.placements);
        let all = all.zip(&ways);
        let Spare {
            bounds,
            pairs,
            broad,
            ..
        } = &mut self.spare;
        bounds.clear();
        bounds.extend(all.map(bound));
        let may = |a: u32, b: u32| {
            let [a, b] = [a, b].map(|index| &self.list[index as usize]);
            let pair = [a.body.min(b.body), a.body.max(b.body)];
            let moves = bodies[a.body].is_dynamic() || bodies[b.body].is_dynamic();
            moves
                && a.body != b.body
                && a.filter.allows(&b.filter)
                && self.apart.binary_search(&pair).is_err()
        };
        broad.pairs(bounds, may, pairs);
        self.spare.ways = ways;
        std::mem::take(&mut self.spare.pairs)
    }

    /// Pairs of bodies that do not touch, in ascending order.
    pub(crate) fn apart(&self) -> &[[usize; 2]] {
        &self.apart
    }

    /// Speed of the fastest point of a collider \[m/s\]; without the turning of shapes that have no
    /// end.
    fn speed(&self, index: usize, body: &Body) -> f64 {
        let radius = self.placements[index].translation.vector.norm() + self.extents[index];
        let turning = if radius.is_finite() {
            body.spin.norm() * radius
        } else {
            0.0
        };
        body.velocity.norm() + turning
    }

    /// Pose of the second collider in the axes of the first.
    pub(crate) fn between(&self, [a, b]: [usize; 2], poses: [Pose; 2]) -> Isometry3<f64> {
        let inverse = poses[0].orientation.inverse();
        // a difference of positions keeps the digits that positions far from the origin would lose
        let shift = inverse * (poses[1].position - poses[0].position);
        let bodies = Isometry3::from_parts(shift.into(), inverse * poses[1].orientation);
        if self.centred[a] && self.centred[b] {
            return bodies;
        }
        self.placements[a].inverse() * bodies * self.placements[b]
    }

    /// A manifold between two bodies from what touches of two colliders.
    pub(crate) fn manifold(
        &mut self,
        colliders: [u32; 2],
        touching: &CollisionManifold,
        memory: PairCache,
        made: Isometry3<f64>,
    ) -> Manifold {
        let [a, b] = colliders.map(|index| index as usize);
        let materials = [&self.list[a].material, &self.list[b].material];
        let together = self.settings.combining.combine(materials[0], materials[1]);
        let points = touching.points.iter().map(|touch| ContactPoint {
            anchors: [
                on_body(&self.placements[a], self.centred[a], &touch.points[0]),
                on_body(&self.placements[b], self.centred[b], &touch.points[1]),
            ],
            radii: touch.radii,
        });
        let normal = self.placements[a].rotation * touching.normal;
        let bodies = [self.list[a].body, self.list[b].body];
        let law = self.settings.law;
        let mut spare = self.spare.parts.pop().unwrap_or_default();
        spare.points.clear();
        spare.points.extend(points);
        spare.impulses.clear();
        let mut manifold = Manifold::new(bodies, normal, spare.points, together.friction, law);
        manifold.impulses = spare.impulses;
        manifold.restitution = together.restitution;
        manifold.softness = together.softness;
        manifold.rolling_friction = together.rolling_friction;
        manifold.spinning_friction = together.spinning_friction;
        let origin = Origin {
            colliders,
            parts: touching.parts,
            features: touching.points.iter().map(|touch| touch.feature).collect(),
            previous: touching.points.iter().map(|_| None).collect(),
            memory,
            made,
        };
        manifold.origin = match spare.origin {
            Some(mut old) => {
                *old = origin;
                Some(old)
            }
            None => Some(Box::new(origin)),
        };
        manifold
    }
}

impl Colliders {
    /// Lets the points of round surfaces move along them as the bodies turn. `made` is the pose of
    /// the second collider in the axes of the first; `fixed` says that its body is not dynamic, and
    /// may carry the plane for a round first one.
    pub(crate) fn follow_round_sides(
        &self,
        manifold: &mut Manifold,
        [a, b]: [usize; 2],
        made: &Isometry3<f64>,
        fixed: bool,
    ) {
        let [first, second] = [a, b].map(|index| self.geometries[index].is_round());
        if !(first || second) {
            return;
        }
        let turns = [a, b].map(|index| self.placements[index].rotation);
        let b_in_a = turns[0] * made.rotation * turns[1].inverse();
        if first && !second && fixed {
            manifold.flat = Some(b_in_a.inverse());
        }
        let [_, round] = manifold.sides();
        let collider = [a, b][round];
        if self.geometries[collider].is_round_about_y() {
            let axis = turns[round] * Vector3::y();
            let normal = match round {
                0 => -manifold.normal,
                _ => b_in_a.inverse() * manifold.normal,
            };
            let anchors = manifold.points.iter().map(|point| point.anchors[round]);
            let through = self.placements[collider].translation.vector;
            manifold.rim = Rim::of([axis, through], &normal, anchors);
        }
    }

    /// True if manifolds may be reused: the settings allow it, and no surface has friction that
    /// follows the motion.
    pub(crate) fn may_stay(&self) -> bool {
        self.settings.recycle > 0.0 && self.settings.tangents == TangentMode::Kept && self.plain
    }

    /// How a pair is looked at, after [`Self::near`].
    pub(crate) fn query(&self, pair: [usize; 2]) -> ContactQuery {
        let [a, b] = pair.map(|index| self.spare.ways[index]);
        ContactQuery {
            margin: self.settings.margin.max(a + b),
            polyhedra: self.settings.polyhedra,
            persistence: self.settings.persistence,
        }
    }

    /// True if a pair has moved so little since its manifolds were made that they are reused.
    pub(crate) fn stays(&self, before: &[Manifold], relative: &Isometry3<f64>) -> bool {
        let limit = self.settings.recycle;
        let Some(origin) = before.first().and_then(|manifold| manifold.origin.as_ref()) else {
            return false;
        };
        if limit <= 0.0 {
            return false;
        }
        let shift = relative.translation.vector - origin.made.translation.vector;
        // twice the vector part of the turn is its angle, up to a part of it that is of third order
        let turn = 2.0
            * (origin.made.rotation.inverse() * relative.rotation)
                .imag()
                .norm();
        let extent = origin.colliders.map(|index| self.extents[index as usize]);
        shift.norm() + turn * extent[0].min(extent[1]) < limit
    }

    /// Copies of manifolds, in reused memory.
    pub(crate) fn copies(&mut self, old: &[Manifold]) -> Vec<Manifold> {
        let mut copies = std::mem::take(&mut self.spare.copies);
        copies.extend(old.iter().map(|old| self.duplicate(old)));
        copies
    }

    fn duplicate(&mut self, old: &Manifold) -> Manifold {
        let mut copy = self.spare.parts.pop().unwrap_or_default();
        copy.points.clone_from(&old.points);
        copy.impulses.clone_from(&old.impulses);
        copy.origin.clone_from(&old.origin);
        Manifold {
            points: copy.points,
            impulses: copy.impulses,
            origin: copy.origin,
            ..*old
        }
    }
}

/// A point of a collider in the axes of its body \[m\].
#[inline]
fn on_body(placement: &Isometry3<f64>, centred: bool, point: &Vector3<f64>) -> Vector3<f64> {
    if centred {
        // to the bits of the general case, where the sum takes the sign off zeros
        return point + placement.translation.vector;
    }
    (placement * nalgebra::Point3::from(*point)).coords
}

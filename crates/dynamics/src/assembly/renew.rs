//! The rows of another instant in those of an earlier one: while the joints are the same, and the
//! same points of the same manifolds near, only numbers change, and nothing is collected again.

mod joints;

use delassus_core::{Law, MassProperties, ProblemError, Renewal, StepScale};

use super::collector::Collector;
use super::contacts::ContactRows;
use super::wrenches::Wrenches;
use super::{Assembly, Selection};
use crate::contact::{ContactFrame, Manifold};
use crate::world::World;

/// What rows are frozen from.
pub(super) struct Instant<'a> {
    pub(super) world: &'a World,
    /// 6 per body \[m/s, rad/s\].
    pub(super) free_velocity: &'a [f64],
    /// \[s\].
    pub(super) h: f64,
    pub(super) selection: Selection,
}

/// What an assembly has become.
#[allow(
    clippy::large_enum_variant,
    reason = "a box would be an allocation in every step"
)]
pub(super) enum Renewed {
    /// The rows of the instant.
    Rows(Assembly),
    /// Nothing, in its memory.
    Memory(Collector),
}

impl Assembly {
    /// The rows of another instant, bit for bit those of a new assembly, if `stays` and if the same
    /// joints come first, with all their rows in one block each, and then the same contact points
    /// have rows: three each, and there are no others. Otherwise its memory.
    pub(super) fn renewed(
        mut self,
        instant: &Instant<'_>,
        stays: bool,
    ) -> Result<Renewed, ProblemError> {
        let contacts = self.contacts.rows.len();
        let joined = self.wrenches.blocks().saturating_sub(contacts);
        let plain = self.wrenches.manifolds_after(joined) == Some(self.contacts.manifolds())
            && joined == instant.world.joints.len()
            && (self.joint_rows.is_empty() || self.joint_rows.start == 0);
        let step = StepScale {
            dt: instant.h,
            gravity: instant.world.gravity.norm(),
        };
        let renewal = self.problem.with_values(step, |numbers| {
            let (mass, free) = (&mut *numbers.mass, &mut *numbers.free_velocity);
            if !(stays && plain && renew_bodies(instant, mass, free)) {
                return false;
            }
            let own = &mut self.rows[self.joint_rows.clone()];
            if !joints::renew(instant.world, instant.h, own, numbers, &mut self.work.rows) {
                return false;
            }
            let mut points = Points {
                contacts: &mut self.contacts,
                wrenches: &mut self.wrenches,
                numbers,
                far: &self.far,
                first_block: joined,
                place: 0,
                point: 0,
                near: &mut self.near,
            };
            points.renew(instant, &mut self.now)
        })?;
        Ok(match renewal {
            Renewal::Problem(problem) => Renewed::Rows(Self { problem, ..self }),
            Renewal::Memory(builder) => {
                self.rows.clear();
                self.outer.clear();
                self.far.clear();
                self.stretches.clear();
                self.contacts.clear();
                self.wrenches.clear();
                Renewed::Memory(Collector {
                    builder,
                    rows: self.rows,
                    contacts: self.contacts,
                    outer: self.outer,
                    wrenches: self.wrenches,
                    stretches: self.stretches,
                    far: self.far,
                    now: self.now,
                    near: self.near,
                    work: self.work,
                })
            }
        })
    }
}

/// True if an impulse moves the body along every axis: rows on it are never left out.
fn is_free(mass: &MassProperties) -> bool {
    mass.inverse_mass.min() > 0.0
}

/// Masses and free velocities; false if other bodies are free.
fn renew_bodies(instant: &Instant<'_>, masses: &mut [MassProperties], free: &mut [f64]) -> bool {
    let bodies = &instant.world.bodies;
    if masses.len() != bodies.len() {
        return false;
    }
    free.copy_from_slice(instant.free_velocity);
    bodies.iter().zip(masses).all(|(body, mass)| {
        let earlier = std::mem::replace(mass, body.mass_properties());
        is_free(&earlier) == is_free(mass)
    })
}

/// The rows of the points so far.
struct Points<'a, 'b> {
    contacts: &'a mut ContactRows,
    wrenches: &'a mut Wrenches,
    numbers: &'a mut delassus_core::Renewed<'b>,
    /// Points that had no rows and have not come yet.
    far: &'a [[usize; 2]],
    /// The block of the first point.
    first_block: usize,
    /// Manifolds and points with rows.
    place: usize,
    point: usize,
    near: &'a mut Vec<usize>,
}

impl Points<'_, '_> {
    /// All manifolds; false if one has other rows than it had.
    fn renew(&mut self, instant: &Instant<'_>, now: &mut ContactFrame) -> bool {
        let mut manifolds = instant.world.manifolds.iter().enumerate();
        let all = manifolds.all(|(index, manifold)| self.manifold(instant, index, manifold, now));
        let rows = self.contacts.rows.len();
        all && self.far.is_empty() && self.point == rows
    }

    fn manifold(
        &mut self,
        instant: &Instant<'_>,
        index: usize,
        manifold: &Manifold,
        now: &mut ContactFrame,
    ) -> bool {
        let Instant {
            world, selection, ..
        } = *instant;
        if !manifold.has_three_rows() {
            return false;
        }
        let tangent = self.contacts.first_tangent(self.place, manifold);
        world.contact_frame_along(manifold, selection.place, tangent, now);
        if !self.same_near(index, selection.margin, now) {
            return false;
        }
        let Some(last) = self.near.len().checked_sub(1) else {
            return true;
        };
        let at = [self.place, self.point];
        let fixed = selection.is_fixed(world, manifold.bodies);
        let mut bodies = manifold.bodies.iter();
        let moves = bodies.any(|body| is_free(&self.numbers.mass[*body]));
        if !moves
            || !self
                .contacts
                .renew(at, index, manifold, self.near, now, fixed)
        {
            return false;
        }
        self.wrenches.renew(at, now, self.near);
        self.write_points(manifold, now);
        self.place += 1;
        self.point += last + 1;
        true
    }

    /// Finds the near points of a manifold; false if another point of it was far.
    fn same_near(&mut self, index: usize, margin: Option<f64>, now: &ContactFrame) -> bool {
        self.near.clear();
        for (point, separation) in now.separations.iter().enumerate() {
            if margin.is_none_or(|m| *separation <= m) {
                self.near.push(point);
            } else if self.far.first() == Some(&[index, point]) {
                self.far = &self.far[1..];
            } else {
                return false;
            }
        }
        true
    }

    /// Laws and geometry of the near points.
    fn write_points(&mut self, manifold: &Manifold, now: &ContactFrame) {
        let friction = manifold.law.friction(manifold.friction, || 0.0);
        let arms = self.near.iter().map(|point| &now.arms[*point]);
        let first = self.first_block + self.point;
        self.numbers
            .set_points(self.place, &now.axes(), first, arms);
        for block in first..first + self.near.len() {
            self.numbers.set_law(block, Law::Contact(friction));
        }
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
    use nalgebra::Vector3;

    const MARGIN: f64 = 0.02;

    /// A floor and two bodies above it at an instant; points of some manifolds are far.
    fn world(time: f64, laws: [ContactLaw; 3]) -> World {
        let mut parts = WorldParts::default();
        parts.body(Body::fixed(Vector3::zeros()));
        for at in [1.0, 2.0] {
            let inertia = Inertia::new(1.0 + at, Vector3::new(0.2, 0.3, 0.4));
            let mut body = Body::dynamic(inertia, Vector3::new(0.1 * time, at, -0.2 * at * time));
            body.orientation = rotation::exp(&(0.001 * time * Vector3::new(at, -0.2, 0.1)));
            parts.body(body);
        }
        let point = |x: f64, z: f64, gap: f64| ContactPoint {
            anchors: [Vector3::new(x, 0.5, z), Vector3::new(x, -0.5 + gap, z)],
            radii: [0.01, 0.02],
        };
        for (law, bodies) in laws.into_iter().zip([[0, 1], [1, 2], [0, 2]]) {
            let gap = if bodies == [0, 2] { 0.5 } else { 0.0 };
            let points = vec![
                point(0.5, 0.4, gap),
                point(-0.5, 0.3, gap + 0.1),
                point(0.0, -0.6, gap + 0.005 * time),
            ];
            let friction = 0.5 + 0.1 * time;
            let manifold = Manifold::new(bodies, Vector3::y(), points, friction, law);
            parts.manifolds.push(manifold);
        }
        parts.build().expect("a valid world")
    }

    /// Rows of an instant in those of an earlier one, if they were renewed, and new ones.
    fn both(earlier: &World, world: &World) -> (Option<Assembly>, Assembly) {
        let selection = Selection {
            margin: Some(MARGIN),
            ..Selection::default()
        };
        let free: Vec<f64> = (0..6 * world.bodies.len())
            .map(|k| 0.1 * k as f64)
            .collect();
        let new = |world, h| Assembly::new(world, &free, h, selection, None).expect("rows");
        let spare = new(earlier, 0.5);
        let instant = Instant {
            world,
            free_velocity: &free,
            h: 0.01,
            selection,
        };
        match spare.renewed(&instant, true).expect("rows") {
            Renewed::Rows(assembly) => (Some(assembly), new(world, 0.01)),
            Renewed::Memory(_) => (None, new(world, 0.01)),
        }
    }

    #[test]
    fn renewed_rows_are_those_of_a_new_assembly_bit_for_bit() {
        let laws = [ContactLaw::Disc, ContactLaw::Coulomb, ContactLaw::Pyramid];
        let (found, expected) = both(&world(0.0, laws), &world(1.0, laws));
        let found = found.expect("the same points are near");
        assert_eq!(found.problem.rows(), 12, "four of nine points are near");
        assert_eq!(found.problem, expected.problem);
        assert_eq!(found.problem.diagonal(), expected.problem.diagonal());
        assert_eq!(found.rows, expected.rows);
        assert_eq!(found.contacts, expected.contacts);
        assert_eq!(found.wrenches, expected.wrenches);
        assert_eq!(found.outer, expected.outer);
        assert_eq!(found.stretches, expected.stretches);
        assert_eq!(found.far, expected.far);
        assert_eq!(found.joint_rows, expected.joint_rows);
    }

    #[test]
    fn other_points_laws_or_bodies_are_collected_again() {
        let laws = [ContactLaw::Disc; 3];
        let start = world(0.0, laws);
        // the third points have opened
        assert!(both(&start, &world(20.0, laws)).0.is_none());
        let patch = [ContactLaw::Disc, ContactLaw::Patch, ContactLaw::Disc];
        assert!(both(&start, &world(0.0, patch)).0.is_none());
        assert!(both(&world(0.0, patch), &start).0.is_none());
        let mut parts = start.clone().into_parts();
        parts.bodies[1].lock_translation[0] = true;
        let locked = parts.build().expect("a valid world");
        assert!(both(&start, &locked).0.is_none());
        let mut parts = start.clone().into_parts();
        parts.manifolds[1].bodies = [2, 1];
        let swapped = parts.build().expect("a valid world");
        assert!(both(&start, &swapped).0.is_none());
        assert!(both(&start, &start).0.is_some());
    }
}

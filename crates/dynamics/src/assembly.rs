//! Freezing the rows of a world into a problem.

mod build;
mod collector;
mod contacts;
mod manifold;
mod renew;
mod row;
mod selection;
mod wrenches;

use std::iter::Peekable;
use std::ops::Range;

use delassus_core::{ContactLaw, JointImpulse, Problem};
use nalgebra::Vector3;

use crate::body::Pose;
use crate::contact::{ContactFrame, ContactPlace, Manifold, PosePair};
use crate::world::World;
use collector::CollectorWork;
pub(crate) use contacts::{ContactRows, ContactSpring};
use row::Stretch;
pub(crate) use row::{RowInfo, RowKind, Source};
pub(crate) use selection::Selection;
use wrenches::Wrenches;

/// A world's rows, frozen, with what each of them stands for.
#[derive(Debug, Clone)]
pub(crate) struct Assembly {
    pub(crate) problem: Problem,
    pub(crate) rows: Vec<RowInfo>,
    /// Those of joints; all others are of contacts.
    pub(crate) joint_rows: Range<usize>,
    /// The normals of all contact points.
    pub(crate) contacts: ContactRows,
    /// Blocks whose forces may do work or come from outside: all those of joints, and of contacts
    /// that touch a body that is not dynamic or not free to translate.
    pub(crate) outer: Vec<usize>,
    wrenches: Wrenches,
    /// All rows again, as stretches of stored impulses.
    stretches: Vec<Stretch>,
    /// Manifold and point of contacts that were farther apart than the margin, which have no rows;
    /// ascending.
    pub(crate) far: Vec<[usize; 2]>,
    /// Memory for a manifold.
    now: ContactFrame,
    near: Vec<usize>,
    work: CollectorWork,
}

impl Assembly {
    /// The rows of contacts.
    pub(crate) fn contact_rows(&self) -> Range<usize> {
        match self.joint_rows.start {
            0 => self.joint_rows.end..self.rows.len(),
            start => 0..start,
        }
    }

    /// v⁺ = v_f + M⁻¹Jᵀλ, 6 per body \[m/s, rad/s\] (P.1); `joints` is what the first blocks did,
    /// where that is not Jᵀλ (T.60).
    pub(crate) fn body_velocities(
        &self,
        impulses: &[f64],
        joints: &[JointImpulse],
        wrenches: &mut [f64],
        out: &mut [f64],
    ) {
        self.wrenches
            .velocities(&self.problem, impulses, joints, wrenches, out);
    }

    /// Brings error and rate of every row to the present poses and time; the Jacobians stay.
    pub(crate) fn update_errors(&mut self, world: &World) {
        self.update_joints(world);
        self.contacts.update(world);
    }

    /// As [`Self::update_errors`], of joints alone.
    pub(crate) fn update_joints(&mut self, world: &World) {
        let rows = &mut self.work.rows;
        let mut last = None;
        for row in &mut self.rows[self.joint_rows.clone()] {
            let Source::Joint(joint) = row.source else {
                continue;
            };
            if last != Some(joint) {
                last = Some(joint);
                world.evaluate_joint(joint, rows);
            }
            row.error = rows.error[row.local];
            row.rate = rows.rate[row.local];
        }
    }

    /// Gives contacts the separations that they have in `earlier` rows of the same manifolds.
    pub(crate) fn keep_separations(&mut self, earlier: &Self) {
        let key = |rows: &[RowInfo], row: usize| (rows[row].source, rows[row].local);
        let mut known = earlier.contacts.rows.iter().enumerate().peekable();
        let points = self
            .contacts
            .rows
            .iter()
            .zip(&mut self.contacts.separations);
        for (row, separation) in points {
            let point = key(&self.rows, *row);
            // both are in the order of their sources
            while known
                .next_if(|(_, row)| key(&earlier.rows, **row) < point)
                .is_some()
            {}
            if let Some((at, _)) = known.next_if(|(_, row)| key(&earlier.rows, **row) == point) {
                *separation = earlier.contacts.separations[at];
            }
        }
    }

    /// True if no contact that was left out at the freeze has come closer than `margin` \[m\]
    /// since.
    pub(crate) fn has_all_near(&self, world: &World, margin: Option<f64>) -> bool {
        let mut frame = ContactFrame::default();
        self.far.iter().all(|[index, point]| {
            let manifold = &world.manifolds[*index];
            world.contact_frame(manifold, ContactPlace::Middle, &mut frame);
            margin.is_some_and(|m| frame.separations[*point] > m)
        })
    }

    /// The impulses that the world stores, in the order of the rows; friction along their tangents
    /// (T.20).
    pub(crate) fn load_impulses(&self, world: &World, out: &mut Vec<f64>) {
        out.clear();
        // together they are all rows in their order
        for Stretch {
            source,
            local,
            rows,
        } in &self.stretches
        {
            let stored = match *source {
                Source::Joint(index) => &world.joints[index].impulses,
                Source::Manifold(index) => {
                    let manifold = &world.manifolds[index];
                    match self.contacts.tangents(index) {
                        Some(tangents) if manifold.impulse_tangents != *tangents => {
                            let own = *local..*local + rows.len();
                            out.extend(own.map(|row| manifold.impulse_along(row, tangents)));
                            continue;
                        }
                        _ => &manifold.impulses,
                    }
                }
            };
            let stored = stored.get(*local..).unwrap_or(&[]);
            out.extend_from_slice(&stored[..stored.len().min(rows.len())]);
            out.resize(rows.end, 0.0);
        }
    }

    /// Stores impulses in the world; rows that were left out get zero.
    pub(crate) fn store_impulses(&self, world: &mut World, impulses: &[f64], h: f64) {
        let joints = world.joints.iter_mut().enumerate().map(|(index, joint)| {
            let rows = joint.constraint.descriptor().units.len();
            (Source::Joint(index), rows, &mut joint.impulses)
        });
        let manifolds = world.manifolds.iter_mut().enumerate();
        let manifolds = manifolds.map(|(index, manifold)| {
            let rows = manifold.stored_rows();
            (Source::Manifold(index), rows, &mut manifold.impulses)
        });
        let of_joints = |stretch: &&Stretch| matches!(stretch.source, Source::Joint(_));
        let mut first = self.stretches.iter().filter(of_joints).peekable();
        joints.for_each(|(source, rows, stored)| store(source, rows, stored, &mut first, impulses));
        let of_contacts = |stretch: &&Stretch| !of_joints(stretch);
        let mut next = self.stretches.iter().filter(of_contacts).peekable();
        manifolds
            .for_each(|(source, rows, stored)| store(source, rows, stored, &mut next, impulses));
        self.contacts.store_tangents(world);
        world.impulse_step = h;
    }
}

/// Stores the impulses of one source, whose stretches are the next ones; zero where it has no rows.
fn store<'a>(
    source: Source,
    rows: usize,
    stored: &mut Vec<f64>,
    stretches: &mut Peekable<impl Iterator<Item = &'a Stretch>>,
    impulses: &[f64],
) {
    stored.resize(rows, 0.0);
    let own = |stretch: &&Stretch| stretch.source == source;
    // mostly one stretch is everything
    if !stretches
        .peek()
        .is_some_and(|next| own(next) && next.rows.len() == rows)
    {
        stored.fill(0.0);
    }
    while let Some(Stretch { local, rows, .. }) = stretches.next_if(own) {
        stored[*local..*local + rows.len()].copy_from_slice(&impulses[rows.clone()]);
    }
}

impl World {
    /// A manifold at the present poses, in the memory of another one.
    pub(crate) fn contact_frame(
        &self,
        manifold: &Manifold,
        place: ContactPlace,
        frame: &mut ContactFrame,
    ) {
        self.contact_frame_along(manifold, place, manifold.first_tangent(), frame);
    }

    /// As [`Self::contact_frame`], with a given first tangent.
    #[inline]
    fn contact_frame_along(
        &self,
        manifold: &Manifold,
        place: ContactPlace,
        tangent: Vector3<f64>,
        frame: &mut ContactFrame,
    ) {
        let share = self.share_of_gap(manifold, place);
        manifold.frame_along(self.pose_pair(manifold.bodies), share, tangent, frame);
    }

    /// Share of the gap between the surface of B and where the impulses act \[-\]: by how easily
    /// both bodies turn (T.44), unless it is the middle.
    pub(crate) fn share_of_gap(&self, manifold: &Manifold, place: ContactPlace) -> f64 {
        if place == ContactPlace::Middle {
            return 0.5;
        }
        let [a, b] = manifold.bodies.map(|body| &self.bodies[body]);
        let normal = manifold.world_normal(self.pose_pair(manifold.bodies));
        let [a, b] = [a, b].map(|body| body.turning_across(&normal));
        // where neither turns, no lever arm counts
        if a + b > 0.0 { a / (a + b) } else { 0.5 }
    }

    /// All manifolds at the present poses; reuses the memory of earlier ones.
    pub(crate) fn contact_frames(&self, place: ContactPlace, frames: &mut Vec<ContactFrame>) {
        frames.resize_with(self.manifolds.len(), ContactFrame::default);
        for (manifold, frame) in self.manifolds.iter().zip(frames) {
            self.contact_frame(manifold, place, frame);
        }
    }

    /// Poses of two bodies, where they are stored.
    #[inline]
    pub(crate) fn pose_pair(&self, bodies: [usize; 2]) -> PosePair<'_> {
        let [a, b] = [&self.bodies[bodies[0]], &self.bodies[bodies[1]]];
        PosePair {
            positions: [&a.position, &b.position],
            orientations: [&a.orientation, &b.orientation],
        }
    }

    /// Poses of two bodies.
    pub(crate) fn pair(&self, bodies: [usize; 2]) -> [Pose; 2] {
        bodies.map(|body| self.bodies[body].pose())
    }
}

impl Manifold {
    /// True if every point has a normal, two tangents and nothing else.
    fn has_three_rows(&self) -> bool {
        !matches!(self.law, ContactLaw::Patch | ContactLaw::Frictionless) && !self.resists_rolling()
    }

    /// Rows that a manifold stores impulses for.
    fn stored_rows(&self) -> usize {
        match self.law {
            ContactLaw::Patch => self.points.len() + 3,
            _ if self.resists_rolling() => 6 * self.points.len(),
            _ => 3 * self.points.len(),
        }
    }
}

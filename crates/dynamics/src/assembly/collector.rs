//! Collecting the rows of a world.

use std::ops::Range;

use arrayvec::ArrayVec;
use delassus_core::{ContactLaw, Friction, Law, MassProperties, Patch, ProblemBuilder, moves};

use super::Selection;
use super::contacts::ContactRows;
use super::manifold::ManifoldRows;
use super::row::{ContactEntry, EnteringRow, RowInfo, RowKind, Source, Stretch};
use super::wrenches::Wrenches;
use crate::constraint::{ForceKind, MAX_ROWS, RowUnit, Rows};
use crate::contact::{ContactFrame, Manifold};
use crate::joint::Joint;
use crate::world::World;

/// The rows of a joint.
type JointRows<'a> = ArrayVec<EnteringRow<&'a [[f64; 6]]>, MAX_ROWS>;

/// Collects the rows of joints and manifolds.
#[derive(Default)]
pub(super) struct Collector {
    pub(super) builder: ProblemBuilder,
    pub(super) rows: Vec<RowInfo>,
    pub(super) contacts: ContactRows,
    pub(super) outer: Vec<usize>,
    pub(super) wrenches: Wrenches,
    pub(super) stretches: Vec<Stretch>,
    pub(super) far: Vec<[usize; 2]>,
    /// The manifold at hand.
    pub(super) now: ContactFrame,
    /// Memory for near points.
    pub(super) near: Vec<usize>,
    pub(super) work: CollectorWork,
}

/// What collecting works with.
#[derive(Debug, Clone, Default)]
pub(crate) struct CollectorWork {
    /// Of all bodies.
    pub(super) mass: Vec<MassProperties>,
    /// The rows of the contact point at hand.
    entries: Vec<ContactEntry>,
    /// The rows of the joint at hand.
    pub(super) rows: Rows,
}

impl Collector {
    /// Makes room for all that a world may have.
    pub(super) fn make_room(&mut self, world: &World) {
        let points: usize = world.manifolds.iter().map(|m| m.points.len()).sum();
        let blocks = world.joints.len() + points;
        let builder = &mut self.builder;
        builder.reserve(world.bodies.len(), blocks, 3 * blocks, 6 * blocks);
        self.rows.reserve(3 * blocks);
        self.contacts.reserve(points);
        // lists that would grow with every new pattern of near and far points
        self.stretches.reserve(blocks);
        self.outer.reserve(blocks);
        self.far.reserve(points);
    }

    /// Adds all joints; their rows.
    pub(super) fn joints(&mut self, world: &World, h: f64) -> Range<usize> {
        let (row, block) = (self.rows.len(), self.wrenches.blocks());
        let mut rows = std::mem::take(&mut self.work.rows);
        for (index, joint) in world.joints.iter().enumerate() {
            world.evaluate_joint(index, &mut rows);
            self.joint(index, joint, &rows, h);
        }
        self.work.rows = rows;
        self.outer.extend(block..self.wrenches.blocks());
        row..self.rows.len()
    }

    /// Adds all manifolds; `held` are those that keep the Jacobians of an earlier instant.
    pub(super) fn manifolds(
        &mut self,
        world: &World,
        selection: Selection,
        held: Option<&[ContactFrame]>,
    ) {
        for (index, manifold) in world.manifolds.iter().enumerate() {
            let held = held.and_then(|frames| frames.get(index));
            self.manifold(world, index, manifold, selection, held);
        }
    }

    /// Adds the rows of a joint; its impulse limits are force limits times `h` \[s\].
    fn joint(&mut self, index: usize, joint: &Joint, rows: &Rows, h: f64) {
        let descriptor = joint.constraint.descriptor();
        let bodies = joint.constraint.bodies();
        let entries = rows.jacobian.chunks_exact(bodies.len());
        let entries: JointRows<'_> = entries
            .enumerate()
            .map(|(local, jacobian)| EnteringRow {
                info: RowInfo {
                    source: Source::Joint(index),
                    local,
                    kind: RowKind::Joint(descriptor.force, descriptor.units[local]),
                    error: rows.error[local],
                    rate: rows.rate[local],
                },
                jacobian,
            })
            .filter(|entry| self.moves(bodies, entry.jacobian))
            .collect();
        let angular = |entry: &EnteringRow<_>| entry.info.unit() == Some(RowUnit::Angle);
        if joint.is_split() {
            let (turns, lines): (JointRows<'_>, JointRows<'_>) =
                entries.into_iter().partition(angular);
            let feature = index as u64;
            self.rows_of_joint(joint, RowUnit::Length, &lines, feature, h);
            self.rows_of_joint(joint, RowUnit::Angle, &turns, 1 << 62 | feature, h);
            return;
        }
        let unit = entries.first().and_then(|entry| entry.info.unit());
        let unit = unit.unwrap_or(RowUnit::Length);
        self.rows_of_joint(joint, unit, &entries, index as u64, h);
    }

    /// A block of rows of a joint with the limit of this unit.
    fn rows_of_joint(
        &mut self,
        joint: &Joint,
        unit: RowUnit,
        entries: &[EnteringRow<&[[f64; 6]]>],
        feature: u64,
        h: f64,
    ) {
        let law = law(joint, unit, h);
        if !entries.is_empty() {
            self.wrenches.block();
        }
        self.block(law, joint.constraint.bodies(), entries, feature);
    }

    /// Adds the rows of the points of a manifold that are closer than `margin` \[m\].
    fn manifold(
        &mut self,
        world: &World,
        index: usize,
        manifold: &Manifold,
        selection: Selection,
        held: Option<&ContactFrame>,
    ) {
        let Selection { margin, place, .. } = selection;
        let mut now = std::mem::take(&mut self.now);
        world.contact_frame(manifold, place, &mut now);
        let first = held.unwrap_or(&now);
        let near = |point: usize| margin.is_none_or(|m| first.separations[point] <= m);
        let points = 0..manifold.points.len();
        let far = points.clone().filter(|point| !near(*point));
        self.far.extend(far.map(|point| [index, point]));
        let mut points = points.filter(|point| near(*point)).peekable();
        let part = ManifoldRows {
            index,
            manifold,
            frame: first,
            separations: &now.separations,
            fixed: selection.is_fixed(world, manifold.bodies),
        };
        let free = manifold.bodies.map(|body| self.is_free(body));
        let mut entries = std::mem::take(&mut self.work.entries);
        if manifold.has_three_rows() && free != [false; 2] {
            self.points(&part, points, free == [true; 2]);
        } else if manifold.law != ContactLaw::Patch {
            for point in points {
                part.point(point, &mut entries);
                let law = part.law();
                self.contact(law, &part, &mut entries, point);
            }
        } else if points.peek().is_some() {
            let law = part.patch(&points.collect::<Vec<_>>(), &mut entries);
            self.contact(law, &part, &mut entries, 0);
        }
        (self.now, self.work.entries) = (now, entries);
    }

    /// Adds contact points of three rows, none of which is locked: one of the bodies is free, or
    /// both.
    fn points(
        &mut self,
        part: &ManifoldRows<'_>,
        points: impl Iterator<Item = usize>,
        both_free: bool,
    ) {
        let law = part.law();
        let mut points = points.peekable();
        if points.peek().is_some() {
            self.builder.axes(&part.frame.axes());
        }
        for point in points {
            let row = self.rows.len();
            self.contacts.push(row, part, point, part.fixed);
            if !both_free {
                self.outer.push(self.wrenches.blocks());
            }
            self.wrenches.point(row, part, point);
            let arms = &part.frame.arms[point];
            self.builder.point(law.clone(), part.manifold.bodies, arms);
            self.builder.feature(part.feature(point));
            self.rows.extend(part.three_rows(point));
            self.note_rows(Source::Manifold(part.index), 3 * point, 3);
        }
    }

    /// Adds a contact, unless its normals move nothing: then there is no friction either. Tangents
    /// that move nothing are left out of a point; patches and rolling points, which have no law
    /// with fewer rows, carry them at zero (P.15).
    fn contact(
        &mut self,
        mut law: Law,
        part: &ManifoldRows<'_>,
        entries: &mut Vec<ContactEntry>,
        point: usize,
    ) {
        let manifold = part.manifold;
        let moves = |entry: &ContactEntry| self.moves(&manifold.bodies, &entry.jacobian);
        if let Law::Patch(patch) = &mut law {
            retain_normals(patch, entries, moves);
        } else if !entries.first().is_some_and(moves) {
            entries.clear();
        } else if let Law::Contact(friction) = &mut law {
            entries.retain(moves);
            if entries.len() == 1 {
                *friction = Friction::Frictionless;
            }
        }
        if !matches!(entries.first(), Some(entry) if entry.info.is_normal()) {
            return;
        }
        let free = manifold.bodies.iter().all(|body| self.is_free(*body));
        for (row, entry) in (self.rows.len()..).zip(entries.iter()) {
            let RowInfo { kind, local, .. } = entry.info;
            if let RowKind::Normal { fixed } = kind {
                let point = if manifold.law == ContactLaw::Patch {
                    local
                } else {
                    local / 3
                };
                self.contacts.push(row, part, point, fixed);
            }
        }
        if !free {
            self.outer.push(self.wrenches.blocks());
        }
        if entries.len() == 3 && !matches!(law, Law::Patch(_)) {
            let first = self.rows.len();
            self.wrenches.point(first, part, point);
        } else {
            self.wrenches.block();
        }
        self.block(law, &manifold.bodies, entries, part.feature(point));
    }

    fn block<J: AsRef<[[f64; 6]]>>(
        &mut self,
        law: Law,
        bodies: &[usize],
        entries: &[EnteringRow<J>],
        feature: u64,
    ) {
        if entries.is_empty() {
            return;
        }
        self.builder.block(law, bodies, entries);
        self.builder.feature(feature);
        for entry in entries {
            let RowInfo { source, local, .. } = entry.info;
            self.rows.push(entry.info);
            self.note_rows(source, local, 1);
        }
    }

    /// Notes where the impulses of the last `count` rows are stored: in their source from `local`
    /// on.
    fn note_rows(&mut self, source: Source, local: usize, count: usize) {
        let end = self.rows.len();
        match self.stretches.last_mut() {
            Some(last) if last.source == source && last.local + last.rows.len() == local => {
                last.rows.end = end;
            }
            _ => self.stretches.push(Stretch {
                source,
                local,
                rows: end - count..end,
            }),
        }
    }

    /// True if an impulse moves the body along every axis.
    fn is_free(&self, body: usize) -> bool {
        self.work.mass[body].inverse_mass.min() > 0.0
    }

    /// True if an impulse along the row moves a body.
    fn moves(&self, bodies: &[usize], jacobian: &[[f64; 6]]) -> bool {
        moves(bodies.iter().map(|body| &self.work.mass[*body]), jacobian)
    }
}

/// The law of the rows of a joint with the limit of this unit, for a substep of `h` \[s\].
pub(super) fn law(joint: &Joint, unit: RowUnit, h: f64) -> Law {
    let limit = joint.limit_of(unit) * h;
    match joint.constraint.descriptor().force {
        ForceKind::Limit => Law::Bounds {
            lower: 0.0,
            upper: limit,
        },
        ForceKind::Joint | ForceKind::Drive if limit.is_finite() => Law::Bounds {
            lower: -limit,
            upper: limit,
        },
        ForceKind::Joint | ForceKind::Drive => Law::Equality,
    }
}

/// Takes the normals that do not move anything out of a patch.
fn retain_normals(
    patch: &mut Patch,
    entries: &mut Vec<ContactEntry>,
    moves: impl Fn(&ContactEntry) -> bool,
) {
    let mut place = 0;
    let normals = patch.levers.len();
    let moving: Vec<bool> = entries[..normals].iter().map(moves).collect();
    let mut keeps = moving.iter();
    patch.levers.retain(|_| keeps.next() == Some(&true));
    entries.retain(|_| {
        place += 1;
        place > normals || moving[place - 1]
    });
}

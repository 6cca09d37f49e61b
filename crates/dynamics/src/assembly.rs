//! Freezing the rows of a world into a problem.

mod contacts;
mod manifold;
mod wrenches;

use delassus_core::{ContactLaw, Law, MassProperties, Problem, ProblemBuilder, ProblemError};

use crate::body::Pose;
use crate::constraint::{ForceKind, RowUnit, Rows};
use crate::contact::{ContactFrame, Manifold};
use crate::joint::Joint;
use crate::world::World;
pub(crate) use contacts::{ContactRows, ContactSpring};
use manifold::ManifoldRows;
use wrenches::Wrenches;

/// What a row of a problem stands for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct RowInfo {
    /// The joint or manifold.
    pub(crate) source: Source,
    /// Index of the row in the impulses of its source.
    pub(crate) local: usize,
    /// What it does.
    pub(crate) kind: RowKind,
    /// C of a joint's row \[m | rad\]; those of contacts are separations of [`ContactRows`].
    pub(crate) error: f64,
    /// ∂C/∂t \[m/s | rad/s\].
    pub(crate) rate: f64,
}

/// Where a row comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Source {
    Joint(usize),
    Manifold(usize),
}

/// What a row does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RowKind {
    /// A row of a joint.
    Joint(ForceKind, RowUnit),
    /// The normal of a contact point.
    Normal {
        /// True if one of the bodies is not dynamic.
        fixed: bool,
    },
    /// Friction: a tangent or a twist.
    Friction,
}

/// A world's rows, frozen, with what each of them stands for.
#[derive(Debug, Clone)]
pub(crate) struct Assembly {
    pub(crate) problem: Problem,
    /// Those of joints first.
    pub(crate) rows: Vec<RowInfo>,
    /// Rows of joints \[-\].
    pub(crate) joint_rows: usize,
    /// The normals of all contact points.
    pub(crate) contacts: ContactRows,
    /// Blocks whose forces may do work or come from outside: all those of joints, and of contacts that touch a body that
    /// is not dynamic or not free to translate.
    pub(crate) outer: Vec<usize>,
    wrenches: Wrenches,
    /// Manifold and point of contacts that were farther apart than the margin, which have no rows.
    far: Vec<[usize; 2]>,
    /// Of every body, at the poses of the freeze.
    mass: Vec<MassProperties>,
}

/// A row that all impulses together move by less than this, relative to its free bodies, is locked.
const LOCKED: f64 = 1e-12;

impl Assembly {
    /// Freezes the rows at the present poses: joints first, then contacts closer than `margin` \[m\].
    ///
    /// Rows that nothing moves (both bodies immovable or locked along them) are left out. Bias and compliance are
    /// zero; impulse limits are force limits times `h` \[s\]. Contacts `held` at an earlier instant keep its
    /// Jacobians, and its choice of near points; their separations are current.
    pub(crate) fn new(
        world: &World,
        free_velocity: &[f64],
        h: f64,
        margin: Option<f64>,
        held: Option<&[ContactFrame]>,
    ) -> Result<Self, ProblemError> {
        Self::in_memory_of(None, world, free_velocity, h, margin, held)
    }

    /// As [`Self::new`], in the memory of an assembly that is not needed any more.
    pub(crate) fn in_memory_of(
        spare: Option<Self>,
        world: &World,
        free_velocity: &[f64],
        h: f64,
        margin: Option<f64>,
        held: Option<&[ContactFrame]>,
    ) -> Result<Self, ProblemError> {
        let mut collector = spare.map_or_else(Collector::default, Self::into_collector);
        let builder = &mut collector.builder;
        builder.step(h, world.gravity.norm());
        let points: usize = world.manifolds.iter().map(|m| m.points.len()).sum();
        let blocks = world.joints.len() + points;
        builder.reserve(world.bodies.len(), blocks, 3 * blocks, 6 * blocks);
        collector.rows.reserve(3 * blocks);
        collector.contacts.reserve(points);
        let masses = world.bodies.iter().map(|body| body.mass_properties());
        collector.mass.extend(masses);
        for (body, free) in free_velocity.chunks_exact(6).enumerate() {
            let mut velocity = [0.0; 6];
            velocity.copy_from_slice(free);
            collector.builder.body(collector.mass[body], velocity);
        }
        let mut rows = Rows::default();
        for (index, joint) in world.joints.iter().enumerate() {
            world.evaluate_joint(index, &mut rows);
            collector.joint(index, joint, &rows, h);
        }
        let joint_rows = collector.rows.len();
        collector.outer.extend(0..collector.wrenches.blocks());
        for (index, manifold) in world.manifolds.iter().enumerate() {
            let held = held.and_then(|frames| frames.get(index));
            collector.manifold(world, (index, manifold), margin, held);
        }
        Ok(Self {
            problem: collector.builder.build()?,
            rows: collector.rows,
            joint_rows,
            contacts: collector.contacts,
            outer: collector.outer,
            wrenches: collector.wrenches,
            far: collector.far,
            mass: collector.mass,
        })
    }

    /// Nothing, in the memory of this assembly.
    fn into_collector(mut self) -> Collector {
        self.rows.clear();
        self.outer.clear();
        self.far.clear();
        self.mass.clear();
        self.contacts.clear();
        self.wrenches.clear();
        Collector {
            mass: self.mass,
            builder: ProblemBuilder::in_memory_of(self.problem),
            rows: self.rows,
            contacts: self.contacts,
            outer: self.outer,
            wrenches: self.wrenches,
            far: self.far,
            ..Collector::default()
        }
    }

    /// v⁺ = v_f + M⁻¹Jᵀλ, 6 per body \[m/s, rad/s\] (P.1).
    pub(crate) fn body_velocities(&self, impulses: &[f64], out: &mut [f64]) {
        self.wrenches.velocities(&self.problem, impulses, out);
    }

    /// Brings error and rate of every row to the present poses and time; the Jacobians stay.
    pub(crate) fn update_errors(&mut self, world: &World) {
        let mut rows = Rows::default();
        let mut last = None;
        for row in &mut self.rows[..self.joint_rows] {
            let Source::Joint(joint) = row.source else {
                continue;
            };
            if last != Some(joint) {
                last = Some(joint);
                world.evaluate_joint(joint, &mut rows);
            }
            row.error = rows.error[row.local];
            row.rate = rows.rate[row.local];
        }
        self.contacts.update(world);
    }

    /// True if no contact that was left out at the freeze has come closer than `margin` \[m\] since.
    pub(crate) fn has_all_near(&self, world: &World, margin: Option<f64>) -> bool {
        let mut frame = ContactFrame::default();
        self.far.iter().all(|[index, point]| {
            let manifold = &world.manifolds[*index];
            manifold.frame_in(world.pair(manifold.bodies), &mut frame);
            margin.is_some_and(|m| frame.separations[*point] > m)
        })
    }

    /// The impulses that the world stores, in the order of the rows.
    pub(crate) fn load_impulses(&self, world: &World, out: &mut Vec<f64>) {
        out.clear();
        out.extend(self.rows.iter().map(|row| {
            let stored = match row.source {
                Source::Joint(index) => &world.joints[index].impulses,
                Source::Manifold(index) => &world.manifolds[index].impulses,
            };
            stored.get(row.local).copied().unwrap_or(0.0)
        }));
    }

    /// Stores impulses in the world; rows that were left out get zero.
    pub(crate) fn store_impulses(&self, world: &mut World, impulses: &[f64], h: f64) {
        for joint in &mut world.joints {
            let rows = joint.constraint.descriptor().units.len();
            joint.impulses.clear();
            joint.impulses.resize(rows, 0.0);
        }
        for manifold in &mut world.manifolds {
            let rows = manifold.stored_rows();
            manifold.impulses.clear();
            manifold.impulses.resize(rows, 0.0);
        }
        for (row, impulse) in self.rows.iter().zip(impulses) {
            match row.source {
                Source::Joint(index) => world.joints[index].impulses[row.local] = *impulse,
                Source::Manifold(index) => world.manifolds[index].impulses[row.local] = *impulse,
            }
        }
        world.impulse_step = h;
    }
}

impl World {
    /// All manifolds at the present poses.
    pub(crate) fn contact_frames(&self) -> Vec<ContactFrame> {
        let manifolds = self.manifolds.iter();
        manifolds
            .map(|manifold| manifold.frame(self.pair(manifold.bodies)))
            .collect()
    }

    /// Poses of two bodies.
    pub(crate) fn pair(&self, bodies: [usize; 2]) -> [Pose; 2] {
        bodies.map(|body| self.bodies[body].pose())
    }
}

impl Manifold {
    /// Rows that a manifold stores impulses for.
    fn stored_rows(&self) -> usize {
        match self.law {
            ContactLaw::Patch => self.points.len() + 3,
            _ if self.resists_rolling() => 6 * self.points.len(),
            _ => 3 * self.points.len(),
        }
    }
}

/// A row that is about to enter the problem; `J` holds an entry per body.
struct EnteringRow<J> {
    info: RowInfo,
    jacobian: J,
}

impl<J: AsRef<[[f64; 6]]>> AsRef<[[f64; 6]]> for EnteringRow<J> {
    fn as_ref(&self) -> &[[f64; 6]] {
        self.jacobian.as_ref()
    }
}

/// A row of a contact.
type ContactEntry = EnteringRow<[[f64; 6]; 2]>;

#[derive(Default)]
struct Collector {
    mass: Vec<MassProperties>,
    builder: ProblemBuilder,
    rows: Vec<RowInfo>,
    contacts: ContactRows,
    outer: Vec<usize>,
    wrenches: Wrenches,
    far: Vec<[usize; 2]>,
    /// The manifold at hand, and the rows of its point at hand.
    now: ContactFrame,
    entries: Vec<ContactEntry>,
}

impl Collector {
    fn joint(&mut self, index: usize, joint: &Joint, rows: &Rows, h: f64) {
        let descriptor = joint.constraint.descriptor();
        let bodies = joint.constraint.bodies();
        let entries = rows.jacobian.chunks_exact(bodies.len());
        let entries: Vec<EnteringRow<&[[f64; 6]]>> = entries
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
        let limit = joint.max_force.map_or(f64::INFINITY, |force| force * h);
        let law = match descriptor.force {
            ForceKind::Limit => Law::Bounds {
                lower: 0.0,
                upper: limit,
            },
            ForceKind::Joint | ForceKind::Drive if limit.is_finite() => Law::Bounds {
                lower: -limit,
                upper: limit,
            },
            ForceKind::Joint | ForceKind::Drive => Law::Equality,
        };
        if !entries.is_empty() {
            self.wrenches.block();
        }
        self.block(law, bodies, &entries, index as u64);
    }

    fn manifold(
        &mut self,
        world: &World,
        (index, manifold): (usize, &Manifold),
        margin: Option<f64>,
        held: Option<&ContactFrame>,
    ) {
        let mut now = std::mem::take(&mut self.now);
        manifold.frame_in(world.pair(manifold.bodies), &mut now);
        let first = held.unwrap_or(&now);
        let dynamic = manifold.bodies.map(|body| world.bodies[body].is_dynamic());
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
            fixed: dynamic != [true; 2],
        };
        let mut entries = std::mem::take(&mut self.entries);
        if manifold.law != ContactLaw::Patch {
            for point in points {
                part.point(point, &mut entries);
                let law = part.law();
                self.contact(law, &part, &mut entries, point);
            }
        } else if points.peek().is_some() {
            let law = part.patch(&points.collect::<Vec<_>>(), &mut entries);
            self.contact(law, &part, &mut entries, 0);
        }
        (self.now, self.entries) = (now, entries);
    }

    fn contact(
        &mut self,
        law: Law,
        part: &ManifoldRows<'_>,
        entries: &mut Vec<ContactEntry>,
        point: usize,
    ) {
        let (index, manifold) = (part.index, part.manifold);
        // a contact whose normal moves nothing has no friction either; a patch keeps its rows or is refused
        let moves = |entry: &ContactEntry| self.moves(&manifold.bodies, &entry.jacobian);
        if !entries.first().is_some_and(moves) {
            return;
        }
        if !matches!(law, Law::Patch(_) | Law::Rolling(_)) {
            entries.retain(moves);
        }
        let free = manifold.bodies.iter().all(|body| {
            let mass = &self.mass[*body];
            mass.inverse_mass.min() > 0.0
        });
        for (row, entry) in (self.rows.len()..).zip(entries.iter()) {
            let RowInfo { kind, local, .. } = entry.info;
            if let RowKind::Normal { fixed } = kind {
                let point = if manifold.law == ContactLaw::Patch {
                    local
                } else {
                    local / 3
                };
                let at = (index, manifold, point);
                self.contacts.push(row, at, entry.info.error, fixed);
            }
        }
        if !free {
            self.outer.push(self.wrenches.blocks());
        }
        if entries.len() == 3 && !matches!(law, Law::Patch(_)) {
            let first = self.rows.len();
            self.wrenches
                .point(first, (index, manifold), part.frame, point);
        } else {
            self.wrenches.block();
        }
        let feature = 1 << 63 | (index as u64) << 16 | point as u64;
        self.block(law, &manifold.bodies, entries, feature);
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
        self.rows.extend(entries.iter().map(|entry| entry.info));
    }

    /// True if an impulse along the row moves a body.
    fn moves(&self, bodies: &[usize], jacobian: &[[f64; 6]]) -> bool {
        let pushes = |(body, entry): (&usize, &[f64; 6])| {
            let free = self.mass[*body].inverse_mass.min() > 0.0;
            free && entry[..3] != [0.0; 3]
        };
        if bodies.iter().zip(jacobian).any(pushes) {
            return true;
        }
        let (mut diagonal, mut scale) = (0.0, 0.0);
        for (body, entry) in bodies.iter().zip(jacobian) {
            let mass = &self.mass[*body];
            let moved = mass.times(entry);
            for axis in 0..3 {
                diagonal += moved[axis] * entry[axis] + moved[axis + 3] * entry[axis + 3];
                scale += mass.inverse_mass.max() * entry[axis] * entry[axis];
                scale += mass.inverse_inertia.trace() * entry[axis + 3] * entry[axis + 3];
            }
        }
        diagonal > LOCKED * scale
    }
}

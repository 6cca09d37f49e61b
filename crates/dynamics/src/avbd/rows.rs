//! The rows of a substep: error, bounds, penalty and multiplier.

use super::curvature::Differences;
use super::memory::SubstepMemory;
use super::parameters::{AvbdParameters, FrictionDirection};
use crate::assembly::Source;
use crate::constraint::{ForceKind, RowUnit, Rows};
use crate::contact::{ContactFrame, ContactPlace};
use crate::motion::{Motion, RowMemory, contact_rows};
use crate::spatial::relative;
use crate::world::World;
use delassus_core::{ContactLaw, SoftRow};
use nalgebra::Vector3;

/// One row.
#[derive(Debug, Clone)]
pub(super) struct Row {
    /// Penalty stiffness k \[N/m | N·m/rad\].
    pub(super) penalty: f64,
    /// Multiplier λ: the force of the row \[N | N·m\].
    pub(super) force: f64,
    /// Stiffness of the spring, infinite for a rigid row.
    stiffness: f64,
    /// What the penalty may decay to and grow to (V.14).
    floor: f64,
    ceiling: f64,
    /// Error at the start of the substep, as far as stabilisation may keep it (V.3) \[m | rad\].
    start: f64,
    /// Share of it that a soft row keeps; a rigid row keeps the scheme's α.
    kept: Option<f64>,
    /// Bounds of the force.
    bounds: (f64, f64),
    /// Growth of the penalty per error.
    beta: f64,
}

/// How the force of a row follows from its error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Pull {
    /// Error after stabilisation (V.3) \[m | rad\].
    pub(super) error: f64,
    /// Force within the bounds (V.4).
    pub(super) force: f64,
    /// Stiffness that the bounds leave (V.6).
    pub(super) stiffness: f64,
    /// True if the bounds change nothing.
    inside: bool,
}

/// Rows that are evaluated together: a joint, or a contact point.
#[derive(Debug, Clone)]
pub(super) struct Group {
    pub(super) source: Source,
    /// The contact point; 0 for a joint.
    point: usize,
    pub(super) bodies: Vec<usize>,
    pub(super) rows: Vec<Row>,
    /// Per row and body: length of every column of the row's second derivative (V.7).
    pub(super) curvatures: Vec<[f64; 6]>,
    /// Coefficient and law of the friction of a contact point.
    pub(super) friction: Option<(f64, ContactLaw)>,
    /// Tangents of a contact point at the start of the substep, world axes.
    pub(super) tangents: [Vector3<f64>; 2],
    /// True if a contact point pushes, with a friction inside the cone.
    sticks: bool,
    /// True for contacts and drives, whose errors are of first order; joints are evaluated where
    /// they are.
    is_linear: bool,
    pub(super) linear: Linear,
}

/// C₀ + J Δ + h ∂C/∂t (V.2).
#[derive(Debug, Clone, Default)]
pub(super) struct Linear {
    pub(super) start: Vec<f64>,
    /// h ∂C/∂t per row.
    advance: Vec<f64>,
    jacobian: Vec<[f64; 6]>,
}

/// All groups of a world at the start of a substep, with decayed penalties and multipliers (V.9);
/// the memory of earlier groups is reused.
pub(super) fn gather(
    world: &World,
    p: &AvbdParameters,
    h: f64,
    memory: &SubstepMemory,
    groups: &mut Vec<Group>,
    row_memory: &mut RowMemory,
    differences: &mut Differences,
) {
    let RowMemory { rows, frame, .. } = row_memory;
    let points: usize = world.manifolds.iter().map(|m| m.points.len()).sum();
    groups.resize_with(world.joints.len() + points, Group::default);
    let mut place = groups.iter_mut();
    for (index, group) in (0..world.joints.len()).zip(&mut place) {
        world.evaluate_joint(index, rows);
        joint(world, p, h, index, rows, group);
        if p.geometric_stiffness && !group.is_linear {
            differences.measure(world, index, &mut group.curvatures);
        }
    }
    let mut slips = memory.slips.iter();
    for index in 0..world.manifolds.len() {
        contacts(world, p, h, index, &mut slips, frame, &mut place);
    }
    // with a stabilising iteration of their own, multipliers hold no correction that would have to
    // fade
    let decay = if p.post_stabilize {
        1.0
    } else {
        p.alpha * p.gamma
    };
    let scale = if world.impulse_step > 0.0 {
        decay / world.impulse_step
    } else {
        0.0
    };
    let mut old = memory.penalties.iter();
    for group in groups {
        let (point, tangents) = (group.point, group.tangents);
        let stored = |local: usize| match group.source {
            Source::Joint(index) => world.joints[index].impulses.get(local).copied(),
            Source::Manifold(index) => {
                let manifold = &world.manifolds[index];
                Some(manifold.impulse_along(3 * point + local, &tangents))
            }
        };
        for (local, row) in group.rows.iter_mut().enumerate() {
            row.force = scale * stored(local).unwrap_or(0.0);
            let penalty = p.gamma * old.next().copied().unwrap_or(p.penalty_min);
            row.penalty = penalty.max(row.floor).min(row.ceiling);
        }
    }
}

fn joint(world: &World, p: &AvbdParameters, h: f64, index: usize, rows: &Rows, group: &mut Group) {
    let joint = &world.joints[index];
    let descriptor = joint.constraint.descriptor();
    let bodies = joint.constraint.bodies();
    let one_sided = descriptor.force == ForceKind::Limit;
    let entries = rows.jacobian.chunks_exact(bodies.len());
    let list = entries.zip(descriptor.units).zip(&rows.error);
    let list = list.map(|((entries, unit), error)| {
        let softness = joint.softness_of(*unit);
        let diagonal = world.row_diagonal(bodies, entries);
        let soft = softness.row(diagonal, h);
        let limit = joint.limit_of(*unit);
        let stiffness = soft.map_or(f64::INFINITY, |soft| 1.0 / (h * h * soft.compliance));
        let (floor, ceiling) = p.penalties(stiffness, diagonal, h);
        Row {
            penalty: floor,
            force: 0.0,
            floor,
            ceiling,
            stiffness,
            start: if one_sided { error.min(0.0) } else { *error },
            kept: soft.map(|soft| 1.0 - soft.bias_rate * h),
            bounds: (if one_sided { 0.0 } else { -limit }, limit),
            beta: match unit {
                RowUnit::Length => p.beta_linear,
                RowUnit::Angle => p.beta_angular,
            },
        }
    });
    group.begin(Source::Joint(index), 0, bodies);
    group.set_rows(list);
    if descriptor.force == ForceKind::Drive {
        group.is_linear = true;
        let Linear {
            start,
            advance,
            jacobian,
        } = &mut group.linear;
        start.extend_from_slice(&rows.error);
        advance.extend(rows.rate.iter().map(|rate| h * rate));
        jacobian.extend_from_slice(&rows.jacobian);
    }
}

fn contacts<'a>(
    world: &World,
    p: &AvbdParameters,
    h: f64,
    index: usize,
    slips: &mut impl Iterator<Item = Vector3<f64>>,
    frame: &mut ContactFrame,
    groups: &mut impl Iterator<Item = &'a mut Group>,
) {
    let manifold = &world.manifolds[index];
    world.contact_frame(manifold, ContactPlace::Surface, frame);
    for ((point, separation), group) in frame.separations.iter().enumerate().zip(groups) {
        let row = |start: f64, lower: f64, soft: Option<SoftRow>, diagonal: f64| {
            let stiffness = soft.map_or(f64::INFINITY, |soft| 1.0 / (h * h * soft.compliance));
            let (floor, ceiling) = p.penalties(stiffness, diagonal, h);
            Row {
                penalty: floor,
                force: 0.0,
                floor,
                ceiling,
                stiffness,
                start,
                kept: soft.map(|soft| 1.0 - soft.bias_rate * h),
                bounds: (lower, f64::INFINITY),
                beta: p.beta_linear,
            }
        };
        let diagonal = |direction: &Vector3<f64>| {
            let entries = relative(direction, &frame.arms[point]);
            world.row_diagonal(&manifold.bodies, &entries)
        };
        let slip = slips.next().unwrap_or_default();
        let slip = world.bodies[manifold.bodies[0]].orientation * slip;
        let slip = frame.tangents.map(|tangent| slip.dot(&tangent));
        let across = diagonal(&frame.normal);
        // both tangents have one penalty: that of the lighter one
        let along = frame.tangents.iter().map(diagonal).fold(0.0, f64::max);
        let tangent = |axis: usize| row(slip[axis], f64::NEG_INFINITY, None, along);
        let soft = manifold.softness.row(across, h);
        group.begin(Source::Manifold(index), point, &manifold.bodies);
        let normal = row(separation.min(0.0), 0.0, soft, across);
        group.set_rows([normal, tangent(0), tangent(1)]);
        group.friction = Some((manifold.friction, manifold.law));
        group.tangents = frame.tangents;
        group.is_linear = true;
        let linear = &mut group.linear;
        linear.start.extend([*separation, slip[0], slip[1]]);
        linear.advance.extend([0.0; 3]);
        let rows = contact_rows(frame, point);
        linear.jacobian.extend(rows.iter().flatten());
    }
}

impl Default for Group {
    /// No rows.
    fn default() -> Self {
        Self {
            source: Source::Joint(0),
            point: 0,
            bodies: Vec::new(),
            rows: Vec::new(),
            curvatures: Vec::new(),
            friction: None,
            tangents: [Vector3::zeros(); 2],
            sticks: false,
            is_linear: false,
            linear: Linear::default(),
        }
    }
}

impl Group {
    /// Takes all rows out, for those of something else; the memory stays.
    fn begin(&mut self, source: Source, point: usize, bodies: &[usize]) {
        (self.source, self.point) = (source, point);
        self.bodies.clear();
        self.bodies.extend_from_slice(bodies);
        (self.friction, self.tangents) = (None, [Vector3::zeros(); 2]);
        (self.sticks, self.is_linear) = (false, false);
        self.linear.start.clear();
        self.linear.advance.clear();
        self.linear.jacobian.clear();
    }

    /// Puts rows in, without curvature.
    fn set_rows(&mut self, rows: impl IntoIterator<Item = Row>) {
        self.rows.clear();
        self.rows.extend(rows);
        self.curvatures.clear();
        let entries = self.rows.len() * self.bodies.len();
        self.curvatures.resize(entries, [0.0; 6]);
    }

    /// Errors and Jacobian at the present poses and time (V.2).
    pub(super) fn evaluate(&self, world: &World, motion: &Motion, rows: &mut Rows) {
        rows.clear();
        let linear = &self.linear;
        match (self.is_linear, self.source) {
            (false, Source::Joint(index)) => world.evaluate_joint(index, rows),
            (false, Source::Manifold(_)) => {}
            (true, _) => {
                rows.jacobian.extend_from_slice(&linear.jacobian);
                let entries = linear.jacobian.chunks_exact(self.bodies.len());
                let known = linear.start.iter().zip(&linear.advance);
                for (entries, (start, advance)) in entries.zip(known) {
                    let moved = motion.along(&self.bodies, entries);
                    rows.error.push(start + moved + advance);
                    rows.rate.push(0.0);
                }
            }
        }
    }

    /// Forces of the rows for their errors (V.3)–(V.6).
    pub(super) fn pulls(&self, errors: &[f64], alpha: f64, out: &mut Vec<Pull>) {
        out.clear();
        let pairs = self.rows.iter().zip(errors);
        out.extend(pairs.map(|(row, error)| row.pull(*error, alpha)));
        let Some((mu, law)) = self.friction else {
            return;
        };
        let bound = match law {
            ContactLaw::Frictionless => 0.0,
            _ => mu * out[0].force,
        };
        if law == ContactLaw::Pyramid {
            for pull in &mut out[1..] {
                let size = pull.force.abs();
                pull.shorten(size, bound);
            }
        } else {
            let size = length([out[1].force, out[2].force]);
            for pull in &mut out[1..] {
                pull.shorten(size, bound);
            }
        }
    }

    /// True for a contact point.
    pub(super) fn is_contact(&self) -> bool {
        self.friction.is_some()
    }

    /// How far a contact point has slipped since it began to stick, in the axes of its first body
    /// (V.11); zero for one that slides or does not touch \[m\].
    pub(super) fn slip(&self, world: &World, motion: &Motion, rows: &mut Rows) -> Vector3<f64> {
        if !self.sticks {
            return Vector3::zeros();
        }
        self.evaluate(world, motion, rows);
        let slip = rows.error[1] * self.tangents[0] + rows.error[2] * self.tangents[1];
        world.bodies[self.bodies[0]].orientation.inverse() * slip
    }

    /// The dual update: multipliers take the forces, penalties grow (V.8).
    pub(super) fn update_dual(&mut self, pulls: &[Pull], direction: FrictionDirection) {
        let slip = self.shared_slip(pulls, direction);
        for (index, (row, pull)) in self.rows.iter_mut().zip(pulls).enumerate() {
            row.force = pull.force;
            if pull.inside {
                let shared = slip.filter(|_| index > 0);
                let grown = row.penalty + row.beta * shared.unwrap_or(pull.error.abs());
                row.penalty = grown.min(row.ceiling);
            }
        }
        self.sticks = self.friction.is_some() && pulls.iter().all(|pull| pull.inside);
    }
}

/// Length of a vector in the tangent plane.
pub(super) fn length([a, b]: [f64; 2]) -> f64 {
    (a * a + b * b).sqrt()
}

impl Row {
    /// True for limits and normals.
    pub(super) fn is_one_sided(&self) -> bool {
        self.bounds.0 == 0.0
    }

    /// True for a spring.
    fn is_soft(&self) -> bool {
        self.stiffness.is_finite()
    }

    fn pull(&self, error: f64, alpha: f64) -> Pull {
        let error = error - self.kept.unwrap_or(alpha) * self.start;
        // a spring has no multiplier of its own: its force is its error's
        let multiplier = if self.is_soft() { 0.0 } else { self.force };
        let trial = multiplier - self.penalty * error;
        let force = trial.clamp(self.bounds.0, self.bounds.1);
        Pull {
            error,
            force,
            stiffness: if force == trial {
                self.penalty
            } else {
                self.penalty * (force / trial).abs()
            },
            inside: force == trial && !(self.bounds.0 == 0.0 && force == 0.0),
        }
    }
}

impl Pull {
    /// Scales a friction force of a pair that is `size` long to at most `bound`.
    fn shorten(&mut self, size: f64, bound: f64) {
        if size > bound {
            let factor = bound / size;
            self.force *= factor;
            self.stiffness *= factor;
            self.inside = false;
        }
    }
}

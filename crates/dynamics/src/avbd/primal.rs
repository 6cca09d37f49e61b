//! The primal update: one Newton step for the position of one body, the others fixed.

use std::ops::Range;

use nalgebra::{Matrix3, Matrix6, Vector3, Vector6};

use super::rows::{Group, Pull};
use crate::constraint::Rows;
use crate::motion::Motion;
use crate::spatial::split_spatial;
use crate::world::World;

/// The quantities of a body that the primal updates of a substep use.
#[derive(Debug, Clone)]
pub(super) struct Target {
    /// Mass \[kg\].
    mass: f64,
    /// Inertia at the start of the substep, world axes \[kg·m²\].
    inertia: Matrix3<f64>,
    /// Where the body would go without constraints: displacement \[m\] and rotation vector \[rad\]
    /// (V.1).
    motion: Vector6<f64>,
    /// The coordinates that may change.
    free: [bool; 6],
    /// Groups that touch the body, with its place among their bodies, in the list of all.
    groups: Range<usize>,
}

/// The targets of all bodies, and the groups that touch them.
#[derive(Debug, Clone, Default)]
pub(super) struct Targets {
    /// One per body; `None` for bodies that nothing moves.
    of_body: Vec<Option<Target>>,
    /// Body by body: the group, and the place of the body among its bodies.
    groups: Vec<(usize, usize)>,
    /// Where the next group of each body goes.
    next: Vec<usize>,
}

impl Targets {
    /// Sets them for the free velocities of a substep.
    pub(super) fn set(&mut self, world: &World, free: &[f64], h: f64, groups: &[Group]) {
        self.list(world.bodies.len(), groups);
        let bodies = world.bodies.iter().zip(free.chunks_exact(6));
        let mut first = 0;
        self.of_body.clear();
        self.of_body
            .extend(bodies.zip(&self.next).map(|((body, v), end)| {
                let groups = std::mem::replace(&mut first, *end)..*end;
                let point = body.inertia.moments == Vector3::zeros();
                let (linear, angular) = (body.lock_translation, body.lock_rotation);
                body.is_dynamic().then(|| Target {
                    mass: body.inertia.mass,
                    inertia: body.world_inertia(),
                    motion: h * Vector6::from_column_slice(v),
                    free: std::array::from_fn(|axis| match axis {
                        0..3 => !linear[axis],
                        _ => !(point || angular[axis - 3]),
                    }),
                    groups,
                })
            }));
    }

    /// Lists the groups body by body; `next` is then where those of each body end.
    fn list(&mut self, bodies: usize, groups: &[Group]) {
        let Self {
            groups: list, next, ..
        } = self;
        next.clear();
        next.resize(bodies + 1, 0);
        for body in groups.iter().flat_map(|group| &group.bodies) {
            next[body + 1] += 1;
        }
        for body in 0..bodies {
            next[body + 1] += next[body];
        }
        list.clear();
        list.resize(next[bodies], (0, 0));
        for (index, group) in groups.iter().enumerate() {
            for (side, body) in group.bodies.iter().enumerate() {
                list[next[*body]] = (index, side);
                next[*body] += 1;
            }
        }
    }

    /// The bodies that move, with their targets.
    pub(super) fn moving(&self) -> impl Iterator<Item = (usize, &Target)> {
        let targets = self.of_body.iter().enumerate();
        targets.filter_map(|(body, target)| Some((body, target.as_ref()?)))
    }

    /// Angular impulses of the rows: what the inertia resists of the rotation that they made of the
    /// free one \[N·m·s\] (V.5). Bodies without rows have none.
    pub(super) fn angular_impulses(&self, motion: &Motion, h: f64, out: &mut Vec<Vector3<f64>>) {
        out.clear();
        out.extend(
            self.of_body
                .iter()
                .enumerate()
                .map(|(body, target)| match target {
                    Some(target) if !target.groups.is_empty() => {
                        let [_, missed] = split_spatial(
                            (Vector6::from(motion.of(body)) - target.motion).as_slice(),
                        );
                        target.inertia * (missed / h)
                    }
                    _ => Vector3::zeros(),
                }),
        );
    }

    /// The groups that touch the body of a target.
    fn touching(&self, target: &Target) -> &[(usize, usize)] {
        &self.groups[target.groups.clone()]
    }
}

/// Memory of the updates.
#[derive(Debug, Clone, Default)]
pub(super) struct Scratch {
    pub(super) rows: Rows,
    pub(super) pulls: Vec<Pull>,
    /// Per one-sided row of a body: true if it pushes, and did before the step.
    pushing: Vec<bool>,
    pushed: Vec<bool>,
}

/// What a visit of the bodies does not change.
pub(super) struct Visit<'a> {
    pub(super) groups: &'a [Group],
    pub(super) targets: &'a Targets,
    /// Length of the substep \[s\].
    pub(super) h: f64,
    /// Share of a substep's first error that rigid rows keep (V.3) \[-\].
    pub(super) alpha: f64,
}

/// Newton steps of one visit: rows that begin or end to push within a step ask for another.
const STEPS: usize = 4;

/// Moves one body by Newton steps (V.5), until the rows that push are those that the step knew.
///
/// One that would still change them after so many steps is the last one, and has the whole
/// stiffness of all rows: it cannot overshoot.
pub(super) fn update(
    world: &mut World,
    motion: &mut Motion,
    visit: &Visit<'_>,
    body: usize,
    target: &Target,
    scratch: &mut Scratch,
) {
    for step in 0..STEPS {
        let whole = step + 1 == STEPS;
        let mut system = System::new(target, &Vector6::from(motion.of(body)), visit.h);
        collect(world, motion, visit, target, whole, &mut system, scratch);
        if step > 0 && scratch.pushing == scratch.pushed {
            return;
        }
        std::mem::swap(&mut scratch.pushing, &mut scratch.pushed);
        let [displacement, turn] = system.step(target);
        motion.shift(world, body, displacement, &turn);
        if scratch.pushed.is_empty() {
            return;
        }
    }
}

/// The linear system of one step.
struct System {
    matrix: Matrix6<f64>,
    force: Vector6<f64>,
}

impl System {
    /// The inertia term of (V.5).
    fn new(target: &Target, motion: &Vector6<f64>, h: f64) -> Self {
        let square = 1.0 / (h * h);
        let mut matrix = Matrix6::zeros();
        for axis in 0..3 {
            matrix[(axis, axis)] = square * target.mass;
        }
        matrix
            .fixed_view_mut::<3, 3>(3, 3)
            .copy_from(&(square * target.inertia));
        let force = -(matrix * (motion - target.motion));
        Self { matrix, force }
    }

    /// Adds a row.
    fn add(&mut self, jacobian: Vector6<f64>, force: f64, stiffness: f64, curvature: &[f64; 6]) {
        self.force += force * jacobian;
        self.matrix += stiffness * jacobian * jacobian.transpose();
        for axis in 0..6 {
            self.matrix[(axis, axis)] += force.abs() * curvature[axis];
        }
    }

    /// Displacement and turn of the step.
    fn step(mut self, target: &Target) -> [Vector3<f64>; 2] {
        for axis in (0..6).filter(|axis| !target.free[*axis]) {
            self.matrix.fill_row(axis, 0.0);
            self.matrix.fill_column(axis, 0.0);
            self.matrix[(axis, axis)] = 1.0;
            self.force[axis] = 0.0;
        }
        // positive definite by construction: no factor means that the state is not finite, and the
        // step says so
        let step = match self.matrix.cholesky() {
            Some(factor) => factor.solve(&self.force),
            None => Vector6::repeat(f64::NAN),
        };
        split_spatial(step.as_slice())
    }
}

/// Adds the rows of a body to its system, with the `whole` stiffness or what the bounds leave of
/// it, and notes which of the one-sided ones push.
fn collect(
    world: &World,
    motion: &Motion,
    visit: &Visit<'_>,
    target: &Target,
    whole: bool,
    system: &mut System,
    scratch: &mut Scratch,
) {
    scratch.pushing.clear();
    for (group, side) in visit.targets.touching(target) {
        let group = &visit.groups[*group];
        group.evaluate(world, motion, &mut scratch.rows);
        group.pulls(&scratch.rows.error, visit.alpha, &mut scratch.pulls);
        let sides = group.bodies.len();
        let entries = scratch.rows.jacobian.chunks_exact(sides);
        let curvatures = group.curvatures.chunks_exact(sides);
        let rows = entries.zip(&scratch.pulls).zip(curvatures).zip(&group.rows);
        for (((entries, pull), curvature), row) in rows {
            let stiffness = if whole { row.penalty } else { pull.stiffness };
            let jacobian = Vector6::from(entries[*side]);
            system.add(jacobian, pull.force, stiffness, &curvature[*side]);
            if row.is_one_sided() {
                scratch.pushing.push(pull.force > 0.0);
            }
        }
    }
}

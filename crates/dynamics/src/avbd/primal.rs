//! The primal update: one Newton step for the position of one body, the others fixed.

use nalgebra::{Matrix3, Matrix6, UnitQuaternion, Vector3, Vector6};

use super::rows::{Group, Pull};
use crate::constraint::Rows;
use crate::motion::Motion;
use crate::rotation;
use crate::six::halves;
use crate::world::World;

/// What the primal updates of a substep need to know about a body.
#[derive(Debug, Clone)]
pub(super) struct Target {
    /// Mass \[kg\].
    mass: f64,
    /// Inertia at the start of the substep, world axes \[kg·m²\].
    inertia: Matrix3<f64>,
    /// Where the body would go without constraints: displacement \[m\] and orientation (V.1).
    displacement: Vector3<f64>,
    orientation: UnitQuaternion<f64>,
    /// The coordinates that may change.
    free: [bool; 6],
    /// Groups that touch the body, with its place among their bodies.
    groups: Vec<(usize, usize)>,
}

impl Target {
    /// The targets of all bodies for the free velocities of a substep; `None` for bodies that nothing moves.
    pub(super) fn all(world: &World, free: &[f64], h: f64, groups: &[Group]) -> Vec<Option<Self>> {
        let mut touching = vec![Vec::new(); world.bodies.len()];
        for (index, group) in groups.iter().enumerate() {
            for (side, body) in group.bodies.iter().enumerate() {
                touching[*body].push((index, side));
            }
        }
        let bodies = world.bodies.iter().zip(free.chunks_exact(6)).zip(touching);
        bodies
            .map(|((body, v), groups)| {
                let point = body.inertia.moments == Vector3::zeros();
                let (linear, angular) = (body.lock_translation, body.lock_rotation);
                let [velocity, spin] = halves(v);
                body.is_dynamic().then(|| Self {
                    mass: body.inertia.mass,
                    inertia: body.world_inertia(),
                    displacement: h * velocity,
                    orientation: rotation::turned(&body.orientation, &(h * spin)),
                    free: std::array::from_fn(|axis| match axis {
                        0..3 => !linear[axis],
                        _ => !(point || angular[axis - 3]),
                    }),
                    groups,
                })
            })
            .collect()
    }
}

/// Memory of the updates.
#[derive(Debug, Clone, Default)]
pub(super) struct Scratch {
    pub(super) rows: Rows,
    pub(super) pulls: Vec<Pull>,
}

/// Moves one body by the Newton step of (V.5).
pub(super) fn update(
    world: &mut World,
    motion: &mut Motion,
    groups: &[Group],
    (body, target): (usize, &Target),
    (h, alpha): (f64, f64),
    scratch: &mut Scratch,
) {
    let square = 1.0 / (h * h);
    let mut matrix = Matrix6::zeros();
    for axis in 0..3 {
        matrix[(axis, axis)] = square * target.mass;
    }
    matrix
        .fixed_view_mut::<3, 3>(3, 3)
        .copy_from(&(square * target.inertia));
    let now = motion.of(world, body);
    let turn = world.bodies[body].orientation * target.orientation.inverse();
    let turn = if world.bodies[body].orientation == target.orientation {
        Vector3::zeros()
    } else {
        rotation::log(&turn)
    };
    let missed = halves(&now)[0] - target.displacement;
    let missed = Vector6::new(missed.x, missed.y, missed.z, turn.x, turn.y, turn.z);
    let mut force = -(matrix * missed);
    for (group, side) in &target.groups {
        let group = &groups[*group];
        group.evaluate(world, motion, &mut scratch.rows);
        group.pulls(&scratch.rows.error, alpha, &mut scratch.pulls);
        let entries = scratch.rows.jacobian.chunks_exact(group.bodies.len());
        let rows = entries.zip(&scratch.pulls).zip(&group.rows);
        for ((entries, pull), row) in rows {
            let jacobian = Vector6::from(entries[*side]);
            force += pull.force * jacobian;
            matrix += pull.stiffness * jacobian * jacobian.transpose();
            for axis in 0..6 {
                matrix[(axis, axis)] += pull.force.abs() * row.curvature[*side][axis];
            }
        }
    }
    for axis in (0..6).filter(|axis| !target.free[*axis]) {
        matrix.fill_row(axis, 0.0);
        matrix.fill_column(axis, 0.0);
        matrix[(axis, axis)] = 1.0;
        force[axis] = 0.0;
    }
    // positive definite by construction: no factor means that the state is not finite, and the step says so
    let step = match matrix.cholesky() {
        Some(factor) => factor.solve(&force),
        None => Vector6::repeat(f64::NAN),
    };
    let [displacement, turn] = halves(step.as_slice());
    motion.shift(world, body, displacement, &turn);
}

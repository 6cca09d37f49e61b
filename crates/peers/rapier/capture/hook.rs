//! Hands the rows of every pass to an observer, before and after the pass.
//!
//! A row says w = J v + bias + compliance λ, where the solver adds M⁻¹ Jᵀ λ to the velocities.
//! Soft bodies and multibodies have no rows here: `Pass::complete` is false where there are any.

use core::cell::RefCell;

use na::SimdValue;

use super::SharedCtx;
use crate::alloc_prelude::*;
use crate::dynamics::IntegrationParameters;
use crate::dynamics::solver::joint_constraint::JointConstraintsSet;
use crate::math::{Real, SIMD_WIDTH, SimdReal};
use crate::utils::ScalarType;

/// What a row belongs to.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum RowKind {
    /// A row of a joint, with its bounds.
    Joint,
    /// The normal of a contact point.
    Normal,
    /// One of two tangents of a manifold, whose impulses are bounded together.
    Tangent,
    /// The twist about the normal of a manifold.
    Twist,
}

/// A row of the solver.
#[derive(Copy, Clone, Debug)]
pub struct Row {
    /// What the row belongs to.
    pub kind: RowKind,
    /// The joint or manifold.
    pub owner: u64,
    /// Indices of the two bodies; `u32::MAX` is the world.
    pub bodies: [u32; 2],
    /// Linear and angular entries of both bodies.
    pub jacobian: [[f64; 6]; 2],
    /// The bias of this pass.
    pub bias: f64,
    /// The softness of this pass.
    pub compliance: f64,
    /// Least and largest impulse of a joint's row.
    pub bounds: [f64; 2],
    /// Distance of a contact point from the friction centre.
    pub lever: f64,
    /// Friction coefficient.
    pub friction: f64,
    /// The impulse.
    pub impulse: f64,
}

/// A body of the solver.
#[derive(Copy, Clone, Debug)]
pub struct Body {
    /// Inverse mass per axis.
    pub inverse_mass: [f64; 3],
    /// Inverse inertia in world axes.
    pub inverse_inertia: [f64; 9],
    /// Linear and angular velocity.
    pub velocity: [f64; 6],
}

/// The state of the solver before or after a pass.
#[derive(Clone, Debug)]
pub struct Pass {
    /// Whether bias and softness are left out.
    pub relax: bool,
    /// Whether the pass has been solved.
    pub solved: bool,
    /// Whether this pass solves friction.
    pub friction: bool,
    /// Index of the substep.
    pub substep: usize,
    /// Number of substeps.
    pub substeps: usize,
    /// Iterations of the pass.
    pub iterations: usize,
    /// Length of the substep.
    pub dt: f64,
    /// Whether `rows` are all rows.
    pub complete: bool,
    /// The bodies.
    pub bodies: Vec<Body>,
    /// The rows, in the order in which they are solved.
    pub rows: Vec<Row>,
}

/// Called with every pass.
pub type Observer = Box<dyn FnMut(Pass)>;

std::thread_local! {
    static OBSERVER: RefCell<Option<Observer>> = const { RefCell::new(None) };
}

/// Sets or removes the observer of this thread.
pub fn observe(observer: Option<Observer>) {
    OBSERVER.with(|slot| *slot.borrow_mut() = observer);
}

/// Where the solver is.
pub(super) struct Moment {
    pub(super) relax: bool,
    pub(super) solved: bool,
    pub(super) substep: usize,
    pub(super) solved_dt: Real,
}

fn lane(v: &<SimdReal as ScalarType>::Vector, i: usize, sign: f64) -> [f64; 3] {
    [v.x, v.y, v.z].map(|x| sign * f64::from(x.extract(i)))
}

fn side(linear: [f64; 3], angular: [f64; 3]) -> [f64; 6] {
    let [x, y, z] = linear;
    let [a, b, c] = angular;
    [x, y, z, a, b, c]
}

/// Calls the observer, if there is one.
///
/// # Safety
/// No other worker writes constraints or bodies.
pub(super) unsafe fn report(
    ctx: &SharedCtx,
    group_index: usize,
    moment: &Moment,
    params: &IntegrationParameters,
) {
    OBSERVER.with(|slot| {
        if let Some(observer) = slot.borrow_mut().as_mut() {
            observer(unsafe { pass(ctx, group_index, moment, params) });
        }
    });
}

unsafe fn pass(
    ctx: &SharedCtx,
    group_index: usize,
    moment: &Moment,
    params: &IntegrationParameters,
) -> Pass {
    let group = &ctx.groups[group_index];
    let joints = unsafe { &*ctx.joint_constraints };
    let contacts = unsafe { &*ctx.contact_constraints };
    let solver_bodies = unsafe { &(*ctx.velocity_solver).solver_bodies };
    let base = ctx.base_params;
    let mut rows = Vec::new();
    for (_, range) in &ctx.joint_color_ranges[group.joint_colors.clone()] {
        for chunk in range.clone() {
            add_joint_chunk(
                joints,
                ctx.joint_chunk_rows[chunk].clone(),
                moment,
                &mut rows,
            );
        }
    }
    for joint in group.joint_overflow.clone() {
        add_joint(joints, ctx.joint_rows[joint].clone(), moment, &mut rows);
    }
    let colors = ctx.color_ranges[group.colors.clone()].iter();
    let chunks = colors.flat_map(|(_, range)| range.clone());
    for chunk in chunks.chain(group.overflow.clone()) {
        if ctx.use_twist {
            unsafe { add_manifolds(ctx, chunk, moment, params, &mut rows) };
        }
    }
    let count = ctx.island_bodies.len();
    let poses = &solver_bodies.poses[..count];
    let bodies = poses
        .iter()
        .zip(&solver_bodies.vels[..count])
        .map(|(pose, vel)| {
            let (m, i) = (pose.im, pose.ii);
            let inertia = [
                i.m11, i.m12, i.m13, i.m12, i.m22, i.m23, i.m13, i.m23, i.m33,
            ];
            let (v, w) = (vel.linear, vel.angular);
            Body {
                inverse_mass: [m.x, m.y, m.z].map(f64::from),
                inverse_inertia: inertia.map(f64::from),
                velocity: [v.x, v.y, v.z, w.x, w.y, w.z].map(f64::from),
            }
        });
    Pass {
        relax: moment.relax,
        solved: moment.solved,
        friction: moment.relax
            || base.friction_in_bias_pass
            || base.num_internal_stabilization_iterations == 0,
        substep: moment.substep,
        substeps: group.num_substeps,
        iterations: match moment.relax {
            true => base.num_internal_stabilization_iterations,
            false => group.num_pgs_iterations,
        },
        dt: f64::from(params.dt),
        complete: ctx.use_twist
            && ctx.groups.len() == 1
            && unsafe { (*ctx.soft_constraints).is_empty() }
            && joints.generic_velocity_constraints.is_empty()
            && contacts.generic_velocity_constraints.is_empty(),
        bodies: bodies.collect(),
        rows,
    }
}

/// Four joints side by side; lanes without a joint repeat the first one.
fn add_joint_chunk(
    joints: &JointConstraintsSet,
    range: core::ops::Range<usize>,
    moment: &Moment,
    rows: &mut Vec<Row>,
) {
    let chunk = &joints.simd_velocity_constraints[range];
    let Some(first) = chunk.first() else { return };
    for i in (0..SIMD_WIDTH).filter(|i| *i == 0 || first.joint_id[*i] != first.joint_id[0]) {
        rows.extend(chunk.iter().map(|c| {
            let rhs = if moment.relax { c.rhs_wo_bias } else { c.rhs };
            Row {
                kind: RowKind::Joint,
                owner: c.joint_id[i] as u64,
                bodies: [c.solver_vel1[i], c.solver_vel2[i]],
                jacobian: [
                    side(lane(&c.lin_jac, i, 1.0), lane(&c.ang_jac1, i, 1.0)),
                    side(lane(&c.lin_jac, i, -1.0), lane(&c.ang_jac2, i, -1.0)),
                ],
                bias: -f64::from(rhs.extract(i)),
                compliance: f64::from(c.cfm_gain.extract(i)),
                bounds: c.impulse_bounds.map(|x| f64::from(x.extract(i))),
                lever: 0.0,
                friction: 0.0,
                impulse: f64::from(c.impulse.extract(i)),
            }
        }));
    }
}

fn add_joint(
    joints: &JointConstraintsSet,
    range: core::ops::Range<usize>,
    moment: &Moment,
    rows: &mut Vec<Row>,
) {
    rows.extend(joints.velocity_constraints[range].iter().map(|c| {
        let (l, a, b) = (c.lin_jac, c.ang_jac1, c.ang_jac2);
        let rhs = if moment.relax { c.rhs_wo_bias } else { c.rhs };
        Row {
            kind: RowKind::Joint,
            owner: c.joint_id[0] as u64,
            bodies: [c.solver_vel1[0], c.solver_vel2[0]],
            jacobian: [
                [l.x, l.y, l.z, a.x, a.y, a.z].map(f64::from),
                [-l.x, -l.y, -l.z, -b.x, -b.y, -b.z].map(f64::from),
            ],
            bias: -f64::from(rhs),
            compliance: f64::from(c.cfm_gain),
            bounds: c.impulse_bounds.map(f64::from),
            lever: 0.0,
            friction: 0.0,
            impulse: f64::from(c.impulse),
        }
    }));
}

/// Four manifolds side by side: their normals, two tangents and the twist.
unsafe fn add_manifolds(
    ctx: &SharedCtx,
    chunk: usize,
    moment: &Moment,
    params: &IntegrationParameters,
    rows: &mut Vec<Row>,
) {
    let c = unsafe { &mut *ctx.twist_constraints.add(chunk) };
    if moment.relax && !moment.solved {
        // what the pass does itself before it solves the chunk
        let bodies = unsafe { &(*ctx.velocity_solver).solver_bodies };
        let builder = unsafe { &*ctx.twist_builders.add(chunk) };
        builder.update_rhs_wo_bias(params, moment.solved_dt, bodies, c);
    }
    let tangents = [c.tangent1, c.dir1.cross(&c.tangent1)];
    for i in (0..SIMD_WIDTH).filter(|i| !c.manifold_id[*i].is_padding()) {
        let of = |x: SimdReal| f64::from(x.extract(i));
        let manifold = c.manifold_id[i];
        let row = Row {
            kind: RowKind::Normal,
            owner: (1 << 48)
                + (u64::from(manifold.edge) << 16)
                + (u64::from(manifold.manifold) << 8),
            bodies: [c.solver_vel1[i], c.solver_vel2[i]],
            jacobian: [[0.0; 6]; 2],
            bias: 0.0,
            compliance: 0.0,
            bounds: [0.0, f64::INFINITY],
            lever: 0.0,
            friction: of(c.limit),
            impulse: 0.0,
        };
        let count = c.num_contacts as usize;
        for (k, n) in c.normal_part[..count].iter().enumerate() {
            if c.manifold_contact_id[k][i] == u8::MAX {
                continue;
            }
            rows.push(Row {
                jacobian: [
                    side(lane(&c.dir1, i, 1.0), lane(&n.torque_dir1, i, 1.0)),
                    side(lane(&c.dir1, i, -1.0), lane(&n.torque_dir2, i, 1.0)),
                ],
                bias: of(n.rhs),
                compliance: (1.0 / of(n.cfm_factor) - 1.0) / of(n.r),
                lever: if count > 1 { of(c.twist_dists[k]) } else { 0.0 },
                impulse: of(n.impulse),
                ..row
            });
        }
        let t = &c.tangent_part;
        for j in 0..2 {
            rows.push(Row {
                kind: RowKind::Tangent,
                jacobian: [
                    side(lane(&tangents[j], i, 1.0), lane(&t.torque_dir1[j], i, 1.0)),
                    side(lane(&tangents[j], i, -1.0), lane(&t.torque_dir2[j], i, 1.0)),
                ],
                bias: of(t.rhs[j]),
                impulse: of(t.impulse[j]),
                ..row
            });
        }
        let zero = [0.0; 3];
        rows.push(Row {
            kind: RowKind::Twist,
            jacobian: [
                side(zero, lane(&c.dir1, i, 1.0)),
                side(zero, lane(&c.dir1, i, -1.0)),
            ],
            impulse: of(c.twist_part.impulse),
            ..row
        });
    }
}

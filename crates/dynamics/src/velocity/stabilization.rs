//! What a row of a joint, and a contact, does about its error: rates, springs and bounds of the
//! push.

use delassus_core::{FrameSpring, Softness};

use super::parameters::{LimitRows, OpenRows, PushLimit, Stabilization, VelocityParameters};
use crate::assembly::{RowInfo, RowKind, Source};
use crate::constraint::{ForceKind, RowUnit};
use crate::world::World;

/// The bias of a solve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bias {
    /// With stabilisation.
    On,
    /// Without it, the relax solve: rigid rows get zero bias and compliance, soft joints keep
    /// theirs.
    Off,
    /// Nothing but the stabilisation: the second velocity field of split impulses.
    Alone,
}

/// True if a solve removes the position errors of rigid rows.
pub(super) fn corrects(parameters: &VelocityParameters, bias: Bias) -> bool {
    let split = parameters.stabilization == Stabilization::SplitImpulse;
    bias != Bias::Off && split == (bias == Bias::Alone)
}

/// Bias and compliance of the row of a joint.
pub(super) fn of_joint_row(
    world: &World,
    row: &RowInfo,
    diagonal: f64,
    parameters: &VelocityParameters,
    h: f64,
    solve: Bias,
) -> (f64, f64) {
    let unilateral = matches!(row.kind, RowKind::Joint(ForceKind::Limit, _));
    let rate = if solve == Bias::Alone { 0.0 } else { row.rate };
    if let Some(soft) = authored(world, row).row(diagonal, h) {
        // a spring of the scene is physics: it is the same in every solve, and none of the
        // pseudo-velocities' business
        if solve == Bias::Alone {
            return (0.0, soft.compliance);
        }
        if !(unilateral && row.error > 0.0) {
            return (soft.bias_rate * row.error + rate, soft.compliance);
        }
    }
    let open = unilateral && row.error > 0.0;
    if open && (parameters.open_rows != OpenRows::Soft || !corrects(parameters, solve)) {
        // open: the rows may close the gap within the step and no more (T.11)
        return (row.error / h + rate, 0.0);
    }
    if !corrects(parameters, solve) {
        return (rate, 0.0);
    }
    let (bias_rate, compliance) = stabilized(unilateral, diagonal, parameters, h);
    if open {
        return (row.error / h + rate, compliance);
    }
    let (error, limit) = if unilateral {
        unilateral_push(row.error, parameters, diagonal, compliance)
    } else {
        let dead = row
            .error
            .clamp(-parameters.joint_slop, parameters.joint_slop);
        (row.error - dead, f64::INFINITY)
    };
    let bias = (bias_rate * error).clamp(-limit, limit);
    (bias + rate, compliance)
}

/// Error of a closed limit that is worked off \[m | rad\], and how fast at most \[m/s | rad/s\].
fn unilateral_push(
    error: f64,
    parameters: &VelocityParameters,
    diagonal: f64,
    compliance: f64,
) -> (f64, f64) {
    let bound = push_limit(parameters, diagonal, compliance);
    match parameters.limit_rows {
        LimitRows::Contacts => ((error + parameters.slop).min(0.0), bound),
        LimitRows::Joints => (error, f64::INFINITY),
        LimitRows::BoundedJoints => (error, bound),
    }
}

/// Softness that the scene gives a row.
fn authored(world: &World, row: &RowInfo) -> Softness {
    match row.source {
        Source::Joint(index) => {
            let unit = row.unit().unwrap_or(RowUnit::Length);
            world.joints[index].softness_of(unit)
        }
        Source::Manifold(_) => Softness::Rigid,
    }
}

/// Bias rate \[1/s\] and compliance \[1/kg\] that the stabilisation gives a rigid row of a joint.
fn stabilized(
    unilateral: bool,
    diagonal: f64,
    parameters: &VelocityParameters,
    h: f64,
) -> (f64, f64) {
    if parameters.stabilization != Stabilization::Soft {
        return (rigid_rate(parameters, h), 0.0);
    }
    let softness = if unilateral && parameters.limit_rows == LimitRows::Contacts {
        contact_spring(parameters, false, h)
    } else {
        joint_spring(parameters, h)
    };
    let soft = softness.row(diagonal, h);
    soft.map_or((0.0, 0.0), |soft| (soft.bias_rate, soft.compliance))
}

/// Bias rate \[1/s\] of the stabilisations that leave rows rigid.
pub(super) fn rigid_rate(parameters: &VelocityParameters, h: f64) -> f64 {
    match parameters.stabilization {
        Stabilization::None | Stabilization::Soft | Stabilization::Impedance => 0.0,
        Stabilization::Baumgarte | Stabilization::SplitImpulse => parameters.beta / h,
        Stabilization::TauDamping => parameters.beta / (parameters.damping * h),
    }
}

/// Largest bias velocity that pushes a row out \[m/s | rad/s\] (T.24, T.25).
pub(super) fn push_limit(parameters: &VelocityParameters, diagonal: f64, compliance: f64) -> f64 {
    let limit = parameters.max_push_speed.unwrap_or(f64::INFINITY);
    match parameters.push_limit {
        PushLimit::Bias => limit,
        // over the mass scale A / (A + R)
        PushLimit::Scaled => limit * (1.0 + compliance / diagonal),
    }
}

/// The spring of a rigid joint.
pub(super) fn joint_spring(parameters: &VelocityParameters, h: f64) -> Softness {
    Softness::Frequency {
        hertz: parameters.joint_hertz.min(parameters.joint_hertz_limit / h),
        damping_ratio: parameters.joint_damping_ratio,
    }
}

/// The spring of a rigid contact; `fixed` if one of its bodies is static for the scheme.
pub(super) fn contact_spring(parameters: &VelocityParameters, fixed: bool, h: f64) -> Softness {
    let hertz = parameters
        .contact_hertz
        .min(parameters.contact_hertz_limit / h);
    let [stiffer, damped] = if fixed {
        [
            parameters.static_hertz_factor,
            parameters.static_damping_factor,
        ]
    } else {
        [1.0; 2]
    };
    Softness::Frequency {
        hertz: stiffer * hertz,
        damping_ratio: damped * parameters.contact_damping_ratio,
    }
}

/// What joints are like in the solve with bias, where R is a share of A (T.60).
pub(super) fn frame_joint_spring(parameters: &VelocityParameters, h: f64) -> FrameSpring {
    let soft = joint_spring(parameters, h).row(1.0, h);
    let [bias_rate, softness] = soft.map_or([0.0; 2], |soft| [soft.bias_rate, soft.compliance]);
    FrameSpring {
        bias_rate,
        softness,
        push_limit: f64::INFINITY,
    }
}

/// What closed contacts are like in the solve with bias, without and with a static body (T.34).
pub(super) fn frame_springs(parameters: &VelocityParameters, h: f64) -> [FrameSpring; 2] {
    let limit = |softness: f64| push_limit(parameters, 1.0, softness);
    [false, true].map(|fixed| {
        if parameters.stabilization != Stabilization::Soft {
            return FrameSpring {
                bias_rate: rigid_rate(parameters, h),
                softness: 0.0,
                push_limit: limit(0.0),
            };
        }
        // of a row with A = 1: frequencies soften every row by the same share of its A
        let soft = contact_spring(parameters, fixed, h).row(1.0, h);
        let [bias_rate, softness] = soft.map_or([0.0; 2], |soft| [soft.bias_rate, soft.compliance]);
        FrameSpring {
            bias_rate,
            softness,
            push_limit: limit(softness),
        }
    })
}

//! Bias and compliance of the rows: stabilisation, softness, restitution.

use delassus_core::Softness;

use super::parameters::{Stabilization, VelocityParameters};
use crate::assembly::{Assembly, RowInfo, RowKind, Source};
use crate::constraint::ForceKind;
use crate::world::World;

/// The pass that a bias is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pass {
    /// The solve with stabilisation.
    Biased,
    /// The solve without it: rigid rows get zero bias and compliance, soft joints keep theirs.
    Relaxed,
    /// The second velocity field of split impulses: nothing but the stabilisation.
    Pseudo,
}

/// Bias and compliance of every row of an assembly.
#[derive(Debug, Clone, Default)]
pub(super) struct Bias {
    pub(super) bias: Vec<f64>,
    pub(super) compliance: Vec<f64>,
}

impl Bias {
    pub(super) fn fill(
        &mut self,
        world: &World,
        assembly: &Assembly,
        parameters: &VelocityParameters,
        h: f64,
        pass: Pass,
    ) {
        self.bias.clear();
        self.compliance.clear();
        let diagonals = assembly.problem.diagonal();
        for (row, diagonal) in assembly.rows.iter().zip(diagonals) {
            let (bias, compliance) = row_bias(world, row, *diagonal, parameters, h, pass);
            self.bias.push(bias);
            self.compliance.push(compliance);
        }
    }
}

fn row_bias(
    world: &World,
    row: &RowInfo,
    diagonal: f64,
    parameters: &VelocityParameters,
    h: f64,
    pass: Pass,
) -> (f64, f64) {
    let unilateral = match row.kind {
        RowKind::Friction => return (0.0, 0.0),
        RowKind::Normal { .. } | RowKind::Joint(ForceKind::Limit, _) => true,
        RowKind::Joint(_, _) => false,
    };
    let rate = if pass == Pass::Pseudo { 0.0 } else { row.rate };
    if let Some(soft) = authored(world, row).row(diagonal, h) {
        // a spring of the scene is physics: it is the same in every pass, and none of the pseudo-velocities' business
        if pass == Pass::Pseudo {
            return (0.0, soft.compliance);
        }
        if !(unilateral && row.error > 0.0) {
            return (soft.bias_rate * row.error + rate, soft.compliance);
        }
    }
    if unilateral && row.error > 0.0 {
        // open: the rows may close the gap within the step and no more (T.11)
        return (row.error / h + rate, 0.0);
    }
    let split = parameters.stabilization == Stabilization::SplitImpulse;
    if pass == Pass::Relaxed || split != (pass == Pass::Pseudo) {
        return (rate, 0.0);
    }
    let (error, limit) = if unilateral {
        (
            (row.error + parameters.slop).min(0.0),
            parameters.max_push_speed.unwrap_or(f64::INFINITY),
        )
    } else {
        let dead = row
            .error
            .clamp(-parameters.joint_slop, parameters.joint_slop);
        (row.error - dead, f64::INFINITY)
    };
    let (bias_rate, compliance) = stabilized(row, unilateral, diagonal, parameters, h);
    let bias = (bias_rate * error).clamp(-limit, limit);
    (bias + rate, compliance)
}

/// Softness that the scene gives a row.
fn authored(world: &World, row: &RowInfo) -> Softness {
    match row.source {
        Source::Joint(index) => world.joints[index].softness,
        Source::Manifold(_) => Softness::Rigid,
    }
}

/// Bias rate \[1/s\] and compliance \[1/kg\] that the stabilisation gives a rigid row.
fn stabilized(
    row: &RowInfo,
    unilateral: bool,
    diagonal: f64,
    parameters: &VelocityParameters,
    h: f64,
) -> (f64, f64) {
    match parameters.stabilization {
        Stabilization::None => (0.0, 0.0),
        Stabilization::Baumgarte | Stabilization::SplitImpulse => (parameters.beta / h, 0.0),
        Stabilization::TauDamping => (parameters.beta / (parameters.damping * h), 0.0),
        Stabilization::Soft => {
            let softness = if unilateral {
                let fixed = row.kind == RowKind::Normal { fixed: true };
                let hertz = parameters
                    .contact_hertz
                    .min(parameters.contact_hertz_limit / h);
                let factor = if fixed {
                    parameters.static_hertz_factor
                } else {
                    1.0
                };
                Softness::Frequency {
                    hertz: factor * hertz,
                    damping_ratio: parameters.contact_damping_ratio,
                }
            } else {
                Softness::Frequency {
                    hertz: parameters.joint_hertz.min(parameters.joint_hertz_limit / h),
                    damping_ratio: parameters.joint_damping_ratio,
                }
            };
            let soft = softness.row(diagonal, h);
            soft.map_or((0.0, 0.0), |soft| (soft.bias_rate, soft.compliance))
        }
    }
}

/// Bounce: contacts that approached faster than the threshold, and that pushed, leave with e times that speed (T.14).
///
/// `approach` holds the normal velocity of every row at the start of the frame \[m/s\], `pushed` what the rows did.
/// Returns false if nothing bounces.
pub(super) fn restitution(
    world: &World,
    assembly: &Assembly,
    threshold: f64,
    approach: &[f64],
    pushed: &[f64],
    bias: &mut Bias,
) -> bool {
    let mut any = false;
    for (index, row) in assembly.rows.iter().enumerate() {
        let (Source::Manifold(manifold), RowKind::Normal { .. }) = (row.source, row.kind) else {
            continue;
        };
        let e = world.manifolds[manifold].restitution;
        if e > 0.0 && approach[index] < -threshold && pushed[index] > 0.0 {
            bias.bias[index] = e * approach[index];
            any = true;
        }
    }
    any
}

//! `joints`: one thread per joint follows its rows: errors, Jacobian, softness and steps.
//!
//! Errors are those of the start plus their change, the Jacobian is that of the present poses (C.2,
//! C.7, C.9, C.13, C.1). The biased pass writes both copies of the rows, because the relaxed pass
//! of a substep keeps its Jacobian; that pass then brings the bias up to date (T.15).

use delassus_solver_jacobi::kernels::vectors::{
    Triple, add, cross, dot, moved, padded, scale, sub, xyz,
};
use delassus_solver_jacobi::pack::{BODY_MASS, Bodies};
use delassus_solver_jacobi::real::{Quad, Real};

use super::{
    BiasPass, BodyMotion, FollowedJoint, LINE, ORIENTATION, PERPENDICULAR, Settings, Stepping,
    turned,
};

/// Error of a row \[m | rad\] and its direction: linear part, and the angular parts on A and B.
struct Row<T> {
    error: T,
    axis: Triple<T>,
    turns: [Triple<T>; 2],
}

/// What the rows of a joint share.
struct Shared<T> {
    turns: [Quad<T>; 2],
    /// Centre of A to centre of B, now.
    centres: Triple<T>,
    /// Anchors, now.
    arms: [Triple<T>; 2],
    gap: Triple<T>,
    /// What it has changed by.
    shift: Triple<T>,
    /// Axis of B at the start, and what it has changed by.
    axis: [Triple<T>; 2],
    /// The missing rotation in the axes of A at the start.
    missing: Quad<T>,
    length: T,
}

#[inline(always)]
fn shared<T: Real>(own: &FollowedJoint<T>, motion: &[BodyMotion<T>]) -> Shared<T> {
    let (a, b) = (&motion[own.a as usize], &motion[own.b as usize]);
    let (turn_a, turn_b) = (a.turn, b.turn);
    let apart = sub(xyz(b.displacement), xyz(a.displacement));
    let (moved_a, moved_b) = (turned(turn_a, own.anchor_a), turned(turn_b, own.anchor_b));
    let shift = add(apart, sub(moved_b, moved_a));
    let (u, w) = (xyz(turn_a), xyz(turn_b));
    // conj(turn of A) × turn of B, then the rotation that was missing at the start
    let vector = sub(sub(scale(turn_a[3], w), scale(turn_b[3], u)), cross(u, w));
    let scalar = turn_a[3] * turn_b[3] + dot(u, w);
    let missing = own.missing;
    let start = xyz(missing);
    let v = add(
        add(scale(scalar, start), scale(missing[3], vector)),
        cross(vector, start),
    );
    let s = scalar * missing[3] - dot(vector, start);
    // q and −q are the same rotation; this one has the shorter way
    let sign = if s < T::ZERO { -T::ONE } else { T::ONE };
    let v = scale(sign, v);
    Shared {
        turns: [turn_a, turn_b],
        centres: add(own.centres, apart),
        arms: [add(own.anchor_a, moved_a), add(own.anchor_b, moved_b)],
        gap: add(own.gap, shift),
        shift,
        axis: [own.axis, turned(turn_b, own.axis)],
        missing: [v[0], v[1], v[2], sign * s],
        length: own.length,
    }
}

#[inline(always)]
fn row_of<T: Real>(joint: &Shared<T>, gap: Triple<T>, kind: u32, row: Quad<T>) -> Row<T> {
    let two = T::ONE + T::ONE;
    let zero = [T::ZERO; 3];
    let start = xyz(row);
    if kind == LINE {
        let tilt = turned(joint.turns[0], start);
        let axis = add(start, tilt);
        let far = add(joint.centres, joint.arms[1]);
        let minus = sub(zero, cross(far, axis));
        return Row {
            error: row[3] + (dot(tilt, gap) + dot(axis, joint.shift)),
            axis,
            turns: [minus, cross(joint.arms[1], axis)],
        };
    }
    if kind == PERPENDICULAR {
        let tilt = turned(joint.turns[0], start);
        let across = add(start, tilt);
        let axis = add(joint.axis[0], joint.axis[1]);
        let turn = cross(axis, across);
        return Row {
            error: row[3] + (dot(tilt, joint.axis[0]) + dot(across, joint.axis[1])),
            axis: zero,
            turns: [sub(zero, turn), turn],
        };
    }
    if kind == ORIENTATION {
        let v = xyz(joint.missing);
        let local = add(scale(joint.missing[3], start), cross(v, start));
        let turn = add(local, turned(joint.turns[0], local));
        return Row {
            error: two * dot(v, start),
            axis: zero,
            turns: [sub(zero, turn), turn],
        };
    }
    // a rod: |gap| − |gap at the start| without the difference
    let length = dot(joint.gap, joint.gap).sqrt();
    let grown = two * dot(gap, joint.shift) + dot(joint.shift, joint.shift);
    let axis = if length > T::ZERO {
        [
            joint.gap[0] / length,
            joint.gap[1] / length,
            joint.gap[2] / length,
        ]
    } else {
        [T::ONE, T::ZERO, T::ZERO]
    };
    let minus = sub(zero, cross(joint.arms[0], axis));
    Row {
        error: row[3] + grown / (length + joint.length),
        axis,
        turns: [minus, cross(joint.arms[1], axis)],
    }
}

/// k = J M⁻¹ Jᵀ of one side.
#[inline(always)]
fn weight<T: Real>(bodies: &Bodies<T>, body: usize, axis: Triple<T>, turn: Triple<T>) -> T {
    let mass = &bodies.mass[BODY_MASS * body..];
    let (linear, angular) = moved([mass[0], mass[1], mass[2]], axis, turn);
    dot(axis, linear) + dot(turn, angular)
}

/// The thread of one joint; writes the row blocks of the two passes.
#[inline(always)]
pub fn joint<T: Real>(
    settings: &Settings<T>,
    own: &FollowedJoint<T>,
    starts: &[Quad<T>],
    motion: &[BodyMotion<T>],
    bodies: &Bodies<T>,
    [biased, relaxed]: [&mut [Quad<T>]; 2],
    pass: BiasPass,
) {
    let [a, b, first, rows] = [own.a, own.b, own.blocks, own.rows].map(|x| x as usize);
    let state = shared(own, motion);
    for local in 0..rows {
        let kind = (own.kinds >> (4 * local)) & 15;
        let start = starts[own.first_row as usize + local];
        let row = row_of(&state, own.gap, kind, start);
        if pass == BiasPass::Relaxed {
            relaxed[first + local][0] = own.relaxed_rate * row.error;
            continue;
        }
        let at = first + rows + 4 * local;
        let (factor_a, factor_b) = (biased[at][3], biased[at + 2][3]);
        let other = (relaxed[at][3], relaxed[at + 2][3]);
        let minus = sub([T::ZERO; 3], row.axis);
        let k_a = weight(bodies, a, minus, row.turns[0]);
        let k_b = weight(bodies, b, row.axis, row.turns[1]);
        let inverse_omega = settings.inverse_omega;
        let compliance = own.relative * (k_a + k_b) + own.absolute;
        let d = (factor_a * k_a + factor_b * k_b) + compliance * inverse_omega;
        biased[first + local] = [own.rate * row.error, compliance, step(d), T::ZERO];
        let compliance = own.relaxed_relative * (k_a + k_b) + own.relaxed_absolute;
        let d = (other.0 * k_a + other.1 * k_b) + compliance * inverse_omega;
        relaxed[first + local] = [own.relaxed_rate * row.error, compliance, step(d), T::ZERO];
        write(biased, at, minus, &row, [factor_a, factor_b]);
        write(relaxed, at, minus, &row, [other.0, other.1]);
    }
}

#[inline(always)]
fn step<T: Real>(d: T) -> T {
    if d > T::ZERO { T::ONE / d } else { T::ZERO }
}

#[inline(always)]
fn write<T: Real>(
    numbers: &mut [Quad<T>],
    at: usize,
    minus: Triple<T>,
    row: &Row<T>,
    factors: [T; 2],
) {
    let [a, b] = row.turns;
    numbers[at] = [minus[0], minus[1], minus[2], factors[0]];
    numbers[at + 1] = padded(a);
    numbers[at + 2] = [row.axis[0], row.axis[1], row.axis[2], factors[1]];
    numbers[at + 3] = padded(b);
}

/// All joints.
pub fn run<T: Real>(
    stepping: &Stepping<T>,
    motion: &[BodyMotion<T>],
    bodies: &Bodies<T>,
    [biased, relaxed]: [&mut [Quad<T>]; 2],
    pass: BiasPass,
) {
    for own in &stepping.joints {
        joint(
            &stepping.settings,
            own,
            &stepping.rows,
            motion,
            bodies,
            [&mut *biased, &mut *relaxed],
            pass,
        );
    }
}

//! `separations`: one thread per contact point follows its separation and sets bias, compliance and
//! step of its normal.
//!
//! The separation is that of the start of the frame plus its change (K.20). A contact that is open
//! may close the gap in the substep (T.11); a closed one is a spring in the biased pass (S.8) and
//! rests in the relaxed one (T.15). Both steps were divided beforehand.

use delassus_solver_jacobi::kernels::vectors::{add, dot, sub, xyz};
use delassus_solver_jacobi::real::{Quad, Real};

use super::{BiasPass, BodyMotion, FollowedContact, Settings, turned};

/// How far apart the bodies are at a point \[m\].
#[inline(always)]
pub fn separation<T: Real>(motion: &[BodyMotion<T>], contact: &FollowedContact<T>) -> T {
    let (a, b) = (&motion[contact.a as usize], &motion[contact.b as usize]);
    let n = contact.normal;
    let tilt = turned(a.turn, n);
    let apart = sub(xyz(b.displacement), xyz(a.displacement));
    let shift = add(apart, turned(b.turn, contact.anchor));
    contact.separation + (dot(tilt, contact.across) + dot(add(n, tilt), shift))
}

/// The thread of one point; `numbers` are those of the manifolds, or of the row blocks for points
/// packed as rows.
#[inline(always)]
pub fn point<T: Real>(
    settings: &Settings<T>,
    contact: &FollowedContact<T>,
    motion: &[BodyMotion<T>],
    numbers: &mut [Quad<T>],
    pass: BiasPass,
    as_rows: bool,
) {
    let gap = separation(motion, contact);
    let open = gap > T::ZERO;
    let mut bias = T::ZERO;
    let mut compliance = T::ZERO;
    let mut step = contact.open_step;
    if open {
        bias = gap * settings.inverse_h;
    } else if pass == BiasPass::Biased {
        let overlap = gap + settings.slop;
        let overlap = if overlap < T::ZERO { overlap } else { T::ZERO };
        let push = contact.rate * overlap;
        bias = if push < -settings.push {
            -settings.push
        } else {
            push
        };
        compliance = contact.compliance;
        step = contact.closed_step;
    }
    let target = contact.numbers as usize;
    if as_rows {
        numbers[target][0] = bias;
        if pass == BiasPass::Biased {
            numbers[target][1] = compliance;
            numbers[target][2] = step;
        }
    } else {
        numbers[target][3] = bias;
        if pass == BiasPass::Biased {
            numbers[target + 1][0] = step;
            numbers[target + 1][3] = compliance;
        }
    }
}

/// All points.
pub fn run<T: Real>(
    settings: &Settings<T>,
    contacts: &[FollowedContact<T>],
    motion: &[BodyMotion<T>],
    numbers: &mut [Quad<T>],
    pass: BiasPass,
    as_rows: bool,
) {
    for contact in contacts {
        point(settings, contact, motion, numbers, pass, as_rows);
    }
}

//! `restitution`: one thread per contact point adds up its impulse, and applies restitution at the
//! end of the frame (K.24).

use delassus_solver_jacobi::real::{Quad, Real};

use super::FollowedContact;

/// The thread of one point: adds its impulse to what it pushed in the frame; `impulses` are those
/// of all points or rows.
#[inline(always)]
pub fn add_impulse<T: Real>(contact: &mut FollowedContact<T>, impulses: &[Quad<T>]) {
    let at = contact.impulse as usize;
    contact.pushed = contact.pushed + impulses[at / 4][at % 4];
}

/// The thread of one point: sets the bias of its normal in the relaxed pass; `numbers` are those of
/// the manifolds, or of the row blocks for points packed as rows.
#[inline(always)]
pub fn apply<T: Real>(contact: &FollowedContact<T>, numbers: &mut [Quad<T>], as_rows: bool) {
    let (rebound, pushed) = (contact.rebound, contact.pushed);
    if rebound < T::ZERO && pushed > T::ZERO {
        numbers[contact.numbers as usize][if as_rows { 0 } else { 3 }] = rebound;
    }
}

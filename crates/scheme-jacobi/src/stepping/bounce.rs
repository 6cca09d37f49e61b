//! `bounce`: one thread per contact point remembers whether it pushed, and at the end of the frame lets it bounce (K.24).
//!
//! The bias of a bounce is e times the approach velocity at the start of the frame, or zero for points that may not.

use delassus_solver_jacobi::real::{Quad, Real};

use super::{CONTACT_QUADS, Contacts};

/// The thread of one point: adds its impulse to what it pushed in the frame; `impulses` are those of all points or
/// rows.
#[inline(always)]
pub fn push<T: Real>(contacts: &mut Contacts<T>, impulses: &[Quad<T>], index: usize) {
    let at = contacts.heads[index][3] as usize;
    let own = &mut contacts.numbers[CONTACT_QUADS * index + 3];
    own[3] = own[3] + impulses[at / 4][at % 4];
}

/// The thread of one point: sets the bias of its normal in the relaxed pass; `numbers` are those of the manifolds, or
/// of the row blocks for loose points.
#[inline(always)]
pub fn bounce<T: Real>(contacts: &Contacts<T>, numbers: &mut [Quad<T>], loose: bool, index: usize) {
    let own = contacts.numbers[CONTACT_QUADS * index + 3];
    if own[2] < T::ZERO && own[3] > T::ZERO {
        let target = contacts.heads[index][2] as usize;
        numbers[target][if loose { 0 } else { 3 }] = own[2];
    }
}

/// All points push.
pub fn run_push<T: Real>(contacts: &mut Contacts<T>, impulses: &[Quad<T>]) {
    for index in 0..contacts.heads.len() {
        push(contacts, impulses, index);
    }
}

/// All points bounce.
pub fn run_bounce<T: Real>(contacts: &Contacts<T>, numbers: &mut [Quad<T>], loose: bool) {
    for index in 0..contacts.heads.len() {
        bounce(contacts, numbers, loose, index);
    }
}

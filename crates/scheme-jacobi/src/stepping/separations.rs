//! `separations`: one thread per contact point follows its separation and sets bias, compliance and step of its normal.
//!
//! The separation is that of the start of the frame plus its change (K.20). A contact that is open may close the gap in
//! the substep (T.11); a closed one is a spring in the biased pass (S.8) and rests in the relaxed one (T.15). Both steps
//! were divided beforehand.

use delassus_solver_jacobi::kernels::vectors::{add, dot, sub, xyz};
use delassus_solver_jacobi::real::{Quad, Real};

use super::{CONTACT_QUADS, Contacts, MOTION_QUADS, Pass, Settings, turned};

/// How far apart the bodies are at a point \[m\].
#[inline(always)]
pub fn separation<T: Real>(
    motion: &[Quad<T>],
    [a, b]: [usize; 2],
    [normal, across, anchor]: [Quad<T>; 3],
) -> T {
    let (a, b) = (&motion[MOTION_QUADS * a..], &motion[MOTION_QUADS * b..]);
    let n = xyz(normal);
    let tilt = turned(a[3], n);
    let shift = add(sub(xyz(b[2]), xyz(a[2])), turned(b[3], xyz(anchor)));
    normal[3] + (dot(tilt, xyz(across)) + dot(add(n, tilt), shift))
}

/// The thread of one point; `numbers` are those of the manifolds, or of the row blocks for loose points.
#[inline(always)]
pub fn point<T: Real>(
    settings: &Settings<T>,
    contacts: &Contacts<T>,
    motion: &[Quad<T>],
    numbers: &mut [Quad<T>],
    (pass, loose): (Pass, bool),
    index: usize,
) {
    let [a, b, target, _] = contacts.heads[index].map(|x| x as usize);
    let own = &contacts.numbers[CONTACT_QUADS * index..];
    let gap = separation(motion, [a, b], [own[0], own[1], own[2]]);
    let open = gap > T::ZERO;
    let mut bias = T::ZERO;
    let mut compliance = T::ZERO;
    let mut step = own[3][0];
    if open {
        bias = gap * settings.inverse_h;
    } else if pass == Pass::Biased {
        let overlap = gap + settings.slop;
        let overlap = if overlap < T::ZERO { overlap } else { T::ZERO };
        let push = own[1][3] * overlap;
        bias = if push < -settings.push {
            -settings.push
        } else {
            push
        };
        compliance = own[2][3];
        step = own[3][1];
    }
    if loose {
        numbers[target][0] = bias;
        if pass == Pass::Biased {
            numbers[target][1] = compliance;
            numbers[target][2] = step;
        }
    } else {
        numbers[target][3] = bias;
        if pass == Pass::Biased {
            numbers[target + 1][0] = step;
            numbers[target + 1][3] = compliance;
        }
    }
}

/// All points.
pub fn run<T: Real>(
    settings: &Settings<T>,
    contacts: &Contacts<T>,
    motion: &[Quad<T>],
    numbers: &mut [Quad<T>],
    which: (Pass, bool),
) {
    for index in 0..contacts.heads.len() {
        point(settings, contacts, motion, numbers, which, index);
    }
}

//! Closed forms of boxes that stand on each other one by one: soft at rest, or a single one on an
//! incline.

use delassus_core::{ContactLaw, Problem};

use super::settings::{Settings, normal_row, rows_per_manifold};
use crate::named::KnownSolution;

/// Impulses of a tower of `n` boxes that is not rigid and at rest, if they are known.
pub(super) fn solution(settings: &Settings, n: usize, problem: &Problem) -> Option<KnownSolution> {
    let boxes = &settings.boxes;
    if boxes.tilt == 0.0 && boxes.speed == 0.0 && boxes.gap == 0.0 {
        soft_rest(settings, n, problem.compliance())
    } else {
        single_box(settings, n)
    }
}

/// Impulses of a soft stack (E.6): the sums P of each manifold solve a tridiagonal system.
fn soft_rest(settings: &Settings, n: usize, compliance: &[f64]) -> Option<KnownSolution> {
    let Settings { boxes, step } = settings;
    let stride = rows_per_manifold(boxes.law);
    let mass_of = |layer: usize| boxes.mass_of(layer, n);
    let g = boxes.gravity * step.dt;
    // v_i = -free_i + (P_i - P_{i+1})/m_i and v_i - v_{i-1} + R_i P_i/4 = 0
    let (mut diagonal, mut right) = (Vec::new(), Vec::new());
    let mut previous_free = 0.0;
    for i in 0..n {
        let mass = mass_of(i);
        let load = if i + 1 == n { step.load } else { 0.0 };
        let free = g + load * step.dt / mass;
        let below = if i > 0 { 1.0 / mass_of(i - 1) } else { 0.0 };
        diagonal.push(1.0 / mass + below + 0.25 * compliance[i * stride]);
        right.push(free - previous_free);
        previous_free = free;
    }
    for i in 1..n {
        let coupling = -1.0 / mass_of(i - 1);
        let factor = coupling / diagonal[i - 1];
        diagonal[i] -= factor * coupling;
        right[i] -= factor * right[i - 1];
    }
    let mut sums = vec![0.0; n];
    for i in (0..n).rev() {
        let above = sums.get(i + 1).copied().unwrap_or_default();
        sums[i] = (right[i] + above / mass_of(i)) / diagonal[i];
    }
    if sums.iter().any(|sum| *sum < 0.0) {
        return None;
    }
    let mut impulses = vec![0.0; n * stride];
    for (i, sum) in sums.iter().enumerate() {
        for point in 0..4 {
            impulses[i * stride + normal_row(boxes.law, point)] = 0.25 * sum;
        }
    }
    let provenance = "closed form: tridiagonal system of a soft stack";
    Some(KnownSolution::new(impulses, provenance))
}

/// Impulses of one rigid box that sticks or slides (E.7); `None` where that has no closed form.
fn single_box(settings: &Settings, n: usize) -> Option<KnownSolution> {
    let Settings { boxes, step } = settings;
    let isotropic = match boxes.law {
        ContactLaw::Frictionless => 0.0,
        ContactLaw::Pyramid | ContactLaw::Disc | ContactLaw::Coulomb | ContactLaw::Patch => {
            boxes.friction
        }
        // along t1, which is one of the directions of F4
        ContactLaw::Facets4 | ContactLaw::Facets8 | ContactLaw::Facets16 => boxes.friction,
        ContactLaw::FixedBox | ContactLaw::ConvexCone => return None,
    };
    let rigid = step.softness.is_rigid();
    if n != 1 || !rigid || boxes.gap != 0.0 {
        return None;
    }
    let (sin, cos) = libm::sincos(boxes.tilt);
    let slide = boxes.speed + boxes.gravity * step.dt * sin;
    let normal = boxes.mass * boxes.gravity * step.dt * cos + step.load * step.dt;
    // what stops the box, or as much of it as friction gives
    let friction = (boxes.mass * slide).clamp(-isotropic * normal, isotropic * normal);
    // friction at the base is balanced by a shift of the normal impulse by half a height; beyond,
    // the box tips
    if normal < 0.0 || friction.abs() > normal {
        return None;
    }
    let stride = rows_per_manifold(boxes.law);
    let mut impulses = vec![0.0; stride];
    for (point, side) in [-1.0, 1.0, 1.0, -1.0].into_iter().enumerate() {
        let share = 0.25 * (normal + side * friction);
        let row = normal_row(boxes.law, point);
        impulses[row] = share;
        if stride == 12 {
            // along t1 = +x, against the motion; the points share it like the normal impulse
            impulses[row + 1] = if normal > 0.0 {
                -friction * share / normal
            } else {
                0.0
            };
        }
    }
    if boxes.law == ContactLaw::Patch {
        impulses[4] = -friction;
    }
    let provenance = "closed form: one box sticking or sliding on an incline";
    Some(KnownSolution::new(impulses, provenance))
}

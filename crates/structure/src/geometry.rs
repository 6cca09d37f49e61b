//! Recognising contact points: three rows that are one normal and two tangents at one point of two
//! bodies.
//!
//! A problem gives rows, not points. Three rows whose linear parts are an orthonormal right-handed
//! frame and whose angular parts are r × d for one arm r per body are a contact point; its arm
//! follows from the angular parts by dot products (W.3). Anything else is packed row by row, so
//! nothing is lost by a wrong guess.

use delassus_core::{BodyRows, Law, LawForm, MassProperties};

/// Mark of a body that no impulse moves, with its index.
pub const FIXED: u32 = 1 << 31;

/// How far the rows may miss a frame and a pair of arms, relative to the arm or one \[-\].
///
/// A problem's Jacobians carry f64 rounding, some 1e-15; the kernel rounds to f32, 6e-8.
pub const EXACT: f64 = 1e-10;

/// Largest distance between the centres of mass from two points of one manifold, relative to
/// their distance or one \[-\]: rounding, as in [`EXACT`].
pub const SAME_CENTRES: f64 = 1e-10;

/// Position of a contact point, in its own frame.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Arms {
    /// From the centre of mass of the second body to the point \[m\].
    pub arm: [f64; 3],
    /// From the centre of the first body to that of the second \[m\].
    pub between: [f64; 3],
}

/// The two bodies of a block: slots of the velocities, and the masses that they have.
#[derive(Debug, Clone, Copy)]
pub struct BodyPair<'a> {
    /// Slots, with [`FIXED`] where nothing moves the body; the world for a missing first body.
    pub slots: [u32; 2],
    /// Masses; `None` for the world.
    pub mass: [Option<&'a MassProperties>; 2],
}

/// The bodies of a block that touches one or two; `None` for more or none.
#[inline(always)]
pub fn pair(bodies: &BodyRows, block: usize) -> Option<BodyPair<'_>> {
    // a problem has fewer than 2³¹ bodies: their velocities take 32 bytes each
    let world = u32::try_from(bodies.len()).ok()?;
    let slot = |body: u32| {
        let fixed = bodies.mass[body as usize].is_immovable();
        body | if fixed { FIXED } else { 0 }
    };
    let mass = |body: u32| Some(&bodies.mass[body as usize]);
    match *bodies.bodies_of(block) {
        [b] => Some(BodyPair {
            slots: [world | FIXED, slot(b)],
            mass: [None, mass(b)],
        }),
        [a, b] => Some(BodyPair {
            slots: [slot(a), slot(b)],
            mass: [mass(a), mass(b)],
        }),
        _ => None,
    }
}

/// True for the laws that the manifold kernel solves.
#[inline]
pub fn is_point_law(law: &Law) -> bool {
    matches!(
        law.form(),
        LawForm::FixedIntervals | LawForm::Intervals | LawForm::Ball | LawForm::CoulombCone
    )
}

/// The directions of a contact: linear parts of the second body's rows.
#[inline(always)]
pub fn directions(bodies: &BodyRows, block: usize) -> [[f64; 3]; 3] {
    if let Some(point) = bodies.jacobian.point(block) {
        return point.axes.map(Into::into);
    }
    // written out, here and below: closures over arrays stay calls, and this is most of a packing
    let [n, t, s] = rows_of(bodies, block);
    let last = n.len() - 1;
    [linear(&n[last]), linear(&t[last]), linear(&s[last])]
}

#[inline(always)]
fn rows_of(bodies: &BodyRows, block: usize) -> [&[[f64; 6]]; 3] {
    let touched = bodies.bodies_of(block).len();
    let first = bodies.first_entry[block];
    let entries = &bodies.jacobian[first..first + 3 * touched];
    let (n, rest) = entries.split_at(touched);
    let (t, s) = rest.split_at(touched);
    [n, t, s]
}

/// The arms of the point that a block of three rows stands for, if it does.
#[inline(always)]
pub fn arms(bodies: &BodyRows, block: usize, frame: &[[f64; 3]; 3]) -> Option<Arms> {
    if let Some(point) = bodies.jacobian.point(block) {
        let [n, t, s] = [point.row(0), point.row(1), point.row(2)];
        return arms_of([&n, &t, &s], frame);
    }
    arms_of(rows_of(bodies, block), frame)
}

/// The arms that three rows have, if they are those of a point.
#[inline(always)]
fn arms_of([n, t, s]: [&[[f64; 6]]; 3], frame: &[[f64; 3]; 3]) -> Option<Arms> {
    let last = n.len() - 1;
    let turning = [angular(&n[last]), angular(&t[last]), angular(&s[last])];
    let arm = arm_of(frame, turning)?;
    if last == 0 {
        return Some(Arms {
            arm,
            between: [0.0; 3],
        });
    }
    if !(opposite(&n[0], frame[0]) && opposite(&t[0], frame[1]) && opposite(&s[0], frame[2])) {
        return None;
    }
    let turning = [
        angular_of_first(&n[0]),
        angular_of_first(&t[0]),
        angular_of_first(&s[0]),
    ];
    let first = arm_of(frame, turning)?;
    let between = [first[0] - arm[0], first[1] - arm[1], first[2] - arm[2]];
    Some(Arms { arm, between })
}

/// The arm r with angular parts r × d, in the frame of the d, if there is one (W.3).
#[inline(always)]
fn arm_of(frame: &[[f64; 3]; 3], [on_n, on_t, on_s]: [[f64; 3]; 3]) -> Option<[f64; 3]> {
    let [n, t, s] = *frame;
    let arm = [dot(on_t, s), -dot(on_n, s), dot(on_n, t)];
    // what the other six products should be, and the size of what they are
    let miss = [
        dot(on_n, n),
        dot(on_t, t),
        dot(on_s, s),
        dot(on_t, n) + arm[2],
        dot(on_s, n) - arm[1],
        dot(on_s, t) + arm[0],
    ];
    let size = EXACT * (1.0 + arm[0].abs() + arm[1].abs() + arm[2].abs());
    let mut exact = true;
    for x in miss {
        exact &= x.abs() <= size;
    }
    exact.then_some(arm)
}

/// True if three directions are orthonormal and right-handed.
#[inline]
pub fn is_frame(frame: &[[f64; 3]; 3]) -> bool {
    let [n, t, s] = *frame;
    let third = [
        n[1] * t[2] - n[2] * t[1],
        n[2] * t[0] - n[0] * t[2],
        n[0] * t[1] - n[1] * t[0],
    ];
    let aligned = (0..3).all(|axis| (third[axis] - s[axis]).abs() <= EXACT);
    let unit = |x: [f64; 3]| (dot(x, x) - 1.0).abs() <= EXACT;
    aligned && unit(n) && unit(t) && dot(n, t).abs() <= EXACT
}

/// True if a body has one inverse mass for all axes.
#[inline]
pub fn is_isotropic(mass: Option<&MassProperties>) -> bool {
    mass.is_none_or(|m| {
        m.inverse_mass.x == m.inverse_mass.y && m.inverse_mass.x == m.inverse_mass.z
    })
}

/// Inverse inertia in a frame: xx, xy, xz, yy, yz, zz \[1/(kg·m²)\].
#[inline]
pub fn local_inertia(mass: Option<&MassProperties>, frame: &[[f64; 3]; 3]) -> [f64; 6] {
    let Some(mass) = mass else { return [0.0; 6] };
    let m = &mass.inverse_inertia;
    let first = m[(0, 0)];
    let round = m[(0, 1)] == 0.0 && m[(0, 2)] == 0.0 && m[(1, 2)] == 0.0;
    if round && m[(1, 1)] == first && m[(2, 2)] == first {
        return [first, 0.0, 0.0, first, 0.0, first];
    }
    let times =
        |x: [f64; 3]| [0, 1, 2].map(|i| m[(i, 0)] * x[0] + m[(i, 1)] * x[1] + m[(i, 2)] * x[2]);
    let [n, t, s] = frame.map(times);
    let [a, b, c] = *frame;
    [
        dot(a, n),
        dot(a, t),
        dot(a, s),
        dot(b, t),
        dot(b, s),
        dot(c, s),
    ]
}

/// A symmetric matrix xx, xy, xz, yy, yz, zz times a vector.
#[inline(always)]
pub fn symmetric(m: &[f64; 6], x: [f64; 3]) -> [f64; 3] {
    [
        m[0] * x[0] + m[1] * x[1] + m[2] * x[2],
        m[1] * x[0] + m[3] * x[1] + m[4] * x[2],
        m[2] * x[0] + m[4] * x[1] + m[5] * x[2],
    ]
}

/// The inner product.
#[inline(always)]
pub fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// a × b.
#[inline(always)]
pub fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

#[inline(always)]
pub(crate) fn linear(entry: &[f64; 6]) -> [f64; 3] {
    [entry[0], entry[1], entry[2]]
}

#[inline(always)]
pub(crate) fn angular(entry: &[f64; 6]) -> [f64; 3] {
    [entry[3], entry[4], entry[5]]
}

/// The first body's rows carry the opposite sign.
#[inline(always)]
fn angular_of_first(entry: &[f64; 6]) -> [f64; 3] {
    [-entry[3], -entry[4], -entry[5]]
}

/// True if the linear part is the opposite of a direction.
#[inline(always)]
pub(crate) fn opposite(entry: &[f64; 6], direction: [f64; 3]) -> bool {
    entry[0] == -direction[0] && entry[1] == -direction[1] && entry[2] == -direction[2]
}

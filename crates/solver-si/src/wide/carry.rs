//! Substeps that stay in the solver (T.32–T.36): forces and poses are passes over the bodies of each thread.
//!
//! A body that several threads move is moved by each of them, by the same arithmetic: before a pass over the bodies the
//! threads meet, and the last one that touched a body tells its velocity to the others.

use delassus_core::{CarriedBody, CarriedSpring, Halves, Substeps};

use super::lanes::BodyRow;
use super::velocities::single;

/// Numbers of a closed contact in the solve with bias (T.34).
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Spring {
    /// \[1/s\].
    pub(crate) rate: f32,
    /// Share of an impulse that relaxes, R/(A + R) \[-\].
    pub(crate) share: f32,
    /// \[m/s\].
    pub(crate) limit: f32,
}

/// What all passes over contacts have in common.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Pushing {
    pub(crate) inverse_h: f32,
    pub(crate) slop: f32,
    pub(crate) soft_when_open: bool,
    /// Between two bodies that move, and with one that does not.
    pub(crate) springs: [Spring; 2],
}

/// A visit of the contacts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CarriedVisit {
    pub(crate) pushing: Pushing,
    pub(crate) biased: bool,
    /// True if friction keeps its impulses.
    pub(crate) normals_only: bool,
    /// True if the bodies have moved since separations were computed.
    pub(crate) moved: bool,
    /// True if the impulses are those of a substep.
    pub(crate) ends: bool,
}

/// A frame as the threads see it.
#[derive(Debug, Clone, Default)]
pub(crate) struct CarriedFrame {
    pub(crate) pushing: Pushing,
    pub(crate) sweeps: [u32; 2],
    pub(crate) holds_friction: bool,
    pub(crate) halves: Halves,
    h: f32,
    /// Per body \[m/s\].
    kicks: Vec<[f32; 3]>,
}

impl CarriedFrame {
    /// Takes over what is asked for.
    pub(crate) fn set(&mut self, frame: &Substeps<'_>, halves: Halves) {
        self.pushing = Pushing {
            inverse_h: single(1.0 / frame.h),
            slop: single(frame.slop),
            soft_when_open: frame.soft_when_open,
            springs: frame.springs.map(spring),
        };
        self.sweeps = frame.sweeps;
        self.holds_friction = frame.holds_friction;
        self.halves = halves;
        self.h = single(frame.h);
        self.kicks.clear();
        let kicks = frame.kicks.iter().map(|kick| kick.map(single));
        self.kicks.extend(kicks);
    }
}

fn spring(from: CarriedSpring) -> Spring {
    Spring {
        rate: single(from.bias_rate),
        share: single(from.softness / (1.0 + from.softness)),
        limit: single(from.push_limit),
    }
}

/// What a thread keeps of a body beside its velocity and motion.
#[derive(Debug, Clone, Copy)]
struct BodyState {
    /// v_f of the substep.
    free: BodyRow,
    /// Quaternion x, y, z, w.
    turn: [f32; 4],
    path: [f32; 3],
}

/// The bodies of one thread.
#[derive(Debug, Default)]
pub(crate) struct CarriedBodies {
    states: Vec<BodyState>,
    /// Displacement \[m\], and the turn as u/(1 + w) (T.33): what contacts gather, as they gather velocities.
    pub(crate) motions: Vec<BodyRow>,
    /// Sweeps since the velocities were summed.
    pub(crate) sweeps: u64,
}

impl CarriedBodies {
    /// Nothing has moved yet.
    pub(crate) fn begin(&mut self, free: &[BodyRow]) {
        self.states.clear();
        self.states.extend(free.iter().map(|free| BodyState {
            free: *free,
            turn: [0.0, 0.0, 0.0, 1.0],
            path: [0.0; 3],
        }));
        self.motions.clear();
        self.motions.resize(free.len() + 1, [0.0; 8]);
        self.sweeps = 0;
    }

    /// Puts v_f of all bodies in the place of their velocities.
    pub(crate) fn copy_free(&self, velocities: &mut [BodyRow]) {
        for (velocity, state) in velocities.iter_mut().zip(&self.states) {
            *velocity = state.free;
        }
    }

    /// Begins a substep of a body: forces, and what the impulses did in the last one (T.35).
    #[inline]
    pub(crate) fn kick(&mut self, frame: &CarriedFrame, body: usize, velocities: &mut [BodyRow]) {
        let [x, y, z] = frame.kicks[body];
        let kick = [x, y, z, 0.0, 0.0, 0.0, 0.0, 0.0];
        let (state, velocity) = (&mut self.states[body], &mut velocities[body]);
        for axis in 0..8 {
            let pushed = velocity[axis] - state.free[axis];
            state.free[axis] = velocity[axis] + kick[axis];
            velocity[axis] = state.free[axis] + pushed;
        }
    }

    /// Moves a body with its velocity (T.3, T.4).
    #[inline]
    pub(crate) fn advance(&mut self, frame: &CarriedFrame, body: usize, velocities: &[BodyRow]) {
        let h = frame.h;
        let (state, motion) = (&mut self.states[body], &mut self.motions[body]);
        let [x, y, z, _, p, q, r, _] = velocities[body];
        for (axis, v) in [x, y, z].into_iter().enumerate() {
            state.path[axis] += motion[axis];
            motion[axis] += h * v;
        }
        state.turn = turned(state.turn, [h * p, h * q, h * r]);
        let [x, y, z, w] = state.turn;
        // both signs of a quaternion are one turn
        let sign = if w < 0.0 { -1.0 } else { 1.0 };
        let scale = sign / (1.0 + w.abs());
        motion[4..7].copy_from_slice(&[scale * x, scale * y, scale * z]);
    }

    /// Number of bodies.
    pub(crate) fn bodies(&self) -> usize {
        self.states.len()
    }

    /// Where a body is.
    pub(crate) fn body(&self, body: usize) -> CarriedBody {
        let (state, motion) = (&self.states[body], &self.motions[body]);
        let [x, y, z, ..] = motion.map(f64::from);
        CarriedBody {
            displacement: [x, y, z],
            path: state.path.map(f64::from),
            turn: state.turn.map(f64::from),
        }
    }
}

/// A quaternion after a turn by a rotation vector in world axes \[rad\].
fn turned(q: [f32; 4], turn: [f32; 3]) -> [f32; 4] {
    let [a, b, c] = turn;
    let square = a * a + b * b + c * c;
    if square == 0.0 {
        return q;
    }
    product(exp(turn, square), q)
}

/// The quaternion of a rotation vector: the series up to one radian, and squares of it beyond.
fn exp(turn: [f32; 3], square: f32) -> [f32; 4] {
    if square > 1.0 && square < f32::INFINITY {
        let half = exp(turn.map(|x| 0.5 * x), 0.25 * square);
        return product(half, half);
    }
    // of half the angle
    let x = 0.25 * square;
    let sine = 0.5 * (1.0 - x * (1.0 / 6.0 - x * (1.0 / 120.0 - x / 5040.0)));
    let cosine = 1.0 - x * (0.5 - x * (1.0 / 24.0 - x * (1.0 / 720.0 - x / 40320.0)));
    let [a, b, c] = turn;
    [sine * a, sine * b, sine * c, cosine]
}

fn product([a, b, c, d]: [f32; 4], [x, y, z, w]: [f32; 4]) -> [f32; 4] {
    [
        d * x + a * w + b * z - c * y,
        d * y - a * z + b * w + c * x,
        d * z + a * y - b * x + c * w,
        d * w - a * x - b * y - c * z,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_those_of_the_exponential_to_rounding() {
        for angle in [0.0, 1e-6, 0.01, 0.7, 1.1, 3.0, 9.0_f64] {
            let axis = [2.0 / 7.0, -3.0 / 7.0, 6.0 / 7.0];
            let turn = axis.map(|x| single(angle * x));
            let found = turned([0.0, 0.0, 0.0, 1.0], turn);
            let (sine, cosine) = libm::sincos(0.5 * angle);
            let expected = [sine * axis[0], sine * axis[1], sine * axis[2], cosine];
            for (found, expected) in found.iter().zip(expected) {
                let error = (f64::from(*found) - expected).abs();
                // a rounding of the angle, and of each of the products
                assert!(error < 1e-6 * (1.0 + angle), "{angle}: {error}");
            }
        }
    }
}

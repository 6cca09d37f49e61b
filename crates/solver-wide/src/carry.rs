//! Substeps that stay in the solver (T.32–T.37): forces and poses are passes over the bodies of
//! each thread.
//!
//! A body that several threads move is moved by each of them, by the same arithmetic: before a pass
//! over the bodies the threads meet, and the last one that touched a body tells its velocity to the
//! others.

use delassus_core::{BodyDisplacement, FrameSetup, FrameSpring, GyroscopicTorque, HalfSteps};
use nalgebra::Vector3;

use super::gyroscope::CarriedGyroscope;
use super::lanes::BodyRow;
use super::turn::{Quaternion, turned};
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
    pub(crate) half_steps: HalfSteps,
    h: f32,
    /// Per body \[m/s\].
    velocity_increments: Vec<[f32; 3]>,
    gyroscopes: Vec<CarriedGyroscope>,
    gyroscopic: GyroscopicTorque,
}

impl CarriedFrame {
    /// Takes over what is asked for.
    pub(crate) fn set(&mut self, frame: &FrameSetup<'_>, half_steps: HalfSteps) {
        self.pushing = Pushing {
            inverse_h: single(1.0 / frame.h),
            slop: single(frame.slop),
            soft_when_open: frame.soft_when_open,
            springs: frame.springs.map(spring),
        };
        self.sweeps = frame.sweeps;
        self.holds_friction = frame.holds_friction;
        self.half_steps = half_steps;
        self.h = single(frame.h);
        self.velocity_increments.clear();
        let increments = frame.velocity_increments.iter();
        self.velocity_increments
            .extend(increments.map(|increment| increment.map(single)));
        self.gyroscopes.clear();
        let gyroscopes = frame.gyroscopes.iter().map(CarriedGyroscope::from);
        self.gyroscopes.extend(gyroscopes);
        self.gyroscopic = frame.gyroscopic;
    }
}

fn spring(from: FrameSpring) -> Spring {
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
    turn: Quaternion,
    path: [f32; 3],
    /// What the gyroscopic torque has added to the angular velocity \[rad/s\].
    spun: [f32; 3],
    /// Angular momentum after the impulses of the last substep, where it is kept \[kg·m²/s\].
    momentum: Vector3<f64>,
}

/// The bodies of one thread.
#[derive(Debug, Default)]
pub(crate) struct CarriedBodies {
    states: Vec<BodyState>,
    /// Displacement \[m\], and the turn as u/(1 + w) (T.33): what contacts gather, as they gather
    /// velocities.
    pub(crate) motions: Vec<BodyRow>,
    /// Sweeps since the velocities were summed.
    pub(crate) sweeps: u64,
}

impl CarriedBodies {
    /// Nothing has moved yet.
    pub(crate) fn begin(&mut self, frame: &CarriedFrame, free: &[BodyRow]) {
        self.states.clear();
        let bodies = free.iter().zip(&frame.gyroscopes);
        self.states
            .extend(bodies.map(|(free, gyroscope)| BodyState {
                free: *free,
                turn: [0.0, 0.0, 0.0, 1.0],
                path: [0.0; 3],
                spun: [0.0; 3],
                momentum: gyroscope.momentum(),
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

    /// Begins a substep of a body: forces, the gyroscopic torque, and what the impulses did in the
    /// last one (T.35).
    #[inline]
    pub(crate) fn kick(&mut self, frame: &CarriedFrame, body: usize, velocities: &mut [BodyRow]) {
        let (state, velocity) = (&mut self.states[body], &mut velocities[body]);
        let [.., p, q, r, _] = *velocity;
        let gyroscope = &frame.gyroscopes[body];
        let turning = if frame.gyroscopic == GyroscopicTorque::Momentum {
            let pushed = std::array::from_fn(|axis| velocity[axis + 4] - state.free[axis + 4]);
            let spins = (pushed, [p, q, r]);
            gyroscope.keep(&mut state.momentum, spins, state.turn, frame.h)
        } else {
            gyroscope.change([p, q, r], state.turn, frame.h, frame.gyroscopic)
        };
        for (spun, change) in state.spun.iter_mut().zip(turning) {
            *spun += change;
        }
        let ([x, y, z], [p, q, r]) = (frame.velocity_increments[body], turning);
        let kick = [x, y, z, 0.0, p, q, r, 0.0];
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
    pub(crate) fn body(&self, body: usize) -> BodyDisplacement {
        let (state, motion) = (&self.states[body], &self.motions[body]);
        let [x, y, z, ..] = motion.map(f64::from);
        BodyDisplacement {
            displacement: [x, y, z],
            path: state.path.map(f64::from),
            rotation: state.turn.map(f64::from),
            gyroscopic_increment: state.spun.map(f64::from),
        }
    }
}

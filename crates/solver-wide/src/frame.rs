//! Substeps that the solver integrates (T.32–T.37): forces and poses are passes over the bodies of
//! each thread.
//!
//! Each thread integrates all bodies that it touches, with the same arithmetic. A barrier precedes
//! a pass over the bodies: there the last thread that touched a body publishes its velocity.

use std::array;

use delassus_core::{BodyDisplacement, FrameSetup, FrameSpring, GyroscopicTorque, HalfSteps};
use nalgebra::Vector3;

use super::gyroscope::FrameGyroscope;
use super::lanes::BodyRow;
use super::quaternion::{Quaternion, rotated};
use super::velocities::single;

/// Numbers of a joint or a closed contact in the solve with bias (T.34).
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Spring {
    /// \[1/s\].
    pub(crate) rate: f32,
    /// Share of an impulse that relaxes, R/(A + R) \[-\].
    pub(crate) share: f32,
    /// \[m/s\].
    pub(crate) limit: f32,
}

/// Stabilization of contacts that all passes of a frame share.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Stabilization {
    pub(crate) inverse_h: f32,
    pub(crate) slop: f32,
    pub(crate) soft_when_open: bool,
    /// Between two bodies that move, and with one that does not.
    pub(crate) springs: [Spring; 2],
    /// Of joints; the limit is not used.
    pub(crate) joint_spring: Spring,
}

/// A visit of the contacts in a half-step.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HalfStepVisit {
    pub(crate) stabilization: Stabilization,
    pub(crate) biased: bool,
    /// True if friction keeps its impulses.
    pub(crate) normals_only: bool,
    /// True if the bodies have moved since the separations were computed.
    pub(crate) bodies_moved: bool,
    /// True if the visit begins a substep: what the impulses have reached acts again.
    pub(crate) starts_substep: bool,
    /// True if the visit ends a substep: its impulses enter the sum.
    pub(crate) ends_substep: bool,
}

/// A frame as the threads see it.
#[derive(Debug, Clone, Default)]
pub(crate) struct FrameTask {
    pub(crate) stabilization: Stabilization,
    pub(crate) sweeps: [u32; 2],
    pub(crate) holds_friction: bool,
    pub(crate) half_steps: HalfSteps,
    /// Number of joints \[-\].
    pub(crate) joints: usize,
    h: f32,
    /// Per body \[m/s\].
    velocity_increments: Vec<[f32; 3]>,
    gyroscopes: Vec<FrameGyroscope>,
    gyroscopic: GyroscopicTorque,
}

impl FrameTask {
    /// Takes over the setup of a frame and the half-steps to integrate.
    pub(crate) fn set(&mut self, frame: &FrameSetup<'_>, half_steps: HalfSteps) {
        self.stabilization = Stabilization {
            inverse_h: single(1.0 / frame.h),
            slop: single(frame.slop),
            soft_when_open: frame.soft_when_open,
            springs: frame.springs.map(spring),
            joint_spring: spring(frame.joint_spring),
        };
        self.joints = frame.joints.len();
        self.sweeps = frame.sweeps;
        self.holds_friction = frame.holds_friction;
        self.half_steps = half_steps;
        self.h = single(frame.h);
        self.velocity_increments.clear();
        let increments = frame.velocity_increments.iter();
        self.velocity_increments
            .extend(increments.map(|increment| increment.map(single)));
        self.gyroscopes.clear();
        let gyroscopes = frame.gyroscopes.iter().map(FrameGyroscope::from);
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

/// State of a body in addition to its velocity and motion.
#[derive(Debug, Clone, Copy)]
struct BodyState {
    /// v_f of the substep.
    free: BodyRow,
    rotation: Quaternion,
    path: [f32; 3],
    /// Sum of what the gyroscopic torque has added to the angular velocity \[rad/s\].
    gyroscopic_increment: [f32; 3],
    /// What moving the rows of joints did to the angular part of v_f in the substep \[rad/s\].
    moved: [f32; 3],
    /// Angular momentum after the impulses of the last substep, where it is kept \[kg·m²/s\].
    momentum: Vector3<f64>,
    /// Momentum that has turned with the body since the start of the frame \[kg·m²/s\].
    momentum_turned: Vector3<f64>,
}

/// The bodies of one thread.
#[derive(Debug, Default)]
pub(crate) struct FrameBodies {
    states: Vec<BodyState>,
    /// Displacement \[m\], and the rotation as u/(1 + w) (T.33). Contacts gather them as they
    /// gather velocities.
    pub(crate) motions: Vec<BodyRow>,
    /// What the impulses do to the velocities; before that is known, the velocities themselves.
    pushed: Vec<BodyRow>,
    /// Sweeps since the velocities were summed.
    pub(crate) sweeps: u64,
}

impl FrameBodies {
    /// The start of a frame: no body has moved.
    pub(crate) fn begin(&mut self, frame: &FrameTask, free: &[BodyRow]) {
        self.states.clear();
        let bodies = free.iter().zip(&frame.gyroscopes);
        self.states
            .extend(bodies.map(|(free, gyroscope)| BodyState {
                free: *free,
                rotation: [0.0, 0.0, 0.0, 1.0],
                path: [0.0; 3],
                gyroscopic_increment: [0.0; 3],
                moved: [0.0; 3],
                momentum: gyroscope.momentum(),
                momentum_turned: Vector3::zeros(),
            }));
        self.motions.clear();
        self.motions.resize(free.len() + 1, [0.0; 8]);
        self.sweeps = 0;
    }

    /// Sets the velocities of all bodies to v_f.
    pub(crate) fn copy_free(&self, velocities: &mut [BodyRow]) {
        for (velocity, state) in velocities.iter_mut().zip(&self.states) {
            *velocity = state.free;
        }
    }

    /// Puts the velocities aside, and zeros in their place.
    pub(crate) fn set_aside(&mut self, velocities: &mut [BodyRow]) {
        self.pushed.clear();
        self.pushed.extend_from_slice(velocities);
        velocities.fill([0.0; 8]);
    }

    /// Puts the velocities back; those in their place are what the impulses do.
    pub(crate) fn put_back(&mut self, velocities: &mut [BodyRow]) {
        self.pushed.swap_with_slice(velocities);
    }

    /// Changes v_f of a body so that v_f and the impulses give its velocity by the moved rows
    /// (T.38).
    #[inline]
    pub(crate) fn move_free(&mut self, body: usize, velocities: &[BodyRow]) {
        let (state, pushed) = (&mut self.states[body], &self.pushed[body]);
        let before = state.free;
        for axis in 0..8 {
            state.free[axis] = velocities[body][axis] - pushed[axis];
        }
        state.moved = array::from_fn(|axis| state.free[axis + 4] - before[axis + 4]);
    }

    /// Begins a substep of a body: forces, the gyroscopic torque, and what the impulses did in the
    /// last one (T.35).
    #[inline]
    pub(crate) fn integrate_velocity(
        &mut self,
        frame: &FrameTask,
        body: usize,
        velocities: &mut [BodyRow],
    ) {
        let (state, velocity) = (&mut self.states[body], &mut velocities[body]);
        let [.., p, q, r, _] = *velocity;
        let gyroscope = &frame.gyroscopes[body];
        let turning = if frame.gyroscopic == GyroscopicTorque::Momentum {
            let mut pushed: [f32; 3] =
                array::from_fn(|axis| velocity[axis + 4] - state.free[axis + 4]);
            if frame.joints > 0 {
                pushed = array::from_fn(|axis| pushed[axis] + state.moved[axis]);
            }
            let (momentum, spin) = (&mut state.momentum, [p, q, r]);
            gyroscope.keep(momentum, pushed, spin, state.rotation, frame.h)
        } else {
            gyroscope.change([p, q, r], state.rotation, frame.h, frame.gyroscopic)
        };
        for (sum, change) in state.gyroscopic_increment.iter_mut().zip(turning) {
            *sum += change;
        }
        let ([x, y, z], [p, q, r]) = (frame.velocity_increments[body], turning);
        let increment = [x, y, z, 0.0, p, q, r, 0.0];
        for axis in 0..8 {
            let pushed = velocity[axis] - state.free[axis];
            state.free[axis] = velocity[axis] + increment[axis];
            velocity[axis] = state.free[axis] + pushed;
        }
    }

    /// Moves a body with its velocity (T.3, T.4).
    #[inline]
    pub(crate) fn integrate_position(
        &mut self,
        frame: &FrameTask,
        body: usize,
        velocities: &[BodyRow],
    ) {
        let h = frame.h;
        let (state, motion) = (&mut self.states[body], &mut self.motions[body]);
        let [x, y, z, _, p, q, r, _] = velocities[body];
        for (axis, v) in [x, y, z].into_iter().enumerate() {
            state.path[axis] += motion[axis];
            motion[axis] += h * v;
        }
        let before = state.rotation;
        state.rotation = rotated(before, [h * p, h * q, h * r]);
        if frame.gyroscopic == GyroscopicTorque::Momentum {
            let gyroscope = &frame.gyroscopes[body];
            let pushed = array::from_fn(|axis| velocities[body][axis + 4] - state.free[axis + 4]);
            let poses = [before, state.rotation];
            if let Some(turned) = gyroscope.led(&state.momentum, [pushed, [p, q, r]], poses, h) {
                state.momentum += turned;
                state.momentum_turned += turned;
            }
        }
        let [x, y, z, w] = state.rotation;
        // q and −q are the same rotation
        let sign = if w < 0.0 { -1.0 } else { 1.0 };
        let scale = sign / (1.0 + w.abs());
        motion[4..7].copy_from_slice(&[scale * x, scale * y, scale * z]);
    }

    /// Number of bodies.
    pub(crate) fn bodies(&self) -> usize {
        self.states.len()
    }

    /// The motion of a body since the frame began.
    pub(crate) fn body(&self, body: usize) -> BodyDisplacement {
        let (state, motion) = (&self.states[body], &self.motions[body]);
        let [x, y, z, ..] = motion.map(f64::from);
        BodyDisplacement {
            displacement: [x, y, z],
            path: state.path.map(f64::from),
            rotation: state.rotation.map(f64::from),
            gyroscopic_increment: state.gyroscopic_increment.map(f64::from),
            momentum_turned: state.momentum_turned.into(),
        }
    }
}

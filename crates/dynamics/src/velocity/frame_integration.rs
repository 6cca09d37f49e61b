//! What a frame that the solver integrates itself starts from, and what its motion does to the
//! world (T.32)–(T.37).
//!
//! Poses and velocities of the bodies that touch follow from the motion that the solver reports.
//! The scheme itself moves the others. Velocities at the end of a substep follow from the sums of
//! the impulses in f64.

use std::ops::Range;

use delassus_core::{
    BodyDisplacement, FrameJoint, FrameMotion, FrameSetup, Gyroscope, GyroscopicTorque, Progress,
};
use nalgebra::{Quaternion, UnitQuaternion, Vector3};

use super::frame_joints;
use super::free::{self, FreeMotion, KeptMomentum};
use super::parameters::{Gyroscopic, OpenRows, VelocityParameters};
use super::row_solver::SolvedMotion;
use super::stabilization::{frame_joint_spring, frame_springs};
use super::work;
use crate::assembly::{Assembly, ContactRows};
use crate::body::{Body, Pose};
use crate::position::Position;
use crate::rotation;
use crate::scheme::StepReport;
use crate::spatial::split_spatial;
use crate::stopped_by::StoppedBy;
use crate::world::World;

/// Angle per substep from which bodies that keep their momentum are not left to the solver: the
/// mean of their rotation may need a rotation before it \[rad\].
const FAST: f64 = 1.0;

/// The start of a frame, per body, and its motion so far.
#[derive(Debug, Default)]
pub(super) struct FrameIntegration {
    /// Poses at the start of the frame.
    start: Vec<Pose>,
    /// What gravity adds in a substep \[m/s\].
    velocity_increments: Vec<[f64; 3]>,
    /// What the gyroscopic torque of each body follows from.
    gyroscopes: Vec<Gyroscope>,
    /// True if it touches something, or is joined to it.
    touching: Vec<bool>,
    /// Per joint.
    joints: Vec<FrameJoint>,
    /// Orientations before the last motion, where joints count turns.
    turns: Vec<UnitQuaternion<f64>>,
    pub(super) motion: FrameMotion,
    /// The free motion of a substep after the first, for those who watch.
    pub(super) later: FreeMotion,
    /// True if the solver accepted the last frame that it was asked to integrate.
    pub(super) accepted: bool,
}

impl FrameIntegration {
    /// Keeps what a frame of `h` \[s\] starts from; false if a body with rows feels more than
    /// gravity, or turns too fast, or a joint is none that a solver integrates.
    pub(super) fn begin(
        &mut self,
        world: &World,
        assembly: &Assembly,
        free: &FreeMotion,
        parameters: &VelocityParameters,
        h: f64,
    ) -> bool {
        if !frame_joints::collect(world, assembly, parameters, &mut self.joints) {
            return false;
        }
        let contacts = &assembly.contacts;
        self.touching.clear();
        self.touching.resize(world.bodies.len(), false);
        let joined = world.joints.iter().flat_map(|j| j.constraint.bodies());
        for body in contacts.bodies().chain(joined.copied()) {
            self.touching[body] = true;
        }
        let bodies = || world.bodies.iter().zip(&free.momenta);
        // a solver takes bodies without inverse mass for static ones
        let stiff = contacts.fixed.contains(&true);
        let statics = parameters.static_bodies;
        let fits = |body: &Body, kept: &Option<KeptMomentum>| {
            let told = !stiff || body.is_dynamic() || statics.include(body);
            told && feels_gravity_alone(body) && (kept.is_none() || h * body.spin.norm() < FAST)
        };
        let mut touching = bodies().zip(&self.touching);
        if !touching.all(|((body, kept), touches)| !touches || fits(body, kept)) {
            return false;
        }
        self.start.clear();
        self.start.extend(world.bodies.iter().map(Body::pose));
        self.velocity_increments.clear();
        let increments = world.bodies.iter().map(|body| increment(world, body, h));
        self.velocity_increments.extend(increments);
        self.gyroscopes.clear();
        let mode = parameters.gyroscopic;
        let gyroscopes = bodies().map(|(body, kept)| gyroscope(body, mode, kept.as_ref()));
        self.gyroscopes.extend(gyroscopes);
        true
    }

    /// What a solver needs to integrate the frame.
    pub(super) fn setup<'a>(
        &'a self,
        contacts: &'a ContactRows,
        parameters: &VelocityParameters,
        h: f64,
    ) -> FrameSetup<'a> {
        let mut springs = frame_springs(parameters, h);
        if !contacts.fixed.contains(&true) {
            // whatever the masses say, which is all that a solver looks at
            springs[1] = springs[0];
        }
        FrameSetup {
            h,
            sweeps: [parameters.sweeps, parameters.relax_sweeps],
            holds_friction: parameters.holds_friction(),
            springs,
            joints: &self.joints,
            joint_spring: frame_joint_spring(parameters, h),
            slop: parameters.slop,
            soft_when_open: parameters.open_rows != OpenRows::Rigid,
            separations: &contacts.separations,
            anchor_offsets: &contacts.lifts,
            velocity_increments: &self.velocity_increments,
            gyroscopes: &self.gyroscopes,
            gyroscopic: match parameters.gyroscopic {
                Gyroscopic::Explicit => GyroscopicTorque::Explicit,
                Gyroscopic::Rescaled => GyroscopicTorque::Rescaled,
                Gyroscopic::Implicit => GyroscopicTorque::Implicit,
                Gyroscopic::Momentum | Gyroscopic::None => GyroscopicTorque::Momentum,
            },
        }
    }

    /// Moves the bodies that touch to where the solver has brought them, and counts their turns.
    pub(super) fn write_poses(&mut self, world: &mut World) {
        self.turns.clear();
        if !world.joints.is_empty() {
            let before = world.bodies.iter().map(|body| body.orientation);
            self.turns.extend(before);
        }
        let motion = self.start.iter().zip(&self.motion.bodies);
        let bodies = world.bodies.iter_mut().zip(&self.touching);
        for ((body, touches), (start, motion)) in bodies.zip(motion) {
            if *touches && body.is_dynamic() {
                (body.position, body.orientation) = moved(start, motion);
            }
        }
        let turns = &self.turns;
        world.follow_turns(|world, body| {
            let now = world.bodies[body].orientation;
            rotation::log(&(now * turns[body].inverse()))
        });
    }

    /// Moves the bodies that touch nothing, and the time, by some substeps of `h` \[s\].
    pub(super) fn advance_others(
        &self,
        world: &mut World,
        free: &FreeMotion,
        gyroscopic: Gyroscopic,
        substeps: Range<u32>,
        h: f64,
        report: &mut StepReport,
    ) {
        for substep in substeps {
            for index in (0..self.touching.len()).filter(|index| !self.touching[*index]) {
                let body = &world.bodies[index];
                let ([velocity, spin], kept) = if substep == 0 {
                    let first = split_spatial(&free.velocities[6 * index..6 * index + 6]);
                    (first, free.momenta[index])
                } else {
                    free::velocity(world, body, gyroscopic, h, report)
                };
                work::applied(body, [velocity, spin], h, report);
                let body = &mut world.bodies[index];
                free::advance(body, kept.as_ref(), h * velocity, &(h * spin));
                if body.is_dynamic() {
                    let kept = kept.map(|kept| kept.spin(body, &Vector3::zeros()));
                    (body.velocity, body.spin) = (velocity, kept.unwrap_or(spin));
                }
            }
            world.time += h;
        }
    }

    /// Gives the bodies that touch their velocities after so many substeps (T.36); `solved` is
    /// memory.
    pub(super) fn write_velocities(
        &self,
        world: &mut World,
        assembly: &Assembly,
        momenta: &[Option<KeptMomentum>],
        substeps: u32,
        solved: &mut SolvedMotion,
    ) {
        solved.resize(world.bodies.len());
        let (wrenches, velocities) = (&mut solved.wrenches, &mut solved.velocities);
        let FrameMotion {
            impulses, joints, ..
        } = &self.motion;
        assembly.body_velocities(impulses, joints, wrenches, velocities);
        let later = f64::from(substeps - 1);
        for (index, body) in world.bodies.iter_mut().enumerate() {
            if self.touching[index] && body.is_dynamic() {
                let v = &mut velocities[6 * index..6 * index + 6];
                for axis in 0..3 {
                    v[axis] += later * self.velocity_increments[index][axis];
                    v[axis + 3] += self.motion.bodies[index].gyroscopic_increment[axis];
                }
                [body.velocity, body.spin] = split_spatial(v);
                if let Some(kept) = &momenta[index] {
                    let [_, impulse] = split_spatial(&wrenches[6 * index..6 * index + 6]);
                    let turned = Vector3::from(self.motion.bodies[index].momentum_turned);
                    body.spin = kept.spin(body, &(impulse + turned));
                }
            }
        }
    }

    /// Adds what the frame took from outside, and the work of its solves, to the report.
    pub(super) fn record(
        &self,
        world: &World,
        assembly: &Assembly,
        velocities: &[f64],
        parameters: &VelocityParameters,
        report: &mut StepReport,
    ) {
        let later = f64::from(parameters.substeps - 1);
        for (index, body) in world.bodies.iter().enumerate() {
            if self.touching[index] && body.is_dynamic() {
                let gained = body.inertia.mass * Vector3::from(self.velocity_increments[index]);
                let path = Vector3::from(self.motion.bodies[index].path);
                let positions = later * self.start[index].position.to_vector() + path;
                report.external.linear += later * gained;
                report.external.angular += positions.cross(&gained);
            }
        }
        let FrameMotion {
            impulses, joints, ..
        } = &self.motion;
        work::rows(world, assembly, impulses, joints, velocities, report);
        let rows = assembly.problem.rows();
        let biased = if parameters.holds_friction() {
            assembly.joint_rows.len() + assembly.contacts.rows.len()
        } else {
            rows
        };
        for _ in 0..parameters.substeps {
            for (sweeps, rows) in [(parameters.sweeps, biased), (parameters.relax_sweeps, rows)] {
                if sweeps > 0 {
                    let progress = Progress::of_sweeps(sweeps, rows);
                    report.take_solve(progress, StoppedBy::Count, None);
                }
            }
        }
    }
}

/// True if a solver that integrates the body needs nothing but its gravity and its gyroscopic
/// torque.
fn feels_gravity_alone(body: &Body) -> bool {
    let zero = Vector3::zeros();
    if !body.is_dynamic() {
        return body.velocity == zero && body.spin == zero;
    }
    body.force == zero
        && body.torque == zero
        && (body.linear_damping, body.angular_damping) == (0.0, 0.0)
        && body.lock_translation == [false; 3]
}

/// The gyroscopic torque of a body (T.37), (T.51).
fn gyroscope(body: &Body, mode: Gyroscopic, kept: Option<&KeptMomentum>) -> Gyroscope {
    if !free::feels_gyroscope(body, mode) {
        return Gyroscope::NONE;
    }
    let [a, b, c] = body.inertia.moments.into();
    let axes = body.orientation * body.inertia.axes;
    Gyroscope {
        ratios: [(c - b) / a, (a - c) / b, (b - a) / c],
        moments: [a, b, c],
        momentum: kept.map_or([0.0; 3], |kept| kept.momentum.into()),
        axes: axes.coords.into(),
    }
}

/// What gravity adds to the velocity of a body \[m/s\].
fn increment(world: &World, body: &Body, h: f64) -> [f64; 3] {
    if !body.is_dynamic() {
        return [0.0; 3];
    }
    (h * (body.gravity_scale * world.gravity)).into()
}

/// A pose after a motion.
fn moved(start: &Pose, motion: &BodyDisplacement) -> (Position, UnitQuaternion<f64>) {
    let mut position = start.position;
    position += Vector3::from(motion.displacement);
    let [x, y, z, w] = motion.rotation;
    if [x, y, z] == [0.0; 3] {
        return (position, start.orientation);
    }
    let turned = Quaternion::new(w, x, y, z) * start.orientation.into_inner();
    (position, UnitQuaternion::new_normalize(turned))
}

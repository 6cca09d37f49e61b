//! Frames whose substeps the solver integrates itself (T.32)–(T.37).
//!
//! A solver may offer to move the bodies and to compute the separations of a frame
//! ([`delassus_core::FrameSolver`]). The scheme accepts if all rows are contacts that stay for the
//! whole frame, and only gravity acts on the bodies in contact. The scheme itself moves the bodies
//! without contacts. Velocities at the end of a substep follow from the sums of the impulses in
//! f64. A probe sees every stage, and changes no bit.

use std::ops::Range;

use delassus_core::{
    BodyDisplacement, FrameMotion, FrameSetup, Gyroscope, GyroscopicTorque, HalfSteps, Progress,
    SolveError,
};
use nalgebra::{Quaternion, UnitQuaternion, Vector3};

use super::free::KeptMomentum;
use super::frozen::Frozen;
use super::parameters::{
    FrictionPasses, Gyroscopic, OpenRows, RelaxPoses, Stabilization, VelocityParameters, WarmStart,
};
use super::stabilization::{Pass, frame_springs};
use super::{VelocityScheme, free, work};
use crate::body::{Body, Pose};
use crate::error::StepError;
use crate::position::Position;
use crate::scheme::{Probe, Stage, StepReport, StoppedBy};
use crate::six::halves;
use crate::world::World;

/// Angle per substep from which bodies that keep their momentum are not left to the solver: the
/// mean of their rotation may need a rotation before it \[rad\].
const FAST: f64 = 1.0;

/// What a carried frame keeps, and memory for it.
#[derive(Debug, Default)]
pub(super) struct Carrying {
    /// Poses at the start of the frame.
    start: Vec<Pose>,
    /// Free velocities of the first substep, 6 per body.
    free: Vec<f64>,
    /// What gravity adds in a substep \[m/s\].
    velocity_increments: Vec<[f64; 3]>,
    /// What the gyroscopic torque of each body follows from.
    gyroscopes: Vec<Gyroscope>,
    /// Per body: true if it touches something.
    touching: Vec<bool>,
    motion: FrameMotion,
    /// True if the solver has carried a frame on the rows that it holds: it knows no bias of them.
    pub(super) goes_on: bool,
    /// True if the solver took the last frame that it was asked to carry.
    pub(super) taken: bool,
    /// True if new rows are left to the solver, which knows no bias of them.
    pub(super) leaves: bool,
}

impl VelocityScheme {
    /// True if knobs and world leave a frame to a solver that offers to carry it.
    fn leaves_frame(&self, world: &World) -> bool {
        let knobs = &self.parameters;
        knobs.stabilization != Stabilization::SplitImpulse
            && knobs.warm_start != WarmStart::Off
            && knobs.friction_beta == 0.0
            && knobs.stop.tolerance.is_none()
            && !knobs.corrects_in_substeps()
            && knobs.relax_separations == RelaxPoses::Moved
            && !self.freezes_often(world)
            && world.joints.is_empty()
    }

    /// True if the frame of these rows may be carried; keeps what it starts from.
    pub(super) fn may_carry(&mut self, world: &World, frozen: &Frozen, h: f64) -> bool {
        let contacts = &frozen.assembly.contacts;
        let alone = contacts.rows.len() == frozen.assembly.problem.blocks().len();
        let counts_turns = world.joints.iter().any(|joint| !joint.track.is_empty());
        let own = counts_turns || contacts.roll();
        let plain = alone && !contacts.rows.is_empty() && !own && self.bias.is_plain();
        if !self.leaves_frame(world) || frozen.bounces || !plain {
            return false;
        }
        let Carrying {
            start,
            velocity_increments,
            gyroscopes,
            touching,
            ..
        } = &mut self.carrying;
        touching.clear();
        touching.resize(world.bodies.len(), false);
        for body in contacts.bodies() {
            touching[body] = true;
        }
        let mut bodies = world.bodies.iter().zip(&self.momenta).zip(touching.iter());
        // a solver takes bodies without inverse mass for static ones
        let stiff = contacts.fixed.contains(&true);
        let statics = self.parameters.static_bodies;
        let fits = |body: &Body, kept: &Option<KeptMomentum>| {
            let told = !stiff || body.is_dynamic() || statics.include(body);
            told && feels_gravity_alone(body) && (kept.is_none() || h * body.spin.norm() < FAST)
        };
        if !bodies.all(|((body, kept), touches)| !touches || fits(body, kept)) {
            return false;
        }
        start.clear();
        start.extend(world.bodies.iter().map(Body::pose));
        velocity_increments.clear();
        let increments = world.bodies.iter().map(|body| increment(world, body, h));
        velocity_increments.extend(increments);
        gyroscopes.clear();
        let mode = self.parameters.gyroscopic;
        let bodies = world.bodies.iter().zip(&self.momenta);
        gyroscopes.extend(bodies.map(|(body, kept)| gyroscope(body, mode, kept.as_ref())));
        true
    }

    /// Makes all substeps of a frame whose first is ready to be solved; false, with nothing
    /// changed, if the solver does not carry it.
    pub(super) fn carry(
        &mut self,
        world: &mut World,
        frozen: &mut Frozen,
        h: f64,
        probe: &mut dyn Probe,
        report: &mut StepReport,
    ) -> Result<bool, StepError> {
        let count = self.parameters.substeps;
        let watched = Stage::ALL.iter().any(|stage| probe.wants(*stage));
        let end = if watched { 1 } else { 2 * count };
        self.carrying.taken = self.integrate_half_steps(frozen, h, 0..end)?;
        if !self.carrying.taken {
            let goes_on = std::mem::take(&mut self.carrying.goes_on);
            if goes_on || std::mem::take(&mut self.carrying.leaves) {
                let what = self.set_bias(world, &mut frozen.assembly, h, Pass::Biased)?;
                self.go_on(&frozen.assembly.problem, what)?;
            }
            return Ok(false);
        }
        self.carrying.goes_on = true;
        self.carrying.free.clone_from(&self.free);
        if watched {
            self.integrate_with_probe(world, frozen, h, probe, report)?;
        } else {
            self.read_motion()?;
            self.land(world, 0..count, h, report);
            self.settle(world, frozen, count);
        }
        self.solver.read_impulses(&mut self.impulses)?;
        self.report_carried(world, frozen, report);
        Ok(true)
    }

    /// Lets the solver integrate half-steps; false if it does not.
    fn integrate_half_steps(
        &mut self,
        frozen: &Frozen,
        h: f64,
        half_steps: HalfSteps,
    ) -> Result<bool, StepError> {
        let Some(solver) = self.solver.as_frame_solver() else {
            return Ok(false);
        };
        let knobs = &self.parameters;
        let contacts = &frozen.assembly.contacts;
        let mut springs = frame_springs(knobs, h);
        if !contacts.fixed.contains(&true) {
            // whatever the masses say, which is all that a solver looks at
            springs[1] = springs[0];
        }
        let setup = FrameSetup {
            h,
            sweeps: [knobs.sweeps, knobs.relax_sweeps],
            holds_friction: holds_friction(knobs),
            springs,
            slop: knobs.slop,
            soft_when_open: knobs.open_rows != OpenRows::Rigid,
            separations: &contacts.separations,
            anchor_offsets: &contacts.lifts,
            velocity_increments: &self.carrying.velocity_increments,
            gyroscopes: &self.carrying.gyroscopes,
            gyroscopic: match knobs.gyroscopic {
                Gyroscopic::Explicit => GyroscopicTorque::Explicit,
                Gyroscopic::Rescaled => GyroscopicTorque::Rescaled,
                Gyroscopic::Implicit => GyroscopicTorque::Implicit,
                Gyroscopic::Momentum | Gyroscopic::None => GyroscopicTorque::Momentum,
            },
        };
        let problem = &frozen.assembly.problem;
        Ok(solver.integrate(problem, &setup, half_steps)?)
    }

    /// Reads the motion of the bodies so far.
    fn read_motion(&mut self) -> Result<(), StepError> {
        let solver = self
            .solver
            .as_frame_solver()
            .ok_or(SolveError::NotPrepared)?;
        Ok(solver.read_motion(&mut self.carrying.motion)?)
    }

    /// One half-step after the other, after the first, for a probe: at every stage the problem has
    /// its numbers.
    fn integrate_with_probe(
        &mut self,
        world: &mut World,
        frozen: &mut Frozen,
        h: f64,
        probe: &mut dyn Probe,
        report: &mut StepReport,
    ) -> Result<(), StepError> {
        let relaxes = self.parameters.relax_sweeps > 0;
        for substep in 0..self.parameters.substeps {
            if substep > 0 {
                // the report is that of the whole frame, at its end
                let (mode, spare) = (self.parameters.gyroscopic, &mut StepReport::default());
                let free = (&mut self.free, &mut Vec::new());
                free::velocities(world, mode, h, free, spare);
                frozen.assembly.problem.set_free_velocity(&self.free)?;
                frozen.assembly.update_errors(world, &mut self.evaluated);
            }
            self.set_bias(world, &mut frozen.assembly, h, Pass::Biased)?;
            self.show(world, frozen, (Stage::Assembled, substep, h), probe);
            if substep > 0 {
                self.integrate_half_steps(frozen, h, 2 * substep..2 * substep + 1)?;
            }
            self.solver.read_impulses(&mut self.impulses)?;
            self.show(world, frozen, (Stage::Solved, substep, h), probe);
            self.read_motion()?;
            self.land(world, substep..substep + 1, h, report);
            self.show(world, frozen, (Stage::Integrated, substep, h), probe);
            if relaxes {
                frozen.assembly.update_errors(world, &mut self.evaluated);
                self.set_bias(world, &mut frozen.assembly, h, Pass::Relaxed)?;
            }
            self.integrate_half_steps(frozen, h, 2 * substep + 1..2 * substep + 2)?;
            self.solver.read_impulses(&mut self.impulses)?;
            if relaxes {
                self.show(world, frozen, (Stage::Relaxed, substep, h), probe);
            }
            self.read_motion()?;
            let first = std::mem::take(&mut self.carrying.free);
            frozen.assembly.problem.set_free_velocity(&first)?;
            self.carrying.free = first;
            self.settle(world, frozen, substep + 1);
        }
        Ok(())
    }

    /// Moves the bodies and the time to the end of some substeps: those that touch to where the
    /// solver has brought them.
    fn land(&self, world: &mut World, substeps: Range<u32>, h: f64, report: &mut StepReport) {
        let carrying = &self.carrying;
        for (index, body) in world.bodies.iter_mut().enumerate() {
            if carrying.touching[index] && body.is_dynamic() {
                (body.position, body.orientation) =
                    moved(&carrying.start[index], &carrying.motion.bodies[index]);
            }
        }
        for substep in substeps {
            for (index, touches) in carrying.touching.iter().enumerate() {
                if !touches {
                    self.advance_alone(world, (index, substep), h, report);
                }
            }
            world.time += h;
        }
    }

    /// One substep of a body that touches nothing.
    fn advance_alone(
        &self,
        world: &mut World,
        (index, substep): (usize, u32),
        h: f64,
        report: &mut StepReport,
    ) {
        let body = &world.bodies[index];
        let ([velocity, spin], kept) = if substep == 0 {
            let free = halves(&self.carrying.free[6 * index..6 * index + 6]);
            (free, self.momenta[index])
        } else {
            free::velocity(world, body, self.parameters.gyroscopic, h, report)
        };
        work::applied(body, [velocity, spin], h, report);
        let body = &mut world.bodies[index];
        free::advance(body, kept.as_ref(), h * velocity, &(h * spin));
        if body.is_dynamic() {
            let kept = kept.map(|kept| kept.spin(body, &Vector3::zeros()));
            (body.velocity, body.spin) = (velocity, kept.unwrap_or(spin));
        }
    }

    /// Velocities of the bodies that touch after so many substeps (T.36).
    fn settle(&mut self, world: &mut World, frozen: &Frozen, substeps: u32) {
        let carrying = &self.carrying;
        self.velocities.resize(self.free.len(), 0.0);
        self.wrenches.resize(self.free.len(), 0.0);
        let assembly = &frozen.assembly;
        let (wrenches, velocities) = (&mut self.wrenches, &mut self.velocities);
        assembly.body_velocities(&carrying.motion.impulses, wrenches, velocities);
        let later = f64::from(substeps - 1);
        for (index, body) in world.bodies.iter_mut().enumerate() {
            if carrying.touching[index] && body.is_dynamic() {
                let v = &mut velocities[6 * index..6 * index + 6];
                for axis in 0..3 {
                    v[axis] += later * carrying.velocity_increments[index][axis];
                    v[axis + 3] += carrying.motion.bodies[index].gyroscopic_increment[axis];
                }
                [body.velocity, body.spin] = halves(v);
                if let Some(kept) = &self.momenta[index] {
                    let [_, impulse] = halves(&wrenches[6 * index..6 * index + 6]);
                    body.spin = kept.spin(body, &impulse);
                }
            }
        }
    }

    /// What the frame took from outside, and the work of its solves.
    fn report_carried(&self, world: &World, frozen: &Frozen, report: &mut StepReport) {
        let carrying = &self.carrying;
        let later = f64::from(self.parameters.substeps - 1);
        for (index, body) in world.bodies.iter().enumerate() {
            if carrying.touching[index] && body.is_dynamic() {
                let gained = body.inertia.mass * Vector3::from(carrying.velocity_increments[index]);
                let path = Vector3::from(carrying.motion.bodies[index].path);
                let positions = later * carrying.start[index].position.to_vector() + path;
                report.external.linear += later * gained;
                report.external.angular += positions.cross(&gained);
            }
        }
        let assembly = &frozen.assembly;
        work::rows(
            world,
            assembly,
            &carrying.motion.impulses,
            &self.velocities,
            report,
        );
        let rows = assembly.problem.rows();
        let biased = if holds_friction(&self.parameters) {
            assembly.contacts.rows.len()
        } else {
            rows
        };
        let knobs = &self.parameters;
        for _ in 0..knobs.substeps {
            for (sweeps, rows) in [(knobs.sweeps, biased), (knobs.relax_sweeps, rows)] {
                if sweeps > 0 {
                    let progress = Progress::of_sweeps(sweeps, rows);
                    report.take_solve(progress, StoppedBy::Count, None);
                }
            }
        }
    }
}

/// True if the solve with bias keeps the impulses of friction.
fn holds_friction(parameters: &VelocityParameters) -> bool {
    parameters.friction == FrictionPasses::RelaxOnly && parameters.relax_sweeps > 0
}

/// True if only gravity and its gyroscopic torque act on the body.
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

//! What a frame leaves, as changes of the world and as a report.

use delassus_core::Progress;
use delassus_dynamics::{Body, BodyUpdate, StepReport, World};
use delassus_solver_jacobi::pack::FIXED;
use delassus_solver_jacobi::real::{Quad, Real};
use nalgebra::{Quaternion, UnitQuaternion, Vector3};

use crate::stepping::frame::FrameSchedule;
use crate::stepping::{BodyMotion, Total};

fn vector<T: Real>(q: Quad<T>) -> Vector3<f64> {
    Vector3::new(q[0].widen(), q[1].widen(), q[2].widen())
}

/// Sums of the wrenches of a body: force, torque, displacement × force \[N·s, N·m·s\].
#[derive(Debug, Clone, Copy, Default)]
struct Wrench {
    force: Vector3<f64>,
    torque: Vector3<f64>,
    moment: Vector3<f64>,
}

/// What a frame leaves of the bodies, and how much it was.
#[derive(Debug, Clone, Copy)]
pub struct FrameResult<'a, T: Copy> {
    /// One per body, and one for the world.
    pub motion: &'a [BodyMotion<T>],
    /// Per slot: its body, with a mark where nothing moves it, and the sums of its wrenches.
    pub slots: (&'a [u32], &'a [Total<T>]),
    /// How much work it was.
    pub schedule: FrameSchedule,
    /// Rows \[-\].
    pub rows: usize,
    /// Rows that are solved for, in the biased and in the relaxed pass \[-\].
    pub active: [usize; 2],
    /// Substep \[s\].
    pub h: f64,
}

impl<T: Real> FrameResult<'_, T> {
    /// Where the bodies are then, and what the frame did. Linear velocities follow from the sums of
    /// the impulses in f64.
    pub fn updates(&self, world: &World) -> (Vec<BodyUpdate>, StepReport) {
        let mut report = StepReport::default();
        let wrenches = self.wrenches(world);
        let mut updates = Vec::with_capacity(world.bodies().len());
        for ((body, wrench), motion) in world.bodies().iter().zip(&wrenches).zip(self.motion) {
            let turn = { motion.turn }.map(Real::widen);
            let turn = Quaternion::new(turn[3], turn[0], turn[1], turn[2]);
            let inverse_mass = body.mass_properties().inverse_mass;
            let gained = vector(motion.gained);
            updates.push(BodyUpdate {
                displacement: vector(motion.displacement),
                turn: UnitQuaternion::new_normalize(turn),
                velocity: body.velocity + gained + inverse_mass.component_mul(&wrench.force),
                spin: vector(motion.spin),
            });
            account(body, wrench, motion, self.h, &mut report);
        }
        report.progress = progress(&self.schedule, self.active);
        report.rows = self.rows;
        (updates, report)
    }

    /// Wrenches per body.
    fn wrenches(&self, world: &World) -> Vec<Wrench> {
        let mut sums = vec![Wrench::default(); world.bodies().len()];
        let (slots, totals) = self.slots;
        for (body, total) in slots.iter().zip(totals) {
            if let Some(sum) = sums.get_mut((body & !FIXED) as usize) {
                sum.force += vector(total.force);
                sum.torque += vector(total.torque);
                sum.moment += vector(total.moment);
            }
        }
        sums
    }
}

/// How much work a frame was, with so many rows that are solved for in the biased and in the
/// relaxed pass \[-\].
pub fn progress(schedule: &FrameSchedule, active: [usize; 2]) -> Progress {
    let all = |sweeps: u32| u64::from(schedule.substeps) * u64::from(sweeps);
    let relaxed = all(schedule.relax_sweeps) + u64::from(schedule.restitution_sweeps);
    let sweeps = [all(schedule.sweeps), relaxed];
    let updates = active.iter().zip(sweeps);
    Progress {
        sweeps: u32::try_from(sweeps[0] + sweeps[1]).unwrap_or(u32::MAX),
        row_updates: updates.map(|(rows, sweeps)| *rows as u64 * sweeps).sum(),
        finished: false,
    }
}

/// Work and momentum from outside that went through one body.
fn account<T: Real>(
    body: &Body,
    wrench: &Wrench,
    motion: &BodyMotion<T>,
    h: f64,
    report: &mut StepReport,
) {
    let place = body.position.to_vector();
    if !body.is_dynamic() {
        report.drive_work -= wrench.force.dot(&body.velocity) + wrench.torque.dot(&body.spin);
        report.external.linear -= wrench.force;
        report.external.angular -= wrench.torque + place.cross(&wrench.force) + wrench.moment;
        return;
    }
    let mean = [vector(motion.velocities), vector(motion.spins)];
    report.applied_work += 0.5 * h * (body.force.dot(&mean[0]) + body.torque.dot(&mean[1]));
    let mass = body.inertia.mass;
    let (gained, moment) = (mass * vector(motion.gained), mass * vector(motion.moment));
    report.external.linear += gained;
    report.external.angular += place.cross(&gained) + moment + vector(motion.momentum);
    // what locked axes took, where the body is at the end
    let locked = body.lock_translation;
    let outside = Vector3::from_fn(|axis, _| f64::from(locked[axis]) * wrench.force[axis]);
    report.external.linear -= outside;
    report.external.angular -= (place + vector(motion.displacement)).cross(&outside);
}

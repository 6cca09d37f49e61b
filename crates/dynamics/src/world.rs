//! A world: bodies, joints, contact manifolds, gravity and time.

mod parts;

use arrayvec::ArrayVec;
use nalgebra::Vector3;

use crate::body::{Body, Pose};
use crate::colliders::Colliders;
use crate::constraint::{MAX_BODIES, RowUnit, Rows};
use crate::contact::Manifold;
use crate::error::{FieldError, StepError};
use crate::handles::{Handles, Moment};
use crate::joint::{Joint, Reaction};
use crate::spatial::{dot, split_spatial};

pub use parts::WorldParts;
pub(crate) use parts::{check_moves, check_resistance, check_surface, finite_inertia, other_form};

/// Bodies, joints and contacts at one instant; schemes advance it.
#[derive(Debug, Clone, PartialEq)]
pub struct World {
    pub(crate) gravity: Vector3<f64>,
    pub(crate) bodies: Vec<Body>,
    pub(crate) joints: Vec<Joint>,
    /// Those given, then those found at the start of the last frame.
    pub(crate) manifolds: Vec<Manifold>,
    pub(crate) colliders: Colliders,
    pub(crate) time: f64,
    /// The substep that the stored impulses belong to \[s\]; zero before the first step.
    pub(crate) impulse_step: f64,
    pub(crate) handles: Handles,
}

/// Energy of a world \[J\].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Energy {
    /// Of the motion, linear and angular.
    pub kinetic: f64,
    /// Of the weight, zero where the centres of mass are at the origin.
    pub potential: f64,
    /// Of the soft joints and contacts with a stiffness of their own.
    pub spring: f64,
}

impl Energy {
    /// The sum \[J\].
    pub fn total(&self) -> f64 {
        self.kinetic + self.potential + self.spring
    }
}

/// Momentum of the dynamic bodies.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Momentum {
    /// Linear \[N·s\].
    pub linear: Vector3<f64>,
    /// Angular, about the origin of the world \[N·m·s\].
    pub angular: Vector3<f64>,
}

impl World {
    /// Gravity \[m/s²\].
    pub fn gravity(&self) -> Vector3<f64> {
        self.gravity
    }

    /// The bodies.
    pub fn bodies(&self) -> &[Body] {
        &self.bodies
    }

    /// The joints.
    pub fn joints(&self) -> &[Joint] {
        &self.joints
    }

    /// The contact manifolds: those given, then those found at the start of the last frame.
    pub fn manifolds(&self) -> &[Manifold] {
        &self.manifolds
    }

    /// Time since the start \[s\].
    pub fn time(&self) -> f64 {
        self.time
    }

    /// The substep that the stored impulses belong to \[s\]; zero before the first step.
    pub fn impulse_step(&self) -> f64 {
        self.impulse_step
    }

    /// When and in which edition the world is.
    pub(crate) fn moment(&self) -> Moment {
        Moment {
            time: self.time,
            edition: self.handles.edition(),
        }
    }

    /// Poses of the bodies that `joint` touches.
    pub(crate) fn poses_of(&self, bodies: &[usize]) -> ArrayVec<Pose, MAX_BODIES> {
        let bodies = bodies.iter();
        bodies.map(|body| self.bodies[*body].pose()).collect()
    }

    /// Evaluates the rows of a joint at the present poses and time.
    ///
    /// # Panics
    /// If there is no such joint.
    pub fn evaluate_joint(&self, joint: usize, rows: &mut Rows) {
        let Joint {
            constraint, track, ..
        } = &self.joints[joint];
        rows.clear();
        // nearly all joints have two bodies
        if let [a, b] = *constraint.bodies() {
            return constraint.evaluate_from(&self.pair([a, b]), track, self.time, rows);
        }
        let poses = self.poses_of(constraint.bodies());
        constraint.evaluate_from(&poses, track, self.time, rows);
    }

    /// Position errors of every joint row, with their units, in the order of the joints \[m |
    /// rad\].
    ///
    /// A limit counts with its violation only, a drive without position error with zero.
    pub fn joint_errors(&self) -> Vec<(RowUnit, f64)> {
        let mut rows = Rows::default();
        let mut errors = Vec::new();
        for (index, joint) in self.joints.iter().enumerate() {
            let descriptor = joint.constraint.descriptor();
            self.evaluate_joint(index, &mut rows);
            let limit = descriptor.force == crate::constraint::ForceKind::Limit;
            let error = |value: f64| if limit { value.min(0.0) } else { value };
            let units = descriptor.units.iter().copied();
            errors.extend(units.zip(rows.error.iter().map(|value| error(*value))));
        }
        errors
    }

    /// Force and torque of a joint on the `side`-th of its bodies, averaged over the last substep.
    ///
    /// Zero before the first step, `None` if there is no such joint or side.
    pub fn reaction(&self, joint: usize, side: usize) -> Option<Reaction> {
        let found = self.joints.get(joint)?;
        let count = found.constraint.bodies().len();
        if side >= count {
            return None;
        }
        let mut rows = Rows::default();
        self.evaluate_joint(joint, &mut rows);
        let mut wrench = [0.0; 6];
        let entries = rows.jacobian.chunks_exact(count);
        for (entry, impulse) in entries.zip(&found.impulses) {
            for axis in 0..6 {
                wrench[axis] += entry[side][axis] * impulse / self.impulse_step;
            }
        }
        let [force, torque] = split_spatial(&wrench);
        Some(Reaction { force, torque })
    }

    /// Energies \[J\].
    pub fn energy(&self) -> Energy {
        let mut energy = Energy::default();
        for body in self.bodies.iter().filter(|body| body.is_dynamic()) {
            energy.kinetic += body.kinetic_energy();
            let weight = body.inertia.mass * body.gravity_scale * self.gravity;
            energy.potential -= weight.dot(&body.position.to_vector());
        }
        energy.spring = self.spring_energy();
        energy
    }

    /// A_ii of one row \[1/kg | 1/(kg·m²)\].
    pub(crate) fn row_diagonal(&self, bodies: &[usize], entries: &[[f64; 6]]) -> f64 {
        let pairs = bodies.iter().zip(entries);
        let share = |(body, entry): (&usize, &[f64; 6])| {
            dot(
                &self.bodies[*body].mass_properties().apply_inverse(entry),
                entry,
            )
        };
        pairs.map(share).sum()
    }

    /// Momentum of the dynamic bodies.
    pub fn momentum(&self) -> Momentum {
        let mut momentum = Momentum::default();
        for body in self.bodies.iter().filter(|body| body.is_dynamic()) {
            let linear = body.inertia.mass * body.velocity;
            momentum.linear += linear;
            momentum.angular += body.position.to_vector().cross(&linear);
            momentum.angular += body.world_inertia() * body.spin;
        }
        momentum
    }

    /// A hash of the bits of the whole state: poses, velocities, stored impulses, turns and time
    /// (64-bit FNV-1a).
    pub fn state_hash(&self) -> u64 {
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        let mut take = |bits: u64| {
            for byte in bits.to_le_bytes() {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
            }
        };
        take(self.time.to_bits());
        for body in &self.bodies {
            body.position.bits().for_each(&mut take);
            let q = body.orientation.coords.iter();
            let numbers = q.chain(body.velocity.iter()).chain(body.spin.iter());
            numbers.for_each(|x| take(x.to_bits()));
        }
        let joints = self.joints.iter().flat_map(|joint| &joint.impulses);
        let contacts = self.manifolds.iter().flat_map(|m| &m.impulses);
        let tracks = self.joints.iter().flat_map(|joint| &joint.track);
        let numbers = joints.chain(contacts).chain(tracks);
        numbers.for_each(|x| take(x.to_bits()));
        hash
    }

    /// Refuses a state that is not finite, by the first body that has one.
    pub(crate) fn check_finite(&self) -> Result<(), StepError> {
        let broken = self.bodies.iter().position(|body| {
            let vectors = body.velocity.iter().chain(body.spin.iter());
            let mut numbers = vectors.chain(body.orientation.coords.iter());
            !(body.position.is_finite() && numbers.all(|x| x.is_finite()))
        });
        match broken {
            None => Ok(()),
            Some(body) => Err(self.non_finite(body)),
        }
    }

    /// The error of a body whose state is not finite.
    pub(crate) fn non_finite(&self, body: usize) -> StepError {
        let name = self.bodies[body].name.clone();
        StepError::NonFinite { body, name }
    }

    /// Refuses joints whose error or Jacobian is not finite where they start.
    fn check_errors(&self) -> Result<(), FieldError> {
        for (index, joint) in self.joints.iter().enumerate() {
            let checked = self.check_error(joint);
            checked.map_err(|error| error.within(&format!("joints[{index}]")))?;
        }
        Ok(())
    }

    /// Refuses a joint whose error or Jacobian is not finite at the present poses.
    pub(crate) fn check_error(&self, joint: &Joint) -> Result<(), FieldError> {
        let mut rows = Rows::default();
        let constraint = &joint.constraint;
        let poses = self.poses_of(constraint.bodies());
        constraint.evaluate_from(&poses, &joint.track, self.time, &mut rows);
        let numbers = rows.error.iter().chain(rows.jacobian.iter().flatten());
        match numbers.copied().find(|x| !x.is_finite()) {
            None => Ok(()),
            Some(value) => {
                let expected = "its position error must be finite where the scene starts";
                Err(FieldError::new("constraint", value, expected))
            }
        }
    }
}

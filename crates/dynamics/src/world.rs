//! A world: bodies, joints, contact manifolds, gravity and time.

use arrayvec::ArrayVec;
use delassus_collide::{Collider, Inertia};
use nalgebra::{Isometry3, Vector3};
use serde::{Deserialize, Serialize};

use crate::body::{Body, Pose};
use crate::colliders::Colliders;
use crate::constraint::{MAX_BODIES, RowUnit, Rows};
use crate::contact::Manifold;
use crate::contact_settings::ContactSettings;
use crate::error::{FieldError, StepError};
use crate::handles::{Handles, Moment};
use crate::joint::{Joint, Reaction};
use crate::spatial::{dot, split_spatial};

/// The parts of a world, before validation; also the form of a scene file.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorldParts {
    /// Gravity \[m/s²\].
    #[serde(default)]
    pub gravity: Vector3<f64>,
    /// The bodies.
    #[serde(default)]
    pub bodies: Vec<Body>,
    /// The joints.
    #[serde(default)]
    pub joints: Vec<Joint>,
    /// Contact manifolds that stay for the whole run.
    #[serde(default)]
    pub manifolds: Vec<Manifold>,
    /// Shapes of the bodies: where two of them meet the world makes manifolds of its own.
    #[serde(default)]
    pub colliders: Vec<Collider>,
    /// How it finds them.
    #[serde(default)]
    pub contacts: ContactSettings,
}

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

impl WorldParts {
    /// Adds a body; returns its index.
    pub fn body(&mut self, body: Body) -> usize {
        self.bodies.push(body);
        self.bodies.len() - 1
    }

    /// Adds a joint; returns its index.
    pub fn joint(&mut self, joint: Joint) -> usize {
        self.joints.push(joint);
        self.joints.len() - 1
    }

    /// Validates the parts. The world starts at t = 0, without stored impulses, and counts turns
    /// from where it is.
    ///
    /// # Errors
    /// The first field that makes no sense, with its path and value.
    pub fn build(mut self) -> Result<World, FieldError> {
        FieldError::finite_vector("gravity", &self.gravity)?;
        self.check_colliders()?;
        self.weigh()?;
        for (index, body) in self.bodies.iter().enumerate() {
            let at = || format!("bodies[{index}]");
            finite_inertia(body).map_err(|error| error.within(&at()))?;
            body.validate().map_err(|error| error.within(&at()))?;
        }
        let count = self.bodies.len();
        for (index, joint) in self.joints.iter().enumerate() {
            let at = || format!("joints[{index}]");
            joint.validate(count).map_err(|error| error.within(&at()))?;
            check_moves(&self.bodies, "constraint.bodies", joint.constraint.bodies())
                .map_err(|error| error.within(&at()))?;
        }
        for (index, manifold) in self.manifolds.iter().enumerate() {
            let at = || format!("manifolds[{index}]");
            manifold
                .validate(count)
                .map_err(|error| error.within(&at()))?;
            check_moves(&self.bodies, "bodies", &manifold.bodies)
                .map_err(|error| error.within(&at()))?;
        }
        // joints and manifolds of another world bring the impulses of its last step along
        for joint in &mut self.joints {
            joint.impulses.clear();
        }
        for manifold in &mut self.manifolds {
            manifold.impulses.clear();
            manifold.straighten_tangent();
        }
        let joined = self.joints.iter().map(|joint| joint.constraint.bodies());
        let given = self.manifolds.len();
        let mut world = World {
            handles: Handles::new(self.bodies.len(), self.joints.len()),
            colliders: Colliders::new(self.colliders, self.contacts, given, joined)?,
            gravity: self.gravity,
            bodies: self.bodies,
            joints: self.joints,
            manifolds: self.manifolds,
            time: 0.0,
            impulse_step: 0.0,
        };
        world.start_tracks();
        world.check_errors()?;
        Ok(world)
    }

    /// Adds a collider; returns its index.
    pub fn collider(&mut self, collider: Collider) -> usize {
        self.colliders.push(collider);
        self.colliders.len() - 1
    }

    fn check_colliders(&self) -> Result<(), FieldError> {
        let count = self.bodies.len();
        for (index, collider) in self.colliders.iter().enumerate() {
            let at = || format!("colliders[{index}]");
            collider.validate(count).map_err(|e| e.within(&at()))?;
            check_surface(collider, &self.bodies[collider.body]).map_err(|e| e.within(&at()))?;
        }
        self.check_soft_forms()?;
        let settings = self.contacts.validate(count);
        settings.map_err(|error| error.within("contacts"))?;
        for (index, collider) in self.colliders.iter().enumerate() {
            let checked = check_resistance(collider, &self.contacts);
            checked.map_err(|error| error.within(&format!("colliders[{index}]")))?;
        }
        Ok(())
    }

    /// Refuses soft colliders of different forms: two springs in series have a common form only
    /// with masses and a step.
    fn check_soft_forms(&self) -> Result<(), FieldError> {
        let soft = self.colliders.iter().enumerate();
        let mut soft = soft.filter(|(_, collider)| !collider.material.softness.is_rigid());
        let Some((first, collider)) = soft.next() else {
            return Ok(());
        };
        let form = collider.material.softness.form();
        match soft.find(|(_, other)| other.material.softness.form() != form) {
            None => Ok(()),
            Some((index, other)) => {
                let error = other_form(other, (first, collider));
                Err(error.within(&format!("colliders[{index}]")))
            }
        }
    }

    /// Dynamic bodies without mass get that of their colliders, and their position moves to the
    /// centre of mass.
    fn weigh(&mut self) -> Result<(), FieldError> {
        let mut parts: Vec<Vec<(Inertia, Isometry3<f64>)>> = vec![Vec::new(); self.bodies.len()];
        for (index, collider) in self.colliders.iter().enumerate() {
            let body = &self.bodies[collider.body];
            if let (true, Some(moments)) = (weightless(body), collider.shape.moments()) {
                let shift =
                    Isometry3::translation(moments.centre.x, moments.centre.y, moments.centre.z);
                let inertia = moments.weighing(collider.density * moments.volume);
                if !inertia.moments.iter().all(|moment| moment.is_finite()) {
                    let expected = "a shape whose inertia is a number: make it thicker, or give the body a mass and an inertia";
                    let path = format!("colliders[{index}].shape");
                    let value = format!("of inertia {:?}", inertia.moments.as_slice());
                    return Err(FieldError::new(path, value, expected));
                }
                parts[collider.body].push((inertia, collider.placement() * shift));
            }
        }
        let mut centres = vec![Vector3::zeros(); self.bodies.len()];
        for ((body, parts), centre) in self.bodies.iter_mut().zip(&parts).zip(&mut centres) {
            if let Some((inertia, at)) = Inertia::sum(parts) {
                body.inertia = inertia;
                body.position += body.orientation * at;
                *centre = at;
            }
        }
        for collider in &mut self.colliders {
            collider.position -= centres[collider.body];
        }
        Ok(())
    }
}

/// Refuses a joint or manifold that nothing can move; its bodies exist.
pub(crate) fn check_moves(all: &[Body], path: &str, bodies: &[usize]) -> Result<(), FieldError> {
    if bodies.iter().any(|body| all[*body].is_dynamic()) {
        return Ok(());
    }
    let expected = "at least one of the bodies is dynamic";
    Err(FieldError::new(path, format!("{bodies:?}"), expected))
}

/// Refuses a surface without an inside on a body that moves.
pub(crate) fn check_surface(collider: &Collider, body: &Body) -> Result<(), FieldError> {
    if collider.shape.moments().is_some() || !body.is_dynamic() {
        return Ok(());
    }
    let expected = "a surface belongs to a body that is not dynamic";
    Err(FieldError::new("shape", "without an inside", expected))
}

/// Refuses a collider that resists rolling or spinning where the contacts have another law.
pub(crate) fn check_resistance(
    collider: &Collider,
    contacts: &ContactSettings,
) -> Result<(), FieldError> {
    let material = &collider.material;
    let (rolling, spinning) = (material.rolling_friction, material.spinning_friction);
    let checked = crate::contact_settings::check_resistances(contacts.law, rolling, spinning);
    checked.map_err(|error| error.within("material"))
}

/// The refusal of a soft collider whose form is not that of another one.
pub(crate) fn other_form(collider: &Collider, (index, other): (usize, &Collider)) -> FieldError {
    let form = other.material.softness.form();
    let expected = format!("{form}, as that of colliders[{index}]: two forms have no common one");
    let found = collider.material.softness.form();
    FieldError::new("material.softness", found, &expected)
}

/// True if the mass of a body is that of its colliders.
fn weightless(body: &Body) -> bool {
    body.is_dynamic() && body.inertia == Inertia::default()
}

/// Refuses inertia that is not finite, also where nothing reads it.
pub(crate) fn finite_inertia(body: &Body) -> Result<(), FieldError> {
    FieldError::finite("inertia.mass", body.inertia.mass)?;
    FieldError::finite_vector("inertia.moments", &body.inertia.moments)?;
    crate::rotation::validate("inertia.axes", &body.inertia.axes)
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

    /// Gives the parts back, in their present state, to change and validate again. Time, stored
    /// impulses and turns are not part of them: a world that is built from them starts at t = 0
    /// without a warm start, and counts turns anew.
    pub fn into_parts(mut self) -> WorldParts {
        self.manifolds.truncate(self.colliders.given);
        WorldParts {
            gravity: self.gravity,
            bodies: self.bodies,
            joints: self.joints,
            manifolds: self.manifolds,
            colliders: self.colliders.list,
            contacts: self.colliders.settings,
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

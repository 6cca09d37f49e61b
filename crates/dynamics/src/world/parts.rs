//! The parts of a world: how they become one, and how one gives them back.

use delassus_collide::{Collider, Inertia};
use nalgebra::{Isometry3, Vector3};
use serde::{Deserialize, Serialize};

use super::World;
use crate::body::Body;
use crate::colliders::Colliders;
use crate::contact::Manifold;
use crate::contact_settings::{ContactSettings, check_resistances};
use crate::error::FieldError;
use crate::handles::Handles;
use crate::joint::Joint;

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
                let error = other_form(other, first, collider);
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
    let checked = check_resistances(contacts.law, rolling, spinning);
    checked.map_err(|error| error.within("material"))
}

/// The refusal of a soft collider whose form is not that of another one.
pub(crate) fn other_form(collider: &Collider, index: usize, other: &Collider) -> FieldError {
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
}

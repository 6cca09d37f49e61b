//! Rigid bodies.

use delassus_collide::Inertia;
use delassus_core::{Choice, FreeRotor, MassProperties};
use nalgebra::{Matrix3, UnitQuaternion, Vector3};
use serde::{Deserialize, Serialize};

use crate::error::FieldError;
use crate::position::Position;
use crate::rotation;

/// What moves a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BodyKind {
    /// Forces and impulses.
    Dynamic,
    /// Its own velocity, which nothing changes.
    Kinematic,
    /// Nothing.
    Static,
}

/// Which bodies a contact scheme treats as static: contacts with them are stiffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Choice)]
pub enum StaticBodies {
    /// All that forces do not move: static and kinematic ones.
    #[default]
    NotDynamic,
    /// Static ones; a contact with a kinematic body is as one between bodies that move.
    Static,
}

impl StaticBodies {
    /// True if `body` is one of them.
    pub(crate) fn include(self, body: &Body) -> bool {
        match self {
            Self::NotDynamic => !body.is_dynamic(),
            Self::Static => body.kind == BodyKind::Static,
        }
    }
}

/// A rigid body: state, inertia, and what acts on it from outside.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// Name in reports \[-\]; need not be unique.
    #[serde(default)]
    pub name: String,
    /// What moves it.
    pub kind: BodyKind,
    /// Mass and inertia; ignored unless the body is dynamic. Without them the body weighs what its
    /// colliders do, and its position becomes their centre of mass.
    #[serde(default)]
    pub inertia: Inertia,
    /// Centre of mass \[m\].
    pub position: Position,
    /// From body axes to world axes.
    #[serde(default)]
    pub orientation: UnitQuaternion<f64>,
    /// Velocity of the centre of mass, world axes \[m/s\].
    #[serde(default)]
    pub velocity: Vector3<f64>,
    /// Angular velocity, world axes \[rad/s\].
    #[serde(default)]
    pub spin: Vector3<f64>,
    /// Force at the centre of mass, besides gravity, world axes \[N\]; stays until it is changed.
    #[serde(default)]
    pub force: Vector3<f64>,
    /// Torque, world axes \[N·m\]; stays until it is changed.
    #[serde(default)]
    pub torque: Vector3<f64>,
    /// Factor on the world's gravity \[-\].
    #[serde(default = "one")]
    pub gravity_scale: f64,
    /// Decay rate of the velocity \[1/s\]; ≥ 0, applied implicitly: v / (1 + h·damping).
    #[serde(default)]
    pub linear_damping: f64,
    /// Decay rate of the angular velocity \[1/s\]; ≥ 0, applied implicitly.
    #[serde(default)]
    pub angular_damping: f64,
    /// World axes along which the body does not move.
    #[serde(default)]
    pub lock_translation: [bool; 3],
    /// World axes about which the body does not rotate.
    #[serde(default)]
    pub lock_rotation: [bool; 3],
}

fn one() -> f64 {
    1.0
}

impl Body {
    /// A dynamic body at rest \[m\].
    pub fn dynamic(inertia: Inertia, position: Vector3<f64>) -> Self {
        Self {
            name: String::new(),
            kind: BodyKind::Dynamic,
            inertia,
            position: position.into(),
            orientation: UnitQuaternion::identity(),
            velocity: Vector3::zeros(),
            spin: Vector3::zeros(),
            force: Vector3::zeros(),
            torque: Vector3::zeros(),
            gravity_scale: 1.0,
            linear_damping: 0.0,
            angular_damping: 0.0,
            lock_translation: [false; 3],
            lock_rotation: [false; 3],
        }
    }

    /// A body that does not move, at `position` \[m\].
    pub fn fixed(position: Vector3<f64>) -> Self {
        Self {
            kind: BodyKind::Static,
            ..Self::dynamic(Inertia::point(1.0), position)
        }
    }

    /// The same body under a name.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// The same body with another orientation.
    #[must_use]
    pub fn turned(mut self, orientation: UnitQuaternion<f64>) -> Self {
        self.orientation = orientation;
        self
    }

    /// The same body in motion \[m/s\], \[rad/s\].
    #[must_use]
    pub fn moving(mut self, velocity: Vector3<f64>, spin: Vector3<f64>) -> Self {
        self.velocity = velocity;
        self.spin = spin;
        self
    }

    /// The same body, confined to the x-y plane: no translation along z, no rotation about x and y.
    #[must_use]
    pub fn planar(mut self) -> Self {
        self.lock_translation[2] = true;
        self.lock_rotation = [true, true, false];
        self
    }

    /// The pose.
    pub fn pose(&self) -> Pose {
        Pose {
            position: self.position,
            orientation: self.orientation,
        }
    }

    /// Moves by a displacement \[m\] and then turns by a rotation vector in world axes \[rad\].
    pub(crate) fn advance(&mut self, displacement: Vector3<f64>, turn: &Vector3<f64>) {
        let mut pose = self.pose();
        pose.advance(displacement, turn);
        (self.position, self.orientation) = (pose.position, pose.orientation);
    }

    /// The body as one that rotates freely; it has no zero moments.
    pub(crate) fn rotor(&self) -> FreeRotor {
        let rotor = self.rotor_with(Vector3::zeros());
        rotor.with_spin(&self.spin)
    }

    /// As [`Self::rotor`], with this angular momentum \[kg·m²/s\].
    pub(crate) fn rotor_with(&self, momentum: Vector3<f64>) -> FreeRotor {
        // a length that is off by the same rounding in every step would add up
        let axes = self.orientation.into_inner() * self.inertia.axes.into_inner();
        FreeRotor {
            moments: self.inertia.moments,
            axes: UnitQuaternion::new_normalize(axes),
            momentum,
        }
    }

    /// True if forces and impulses move the body.
    pub fn is_dynamic(&self) -> bool {
        self.kind == BodyKind::Dynamic
    }

    /// Inertia tensor in world axes \[kg·m²\]; zero for a body that nothing moves and for a point
    /// mass.
    pub fn world_inertia(&self) -> Matrix3<f64> {
        if !self.is_dynamic() {
            return Matrix3::zeros();
        }
        let rotation = self.orientation.to_rotation_matrix();
        let rotation = rotation.matrix();
        let tensor = rotation * self.inertia.tensor() * rotation.transpose();
        0.5 * (tensor + tensor.transpose())
    }

    /// Acceleration by gravity \[m/s²\] and the applied force \[m/s²\].
    pub(crate) fn acceleration(&self, gravity: &Vector3<f64>) -> Vector3<f64> {
        let weight = self.gravity_scale * gravity;
        if self.force == Vector3::zeros() {
            return weight;
        }
        weight + self.force / self.inertia.mass
    }

    /// Inverse mass and inertia in world axes, axis locks applied.
    pub fn mass_properties(&self) -> MassProperties {
        if !self.is_dynamic() {
            return MassProperties::immovable();
        }
        let inverse = 1.0 / self.inertia.mass;
        let locked = self.lock_translation;
        MassProperties {
            inverse_mass: Vector3::from_fn(|axis, _| if locked[axis] { 0.0 } else { inverse }),
            inverse_inertia: self.inverse_inertia(),
        }
    }

    /// How easily the body turns about the axes across `n`: the sum of I⁻¹ over both, in any basis
    /// \[1/(kg·m²)\]; zero for a body that does not turn (T.44).
    pub(crate) fn turning_across(&self, n: &Vector3<f64>) -> f64 {
        if !self.is_dynamic() {
            return 0.0;
        }
        let inverse = self.inverse_inertia();
        // a sum of non-negative numbers, but for rounding
        (inverse.trace() - n.dot(&(inverse * n))).max(0.0)
    }

    /// Inverse of the inertia restricted to the free axes: a locked axis takes any torque.
    fn inverse_inertia(&self) -> Matrix3<f64> {
        if self.inertia.moments == Vector3::zeros() || self.lock_rotation == [true; 3] {
            return Matrix3::zeros();
        }
        if self.lock_rotation == [false; 3] {
            let first = self.inertia.moments.x;
            if self.inertia.moments == Vector3::repeat(first) {
                // the same about every axis, and without rounding
                return Matrix3::from_diagonal_element(1.0 / first);
            }
            let rotation = (self.orientation * self.inertia.axes).to_rotation_matrix();
            let rotation = rotation.matrix();
            let diagonal = Matrix3::from_diagonal(&self.inertia.moments.map(|moment| 1.0 / moment));
            let inverse = rotation * diagonal * rotation.transpose();
            return 0.5 * (inverse + inverse.transpose());
        }
        rotation::restricted_inverse(&self.world_inertia(), self.lock_rotation)
    }

    /// Kinetic energy \[J\]; zero for a body that nothing moves.
    pub fn kinetic_energy(&self) -> f64 {
        if !self.is_dynamic() {
            return 0.0;
        }
        let linear = self.inertia.mass * self.velocity.norm_squared();
        0.5 * (linear + self.spin.dot(&(self.world_inertia() * self.spin)))
    }

    /// Checks every field.
    pub(crate) fn validate(&self) -> Result<(), FieldError> {
        if self.is_dynamic() {
            self.inertia.validate()?;
        }
        FieldError::finite_vector("position", &self.position.to_vector())?;
        rotation::validate("orientation", &self.orientation)?;
        let vectors = [
            ("velocity", &self.velocity),
            ("spin", &self.spin),
            ("force", &self.force),
            ("torque", &self.torque),
        ];
        for (field, vector) in vectors {
            FieldError::finite_vector(field, vector)?;
        }
        FieldError::finite("gravity_scale", self.gravity_scale)?;
        FieldError::non_negative("linear_damping", self.linear_damping)?;
        FieldError::non_negative("angular_damping", self.angular_damping)?;
        let still = self.velocity == Vector3::zeros() && self.spin == Vector3::zeros();
        if self.kind == BodyKind::Static && !still {
            let speed = self.velocity.norm() + self.spin.norm();
            let expected = "a static body does not move; use kind = \"kinematic\"";
            return Err(FieldError::new("velocity", speed, expected));
        }
        Ok(())
    }
}

/// Position and orientation of a body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pose {
    /// Centre of mass \[m\].
    pub position: Position,
    /// From body axes to world axes.
    pub orientation: UnitQuaternion<f64>,
}

impl Pose {
    /// A vector of the body's axes in world axes.
    pub fn rotate(&self, local: &Vector3<f64>) -> Vector3<f64> {
        self.orientation * local
    }

    /// A vector of world axes in the body's.
    pub fn unrotate(&self, world: &Vector3<f64>) -> Vector3<f64> {
        self.orientation.inverse_transform_vector(world)
    }

    /// Moves by a displacement \[m\] and then turns by a rotation vector in world axes \[rad\]
    /// (exactly: T.4).
    pub fn advance(&mut self, displacement: Vector3<f64>, turn: &Vector3<f64>) {
        self.position += displacement;
        self.orientation = rotation::turned(&self.orientation, turn);
    }
}

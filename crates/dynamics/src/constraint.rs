//! What a constraint is: a position error C(q, t), its Jacobian, and the kind of force it exerts.

use std::fmt::Debug;

use arrayvec::ArrayVec;
use nalgebra::{UnitQuaternion, Vector3};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::body::Pose;
use crate::error::FieldError;

/// The most rows of a constraint \[-\]: two per coordinate of a limit.
pub(crate) const MAX_ROWS: usize = 12;

/// The most rows of one that is no limit \[-\], which act together.
pub(crate) const MAX_TOGETHER: usize = 6;

/// The most bodies of a constraint \[-\].
pub(crate) const MAX_BODIES: usize = 3;

/// Stored state of a constraint, so that angles count whole turns (L.16) \[rad | -\]. It is empty
/// for constraints whose errors follow from the poses alone.
pub type Track = ArrayVec<f64, 3>;

/// Everything that a table or a test needs to know about a kind of constraint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConstraintDescriptor {
    /// Identifier: file, type and id of a constraint agree (`point.rs`, `Point`, `"point"`).
    pub id: &'static str,
    /// Other names in the literature and in engines.
    pub aliases: &'static [&'static str],
    /// One sentence: what it keeps, and what it leaves free.
    pub summary: &'static str,
    /// Equation numbers of `docs/theory` that it implements, as "C.3".
    pub theory: &'static [&'static str],
    /// Unit of each row's error.
    pub units: &'static [RowUnit],
    /// The force that it exerts when it is rigid.
    pub force: ForceKind,
}

impl ConstraintDescriptor {
    /// True if it has at most [`MAX_ROWS`] rows, and [`MAX_TOGETHER`] that act together.
    pub(crate) const fn has_few_rows(&self) -> bool {
        let rows = self.units.len();
        rows <= MAX_TOGETHER || matches!(self.force, ForceKind::Limit) && rows <= MAX_ROWS
    }
}

/// Unit of a row: of its error, and so of its impulse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowUnit {
    /// Error in \[m\], impulse in \[N·s\], force in \[N\].
    Length,
    /// Error in \[rad\], impulse in \[N·m·s\], torque in \[N·m\].
    Angle,
}

/// The force of a constraint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForceKind {
    /// Keeps C = 0 with a force of either sign, which does no work.
    Joint,
    /// Keeps C ≥ 0 with a force ≥ 0, which does no work while C = 0.
    Limit,
    /// Makes J v + ∂C/∂t = 0 (and C = 0 if it has an error) and may do work: motors and servos.
    Drive,
}

/// A kind of constraint between bodies: plain data, one file in `constraints/`.
///
/// Its field `bodies` holds the bodies that it touches, all different; the order is that of the
/// poses and of the Jacobian entries.
///
/// Its geometry is a position error C(q, t) per row. The rows of [`Self::evaluate`] must satisfy
/// dC/dt = J v + ∂C/∂t exactly, for all motions of its bodies: a law that runs for every registered
/// constraint compares J with finite differences of C, and another one checks that the forces Jᵀλ
/// neither work nor change the momentum.
pub trait Constraint: Debug + Clone + PartialEq + Serialize + DeserializeOwned {
    /// What the constraint declares about itself.
    const DESCRIPTOR: ConstraintDescriptor;

    /// Checks its own fields.
    ///
    /// # Errors
    /// The first field out of range; its path starts at the constraint.
    fn validate(&self) -> Result<(), FieldError>;

    /// Appends one row per unit of the descriptor, for a joint that starts at these poses.
    fn evaluate(&self, poses: &[Pose], time: f64, rows: &mut Rows);

    /// The same for a joint that has come from where `track` says.
    fn evaluate_from(&self, poses: &[Pose], _track: &Track, time: f64, rows: &mut Rows) {
        self.evaluate(poses, time, rows);
    }

    /// The stored state of a joint that starts at these poses.
    fn start(&self, _poses: &[Pose], _time: f64) -> Track {
        Track::new()
    }

    /// Brings the memory to these poses, which the bodies reached by turning by the rotation
    /// vectors `turns` \[rad\].
    fn follow(&self, _poses: &[Pose], _turns: [Vector3<f64>; 2], _time: f64, _track: &mut Track) {}

    /// A constraint with random parameters, and poses of its bodies near which C is smooth. Laws
    /// use nothing else.
    fn example(random: &mut ExampleRng<'_>) -> (Self, Vec<Pose>);
}

/// Rows of one constraint at one instant.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Rows {
    /// C per row \[m | rad\].
    pub error: Vec<f64>,
    /// ∂C/∂t at fixed poses, per row \[m/s | rad/s\].
    pub rate: Vec<f64>,
    /// Jacobian entries (linear, angular), row by row, one per body in the constraint's order.
    pub jacobian: Vec<[f64; 6]>,
}

impl Rows {
    /// Forgets the rows, keeps the memory.
    pub fn clear(&mut self) {
        self.error.clear();
        self.rate.clear();
        self.jacobian.clear();
    }

    /// Number of rows \[-\].
    pub fn len(&self) -> usize {
        self.error.len()
    }

    /// True if there is no row.
    pub fn is_empty(&self) -> bool {
        self.error.is_empty()
    }

    /// Appends a row; `entries` holds one (linear, angular) pair per body.
    pub fn push(&mut self, error: f64, rate: f64, entries: &[(Vector3<f64>, Vector3<f64>)]) {
        self.error.push(error);
        self.rate.push(rate);
        let flat = entries.iter().map(|(l, a)| [l.x, l.y, l.z, a.x, a.y, a.z]);
        self.jacobian.extend(flat);
    }

    /// Appends a row for the velocity of a point of body B relative to a point of body A along
    /// `axis`; the lever arms run from the centres of mass to the points \[m\].
    pub fn push_relative(
        &mut self,
        error: f64,
        rate: f64,
        axis: &Vector3<f64>,
        arms: [Vector3<f64>; 2],
    ) {
        let [a, b] = arms.map(|arm| arm.cross(axis));
        self.error.push(error);
        self.rate.push(rate);
        self.jacobian.extend_from_slice(&[
            [-axis.x, -axis.y, -axis.z, -a.x, -a.y, -a.z],
            [axis.x, axis.y, axis.z, b.x, b.y, b.z],
        ]);
    }

    /// Appends a row for the angular velocity of body B relative to body A along `axis`.
    pub fn push_angular(&mut self, error: f64, rate: f64, axis: &Vector3<f64>) {
        self.error.push(error);
        self.rate.push(rate);
        self.jacobian.extend_from_slice(&[
            [0.0, 0.0, 0.0, -axis.x, -axis.y, -axis.z],
            [0.0, 0.0, 0.0, axis.x, axis.y, axis.z],
        ]);
    }
}

/// A source of random numbers for [`Constraint::example`].
pub struct ExampleRng<'a>(pub &'a mut dyn FnMut() -> f64);

impl Debug for ExampleRng<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Random")
    }
}

impl ExampleRng<'_> {
    /// A number in \[low, high).
    pub fn number(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.0)()
    }

    /// A vector with coordinates in \[−size, size).
    pub fn vector(&mut self, size: f64) -> Vector3<f64> {
        Vector3::from_fn(|_, _| self.number(-size, size))
    }

    /// A unit vector.
    pub fn direction(&mut self) -> Vector3<f64> {
        loop {
            let vector = self.vector(1.0);
            let length = vector.norm();
            if length > 0.1 && length < 1.0 {
                return vector / length;
            }
        }
    }

    /// A rotation by at most `angle` \[rad\] about a random axis.
    pub fn rotation(&mut self, angle: f64) -> UnitQuaternion<f64> {
        let axis = self.direction();
        crate::rotation::about(&axis, self.number(-angle, angle))
    }

    /// A pose within `size` of the origin \[m\], turned by at most π.
    pub fn pose(&mut self, size: f64) -> Pose {
        Pose {
            position: self.vector(size).into(),
            orientation: self.rotation(std::f64::consts::PI),
        }
    }

    /// A pose moved by less than `distance` \[m\] and turned by less than `angle` \[rad\].
    pub fn near(&mut self, pose: &Pose, distance: f64, angle: f64) -> Pose {
        let mut moved = *pose;
        let turn = angle * self.direction();
        let scale = self.number(0.0, 1.0);
        moved.advance(self.vector(distance), &(scale * turn));
        moved
    }
}

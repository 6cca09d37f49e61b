//! Shapes: one file each, one trait, one list.

mod capsule;
mod cuboid;
mod cylinder;
mod half_space;
mod height_field;
mod hull;
mod mesh;
mod sphere;
mod tetrahedra;

pub use capsule::Capsule;
pub use cuboid::Cuboid;
pub use cylinder::Cylinder;
pub use half_space::HalfSpace;
pub use height_field::HeightField;
pub use hull::Hull;
pub use mesh::Mesh;
pub use sphere::Sphere;

use delassus_core::FieldError;
use nalgebra::{Matrix3, Vector3};
use parry3d_f64::shape::SharedShape;
use serde::{Deserialize, Serialize};

use crate::inertia::Inertia;

/// Volume, centre and spread of a solid of uniform density.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MassMoments {
    /// Volume \[m³\].
    pub volume: f64,
    /// Centre of mass, in the axes of the shape \[m\].
    pub centre: Vector3<f64>,
    /// Inertia tensor about it, per mass \[m²\].
    pub gyration: Matrix3<f64>,
}

/// What a shape has to say about itself.
pub trait ShapeGeometry: Into<Shape> + Clone {
    /// Checks sizes and numbers.
    ///
    /// # Errors
    /// The first field that makes no shape.
    fn validate(&self) -> Result<(), FieldError>;

    /// Volume and moments; `None` for what has no inside.
    fn moments(&self) -> Option<MassMoments>;

    /// The shape for the library of geometry; its fields are valid.
    ///
    /// # Errors
    /// What the library cannot make a shape of.
    fn geometry(&self) -> Result<SharedShape, FieldError>;

    /// Mass and inertia at a density \[kg/m³\], about the centre of mass.
    ///
    /// # Errors
    /// A size or a density that is not finite and above zero, or a shape without inside.
    fn inertia(&self, density: f64) -> Result<Inertia, FieldError> {
        FieldError::positive("density", density)?;
        let moments = inside(self)?;
        Ok(moments.weighing(density * moments.volume))
    }

    /// Inertia of a solid of this shape with a mass \[kg\], about its centre of mass.
    ///
    /// # Errors
    /// A size or a mass that is not finite and above zero, or a shape without inside.
    fn solid(&self, mass: f64) -> Result<Inertia, FieldError> {
        FieldError::positive("mass", mass)?;
        Ok(inside(self)?.weighing(mass))
    }
}

/// Largest coordinate of a shape \[m\]: products of five of them, which moments have, are finite.
const REACH: f64 = 1e60;

/// True for a coordinate that a shape can have.
fn is_within_reach(coordinate: f64) -> bool {
    coordinate.abs() <= REACH
}

/// Refuses what is not finite or beyond all reach.
fn check_reach(path: &str, coordinate: f64) -> Result<(), FieldError> {
    FieldError::finite(path, coordinate)?;
    if is_within_reach(coordinate) {
        return Ok(());
    }
    let expected = format!("sizes of shapes are at most {REACH:e} m");
    Err(FieldError::new(path, coordinate, &expected))
}

/// Refuses sizes that are not finite, not above zero, or beyond all reach.
fn check_size(path: &str, size: f64) -> Result<(), FieldError> {
    FieldError::positive(path, size)?;
    check_reach(path, size)
}

fn inside<S: ShapeGeometry>(shape: &S) -> Result<MassMoments, FieldError> {
    shape.validate()?;
    let expected = "a shape with an inside: only what does not move may be a surface";
    let missing = || FieldError::new("shape", "a surface", expected);
    shape.moments().ok_or_else(missing)
}

impl MassMoments {
    /// Moments per mass along the axes of the shape, about its origin.
    fn principal(volume: f64, gyration: Vector3<f64>) -> Self {
        Self {
            volume,
            centre: Vector3::zeros(),
            gyration: Matrix3::from_diagonal(&gyration),
        }
    }

    /// The inertia of this much mass \[kg\].
    pub fn weighing(&self, mass: f64) -> Inertia {
        Inertia::from_tensor(mass, &(mass * self.gyration))
    }
}

macro_rules! shapes {
    ($($(#[$doc:meta])* $name:ident($type:ident)),* $(,)?) => {
        /// A shape, in its own axes; the axis of the round ones is y.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case", deny_unknown_fields)]
        pub enum Shape {
            $($(#[$doc])* $name($type),)*
        }

        impl Shape {
            /// Checks sizes and numbers.
            ///
            /// # Errors
            /// The first field that makes no shape.
            pub fn validate(&self) -> Result<(), FieldError> {
                match self { $(Self::$name(shape) => shape.validate(),)* }
            }

            /// Volume and moments; `None` for what has no inside.
            pub fn moments(&self) -> Option<MassMoments> {
                match self { $(Self::$name(shape) => shape.moments(),)* }
            }

            pub(crate) fn geometry(&self) -> Result<SharedShape, FieldError> {
                match self { $(Self::$name(shape) => shape.geometry(),)* }
            }
        }

        $(impl From<$type> for Shape {
            fn from(shape: $type) -> Self { Self::$name(shape) }
        })*
    };
}

shapes! {
    /// A ball.
    Sphere(Sphere),
    /// A box along its axes.
    Box(Cuboid),
    /// A cylinder closed by two half balls.
    Capsule(Capsule),
    /// A cylinder.
    Cylinder(Cylinder),
    /// The convex hull of points.
    Hull(Hull),
    /// All below a plane; only for what does not move.
    HalfSpace(HalfSpace),
    /// A surface of triangles; only for what does not move.
    Mesh(Mesh),
    /// Heights over a grid; only for what does not move.
    HeightField(HeightField),
}

//! Shapes on bodies.

use delassus_core::FieldError;
use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use serde::{Deserialize, Serialize};

use crate::material::Material;
use crate::shape::Shape;

/// A shape with a surface, fixed to a body.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Collider {
    /// The body.
    pub body: usize,
    /// The shape.
    pub shape: Shape,
    /// Where the origin of the shape is, from the body's centre of mass, in its axes \[m\].
    #[serde(default)]
    pub position: Vector3<f64>,
    /// From the axes of the shape to those of the body.
    #[serde(default)]
    pub orientation: UnitQuaternion<f64>,
    /// Mass per volume \[kg/m³\]: what a body without a mass of its own weighs.
    #[serde(default = "water")]
    pub density: f64,
    /// The surface.
    #[serde(default)]
    pub material: Material,
    /// What it may touch.
    #[serde(default)]
    pub filter: Filter,
}

fn water() -> f64 {
    1000.0
}

/// Which colliders may touch: each must be in a category that the other one's mask holds, and no
/// group forbids it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Filter {
    /// The categories that the collider is in, one per bit.
    pub category: u32,
    /// The categories that it touches.
    pub mask: u32,
    /// Colliders of the same group that is not zero never touch each other.
    pub group: u32,
}

impl Default for Filter {
    fn default() -> Self {
        Self {
            category: 1,
            mask: u32::MAX,
            group: 0,
        }
    }
}

impl Filter {
    /// True if the two may touch.
    pub fn allows(&self, other: &Self) -> bool {
        let apart = self.group != 0 && self.group == other.group;
        !apart && self.category & other.mask != 0 && other.category & self.mask != 0
    }
}

impl Collider {
    /// A shape at the centre of mass of a body, of the default density and surface.
    pub fn new(body: usize, shape: impl Into<Shape>) -> Self {
        Self {
            body,
            shape: shape.into(),
            position: Vector3::zeros(),
            orientation: UnitQuaternion::identity(),
            density: water(),
            material: Material::default(),
            filter: Filter::default(),
        }
    }

    /// The same with another surface.
    #[must_use]
    pub fn of(mut self, material: Material) -> Self {
        self.material = material;
        self
    }

    /// The same elsewhere on its body \[m\].
    #[must_use]
    pub fn at(mut self, position: Vector3<f64>) -> Self {
        self.position = position;
        self
    }

    /// The same, turned on its body.
    #[must_use]
    pub fn turned(mut self, orientation: UnitQuaternion<f64>) -> Self {
        self.orientation = orientation;
        self
    }

    /// The same of another density \[kg/m³\].
    #[must_use]
    pub fn dense(mut self, density: f64) -> Self {
        self.density = density;
        self
    }

    /// Pose of the shape in the axes of its body.
    pub fn placement(&self) -> Isometry3<f64> {
        Isometry3::from_parts(self.position.into(), self.orientation)
    }

    /// Checks every field; `bodies` is the number of bodies that there are.
    ///
    /// # Errors
    /// The first field that makes no sense.
    pub fn validate(&self, bodies: usize) -> Result<(), FieldError> {
        if self.body >= bodies {
            let expected = format!("the world has {bodies} bodies, numbered from 0");
            return Err(FieldError::new("body", self.body, &expected));
        }
        FieldError::finite_vector("position", &self.position)?;
        let norm = self.orientation.quaternion().norm();
        let off = (norm - 1.0).abs();
        if off.is_nan() || off > 1e-6 {
            let expected = "a quaternion of length 1 [-]";
            return Err(FieldError::new("orientation", norm, expected));
        }
        FieldError::positive("density", self.density)?;
        self.shape.validate().map_err(|e| e.within("shape"))?;
        self.material.validate().map_err(|e| e.within("material"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_and_masks_filter_both_ways() {
        let all = Filter::default();
        let alone = Filter {
            group: 3,
            ..Filter::default()
        };
        let blind = Filter {
            mask: 2,
            ..Filter::default()
        };
        assert!(all.allows(&all) && all.allows(&alone));
        assert!(!alone.allows(&alone));
        assert!(!all.allows(&blind) && !blind.allows(&all));
    }
}

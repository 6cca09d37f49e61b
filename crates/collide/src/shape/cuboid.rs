//! Boxes.

use delassus_core::FieldError;
use nalgebra::Vector3;
use parry3d_f64::shape::SharedShape;
use serde::{Deserialize, Serialize};

use super::{MassMoments, ShapeGeometry};

/// A box along its axes, about its origin.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cuboid {
    /// Half of its edges \[m\]; each > 0.
    pub half: Vector3<f64>,
}

impl Cuboid {
    /// A box with these halves of its edges \[m\].
    pub fn new(x: f64, y: f64, z: f64) -> Self {
        Self {
            half: Vector3::new(x, y, z),
        }
    }

    /// A cube \[m\].
    pub fn cube(half: f64) -> Self {
        Self::new(half, half, half)
    }
}

impl ShapeGeometry for Cuboid {
    fn validate(&self) -> Result<(), FieldError> {
        super::check_size("half[0]", self.half.x)?;
        super::check_size("half[1]", self.half.y)?;
        super::check_size("half[2]", self.half.z)
    }

    fn moments(&self) -> Option<MassMoments> {
        let half = self.half;
        let square = half.component_mul(&half) / 3.0;
        let gyration = Vector3::new(
            square.y + square.z,
            square.x + square.z,
            square.x + square.y,
        );
        Some(MassMoments::principal(
            8.0 * half.x * half.y * half.z,
            gyration,
        ))
    }

    fn geometry(&self) -> Result<SharedShape, FieldError> {
        Ok(SharedShape::cuboid(self.half.x, self.half.y, self.half.z))
    }
}

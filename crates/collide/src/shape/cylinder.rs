//! Cylinders.

use std::f64::consts::PI;

use delassus_core::FieldError;
use nalgebra::Vector3;
use parry3d_f64::shape::SharedShape;
use serde::{Deserialize, Serialize};

use super::{MassMoments, ShapeGeometry};

/// A cylinder along y, about its origin.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cylinder {
    /// Half of its length \[m\]; > 0.
    pub half_length: f64,
    /// Radius \[m\]; > 0.
    pub radius: f64,
}

impl Cylinder {
    /// A cylinder \[m\].
    pub fn new(half_length: f64, radius: f64) -> Self {
        Self {
            half_length,
            radius,
        }
    }
}

impl ShapeGeometry for Cylinder {
    fn validate(&self) -> Result<(), FieldError> {
        super::check_size("half_length", self.half_length)?;
        super::check_size("radius", self.radius)
    }

    fn moments(&self) -> Option<MassMoments> {
        let (half_length, radius) = (self.half_length, self.radius);
        let along = 0.5 * radius * radius;
        let across = 0.25 * radius * radius + half_length * half_length / 3.0;
        Some(MassMoments::principal(
            2.0 * PI * radius * radius * half_length,
            Vector3::new(across, along, across),
        ))
    }

    fn geometry(&self) -> Result<SharedShape, FieldError> {
        Ok(SharedShape::cylinder(self.half_length, self.radius))
    }
}

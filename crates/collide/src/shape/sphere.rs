//! Balls.

use std::f64::consts::PI;

use delassus_core::FieldError;
use nalgebra::Vector3;
use parry3d_f64::shape::SharedShape;
use serde::{Deserialize, Serialize};

use super::{MassMoments, ShapeGeometry};

/// A ball about its origin.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sphere {
    /// Radius \[m\]; > 0.
    pub radius: f64,
}

impl Sphere {
    /// A ball of a radius \[m\].
    pub fn new(radius: f64) -> Self {
        Self { radius }
    }
}

pub(super) fn volume(radius: f64) -> f64 {
    4.0 / 3.0 * PI * radius * radius * radius
}

impl ShapeGeometry for Sphere {
    fn validate(&self) -> Result<(), FieldError> {
        super::check_size("radius", self.radius)
    }

    fn moments(&self) -> Option<MassMoments> {
        let gyration = Vector3::repeat(0.4 * self.radius * self.radius);
        Some(MassMoments::principal(volume(self.radius), gyration))
    }

    fn geometry(&self) -> Result<SharedShape, FieldError> {
        Ok(SharedShape::ball(self.radius))
    }
}

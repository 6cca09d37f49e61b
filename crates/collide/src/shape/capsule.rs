//! Capsules.

use std::f64::consts::PI;

use delassus_core::FieldError;
use nalgebra::Vector3;
use parry3d_f64::shape::SharedShape;
use serde::{Deserialize, Serialize};

use super::{MassMoments, ShapeGeometry, sphere};

/// A cylinder along y closed by two half balls, about its origin.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Capsule {
    /// Half of the length of the cylinder, without the half balls \[m\]; ≥ 0.
    pub half_length: f64,
    /// Radius \[m\]; > 0.
    pub radius: f64,
}

impl Capsule {
    /// A capsule \[m\].
    pub fn new(half_length: f64, radius: f64) -> Self {
        Self {
            half_length,
            radius,
        }
    }
}

impl ShapeGeometry for Capsule {
    fn validate(&self) -> Result<(), FieldError> {
        FieldError::non_negative("half_length", self.half_length)?;
        super::check_reach("half_length", self.half_length)?;
        super::check_size("radius", self.radius)
    }

    fn moments(&self) -> Option<MassMoments> {
        let (half_length, radius) = (self.half_length, self.radius);
        let volume = 2.0 * PI * radius * radius * half_length + sphere::volume(radius);
        let (square, length_square) = (radius * radius, half_length * half_length);
        let balls = sphere::volume(radius) / volume;
        let tube = 1.0 - balls;
        let along = tube * 0.5 * square + balls * 0.4 * square;
        // a half ball has its centre of mass 3/8 of the radius from its flat side
        let tube_across = 0.25 * square + length_square / 3.0;
        let balls_across = 0.4 * square + length_square + 0.75 * half_length * radius;
        let across = tube * tube_across + balls * balls_across;
        Some(MassMoments::principal(
            volume,
            Vector3::new(across, along, across),
        ))
    }

    fn geometry(&self) -> Result<SharedShape, FieldError> {
        Ok(SharedShape::capsule_y(self.half_length, self.radius))
    }
}

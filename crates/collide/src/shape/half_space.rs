//! Half-spaces.

use delassus_core::FieldError;
use nalgebra::Vector3;
use parry3d_f64::shape::SharedShape;
use serde::{Deserialize, Serialize};

use super::{MassMoments, ShapeGeometry};
use crate::convert::vector;

/// All that lies below a plane through its origin; only for what does not move.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HalfSpace {
    /// Unit normal of the plane, away from the solid \[-\].
    pub normal: Vector3<f64>,
}

impl Default for HalfSpace {
    /// The ground: what is above is free.
    fn default() -> Self {
        Self {
            normal: Vector3::y(),
        }
    }
}

impl ShapeGeometry for HalfSpace {
    fn validate(&self) -> Result<(), FieldError> {
        FieldError::unit_vector("normal", &self.normal)
    }

    fn moments(&self) -> Option<MassMoments> {
        None
    }

    fn geometry(&self) -> Result<SharedShape, FieldError> {
        Ok(SharedShape::halfspace(vector(&self.normal)))
    }
}

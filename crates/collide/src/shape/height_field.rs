//! Height fields.

use delassus_core::FieldError;
use nalgebra::Vector3;
use parry3d_f64::shape::{HeightField as Field, HeightFieldFlags, SharedShape};
use parry3d_f64::utils::Array2;
use serde::{Deserialize, Serialize};

use super::{MassMoments, ShapeGeometry};
use crate::convert::vector;

/// Heights over a grid in the x-z plane, about its middle; only for what does not move.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HeightField {
    /// Length along x and z \[m\]; each > 0.
    pub size: [f64; 2],
    /// Heights \[m\]: one row per z, each with one number per x; at least two of either.
    pub heights: Vec<Vec<f64>>,
}

impl ShapeGeometry for HeightField {
    fn validate(&self) -> Result<(), FieldError> {
        super::check_size("size[0]", self.size[0])?;
        super::check_size("size[1]", self.size[1])?;
        let columns = self.heights.first().map_or(0, Vec::len);
        if self.heights.len() < 2 || columns < 2 {
            let value = format!("{} rows of {columns}", self.heights.len());
            return Err(FieldError::new(
                "heights",
                value,
                "at least two rows of two",
            ));
        }
        for (index, row) in self.heights.iter().enumerate() {
            if row.len() != columns {
                let expected = format!("{columns} heights, as in the first row");
                let value = format!("{} heights", row.len());
                return Err(FieldError::new(
                    format!("heights[{index}]"),
                    value,
                    &expected,
                ));
            }
            for (column, height) in row.iter().enumerate() {
                if !super::is_within_reach(*height) {
                    super::check_reach(&format!("heights[{index}][{column}]"), *height)?;
                }
            }
        }
        Ok(())
    }

    fn moments(&self) -> Option<MassMoments> {
        None
    }

    fn geometry(&self) -> Result<SharedShape, FieldError> {
        let (rows, columns) = (self.heights.len(), self.heights[0].len());
        // column by column
        let numbers = (0..columns).flat_map(|x| self.heights.iter().map(move |row| row[x]));
        let heights = Array2::new(rows, columns, numbers.collect());
        let scale = Vector3::new(self.size[0], 1.0, self.size[1]);
        // as in a mesh
        let flags = HeightFieldFlags::FIX_INTERNAL_EDGES;
        let field = Field::with_flags(heights, vector(&scale), flags);
        Ok(SharedShape::new(field))
    }
}

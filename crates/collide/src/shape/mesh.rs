//! Meshes of triangles.

use std::cmp::Ordering;

use delassus_core::FieldError;
use nalgebra::Vector3;
use parry3d_f64::shape::{SharedShape, TriMesh, TriMeshFlags};
use serde::{Deserialize, Serialize};

use super::{MassMoments, ShapeGeometry};
use crate::convert::vector;

/// A surface of triangles; only for what does not move.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mesh {
    /// The vertices \[m\].
    pub vertices: Vec<Vector3<f64>>,
    /// Three vertices per triangle, counter-clockwise seen from outside: what comes from behind is
    /// not held.
    pub triangles: Vec<[u32; 3]>,
}

impl ShapeGeometry for Mesh {
    fn validate(&self) -> Result<(), FieldError> {
        for (index, vertex) in self.vertices.iter().enumerate() {
            let far = vertex.iter().position(|x| !super::is_within_reach(*x));
            if let Some(axis) = far {
                super::check_reach(&format!("vertices[{index}][{axis}]"), vertex[axis])?;
            }
        }
        if self.triangles.is_empty() {
            return Err(FieldError::new(
                "triangles",
                "none",
                "a mesh has a triangle",
            ));
        }
        for (index, triangle) in self.triangles.iter().enumerate() {
            let path = || format!("triangles[{index}]");
            let count = self.vertices.len();
            if let Some(odd) = triangle.iter().find(|v| **v as usize >= count) {
                let expected = format!("the mesh has {count} vertices, numbered from 0");
                return Err(FieldError::new(path(), odd, &expected));
            }
            let [a, b, c] = triangle.map(|v| self.vertices[v as usize]);
            let (first, second) = (b - a, c - a);
            let area = first.cross(&second).norm();
            let least = 1e-14 * first.norm_squared().max(second.norm_squared());
            if area.partial_cmp(&least) != Some(Ordering::Greater) {
                let expected = "a triangle has an area";
                return Err(FieldError::new(path(), format!("{triangle:?}"), expected));
            }
        }
        Ok(())
    }

    fn moments(&self) -> Option<MassMoments> {
        None
    }

    fn geometry(&self) -> Result<SharedShape, FieldError> {
        let vertices = self.vertices.iter().map(vector).collect();
        // normals of contacts stay between those of neighbouring triangles: an edge inside of a
        // plane is no edge
        let flags = TriMeshFlags::FIX_INTERNAL_EDGES;
        let mesh = TriMesh::with_flags(vertices, self.triangles.clone(), flags);
        mesh.map(SharedShape::new)
            .map_err(|error| FieldError::new("triangles", error, "a mesh of triangles"))
    }
}

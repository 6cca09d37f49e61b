//! Shapes made ready for queries: what the library of geometry needs, and what our own queries do.

use std::sync::{Arc, OnceLock};

use delassus_core::FieldError;
use nalgebra::{Isometry3, Vector3};
use parry3d_f64::shape::SharedShape;

use crate::bounds::Bounds;
use crate::convert::{from_vector, parry, vector};
use crate::patches::Patches;
use crate::polyhedron::Polyhedron;
use crate::shape::Shape;

/// A shape made ready for queries. Copies share their data.
#[derive(Clone)]
pub struct Geometry {
    pub(crate) shape: SharedShape,
    pub(crate) kind: Kind,
    /// The planes of a surface of triangles.
    pub(crate) patches: Option<Arc<Patches>>,
    /// The faces of a hull or a box; that of a box is made when it meets a hull.
    polyhedron: Arc<OnceLock<Option<Polyhedron>>>,
}

/// Shapes with queries of our own.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    /// Half of its edges.
    Box(Vector3<f64>),
    /// Normal of its plane.
    HalfSpace(Vector3<f64>),
    /// Points about the origin at this distance.
    Sphere(f64),
    /// Points about a segment along y at this distance.
    Capsule {
        half_length: f64,
        radius: f64,
    },
    /// About y.
    Cylinder {
        half_length: f64,
        radius: f64,
    },
    Other,
}

/// Cosine of the angle up to which a face looks along a direction \[-\].
const TEN_DEGREES: f64 = 0.985;

/// Directions that differ by less count as one \[-\].
const SAME_DIRECTION: f64 = 1e-6;

impl std::fmt::Debug for Geometry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Geometry")
            .field("kind", &self.kind)
            .finish_non_exhaustive()
    }
}

impl Geometry {
    /// Makes a shape ready.
    ///
    /// # Errors
    /// A shape that is not valid.
    pub fn new(shape: &Shape) -> Result<Self, FieldError> {
        shape.validate()?;
        let kind = match shape {
            Shape::Box(cuboid) => Kind::Box(cuboid.half),
            Shape::HalfSpace(half_space) => Kind::HalfSpace(half_space.normal.normalize()),
            Shape::Sphere(sphere) => Kind::Sphere(sphere.radius),
            Shape::Capsule(capsule) => Kind::Capsule {
                half_length: capsule.half_length,
                radius: capsule.radius,
            },
            Shape::Cylinder(cylinder) => Kind::Cylinder {
                half_length: cylinder.half_length,
                radius: cylinder.radius,
            },
            _ => Kind::Other,
        };
        let polyhedron = OnceLock::new();
        if let Shape::Hull(hull) = shape {
            let (corners, triangles) = hull.triangles()?;
            polyhedron.get_or_init(|| Polyhedron::of_triangles(corners, &triangles));
        }
        let shape = shape.geometry()?;
        let patches = match (shape.as_trimesh(), shape.as_heightfield()) {
            (Some(mesh), _) => Some(Arc::new(Patches::of_mesh(mesh))),
            (None, Some(field)) => Some(Arc::new(Patches::of_heights(field))),
            (None, None) => None,
        };
        Ok(Self {
            shape,
            kind,
            patches,
            polyhedron: Arc::new(polyhedron),
        })
    }

    /// The box that encloses the shape, grown by `margin` \[m\] on every side.
    pub fn bounds(&self, pose: &Isometry3<f64>, margin: f64) -> Bounds {
        if let Kind::HalfSpace(normal) = self.kind {
            let normal = pose.rotation * normal;
            let height = normal.dot(&pose.translation.vector) + margin;
            return Bounds::Below { normal, height };
        }
        let aabb = self.shape.compute_aabb(&parry(pose));
        let grow = Vector3::repeat(margin);
        Bounds::Box {
            low: from_vector(aabb.mins) - grow,
            high: from_vector(aabb.maxs) + grow,
        }
    }

    /// The largest distance of a point of the shape from its middle \[m\]; infinite for a
    /// half-space.
    pub fn extent(&self) -> f64 {
        match self.kind {
            Kind::HalfSpace(_) => f64::INFINITY,
            _ => self.shape.compute_local_bounding_sphere().radius,
        }
    }

    /// The middle of the sphere that encloses the shape, in its axes.
    pub(crate) fn middle(&self) -> Vector3<f64> {
        from_vector(self.shape.compute_local_bounding_sphere().center)
    }

    /// How far the shape reaches beyond a point along a unit direction \[m\], both in its axes;
    /// `None` if it is farther than `near` \[m\] from the point. Of a surface of triangles those
    /// near the point count, and those that it is behind by at most `behind` \[m\]: a surface has
    /// no inside.
    pub fn reach_beyond(
        &self,
        point: &Vector3<f64>,
        direction: &Vector3<f64>,
        near: f64,
        behind: f64,
    ) -> Option<f64> {
        if let Kind::HalfSpace(normal) = self.kind {
            let height = point.dot(&normal);
            let along = (direction - normal).norm() <= SAME_DIRECTION;
            return (height <= near).then_some(if along { -height } else { f64::INFINITY });
        }
        if let Some(patches) = &self.patches {
            return patches.reach_beyond(&self.shape, point, direction, [near, behind]);
        }
        let map = self.shape.as_support_map()?;
        let distance = self.shape.distance_to_local_point(vector(point), true);
        let farthest = || from_vector(map.local_support_point(vector(direction)));
        (distance <= near).then(|| (farthest() - point).dot(direction))
    }

    /// The normal of the face that looks along a unit direction, in the axes of the shape; of a
    /// cylinder and a capsule that of a cap or of the side. It is the direction itself where no
    /// such normal is within ten degrees of it.
    pub fn face_along(&self, direction: &Vector3<f64>) -> Vector3<f64> {
        let near = |normal: &Vector3<f64>| normal.dot(direction) >= TEN_DEGREES;
        let side = || match self.kind {
            Kind::Cylinder { .. } | Kind::Capsule { .. } => {
                Vector3::new(direction.x, 0.0, direction.z).try_normalize(0.0)
            }
            _ => None,
        };
        let face = self.nearest_face(direction).filter(near);
        face.or_else(|| side().filter(near)).unwrap_or(*direction)
    }

    /// True if a unit direction is the normal of a face, in the axes of the shape.
    pub fn has_face_along(&self, direction: &Vector3<f64>) -> bool {
        let face = self.nearest_face(direction);
        face.is_some_and(|normal| (normal - direction).norm() <= SAME_DIRECTION)
    }

    /// The normal of the flat face that looks most along a direction; `None` without faces.
    fn nearest_face(&self, direction: &Vector3<f64>) -> Option<Vector3<f64>> {
        match self.kind {
            Kind::HalfSpace(normal) => Some(normal),
            Kind::Cylinder { .. } => Some(Vector3::new(0.0, direction.y.signum(), 0.0)),
            _ => {
                let faces = self.polyhedron().map_or(&[][..], |found| &found.faces);
                let normals = faces.iter().map(|face| face.normal);
                normals.max_by(|a, b| a.dot(direction).total_cmp(&b.dot(direction)))
            }
        }
    }

    /// The faces of a hull or a box; `None` for other shapes, and for a hull of too many.
    pub(crate) fn polyhedron(&self) -> Option<&Polyhedron> {
        let make = || match self.kind {
            Kind::Box(half) => Polyhedron::of_box(&half),
            _ => None,
        };
        self.polyhedron.get_or_init(make).as_ref()
    }

    /// True for a ball, a capsule or a surface of revolution: contacts move along it as it turns.
    pub fn is_round(&self) -> bool {
        self.rounding() > 0.0 || self.is_round_about_y()
    }

    /// True for a surface of revolution about y whose points are not those of a ball or capsule.
    pub fn is_round_about_y(&self) -> bool {
        self.shape.as_cylinder().is_some()
    }

    /// Radius of what the shape is rounded by \[m\]: its points lie that far from a point or
    /// segment.
    pub(crate) fn rounding(&self) -> f64 {
        match self.kind {
            Kind::Sphere(radius) | Kind::Capsule { radius, .. } => radius,
            _ => 0.0,
        }
    }
}

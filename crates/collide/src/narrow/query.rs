//! What is asked about two colliders, and where they touch.

use delassus_core::Choice;
use nalgebra::{Isometry3, Vector3};

/// How boxes and hulls find where they touch each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Choice)]
pub enum PolyhedronMethod {
    /// Separating axes and clipping, with the axis of the frame before in favour \[Catto2006,
    /// Gregorius2013\]. Hulls of many edges are asked face by face.
    #[default]
    Clipping,
    /// The library's manifolds.
    Library,
}

/// The settings of a query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactQuery {
    /// Points farther apart than this are left out \[m\].
    pub margin: f64,
    /// How boxes and hulls find where they touch each other.
    pub polyhedra: PolyhedronMethod,
    /// By how much the features of the frame before are preferred, as a share of the size of the
    /// smaller collider \[-\]; zero lets features flip between equal choices.
    pub persistence: f64,
}

impl Default for ContactQuery {
    fn default() -> Self {
        Self {
            margin: 0.02,
            polyhedra: PolyhedronMethod::default(),
            persistence: 0.01,
        }
    }
}

/// State of a pair of colliders that persists between frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PairCache {
    /// The separating axis of two boxes or hulls, from 1; zero for none yet.
    pub axis: u32,
}

/// One point of a manifold: where the two surfaces face each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Touch {
    /// Per collider: the point in its axes \[m\], `radii` inside its surface.
    pub points: [Vector3<f64>; 2],
    /// Per collider: how far the surface is from the point along the normal \[m\]; zero but for
    /// round shapes.
    pub radii: [f64; 2],
    /// Distance of the surfaces along the normal \[m\]; negative where they overlap.
    pub separation: f64,
    /// The features that touch; the same number while the same ones do. Zero where they are not
    /// known.
    pub feature: u64,
}

/// A manifold: points with one normal.
#[derive(Debug, Clone, PartialEq)]
pub struct CollisionManifold {
    /// Unit normal from A to B, in the axes of A \[-\].
    pub normal: Vector3<f64>,
    /// One to four points.
    pub points: Vec<Touch>,
    /// Parts of the colliders that touch: triangles of a mesh, or zero.
    pub parts: [u32; 2],
}

/// The most points of a manifold: more add nothing to the force and torque that they can give.
pub const MAX_POINTS: usize = 4;

impl CollisionManifold {
    /// Seen from the other collider: A and B change places; `b_in_a` is the pose of the new B in
    /// the axes of the new A.
    pub(super) fn swap(&mut self, b_in_a: &Isometry3<f64>) {
        self.normal = -(b_in_a.rotation * self.normal);
        self.parts.swap(0, 1);
        for point in &mut self.points {
            point.points.swap(0, 1);
            point.radii.swap(0, 1);
        }
    }

    /// Where a shape has no extent the library has no normal: such a touch is none.
    pub(super) fn is_finite(&self) -> bool {
        let unit = (self.normal.norm_squared() - 1.0).abs() < 1e-6;
        let finite = |touch: &Touch| {
            let numbers = touch.points.iter().flat_map(|point| point.iter());
            touch.separation.is_finite() && numbers.copied().all(f64::is_finite)
        };
        unit && self.points.iter().all(finite)
    }
}

//! What of a world is drawn: solids on bodies, and the links between bodies.

use nalgebra::{Isometry3, Matrix3, Point3, Rotation3, UnitQuaternion, Vector3};
use serde::{Deserialize, Serialize};

/// Everything of a scene that stays the same over time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SceneGeometry {
    /// What moves each body.
    pub bodies: Vec<MotionKind>,
    /// The solids, on any of the bodies.
    pub solids: Vec<SceneSolid>,
    /// The joints.
    pub links: Vec<JointLine>,
}

/// What moves a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MotionKind {
    /// Forces and impulses.
    Dynamic,
    /// Its own velocity, which nothing changes.
    Kinematic,
    /// Nothing.
    Static,
}

/// A solid on a body.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SceneSolid {
    /// The body.
    pub body: u32,
    /// Its form, in axes of its own.
    pub form: SolidShape,
    /// Its origin from the body's centre of mass, in the body's axes \[m\].
    pub position: [f32; 3],
    /// From its axes to the body's: i, j, k, w.
    pub orientation: [f32; 4],
}

/// The form of a solid \[m\]; the axis of the round ones is y.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum SolidShape {
    /// A ball.
    Sphere {
        /// Radius.
        radius: f32,
    },
    /// A box.
    Box {
        /// Halves of its edges.
        half: [f32; 3],
    },
    /// A cylinder closed by half balls.
    Capsule {
        /// Half of the length of the cylinder.
        half_length: f32,
        /// Radius.
        radius: f32,
    },
    /// A cylinder.
    Cylinder {
        /// Half of its length.
        half_length: f32,
        /// Radius.
        radius: f32,
    },
    /// Triangles, counter-clockwise seen from outside.
    Mesh {
        /// Corners.
        vertices: Vec<[f32; 3]>,
        /// Three corners each.
        triangles: Vec<[u32; 3]>,
        /// True for a convex solid, false for a surface that is seen from both sides.
        convex: bool,
    },
    /// The plane through the origin under which everything is solid.
    Plane {
        /// Unit normal.
        normal: [f32; 3],
    },
}

/// A joint between two bodies.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct JointLine {
    /// The bodies.
    pub bodies: [u32; 2],
    /// The points that it ties, from the centres of mass, in the bodies' axes \[m\].
    pub anchors: [[f32; 3]; 2],
}

impl SceneGeometry {
    /// True if solids and joints are on bodies that there are, and triangles between corners that
    /// there are.
    pub(crate) fn is_whole(&self) -> bool {
        let is_body = |body: &u32| (*body as usize) < self.bodies.len();
        let is_solid = |solid: &SceneSolid| {
            let whole = match &solid.form {
                SolidShape::Mesh {
                    vertices,
                    triangles,
                    ..
                } => triangles
                    .iter()
                    .flatten()
                    .all(|corner| (*corner as usize) < vertices.len()),
                _ => true,
            };
            whole && is_body(&solid.body)
        };
        let mut ends = self.links.iter().flat_map(|link| &link.bodies);
        self.solids.iter().all(is_solid) && ends.all(is_body)
    }
}

impl SceneGeometry {
    /// True for the bodies that a view is about: those that move, or all where none does.
    pub(crate) fn is_subject(&self, body: usize) -> bool {
        let moves = |kind: &MotionKind| *kind != MotionKind::Static;
        moves(&self.bodies[body]) || !self.bodies.iter().any(moves)
    }
}

impl JointLine {
    /// The points that it ties, from the poses of the bodies \[m\], with the body of each.
    pub(crate) fn ends(
        &self,
        pose: impl Fn(usize) -> Isometry3<f64>,
    ) -> [(usize, Vector3<f64>); 2] {
        [0, 1]
            .map(|side| {
                let body = self.bodies[side] as usize;
                let anchor = Vector3::from(self.anchors[side].map(f64::from));
                (body, pose(body) * Point3::from(anchor))
            })
            .map(|(body, point)| (body, point.coords))
    }
}

impl SceneSolid {
    /// Pose in the axes of its body.
    pub fn placement(&self) -> (Vector3<f64>, UnitQuaternion<f64>) {
        let [i, j, k, w] = self.orientation.map(f64::from);
        let orientation = nalgebra::Quaternion::new(w, i, j, k);
        (
            self.position.map(f64::from).into(),
            UnitQuaternion::from_quaternion(orientation),
        )
    }

    /// How far it reaches from the body's centre of mass \[m\]; `None` for a plane.
    pub fn reach(&self) -> Option<f64> {
        let own = match &self.form {
            SolidShape::Sphere { radius } => f64::from(*radius),
            SolidShape::Box { half } => Vector3::from(half.map(f64::from)).norm(),
            SolidShape::Capsule {
                half_length,
                radius,
            } => f64::from(half_length + radius),
            SolidShape::Cylinder {
                half_length,
                radius,
            } => f64::from((half_length * half_length + radius * radius).sqrt()),
            SolidShape::Mesh { vertices, .. } => {
                let norms = vertices
                    .iter()
                    .map(|v| Vector3::from(v.map(f64::from)).norm());
                norms.fold(0.0, f64::max)
            }
            SolidShape::Plane { .. } => return None,
        };
        Some(own + Vector3::from(self.position.map(f64::from)).norm())
    }
}

/// Axes with y along a unit vector.
pub(crate) fn upright(normal: &Vector3<f64>) -> UnitQuaternion<f64> {
    let away = if normal.x.abs() < 0.9 {
        Vector3::x()
    } else {
        Vector3::z()
    };
    let z = away.cross(normal).normalize();
    let axes = Matrix3::from_columns(&[normal.cross(&z), *normal, z]);
    UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(axes))
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "worlds have fewer bodies and vertices than 2^32"
)]
pub(crate) fn index(index: usize) -> u32 {
    index as u32
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
pub(crate) fn count(count: usize) -> f64 {
    count as f64
}

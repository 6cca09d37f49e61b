//! What of a world is drawn: solids on bodies, and the links between bodies.

use delassus_collide::{Collider, Shape};
use delassus_dynamics::{Body, BodyKind, Joint, World};
use nalgebra::{Matrix3, Rotation3, UnitQuaternion, Vector3};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Everything of a scene that stays the same over time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SceneGeometry {
    /// What moves each body.
    pub bodies: Vec<BodyKind>,
    /// The solids, on any of the bodies.
    pub solids: Vec<SceneSolid>,
    /// The joints.
    pub links: Vec<JointLine>,
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

    /// What is drawn of a world.
    ///
    /// A body without colliders is the box with its inertia; where it has no extent, a ball of a
    /// fiftieth of the scene's size.
    pub fn new(world: &World) -> Self {
        let bodies = world.bodies();
        let mut solids: Vec<SceneSolid> =
            world.colliders().iter().filter_map(of_collider).collect();
        let mut bare = vec![true; bodies.len()];
        for solid in &solids {
            bare[solid.body as usize] = false;
        }
        let size = size(bodies);
        let without = bodies.iter().enumerate().filter(|(index, _)| bare[*index]);
        solids.extend(without.map(|(index, body)| of_inertia(index, body, 0.02 * size)));
        Self {
            bodies: bodies.iter().map(|body| body.kind).collect(),
            solids,
            links: world.joints().iter().filter_map(link).collect(),
        }
    }
}

/// Largest distance of a body from the middle of all, or a metre \[m\].
fn size(bodies: &[Body]) -> f64 {
    let places: Vec<Vector3<f64>> = bodies.iter().map(|b| b.position.to_vector()).collect();
    let Some(first) = places.first() else {
        return 1.0;
    };
    let (low, high) = places
        .iter()
        .fold((*first, *first), |(l, h), p| (l.inf(p), h.sup(p)));
    let size = 0.5 * (high - low).norm();
    if size > 0.0 && size.is_finite() {
        size
    } else {
        1.0
    }
}

fn of_collider(collider: &Collider) -> Option<SceneSolid> {
    Some(SceneSolid {
        body: index(collider.body),
        form: form(&collider.shape)?,
        position: single(&collider.position),
        orientation: collider.orientation.coords.map(narrow).into(),
    })
}

/// `None` for points that span no hull, which no world has.
fn form(shape: &Shape) -> Option<SolidShape> {
    Some(match shape {
        Shape::Sphere(ball) => SolidShape::Sphere {
            radius: narrow(ball.radius),
        },
        Shape::Box(cuboid) => SolidShape::Box {
            half: single(&cuboid.half),
        },
        Shape::Capsule(capsule) => SolidShape::Capsule {
            half_length: narrow(capsule.half_length),
            radius: narrow(capsule.radius),
        },
        Shape::Cylinder(cylinder) => SolidShape::Cylinder {
            half_length: narrow(cylinder.half_length),
            radius: narrow(cylinder.radius),
        },
        Shape::Hull(hull) => {
            let (vertices, triangles) = hull.triangles().ok()?;
            SolidShape::Mesh {
                vertices: vertices.iter().map(single).collect(),
                triangles,
                convex: true,
            }
        }
        Shape::HalfSpace(ground) => SolidShape::Plane {
            normal: single(&ground.normal),
        },
        Shape::Mesh(mesh) => SolidShape::Mesh {
            vertices: mesh.vertices.iter().map(single).collect(),
            triangles: mesh.triangles.clone(),
            convex: false,
        },
        Shape::HeightField(field) => heights(field.size, &field.heights),
    })
}

/// Two triangles per cell of a grid of heights.
fn heights(size: [f64; 2], rows: &[Vec<f64>]) -> SolidShape {
    let columns = rows.first().map_or(0, Vec::len);
    let share = |i: usize, n: usize| count(i) / count(n.max(2) - 1) - 0.5;
    let vertices = rows.iter().enumerate().flat_map(|(z, row)| {
        let z = size[1] * share(z, rows.len());
        let point =
            move |(x, y): (usize, &f64)| single(&Vector3::new(size[0] * share(x, columns), *y, z));
        row.iter().enumerate().map(point)
    });
    let corner = |x: usize, z: usize| index(z * columns + x);
    let cells = (1..rows.len()).flat_map(|z| (1..columns).map(move |x| (x, z)));
    let triangles = cells.flat_map(|(x, z)| {
        let [a, b, c, d] = [
            corner(x - 1, z - 1),
            corner(x, z - 1),
            corner(x - 1, z),
            corner(x, z),
        ];
        [[a, c, b], [b, c, d]]
    });
    SolidShape::Mesh {
        vertices: vertices.collect(),
        triangles: triangles.collect(),
        convex: false,
    }
}

/// The box with the inertia of a body; a ball of the given radius where that has no extent.
fn of_inertia(body: usize, of: &Body, radius: f64) -> SceneSolid {
    let inertia = &of.inertia;
    let moments = inertia.moments;
    let squares = Vector3::repeat(moments.sum()) - 2.0 * moments;
    // I = m (b² + c²) / 3 along each axis, with half edges a, b, c
    let half = squares.map(|s| (1.5 * s / inertia.mass).max(0.0).sqrt());
    let solid = of.is_dynamic() && half.amax() > 0.0 && half.iter().all(|x| x.is_finite());
    let form = if solid {
        // a rod or a plate has a thickness that is seen
        let least = 0.02 * half.amax();
        SolidShape::Box {
            half: single(&half.map(|x| x.max(least))),
        }
    } else {
        SolidShape::Sphere {
            radius: narrow(radius),
        }
    };
    SceneSolid {
        body: index(body),
        form,
        position: [0.0; 3],
        orientation: inertia.axes.coords.map(narrow).into(),
    }
}

/// The joint as a line: between its anchors, or between the bodies where it has none.
fn link(joint: &Joint) -> Option<JointLine> {
    let [a, b, ..] = joint.constraint.bodies() else {
        return None;
    };
    // every constraint that ties points names them alike
    let value = serde_json::to_value(&joint.constraint).unwrap_or(Value::Null);
    let kind = value.as_object().and_then(|kinds| kinds.values().next());
    let anchors = kind.and_then(|kind| kind.get("anchors")).cloned();
    let anchors = anchors.and_then(|anchors| serde_json::from_value(anchors).ok());
    Some(JointLine {
        bodies: [index(*a), index(*b)],
        anchors: anchors.unwrap_or_default(),
    })
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

fn single(vector: &Vector3<f64>) -> [f32; 3] {
    [narrow(vector.x), narrow(vector.y), narrow(vector.z)]
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "what is drawn needs seven digits"
)]
fn narrow(number: f64) -> f32 {
    number as f32
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

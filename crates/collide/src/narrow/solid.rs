//! Convex shapes with an edge: their supports, faces and edges. A round face is a polygon of rim
//! points, and a capsule is its line, which is rounded.

use nalgebra::Vector3;
use parry3d_f64::shape::{ConvexPolyhedron, SupportMap};

use crate::convert::{from_vector, vector};
use crate::geometry::{Geometry, Kind};
use crate::polyhedron::Polyhedron;

/// Points on the rim of a cylinder: those of a square are among them.
const RIM: usize = 16;

/// Corners of a face that are used: of a finer one a part is left out.
pub(super) const MAX_CORNERS: usize = 2 * RIM;

/// The rim is lower than its fixed points only if it is by this share of the radius \[-\].
const LOWER: f64 = 1e-9;

/// Steepness above which a cap faces a direction, and not the side \[-\].
const CAP: f64 = 0.7;

/// A convex shape whose surface has an edge.
#[derive(Clone, Copy)]
pub(super) struct ShapeGeometry<'a> {
    map: &'a dyn SupportMap,
    form: Form<'a>,
    /// Half of the smallest extent along its axes \[m\].
    pub(super) half_width: f64,
    /// A point inside \[m\].
    pub(super) middle: Vector3<f64>,
    /// How far the surface is from the shape that is described here \[m\]: the radius of a capsule.
    pub(super) rounding: f64,
}

#[derive(Clone, Copy)]
enum Form<'a> {
    Cylinder {
        half_length: f64,
        radius: f64,
    },
    /// The line of a capsule, by its half length.
    Line(f64),
    Polyhedron(&'a Polyhedron),
    /// Of too many edges for a [`Polyhedron`].
    Hull(&'a ConvexPolyhedron),
}

/// A face or an edge: its corners in turn, each with its name and that of the edge to the next one.
#[derive(Debug, Default)]
pub(super) struct Outline {
    pub(super) corners: Vec<(Vector3<f64>, [u64; 2])>,
}

impl<'a> ShapeGeometry<'a> {
    /// A box, a hull, a cylinder or a capsule; `None` for other shapes.
    pub(super) fn of(geometry: &'a Geometry) -> Option<Self> {
        let hull = || geometry.shape.as_convex_polyhedron().map(Form::Hull);
        let line = geometry.shape.as_capsule().map(|capsule| &capsule.segment);
        let form = match geometry.kind {
            Kind::Capsule { half_length, .. } => Form::Line(half_length),
            Kind::Cylinder {
                half_length,
                radius,
            } => Form::Cylinder {
                half_length,
                radius,
            },
            Kind::Box(_) | Kind::Other => match geometry.polyhedron() {
                Some(polyhedron) => Form::Polyhedron(polyhedron),
                None => hull()?,
            },
            _ => return None,
        };
        let bounds = geometry.shape.compute_local_aabb();
        let map = match line {
            Some(line) => line as &dyn SupportMap,
            None => geometry.shape.as_support_map()?,
        };
        Some(Self {
            map,
            form,
            half_width: from_vector(bounds.half_extents()).min(),
            middle: from_vector(bounds.center()),
            rounding: geometry.rounding(),
        })
    }

    pub(super) fn map(&self) -> &'a dyn SupportMap {
        self.map
    }

    /// A point that lies farthest along a direction.
    pub(super) fn support(&self, direction: &Vector3<f64>) -> Vector3<f64> {
        from_vector(self.map.local_support_point(vector(direction)))
    }

    /// The number of faces.
    pub(super) fn faces(&self) -> usize {
        match self.form {
            Form::Cylinder { .. } => 2,
            Form::Line(_) => 0,
            Form::Polyhedron(polyhedron) => polyhedron.faces.len(),
            Form::Hull(hull) => hull.faces().len(),
        }
    }

    /// The outward unit normal of a face.
    pub(super) fn normal(&self, face: usize) -> Vector3<f64> {
        match self.form {
            Form::Cylinder { .. } | Form::Line(_) => {
                Vector3::new(0.0, if face == 0 { -1.0 } else { 1.0 }, 0.0)
            }
            Form::Polyhedron(polyhedron) => polyhedron.faces[face].normal,
            Form::Hull(hull) => from_vector(hull.faces()[face].normal),
        }
    }

    /// The border of a face, counter-clockwise seen from outside.
    pub(super) fn face(&self, face: usize) -> Outline {
        match self.form {
            Form::Cylinder {
                half_length,
                radius,
            } => cap([half_length, radius], face == 1, None),
            Form::Line(half_length) => side([half_length, 0.0], &Vector3::x()),
            Form::Polyhedron(polyhedron) => {
                let corners = polyhedron.faces[face].corners.iter();
                Outline::of(corners.map(|[vertex, edge]| {
                    (polyhedron.vertices[*vertex], [*vertex as u64, *edge as u64])
                }))
            }
            Form::Hull(hull) => {
                let face = &hull.faces()[face];
                let first = face.first_vertex_or_edge as usize;
                let own = first..first + face.num_vertices_or_edges as usize;
                let vertices = hull.vertices_adj_to_face()[own.clone()].iter();
                let edges = hull.edges_adj_to_face()[own].iter();
                let points = hull.points();
                Outline::of(vertices.zip(edges).map(|(vertex, edge)| {
                    let names = [u64::from(*vertex), u64::from(*edge)];
                    (from_vector(points[*vertex as usize]), names)
                }))
            }
        }
    }

    /// What lies farthest along a direction: the face that looks most along it, or the line of a
    /// cylinder's side or of a capsule.
    pub(super) fn facing(&self, direction: &Vector3<f64>) -> (usize, Outline) {
        if let Form::Line(half_length) = self.form {
            return (0, side([half_length, 0.0], direction));
        }
        if let Form::Cylinder {
            half_length,
            radius,
        } = self.form
        {
            let up = direction.y > 0.0;
            let outline = if direction.y.abs() < CAP {
                side([half_length, radius], direction)
            } else {
                cap([half_length, radius], up, Some(direction))
            };
            return (usize::from(up), outline);
        }
        let along = (0..self.faces()).map(|face| self.normal(face).dot(direction));
        let best = along
            .enumerate()
            .fold((0, f64::NEG_INFINITY), |best, (face, along)| {
                if along > best.1 { (face, along) } else { best }
            });
        (best.0, self.face(best.0))
    }

    /// The edge, or line of the side, that lies farthest along a direction, if the cosine of their
    /// angle is below `across` \[-\]: its ends.
    pub(super) fn edge(&self, direction: &Vector3<f64>, across: f64) -> Option<[Vector3<f64>; 2]> {
        let ends = match self.form {
            Form::Cylinder {
                half_length,
                radius,
            } => {
                let corners = side([half_length, radius], direction).corners;
                Some([corners[0].0, corners[1].0])
            }
            Form::Line(half_length) => {
                let end = Vector3::new(0.0, half_length, 0.0);
                Some([-end, end])
            }
            Form::Polyhedron(polyhedron) => {
                let ends = |vertices: [usize; 2]| vertices.map(|v| polyhedron.vertices[v]);
                highest(
                    polyhedron.edges.iter().map(|edge| ends(edge.vertices)),
                    direction,
                )
            }
            Form::Hull(hull) => {
                let at = |vertex: u32| from_vector(hull.points()[vertex as usize]);
                highest(
                    hull.edges().iter().map(|edge| edge.vertices.map(at)),
                    direction,
                )
            }
        }?;
        let along = ends[1] - ends[0];
        (along.dot(direction).abs() <= across * along.norm()).then_some(ends)
    }

    /// True if a point above a cap is so within the rim, which reaches farther than its polygon.
    pub(super) fn is_within_rim(&self, point: &Vector3<f64>) -> bool {
        match self.form {
            Form::Cylinder { radius, .. } => {
                point.x * point.x + point.z * point.z <= radius * radius
            }
            _ => false,
        }
    }

    /// The height and the radius of the rim of an outline that is a cap.
    pub(super) fn rim(&self, outline: &Outline) -> Option<[f64; 2]> {
        let Form::Cylinder { radius, .. } = self.form else {
            return None;
        };
        let (first, _) = outline.corners.first()?;
        (outline.corners.len() >= RIM).then_some([first.y, radius])
    }

    /// True for a cylinder and for a capsule, which are round about their axis.
    pub(super) fn is_round(&self) -> bool {
        matches!(self.form, Form::Cylinder { .. } | Form::Line(_))
    }
}

/// The first of the edges whose middles lie farthest along a direction.
fn highest(
    edges: impl Iterator<Item = [Vector3<f64>; 2]>,
    direction: &Vector3<f64>,
) -> Option<[Vector3<f64>; 2]> {
    let height = |[p, q]: &[Vector3<f64>; 2]| (p + q).dot(direction);
    edges.reduce(|best, ends| {
        if height(&ends) > height(&best) {
            ends
        } else {
            best
        }
    })
}

impl Outline {
    fn of(corners: impl ExactSizeIterator<Item = (Vector3<f64>, [u64; 2])>) -> Self {
        let step = corners.len().div_ceil(MAX_CORNERS).max(1);
        Self {
            corners: corners.step_by(step).collect(),
        }
    }
}

/// Names of the lowest point of a rim and of the line that ends there.
const LOWEST: u64 = RIM as u64;

/// Where the rim of a cylinder is, at a direction across its axis; along x if that has none.
fn rim([half_length, radius]: [f64; 2], direction: &Vector3<f64>, up: bool) -> Vector3<f64> {
    let across = Vector3::new(direction.x, 0.0, direction.z);
    let across = across.try_normalize(0.0).unwrap_or_else(Vector3::x);
    let height = if up { half_length } else { -half_length };
    radius * across + Vector3::new(0.0, height, 0.0)
}

/// The line of the side that lies farthest along a direction.
fn side(sizes: [f64; 2], direction: &Vector3<f64>) -> Outline {
    let end = |up: bool| (rim(sizes, direction, up), [LOWEST + u64::from(up), LOWEST]);
    Outline {
        corners: vec![end(false), end(true)],
    }
}

/// Fixed points of a rim, and that farthest along a direction where it is farther than all of them.
fn cap([half_length, radius]: [f64; 2], up: bool, direction: Option<&Vector3<f64>>) -> Outline {
    // counter-clockwise seen from outside
    let (turn, height) = if up {
        (-1.0, half_length)
    } else {
        (1.0, -half_length)
    };
    let fixed = (0..RIM).map(|k| {
        let (sine, cosine) = sine_and_cosine(k);
        let place = Vector3::new(radius * cosine, height, turn * radius * sine);
        (place, [k as u64; 2])
    });
    let mut corners: Vec<_> = fixed.collect();
    let Some(direction) = direction else {
        return Outline { corners };
    };
    let lowest = rim([half_length, radius], direction, up);
    let heights = corners.iter().map(|(place, _)| place.dot(direction));
    let highest = heights.fold(f64::NEG_INFINITY, f64::max);
    if lowest.dot(direction) > highest + LOWER * radius {
        let near =
            |k: usize| (corners[k].0 - lowest).norm() + (corners[(k + 1) % RIM].0 - lowest).norm();
        let first = (0..RIM)
            .min_by(|a, b| near(*a).total_cmp(&near(*b)))
            .unwrap_or(0);
        let edge = corners[first].1[1];
        corners.insert(first + 1, (lowest, [LOWEST + u64::from(up), edge]));
    }
    Outline { corners }
}

/// Sine and cosine of a whole number of sixteenths of a turn, without a library.
fn sine_and_cosine(sixteenth: usize) -> (f64, f64) {
    let root = std::f64::consts::FRAC_1_SQRT_2;
    let (half_cosine, half_sine) = ((0.5 + 0.5 * root).sqrt(), (0.5 - 0.5 * root).sqrt());
    let (sine, cosine) = match sixteenth % 4 {
        0 => (0.0, 1.0),
        1 => (half_sine, half_cosine),
        2 => (root, root),
        _ => (half_cosine, half_sine),
    };
    match sixteenth / 4 % 4 {
        0 => (sine, cosine),
        1 => (cosine, -sine),
        2 => (-sine, -cosine),
        _ => (-cosine, sine),
    }
}

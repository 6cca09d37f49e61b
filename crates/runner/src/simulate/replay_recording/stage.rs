//! What of a world is drawn: its bodies, colliders and joints as the stage of a replay.

use delassus_dynamics::{Body, BodyKind, Collider, Joint, Shape, World};
use delassus_replay::stage::{JointLine, MotionKind, SceneGeometry, SceneSolid, SolidShape};
use nalgebra::Vector3;
use serde_json::Value;

/// What is drawn of a world.
///
/// A body without colliders is the box with its inertia; where it has no extent, a ball of a
/// fiftieth of the scene's size. Of a static one, such as the world, its joints show where it is: a
/// ball stands at each of their anchors.
pub fn scene_geometry(world: &World) -> SceneGeometry {
    let bodies = world.bodies();
    let mut solids: Vec<SceneSolid> = world.colliders().iter().filter_map(of_collider).collect();
    let mut bare = vec![true; bodies.len()];
    for solid in &solids {
        bare[solid.body as usize] = false;
    }
    let size = size(bodies);
    let links: Vec<JointLine> = world.joints().iter().filter_map(link).collect();
    let without = bodies.iter().enumerate().filter(|(index, _)| bare[*index]);
    for (index, body) in without {
        let own = of_inertia(index, body, 0.02 * size);
        match body.kind {
            BodyKind::Static => solids.extend(at_anchors(own, &links)),
            BodyKind::Dynamic | BodyKind::Kinematic => solids.push(own),
        }
    }
    SceneGeometry {
        bodies: bodies.iter().map(|body| moved_by(body.kind)).collect(),
        solids,
        links,
    }
}

/// The solid of a body at each place where a joint holds it; at the middle of the body if none
/// does.
fn at_anchors(solid: SceneSolid, links: &[JointLine]) -> Vec<SceneSolid> {
    let mut places: Vec<[f32; 3]> = Vec::new();
    for link in links {
        let ends = link.bodies.iter().zip(&link.anchors);
        let own = ends.filter(|(body, _)| **body == solid.body);
        for (_, place) in own {
            if !places.contains(place) {
                places.push(*place);
            }
        }
    }
    if places.is_empty() {
        return vec![solid];
    }
    let at = |position: [f32; 3]| SceneSolid {
        position,
        ..solid.clone()
    };
    places.into_iter().map(at).collect()
}

fn moved_by(kind: BodyKind) -> MotionKind {
    match kind {
        BodyKind::Dynamic => MotionKind::Dynamic,
        BodyKind::Kinematic => MotionKind::Kinematic,
        BodyKind::Static => MotionKind::Static,
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
    let share = |i: usize, n: usize| i as f64 / (n.max(2) - 1) as f64 - 0.5;
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

/// Largest length that is drawn \[m\]: its square is a number in single precision.
const EDGE: f64 = 1e18;

fn single(vector: &Vector3<f64>) -> [f32; 3] {
    [narrow(vector.x), narrow(vector.y), narrow(vector.z)]
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "what is drawn needs seven digits"
)]
fn narrow(number: f64) -> f32 {
    number.clamp(-EDGE, EDGE) as f32
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "worlds have fewer bodies and vertices than 2^32"
)]
pub(super) fn index(index: usize) -> u32 {
    index as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use delassus_dynamics::constraints::Distance;
    use delassus_dynamics::{Cuboid, HalfSpace, Inertia, Signal, WorldParts};

    #[test]
    fn a_body_is_its_colliders_or_the_box_with_its_inertia() {
        let mut parts = WorldParts::default();
        let ground = parts.body(Body::fixed(Vector3::zeros()));
        parts.collider(Collider::new(ground, HalfSpace::default()));
        // a cube of 2 m and 3 kg: I = m (1² + 1²) / 3
        let inertia = Inertia::new(3.0, Vector3::repeat(2.0));
        let bare = parts.body(Body::dynamic(inertia, Vector3::x()));
        let boxed = parts.body(Body::dynamic(inertia, 4.0 * Vector3::y()));
        parts.collider(Collider::new(boxed, Cuboid::new(0.3, 0.2, 0.25)));
        let drawn = scene_geometry(&parts.build().expect("a world"));
        let kinds = [MotionKind::Static, MotionKind::Dynamic, MotionKind::Dynamic];
        assert_eq!(drawn.bodies, kinds);
        let form = |body: usize| {
            let own = drawn.solids.iter().filter(|s| s.body == index(body));
            let own: Vec<&SceneSolid> = own.collect();
            assert_eq!(own.len(), 1, "body {body}");
            own[0].form.clone()
        };
        let normal = [0.0, 1.0, 0.0];
        assert_eq!(form(ground), SolidShape::Plane { normal });
        assert_eq!(form(bare), SolidShape::Box { half: [1.0; 3] });
        let half = [0.3, 0.2, 0.25];
        assert_eq!(form(boxed), SolidShape::Box { half });
    }

    #[test]
    fn the_world_is_where_joints_hold_on_to_it() {
        let mut parts = WorldParts::default();
        let inertia = Inertia::new(3.0, Vector3::repeat(2.0));
        let ball = parts.body(Body::dynamic(inertia, Vector3::x()));
        let world = parts.body(Body::fixed(Vector3::zeros()).named("world"));
        let alone = parts.body(Body::fixed(Vector3::z()));
        for anchor in [[0.0, 4.0, 0.0], [0.0, 4.0, 0.0], [1.0, 4.0, 0.0]] {
            parts.joint(Joint::new(Distance {
                bodies: [ball, world],
                anchors: [Vector3::zeros(), Vector3::from(anchor)],
                length: Signal::Constant(4.0),
            }));
        }
        let drawn = scene_geometry(&parts.build().expect("a world"));
        let places = |body: usize| {
            let own = drawn.solids.iter().filter(|s| s.body == index(body));
            own.map(|solid| solid.position).collect::<Vec<_>>()
        };
        assert_eq!(places(world), [[0.0, 4.0, 0.0], [1.0, 4.0, 0.0]]);
        assert_eq!(places(alone), [[0.0; 3]]);
    }
}

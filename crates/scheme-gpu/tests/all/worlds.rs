//! Worlds of boxes and balls that find their contacts.

use delassus_dynamics::{
    Body, BodyKind, Collider, CombineRule, Cuboid, HalfSpace, Inertia, Material, Sphere, World,
    WorldParts,
};
use nalgebra::{UnitQuaternion, Vector3};

/// A ground of one large box.
pub(crate) fn ground() -> WorldParts {
    let mut parts = WorldParts {
        gravity: Vector3::new(0.0, -9.81, 0.0),
        ..WorldParts::default()
    };
    let body = parts.body(Body::fixed(Vector3::new(0.0, -1.0, 0.0)));
    parts.collider(Collider::new(body, Cuboid::new(40.0, 1.0, 40.0)));
    parts
}

/// A wall of boxes, half a box aside from row to row.
pub(crate) fn wall(rows: usize) -> World {
    let mut parts = ground();
    for row in 0..rows {
        for column in 0..rows - row % 2 {
            let x = column as f64 + 0.5 * (row % 2) as f64;
            let place = Vector3::new(x, 0.5 + row as f64, 0.0);
            let body = parts.body(Body::dynamic(Inertia::default(), place));
            parts.collider(Collider::new(body, Cuboid::new(0.48, 0.5, 0.4)));
        }
    }
    parts.build().expect("a world")
}

/// Boxes and balls above the ground, turned, which fall on each other.
pub(crate) fn pile(count: usize) -> World {
    let mut parts = ground();
    for index in 0..count {
        let (layer, place) = (index / 9, index % 9);
        let aside = |k: usize| 1.02 * ((k % 3) as f64 - 1.0) + 0.02 * ((index * 7 + k) % 5) as f64;
        let at = Vector3::new(aside(place), 0.6 + layer as f64, aside(place / 3));
        let angle = 0.37 * index as f64;
        let mut body = Body::dynamic(Inertia::default(), at);
        body.orientation = UnitQuaternion::from_euler_angles(angle, 0.5 * angle, -angle);
        // what rolls slows down
        body.angular_damping = 2.0;
        let body = parts.body(body);
        let collider = if index % 3 == 0 {
            Collider::new(body, Sphere::new(0.3))
        } else {
            Collider::new(body, Cuboid::new(0.22, 0.26, 0.34))
        };
        parts.collider(collider);
    }
    parts.build().expect("a world")
}

/// The deepest overlap of the contacts of the last frame, at the present poses \[m\].
pub(crate) fn overlap(world: &World) -> f64 {
    let depth = world.manifolds().iter().flat_map(|manifold| {
        let poses = manifold.bodies.map(|body| world.bodies()[body].pose());
        manifold.frame(poses).separations
    });
    -depth.fold(0.0, f64::min)
}

pub(crate) fn fastest(world: &World) -> f64 {
    let speeds = world
        .bodies()
        .iter()
        .map(|b| b.velocity.norm() + b.spin.norm());
    speeds.fold(0.0, f64::max)
}

pub(crate) fn points(world: &World) -> usize {
    world.manifolds().iter().map(|m| m.points.len()).sum()
}

/// Surfaces of all kinds, a tilted half-space as the last collider, a body that may not turn, one
/// that is moved, and one beside its body; far from the origin.
pub(crate) fn mixture(far: Vector3<f64>) -> World {
    let mut parts = WorldParts {
        gravity: Vector3::new(0.0, -9.81, 0.0),
        ..WorldParts::default()
    };
    parts.contacts.combining.friction = CombineRule::Mean;
    let tilt = UnitQuaternion::from_euler_angles(0.0, 0.0, 0.1);
    let turned = UnitQuaternion::from_euler_angles(0.0, 0.4, 0.0);
    let at = |along: f64, height: f64| far + tilt * Vector3::new(along, height, 0.3 * along);
    let rough = |friction, restitution| Material {
        friction,
        restitution,
        ..Material::default()
    };
    for index in 0..6 {
        let along = 1.5 * f64::from(index);
        let mass = Inertia::new(1.0 + along, Vector3::new(0.2, 0.3, 0.4));
        let mut body = Body::dynamic(mass, at(along, 0.499));
        body.orientation = tilt * turned;
        body.velocity = Vector3::new(0.2, -0.1 * along, 0.3);
        body.lock_rotation = [index == 3; 3];
        let body = parts.body(body);
        let mut collider = if index % 2 == 0 {
            Collider::new(body, Sphere::new(0.5))
        } else {
            Collider::new(body, Cuboid::new(0.5, 0.5, 0.4))
        };
        if index == 1 {
            collider = collider.at(Vector3::new(0.1, 0.0, -0.05));
        }
        collider.material = rough(0.2 * f64::from(index), 0.1 * f64::from(index % 3));
        parts.collider(collider);
    }
    let mut moved = Body::fixed(at(3.0, 1.51));
    moved.kind = BodyKind::Kinematic;
    moved.velocity = Vector3::new(0.0, 0.0, 0.2);
    moved.orientation = tilt * turned;
    let moved = parts.body(moved);
    parts.collider(Collider::new(moved, Cuboid::cube(0.5)));
    let mut body = Body::fixed(far);
    body.orientation = tilt;
    let floor = parts.body(body);
    parts.collider(Collider::new(
        floor,
        HalfSpace {
            normal: Vector3::y(),
        },
    ));
    parts.build().expect("a world")
}

//! The scenes of the cases. Whatever moves, moves in the plane of x and y.

use delassus_dynamics::{
    Body, Collider, Cuboid, HalfSpace, Inertia, Joint, Sphere, WorldParts, constraints, rotation,
};
use nalgebra::Vector3;
use serde_json::{Value, json};

/// Radius of the balls, and half of the edges of the box \[m\].
const SIZE: f64 = 0.3;
/// Turn of the spinning ball at the start \[rad\].
const TURN: f64 = 0.7;

/// How a scene is put, since no engine takes everything.
#[derive(Debug, Clone, Copy)]
pub(super) struct Form {
    /// True if bodies are confined to the plane.
    pub(super) planar: bool,
    /// True if balls have a shape.
    pub(super) covered: bool,
}

/// Every form, the richest first.
pub(super) const FORMS: [Form; 4] = [
    Form {
        planar: false,
        covered: true,
    },
    Form {
        planar: true,
        covered: true,
    },
    Form {
        planar: false,
        covered: false,
    },
    Form {
        planar: true,
        covered: false,
    },
];

/// Gravity of balls in flight \[m/s²\].
pub(super) fn slanted() -> Vector3<f64> {
    Vector3::new(0.75, -9.0, 0.0)
}

fn in_plane(body: Body, form: Form) -> Body {
    if form.planar { body.planar() } else { body }
}

/// Adds a ball of 2 kg.
fn add_ball(parts: &mut WorldParts, body: Body, form: Form) {
    let body = parts.body(in_plane(body, form));
    if form.covered {
        parts.colliders.push(Collider::new(body, Sphere::new(SIZE)));
    }
}

fn ball(position: Vector3<f64>) -> Body {
    let moment = 0.4 * 2.0 * SIZE * SIZE;
    Body::dynamic(Inertia::new(2.0, Vector3::repeat(moment)), position)
}

/// One ball in flight, with a velocity \[m/s\].
pub(super) fn flight(form: Form) -> WorldParts {
    let mut parts = WorldParts {
        gravity: slanted(),
        ..WorldParts::default()
    };
    let velocity = Vector3::new(1.0, 2.0, 0.0);
    let body = ball(Vector3::new(0.5, 5.0, 0.0)).moving(velocity, Vector3::zeros());
    add_ball(&mut parts, body, form);
    parts
}

/// The same ball, which turns about z from an orientation that is not the identity \[rad/s\].
pub(super) fn spinning(form: Form) -> WorldParts {
    let mut parts = flight(form);
    let axis = match form.planar {
        true => Vector3::z(),
        false => Vector3::x(),
    };
    for body in &mut parts.bodies {
        body.orientation = rotation::about(&axis, TURN);
        body.spin = Vector3::new(0.0, 0.0, 3.0);
    }
    parts
}

/// A box that rests on the ground, and a ball that flies past; bodies in this order of 0 (ground),
/// 1 (box) and 2 (ball).
pub(super) fn mixed(form: Form, order: [usize; 3]) -> WorldParts {
    let mut parts = WorldParts {
        gravity: -9.0 * Vector3::y(),
        ..WorldParts::default()
    };
    for which in order {
        match which {
            0 => {
                let body = parts.body(Body::fixed(Vector3::zeros()));
                parts
                    .colliders
                    .push(Collider::new(body, HalfSpace::default()));
            }
            1 => {
                let moment = 2.0 / 3.0 * 2.0 * SIZE * SIZE;
                let inertia = Inertia::new(2.0, Vector3::repeat(moment));
                let body = Body::dynamic(inertia, SIZE * Vector3::y());
                let body = parts.body(in_plane(body, form));
                let shape = Cuboid::new(SIZE, SIZE, SIZE);
                parts.colliders.push(Collider::new(body, shape));
            }
            _ => {
                let body = ball(Vector3::new(3.0, 4.0, 0.0));
                let body = body.moving(Vector3::new(-1.0, 0.5, 0.0), Vector3::zeros());
                add_ball(&mut parts, body, form);
            }
        }
    }
    parts
}

/// Three balls in flight, in this order, for engines without contacts.
pub(super) fn swarm(form: Form, order: [usize; 3]) -> WorldParts {
    let mut parts = WorldParts {
        gravity: slanted(),
        ..WorldParts::default()
    };
    for (which, away) in order.map(|which| (which, [0.0, 2.0, 4.0][which])) {
        let velocity = Vector3::new(away, 1.0 - away, 0.0);
        let at = Vector3::new(5.0 * away, 5.0, 0.0);
        let body = ball(at).moving(velocity, Vector3::zeros());
        let body = if which == 0 { Body::fixed(at) } else { body };
        add_ball(&mut parts, body, form);
    }
    parts
}

/// The JSON of a scene with a joint of a kind that does not exist.
pub(super) fn with_unknown_joint(form: Form) -> Value {
    let mut parts = flight(form);
    let ground = parts.body(Body::fixed(Vector3::new(0.5, 6.0, 0.0)));
    parts.joint(Joint::new(constraints::Point {
        bodies: [ground, 0],
        anchors: [Vector3::zeros(), Vector3::y()],
    }));
    let mut scene = json!(parts);
    rename(&mut scene["joints"][0]["constraint"], "no-such-joint");
    scene
}

/// The JSON of a scene with a shape of a kind that does not exist.
pub(super) fn with_unknown_shape(form: Form) -> Value {
    let covered = Form {
        covered: true,
        ..form
    };
    let mut scene = json!(flight(covered));
    rename(&mut scene["colliders"][0]["shape"], "no-such-shape");
    scene
}

/// Gives the only key of an object another name.
fn rename(object: &mut Value, name: &str) {
    let Some(map) = object.as_object_mut() else {
        return;
    };
    let values: Vec<Value> = std::mem::take(map).into_iter().map(|(_, v)| v).collect();
    map.extend(values.into_iter().map(|value| (name.to_owned(), value)));
}

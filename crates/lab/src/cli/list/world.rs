//! `delassus list scenes NAME`: what is in the world of a scene, and what can be measured of it.

use delassus_dynamics::{Body, BodyKind, Joint, RowUnit, World};
use serde_json::{Value, json};

use super::item::part;
use crate::simulate::Quantity;

/// Bodies and joints that a page lists; JSON has them all.
const MOST: usize = 16;

/// The parts of the page: bodies, joints, axes, observables, as they are with the default
/// parameters.
pub(super) fn parts(world: &World) -> Vec<(String, String)> {
    let bodies = world.bodies().iter().enumerate();
    let joints = world.joints().iter().enumerate();
    vec![
        part(
            "bodies, with the defaults",
            shortened(bodies.map(|(index, body)| body_line(index, body))),
        ),
        part(
            "joints, with the defaults",
            shortened(joints.map(|(index, joint)| joint_line(index, joint))),
        ),
        part("contact manifolds, with the defaults", manifolds(world)),
        part("axes", axes(world)),
        part("observables", observables(world).join("\n")),
    ]
}

/// The same for scripts.
pub(super) fn object(world: &World) -> Value {
    let bodies = world.bodies().iter();
    let bodies =
        bodies.map(|body| json!({ "name": body.name, "kind": kind(body), "mass": mass(body) }));
    let joints = world.joints().iter().map(|joint| {
        json!({
            "name": joint.name,
            "constraint": joint.constraint.descriptor().id,
            "bodies": joint.constraint.bodies(),
            "rows": units(joint),
        })
    });
    let gravity = world.gravity();
    json!({
        "bodies": bodies.collect::<Vec<Value>>(),
        "joints": joints.collect::<Vec<Value>>(),
        "manifolds": world.manifolds().len(),
        "gravity": [gravity.x, gravity.y, gravity.z],
        "observables": observables(world),
    })
}

fn shortened(lines: impl ExactSizeIterator<Item = String>) -> String {
    let left = lines.len().saturating_sub(MOST);
    let mut text: Vec<String> = lines.take(MOST).collect();
    if left > 0 {
        text.push(format!("and {left} more (--json has all)"));
    }
    text.join("\n")
}

fn kind(body: &Body) -> &'static str {
    match body.kind {
        BodyKind::Dynamic => "dynamic",
        BodyKind::Kinematic => "kinematic",
        BodyKind::Static => "static",
    }
}

/// The mass of a body that has one \[kg\].
fn mass(body: &Body) -> Option<f64> {
    body.is_dynamic().then_some(body.inertia.mass)
}

fn body_line(index: usize, body: &Body) -> String {
    let mass = mass(body).map_or_else(String::new, |mass| {
        format!(", {} kg", crate::numbers::significant(mass, 3))
    });
    format!("{index}: {} ({}{mass})", named(&body.name), kind(body))
}

fn named(name: &str) -> &str {
    if name.is_empty() {
        "without a name"
    } else {
        name
    }
}

fn units(joint: &Joint) -> Vec<&'static str> {
    let units = joint.constraint.descriptor().units.iter();
    units
        .map(|unit| match unit {
            RowUnit::Length => "m",
            RowUnit::Angle => "rad",
        })
        .collect()
}

fn joint_line(index: usize, joint: &Joint) -> String {
    let bodies = joint.constraint.bodies().iter().map(usize::to_string);
    format!(
        "{index}: {} ({} of bodies {}; rows [{}])",
        named(&joint.name),
        joint.constraint.descriptor().id,
        bodies.collect::<Vec<_>>().join(", "),
        units(joint).join(", ")
    )
}

fn manifolds(world: &World) -> String {
    let all = world.manifolds();
    let points: usize = all.iter().map(|manifold| manifold.points.len()).sum();
    if all.is_empty() {
        return String::new();
    }
    format!("{} with {points} points", all.len())
}

fn axes(world: &World) -> String {
    let gravity = world.gravity();
    let [x, y, z] = [gravity.x, gravity.y, gravity.z].map(|g| format!("{g:?}"));
    format!("x, y, z of the world; y points up; gravity ({x}, {y}, {z}) m/s²")
}

/// What a spec of this scene can measure.
fn observables(world: &World) -> Vec<String> {
    let mut list = vec![
        Quantity::ALL
            .iter()
            .map(|quantity| quantity.doc().id)
            .collect::<Vec<_>>()
            .join(", "),
    ];
    let last = |count: usize| match count {
        1 => "0".to_owned(),
        many => format!("0 to {}", many - 1),
    };
    let bodies = world.bodies().len();
    if bodies > 0 {
        let range = last(bodies);
        list.push(format!(
            "x[B].A, v[B].A, w[B].A, angle[B].A with body B = {range}, axis A = x, y or z"
        ));
    }
    if !(world.manifolds().is_empty() && world.colliders().is_empty()) {
        let range = last(bodies);
        list.push(format!(
            "force[B,C].A, torque[B,C].A of all contacts of body B on body C, both {range}, axis A = x, y or z"
        ));
    }
    let joints = world.joints();
    if !joints.is_empty() {
        let rows = joints.iter().map(|joint| units(joint).len()).max();
        let (range, rows) = (last(joints.len()), last(rows.unwrap_or(1)));
        list.push(format!("C[J].R with joint J = {range}, its row R = {rows}"));
        list.push(format!(
            "force[J].A, torque[J].A with joint J = {range}, axis A = x, y or z"
        ));
    }
    list
}

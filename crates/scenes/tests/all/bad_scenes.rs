//! Scenes that make no sense are refused with the path of the field and its value.

use crate::support::{object, pgs, scene, variants, whole};
use delassus_core::Softness;
use delassus_dynamics::constraints::{Distance, Hinge, Point};
use delassus_dynamics::{
    Body, BodyKind, ContactLaw, EditError, FieldError, Inertia, Joint, Manifold, Scheme, Signal,
    StepError, VelocityParameters, VelocityScheme, World, WorldParts,
};
use delassus_scenes::{SceneEntry, SceneError, build, read, scenes};
use nalgebra::Vector3;
use serde_json::{Map, Value, json};

/// A fixed body and two balls in a row, without joints.
pub(crate) fn three() -> WorldParts {
    let ball = Inertia::new(1.0, Vector3::repeat(0.1));
    WorldParts {
        gravity: Vector3::new(0.0, -9.81, 0.0),
        bodies: vec![
            Body::fixed(Vector3::zeros()),
            Body::dynamic(ball, Vector3::x()),
            Body::dynamic(ball, 2.0 * Vector3::x()),
        ],
        ..WorldParts::default()
    }
}

fn with_joint(joint: Joint) -> FieldError {
    let mut parts = three();
    parts.joint(joint);
    parts.build().unwrap_err()
}

fn point(bodies: [usize; 2]) -> Joint {
    let anchors = [Vector3::zeros(); 2];
    Joint::new(Point { bodies, anchors })
}

#[test]
fn masses_that_are_not_finite_and_positive() {
    for mass in [0.0, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut parts = three();
        parts.bodies[1].inertia.mass = mass;
        let error = parts.build().unwrap_err();
        assert_eq!(error.path, "bodies[1].inertia.mass");
        assert_eq!(error.value, mass.to_string());
    }
}

#[test]
fn inertia_that_no_body_has() {
    for (moments, axis) in [
        ([1.0, 1.0, 2.1], 2),
        ([5.0, 1.0, 3.0], 0),
        ([1.0, 0.0, 1.0], 1),
    ] {
        let mut parts = three();
        parts.bodies[2].inertia.moments = Vector3::from(moments);
        let error = parts.build().unwrap_err();
        assert_eq!(error.path, format!("bodies[2].inertia.moments[{axis}]"));
        assert_eq!(error.value, moments[axis].to_string());
    }
    let error = build(
        "dzhanibekov",
        &object(json!({ "moments": [1.0, 1.0, 3.0] })),
    );
    assert!(error.unwrap_err().to_string().contains("moments = 3"));
}

#[test]
fn joints_to_nothing_to_themselves_and_between_bodies_that_do_not_move() {
    let error = with_joint(point([1, 1]));
    assert_eq!(error.path, "joints[0].constraint.bodies[1]");
    assert_eq!(error.value, "1");
    let error = with_joint(point([0, 7]));
    assert_eq!(error.path, "joints[0].constraint.bodies[1]");
    assert_eq!(error.value, "7");
    let mut parts = three();
    let other = parts.body(Body::fixed(Vector3::y()));
    parts.joint(point([0, other]));
    let error = parts.build().unwrap_err();
    assert_eq!(error.path, "joints[0].constraint.bodies");
    assert_eq!(error.value, "[0, 3]");
    let mut parts = three();
    let other = parts.body(Body::fixed(Vector3::x()));
    let bodies = [0, other];
    let manifold = Manifold::new(bodies, Vector3::y(), Vec::new(), 0.5, ContactLaw::Disc);
    parts.manifolds.push(manifold);
    let error = parts.build().unwrap_err();
    assert_eq!(error.path, "manifolds[0].bodies");
}

#[test]
fn axes_without_length() {
    for axis in [Vector3::zeros(), Vector3::new(0.0, 2.0, 0.0)] {
        let error = with_joint(Joint::new(Hinge {
            bodies: [0, 1],
            anchors: [Vector3::zeros(), -Vector3::x()],
            axes: [Vector3::z(), axis],
        }));
        assert_eq!(error.path, "joints[0].constraint.axes[1]");
        assert_eq!(error.value, axis.norm().to_string());
    }
}

#[test]
fn lengths_and_softness_out_of_range() {
    let rod = |length: f64| {
        Joint::new(Distance {
            bodies: [0, 1],
            anchors: [Vector3::zeros(); 2],
            length: Signal::Constant(length),
        })
    };
    for length in [0.0, -1.0] {
        let error = with_joint(rod(length));
        assert_eq!(error.path, "joints[0].constraint.length");
        assert_eq!(error.value, length.to_string());
    }
    let soft = |hertz: f64, damping_ratio: f64| Softness::Frequency {
        hertz,
        damping_ratio,
    };
    let error = with_joint(rod(1.0).soft(soft(2.0, -0.1)));
    assert_eq!(error.path, "joints[0].softness.damping_ratio");
    assert_eq!(error.value, "-0.1");
    let error = with_joint(rod(1.0).soft(soft(-2.0, 1.0)));
    assert_eq!(error.path, "joints[0].softness.hertz");
    let error = with_joint(rod(1.0).limited(-3.0));
    assert_eq!(error.path, "joints[0].max_force");
    for (id, parameters) in variants() {
        let mut parameters = object(parameters);
        let entry = scenes().into_iter().find(|e| e.descriptor.id == id);
        if entry.unwrap().defaults.contains_key("damping_ratio") {
            parameters.insert("damping_ratio".to_owned(), json!(-1.0));
            let error = build(id, &parameters).unwrap_err().to_string();
            assert!(error.contains("damping_ratio = -1 "), "{error}");
        }
    }
}

#[test]
fn anchors_outside_reach() {
    let refused = |id: &str, parameters, found: &str| {
        let error = build(id, &object(parameters)).unwrap_err().to_string();
        assert!(
            error.contains(found) && error.contains("outside reach"),
            "{error}"
        );
    };
    refused(
        "catenary",
        json!({ "length": 1.0, "span": 1.0 }),
        "span = 1 ",
    );
    refused(
        "catenary",
        json!({ "length": 1.0, "span": 1.5 }),
        "span = 1.5 ",
    );
    refused(
        "crank-slider",
        json!({ "crank": 1.0, "rod": 0.9 }),
        "rod = 0.9 ",
    );
    let outside = build("chain", &object(json!({ "ends": "both", "span": 1.2 })));
    assert_eq!(
        outside.unwrap_err().to_string(),
        "scene chain: span = 1.2 is out of range: it must lie in (0, 1)"
    );
}

#[test]
fn a_fixed_box_of_friction_is_refused_with_the_reason() {
    let error = build("wall", &object(json!({ "law": "fixed-box" }))).unwrap_err();
    let text = error.to_string();
    assert!(
        text.starts_with("scene wall: manifolds[0].law = fixed-box: "),
        "{text}"
    );
    assert!(text.contains("needs the time step"), "{text}");
}

#[test]
fn an_unknown_law_of_contacts_is_refused_with_those_that_a_world_may_have() {
    for (law, hint) in [
        ("xyzzy", ""),
        ("fixed", ""),
        ("coulom", "; did you mean \"coulomb\"?"),
    ] {
        let error = build("vertical-stack", &object(json!({ "law": law }))).unwrap_err();
        let text = error.to_string();
        let start = format!("scene vertical-stack: law: {law:?} is none of \"frictionless\", ");
        assert!(text.starts_with(&start) && text.ends_with(hint), "{text}");
        assert!(!text.contains("fixed-box"), "{text}");
    }
}

#[test]
fn curves_without_size_and_tops_without_precession() {
    let error = |id: &str, parameters| build(id, &object(parameters)).unwrap_err().to_string();
    let ellipse = json!({ "curve": { "ellipse": { "radii": [1.0, 0.0] } } });
    assert!(error("bead", ellipse).contains("curve.radii[1] = 0"));
    let circle = json!({ "curve": { "circle": { "radius": -2.0 } } });
    assert!(error("bead", circle).contains("curve.radius = -2"));
    assert!(error("spinning-top", json!({ "spin": 10.0 })).contains("spin = 10 "));
    let light = json!({ "moment_across": 0.005 });
    assert!(error("spinning-top", light).contains("moment_across = 0.005 "));
}

#[test]
fn steps_and_springs_that_a_scheme_cannot_take() {
    let mut scheme = VelocityScheme::new(VelocityParameters::default(), pgs()).unwrap();
    let mut world = scene("two-body-spring", json!({ "hertz": 31.0 }));
    let before = world.clone();
    for dt in [0.0, -0.01, f64::NAN, f64::INFINITY] {
        let error = scheme.step(&mut world, dt, &mut ()).unwrap_err();
        assert!(
            matches!(error, StepError::TimeStep { dt: found } if found.to_bits() == dt.to_bits())
        );
    }
    let error = scheme.step(&mut world, 1.0 / 60.0, &mut ()).unwrap_err();
    assert!(
        error.to_string().contains("joints[0].softness.hertz = 31"),
        "{error}"
    );
    assert_eq!(world, before);
    scheme.step(&mut world, 1.0 / 62.0, &mut ()).unwrap();
}

/// Paths of all floating-point numbers below a value.
pub(crate) fn floats(value: &toml::Value, path: &str, found: &mut Vec<String>) {
    match value {
        toml::Value::Float(_) => found.push(path.to_owned()),
        toml::Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                floats(item, &format!("{path}.{index}"), found);
            }
        }
        toml::Value::Table(table) => {
            for (key, item) in table {
                floats(item, &format!("{path}.{key}"), found);
            }
        }
        _ => {}
    }
}

pub(crate) fn number<'a>(value: &'a mut toml::Value, path: &str) -> &'a mut toml::Value {
    path.split('.')
        .filter(|part| !part.is_empty())
        .fold(value, |inner, part| match inner {
            toml::Value::Array(items) => &mut items[part.parse::<usize>().unwrap()],
            other => &mut other[part],
        })
}

/// True if the names of `inner` appear in `outer` in this order: the error names the poisoned
/// field. Names of variants may lie between, and the last index need not be named.
fn leads_to(inner: &str, outer: &str) -> bool {
    let flat = inner.replace('[', ".").replace(']', "");
    let mut rest = outer.split('.');
    flat.split('.').all(|part| rest.any(|other| other == part))
}

#[test]
fn no_number_of_any_scene_may_be_nan_or_infinite() {
    for entry in scenes() {
        let id = entry.descriptor.id;
        let world = toml::Value::try_from(small(&entry).into_parts()).unwrap();
        let mut paths = Vec::new();
        floats(&world, "", &mut paths);
        assert!(paths.len() > 20, "{id}");
        for (index, path) in paths.into_iter().enumerate() {
            // every number is poisoned once, in the three ways where that is asked for
            let poisons = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
            let mine = |which: usize| whole() || which == index % poisons.len();
            for poison in (0..3)
                .filter(|which| mine(*which))
                .map(|which| poisons[which])
            {
                let mut poisoned = world.clone();
                *number(&mut poisoned, &path) = toml::Value::Float(poison);
                let parts: WorldParts = poisoned.try_into().unwrap();
                let Err(error) = parts.build() else {
                    panic!("{id}: {path} = {poison} is accepted");
                };
                assert!(leads_to(&error.path, &path), "{id}: {path}, but {error}");
            }
        }
    }
}

/// Few bodies, so that every number can be poisoned in turn: no count above three, or whatever
/// small count a scene allows.
pub(crate) fn small(entry: &SceneEntry) -> World {
    for cap in [1_u64, 2, 3, 4] {
        let large = |value: &Value| value.as_u64().is_some_and(|count| count > cap);
        let counts = entry.defaults.iter().filter(|(_, value)| large(value));
        let capped = counts.map(|(key, _)| (key.clone(), json!(cap))).collect();
        let bodies = |world: &World| world.bodies().len() > 1;
        if let Some(world) = entry.build(&capped).ok().filter(bodies) {
            return world;
        }
    }
    entry.build(&Map::new()).unwrap()
}

#[test]
fn counts_that_no_memory_holds_are_refused_by_name_before_anything_is_built() {
    let mut tried = 0;
    for entry in scenes() {
        let id = entry.descriptor.id;
        for key in ["n", "base"] {
            if !entry.defaults.contains_key(key) {
                continue;
            }
            for (count, shown) in [
                (1_000_000_000_000, "1e12"),
                (u64::MAX, "1.8446744073709552e19"),
            ] {
                let error = build(id, &object(json!({ key: count }))).unwrap_err();
                let found = format!("scene {id}: {key} = {shown} ");
                assert!(error.to_string().starts_with(&found), "{error}");
                tried += 1;
            }
        }
    }
    assert!(tried >= 44, "{tried}");
}

#[test]
fn a_world_built_from_the_parts_of_another_has_no_impulses_of_its_past() {
    let mut stack = scene("stack", json!({ "n": 2 }));
    let mut chain = scene("chain", json!({ "n": 2, "angle": 0.3 }));
    let mut scheme = VelocityScheme::new(VelocityParameters::default(), pgs()).unwrap();
    for world in [&mut stack, &mut chain] {
        scheme.step(world, 1.0 / 60.0, &mut ()).unwrap();
    }
    assert!(stack.manifolds()[0].impulses().iter().any(|x| *x != 0.0));
    assert!(chain.joints()[0].impulses().iter().any(|x| *x != 0.0));
    let stack = stack.into_parts().build().unwrap();
    let chain = chain.into_parts().build().unwrap();
    assert!(stack.manifolds().iter().all(|m| m.impulses().is_empty()));
    assert!(chain.joints().iter().all(|j| j.impulses().is_empty()));
    let reaction = chain.reaction(0, 1).unwrap();
    assert_eq!((reaction.force, chain.time()), (Vector3::zeros(), 0.0));
}

#[test]
fn velocities_of_bodies_that_have_none_and_positions_without_a_place() {
    let mut parts = three();
    let mut slide = Body::fixed(-Vector3::x());
    slide.kind = BodyKind::Kinematic;
    let slide = parts.body(slide);
    let mut lost = parts.clone();
    lost.bodies[1].position = Vector3::new(0.0, f64::NEG_INFINITY, 0.0).into();
    let error = lost.build().unwrap_err();
    assert_eq!(error.path, "bodies[1].position[1]");
    assert_eq!(error.value, "-inf");
    let mut world = parts.build().unwrap();
    let before = world.clone();
    let (v, none) = (Vector3::x(), Vector3::zeros());
    let field = |edit: Result<(), EditError>| match edit {
        Err(EditError::Field(error)) => error,
        other => panic!("{other:?}"),
    };
    let error = field(world.set_velocity(0, v, none));
    assert_eq!((&*error.path, &*error.value), ("bodies[0].velocity", "1"));
    let error = field(world.set_velocity(9, v, none));
    assert_eq!((&*error.path, &*error.value), ("body", "9"));
    let error = field(world.set_velocity(1, none, f64::NAN * v));
    assert_eq!(error.path, "bodies[1].spin[0]");
    let error = field(world.set_wrench(1, Vector3::repeat(f64::INFINITY), none));
    assert_eq!(error.path, "force[0]");
    assert_eq!(world, before);
    // a kinematic body keeps the velocity it is given, whatever steps the world
    for id in ["pgs-baumgarte", "xpbd", "avbd"] {
        let mut world = before.clone();
        world.set_velocity(slide, v, none).unwrap();
        let entry = delassus_dynamics::scheme(id).unwrap();
        let solver = entry.descriptor.uses_solver.then(pgs);
        let mut scheme = entry.build_with(&Map::new(), solver).unwrap();
        for _ in 0..10 {
            scheme.step(&mut world, 0.01, &mut ()).unwrap();
        }
        let body = &world.bodies()[slide];
        let way = body.position - before.bodies()[slide].position;
        assert!((way - 0.1 * v).norm() < 1e-15, "{id}: {way}");
        assert_eq!(body.velocity, v, "{id}");
    }
}

#[test]
fn no_error_names_a_line_that_the_file_does_not_have() {
    let folder = tempfile::tempdir().unwrap();
    let toml = "[[bodies]]\nname = \"a\"\nposition = [0.0, 1.0, 0.0]\n\
                inertia = { mass = 1.0, moments = [1.0, 1.0, 1.0] }\n[[bodies]]\nname = \"μ\"\n";
    let json =
        "{\n  \"bodies\": [\n    { \"position\": [0.0, 1.0, 0.0] }\n  ],\n  \"joints\": 3\n}\n";
    let mut refused = 0;
    for (name, whole) in [
        ("scene.toml", toml.to_owned()),
        ("scene.toml", toml.replace('\n', "\r\n")),
        ("scene.json", json.to_owned()),
        ("scene.json", json.replace('\n', "\r\n")),
    ] {
        let path = folder.path().join(name);
        for end in (0..=whole.len()).filter(|end| whole.is_char_boundary(*end)) {
            let text = &whole[..end];
            std::fs::write(&path, text).unwrap();
            let Err(error) = read(&path) else { continue };
            let place = match &error {
                SceneError::Format { place, .. } | SceneError::World { place, .. } => place,
                other => panic!("{other}"),
            };
            refused += 1;
            let Some(place) = place else { continue };
            // a file may end within the end of a line
            let line = text.lines().nth(place.line - 1);
            let line = line.map(|line| line.strip_suffix('\r').unwrap_or(line));
            assert_eq!(line, Some(place.text.as_str()), "{text:?}: {error}");
        }
    }
    assert!(refused > 200, "{refused}");
}

//! Scene files with shapes: they say everything that code can, and what makes no sense is refused
//! with its place.

use std::path::Path;

use crate::support::pgs;
use delassus_dynamics::{
    CombineRule, ContactLaw, Scheme, Shape, VelocityParameters, VelocityScheme, World, presets,
};
use delassus_scenes::{SceneError, read, write};
use nalgebra::Vector3;

const EXAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/scenes/shapes.toml");

fn example() -> String {
    std::fs::read_to_string(EXAMPLE).unwrap()
}

/// Reads a text as a scene file.
fn parse(text: &str) -> Result<World, SceneError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scene.toml");
    std::fs::write(&path, text).unwrap();
    read(&path)
}

#[test]
fn the_example_has_every_shape_and_survives_its_file() {
    let world = parse(&example()).unwrap();
    let name = |shape: &Shape| match shape {
        Shape::Sphere(_) => "sphere",
        Shape::Box(_) => "box",
        Shape::Capsule(_) => "capsule",
        Shape::Cylinder(_) => "cylinder",
        Shape::Hull(_) => "hull",
        Shape::HalfSpace(_) => "half-space",
        Shape::Mesh(_) => "mesh",
        Shape::HeightField(_) => "height-field",
    };
    let colliders = world.colliders();
    let mut shapes: Vec<&str> = colliders.iter().map(|c| name(&c.shape)).collect();
    shapes.sort_unstable();
    shapes.dedup();
    assert_eq!(shapes.len(), 8, "{shapes:?}");
    let settings = world.contact_settings();
    assert_eq!(settings.law, ContactLaw::Coulomb);
    assert_eq!(settings.combining.friction, CombineRule::Minimum);
    assert_eq!(settings.combining.restitution, CombineRule::Mean);
    assert_eq!(settings.apart, [[4, 5]]);
    assert_eq!(colliders[0].material.kinetic_friction, Some(0.4));
    assert_eq!(colliders[1].material.surface_velocity.x, 1.0);
    assert_eq!(colliders[3].material.spinning_friction, 0.02);
    let filter = colliders.last().unwrap().filter;
    assert_eq!((filter.category, filter.mask, filter.group), (2, 1, 7));
    // 500 kg/m³ in a ball of half a metre
    let mass = world.bodies()[1].inertia.mass;
    assert!((mass - 500.0 * std::f64::consts::PI / 6.0).abs() < 1e-10);
    assert_eq!(world.bodies()[5].inertia.mass, 2.0);
    let folder = tempfile::tempdir().unwrap();
    for file in ["again.toml", "again.json"] {
        let path = folder.path().join(file);
        write(&world, &path).unwrap();
        // a file keeps the nearest double of a position: from the second time on nothing changes
        let second = read(&path).unwrap();
        write(&second, &path).unwrap();
        assert_eq!(second, read(&path).unwrap(), "{file}");
        assert_eq!(second.colliders(), world.colliders(), "{file}");
        assert_eq!(second.contact_settings(), world.contact_settings());
    }
}

const SOFT: &str = r#"
gravity = [0.0, -9.81, 0.0]

[[bodies]]
kind = "static"
position = [0.0, 0.0, 0.0]

[[bodies]]
kind = "dynamic"
inertia = { mass = 2.0, moments = [1.0, 1.0, 1.0] }
position = [0.0, 1.0, 0.0]

[[joints]]
softness = { frequency = { hertz = 5.0, damping_ratio = 1.0 } }
angular_softness = { frequency = { hertz = 2.0, damping_ratio = 0.5 } }
coupling = "block"
max_force = 100.0
max_torque = 20.0
constraint = { weld = { bodies = [0, 1], anchors = [[0.0, 1.0, 0.0], [0.0, 0.0, 0.0]] } }

[[colliders]]
body = 1
shape = { sphere = { radius = 0.5 } }
material = { softness = { spring = { stiffness = 1000.0, damping = 10.0 } } }

[[manifolds]]
bodies = [0, 1]
normal = [0.0, 1.0, 0.0]
points = [{ anchors = [[0.0, 0.5, 0.0], [0.0, -0.5, 0.0]] }]
friction = 0.5
softness = { erp-cfm = { erp = 0.2, cfm = 0.001 } }
"#;

#[test]
fn softness_of_blocks_and_contacts_stands_in_files_and_only_where_it_is_given() {
    use delassus_core::Softness;
    use delassus_dynamics::{RowUnit, SoftnessCoupling};
    let world = parse(SOFT).unwrap();
    let joint = &world.joints()[0];
    assert_eq!(joint.coupling, SoftnessCoupling::Block);
    let angular = Softness::Frequency {
        hertz: 2.0,
        damping_ratio: 0.5,
    };
    assert_eq!(joint.softness_of(RowUnit::Angle), angular);
    assert_eq!(joint.limit_of(RowUnit::Length), 100.0);
    assert_eq!(joint.limit_of(RowUnit::Angle), 20.0);
    let spring = Softness::Spring {
        stiffness: 1000.0,
        damping: 10.0,
    };
    assert_eq!(world.colliders()[0].material.softness, spring);
    assert!(!world.manifolds()[0].softness.is_rigid());
    let folder = tempfile::tempdir().unwrap();
    for file in ["again.toml", "again.json"] {
        let path = folder.path().join(file);
        write(&world, &path).unwrap();
        assert_eq!(read(&path).unwrap(), world, "{file}");
    }
    // files of worlds without any say nothing of it
    let path = folder.path().join("rigid.toml");
    write(&parse(&example()).unwrap(), &path).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    for field in [
        "angular_softness",
        "coupling",
        "max_torque",
        "softness = \"rigid\"",
    ] {
        assert!(!text.contains(field), "{field}");
    }
    let odd = SOFT.replace("coupling = \"block\"", "coupling = \"all\"");
    assert!(parse(&odd).is_err());
}

#[test]
fn the_example_runs() {
    for id in ["soft-step", "pgs-ngs"] {
        let preset = presets().iter().find(|preset| preset.id == id).unwrap();
        let mut world = parse(&example()).unwrap();
        let mut scheme = VelocityScheme::new((preset.parameters)(), pgs()).unwrap();
        for _ in 0..120 {
            scheme.step(&mut world, 1.0 / 60.0, &mut ()).unwrap();
        }
        let heights = world.bodies()[1..]
            .iter()
            .map(|body| body.position.to_vector().y);
        for (height, body) in heights.zip(&world.bodies()[1..]) {
            assert!(
                (0.05..1.0).contains(&height),
                "{id}: {} at {height}",
                body.name
            );
        }
        // the ghost and the wedge have fallen into the same place, since they do not touch
        let pairs = world.manifolds().iter().map(|manifold| manifold.bodies);
        assert!(pairs.clone().all(|pair| pair != [4, 5] && pair != [5, 4]));
        assert!(pairs.clone().any(|pair| pair.contains(&5)), "{id}");
    }
}

/// The example with one text in the place of another.
fn changed(from: &str, to: &str) -> SceneError {
    let text = example();
    assert!(text.contains(from), "{from}");
    parse(&text.replacen(from, to, 1)).unwrap_err()
}

#[test]
fn worlds_that_make_no_sense_are_refused_with_the_path() {
    let heights = "heights = [[0.0, 0.1, 0.0], [0.1, 0.2, 0.1], [0.0, 0.1, 0.0]]";
    for (from, to, path) in [
        // a half-space on a dynamic body
        ("body = 0", "body = 1", "colliders[0].shape"),
        ("body = 5\n", "body = 9\n", "colliders[8].body = 9"),
        (
            "half = [0.3, 0.15, 0.15]",
            "half = [0.3, 0.0, 0.15]",
            "colliders[5].shape.half[1] = 0",
        ),
        (
            "radius = 0.5 }",
            "radius = -0.5 }",
            "colliders[3].shape.radius = -0.5",
        ),
        (
            "radius = 0.5 }",
            "radius = nan }",
            "colliders[3].shape.radius = NaN",
        ),
        (
            "[-0.5, 0.6, 0.0]]",
            "[-0.5, 0.0, 0.0]]",
            "colliders[7].shape.points",
        ),
        (
            "[-0.5, 0.6, 0.0]]",
            "[-0.5, nan, 0.0]]",
            "colliders[7].shape.points[4][1] = NaN",
        ),
        (
            "normal = [0.0, 1.0, 0.0]",
            "normal = [0.0, 2.0, 0.0]",
            "colliders[0].shape.normal",
        ),
        (
            "[0, 3, 2]]",
            "[0, 3, 4]]",
            "colliders[1].shape.triangles[1] = 4",
        ),
        (
            "[0, 3, 2]]",
            "[0, 3, 3]]",
            "colliders[1].shape.triangles[1]",
        ),
        (
            heights,
            "heights = [[0.0, 0.1], [0.1]]",
            "colliders[2].shape.heights[1]",
        ),
        (
            "density = 500.0",
            "density = 0.0",
            "colliders[3].density = 0",
        ),
        (
            "friction = 0.5,",
            "friction = -0.5,",
            "colliders[0].material.friction = -0.5",
        ),
        (
            "restitution = 0.6",
            "restitution = 1.6",
            "colliders[3].material.restitution = 1.6",
        ),
        (
            "position = [0.0, 0.5, 0.0]",
            "position = [inf, 0.5, 0.0]",
            "colliders[5].position[0]",
        ),
        (
            "orientation = [0.7071067811865476",
            "orientation = [1.0",
            "colliders[6].orientation",
        ),
        ("margin = 0.02", "margin = 0.0", "contacts.margin = 0"),
        (
            "law = \"coulomb\"",
            "law = \"fixed-box\"",
            "contacts.law = fixed-box",
        ),
        (
            "apart = [[4, 5]]",
            "apart = [[4, 6]]",
            "contacts.apart[0] = 6",
        ),
    ] {
        let error = changed(from, to);
        assert!(matches!(error, SceneError::World { .. }), "{to}: {error}");
        assert!(error.to_string().contains(path), "{to}: {error}");
    }
}

#[test]
fn an_unknown_law_is_refused_with_those_that_a_world_may_have() {
    let error = changed("law = \"coulomb\"", "law = \"xyzzy\"").to_string();
    assert!(
        error.contains("\"xyzzy\" is none of \"frictionless\""),
        "{error}"
    );
    assert!(!error.contains("fixed-box"), "{error}");
}

#[test]
fn numbers_that_the_law_of_a_contact_does_not_have_are_refused_with_the_laws_that_do() {
    let folder = tempfile::tempdir().unwrap();
    let said = |text: &str, name: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        read(&path).map(drop).map_err(|error| error.to_string())
    };
    let surface = |law: &str, material: &str| {
        format!(
            "contacts = {{ law = \"{law}\" }}\n[[bodies]]\nkind = \"static\"\nposition = [0.0, 0.0, 0.0]\n\
             [[colliders]]\nbody = 0\nshape = {{ sphere = {{ radius = 0.3 }} }}\nmaterial = {{ {material} }}\n"
        )
    };
    let manifold = |law: &str, numbers: &str| {
        format!(
            "[[bodies]]\nkind = \"static\"\nposition = [0.0, 0.0, 0.0]\n[[bodies]]\nkind = \"dynamic\"\n\
             position = [0.0, 1.0, 0.0]\ninertia = {{ mass = 2.0, moments = [1.0, 1.0, 1.0], axes = [0.0, 0.0, 0.0, 1.0] }}\n\
             [[manifolds]]\nbodies = [0, 1]\nnormal = [0.0, 1.0, 0.0]\npoints = []\nlaw = \"{law}\"\n{numbers}\n"
        )
    };
    for (text, number, law, takes) in [
        (
            surface("frictionless", "friction = 0.35"),
            "colliders[0].material.friction = 0.35",
            "frictionless",
            "pyramid, disc",
        ),
        (
            surface("frictionless", "kinetic_friction = 0.2"),
            "colliders[0].material.kinetic_friction",
            "frictionless",
            "facets-16",
        ),
        (
            surface("facets-8", "rolling_friction = 0.02"),
            "colliders[0].material.rolling_friction = 0.02",
            "facets-8",
            "(disc, coulomb)",
        ),
        (
            surface("patch", "spinning_friction = 0.01"),
            "colliders[0].material.spinning_friction",
            "patch",
            "(disc, coulomb)",
        ),
        (
            manifold("frictionless", "friction = 0.7"),
            "manifolds[0].friction = 0.7",
            "frictionless",
            "convex-cone",
        ),
        (
            manifold("pyramid", "friction = 0.7\nrolling_friction = 0.1"),
            "manifolds[0].rolling_friction",
            "pyramid",
            "(disc, coulomb)",
        ),
    ] {
        let error = said(&text, "given.toml").unwrap_err();
        assert!(error.contains(number), "{error}");
        assert!(
            error.contains(&format!("the law {law} has no such number")),
            "{error}"
        );
        assert!(
            error.contains(takes) && !error.contains("fixed-box"),
            "{error}"
        );
        let json: toml::Value = toml::from_str(&text).unwrap();
        let error = said(&serde_json::to_string(&json).unwrap(), "given.json").unwrap_err();
        assert!(error.contains(number), "{error}");
    }
    for text in [
        surface("frictionless", "restitution = 0.5"),
        surface("frictionless", "friction = 0.0"),
        surface("disc", "rolling_friction = 0.02"),
        manifold("frictionless", "friction = 0.0"),
    ] {
        said(&text, "kept.toml").unwrap();
    }
    // what is written is read again
    let given = serde_json::json!({ "law": "frictionless" });
    let world = delassus_scenes::build("card-house", given.as_object().unwrap()).unwrap();
    let path = folder.path().join("cards.toml");
    write(&world, &path).unwrap();
    assert_eq!(read(&path).unwrap().colliders()[1].material.friction, 0.0);
    // parameters of the list
    let given = serde_json::json!({ "law": "frictionless", "friction": 0.35 });
    let error = delassus_scenes::build("card-house", given.as_object().unwrap()).unwrap_err();
    let error = error.to_string();
    assert!(
        error.contains("friction: 0.35 is not read: the law frictionless"),
        "{error}"
    );
}

/// A body in a heap lies between its walls: at least the least radius of its scene away from each,
/// but for what 50 sweeps leave of an overlap.
#[test]
fn heaps_stay_between_their_walls_and_discs_in_their_plane() {
    let (sine, cosine) = libm::sincos(0.4);
    let slope = Vector3::new(-sine, cosine, 0.0);
    let (right, up, near) = (Vector3::x(), Vector3::y(), Vector3::z());
    let pit = vec![
        (up, 0.0),
        (right, 1.2),
        (-right, 1.2),
        (near, 1.2),
        (-near, 1.2),
    ];
    let chute = vec![(slope, 0.0), (right, 0.0)];
    for (file, count, radius, walls) in [
        ("capsules.toml", 90, 0.10, pit),
        ("granular-flow.toml", 252, 0.07, chute),
    ] {
        let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/scenes"));
        let mut world = read(&folder.join(file)).unwrap();
        let settings = presets().iter().find(|preset| preset.id == "pgs-baumgarte");
        let parameters = VelocityParameters {
            sweeps: 50,
            ..(settings.unwrap().parameters)()
        };
        let mut scheme = VelocityScheme::new(parameters, pgs()).unwrap();
        for _ in 0..60 {
            scheme.step(&mut world, 1.0 / 60.0, &mut ()).unwrap();
        }
        assert_eq!(world.bodies().len(), count + 1, "{file}");
        for body in &world.bodies()[1..] {
            let x = body.position.to_vector();
            for (normal, offset) in &walls {
                let room = normal.dot(&x) + offset;
                assert!(room > 0.8 * radius, "{file}, {normal:?}: {room} m");
            }
            let aside = [x.z, body.spin.x, body.spin.y];
            assert!(
                file == "capsules.toml" || aside == [0.0; 3],
                "{file}: {aside:?}"
            );
        }
    }
}

#[test]
fn files_of_another_form_are_refused_with_the_line() {
    for (from, to, found) in [
        ("radius = 0.5 }", "radus = 0.5 }", "radus"),
        (
            "shape = { sphere = { radius = 0.5 } }",
            "shape = { ball = { radius = 0.5 } }",
            "ball",
        ),
        ("density = 500.0", "weight = 500.0", "weight"),
        ("friction = \"minimum\"", "friction = \"least\"", "least"),
        ("mask = 1", "mask = -1", "-1"),
        (
            "kinetic_friction = 0.4",
            "kinetic_friction = \"low\"",
            "low",
        ),
        ("margin = 0.02", "margins = 0.02", "margins"),
    ] {
        let error = changed(from, to);
        assert!(matches!(error, SceneError::Format { .. }), "{to}: {error}");
        let text = error.to_string();
        assert!(text.contains(found) && text.contains(" | "), "{to}: {text}");
    }
}

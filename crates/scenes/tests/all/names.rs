//! Scene files with names, scenes of the list, rods and ropes.

use std::path::Path;

use delassus_core::parameter::Map;
use delassus_dynamics::{Scheme, VelocityScheme, World, presets};
use delassus_scenes::{SceneError, build, of_bytes, text};
use nalgebra::Vector3;

use crate::support::pgs;

const PLAYGROUND: &str = include_str!("../../../../data/scenes/playground.toml");

fn parse(text: &str) -> Result<World, SceneError> {
    of_bytes(Path::new("scene.toml"), text.as_bytes())
}

/// The message with which a file is refused.
fn refusal(text: &str) -> String {
    parse(text).expect_err("a refusal").to_string()
}

/// Two free bodies, one of whose shapes is aside of its origin, and a static one.
const BODIES: &str = r#"
bodies = [
  { name = "post", kind = "static", position = [0.0, 3.0, 0.0] },
  { name = "hip", kind = "dynamic", position = [1.0, 2.0, 0.5] },
  { name = "torso", kind = "dynamic", position = [-1.0, 2.0, 0.5],
    orientation = [0.0, 0.6, 0.0, 0.8] },
]
colliders = [
  { body = "hip", shape = { sphere = { radius = 0.2 } }, position = [0.3, 0.0, 0.0] },
  { body = 2, shape = { sphere = { radius = 0.3 } } },
]
"#;

#[test]
fn a_game_scene_of_39_bodies_and_57_joints_is_shorter_than_80_lines() {
    assert!(
        PLAYGROUND.lines().count() < 80,
        "{}",
        PLAYGROUND.lines().count()
    );
    let mut world = parse(PLAYGROUND).expect("the scene");
    assert_eq!((world.bodies().len(), world.joints().len()), (39, 57));
    let mut names: Vec<&str> = world
        .bodies()
        .iter()
        .map(|body| body.name.as_str())
        .collect();
    names.sort_unstable();
    names.dedup();
    assert!(
        names.contains(&"r2/head") && names.contains(&"ball"),
        "{names:?}"
    );
    // all joints are together, and what the ragdolls have is what the scene of the list has
    let errors = world.joint_errors();
    assert!(
        errors.iter().all(|(_, error)| error.abs() < 1e-12),
        "{errors:?}"
    );
    let set = [
        ("n", 1.into()),
        ("aside", 0.0.into()),
        ("friction_torque", 0.0.into()),
    ];
    let set: Map = set
        .map(|(key, value)| (key.to_owned(), value))
        .into_iter()
        .collect();
    let ragdoll = build("ragdoll-pile", &set).expect("a ragdoll");
    let own = world
        .bodies()
        .iter()
        .position(|body| body.name == "r1/head");
    let head = ragdoll.bodies().iter().position(|body| body.name == "head");
    let (own, head) = (
        &world.bodies()[own.unwrap()],
        &ragdoll.bodies()[head.unwrap()],
    );
    assert_eq!(own.inertia, head.inertia);
    let moved = own.position - head.position;
    assert!(
        (moved - Vector3::new(0.0, 0.5, 0.0)).norm() < 1e-15,
        "{moved}"
    );
    // one second later everything is still in reach, and the rope has kept its length
    let settings = presets()
        .iter()
        .find(|preset| preset.id == "soft-step")
        .unwrap();
    let mut scheme = VelocityScheme::new((settings.parameters)(), pgs()).unwrap();
    for _ in 0..60 {
        scheme.step(&mut world, 1.0 / 60.0, &mut ()).unwrap();
    }
    for body in world.bodies() {
        let place = body.position.to_vector();
        assert!(
            place.y > -0.1 && place.norm() < 20.0,
            "{}: {place}",
            body.name
        );
    }
    let ball = world
        .bodies()
        .iter()
        .find(|body| body.name == "ball")
        .unwrap();
    let reach = (ball.position.to_vector() - Vector3::new(8.5, 4.2, 4.0)).norm();
    assert!(reach < 6.29_f64.sqrt() + 0.02, "{reach} m");
}

#[test]
fn names_are_the_numbers_of_bodies() {
    let joint =
        "[[joints]]\n[joints.constraint.point]\nanchors = [[0, 0, 0], [0, 0, 0]]\nbodies = ";
    let more = "[[manifolds]]\nnormal = [0, 1, 0]\nfriction = 0.5\nlaw = \"disc\"\npoints = [{ anchors = [[0, 0, 0], [0, 0, 0]], radii = [0.0, 0.0] }]\nbodies = ";
    let apart = "[contacts]\napart = ";
    let file = |pair: &str, other: &str| {
        format!("{BODIES}{joint}{pair}\n{more}{other}\n{apart}[{pair}]\n")
    };
    let named = parse(&file("[\"torso\", \"hip\"]", "[\"hip\", 2]"));
    let numbered = parse(&file("[2, 1]", "[1, 2]"));
    assert_eq!(named.unwrap(), numbered.unwrap());
    // the world is a static body at the origin that is there because it is named
    let world = parse(&format!("{BODIES}{joint}[\"world\", \"hip\"]\n")).unwrap();
    assert_eq!(world.bodies().len(), 4);
    assert_eq!(world.joints()[0].constraint.bodies(), [3, 1]);
    assert_eq!(world.bodies()[3].position.to_vector(), Vector3::zeros());
    // and survives its file, as do all the others
    for path in ["a.toml", "a.json"] {
        let written = text(&world, Path::new(path)).unwrap();
        let again = of_bytes(Path::new(path), written.as_bytes()).unwrap();
        assert_eq!(text(&again, Path::new(path)).unwrap(), written, "{path}");
    }
}

#[test]
fn rods_and_ropes_join_points_of_the_world() {
    let lines = r#"
[[rods]]
name = "strut"
bodies = ["hip", "torso"]
points = [[1.1, 2.2, 0.5], [-0.9, 2.1, 0.4]]
[[ropes]]
name = "leash"
bodies = ["post", "hip"]
points = [[0.0, 3.0, 0.0], [1.3, 2.0, 0.5]]
slack = 0.25
[[ropes]]
name = "line"
bodies = ["world", "torso"]
points = [[-1.0, 5.0, 0.5], [-1.0, 2.3, 0.5]]
links = 9
radius = 0.05
density = 700.0
"#;
    let world = parse(&format!("{BODIES}{lines}")).unwrap();
    // three bodies, nine links, the world
    assert_eq!(world.bodies().len(), 13);
    assert_eq!(world.joints().len(), 1 + 1 + 10);
    // a limit that is open has an error of zero here
    let errors = world.joint_errors();
    assert!(
        errors.iter().all(|(_, error)| error.abs() < 1e-12),
        "{errors:?}"
    );
    let length = |joint: usize| {
        let value = toml::Value::try_from(&world.joints()[joint].constraint).unwrap();
        let kind = value.as_table().unwrap().values().next().unwrap();
        kind["length"]["constant"].as_float().unwrap()
    };
    assert!((length(0) - (4.0_f64 + 0.01 + 0.01).sqrt()).abs() < 1e-12);
    assert!((length(1) - ((1.69_f64 + 1.0 + 0.25).sqrt() + 0.25)).abs() < 1e-12);
    // capsules of 0.3 m, half balls and all
    let volume = std::f64::consts::PI * (0.05_f64.powi(2) * 0.2 + 4.0 / 3.0 * 0.05_f64.powi(3));
    for link in &world.bodies()[3..12] {
        assert!((link.inertia.mass - 700.0 * volume).abs() < 1e-9);
        assert!(link.position.to_vector().x == -1.0);
    }
    assert_eq!(world.bodies()[3].name, "line/link 0");
    assert!((world.bodies()[3].position.to_vector().y - 4.85).abs() < 1e-12);
    assert_eq!(world.joints().last().unwrap().constraint.bodies(), [11, 2]);
    // the same file in the other form
    let value: toml::Value = toml::from_str(&format!("{BODIES}{lines}")).unwrap();
    let json = serde_json::to_string(&value).unwrap();
    let same = of_bytes(Path::new("scene.json"), json.as_bytes()).unwrap();
    assert_eq!(same, world);
}

#[test]
fn ropes_along_any_line_hang_together() {
    for to in [
        [0.0, -2.0, 0.0],
        [0.0, 2.0, 0.0],
        [0.7, -1.1, 0.4],
        [-0.3, 0.0, 1.0],
        [1.0, 1e-9, 0.0],
    ] {
        let scene = format!(
            "bodies = [{{ name = \"end\", kind = \"dynamic\", position = {to:?}, inertia = {{ mass = 1.0 , moments = [1, 1, 1] }} }}]\n\
             [[ropes]]\nbodies = [\"world\", \"end\"]\npoints = [[0, 0, 0], {to:?}]\nlinks = 4\n"
        );
        let world = parse(&scene).unwrap();
        let errors = world.joint_errors();
        assert!(
            errors.iter().all(|(_, error)| error.abs() < 1e-12),
            "{to:?} {errors:?}"
        );
    }
}

#[test]
fn groups_of_two_scenes_are_different_ones() {
    let one = "[[include]]\nscene = \"ragdoll-pile\"\nset = { n = 2 }\nprefix = \"a/\"\n";
    let world = parse(&format!(
        "{one}{}without = [\"ground\"]\n",
        one.replace("a/", "b/")
    ))
    .unwrap();
    let groups = |from: usize, to: usize| {
        let own = world
            .colliders()
            .iter()
            .filter(|c| (from..to).contains(&c.body));
        let mut groups: Vec<u32> = own.map(|c| c.filter.group).collect();
        groups.dedup();
        groups
    };
    let [first, second] = [groups(1, 23), groups(23, 45)];
    assert_eq!((first.len(), second.len()), (2, 2));
    assert!(
        first
            .iter()
            .all(|group| *group != 0 && !second.contains(group))
    );
}

#[test]
fn what_is_wrong_is_named_with_its_line() {
    let joint = "[[joints]]\n[joints.constraint.point]\nbodies = [\"hipp\", \"torso\"]\nanchors = [[0, 0, 0], [0, 0, 0]]\n";
    let text = refusal(&format!("{BODIES}{joint}"));
    for part in ["scene.toml:14:11", "no body is named \"hipp\"", "\"hip\"?"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let twice = BODIES.replace("torso", "hip");
    assert!(
        refusal(&twice).contains("2 bodies are named \"hip\""),
        "{}",
        refusal(&twice)
    );
    for (entry, parts) in [
        ("[[include]]\nscene = \"ragdol\"\n", ["13:9", "\"ragdoll\""]),
        (
            "[[include]]\nscene = \"ragdoll\"\nset = { scael = 1 }\n",
            ["14:17", "\"scale\""],
        ),
        (
            "[[include]]\nscene = \"ragdoll-pile\"\nwithout = [\"gruond\"]\n",
            ["14:12", "\"ground\"?"],
        ),
        (
            "[[include]]\nscene = \"ragdoll\"\nat = [0.0, nan, 0.0]\n",
            ["14:12", "not finite"],
        ),
        (
            "[[include]]\nscene = \"ragdoll\"\nprefx = \"a\"\n",
            ["14:1", "\"prefix\""],
        ),
        (
            "[[rods]]\nbodies = [\"hip\", \"leg\"]\npoints = [[0, 0, 0], [1, 0, 0]]\n",
            ["13:18", "\"leg\""],
        ),
        (
            "[[rods]]\nbodies = [1, 7]\npoints = [[0, 0, 0], [1, 0, 0]]\n",
            ["13:14", "has 3 bodies"],
        ),
        (
            "[[rods]]\nbodies = [1, 2]\npoints = [[1, 0, 0], [1, 0, 0]]\n",
            ["14:10", "different places"],
        ),
        (
            "[[ropes]]\nbodies = [1, 2]\npoints = [[0, 0, 0], [1, 0, 0]]\nlinks = 0\n",
            ["15:9", "links = 0"],
        ),
        (
            "[[ropes]]\nbodies = [1, 2]\npoints = [[0, 0, 0], [1, 0, 0]]\nslack = -1.0\n",
            ["15:9", "slack"],
        ),
        (
            "[[ropes]]\nbodies = [1, 2]\npoints = [[0, 0, 0], [1, 0, 0]]\nlinks = 10\nradius = 0.05\n",
            ["16:10", "radius = 0.05"],
        ),
        // what is found where the world is built
        (
            "[[rods]]\nbodies = [1, 1]\npoints = [[0, 0, 0], [1, 0, 0]]\n",
            ["13:14", "rods[0].bodies[1]"],
        ),
        (
            "[[rods]]\nbodies = [0, 1]\npoints = [[0, 0, 0], [1, 0, 0]]\nmax_force = -1.0\n",
            ["15:13", "rods[0].max_force"],
        ),
        (
            "[[ropes]]\nbodies = [0, 1]\npoints = [[0, 0, 0], [1, 0, 0]]\nlinks = 3\ndensity = -1.0\n",
            ["16:11", "ropes[0].density"],
        ),
        (
            "[[ropes]]\nbodies = [0, 1]\npoints = [[0, 0, 0], [1, 0, 0]]\nlinks = 3\n\
             material = { friction = -1.0 }\n",
            ["16:25", "ropes[0].material.friction"],
        ),
    ] {
        let text = refusal(&format!("{BODIES}{entry}"));
        for part in parts {
            assert!(text.contains(part), "{entry}no {part} in {text}");
        }
    }
}

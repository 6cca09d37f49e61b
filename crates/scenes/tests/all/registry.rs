//! Every scene is documented, builds, starts assembled, has the same bits every time and survives
//! its file.

use crate::support::{object, scene, variants};
use delassus_core::EntryError;
use delassus_dynamics::{ForceKind, Rows, World};
use delassus_scenes::{SceneError, build, read, scenes, write};
use serde_json::{Map, json};

/// Every scene with its defaults, and the variants.
fn worlds() -> Vec<(String, World)> {
    let mut list = Vec::new();
    for entry in scenes() {
        let id = entry.descriptor.id.to_owned();
        list.push((id, entry.build(&Map::new()).unwrap()));
    }
    for (id, parameters) in variants() {
        list.push((format!("{id} {parameters}"), scene(id, parameters)));
    }
    list
}

#[test]
fn every_scene_is_documented_and_builds_with_its_defaults() {
    let entries = scenes();
    assert!(entries.len() >= 64);
    for entry in &entries {
        let id = entry.descriptor.id;
        let documented = entry.parameters.iter().map(|p| p.name);
        let documented: Vec<&str> = documented.collect();
        let keys: Vec<&str> = entry.defaults.keys().map(String::as_str).collect();
        assert_eq!(documented, keys, "{id}");
        assert!(
            !documented.contains(&"dt"),
            "{id}: the step is no part of a scene"
        );
        let world = entry.build(&Map::new()).unwrap();
        assert_eq!(world, build(id, &entry.defaults).unwrap(), "{id}");
        assert!(world.bodies().iter().any(|body| body.is_dynamic()), "{id}");
    }
    let mut names: Vec<&str> = entries.iter().map(|e| e.descriptor.id).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), entries.len(), "an identifier stands twice");
}

#[test]
fn every_cited_paper_exists() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/references.bib");
    let papers = std::fs::read_to_string(path).unwrap();
    for entry in scenes() {
        for key in entry.descriptor.citations {
            let found = papers.contains(&format!("{{{key},"));
            assert!(found, "{}: {key}", entry.descriptor.id);
        }
    }
}

#[test]
fn the_ball_is_585_times_as_heavy_as_a_link_and_the_human_weighs_34_kg() {
    let world = scene("ball-and-chain", json!({}));
    let mass = |body: usize| world.bodies()[body].inertia.mass;
    assert_eq!(world.bodies()[33].name, "ball");
    assert!(
        (mass(33) / mass(0) - 585.14).abs() < 0.01,
        "{}",
        mass(33) / mass(0)
    );
    let human = scene("ragdoll", json!({}));
    let moving = human.bodies().iter().filter(|body| body.is_dynamic());
    let mass: f64 = moving.map(|body| body.inertia.mass).sum();
    assert!((mass - 34.36).abs() < 0.01, "{mass}");
}

#[test]
fn equal_parameters_give_equal_bits() {
    for ((name, first), (_, second)) in worlds().into_iter().zip(worlds()) {
        assert_eq!(first.state_hash(), second.state_hash(), "{name}");
        assert_eq!(first, second, "{name}");
    }
}

#[test]
fn another_seed_is_another_scene() {
    let hash = |seed: u64| scene("n-pendulum", json!({ "seed": seed })).state_hash();
    assert_ne!(hash(1), hash(2));
    let hash = |seed: u64| scene("stack", json!({ "jitter": 0.1, "seed": seed })).state_hash();
    assert_ne!(hash(1), hash(2));
}

#[test]
fn joints_start_assembled() {
    for (name, world) in worlds() {
        // these start in a wrong pose on purpose; ropes of `rush` are as long as their force acts
        let purpose = ["weld-pair", "two-body-spring", "soft-joint", "rush"];
        let on_purpose = purpose.iter().any(|id| name.starts_with(id));
        let largest = world
            .joint_errors()
            .iter()
            .map(|(_, error)| error.abs())
            .fold(0.0, f64::max);
        assert_eq!(largest > 1e-12, on_purpose, "{name}: {largest}");
    }
    let unstretched = scene("two-body-spring", json!({ "stretch": 0.0 }));
    assert!(unstretched.joint_errors()[0].1.abs() < 1e-15);
    let zero = json!({ "offset": [0.0, 0.0, 0.0], "twist": [0.0, 0.0, 0.0] });
    let assembled = scene("weld-pair", zero);
    assert!(
        assembled
            .joint_errors()
            .iter()
            .all(|(_, error)| error.abs() < 1e-15)
    );
    let stretched = scene("chain", json!({ "length": 0.5, "stretch": 1.0 }));
    let all = stretched.joint_errors();
    assert!(all.iter().all(|(_, error)| (error - 0.5).abs() < 1e-12));
}

/// Largest velocity of a joint row \[m/s | rad/s\]; drives excepted.
fn row_speed(world: &World) -> f64 {
    let mut rows = Rows::default();
    let mut largest: f64 = 0.0;
    for (index, joint) in world.joints().iter().enumerate() {
        if joint.constraint.descriptor().force != ForceKind::Joint {
            continue;
        }
        world.evaluate_joint(index, &mut rows);
        let bodies = joint.constraint.bodies();
        for (entries, rate) in rows.jacobian.chunks_exact(bodies.len()).zip(&rows.rate) {
            let mut speed = *rate;
            for (entry, body) in entries.iter().zip(bodies) {
                let body = &world.bodies()[*body];
                for axis in 0..3 {
                    speed += entry[axis] * body.velocity[axis];
                    speed += entry[axis + 3] * body.spin[axis];
                }
            }
            largest = largest.max(speed.abs());
        }
    }
    largest
}

#[test]
fn velocities_at_the_start_satisfy_the_joints() {
    for (name, world) in worlds() {
        let speed = row_speed(&world);
        assert!(speed < 1e-12, "{name}: {speed}");
    }
}

#[test]
fn strings_have_the_masses_that_were_asked_for() {
    for (kind, ends, count) in [
        ("point", "anchored", 5),
        ("point", "free", 6),
        ("point", "both", 5),
        ("rod", "anchored", 5),
        ("rod", "free", 6),
        ("rod", "both", 5),
    ] {
        let parameters = json!({
            "n": 5, "kind": kind, "ends": ends, "mass_ratio": 7.0, "mass_order": "heavy-last",
        });
        let world = scene("chain", parameters);
        let moving = world.bodies().iter().filter(|body| body.is_dynamic());
        let masses: Vec<f64> = moving.map(|body| body.inertia.mass).collect();
        assert_eq!(masses.len(), count, "{kind} {ends}");
        assert_eq!(masses[count - 1], 7.0, "{kind} {ends}");
        assert!(masses[..count - 1].iter().all(|mass| *mass == 1.0));
        let fixed = world.bodies().len() - count;
        let anchors = match ends {
            "anchored" => 1,
            "free" => 0,
            _ => 2,
        };
        assert_eq!(fixed, anchors, "{kind} {ends}");
    }
}

#[test]
fn contacts_start_where_the_gap_says() {
    for (gap, id) in [
        (0.0, "wall"),
        (0.02, "stack"),
        (-0.05, "pyramid"),
        (0.0, "stack"),
        (0.0, "grid"),
    ] {
        let world = scene(id, json!({ "gap": gap }));
        for manifold in world.manifolds() {
            let poses = manifold.bodies.map(|body| world.bodies()[body].pose());
            let frame = manifold.frame(poses);
            assert_eq!(frame.separations.len(), 4);
            for separation in frame.separations {
                assert!((separation - gap).abs() < 1e-12, "{id} {gap}: {separation}");
            }
        }
    }
}

#[test]
fn a_scene_file_gives_the_world_back() {
    let folder = tempfile::tempdir().unwrap();
    for (name, world) in worlds() {
        for file in ["scene.toml", "scene.json"] {
            let path = folder.path().join(file);
            write(&world, &path).unwrap();
            let again = read(&path).unwrap();
            assert_eq!(world, again, "{name} {file}");
            assert_eq!(world.state_hash(), again.state_hash(), "{name} {file}");
        }
    }
    // nothing but the two files is left
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn wrong_files_are_typed_errors_with_their_place() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |file: &str, text: &str| {
        let path = folder.path().join(file);
        std::fs::write(&path, text).unwrap();
        let error = read(&path).unwrap_err();
        assert!(error.to_string().contains(file), "{error}");
        error
    };
    let missing = read(&folder.path().join("missing.toml")).unwrap_err();
    assert!(matches!(missing, SceneError::Io { .. }));
    let extension = refused("scene.yaml", "");
    assert!(matches!(extension, SceneError::Extension { .. }));
    let unknown = refused("unknown.toml", "gravity = [0.0, -9.81, 0.0]\nspeed = 3.0\n");
    assert!(matches!(unknown, SceneError::Format { .. }));
    assert!(
        unknown.to_string().contains("unknown.toml:2:1: "),
        "{unknown}"
    );
    let body = "[[bodies]]\nkind = \"dynamic\"\nposition = [0.0, 0.0, 0.0]\n\
                inertia = { mass = -1.0, moments = [0.0, 0.0, 0.0] }\n";
    let negative = refused("negative.toml", body);
    assert!(matches!(negative, SceneError::World { .. }));
    assert!(
        negative
            .to_string()
            .contains("negative.toml:4:20: bodies[0].inertia.mass = -1"),
        "{negative}"
    );
    let world = scene("pendulum", json!({}));
    let nowhere = folder.path().join("no/such/folder/scene.toml");
    assert!(matches!(
        write(&world, &nowhere).unwrap_err(),
        SceneError::Io { .. }
    ));
}

#[test]
fn wrong_requests_are_typed_errors() {
    let error = |id: &str, parameters| build(id, &object(parameters)).unwrap_err();
    assert_eq!(
        error("pendulun", json!({})).to_string(),
        "unknown scene \"pendulun\"; did you mean \"pendulum\"?"
    );
    // too many to be listed in a line
    assert_eq!(
        error("xyzzy", json!({})).to_string(),
        "unknown scene \"xyzzy\""
    );
    for entry in scenes() {
        let id = entry.descriptor.id;
        let unknown = error(id, json!({ "no_such_key": 1.0 }));
        let SceneError::Entry(EntryError::UnknownParameter { parameter, .. }) = &unknown else {
            panic!("{id}: {unknown}");
        };
        assert_eq!(parameter, "no_such_key");
    }
    assert_eq!(
        error("stack", json!({ "n": 0 })).to_string(),
        "scene stack: n = 0 is out of range: it must be >= 1"
    );
    let huge = error("joint-grid", json!({ "n": 1_000_000_000_000_u64 }));
    assert_eq!(blamed(&huge), Some("n"), "{huge}");
}

/// The parameter that is to blame.
fn blamed(error: &SceneError) -> Option<&str> {
    match error {
        SceneError::Entry(error) => error.parameter(),
        _ => None,
    }
}

#[test]
fn every_numeric_parameter_refuses_text() {
    for entry in scenes() {
        for (key, value) in &entry.defaults {
            if value.is_number() {
                let wrong = json!({ key: "seven" });
                let error = build(entry.descriptor.id, &object(wrong)).unwrap_err();
                assert_eq!(blamed(&error), Some(key.as_str()), "{error}");
            }
        }
    }
}

#[test]
fn the_page_lists_every_scene_and_its_file_is_read() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/scenes.md");
    let page = std::fs::read_to_string(path).unwrap();
    let table: String = page.lines().filter(|line| line.starts_with('|')).collect();
    for entry in scenes() {
        let id = entry.descriptor.id;
        assert!(table.contains(&format!("`{id}`")), "docs/scenes.md: {id}");
    }
    let example = page.split("```toml").nth(1).unwrap();
    let example = example.split("```").next().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pendulum.toml");
    std::fs::write(&file, example).unwrap();
    let world = read(&file).unwrap();
    assert_eq!(world.bodies().len(), 2);
    assert_eq!(world.joints()[0].max_force, Some(1000.0));
    assert!(!world.joints()[0].softness.is_rigid());
}

#[test]
fn every_law_that_is_listed_builds() {
    let mut laws = 0;
    for entry in scenes() {
        let law = entry.parameters.iter().find(|doc| doc.name == "law");
        for choice in law.map_or(&[][..], |law| law.choices) {
            let given = json!({ "law": choice.name });
            let built = entry.build(given.as_object().expect("an object"));
            let what = format!("{} {given}", entry.descriptor.id);
            match built {
                Ok(_) => laws += 1,
                // surfaces that resist rolling have Coulomb's law
                Err(error) if error.to_string().contains("no such number") => {}
                Err(error) => panic!("{what}: {error}"),
            }
        }
    }
    assert!(laws > 100, "{laws}");
}

//! Scenes that find their contacts: how many bodies, what overlaps at the start, and sixty frames
//! of each.

use crate::support::{object, pgs, scene, variants};
use delassus_dynamics::{
    Avbd, AvbdParameters, PositionScheme, Scheme, VelocityScheme, World, presets,
};
use delassus_scenes::{build, scenes};
use serde_json::{Map, Value, json};

/// Scenes with colliders, with their defaults and with other parameters.
fn worlds() -> Vec<(String, World)> {
    let defaults = scenes().into_iter().map(|entry| {
        let id = entry.descriptor.id;
        (id.to_owned(), entry.build(&Map::new()).unwrap())
    });
    let others = variants()
        .into_iter()
        .map(|(id, parameters)| (format!("{id} {parameters}"), scene(id, parameters)));
    let all = defaults.chain(others);
    all.filter(|(_, world)| !world.colliders().is_empty())
        .collect()
}

/// The smallest separation of a contact of the present poses \[m\].
fn closest(world: &World) -> f64 {
    let mut world = world.clone();
    let found: Result<f64, ()> = world.with_contacts(|world| {
        let separations = world.manifolds().iter().flat_map(|manifold| {
            let poses = manifold.bodies.map(|body| world.bodies()[body].pose());
            manifold.frame(poses).separations
        });
        Ok(separations.fold(f64::INFINITY, f64::min))
    });
    found.unwrap()
}

#[test]
fn nothing_overlaps_at_the_start_but_where_it_is_the_point() {
    let mut wrong = Vec::new();
    for (name, world) in worlds() {
        let overlap = -closest(&world);
        let meant = name.starts_with("confined")
            || name.starts_with("overlap-recovery") && !name.contains("\"overlap\":0.0");
        if (overlap > 1e-6) != meant {
            wrong.push(format!("{name}: {overlap:e}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn overlaps_are_those_that_were_asked_for() {
    for (share, half) in [(0.25, 0.5), (0.1, 0.5), (0.5, 2.0)] {
        let world = scene(
            "overlap-recovery",
            json!({ "overlap": share, "half": half }),
        );
        let overlap = -closest(&world);
        assert!((overlap - 2.0 * half * share).abs() < 1e-9, "{overlap}");
    }
    for (spacing, radius) in [(0.72, 0.5), (0.75, 1.5)] {
        let world = scene("confined", json!({ "spacing": spacing, "radius": radius }));
        let overlap = -closest(&world);
        assert!(
            (overlap - 2.0 * radius * (1.0 - spacing)).abs() < 1e-9,
            "{overlap}"
        );
    }
}

#[test]
fn every_scene_runs_for_a_second_with_the_same_bits() {
    let preset = presets().iter().find(|preset| preset.id == "soft-step");
    let preset = preset.unwrap();
    for (name, start) in worlds() {
        let end = || {
            let mut scheme = VelocityScheme::new((preset.parameters)(), pgs()).unwrap();
            let mut world = start.clone();
            for frame in 0..60 {
                let stepped = scheme.step(&mut world, 1.0 / 60.0, &mut ());
                assert!(stepped.is_ok(), "{name}, frame {frame}: {stepped:?}");
            }
            world
        };
        let time = std::time::Instant::now();
        let world = end();
        println!(
            "{name}: {} bodies, {:.2?}",
            world.bodies().len(),
            time.elapsed()
        );
        let finite = |x: &f64| x.is_finite();
        for body in world.bodies() {
            assert!(body.position.is_finite(), "{name}");
            assert!(
                body.velocity.iter().chain(body.spin.iter()).all(finite),
                "{name}"
            );
        }
        if start.bodies().len() < 30 {
            assert_eq!(world.state_hash(), end().state_hash(), "{name}");
        }
    }
}

/// Dynamic bodies of a scene.
fn moving(id: &str, parameters: Value) -> usize {
    let world = scene(id, parameters);
    world
        .bodies()
        .iter()
        .filter(|body| body.is_dynamic())
        .count()
}

#[test]
fn there_are_as_many_bodies_as_the_parameters_say() {
    let triangle = |n: usize| n * (n + 1) / 2;
    for n in [1, 2, 5] {
        assert_eq!(moving("vertical-stack", json!({ "n": n })), n);
        assert_eq!(moving("alternating-stack", json!({ "n": n })), n);
        assert_eq!(moving("sphere-stack", json!({ "n": n })), n);
        assert_eq!(moving("double-domino", json!({ "n": n })), n);
        assert_eq!(moving("newtons-cradle", json!({ "n": n })), n);
        assert_eq!(moving("rush", json!({ "n": n })), n);
        assert_eq!(
            moving("tilted-stack", json!({ "rows": n, "columns": 3 })),
            3 * n
        );
        assert_eq!(moving("jenga", json!({ "layers": n })), 2 * n);
        assert_eq!(moving("box-pyramid", json!({ "base": n })), triangle(n));
        assert_eq!(
            moving("overlap-recovery", json!({ "base": n })),
            triangle(n)
        );
        assert_eq!(
            moving("high-mass-ratio-1", json!({ "base": n })),
            3 * triangle(n)
        );
        let many = json!({ "rows": 2, "columns": 3, "base": n });
        assert_eq!(moving("many-pyramids", many), 6 * triangle(n));
        // n (n + 1) cards lean and n (n − 1)/2 lie
        let cards = 2 * triangle(n) + triangle(n) - n;
        assert_eq!(moving("card-house", json!({ "levels": n })), cards);
        assert_eq!(
            moving("confined", json!({ "n": n, "layers": 2 })),
            2 * n * n
        );
        assert_eq!(moving("tumbler", json!({ "n": n, "layers": 2 })), 2 * n * n);
        assert_eq!(
            moving("junkyard", json!({ "n": n, "layers": 2 })),
            2 * n * n
        );
        assert_eq!(
            moving("convex-pile", json!({ "n": n, "layers": 2 })),
            2 * n * n
        );
        assert_eq!(
            moving("compound-rain", json!({ "n": n, "layers": 2 })),
            2 * n * n
        );
        assert_eq!(moving("washer", json!({ "n": n })), n * n * n);
        assert_eq!(moving("spinner", json!({ "n": n })), n + 1);
        assert_eq!(moving("ragdoll-pile", json!({ "n": n })), 11 * n);
        assert_eq!(moving("voussoir-arch", json!({ "n": n + 1 })), n + 1);
        assert_eq!(moving("scissor-lift", json!({ "levels": n })), 2 * n + 2);
        let wall = json!({ "n": n, "rows": 3, "columns": 4 });
        assert_eq!(moving("wrecking-ball", wall), n + 1 + 12);
    }
    assert_eq!(moving("box-pyramid", json!({ "base": 100 })), 5050);
    assert_eq!(moving("arch", json!({})), 17 + 4);
    assert_eq!(moving("keva-tower", json!({})), 9 * 4 + 4);
    assert_eq!(
        moving("keva-tower", json!({ "blocks": 2 })),
        40 + 13 * 14 + 16
    );
}

#[test]
fn large_rotors_and_drums_have_room_for_all() {
    for n in [1, 3, 10, 100, 6076] {
        assert_eq!(moving("spinner", json!({ "n": n })), n + 1);
    }
}

#[test]
fn mass_ratios_are_kept_as_masses() {
    let masses = |id: &str, parameters: Value| -> Vec<f64> {
        let world = scene(id, parameters);
        let moving = world.bodies().iter().filter(|body| body.is_dynamic());
        moving.map(|body| body.inertia.mass).collect()
    };
    let close = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-12;
    let block = masses("high-mass-ratio-2", json!({}));
    assert!(close(block[4], 400.0 * block[0]), "{block:?}");
    let apex = masses("high-mass-ratio-1", json!({ "base": 2 }));
    for (index, ratio) in [(2, 100.0), (5, 200.0), (8, 300.0)] {
        assert!(close(apex[index], ratio * apex[0]), "{apex:?}");
    }
    let turn = masses("alternating-stack", json!({}));
    for (mass, expected) in turn.iter().zip([0.1, 10.0, 0.1, 10.0, 0.1]) {
        assert!(close(*mass, expected), "{turn:?}");
    }
    let domino = masses("double-domino", json!({}));
    assert!(close(domino[0], 0.25), "{domino:?}");
    let cart = masses("cart", json!({}));
    assert!((cart[0] / cart[1] - 1273.24).abs() < 0.01, "{cart:?}");
    let balls = masses("warm-start-energy", json!({}));
    assert!(close(balls[2], 100.0 * balls[0]), "{balls:?}");
}

#[test]
fn a_hoop_has_the_inertia_of_a_hoop() {
    for (roller, share) in [("sphere", 0.4), ("cylinder", 0.5), ("hoop", 1.0)] {
        let world = scene(
            "rolling",
            json!({ "roller": roller, "mass": 3.0, "radius": 0.2 }),
        );
        let moment = world.bodies()[1].inertia.moments.z;
        assert!(
            (moment - share * 3.0 * 0.04).abs() < 1e-14,
            "{roller}: {moment}"
        );
    }
}

#[test]
fn a_scene_far_away_is_the_same_scene_elsewhere() {
    let origin = [1e5, -8e4, 3.0];
    let near = scene("see-saw", json!({}));
    let far = scene("see-saw", json!({ "origin": origin }));
    for (a, b) in near.bodies().iter().zip(far.bodies()) {
        let shift = b.position - a.position;
        assert!(
            (shift - nalgebra::Vector3::from(origin)).norm() < 1e-9,
            "{shift}"
        );
        assert_eq!(a.inertia, b.inertia);
    }
}

#[test]
fn parameters_that_make_no_scene_are_refused_by_name() {
    let refused = |id: &str, parameters: Value, key: &str| {
        let error = build(id, &object(parameters)).unwrap_err().to_string();
        assert!(error.contains(&format!("{key} = ")), "{error}");
    };
    refused("card-house", json!({ "angle": 0.6 }), "angle");
    refused("voussoir-arch", json!({ "n": 1 }), "n");
    refused("voussoir-arch", json!({ "thickness": 1.0 }), "thickness");
    refused("footed-box", json!({ "feet": 5 }), "feet");
    refused("newtons-cradle", json!({ "n": 2, "raised": 3 }), "raised");
    refused("convex-pile", json!({ "points": 3 }), "points");
    refused("junkyard", json!({ "points": 3 }), "points");
    refused("single-box", json!({ "half": 0.0 }), "half");
    refused("tumbler", json!({ "layers": u64::MAX }), "layers");
    refused("keva-tower", json!({ "blocks": u64::MAX }), "blocks");
    refused("keva-tower", json!({ "layers": u64::MAX }), "layers");
    refused("card-house", json!({ "levels": u64::MAX }), "levels");
    refused("scissor-lift", json!({ "levels": u64::MAX }), "levels");
    refused("many-pyramids", json!({ "rows": u64::MAX }), "rows");
    refused("single-box", json!({ "law": "fixed-box" }), "law");
}

#[test]
fn a_house_of_cards_comes_to_rest_under_avbd() {
    let mut world = scene("card-house", json!({ "levels": 2 }));
    let places = |world: &World| -> Vec<_> {
        let bodies = world.bodies().iter();
        bodies.map(|body| body.position.to_vector()).collect()
    };
    let start = places(&world);
    let mut scheme = Avbd::new(AvbdParameters::default()).unwrap();
    for _ in 0..1200 {
        scheme.step(&mut world, 1.0 / 60.0, &mut ()).unwrap();
    }
    for (now, before) in places(&world).iter().zip(&start) {
        assert!((now - before).norm() < 1e-3, "{now}");
    }
    let speeds = world.bodies().iter().map(|body| body.velocity.norm());
    assert!(speeds.fold(0.0, f64::max) < 1e-6);
}

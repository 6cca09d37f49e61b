//! Contacts found on the device, in worlds that run: against the host's, and against themselves.

use delassus_conformance::whole;
use delassus_core::{Choice, Parameters};
use delassus_dynamics::{
    Body, Capsule, Collider, Cylinder, Inertia, PolyhedronMethod, Scheme, SchemeError, StepError,
    World, WorldParts,
};
use delassus_scheme_gpu::{CollisionPlace, GpuSoftStep, GpuSoftStepParameters};
use nalgebra::Vector3;
use serde_json::json;

use crate::common::{DT, assert_close, device, distances, run, scene};
use crate::worlds::{fastest, ground, overlap, pile, points, wall};

pub(crate) fn scheme(test: &str, collision: CollisionPlace) -> Option<GpuSoftStep> {
    let parameters = GpuSoftStepParameters {
        collision,
        ..Default::default()
    };
    device(test, parameters)
}

#[test]
fn a_wall_stands_as_with_contacts_of_the_host() {
    let test = "a_wall_stands_as_with_contacts_of_the_host";
    let Some(mut device) = scheme(test, CollisionPlace::Device) else {
        return;
    };
    let Some(mut host) = scheme(test, CollisionPlace::Host) else {
        return;
    };
    let start = wall(6);
    let (mut own, mut other) = (start.clone(), start);
    for frame in 0..50 {
        run(&mut device, &mut own, 1);
        run(&mut host, &mut other, 1);
        let pairs = |world: &World| -> Vec<_> {
            let all = world.manifolds().iter();
            all.map(|m| (m.colliders(), m.features().to_vec()))
                .collect()
        };
        assert_eq!(pairs(&own), pairs(&other), "frame {frame}");
    }
    let far = distances(&own, &other);
    eprintln!("{far:?}, overlaps {} {}", overlap(&own), overlap(&other));
    // anchors are rounded to 6e-8 of a metre, and springs of some ten 1/s act on that
    assert!(far[0] < 2e-5 && far[1] < 2e-5, "{far:?}");
    assert!(far[2] < 1e-4 && far[3] < 2e-4, "{far:?}");
    assert!(fastest(&own) < 1e-3, "{} m/s", fastest(&own));
    assert!((overlap(&own) - overlap(&other)).abs() < 1e-5);
    let normal = |world: &World| -> f64 {
        let ground = world.manifolds().iter().filter(|m| m.bodies[0] == 0);
        ground
            .map(|m| m.impulses().iter().step_by(3).sum::<f64>())
            .sum()
    };
    // what the ground carries
    assert!((normal(&own) / normal(&other) - 1.0).abs() < 1e-3);
}

#[test]
fn a_pile_comes_to_rest_as_with_contacts_of_the_host() {
    let test = "a_pile_comes_to_rest_as_with_contacts_of_the_host";
    let Some(mut device) = scheme(test, CollisionPlace::Device) else {
        return;
    };
    let Some(mut host) = scheme(test, CollisionPlace::Host) else {
        return;
    };
    let start = pile(45);
    let (mut own, mut other) = (start.clone(), start.clone());
    let (mut deepest, mut energy) = ([0.0_f64; 2], start.energy().total());
    for frame in 0..300 {
        run(&mut device, &mut own, 1);
        run(&mut host, &mut other, 1);
        deepest[0] = deepest[0].max(overlap(&own));
        deepest[1] = deepest[1].max(overlap(&other));
        if frame == 0 {
            let far = distances(&own, &other);
            assert!(far[0] < 1e-6 && far[2] < 1e-4, "{far:?}");
        }
        let now = own.energy().total();
        // contacts push overlaps out, and take energy otherwise
        assert!(
            now < energy + 0.01 * start.energy().total(),
            "frame {frame}"
        );
        energy = now;
    }
    let height = |world: &World| world.energy().potential;
    eprintln!(
        "overlaps {deepest:?}, energy {} {}, speeds {} {}, points {} {}",
        height(&own),
        height(&other),
        fastest(&own),
        fastest(&other),
        points(&own),
        points(&other),
    );
    assert!(deepest[0] < 1.5 * deepest[1] + 1e-3, "{deepest:?}");
    assert!((height(&own) / height(&other) - 1.0).abs() < 0.2);
    assert!(
        own.bodies()[1..]
            .iter()
            .all(|b| b.position.to_vector().y > 0.2)
    );
    // balls roll on, and push a box now and then
    let boxes = |world: &World| {
        let all = world.bodies().iter().enumerate();
        let boxes = all.filter(|(index, _)| index % 3 != 1);
        let speeds = boxes.map(|(_, b)| b.velocity.norm() + b.spin.norm());
        let mut speeds: Vec<f64> = speeds.collect();
        speeds.sort_by(f64::total_cmp);
        speeds[speeds.len() * 3 / 4]
    };
    let rest = [boxes(&own), boxes(&other)];
    eprintln!("boxes {rest:?}");
    assert!(rest[0] < 0.05 && rest[1] < 0.05, "{rest:?}");
}

/// Ground without an end, which the scenes of the program stand on.
#[test]
fn scenes_on_a_half_space_run_as_with_contacts_of_the_host() {
    let test = "scenes_on_a_half_space_run_as_with_contacts_of_the_host";
    let Some(mut device) = scheme(test, CollisionPlace::Device) else {
        return;
    };
    let Some(mut host) = scheme(test, CollisionPlace::Host) else {
        return;
    };
    let given = json!({ "rows": 1, "columns": 2, "base": 5 });
    let start = scene("many-pyramids", &given);
    let (mut own, mut other) = (start.clone(), start);
    run(&mut device, &mut own, 20);
    run(&mut host, &mut other, 20);
    assert!(points(&own) > 100);
    assert_eq!(points(&own), points(&other));
    // as in a wall
    assert_close("pyramids", &own, &other, [2e-5, 2e-5, 1e-4, 2e-4]);
}

fn hash(scheme: &mut GpuSoftStep, start: &World, frames: u32) -> u64 {
    let mut world = start.clone();
    run(scheme, &mut world, frames);
    world.state_hash()
}

#[test]
fn repeats_workgroups_and_other_worlds_between_change_no_bit() {
    let test = "repeats_workgroups_and_other_worlds_between_change_no_bit";
    let start = pile(27);
    let mut hashes = Vec::new();
    let sizes: &[u32] = if whole() { &[32, 64, 128] } else { &[32, 64] };
    for workgroup in sizes.iter().copied() {
        let parameters = GpuSoftStepParameters {
            workgroup,
            collision: CollisionPlace::Device,
            ..Default::default()
        };
        let Some(mut gpu) = device(test, parameters) else {
            return;
        };
        hashes.push(hash(&mut gpu, &start, 15));
        hashes.push(hash(&mut gpu, &start, 15));
        if workgroup == 64 {
            // two worlds in turn: the state of either is uploaded in every frame
            let (mut one, mut two) = (start.clone(), wall(4));
            for _ in 0..15 {
                run(&mut gpu, &mut one, 1);
                run(&mut gpu, &mut two, 1);
            }
            hashes.push(one.state_hash());
            let alone = hash(&mut gpu, &wall(4), 15);
            assert_eq!(two.state_hash(), alone);
        }
    }
    assert!(hashes.iter().all(|h| *h == hashes[0]), "{hashes:x?}");
}

#[test]
fn worlds_that_the_device_does_not_know_are_refused_with_a_way_out() {
    let test = "worlds_that_the_device_does_not_know";
    let Some(mut device) = scheme(test, CollisionPlace::Device) else {
        return;
    };
    let Some(host) = scheme(test, CollisionPlace::Host) else {
        return;
    };
    let mut worlds = Vec::new();
    let mut parts = ground();
    let body = parts.body(Body::dynamic(Inertia::default(), Vector3::y()));
    parts.collider(Collider::new(body, Capsule::new(0.3, 0.2)));
    worlds.push(("colliders[1]", parts));
    let mut parts = ground();
    let body = parts.body(Body::dynamic(Inertia::default(), Vector3::y()));
    parts.collider(Collider::new(body, Cylinder::new(0.3, 0.2)));
    worlds.push(("colliders[1]", parts));
    let mut parts = ground();
    parts.contacts.polyhedra = PolyhedronMethod::Library;
    worlds.push(("contacts.polyhedra", parts));
    let mut parts = ground();
    parts.contacts.recycle = 1e-3;
    worlds.push(("contacts.recycle", parts));
    refuses(&mut device, &host, "host", worlds);
}

/// Worlds are refused by the path of what is in the way, with a way out that `other` is; nothing
/// changes.
pub(crate) fn refuses(
    scheme: &mut GpuSoftStep,
    other: &GpuSoftStep,
    way_out: &str,
    worlds: Vec<(&str, WorldParts)>,
) {
    for (path, parts) in worlds {
        let mut world = parts.build().expect("a world");
        other.check(&world).expect("the other one knows it");
        let before = world.clone();
        let refused = scheme.check(&world).expect_err(path);
        assert!(matches!(refused, SchemeError::Unsupported { .. }));
        let text = refused.to_string();
        assert!(text.contains(path) && text.contains(way_out), "{text}");
        assert!(scheme.step(&mut world, DT, &mut ()).is_err());
        assert_eq!(world, before);
    }
}

#[test]
fn a_body_that_is_too_far_away_is_an_error_and_nothing_moves() {
    let test = "a_body_that_is_too_far_away";
    let Some(mut device) = scheme(test, CollisionPlace::Device) else {
        return;
    };
    let mut parts = wall(2).into_parts();
    parts.bodies[2].position = Vector3::new(1e12, 0.0, 0.0).into();
    let mut world = parts.build().expect("a world");
    let before = world.clone();
    let refused = device.step(&mut world, DT, &mut ());
    let field = matches!(refused, Err(StepError::Scheme(SchemeError::Field(_))));
    assert!(field, "{refused:?}");
    assert_eq!(world, before);
    // and the next world is stepped
    run(&mut device, &mut wall(2), 2);
}

#[test]
fn the_place_is_a_parameter_by_name() {
    let given = json!({ "collision": "device" });
    let given = given.as_object().expect("a table");
    let parameters = GpuSoftStepParameters::from_map(given).expect("known");
    assert_eq!(parameters.collision, CollisionPlace::Device);
    assert_eq!(GpuSoftStepParameters::default().collision.name(), "host");
}

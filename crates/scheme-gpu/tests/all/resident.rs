//! Frames whose contacts stay on the device, against those whose rows the host packs, and against
//! themselves.

use delassus_core::{ContactLaw, Parameters};
use delassus_dynamics::{
    Body, Collider, Cuboid, Inertia, Scheme, Sphere, TangentMode, World, WorldParts,
};
use delassus_scheme_gpu::{CollisionPlace, GpuSoftStep, GpuSoftStepParameters};
use delassus_scheme_jacobi::SoftStepParameters;
use delassus_solver_gpu::ManifoldLayout;
use delassus_solver_jacobi::Acceleration;
use delassus_solver_jacobi::rule::{FactorRule, LocalSweep, Splitting};
use nalgebra::Vector3;
use serde_json::json;

use crate::collision::{refuses, scheme};
use crate::common::{DT, assert_close, device, distances, run, scene};
use crate::worlds::{fastest, ground, mixture, overlap, pile, points, wall};

/// The same frames with rows of the device and with rows of the host.
pub(crate) fn both(test: &str, frame: SoftStepParameters) -> Option<[GpuSoftStep; 2]> {
    let of = |collision| {
        let parameters = GpuSoftStepParameters {
            frame,
            collision,
            ..Default::default()
        };
        device(test, parameters)
    };
    Some([of(CollisionPlace::Resident)?, of(CollisionPlace::Device)?])
}

/// Runs both and compares: positions \[m\], turns \[rad\], velocities \[m/s\], spins \[rad/s\].
pub(crate) fn compare(
    name: &str,
    [resident, other]: &mut [GpuSoftStep; 2],
    start: &World,
    frames: u32,
    bounds: [f64; 4],
) -> World {
    let (mut own, mut twin) = (start.clone(), start.clone());
    for _ in 0..frames {
        let reports = [
            resident.step(&mut own, DT, &mut ()),
            other.step(&mut twin, DT, &mut ()),
        ];
        let [own, twin] = reports.map(|r| r.unwrap_or_else(|error| panic!("{name}: {error}")));
        assert_eq!(own.progress, twin.progress, "{name}");
        assert_eq!(own.rows, twin.rows, "{name}");
    }
    assert_close(name, &own, &twin, bounds);
    assert_eq!(own.contact_events(), twin.contact_events(), "{name}");
    assert_same_contacts(name, &own, &twin, bounds);
    own
}

/// Refuses other contacts, and impulses that differ by more than the velocities.
fn assert_same_contacts(name: &str, own: &World, twin: &World, bounds: [f64; 4]) {
    assert_eq!(own.manifolds().len(), twin.manifolds().len(), "{name}");
    for (a, b) in own.manifolds().iter().zip(twin.manifolds()) {
        assert_eq!(a.colliders(), b.colliders(), "{name}");
        assert_eq!(a.features(), b.features(), "{name}");
        assert_eq!(a.memory(), b.memory(), "{name}");
        assert_eq!(a.friction, b.friction, "{name}");
        assert_eq!(a.impulses().len(), b.impulses().len(), "{name}");
        let poses = [own, twin].map(|w| a.bodies.map(|body| w.bodies()[body].pose()));
        let frames = [a.frame(poses[0]), b.frame(poses[1])];
        let turned = frames[0].tangents[0] - frames[1].tangents[0];
        assert!(turned.norm() < 1e-4, "{name}: {turned}");
        for (x, y) in a.impulses().iter().zip(b.impulses()) {
            // of four points that hold a box any may carry more
            let bound = 100.0 * bounds[2] * (1.0 + x.abs());
            assert!((x - y).abs() < bound, "{name}: {x} {y}");
        }
    }
}

/// Where the bodies are and how they move.
pub(crate) fn motion(world: &World) -> Vec<impl PartialEq + std::fmt::Debug + use<>> {
    let bodies = world.bodies().iter();
    let motion = bodies.map(|b| (b.position, b.orientation, b.velocity, b.spin));
    motion.collect()
}

/// Rounding of f32 over a few frames in which nothing hits; sliding and the momentum's restarts
/// make it larger.
pub(crate) const ROUNDING: [f64; 4] = [1e-6, 1e-6, 1e-4, 1e-4];

/// Laws of contacts that shaders have.
const LAWS: [ContactLaw; 5] = [
    ContactLaw::Frictionless,
    ContactLaw::Pyramid,
    ContactLaw::Disc,
    ContactLaw::Coulomb,
    ContactLaw::ConvexCone,
];

/// The wall with a law, pushed sideways.
fn pushed(law: ContactLaw) -> World {
    let mut parts = wall(4).into_parts();
    parts.contacts.law = law;
    for (index, body) in parts.bodies.iter_mut().enumerate().skip(1) {
        let way = index as f64;
        body.velocity = Vector3::new(0.3 + 0.05 * way, 0.0, 0.1 * way);
    }
    parts.build().expect("a world")
}

#[test]
fn rows_of_every_law_and_step_rule_are_those_of_the_host() {
    let test = "rows_of_every_law_and_step_rule_are_those_of_the_host";
    let Some(mut defaults) = both(test, SoftStepParameters::default()) else {
        return;
    };
    for law in LAWS {
        compare(&law.to_string(), &mut defaults, &pushed(law), 4, ROUNDING);
    }
    let rules = [
        (FactorRule::Count, Splitting::Blocks, LocalSweep::Points),
        (FactorRule::MaxCount, Splitting::Blocks, LocalSweep::Block),
        (FactorRule::MassSplit, Splitting::Rows, LocalSweep::Points),
        (FactorRule::MassSplit, Splitting::Blocks, LocalSweep::Points),
    ];
    for (rule, splitting, sweep) in rules {
        let frame = SoftStepParameters {
            rule,
            splitting,
            sweep,
            omega: 0.9,
            acceleration: Acceleration::None,
            ..SoftStepParameters::default()
        };
        let Some(mut schemes) = both(test, frame) else {
            return;
        };
        let name = format!("{rule} {splitting} {sweep}");
        let law = ContactLaw::Disc;
        compare(&name, &mut schemes, &pushed(law), 3, ROUNDING);
    }
}

#[test]
fn surfaces_half_spaces_locks_and_places_far_away_are_those_of_the_host() {
    let test = "surfaces_half_spaces_locks_and_places_far_away";
    let Some(mut schemes) = both(test, SoftStepParameters::default()) else {
        return;
    };
    for far in [Vector3::zeros(), Vector3::new(3e4, -1e4, 2e4)] {
        let world = mixture(far);
        let after = compare(test, &mut schemes, &world, 6, [5e-6, 5e-6, 1e-4, 2e-4]);
        assert!(after.manifolds().len() >= 7);
    }
}

#[test]
fn contacts_bounce_as_with_rows_of_the_host() {
    let test = "contacts_bounce_as_with_rows_of_the_host";
    let Some(mut schemes) = both(test, SoftStepParameters::default()) else {
        return;
    };
    let after = compare(
        test,
        &mut schemes,
        &bouncing(),
        20,
        [1e-5, 1e-5, 1e-4, 1e-4],
    );
    let up = after.bodies()[1..].iter().map(|b| b.velocity.y);
    assert!(up.fold(0.0, f64::max) > 0.3, "nothing bounced");
}

/// Balls that fall on a springy floor.
fn bouncing() -> World {
    let mut parts = ground();
    parts.colliders[0].material.restitution = 0.5;
    for index in 0..4 {
        let place = Vector3::new(2.0 * f64::from(index), 0.8 + 0.1 * f64::from(index), 0.0);
        let body = parts.body(Body::dynamic(Inertia::default(), place));
        parts.bodies[body].velocity = Vector3::new(0.5, -2.0, 0.0);
        parts.collider(Collider::new(body, Sphere::new(0.4)));
    }
    parts.build().expect("a world")
}

#[test]
fn tiles_change_no_bit_of_any_law_and_of_bounces() {
    let test = "tiles_change_no_bit_of_any_law_and_of_bounces";
    let worlds = LAWS.map(pushed).into_iter().chain([bouncing()]);
    let worlds: Vec<World> = worlds.collect();
    for acceleration in [Acceleration::None, Acceleration::Nesterov] {
        let mut ends = Vec::new();
        for layout in [ManifoldLayout::Manifolds, ManifoldLayout::Tiles] {
            let parameters = GpuSoftStepParameters {
                frame: SoftStepParameters {
                    acceleration,
                    ..SoftStepParameters::default()
                },
                layout,
                collision: CollisionPlace::Resident,
                ..Default::default()
            };
            let Some(mut gpu) = device(test, parameters) else {
                return;
            };
            let end = worlds.iter().map(|start| {
                let mut world = start.clone();
                run(&mut gpu, &mut world, 12);
                let impulses: Vec<f64> = world
                    .manifolds()
                    .iter()
                    .flat_map(|m| m.impulses().to_vec())
                    .collect();
                (motion(&world), impulses)
            });
            ends.push(end.collect::<Vec<_>>());
        }
        assert_eq!(ends[0], ends[1], "{acceleration}");
    }
}

#[test]
fn tiles_are_refused_where_the_host_packs_rows() {
    let given = json!({ "layout": "tiles" });
    let given = given.as_object().expect("a table");
    let error = GpuSoftStepParameters::from_map(given).expect_err("the default is the host");
    assert!(error.to_string().contains("collision"), "{error}");
}

#[test]
fn what_is_farther_apart_than_the_scheme_looks_is_no_row() {
    let test = "what_is_farther_apart_than_the_scheme_looks";
    let frame = SoftStepParameters {
        speculative_margin: 0.004,
        ..SoftStepParameters::default()
    };
    let Some(mut schemes) = both(test, frame) else {
        return;
    };
    let mut parts = ground();
    for (index, gap) in [0.003, 0.005].into_iter().enumerate() {
        let place = Vector3::new(2.0 * index as f64, 0.5 + gap, 0.0);
        let body = parts.body(Body::dynamic(Inertia::default(), place));
        parts.collider(Collider::new(body, Cuboid::cube(0.5)));
    }
    let start = parts.build().expect("a world");
    compare(test, &mut schemes, &start, 1, ROUNDING);
    let report = schemes[0].step(&mut start.clone(), DT, &mut ());
    assert_eq!(report.map(|report| report.rows).ok(), Some(12));
}

#[test]
fn a_pile_falls_as_with_contacts_of_the_host() {
    let test = "a_pile_falls_as_with_contacts_of_the_host";
    let Some(mut resident) = scheme(test, CollisionPlace::Resident) else {
        return;
    };
    let Some(mut host) = scheme(test, CollisionPlace::Host) else {
        return;
    };
    let start = pile(27);
    let (mut own, mut other) = (start.clone(), start.clone());
    let mut deepest = [0.0_f64; 2];
    for frame in 0..100 {
        run(&mut resident, &mut own, 1);
        run(&mut host, &mut other, 1);
        for (depth, world) in deepest.iter_mut().zip([&own, &other]) {
            *depth = depth.max(overlap(world));
        }
        if frame == 0 {
            let far = distances(&own, &other);
            assert!(far[0] < 1e-6 && far[2] < 1e-4, "{far:?}");
        }
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
    let lowest = own.bodies()[1..].iter();
    assert!(lowest.clone().all(|b| b.position.to_vector().y > 0.2));
}

/// The scenes of the program, on their half-space.
#[test]
fn pyramids_stand_as_with_rows_of_the_host() {
    let test = "pyramids_stand_as_with_rows_of_the_host";
    let Some(mut schemes) = both(test, SoftStepParameters::default()) else {
        return;
    };
    let given = json!({ "rows": 1, "columns": 2, "base": 5 });
    let start = scene("many-pyramids", &given);
    compare(test, &mut schemes, &start, 16, [2e-5, 2e-5, 1e-4, 2e-4]);
}

#[test]
fn repeats_workgroups_and_unread_contacts_change_no_bit() {
    let test = "repeats_workgroups_and_unread_contacts_change_no_bit";
    let start = pile(18);
    let mut poses = Vec::new();
    let [plain, tiles] = [ManifoldLayout::Manifolds, ManifoldLayout::Tiles];
    let variants = [
        (32, true, plain),
        (64, false, plain),
        (64, true, tiles),
        (128, true, plain),
    ];
    for (workgroup, read_contacts, layout) in variants {
        let parameters = GpuSoftStepParameters {
            workgroup,
            read_contacts,
            layout,
            collision: CollisionPlace::Resident,
            ..Default::default()
        };
        let Some(mut gpu) = device(test, parameters) else {
            return;
        };
        for _ in 0..2 {
            let mut world = start.clone();
            run(&mut gpu, &mut world, 20);
            assert_eq!(world.manifolds().is_empty(), !read_contacts);
            poses.push(motion(&world));
        }
    }
    assert!(poses.iter().all(|p| *p == poses[0]));
}

/// One thread counts and sums what all others made hubs of.
#[test]
fn a_body_with_thousands_of_contacts_is_solved() {
    let test = "a_body_with_thousands_of_contacts_is_solved";
    let Some(mut schemes) = both(test, SoftStepParameters::default()) else {
        return;
    };
    let mut parts = WorldParts {
        gravity: Vector3::new(0.0, -9.81, 0.0),
        ..WorldParts::default()
    };
    let side = 72;
    for index in 0..side * side {
        let at = |k: i32| 0.25 * f64::from(k - side / 2);
        let place = Vector3::new(at(index % side), 0.0, at(index / side));
        let body = parts.body(Body::fixed(place));
        parts.collider(Collider::new(body, Sphere::new(0.1)));
    }
    let mass = Inertia::new(100.0, Vector3::new(4000.0, 8000.0, 4000.0));
    let plate = parts.body(Body::dynamic(mass, Vector3::new(0.0, 0.2, 0.0)));
    parts.collider(Collider::new(plate, Cuboid::new(9.5, 0.1, 9.5)));
    let start = parts.build().expect("a world");
    let after = compare(test, &mut schemes, &start, 1, ROUNDING);
    assert_eq!(after.manifolds().len(), 72 * 72);
}

#[test]
fn a_box_with_locked_axes_slides_to_rest() {
    let test = "a_box_with_locked_axes_slides_to_rest";
    let Some(mut resident) = scheme(test, CollisionPlace::Resident) else {
        return;
    };
    let mut parts = wall(1).into_parts();
    let (speed, friction, weight) = (1.9, 0.35, parts.gravity.norm());
    for collider in &mut parts.colliders {
        collider.material.friction = friction;
    }
    let body = &mut parts.bodies[1];
    *body = body.clone().planar();
    body.lock_rotation = [true; 3];
    body.velocity = Vector3::new(speed, 0.0, 0.7);
    let start = parts.build().expect("a world");
    let mut world = start.clone();
    run(&mut resident, &mut world, 120);
    let [at, from] = [&world, &start].map(|world| world.bodies()[1].position.to_vector());
    let way = speed * speed / (2.0 * friction * weight);
    assert!((at.x - from.x - way).abs() < 0.02 * way, "{at}");
    assert!(at.z == from.z && (at.y - from.y).abs() < 0.005, "{at}");
}

#[test]
fn worlds_whose_rows_the_device_does_not_pack_are_refused_with_a_way_out() {
    let test = "worlds_whose_rows_the_device_does_not_pack";
    let Some(mut resident) = scheme(test, CollisionPlace::Resident) else {
        return;
    };
    let Some(other) = scheme(test, CollisionPlace::Device) else {
        return;
    };
    let mut worlds = Vec::new();
    let mut parts = wall(2).into_parts();
    parts.contacts.law = ContactLaw::Patch;
    worlds.push(("contacts.law", parts));
    let mut parts = wall(2).into_parts();
    parts.contacts.tangents = TangentMode::Sliding;
    worlds.push(("contacts.tangents", parts));
    let mut parts = wall(2).into_parts();
    parts.colliders[1].material.kinetic_friction = Some(0.1);
    worlds.push(("colliders[1].material.kinetic_friction", parts));
    let given = scene("stack", &json!({ "n": 2 })).into_parts();
    let mut parts = wall(2).into_parts();
    parts.manifolds = given.manifolds;
    worlds.push(("manifolds[0]", parts));
    refuses(&mut resident, &other, "device", worlds);
}

#[test]
fn reading_is_a_parameter_by_name() {
    let given = json!({ "collision": "resident", "read_contacts": false });
    let given = given.as_object().expect("a table");
    let parameters = GpuSoftStepParameters::from_map(given).expect("known");
    assert_eq!(parameters.collision, CollisionPlace::Resident);
    assert!(!parameters.read_contacts && GpuSoftStepParameters::default().read_contacts);
}

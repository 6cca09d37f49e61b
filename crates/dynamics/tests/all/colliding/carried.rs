//! What goes on from one frame to the next.

use delassus_core::ContactLaw;
use delassus_dynamics::{Collider, Cuboid, Material, Sphere};
use nalgebra::Vector3;

use super::standing::stack;
use super::{DT, accurate, add, plane, run};

#[test]
fn a_resting_box_keeps_features_and_impulses_for_a_thousand_frames() {
    let mut world = stack(1, 0.0, ContactLaw::Coulomb);
    let mut scheme = accurate(|p| p.sweeps = 10);
    run(&mut world, &mut scheme, DT, 5);
    let features = world.manifolds()[0].features().to_vec();
    let impulses = world.manifolds()[0].impulses().to_vec();
    assert_eq!(features.len(), 4);
    for frame in 0..1000 {
        run(&mut world, &mut scheme, DT, 1);
        let manifold = &world.manifolds()[0];
        assert_eq!(manifold.features(), features, "frame {frame}");
        let change = manifold.impulses().iter().zip(&impulses);
        let change = change.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(change < 1e-12, "frame {frame}: {change}");
        assert_eq!(
            world.contact_events().begun.len() + world.contact_events().ended.len(),
            0
        );
    }
}

#[test]
fn contacts_begin_and_end() {
    let mut parts = plane(0.0, ContactLaw::Frictionless);
    let ball = add(&mut parts, Sphere::new(0.5), 0.515, Material::default());
    parts.bodies[ball].velocity.y = 1.0;
    let mut world = parts.build().unwrap();
    let mut scheme = accurate(|_| {});
    let mut events = Vec::new();
    for frame in 0..60 {
        run(&mut world, &mut scheme, DT, 1);
        let now = world.contact_events();
        for pair in &now.begun {
            events.push((frame, "begun", *pair));
        }
        for pair in &now.ended {
            events.push((frame, "ended", *pair));
        }
    }
    // thrown up from within the margin, it leaves it and comes back
    let kinds: Vec<&str> = events.iter().map(|event| event.1).collect();
    assert_eq!(kinds, ["begun", "ended", "begun"], "{events:?}");
    assert!(events.iter().all(|event| event.2 == [0, 1]));
}

#[test]
fn friction_is_carried_as_a_vector_of_the_world() {
    // a block that turns about the normal while a force holds it against its friction
    let mut parts = plane(0.3, ContactLaw::Coulomb);
    let block = add(
        &mut parts,
        Cuboid::new(0.4, 0.1, 0.4),
        0.1,
        Material::rough(0.8),
    );
    parts.bodies[block].spin.y = 0.5;
    let mut world = parts.build().unwrap();
    let mut scheme = accurate(|_| {});
    run(&mut world, &mut scheme, DT, 30);
    let before = world.manifolds()[0].clone();
    let mut cold = world.clone();
    // one sweep from what was carried is near the answer
    let answer = {
        let mut world = world.clone();
        run(&mut world, &mut scheme, DT, 1);
        world.bodies()[block].velocity
    };
    let mut single = accurate(|p| p.sweeps = 1);
    run(&mut world, &mut single, DT, 1);
    let mut scratch = accurate(|p| {
        p.sweeps = 1;
        p.warm_start = delassus_dynamics::WarmStart::Off;
    });
    run(&mut cold, &mut scratch, DT, 1);
    let [warm, cold] = [&world, &cold].map(|w| (w.bodies()[block].velocity - answer).norm());
    assert!(warm < 0.05 * cold, "{warm} {cold}");
    assert_eq!(before.points.len(), 4);
}

#[test]
fn bodies_of_a_joint_and_of_a_group_do_not_touch() {
    let mut world = stack(2, -0.2, ContactLaw::Disc).into_parts();
    world.contacts.apart = vec![[2, 1]];
    let mut apart = world.clone().build().unwrap();
    for collider in &mut world.colliders[1..] {
        collider.filter.group = 7;
    }
    world.contacts.apart.clear();
    let mut group = world.build().unwrap();
    for world in [&mut apart, &mut group] {
        run(world, &mut accurate(|_| {}), DT, 1);
        let pairs: Vec<_> = world.manifolds().iter().map(|m| m.bodies).collect();
        assert!(!pairs.contains(&[1, 2]), "{pairs:?}");
    }
}

#[test]
fn the_mass_of_a_body_is_that_of_its_colliders() {
    let mut parts = plane(0.0, ContactLaw::Disc);
    let mut body = delassus_dynamics::Body::dynamic(
        delassus_dynamics::Inertia::default(),
        Vector3::new(1.0, 2.0, 3.0),
    );
    body.orientation = super::turn(0.0, 0.0, std::f64::consts::FRAC_PI_2);
    let body = parts.body(body);
    for (x, density) in [(0.5, 100.0), (-0.5, 300.0)] {
        let shape = Cuboid::cube(0.5);
        parts.collider(
            Collider::new(body, shape)
                .at(Vector3::new(x, 0.0, 0.0))
                .dense(density),
        );
    }
    let world = parts.build().unwrap();
    let found = &world.bodies()[body];
    assert!((found.inertia.mass - 400.0).abs() < 1e-10);
    // the centre of mass lies a quarter of a metre towards the heavy half, along the body's x
    let expected = Vector3::new(1.0, 2.0 - 0.25, 3.0);
    assert!((found.position.to_vector() - expected).norm() < 1e-12);
    assert!((world.colliders()[1].position.x - 0.75).abs() < 1e-12);
    // as parts it is what it was
    let again = world.clone().into_parts().build().unwrap();
    assert_eq!(again.bodies(), world.bodies());
    assert_eq!(again.colliders(), world.colliders());
}

#[test]
fn manifolds_of_pairs_that_hardly_move_serve_again() {
    let mut worlds = [0.0, 1e-3].map(|recycle| {
        let mut parts = stack(4, 0.002, ContactLaw::Coulomb).into_parts();
        parts.contacts.recycle = recycle;
        parts.build().unwrap()
    });
    for world in &mut worlds {
        run(world, &mut accurate(|p| p.sweeps = 50), DT, 300);
    }
    let [fresh, kept] = &worlds;
    for (a, b) in fresh.bodies().iter().zip(kept.bodies()) {
        let apart = a.position.to_vector() - b.position.to_vector();
        assert!(apart.norm() < 1e-4, "{apart}");
        assert!(b.velocity.norm() < 1e-3, "{}", b.velocity);
    }
    assert_eq!(fresh.manifolds().len(), kept.manifolds().len());
    // a block that slides goes on with new points
    let mut parts = plane(0.0, ContactLaw::Coulomb);
    parts.contacts.recycle = 1e-3;
    let block = add(
        &mut parts,
        Cuboid::new(0.5, 0.1, 0.5),
        0.1,
        Material::rough(0.3),
    );
    parts.bodies[block].velocity.x = 3.0;
    let mut world = parts.build().unwrap();
    run(&mut world, &mut accurate(|_| {}), 0.001, 200);
    let body = &world.bodies()[block];
    let speed = 3.0 - 0.3 * super::G * 0.2;
    assert!((body.velocity.x - speed).abs() < 1e-6, "{}", body.velocity);
    assert!((body.position.to_vector().y - 0.1).abs() < 1e-6);
}

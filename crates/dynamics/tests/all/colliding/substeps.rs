//! XPBD finds its contacts in every substep: what hits leaves no overlap that would become
//! velocity.

use delassus_core::ContactLaw;
use delassus_dynamics::{Material, PositionScheme, Scheme, Sphere, World, Xpbd, XpbdParameters};
use nalgebra::Vector3;

use super::standing::stack;
use super::{DT, add, plane, run};

fn xpbd(substeps: u32) -> Xpbd {
    Xpbd::new(XpbdParameters {
        substeps,
        ..XpbdParameters::default()
    })
    .unwrap()
}

/// Lets a world fall and collide; the largest rise of its energy in a frame \[J\].
fn largest_rise(world: &mut World, scheme: &mut dyn Scheme, frames: usize) -> f64 {
    let mut rise = f64::NEG_INFINITY;
    for _ in 0..frames {
        let before = world.energy().total();
        run(world, scheme, DT, 1);
        rise = rise.max(world.energy().total() - before);
    }
    rise
}

#[test]
fn boxes_that_fall_on_each_other_gain_no_energy() {
    // one sweep over many corners is not converged: three boxes hand on more than one takes
    let cases = [
        (1, 3.0, 20, 1e-4),
        (2, 2.0, 20, 1e-3),
        (2, 0.7, 20, 1e-3),
        (2, 2.0, 10, 1e-3),
        (3, 1.0, 20, 5e-3),
    ];
    for (count, gap, substeps, share) in cases {
        let mut world = stack(count, gap, ContactLaw::Disc);
        let start = world.energy().total();
        let rise = largest_rise(&mut world, &mut xpbd(substeps), 240);
        let case = format!("{count} {gap} {substeps}");
        assert!(rise < share * start, "{case}: {rise} of {start}");
        for (k, body) in (0_u32..).zip(&world.bodies()[1..]) {
            let at = body.position.to_vector();
            let height = 0.5 + f64::from(k);
            assert!((at.y - height).abs() < 5e-3, "{case}: {at}");
            assert!(libm::hypot(at.x, at.z) < 0.1, "{case}: {at}");
            assert!(body.velocity.norm() < 0.02, "{case}: {}", body.velocity);
        }
    }
}

#[test]
fn the_margin_of_what_is_fast_is_its_way() {
    // 60 m/s in substeps of 1/240 s: 25 cm each, of a box of 1 m
    let mut world = stack(1, 10.0, ContactLaw::Disc);
    let down = Vector3::new(0.0, -60.0, 0.0);
    world.set_velocity(1, down, Vector3::zeros()).unwrap();
    for _ in 0..30 {
        let before = world.energy().total();
        run(&mut world, &mut xpbd(4), DT, 1);
        assert!(world.energy().total() < before + 1e-6);
        let height = world.bodies()[1].position.to_vector().y;
        assert!(height > 0.5 - 5e-3, "{height}");
    }
    // one sweep over four corners leaves some of the 62 m/s that it came with
    let left = world.bodies()[1].velocity.norm();
    assert!(left < 3.0, "{left}");
}

#[test]
fn events_of_the_substeps_add_up() {
    // a ball that touches and leaves within one frame, and lies in between in none
    let bouncing = Material {
        restitution: 1.0,
        friction: 0.0,
        ..Material::default()
    };
    let mut parts = plane(0.0, ContactLaw::Frictionless);
    let ball = add(&mut parts, Sphere::new(0.25), 1.25, bouncing);
    parts.bodies[ball].velocity.y = -5.0;
    parts.contacts.margin = 1e-3;
    let mut world = parts.build().unwrap();
    let mut seen = Vec::new();
    for _ in 0..20 {
        run(&mut world, &mut xpbd(20), DT, 1);
        assert!(world.manifolds().is_empty());
        let events = world.contact_events();
        if !events.begun.is_empty() {
            seen.push((events.begun.clone(), events.ended.clone()));
        }
    }
    assert_eq!(seen, [(vec![[0, 1]], vec![[0, 1]])]);
    assert!(world.bodies()[1].velocity.y > 0.0);
}

#[test]
fn a_step_that_fails_in_any_substep_leaves_the_contacts_of_before() {
    let mut world = stack(2, 0.0, ContactLaw::Disc);
    let mut scheme = xpbd(20);
    run(&mut world, &mut scheme, DT, 3);
    // out of range after some of the substeps
    let fast = Vector3::new(0.0, 1e308, 0.0);
    world.set_velocity(2, fast, Vector3::zeros()).unwrap();
    for _ in 0..1000 {
        let before = world.clone();
        if scheme.step(&mut world, DT, &mut ()).is_err() {
            assert_eq!(world, before);
            assert_eq!(world.contact_events(), before.contact_events());
            return;
        }
    }
    panic!("no step failed");
}

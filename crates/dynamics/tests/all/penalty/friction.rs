//! Friction of penalty contacts, and boxes that stand on them.

use delassus_core::{ContactLaw, Fidelity};
use delassus_dynamics::{
    Cuboid, Integration, Material, PenaltyParameters, Scheme, SchemeError, World,
};
use nalgebra::Vector3;

use super::super::colliding::{add, plane};
use super::{G, MASS, height, plain, scheme, steps, tower};

/// A box on an incline that falls towards +x.
fn incline(slope: f64, friction: f64) -> World {
    let mut parts = plane(slope, ContactLaw::Disc);
    let material = Material::rough(friction);
    add(&mut parts, Cuboid::new(0.5, 0.2, 0.5), 0.2, material);
    parts.build().unwrap()
}

#[test]
fn a_box_sinks_by_its_weight_over_four_springs() {
    let parameters = PenaltyParameters {
        contact_stiffness: 1e4,
        contact_damping: 300.0,
        ..plain(Integration::Implicit)
    };
    let mut world = incline(0.0, 0.5);
    steps(&mut world, &mut scheme(&parameters), 2e-3, 2000);
    let weight = MASS * super::super::colliding::G;
    let sag = 0.2 - height(&world, 1);
    assert!((sag - weight / 4e4).abs() < 1e-12, "{sag}");
    let pushes = world.manifolds()[0].impulses().chunks(3);
    let force: f64 = pushes.map(|point| point[0] / 2e-3).sum();
    assert!((force - weight).abs() < 1e-9, "{force}");
}

#[test]
fn a_box_creeps_down_an_incline_at_the_speed_where_friction_holds_it() {
    let (slope, friction) = (0.2, 0.5);
    let expected = libm::tan(slope) / friction;
    for (integration, slip_speed, h) in [
        (Integration::Implicit, 1e-3, 2e-3),
        (Integration::Implicit, 1e-4, 5e-3),
        (Integration::Explicit, 1e-2, 1e-4),
    ] {
        let parameters = PenaltyParameters {
            slip_speed,
            contact_stiffness: 1e5,
            contact_damping: 500.0,
            ..plain(integration)
        };
        let mut world = incline(slope, friction);
        let number = if h < 1e-3 { 20_000 } else { 1000 };
        steps(&mut world, &mut scheme(&parameters), h, number);
        let speed = world.bodies()[1].velocity.x / slip_speed;
        assert!(
            (speed - expected).abs() < 1e-6,
            "{integration}: {speed}, {expected}"
        );
    }
}

#[test]
fn a_box_slides_with_the_force_of_the_cone() {
    let (slope, friction) = (0.8_f64, 0.5);
    let (sine, cosine) = libm::sincos(slope);
    let gravity = super::super::colliding::G;
    let acceleration = gravity * (sine - friction * cosine);
    for integration in [Integration::Implicit, Integration::Explicit] {
        let parameters = PenaltyParameters {
            contact_stiffness: 1e5,
            contact_damping: 500.0,
            ..plain(integration)
        };
        let mut world = incline(slope, friction);
        let mut scheme = scheme(&parameters);
        let h = 2e-4;
        steps(&mut world, &mut scheme, h, 1000);
        let before = world.bodies()[1].velocity.x;
        steps(&mut world, &mut scheme, h, 1000);
        let gained = (world.bodies()[1].velocity.x - before) / 0.2;
        assert!(
            (gained - acceleration).abs() < 1e-3,
            "{integration}: {gained}, {acceleration}"
        );
    }
}

#[test]
fn explicit_friction_is_stable_up_to_its_limit_and_not_beyond() {
    let (friction, slip_speed) = (0.5, 1e-3);
    let bound = 2.0 * slip_speed / (friction * G);
    let parameters = PenaltyParameters {
        slip_speed,
        contact_stiffness: 1e4,
        contact_damping: 100.0,
        ..plain(Integration::Explicit)
    };
    for (share, grows) in [(1.0 - 1e-3, false), (1.0 + 1e-3, true)] {
        let mut world = tower(&[-MASS * G / 1e4], friction);
        let small = 1e-6 * slip_speed;
        world
            .set_velocity(1, small * Vector3::x(), Vector3::zeros())
            .unwrap();
        steps(&mut world, &mut scheme(&parameters), share * bound, 4000);
        let factor = world.bodies()[1].velocity.x.abs() / small;
        assert_eq!(factor > 100.0, grows, "{factor}");
        assert_eq!(factor < 1e-2, !grows, "{factor}");
    }
}

#[test]
fn implicit_friction_stays_in_the_cone_when_a_push_begins() {
    let friction = 0.5;
    let parameters = PenaltyParameters {
        contact_stiffness: 1e4,
        ..plain(Integration::Implicit)
    };
    let mut world = tower(&[-MASS * G / 1e4], friction);
    let mut scheme = scheme(&parameters);
    steps(&mut world, &mut scheme, 1e-2, 5);
    let pull = 10.0 * friction * MASS * G;
    world
        .set_wrench(1, pull * Vector3::x(), Vector3::zeros())
        .unwrap();
    steps(&mut world, &mut scheme, 1e-2, 1);
    let expected = 1e-2 * 0.9 * pull / MASS;
    let speed = world.bodies()[1].velocity.x;
    assert!((speed - expected).abs() < 1e-12, "{speed}, {expected}");
}

#[test]
fn what_springs_are_in_place_of_is_said_and_other_laws_are_refused() {
    let scheme = scheme(&PenaltyParameters::default());
    let Fidelity::Approximate(reasons) = scheme.check(&incline(0.1, 0.5)).unwrap() else {
        panic!("no approximation");
    };
    assert_eq!(reasons.len(), 2, "{reasons:?}");
    let mut parts = plane(0.0, ContactLaw::Pyramid);
    add(&mut parts, Cuboid::cube(0.5), 0.5, Material::rough(0.5));
    let Err(SchemeError::Unsupported { what, .. }) = scheme.check(&parts.build().unwrap()) else {
        panic!("not refused");
    };
    assert_eq!(what, "contacts (pyramid)");
}

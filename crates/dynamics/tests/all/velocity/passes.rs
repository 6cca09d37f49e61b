//! Position passes: what one of them removes, and what it leaves.

use delassus_core::Softness;
use delassus_dynamics::constraints::{LinearServo, Point, SlideLimit};
use delassus_dynamics::{
    Body, ContactLaw, ContactPoint, Inertia, Joint, Manifold, Signal, Stabilization,
    VelocityParameters, World, WorldParts, rotation,
};
use nalgebra::Vector3;

use super::line::{close, held, moved, step, touching};
use super::methods::rod;

fn with(position_sweeps: u32) -> VelocityParameters {
    VelocityParameters {
        stabilization: Stabilization::None,
        sweeps: 1,
        position_sweeps,
        position_beta: 0.4,
        position_max_correction: 0.1,
        slop: 0.005,
        ..VelocityParameters::default()
    }
}

fn limit() -> Joint {
    Joint::new(SlideLimit {
        bodies: [0, 1],
        anchors: [Vector3::zeros(); 2],
        axis: Vector3::x(),
        lower: 1.0,
        upper: 1e3,
    })
}

#[test]
fn joints_are_solved_in_full() {
    let way = |error: f64, passes: u32| moved(held(1.0 + error, 0.0, vec![rod()]), &with(passes)).1;
    close(way(0.05, 1), -0.05);
    close(way(-0.05, 1), 0.05);
    // the largest correction is that of contacts and limits
    close(way(0.25, 1), -0.25);
    close(way(-0.25, 1), 0.25);
    close(way(0.25, 2), -0.25);
    close(way(0.25, 0), 0.0);
    // the velocity is none of their business
    close(moved(held(1.05, 0.0, vec![rod()]), &with(1)).0, 0.0);
}

#[test]
fn limits_keep_their_slop_and_open_ones_stay() {
    let way = |error: f64| moved(held(1.0 + error, 0.0, vec![limit()]), &with(1)).1;
    close(way(-0.025), 0.02);
    close(way(-0.25), 0.1);
    close(way(-0.004), 0.0);
    close(way(0.05), 0.0);
}

#[test]
fn contacts_lose_a_share_of_their_overlap() {
    let fixed = || Body::fixed(Vector3::zeros());
    let way = |separation: f64, passes: u32| {
        moved(touching(fixed(), separation, 0.0, 0.0), &with(passes)).1
    };
    close(way(-0.025, 1), 0.4 * 0.02);
    close(way(-0.025, 2), 0.02 * (1.0 - 0.6 * 0.6));
    close(way(-1.005, 1), 0.1);
    close(way(-0.004, 1), 0.0);
    close(way(0.02, 1), 0.0);
}

#[test]
fn springs_and_drives_are_no_errors() {
    let spring = Softness::Spring {
        stiffness: 1e-12,
        damping: 0.0,
    };
    let (_, way) = moved(held(1.05, 0.0, vec![rod().soft(spring)]), &with(2));
    assert!(way.abs() < 1e-12, "{way}");
    let servo = Joint::new(LinearServo {
        bodies: [0, 1],
        anchors: [Vector3::zeros(); 2],
        axis: Vector3::x(),
        target: Signal::Constant(1.0),
    });
    // a servo without stabilisation does not even correct its velocity
    close(moved(held(1.05, 0.0, vec![servo]), &with(2)).1, 0.0);
}

#[test]
fn every_row_of_a_pass_is_counted() {
    let updates = |mut world: World, margin: Option<f64>, passes: u32| {
        let parameters = VelocityParameters {
            speculative_margin: margin,
            ..with(passes)
        };
        step(&mut world, &parameters).progress.row_updates
    };
    // one sweep over 1 and 2 rows of the joints, then as many per pass
    let joints = || held(1.05, 0.0, vec![rod(), limit()]);
    assert_eq!(updates(joints(), None, 0), 3);
    assert_eq!(updates(joints(), None, 2), 3 + 2 * 3);
    // a contact of three rows, of which a pass treats the normal
    let contact = |separation: f64| touching(Body::fixed(Vector3::zeros()), separation, 0.0, 0.0);
    assert_eq!(updates(contact(-0.02), Some(0.02), 2), 3 + 2);
    assert_eq!(updates(contact(0.25), Some(0.25), 2), 3 + 2);
    assert_eq!(updates(contact(0.25), Some(0.125), 2), 0);
    assert_eq!(updates(contact(0.25), None, 1), 3 + 1);
}

/// Two turned bodies that a corner and a ball joint hold together, both a little off.
fn off(joint: bool) -> World {
    let mut parts = WorldParts::default();
    let inertia = |mass: f64| Inertia::new(mass, mass * Vector3::new(0.2, 0.3, 0.4));
    let a = Body::dynamic(inertia(1.0), Vector3::new(0.1, 0.2, -0.3));
    let b = Body::dynamic(inertia(3.0), Vector3::new(0.9, 0.4, 0.2));
    let a = parts.body(a.turned(rotation::exp(&Vector3::new(0.3, -0.2, 0.5))));
    let b = parts.body(b.turned(rotation::exp(&Vector3::new(-0.4, 0.1, 0.2))));
    let poses = [&parts.bodies[a], &parts.bodies[b]];
    // anchors that meet at one place but for 1e-5 m
    let meeting = Vector3::new(0.5, 0.7, 0.1);
    let places = [meeting, meeting - 1e-5 * Vector3::new(1.0, -2.0, 0.5)];
    let mut anchors = [Vector3::zeros(); 2];
    for side in 0..2 {
        let arm = places[side] - poses[side].position.to_vector();
        anchors[side] = poses[side].orientation.inverse() * arm;
    }
    if joint {
        parts.joint(Joint::new(Point {
            bodies: [a, b],
            anchors,
        }));
    } else {
        // a normal along which the second place is behind the first
        let normal = poses[0].orientation.inverse() * Vector3::x();
        let points = vec![ContactPoint {
            anchors,
            radii: [0.0; 2],
        }];
        let law = ContactLaw::Disc;
        parts
            .manifolds
            .push(Manifold::new([a, b], normal, points, 0.5, law));
    }
    parts.build().unwrap()
}

#[test]
fn one_pass_solves_turned_bodies_to_second_order_and_moves_no_centre() {
    for joint in [true, false] {
        let mut world = off(joint);
        let error = |world: &World| -> f64 {
            if joint {
                let errors = world.joint_errors();
                errors.iter().map(|(_, e)| e * e).sum::<f64>().sqrt()
            } else {
                let poses = [world.bodies()[0].pose(), world.bodies()[1].pose()];
                world.manifolds()[0].frame(poses).separations[0]
            }
        };
        let before: Vec<Body> = world.bodies().to_vec();
        let start = error(&world);
        assert!(start.abs() > 0.9e-5);
        let parameters = VelocityParameters {
            position_beta: 1.0,
            slop: 0.0,
            ..with(1)
        };
        step(&mut world, &parameters);
        assert!(error(&world).abs() < 1e-9, "{}", error(&world));
        // equal and opposite impulses: neither the centre of mass nor the angular momentum of the
        // motion changes
        let (mut linear, mut angular) = (Vector3::zeros(), Vector3::zeros());
        for (old, new) in before.iter().zip(world.bodies()) {
            let way = new.position - old.position;
            let turn = rotation::log(&(new.orientation * old.orientation.inverse()));
            linear += old.inertia.mass * way;
            angular += old.position.to_vector().cross(&(old.inertia.mass * way));
            angular += old.world_inertia() * turn;
        }
        assert!(
            linear.norm() < 1e-14 && angular.norm() < 1e-9,
            "{linear} {angular}"
        );
    }
}

#[test]
fn heavy_bodies_are_moved_as_light_ones() {
    for mass in [1e-9, 1e9] {
        let mut parts = held(1.05, 0.0, vec![rod()]).into_parts();
        parts.bodies[1].inertia = Inertia::new(mass, mass * Vector3::repeat(0.25));
        close(moved(parts.build().unwrap(), &with(1)).1, -0.05);
    }
}

//! Reduced coordinates beside the schemes in maximal coordinates: the same motion as the step
//! vanishes.

use delassus_conformance::whole;
use delassus_dynamics::{Scheme, World};
use delassus_registry::{Registry, scheme};
use delassus_scenes::Scene;
use delassus_scenes::oracles::order;
use delassus_scenes::scenes::{ChainWorld, NPendulum, Pendulum, PendulumJoint, Ragdoll};
use delassus_systems::{Chain, LinkKind};
use serde_json::{Map, Value, json};

use crate::pairs::{map, run};

/// A velocity-level scheme with exact solves, or one that solves by itself.
fn build(id: &str, changes: &Value) -> Box<dyn Scheme> {
    let entry = scheme(id).expect("registered");
    let solver = entry.descriptor.uses_solver.then(|| {
        let solver = Registry::standard();
        let solver = solver.find("dense-direct").expect("registered");
        solver.build(&Map::new()).expect("defaults")
    });
    entry.build_with(&map(changes), solver).expect("a scheme")
}

/// Scenes whose joints make a tree, with a time before chaos or whirling limbs multiply every
/// error.
fn trees() -> Vec<(&'static str, World, f64)> {
    let hinge = Pendulum {
        joint: PendulumJoint::Hinge,
        ..Pendulum::default()
    };
    let rods = ChainWorld {
        chain: Chain {
            n: 5,
            kind: LinkKind::Rod,
            angle: 1.2,
            ..Chain::default()
        },
        ..ChainWorld::default()
    };
    let ragdoll = Ragdoll {
        limits: false,
        friction_torque: 0.0,
        ..Ragdoll::default()
    };
    vec![
        ("pendulum", hinge.make().expect("a pendulum"), 1.0),
        (
            "point pendulum",
            Pendulum::default().make().expect("a pendulum"),
            1.0,
        ),
        (
            "3-pendulum",
            NPendulum::default().make().expect("a pendulum"),
            0.5,
        ),
        ("chain of rods", rods.make().expect("a chain"), 0.5),
        ("ragdoll", ragdoll.make().expect("a ragdoll"), 0.3),
    ]
}

/// The largest distance between the bodies of two worlds \[m\].
fn distance(a: &World, b: &World) -> f64 {
    let pairs = a.bodies().iter().zip(b.bodies());
    pairs
        .map(|(a, b)| (a.position - b.position).norm())
        .fold(0.0, f64::max)
}

/// The end of a run with the method of Runge and Kutta at a step that leaves no error to speak of.
fn reference(world: &World, time: f64) -> World {
    let mut end = world.clone();
    let mut scheme = build("articulated-body", &json!({ "substeps": 1 }));
    run(scheme.as_mut(), &mut end, time / 4096.0, 4096);
    end
}

/// Steps per run; the last, as many as the others together, where [`whole`] asks for it.
const STEPS: [u32; 3] = [512, 1024, 2048];

/// Distances from the reference at the steps, and their order.
fn convergence(
    world: &World,
    time: f64,
    exact: &World,
    id: &str,
    changes: &Value,
) -> (Vec<(f64, f64)>, f64) {
    let count = if whole() { STEPS.len() } else { 2 };
    let errors: Vec<(f64, f64)> = STEPS[..count]
        .iter()
        .map(|steps| {
            let (mut end, h) = (world.clone(), time / f64::from(*steps));
            run(build(id, changes).as_mut(), &mut end, h, *steps);
            (h, distance(&end, exact))
        })
        .collect();
    let found = order(&errors).expect("errors above zero");
    (errors, found)
}

#[test]
fn schemes_in_maximal_coordinates_tend_to_the_tree_at_first_order() {
    // rigid joints: springs of bounded stiffness have an error that stays
    let plain = json!({ "stabilization": "none", "position_sweeps": 0 });
    let cases = [
        ("pgs-baumgarte", &json!({})),
        ("velocity", &plain),
        ("pgs-ngs", &json!({})),
        ("split-impulse", &json!({})),
        ("xpbd", &json!({ "iterations": 1 })),
        (
            "articulated-body",
            &json!({ "integrator": "projected-euler", "substeps": 1 }),
        ),
        (
            "articulated-body",
            &json!({ "integrator": "semi-implicit-euler", "substeps": 1 }),
        ),
    ];
    for (name, world, time) in trees() {
        let exact = reference(&world, time);
        for (id, changes) in &cases {
            let (errors, found) = convergence(&world, time, &exact, id, changes);
            println!("{name}: {id} {changes} order {found:.3}, {errors:?}");
            // halving the step halves the error, up to its terms of second order
            assert!(
                (found - 1.0).abs() < 0.25,
                "{name}, {id} {changes}: {found} {errors:?}"
            );
        }
        let changes = json!({ "integrator": "implicit-midpoint", "substeps": 1 });
        let (errors, found) = convergence(&world, time, &exact, "articulated-body", &changes);
        assert!((found - 2.0).abs() < 0.1, "{name}: {found} {errors:?}");
    }
}

#[test]
fn without_drift_projected_euler_makes_the_steps_of_the_velocity_level() {
    // one step from rest: positions agree to the error of second order that the straight way of the
    // bodies leaves
    for (name, world, _) in trees() {
        let differences = [1e-2, 5e-3].map(|dt| {
            let (mut straight, mut round) = (world.clone(), world.clone());
            let plain = json!({ "stabilization": "none", "position_sweeps": 0 });
            run(build("velocity", &plain).as_mut(), &mut straight, dt, 1);
            let reduced = json!({ "integrator": "projected-euler", "substeps": 1 });
            run(
                build("articulated-body", &reduced).as_mut(),
                &mut round,
                dt,
                1,
            );
            distance(&straight, &round)
        });
        // from rest v = g h: the arc departs from its chord by (g h²)²/2L
        let ratio = differences[0] / differences[1];
        assert!(differences[0] < 1e-5, "{name}: {differences:?}");
        assert!(
            ratio > 12.0 || differences[1] < 1e-15,
            "{name}: {differences:?}"
        );
    }
}

//! Chains at rest: tensions and fixed points of warm starts (O.4), hanging shapes (O.10, O.11).

use std::collections::BTreeSet;

use delassus_dynamics::{Body, Inertia, Stabilization, World, WorldParts};
use delassus_scenes::oracles::chain::{hanging_shape, sag, tensions};
use nalgebra::Vector3;
use serde_json::{Value, json};

use crate::pairs::{
    Pair, fifth, hanging, joint_omega, pairs, rod, run, solves_at_once, unstabilized,
};

const GRAVITY: f64 = 9.81;

/// Changes under which all presets have their statics at the same place for all steps: a softness
/// far below its limit, and impulses that are kept.
fn steady() -> Value {
    json!({ "joint_hertz": 8.0, "warm_start": "scaled", "warm_rows": "all" })
}

/// A hanging chain in equilibrium: soft links are stretched (O.4).
fn equilibrium(pair: &Pair, masses: &[f64], h: f64) -> World {
    let parameters = pair.parameters(&steady());
    let soft = parameters.stabilization == Stabilization::Soft;
    let omega = joint_omega(&parameters, h);
    let mut above = 0.0;
    let stretch: Vec<f64> = tensions(masses, GRAVITY)
        .iter()
        .zip(masses)
        .map(|(tension, mass)| {
            let diagonal = 1.0 / mass + above;
            above = 1.0 / mass;
            if soft {
                diagonal * tension / (omega * omega)
            } else {
                0.0
            }
        })
        .collect();
    hanging(masses, 0.1, &stretch, GRAVITY)
}

fn fastest(world: &World) -> f64 {
    let speeds = world.bodies().iter().map(|b| b.velocity.norm());
    speeds.fold(0.0, f64::max)
}

#[test]
fn hanging_chains_carry_their_weight_and_stay_for_one_sweep() {
    let chains: [&[f64]; 4] = [&[2.0], &[1.0, 1.0], &[1.0, 2.0, 0.5, 1.0, 3.0], &[1.0; 10]];
    let dt = 1.0 / 60.0;
    for pair in fifth(1) {
        let name = pair.name();
        let h = dt / f64::from(pair.parameters(&json!({})).substeps);
        for masses in chains {
            let mut world = equilibrium(&pair, masses, h);
            // ten equal links contract by cos²(π/20) = 0.9755 per sweep: 1e-14 after 1300
            let exact = pair.with_sweeps(3000, steady());
            run(pair.build(&exact).as_mut(), &mut world, dt, 1);
            let expected = tensions(masses, GRAVITY);
            let check = |world: &World, h: f64, tolerance: f64, when: &str| {
                for (joint, tension) in expected.iter().enumerate() {
                    let impulse = world.joints()[joint].impulses()[0];
                    let error = (impulse + tension * h).abs() / (tension * h);
                    assert!(error < tolerance, "{name} {when}: link {joint}, {error:e}");
                    let force = world.reaction(joint, 1).expect("a reaction").force;
                    let pull = Vector3::new(0.0, *tension, 0.0);
                    let error = (force - pull).norm() / tension;
                    assert!(error < tolerance, "{name} {when}: {force:?} {tension}");
                }
                assert!(fastest(world) < tolerance, "{name} {when}");
            };
            check(&world, h, pair.tolerance(1e-11, 1e-5), "solved");
            // one sweep keeps it, with a fresh solver, and with other steps
            let single = pair.with_sweeps(1, steady());
            let mut scheme = pair.build(&single);
            run(scheme.as_mut(), &mut world, dt, 5);
            check(&world, h, pair.tolerance(1e-11, 1e-5), "one sweep");
            // in f32 `tgs-sticky`, which recovers β = 0.8 of the error, leaves 5e-4 under
            // `wide-pgs`
            for factor in [0.5, 2.0, 1.7, 0.3] {
                run(scheme.as_mut(), &mut world, factor * dt, 3);
                check(
                    &world,
                    factor * h,
                    pair.tolerance(1e-10, 2e-3),
                    "another step",
                );
            }
        }
    }
}

#[test]
fn an_unscaled_warm_start_is_no_fixed_point_when_the_step_changes() {
    let masses = [1.0, 1.0, 1.0];
    let dt = 1.0 / 60.0;
    let mut checked = 0;
    for pair in pairs() {
        // a sweep of staggered is twenty sweeps of its two problems
        if solves_at_once(&pair.solver) || pair.solver.descriptor.id == "staggered" {
            // it does not care what it starts from
            continue;
        }
        let h = dt / f64::from(pair.parameters(&json!({})).substeps);
        let mut world = equilibrium(&pair, &masses, h);
        let exact = pair.with_sweeps(1000, steady());
        run(pair.build(&exact).as_mut(), &mut world, dt, 1);
        let mut single = pair.with_sweeps(1, steady());
        single["warm_start"] = json!("on");
        run(pair.build(&single).as_mut(), &mut world, 0.5 * dt, 1);
        let name = pair.name();
        // a share of what gravity does in a substep: the sweeps of four substeps already repair
        // most of it, and `tgs-soft` with ζ = 1 leaves the least, 7.3e-3 of `pgs` and 1.8e-3 of
        // sweeps there and back
        let share = fastest(&world) / (GRAVITY * h);
        assert!(share > 1e-4, "{name}: {share:e}");
        checked += 1;
    }
    assert!(checked >= 9 * 5, "{checked}");
}

/// Links between two fixed points one metre apart, with the inner joints at `inner`.
fn suspended(inner: &[[f64; 2]], length: f64, mass: f64, damping: f64) -> World {
    let mut parts = WorldParts {
        gravity: Vector3::new(0.0, -GRAVITY, 0.0),
        ..WorldParts::default()
    };
    let left = parts.body(Body::fixed(Vector3::zeros()));
    let right = parts.body(Body::fixed(Vector3::x()));
    let link = length / (inner.len() + 1) as f64;
    let mut last = left;
    for [x, y] in inner {
        let mut body = Body::dynamic(Inertia::point(mass), Vector3::new(*x, *y, 0.0));
        body.linear_damping = damping;
        let next = parts.body(body);
        parts.joint(rod([last, next], link));
        last = next;
    }
    parts.joint(rod([last, right], link));
    parts.build().expect("a valid chain")
}

#[test]
fn hanging_shapes_are_rests_with_the_tensions_of_their_slopes() {
    let mut refused = BTreeSet::new();
    let (mass, dt) = (0.4, 1.0 / 120.0);
    for (links, length) in [(4, 1.5), (10, 1.5), (20, 1.5), (7, 2.0)] {
        let joints = hanging_shape(links, length, 1.0).expect("a shape");
        let inner = &joints[1..links];
        for pair in fifth(2) {
            let mut world = suspended(inner, length, mass, 0.0);
            if !pair.accepts(&world, &mut refused) {
                continue;
            }
            // stretching links would move the shape: only the rigid statics are those of (O.11)
            let changes = pair.with_sweeps(2000, unstabilized());
            let h = dt / f64::from(pair.parameters(&changes).substeps);
            run(pair.build(&changes).as_mut(), &mut world, dt, 2);
            let name = format!("{}, {links} links", pair.name());
            let speed = fastest(&world);
            assert!(speed < pair.tolerance(1e-10, 1e-5), "{name}: {speed:e} m/s");
            let slope =
                |i: usize| (joints[i + 1][1] - joints[i][1]) / (joints[i + 1][0] - joints[i][0]);
            let horizontal = mass * GRAVITY / (slope(1) - slope(0));
            for (link, joint) in world.joints().iter().enumerate() {
                let s = slope(link);
                let tension = horizontal * (1.0 + s * s).sqrt();
                let error = (joint.impulses()[0] + h * tension).abs() / (h * tension);
                assert!(
                    error < pair.tolerance(1e-9, 1e-5),
                    "{name}, link {link}: {error:e}"
                );
            }
        }
    }
    // twenty links are more rows than total enumeration takes
    assert_eq!(refused, BTreeSet::from(["enumeration"]));
}

#[test]
fn a_damped_chain_settles_in_the_hanging_shape() {
    let links = 10;
    let half = 0.75_f64;
    let depth = (half * half - 0.25).sqrt();
    // two straight halves, far from the equilibrium
    let inner: Vec<[f64; 2]> = (1..links)
        .map(|joint| {
            let along = joint as f64 / links as f64;
            [along, -depth * (1.0 - (2.0 * along - 1.0).abs())]
        })
        .collect();
    let mut settled = 0;
    let base = |pair: &&Pair| pair.scheme.descriptor.id == "pgs-baumgarte";
    for pair in pairs().iter().filter(base) {
        if !["dense-direct", "dantzig", "block-gs", "pgs"].contains(&pair.solver.descriptor.id) {
            continue;
        }
        let mut world = suspended(&inner, 1.5, 1.0, 4.0);
        let changes = pair.with_sweeps(300, json!({}));
        run(pair.build(&changes).as_mut(), &mut world, 1.0 / 120.0, 2400);
        let shape: Vec<[f64; 2]> = world.bodies()[2..]
            .iter()
            .map(|b| b.position.to_vector())
            .map(|p| [p.x, p.y])
            .collect();
        let expected = sag(&hanging_shape(links, 1.5, 1.0).expect("a shape"));
        let found = sag(&shape);
        let name = pair.name();
        assert!((found - expected).abs() < 1e-8, "{name}: {found}");
        assert!(fastest(&world) < 1e-8, "{name}");
        settled += 1;
    }
    assert_eq!(settled, 4);
}

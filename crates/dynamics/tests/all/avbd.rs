//! AVBD against closed forms: tensions of the hanging chain, towers at rest, springs, friction.

use crate::position_level::*;
use delassus_core::Softness;
use delassus_dynamics::constraints::Rope;
use delassus_dynamics::{
    Avbd, AvbdParameters, Body, ContactLaw, Inertia, Joint, PositionScheme, Scheme, Signal, World,
};
use nalgebra::Vector3;

const FRAME: f64 = 1.0 / 60.0;

fn avbd(change: impl FnOnce(&mut AvbdParameters)) -> Avbd {
    let mut parameters = AvbdParameters::default();
    change(&mut parameters);
    Avbd::new(parameters).unwrap()
}

/// Largest relative error of the tensions of a chain, and its largest stretch \[m\].
fn hang(masses: &[f64], iterations: u32, post_stabilize: bool) -> (f64, f64) {
    let damping = 2.0;
    let mut world = chain(masses, 0.1, -Vector3::y(), damping);
    let mut scheme = avbd(|p| {
        p.iterations = iterations;
        p.post_stabilize = post_stabilize;
    });
    run(&mut scheme, &mut world, 600, FRAME);
    let mut worst: f64 = 0.0;
    for link in 0..masses.len() {
        // implicit damping scales the weight that a step adds to a body at rest
        let load = masses[link..].iter().sum::<f64>() * GRAVITY / (1.0 + FRAME * damping);
        let tension = world.reaction(link, 0).unwrap().force.y;
        worst = worst.max((-tension / load - 1.0).abs());
    }
    (worst, largest(&errors(&world)))
}

#[test]
fn tensions_of_the_hanging_chain_are_the_weights_below() {
    // O12: T_i = (n − i + 1) m g; the tensions are those that the bodies are in balance with, at
    // any accuracy of C
    for tip in [1.0, 100.0] {
        let mut masses = [1.0; 10];
        masses[9] = tip;
        let found = [10, 40, 160].map(|iterations| hang(&masses, iterations, false));
        for pair in found.windows(2) {
            assert!(pair[1].0 < pair[0].0, "tension {found:?}");
            assert!(pair[1].1 < 0.5 * pair[0].1, "stretch {found:?}");
        }
        assert!(found[2].0 < 2e-5, "{found:?}");
        // the one sweep of stabilisation of each step works its way along the chain
        let (tension, stretch) = hang(&masses, 40, true);
        assert!(tension < 1e-9 && stretch < 2e-3, "{tension} {stretch}");
    }
}

#[test]
fn the_stretch_that_stays_is_the_decay_of_the_multiplier() {
    // one iteration at rest: λ = αγλ + k(C − αC), so that k(1 − α)C = (1 − αγ)λ; k is held at its
    // largest
    let (alpha, gamma, k) = (0.95, 0.98, 1e5);
    let mut world = chain(&[2.0], 1.0, -Vector3::y(), 0.0);
    let mut scheme = avbd(|p| {
        (p.alpha, p.gamma, p.iterations) = (alpha, gamma, 1);
        (p.penalty_min, p.penalty_max) = (k, k);
    });
    run(&mut scheme, &mut world, 2000, FRAME);
    let weight = 2.0 * GRAVITY;
    let wanted = (1.0 - alpha * gamma) * weight / (k * (1.0 - alpha));
    let found = errors(&world)[0];
    assert!((found / wanted - 1.0).abs() < 1e-9, "{found} {wanted}");
    let tension = world.reaction(0, 1).unwrap().force.y;
    assert!((tension / weight - 1.0).abs() < 1e-9, "{tension}");
}

#[test]
fn a_tower_rests_and_the_ground_bears_its_weight() {
    let rest = |post_stabilize: bool, masses: &[f64]| {
        let mut world = tower(masses, 0.5);
        let mut scheme = avbd(|p| p.post_stabilize = post_stabilize);
        run(&mut scheme, &mut world, 180, FRAME);
        let speed = |body: &Body| body.velocity.norm() + body.spin.norm();
        let fastest = world.bodies().iter().map(speed).fold(0.0, f64::max);
        let ground = &world.manifolds()[0];
        let normals = ground.impulses().chunks_exact(3).map(|row| row[0]);
        let weight = masses.iter().sum::<f64>() * GRAVITY;
        let load = normals.sum::<f64>() / FRAME / weight - 1.0;
        let top = world.bodies()[masses.len()].position.to_vector();
        (
            fastest,
            load.abs(),
            (top.y + 0.5 - masses.len() as f64).abs(),
        )
    };
    let (speed, load, sag) = rest(false, &[1.0; 5]);
    assert!(
        speed < 1e-3 && load < 2e-3 && sag < 5e-3,
        "{speed} {load} {sag}"
    );
    let (speed, load, sag) = rest(true, &[1.0; 5]);
    assert!(
        speed < 1e-12 && load < 1e-12 && sag < 1e-5,
        "{speed} {load} {sag}"
    );
    let (speed, load, sag) = rest(true, &[1.0, 100.0]);
    assert!(
        speed < 1e-3 && load < 1e-3 && sag < 1e-2,
        "{speed} {load} {sag}"
    );
}

#[test]
fn a_spring_is_the_implicit_euler_recurrence_once_its_penalty_is_its_stiffness() {
    for softness in softnesses() {
        for substeps in [1, 4] {
            let make = |substeps: u32| -> Box<dyn Scheme> {
                Box::new(avbd(|p| {
                    p.substeps = substeps;
                    // above every stiffness, so that each spring starts with its own
                    p.penalty_min = 1e8;
                }))
            };
            assert_recurrence(softness, make, substeps);
        }
    }
}

#[test]
fn a_spring_that_starts_too_soft_grows_to_its_stiffness() {
    let stiffness = 400.0;
    let mut parts = chain(&[2.0], 1.0, -Vector3::y(), 0.0).into_parts();
    parts.joints[0].softness = Softness::Spring {
        stiffness,
        damping: 20.0,
    };
    let mut world = parts.build().unwrap();
    let mut scheme = avbd(|_| {});
    run(&mut scheme, &mut world, 600, FRAME);
    let sag = errors(&world)[0];
    let wanted = 2.0 * GRAVITY / stiffness;
    assert!((sag / wanted - 1.0).abs() < 1e-9, "{sag} {wanted}");
}

#[test]
fn the_pendulum_gains_no_energy_and_loses_it_in_proportion_to_the_step() {
    let lost = |substeps: u32| {
        let mut world = chain(&[1.0], 1.0, Vector3::x(), 0.0);
        let start = world.energy().total();
        let mut scheme = avbd(|p| {
            p.substeps = substeps;
            p.iterations = 20;
        });
        for _ in 0..60 {
            run(&mut scheme, &mut world, 1, FRAME);
            assert!(world.energy().total() < start + 1e-9);
            assert!(errors(&world)[0].abs() < 2e-3, "{:?}", errors(&world));
        }
        start - world.energy().total()
    };
    let losses = [8, 16, 32, 64].map(lost);
    for pair in losses.windows(2) {
        let order = libm::log2(pair[0] / pair[1]);
        assert!((0.85..1.15).contains(&order), "{losses:?}");
    }
}

#[test]
fn momentum_of_a_free_pair_is_kept_up_to_convergence() {
    let drift = |iterations: u32| {
        let mut world = spinning_pair();
        let start = world.momentum();
        let mut scheme = avbd(|p| p.iterations = iterations);
        run(&mut scheme, &mut world, 60, FRAME);
        (world.momentum().linear - start.linear).norm()
    };
    let drifts = [5, 20, 80, 320].map(drift);
    assert!(
        drifts[3] < 1e-6 && drifts[3] < 1e-2 * drifts[0],
        "{drifts:?}"
    );
}

#[test]
fn friction_holds_below_the_cone_and_slides_above_it() {
    for law in [ContactLaw::Disc, ContactLaw::Coulomb, ContactLaw::Pyramid] {
        let after = |angle: f64| {
            let mut world = slope(angle, 0.5, law);
            let mut scheme = avbd(|_| {});
            // the penalties start from nothing: the first frames slip a little
            run(&mut scheme, &mut world, 9, FRAME);
            let early = world.bodies()[1].velocity.x;
            run(&mut scheme, &mut world, 9, FRAME);
            let body = &world.bodies()[1];
            (body.position.to_vector().x, body.velocity.x - early)
        };
        // the edge is at 26.565°
        let (x, v) = after(0.45);
        assert!(x.abs() < 1e-3 && v.abs() < 1e-3, "{x} {v}");
        for angle in [0.55, 0.7] {
            let acceleration = GRAVITY * (libm::sin(angle) - 0.5 * libm::cos(angle));
            let error = after(angle).1 / (0.15 * acceleration) - 1.0;
            assert!(error.abs() < 5e-3, "{angle} {error}");
        }
    }
}

#[test]
fn a_block_that_sticks_does_not_creep() {
    for law in [ContactLaw::Disc, ContactLaw::Coulomb, ContactLaw::Pyramid] {
        let mut world = slope(0.35, 0.5, law);
        let mut scheme = avbd(|_| {});
        run(&mut scheme, &mut world, 300, FRAME);
        let before = world.bodies()[1].position.to_vector();
        run(&mut scheme, &mut world, 600, FRAME);
        let moved = world.bodies()[1].position.to_vector() - before;
        assert!(before.x < 0.02, "{law:?}: {before}");
        // a multiplier that fades and knows no slip lets it creep by millimetres per second
        assert!(moved.norm() < 1e-5, "{law:?}: {moved}");
        // pushed off, it forgets where it stuck
        let push = Vector3::new(-1.0, 0.0, 0.0);
        world.set_velocity(1, push, Vector3::zeros()).unwrap();
        run(&mut scheme, &mut world, 300, FRAME);
        let rest = world.bodies()[1].position.to_vector().x;
        assert!(rest < before.x - 0.01, "{law:?}: {rest}");
        assert!(world.bodies()[1].velocity.norm() < 1e-4, "{law:?}");
    }
}

#[test]
fn a_body_that_leaves_the_ground_is_not_held_back() {
    let mut world = tower(&[1.0], 0.5);
    let mut scheme = avbd(|_| {});
    run(&mut scheme, &mut world, 120, FRAME);
    let height = world.bodies()[1].position.to_vector().y;
    let push = Vector3::new(0.0, 2.0 * GRAVITY, 0.0);
    world.set_wrench(1, push, Vector3::zeros()).unwrap();
    run(&mut scheme, &mut world, 30, FRAME);
    // symplectic Euler at acceleration g
    let wanted = 0.5 * GRAVITY * 0.5 * (0.5 + FRAME);
    let risen = world.bodies()[1].position.to_vector().y - height;
    assert!((risen - wanted).abs() < 2e-3, "{risen} {wanted}");
}

#[test]
fn force_limits_motors_and_servos_do_as_told() {
    assert_force_limit(&mut avbd(|_| {}));
    let stiff = |p: &mut AvbdParameters| p.beta_angular = 1e5;
    assert_motor(&mut avbd(stiff));
    // a rigid row keeps the share α of its error in every step: 600 frames leave this much of the
    // 0.4 rad, up to the convergence of ten iterations that halve the error
    assert_servo(&mut avbd(stiff), 0.4 * libm::pow(0.99, 600.0) * 1.001);
}

#[test]
fn a_rope_pulls_and_never_pushes() {
    let mut parts = parts();
    let anchor = parts.body(Body::fixed(Vector3::zeros()));
    let load = Body::dynamic(Inertia::point(3.0), -0.5 * Vector3::y());
    let load = parts.body(load);
    parts.joint(Joint::new(Rope {
        bodies: [anchor, load],
        anchors: [Vector3::zeros(); 2],
        length: Signal::Constant(1.0),
    }));
    let mut world = parts.build().unwrap();
    let mut scheme = avbd(|_| {});
    run(&mut scheme, &mut world, 12, FRAME);
    let fall = 0.5 * GRAVITY * 0.2 * (0.2 + FRAME);
    let height = world.bodies()[1].position.to_vector().y;
    assert!((height + 0.5 + fall).abs() < 1e-9, "{height}");
    run(&mut scheme, &mut world, 600, FRAME);
    let body = &world.bodies()[1];
    let height = body.position.to_vector().y;
    assert!((height + 1.0).abs() < 5e-3, "{height}");
}

#[test]
fn repetition_gives_the_same_bits_and_another_world_starts_afresh() {
    let start = || chain(&[1.0, 50.0, 2.0], 0.3, Vector3::x(), 0.1);
    let hash = |scheme: &mut Avbd| {
        let mut world = start();
        run(scheme, &mut world, 60, FRAME);
        world.state_hash()
    };
    let mut scheme = avbd(|_| {});
    let first = hash(&mut scheme);
    assert_eq!(first, hash(&mut avbd(|_| {})));
    // the scheme remembers penalties of the world that it has just stepped, and drops them
    assert_eq!(first, hash(&mut scheme));
    let slid = || -> World {
        let mut world = slope(0.6, 0.4, ContactLaw::Disc);
        run(&mut avbd(|_| {}), &mut world, 20, FRAME);
        world
    };
    assert_eq!(slid().state_hash(), slid().state_hash());
}

#[test]
fn what_it_cannot_step_is_refused() {
    for law in [ContactLaw::Patch, ContactLaw::ConvexCone] {
        assert_refused(&mut avbd(|_| {}), slope(0.1, 0.5, law), "manifolds[0]");
    }
    let mut parts = slope(0.1, 0.5, ContactLaw::Disc).into_parts();
    parts.manifolds[0].restitution = 0.5;
    assert_refused(&mut avbd(|_| {}), parts.build().unwrap(), "restitution");
    assert_common_refusals(&mut avbd(|_| {}));
    let wrong = |change: fn(&mut AvbdParameters)| {
        let mut parameters = AvbdParameters::default();
        change(&mut parameters);
        Avbd::new(parameters).unwrap_err().parameter
    };
    assert_eq!(wrong(|p| p.iterations = 0), "iterations");
    assert_eq!(wrong(|p| p.substeps = 0), "substeps");
    assert_eq!(wrong(|p| p.alpha = 1.1), "alpha");
    assert_eq!(wrong(|p| p.gamma = f64::NAN), "gamma");
    assert_eq!(wrong(|p| p.beta_linear = -1.0), "beta_linear");
    assert_eq!(wrong(|p| p.beta_angular = f64::INFINITY), "beta_angular");
    assert_eq!(wrong(|p| p.penalty_min = 0.0), "penalty_min");
    assert_eq!(wrong(|p| p.penalty_max = 0.5), "penalty_max");
}

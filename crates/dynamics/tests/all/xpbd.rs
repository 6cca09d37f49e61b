//! XPBD against closed forms: the stretch of the hanging chain, springs, friction, restitution,
//! momentum.

use crate::position_level::*;
use delassus_dynamics::constraints::{Point, Rope};
use delassus_dynamics::{
    Body, ContactLaw, ContactPoint, Inertia, Joint, Manifold, PositionScheme, Scheme, Signal,
    StaticFriction, Xpbd, XpbdParameters,
};
use nalgebra::Vector3;

fn xpbd(substeps: u32, iterations: u32) -> Xpbd {
    Xpbd::new(XpbdParameters {
        substeps,
        iterations,
        ..XpbdParameters::default()
    })
    .unwrap()
}

#[test]
fn one_sweep_from_the_top_stretches_the_hanging_chain_by_the_weight_below() {
    // O13: C_i = (sum of the masses below) g h²/m_i
    let equal = [1.0; 10];
    let mut tipped = equal;
    tipped[9] = 100.0;
    let mixed = [2.0, 0.3, 5.0, 1.0, 0.7];
    let cases: [(&[f64], u32, f64); 4] = [
        (&equal, 1200, 6.13125e-5),
        (&equal, 60, 24.525e-3),
        (&tipped, 1200, 7.3575e-4),
        (&mixed, 300, f64::NAN),
    ];
    for (masses, rate, printed) in cases {
        let h = 1.0 / f64::from(rate);
        // damping brings the steady state sooner; at rest it scales the weight that a substep adds
        let damping = 8.0;
        let mut world = chain(masses, 1.0, -Vector3::y(), damping);
        run(&mut xpbd(1, 1), &mut world, 30 * rate, h);
        let stretch = errors(&world);
        let weight = GRAVITY / (1.0 + h * damping);
        for (link, mass) in masses.iter().enumerate() {
            let below: f64 = masses[link + 1..].iter().sum();
            let wanted = below * weight * h * h / mass;
            let error = (stretch[link] - wanted).abs();
            assert!(error <= 1e-9 * wanted.max(h * h), "{h} {link}: {error}");
        }
        if !printed.is_nan() {
            let found = largest(&stretch) * (1.0 + h * damping);
            assert!((found / printed - 1.0).abs() < 1e-9, "{found}");
        }
    }
}

#[test]
fn substeps_beat_sweeps_by_the_printed_figures() {
    let cases = [
        (1.0, 1, 20, 0.8552e-3),
        (1.0, 20, 1, 0.0613e-3),
        (100.0, 1, 20, 13.138e-3),
        (100.0, 20, 1, 0.9267e-3),
    ];
    for (tip, substeps, iterations, printed) in cases {
        let mut masses = [1.0; 10];
        masses[9] = tip;
        let mut world = chain(&masses, 0.1, -Vector3::y(), 0.0);
        run(&mut xpbd(substeps, iterations), &mut world, 120, 1.0 / 60.0);
        let found = largest(&errors(&world));
        let digit = if printed > 1e-2 { 1e-6 } else { 1e-7 };
        assert!(
            (found - printed).abs() <= 0.5 * digit,
            "{tip} {substeps}: {found}"
        );
    }
}

#[test]
fn a_spring_is_the_implicit_euler_recurrence() {
    for softness in softnesses() {
        assert_recurrence(softness, |n| Box::new(xpbd(n, 1)), 1);
        assert_recurrence(softness, |n| Box::new(xpbd(n, 3)), 4);
    }
}

#[test]
fn the_pendulum_keeps_its_rod_and_loses_energy_in_proportion_to_the_step() {
    let lost = |substeps: u32| {
        let mut world = chain(&[1.0], 1.0, Vector3::x(), 0.0);
        let start = world.energy().total();
        run(&mut xpbd(substeps, 1), &mut world, 60, 1.0 / 60.0);
        assert!(errors(&world)[0].abs() < 1e-5);
        start - world.energy().total()
    };
    let losses = [8, 16, 32, 64].map(lost);
    for pair in losses.windows(2) {
        let order = libm::log2(pair[0] / pair[1]);
        assert!(pair[1] > 0.0 && (0.9..1.1).contains(&order), "{losses:?}");
    }
}

#[test]
fn momentum_of_a_free_pair_is_kept_and_its_angular_part_to_first_order() {
    let drift = |substeps: u32| {
        let mut world = spinning_pair();
        let start = world.momentum();
        run(&mut xpbd(substeps, 1), &mut world, 60, 1.0 / 60.0);
        let change = world.momentum().linear - start.linear;
        assert!(change.norm() < 1e-12, "{change}");
        (world.momentum().angular - start.angular).norm()
    };
    let drifts = [4, 8, 16, 32].map(drift);
    for pair in drifts.windows(2) {
        let order = libm::log2(pair[0] / pair[1]);
        assert!((0.8..2.3).contains(&order), "{drifts:?}");
    }
}

#[test]
fn momentum_changes_by_what_comes_from_outside() {
    let mut world = chain(&[1.0, 3.0, 0.2], 0.4, Vector3::x(), 0.0);
    let mut scheme = xpbd(5, 2);
    for _ in 0..30 {
        let before = world.momentum().linear;
        let report = scheme.step(&mut world, 1.0 / 60.0, &mut ()).unwrap();
        let error = world.momentum().linear - before - report.external.linear;
        assert!(error.norm() < 1e-12, "{error}");
    }
}

#[test]
fn friction_holds_below_the_cone_and_slides_above_it() {
    for static_friction in [
        StaticFriction::Anchored,
        StaticFriction::Paper,
        StaticFriction::Clamped,
    ] {
        for law in [ContactLaw::Disc, ContactLaw::Coulomb] {
            let after = |angle: f64, iterations: u32| {
                let mut world = slope(angle, 0.5, law);
                let parameters = XpbdParameters {
                    static_friction,
                    iterations,
                    ..XpbdParameters::default()
                };
                let mut scheme = Xpbd::new(parameters).unwrap();
                run(&mut scheme, &mut world, 18, 1.0 / 60.0);
                let body = &world.bodies()[1];
                (body.position.to_vector().x, body.velocity.x)
            };
            // the edge is at 26.565°; one sweep over four corners is not converged, and the block
            // creeps
            let (x, v) = after(0.45, 1);
            assert!(
                x.abs() < 3e-3 && v.abs() < 5e-3,
                "{static_friction:?} {x} {v}"
            );
            let (x, v) = after(0.3, 8);
            assert!(
                x.abs() < 1e-5 && v.abs() < 1e-4,
                "{static_friction:?} {x} {v}"
            );
            for angle in [0.55, 0.7] {
                let acceleration = GRAVITY * (libm::sin(angle) - 0.5 * libm::cos(angle));
                let (_, v) = after(angle, 1);
                let error = v / (0.3 * acceleration) - 1.0;
                assert!(error.abs() < 0.03, "{static_friction:?} {angle} {error}");
            }
        }
    }
}

#[test]
fn a_ball_leaves_with_its_restitution_and_rests_without() {
    let drop = |restitution: f64| {
        let mut parts = parts();
        let ground = parts.body(Body::fixed(Vector3::zeros()));
        let ball = parts.body(Body::dynamic(Inertia::point(2.0), Vector3::y()));
        let point = ContactPoint {
            anchors: [Vector3::zeros(); 2],
            radii: [0.0; 2],
        };
        let law = ContactLaw::Frictionless;
        let mut manifold = Manifold::new([ground, ball], Vector3::y(), vec![point], 0.0, law);
        manifold.restitution = restitution;
        parts.manifolds.push(manifold);
        let mut world = parts.build().unwrap();
        let mut apex: f64 = 0.0;
        let mut hit = false;
        for _ in 0..60 {
            run(&mut xpbd(20, 1), &mut world, 1, 1.0 / 60.0);
            let body = &world.bodies()[1];
            hit |= body.velocity.y > 0.0 || body.position.to_vector().y < 1e-3;
            if hit {
                apex = apex.max(body.position.to_vector().y);
            }
        }
        apex
    };
    // an apex of e² times the height, less what the first-order integration loses
    assert!((drop(0.5) - 0.25).abs() < 0.01, "{}", drop(0.5));
    assert!(drop(0.0) < 1e-3, "{}", drop(0.0));
}

#[test]
fn towers_stand_and_tremble_less_with_more_sweeps() {
    let fastest = |cubes: usize, substeps: u32, iterations: u32| {
        let mut world = tower(&vec![1.0; cubes], 0.5);
        let mut scheme = xpbd(substeps, iterations);
        run(&mut scheme, &mut world, 180, 1.0 / 60.0);
        let top = world.bodies()[cubes].position.to_vector();
        let rest = Vector3::new(0.0, cubes as f64 - 0.5, 0.0);
        assert!((top - rest).norm() < 0.1, "{top}");
        let speeds = world.bodies().iter().map(|body| body.velocity.norm());
        speeds.fold(0.0, f64::max)
    };
    // without warm start a sweep leaves part of the weight to the next substep: corners open and
    // close in turn
    let few = [1, 3, 5].map(|cubes| fastest(cubes, 20, 1));
    assert!(few[0] < 1e-3 && few[1] < 5e-2 && few[2] < 0.5, "{few:?}");
    let many = [1, 3, 5].map(|cubes| fastest(cubes, 20, 20));
    assert!(
        many[0] < 1e-12 && many[1] < 1e-3 && many[2] < 3e-2,
        "{many:?}"
    );
}

#[test]
fn rows_of_a_joint_together_hold_it_better_than_one_after_the_other() {
    let drift = |block: bool| {
        let mut parts = parts();
        let pivot = parts.body(Body::fixed(Vector3::zeros()));
        let plank = cuboid(1.0, Vector3::new(1.0, 0.1, 0.2));
        let start = Vector3::new(0.5, 0.03, 0.0);
        let bar = parts.body(Body::dynamic(plank, start));
        parts.joint(Joint::new(Point {
            bodies: [pivot, bar],
            anchors: [Vector3::zeros(), -start],
        }));
        let mut world = parts.build().unwrap();
        let parameters = XpbdParameters {
            block,
            ..XpbdParameters::default()
        };
        let mut scheme = Xpbd::new(parameters).unwrap();
        let mut worst: f64 = 0.0;
        for _ in 0..60 {
            run(&mut scheme, &mut world, 1, 1.0 / 60.0);
            worst = worst.max(largest(&errors(&world)));
        }
        worst
    };
    let (together, apart) = (drift(true), drift(false));
    assert!(together < 1e-4 && apart < 1e-2, "{together} {apart}");
    assert!(together < 0.5 * apart, "{together} {apart}");
}

#[test]
fn force_limits_motors_and_servos_do_as_told() {
    assert_force_limit(&mut xpbd(4, 2));
    assert_motor(&mut xpbd(4, 2));
    assert_servo(&mut xpbd(4, 2), 1e-12);
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
    let mut scheme = xpbd(10, 1);
    run(&mut scheme, &mut world, 12, 1.0 / 60.0);
    // still free: 12 frames of fall, symplectic Euler
    let fall = 0.5 * GRAVITY * 0.2 * (0.2 + 1.0 / 600.0);
    let height = world.bodies()[1].position.to_vector().y;
    assert!((height + 0.5 + fall).abs() < 1e-12, "{height}");
    run(&mut scheme, &mut world, 120, 1.0 / 60.0);
    let body = &world.bodies()[1];
    assert!((body.position.to_vector().y + 1.0).abs() < 1e-9);
    let reaction = world.reaction(0, 1).unwrap().force;
    assert!((reaction.y - 3.0 * GRAVITY).abs() < 1e-6, "{reaction}");
}

#[test]
fn far_from_the_origin_it_moves_as_at_the_origin() {
    let offsets = [0.0, 1e7].map(|far| {
        let mut parts = chain(&[1.0, 2.0], 1.0, Vector3::x(), 0.0).into_parts();
        for body in &mut parts.bodies {
            body.position += Vector3::new(far, -far, far);
        }
        let mut world = parts.build().unwrap();
        run(&mut xpbd(20, 1), &mut world, 60, 1.0 / 60.0);
        world.bodies()[2].position - world.bodies()[0].position
    });
    let error = (offsets[0] - offsets[1]).norm();
    assert!(error < 1e-11, "{error}");
}

#[test]
fn repetition_gives_the_same_bits() {
    let hash = || {
        let mut world = slope(0.6, 0.4, ContactLaw::Disc);
        run(&mut xpbd(3, 2), &mut world, 20, 1.0 / 60.0);
        let mut other = chain(&[1.0, 50.0, 2.0], 0.3, Vector3::x(), 0.1);
        run(&mut xpbd(3, 2), &mut other, 60, 1.0 / 60.0);
        (world.state_hash(), other.state_hash())
    };
    assert_eq!(hash(), hash());
}

#[test]
fn what_it_cannot_step_is_refused() {
    for law in [
        ContactLaw::Pyramid,
        ContactLaw::Patch,
        ContactLaw::ConvexCone,
    ] {
        assert_refused(&mut xpbd(2, 1), slope(0.1, 0.5, law), "manifolds[0]");
    }
    assert_common_refusals(&mut xpbd(2, 1));
    let wrong = |parameters: XpbdParameters| Xpbd::new(parameters).unwrap_err().parameter;
    let base = XpbdParameters::default;
    assert_eq!(
        wrong(XpbdParameters {
            substeps: 0,
            ..base()
        }),
        "substeps"
    );
    assert_eq!(
        wrong(XpbdParameters {
            iterations: 0,
            ..base()
        }),
        "iterations"
    );
    let threshold = Some(f64::NAN);
    let bad = XpbdParameters {
        restitution_threshold: threshold,
        ..base()
    };
    assert_eq!(wrong(bad), "restitution_threshold");
}

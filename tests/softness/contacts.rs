//! Soft contacts: sag of a stack, recovery of an overlap, and the control that softens nothing (O3,
//! O5, O6).

use std::f64::consts::TAU;

use delassus_core::{Softness, Solver};
use delassus_dynamics::constraints::MinDistance;
use delassus_dynamics::{
    Body, ContactLaw, ContactPoint, Inertia, Joint, Manifold, Scheme, Signal, Stabilization,
    VelocityParameters, VelocityScheme, WarmStart, World, WorldParts,
};
use delassus_solver_si::Psor;
use nalgebra::Vector3;

use super::{Relaxation, TOLERANCE, bare, frequency, scheme};

/// Boxes of 1 kg on each other: point masses whose contacts keep them 1 m apart.
fn stack(n: usize, contacts: Option<Softness>) -> World {
    let mut parts = WorldParts {
        gravity: Vector3::new(0.0, -9.81, 0.0),
        ..WorldParts::default()
    };
    parts.body(Body::fixed(Vector3::zeros()));
    for level in 1..=n {
        let at = Vector3::new(0.0, level as f64, 0.0);
        parts.body(Body::dynamic(Inertia::point(1.0), at));
        let bodies = [level - 1, level];
        match contacts {
            // springs of the scene that push only
            Some(softness) => {
                let strut = MinDistance {
                    bodies,
                    anchors: [Vector3::zeros(); 2],
                    length: Signal::Constant(1.0),
                };
                parts.joint(Joint::new(strut).soft(softness));
            }
            // contacts that the scheme makes soft
            None => parts.manifolds.push(Manifold::new(
                bodies,
                Vector3::y(),
                vec![ContactPoint {
                    anchors: [Vector3::zeros(); 2],
                    radii: [0.5; 2],
                }],
                0.0,
                ContactLaw::Frictionless,
            )),
        }
    }
    parts.build().unwrap()
}

#[test]
fn o3_a_stack_sags_most_in_its_second_contact() {
    for (n, hertz, zeta, h) in [
        (5, 10.0, 1.0, 1.0 / 60.0),
        (5, 10.0, 0.5, 1.0 / 120.0),
        (3, 4.0, 2.0, 1.0 / 60.0),
    ] {
        let soft = VelocityParameters {
            stabilization: Stabilization::Soft,
            contact_hertz: hertz,
            contact_damping_ratio: zeta,
            contact_hertz_limit: 0.5,
            static_hertz_factor: 1.0,
            sweeps: 20,
            ..VelocityParameters::default()
        };
        let springs = VelocityParameters {
            sweeps: 20,
            ..bare()
        };
        for (id, contacts, parameters) in [
            ("dantzig", None, soft.clone()),
            ("pgs", None, soft),
            ("dantzig", Some(frequency(hertz, zeta)), springs),
        ] {
            let mut world = stack(n, contacts);
            let mut scheme = scheme(id, parameters);
            while world.time() < 40.0 {
                scheme.step(&mut world, h, &mut ()).unwrap();
            }
            let omega = TAU * hertz;
            for contact in 0..n {
                let above = (n - contact) as f64;
                let mass = if contact == 0 { 1.0 } else { 0.5 };
                let expected = above * 9.81 / (mass * omega * omega);
                let [a, b] = [contact, contact + 1].map(|i| world.bodies()[i].position);
                let sag = 1.0 - (b - a).y;
                // 1 − distance of 1 m keeps 2e-16 m of a sag above 3e-3 m
                assert!(
                    (sag - expected).abs() < TOLERANCE * expected,
                    "{id}, contact {contact}: {sag}, not {expected}"
                );
                let impulse = match contacts {
                    Some(_) => world.joints()[contact].impulses()[0],
                    None => world.manifolds()[contact].impulses()[0],
                };
                let load = above * 9.81;
                assert!((impulse / h - load).abs() < 1e-11 * load);
            }
        }
    }
}

/// A point mass of 2 kg that overlaps a plane by `depth`.
fn overlap(depth: f64, speed: f64) -> World {
    let mut parts = WorldParts::default();
    parts.body(Body::fixed(Vector3::zeros()));
    let body = Body::dynamic(Inertia::point(2.0), Vector3::new(0.0, -depth, 0.0));
    parts.body(body.moving(speed * Vector3::y(), Vector3::zeros()));
    parts.manifolds.push(Manifold::new(
        [0, 1],
        Vector3::y(),
        vec![ContactPoint {
            anchors: [Vector3::zeros(); 2],
            radii: [0.0; 2],
        }],
        0.0,
        ContactLaw::Frictionless,
    ));
    parts.build().unwrap()
}

#[test]
fn o5_deep_overlaps_recover_at_the_clamped_speed() {
    for (hertz, zeta, h, fastest) in [
        (30.0, 10.0, 1.0 / 240.0, 3.0),
        (10.0, 2.0, 1.0 / 60.0, 0.5),
        (5.0, 1.0, 0.01, 1.0),
    ] {
        let parameters = VelocityParameters {
            stabilization: Stabilization::Soft,
            contact_hertz: hertz,
            contact_damping_ratio: zeta,
            contact_hertz_limit: 0.5,
            static_hertz_factor: 1.0,
            max_push_speed: Some(fastest),
            sweeps: 1,
            ..VelocityParameters::default()
        };
        let omega = TAU * hertz;
        let c = h * omega * (2.0 * zeta + h * omega);
        let (mass_scale, impulse_scale) = (c / (1.0 + c), 1.0 / (1.0 + c));
        let rate = omega / (2.0 * zeta + h * omega);
        for id in ["pgs", "dantzig"] {
            let mut world = overlap(1.0, -0.2);
            let mut scheme = scheme(id, parameters.clone());
            let (mut depth, mut v, mut clamped, mut free) = (1.0, -0.2, 0, 0);
            for step in 0..400 {
                scheme.step(&mut world, h, &mut ()).unwrap();
                if depth > 0.0 {
                    // the row pushes towards the wanted speed and never pulls back
                    let wanted = (rate * depth).min(fastest);
                    clamped += usize::from(rate * depth > fastest);
                    free += usize::from(v > wanted);
                    v = v.max(impulse_scale * v + mass_scale * wanted);
                } else {
                    free += 1;
                }
                depth -= h * v;
                let body = &world.bodies()[1];
                let error =
                    (body.velocity.y - v).abs() + (body.position.to_vector().y + depth).abs();
                assert!(error < TOLERANCE * 10.0, "{id}, step {step}: {error}");
                if clamped == step + 1 {
                    // geometrically to the clamped speed (S.9)
                    let left = libm::pow(impulse_scale, clamped as f64);
                    let expected = fastest - left * (fastest + 0.2);
                    assert!((v - expected).abs() < TOLERANCE * fastest);
                }
            }
            // all three parts of the motion are in the run
            assert!(clamped > 5 && clamped < 395 && free > 0, "{clamped} {free}");
        }
    }
}

#[test]
fn o6_tau_and_damping_rescale_the_bias_and_soften_nothing() {
    let (tau, depth, h, mass) = (0.3, 0.01, 1.0 / 60.0, 2.0);
    for (delta, printed) in [(0.5, 0.36), (1.0, 0.18), (1.5, 0.12), (0.8, 0.225)] {
        for sweeps in [1, 2, 3, 7, 200] {
            for speed in [0.0, -0.4] {
                // the iteration as the program had it: impulse = mass (τ depth/h − δ v)
                let mut v = speed;
                for _ in 0..sweeps {
                    v += (mass * (tau * depth / h - delta * v)) / mass;
                }
                let parameters = VelocityParameters {
                    stabilization: Stabilization::TauDamping,
                    beta: tau,
                    damping: delta,
                    warm_start: WarmStart::Off,
                    sweeps,
                    ..VelocityParameters::default()
                };
                let psor = Psor::new(Relaxation {
                    omega: delta,
                    ..Relaxation::default()
                });
                let mut scheme = VelocityScheme::new(parameters, Box::new(psor.unwrap())).unwrap();
                let mut world = overlap(depth, speed);
                scheme.step(&mut world, h, &mut ()).unwrap();
                let found = world.bodies()[1].velocity.y;
                assert!(
                    (found - v).abs() < TOLERANCE,
                    "δ {delta}, {sweeps} sweeps: {found} {v}"
                );
                // the error shrinks by |1 − δ| per sweep (S.10)
                let fixed = tau / delta * depth / h;
                let left = libm::pow(1.0 - delta, f64::from(sweeps)) * (speed - fixed);
                assert!((v - fixed - left).abs() < TOLERANCE);
                if sweeps == 200 {
                    assert!((found - printed).abs() < TOLERANCE);
                }
            }
        }
    }
}

//! What the laws of friction do to bodies in motion.

use delassus_core::ContactLaw;
use delassus_dynamics::{Body, Collider, Cuboid, Cylinder, Inertia, Material, Sphere};
use nalgebra::Vector3;

use super::{G, accurate, add, frames, plane, run};

#[test]
fn o25_a_spinning_ring_of_points_stops_as_its_radius_says() {
    // four points at the rim: torque μ m g R against m R²/2, for points and for a patch with their
    // levers
    let (radius, spin, mu) = (0.5, 20.0, 0.3);
    for law in [ContactLaw::Coulomb, ContactLaw::Disc, ContactLaw::Patch] {
        let mut parts = plane(0.0, law);
        let disc = Cylinder::new(0.02, radius);
        let body = add(&mut parts, disc, 0.02, Material::rough(mu));
        parts.bodies[body].spin.y = spin;
        let mut world = parts.build().unwrap();
        let (dt, frames) = (1e-3, 400);
        run(&mut world, &mut accurate(|_| {}), dt, frames);
        let time = dt * frames as f64;
        let expected = spin - 2.0 * mu * G / radius * time;
        let found = world.bodies()[body].spin.y;
        assert!(
            (found - expected).abs() < 1e-3 * spin,
            "{law:?}: {found} {expected}"
        );
    }
}

#[test]
fn o25_sliding_and_spinning_are_coupled_by_points_and_not_by_a_patch() {
    let (radius, mu) = (0.5, 0.3);
    let (speed, spin) = (1.0, 10.0);
    let mut stops = Vec::new();
    for law in [ContactLaw::Coulomb, ContactLaw::Patch] {
        let mut parts = plane(0.0, law);
        let body = add(
            &mut parts,
            Cylinder::new(0.02, radius),
            0.02,
            Material::rough(mu),
        );
        parts.bodies[body].velocity.x = speed;
        parts.bodies[body].spin.y = spin;
        let mut world = parts.build().unwrap();
        let mut scheme = accurate(|_| {});
        let (mut slides, mut spins) = (0.0_f64, 0.0_f64);
        for _ in 0..3000 {
            run(&mut world, &mut scheme, 1e-3, 1);
            let body = &world.bodies()[body];
            slides += if body.velocity.norm() > 1e-3 {
                1e-3
            } else {
                0.0
            };
            spins += if body.spin.norm() > 1e-2 { 1e-3 } else { 0.0 };
        }
        stops.push((slides, spins));
    }
    let (slides, spins) = stops[0];
    // both end together, later than either would alone
    assert!((slides - spins).abs() < 0.05, "{stops:?}");
    assert!(slides > speed / (mu * G) + 0.1, "{stops:?}");
    let (slides, spins) = stops[1];
    assert!((slides - speed / (mu * G)).abs() < 5e-3, "{stops:?}");
    assert!(
        (spins - spin * radius / (2.0 * mu * G)).abs() < 5e-3,
        "{stops:?}"
    );
}

#[test]
fn o28_the_convex_relaxation_lifts_what_slides_and_coulombs_law_does_not() {
    for (mu, dt, speed) in [(0.5, 0.01, 4.0), (0.3, 0.005, 3.0)] {
        for law in [ContactLaw::ConvexCone, ContactLaw::Coulomb] {
            let mut parts = plane(0.0, law);
            let body = add(
                &mut parts,
                Cuboid::new(1.0, 0.05, 1.0),
                0.05,
                Material::rough(mu),
            );
            parts.bodies[body].velocity.x = speed;
            parts.bodies[body].lock_rotation = [true; 3];
            let mut world = parts.build().unwrap();
            let mut scheme = accurate(|_| {});
            run(&mut world, &mut scheme, dt, 1);
            let after = world.bodies()[body].velocity;
            if law == ContactLaw::Coulomb {
                assert!((after.x - (speed - mu * G * dt)).abs() < 1e-9, "{after}");
                assert!(after.y.abs() < 1e-9, "{after}");
                continue;
            }
            let expected = (speed - mu * G * dt) / (1.0 + mu * mu);
            assert!((after.x - expected).abs() < 1e-6, "{after} {expected}");
            assert!((after.y - mu * after.x).abs() < 1e-6, "{after}");
            // after that flight it hovers at μ h v, and is braked by μ g
            let flight = 2.0 * mu * speed / G;
            run(&mut world, &mut scheme, dt, frames(1.5 * flight, dt));
            let start = world.bodies()[body].velocity.x;
            let steps = 10;
            run(&mut world, &mut scheme, dt, steps);
            let body = &world.bodies()[body];
            let braking = (start - body.velocity.x) / (steps as f64 * dt);
            assert!((braking / (mu * G) - 1.0).abs() < 0.05, "{mu}: {braking}");
            let gap = body.position.to_vector().y - 0.05;
            let hover = mu * dt * body.velocity.x;
            assert!((gap / hover - 1.0).abs() < 0.1, "{mu}: {gap} {hover}");
        }
    }
}

#[test]
fn o20_the_tip_of_a_sliding_rod_has_the_impulse_of_its_closed_form() {
    // below the critical friction the rod slides on: λ_n = −b_n/(A_nn − μ A_nt), w_t > 0
    let (length, dt) = (1.0, 1e-3);
    for (mu, degrees) in [
        (0.5, 63.43494882292201_f64),
        (1.0, 63.43494882292201),
        (0.8, 40.0),
    ] {
        let (sine, cosine) = libm::sincos(degrees.to_radians());
        let mut parts = plane(0.0, ContactLaw::Coulomb);
        parts.gravity = Vector3::zeros();
        let moment = length * length / 3.0;
        let inertia = Inertia::new(1.0, Vector3::new(1e-3, moment, moment));
        let radius = 1e-6;
        // the lower tip lies at −x of the rod; impulses that push it along +x and up turn it
        // forward
        let rod = Body::dynamic(inertia, Vector3::new(0.0, length * sine + radius, 0.0));
        let rod = parts.body(rod.turned(super::turn(0.0, 0.0, degrees.to_radians())));
        parts.colliders[0].material = Material::rough(mu);
        let tip = Collider::new(rod, Sphere::new(radius)).at(Vector3::new(-length, 0.0, 0.0));
        parts.collider(tip.of(Material::rough(mu)));
        // the tip falls slowly and slides fast, such that friction drives it into the ground
        parts.bodies[rod].velocity = Vector3::new(-5.0, -0.05, 0.0);
        let mut world = parts.build().unwrap();
        run(&mut world, &mut accurate(|p| p.sweeps = 2000), dt, 1);
        let impulses = world.manifolds()[0].impulses();
        let a_nn = 1.0 + 3.0 * cosine * cosine;
        let a_nt = 3.0 * sine * cosine;
        let expected = 0.05 / (a_nn - mu * a_nt);
        assert!(
            (impulses[0] / expected - 1.0).abs() < 1e-5,
            "{mu}: {impulses:?} {expected}"
        );
        let friction = libm::hypot(impulses[1], impulses[2]);
        assert!(
            (friction / (mu * impulses[0]) - 1.0).abs() < 1e-9,
            "{impulses:?}"
        );
    }
}

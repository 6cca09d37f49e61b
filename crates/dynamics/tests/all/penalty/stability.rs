//! Steps that are stable and steps that are not; decay, energy and order.

use delassus_core::{ContactLaw, Fidelity, Softness};
use delassus_dynamics::{
    Body, ContactPoint, Inertia, Integration, Manifold, NormalForce, PenaltyParameters, Scheme,
    World, WorldParts,
};
use nalgebra::Vector3;

use super::{G, MASS, height, plain, scheme, steps, tower};

const STIFFNESS: f64 = 1000.0;

fn damped(integration: Integration, damping: f64) -> PenaltyParameters {
    PenaltyParameters {
        contact_stiffness: STIFFNESS,
        contact_damping: damping,
        ..plain(integration)
    }
}

/// Heights at which a tower rests.
fn resting(count: u32) -> Vec<f64> {
    let mut height = 0.0;
    let above = |level| f64::from(count - level);
    (0..count)
        .map(|level| {
            height -= above(level) * MASS * G / STIFFNESS;
            height
        })
        .collect()
}

/// How much a small push of the top grows in many steps of h \[s\].
fn growth(count: u32, parameters: &PenaltyParameters, h: f64, number: usize) -> f64 {
    let rest = resting(count);
    let mut world = tower(&rest, 0.0);
    let small = 1e-9;
    let top = rest.len();
    world
        .set_velocity(top, small * Vector3::y() / h, Vector3::zeros())
        .unwrap();
    let mut scheme = scheme(parameters);
    let mut largest = 0.0_f64;
    for _ in 0..number {
        steps(&mut world, &mut scheme, h, 1);
        largest = 0.0;
        for (body, rest) in (1..).zip(&rest) {
            largest = largest.max((height(&world, body) - rest).abs());
        }
        if largest > 1e-4 {
            break;
        }
    }
    largest / small
}

/// (H.5): the longest step \[s\] of a mode of the eigenvalue λ = ω² of K/m, where D = (d/k) K.
fn limit(damping: f64, omega_squared: f64) -> f64 {
    let lag = damping / STIFFNESS;
    (lag * lag + 4.0 / omega_squared).sqrt() - lag
}

#[test]
fn one_contact_is_stable_up_to_its_limit_and_not_beyond() {
    let omega = (STIFFNESS / MASS).sqrt();
    for zeta in [0.0, 0.1, 0.5, 1.0, 3.0] {
        let damping = 2.0 * zeta * MASS * omega;
        let bound = limit(damping, omega * omega);
        // the same in the usual variables
        let usual = 2.0 * ((zeta * zeta + 1.0_f64).sqrt() - zeta) / omega;
        assert!((bound - usual).abs() < 1e-14, "{zeta}");
        let parameters = damped(Integration::Explicit, damping);
        let inside = growth(1, &parameters, bound * (1.0 - 1e-3), 20_000);
        let outside = growth(1, &parameters, bound * (1.0 + 1e-3), 20_000);
        assert!(inside < 100.0, "ζ = {zeta}: {inside}");
        assert!(outside > 1e4, "ζ = {zeta}: {outside}");
        if zeta > 0.0 {
            assert!(inside < 1e-2, "ζ = {zeta}: {inside}");
        }
    }
}

#[test]
fn a_tower_is_stable_up_to_the_limit_of_its_fastest_mode() {
    for count in [2_u32, 5, 9] {
        let angle = f64::from(2 * count - 1) / f64::from(2 * (2 * count + 1));
        let sine = libm::sin(std::f64::consts::PI * angle);
        let omega_squared = 4.0 * STIFFNESS / MASS * sine * sine;
        for damping in [0.0, 2.0, 40.0] {
            let parameters = damped(Integration::Explicit, damping);
            let bound = limit(damping, omega_squared);
            let inside = growth(count, &parameters, bound * (1.0 - 1e-3), 20_000);
            let outside = growth(count, &parameters, bound * (1.0 + 1e-3), 20_000);
            assert!(inside < 200.0, "{count}, {damping}: {inside}");
            assert!(outside > 1e4, "{count}, {damping}: {outside}");
        }
    }
}

/// Height over the rest of one contact after n implicit steps (H.8).
fn implicit_euler(zeta: f64, omega: f64, h: f64, start: f64, n: i32) -> f64 {
    let a = h * omega;
    let free = (1.0 - zeta * zeta).sqrt();
    let modulus = 1.0 / (1.0 + 2.0 * zeta * a + a * a).sqrt();
    let angle = libm::atan2(a * free, 1.0 + zeta * a) * f64::from(n);
    let (sine, cosine) = libm::sincos(angle);
    start * libm::pow(modulus, f64::from(n)) * (cosine + zeta / free * sine)
}

#[test]
fn implicit_steps_of_any_length_decay_as_implicit_euler_does() {
    let omega = (STIFFNESS / MASS).sqrt();
    for zeta in [0.0, 0.2, 0.9] {
        let parameters = damped(Integration::Implicit, 2.0 * zeta * MASS * omega);
        for a in [0.01, 0.3, 2.0, 50.0, 1e4] {
            let h = a / omega;
            let rest = resting(1)[0];
            // rounding of the free fall of a step, which the contact takes back
            let fall = 1e-15 * G * h * h;
            // half of the sag: it stays in contact
            let start = 0.5 * rest;
            let mut world = tower(&[rest + start], 0.0);
            let mut scheme = scheme(&parameters);
            for n in 1..40 {
                steps(&mut world, &mut scheme, h, 1);
                let expected = implicit_euler(zeta, omega, h, start, n);
                let found = height(&world, 1) - rest;
                let error = (found - expected).abs();
                assert!(
                    error < 1e-12 * rest.abs() + fall,
                    "ζ {zeta}, hω {a}, {n}: {found}, {expected}"
                );
            }
        }
    }
}

/// Height and velocity of the only mass over its rest.
fn state(world: &World) -> (f64, f64) {
    (
        height(world, 1) - resting(1)[0],
        world.bodies()[1].velocity.y,
    )
}

#[test]
fn undamped_explicit_steps_keep_an_energy_near_the_energy() {
    let omega = (STIFFNESS / MASS).sqrt();
    let h = 0.5 / omega;
    let parameters = damped(Integration::Explicit, 0.0);
    let rest = resting(1)[0];
    let mut world = tower(&[1.5 * rest], 0.0);
    let mut scheme = scheme(&parameters);
    let kept = |(x, v): (f64, f64)| {
        let spring = omega * omega * x;
        0.5 * MASS * (v * v + spring * x - h * spring * v)
    };
    let start = kept(state(&world));
    for _ in 0..10_000 {
        steps(&mut world, &mut scheme, h, 1);
        let now = kept(state(&world));
        assert!((now - start).abs() < 1e-11 * start, "{now}, {start}");
    }
}

/// Position of a damped oscillator that starts at rest \[m\].
fn oscillator(zeta: f64, omega: f64, start: f64, t: f64) -> f64 {
    let free = (1.0 - zeta * zeta).sqrt();
    let (sine, cosine) = libm::sincos(free * omega * t);
    start * libm::exp(-zeta * omega * t) * (cosine + zeta / free * sine)
}

#[test]
fn both_integrations_are_of_first_order() {
    let (omega, zeta) = ((STIFFNESS / MASS).sqrt(), 0.1);
    let rest = resting(1)[0];
    for integration in [Integration::Explicit, Integration::Implicit] {
        let parameters = damped(integration, 2.0 * zeta * MASS * omega);
        let mut before = None;
        for number in [200, 400, 800, 1600] {
            let h = 0.25 / f64::from(number);
            let mut world = tower(&[1.5 * rest], 0.0);
            steps(&mut world, &mut scheme(&parameters), h, number as usize);
            let exact = oscillator(zeta, omega, 0.5 * rest, 0.25);
            let error = (state(&world).0 - exact).abs();
            if let Some(before) = before.replace(error) {
                let ratio: f64 = before / error;
                assert!((1.8..2.2).contains(&ratio), "{integration}: {ratio}");
            }
        }
    }
}

/// (H.2) along an impact: v/c − ln(1 + c v)/c² is as far from the spring energy at the end as at
/// the start.
fn potential(velocity: f64, dissipation: f64) -> f64 {
    (velocity - libm::log1p(dissipation * velocity) / dissipation) / dissipation
}

/// The speed with which a contact of Hunt and Crossley is left.
fn left(approach: f64, dissipation: f64) -> f64 {
    let (mut low, mut high) = (0.0, approach.min(1.0 / dissipation));
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if potential(-middle, dissipation) < potential(approach, dissipation) {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

#[test]
fn hunt_and_crossley_leave_with_the_speed_of_their_integral() {
    for dissipation in [0.1, 0.5, 2.0] {
        for integration in [Integration::Explicit, Integration::Implicit] {
            let parameters = PenaltyParameters {
                normal_force: NormalForce::HuntCrossley,
                contact_stiffness: STIFFNESS,
                contact_dissipation: dissipation,
                ..plain(integration)
            };
            let mut errors = Vec::new();
            for h in [1e-4, 5e-5, 2.5e-5] {
                let mut world = tower(&[1e-3], 0.0);
                world
                    .set_wrench(1, MASS * G * Vector3::y(), Vector3::zeros())
                    .unwrap();
                world
                    .set_velocity(1, -0.7 * Vector3::y(), Vector3::zeros())
                    .unwrap();
                let mut scheme = scheme(&parameters);
                while height(&world, 1) < 1.5e-3 {
                    steps(&mut world, &mut scheme, h, 1);
                }
                let speed = world.bodies()[1].velocity.y;
                errors.push((speed - left(0.7, dissipation)).abs());
            }
            assert!(errors[2] < 1e-3, "{integration}, {dissipation}: {errors:?}");
            assert!(
                errors[2] < 0.5 * errors[0],
                "{integration}, {dissipation}: {errors:?}"
            );
        }
    }
}

#[test]
fn contacts_push_and_never_pull() {
    let parameters = damped(Integration::Implicit, 50.0);
    for integration in [Integration::Implicit, Integration::Explicit] {
        let parameters = PenaltyParameters {
            integration,
            ..parameters.clone()
        };
        let mut world = tower(&[-1e-3], 0.0);
        // it leaves so fast that the damper would hold it back
        world
            .set_velocity(1, 3.0 * Vector3::y(), Vector3::zeros())
            .unwrap();
        steps(&mut world, &mut scheme(&parameters), 1e-3, 1);
        assert_eq!(
            world.bodies()[1].velocity.y,
            3.0 - G * 1e-3,
            "{integration}"
        );
        assert_eq!(world.manifolds()[0].impulses()[0], 0.0);
    }
}

#[test]
fn a_contact_that_the_scene_makes_soft_has_its_own_spring() {
    let softness = Softness::Frequency {
        hertz: 3.0,
        damping_ratio: 0.4,
    };
    let stiffness = MASS * (6.0 * std::f64::consts::PI).powi(2);
    for normal_force in [NormalForce::KelvinVoigt, NormalForce::HuntCrossley] {
        let parameters = PenaltyParameters {
            normal_force,
            ..plain(Integration::Implicit)
        };
        let law = ContactLaw::Frictionless;
        let point = ContactPoint {
            anchors: [Vector3::zeros(); 2],
            radii: [0.0; 2],
        };
        let mut parts = WorldParts {
            gravity: Vector3::new(0.0, -G, 0.0),
            ..WorldParts::default()
        };
        parts.body(Body::fixed(Vector3::zeros()));
        parts.body(Body::dynamic(Inertia::point(MASS), Vector3::zeros()));
        let contact = Manifold::new([0, 1], Vector3::y(), vec![point], 0.0, law);
        parts.manifolds.push(contact.soft(softness));
        let mut world = parts.build().unwrap();
        let mut scheme = scheme(&parameters);
        assert_eq!(scheme.check(&world), Ok(Fidelity::Exact));
        steps(&mut world, &mut scheme, 5e-3, 1000);
        let sag = -height(&world, 1);
        assert!((sag - MASS * G / stiffness).abs() < 1e-12, "{sag}");
    }
}

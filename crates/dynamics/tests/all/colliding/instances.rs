//! Further instances of kinds that once were wrong, with closed forms: impacts off the middle,
//! pipes on slopes, free tops, planes of motion, sliding under AVBD, large coefficients of
//! friction.

use delassus_core::ContactLaw;
use delassus_dynamics::{
    Avbd, AvbdParameters, Body, Collider, ContactPlace, Cuboid, Cylinder, Inertia, Material,
    PositionScheme, ShapeGeometry, SolveStop, Sphere, VelocityParameters, VelocityScheme, World,
    WorldParts, rotation,
};
use nalgebra::Vector3;

use super::{DT, G, accurate, add, block_gs, landing, plane, run, turn};

/// Two balls without gravity that meet off their middles: masses, radii, μ, e and the share of the
/// sum of the radii by which they pass each other.
#[test]
fn unequal_balls_leave_an_impact_as_its_closed_form_says() {
    for (masses, radii, mu, e, beside) in [
        ([1.7, 0.4], [0.21, 0.13], 0.04, 0.0, 0.6),
        ([0.3, 2.2], [0.1, 0.3], 0.7, 0.0, 0.45),
        ([1.1, 1.9], [0.25, 0.2], 0.12, 0.6, -0.35),
        ([5.0, 0.2], [0.3, 0.09], 1.3, 0.8, 0.2),
    ] {
        let reach: f64 = radii[0] + radii[1];
        let speed = 2.3;
        let across = beside * reach;
        let along = (reach * reach - across * across).sqrt();
        let mut parts = WorldParts {
            gravity: Vector3::zeros(),
            ..WorldParts::default()
        };
        parts.contacts.law = ContactLaw::Coulomb;
        let material = Material {
            restitution: e,
            ..Material::rough(mu)
        };
        // a little apart, on the line that they fly along
        let apart = along + 1.5e-5;
        for (side, place) in [Vector3::zeros(), Vector3::new(apart, across, 0.0)]
            .into_iter()
            .enumerate()
        {
            let ball = Sphere::new(radii[side]);
            let body = Body::dynamic(ball.solid(masses[side]).unwrap(), place);
            let body = parts.body(body);
            parts.collider(Collider::new(body, ball).of(material));
        }
        parts.bodies[0].velocity.x = speed;
        let spin = [6.0, -11.0];
        for (side, spin) in spin.into_iter().enumerate() {
            parts.bodies[side].spin.z = spin;
        }
        let mut world = parts.build().unwrap();
        let mut scheme = accurate(|p| p.restitution_threshold = 1e-3);
        run(&mut world, &mut scheme, 1e-5, 8);
        // n from the first to the second, t across it
        let n = Vector3::new(along, across, 0.0) / reach;
        let t = Vector3::new(-n.y, n.x, 0.0);
        let reduced = 1.0 / (1.0 / masses[0] + 1.0 / masses[1]);
        let approach = speed * n.x;
        let normal = reduced * (1.0 + e) * approach;
        // slip of the second against the first, and the mass of it: 2/7 for solid balls
        let slip = -speed * t.x - spin[0] * radii[0] - spin[1] * radii[1];
        let friction = (2.0 / 7.0 * reduced * slip).clamp(-mu * normal, mu * normal);
        let impulse = normal * n - friction * t;
        let expected = [
            Vector3::new(speed, 0.0, 0.0) - impulse / masses[0],
            impulse / masses[1],
        ];
        for side in 0..2 {
            let body = &world.bodies()[side];
            let lost = (body.velocity - expected[side]).norm();
            let inertia = 0.4 * masses[side] * radii[side] * radii[side];
            let turned = spin[side] + friction * radii[side] / inertia;
            let name = format!("{masses:?} {mu} {e}: {:?} {expected:?}", body.velocity);
            assert!(lost < 2e-4 * speed, "{name}");
            assert!(
                (body.spin.z - turned).abs() < 2e-3 * turned.abs(),
                "{name} {turned}"
            );
        }
    }
}

/// A pipe with I = k m r² that rolls up a slope and back: x = v t − g sin θ t²/(2 (1 + k)).
#[test]
fn pipes_roll_up_and_back_as_their_inertia_says_with_every_scheme() {
    for (k, slope, speed, radius) in [(0.83_f64, 0.21, 1.9, 0.12), (0.58, 0.33, 2.7, 0.31)] {
        for (name, mut scheme) in landing::schemes() {
            let mut parts = plane(slope, ContactLaw::Disc);
            let shape = Cylinder::new(0.2, radius);
            let body = add(&mut parts, shape, radius, Material::rough(0.9));
            let moment = k * 2.0 * radius * radius;
            parts.bodies[body].inertia =
                Inertia::new(2.0, Vector3::new(0.7 * moment, moment, 0.7 * moment));
            parts.bodies[body].orientation = turn(std::f64::consts::FRAC_PI_2, 0.0, 0.0);
            parts.bodies[body].velocity.x = -speed;
            parts.bodies[body].spin.z = speed / radius;
            let mut world = parts.build().unwrap();
            let rate = G * libm::sin(slope) / (1.0 + k);
            let time = 1.6 * speed / rate;
            let frames = super::frames(time, DT);
            run(&mut world, scheme.as_mut(), DT, frames);
            let time = frames as f64 * DT;
            let (way, end) = (
                -speed * time + 0.5 * rate * time * time,
                -speed + rate * time,
            );
            let found = &world.bodies()[body];
            let (place, velocity) = (found.position.to_vector().x, found.velocity.x);
            // steps of a frame are half a step of the weight ahead; springs and penalties sink
            let slack = 0.03 * speed;
            assert!(
                (velocity - end).abs() < slack && (place - way).abs() < slack * time,
                "{name}, k = {k}: {place} {way}, {velocity} {end}"
            );
        }
    }
}

/// A free symmetric top: R(t) = exp(t L/I₁) R₀ exp(t ω₃ (1 − I₃/I₁) e₃). The default free rotation
/// (T.51) finds it at any step, and keeps the momentum.
#[test]
fn a_free_symmetric_top_precesses_as_its_closed_form_says() {
    for (across, along, spin, start) in [
        (1.3, 0.4, Vector3::new(1.9, -0.7, 9.0), turn(0.4, 1.1, -0.3)),
        (
            0.2,
            0.37,
            Vector3::new(-0.8, 2.4, -6.0),
            turn(-1.4, 0.2, 2.0),
        ),
    ] {
        let inertia = Inertia::new(1.0, Vector3::new(across, across, along));
        let momentum = start * Vector3::new(across * spin.x, across * spin.y, along * spin.z);
        let time = 0.75;
        let body = rotation::exp(&Vector3::new(
            0.0,
            0.0,
            time * spin.z * (1.0 - along / across),
        ));
        let expected = rotation::exp(&(time / across * momentum)) * start * body;
        let error = |steps: u32| {
            let mut parts = WorldParts {
                gravity: Vector3::zeros(),
                ..WorldParts::default()
            };
            let top = Body::dynamic(inertia, Vector3::zeros()).turned(start);
            parts.body(top.moving(Vector3::zeros(), start * spin));
            let mut world = parts.build().unwrap();
            run(
                &mut world,
                &mut accurate(|_| {}),
                time / f64::from(steps),
                steps as usize,
            );
            let kept = (world.momentum().angular - momentum).norm() / momentum.norm();
            assert!(kept < 1e-12, "{kept:e}");
            world.bodies()[0].orientation.angle_to(&expected)
        };
        for steps in [45, 90, 300] {
            let error = error(steps);
            assert!(error < 1e-11, "{steps}: {error:e}");
        }
    }
}

/// A world in the plane y, z: a disc that lands sliding and spinning rolls with
/// (v + k r ω)/(1 + k), under every law of a point.
#[test]
fn a_disc_in_the_plane_of_y_and_z_rolls_as_planar_mechanics_say() {
    for law in [
        ContactLaw::Disc,
        ContactLaw::Coulomb,
        ContactLaw::Patch,
        ContactLaw::Pyramid,
        ContactLaw::ConvexCone,
    ] {
        for (radius, speed, spin, drop) in [(0.2, 1.4, 9.0, 0.0), (0.35, -0.9, -7.0, 0.13)] {
            let mut parts = plane(0.0, law);
            let shape = Cylinder::new(0.3, radius);
            let body = add(&mut parts, shape, radius + drop, Material::rough(0.4));
            let disc = &mut parts.bodies[body];
            disc.orientation = turn(0.0, 0.0, std::f64::consts::FRAC_PI_2);
            disc.lock_translation = [true, false, false];
            disc.lock_rotation = [false, true, true];
            disc.velocity.z = speed;
            disc.spin.x = spin;
            let mut world = parts.build().unwrap();
            run(&mut world, &mut accurate(|_| {}), DT, 150);
            let found = &world.bodies()[body];
            // v_z = ω_x r where it rolls
            let expected = (speed + 0.5 * radius * spin) / 1.5;
            let name = format!("{law:?}, radius {radius}: {:?} {expected}", found.velocity);
            // the convex relaxation presses while it slides: it lifts, and loses nothing
            let slack = if law == ContactLaw::ConvexCone {
                0.02
            } else {
                1e-6
            };
            assert!(
                (found.velocity.z - expected).abs() < slack * expected.abs(),
                "{name}"
            );
            assert!(
                (found.spin.x * radius - expected).abs() < slack * expected.abs(),
                "{name}"
            );
            assert_eq!(
                [found.velocity.x, found.spin.y, found.spin.z],
                [0.0; 3],
                "{name}"
            );
        }
    }
}

/// Blocks that AVBD slides stop on the line of their start, v²/(2 μ g) away.
#[test]
fn avbd_stops_a_block_on_the_line_of_its_start() {
    for (mu, speed, angle) in [(0.35, 5.1, 71.0_f64), (0.8, 7.0, 17.0), (0.5, 4.0, -133.0)] {
        let mut parts = plane(0.0, ContactLaw::Disc);
        let body = add(
            &mut parts,
            Cuboid::new(0.3, 0.1, 0.2),
            0.1,
            Material::rough(mu),
        );
        let (sine, cosine) = libm::sincos(angle.to_radians());
        let direction = Vector3::new(cosine, 0.0, sine);
        parts.bodies[body].velocity = speed * direction;
        let mut world = parts.build().unwrap();
        let mut scheme = Avbd::new(AvbdParameters::default()).unwrap();
        let frames = super::frames(1.5 * speed / (mu * G) + 0.5, DT);
        run(&mut world, &mut scheme, DT, frames);
        let place = world.bodies()[body].position.to_vector();
        let way = speed * speed / (2.0 * mu * G);
        let aside = direction.cross(&place).y.abs();
        let name = format!("{mu} {speed} {angle}: {place:?} {way}");
        assert!(
            (place.dot(&direction) - way).abs() < 1.1 * speed * DT,
            "{name}"
        );
        assert!(aside < 0.01 * way, "{name}");
    }
}

/// Coefficients of friction at which a residual over μ would call zero impulses solved: a box and a
/// ball that are thrown rest on the ground, and do not fall through it.
#[test]
fn bodies_with_enormous_friction_do_not_fall_through_the_ground() {
    for (mu, tolerance) in [(4e8, 1e-4), (7e5, 1e-3), (1e12, 1e-7)] {
        for law in [ContactLaw::Coulomb, ContactLaw::Disc] {
            let mut parts = plane(0.0, law);
            add(
                &mut parts,
                Cuboid::new(0.2, 0.15, 0.3),
                0.4,
                Material::rough(mu),
            );
            add(&mut parts, Sphere::new(0.1), 0.7, Material::rough(mu));
            parts.bodies[1].velocity = Vector3::new(1.0, 0.0, -0.4);
            parts.bodies[2].position = Vector3::new(2.0, 0.7, 0.0).into();
            parts.bodies[2].velocity.x = 0.8;
            let mut world = parts.build().unwrap();
            let parameters = VelocityParameters {
                contact_place: ContactPlace::Surface,
                stop: SolveStop {
                    tolerance: Some(tolerance),
                    ..SolveStop::default()
                },
                ..VelocityParameters::default()
            };
            let mut scheme = VelocityScheme::new(parameters, block_gs()).unwrap();
            run(&mut world, &mut scheme, DT, 120);
            let heights = |world: &World| [1, 2].map(|b| world.bodies()[b].position.to_vector().y);
            let [cuboid, ball] = heights(&world);
            let name = format!("{law:?}, {mu:e}: {cuboid} {ball}");
            assert!(cuboid > 0.15 - 2e-3 && ball > 0.1 - 2e-3, "{name}");
            assert!(ball < 0.102, "{name}");
        }
    }
}

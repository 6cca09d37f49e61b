//! Bodies that hit.

use delassus_core::ContactLaw;
use delassus_dynamics::{
    Body, Collider, Cuboid, Material, Restitution, Scheme, ShapeGeometry, Sphere, World,
};
use nalgebra::Vector3;

use super::{G, accurate, add, frames, plane, run, turn};

fn bouncing(e: f64) -> Material {
    Material {
        restitution: e,
        friction: 0.0,
        ..Material::default()
    }
}

fn dropped(e: f64, height: f64) -> World {
    let mut parts = plane(0.0, ContactLaw::Frictionless);
    add(&mut parts, Sphere::new(0.25), 0.25 + height, bouncing(e));
    parts.contacts.margin = 1e-3;
    parts.build().unwrap()
}

#[test]
fn o21_a_ball_bounces_through_the_whole_series_and_rests() {
    for restitution in [Restitution::LastPass, Restitution::Bias] {
        for (e, height) in [(0.5, 1.0), (0.8, 0.3)] {
            let mut world = dropped(e, height);
            let dt = 1e-4;
            let mut scheme = accurate(|p| {
                p.sweeps = 5;
                p.restitution = restitution;
                p.restitution_threshold = 0.01;
            });
            let start = libm::sqrt(2.0 * height / G);
            let time = start * (1.0 + e) / (1.0 - e);
            let (mut path, mut last, mut peaks, mut up) = (0.0, height, Vec::new(), false);
            let mut frame = 0_u32;
            while f64::from(frame) * dt < 1.2 * time {
                scheme.step(&mut world, dt, &mut ()).unwrap();
                frame += 1;
                let now = world.bodies()[1].position.to_vector().y - 0.25;
                path += (now - last).abs();
                if up && now < last {
                    peaks.push(last);
                }
                // at the very top it may stand for a step
                up = now > last || (up && now == last);
                last = now;
            }
            // peaks fall by e² each; the first ones are above the rounding of the step
            let mut expected = e * e * height;
            for peak in peaks.iter().take(4).filter(|peak| **peak > 0.01) {
                assert!(
                    (peak / expected - 1.0).abs() < 0.03,
                    "{restitution:?} {e}: {peaks:?}"
                );
                expected *= e * e;
            }
            let series = height * (1.0 + e * e) / (1.0 - e * e);
            assert!(
                (path / series - 1.0).abs() < 0.03,
                "{restitution:?} {e}: {path} {series}"
            );
            let body = &world.bodies()[1];
            assert!(
                body.velocity.norm() < 1e-9,
                "{restitution:?}: {}",
                body.velocity
            );
        }
    }
}

/// Time after which a dropped ball rests \[s\], and the length of its path \[m\].
fn series(restitution: Restitution, e: f64, height: f64, dt: f64) -> (f64, f64) {
    let mut world = dropped(e, height);
    let mut scheme = accurate(|p| {
        p.sweeps = 2;
        p.restitution = restitution;
        p.restitution_threshold = 1e-3;
    });
    let (mut path, mut last, mut moved) = (0.0, height, 0_u32);
    for frame in 1..=frames(2.5, dt) {
        scheme.step(&mut world, dt, &mut ()).unwrap();
        let body = &world.bodies()[1];
        let now = body.position.to_vector().y - 0.25;
        path += (now - last).abs();
        last = now;
        if body.velocity.norm() > 1e-3 {
            moved = u32::try_from(frame).unwrap();
        }
    }
    assert!(world.bodies()[1].velocity.norm() < 1e-9);
    (f64::from(moved) * dt, path)
}

#[test]
fn o21_the_whole_series_comes_to_its_closed_form_at_first_order() {
    for restitution in [Restitution::LastPass, Restitution::Bias] {
        for (e, height, printed) in [(0.5, 1.0, Some((1.354571, 1.666667))), (0.6, 0.4, None)] {
            let time = libm::sqrt(2.0 * height / G) * (1.0 + e) / (1.0 - e);
            let path = height * (1.0 + e * e) / (1.0 - e * e);
            if let Some((t, p)) = printed {
                assert!((time - t).abs() < 1e-6 && (path - p).abs() < 1e-6);
            }
            let errors = |dt: f64| {
                let (t, p) = series(restitution, e, height, dt);
                [(t - time).abs(), (p - path).abs()]
            };
            // an impact lies anywhere in its step: many steps, and the mean of neighbouring ones
            let mean = |dt: f64| {
                let near = [0.93, 0.97, 1.0, 1.04, 1.08].map(|share| errors(share * dt));
                [0, 1].map(|k| near.iter().map(|error| error[k]).sum::<f64>() / 5.0)
            };
            let (coarse, fine) = (mean(1.0 / 250.0), mean(1.0 / 4000.0));
            for (which, (coarse, fine)) in coarse.iter().zip(fine).enumerate() {
                let order = libm::log2(coarse / fine) / 4.0;
                assert!(
                    (0.7..1.3).contains(&order),
                    "{restitution:?} {e} {which}: {order}"
                );
                assert!(fine < 0.02, "{restitution:?} {e} {which}: {fine}");
            }
        }
    }
}

#[test]
fn o23_a_last_pass_leaves_with_the_bounce_alone_and_is_pushed_afterwards() {
    for (speed, after) in [(6.0, 3.0), (1.2, 0.6)] {
        let mut parts = plane(0.0, ContactLaw::Frictionless);
        parts.gravity = Vector3::zeros();
        let ball = add(&mut parts, Sphere::new(0.5), 0.5 - 0.06, bouncing(0.5));
        parts.bodies[ball].velocity.y = -speed;
        let mut world = parts.build().unwrap();
        let mut scheme = accurate(|p| {
            p.restitution = Restitution::LastPass;
            p.restitution_threshold = 0.1;
        });
        // the pose moves with the push, 20 % of the overlap, the velocity is that of the bounce
        run(&mut world, &mut scheme, 0.01, 1);
        let body = &world.bodies()[ball];
        assert!((body.velocity.y - after).abs() < 1e-12, "{}", body.velocity);
        let sunk = 0.5 - body.position.to_vector().y;
        assert!((sunk - 0.048).abs() < 1e-12, "{sunk}");
        // what is left is pushed with 0.96 m/s, unless the ball is faster
        run(&mut world, &mut scheme, 0.01, 1);
        let up = world.bodies()[ball].velocity.y;
        assert!((up - f64::max(after, 0.96)).abs() < 1e-12, "{up}");
    }
}

/// One edge of a frictionless box of 2 kg, arm x from the centre: P = m v (1 + e)/(1 + m x²/I).
#[test]
fn a_box_on_one_edge_turns_and_keeps_what_the_impulse_leaves() {
    for (e, tilt, speed) in [(1.0, 0.2, 2.0), (0.5, 0.2, 2.0), (0.8, 0.7, 5.0)] {
        let mut parts = plane(0.0, ContactLaw::Frictionless);
        parts.gravity = Vector3::zeros();
        let half = Vector3::new(0.5, 1.0, 0.5);
        let (sine, cosine) = libm::sincos(tilt);
        let lift = half.x * sine + half.y * cosine;
        let body = add(&mut parts, Cuboid { half }, lift, bouncing(e));
        parts.bodies[body].orientation = turn(0.0, 0.0, tilt);
        parts.bodies[body].velocity.y = -speed;
        let mut world = parts.build().unwrap();
        run(&mut world, &mut accurate(|_| {}), 1e-3, 1);
        let arm = half.y * sine - half.x * cosine;
        let inertia = (half.x * half.x + half.y * half.y) / 3.0;
        let impulse = speed * (1.0 + e) / (1.0 + arm * arm / inertia);
        let (up, spin) = (impulse - speed, arm * impulse / inertia);
        let body = &world.bodies()[body];
        assert!(
            (body.velocity.y - up).abs() < 1e-9,
            "{} {up}",
            body.velocity
        );
        assert!((body.spin.z - spin).abs() < 1e-9, "{} {spin}", body.spin);
        let energy = 2.0 * 0.5 * (up * up + inertia * spin * spin);
        let lost = (1.0 - e * e) * speed * speed / (1.0 + arm * arm / inertia);
        assert!((energy - (speed * speed - lost)).abs() < 1e-9, "{energy}");
    }
}

#[test]
fn o23_an_overlapping_ball_leaves_with_the_larger_of_bounce_and_push() {
    // beta/h · overlap = 1.2 m/s; bounces of 0.6 and 3 m/s
    for (speed, expected) in [(1.2, 1.2), (6.0, 3.0)] {
        let mut parts = plane(0.0, ContactLaw::Frictionless);
        parts.gravity = Vector3::zeros();
        let ball = add(&mut parts, Sphere::new(0.5), 0.5 - 0.06, bouncing(0.5));
        parts.bodies[ball].velocity.y = -speed;
        let mut world = parts.build().unwrap();
        let mut scheme = accurate(|p| {
            p.restitution = Restitution::Bias;
            p.beta = 0.2;
        });
        run(&mut world, &mut scheme, 0.01, 1);
        let up = world.bodies()[ball].velocity.y;
        assert!((up - expected).abs() < 1e-12, "{up} {expected}");
    }
}

#[test]
fn o19_a_row_of_balls_takes_the_impact_together() {
    for count in [3_u32, 5] {
        let mut parts = plane(0.0, ContactLaw::Frictionless);
        parts.gravity = Vector3::zeros();
        parts.colliders.clear();
        let shape = Sphere::new(0.5);
        for k in 0..count {
            let at = Vector3::new(f64::from(k), 2.0, 0.0);
            let body = parts.body(Body::dynamic(shape.solid(1.0).unwrap(), at));
            parts.collider(Collider::new(body, shape).of(bouncing(1.0)));
        }
        parts.bodies[1].velocity.x = 2.0;
        let mut world = parts.build().unwrap();
        let mut scheme = accurate(|p| {
            p.sweeps = 3000;
            p.restitution = Restitution::Bias;
        });
        run(&mut world, &mut scheme, 1e-3, 1);
        // Newton's law for all contacts at once: the balls that were touched move with 2/n of the
        // speed
        let share = 2.0 / f64::from(count);
        for (k, body) in (0..count).zip(&world.bodies()[1..]) {
            let expected = 2.0 * if k == 0 { share - 1.0 } else { share };
            assert!(
                (body.velocity.x - expected).abs() < 1e-9,
                "{count} {k}: {}",
                body.velocity.x
            );
        }
    }
}

#[test]
fn o18_a_falling_box_stops_with_half_of_its_momentum_in_each_edge() {
    for (width, height) in [(1.0, 2.0), (1.0, 3.0), (2.0, 0.5)] {
        let mut parts = plane(0.0, ContactLaw::Frictionless);
        parts.gravity = Vector3::zeros();
        let body = add(
            &mut parts,
            Cuboid::new(width, height, 0.5),
            height,
            bouncing(0.0),
        );
        parts.bodies[body].velocity.y = -3.0;
        let mut world = parts.build().unwrap();
        run(&mut world, &mut accurate(|p| p.sweeps = 4000), 0.01, 1);
        let manifold = &world.manifolds()[0];
        let mut sides = [0.0; 2];
        for (point, impulse) in manifold
            .points
            .iter()
            .zip(manifold.impulses().iter().step_by(3))
        {
            sides[usize::from(point.anchors[1].x > 0.0)] += impulse;
        }
        // 2 kg at 3 m/s
        for side in sides {
            assert!((side - 3.0).abs() < 1e-9, "{width} {height}: {sides:?}");
        }
        assert!(world.bodies()[body].velocity.norm() < 1e-9);
    }
}

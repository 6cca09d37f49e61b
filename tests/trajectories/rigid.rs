//! Rigid bodies: the flip about the middle axis (O.13, O.14) and the heavy top (O.15)–(O.17).

use delassus_dynamics::constraints::Point;
use delassus_dynamics::{
    Body, Inertia, Joint, Scheme, SchemeEntry, World, WorldParts, rotation, schemes,
};
use delassus_registry::Registry;
use delassus_scenes::oracles::rigid::{HeavyTop, flip_growth, flip_time, free_spin};
use nalgebra::{UnitQuaternion, Vector3};
use serde_json::{Value, json};

use crate::pairs::{is_met, map, pairs, run};

/// Every scheme, the velocity-level ones with a direct solver.
fn build(entry: &SchemeEntry, changes: &Value) -> Box<dyn Scheme> {
    let solver = entry.descriptor.uses_solver.then(|| {
        let registry = Registry::standard();
        let solver = registry.find("dense-direct").expect("registered");
        solver.build(&map(&json!({}))).expect("defaults")
    });
    let known = |key: &&String| entry.defaults.contains_key(*key);
    let changes = map(changes);
    let fitting = changes.keys().filter(known);
    let fitting = fitting.map(|k| (k.clone(), changes[k].clone())).collect();
    entry.build_with(&fitting, solver).expect("a scheme")
}

fn free_body(moments: [f64; 3], spin: [f64; 3]) -> World {
    let mut parts = WorldParts::default();
    let inertia = Inertia::new(1.0, Vector3::from(moments));
    let body = Body::dynamic(inertia, Vector3::zeros());
    parts.body(body.moving(Vector3::zeros(), Vector3::from(spin)));
    parts.build().expect("a valid body")
}

/// Angular velocity in the body's axes \[rad/s\].
fn local_spin(world: &World) -> Vector3<f64> {
    let body = &world.bodies()[0];
    body.orientation.inverse() * body.spin
}

const MOMENTS: [f64; 3] = [1.0, 2.0, 3.0];

/// True unless a preset leaves the gyroscopic torque out, as its source does.
fn turns(entry: &SchemeEntry) -> bool {
    entry.defaults.get("gyroscopic").and_then(Value::as_str) != Some("none")
}

#[test]
fn a_disturbed_rotation_about_the_middle_axis_grows_at_the_exact_rate() {
    let (dt, frames) = (1e-3, 3000_u32);
    for entry in schemes().into_iter().filter(turns) {
        for (spin, moments) in [(1.0, MOMENTS), (2.0, [0.5, 0.8, 1.1])] {
            let [first, middle, last] = moments;
            let (p, q) = ((last - middle) / first, (middle - first) / last);
            // the growing one of the two linear modes
            let mode = |w: Vector3<f64>| q.sqrt() * w.x - p.sqrt() * w.z;
            let mut world = free_body(moments, [0.01 * spin, spin, 0.01 * spin]);
            let before = mode(local_spin(&world));
            run(build(&entry, &json!({})).as_mut(), &mut world, dt, frames);
            let ratio = mode(local_spin(&world)) / before;
            let time = dt * f64::from(frames);
            let found = libm::log(ratio) / time;
            let expected = flip_growth(moments, spin);
            // O(h) of the step and O(amplitude²) of the linear law
            let error = (found / expected - 1.0).abs();
            assert!(error < 4e-3, "{}: {found} {expected}", entry.descriptor.id);
        }
    }
}

/// Time between the first two reversals \[s\], and the relative loss of |L| and E until then.
fn flips(entry: &SchemeEntry, spin: [f64; 3], dt: f64) -> (f64, f64, f64) {
    let mut world = free_body(MOMENTS, spin);
    let start = (world.momentum().angular.norm(), world.energy().kinetic);
    let mut scheme = build(entry, &json!({}));
    let (mut reversals, mut before, mut time) = (Vec::new(), spin[1], 0.0);
    while reversals.len() < 2 {
        run(scheme.as_mut(), &mut world, dt, 1);
        let now = local_spin(&world).y;
        if before * now < 0.0 {
            reversals.push(time + dt * before / (before - now));
        }
        (before, time) = (now, time + dt);
        assert!(time < 40.0, "{}: no reversal", entry.descriptor.id);
    }
    let momentum = 1.0 - world.momentum().angular.norm() / start.0;
    let energy = 1.0 - world.energy().kinetic / start.1;
    (reversals[1] - reversals[0], momentum, energy)
}

#[test]
fn the_flip_tends_to_its_exact_time_and_keeps_its_invariants_to_its_order() {
    let spin = [0.2, 1.0, 0.2];
    let exact = flip_time(MOMENTS, spin);
    for entry in schemes().into_iter().filter(turns) {
        let [coarse, fine] = [2e-3, 1e-3].map(|dt| flips(&entry, spin, dt));
        let (errors, id) = ([coarse.0 - exact, fine.0 - exact], entry.descriptor.id);
        assert!(errors[1].abs() < 0.02 * exact, "{id}: {errors:?}");
        let extrapolated = 2.0 * errors[1] - errors[0];
        assert!(
            extrapolated.abs() < 0.1 * errors[1].abs().max(1e-4),
            "{id}: {errors:?}"
        );
        for (coarse, fine, what) in [(coarse.1, fine.1, "|L|"), (coarse.2, fine.2, "E")] {
            assert!(fine.abs() < 5e-3, "{id}: {what} {fine:e}");
            let ratio = coarse / fine;
            // of second order where the momentum is kept
            let order = if keeps_momentum(&entry) {
                3.8..4.2
            } else {
                1.7..2.4
            };
            let fits = fine.abs() < 1e-9 || order.contains(&ratio);
            assert!(fits, "{id}: {what} {coarse:e} {fine:e}");
        }
    }
}

#[test]
fn without_the_gyroscopic_torque_the_spin_stays_and_the_momentum_does_not() {
    let mut checked = 0;
    for entry in schemes().into_iter().filter(turns) {
        if !entry.defaults.contains_key("gyroscopic") {
            continue;
        }
        let mut world = free_body(MOMENTS, [0.2, 1.0, 0.2]);
        let start = (world.bodies()[0].spin, world.momentum().angular);
        let mut scheme = build(&entry, &json!({ "gyroscopic": "none" }));
        run(scheme.as_mut(), &mut world, 0.01, 300);
        let body = &world.bodies()[0];
        let id = entry.descriptor.id;
        assert!(
            (body.spin - start.0).norm() < 1e-10,
            "{id}: {:?}",
            body.spin
        );
        let turned = (world.momentum().angular - start.1).norm() / start.1.norm();
        assert!(turned > 0.1, "{id}: the angular momentum stays, {turned:e}");
        let mut world = free_body(MOMENTS, [0.2, 1.0, 0.2]);
        let mut scheme = build(&entry, &json!({ "gyroscopic": "implicit" }));
        run(scheme.as_mut(), &mut world, 0.01, 300);
        let turned = (world.momentum().angular - start.1).norm() / start.1.norm();
        assert!(turned < 0.05, "{id}: {turned:e}");
        checked += 1;
    }
    assert!(checked >= 9, "{checked}");
}

/// True for a scheme that keeps the momentum of a free body unless it is told otherwise.
fn keeps_momentum(entry: &SchemeEntry) -> bool {
    entry.defaults.get("gyroscopic").and_then(Value::as_str) == Some("momentum")
}

/// A turned body with its angular velocity in principal axes.
fn turned(moments: Vector3<f64>, spin: Vector3<f64>) -> World {
    let mut parts = WorldParts::default();
    let inertia = Inertia {
        axes: rotation::exp(&Vector3::new(0.8, 0.1, -0.5)),
        ..Inertia::new(2.0, moments)
    };
    let orientation = rotation::exp(&Vector3::new(-0.2, 1.3, 0.4));
    let spin = orientation * (inertia.axes * spin);
    let body = Body::dynamic(inertia, Vector3::new(3.0, -1.0, 2.0)).turned(orientation);
    parts.body(body.moving(Vector3::new(1.0, 2.0, -0.5), spin));
    parts.build().expect("a valid body")
}

/// Angular momentum about the centre of mass.
fn momentum(world: &World) -> Vector3<f64> {
    let body = &world.bodies()[0];
    body.world_inertia() * body.spin
}

/// Numbers in [0, 1) from a seed.
fn numbers(mut seed: u64) -> impl FnMut() -> f64 {
    move || {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        f64::from((seed >> 33) as u32) / f64::from(1_u32 << 31)
    }
}

/// Moments of masses on three axes: plates, needles, near and far from symmetry, and a few that are
/// symmetric.
fn tensors() -> Vec<Vector3<f64>> {
    let mut next = numbers(7);
    let mut list: Vec<Vector3<f64>> = (0..12)
        .map(|_| {
            let [a, b, c] = [0, 1, 2].map(|_| libm::exp(-12.0 * next()));
            Vector3::new(b + c, c + a, a + b)
        })
        .collect();
    for (a, b, c) in [(1.0, 1.0, 1e-4), (1.0, 1.0, 2.0), (1.0, 1.0 + 1e-9, 0.3)] {
        list.push(Vector3::new(a, c, b));
        list.push(0.02 * Vector3::new(c, b, a));
    }
    list
}

#[test]
fn free_bodies_keep_their_angular_momentum_at_any_speed_and_step() {
    let mut next = numbers(11);
    let mut checked = 0;
    for entry in schemes().into_iter().filter(keeps_momentum) {
        let positions = !entry.descriptor.uses_solver;
        for moments in tensors() {
            let direction = Vector3::from_fn(|_, _| next() - 0.5).normalize();
            let speed = libm::exp(6.9 * (2.0 * next() - 1.0));
            // schemes on positions refuse half a turn per substep
            let dt = match positions {
                true => libm::exp(-3.0 * next()) / speed,
                false => libm::exp(-6.0 * next()) * if next() < 0.5 { 1.0 } else { 1.0 / speed },
            };
            let mut world = turned(moments, speed * direction);
            let (start, energy) = (momentum(&world), world.energy().kinetic);
            let mut scheme = build(&entry, &json!({}));
            run(scheme.as_mut(), &mut world, dt, 400);
            // roundings of an angular velocity of this size in the largest moment
            let scale = moments.max() * speed;
            let lost = (momentum(&world) - start).norm() / scale;
            let id = entry.descriptor.id;
            assert!(lost < 5e-12, "{id}: {moments:?} {speed:e} {dt:e}: {lost:e}");
            let gained = (world.energy().kinetic / energy - 1.0).abs();
            assert!(
                gained < 2e-3,
                "{id}: {moments:?} {speed:e} {dt:e}: E {gained:e}"
            );
            checked += 1;
        }
    }
    assert!(checked > 200, "{checked}");
}

#[test]
fn a_thin_rod_keeps_what_a_torque_loses() {
    // half a metre by one centimetre
    let (mass, length, radius) = (0.3, 0.5, 0.005);
    let across = mass * (length * length / 12.0 + radius * radius / 4.0);
    let moments = Vector3::new(across, 0.5 * mass * radius * radius, across);
    for entry in schemes().into_iter().filter(keeps_momentum) {
        let spin = Vector3::new(8.0, 45.0, 0.0);
        let mut world = turned(moments, spin);
        let (start, energy) = (momentum(&world), world.energy().kinetic);
        let mut scheme = build(&entry, &json!({}));
        run(scheme.as_mut(), &mut world, 1.0 / 60.0, 600);
        let id = entry.descriptor.id;
        // an angular velocity is rounded to u |ω|, which is u I_max |ω| = 5.7 u |L| of momentum.
        // Up to 12 000 substeps of about ten roundings add 8e-11 if all have one sign, and
        // √120 000 times one of them, 2e-13, if they are independent
        let lost = (momentum(&world) - start).norm() / start.norm();
        assert!(lost < 1e-11, "{id}: {lost:e}");
        let gained = (world.energy().kinetic / energy - 1.0).abs();
        assert!(gained < 1e-11, "{id}: {gained:e}");
        // the axis circles the momentum at |L| over the moment across
        let body = &world.bodies()[0];
        let axis = body.orientation * (body.inertia.axes * Vector3::y());
        let along = start.normalize();
        let first = {
            let world = turned(moments, spin);
            let body = &world.bodies()[0];
            body.orientation * (body.inertia.axes * Vector3::y())
        };
        let expected = rotation::about(&along, 10.0 * start.norm() / across) * first;
        assert!((axis - expected).norm() < 1e-9, "{id}: {axis} {expected}");
    }
    let mut world = turned(moments, Vector3::new(8.0, 45.0, 0.0));
    let start = momentum(&world).norm();
    let velocity = schemes()
        .into_iter()
        .find(|e| e.descriptor.id == "velocity");
    let velocity = velocity.expect("registered");
    let mut scheme = build(&velocity, &json!({ "gyroscopic": "implicit" }));
    run(scheme.as_mut(), &mut world, 1.0 / 60.0, 6);
    assert!(momentum(&world).norm() < 0.7 * start);
}

#[test]
fn a_free_body_follows_the_elliptic_functions_to_second_order() {
    let moments = [0.7, 1.1, 1.5];
    for entry in schemes().into_iter().filter(keeps_momentum) {
        for start in [[0.4, 1.3], [-1.3, 0.2], [1.9, -1.6]] {
            let errors = [16_u32, 32].map(|steps| {
                let spin = Vector3::new(start[0], 0.0, start[1]);
                let mut world = turned(Vector3::from(moments), spin);
                let energy = world.energy().kinetic;
                let (time, frames) = (3.0, 4 * steps);
                let mut scheme = build(&entry, &json!({}));
                run(
                    scheme.as_mut(),
                    &mut world,
                    time / f64::from(frames),
                    frames,
                );
                let body = &world.bodies()[0];
                let axes = body.orientation * body.inertia.axes;
                let found = axes.inverse() * body.spin;
                let exact = Vector3::from(free_spin(moments, start, time));
                [
                    (found - exact).norm(),
                    (world.energy().kinetic / energy - 1.0).abs(),
                ]
            });
            let id = entry.descriptor.id;
            let [coarse, fine] = errors;
            let ratio = coarse[0] / fine[0];
            assert!(
                fine[0] < 1e-3 && (3.8..4.2).contains(&ratio),
                "{id}: {errors:?}"
            );
            assert!(
                fine[1] < 2e-4 && fine[1] < 0.3 * coarse[1],
                "{id}: {errors:?}"
            );
        }
    }
}

#[test]
fn bodies_on_joints_keep_their_angular_momentum_together() {
    let entries = schemes().into_iter().filter(keeps_momentum);
    let entries = entries.filter(|entry| {
        // with another pass the poses move by velocities that are not those of the momentum
        let none = |key: &str| entry.defaults.get(key) == Some(&json!(0));
        none("relax_sweeps") && none("position_sweeps") && entry.descriptor.id != "split-impulse"
    });
    for entry in entries {
        let mut parts = WorldParts::default();
        let mut last = None;
        for index in 0..3_u8 {
            let at = f64::from(index);
            let inertia = Inertia::new(1.0 + at, Vector3::new(0.02, 0.05, 0.06));
            let spin = Vector3::new(7.0 - 5.0 * at, 3.0 * at, 1.0 + at);
            let body = Body::dynamic(inertia, Vector3::new(at, 0.1 * at, 0.0));
            let body = parts.body(body.moving(Vector3::new(0.0, at, 0.3), spin));
            if let Some(before) = last {
                parts.joint(Joint::new(Point {
                    bodies: [before, body],
                    anchors: [Vector3::new(0.5, 0.05, 0.0), Vector3::new(-0.5, -0.05, 0.0)],
                }));
            }
            last = Some(body);
        }
        let mut world = parts.build().expect("a chain");
        let start = world.momentum().angular;
        let mut scheme = build(&entry, &json!({}));
        run(scheme.as_mut(), &mut world, 1.0 / 120.0, 600);
        let lost = (world.momentum().angular - start).norm() / start.norm();
        assert!(lost < 1e-11, "{}: {lost:e}", entry.descriptor.id);
    }
}

#[test]
fn a_free_body_moves_alike_with_every_solver() {
    let mut hashes = std::collections::BTreeMap::new();
    for pair in pairs() {
        let mut world = free_body(MOMENTS, [0.2, 1.0, 0.2]);
        run(pair.build(&json!({})).as_mut(), &mut world, 0.01, 50);
        let hash = world.state_hash();
        let first = *hashes.entry(pair.scheme.descriptor.id).or_insert(hash);
        assert_eq!(first, hash, "{}", pair.name());
    }
}

/// A top whose tip is tied to the origin, z up, tilted by `angle` towards −y.
fn top(data: &HeavyTop, angle: f64, spin: Vector3<f64>) -> World {
    let mut parts = WorldParts {
        gravity: Vector3::new(0.0, 0.0, -data.gravity),
        ..WorldParts::default()
    };
    let arm = data.arm * Vector3::z();
    let tilt: UnitQuaternion<f64> = rotation::about(&Vector3::x(), angle);
    let ground = parts.body(Body::fixed(Vector3::zeros()));
    // the oracle's moment is that at the tip
    let across = data.across - data.mass * data.arm * data.arm;
    let inertia = Inertia::new(data.mass, Vector3::new(across, across, data.along));
    let body = Body::dynamic(inertia, tilt * arm)
        .turned(tilt)
        .moving(spin.cross(&(tilt * arm)), spin);
    let top = parts.body(body);
    parts.joint(Joint::new(Point {
        bodies: [ground, top],
        anchors: [Vector3::zeros(), -arm],
    }));
    parts.build().expect("a valid top")
}

fn axis(world: &World) -> Vector3<f64> {
    world.bodies()[1].orientation * Vector3::z()
}

/// True for a scheme whose joints are penalties of finite stiffness: the tip of a top gives way.
fn soft_joints(entry: &SchemeEntry) -> bool {
    matches!(entry.descriptor.id, "avbd" | "mujoco-euler")
}

/// The stiffest springs that soft stabilisation allows: those of 60 Hz stretch at 46 rad/s, as
/// springs do.
fn stiff() -> Value {
    json!({ "joint_hertz": 1e5, "contact_hertz": 1e5 })
}

/// The printed top, and one that is not round at its centre of mass.
const TOPS: [(HeavyTop, f64); 2] = [
    (
        HeavyTop {
            mass: 0.5,
            arm: 0.1,
            across: 0.006,
            along: 0.001,
            gravity: 9.81,
        },
        150.0,
    ),
    (
        HeavyTop {
            mass: 1.2,
            arm: 0.05,
            across: 0.005,
            along: 0.003,
            gravity: 5.0,
        },
        60.0,
    ),
];

#[test]
fn steady_precession_turns_at_its_roots_and_keeps_its_tilt() {
    let (dt, frames) = (1e-4, 2000_u32);
    // its joints give way by the same time at any step, so the tip moves and the tilt with it
    let rigid = |entry: &SchemeEntry| turns(entry) && entry.descriptor.id != "mujoco-euler";
    for (index, entry) in schemes().into_iter().filter(rigid).enumerate() {
        for (which, (data, spin)) in TOPS.into_iter().enumerate() {
            for (tilt, angle) in [60_f64.to_radians(), 0.4].into_iter().enumerate() {
                if !is_met(index + which + tilt, 2) {
                    continue;
                }
                let roots = data.precessions(angle, spin).expect("a fast top");
                // a tip that gives way under the centrifugal force has no fast precession of a
                // rigid top
                let count = if soft_joints(&entry) { 1 } else { 2 };
                for root in &roots[..count] {
                    let root = *root;
                    let tilt = rotation::about(&Vector3::x(), angle);
                    let along = tilt * Vector3::z();
                    let rest = spin - root * libm::cos(angle);
                    let mut world = top(&data, angle, root * Vector3::z() + rest * along);
                    let mut scheme = build(&entry, &stiff());
                    let mut turned = 0.0;
                    for _ in 0..frames {
                        let before = axis(&world);
                        run(scheme.as_mut(), &mut world, dt, 1);
                        let now = axis(&world);
                        let cross = before.x * now.y - before.y * now.x;
                        turned += libm::atan2(cross, before.x * now.x + before.y * now.y);
                    }
                    let found = turned / (dt * f64::from(frames));
                    let error = (found / root - 1.0).abs();
                    let tilt = libm::acos(axis(&world).z);
                    let id = entry.descriptor.id;
                    // the fast root turns by a hundredth of a radian per step, the slow one by a
                    // thousandth
                    let rate_tolerance = if root > 10.0 { 0.03 } else { 2e-3 };
                    let (tolerance, drift) = if soft_joints(&entry) {
                        (0.1, 0.02)
                    } else {
                        (rate_tolerance, 0.01)
                    };
                    assert!(error < tolerance, "{id}: {found} {root}");
                    assert!((tilt - angle).abs() < drift, "{id}: {tilt} {angle}");
                }
            }
        }
    }
}

/// The largest tilt within a second from a thousandth of a radian.
fn largest_tilt(entry: &SchemeEntry, data: &HeavyTop, spin: f64) -> f64 {
    let start = 1e-3;
    let along = rotation::about(&Vector3::x(), start) * Vector3::z();
    let mut world = top(data, start, spin * along);
    let mut scheme = build(entry, &stiff());
    let mut largest = 0.0_f64;
    for _ in 0..5_000 {
        run(scheme.as_mut(), &mut world, 2e-4, 1);
        let up = axis(&world);
        largest = largest.max((up.x * up.x + up.y * up.y).sqrt());
    }
    largest
}

#[test]
fn an_upright_top_sleeps_above_its_threshold_and_falls_below() {
    for (index, entry) in schemes().into_iter().filter(turns).enumerate() {
        let tops = TOPS.into_iter().enumerate();
        for (_, (data, _)) in tops.filter(|(which, _)| is_met(index + which, 2)) {
            let threshold = data.sleeping_spin();
            let asleep = largest_tilt(&entry, &data, 1.1 * threshold);
            let falling = largest_tilt(&entry, &data, 0.9 * threshold);
            let id = entry.descriptor.id;
            let grown = 1e-3 * libm::cosh(data.fall_rate(0.9 * threshold));
            if soft_joints(&entry) {
                assert!(
                    asleep < 8e-3 && falling > 2.0 * asleep,
                    "{id}: {asleep} {falling}"
                );
                continue;
            }
            // above, the tilt swings between its start and 1/sqrt(1 − 1/1.1²) = 2.4 times that
            assert!(asleep < 2.5e-3, "{id}: {asleep}");
            assert!(falling > 0.7 * grown, "{id}: {falling} {grown}");
        }
    }
}

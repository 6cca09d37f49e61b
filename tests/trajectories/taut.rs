//! Strings under tension: the direction of a joint's impulse is explicit, and limits the step
//! (T.17), (T.18).

use std::f64::consts::PI;

use delassus_dynamics::constraints::Point;
use delassus_dynamics::{Body, Inertia, Joint, World, WorldParts, rotation};
use nalgebra::Vector3;
use serde_json::{Value, json};

use crate::pairs::{map, pairs, rod, run, unstabilized};

const LINKS: usize = 6;
/// Length of a link \[m\] and its mass \[kg\].
const LENGTH: f64 = 0.5;
const MASS: f64 = 0.7;
/// Force that pulls the last node down \[N\].
const TENSION: f64 = 500.0;
/// Amplitude at the start \[m\]: its square is rounding.
const AMPLITUDE: f64 = 1e-7;

/// Displacements of all nodes in the highest mode, over the amplitude \[-\].
fn mode() -> Vec<f64> {
    let theta = PI * (LINKS - 1) as f64 / LINKS as f64;
    (0..=LINKS).map(|j| libm::sin(theta * j as f64)).collect()
}

/// ω² of the highest mode (T.17) \[1/s²\].
fn square_frequency(rods: bool) -> f64 {
    let cosine = libm::cos(PI * (LINKS - 1) as f64 / LINKS as f64);
    let string = TENSION / (MASS * LENGTH);
    if rods {
        string * 6.0 * (1.0 - cosine) / (2.0 + cosine)
    } else {
        string * 2.0 * (1.0 - cosine)
    }
}

fn nodes() -> Vec<Vector3<f64>> {
    let shape = mode();
    let node = |j: usize| Vector3::new(AMPLITUDE * shape[j], -LENGTH * j as f64, 0.0);
    (0..=LINKS).map(node).collect()
}

/// A world without gravity, and its fixed first node.
fn hook() -> (WorldParts, usize) {
    let mut parts = WorldParts::default();
    let hook = parts.body(Body::fixed(nodes()[0]));
    (parts, hook)
}

/// The last node: it is pulled and can only move along the string.
fn end() -> Body {
    let last = Body::dynamic(Inertia::point(MASS), nodes()[LINKS]);
    Body {
        force: Vector3::new(0.0, -TENSION, 0.0),
        lock_translation: [true, false, true],
        ..last
    }
}

fn points() -> World {
    let (mut parts, mut last) = hook();
    for node in &nodes()[1..LINKS] {
        let next = parts.body(Body::dynamic(Inertia::point(MASS), *node));
        parts.joint(rod([last, next], LENGTH));
        last = next;
    }
    let next = parts.body(end());
    parts.joint(rod([last, next], LENGTH));
    parts.build().expect("a valid string")
}

fn rods() -> World {
    let (mut parts, mut last) = hook();
    let moment = MASS * LENGTH * LENGTH / 12.0;
    let inertia = Inertia::new(MASS, Vector3::new(moment, 1e-2 * moment, moment));
    let half = Vector3::new(0.0, 0.5 * LENGTH, 0.0);
    let mut anchor = Vector3::zeros();
    for pair in nodes().windows(2) {
        let along = pair[1] - pair[0];
        let turn = rotation::about(&Vector3::z(), libm::atan2(along.x, -along.y));
        let link = Body::dynamic(inertia, 0.5 * (pair[0] + pair[1])).turned(turn);
        let link = parts.body(link);
        parts.joint(Joint::new(Point {
            bodies: [last, link],
            anchors: [anchor, half],
        }));
        (last, anchor) = (link, -half);
    }
    let tip = parts.body(end());
    parts.joint(Joint::new(Point {
        bodies: [last, tip],
        anchors: [anchor, Vector3::zeros()],
    }));
    parts.build().expect("a valid string")
}

/// Amplitude of the mode that a world started in \[m\].
fn amplitude(world: &World, start: &World) -> f64 {
    let pairs = world.bodies().iter().zip(start.bodies());
    let pairs = pairs.map(|(a, b)| [a, b].map(|body| body.position.to_vector().x));
    let (product, square) = pairs.fold((0.0, 0.0), |sum, [a, b]| (sum.0 + a * b, sum.1 + b * b));
    AMPLITUDE * product / square
}

/// Largest amplitudes of the run and of the recurrence v⁺ = v − hω²u, u⁺ = u + hv⁺, and their
/// largest difference \[m\].
fn follow(
    scheme: &mut dyn delassus_dynamics::Scheme,
    world: &mut World,
    square: f64,
    h: f64,
    frames: u32,
) -> [f64; 3] {
    let start = world.clone();
    let (mut u, mut v) = (AMPLITUDE, 0.0);
    let mut most = [0.0_f64; 3];
    for _ in 0..frames {
        run(scheme, world, h, 1);
        v -= h * square * u;
        u += h * v;
        let measured = amplitude(world, &start);
        most[0] = most[0].max(measured.abs());
        most[1] = most[1].max(u.abs());
        most[2] = most[2].max((measured - u).abs());
    }
    most
}

#[test]
fn exact_solves_do_not_lift_the_limit_of_the_step() {
    let exact = ["dense-direct", "dantzig"];
    let pairs = pairs().into_iter();
    let pairs = pairs.filter(|pair| exact.contains(&pair.solver.descriptor.id));
    let changes: Value = {
        let mut plain = map(&unstabilized());
        plain.extend(map(
            &json!({ "substeps": 1, "relax_sweeps": 0, "sweeps": 1000 }),
        ));
        Value::Object(plain)
    };
    let mut count = 0;
    for pair in pairs {
        for (is_rods, build) in [(false, points as fn() -> World), (true, rods)] {
            let square = square_frequency(is_rods);
            for (product, frames) in [(1.95, 60), (2.05, 10)] {
                let h = product / square.sqrt();
                let mut scheme = pair.build(&changes);
                let most = follow(scheme.as_mut(), &mut build(), square, h, frames);
                let [measured, expected, difference] = most;
                let name = format!("{}, rods: {is_rods}, hω = {product}", pair.name());
                // what is left is of second order in the amplitude, and rounding
                assert!(difference < 1e-6 * expected, "{name}: {most:?}");
                // |u| of the bounded recurrence stays below 1/√(1 − (hω/2)²) of its start
                let bounded = measured < 5.0 * AMPLITUDE;
                assert_eq!(bounded, product < 2.0, "{name}: {most:?}");
                count += 1;
            }
        }
    }
    assert!(count >= 8 * 2 * 4, "{count}");
}

//! Worlds that are confined to a plane, and bodies with any axes locked, in every scheme and under
//! every law.

use std::fmt::Write;

use delassus_core::{Choice, ContactLaw};
use delassus_dynamics::{
    Body, Collider, Cuboid, HalfSpace, Inertia, Material, Scheme, SchemeEntry, World, WorldParts,
    rotation, scheme,
};
use delassus_registry::{Registry, schemes};
use nalgebra::Vector3;
use serde_json::{Value, json};

use crate::pairs::{map, own_solvers, skip_in_test};

const G: f64 = 9.81;
/// Frame length \[s\].
const DT: f64 = 1.0 / 240.0;

/// Bodies of the scene `planar-world`.
const BOX: usize = 1;
const DISC: usize = 2;
const ROD: usize = 4;

fn planar_world(parameters: &Value) -> World {
    delassus_scenes::build("planar-world", &map(parameters)).expect("a scene")
}

/// A scheme with a solver if it needs one; `None` without its device.
fn build(entry: &SchemeEntry, changes: &Value, solver: &str) -> Option<Box<dyn Scheme>> {
    let registry = Registry::standard();
    let solver = entry.descriptor.uses_solver.then(|| {
        let entry = registry.find(solver).expect("a registered solver");
        entry.build(&map(&json!({}))).expect("defaults")
    });
    let built = entry.build_with(&map(changes), solver);
    let scheme = built.expect("parameters of the scheme");
    if let Some(Err(why)) = scheme.device() {
        skip_in_test(entry.descriptor.id, why);
        return None;
    }
    Some(scheme)
}

/// What is not as it should be, a line each.
#[derive(Default)]
struct Findings(String);

impl Findings {
    fn add(&mut self, what: std::fmt::Arguments<'_>) {
        let _ = writeln!(self.0, "{what}");
    }

    fn near(&mut self, found: f64, expected: f64, tolerance: f64, what: &str) {
        let fits = (found - expected).abs() <= tolerance;
        if !fits {
            self.add(format_args!("{what}: {found}, expected {expected}"));
        }
    }

    /// Nothing has left the x-y plane, to the bit.
    fn in_plane(&mut self, world: &World, what: &str) {
        for body in world.bodies().iter().filter(|body| body.is_dynamic()) {
            let place = [body.position.to_vector().z, body.velocity.z];
            let turn = [body.spin.x, body.spin.y];
            let q = body.orientation.coords;
            let mut leaves = place.into_iter().chain(turn).chain([q.x, q.y]);
            if leaves.any(|x| x != 0.0) {
                self.add(format_args!("{what}: {} leaves the plane", body.name));
            }
        }
    }

    /// Fails if there is a finding.
    fn conclude(self) {
        assert!(self.0.is_empty(), "\n{}", self.0);
    }

    /// Takes steps, as long as the scheme can.
    fn run(
        &mut self,
        scheme: &mut dyn Scheme,
        world: &mut World,
        dt: f64,
        frames: u32,
        what: &str,
    ) {
        for frame in 0..frames {
            if let Err(error) = scheme.step(world, dt, &mut ()) {
                return self.add(format_args!("{what}, frame {frame}: {error}"));
            }
        }
    }
}

/// The box stops, the disc rolls with two thirds of its speed, the rod keeps its energy.
fn check_level(
    all: &mut Findings,
    (world, start): (&World, &World),
    what: &str,
    [speed, friction, size]: [f64; 3],
) {
    all.in_plane(world, what);
    let place = |world: &World, body: usize| world.bodies()[body].position.to_vector();
    let way = speed * speed / (2.0 * friction * G);
    let moved = place(world, BOX) - place(start, BOX);
    all.near(moved.x, way, 0.02 * way, &format!("{what}, way of the box"));
    all.near(moved.y, 0.0, 0.005, &format!("{what}, height of the box"));
    let block = &world.bodies()[BOX];
    all.near(block.velocity.x, 0.0, 0.005, &format!("{what}, box"));
    let disc = &world.bodies()[DISC];
    let rolling = 2.0 / 3.0 * speed;
    all.near(
        disc.velocity.x,
        rolling,
        0.02 * rolling,
        &format!("{what}, disc"),
    );
    all.near(
        disc.spin.z,
        -rolling / (0.5 * size),
        0.03 * rolling / size,
        &format!("{what}, spin"),
    );
    let rod = &world.bodies()[ROD];
    let fall = place(start, ROD).y - place(world, ROD).y;
    let energy = rod.kinetic_energy() - rod.inertia.mass * G * fall;
    // implicit schemes lose some of it
    all.near(
        energy,
        0.0,
        0.1 * rod.inertia.mass * G * 0.5,
        &format!("{what}, energy of the rod"),
    );
}

#[test]
fn box_disc_and_pendulum_of_a_plane_follow_their_closed_forms_in_every_scheme() {
    let (speed, friction, size) = (1.7, 0.35, 0.8);
    let start = planar_world(&json!({
        "speed": speed, "friction": friction, "size": size, "mass": 2.3, "angle": 0.9,
    }));
    let mut refused = Vec::new();
    let mut all = Findings::default();
    for (what, entry, changes) in variants() {
        let Some(mut scheme) = build(&entry, &changes, "block-gs") else {
            continue;
        };
        // it steps another problem, in which the box sticks
        if entry.descriptor.id == "peridyno-2021" {
            continue;
        }
        if scheme.check(&start).is_err() {
            refused.push(what);
            continue;
        }
        let mut world = start.clone();
        all.run(scheme.as_mut(), &mut world, DT, 480, &what);
        check_level(&mut all, (&world, &start), &what, [speed, friction, size]);
    }
    all.conclude();
    // it has no joints beside contacts
    assert_eq!(refused, ["articulated-body"]);
}

/// Every scheme, that of the GPU with each way to find contacts.
fn variants() -> Vec<(String, SchemeEntry, Value)> {
    let mut list = Vec::new();
    for entry in schemes() {
        let id = entry.descriptor.id;
        if id == "gpu-soft-step" {
            for place in ["host", "device", "resident"] {
                let changes = json!({ "collision": place });
                list.push((format!("{id}, {place}"), entry.clone(), changes));
            }
        } else {
            list.push((id.to_owned(), entry, json!({})));
        }
    }
    list
}

/// Laws of friction that brake a box in a plane by μ g.
fn braking() -> impl Iterator<Item = ContactLaw> {
    let laws = ContactLaw::ALL.iter().copied();
    laws.filter(|law| !matches!(law, ContactLaw::Frictionless | ContactLaw::FixedBox))
}

#[test]
fn every_law_of_friction_acts_on_what_a_plane_leaves_free() {
    let (speed, friction) = (1.3, 0.45);
    let way = speed * speed / (2.0 * friction * G);
    // O(h)
    let tolerance = 0.01 * way + 2.0 * speed * DT;
    let mut all = Findings::default();
    for law in braking() {
        let start = planar_world(&json!({
            "speed": speed, "friction": friction, "law": law.name(), "size": 0.6,
        }));
        for (preset, solver) in [
            ("soft-step", "pgs"),
            ("pgs-baumgarte", "block-gs"),
            ("tgs-soft", "symmetric-pgs"),
            ("velocity", "prox-newton"),
            ("velocity", "auto"),
        ] {
            let what = format!("{law}, {preset} with {solver}");
            let entry = scheme(preset).expect("a scheme");
            let changes = match preset {
                "velocity" => json!({ "tolerance": 1e-9 }),
                _ => json!({}),
            };
            let mut scheme = build(&entry, &changes, solver).expect("no device");
            if scheme.check(&start).is_err() {
                continue;
            }
            let mut world = start.clone();
            all.run(scheme.as_mut(), &mut world, DT, 240, &what);
            all.in_plane(&world, &what);
            let moved = world.bodies()[BOX].position.to_vector().x
                - start.bodies()[BOX].position.to_vector().x;
            all.near(moved, way, tolerance, &what);
            all.near(world.bodies()[BOX].velocity.x, 0.0, 0.01, &what);
            let disc = world.bodies()[DISC].velocity.x;
            all.near(disc, speed * 2.0 / 3.0, 0.03 * speed, &what);
        }
    }
    all.conclude();
}

#[test]
fn a_plane_that_leans_holds_a_box_or_lets_it_slide_and_a_disc_roll() {
    let slope = 0.25_f64;
    let mut all = Findings::default();
    for (friction, law) in [
        (0.1, "disc"),
        (0.3, "coulomb"),
        (0.1, "patch"),
        (0.3, "facets-8"),
    ] {
        let start = planar_world(&json!({
            "speed": 0.0, "slope": slope, "friction": friction, "law": law, "size": 0.7,
        }));
        let entry = scheme("soft-step").expect("a scheme");
        let mut scheme = build(&entry, &json!({}), "pgs").expect("no device");
        let mut world = start.clone();
        let what = format!("{law}, {friction}");
        all.run(scheme.as_mut(), &mut world, DT, 240, &what);
        let pull = (libm::sin(slope) - friction * libm::cos(slope)).max(0.0);
        all.near(world.bodies()[BOX].velocity.x, pull * G, 0.02, &what);
        let rolls = 2.0 / 3.0 * G * libm::sin(slope);
        all.near(world.bodies()[DISC].velocity.x, rolls, 0.01 * rolls, &what);
    }
    all.conclude();
}

#[test]
fn resistance_to_rolling_slows_a_disc_of_a_plane() {
    let (speed, lever, size) = (1.5, 0.012, 0.9);
    let mut all = Findings::default();
    for law in ["disc", "coulomb"] {
        for (preset, solver) in [("soft-step", "pgs"), ("velocity", "alart-curnier")] {
            let what = format!("{law}, {preset} with {solver}");
            let start = planar_world(&json!({
                "speed": speed, "rolling": lever, "law": law, "size": size, "friction": 0.5,
            }));
            let entry = scheme(preset).expect("a scheme");
            let mut scheme = build(&entry, &json!({}), solver).expect("no device");
            let mut world = start.clone();
            all.run(scheme.as_mut(), &mut world, DT, 240, &what);
            let before = world.bodies()[DISC].velocity.x;
            all.run(scheme.as_mut(), &mut world, DT, 240, &what);
            all.in_plane(&world, &what);
            // (m + I/r²) v̇ = −ρ m g/r with I = m r²/2
            let slower = 2.0 / 3.0 * lever * G / (0.5 * size);
            let found = before - world.bodies()[DISC].velocity.x;
            all.near(found, slower, 0.01 * slower, &what);
        }
    }
    all.conclude();
}

/// Two boxes above the ground, tilted and in motion, with axes locked by the bits of `locks`.
fn locked_boxes(law: ContactLaw, rolling: f64, locks: [usize; 2]) -> World {
    let mut parts = WorldParts {
        gravity: Vector3::new(0.3, -G, -0.2),
        ..WorldParts::default()
    };
    parts.contacts.law = law;
    let surface = Material {
        rolling_friction: rolling,
        ..Material::rough(0.5)
    };
    let ground = parts.body(Body::fixed(Vector3::zeros()));
    parts.collider(Collider::new(ground, HalfSpace::default()).of(surface));
    for (index, locks) in locks.into_iter().enumerate() {
        let lift = 0.53 + 1.05 * index as f64;
        let inertia = Inertia::new(1.0 + index as f64, Vector3::new(0.15, 0.2, 0.25));
        let at = Vector3::new(0.1 * index as f64, lift, 0.05);
        let turn = rotation::exp(&Vector3::new(0.02, 0.3, -0.015));
        let mut body = Body::dynamic(inertia, at).turned(turn);
        let locked = |axis: usize| locks >> axis & 1 == 1;
        for axis in 0..3 {
            body.lock_translation[axis] = locked(axis);
            body.lock_rotation[axis] = locked(axis + 3);
        }
        let free = |x: f64, axis: usize| if locked(axis) { 0.0 } else { x };
        body.velocity = Vector3::new(free(0.7, 0), free(-1.0, 1), free(-0.4, 2));
        body.spin = Vector3::new(free(0.3, 3), free(0.9, 4), free(-0.2, 5));
        let body = parts.body(body);
        let half = Vector3::new(0.5, 0.5, 0.5);
        parts.collider(Collider::new(body, Cuboid { half }).of(surface));
    }
    parts.build().expect("a valid world")
}

/// Steps two boxes with locks; they keep what is locked, stay finite and slow, and do not fall
/// through the ground.
fn check_locked(all: &mut Findings, scheme: &mut dyn Scheme, start: &World, what: &str) {
    let mut world = start.clone();
    all.run(scheme, &mut world, 1.0 / 60.0, 20, what);
    let pairs = world.bodies().iter().zip(start.bodies()).skip(1);
    for (body, before) in pairs {
        let [at, was] = [body, before].map(|body| body.position.to_vector());
        let kept = (0..3).all(|axis| {
            let stays = at[axis] == was[axis] && body.velocity[axis] == 0.0;
            (stays || !body.lock_translation[axis])
                && (body.spin[axis] == 0.0 || !body.lock_rotation[axis])
        });
        let speed = body.velocity.norm() + body.spin.norm();
        if !(kept && speed < 20.0 && at.y > 0.3) {
            let (velocity, spin) = (body.velocity, body.spin);
            all.add(format_args!("{what}: at {at:?}, {velocity:?}, {spin:?}"));
        }
    }
}

#[test]
fn bodies_with_any_axes_locked_step_under_every_law_and_solver() {
    let mut solvers = own_solvers();
    // `sap` asks for compliance, and dense methods for few rows; devices have their turn below
    solvers.retain(|entry| {
        let built = entry.build(&map(&json!({})));
        let fits = !["sap", "enumeration"].contains(&entry.descriptor.id);
        built.is_ok_and(|solver| solver.facts().device.is_none()) && fits
    });
    let mut laws: Vec<(ContactLaw, f64)> = braking().map(|law| (law, 0.0)).collect();
    laws.extend([(ContactLaw::Disc, 0.02), (ContactLaw::Frictionless, 0.0)]);
    let entry = scheme("pgs-baumgarte").expect("a scheme");
    let mut all = Findings::default();
    let mut next = 0;
    let mut stepped = 0;
    for first in 0..64_usize {
        for (place, (law, rolling)) in laws.iter().enumerate() {
            let locks = [first, (first * 37 + 11 * place) % 64];
            let start = locked_boxes(*law, *rolling, locks);
            for _ in 0..2 {
                let solver = solvers[next % solvers.len()].descriptor.id;
                next += 1;
                let what = format!("{law}, {rolling}, {locks:?}, {solver}");
                let mut scheme =
                    build(&entry, &json!({ "sweeps": 20 }), solver).expect("no device");
                // with all axes free there is a contact that tells whether the solver knows the law
                let free = locked_boxes(*law, *rolling, [0, 0]);
                if scheme.check(&free).is_ok() {
                    check_locked(&mut all, scheme.as_mut(), &start, &what);
                    stepped += 1;
                }
            }
        }
    }
    all.conclude();
    assert!(stepped > 700, "{stepped}");
}

#[test]
fn bodies_with_any_axes_locked_step_in_every_scheme() {
    let mut all = Findings::default();
    for (place, (what, entry, changes)) in variants().into_iter().enumerate() {
        let Some(mut scheme) = build(&entry, &changes, "block-gs") else {
            continue;
        };
        for first in (0..64).step_by(3) {
            let locks = [first, (first * 37 + 11 * place) % 64];
            let start = locked_boxes(ContactLaw::Disc, 0.0, locks);
            if scheme.check(&start).is_ok() {
                check_locked(
                    &mut all,
                    scheme.as_mut(),
                    &start,
                    &format!("{what}, {locks:?}"),
                );
            }
        }
    }
    all.conclude();
}

//! The creep of the scenes of experiment 36, against closed forms (H.11), (S.30), (S.31).

use std::path::PathBuf;

use delassus_core::Solver;
use delassus_core::parameter::{Map, Value};
use delassus_dynamics::{World, scheme};
use delassus_scenes::read;
use delassus_solver_si::BlockGs;

const H: f64 = 0.005;
const FRICTION: f64 = 0.6;
/// Four digits.
const DIGITS: f64 = 5e-5;

/// A scene with the numbers that its closed forms need.
struct Held {
    file: &'static str,
    /// The body that creeps, and the contacts that share its load.
    body: usize,
    /// Tangential and normal force of a contact \[N\].
    forces: [f64; 2],
    /// What stands for A_ii of its rows \[1/kg\] (S.25).
    estimate: f64,
}

/// 1 kg on a slope of 0.3 rad.
fn slope(file: &'static str) -> Held {
    let (sine, cosine) = libm::sincos(0.3);
    Held {
        file,
        body: 1,
        forces: [9.81 * sine, 9.81 * cosine],
        estimate: 1.0,
    }
}

/// 0.4 kg between fingers of 0.6 kg that move along one axis and press with 12 N.
fn grasp(file: &'static str) -> Held {
    Held {
        file,
        body: 2,
        forces: [0.5 * 0.4 * 9.81, 12.0],
        estimate: 1.0 / 0.4 + 1.0 / (3.0 * 0.6),
    }
}

/// Mean speed of the body in the last 2 of 8 seconds \[m/s\].
fn creep(held: &Held, id: &str, changes: &[(&str, Value)]) -> f64 {
    let folder = "../../experiments/36-static-friction/scenes";
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut world = read(&path.join(held.file)).expect("a scene");
    let changes = changes
        .iter()
        .map(|(key, value)| ((*key).to_owned(), value.clone()));
    let entry = scheme(id).expect("a scheme");
    let solver = BlockGs::new(Default::default()).expect("defaults");
    let solver = entry.descriptor.uses_solver.then(|| Box::new(solver) as _);
    let built = entry.build_with(&Map::from_iter(changes), solver);
    let mut scheme = built.expect("a scheme");
    let mut step = |world: &mut World, frames: u32| {
        for _ in 0..frames {
            scheme.step(world, H, &mut ()).expect("a step");
        }
        world.bodies()[held.body].position
    };
    let before = step(&mut world, 1200);
    (step(&mut world, 400) - before).norm() / (400.0 * H)
}

#[track_caller]
fn agree(found: f64, expected: f64) {
    assert!(
        (found / expected - 1.0).abs() < DIGITS,
        "{found:e} {expected:e}"
    );
}

/// R_t f_t/B at the depth R_n f_n/(K d), with the default numbers of MuJoCo written out.
fn creep_of_mujoco(held: &Held, impratio: f64) -> f64 {
    let (time, width) = (0.02_f64.max(2.0 * H), 0.95);
    let (rate, stiffness) = (2.0 / (width * time), 1.0 / (width * time).powi(2));
    let impedance = |depth: f64| {
        let x = (depth / 0.001).min(1.0);
        let rise = if x <= 0.5 {
            2.0 * x * x
        } else {
            1.0 - 2.0 * (1.0 - x).powi(2)
        };
        0.9 + 0.05 * rise
    };
    let compliance = |depth: f64| (1.0 - impedance(depth)) / impedance(depth) * held.estimate;
    let mut depth = 1e-4;
    for _ in 0..200 {
        depth = compliance(depth) * held.forces[1] / (stiffness * impedance(depth));
    }
    compliance(depth) / impratio * held.forces[0] / rate
}

fn exact() -> Vec<(&'static str, Value)> {
    vec![("sweeps", Value::from(200))]
}

#[test]
fn the_law_of_mujoco_creeps_in_inverse_proportion_to_impratio() {
    for (held, impratio) in [
        (slope("slope-impratio-1.toml"), 1.0),
        (slope("slope-impratio-10.toml"), 10.0),
        (slope("slope-impratio-100.toml"), 100.0),
        (grasp("grasp-impratio-1.toml"), 1.0),
        (grasp("grasp-impratio-10.toml"), 10.0),
        (grasp("grasp-impratio-100.toml"), 100.0),
    ] {
        let found = creep(&held, "pgs-baumgarte", &exact());
        agree(found, creep_of_mujoco(&held, impratio));
    }
}

#[test]
fn compliance_and_slip_speeds_creep_in_proportion_to_the_force() {
    let held = grasp("grasp.toml");
    assert!(creep(&held, "pgs-baumgarte", &exact()) < 1e-12);
    let mut compliant = exact();
    compliant.push(("friction_cfm", Value::from(1e-5)));
    let found = creep(&held, "pgs-baumgarte", &compliant);
    agree(found, 1e-5 * held.forces[0]);
    for slip_speed in [1e-3, 1e-4] {
        let found = creep(&held, "penalty", &[("slip_speed", Value::from(slip_speed))]);
        agree(
            found,
            slip_speed * held.forces[0] / (FRICTION * held.forces[1]),
        );
    }
}

#[test]
fn presets_with_memory_or_a_warm_start_hold() {
    let held = grasp("grasp.toml");
    for id in ["tgs-sticky", "soft-step", "box3d", "avbd", "xpbd"] {
        let found = creep(&held, id, &[]);
        assert!(found < 1e-12, "{id}: {found:e}");
    }
    // friction in the relax pass alone, from nothing: each of four substeps falls by h g
    let found = creep(&held, "box3d", &[("warm_start", Value::from("off"))]);
    agree(found, 0.25 * H * 9.81);
}

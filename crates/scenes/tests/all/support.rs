//! What the tests of the scenes share.

use delassus_core::{ImpulseSolver, Solver};
use delassus_dynamics::{Scheme, Stabilization, VelocityParameters, VelocityScheme, World};
use delassus_solver_dense::DenseDirect;
use delassus_solver_si::Pgs;
use serde_json::{Map, Value};

/// True where `DELASSUS_TESTS=whole` asks for every case.
pub(crate) fn whole() -> bool {
    std::env::var("DELASSUS_TESTS").is_ok_and(|value| value == "whole")
}

/// Sweeps of projected Gauss-Seidel.
pub(crate) fn pgs() -> Box<dyn ImpulseSolver> {
    Box::new(Pgs::new(Default::default()).unwrap())
}

/// The exact solver of equality rows.
pub(crate) fn direct() -> Box<dyn ImpulseSolver> {
    Box::new(DenseDirect::new(Default::default()).unwrap())
}

/// One solve per frame without stabilisation.
pub(crate) fn bare(sweeps: u32) -> VelocityParameters {
    VelocityParameters {
        stabilization: Stabilization::None,
        sweeps,
        ..VelocityParameters::default()
    }
}

/// A scene with parameters given as JSON.
pub(crate) fn scene(id: &str, parameters: Value) -> World {
    delassus_scenes::build(id, &object(parameters)).unwrap()
}

/// The members of a JSON object.
pub(crate) fn object(value: Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

/// Advances by `frames` steps of `dt` \[s\].
pub(crate) fn run(
    world: &mut World,
    parameters: VelocityParameters,
    solver: Box<dyn ImpulseSolver>,
    frames: u32,
    dt: f64,
) {
    let mut scheme = VelocityScheme::new(parameters, solver).unwrap();
    for _ in 0..frames {
        scheme.step(world, dt, &mut ()).unwrap();
    }
}

/// Every scene that is not merely another set of defaults, by identifier and parameters.
pub(crate) fn variants() -> Vec<(&'static str, Value)> {
    use serde_json::json;
    vec![
        (
            "soft-joint",
            json!({ "joint": "point", "coupling": "block", "hertz": 5.0 }),
        ),
        (
            "soft-joint",
            json!({ "angular_hertz": 1.0, "form": "erp-cfm", "anchor": [0.0, 0.0, 0.0] }),
        ),
        ("soft-contact", json!({ "depth": 0.01, "form": "spring" })),
        (
            "pendulum",
            json!({ "joint": "ball", "angle": 0.7, "speed": 2.0 }),
        ),
        (
            "pendulum",
            json!({ "joint": "hinge", "angle": -2.0, "speed": -3.0 }),
        ),
        ("pendulum", json!({ "amplitude": 0.1, "hertz": 5.0 })),
        ("n-pendulum", json!({ "n": 5, "kind": "rod", "seed": 3 })),
        (
            "chain",
            json!({ "kind": "rod", "angle": 1.5, "length": 0.5, "radius": 0.05 }),
        ),
        (
            "chain",
            json!({ "ends": "free", "angle": 1.5, "mass_ratio": 50.0, "mass_order": "geometric" }),
        ),
        ("chain", json!({ "ends": "free", "kind": "rod" })),
        ("chain", json!({ "ends": "both" })),
        (
            "chain",
            json!({ "ends": "both", "kind": "rod", "hertz": 3.0 }),
        ),
        (
            "heavy-tip-chain",
            json!({ "kind": "point", "mass_ratio": 1e6 }),
        ),
        ("bridge", json!({ "joint": "hinge", "slack": 0.05, "n": 7 })),
        ("catenary", json!({ "start": "arc", "kind": "rod", "n": 9 })),
        ("catenary", json!({ "kind": "rod", "length": 2.0 })),
        ("joint-grid", json!({ "n": 5, "fixed": "none" })),
        (
            "joint-grid",
            json!({ "n": 4, "fixed": "top-row", "mass_ratio": 5.0 }),
        ),
        ("ball-and-chain", json!({ "n": 3, "angle": 0.3 })),
        ("ragdoll", json!({ "hold": "head", "scale": 2.0 })),
        (
            "ragdoll",
            json!({ "hold": "nothing", "friction_torque": 0.0 }),
        ),
        ("wheel", json!({ "spin": 3.0 })),
        ("crank-slider", json!({ "angle": 4.0, "torque": 1.0 })),
        ("spinning-top", json!({ "start": "released" })),
        (
            "bead",
            json!({ "curve": { "parabola": { "curvature": 2.0 } }, "start": 0.5 }),
        ),
        (
            "bead",
            json!({ "curve": { "ellipse": { "radii": [2.0, 1.0] } }, "start": 1.0 }),
        ),
        (
            "bead",
            json!({ "curve": { "sine": { "amplitude": 0.5, "wavelength": 3.0 } }, "start": 0.4 }),
        ),
        (
            "stack",
            json!({ "n": 3, "jitter": 0.1, "gap": -0.01, "law": "patch" }),
        ),
        (
            "wall",
            json!({ "base": 3, "mass_ratio": 100.0, "restitution": 0.5 }),
        ),
        ("pyramid", json!({ "base": 3, "law": "disc" })),
        (
            "grid",
            json!({ "nx": 2, "ny": 2, "nz": 3, "law": "pyramid" }),
        ),
        ("box-on-incline", json!({ "slope": 0.2, "speed": 1.0 })),
        (
            "single-box",
            json!({ "half": 0.3, "height": 0.3, "law": "patch" }),
        ),
        (
            "falling-box",
            json!({ "tilt": 0.6, "roll": 0.4, "spin": [0.0, 1.0, 2.0] }),
        ),
        (
            "sliding-block",
            json!({ "speed": 2.0, "friction": 0.2, "law": "coulomb" }),
        ),
        (
            "dropped-ball",
            json!({ "friction": 0.4, "spin": [0.0, 0.0, 5.0], "mass": 3.0 }),
        ),
        ("rolling", json!({ "roller": "cylinder", "length": 0.2 })),
        (
            "rolling",
            json!({ "roller": "hoop", "slope": 0.1, "rolling": 0.01 }),
        ),
        ("footed-box", json!({ "feet": 0, "slope": 0.2 })),
        ("footed-box", json!({ "feet": 1 })),
        ("footed-box", json!({ "feet": 2, "law": "pyramid" })),
        ("footed-box", json!({ "feet": 3, "speed": 1.0 })),
        (
            "spinning-disc",
            json!({ "speed": 1.0, "law": "disc", "thickness": 0.02 }),
        ),
        (
            "painleve-rod",
            json!({ "angle": 0.5, "speed": 3.0, "friction": 0.4 }),
        ),
        (
            "vertical-stack",
            json!({ "n": 4, "gap": 0.0, "offset": 0.0, "origin": [4e4, -2e4, 1.0] }),
        ),
        (
            "tilted-stack",
            json!({ "rows": 3, "columns": 2, "offset": 0.1 }),
        ),
        (
            "alternating-stack",
            json!({ "n": 4, "light": 1.0, "gap": 0.01 }),
        ),
        (
            "sphere-stack",
            json!({ "n": 3, "gap": 0.0, "growth": 4.0, "restitution": 0.8 }),
        ),
        ("jenga", json!({ "layers": 4, "spread": 0.5, "gap": 0.0 })),
        (
            "box-pyramid",
            json!({ "base": 4, "planar": true, "origin": [1e5, -8e4, 0.0] }),
        ),
        (
            "many-pyramids",
            json!({ "rows": 3, "columns": 1, "base": 3 }),
        ),
        (
            "overlap-recovery",
            json!({ "base": 3, "overlap": 0.5, "origin": [8e4, -7e4, 0.0] }),
        ),
        ("overlap-recovery", json!({ "base": 3, "overlap": 0.0 })),
        (
            "high-mass-ratio-1",
            json!({ "base": 3, "ratio": 10.0, "drop": 0.0 }),
        ),
        (
            "high-mass-ratio-2",
            json!({ "floor": "box", "drop": 0.0, "ratio": 100.0 }),
        ),
        ("warm-start-energy", json!({ "ratio": 5.0, "radius": 0.2 })),
        ("friction-ramp", json!({ "slope": 0.4, "friction": 0.5 })),
        (
            "double-domino",
            json!({ "n": 4, "spacing": 0.6, "impulse": 0.5 }),
        ),
        ("arch", json!({ "scale": 0.1, "boxes": 1, "friction": 0.8 })),
        (
            "voussoir-arch",
            json!({ "n": 8, "thickness": 0.3, "springing": 0.3, "radius": 2.0 }),
        ),
        (
            "card-house",
            json!({ "levels": 3, "angle": 0.3, "rolling": 0.01 }),
        ),
        ("keva-tower", json!({ "blocks": 2, "layers": 3 })),
        (
            "see-saw",
            json!({ "left": 3.0, "origin": [4e4, -2.5e4, 0.0] }),
        ),
        ("confined", json!({ "n": 4, "layers": 3, "spacing": 0.9 })),
        ("rush", json!({ "n": 12, "planar": false, "force": 200.0 })),
        (
            "newtons-cradle",
            json!({ "n": 4, "raised": 2, "gap": 0.01 }),
        ),
        (
            "wrecking-ball",
            json!({ "n": 3, "angle": 0.5, "rows": 3, "columns": 2 }),
        ),
        ("door", json!({ "speed": -1.0, "ball_mass": 50.0 })),
        (
            "cart",
            json!({ "speed": 2.0, "gravity": 9.81, "hertz": 20.0 }),
        ),
        (
            "scissor-lift",
            json!({ "levels": 1, "angle": 0.5, "speed": 0.0 }),
        ),
        (
            "ragdoll-pile",
            json!({ "n": 2, "scale": 2.0, "origin": [6e3, -1.5e3, 0.0] }),
        ),
        ("tumbler", json!({ "n": 4, "layers": 1, "spin": -50.0 })),
        ("spinner", json!({ "n": 20, "torque": 100.0 })),
        ("washer", json!({ "n": 3, "spin": 60.0 })),
        (
            "junkyard",
            json!({ "n": 2, "layers": 2, "seed": 7, "points": 20 }),
        ),
        ("compound-rain", json!({ "n": 2, "layers": 3, "seed": 5 })),
        (
            "convex-pile",
            json!({ "n": 2, "layers": 3, "seed": 9, "points": 8 }),
        ),
    ]
}

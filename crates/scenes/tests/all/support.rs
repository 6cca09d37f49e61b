//! What the tests of the scenes share.

use delassus_core::{ImpulseSolver, Solver};
use delassus_dynamics::{Scheme, Stabilization, VelocityParameters, VelocityScheme, World};
use delassus_solver_dense::DenseDirect;
use delassus_solver_si::Pgs;
use serde_json::{Map, Value};

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
    ]
}

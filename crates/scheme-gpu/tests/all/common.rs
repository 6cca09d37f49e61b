//! Worlds, schemes and distances that the tests share.

use delassus_conformance::device_or_skip;
use delassus_core::{ImpulseSolver, Solver};
use delassus_dynamics::{
    Gyroscopic, PositionScheme, RelaxPoses, Scheme, SoftnessCoupling, VelocityParameters,
    VelocityScheme, World, presets,
};
use delassus_scheme_gpu::{GpuSoftStep, GpuSoftStepParameters};
use delassus_scheme_jacobi::{JacobiSoftStep, JacobiSoftStepParameters, Scalar};
use delassus_solver_jacobi::jacobi::Jacobi;
use nalgebra::Vector3;
use serde_json::{Map, Value, json};

pub(crate) const DT: f64 = 1.0 / 60.0;

pub(crate) fn scene(id: &str, parameters: &Value) -> World {
    let mut parameters: Map<String, Value> = parameters.as_object().cloned().expect("an object");
    if matches!(id, "stack" | "pyramid") {
        // the law of the bounds of these tests, unless one is given
        if parameters.get("law") != Some(&json!("frictionless")) {
            parameters.entry("friction").or_insert(json!(0.6));
        }
        parameters.entry("law").or_insert(json!("disc"));
    }
    delassus_scenes::build(id, &parameters).expect("a scene")
}

/// Contact scenes: resting, falling, sliding, tumbling.
pub(crate) fn contact_scenes() -> Vec<(&'static str, World)> {
    let incline = json!({ "slope": 0.5, "friction": 0.3 });
    let steep = json!({ "slope": 0.2, "friction": 0.3, "law": "pyramid" });
    vec![
        ("sliding box", scene("box-on-incline", &incline)),
        ("sticking box", scene("box-on-incline", &steep)),
        ("stack", scene("stack", &json!({ "n": 4, "jitter": 0.1 }))),
        (
            "falling stack",
            scene("stack", &json!({ "n": 2, "gap": 0.015 })),
        ),
        ("pyramid", scene("pyramid", &json!({ "base": 3 }))),
        (
            "convex cone",
            scene("stack", &json!({ "n": 2, "law": "convex-cone" })),
        ),
        (
            "patch",
            scene("stack", &json!({ "n": 2, "jitter": 0.1, "law": "patch" })),
        ),
        (
            "sliding patch",
            scene(
                "box-on-incline",
                &json!({ "slope": 0.5, "friction": 0.3, "law": "patch" }),
            ),
        ),
        (
            "frictionless",
            scene("stack", &json!({ "n": 2, "law": "frictionless" })),
        ),
    ]
}

/// Bodies that hit and bounce within the frames of the comparisons: a single point, manifolds, a
/// patch. Boxes turn, so that corners hit one after the other: of corners that hit together
/// rounding would choose those that push.
pub(crate) fn bouncing_scenes() -> Vec<(&'static str, World)> {
    let tumbling = |law: &str| {
        let given = json!({ "n": 1, "gap": 0.1, "restitution": 0.6, "law": law });
        let mut parts = scene("stack", &given).into_parts();
        let body = &mut parts.bodies[1];
        body.velocity = Vector3::new(0.5, -0.5, 0.2);
        body.spin = Vector3::new(0.3, 0.2, -0.4);
        parts.build().expect("a world")
    };
    vec![
        ("ball", scene("bouncing-ball", &json!({ "height": 0.3 }))),
        ("bouncing box", tumbling("disc")),
        ("bouncing patch", tumbling("patch")),
    ]
}

/// Runs a bouncing scene; it must have bounced.
pub(crate) fn run_bouncing(name: &str, scheme: &mut dyn Scheme, world: &mut World, frames: u32) {
    let mut fastest = 0.0_f64;
    for _ in 0..frames {
        run(scheme, world, 1);
        fastest = fastest.max(world.bodies()[1].velocity.y);
    }
    assert!(fastest > 0.3, "{name} did not bounce: {fastest} m/s");
}

/// `soft-step` with `jacobi`, as many iterations as the defaults of the twin, and the lever arms
/// that its relax pass has.
pub(crate) fn velocity_level() -> VelocityScheme {
    velocity_level_with(
        Box::new(Jacobi::new(Default::default()).expect("defaults")),
        0.0,
    )
}

/// The same with another solver, and a slop \[m\].
pub(crate) fn velocity_level_with(solver: Box<dyn ImpulseSolver>, slop: f64) -> VelocityScheme {
    let preset = presets()
        .iter()
        .find(|p| p.id == "soft-step")
        .expect("it exists");
    let parameters = VelocityParameters {
        sweeps: 10,
        relax_sweeps: 5,
        slop,
        relax_arms: RelaxPoses::Kept,
        gyroscopic: Gyroscopic::Implicit,
        joint_coupling: SoftnessCoupling::Rows,
        ..(preset.parameters)()
    };
    VelocityScheme::new(parameters, solver).expect("a preset")
}

pub(crate) fn twin(scalar: Scalar) -> JacobiSoftStep {
    let parameters = JacobiSoftStepParameters {
        scalar,
        ..JacobiSoftStepParameters::default()
    };
    JacobiSoftStep::new(parameters).expect("defaults")
}

/// Returns the device's scheme, or skips the test if there is no device.
pub(crate) fn device(test: &str, parameters: GpuSoftStepParameters) -> Option<GpuSoftStep> {
    device_or_skip(test, delassus_solver_gpu::Device::shared(""))?;
    Some(GpuSoftStep::new(parameters).expect("in range"))
}

pub(crate) fn run(scheme: &mut dyn Scheme, world: &mut World, frames: u32) {
    for frame in 0..frames {
        if let Err(error) = scheme.step(world, DT, &mut ()) {
            panic!("frame {frame}: {error}");
        }
    }
}

/// Largest distances of two worlds: positions \[m\], turns \[rad\], velocities \[m/s\], spins
/// \[rad/s\].
pub(crate) fn distances(a: &World, b: &World) -> [f64; 4] {
    let mut all = [0.0_f64; 4];
    for (a, b) in a.bodies().iter().zip(b.bodies()) {
        let turn = (a.orientation.inverse() * b.orientation).into_inner();
        let own = [
            (a.position - b.position).norm(),
            2.0 * turn.vector().norm(),
            (a.velocity - b.velocity).norm(),
            (a.spin - b.spin).norm(),
        ];
        for (largest, x) in all.iter_mut().zip(own) {
            *largest = largest.max(x);
        }
    }
    all
}

/// Refuses distances above bounds.
pub(crate) fn assert_close(name: &str, a: &World, b: &World, bounds: [f64; 4]) {
    let found = distances(a, b);
    let shown = found.map(|x| format!("{x:.1e}")).join(" ");
    eprintln!("{name}: {shown}");
    for (distance, bound) in found.iter().zip(bounds) {
        assert!(*distance <= bound, "{name}: {shown}, above {bounds:?}");
    }
}

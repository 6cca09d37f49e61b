//! What rests is at rest: nothing shakes, and a frame starts with impulses that solve it already.

use delassus_dynamics::{Probe, Scheme, Stage, StepView, VelocityScheme, World, presets};
use delassus_metrics::Evaluator;
use delassus_registry::Registry;
use serde_json::{Value, json};

use crate::pairs::map;

/// Length of a frame \[s\].
const DT: f64 = 1.0 / 60.0;

/// Frames in which a scene settles, and those that are looked at \[-\].
const FRAMES: [u32; 2] = [240, 60];

/// Residual of the impulses that the last frame left, for the problem of the next (natural map,
/// relative) \[-\].
#[derive(Default)]
struct WarmStart {
    largest: f64,
}

impl Probe for WarmStart {
    fn wants(&self, stage: Stage) -> bool {
        stage == Stage::Assembled
    }

    fn at(&mut self, _: Stage, view: &StepView<'_>) {
        let problem = view.problem.expect("a frozen problem");
        let mut judge = Evaluator::new(problem).expect("a scale");
        let residuals = judge.evaluate(view.impulses).expect("finite numbers");
        self.largest = self.largest.max(residuals.natural_map);
    }
}

/// The largest speed of a point at the length of a metre from a centre \[m/s\].
fn speed(world: &World) -> f64 {
    let speeds = world.bodies().iter();
    speeds
        .map(|body| body.velocity.norm().max(body.spin.norm()))
        .fold(0.0, f64::max)
}

/// Steps a scene until it has settled; the largest speed and the largest residual of a warm start
/// after that.
fn settled(scene: &str, parameters: &Value, solver: &str, preset: &str) -> (f64, f64) {
    let built = delassus_scenes::build(scene, &map(parameters));
    let mut world = built.unwrap_or_else(|error| panic!("{scene}: {error}"));
    let registry = Registry::standard();
    let entry = registry.find(solver).expect("a registered solver");
    let solver = entry.build(&map(&json!({}))).expect("defaults");
    let preset = presets().iter().find(|entry| entry.id == preset);
    let mut settings = (preset.expect("a preset").parameters)();
    settings.sweeps = 200;
    let mut scheme = VelocityScheme::new(settings, solver).expect("a scheme");
    for _ in 0..FRAMES[0] {
        let step = scheme.step(&mut world, DT, &mut ());
        step.unwrap_or_else(|error| panic!("{scene}: {error}"));
    }
    let (mut fastest, mut warm) = (0.0_f64, WarmStart::default());
    for _ in 0..FRAMES[1] {
        let step = scheme.step(&mut world, DT, &mut warm);
        step.unwrap_or_else(|error| panic!("{scene}: {error}"));
        fastest = fastest.max(speed(&world));
    }
    (fastest, warm.largest)
}

/// An arch is left out: its frames are solved by thousands of sweeps (experiment 14).
#[test]
fn what_rests_is_at_rest_and_its_warm_start_is_solved() {
    let scenes = [
        ("single-box", json!({})),
        ("vertical-stack", json!({ "n": 4, "gap": 0.0 })),
        ("box-pyramid", json!({ "base": 4 })),
        ("sphere-stack", json!({ "n": 3 })),
    ];
    for (scene, parameters) in &scenes {
        for solver in ["block-gs", "pgs"] {
            for preset in ["pgs-slop", "split-impulse"] {
                let (speed, residual) = settled(scene, parameters, solver, preset);
                println!("{scene}, {preset}, {solver}: {speed:.1e} m/s, residual {residual:.1e}");
                assert!(speed < 1e-6, "{scene}, {preset}, {solver}: {speed} m/s");
                assert!(residual < 1e-8, "{scene}, {preset}, {solver}: {residual}");
            }
        }
    }
}

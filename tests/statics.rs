//! Statics by the global solvers: arches and cards at rest stand, roll and fall by the numbers of
//! the theory, in one solve that knows no time step and with redundant contacts.

use delassus_core::ImpulseSolver;
use delassus_dynamics::{
    Probe, Scheme, Stabilization, Stage, StepView, VelocityParameters, VelocityScheme, WarmStart,
    World,
};
use delassus_registry::Registry;
use delassus_scenes::oracles::statics::{
    Voussoir, arch_friction, arch_thickness, leaning_friction,
};
use delassus_solver_dense::assembly::redundancy;
use serde_json::{Value, json};

use crate::pairs::map;

/// Newton methods on exact Coulomb friction, which a reference rests on.
const SOLVERS: [&str; 2] = ["alart-curnier", "jean-moreau"];

/// Newton steps of one solve \[-\].
const STEPS: u32 = 200;

/// Largest null dimension of the problems that a step solves.
#[derive(Default)]
struct Redundant {
    null: usize,
}

impl Probe for Redundant {
    fn wants(&self, stage: Stage) -> bool {
        stage == Stage::Assembled
    }

    fn at(&mut self, _: Stage, view: &StepView<'_>) {
        let problem = view.problem.expect("a frozen problem");
        let found = redundancy(problem).expect("finite");
        self.null = self.null.max(found.null_dimension());
    }
}

fn scene(id: &str, parameters: &Value) -> World {
    delassus_scenes::build(id, &map(parameters)).expect("a scene")
}

fn solver(id: &str) -> Box<dyn ImpulseSolver> {
    let registry = Registry::standard();
    let entry = registry.find(id).expect("a registered solver");
    entry.build(&map(&json!({}))).expect("defaults")
}

/// Largest speed after one frame from rest over that of free fall \[-\], and the null dimension of
/// the frame's problem.
fn fall(world: &World, id: &str) -> (f64, usize) {
    let parameters = VelocityParameters {
        stabilization: Stabilization::None,
        sweeps: STEPS,
        warm_start: WarmStart::Off,
        ..VelocityParameters::default()
    };
    let mut scheme = VelocityScheme::new(parameters, solver(id)).expect("valid");
    let (mut world, mut redundant, h) = (world.clone(), Redundant::default(), 0.01);
    scheme.step(&mut world, h, &mut redundant).expect("a step");
    let speeds = world.bodies().iter().map(|body| body.velocity.norm());
    let speed = speeds.fold(0.0, f64::max);
    (speed / (h * world.gravity().norm()), redundant.null)
}

/// Stands a little above the least value and falls a little below it, with contacts that are
/// redundant.
fn brackets(make: impl Fn(f64) -> World, share: f64, what: &str) {
    for id in SOLVERS {
        let [(below, _), (above, null)] =
            [1.0 - share, 1.0 + share].map(|factor| fall(&make(factor), id));
        println!("{what}, {id}: {below:.2e} {above:.2e}, {null} redundant");
        assert!(above < 1e-9, "{what}, {id}: {above:e}");
        assert!(below > 1e-4, "{what}, {id}: {below:e}");
        assert!(null > 0, "{what}: no redundant row");
    }
}

#[test]
fn arches_stand_from_the_least_thickness_and_friction_on() {
    let arch = |n: usize, thickness: f64, friction: f64| {
        let parameters =
            json!({ "n": n, "thickness": thickness, "friction": friction, "gap": 0.0 });
        scene("voussoir-arch", &parameters)
    };
    for n in [5, 7, 9] {
        let least = arch_thickness(n, 0.7, Voussoir::Prism);
        let what = format!("arch of {n}, thickness");
        brackets(|factor| arch(n, factor * least, 0.7), 0.005, &what);
    }
    let least = arch_friction(7, 0.12, Voussoir::Prism);
    brackets(
        |factor| arch(7, 0.12, factor * least),
        0.01,
        "arch of 7, friction",
    );
}

#[test]
fn cards_stand_from_half_the_cotangent_on() {
    for degrees in [60.0_f64, 70.0, 80.0] {
        let least = leaning_friction(degrees.to_radians(), 0.005);
        let cards = |factor: f64| {
            scene(
                "card-house",
                &json!({
                    "levels": 1, "angle": (90.0 - degrees).to_radians(),
                    "half": [0.001, 0.2, 0.1], "friction": 1.0, "ground_friction": factor * least,
                }),
            )
        };
        brackets(cards, 0.01, &format!("cards at {degrees}°"));
    }
}

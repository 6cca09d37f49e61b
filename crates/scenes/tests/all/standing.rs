//! Arches and cards that stand by the least thickness and friction of the theory, and fall below
//! it: in one solve from rest, which knows no time step, and over time.

use delassus_core::{ImpulseSolver, Solver};
use delassus_dynamics::{Scheme, Stabilization, VelocityScheme, WarmStart, World, presets};
use delassus_scenes::oracles::statics::{
    Voussoir, arch_friction, arch_thickness, leaning_friction,
};
use delassus_solver_si::BlockGs;
use serde_json::json;

use crate::support::{bare, scene};

fn block_gs() -> Box<dyn ImpulseSolver> {
    Box::new(BlockGs::new(Default::default()).unwrap())
}

/// Largest speed after one frame from rest, over that of free fall \[-\]: zero where forces in the
/// cones carry the weight.
fn fall(world: &World, sweeps: u32) -> f64 {
    let mut parameters = bare(sweeps);
    parameters.warm_start = WarmStart::Off;
    let mut scheme = VelocityScheme::new(parameters, block_gs()).unwrap();
    let mut world = world.clone();
    let h = 0.01;
    scheme.step(&mut world, h, &mut ()).unwrap();
    let speeds = world.bodies().iter().map(|body| body.velocity.norm());
    speeds.fold(0.0, f64::max) / (h * world.gravity().norm())
}

/// An arch whose voussoirs touch.
fn arch(n: usize, thickness: f64, friction: f64) -> World {
    let parameters = json!({ "n": n, "thickness": thickness, "friction": friction, "gap": 0.0 });
    scene("voussoir-arch", parameters)
}

#[test]
fn arches_stand_in_one_solve_from_the_least_thickness_on() {
    // within half a percent; the fall below grows in proportion
    for (n, sweeps) in [(5, 4000), (7, 4000), (8, 4000), (9, 8000), (11, 12000)] {
        let least = arch_thickness(n, 0.7, Voussoir::Prism);
        let [below, above] = [0.995, 1.005].map(|share| fall(&arch(n, share * least, 0.7), sweeps));
        println!("{n}: least {least:.5}, {below:.3e} {above:.3e}");
        assert!(above < 1e-5, "{n}: {above:e}");
        assert!(below > 1e-3, "{n}: {below:e}");
    }
}

#[test]
fn arches_slide_in_one_solve_below_the_least_friction() {
    for (n, thickness, sweeps) in [(7, 0.12, 4000), (7, 0.2, 4000), (4, 0.15, 4000)] {
        let least = arch_friction(n, thickness, Voussoir::Prism);
        let [below, above] =
            [0.99, 1.01].map(|share| fall(&arch(n, thickness, share * least), sweeps));
        println!("{n} {thickness}: least {least:.5}, {below:.3e} {above:.3e}");
        assert!(above < 1e-5, "{n}: {above:e}");
        assert!(below > 1e-4, "{n}: {below:e}");
    }
}

/// Two cards at an angle above the ground \[°\].
fn cards(degrees: f64, ground: f64, friction: f64) -> World {
    let angle = (90.0 - degrees).to_radians();
    let parameters = json!({
        "levels": 1, "angle": angle, "half": [0.001, 0.2, 0.1],
        "friction": friction, "ground_friction": ground,
    });
    scene("card-house", parameters)
}

#[test]
fn cards_stand_in_one_solve_from_half_the_cotangent_on() {
    for degrees in [60.0_f64, 65.0, 70.0, 75.0, 80.0] {
        let least = leaning_friction(degrees.to_radians(), 0.005);
        let [below, above] =
            [0.99, 1.01].map(|share| fall(&cards(degrees, share * least, 1.0), 4000));
        println!("{degrees}: least {least:.5}, {below:.3e} {above:.3e}");
        assert!(above < 1e-5, "{degrees}: {above:e}");
        assert!(below > 1e-4, "{degrees}: {below:e}");
    }
}

/// Contacts that are hard: a few micrometres of overlap.
fn hard(sweeps: u32) -> VelocityScheme {
    let preset = presets().iter().find(|preset| preset.id == "pgs-baumgarte");
    let mut parameters = (preset.unwrap().parameters)();
    parameters.sweeps = sweeps;
    parameters.slop = 1e-5;
    assert_eq!(parameters.stabilization, Stabilization::Baumgarte);
    VelocityScheme::new(parameters, block_gs()).unwrap()
}

/// The largest way of a body in some seconds \[m\].
fn way(world: &World, seconds: u32, sweeps: u32) -> f64 {
    let mut scheme = hard(sweeps);
    let mut moved = world.clone();
    for _ in 0..60 * seconds {
        scheme.step(&mut moved, 1.0 / 60.0, &mut ()).unwrap();
    }
    let pairs = world.bodies().iter().zip(moved.bodies());
    let ways = pairs.map(|(from, to)| (to.position - from.position).norm());
    ways.fold(0.0, f64::max)
}

/// True if nothing has moved by a tenth of its size after some seconds.
fn stands(world: &World, seconds: u32, size: f64) -> bool {
    way(world, seconds, 100) < 0.1 * size
}

#[test]
fn an_arch_stands_and_falls_over_time() {
    for n in [7, 9] {
        let least = arch_thickness(n, 0.7, Voussoir::Prism);
        assert!(stands(&arch(n, 1.02 * least, 0.7), 4, 1.0), "{n}");
        assert!(!stands(&arch(n, 0.98 * least, 0.7), 4, 1.0), "{n}");
    }
}

#[test]
fn cards_stand_and_fall_over_time() {
    for degrees in [65.0_f64, 75.0] {
        let least = leaning_friction(degrees.to_radians(), 0.005);
        assert!(
            stands(&cards(degrees, 1.02 * least, 1.0), 4, 0.2),
            "{degrees}"
        );
        assert!(
            !stands(&cards(degrees, 0.98 * least, 1.0), 4, 0.2),
            "{degrees}"
        );
    }
}

/// What stands by symmetry and friction stands where it was put.
#[test]
fn stacks_and_pyramids_stand_over_time() {
    let scenes = [
        (
            "vertical-stack",
            json!({ "n": 5, "gap": 0.0, "offset": 0.0 }),
        ),
        ("box-pyramid", json!({ "base": 20 })),
        ("sphere-stack", json!({ "n": 10, "gap": 0.0 })),
    ];
    for (name, parameters) in scenes {
        let way = way(&scene(name, parameters), 1, 150);
        println!("{name}: {way:.1e} m");
        assert!(way < 0.01, "{name}: {way}");
    }
}

#[test]
fn dominoes_fall_one_after_the_other() {
    for n in [4, 8] {
        let mut world = scene("double-domino", json!({ "n": n }));
        let mut scheme = hard(100);
        let mut fallen: Vec<usize> = Vec::new();
        for _ in 0..60 * 8 {
            scheme.step(&mut world, 1.0 / 60.0, &mut ()).unwrap();
            // the ground is the first body; a domino lies where it leans by more than half a right
            // angle
            for (index, body) in world.bodies().iter().skip(1).enumerate() {
                let leans = (body.orientation * nalgebra::Vector3::y()).y < 0.5_f64.sqrt();
                if leans && !fallen.contains(&index) {
                    fallen.push(index);
                }
            }
        }
        assert_eq!(fallen, (0..n).collect::<Vec<_>>(), "{n}");
    }
}

/// The number in the tables of the theory.
#[test]
fn prisms_need_less_than_sectors() {
    for n in [7, 8, 9, 11, 15, 21, 31] {
        let [sector, prism] =
            [Voussoir::Sector, Voussoir::Prism].map(|stone| arch_thickness(n, 0.7, stone));
        println!(
            "{n} {sector:.5} {prism:.5} friction {:.4}",
            arch_friction(n, 1.0001 * prism, Voussoir::Prism)
        );
        assert!(prism < sector);
    }
}

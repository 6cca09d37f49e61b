//! Chains whose solves stop after a few sweeps (O.19)–(O.21).

use delassus_dynamics::World;
use delassus_scenes::oracles::swept::{SweptChain, stable_beta};
use serde_json::json;

use crate::pairs::{Pair, hanging, pairs, run};

const DT: f64 = 1.0 / 60.0;
const LINK: f64 = 0.5;

/// Baumgarte's scheme with scalar Gauss-Seidel sweeps in the order of the links.
fn baumgarte() -> Pair {
    let mut pairs = pairs().into_iter();
    let wanted =
        |pair: &Pair| pair.scheme.id == "pgs-baumgarte" && pair.solver.descriptor.id == "pgs";
    pairs.find(wanted).expect("the scheme and the solver")
}

fn errors(world: &World) -> Vec<f64> {
    world
        .joint_errors()
        .iter()
        .map(|(_, error)| *error)
        .collect()
}

/// Steps a vertical chain of unit masses beside the recurrence; returns its errors at the end.
fn compare(chain: SweptChain, frames: u32) -> Vec<f64> {
    let gravity = chain.fall / (DT * DT);
    let stretch = vec![chain.stretch; chain.links];
    let mut world = hanging(&vec![1.0; chain.links], LINK, &stretch, gravity);
    let changes = json!({
        "sweeps": chain.sweeps,
        "beta": chain.beta,
        "warm_start": if chain.warm { "on" } else { "off" },
    });
    let mut scheme = baumgarte().build(&changes);
    let expected = chain.errors(frames as usize);
    for (frame, exact) in expected.iter().enumerate().skip(1) {
        run(scheme.as_mut(), &mut world, DT, 1);
        for (link, (found, exact)) in errors(&world).iter().zip(exact).enumerate() {
            let error = (found - exact).abs();
            assert!(
                error < 1e-11,
                "{chain:?}, frame {frame}, link {link}: {found} {exact}"
            );
        }
    }
    errors(&world)
}

#[test]
fn swept_chains_obey_the_recurrence() {
    for (links, sweeps) in [(1, 1), (2, 1), (5, 2), (10, 4), (10, 10)] {
        for beta in [0.0, 0.2, 0.7, 1.0, 1.9] {
            for warm in [false, true] {
                let (stretch, fall) = (1e-3, 9.81 * DT * DT);
                for (stretch, fall) in [(stretch, 0.0), (0.0, fall)] {
                    let chain = SweptChain {
                        links,
                        sweeps,
                        beta,
                        warm,
                        stretch,
                        fall,
                    };
                    // growing errors would turn the links over: a few frames where they do
                    compare(chain, if warm { 15 } else { 60 });
                }
            }
        }
    }
}

#[test]
fn warm_starts_of_few_sweeps_are_stable_up_to_their_limit() {
    let cosine = libm::cos(std::f64::consts::PI / 20.0);
    for sweeps in [4, 10] {
        let kept = (0..2 * sweeps).fold(1.0, |power, _| power * cosine);
        let limit = stable_beta(kept, true);
        for (factor, warm, grows) in [(0.9, true, false), (1.1, true, true), (1.1, false, false)] {
            let stretch = vec![1e-9; 10];
            let mut world = hanging(&[1.0; 10], LINK, &stretch, 0.0);
            let changes = json!({
                "sweeps": sweeps,
                "beta": factor * limit,
                "warm_start": if warm { "on" } else { "off" },
            });
            run(baumgarte().build(&changes).as_mut(), &mut world, DT, 2000);
            let largest = errors(&world)
                .iter()
                .fold(0.0, |most: f64, c| most.max(c.abs()));
            assert_eq!(
                largest > 1e-8,
                grows,
                "{sweeps} sweeps, {factor}: {largest:e}"
            );
            assert_eq!(
                largest < 1e-10,
                !grows,
                "{sweeps} sweeps, {factor}: {largest:e}"
            );
        }
    }
}

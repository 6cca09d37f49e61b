//! Chains whose solves stop after a few sweeps (O.19)–(O.21), and changes of the step (O.26),
//! (O.27).

use delassus_dynamics::{Body, Inertia, World, WorldParts};
use delassus_scenes::oracles::swept::{SweptChain, stable_beta};
use nalgebra::Vector3;
use serde_json::json;

use crate::pairs::{Pair, hanging, pairs, rod, run};

const DT: f64 = 1.0 / 60.0;
const LINK: f64 = 0.5;

/// Baumgarte's scheme with scalar Gauss-Seidel sweeps in the order of the links.
fn baumgarte() -> Pair {
    let mut pairs = pairs().into_iter();
    let wanted = |pair: &Pair| {
        pair.scheme.descriptor.id == "pgs-baumgarte" && pair.solver.descriptor.id == "pgs"
    };
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

/// A chain of five unit masses at rest that knows the impulses of the step `DT`.
fn at_rest() -> World {
    let mut world = hanging(&[1.0; 5], LINK, &[0.0; 5], 9.81);
    let exact = json!({ "sweeps": 3000, "warm_start": "on" });
    run(baumgarte().build(&exact).as_mut(), &mut world, DT, 1);
    world
}

fn velocities(world: &World) -> Vec<f64> {
    world.bodies().iter().map(|body| body.velocity.y).collect()
}

#[test]
fn an_unscaled_warm_start_jumps_as_a_multiple_of_a_start_from_zero() {
    for ratio in [0.25, 0.5, 0.8, 2.0, 4.0] {
        let after = |warm: &str| {
            let mut world = at_rest();
            let few = json!({ "sweeps": 4, "warm_start": warm });
            run(baumgarte().build(&few).as_mut(), &mut world, ratio * DT, 1);
            velocities(&world)
        };
        let (cold, on, scaled) = (after("off"), after("on"), after("scaled"));
        let speed = ratio * 9.81 * DT;
        for body in 1..=5 {
            // too much by 1/r − 1 of what a start from zero leaves out (O.26)
            let expected = (1.0 - 1.0 / ratio) * cold[body];
            assert!(
                cold[body] < -0.01 * speed,
                "{ratio}, body {body}: {}",
                cold[body]
            );
            assert!(
                (on[body] - expected).abs() < 1e-11,
                "{ratio}: {on:?} {cold:?}"
            );
            assert!(scaled[body].abs() < 1e-11, "{ratio}: {scaled:?}");
        }
    }
}

/// Impulses of a bob that turns without weight, before and after a change of the step by `ratio`
/// \[N·s\].
fn turning(beta: f64, ratio: f64) -> [f64; 2] {
    let mut parts = WorldParts::default();
    let pivot = parts.body(Body::fixed(Vector3::zeros()));
    let mut bob = Body::dynamic(Inertia::point(1.0), Vector3::x());
    bob.velocity = Vector3::y();
    let bob = parts.body(bob);
    parts.joint(rod([pivot, bob], 1.0));
    let mut world = parts.build().expect("a valid pendulum");
    let mut scheme = baumgarte().build(&json!({ "sweeps": 1, "beta": beta }));
    let impulse = |world: &World| world.joints()[0].impulses()[0];
    run(scheme.as_mut(), &mut world, DT, 200);
    let before = impulse(&world);
    run(scheme.as_mut(), &mut world, ratio * DT, 1);
    [before, impulse(&world)]
}

#[test]
fn what_turning_makes_does_not_scale_with_the_step() {
    for ratio in [0.25, 0.5, 2.0, 4.0] {
        // β = 0: the velocity that turned in the step before is taken out, whatever the new step
        // (O.27)
        let [before, after] = turning(0.0, ratio);
        assert!(
            (after / before - 1.0).abs() < 1e-3,
            "{ratio}: {before} {after}"
        );
        // β > 0: half of it stands in C as βC/h, which goes with 1/h
        let [before, after] = turning(0.2, ratio);
        let expected = 0.5 * (1.0 + 1.0 / ratio);
        assert!(
            (after / before / expected - 1.0).abs() < 1e-3,
            "{ratio}: {before} {after}"
        );
    }
}

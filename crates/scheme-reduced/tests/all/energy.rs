//! Orders of the integrators in motion and energy.

use delassus_dynamics::{World, WorldParts};
use delassus_scenes::oracles::order;
use delassus_scheme_reduced::Integrator;
use nalgebra::Vector3;

use crate::common::{KINDS, distance, moving, run, scheme, tree};

/// A tree on which nothing but weight acts.
fn conservative(seed: u64, held: bool) -> World {
    let kinds: Vec<usize> = (0..KINDS).collect();
    let mut parts: WorldParts = tree(seed, 6, &kinds, held);
    for body in &mut parts.bodies {
        (body.force, body.torque) = (Vector3::zeros(), Vector3::zeros());
    }
    moving(parts, seed + 50)
}

/// Length of the runs \[s\].
const TIME: f64 = 0.5;

/// Where a world ends, at a step that leaves no error to speak of.
fn reference(world: &World) -> World {
    let mut end = world.clone();
    let steps = 16_384;
    let mut scheme = scheme(Integrator::RungeKutta);
    run(&mut scheme, &mut end, TIME / f64::from(steps), steps);
    end
}

/// Orders of place and energy.
fn orders([world, reference]: [&World; 2], integrator: Integrator, steps: [u32; 3]) -> [f64; 2] {
    let start = world.energy().total();
    let samples = steps.map(|steps| {
        let mut world = world.clone();
        let h = TIME / f64::from(steps);
        run(&mut scheme(integrator), &mut world, h, steps);
        let energy = (world.energy().total() - start).abs();
        [(h, distance(&world, reference)), (h, energy)]
    });
    [0, 1].map(|what| order(&samples.map(|pair| pair[what])).expect("errors above zero"))
}

#[test]
fn integrators_converge_at_their_orders() {
    let cases = [
        (Integrator::SemiImplicitEuler, 1.0, [1024, 2048, 4096]),
        (Integrator::ProjectedEuler, 1.0, [1024, 2048, 4096]),
        (Integrator::ImplicitMidpoint, 2.0, [512, 1024, 2048]),
        (Integrator::RungeKutta, 4.0, [512, 1024, 2048]),
    ];
    for (seed, held) in [(1, true), (2, true), (3, false), (6, false)] {
        let world = conservative(seed, held);
        let end = reference(&world);
        for (integrator, expected, steps) in cases {
            let found = orders([&world, &end], integrator, steps);
            // at most a quarter from higher orders; energy may do better than the motion
            assert!(
                (found[0] - expected).abs() < 0.25,
                "{integrator:?}, {seed}: {found:?}"
            );
            assert!(
                found[1] > expected - 0.35,
                "{integrator:?}, {seed}: {found:?}"
            );
        }
    }
}

/// Largest departure of the energy in each of `parts` equal parts of a run \[J\].
fn departures(
    world: &World,
    integrator: Integrator,
    dt: f64,
    frames: u32,
    parts: usize,
) -> Vec<f64> {
    let mut world = world.clone();
    let start = world.energy().total();
    let mut scheme = scheme(integrator);
    (0..parts)
        .map(|_| {
            let mut worst = 0.0_f64;
            for _ in 0..frames / 10 {
                run(&mut scheme, &mut world, dt, 10);
                worst = worst.max((world.energy().total() - start).abs());
            }
            worst
        })
        .collect()
}

#[test]
fn the_midpoint_and_symplectic_euler_keep_a_swing_without_drift() {
    let scene = delassus_scenes::scenes::Pendulum {
        joint: delassus_scenes::scenes::PendulumJoint::Hinge,
        angle: 1.0,
        ..delassus_scenes::scenes::Pendulum::default()
    };
    let world = delassus_scenes::Scene::make(&scene).expect("a pendulum");
    for integrator in [Integrator::ImplicitMidpoint, Integrator::SemiImplicitEuler] {
        let parts = departures(&world, integrator, 0.01, 2000, 5);
        // a bounded swing: no later part departs further than the first one
        for later in &parts[1..] {
            assert!(*later < 1.01 * parts[0], "{integrator:?}: {parts:?}");
        }
    }
    let runge_kutta = departures(&world, Integrator::RungeKutta, 0.01, 2000, 5);
    // dissipates at its order: later parts are further off
    assert!(runge_kutta[4] > 2.0 * runge_kutta[0], "{runge_kutta:?}");
    assert!(runge_kutta[4] < 1e-5, "{runge_kutta:?}");
}

#[test]
fn damping_takes_the_energy_that_its_rate_says() {
    // a free body: v = v₀ exp(−c t), and Euler's (1 + hc)⁻ⁿ to the bit pattern of its rounding
    let mut parts = WorldParts::default();
    let inertia = delassus_dynamics::Inertia::new(2.0, Vector3::repeat(0.5));
    let mut body = delassus_dynamics::Body::dynamic(inertia, Vector3::zeros());
    (body.linear_damping, body.angular_damping) = (0.8, 1.7);
    parts.body(body.moving(Vector3::x(), Vector3::y()));
    let world = parts.build().expect("a body");
    let mut exact = world.clone();
    run(&mut scheme(Integrator::RungeKutta), &mut exact, 0.01, 100);
    let body = &exact.bodies()[0];
    assert!((body.velocity.x - libm::exp(-0.8)).abs() < 1e-9);
    assert!((body.spin.y - libm::exp(-1.7)).abs() < 1e-9);
    for integrator in [Integrator::SemiImplicitEuler, Integrator::ProjectedEuler] {
        let mut euler = world.clone();
        run(&mut scheme(integrator), &mut euler, 0.01, 100);
        let body = &euler.bodies()[0];
        assert!((body.velocity.x - 1.008_f64.powi(-100)).abs() < 1e-13);
        assert!((body.spin.y - 1.017_f64.powi(-100)).abs() < 1e-13);
    }
}

#[test]
fn the_work_of_applied_forces_is_the_energy_that_they_bring() {
    let kinds: Vec<usize> = (0..KINDS).collect();
    let world = moving(tree(5, 6, &kinds, true), 6);
    let (mut stepped, mut work) = (world.clone(), 0.0);
    let mut scheme = scheme(Integrator::RungeKutta);
    for _ in 0..2000 {
        let step = delassus_dynamics::Scheme::step(&mut scheme, &mut stepped, 2.5e-4, &mut ());
        work += step.expect("a step").applied_work;
    }
    let gained = stepped.energy().total() - world.energy().total();
    // of fourth order: measured 2.9e-6 at 1 ms, 1.2e-8 here
    assert!(
        work.abs() > 0.1 && (gained - work).abs() < 1e-7,
        "{gained} {work}"
    );
}

//! The pendulum of the oracle O30: a point mass on a rod of 1 m, released from 90°, symplectic
//! Euler.

use delassus_core::Solver;
use delassus_dynamics::constraints::Distance;
use delassus_dynamics::{
    Body, Inertia, Joint, Scheme, Signal, Stabilization, VelocityParameters, VelocityScheme, World,
    WorldParts,
};
use delassus_solver_si::Pgs;
use nalgebra::Vector3;

fn pendulum(origin: Vector3<f64>) -> World {
    let mut parts = WorldParts {
        gravity: Vector3::new(0.0, -9.81, 0.0),
        ..WorldParts::default()
    };
    let pivot = parts.body(Body::fixed(origin));
    let bob = parts.body(Body::dynamic(Inertia::point(1.0), origin + Vector3::x()));
    parts.joint(Joint::new(Distance {
        bodies: [pivot, bob],
        anchors: [Vector3::zeros(); 2],
        length: Signal::Constant(1.0),
    }));
    parts.build().unwrap()
}

/// Error of the rod \[m\] and energy gained \[J\] after 10 s.
fn run(world: &mut World, frames: u32, beta: f64) -> (f64, f64) {
    let parameters = VelocityParameters {
        beta,
        stabilization: Stabilization::Baumgarte,
        sweeps: 1,
        ..VelocityParameters::default()
    };
    let solver = Box::new(Pgs::new(Default::default()).unwrap());
    let mut scheme = VelocityScheme::new(parameters, solver).unwrap();
    let start = world.energy().total();
    for _ in 0..frames {
        scheme
            .step(world, 10.0 / f64::from(frames), &mut ())
            .unwrap();
    }
    (world.joint_errors()[0].1, world.energy().total() - start)
}

#[test]
fn drift_and_energy_are_those_of_the_recurrence() {
    // ALGORITHMS O30 prints five digits
    let (error, energy) = run(&mut pendulum(Vector3::zeros()), 600, 0.0);
    assert!((error - 0.47467).abs() < 5e-6, "{error}");
    assert!((energy + 8.3974).abs() < 5e-5, "{energy}");
    let (error, _) = run(&mut pendulum(Vector3::zeros()), 600, 0.2);
    assert!((error - 0.010936).abs() < 5e-7, "{error}");
    let (error, _) = run(&mut pendulum(Vector3::zeros()), 2400, 0.0);
    assert!((error - 0.15852).abs() < 5e-6, "{error}");
    let (error, _) = run(&mut pendulum(Vector3::zeros()), 9600, 0.0);
    assert!((error - 0.04442).abs() < 5e-6, "{error}");
}

#[test]
fn ten_thousand_kilometres_from_the_origin_it_moves_as_at_the_origin() {
    let origin = Vector3::new(1e7, -1e7, 1e7);
    let (mut near, mut far) = (pendulum(Vector3::zeros()), pendulum(origin));
    run(&mut near, 600, 0.2);
    run(&mut far, 600, 0.2);
    let offset = |world: &World| world.bodies()[1].position - world.bodies()[0].position;
    assert!((offset(&near) - offset(&far)).norm() < 1e-12);
}

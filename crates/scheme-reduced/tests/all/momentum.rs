//! Trees that nothing holds: momentum, centre of mass, and velocities that joints do not allow.

use delassus_dynamics::{Body, Inertia, Scheme, World, WorldParts};
use delassus_scenes::Scene;
use delassus_scenes::scenes::ChainWorld;
use delassus_scheme_reduced::Integrator;
use delassus_systems::{Chain, Ends, LinkKind};
use nalgebra::{DVector, Vector3};

use crate::common::{Dense, KINDS, moving, run, scheme, source, tree};

const INTEGRATORS: [Integrator; 4] = [
    Integrator::SemiImplicitEuler,
    Integrator::ProjectedEuler,
    Integrator::ImplicitMidpoint,
    Integrator::RungeKutta,
];

fn centre(world: &World) -> Vector3<f64> {
    let dynamic = || world.bodies().iter().filter(|body| body.is_dynamic());
    let mass: f64 = dynamic().map(|body| body.inertia.mass).sum();
    let moment: Vector3<f64> = dynamic()
        .map(|body| body.inertia.mass * body.position.to_vector())
        .sum();
    moment / mass
}

/// A floating tree without forces.
fn loose(seed: u64) -> World {
    let kinds: Vec<usize> = (0..KINDS).collect();
    let mut parts: WorldParts = tree(seed, 8, &kinds, false);
    parts.gravity = Vector3::zeros();
    for body in &mut parts.bodies {
        (body.force, body.torque) = (Vector3::zeros(), Vector3::zeros());
    }
    moving(parts, seed + 20)
}

/// A free chain of point masses or rods that flies and turns.
fn chain(kind: LinkKind) -> World {
    let scene = ChainWorld {
        chain: Chain {
            n: 5,
            kind,
            ends: Ends::Free,
            gravity: 0.0,
            ..Chain::default()
        },
        ..ChainWorld::default()
    };
    let mut world = scene.make().expect("a chain");
    let spin = Vector3::new(0.3, 0.5, 1.0);
    let middle = centre(&world);
    for index in 0..world.bodies().len() {
        let body = &world.bodies()[index];
        let velocity = Vector3::x() + spin.cross(&(body.position.to_vector() - middle));
        let own = if body.inertia.moments == Vector3::zeros() {
            Vector3::zeros()
        } else {
            spin
        };
        world.set_velocity(index, velocity, own).expect("dynamic");
    }
    world
}

#[test]
fn momentum_and_centre_of_mass_are_exact_with_every_integrator() {
    let worlds = [
        loose(3),
        loose(8),
        chain(LinkKind::Point),
        chain(LinkKind::Rod),
    ];
    for (number, start) in worlds.iter().enumerate() {
        for integrator in INTEGRATORS {
            let mut world = start.clone();
            let (before, mass) = (world.momentum(), total_mass(&world));
            run(&mut scheme(integrator), &mut world, 0.004, 1000);
            let after = world.momentum();
            let size: f64 = world
                .bodies()
                .iter()
                .filter(|body| body.is_dynamic())
                .map(|body| body.inertia.mass * (body.velocity.norm() + body.spin.norm()))
                .sum();
            let linear = (after.linear - before.linear).norm() / size;
            let angular = (after.angular - before.angular).norm() / size;
            let drifted = centre(&world) - centre(start) - 4.0 * before.linear / mass;
            let all = (linear, angular, drifted.norm());
            // rounding of a thousand steps: measured 2e-14, 1e-13, 1e-13
            let exact = linear < 1e-12 && angular < 1e-11 && drifted.norm() < 1e-11;
            assert!(exact, "{number}, {integrator:?}: {all:?}");
        }
    }
}

fn total_mass(world: &World) -> f64 {
    let dynamic = world.bodies().iter().filter(|body| body.is_dynamic());
    dynamic.map(|body| body.inertia.mass).sum()
}

#[test]
fn a_falling_tree_gains_its_weight_and_falls_a_parabola() {
    let mut parts = loose(3).into_parts();
    parts.gravity = Vector3::new(0.5, -9.81, 0.0);
    for body in &mut parts.bodies {
        body.gravity_scale = 1.0;
    }
    let start = parts.build().expect("a tree");
    for integrator in INTEGRATORS {
        let mut world = start.clone();
        let mut scheme = scheme(integrator);
        let (h, frames) = (0.002, 500);
        let mut outside = Vector3::zeros();
        for _ in 0..frames {
            let report = scheme.step(&mut world, h, &mut ()).expect("a step");
            outside += report.external.linear;
        }
        let gained = world.momentum().linear - start.momentum().linear;
        let weight = total_mass(&world) * world.gravity();
        assert!((gained - weight).norm() < 1e-11, "{integrator:?}");
        assert!((gained - outside).norm() < 1e-11, "{integrator:?}");
        let fallen = centre(&world) - centre(&start) - start.momentum().linear / total_mass(&world);
        // Euler moves with the new velocity: n(n + 1)/2 steps of g h²
        let steps = f64::from(frames);
        let expected = match integrator {
            Integrator::SemiImplicitEuler | Integrator::ProjectedEuler => {
                0.5 * h * h * steps * (steps + 1.0)
            }
            _ => 0.5,
        };
        let error = (fallen - expected * world.gravity()).norm();
        assert!(error < 1e-11, "{integrator:?}: {error:e}");
    }
}

#[test]
fn impossible_velocities_become_the_nearest_possible_ones() {
    for held in [true, false] {
        let kinds: Vec<usize> = (0..KINDS).collect();
        let mut world = tree(12, 6, &kinds, held).build().expect("a tree");
        let mut numbers = source(3);
        let random = &mut delassus_dynamics::ExampleRng(&mut numbers);
        for index in 1..world.bodies().len() {
            let (velocity, spin) = (random.vector(1.0), random.vector(1.0));
            world.set_velocity(index, velocity, spin).expect("dynamic");
        }
        let dense = Dense::of(&world);
        let momentum = &dense.mass * dense.velocities(&world);
        let goal = DVector::zeros(dense.jacobian.nrows());
        let (multipliers, expected) = dense.solve(&momentum, &goal);
        let before = world.clone();
        // so short a step that forces do nothing
        run(
            &mut scheme(Integrator::SemiImplicitEuler),
            &mut world,
            1e-12,
            1,
        );
        let error = (dense.velocities(&world) - &expected).amax();
        assert!(error < 1e-9, "{error:e}");
        let impulses = world.joints().iter().flat_map(|j| j.impulses().to_vec());
        let impulses = DVector::from_iterator(multipliers.len(), impulses);
        let error = (&impulses - &multipliers).amax() / multipliers.amax();
        assert!(error < 1e-9, "{error:e}");
        assert!(world.energy().kinetic < before.energy().kinetic);
        if !held {
            let kept = world.momentum().linear - before.momentum().linear;
            assert!(kept.norm() < 1e-9, "{kept}");
        }
    }
}

#[test]
fn several_trees_and_free_bodies_move_by_themselves() {
    let mut parts = loose(3).into_parts();
    let alone = parts.clone().build().expect("a tree");
    let inertia = Inertia::new(1.0, Vector3::new(1.0, 2.0, 3.0));
    let body = Body::dynamic(inertia, Vector3::new(5.0, 0.0, 0.0));
    let ball = parts.body(body.moving(Vector3::x(), Vector3::new(0.1, 1.0, 0.0)));
    let mass = Body::dynamic(Inertia::point(2.0), Vector3::new(0.0, 5.0, 0.0));
    let mass = parts.body(mass.moving(Vector3::y(), Vector3::zeros()));
    let mut both = parts.build().expect("three trees");
    let mut one = alone;
    for integrator in INTEGRATORS {
        run(&mut scheme(integrator), &mut both, 0.01, 10);
        run(&mut scheme(integrator), &mut one, 0.01, 10);
    }
    for (a, b) in one.bodies().iter().zip(both.bodies()) {
        assert_eq!(a.pose(), b.pose());
    }
    let way = |body: usize| both.bodies()[body].position.to_vector();
    assert!((way(ball) - Vector3::new(5.4, 0.0, 0.0)).norm() < 1e-13);
    assert!((way(mass) - Vector3::new(0.0, 5.4, 0.0)).norm() < 1e-13);
}

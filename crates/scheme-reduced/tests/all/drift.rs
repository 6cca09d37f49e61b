//! Joints keep to rounding, however long the run.

use delassus_dynamics::{Joint, Scheme, World, WorldParts};
use delassus_scenes::Scene;
use delassus_scenes::scenes::{
    ChainWorld, NPendulum, Pendulum, PendulumJoint, Ragdoll, SpinningTop,
};
use delassus_scheme_reduced::Integrator;
use delassus_systems::{Chain, Ends, LinkKind};
use nalgebra::Vector3;

use crate::common::{KINDS, drift, moving, run, scheme, tree};

fn made<S: Scene>(scene: S) -> World {
    scene.make().expect("a scene")
}

/// Ten rods: on ball joints, and on hinges about axes across each other.
fn chains() -> [World; 2] {
    let chain = made(ChainWorld {
        chain: Chain {
            n: 10,
            kind: LinkKind::Rod,
            ends: Ends::Anchored,
            ..Chain::default()
        },
        ..ChainWorld::default()
    });
    let mut parts: WorldParts = chain.clone().into_parts();
    for (index, joint) in parts.joints.iter_mut().enumerate() {
        let (bodies, anchors) = match &joint.constraint {
            delassus_dynamics::constraints::AnyConstraint::Point(point) => {
                (point.bodies, point.anchors)
            }
            other => panic!("{other:?}"),
        };
        let axis = if index % 2 == 0 {
            Vector3::z()
        } else {
            Vector3::x()
        };
        let local = bodies.map(|body| parts.bodies[body].orientation.inverse() * axis);
        *joint = Joint::new(delassus_dynamics::constraints::Hinge {
            bodies,
            anchors,
            axes: local,
        });
    }
    [chain, parts.build().expect("a chain of hinges")]
}

fn worlds() -> Vec<(&'static str, World)> {
    let ragdoll = Ragdoll {
        limits: false,
        friction_torque: 0.0,
        ..Ragdoll::default()
    };
    let hinged = Pendulum {
        joint: PendulumJoint::Hinge,
        ..Pendulum::default()
    };
    let kinds: Vec<usize> = (0..KINDS).collect();
    let [balls, hinges] = chains();
    let mut loose = tree(4, 10, &kinds, false);
    loose.gravity = Vector3::zeros();
    for body in &mut loose.bodies {
        (body.force, body.torque) = (Vector3::zeros(), Vector3::zeros());
    }
    vec![
        ("pendulum", made(hinged)),
        ("point pendulum", made(Pendulum::default())),
        ("3-pendulum", made(NPendulum::default())),
        ("chain of balls", balls),
        ("chain of hinges", hinges),
        ("ragdoll", made(ragdoll)),
        ("top", made(SpinningTop::default())),
        ("floating tree", moving(loose, 9)),
    ]
}

#[test]
fn joints_keep_to_rounding_over_ten_thousand_steps() {
    for (name, world) in worlds() {
        // the top turns by 0.15 rad per step and the limbs of a ragdoll without limits faster:
        // explicit speeds gain energy there until they overflow
        let steady = match name {
            "top" => &[Integrator::ProjectedEuler, Integrator::RungeKutta][..],
            "ragdoll" => &[Integrator::ProjectedEuler],
            _ => &[
                Integrator::SemiImplicitEuler,
                Integrator::ProjectedEuler,
                Integrator::RungeKutta,
            ],
        };
        for integrator in steady {
            let integrator = *integrator;
            let mut world = world.clone();
            let mut scheme = scheme(integrator);
            let mut worst = 0.0_f64;
            for _ in 0..1000 {
                run(&mut scheme, &mut world, 1e-3, 10);
                worst = worst.max(drift(&world));
            }
            // places are sums along the tree, a few ulps of a few metres: measured 6e-15 at most
            assert!(worst < 1e-13, "{name}, {integrator:?}: {worst:e}");
        }
    }
}

#[test]
fn a_floating_tree_that_flies_far_keeps_its_joints() {
    let kinds: Vec<usize> = (0..KINDS).collect();
    let mut parts = tree(4, 10, &kinds, false);
    for body in &mut parts.bodies {
        body.position += Vector3::new(1e7, -3e6, 2e5);
    }
    let mut world = parts.build().expect("a tree");
    let before = drift(&world);
    run(&mut scheme(Integrator::RungeKutta), &mut world, 1e-3, 100);
    // positions are sums of two numbers: the distance costs no digits
    assert!(drift(&world) < 1e-13, "{before:e} {:e}", drift(&world));
}

#[test]
fn frames_and_substeps_are_the_same_steps() {
    let world = made(NPendulum::default());
    for integrator in [
        Integrator::SemiImplicitEuler,
        Integrator::ProjectedEuler,
        Integrator::ImplicitMidpoint,
        Integrator::RungeKutta,
    ] {
        let (mut one, mut four) = (world.clone(), world.clone());
        run(&mut scheme(integrator), &mut one, 0.0025, 40);
        let parameters = delassus_scheme_reduced::ArticulatedBodyParameters {
            substeps: 4,
            integrator,
        };
        let mut coarse =
            <delassus_scheme_reduced::ArticulatedBody as delassus_dynamics::PositionScheme>::new(
                parameters,
            )
            .expect("in range");
        for _ in 0..10 {
            coarse.step(&mut four, 0.01, &mut ()).expect("a step");
        }
        let distance = crate::common::distance(&one, &four);
        // coordinates are measured anew per frame, to rounding
        assert!(distance < 1e-12, "{integrator:?}: {distance:e}");
    }
}

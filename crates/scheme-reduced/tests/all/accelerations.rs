//! Accelerations and joint forces against the dense equations of motion \[M −Jᵀ; J 0\] of the same
//! rows.

use delassus_dynamics::constraints::{Distance, Point};
use delassus_dynamics::{Body, ExampleRng, Inertia, Joint, Signal, World, WorldParts};
use delassus_scheme_reduced::{Integrator, accelerations};
use nalgebra::{DVector, Vector3};

use crate::common::{Dense, KINDS, joint, moving, run, scheme, source, tree};

/// Largest relative difference of accelerations, and of the forces of rows.
fn difference(world: &World) -> [f64; 2] {
    let dense = Dense::of(world);
    let (multipliers, expected) = dense.solve(&dense.forces(world), &-dense.drift(world));
    let (found, rows) = accelerations(world).expect("a tree");
    let found = dense.bodies.iter().flat_map(|body| {
        let a = &found[*body];
        [
            a.linear.x,
            a.linear.y,
            a.linear.z,
            a.angular.x,
            a.angular.y,
            a.angular.z,
        ]
    });
    let found = DVector::from_iterator(expected.len(), found);
    let rows = DVector::from_iterator(multipliers.len(), rows.concat());
    [
        // what is welded to the ground does not accelerate
        (&found - &expected).amax() / expected.amax().max(1.0),
        (&rows - &multipliers).amax() / multipliers.amax().max(f64::MIN_POSITIVE),
    ]
}

#[test]
fn every_kind_of_joint_accelerates_as_the_dense_equations_say() {
    for kind in 0..KINDS {
        for seed in 0..20 {
            for held in [true, false] {
                let world = moving(tree(seed, 3, &[kind], held), seed + 100);
                let [motion, force] = difference(&world);
                // differences and the dense solve leave 1e-13, and 4e-11 in the worst conditioned
                // of these trees
                assert!(motion < 1e-10, "kind {kind}, seed {seed}: {motion:e}");
                assert!(force < 1e-10, "kind {kind}, seed {seed}: {force:e}");
            }
        }
    }
}

#[test]
fn mixed_trees_accelerate_as_the_dense_equations_say() {
    let kinds: Vec<usize> = (0..KINDS).collect();
    for seed in 0..40 {
        for held in [true, false] {
            let mut parts = tree(seed, 12, &kinds, held);
            for (index, body) in parts.bodies.iter_mut().enumerate() {
                body.linear_damping = 0.1 * (index % 3) as f64;
                body.angular_damping = 0.2 * (index % 2) as f64;
            }
            let world = moving(parts, seed + 100);
            let [motion, force] = difference(&world);
            assert!(
                motion < 1e-11 && force < 1e-10,
                "seed {seed}: {motion:e} {force:e}"
            );
        }
    }
}

/// Point masses and solid bodies in turn, on rods, ball joints and a line.
fn mixed_masses(held: bool) -> WorldParts {
    let mut numbers = source(7);
    let random = &mut ExampleRng(&mut numbers);
    let mut parts = tree(11, 1, &[3], held);
    let mut solid = 1;
    for round in 0..3 {
        let near = parts.bodies[solid].position.to_vector();
        let mass = Inertia::point(0.5 + f64::from(round));
        let point = parts.body(Body::dynamic(mass, near + random.vector(0.5)));
        let pair = [solid, point];
        let tie = |parts: &WorldParts, pair: [usize; 2], first: Vector3<f64>, second| {
            let [a, b] = pair.map(|body| parts.bodies[body].pose());
            let length = (b.position - a.position + b.rotate(&second) - a.rotate(&first)).norm();
            let (bodies, anchors) = (pair, [first, second]);
            let length = Signal::Constant(length);
            Joint::new(Distance {
                bodies,
                anchors,
                length,
            })
        };
        let rod = tie(&parts, pair, random.vector(0.3), Vector3::zeros());
        parts.joint(rod);
        let other = parts.body(Body::dynamic(mass, near + random.vector(0.5)));
        let rod = tie(&parts, [other, point], Vector3::zeros(), Vector3::zeros());
        parts.joint(rod);
        // a solid body on a ball joint at the mass, the mass on a line of the next
        let next = crate::common::body(random, near);
        let anchor = Vector3::new(0.2, -0.1, 0.3);
        let mut next = next;
        next.position = near.into();
        next.position +=
            (parts.bodies[other].position - next.position) - next.pose().rotate(&anchor);
        let next = parts.body(next);
        let anchors = [anchor, Vector3::zeros()];
        let bodies = [next, other];
        parts.joint(Joint::new(Point { bodies, anchors }));
        solid = next;
    }
    let bead = Body::dynamic(Inertia::point(0.4), Vector3::zeros());
    let mut bead = bead;
    bead.position = parts.bodies[solid].position;
    bead.position += Vector3::new(0.4, 0.1, -0.2);
    let bead = parts.body(bead);
    for kind in [6, 7] {
        let pair = [solid, bead];
        let poses = pair.map(|body| parts.bodies[body].pose());
        let mut line = joint(random, kind, pair, poses);
        use delassus_dynamics::constraints::AnyConstraint as Kind;
        let anchors = match &mut line {
            Kind::PointOnLine(j) => &mut j.anchors,
            Kind::PointOnPlane(j) => &mut j.anchors,
            other => panic!("{other:?}"),
        };
        // the bead itself, and the line through it
        anchors[1] = Vector3::zeros();
        let between = poses[1].position - poses[0].position;
        anchors[0] = poses[0].orientation.inverse() * between;
        if kind == 6 {
            parts.joint(Joint::new(line));
        }
    }
    for body in &mut parts.bodies {
        if body.inertia.moments == Vector3::zeros() {
            body.torque = Vector3::zeros();
        }
    }
    parts
}

/// The same world with point masses as small solid balls: the dense equations need an inertia.
fn with_small_balls(mut parts: WorldParts) -> WorldParts {
    for body in &mut parts.bodies {
        if body.is_dynamic() && body.inertia.moments == Vector3::zeros() {
            body.inertia = Inertia::new(body.inertia.mass, Vector3::repeat(1e-3));
        }
    }
    parts
}

#[test]
fn point_masses_accelerate_as_balls_that_nothing_turns() {
    for held in [true, false] {
        let parts = mixed_masses(held);
        let solid = moving(with_small_balls(parts.clone()), 3);
        let mut world = parts.build().expect("a tree");
        for (index, body) in solid.bodies().iter().enumerate() {
            if body.is_dynamic() {
                let point = world.bodies()[index].inertia.moments == Vector3::zeros();
                let spin = if point { Vector3::zeros() } else { body.spin };
                world
                    .set_velocity(index, body.velocity, spin)
                    .expect("a dynamic body");
            }
        }
        let dense = Dense::of(&solid);
        let (multipliers, expected) = dense.solve(&dense.forces(&solid), &-dense.drift(&solid));
        let (found, rows) = accelerations(&world).expect("a tree");
        for (column, body) in dense.bodies.iter().enumerate() {
            for axis in 0..3 {
                let difference = found[*body].linear[axis] - expected[6 * column + axis];
                assert!(
                    difference.abs() < 1e-9 * expected.amax(),
                    "bodies[{body}]: {difference:e}"
                );
            }
        }
        let rows = DVector::from_iterator(multipliers.len(), rows.concat());
        let error = (&rows - &multipliers).amax();
        assert!(error < 1e-9 * multipliers.amax(), "{error:e}");
    }
}

#[test]
fn the_forces_of_a_step_are_those_of_the_dense_equations() {
    let kinds: Vec<usize> = (0..KINDS).collect();
    for seed in 0..10 {
        let mut world = moving(tree(seed, 8, &kinds, true), seed + 5);
        let dense = Dense::of(&world);
        let (expected, _) = dense.solve(&dense.forces(&world), &-dense.drift(&world));
        let dt = 1e-5;
        run(
            &mut scheme(Integrator::SemiImplicitEuler),
            &mut world,
            dt,
            1,
        );
        let found = world.joints().iter().flat_map(|j| j.impulses().to_vec());
        let found = DVector::from_iterator(expected.len(), found.map(|x| x / dt));
        let error = (&found - &expected).amax() / expected.amax();
        // the velocities are brought in order first: their roundings over dt are forces
        assert!(error < 1e-8, "seed {seed}: {error:e}");
        for (index, joint) in world.joints().iter().enumerate() {
            let [a, b] = [0, 1].map(|side| world.reaction(index, side).expect("a reaction"));
            let id = joint.constraint.descriptor().id;
            assert!(
                (a.force + b.force).norm() < 1e-9 * (1.0 + a.force.norm()),
                "{id}"
            );
        }
    }
}

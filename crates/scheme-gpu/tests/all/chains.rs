//! Joints and contacts together: a chain between stacks, a linkage on a pile.

use delassus_dynamics::constraints::{Point, Weld};
use delassus_dynamics::{Body, Collider, Cuboid, Inertia, Joint, Sphere, World, WorldParts};
use delassus_scheme_gpu::{CollisionPlace, GpuSoftStepParameters};
use delassus_scheme_jacobi::{Scalar, SoftStepParameters};
use delassus_solver_gpu::ManifoldLayout;
use nalgebra::Vector3;

use crate::collision::scheme;
use crate::common::{device, distances, run, twin};
use crate::linkages::{at, centre, orientation, stretch};
use crate::resident::{both, compare, motion};
use crate::worlds::{ground, pile};

/// Two stacks of boxes whose tops are welded to a bar, and a chain of twenty balls from one to the
/// other.
fn chain_between_stacks() -> World {
    let mut parts = ground();
    let mut tops = Vec::new();
    for side in [-1.0, 1.0] {
        let mut last = 0;
        for level in 0..3 {
            let place = Vector3::new(3.0 * side, 0.5 + f64::from(level), 0.0);
            last = parts.body(Body::dynamic(Inertia::default(), place));
            parts.collider(Collider::new(last, Cuboid::cube(0.5)));
        }
        tops.push(last);
    }
    let bar = Inertia::new(0.5, Vector3::new(0.01, 0.4, 0.4));
    let bar = parts.body(Body::dynamic(bar, Vector3::new(0.0, 2.9, 0.3)));
    parts.collider(Collider::new(bar, Cuboid::new(2.0, 0.05, 0.05)));
    let weld = |parts: &mut WorldParts, bodies: [usize; 2]| {
        let poses = bodies.map(|body| parts.bodies[body].pose());
        let middle = centre(poses);
        let joint = Weld {
            bodies,
            anchors: poses.map(|pose| at(&pose, middle)),
            orientation: orientation(poses),
        };
        parts.joint(Joint::new(joint));
    };
    weld(&mut parts, [tops[0], bar]);
    weld(&mut parts, [tops[1], bar]);
    let mut last = tops[0];
    let (first, spacing) = (Vector3::new(-2.375, 2.1, 0.0), 0.25);
    for ball in 0..20 {
        let place = first + f64::from(ball) * spacing * Vector3::x();
        let inertia = Inertia::new(0.2, Vector3::repeat(0.0008));
        let body = parts.body(Body::dynamic(inertia, place));
        parts.collider(Collider::new(body, Sphere::new(0.1)));
        join(
            &mut parts,
            [last, body],
            place - 0.5 * spacing * Vector3::x(),
        );
        last = body;
    }
    let end = first + 19.5 * spacing * Vector3::x();
    join(&mut parts, [last, tops[1]], end);
    parts.build().expect("a world")
}

/// A ball joint at a point of the world.
fn join(parts: &mut WorldParts, bodies: [usize; 2], point: Vector3<f64>) {
    let poses = bodies.map(|body| parts.bodies[body].pose());
    let anchors = poses.map(|pose| at(&pose, point));
    parts.joint(Joint::new(Point { bodies, anchors }));
}

#[test]
fn a_chain_hangs_between_stacks_as_with_rows_of_the_host() {
    let test = "a_chain_hangs_between_stacks";
    let Some(mut schemes) = both(test, SoftStepParameters::default()) else {
        return;
    };
    let start = chain_between_stacks();
    let bounds = [1e-5, 2e-4, 1e-3, 1e-2];
    let own = compare(test, &mut schemes, &start, 12, bounds);
    assert!(own.manifolds().len() >= 6, "{}", own.manifolds().len());
    let [fallen, ..] = distances(&own, &start);
    assert!(fallen > 0.01, "{fallen}");
    let mut other = own.clone();
    let (mut own, [resident, _]) = (own, &mut schemes);
    run(resident, &mut own, 120);
    run(&mut twin(Scalar::F32), &mut other, 120);
    let stretched = [&own, &other].map(stretch);
    eprintln!("{test}: stretched by {stretched:?}");
    assert!(stretched[0] < 2.0 * stretched[1] + 1e-3, "{stretched:?}");
    // the stacks carry it
    for body in [3, 6] {
        let heights = [&own, &other].map(|world| world.bodies()[body].position.to_vector().y);
        assert!((heights[0] - heights[1]).abs() < 0.02, "{heights:?}");
        assert!(heights[0] > 2.4, "{heights:?}");
    }
}

#[test]
fn repeats_workgroups_and_unread_contacts_change_no_bit_of_joints() {
    let test = "repeats_workgroups_and_unread_contacts_change_no_bit_of_joints";
    let start = chain_between_stacks();
    let mut ends = Vec::new();
    let [plain, tiles] = [ManifoldLayout::Manifolds, ManifoldLayout::Tiles];
    let variants = [
        (32, true, plain),
        (64, false, plain),
        (64, true, tiles),
        (128, true, plain),
    ];
    for (workgroup, read_contacts, layout) in variants {
        let parameters = GpuSoftStepParameters {
            workgroup,
            read_contacts,
            layout,
            collision: CollisionPlace::Resident,
            ..Default::default()
        };
        let Some(mut gpu) = device(test, parameters) else {
            return;
        };
        for _ in 0..2 {
            let mut world = start.clone();
            run(&mut gpu, &mut world, 10);
            let joints = world.joints().iter();
            let impulses: Vec<f64> = joints.flat_map(|j| j.impulses().to_vec()).collect();
            ends.push((motion(&world), impulses));
        }
    }
    assert!(ends.iter().all(|end| *end == ends[0]));
}

/// A pile on which a linkage falls.
#[test]
fn a_linkage_falls_on_a_pile() {
    let test = "a_linkage_falls_on_a_pile";
    let Some(mut resident) = scheme(test, CollisionPlace::Resident) else {
        return;
    };
    let mut parts = pile(9).into_parts();
    let mut last = None;
    for index in 0..6 {
        let place = Vector3::new(0.5 * f64::from(index) - 1.2, 2.2, 0.1);
        let body = parts.body(Body::dynamic(Inertia::default(), place));
        parts.collider(Collider::new(body, Cuboid::new(0.2, 0.1, 0.1)));
        if let Some(last) = last {
            join(&mut parts, [last, body], place - 0.25 * Vector3::x());
        }
        last = Some(body);
    }
    let mut world = parts.build().expect("a world");
    let mut worst = 0.0_f64;
    for _ in 0..120 {
        run(&mut resident, &mut world, 1);
        worst = worst.max(stretch(&world));
    }
    assert!(worst < 0.02, "{worst}");
    let bodies = world.bodies()[1..].iter();
    assert!(bodies.clone().all(|b| b.position.to_vector().y > 0.05));
}

//! A substep whose rows stay allocates nothing with the wide solver: what a frame allocates does not grow with them.

use delassus_core::Solver;
use delassus_dynamics::{
    Body, ContactLaw, ContactPoint, Inertia, Manifold, Scheme, VelocityScheme, World, WorldParts,
    presets,
};
use delassus_solver_si::WidePgs;
use nalgebra::Vector3;

/// Five boxes on each other, on the ground.
fn stack() -> World {
    let mut parts = WorldParts {
        gravity: Vector3::new(0.0, -9.81, 0.0),
        ..WorldParts::default()
    };
    let mut below = parts.body(Body::fixed(Vector3::new(0.0, -0.5, 0.0)));
    let corners = [(0.5, 0.5), (0.5, -0.5), (-0.5, -0.5), (-0.5, 0.5)];
    for level in 0..5 {
        let inertia = Inertia::new(1.0, Vector3::repeat(1.0 / 6.0));
        let at = Vector3::new(0.02 * f64::from(level % 2), 0.5 + f64::from(level), 0.0);
        let above = parts.body(Body::dynamic(inertia, at));
        let points = corners.map(|(x, z)| ContactPoint {
            anchors: [Vector3::new(x, 0.5, z), Vector3::new(x, -0.5, z)],
            radii: [0.0; 2],
        });
        let points = points.to_vec();
        let bodies = [below, above];
        let manifold = Manifold::new(bodies, Vector3::y(), points, 0.5, ContactLaw::Disc);
        parts.manifolds.push(manifold);
        below = above;
    }
    parts.build().unwrap()
}

/// Allocations of the fourth frame.
fn allocations(substeps: u32, tolerance: Option<f64>) -> u64 {
    let solver = Box::new(WidePgs::new(Default::default()).unwrap());
    let preset = presets().iter().find(|preset| preset.id == "soft-step");
    let mut parameters = (preset.unwrap().parameters)();
    parameters.substeps = substeps;
    parameters.stop.tolerance = tolerance;
    let mut scheme = VelocityScheme::new(parameters, solver).unwrap();
    let mut world = stack();
    for _ in 0..3 {
        scheme.step(&mut world, 1.0 / 60.0, &mut ()).unwrap();
    }
    let counted = allocation_counter::measure(|| {
        scheme.step(&mut world, 1.0 / 60.0, &mut ()).unwrap();
    });
    counted.count_total
}

#[test]
fn substeps_of_held_rows_allocate_nothing() {
    let [few, many] = [4, 12].map(|substeps| allocations(substeps, None));
    assert!(few > 0, "a frame freezes rows");
    assert_eq!(few, many);
    // judging every sweep adds the sums J v_f and b that a problem makes when it is asked: two vectors per substep of
    // two solves, however many sweeps there are
    let judged = [4, 12].map(|substeps| allocations(substeps, Some(1e-4)));
    assert_eq!(judged, [few + 2 * 4, few + 2 * 12]);
}

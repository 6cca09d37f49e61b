//! A substep whose rows stay allocates nothing: what a frame allocates does not grow with them.

use delassus_core::{ImpulseSolver, Solver};
use delassus_dynamics::{
    Body, ContactLaw, ContactPoint, Inertia, Manifold, Scheme, VelocityScheme, World, WorldParts,
    presets,
};
use delassus_solver_si::{BlockGs, ColouredPgs, Pgs, Psor, SymmetricPgs, WidePgs};
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
fn allocations(solver: Box<dyn ImpulseSolver>, substeps: u32, tolerance: Option<f64>) -> u64 {
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

fn boxed<S: Solver + 'static>() -> Box<dyn ImpulseSolver> {
    Box::new(S::new(Default::default()).unwrap())
}

#[test]
fn substeps_of_held_rows_allocate_nothing() {
    let solvers: [fn() -> Box<dyn ImpulseSolver>; 6] = [
        boxed::<WidePgs>,
        boxed::<Pgs>,
        boxed::<Psor>,
        boxed::<SymmetricPgs>,
        boxed::<BlockGs>,
        boxed::<ColouredPgs>,
    ];
    for solver in solvers {
        let [few, many] = [4, 12].map(|substeps| allocations(solver(), substeps, None));
        let id = solver().descriptor().id;
        println!("{id}: {few} in a frame");
        assert_eq!(few, many, "{id}");
    }
}

#[test]
fn judging_a_sweep_adds_the_sums_that_a_problem_makes_when_asked() {
    // J v_f and b: two vectors per substep of two solves, however many sweeps there are
    let [few, many] = [4, 12].map(|substeps| allocations(boxed::<WidePgs>(), substeps, Some(1e-4)));
    assert_eq!(many - few, 2 * 8);
}

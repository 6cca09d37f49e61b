//! Contact problems frozen out of scenes: Gauss–Seidel on blocks and dense solvers come to the same
//! velocities, and redundant contacts are seen.

use delassus_conformance::law_cases;
use delassus_core::{Block, Friction, Law, LawKind, Problem, Start};
use delassus_dynamics::{Stabilization, VelocityParameters, VelocityScheme};
use delassus_metrics::Evaluator;
use delassus_motion::freeze;
use delassus_problems::Facts;
use delassus_registry::Registry;
use delassus_solver_dense::assembly::{normal_rows, redundancy, redundancy_of};
use serde_json::{Map, Value, json};

use crate::pairs::{is_met, map};

/// Thousands of sweeps that a solver may take \[-\].
const CHUNKS: u32 = 100;

/// Residual that ends a solve, and the largest that may be left (natural map, relative) \[-\].
const ROUNDING: f64 = 1e-12;
const LEFT: f64 = 2e-6;

/// How far velocities may lie apart \[m/s, rad/s\]; gravity adds 0.16 m/s in a step. Measured: 2e-6
/// where sweeps are slow, 1e-10 and less in most scenes.
const APART: f64 = 3e-6;

/// Length of a frame \[s\].
const DT: f64 = 1.0 / 60.0;

/// Scenes with parameters, and frames before the one whose problem is taken: at rest, sliding,
/// falling over.
fn scenes() -> Vec<(&'static str, Value, u32)> {
    vec![
        ("footed-box", json!({ "feet": 0, "slope": 0.0 }), 5),
        ("vertical-stack", json!({ "n": 4, "gap": 0.0 }), 30),
        ("tilted-stack", json!({ "rows": 3, "columns": 1 }), 10),
        ("box-pyramid", json!({ "base": 3 }), 40),
        ("arch", json!({}), 5),
        ("card-house", json!({ "levels": 1 }), 10),
        ("friction-ramp", json!({}), 150),
        ("footed-box", json!({ "feet": 3 }), 15),
        ("footed-box", json!({ "feet": 4, "slope": 0.2 }), 15),
        ("jenga", json!({ "layers": 3, "rolling": 0.0 }), 20),
        ("sphere-stack", json!({ "n": 4 }), 20),
        ("spinning-disc", json!({ "speed": 1.0 }), 5),
        ("double-domino", json!({ "n": 3 }), 60),
    ]
}

/// Every other of those whose friction is solved within a test, from the `first` on; that of an
/// arch takes some millions of sweeps.
fn rough_scenes(first: usize) -> impl Iterator<Item = (&'static str, Value, u32)> {
    let rough = scenes().into_iter().filter(|(scene, ..)| *scene != "arch");
    let shared = rough.enumerate();
    let met = shared.filter(move |(index, _)| is_met(index + first, 2));
    met.map(|(_, scene)| scene)
}

/// The problem of a frame, with the bias that the scheme gives it, as `delassus export` freezes it.
fn frozen(scene: &str, parameters: &Value, law: &str, frame: u32) -> Problem {
    let mut parameters = map(parameters);
    parameters.insert("law".into(), json!(law));
    let built = delassus_scenes::build(scene, &parameters);
    let mut world = built.unwrap_or_else(|error| panic!("{scene}: {error}"));
    let settings = VelocityParameters {
        sweeps: 60,
        stabilization: Stabilization::Baumgarte,
        ..VelocityParameters::default()
    };
    let solver = solver("pgs");
    let mut scheme = VelocityScheme::new(settings, solver).expect("a scheme");
    for _ in 0..frame {
        let stepped = freeze(&mut world, &mut scheme, DT, 0);
        stepped.unwrap_or_else(|error| panic!("{scene}: {error}"));
    }
    let capture = freeze(&mut world, &mut scheme, DT, 0);
    let capture = capture.unwrap_or_else(|error| panic!("{scene}: {error}"));
    capture.frozen.expect("a problem").problem
}

fn solver(id: &str) -> Box<dyn delassus_core::ImpulseSolver> {
    let registry = Registry::standard();
    let entry = registry.find(id).expect("a registered solver");
    entry.build(&Map::new()).expect("defaults")
}

/// The impulses of a solver after enough sweeps, or as soon as their residual, evaluated outside of
/// it, is at rounding level.
///
/// Redundant rigid contacts that are about to open make every sweeping method slow: what is left
/// after all sweeps must be small, and the velocities are compared.
fn solved(id: &str, problem: &Problem) -> Result<Vec<f64>, String> {
    let refused = |error: &dyn std::error::Error| format!("{id}: {error}");
    let mut solver = solver(id);
    let mut judge = Evaluator::new(problem).map_err(|error| refused(&error))?;
    let prepared = solver.prepare(problem, Start::Cold);
    prepared.map_err(|error| refused(&error))?;
    let mut impulses = vec![0.0; problem.rows()];
    let mut left = f64::INFINITY;
    for _ in 0..CHUNKS {
        let progress = solver.iterate(problem, 1000);
        let progress = progress.map_err(|error| refused(&error))?;
        let read = solver.read_impulses(&mut impulses);
        read.map_err(|error| refused(&error))?;
        let residuals = judge.evaluate(&impulses).map_err(|error| refused(&error))?;
        left = residuals.natural_map;
        if left <= ROUNDING || progress.finished {
            break;
        }
    }
    if left <= LEFT {
        return Ok(impulses);
    }
    Err(format!("{id}: a residual of {left:e} is left"))
}

/// Largest difference of the velocities of two solutions, v_f + M⁻¹Jᵀλ in f64 \[m/s, rad/s\].
fn apart(problem: &Problem, a: &[f64], b: &[f64]) -> f64 {
    let velocities = |impulses: &[f64]| {
        let mut out = vec![0.0; problem.bodies().map_or(0, |bodies| 6 * bodies.len())];
        let computed = problem.body_velocities(impulses, &mut out);
        computed.map(|()| out).expect("a problem of bodies")
    };
    let pairs = velocities(a).into_iter().zip(velocities(b));
    pairs.fold(0.0, |most, (a, b)| most.max((a - b).abs()))
}

/// The same problem with another law for every contact point.
fn with_law(problem: &Problem, law: impl Fn(usize) -> Friction) -> Problem {
    let mut parts = problem.clone().into_parts();
    for block in &mut parts.blocks {
        block.law = Law::Contact(law(block.first_row));
    }
    Problem::new(parts).expect("the same problem with another law")
}

#[test]
fn without_friction_pivoting_finds_the_velocities_of_block_sweeps() {
    for (scene, parameters, frame) in scenes() {
        let problem = frozen(scene, &parameters, "coulomb", frame);
        let problem = with_law(&problem, |_| Friction::Frictionless);
        let [blocks, pivots] = ["block-gs", "dantzig"]
            .map(|id| solved(id, &problem).unwrap_or_else(|what| panic!("{scene}: {what}")));
        let apart = apart(&problem, &blocks, &pivots);
        assert!(apart < APART, "{scene}: {apart:e}");
    }
}

#[test]
fn with_coulombs_law_sweeps_on_the_dense_matrix_and_jacobi_find_the_same_velocities() {
    for (scene, parameters, frame) in rough_scenes(0) {
        let problem = frozen(scene, &parameters, "coulomb", frame);
        let blocks = solved("block-gs", &problem);
        let blocks = blocks.unwrap_or_else(|what| panic!("{scene}: {what}"));
        for other in ["dense-pgs", "jacobi"] {
            let found = solved(other, &problem);
            let found = found.unwrap_or_else(|what| panic!("{scene}: {what}"));
            let apart = apart(&problem, &blocks, &found);
            println!("{scene} {apart:e}");
            assert!(apart < 1.0, "{scene}, {other}: {apart:e}");
        }
    }
}

#[test]
fn pivoting_confirms_squares_of_friction_at_their_own_normal_impulses() {
    for (scene, parameters, frame) in rough_scenes(1) {
        let problem = frozen(scene, &parameters, "pyramid", frame);
        let blocks = solved("block-gs", &problem);
        let blocks = blocks.unwrap_or_else(|what| panic!("{scene}: {what}"));
        let mu = |row: usize| match problem.blocks()[problem.block_of_row(row)].law {
            Law::Contact(friction) => friction.mu(),
            _ => 0.0,
        };
        // a solution also solves the convex problem with its limits frozen, whose velocities are
        // unique
        let convex = with_law(&problem, |row| Friction::FixedBox {
            limit: mu(row) * blocks[row].max(0.0),
        });
        let pivots = solved("dantzig", &convex);
        let pivots = pivots.unwrap_or_else(|what| panic!("{scene}: {what}"));
        let apart = apart(&problem, &blocks, &pivots);
        assert!(apart < APART, "{scene}: {apart:e}");
    }
}

#[test]
fn a_box_on_a_plane_has_one_redundant_normal_and_a_stack_one_per_box() {
    let level = json!({ "feet": 0, "slope": 0.0 });
    let cube = frozen("footed-box", &level, "coulomb", 5);
    assert_eq!(normal_rows(&cube), [0, 3, 6, 9]);
    let normals = redundancy_of(&cube, &normal_rows(&cube)).expect("singular values");
    assert_eq!((normals.rank, normals.null_dimension()), (3, 1));
    // twelve rows move six coordinates
    let all = redundancy(&cube).expect("singular values");
    assert_eq!((all.rows, all.rank, all.null_dimension()), (12, 6, 6));
    for n in [2, 4] {
        let stack = frozen(
            "vertical-stack",
            &json!({ "n": n, "gap": 0.0 }),
            "coulomb",
            10,
        );
        let normals = redundancy_of(&stack, &normal_rows(&stack)).expect("singular values");
        assert_eq!((normals.rows, normals.rank), (4 * n, 3 * n));
    }
    // three feet hold a box without redundance
    let feet = frozen(
        "footed-box",
        &json!({ "feet": 3, "slope": 0.1 }),
        "coulomb",
        5,
    );
    let normals = redundancy_of(&feet, &normal_rows(&feet)).expect("singular values");
    assert_eq!((normals.rows, normals.null_dimension()), (3, 0));
}

#[test]
fn points_of_every_law_of_contacts_are_counted() {
    for kind in LawKind::ALL.iter().copied() {
        let joints = matches!(kind, LawKind::Equality | LawKind::Bounds);
        for case in law_cases(kind) {
            let problem = case.problem;
            let points = |block: &Block| match &block.law {
                Law::Patch(patch) => patch.levers.len(),
                _ => usize::from(block.law.kind() == kind && !joints),
            };
            let expected: usize = problem.blocks().iter().map(points).sum();
            assert!(joints || expected > 0, "{}", case.name);
            assert_eq!(Facts::of(&problem).contacts, expected, "{}", case.name);
            let rows = normal_rows(&problem);
            assert_eq!(rows.len(), expected, "{}", case.name);
            // each in the block of its law, before the friction
            for row in rows {
                let block = problem.blocks().iter().find(|b| b.rows().contains(&row));
                let block = block.expect("a row of the problem");
                assert!(row < block.first_row + block.law.normals(block.dim));
            }
        }
    }
}

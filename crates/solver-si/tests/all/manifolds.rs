//! Manifolds solved together: a falling box in one visit, a stack in fewer sweeps, four corners
//! that share.

use delassus_core::{
    Friction, ImpulseSolver, Law, MassProperties, Problem, ProblemBuilder, Solver, Start,
};
use delassus_metrics::Evaluator;
use delassus_solver_si::{ManifoldGs, Pgs};
use nalgebra::{Matrix3, Vector3};

/// Boxes of 1 kg and half width 1/2 on each other, `tall` times as high as wide, all falling at 1
/// m/s; `corners` of every face.
fn boxes(count: usize, tall: f64, corners: &[[f64; 2]]) -> Problem {
    let mut builder = ProblemBuilder::new();
    let fixed = MassProperties {
        inverse_mass: Vector3::zeros(),
        inverse_inertia: Matrix3::zeros(),
    };
    builder.body(fixed, [0.0; 6]);
    let (x, y) = (1.0, tall * tall);
    let moments = Vector3::new(x + y, 2.0 * x, x + y) / 12.0;
    for _ in 0..count {
        let mass = MassProperties {
            inverse_mass: Vector3::repeat(1.0),
            inverse_inertia: Matrix3::from_diagonal(&moments.map(|i| 1.0 / i)),
        };
        builder.body(mass, [0.0, -1.0, 0.0, 0.0, 0.0, 0.0]);
    }
    for level in 0..count {
        for [x, z] in corners {
            let arms = [0.5 * tall, -0.5 * tall].map(|y| Vector3::new(*x, y, *z));
            let entry = |sign: f64, arm: Vector3<f64>| {
                let a = sign * arm.cross(&Vector3::y());
                [0.0, sign, 0.0, a.x, a.y, a.z]
            };
            let row = [entry(-1.0, arms[0]), entry(1.0, arms[1])];
            let law = Law::Contact(Friction::Frictionless);
            builder.block(law, &[level, level + 1], &[row]);
        }
    }
    builder.build().unwrap()
}

const LINE: [[f64; 2]; 2] = [[-0.5, 0.0], [0.5, 0.0]];
const FACE: [[f64; 2]; 4] = [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]];

fn swept<S: ImpulseSolver>(mut solver: S, problem: &Problem, sweeps: u32) -> Vec<f64> {
    solver.prepare(problem, Start::Cold).unwrap();
    solver.iterate(problem, sweeps).unwrap();
    let mut impulses = vec![0.0; problem.rows()];
    solver.read_impulses(&mut impulses).unwrap();
    impulses
}

fn together() -> ManifoldGs {
    ManifoldGs::new(Default::default()).unwrap()
}

fn by_rows() -> Pgs {
    Pgs::new(Default::default()).unwrap()
}

#[test]
fn a_box_that_lands_on_an_edge_is_stopped_by_one_visit() {
    // the answer is m v / 2 at both ends, whatever the shape; row by row the first sweep is far
    // from it (O.18)
    for tall in [0.5, 1.0, 2.0, 3.0] {
        let problem = boxes(1, tall, &LINE);
        for x in swept(together(), &problem, 1) {
            // ε of (G.27)
            assert!((x - 0.5).abs() < 1e-7, "{tall}: {x}");
        }
        for x in swept(together(), &problem, 3) {
            assert!((x - 0.5).abs() < 1e-14, "{tall}: {x}");
        }
    }
    let first = swept(by_rows(), &boxes(1, 2.0, &LINE), 1);
    assert!((first[0] - 0.625).abs() < 1e-12 && (first[1] - 0.468_75).abs() < 1e-12);
}

#[test]
fn four_corners_share_and_stop() {
    let problem = boxes(1, 1.0, &FACE);
    for x in swept(together(), &problem, 3) {
        assert!((x - 0.25).abs() < 1e-8, "{x}");
    }
    let mut w = vec![0.0; 4];
    problem.shifted_velocity(&swept(together(), &problem, 3), &mut w);
    assert!(w.iter().all(|w| w.abs() < 1e-14), "{w:?}");
}

#[test]
fn a_tall_stack_takes_fewer_sweeps() {
    let problem = boxes(5, 3.0, &FACE);
    let residual = |impulses: &[f64]| {
        let mut evaluator = Evaluator::new(&problem).unwrap();
        evaluator.evaluate(impulses).unwrap().natural_map
    };
    let sweeps = |solve: &dyn Fn(u32) -> Vec<f64>| {
        let small = |n: &u32| residual(&solve(*n)) < 1e-6;
        (1..2000).find(small).unwrap()
    };
    let joint = sweeps(&|n| swept(together(), &problem, n));
    let rows = sweeps(&|n| swept(by_rows(), &problem, n));
    assert!(joint < rows, "{joint} {rows}");
}

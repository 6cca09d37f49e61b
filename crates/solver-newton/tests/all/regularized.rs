//! `sap` against what is known of the convex function without its minimum.

use delassus_core::{Friction, ImpulseSolver, Law, Problem, Solver, Start};
use delassus_solver_newton::{ProxNewton, Sap};
use serde_json::json;

use crate::common::{made, solve};

fn problem(seed: u64) -> Problem {
    made(
        "planted",
        json!({ "bodies": 10, "coulomb": 0, "convex_cone": 15, "equality": 3, "frictionless": 4, "compliance": 0.05, "seed": seed }),
    )
}

/// The nearest point of the cone in the plane of a normal and a tangential length, equal
/// compliance: by its two edges.
fn project(law: &Law, y: &[f64]) -> Vec<f64> {
    match law {
        Law::Equality => y.to_vec(),
        Law::Contact(Friction::ConvexCone { mu }) => {
            let length = (y[1] * y[1] + y[2] * y[2]).sqrt();
            if length <= mu * y[0] {
                return y.to_vec();
            }
            // the edge runs along (1, μ)
            let along = ((y[0] + mu * length) / (1.0 + mu * mu)).max(0.0);
            let share = if length > 0.0 {
                mu * along / length
            } else {
                0.0
            };
            vec![along, share * y[1], share * y[2]]
        }
        _ => {
            let mut out = vec![0.0; y.len()];
            out[0] = y[0].max(0.0);
            out
        }
    }
}

/// Σ of the gaps (Z.14) of admissible impulses \[J\].
fn gap(problem: &Problem, impulses: &[f64]) -> f64 {
    let mut w = vec![0.0; problem.rows()];
    problem.apply_delassus(impulses, &mut w);
    let mut sum = 0.0;
    for block in problem.blocks() {
        let rows = block.rows();
        let r = problem.compliance()[block.first_row];
        let w: Vec<f64> = rows.clone().map(|i| w[i] + problem.b()[i]).collect();
        let y: Vec<f64> = w.iter().map(|w| -w / r).collect();
        let nearest = project(&block.law, &y);
        for (local, row) in rows.enumerate() {
            let (x, p) = (impulses[row], nearest[local]);
            sum += 0.5 * r * (x * x + p * p) + x * w[local];
        }
    }
    sum
}

/// ½‖v − v'‖² in the metric of the masses \[J\].
fn distance(problem: &Problem, a: &[f64], b: &[f64]) -> f64 {
    let difference: Vec<f64> = a.iter().zip(b).map(|(a, b)| a - b).collect();
    let mut w = vec![0.0; problem.rows()];
    problem.apply_delassus(&difference, &mut w);
    0.5 * difference.iter().zip(&w).map(|(x, w)| x * w).sum::<f64>()
}

#[test]
fn the_gap_bounds_the_distance_and_closes() {
    for seed in 0..5 {
        let problem = problem(seed);
        let solution = solve::<Sap>(&problem, 100);
        let energy = distance(&problem, &solution, &vec![0.0; problem.rows()]);
        let last = gap(&problem, &solution);
        assert!(
            last.abs() < 1e-12 * energy,
            "seed {seed}: {last:e} of {energy:e}"
        );
        let mut solver = Sap::new(Default::default()).expect("valid defaults");
        solver.prepare(&problem, Start::Cold).expect("accepted");
        for sweep in 0..5 {
            solver.iterate(&problem, 1).expect("runs");
            let mut impulses = vec![0.0; problem.rows()];
            solver.read_impulses(&mut impulses).expect("prepared");
            let (bound, apart) = (
                gap(&problem, &impulses),
                distance(&problem, &impulses, &solution),
            );
            assert!(
                apart <= bound + 1e-12 * energy,
                "seed {seed}, sweep {sweep}: {apart:e}, {bound:e}"
            );
        }
    }
}

/// Rows of friction of a cone with compliances up to a factor of a hundred apart: the metric of
/// (Z.21).
#[test]
fn tangents_may_differ_in_compliance() {
    for base in [1, 3] {
        let pushed = json!({ "base": base, "law": "convex-cone", "friction": 0.2 });
        let mut problem = made("wall", pushed);
        let soft = [0.02, 0.9, 0.004, 0.05, 0.07, 0.6, 0.3];
        let compliance: Vec<f64> = (0..problem.rows()).map(|i| soft[i % soft.len()]).collect();
        problem.set_compliance(&compliance).expect("positive");
        let bias: Vec<f64> = (0..problem.rows())
            .map(|i| [-0.4, 0.8, -0.5][i % 3])
            .collect();
        problem.set_bias(&bias).expect("finite");
        let (found, expected) = (
            solve::<Sap>(&problem, 100),
            solve::<ProxNewton>(&problem, 200),
        );
        let scale = expected.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        let mut sliding = 0;
        for (block, x) in problem.blocks().iter().zip(expected.chunks(3)) {
            assert_eq!(block.dim, 3);
            let reach = (x[1] * x[1] + x[2] * x[2]).sqrt();
            sliding += usize::from(x[0] > 0.0 && reach > 0.199 * x[0]);
        }
        assert!(sliding > 0, "nothing slides");
        for (x, y) in found.iter().zip(&expected) {
            assert!((x - y).abs() < 1e-12 * scale, "{x} {y}");
        }
    }
}

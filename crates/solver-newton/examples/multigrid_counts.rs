//! Iterations of conjugate gradients for the first Newton system of `prox-newton`, to 1e-10 of the
//! right-hand side.
//!
//!     cargo run --release -p delassus-solver-newton --example multigrid_counts [SIGMA]
//!
//! SIGMA is the proximal parameter of the first regularized problem (1e-7).
use std::time::Instant;

use delassus_core::{ImpulseSolver, Problem, Solver, Start};
use delassus_problems::generate;
use delassus_solver_newton::prox_newton::{PreparedProxNewton, ProxNewtonParameters};
use delassus_solver_newton::{Linear, Preconditioner, ProxNewton, Smoother};
use serde_json::{Value, json};

type Failure = Box<dyn std::error::Error>;

/// Generators, the name of their size, and sizes.
const PROBLEMS: [(&str, &str, [u32; 4]); 5] = [
    ("chain", "n", [10, 50, 100, 1000]),
    ("rods", "n", [10, 50, 100, 1000]),
    ("joint-grid", "n", [8, 16, 32, 48]),
    ("stack", "n", [10, 50, 100, 1000]),
    ("wall", "base", [5, 10, 20, 40]),
];

fn main() -> Result<(), Failure> {
    let sigma = std::env::args()
        .nth(1)
        .map_or(Ok(1e-7), |text| text.parse())?;
    println!(
        "| problem | block-jacobi | multigrid, gauss-seidel | multigrid | first sweep of each; with factors [ms] |"
    );
    println!("|---|---|---|---|---|");
    for (name, size, sizes) in PROBLEMS {
        for n in sizes {
            let (generator, parameters): (_, Value) = match name {
                "rods" => ("chain", json!({ size: n, "kind": "rod" })),
                _ => (name, json!({ size: n })),
            };
            let map = parameters.as_object().cloned().unwrap_or_default();
            let problem = generate(generator, &map)?.problem;
            let kinds = [
                (Preconditioner::BlockJacobi, Smoother::GaussSeidel),
                (Preconditioner::Multigrid, Smoother::GaussSeidel),
                (Preconditioner::Multigrid, Smoother::IncompleteCholesky),
            ];
            let mut cells = format!("| {name}, {size} = {n} |");
            let mut times = Vec::new();
            for (preconditioner, smoother) in kinds {
                let parameters = ProxNewtonParameters {
                    linear: Linear::Cg,
                    preconditioner,
                    smoother,
                    start_proximal: sigma,
                    ..Default::default()
                };
                let (count, time) = count(&problem, parameters)?;
                cells += &format!(" {count} |");
                times.push(format!("{time:.1}"));
            }
            let (_, direct) = count(
                &problem,
                ProxNewtonParameters {
                    start_proximal: sigma,
                    ..Default::default()
                },
            )?;
            println!("{cells} {}; {direct:.1} |", times.join(", "));
        }
    }
    Ok(())
}

/// Iterations of the first system, and the time of its sweep \[ms\].
fn count(problem: &Problem, parameters: ProxNewtonParameters) -> Result<(u32, f64), Failure> {
    let mut solver = ProxNewton::new(parameters)?;
    solver.prepare(problem, Start::Cold)?;
    let begin = Instant::now();
    solver.iterate(problem, 1)?;
    let time = 1e3 * begin.elapsed().as_secs_f64();
    let count = match solver.prepared()? {
        PreparedProxNewton::Bodies(bodies) => bodies.linear_iterations().unwrap_or(0),
        PreparedProxNewton::Matrix(_) => 0,
    };
    Ok((count, time))
}

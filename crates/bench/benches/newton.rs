//! Newton methods to a natural map of 1e-6, judged outside: a wall of 1 600 contact points, a stack
//! with a heavy top.
//!
//! A solve is `prepare` from λ = 0 and the sweeps that the first run needed. A solver that does not
//! reach the residual in its sweeps is said so and left out.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion};
use delassus_core::{Problem, Solver, Start};
use delassus_metrics::Evaluator;
use delassus_problems::generate;
use delassus_solver_dense::AlartCurnier;
use delassus_solver_newton::ProxNewton;
use delassus_solver_si::Pgs;
use serde_json::{Map, Value, json};

/// Residual that ends a solve \[-\].
const TOLERANCE: f64 = 1e-6;

fn main() {
    let mut criterion = Criterion::default().configure_from_args().sample_size(20);
    let wall = made("wall", json!({ "base": 20 }));
    let small = made("wall", json!({ "base": 8 }));
    let stack = made(
        "stack",
        json!({ "n": 10, "mass_ratio": 1000.0, "mass_order": "heavy-last" }),
    );
    for (name, problem) in [
        ("wall-20", &wall),
        ("wall-8", &small),
        ("heavy-top", &stack),
    ] {
        measure::<ProxNewton>(&mut criterion, name, problem, 100);
        measure::<Pgs>(&mut criterion, name, problem, 20_000);
    }
    // dense: the wall of base 20 would take minutes
    for (name, problem) in [("wall-8", &small), ("heavy-top", &stack)] {
        measure::<AlartCurnier>(&mut criterion, name, problem, 100);
    }
    criterion.final_summary();
}

fn made(id: &str, parameters: Value) -> Problem {
    let parameters: Map<String, Value> = parameters.as_object().cloned().unwrap_or_default();
    generate(id, &parameters)
        .expect("parameters in range")
        .problem
}

/// Sweeps until the residual is small, at most `limit`.
fn sweeps<S: Solver<Parameters: Default>>(problem: &Problem, limit: u32) -> Option<u32> {
    let mut solver = S::new(S::Parameters::default()).expect("the defaults are valid");
    let mut evaluator = Evaluator::new(problem).expect("a scale");
    let mut impulses = vec![0.0; problem.rows()];
    solver.prepare(problem, Start::Cold).expect("accepted");
    (1..=limit).find(|_| {
        solver.iterate(problem, 1).expect("runs");
        solver.read_impulses(&mut impulses).expect("prepared");
        let residual = evaluator.natural_map(&impulses);
        residual.is_ok_and(|residual| residual <= TOLERANCE)
    })
}

fn measure<S: Solver<Parameters: Default>>(
    criterion: &mut Criterion,
    name: &str,
    problem: &Problem,
    limit: u32,
) {
    let id = S::DESCRIPTOR.id;
    let Some(sweeps) = sweeps::<S>(problem, limit) else {
        println!("{name}: {id} does not reach {TOLERANCE:e} in {limit} sweeps");
        return;
    };
    println!("{name}: {id} takes {sweeps} sweeps");
    let mut solver = S::new(S::Parameters::default()).expect("the defaults are valid");
    let mut group = criterion.benchmark_group(format!("newton/{name}"));
    group.sample_size(10);
    group.bench_function(BenchmarkId::from_parameter(id), |bencher| {
        bencher.iter(|| {
            solver.prepare(black_box(problem), Start::Cold)?;
            solver.iterate(problem, sweeps)
        });
    });
    group.finish();
}

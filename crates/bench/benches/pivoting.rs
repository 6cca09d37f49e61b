//! Global solvers on the frictionless normals of piles, compared with one Cholesky factorization of
//! the same matrix.
//!
//! The piles are redundant: four normals per face, of which three are independent. Times on a
//! shared machine move; the factorization in the same run says by how much, so ratios to it are
//! what counts. `prepare` (assembly and scaling) and `iterate` (the whole solve) are measured
//! apart.
//!
//! Flops: a factorization of m rows takes m³/3, multiplications and additions together: 27 million
//! at 432 rows and 576 million at 1 200. `lemke` has no `update` of its own: what is measured as
//! its solve contains its preparation.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion};
use delassus_core::{Changes, Problem, Solver, SolverUpdate, Start};
use delassus_problems::generate;
use delassus_solver_dense::assembly::DenseDelassus;
use delassus_solver_dense::{Bpp, Dantzig, Ipm, Lemke, Pdas};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor;
use faer::{Mat, Par};
use serde_json::{Map, Value, json};

/// A pile by name.
struct Pile {
    name: &'static str,
    problem: Problem,
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args().sample_size(20);
    let piles = [
        pile("stack", "stack", json!({ "n": 108 })),
        pile("wall", "wall", json!({ "base": 10 })),
        pile("stack", "stack", json!({ "n": 300 })),
        pile("wall", "wall", json!({ "base": 17 })),
    ];
    for pile in &piles {
        cholesky(&mut criterion, pile);
        solver::<Dantzig>(&mut criterion, pile);
        solver::<Bpp>(&mut criterion, pile);
        solver::<Lemke>(&mut criterion, pile);
        solver::<Pdas>(&mut criterion, pile);
        solver::<Ipm>(&mut criterion, pile);
    }
    criterion.final_summary();
}

/// Boxes at rest under their weight, without friction.
fn pile(name: &'static str, generator: &str, mut parameters: Value) -> Pile {
    parameters["law"] = json!("frictionless");
    let parameters: Map<String, Value> = parameters.as_object().cloned().unwrap_or_default();
    let named = generate(generator, &parameters).expect("the parameters are in range");
    Pile {
        name,
        problem: named.problem,
    }
}

fn id(pile: &Pile) -> BenchmarkId {
    BenchmarkId::new(pile.name, pile.problem.rows())
}

/// One factorization by faer, of the matrix made regular by a millionth of its diagonal.
fn cholesky(criterion: &mut Criterion, pile: &Pile) {
    let matrix = DenseDelassus::assemble(&pile.problem).expect("finite");
    let rows = matrix.rows();
    let regular = Mat::from_fn(rows, rows, |i, j| {
        matrix.row(i)[j] * if i == j { 1.0 + 1e-6 } else { 1.0 }
    });
    let mut work = regular.clone();
    let scratch = factor::cholesky_in_place_scratch::<f64>(rows, Par::Seq, Default::default());
    let mut memory = MemBuffer::new(scratch);
    let mut group = criterion.benchmark_group("pivoting/cholesky");
    group.bench_function(id(pile), |bencher| {
        bencher.iter_batched_ref(
            || (),
            |()| {
                work.copy_from(&regular);
                factor::cholesky_in_place(
                    black_box(work.as_mut()),
                    Default::default(),
                    Par::Seq,
                    MemStack::new(&mut memory),
                    Default::default(),
                )
                .is_ok()
            },
            criterion::BatchSize::PerIteration,
        );
    });
    group.finish();
}

/// `prepare` alone and the solve alone.
fn solver<S: Solver<Parameters: Default>>(criterion: &mut Criterion, pile: &Pile) {
    let problem = &pile.problem;
    let mut solver = S::new(S::Parameters::default()).expect("the defaults are valid");
    let mut group = criterion.benchmark_group(format!("pivoting/prepare/{}", S::DESCRIPTOR.id));
    group.sample_size(10);
    group.bench_function(id(pile), |bencher| {
        bencher.iter(|| solver.prepare(black_box(problem), Start::Cold));
    });
    group.finish();
    let mut group = criterion.benchmark_group(format!("pivoting/solve/{}", S::DESCRIPTOR.id));
    group.sample_size(10);
    group.bench_function(id(pile), |bencher| {
        solver.prepare(problem, Start::Cold).expect("accepted");
        bencher.iter(|| {
            // an update forgets the answer, so that the next call solves again
            solver.update(problem, SolverUpdate::Numbers(Changes::default()))?;
            solver.iterate(black_box(problem), 1)
        });
    });
    group.finish();
}

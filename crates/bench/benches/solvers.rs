//! `prepare` and one sweep of the sequential solvers.
//!
//! Throughput is in rows, so the reciprocal of the printed elements per second is the time per row
//! update.
//!
//! Bytes per row update of `pgs` and `block-gs` on problems with bodies, streamed once per sweep: J
//! and M⁻¹Jᵀ 96 per moving body, so 192 between two boxes and 96 on the ground; bias, compliance
//! and effective mass 24; the diagonal block 24 per row of a contact; λ read and written 16.
//! Together 256 between two boxes. The velocities of the two bodies, 96 read and 96 written per
//! contact, stay in the cache while a wall is swept in order. A problem of 1e3 rows takes 0.25 MB
//! (second-level cache), one of 1e5 rows 25 MB (memory).

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput};
use delassus_core::{Problem, Solver, Start};
use delassus_problems::generate;
use delassus_solver_si::{BlockGs, Pgs};
use serde_json::{Map, Value, json};

/// Bases of walls with 12 base² rows of Coulomb friction: 972, 10 092 and 99 372.
const SWEEP_BASES: [usize; 3] = [9, 29, 91];
/// Sweeps before the measured ones: contacts have settled into open, stick and slip.
const SETTLE: u32 = 20;

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    bandwidth(&mut criterion);
    sequential::<Pgs>(&mut criterion);
    sequential::<BlockGs>(&mut criterion);
    criterion.final_summary();
}

/// The roofline: one core reads arrays of the sizes that a sweep streams, with eight independent
/// sums.
fn bandwidth(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("machine/read");
    for bytes in [250_000u64, 2_500_000, 25_000_000] {
        let numbers = usize::try_from(bytes / 8).unwrap_or(0);
        let values = vec![1.0f64; numbers];
        group.throughput(Throughput::Bytes(bytes));
        let name = BenchmarkId::from_parameter(bytes);
        group.bench_with_input(name, &values, |bencher, values| {
            bencher.iter(|| {
                let mut sums = [0.0; 8];
                for chunk in black_box(values).chunks_exact(8) {
                    for (sum, value) in sums.iter_mut().zip(chunk) {
                        *sum += value;
                    }
                }
                sums
            });
        });
    }
    group.finish();
}

/// A generated problem at rest under its weight.
fn problem(generator: &str, parameters: Value) -> Problem {
    let parameters: Map<String, Value> = parameters.as_object().cloned().unwrap_or_default();
    generate(generator, &parameters)
        .expect("the parameters are in range")
        .problem
}

fn solver<S: Solver>() -> S {
    S::new(S::Parameters::default()).expect("the defaults are valid")
}

fn rows(problem: &Problem) -> Throughput {
    Throughput::Elements(problem.rows() as u64)
}

/// `prepare` alone, and one sweep alone.
fn sequential<S: Solver>(criterion: &mut Criterion) {
    let id = S::DESCRIPTOR.id;
    let wall = |base: &usize| problem("wall", json!({ "base": base, "law": "coulomb" }));
    let problems: Vec<Problem> = SWEEP_BASES.iter().map(wall).collect();
    let mut group = criterion.benchmark_group(format!("prepare/{id}"));
    for problem in &problems {
        group.throughput(rows(problem));
        let name = BenchmarkId::from_parameter(problem.rows());
        group.bench_with_input(name, problem, |bencher, problem| {
            let mut solver = solver::<S>();
            bencher.iter(|| solver.prepare(black_box(problem), Start::Cold));
        });
    }
    group.finish();
    let mut group = criterion.benchmark_group(format!("iterate/{id}"));
    for problem in &problems {
        group.throughput(rows(problem));
        let name = BenchmarkId::from_parameter(problem.rows());
        group.bench_with_input(name, problem, |bencher, problem| {
            let mut solver = solver::<S>();
            solver.prepare(problem, Start::Cold).expect("accepted");
            solver.iterate(problem, SETTLE).expect("finite");
            bencher.iter(|| solver.iterate(black_box(problem), 1));
        });
    }
    group.finish();
}

//! Problems and measurements of these tests.

use delassus_core::{
    Block, BlockSparse, CoupledCompliance, Law, MatrixRows, Operator, Problem, ProblemParts,
    Solver, Start,
};
use delassus_metrics::Evaluator;

/// Numbers in (−1, 1) that look random and are the same everywhere.
pub(crate) struct Numbers(u64);

impl Numbers {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(crate) fn next(&mut self) -> f64 {
        // a linear congruential generator; its high bits
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

/// A row-major square matrix.
#[derive(Debug, Clone)]
pub(crate) struct Dense {
    pub(crate) size: usize,
    pub(crate) values: Vec<f64>,
}

impl Dense {
    pub(crate) fn new(size: usize, entry: impl Fn(usize, usize) -> f64) -> Self {
        let values = (0..size * size).map(|k| entry(k / size, k % size));
        Self {
            values: values.collect(),
            size,
        }
    }

    /// GGᵀ of a random G with `rank` columns.
    pub(crate) fn gram(size: usize, rank: usize, numbers: &mut Numbers) -> Self {
        let g: Vec<f64> = (0..size * rank).map(|_| numbers.next()).collect();
        Self::new(size, |i, j| {
            (0..rank).map(|k| g[i * rank + k] * g[j * rank + k]).sum()
        })
    }

    pub(crate) fn times(&self, x: &[f64]) -> Vec<f64> {
        let rows = self.values.chunks_exact(self.size);
        rows.map(|row| row.iter().zip(x).map(|(a, x)| a * x).sum())
            .collect()
    }

    /// The matrix problem with these laws, whose dimensions follow each other, and b.
    pub(crate) fn problem(&self, blocks: &[(Law, usize)], b: Vec<f64>) -> Problem {
        let dims: Vec<usize> = blocks.iter().map(|(_, dim)| *dim).collect();
        let mut firsts = vec![0];
        for dim in &dims {
            firsts.push(firsts[firsts.len() - 1] + dim);
        }
        let mut entries = Vec::new();
        for (i, rows) in dims.iter().enumerate() {
            for (j, columns) in dims.iter().enumerate() {
                let place = |k: usize| {
                    let (row, column) = (firsts[i] + k / columns, firsts[j] + k % columns);
                    self.values[row * self.size + column]
                };
                entries.push((i, j, (0..rows * columns).map(place).collect()));
            }
        }
        let delassus = BlockSparse::from_blocks(&dims, entries).expect("blocks that fit");
        let blocks = blocks.iter().zip(&firsts).enumerate();
        let blocks = blocks.map(|(index, ((law, dim), first))| Block {
            first_row: *first,
            dim: *dim,
            law: law.clone(),
            feature: index as u64,
        });
        Problem::new(ProblemParts {
            operator: Operator::Matrix(MatrixRows {
                delassus,
                free_velocity: b,
            }),
            blocks: blocks.collect(),
            bias: vec![0.0; self.size],
            compliance: vec![0.0; self.size],
            coupled_compliance: CoupledCompliance::new(),
            activity: Vec::new(),
            step: None,
        })
        .expect("a valid problem")
    }
}

/// A solver that is prepared for a problem, from zero.
pub(crate) fn prepared<S: Solver>(parameters: S::Parameters, problem: &Problem) -> S {
    let mut solver = S::new(parameters).expect("valid parameters");
    solver
        .prepare(problem, Start::Cold)
        .expect("a problem that the solver takes");
    solver
}

/// The impulses after so many iterations more.
pub(crate) fn after<S: Solver>(solver: &mut S, problem: &Problem, sweeps: u32) -> Vec<f64> {
    solver.iterate(problem, sweeps).expect("finite impulses");
    let mut impulses = vec![0.0; problem.rows()];
    solver.read_impulses(&mut impulses).expect("impulses");
    impulses
}

/// Relative residual of the natural map.
pub(crate) fn residual(problem: &Problem, impulses: &[f64]) -> f64 {
    let evaluated = Evaluator::new(problem).and_then(|mut e| e.evaluate(impulses));
    evaluated.map_or(f64::INFINITY, |residuals| residuals.natural_map)
}

/// ½ λᵀ(A + R)λ + bᵀλ.
pub(crate) fn objective(problem: &Problem, impulses: &[f64]) -> f64 {
    let mut w = vec![0.0; problem.rows()];
    problem.shifted_velocity(impulses, &mut w);
    let terms = impulses.iter().zip(&w).zip(problem.b());
    terms.map(|((x, w), b)| 0.5 * x * (w + b)).sum()
}

/// Σ d (a − b)².
pub(crate) fn distance_squared(problem: &Problem, a: &[f64], b: &[f64]) -> f64 {
    let soft = problem.diagonal().iter().zip(problem.compliance());
    let pairs = a.iter().zip(b).zip(soft);
    pairs
        .map(|((a, b), (d, r))| (d + r) * (a - b) * (a - b))
        .sum()
}

/// Iterations until the residual is `goal` times that of zero impulses; `None` after `limit`.
pub(crate) fn iterations<S: Solver>(
    parameters: S::Parameters,
    problem: &Problem,
    goal: f64,
    limit: u32,
) -> Option<u32> {
    let mut solver = prepared::<S>(parameters, problem);
    let first = residual(problem, &vec![0.0; problem.rows()]);
    (1..=limit).find(|_| residual(problem, &after(&mut solver, problem, 1)) <= goal * first)
}

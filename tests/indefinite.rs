//! Linear complementarity problems with indefinite matrices: what has a solution is solved by
//! `auto`, and every solver ends with a solution or a reason.

use delassus_core::{
    Block, BlockSparse, CoupledCompliance, ImpulseSolver, Law, MatrixRows, Operator, Problem,
    ProblemParts, SolveError, Start,
};
use delassus_registry::Registry;
use nalgebra::{DMatrix, DVector};
use serde_json::Map;

use crate::pairs::{on_a_device, own_solvers};

/// Solvers that do not diverge on any matrix. Sweeps and first-order steps can diverge, and report
/// it. Clarabel is missing because it reports problems as infeasible that have a solution.
const FINITE: [&str; 14] = [
    "mprgp",
    "projected-cg",
    "admm",
    "dantzig",
    "bpp",
    "lemke",
    "enumeration",
    "pdas",
    "ipm",
    "fischer-newton",
    "alart-curnier",
    "jean-moreau",
    "prox-newton",
    "auto",
];

/// A matrix, a vector, and impulses x ≥ 0 that are complementary to Mx + q ≥ 0.
struct Lcp {
    matrix: DMatrix<f64>,
    q: DVector<f64>,
}

/// Numbers of a linear congruential generator \[-1, 1).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = self.0.wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

impl Lcp {
    /// A problem of two to eight rows whose matrix has eigenvalues of both signs, with a planted
    /// solution; every second matrix is symmetric.
    fn planted(seed: u64) -> Self {
        let mut numbers = Numbers(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        numbers.next();
        let rows = 2 + usize::try_from(seed % 7).expect("a small number");
        let matrix = loop {
            let any = DMatrix::from_fn(rows, rows, |_, _| numbers.next());
            let mut symmetric = 0.5 * (&any + any.transpose());
            // most solvers divide by the diagonal
            for row in 0..rows {
                symmetric[(row, row)] = 0.2 + symmetric[(row, row)].abs();
            }
            let skew = 0.5 * (&any - any.transpose());
            if symmetric.symmetric_eigenvalues().min() < -0.1 {
                break if seed.is_multiple_of(2) {
                    symmetric
                } else {
                    symmetric + skew
                };
            }
        };
        let signs: Vec<f64> = (0..rows).map(|_| numbers.next()).collect();
        let x = DVector::from_iterator(rows, signs.iter().map(|s| s.max(0.0)));
        let w = DVector::from_iterator(rows, signs.iter().map(|s| (-s).max(0.0)));
        let q = w - &matrix * x;
        Self { matrix, q }
    }

    fn problem(&self) -> Problem {
        let rows = self.q.len();
        let places = (0..rows).flat_map(|i| (0..rows).map(move |j| (i, j)));
        let entries = places.map(|(i, j)| (i, j, vec![self.matrix[(i, j)]]));
        let delassus = BlockSparse::from_blocks(&vec![1; rows], entries.collect()).unwrap();
        let block = |row: usize| Block {
            first_row: row,
            dim: 1,
            law: Law::UNILATERAL,
            feature: row as u64,
        };
        Problem::new(ProblemParts {
            operator: Operator::Matrix(MatrixRows {
                delassus,
                free_velocity: self.q.as_slice().to_vec(),
            }),
            blocks: (0..rows).map(block).collect(),
            bias: vec![0.0; rows],
            compliance: vec![0.0; rows],
            coupled_compliance: CoupledCompliance::new(),
            activity: Vec::new(),
            step: None,
        })
        .unwrap()
    }

    /// Largest |min(x, w)|: zero at a solution.
    fn error(&self, x: &[f64]) -> f64 {
        let x = DVector::from_row_slice(x);
        let w = &self.matrix * &x + &self.q;
        let pairs = x.iter().zip(&w).map(|(x, w)| x.min(*w).abs());
        pairs.fold(0.0, f64::max)
    }

    /// Solutions by all 2ⁿ sets of rows with w = 0.
    fn solutions(&self) -> Vec<DVector<f64>> {
        let rows = self.q.len();
        let sets = (0..1_usize << rows).map(|set| {
            let active: Vec<usize> = (0..rows).filter(|row| (set >> row) & 1 == 1).collect();
            if active.is_empty() {
                let zero = DVector::zeros(rows);
                return (self.error(zero.as_slice()) < 1e-9).then_some(zero);
            }
            let own = self.matrix.select_rows(&active).select_columns(&active);
            let right = -self.q.select_rows(&active);
            let found = own.full_piv_lu().solve(&right)?;
            let mut x = DVector::zeros(rows);
            for (row, value) in active.iter().zip(&found) {
                x[*row] = *value;
            }
            (self.error(x.as_slice()) < 1e-9).then_some(x)
        });
        sets.flatten().collect()
    }
}

/// The impulses where a solver ends, after so many units at most.
fn ending(
    solver: &mut dyn ImpulseSolver,
    problem: &Problem,
    units: u32,
) -> Result<Vec<f64>, SolveError> {
    solver.prepare(problem, Start::Cold)?;
    let mut impulses = vec![0.0; problem.rows()];
    for _ in 0..units / 50 {
        let done = solver.iterate(problem, 50)?;
        solver.read_impulses(&mut impulses)?;
        if done.finished {
            break;
        }
    }
    Ok(impulses)
}

#[test]
fn auto_solves_every_solvable_lcp_of_few_rows() {
    let entry = Registry::standard().find("auto").unwrap();
    for seed in 0..700 {
        let lcp = Lcp::planted(seed);
        assert!(!lcp.solutions().is_empty(), "{seed}");
        let problem = lcp.problem();
        let mut solver = entry.build(&Map::new()).unwrap();
        let found = ending(solver.as_mut(), &problem, 100_000);
        let error = found.as_deref().map(|x| lcp.error(x));
        let lines = solver.facts().decisions;
        assert!(
            error.is_ok_and(|e| e < 1e-9),
            "{seed}: {found:?}\n{lines:#?}"
        );
    }
}

#[test]
fn solvers_end_on_indefinite_matrices_with_impulses_or_a_reason() {
    let mut broken = Vec::new();
    for entry in own_solvers().iter().filter(|entry| !on_a_device(entry)) {
        let id = entry.descriptor.id;
        let mut solver = entry.build(&Map::new()).unwrap();
        let (mut solved, mut unsolved, mut refused) = (0, 0, 0);
        for seed in 1000..1100 {
            let lcp = Lcp::planted(seed);
            let problem = lcp.problem();
            if solver.check(&problem).is_err() {
                refused += 1;
                continue;
            }
            match ending(solver.as_mut(), &problem, 3000) {
                Ok(x) if x.iter().any(|x| !x.is_finite()) => {
                    broken.push(format!("{id} on {seed}: {x:?}"));
                }
                Ok(x) if lcp.error(&x) < 1e-6 => solved += 1,
                Ok(_) | Err(SolveError::Unsupported(_) | SolveError::Unreached { .. }) => {
                    unsolved += 1;
                }
                Err(SolveError::Ray(ray)) if !ray.is_proof() => unsolved += 1,
                Err(error) if FINITE.contains(&id) => {
                    broken.push(format!("{id} on {seed}: {error}"));
                }
                Err(_) => unsolved += 1,
            }
        }
        eprintln!("{id}: {solved} solved, {unsolved} not, {refused} refused");
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

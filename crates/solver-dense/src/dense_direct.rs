//! Direct solution of equality rows through the spectrum of the dense Delassus matrix.
//!
//! (A + R)λ = −b is scaled to unit diagonal, factorized as V Σ Vᵀ, and solved on the eigenvectors
//! that count (D.2–D.4). Redundant rows make the impulses ambiguous; the solver returns the
//! smallest ones (D.5), so its answer does not depend on the start. Contradictory rows get the
//! least-squares solution.
//!
//! Budget: `prepare` O(m³) (one symmetric eigenvalue decomposition), `iterate` O(m²), memory about
//! 40 m² bytes. Differs from the factorization inside [`crate::Dantzig`] in that every row is
//! judged by the whole spectrum, not by its pivot, and that λ is canonical.
//!
//! # Limitations
//! Equality rows only. Contradictory rows are not an error here: the residual, evaluated outside,
//! tells. Singular directions between the tolerance and rounding are cut off, so λ jumps where a
//! row becomes redundant. Two CPUs with different vector units may differ in the last bits; one CPU
//! repeats itself exactly.
//!
//! Theory: docs/theory/04-dense.md (D.1–D.5). Source: \[Golub2013\] §5.5 (minimum-norm least
//! squares), \[VanDerSluis1969\] (why unit diagonal).

use delassus_core::{
    Changes, Checked, Choice, LawForm, Method, ParameterError, Parameters, Prepared, Problem,
    Progress, SolveError, SolverDescriptor, Support, WorkUnit,
};
use faer::Mat;

use crate::assembly::{self, DENSE, DenseDelassus};
use crate::state::{State, read_state, solve_once};
use crate::{linear, spectral};

/// Passes of residual and correction; each gains three digits even at a condition number of 1e13.
const PASSES: usize = 3;

/// Parameters of [`DenseDirect`].
#[derive(Debug, Clone, Copy, PartialEq, Parameters)]
pub struct DenseDirectParameters {
    /// Eigenvalues of the scaled matrix below this fraction of the largest count as zero.
    ///
    /// Rounding leaves about 1e-15; cutting a direction with eigenvalue σ costs √σ of its velocity.
    #[parameter(default = 1e-13, unit = "-", range = "(0, 1)")]
    pub rank_tolerance: f64,
    /// Solution of a redundant problem: the one with the smallest norm.
    #[parameter(default = MinimumNorm::Impulse)]
    pub norm: MinimumNorm,
}

/// The norm that singles out one solution of a redundant problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum MinimumNorm {
    /// Σ λ_i²: the solution of the pseudo-inverse. Depends on the unit of length where linear and
    /// angular rows mix.
    Impulse,
    /// Σ (A_ii + R_ii) λ_i² \[J\]: independent of units.
    Energy,
}

/// Minimum-norm solution of equality rows from eigenvalues.
pub type DenseDirect = Checked<DenseDirectParameters>;

/// The spectrum of a problem, and its solution.
#[derive(Debug)]
pub struct Spectrum {
    parameters: DenseDirectParameters,
    matrix: DenseDelassus,
    state: State,
    factors: Factors,
    residual: Vec<f64>,
    correction: Vec<f64>,
    /// Decompositions so far \[-\].
    factored: u64,
}

/// Spectrum of the scaled matrix of the active rows.
#[derive(Debug)]
struct Factors {
    /// Scaling of the active rows (D.2).
    d: Vec<f64>,
    /// Eigenvectors, one per column.
    vectors: Mat<f64>,
    /// 1/σ_k, or zero for the eigenvalues that do not count.
    inverse: Vec<f64>,
    /// Orthonormal basis of the ambiguous impulses (D.5).
    null: Vec<Vec<f64>>,
}

impl Spectrum {
    /// Rank of the active rows of A + R \[-\].
    pub fn rank(&self) -> usize {
        self.factors.inverse.iter().filter(|s| **s != 0.0).count()
    }

    /// Number of independent impulses that leave every velocity alone \[-\].
    pub fn null_dimension(&self) -> usize {
        self.factors.inverse.len() - self.rank()
    }
}

impl Method for DenseDirectParameters {
    type Parameters = Self;
    type Prepared = Spectrum;

    const DESCRIPTOR: SolverDescriptor = SolverDescriptor {
        id: "dense-direct",
        aliases: &["pseudo-inverse"],
        name: "Dense direct solution",
        summary: "Minimum-norm solution of equality rows from the eigenvalue decomposition of the scaled dense \
                  matrix; unlike dantzig it knows no bounds, and its impulses are canonical.",
        citations: &["Golub2013", "VanDerSluis1969"],
        theory: &["D.1", "D.2", "D.3", "D.4", "D.5"],
        cost: "m³",
        forms: &[(LawForm::Free, Support::Exact)],
        work_unit: WorkUnit::Solve,
        max_asymmetry: 1e-12,
        ..DENSE
    };

    fn new(parameters: Self::Parameters) -> Result<Self, ParameterError> {
        Ok(parameters)
    }

    fn footprint(&self, problem: &Problem) -> u64 {
        // A, A + R, the eigenvectors, and what the decomposition works on
        assembly::memory(problem, 6)
    }

    fn prepare(&mut self, problem: &Problem, impulses: Vec<f64>) -> Result<Spectrum, SolveError> {
        let state = State::new(problem, impulses);
        let matrix = DenseDelassus::assemble_with_compliance(problem)?;
        Ok(Spectrum {
            parameters: *self,
            factors: Factors::new(&matrix, &state.active, *self)?,
            residual: vec![0.0; problem.rows()],
            correction: vec![0.0; problem.rows()],
            factored: 1,
            matrix,
            state,
        })
    }
}

impl Prepared for Spectrum {
    fn update(&mut self, problem: &Problem, changed: Changes) -> Result<bool, SolveError> {
        self.state.update(problem);
        if changed.compliance {
            self.matrix = DenseDelassus::assemble_with_compliance(problem)?;
        }
        if changed.compliance || changed.activity {
            self.factors = Factors::new(&self.matrix, &self.state.active, self.parameters)?;
            self.factored += 1;
        }
        Ok(true)
    }

    fn iterate(&mut self, _: &Problem, sweeps: u32) -> Result<Progress, SolveError> {
        solve_once(sweeps, self.state.solved, || {
            self.solve();
            Ok(self.state.active.len() as u64)
        })
    }

    read_state!(state);

    fn factorizations(&self) -> Option<u64> {
        Some(self.factored)
    }
}

impl Spectrum {
    /// λ = −D^½ S⁺ D^½ (b + A λ_held), refined, then shortest (D.4, D.5).
    fn solve(&mut self) {
        let Self {
            matrix,
            state,
            factors,
            residual,
            correction,
            ..
        } = self;
        let (residual, correction) = {
            let active = state.active.len();
            (&mut residual[..active], &mut correction[..active])
        };
        for row in &state.active {
            state.impulses[*row] = 0.0;
        }
        for _ in 0..PASSES {
            for ((r, row), d) in residual.iter_mut().zip(&state.active).zip(&factors.d) {
                *r = d * (linear::dot(matrix.row(*row), &state.impulses) + state.b[*row]);
            }
            factors.pseudo_inverse(residual, correction);
            for ((x, row), d) in correction.iter().zip(&state.active).zip(&factors.d) {
                state.impulses[*row] -= d * x;
            }
        }
        for (x, row) in residual.iter_mut().zip(&state.active) {
            *x = state.impulses[*row];
        }
        for direction in &factors.null {
            linear::add_scaled(-linear::dot(direction, residual), direction, residual);
        }
        for (x, row) in residual.iter().zip(&state.active) {
            state.impulses[*row] = *x;
        }
        state.solved = true;
    }
}

impl Factors {
    fn new(
        matrix: &DenseDelassus,
        active: &[usize],
        parameters: DenseDirectParameters,
    ) -> Result<Self, SolveError> {
        let matrix = matrix.principal(active)?;
        let d = matrix.scaling();
        let (values, vectors) = spectral::symmetric(matrix.scaled(&d)?.as_mat())?;
        let cut = parameters.rank_tolerance * linear::max_magnitude(&values);
        let inverse = values
            .iter()
            .map(|s| if s.abs() > cut { 1.0 / s } else { 0.0 })
            .collect::<Vec<f64>>();
        let mut null = Vec::new();
        if parameters.norm == MinimumNorm::Impulse {
            let ambiguous = (0..inverse.len()).filter(|k| inverse[*k] == 0.0);
            for k in ambiguous {
                let column = vectors.col_as_slice(k);
                null.push(column.iter().zip(&d).map(|(v, d)| v * d).collect());
            }
            orthonormalize(&mut null);
        }
        Ok(Self {
            d,
            vectors,
            inverse,
            null,
        })
    }

    /// out = S⁺ x (D.4).
    fn pseudo_inverse(&self, x: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for (k, inverse) in self.inverse.iter().enumerate() {
            if *inverse != 0.0 {
                let vector = self.vectors.col_as_slice(k);
                linear::add_scaled(inverse * linear::dot(vector, x), vector, out);
            }
        }
    }
}

/// Gram–Schmidt, twice per vector: orthogonal to rounding \[Golub2013\].
fn orthonormalize(basis: &mut [Vec<f64>]) {
    for k in 0..basis.len() {
        let (done, rest) = basis.split_at_mut(k);
        let vector = &mut rest[0];
        for _ in 0..2 {
            for other in done.iter() {
                linear::add_scaled(-linear::dot(other, vector), other, vector);
            }
            let length = linear::norm(vector);
            if length > 0.0 {
                vector.iter_mut().for_each(|x| *x /= length);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_direction_given_twice_leaves_nothing() {
        let mut basis = [vec![3.0, 4.0], vec![1.0, 0.0], vec![0.0, 1.0]];
        orthonormalize(&mut basis[..2]);
        let [a, b, _] = &basis;
        assert!((linear::norm(a) - 1.0).abs() < 1e-15 && (linear::norm(b) - 1.0).abs() < 1e-15);
        assert!(linear::dot(a, b).abs() < 1e-15);
        let mut twice = [vec![0.0, 2.0], vec![0.0, -5.0]];
        orthonormalize(&mut twice);
        assert_eq!(twice, [vec![0.0, 1.0], vec![0.0, 0.0]]);
    }
}

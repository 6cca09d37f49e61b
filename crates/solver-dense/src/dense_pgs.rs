//! Projected Gauss–Seidel on the dense Delassus matrix: every law, one row or one contact at a
//! time.
//!
//! A row reads its velocity from its row of A + R, steps by it, and is projected onto its bounds
//! (D.17). The pair of tangents of a round contact takes one scalar step and is projected onto its
//! disc or polygon (D.18), a pair of rolling rows likewise; the convex cone does the same with all
//! its rows (D.19). A scalar step keeps the fixed points those of the law: with the full tangent
//! block, a sliding impulse would not oppose the sliding velocity.
//!
//! Budget: m² multiplications per sweep, memory 8 m² bytes. Differs from the matrix-free sweeps of
//! sequential impulses by what it costs and by nothing else: it has the same fixed points and uses
//! no bodies, which makes it a check on their velocity updates, and, run long, the oracle of the
//! laws that the direct solvers refuse.
//!
//! # Limitations
//! Linear convergence: symmetric positive semi-definite A with fixed bounds always converges
//! \[Luo1992\], coupled friction usually does, unsymmetric or indefinite matrices may not. Contacts
//! and patches whose tangents are held keep their normal rows only.
//!
//! Theory: docs/theory/04-dense.md (D.17–D.19). Source: \[Cryer1971\], \[Mangasarian1977\],
//! \[Luo1992\].

use delassus_core::interrupt::UnitLooks;
use delassus_core::{
    AdmissibleSet, Block, Changes, Checked, Factor, FactorList, Method, ParameterError, Prepared,
    Problem, Progress, Radius, SetShape, SolveError, SolverDescriptor, StateCoverage, projection,
};

use crate::assembly::{self, DenseDelassus, MAX_ROWS};
use crate::state::{State, read_state};
use crate::{linear, spectral};

/// Projected Gauss–Seidel on the assembled matrix, for every law.
pub type DensePgs = Checked<DensePgsMethod>;

/// The method of [`DensePgs`].
#[derive(Debug)]
pub struct DensePgsMethod;

/// The rows of the dense matrix, and the iterate.
#[derive(Debug)]
pub struct DenseRows {
    state: State,
    matrix: DenseDelassus,
    steps: Vec<FactorStep>,
    /// Those of all blocks, Coulomb's law as a normal row and a disc.
    factors: FactorList,
    /// 1/(A_ii + R_ii) per row \[kg\].
    step: Vec<f64>,
    /// Looks at the limit of the caller between the factors of a sweep.
    looks: UnitLooks,
}

/// The numbers of one factor that a sweep uses.
#[derive(Debug, Clone, Copy)]
struct FactorStep {
    /// First row of its block.
    block: usize,
    /// End of the rows of the block that are solved for.
    end: usize,
    /// Scalar step of rows that are projected together \[kg | kg·m²\]; zero for intervals.
    step: f64,
}

impl Method for DensePgsMethod {
    type Parameters = ();
    type Prepared = DenseRows;

    const DESCRIPTOR: SolverDescriptor = SolverDescriptor {
        id: "dense-pgs",
        aliases: &["dense-gauss-seidel"],
        name: "Dense projected Gauss–Seidel",
        summary: "Projected Gauss–Seidel that reads rows of the assembled matrix; the fixed points of pgs without its \
                  body velocities, for every law.",
        citations: &["Cryer1971", "Mangasarian1977", "Luo1992"],
        theory: &["D.17", "D.18", "D.19"],
        cost: "m²",
        forms: SolverDescriptor::ALL_FORMS,
        cone_rows: 6,
        max_rows: MAX_ROWS,
        ..SolverDescriptor::COMPLETE
    };

    fn new((): ()) -> Result<Self, ParameterError> {
        Ok(Self)
    }

    fn footprint(&self, problem: &Problem) -> u64 {
        let of_block = |block: &Block| {
            let factors = block.law.factors(block.dim).in_disc_form();
            FactorList::bytes_of(&factors) + size_of::<FactorStep>() * factors.len()
        };
        let factors: usize = problem.blocks().iter().map(of_block).sum();
        // A, and the largest of its blocks
        assembly::memory(problem, 2) + factors as u64
    }

    fn prepare(&mut self, problem: &Problem, impulses: Vec<f64>) -> Result<DenseRows, SolveError> {
        let mut rows = DenseRows {
            state: State::new(problem, impulses),
            matrix: DenseDelassus::assemble_with_compliance(problem)?,
            steps: Vec::new(),
            factors: FactorList::default(),
            step: Vec::new(),
            looks: UnitLooks::default(),
        };
        rows.update_steps(problem)?;
        Ok(rows)
    }
}

impl Prepared for DenseRows {
    fn update(&mut self, problem: &Problem, changed: Changes) -> Result<bool, SolveError> {
        self.state.update(problem);
        if changed.compliance {
            self.matrix = DenseDelassus::assemble_with_compliance(problem)?;
        }
        self.update_steps(problem)?;
        Ok(true)
    }

    fn warm_start(&mut self, _: &Problem, impulses: &[f64]) -> Result<bool, SolveError> {
        self.state.impulses.copy_from_slice(impulses);
        self.looks = UnitLooks::default();
        Ok(true)
    }

    fn is_cut_short(&self) -> Option<bool> {
        let rows = self.matrix.rows();
        UnitLooks::fits(rows * rows).then_some(self.looks.is_over())
    }

    fn iterate(&mut self, _: &Problem, sweeps: u32) -> Result<Progress, SolveError> {
        for _ in 0..sweeps {
            self.sweep();
        }
        Ok(Progress::of_sweeps(sweeps, self.state.active.len()))
    }

    read_state!(state);

    fn fingerprint(&self, out: &mut Vec<u64>) -> Result<Option<StateCoverage>, SolveError> {
        StateCoverage::push(out, self.state.impulses.iter().copied());
        Ok(Some(StateCoverage::Complete))
    }
}

impl DenseRows {
    fn update_steps(&mut self, problem: &Problem) -> Result<(), SolveError> {
        let rows = self.matrix.rows();
        self.step.clear();
        self.step
            .extend((0..rows).map(|i| 1.0 / self.matrix.row(i)[i]));
        self.steps.clear();
        self.factors.clear();
        for (index, block) in problem.blocks().iter().enumerate() {
            let (first, active) = (block.first_row, problem.active_dim(index));
            for factor in block.law.factors(active).in_disc_form() {
                let step = match factor.shape {
                    SetShape::Interval { .. } => 0.0,
                    _ => self.scalar_step(first + factor.first..first + factor.rows().end)?,
                };
                self.factors.push(factor);
                self.steps.push(FactorStep {
                    block: first,
                    end: first + active,
                    step,
                });
            }
        }
        Ok(())
    }

    /// 1/λ_max of the symmetric part of a diagonal block (D.18, D.19); zero for an empty range.
    fn scalar_step(&self, rows: std::ops::Range<usize>) -> Result<f64, SolveError> {
        let dim = rows.len();
        match dim {
            0 => Ok(0.0),
            1 => Ok(self.step[rows.start]),
            _ => {
                let mut values = Vec::with_capacity(dim * dim);
                for i in rows.clone() {
                    values.extend_from_slice(&self.matrix.row(i)[rows.clone()]);
                }
                // positive: the trace is, because the diagonal is
                Ok(1.0 / spectral::largest_eigenvalue(dim, &values)?)
            }
        }
    }

    /// One pass over all blocks.
    fn sweep(&mut self) {
        let Self {
            state,
            matrix,
            steps,
            factors,
            step,
            looks,
        } = self;
        let mut rows = DenseView {
            matrix,
            b: &state.b,
            step,
            impulses: &mut state.impulses,
        };
        for (at, factor) in steps.iter().zip(factors.slice(0..factors.len())) {
            if looks.add(factor.rows().len() * matrix.rows()) {
                return;
            }
            rows.solve_factor(*at, &factor);
        }
    }
}

/// The kernels' view of the iterate.
struct DenseView<'a> {
    matrix: &'a DenseDelassus,
    b: &'a [f64],
    step: &'a [f64],
    impulses: &'a mut [f64],
}

impl DenseView<'_> {
    /// Steps the rows of one factor and projects them, after those that bound it.
    fn solve_factor(&mut self, at: FactorStep, factor: &Factor<'_>) {
        let rows = at.block + factor.first..at.block + factor.rows().end;
        let radius = radius(factor, &self.impulses[at.block..at.end]);
        match factor.shape {
            // no velocity moves them
            SetShape::Interval { .. } if factor.radius == Radius::Fixed(0.0) => {
                self.impulses[rows].fill(0.0);
            }
            SetShape::Interval { lower, upper } => {
                self.solve_rows(rows, lower * radius, upper * radius);
            }
            SetShape::Ball | SetShape::Polygon(_) | SetShape::Cone => {
                let set = factor.set_of_radius(radius);
                self.solve_projected(rows, at.step, set);
            }
        }
    }

    /// w_i = Σ_j (A + R)_ij λ_j + b_i.
    #[inline]
    fn velocity(&self, row: usize) -> f64 {
        linear::dot(self.matrix.row(row), self.impulses) + self.b[row]
    }

    /// `λ_i ← Π_[l,u](λ_i − w_i / (A_ii + R_ii))`, row by row (D.17).
    #[inline]
    fn solve_rows(&mut self, rows: std::ops::Range<usize>, lower: f64, upper: f64) {
        for row in rows {
            let target = self.impulses[row] - self.velocity(row) * self.step[row];
            self.impulses[row] = projection::interval(target, lower, upper);
        }
    }

    /// λ ← Π(λ − ρw) of at most six rows together (D.18, D.19).
    fn solve_projected(&mut self, rows: std::ops::Range<usize>, step: f64, set: AdmissibleSet<'_>) {
        let mut target = [0.0; 6];
        let size = rows.len();
        for (value, row) in target.iter_mut().zip(rows.clone()) {
            *value = self.impulses[row] - step * self.velocity(row);
        }
        set.project(&mut target[..size]);
        self.impulses[rows].copy_from_slice(&target[..size]);
    }
}

/// The radius of a factor at impulses that its normal rows admit; a sum with levers is one of four
/// parts.
fn radius(factor: &Factor<'_>, impulses: &[f64]) -> f64 {
    match factor.radius {
        Radius::Linear { coefficient, .. } if !factor.weights.is_empty() => {
            coefficient * linear::dot(&impulses[factor.depends_on()], factor.weights)
        }
        _ => factor.radius_at(impulses),
    }
}

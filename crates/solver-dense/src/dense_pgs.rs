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
//! sequential impulses by what it costs and by nothing else: it has the same fixed points and knows
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

use delassus_core::{
    ChangedNumbers, Checked, Friction, Law, Method, ParameterError, Patch, Polygon, Prepared,
    Problem, Progress, Rolling, SolveError, SolverDescriptor, StateCoverage, Tangents, projection,
};

use crate::assembly::{self, DenseDelassus, MAX_ROWS};
use crate::state::State;
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
    blocks: Vec<BlockSteps>,
    /// 1/(A_ii + R_ii) per row \[kg\].
    step: Vec<f64>,
}

/// What a sweep needs to know of one block.
#[derive(Debug, Clone)]
struct BlockSteps {
    first_row: usize,
    active: usize,
    law: Law,
    /// Scalar step of the rows that are projected together \[kg\]; zero if the law has none.
    joint_step: f64,
    /// That of rolling rows \[kg·m²\]; zero if the law has none.
    rolling_step: f64,
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
        laws: SolverDescriptor::ALL_LAWS,
        holds_rows: true,
        coupled_compliance: true,
        max_rows: MAX_ROWS,
        ..SolverDescriptor::BASE
    };

    fn new((): ()) -> Result<Self, ParameterError> {
        Ok(Self)
    }

    fn footprint(&self, problem: &Problem) -> u64 {
        // A, and the largest of its blocks
        assembly::memory(problem, 2)
    }

    fn prepare(&mut self, problem: &Problem, impulses: Vec<f64>) -> Result<DenseRows, SolveError> {
        let mut rows = DenseRows {
            state: State::new(problem, impulses),
            matrix: DenseDelassus::assemble_with_compliance(problem)?,
            blocks: Vec::new(),
            step: Vec::new(),
        };
        rows.update_steps(problem)?;
        Ok(rows)
    }
}

impl Prepared for DenseRows {
    fn update(&mut self, problem: &Problem, changed: ChangedNumbers) -> Result<bool, SolveError> {
        self.state.update(problem);
        if changed.compliance {
            self.matrix = DenseDelassus::assemble_with_compliance(problem)?;
        }
        self.update_steps(problem)?;
        Ok(true)
    }

    fn warm_start(&mut self, _: &Problem, impulses: &[f64]) -> Result<bool, SolveError> {
        self.state.impulses.copy_from_slice(impulses);
        Ok(true)
    }

    fn iterate(&mut self, _: &Problem, sweeps: u32) -> Result<Progress, SolveError> {
        for _ in 0..sweeps {
            self.sweep();
        }
        Ok(Progress::of_sweeps(sweeps, self.state.active.len()))
    }

    fn impulses(&self, out: &mut [f64]) -> Result<(), SolveError> {
        self.state.read(out)
    }

    fn is_finite(&self) -> bool {
        self.state.is_finite()
    }

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
        self.blocks.clear();
        for (index, block) in problem.blocks().iter().enumerate() {
            let active = problem.active_dim(index);
            let (first, last) = (block.first_row, block.first_row + active);
            let tangents = |from: usize| (first + from).min(last)..(first + from + 2).min(last);
            let none = first..first;
            let projected = match &block.law {
                Law::Contact(friction) => match friction.tangents() {
                    Tangents::Box { .. } => [none.clone(), none],
                    Tangents::Disc { .. } | Tangents::Polygon { .. } => [tangents(1), none],
                    Tangents::Cone { .. } => [first..last, none],
                },
                Law::Patch(patch) => [tangents(patch.levers.len()), none],
                Law::Rolling(_) => [tangents(1), tangents(3)],
                Law::Equality | Law::Bounds { .. } => [none.clone(), none],
            };
            let [joint, rolling] = projected;
            self.blocks.push(BlockSteps {
                first_row: first,
                active,
                law: block.law.clone(),
                joint_step: self.scalar_step(joint)?,
                rolling_step: self.scalar_step(rolling)?,
            });
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
            blocks,
            step,
        } = self;
        let mut rows = DenseView {
            matrix,
            b: &state.b,
            step,
            impulses: &mut state.impulses,
        };
        for block in blocks.iter() {
            rows.solve_block(block);
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
    fn solve_block(&mut self, block: &BlockSteps) {
        let first = block.first_row;
        let last = first + block.active;
        if block.active == 0 {
            return;
        }
        match &block.law {
            Law::Equality => self.solve_rows(first..last, f64::NEG_INFINITY, f64::INFINITY),
            Law::Bounds { lower, upper } => self.solve_rows(first..last, *lower, *upper),
            Law::Contact(Friction::ConvexCone { mu }) if block.active > 1 => {
                self.solve_projected(first..last, block.joint_step, |x| {
                    projection::cone(*mu, x);
                });
            }
            Law::Contact(friction) => {
                self.solve_rows(first..first + 1, 0.0, f64::INFINITY);
                let normal = self.impulses[first];
                match *friction {
                    Friction::Frictionless => self.impulses[first + 1..last].fill(0.0),
                    Friction::FixedBox { limit } => self.solve_rows(first + 1..last, -limit, limit),
                    Friction::Pyramid { mu } => {
                        self.solve_rows(first + 1..last, -mu * normal, mu * normal);
                    }
                    Friction::Disc { mu } | Friction::Coulomb { mu } => {
                        self.solve_projected(first + 1..last, block.joint_step, |x| {
                            projection::disc(mu * normal, x);
                        });
                    }
                    Friction::Facets { mu, facets } => {
                        let polygon = Polygon::new(facets);
                        self.solve_projected(first + 1..last, block.joint_step, |x| {
                            projection::polygon(polygon, mu * normal, x);
                        });
                    }
                    // only the normal row is active
                    Friction::ConvexCone { .. } => {}
                }
            }
            Law::Patch(patch) => self.solve_patch(block, patch),
            Law::Rolling(rolling) => self.solve_rolling(block, rolling),
        }
    }

    fn solve_patch(&mut self, block: &BlockSteps, patch: &Patch) {
        let first = block.first_row;
        let tangents = first + patch.levers.len();
        self.solve_rows(first..tangents, 0.0, f64::INFINITY);
        if block.active == patch.levers.len() {
            return;
        }
        let normals = &self.impulses[first..tangents];
        let disc = patch.mu * normals.iter().sum::<f64>();
        let twist = patch.mu * linear::dot(normals, &patch.levers);
        self.solve_projected(tangents..tangents + 2, block.joint_step, |x| {
            projection::disc(disc, x);
        });
        self.solve_rows(tangents + 2..tangents + 3, -twist, twist);
    }

    fn solve_rolling(&mut self, block: &BlockSteps, rolling: &Rolling) {
        let first = block.first_row;
        self.solve_rows(first..first + 1, 0.0, f64::INFINITY);
        if block.active == 1 {
            return;
        }
        let normal = self.impulses[first];
        self.solve_projected(first + 1..first + 3, block.joint_step, |x| {
            projection::disc(rolling.mu * normal, x);
        });
        self.solve_projected(first + 3..first + 5, block.rolling_step, |x| {
            projection::disc(rolling.rolling * normal, x);
        });
        if let Some(spinning) = rolling.spinning {
            let limit = spinning * normal;
            self.solve_rows(first + 5..first + 6, -limit, limit);
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
            self.impulses[row] = linear::project(target, lower, upper);
        }
    }

    /// λ ← Π(λ − ρw) of at most three rows together (D.18, D.19).
    fn solve_projected(
        &mut self,
        rows: std::ops::Range<usize>,
        step: f64,
        project: impl FnOnce(&mut [f64]),
    ) {
        let mut target = [0.0; 3];
        let size = rows.len();
        for (value, row) in target.iter_mut().zip(rows.clone()) {
            *value = self.impulses[row] - step * self.velocity(row);
        }
        project(&mut target[..size]);
        self.impulses[rows].copy_from_slice(&target[..size]);
    }
}

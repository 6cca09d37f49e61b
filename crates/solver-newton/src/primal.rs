//! The nonlinear equation in z that one Newton method solves: z = J̃ᵀλ, λ = Π(c − β⁻¹w), w = J̃z + b
//! (Z.2).
//!
//! w and z are moved together and never computed anew from each other, so that small differences of
//! large velocities keep their digits while β is small.

use delassus_core::norm::SquareSum;
use delassus_core::{BodyRows, CoupledCompliance, Problem, StateCoverage};

use crate::linear::assembly::Places;
use crate::linear::factor::BlockMatrix;
use crate::linear::krylov::{Krylov, Linear, LinearSettings};
use crate::linear::pattern::{Graph, Pattern};
use crate::linear::{self, add_scaled};
use crate::rows::Rows;
use crate::sets::{SetKind, Sets, Slopes};

/// Rows, sets, matrix and iterate.
#[derive(Debug)]
pub(crate) struct Primal {
    pub(crate) rows: Rows,
    pub(crate) sets: Sets,
    pub(crate) matrix: BlockMatrix,
    pub(crate) places: Places,
    pub(crate) slopes: Slopes,
    /// Whether `matrix` holds Cholesky factors.
    symmetric: bool,
    /// Conjugate gradients, where they are wanted for symmetric systems of [`Self::direction`].
    pub(crate) krylov: Option<Krylov>,
    /// b, with what inactive rows and R of the centre do \[m/s | rad/s\].
    pub(crate) b: Vec<f64>,
    pub(crate) compliance: Vec<f64>,
    pub(crate) coupled: CoupledCompliance,
    /// A_ii per row, the largest of its group \[1/kg\].
    pub(crate) unit: Vec<f64>,
    /// Σ_j |R_ij| per row, the largest of its group \[1/kg\].
    pub(crate) stiff: Vec<f64>,
    /// Trace of A + R of the group of a row: at least the largest eigenvalue \[1/kg\].
    pub(crate) trace: Vec<f64>,
    pub(crate) ones: Vec<f64>,
    /// λ = Π(c − w/β).
    pub(crate) centre: Vec<f64>,
    c: Vec<f64>,
    pub(crate) beta: Vec<f64>,
    pub(crate) z: Vec<[f64; 6]>,
    pub(crate) w: Vec<f64>,
    pub(crate) impulses: Vec<f64>,
    /// z − J̃ᵀλ \[√J\].
    pub(crate) residual: Vec<[f64; 6]>,
    pub(crate) step: Vec<[f64; 6]>,
    /// J̃ times the step.
    pub(crate) moved: Vec<f64>,
    pub(crate) y: Vec<f64>,
    /// F, and the step of λ.
    pub(crate) map: Vec<f64>,
    pub(crate) change: Vec<f64>,
    /// Memory for one block.
    pub(crate) work: Vec<f64>,
    pub(crate) trial: Vec<f64>,
    pub(crate) trial_residual: Vec<[f64; 6]>,
    trial_slopes: Slopes,
}

impl Primal {
    /// At z = J̃ᵀλ of the given impulses; `convex` where no system but those of [`Self::direction`]
    /// comes.
    pub(crate) fn new(
        problem: &Problem,
        bodies: &BodyRows,
        impulses: &[f64],
        settings: LinearSettings,
        convex: bool,
    ) -> Self {
        let rows = Rows::new(problem, bodies, &|count, links| {
            Graph::new(count, links).order()
        });
        let graph = Graph::new(
            rows.len(),
            &mut rows.links.iter().map(|l| rows.bodies_of(l)),
        );
        let sets = Sets::new(problem, impulses);
        let iterative = settings.linear == Linear::Cg;
        let krylov = iterative.then(|| Krylov::new(&rows, &sets, settings));
        let matrix = unfactored(&graph, &sets, iterative && convex);
        let places = Places::new(&rows, &sets, |_, (a, b)| matrix.pattern.find(a, b));
        let largest = problem.blocks().iter().map(|b| b.dim).max().unwrap_or(0);
        let (m, n) = (problem.rows(), rows.len());
        let zeros = || vec![0.0; m];
        let none = || vec![[0.0; 6]; n];
        let mut primal = Self {
            slopes: sets.slopes(),
            trial_slopes: sets.slopes(),
            rows,
            sets,
            matrix,
            places,
            symmetric: true,
            krylov,
            b: problem.b().to_vec(),
            compliance: problem.compliance().to_vec(),
            coupled: problem.coupled_compliance().clone(),
            unit: zeros(),
            stiff: zeros(),
            trace: zeros(),
            ones: vec![1.0; m],
            map: zeros(),
            change: zeros(),
            work: vec![0.0; 3 * largest * (largest + 1)],
            centre: impulses.to_vec(),
            c: zeros(),
            beta: zeros(),
            z: none(),
            w: zeros(),
            impulses: impulses.to_vec(),
            residual: none(),
            step: none(),
            moved: zeros(),
            y: zeros(),
            trial: zeros(),
            trial_residual: none(),
        };
        primal.measure(problem.diagonal());
        primal.recompute_velocities();
        primal
    }

    /// Units of the rows from the diagonal of A.
    fn measure(&mut self, diagonal: &[f64]) {
        self.stiff.copy_from_slice(&self.compliance);
        for (block, lower) in self.coupled.iter() {
            let first = self.sets.list[block].first;
            for ((i, j), r) in CoupledCompliance::lower_indices().zip(lower) {
                self.stiff[first + i] += r.abs();
                self.stiff[first + j] += r.abs();
            }
        }
        let Self {
            sets,
            unit,
            stiff,
            trace,
            compliance,
            ..
        } = self;
        for set in &sets.list {
            sets.groups(set, |local| {
                let rows = set.first + local.start..set.first + local.end;
                let largest = |x: &[f64]| x[rows.clone()].iter().fold(0.0f64, |m, x| m.max(*x));
                let (d, r) = (largest(diagonal), largest(stiff));
                let sum = rows
                    .clone()
                    .map(|i| diagonal[i] + compliance[i])
                    .sum::<f64>();
                unit[rows.clone()].fill(d);
                stiff[rows.clone()].fill(r);
                trace[rows.clone()].fill(sum);
            });
        }
    }

    /// y += (R − diag R) · trial.
    pub(crate) fn add_shared(&mut self) {
        add_coupled(&self.coupled, &self.sets, &self.trial, &mut self.y);
    }

    /// Takes the centre and β = σ · unit + stiff.
    pub(crate) fn regularize(&mut self, sigma: f64) {
        for i in 0..self.beta.len() {
            self.beta[i] = sigma * self.unit[i] + self.stiff[i];
            self.c[i] = self.compliance[i] * self.centre[i];
        }
        add_coupled(&self.coupled, &self.sets, &self.centre, &mut self.c);
        for i in 0..self.beta.len() {
            self.c[i] = self.centre[i] - self.c[i] / self.beta[i];
        }
        if self.sets.convex {
            self.shift();
        }
    }

    /// De Saxcé's shift of the normal velocities, and radii of discs, by the impulses and
    /// velocities of this moment.
    fn shift(&mut self) {
        self.sets.freeze(&self.impulses);
        for set in &self.sets.list {
            if let SetKind::Disc { mu } = set.kind {
                let tangents = set.first + 1..set.first + set.dim;
                let w = tangents.map(|i| self.w[i] + self.compliance[i] * self.impulses[i]);
                let mut slip = SquareSum::default();
                w.for_each(|w| slip.add(w));
                let slip = slip.root();
                self.c[set.first] -= mu * slip / self.beta[set.first];
            }
        }
    }

    /// Factorizations of matrices of all bodies so far, set-ups of a preconditioner among them
    /// \[-\].
    pub(crate) fn factorizations(&self) -> u64 {
        let krylov = self.krylov.as_ref().map_or(0, |krylov| krylov.factored);
        self.matrix.factored + krylov
    }

    /// λ, its slopes and the residual at z.
    pub(crate) fn evaluate(&mut self) {
        for i in 0..self.y.len() {
            self.y[i] = self.c[i] - self.w[i] / self.beta[i];
        }
        let slopes = Some(&mut self.slopes);
        self.sets
            .project(&self.y, &self.beta, &mut self.impulses, slopes);
        self.residual.copy_from_slice(&self.z);
        self.rows
            .subtract_transposed(&self.impulses, &mut self.residual);
    }

    /// The Newton step of what [`Self::evaluate`] found; false if there is none.
    pub(crate) fn direction(&mut self) -> bool {
        self.symmetric = self.slopes.symmetric;
        for (step, residual) in self.step.iter_mut().zip(&self.residual) {
            *step = residual.map(|r| -r);
        }
        let solved = match &mut self.krylov {
            Some(krylov) if self.symmetric => {
                krylov.factorize(&self.rows, &self.sets, &self.slopes)
                    && krylov.solve(&mut self.step)
            }
            _ => self.eliminate_step(),
        };
        if !solved {
            return false;
        }
        self.rows.multiply(&self.step, &mut self.moved);
        self.moved.iter().all(|x| x.is_finite())
    }

    /// The step from the right-hand side in its place, by factors; false if there are none.
    fn eliminate_step(&mut self) -> bool {
        let factored = self.factorize(self.symmetric);
        if factored {
            self.solve(self.symmetric);
        }
        factored
    }

    /// Factors of the matrix of the current slopes; false if there are none.
    pub(crate) fn factorize(&mut self, symmetric: bool) -> bool {
        self.matrix.reset(symmetric);
        let triangles = self.matrix.triangles(symmetric);
        self.places
            .add(&self.rows, &self.sets, &self.slopes, triangles);
        match symmetric {
            true => self.matrix.cholesky(),
            false => self.matrix.lu(),
        }
    }

    /// The step from the right-hand side in its place, after [`Self::factorize`].
    pub(crate) fn solve(&mut self, symmetric: bool) {
        match symmetric {
            true => self.matrix.solve_cholesky(&mut self.step),
            false => self.matrix.solve_lu(&mut self.step),
        }
    }

    /// ‖residual‖ after `length` steps; λ and the residual are kept for [`Self::accept`].
    pub(crate) fn residual_at(&mut self, length: f64) -> f64 {
        self.project_at(length, false);
        self.trial_residual.copy_from_slice(&self.z);
        add_scaled(length, &self.step, &mut self.trial_residual);
        self.rows
            .subtract_transposed(&self.trial, &mut self.trial_residual);
        linear::norm(&self.trial_residual)
    }

    /// λ after `length` steps, into `trial`.
    fn project_at(&mut self, length: f64, slopes: bool) {
        for i in 0..self.y.len() {
            self.y[i] = self.c[i] - (self.w[i] + length * self.moved[i]) / self.beta[i];
        }
        let slopes = slopes.then_some(&mut self.trial_slopes);
        self.sets
            .project(&self.y, &self.beta, &mut self.trial, slopes);
    }

    /// First and second derivative of the convex function along the step, after `length` of it.
    pub(crate) fn derivatives_at(&mut self, length: f64) -> (f64, f64) {
        self.project_at(length, true);
        let square = linear::dot(&self.step, &self.step);
        let along: f64 = self.trial.iter().zip(&self.moved).map(|(a, b)| a * b).sum();
        let first = linear::dot(&self.z, &self.step) + length * square - along;
        (
            first,
            square + self.trial_slopes.quadratic(&self.sets, &self.moved),
        )
    }

    /// Goes `length` steps, to where [`Self::residual_at`] was called last.
    pub(crate) fn accept(&mut self, length: f64) {
        add_scaled(length, &self.step, &mut self.z);
        for (w, moved) in self.w.iter_mut().zip(&self.moved) {
            *w += length * moved;
        }
        std::mem::swap(&mut self.impulses, &mut self.trial);
        std::mem::swap(&mut self.residual, &mut self.trial_residual);
    }

    /// Size of the numbers that [`Self::natural_map`] subtracts \[√J\].
    pub(crate) fn size(&self) -> f64 {
        let mut sum = SquareSum::default();
        for i in 0..self.b.len() {
            let root = self.trace[i].sqrt();
            sum.add(self.b[i] / root);
            sum.add(root * self.impulses[i]);
        }
        sum.root()
    }

    /// λ = Π(−R⁻¹w), without a centre.
    pub(crate) fn divide_by_compliance(&mut self) {
        self.c.fill(0.0);
        self.beta.copy_from_slice(&self.compliance);
        // rows with one admissible impulse may have none
        for beta in self.beta.iter_mut().filter(|beta| **beta <= 0.0) {
            *beta = 1.0;
        }
    }

    /// Takes another b and the velocities of the given impulses.
    pub(crate) fn take_velocities(&mut self, problem: &Problem, impulses: &[f64]) {
        self.b.copy_from_slice(problem.b());
        self.impulses.copy_from_slice(impulses);
        self.recompute_velocities();
    }

    /// Appends the iterate.
    pub(crate) fn push_state(&self, out: &mut Vec<u64>) {
        for numbers in [&self.impulses, &self.centre, &self.w] {
            StateCoverage::push(out, numbers.iter().copied());
        }
        StateCoverage::push(out, self.z.as_flattened().iter().copied());
    }
}

/// The matrix of the bodies; no factor is made where all systems, which are symmetric, are left to
/// conjugate gradients.
fn unfactored(graph: &Graph, sets: &Sets, iterative: bool) -> BlockMatrix {
    let is_symmetric = |kind: &SetKind| matches!(kind, SetKind::Intervals | SetKind::Cone { .. });
    if iterative && sets.list.iter().all(|set| is_symmetric(&set.kind)) {
        return BlockMatrix::new(Pattern::unfilled(graph), false);
    }
    // whatever is inverted block by block may come out unsymmetric, by rounding at least
    let inverted = sets.list.iter().any(|set| !set.is_diagonal());
    BlockMatrix::new(Pattern::new(graph), inverted)
}

impl Slopes {
    /// xᵀGx.
    fn quadratic(&self, sets: &Sets, x: &[f64]) -> f64 {
        let mut sum = 0.0;
        for set in &sets.list {
            let x = &x[set.first..set.first + set.dim];
            if set.is_diagonal() {
                let slope = &self.values[set.slope..set.slope + set.dim];
                sum += x.iter().zip(slope).map(|(x, g)| g * x * x).sum::<f64>();
                continue;
            }
            let slope = &self.values[set.slope..set.slope + set.dim * set.dim];
            for (x_i, row) in x.iter().zip(slope.chunks_exact(set.dim)) {
                sum += x_i * row.iter().zip(x).map(|(g, x)| g * x).sum::<f64>();
            }
        }
        sum
    }
}

/// out += (R − diag R)λ.
pub(crate) fn add_coupled(
    coupled: &CoupledCompliance,
    sets: &Sets,
    impulses: &[f64],
    out: &mut [f64],
) {
    for (block, lower) in coupled.iter() {
        let first = sets.list[block].first;
        for ((i, j), r) in CoupledCompliance::lower_indices().zip(lower) {
            out[first + i] += r * impulses[first + j];
            out[first + j] += r * impulses[first + i];
        }
    }
}

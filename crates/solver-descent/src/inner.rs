//! Solves with A + R + σD: on bodies by the matrix of their velocities, on matrix problems by the
//! matrix itself (I.23).

use delassus_core::{BodyRows, MatrixRows, Operator, Problem, SolveError, interrupt};

use crate::space::{Space, zeros};
use crate::sparse::{BlockPattern, BlockShape, SparseFactor};
use crate::whitened::WhitenedRows;

/// Multiplications that listing, sorting and ordering one block of a matrix takes as long as \[-\].
const LISTING: f64 = 300.0;

/// What solves with A + R + σD on the rows that are solved for.
#[derive(Debug, Default)]
pub(crate) struct Inner {
    form: Form,
    /// The blocks that the factor is made for, and those that a problem asks for.
    shape: BlockShape,
    asked: BlockShape,
    factor: Option<SparseFactor>,
    /// Factorizations so far \[-\].
    pub(crate) factored: u64,
}

#[derive(Debug)]
enum Form {
    Bodies(Box<WhitenedRows>),
    /// With R of one block.
    Matrix(Vec<f64>),
}

impl Default for Form {
    fn default() -> Self {
        Self::Matrix(Vec::new())
    }
}

impl Inner {
    /// Takes over a problem; orders and makes room where its blocks are others than those of the
    /// last one. [`Self::factorize`] comes next.
    ///
    /// # Errors
    /// A factor beyond what indices can count; a limit that leaves no time for it.
    pub(crate) fn renew(&mut self, space: &Space, problem: &Problem) -> Result<(), SolveError> {
        self.asked.clear();
        match (problem.operator(), &mut self.form) {
            (Operator::Bodies(bodies), form) => {
                list_bodies(problem, bodies, &mut self.asked);
                let mut white = match std::mem::take(form) {
                    Form::Bodies(white) => white,
                    Form::Matrix(_) => Box::default(),
                };
                white.renew(space, problem, bodies);
                *form = Form::Bodies(white);
            }
            (Operator::Matrix(matrix), form) => {
                let blocks = 0..problem.blocks().len();
                let listed: usize = blocks.map(|i| matrix.delassus.row(i).count()).sum();
                interrupt::afford(LISTING * listed as f64)?;
                list_blocks(problem, matrix, &mut self.asked);
                if let Form::Bodies(_) = form {
                    *form = Form::default();
                }
            }
        }
        self.asked.settle();
        interrupt::check()?;
        if self.factor.is_none() || self.asked != self.shape {
            // the old one goes before the new one comes
            self.factor = None;
            self.factor = Some(SparseFactor::new(&self.asked)?);
            self.shape = self.asked.clone();
        }
        Ok(())
    }

    /// Row updates that one solve is worth: multiplications of the factor and its passes over the
    /// rows (I.24) \[-\].
    pub(crate) fn row_updates(&self, active: usize) -> u64 {
        let passes = match self.form {
            Form::Bodies(_) => active as u64,
            Form::Matrix(_) => 0,
        };
        let entries = self.factor.as_ref().map_or(0, SparseFactor::entries);
        passes + (2 * entries as u64).div_ceil(24)
    }

    /// Factorizes for one σ \[-\].
    ///
    /// # Errors
    /// A matrix that is not positive definite.
    pub(crate) fn factorize(
        &mut self,
        space: &Space,
        problem: &Problem,
        sigma: f64,
    ) -> Result<(), SolveError> {
        let factor = self.factor.as_mut().ok_or(SolveError::NotPrepared)?;
        let (pattern, values) = factor.matrix_mut();
        values.fill(0.0);
        match (&mut self.form, problem.operator()) {
            (Form::Bodies(white), Operator::Bodies(bodies)) => {
                white.invert(space, problem, sigma)?;
                white.assemble(problem, bodies, pattern, values);
            }
            (Form::Matrix(soft), Operator::Matrix(matrix)) => {
                assemble_matrix(space, problem, sigma, matrix, soft, pattern, values);
            }
            _ => return Err(SolveError::NoBodies),
        }
        self.factored += 1;
        factor.factorize()
    }

    /// x ← (A + R + σD)⁻¹ x on the rows that are solved for; inactive rows of `x` are zero and stay
    /// so.
    pub(crate) fn solve(&mut self, problem: &Problem, x: &mut [f64]) {
        let Some(factor) = &mut self.factor else {
            return;
        };
        match (&mut self.form, problem.bodies()) {
            (Form::Bodies(white), Some(bodies)) => white.solve(problem, bodies, factor, x),
            _ => factor.solve(x),
        }
    }
}

/// One block per body; bodies that share a block are coupled.
fn list_bodies(problem: &Problem, bodies: &BodyRows, shape: &mut BlockShape) {
    shape.dims.resize(bodies.len(), 6);
    let moves = |body: &&u32| !bodies.mass[**body as usize].is_immovable();
    for index in 0..problem.blocks().len() {
        let touched = bodies.bodies_of(index);
        for a in touched.iter().filter(moves) {
            let below = touched.iter().filter(moves).filter(|b| *b < a);
            let pairs = below.map(|b| (*a as usize, *b as usize));
            shape.pairs.extend(pairs);
        }
    }
}

/// One block per block of the problem.
fn list_blocks(problem: &Problem, matrix: &MatrixRows, shape: &mut BlockShape) {
    for (i, block) in problem.blocks().iter().enumerate() {
        shape.dims.push(block.dim);
        let columns = matrix.delassus.row(i).map(|(j, _)| (i.max(j), i.min(j)));
        shape.pairs.extend(columns);
    }
}

/// The symmetric part of A, R and σD; inactive rows become those of the identity.
fn assemble_matrix(
    space: &Space,
    problem: &Problem,
    sigma: f64,
    matrix: &MatrixRows,
    soft: &mut Vec<f64>,
    pattern: &BlockPattern,
    values: &mut [f64],
) {
    let active = |block: usize, local: usize| local < space.sets()[block].active;
    let mut add = |(row, column), (p, q), x: f64| {
        let both = active(row, p) && active(column, q);
        if let (true, Some(place)) = (both, pattern.place(row, column, p, q)) {
            values[place] += x;
        }
    };
    for (i, block) in problem.blocks().iter().enumerate() {
        for (j, entries) in matrix.delassus.row(i) {
            let columns = problem.blocks()[j].dim;
            for (k, a) in entries.iter().enumerate() {
                let (p, q) = (k / columns, k % columns);
                if (i, p) == (j, q) {
                    add((i, i), (p, p), *a);
                } else if (i, p) > (j, q) {
                    add((i, j), (p, q), 0.5 * a);
                } else {
                    add((j, i), (q, p), 0.5 * a);
                }
            }
        }
        zeros(soft, block.dim * block.dim);
        problem.add_compliance(i, soft);
        for p in 0..block.dim {
            for q in 0..=p {
                add((i, i), (p, q), soft[p * block.dim + q]);
            }
            let d = space.metric()[block.first_row + p];
            add((i, i), (p, p), sigma * d);
        }
    }
    for (i, block) in problem.blocks().iter().enumerate() {
        for p in space.sets()[i].active..block.dim {
            if let Some(place) = pattern.place(i, i, p, p) {
                values[place] = 1.0;
            }
        }
    }
}

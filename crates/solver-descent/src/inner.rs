//! Solves with A + R + σD: on bodies by the matrix of their velocities, on matrix problems by the matrix itself (I.23).

use delassus_core::{BodyRows, MassProperties, MatrixRows, Operator, Problem, SolveError};
use nalgebra::Matrix3;

use crate::space::Space;
use crate::sparse::{BlockPattern, SparseFactor};

/// What solves with A + R + σD on the rows that are solved for.
#[derive(Debug)]
pub(crate) struct Inner {
    form: Form,
    pattern: BlockPattern,
    factor: SparseFactor,
    /// Factorizations so far \[-\].
    pub(crate) factored: u64,
}

#[derive(Debug)]
enum Form {
    Bodies(Box<Whitened>),
    Matrix,
}

/// Rows in velocities whose mass is one.
#[derive(Debug)]
struct Whitened {
    /// WᵀJᵀ with M⁻¹ = WWᵀ, in the layout of the Jacobians; zero on held rows.
    jacobian: Vec<[f64; 6]>,
    /// (R + σD)⁻¹ of each block, row-major.
    inverse: Vec<f64>,
    /// First entry of each block in `inverse`.
    first: Vec<usize>,
    /// Workspace of one block times its bodies, and of the bodies.
    rows: Vec<[f64; 6]>,
    bodies: Vec<f64>,
    dims: Vec<f64>,
}

impl Inner {
    /// Orders and makes room; [`Self::factorize`] comes next.
    ///
    /// # Errors
    /// A factor beyond what indices can count.
    pub(crate) fn new(space: &Space, problem: &Problem) -> Result<Self, SolveError> {
        let (form, pattern) = match problem.operator() {
            Operator::Bodies(bodies) => (
                Form::Bodies(Box::new(Whitened::new(space, problem, bodies))),
                body_pattern(problem, bodies),
            ),
            Operator::Matrix(matrix) => (Form::Matrix, matrix_pattern(problem, matrix)),
        };
        Ok(Self {
            factor: SparseFactor::new(&pattern)?,
            form,
            pattern,
            factored: 0,
        })
    }

    /// Row updates that one solve is worth: multiplications of the factor and its passes over the rows (I.24) \[-\].
    pub(crate) fn row_updates(&self, active: usize) -> u64 {
        let passes = match self.form {
            Form::Bodies(_) => active as u64,
            Form::Matrix => 0,
        };
        passes + (2 * self.factor.entries() as u64).div_ceil(24)
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
        let values = self.factor.matrix_mut();
        values.fill(0.0);
        match (&mut self.form, problem.operator()) {
            (Form::Bodies(white), Operator::Bodies(bodies)) => {
                white.invert(space, problem, sigma)?;
                white.assemble(problem, bodies, &self.pattern, values);
            }
            (Form::Matrix, Operator::Matrix(matrix)) => {
                assemble_matrix((space, problem, sigma), matrix, &self.pattern, values);
            }
            _ => return Err(SolveError::NoBodies),
        }
        self.factored += 1;
        self.factor.factorize()
    }

    /// x ← (A + R + σD)⁻¹ x on the rows that are solved for; held rows of `x` are zero and stay so.
    pub(crate) fn solve(&mut self, problem: &Problem, x: &mut [f64]) {
        match (&mut self.form, problem.bodies()) {
            (Form::Bodies(white), Some(bodies)) => {
                white.solve(problem, bodies, &mut self.factor, x);
            }
            _ => self.factor.solve(x),
        }
    }
}

/// One block per body; bodies that share a block are coupled.
fn body_pattern(problem: &Problem, bodies: &BodyRows) -> BlockPattern {
    let mut pairs = Vec::new();
    let moves = |body: &&u32| !bodies.mass[**body as usize].is_immovable();
    for index in 0..problem.blocks().len() {
        let touched = bodies.bodies_of(index);
        for a in touched.iter().filter(moves) {
            let below = touched.iter().filter(moves).filter(|b| *b < a);
            pairs.extend(below.map(|b| (*a as usize, *b as usize)));
        }
    }
    BlockPattern::new(&vec![6; bodies.len()], pairs)
}

/// One block per block of the problem.
fn matrix_pattern(problem: &Problem, matrix: &MatrixRows) -> BlockPattern {
    let dims: Vec<usize> = problem.blocks().iter().map(|block| block.dim).collect();
    let mut pairs = Vec::new();
    for i in 0..dims.len() {
        let columns = matrix.delassus.row(i).map(|(j, _)| (i.max(j), i.min(j)));
        pairs.extend(columns);
    }
    BlockPattern::new(&dims, pairs)
}

/// The symmetric part of A, R and σD; held rows become those of the identity.
fn assemble_matrix(
    (space, problem, sigma): (&Space, &Problem, f64),
    matrix: &MatrixRows,
    pattern: &BlockPattern,
    values: &mut [f64],
) {
    let active = |block: usize, local: usize| local < space.sets()[block].active;
    let mut add = |block: (usize, usize), entry: (usize, usize), x: f64| {
        let both = active(block.0, entry.0) && active(block.1, entry.1);
        if let (true, Some(place)) = (both, pattern.place(block, entry)) {
            values[place] += x;
        }
    };
    let mut soft = Vec::new();
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
        soft.clear();
        soft.resize(block.dim * block.dim, 0.0);
        problem.add_compliance(i, &mut soft);
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
            if let Some(place) = pattern.place((i, i), (p, p)) {
                values[place] = 1.0;
            }
        }
    }
}

impl Whitened {
    fn new(space: &Space, problem: &Problem, bodies: &BodyRows) -> Self {
        let mut jacobian = bodies.jacobian.to_vec();
        let roots: Vec<_> = bodies.mass.iter().map(root).collect();
        let (mut first, mut entries) = (Vec::new(), 0);
        let (mut widest, mut tallest) = (0, 0);
        for (index, block) in problem.blocks().iter().enumerate() {
            first.push(entries);
            entries += block.dim * block.dim;
            let touched = bodies.bodies_of(index);
            tallest = tallest.max(block.dim);
            widest = widest.max(block.dim * touched.len());
            for local in 0..block.dim {
                let start = bodies.first_entry[index] + local * touched.len();
                let active = local < space.sets()[index].active;
                for (entry, body) in jacobian[start..].iter_mut().zip(touched) {
                    *entry = if active {
                        whiten(&roots[*body as usize], entry)
                    } else {
                        [0.0; 6]
                    };
                }
            }
        }
        Self {
            jacobian,
            inverse: vec![0.0; entries],
            first,
            rows: vec![[0.0; 6]; widest],
            bodies: vec![0.0; 6 * bodies.len()],
            dims: vec![0.0; tallest],
        }
    }

    /// (R + σD)⁻¹ of every block; zero on held rows.
    fn invert(&mut self, space: &Space, problem: &Problem, sigma: f64) -> Result<(), SolveError> {
        for (index, block) in problem.blocks().iter().enumerate() {
            let (dim, active) = (block.dim, space.sets()[index].active);
            let out = &mut self.inverse[self.first[index]..][..dim * dim];
            out.fill(0.0);
            let metric = &space.metric()[block.rows()];
            if problem.coupled_compliance().of(index).is_none() {
                for p in 0..active {
                    let r = problem.compliance()[block.first_row + p];
                    out[p * dim + p] = 1.0 / (r + sigma * metric[p]);
                }
                continue;
            }
            problem.add_compliance(index, out);
            for p in 0..dim {
                out[p * dim + p] += sigma * metric[p];
                for q in 0..dim {
                    if p >= active || q >= active {
                        out[p * dim + q] = f64::from(u8::from(p == q));
                    }
                }
            }
            invert_in_place(dim, out)?;
            for p in active..dim {
                out[p * dim + p] = 0.0;
            }
        }
        Ok(())
    }

    /// I + WᵀJᵀ (R + σD)⁻¹ JW.
    fn assemble(
        &mut self,
        problem: &Problem,
        bodies: &BodyRows,
        pattern: &BlockPattern,
        values: &mut [f64],
    ) {
        for body in 0..bodies.len() {
            for p in 0..6 {
                if let Some(place) = pattern.place((body, body), (p, p)) {
                    values[place] = 1.0;
                }
            }
        }
        for (index, block) in problem.blocks().iter().enumerate() {
            let touched = bodies.bodies_of(index);
            let width = touched.len();
            let start = bodies.first_entry[index];
            let rows = &self.jacobian[start..start + block.dim * width];
            let inverse = &self.inverse[self.first[index]..][..block.dim * block.dim];
            let scaled = &mut self.rows[..block.dim * width];
            scaled.fill([0.0; 6]);
            for p in 0..block.dim {
                for q in 0..block.dim {
                    let factor = inverse[p * block.dim + q];
                    if factor == 0.0 {
                        continue;
                    }
                    for j in 0..width {
                        add_scaled(&mut scaled[p * width + j], factor, &rows[q * width + j]);
                    }
                }
            }
            add_products((touched, block.dim), (rows, scaled), pattern, values);
        }
    }

    /// (T + GGᵀ)⁻¹ = T⁻¹ − T⁻¹G (I + GᵀT⁻¹G)⁻¹ GᵀT⁻¹ (I.23), T = R + σD and G = JW.
    fn solve(
        &mut self,
        problem: &Problem,
        bodies: &BodyRows,
        factor: &mut SparseFactor,
        x: &mut [f64],
    ) {
        self.divide(problem, x);
        self.bodies.fill(0.0);
        for (index, block) in problem.blocks().iter().enumerate() {
            let touched = bodies.bodies_of(index);
            let start = bodies.first_entry[index];
            let rows = self.jacobian[start..].chunks_exact(touched.len().max(1));
            for (row, x) in rows.zip(&x[block.rows()]) {
                for (entry, body) in row.iter().zip(touched) {
                    let target = &mut self.bodies[6 * *body as usize..][..6];
                    for axis in 0..6 {
                        target[axis] += entry[axis] * x;
                    }
                }
            }
        }
        factor.solve(&mut self.bodies);
        for (index, block) in problem.blocks().iter().enumerate() {
            let touched = bodies.bodies_of(index);
            let start = bodies.first_entry[index];
            let rows = self.jacobian[start..].chunks_exact(touched.len().max(1));
            let moved = &mut self.dims[..block.dim];
            for (row, out) in rows.zip(moved.iter_mut()) {
                *out = 0.0;
                for (entry, body) in row.iter().zip(touched) {
                    let velocity = &self.bodies[6 * *body as usize..][..6];
                    *out += (0..6).map(|axis| entry[axis] * velocity[axis]).sum::<f64>();
                }
            }
            let inverse = &self.inverse[self.first[index]..][..block.dim * block.dim];
            for (p, x) in x[block.rows()].iter_mut().enumerate() {
                let row = &inverse[p * block.dim..][..block.dim];
                *x -= row
                    .iter()
                    .zip(moved.iter())
                    .map(|(t, y)| t * y)
                    .sum::<f64>();
            }
        }
    }

    /// x ← T⁻¹x.
    fn divide(&mut self, problem: &Problem, x: &mut [f64]) {
        for (index, block) in problem.blocks().iter().enumerate() {
            let inverse = &self.inverse[self.first[index]..][..block.dim * block.dim];
            let copy = &mut self.dims[..block.dim];
            copy.copy_from_slice(&x[block.rows()]);
            for (p, x) in x[block.rows()].iter_mut().enumerate() {
                let row = &inverse[p * block.dim..][..block.dim];
                *x = row.iter().zip(copy.iter()).map(|(t, y)| t * y).sum();
            }
        }
    }
}

/// Adds rowsᵀ · scaled of one block to the pairs of its bodies.
fn add_products(
    (touched, dim): (&[u32], usize),
    (rows, scaled): (&[[f64; 6]], &[[f64; 6]]),
    pattern: &BlockPattern,
    values: &mut [f64],
) {
    let width = touched.len();
    for (i, a) in touched.iter().enumerate() {
        for (j, b) in touched.iter().enumerate().filter(|(_, b)| *b <= a) {
            let block = (*a as usize, *b as usize);
            let Some(first) = pattern.place(block, (0, 0)) else {
                continue;
            };
            debug_assert!(first < values.len());
            for q in 0..6 {
                for p in if a == b { q } else { 0 }..6 {
                    let sum: f64 = (0..dim)
                        .map(|row| rows[row * width + i][p] * scaled[row * width + j][q])
                        .sum();
                    if let (true, Some(place)) = (sum != 0.0, pattern.place(block, (p, q))) {
                        values[place] += sum;
                    }
                }
            }
        }
    }
}

fn add_scaled(out: &mut [f64; 6], factor: f64, x: &[f64; 6]) {
    for axis in 0..6 {
        out[axis] += factor * x[axis];
    }
}

/// W of M⁻¹ = WWᵀ of one body: roots of the inverse masses, and a Cholesky factor of the inverse inertia.
fn root(mass: &MassProperties) -> ([f64; 3], Matrix3<f64>) {
    let linear = [0, 1, 2].map(|axis| mass.inverse_mass[axis].max(0.0).sqrt());
    let inertia = &mass.inverse_inertia;
    let smallest = 1e-14 * inertia.diagonal().max();
    let mut lower = Matrix3::zeros();
    for j in 0..3 {
        let known: f64 = (0..j).map(|k| lower[(j, k)] * lower[(j, k)]).sum();
        let pivot = inertia[(j, j)] - known;
        // an axis that is locked has no pivot, and nothing below it
        if pivot <= smallest {
            continue;
        }
        lower[(j, j)] = pivot.sqrt();
        for i in j + 1..3 {
            let known: f64 = (0..j).map(|k| lower[(i, k)] * lower[(j, k)]).sum();
            lower[(i, j)] = (inertia[(i, j)] - known) / lower[(j, j)];
        }
    }
    (linear, lower)
}

fn whiten((linear, angular): &([f64; 3], Matrix3<f64>), row: &[f64; 6]) -> [f64; 6] {
    let spin = angular.transpose() * nalgebra::Vector3::new(row[3], row[4], row[5]);
    [
        linear[0] * row[0],
        linear[1] * row[1],
        linear[2] * row[2],
        spin.x,
        spin.y,
        spin.z,
    ]
}

/// Gauss–Jordan without pivots, of a positive definite matrix.
pub(crate) fn invert_in_place(dim: usize, a: &mut [f64]) -> Result<(), SolveError> {
    for k in 0..dim {
        let pivot = a[k * dim + k];
        if pivot.is_nan() || pivot <= 0.0 {
            return Err(SolveError::Factorization {
                reason: "the compliance of a block is not positive semi-definite",
            });
        }
        a[k * dim + k] = 1.0;
        (0..dim).for_each(|j| a[k * dim + j] /= pivot);
        for i in (0..dim).filter(|i| *i != k) {
            let factor = a[i * dim + k];
            a[i * dim + k] = 0.0;
            (0..dim).for_each(|j| a[i * dim + j] -= factor * a[k * dim + j]);
        }
    }
    Ok(())
}

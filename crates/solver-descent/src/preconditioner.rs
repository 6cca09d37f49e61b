//! Preconditioners of conjugate gradients: the diagonal, blocks, or a symmetric Gauss–Seidel sweep
//! (I.27).

use delassus_core::{BodyRows, Choice, Operator, Problem, SolveError};

use crate::face::Face;
use crate::space::{Space, zeros};
use crate::whitened::invert_in_place;

/// What stands for the inverse of A + R.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Choice)]
pub enum PreconditionerKind {
    /// D⁻¹, the scaled space itself.
    #[default]
    None,
    /// The diagonal blocks, inverted.
    BlockJacobi,
    /// A Gauss–Seidel sweep forward and one back; two products' worth of work.
    Ssor,
}

/// The rows of a problem that lie on a face.
#[derive(Clone, Copy)]
pub(crate) struct FaceRows<'a> {
    pub(crate) space: &'a Space,
    pub(crate) problem: &'a Problem,
    pub(crate) face: &'a Face,
}

impl FaceRows<'_> {
    fn is_free(&self, row: usize) -> bool {
        self.face.is_free(row) && self.space.inverse()[row] > 0.0
    }
}

/// Share of the largest diagonal entry that is added to blocks before they are inverted \[-\].
const SHIFT: f64 = 1e-9;

/// A preconditioner that is prepared for a problem.
#[derive(Debug, Clone, Default)]
pub(crate) struct Preconditioner {
    kind: PreconditionerKind,
    /// Blocks inverted, row-major, one after the other.
    blocks: Vec<f64>,
    /// M⁻¹Jᵀ in the layout of the Jacobians.
    moved: Vec<[f64; 6]>,
    diagonal: Vec<f64>,
    bodies: Vec<f64>,
    half: Vec<f64>,
    /// Memory for a block.
    block: Vec<f64>,
}

impl Preconditioner {
    /// Inverts blocks, or makes rows ready for sweeps, in its memory.
    ///
    /// # Errors
    /// A diagonal block that is not positive semi-definite.
    pub(crate) fn repeat(
        &mut self,
        kind: PreconditionerKind,
        space: &Space,
        problem: &Problem,
    ) -> Result<(), SolveError> {
        self.kind = kind;
        let soft = problem.diagonal().iter().zip(problem.compliance());
        self.diagonal.clear();
        self.diagonal.extend(soft.map(|(a, r)| a + r));
        zeros(&mut self.half, problem.rows());
        match kind {
            PreconditionerKind::None => {}
            PreconditionerKind::BlockJacobi => self.invert(space, problem)?,
            PreconditionerKind::Ssor => {
                if let Some(bodies) = problem.bodies() {
                    zeros(&mut self.bodies, 6 * bodies.len());
                    move_rows(problem, bodies, &mut self.moved);
                }
            }
        }
        Ok(())
    }

    /// Row updates of one application (I.8) \[-\].
    pub(crate) fn row_updates(&self, active: usize) -> u64 {
        match self.kind {
            PreconditionerKind::Ssor => 2 * active as u64,
            PreconditionerKind::None | PreconditionerKind::BlockJacobi => 0,
        }
    }

    fn invert(&mut self, space: &Space, problem: &Problem) -> Result<(), SolveError> {
        let Self {
            blocks,
            block: matrix,
            ..
        } = self;
        blocks.clear();
        for (index, block) in problem.blocks().iter().enumerate() {
            let (dim, active) = (block.dim, space.sets()[index].active);
            matrix.clear();
            matrix.resize(dim * dim, 0.0);
            problem.diagonal_block(index, matrix);
            problem.add_compliance(index, matrix);
            let largest = (0..dim).map(|i| matrix[i * dim + i]).fold(0.0, f64::max);
            for i in 0..dim {
                for j in 0..i {
                    // files are slightly unsymmetric
                    let mean = 0.5 * (matrix[i * dim + j] + matrix[j * dim + i]);
                    let entry = if i < active { mean } else { 0.0 };
                    (matrix[i * dim + j], matrix[j * dim + i]) = (entry, entry);
                }
                matrix[i * dim + i] += SHIFT * largest;
                if i >= active {
                    matrix[i * dim + i] = 1.0;
                }
            }
            invert_in_place(dim, matrix)?;
            blocks.extend_from_slice(matrix);
        }
        Ok(())
    }

    /// z = P M⁻¹ P r, with P the projection onto the face; `r` lies in it.
    pub(crate) fn apply(&mut self, rows: FaceRows<'_>, r: &[f64], z: &mut [f64]) {
        let FaceRows {
            space,
            problem,
            face,
        } = rows;
        match self.kind {
            PreconditionerKind::None => {
                for ((z, r), inverse) in z.iter_mut().zip(r).zip(space.inverse()) {
                    *z = inverse * r;
                }
            }
            PreconditionerKind::BlockJacobi => self.apply_blocks(problem, r, z),
            PreconditionerKind::Ssor => match problem.operator() {
                Operator::Bodies(bodies) => self.sweep_bodies(rows, bodies, r, z),
                Operator::Matrix(_) => self.sweep_matrix(rows, r, z),
            },
        }
        face.project(space, z);
    }

    fn apply_blocks(&self, problem: &Problem, r: &[f64], z: &mut [f64]) {
        let mut first = 0;
        for block in problem.blocks() {
            let r = &r[block.rows()];
            for (p, z) in z[block.rows()].iter_mut().enumerate() {
                let row = &self.blocks[first + p * block.dim..][..block.dim];
                *z = row.iter().zip(r).map(|(a, r)| a * r).sum();
            }
            first += block.dim * block.dim;
        }
    }

    /// (D + L) D⁻¹ (D + Lᵀ) z = r on the rows of the face, by the velocities of the bodies.
    fn sweep_bodies(&mut self, rows: FaceRows<'_>, bodies: &BodyRows, r: &[f64], z: &mut [f64]) {
        let problem = rows.problem;
        let free = |row: usize| rows.is_free(row);
        z.fill(0.0);
        self.half.fill(0.0);
        self.bodies.fill(0.0);
        for (index, block) in problem.blocks().iter().enumerate() {
            for (local, row) in block.rows().enumerate().filter(|(_, row)| free(*row)) {
                let velocity = velocity(bodies, &self.bodies, index, local);
                let y = (r[row] - velocity) / self.diagonal[row];
                self.half[row] = y;
                push(bodies, &self.moved, &mut self.bodies, index, local, y);
            }
        }
        self.bodies.fill(0.0);
        for (index, block) in problem.blocks().iter().enumerate().rev() {
            for (local, row) in block.rows().enumerate().rev().filter(|(_, row)| free(*row)) {
                let velocity = velocity(bodies, &self.bodies, index, local);
                let x = self.half[row] - velocity / self.diagonal[row];
                z[row] = x;
                push(bodies, &self.moved, &mut self.bodies, index, local, x);
            }
        }
    }

    /// The same by rows of the matrix: those not yet visited are zero.
    fn sweep_matrix(&mut self, rows: FaceRows<'_>, r: &[f64], z: &mut [f64]) {
        let problem = rows.problem;
        let free = |row: usize| rows.is_free(row);
        z.fill(0.0);
        self.half.fill(0.0);
        for (index, block) in problem.blocks().iter().enumerate() {
            for (local, row) in block.rows().enumerate().filter(|(_, row)| free(*row)) {
                let velocity = matrix_row(problem, index, local, &self.half);
                self.half[row] = (r[row] - velocity) / self.diagonal[row];
            }
        }
        for (index, block) in problem.blocks().iter().enumerate().rev() {
            for (local, row) in block.rows().enumerate().rev().filter(|(_, row)| free(*row)) {
                let velocity = matrix_row(problem, index, local, z);
                z[row] = self.half[row] - velocity / self.diagonal[row];
            }
        }
    }
}

/// M⁻¹Jᵀ, entry by entry.
fn move_rows(problem: &Problem, bodies: &BodyRows, moved: &mut Vec<[f64; 6]>) {
    moved.clear();
    moved.extend_from_slice(&bodies.jacobian);
    for (index, block) in problem.blocks().iter().enumerate() {
        let touched = bodies.bodies_of(index);
        for local in 0..block.dim {
            let start = bodies.first_entry[index] + local * touched.len();
            for (entry, body) in moved[start..].iter_mut().zip(touched) {
                *entry = bodies.mass[*body as usize].apply_inverse(entry);
            }
        }
    }
}

/// J_i v of one row.
#[inline]
fn velocity(bodies: &BodyRows, v: &[f64], block: usize, local: usize) -> f64 {
    let entries = bodies.row(block, local).iter().zip(bodies.bodies_of(block));
    entries
        .map(|(entry, body)| {
            let v = &v[6 * *body as usize..][..6];
            (0..6).map(|axis| entry[axis] * v[axis]).sum::<f64>()
        })
        .sum()
}

/// v += M⁻¹J_iᵀ x of one row.
#[inline]
fn push(bodies: &BodyRows, moved: &[[f64; 6]], v: &mut [f64], block: usize, local: usize, x: f64) {
    let touched = bodies.bodies_of(block);
    let start = bodies.first_entry[block] + local * touched.len();
    for (entry, body) in moved[start..].iter().zip(touched) {
        let v = &mut v[6 * *body as usize..][..6];
        for axis in 0..6 {
            v[axis] += entry[axis] * x;
        }
    }
}

/// (A x)_i of one row of a matrix problem.
fn matrix_row(problem: &Problem, block: usize, local: usize, x: &[f64]) -> f64 {
    let Operator::Matrix(matrix) = problem.operator() else {
        return 0.0;
    };
    let mut sum = 0.0;
    for (column, values) in matrix.delassus.row(block) {
        let rows = problem.blocks()[column].rows();
        let row = &values[local * rows.len()..][..rows.len()];
        sum += row.iter().zip(&x[rows]).map(|(a, x)| a * x).sum::<f64>();
    }
    sum
}

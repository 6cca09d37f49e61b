//! What pivoting computes anew from M and q: the whole tableau of a basis, and the final impulses.

use delassus_core::{SolveError, interrupt};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::lu::partial_pivoting as lu;
use faer::linalg::matmul::matmul;
use faer::perm::PermRef;
use faer::{Accum, MatMut, MatRef, Par};

use super::form::Form;
use super::tableau::{Name, Tableau};

/// Pivots of the triangular factor below this fraction of the largest are zero \[-\].
const SINGULAR: f64 = 1e-14;
/// Multiplications that an entry of a column of M takes, which is in a cache line of its own \[-\].
const STRIDED: usize = 8;
/// Passes of residual and correction at the end.
const PASSES: usize = 3;

/// LU factor of the basis, and room to work in.
pub(super) struct Basis {
    /// Column-major k × k: rows of `velocities`, columns of `impulses`.
    block: Vec<f64>,
    /// Column-major k × (n + 2).
    right: Vec<f64>,
    /// Row-major n × k.
    others: Vec<f64>,
    /// Rows whose s is nonbasic.
    velocities: Vec<usize>,
    /// Basic variables other than s.
    impulses: Vec<Name>,
    forward: Vec<usize>,
    backward: Vec<usize>,
    scratch: MemBuffer,
    /// Factorizations so far \[-\].
    pub(super) factored: u64,
}

impl std::fmt::Debug for Basis {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Basis")
            .field("velocities", &self.velocities)
            .field("impulses", &self.impulses)
            .finish_non_exhaustive()
    }
}

/// Entry of column `name` of [M, I, d] in row `k`, with the sign that it has on the right-hand side
/// of s = Mx + q + d x₀.
fn coefficient(form: &Form, cover: &[f64], k: usize, name: Name) -> f64 {
    match name {
        Name::Impulse(j) => form.row(k)[j],
        Name::Artificial => cover[k],
        Name::Velocity(j) => -f64::from(u8::from(j == k)),
    }
}

impl Basis {
    pub(super) fn new(n: usize) -> Self {
        let factor =
            lu::factor::lu_in_place_scratch::<usize, f64>(n, n, Par::Seq, Default::default());
        let solve = lu::solve::solve_in_place_scratch::<usize, f64>(n, n + 2, Par::Seq);
        Self {
            block: vec![0.0; n * n],
            right: vec![0.0; n * (n + 2)],
            others: vec![0.0; n * n],
            velocities: Vec::with_capacity(n),
            impulses: Vec::with_capacity(n + 1),
            forward: vec![0; n],
            backward: vec![0; n],
            scratch: MemBuffer::new(factor.or(solve)),
            factored: 0,
        }
    }

    /// Factorizes the basis that the tableau names.
    fn factorize(
        &mut self,
        form: &Form,
        cover: &[f64],
        tableau: &Tableau,
    ) -> Result<(), SolveError> {
        self.velocities.clear();
        self.impulses.clear();
        for name in &tableau.nonbasic[1..] {
            if let Name::Velocity(k) = name {
                self.velocities.push(*k);
            }
        }
        let basic = tableau.basic.iter().copied();
        self.impulses
            .extend(basic.filter(|name| !matches!(name, Name::Velocity(_))));
        let k = self.velocities.len();
        if k == 0 {
            return Ok(());
        }
        interrupt::for_each(k, STRIDED * k, |j| {
            let column = &mut self.block[j * k..(j + 1) * k];
            for (value, row) in column.iter_mut().zip(&self.velocities) {
                *value = coefficient(form, cover, *row, self.impulses[j]);
            }
        })?;
        let size = k as f64;
        interrupt::afford_factor(size * size * size / 3.0)?;
        self.factored += 1;
        lu::factor::lu_in_place(
            MatMut::from_column_major_slice_mut(&mut self.block[..k * k], k, k),
            &mut self.forward[..k],
            &mut self.backward[..k],
            Par::Seq,
            MemStack::new(&mut self.scratch),
            Default::default(),
        );
        let pivots = (0..k).map(|i| self.block[i * k + i].abs());
        let largest = pivots.clone().fold(0.0, f64::max);
        let smallest = pivots.fold(f64::INFINITY, f64::min);
        if smallest > SINGULAR * largest {
            return Ok(());
        }
        Err(SolveError::Factorization {
            reason: "the basis that pivoting reached is singular to rounding",
        })
    }

    /// right ← basis⁻¹ right, `width` columns.
    fn solve(&mut self, width: usize) {
        let k = self.velocities.len();
        if k == 0 {
            return;
        }
        let factor = MatRef::from_column_major_slice(&self.block[..k * k], k, k);
        let order = PermRef::new_checked(&self.forward[..k], &self.backward[..k], k);
        lu::solve::solve_in_place(
            factor,
            factor,
            order,
            MatMut::from_column_major_slice_mut(&mut self.right[..k * width], k, width),
            Par::Seq,
            MemStack::new(&mut self.scratch),
        );
    }

    /// Computes every entry of the tableau from M, q and the names of its rows and columns (B.12).
    pub(super) fn refresh(
        &mut self,
        form: &Form,
        cover: &[f64],
        tableau: &mut Tableau,
    ) -> Result<(), SolveError> {
        self.factorize(form, cover, tableau)?;
        let (n, k) = (form.len(), self.velocities.len());
        let width = n + 2;
        interrupt::for_each(width, STRIDED * k, |c| {
            let column = &mut self.right[c * k..(c + 1) * k];
            for (value, row) in column.iter_mut().zip(&self.velocities) {
                *value = match c {
                    0 => -form.q[*row],
                    _ => -coefficient(form, cover, *row, tableau.nonbasic[c]),
                };
            }
        })?;
        interrupt::afford_factor((k * k) as f64 * width as f64)?;
        self.solve(width);
        self.fill_known(form, cover, tableau)?;
        interrupt::afford_factor((n * k) as f64 * width as f64)?;
        if k > 0 {
            let stride = tableau.stride;
            // faer 0.24.4 gives row-major mutable views with a stride the strides of column-major
            // ones
            let transposed = MatMut::from_column_major_slice_with_stride_mut(
                &mut tableau.values,
                width,
                n,
                stride,
            );
            matmul(
                transposed.transpose_mut(),
                Accum::Add,
                MatRef::from_row_major_slice(&self.others[..n * k], n, k),
                MatRef::from_column_major_slice(&self.right[..k * width], k, width),
                1.0,
                Par::Seq,
            );
        }
        tableau.index();
        Ok(())
    }

    /// Fills the tableau with what does not depend on the basis, and `others` with the factors of
    /// what does.
    fn fill_known(
        &mut self,
        form: &Form,
        cover: &[f64],
        tableau: &mut Tableau,
    ) -> Result<(), SolveError> {
        let (n, k) = (form.len(), self.velocities.len());
        let mut next = 0;
        interrupt::for_each(n, n + k, |i| {
            let name = tableau.basic[i];
            let target = tableau.row_mut(i);
            let others = &mut self.others[i * k..(i + 1) * k];
            if let Name::Velocity(row) = name {
                for (value, impulse) in others.iter_mut().zip(&self.impulses) {
                    *value = coefficient(form, cover, row, *impulse);
                }
                target[0] = form.q[row];
            } else {
                others.fill(0.0);
                others[next] = 1.0;
                next += 1;
                target[0] = 0.0;
            }
            target[1..].fill(0.0);
        })?;
        interrupt::for_each(n, n, |i| {
            let Name::Velocity(row) = tableau.basic[i] else {
                return;
            };
            for c in 1..n + 2 {
                let name = tableau.nonbasic[c];
                if !matches!(name, Name::Velocity(_)) {
                    tableau.row_mut(i)[c] = coefficient(form, cover, row, name);
                }
            }
        })
    }

    /// x of the basis with exact residuals: x_F = −M_RF⁻¹ q_R, corrected (B.13). The rest of `x` is
    /// zero.
    pub(super) fn finish(
        &mut self,
        form: &Form,
        cover: &[f64],
        tableau: &Tableau,
        x: &mut [f64],
    ) -> Result<(), SolveError> {
        self.factorize(form, cover, tableau)?;
        x.fill(0.0);
        let k = self.velocities.len();
        for _ in 0..PASSES {
            for (i, row) in self.velocities.iter().enumerate() {
                self.right[i] = -form.q[*row] - crate::linear::dot(form.row(*row), x);
            }
            self.solve(1);
            for (correction, name) in self.right[..k].iter().zip(&self.impulses) {
                if let Name::Impulse(j) = name {
                    x[*j] += correction;
                }
            }
        }
        Ok(())
    }
}

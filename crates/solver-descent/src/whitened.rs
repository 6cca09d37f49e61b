//! The rows of a problem in velocities whose mass is one: the form of (I.23) on bodies.

use delassus_core::{BodyRows, MassProperties, Problem, SolveError};
use nalgebra::Matrix3;

use crate::space::{Space, zeros};
use crate::sparse::{BlockPattern, SparseFactor};

/// Rows in velocities whose mass is one.
#[derive(Debug, Default)]
pub(crate) struct WhitenedRows {
    /// WᵀJᵀ with M⁻¹ = WWᵀ, in the layout of the Jacobians; zero on inactive rows.
    jacobian: Vec<[f64; 6]>,
    /// (R + σD)⁻¹ of each block, row-major.
    inverse: Vec<f64>,
    /// First entry of each block in `inverse`.
    first: Vec<usize>,
    /// Workspace: roots of the masses, one block times its bodies, the bodies, and the rows of a
    /// block.
    roots: Vec<MassRoot>,
    rows: Vec<[f64; 6]>,
    bodies: Vec<f64>,
    dims: Vec<f64>,
}

impl WhitenedRows {
    /// Takes over the rows of a problem.
    pub(crate) fn renew(&mut self, space: &Space, problem: &Problem, bodies: &BodyRows) {
        self.jacobian.clear();
        self.jacobian.extend_from_slice(&bodies.jacobian);
        self.roots.clear();
        self.roots.extend(bodies.mass.iter().map(MassRoot::of));
        self.first.clear();
        let (mut entries, mut widest, mut tallest) = (0, 0, 0);
        for (index, block) in problem.blocks().iter().enumerate() {
            self.first.push(entries);
            entries += block.dim * block.dim;
            let touched = bodies.bodies_of(index);
            tallest = tallest.max(block.dim);
            widest = widest.max(block.dim * touched.len());
            for local in 0..block.dim {
                let start = bodies.first_entry[index] + local * touched.len();
                let active = local < space.sets()[index].active;
                for (entry, body) in self.jacobian[start..].iter_mut().zip(touched) {
                    *entry = if active {
                        self.roots[*body as usize].whiten(entry)
                    } else {
                        [0.0; 6]
                    };
                }
            }
        }
        self.rows.clear();
        self.rows.resize(widest, [0.0; 6]);
        zeros(&mut self.inverse, entries);
        zeros(&mut self.bodies, 6 * bodies.len());
        zeros(&mut self.dims, tallest);
    }

    /// (R + σD)⁻¹ of every block; zero on inactive rows.
    pub(crate) fn invert(
        &mut self,
        space: &Space,
        problem: &Problem,
        sigma: f64,
    ) -> Result<(), SolveError> {
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
    pub(crate) fn assemble(
        &mut self,
        problem: &Problem,
        bodies: &BodyRows,
        pattern: &BlockPattern,
        values: &mut [f64],
    ) {
        for body in 0..bodies.len() {
            for p in 0..6 {
                if let Some(place) = pattern.place(body, body, p, p) {
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
            add_products(touched, rows, scaled, pattern, values);
        }
    }

    /// (T + GGᵀ)⁻¹ = T⁻¹ − T⁻¹G (I + GᵀT⁻¹G)⁻¹ GᵀT⁻¹ (I.23), T = R + σD and G = JW.
    pub(crate) fn solve(
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
    touched: &[u32],
    rows: &[[f64; 6]],
    scaled: &[[f64; 6]],
    pattern: &BlockPattern,
    values: &mut [f64],
) {
    let width = touched.len();
    for (i, a) in touched.iter().enumerate() {
        for (j, b) in touched.iter().enumerate().filter(|(_, b)| *b <= a) {
            let (row, column) = (*a as usize, *b as usize);
            let Some(first) = pattern.place(row, column, 0, 0) else {
                continue;
            };
            debug_assert!(first < values.len());
            for q in 0..6 {
                for p in if a == b { q } else { 0 }..6 {
                    let products = rows.chunks_exact(width).zip(scaled.chunks_exact(width));
                    let sum: f64 = products.map(|(row, scaled)| row[i][p] * scaled[j][q]).sum();
                    let place = pattern.place(row, column, p, q);
                    if let (true, Some(place)) = (sum != 0.0, place) {
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

/// W of M⁻¹ = WWᵀ of one body: roots of the inverse masses, and a Cholesky factor of the inverse
/// inertia.
#[derive(Debug)]
struct MassRoot {
    linear: [f64; 3],
    angular: Matrix3<f64>,
}

impl MassRoot {
    fn of(mass: &MassProperties) -> Self {
        let linear = [0, 1, 2].map(|axis| mass.inverse_mass[axis].max(0.0).sqrt());
        let inertia = &mass.inverse_inertia;
        let smallest = 1e-14 * inertia.diagonal().max();
        let mut angular = Matrix3::zeros();
        for j in 0..3 {
            let known: f64 = (0..j).map(|k| angular[(j, k)] * angular[(j, k)]).sum();
            let pivot = inertia[(j, j)] - known;
            // an axis that is locked has no pivot, and nothing below it
            if pivot <= smallest {
                continue;
            }
            angular[(j, j)] = pivot.sqrt();
            for i in j + 1..3 {
                let known: f64 = (0..j).map(|k| angular[(i, k)] * angular[(j, k)]).sum();
                angular[(i, j)] = (inertia[(i, j)] - known) / angular[(j, j)];
            }
        }
        Self { linear, angular }
    }

    /// Wᵀ times a row.
    fn whiten(&self, row: &[f64; 6]) -> [f64; 6] {
        let spin = self.angular.transpose() * nalgebra::Vector3::new(row[3], row[4], row[5]);
        [
            self.linear[0] * row[0],
            self.linear[1] * row[1],
            self.linear[2] * row[2],
            spin.x,
            spin.y,
            spin.z,
        ]
    }
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

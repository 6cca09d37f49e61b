//! How a solution may move: directions of impulses that keep the equations of its active set and
//! change velocities.
//!
//! At a solution the equations F(y, Sy + c) = 0 of the active set have the derivative T = P + QS
//! (Y.3). A null vector z of T with Sz = 0 is redundancy: other impulses, the same velocities. One
//! with Sz ≠ 0 is a motion, along which the velocities are those of a solution too, to first order
//! (F.7).

use delassus_core::{Problem, SolveError};
use faer::{Mat, MatRef};

use super::maps::{Entry, Map};
use super::model::{Group, Model, Scaling, SetForm};
use crate::assembly::DenseDelassus;
use crate::{linear, spectral};

/// Singular values of T below this share of the largest are zero \[-\].
const NULL: f64 = 1e-7;
/// Squares of the velocity of a unit null vector below this are zero, in scaled rows \[-\].
const STILL: f64 = 1e-10;
/// Steps of [`ActiveSystem::corrected`] \[-\].
const CORRECTIONS: usize = 30;
/// A correction is done where F is this share of the numbers that it is computed from \[-\].
const ROUNDING: f64 = 4.0 * f64::EPSILON;
/// A step of [`ActiveSystem::corrected`] that leaves a larger share of F asks for a new T \[-\].
const FAST: f64 = 0.1;
/// A normal row whose impulse and velocity are below this share of the largest numbers only touches
/// \[-\].
const TOUCHES: f64 = 1e-9;
/// Rounds of [`ActiveSystem::pressing`] \[-\].
const ROUNDS: usize = 100;
/// Share of the largest change below which a normal impulse does not change \[-\].
const UNCHANGED: f64 = 1e-6;
/// A step with T at the same point that leaves a larger share of F was the last one \[-\].
const SLOW: f64 = 0.5;

/// The equations of the active set of a problem, in scaled impulses y (Y.1).
#[derive(Debug, Clone)]
pub struct ActiveSystem {
    model: Model,
    y: Vec<f64>,
    w: Vec<f64>,
    f: Vec<f64>,
    entries: Vec<Entry>,
}

/// The singular value decomposition of T.
struct Derivative {
    values: Vec<f64>,
    left: Mat<f64>,
    right: Mat<f64>,
}

impl ActiveSystem {
    /// The equations of `problem`, with normal rows and discs (Y.4); `impulses` are those of
    /// inactive rows.
    ///
    /// # Errors
    /// Facets with two tangents, whose equations are not written here; matrices that overflow.
    pub fn new(problem: &Problem, impulses: &[f64]) -> Result<Self, SolveError> {
        let matrix = DenseDelassus::assemble_with_compliance(problem)?;
        let scaling = Scaling {
            form: SetForm::Discs,
            per_contact: false,
            rho: 1.0,
        };
        let model = Model::new(problem, &matrix, impulses, scaling)?;
        let zeros = vec![0.0; model.size()];
        Ok(Self {
            y: zeros.clone(),
            w: zeros.clone(),
            f: zeros,
            entries: Vec::new(),
            model,
        })
    }

    /// A basis of the motions at `impulses` \[N·s\]: empty where the velocities are isolated. The
    /// velocity changes of its members are orthonormal in scaled rows.
    ///
    /// # Errors
    /// A decomposition that does not converge.
    pub fn motions(&mut self, impulses: &[f64]) -> Result<Vec<Vec<f64>>, SolveError> {
        self.model.scale(impulses, &mut self.y);
        let derivative = self.derivative()?;
        let null = derivative.null();
        let (n, count) = (self.model.size(), null.len());
        let velocities: Vec<Vec<f64>> = null
            .iter()
            .map(|z| {
                let mut w = vec![0.0; n];
                self.model.multiply(z, &mut w);
                w
            })
            .collect();
        let gram = Mat::from_fn(count, count, |i, j| {
            linear::dot(&velocities[i], &velocities[j])
        });
        let (squares, shares) = spectral::symmetric(gram.as_ref())?;
        let moving = (0..count).filter(|k| squares[*k] > STILL);
        let motions = moving.map(|k| {
            let mut motion = vec![0.0; impulses.len()];
            for (z, share) in null.iter().zip(shares.col(k).iter()) {
                let factor = share / squares[k].sqrt();
                for (i, row) in self.model.rows.iter().enumerate() {
                    motion[*row] += factor * z[i] * self.model.d[i];
                }
            }
            motion
        });
        Ok(motions.collect())
    }

    /// A direction of impulses \[N·s\] along which sliding contacts that only touch at `impulses`
    /// begin to push, with the equations of contacts that push; `None` where there is none.
    ///
    /// Two walls can press a body between them: neither pushes at the solution without impulses,
    /// and both do at others.
    ///
    /// # Errors
    /// A decomposition that does not converge.
    pub fn pressing(&mut self, impulses: &[f64]) -> Result<Option<Vec<f64>>, SolveError> {
        self.model.scale(impulses, &mut self.y);
        self.model.velocity(&self.y, &mut self.w);
        let touching = self.touching();
        if touching.is_empty() {
            return Ok(None);
        }
        let least = TOUCHES * (linear::norm(&self.model.c) + linear::norm(&self.y));
        for i in &touching {
            // what the equations of a contact that pushes take, and no more
            self.y[*i] = 2.0 * self.w[*i].abs().max(least);
        }
        self.evaluate_at();
        let null = self.decomposed()?.null();
        let mut wanted = vec![0.0; self.model.size()];
        for i in &touching {
            wanted[*i] = 1.0;
        }
        let mut direction = projected(&null, &wanted);
        for _ in 0..ROUNDS {
            if touching.iter().all(|i| direction[*i] >= 0.0) {
                break;
            }
            wanted.clone_from(&direction);
            for i in &touching {
                wanted[*i] = wanted[*i].max(0.0);
            }
            direction = projected(&null, &wanted);
        }
        let pushes = touching.iter().map(|i| direction[*i]);
        let [least, most] =
            pushes.fold([0.0_f64; 2], |[least, most], x| [least.min(x), most.max(x)]);
        if most <= UNCHANGED || least < -UNCHANGED * most {
            return Ok(None);
        }
        let mut pressing = vec![0.0; impulses.len()];
        for (i, row) in self.model.rows.iter().enumerate() {
            pressing[*row] = direction[i] * self.model.d[i];
        }
        Ok(Some(pressing))
    }

    /// Normal rows of sliding contacts with neither impulse nor velocity, at y and w.
    fn touching(&self) -> Vec<usize> {
        let size = linear::norm(&self.model.c) + linear::norm(&self.y);
        let is_small = |x: f64| x.abs() <= TOUCHES * size;
        let mut touching = Vec::new();
        for group in &self.model.groups {
            let Group::Disc { rows, terms } = group else {
                continue;
            };
            let [(normal, _)] = self.model.terms[terms.clone()] else {
                continue;
            };
            let slides = rows.clone().any(|i| !is_small(self.w[i]));
            if slides && is_small(self.y[normal]) && is_small(self.w[normal]) {
                touching.push(normal);
            }
        }
        touching
    }

    /// Inner product of the velocity changes of two directions of impulses, in scaled rows (F.7).
    pub fn along(&mut self, a: &[f64], b: &[f64]) -> f64 {
        let [a, b] = [a, b].map(|direction| {
            self.model.scale(direction, &mut self.y);
            let mut w = vec![0.0; self.model.size()];
            self.model.multiply(&self.y, &mut w);
            w
        });
        linear::dot(&a, &b)
    }

    /// The nearest impulses that satisfy the equations, by Gauss–Newton steps of least length,
    /// which keep T as long as they converge fast; `None` where F is no number.
    ///
    /// # Errors
    /// A decomposition that does not converge.
    pub fn corrected(&mut self, impulses: &[f64]) -> Result<Option<Vec<f64>>, SolveError> {
        self.model.scale(impulses, &mut self.y);
        let mut derivative = self.derivative()?;
        let mut fresh = true;
        for _ in 0..CORRECTIONS {
            let size = linear::norm(&self.model.c) + linear::norm(&self.y);
            let residual = linear::norm(&self.f);
            if !residual.is_finite() {
                return Ok(None);
            }
            if residual <= ROUNDING * size {
                break;
            }
            derivative.subtract_solution(&self.f, &mut self.y);
            self.evaluate();
            let share = linear::norm(&self.f) / residual;
            if fresh && share > SLOW {
                break;
            }
            fresh = share > FAST;
            if fresh {
                derivative = self.derivative()?;
            }
        }
        let mut corrected = impulses.to_vec();
        self.model.unscale(&self.y, &mut corrected);
        Ok(Some(corrected))
    }

    /// F at y, and its entries of P and Q.
    fn evaluate(&mut self) {
        self.model.velocity(&self.y, &mut self.w);
        self.evaluate_at();
    }

    /// F at y and w, and its entries of P and Q.
    fn evaluate_at(&mut self) {
        let (y, w, entries) = (&self.y, &self.w, Some(&mut self.entries));
        Map::JeanMoreau.evaluate(&self.model, y, w, &mut self.f, entries);
    }

    /// F at y, and T decomposed.
    fn derivative(&mut self) -> Result<Derivative, SolveError> {
        self.evaluate();
        self.decomposed()
    }

    /// T of the entries, decomposed.
    fn decomposed(&self) -> Result<Derivative, SolveError> {
        let n = self.model.size();
        let mut matrix = vec![0.0; n * n];
        for entry in &self.entries {
            let row = &mut matrix[entry.row * n..(entry.row + 1) * n];
            linear::add_scaled(entry.q, self.model.row(entry.column), row);
            row[entry.column] += entry.p;
        }
        let decomposed = spectral::singular_vectors(MatRef::from_row_major_slice(&matrix, n, n))?;
        let (values, left, right) = decomposed;
        Ok(Derivative {
            values,
            left,
            right,
        })
    }
}

/// The nearest vector in the span of an orthonormal basis.
fn projected(basis: &[Vec<f64>], vector: &[f64]) -> Vec<f64> {
    let mut sum = vec![0.0; vector.len()];
    for member in basis {
        linear::add_scaled(linear::dot(member, vector), member, &mut sum);
    }
    sum
}

impl Derivative {
    fn is_zero(&self, k: usize) -> bool {
        self.values[k] <= NULL * self.values.first().copied().unwrap_or(0.0)
    }

    /// An orthonormal basis of the null vectors.
    fn null(&self) -> Vec<Vec<f64>> {
        let zero = (0..self.values.len()).filter(|k| self.is_zero(*k));
        zero.map(|k| self.right.col(k).iter().copied().collect())
            .collect()
    }

    /// y ← y − T⁺f.
    fn subtract_solution(&self, f: &[f64], y: &mut [f64]) {
        for k in (0..self.values.len()).filter(|k| !self.is_zero(*k)) {
            let part: f64 = self.left.col(k).iter().zip(f).map(|(u, f)| u * f).sum();
            let share = part / self.values[k];
            for (y, v) in y.iter_mut().zip(self.right.col(k).iter()) {
                *y -= share * v;
            }
        }
    }
}

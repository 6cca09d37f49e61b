//! The scaled space of a problem: its metric D, products, steps into the admissible set, and the
//! residual (I.1–I.6).
//!
//! Impulses stay in N·s, so that a start is kept bit for bit; D enters every step and every product
//! of two vectors. One product with A is one pass over the rows of all blocks and their bodies, m
//! row updates (I.8).

use delassus_core::{Problem, SolveError, norm, projection};

use crate::sets::{Set, Sets};

/// Metric, sets and workspace of one prepared problem.
#[derive(Debug, Clone, Default)]
pub struct Space {
    sets: Sets,
    /// d per row \[1/kg | 1/(kg·m²)\]; zero on inactive rows.
    metric: Vec<f64>,
    /// 1/d per row \[kg | kg·m²\]; zero on inactive rows.
    inverse: Vec<f64>,
    active_rows: usize,
    is_convex: bool,
    momentum: Vec<f64>,
    stepped: Vec<f64>,
    /// Memory for a vector and its product with A.
    pair: [Vec<f64>; 2],
}

impl Space {
    /// The space of a problem; allocates everything that products and steps need.
    ///
    /// # Errors
    /// Those of a product with A.
    pub fn new(problem: &Problem) -> Result<Self, SolveError> {
        let mut space = Self::default();
        space.repeat(problem)?;
        Ok(space)
    }

    /// As [`Self::new`], in the memory of the space of another problem.
    ///
    /// # Errors
    /// Those of a product with A.
    pub(crate) fn repeat(&mut self, problem: &Problem) -> Result<(), SolveError> {
        let rows = problem.rows();
        self.sets.renew(problem);
        self.active_rows = problem.active_rows();
        self.is_convex = self.sets.list.iter().all(Set::is_convex);
        for list in [&mut self.metric, &mut self.inverse, &mut self.stepped] {
            zeros(list, rows);
        }
        self.scale(problem);
        // makes the workspace, and b
        let [x, mut w] = self.lend_pair(rows);
        self.velocity(problem, &x, &mut w)?;
        self.take_pair([x, w]);
        Ok(())
    }

    /// Two vectors of zeros, to be given back.
    pub(crate) fn lend_pair(&mut self, rows: usize) -> [Vec<f64>; 2] {
        let mut pair = std::mem::take(&mut self.pair);
        pair.iter_mut().for_each(|list| zeros(list, rows));
        pair
    }

    /// Takes back what [`Self::lend_pair`] gave.
    pub(crate) fn take_pair(&mut self, pair: [Vec<f64>; 2]) {
        self.pair = pair;
    }

    /// d_i = A_ii + R_ii, and the largest of a group that is projected together (I.2).
    fn scale(&mut self, problem: &Problem) {
        let soft = |row: usize| problem.diagonal()[row] + problem.compliance()[row];
        for set in &self.sets.list {
            for row in set.rows() {
                self.metric[row] = soft(row);
            }
            for rows in self.sets.groups(set) {
                let largest = rows.clone().map(soft).fold(0.0, f64::max);
                self.metric[rows].fill(largest);
            }
        }
        for (inverse, d) in self.inverse.iter_mut().zip(&self.metric) {
            *inverse = if *d > 0.0 { 1.0 / d } else { 0.0 };
        }
    }

    /// Rows that are solved for \[-\].
    pub fn active_rows(&self) -> usize {
        self.active_rows
    }

    /// Row updates of so many products with A (I.8) \[-\].
    pub fn row_updates(&self, products: u64) -> u64 {
        products * self.active_rows as u64
    }

    /// True if f has a minimum that is the solution: no law bounds impulses by others or carries
    /// the De Saxcé term.
    pub fn is_convex(&self) -> bool {
        self.is_convex
    }

    /// d per row \[1/kg | 1/(kg·m²)\], zero on inactive rows.
    pub fn metric(&self) -> &[f64] {
        &self.metric
    }

    /// 1/d per row \[kg | kg·m²\], zero on inactive rows.
    pub fn inverse(&self) -> &[f64] {
        &self.inverse
    }

    /// The sets, one per block.
    pub fn sets(&self) -> &[Set] {
        &self.sets.list
    }

    /// Projects the active impulses of a block \[N·s\] in place (I.2).
    #[inline]
    pub(crate) fn project(&self, set: &Set, x: &mut [f64]) {
        self.sets.project(set, x);
    }

    /// The rows of a block that is no cone with their bounds \[N·s\].
    #[inline]
    pub(crate) fn bounds(&self, set: &Set) -> impl Iterator<Item = (usize, [f64; 2])> {
        self.sets.bounds(set)
    }

    /// w = (A + R)λ + b \[m/s | rad/s\].
    ///
    /// # Errors
    /// Slices of the wrong length; a limit that ended it.
    pub fn velocity(
        &mut self,
        problem: &Problem,
        x: &[f64],
        w: &mut [f64],
    ) -> Result<(), SolveError> {
        problem.shifted_velocity_in_time(&mut self.momentum, x, w)
    }

    /// (A + R)p \[m/s | rad/s\] of a direction.
    ///
    /// # Errors
    /// Slices of the wrong length; a limit that ended it.
    pub fn multiply(
        &mut self,
        problem: &Problem,
        p: &[f64],
        out: &mut [f64],
    ) -> Result<(), SolveError> {
        problem.velocity_change_in_time(&mut self.momentum, p, out)
    }

    /// out = Π(x − α D⁻¹ŵ), where ŵ is w with the De Saxcé term (I.3, I.4); inactive rows keep x.
    pub fn step(&self, x: &[f64], w: &[f64], alpha: f64, out: &mut [f64]) {
        for row in 0..x.len() {
            out[row] = x[row] - alpha * self.inverse[row] * w[row];
        }
        for set in &self.sets.list {
            if let Some(mu) = set.shift() {
                let slip = slip(&w[set.rows()]);
                out[set.first] -= alpha * self.inverse[set.first] * mu * slip;
            }
            self.project(set, &mut out[set.rows()]);
        }
    }

    /// ‖x − Π(x − D⁻¹ŵ)‖_D, zero at solutions and nowhere else (I.6), or the same in disc form
    /// where that is larger (M.39) \[√J\].
    pub fn residual(&mut self, x: &[f64], w: &[f64]) -> f64 {
        let mut change = std::mem::take(&mut self.stepped);
        self.step(x, w, 1.0, &mut change);
        for (change, x) in change.iter_mut().zip(x) {
            *change = x - *change;
        }
        let cone = self.length(&change);
        let mut coulomb = false;
        for set in &self.sets.list {
            if let Some(mu) = set.shift() {
                coulomb = true;
                self.disc_change(set, mu, x, w, &mut change);
            }
        }
        let disc = if coulomb { self.length(&change) } else { 0.0 };
        self.stepped = change;
        cone.max(disc)
    }

    /// The natural map of a contact whose normal row and tangents are projected by themselves
    /// (M.39).
    fn disc_change(&self, set: &Set, mu: f64, x: &[f64], w: &[f64], change: &mut [f64]) {
        for row in set.rows() {
            change[row] = x[row] - self.inverse[row] * w[row];
        }
        let (normal, tangents) = (set.first, set.first + 1..set.rows().end);
        change[normal] = change[normal].max(0.0);
        projection::disc(mu * x[normal].max(0.0), &mut change[tangents]);
        for row in set.rows() {
            change[row] = x[row] - change[row];
        }
    }

    /// ‖u‖_D \[√J\].
    fn length(&self, u: &[f64]) -> f64 {
        norm::root_of_form(u, |scale| {
            let pairs = u.iter().zip(&self.metric);
            pairs.map(|(u, d)| d * (scale * u) * (scale * u)).sum()
        })
    }

    /// uᵀDv \[J\].
    pub fn dot(&self, u: &[f64], v: &[f64]) -> f64 {
        let pairs = u.iter().zip(v).zip(&self.metric);
        pairs.map(|((u, v), d)| d * u * v).sum()
    }

    /// uᵀD⁻¹v of velocities \[J\].
    pub fn dual_dot(&self, u: &[f64], v: &[f64]) -> f64 {
        let pairs = u.iter().zip(v).zip(&self.inverse);
        pairs.map(|((u, v), i)| i * u * v).sum()
    }

    /// sᵀŵ of a direction, with the De Saxcé term \[J\].
    pub fn work(&self, s: &[f64], w: &[f64]) -> f64 {
        let mut work = dot(s, w);
        for set in &self.sets.list {
            if let Some(mu) = set.shift() {
                work += s[set.first] * mu * slip(&w[set.rows()]);
            }
        }
        work
    }

    /// sᵀŷ and ŷᵀD⁻¹ŷ \[J\] of a direction s that changes w by y, both with the change of the De
    /// Saxcé term.
    pub fn curvature(&self, s: &[f64], w: &[f64], y: &[f64]) -> (f64, f64) {
        let (mut along, mut square) = (dot(s, y), self.dual_dot(y, y));
        for set in &self.sets.list {
            let Some(mu) = set.shift() else { continue };
            let rows = set.rows();
            let mut after = [0.0; 2];
            let tangents = rows.start + 1..rows.end;
            for (sum, (w, y)) in after
                .iter_mut()
                .zip(w[tangents.clone()].iter().zip(&y[tangents.clone()]))
            {
                *sum = w + y;
            }
            let more = mu * (norm::norm(&after) - norm::norm(&w[tangents]));
            along += s[rows.start] * more;
            let normal = y[rows.start];
            square += self.inverse[rows.start] * (2.0 * normal * more + more * more);
        }
        (along, square)
    }
}

/// Makes a list zeros, in its memory.
pub(crate) fn zeros(list: &mut Vec<f64>, rows: usize) {
    list.clear();
    list.resize(rows, 0.0);
}

/// Makes a list these numbers, in its memory.
pub(crate) fn copy(list: &mut Vec<f64>, numbers: &[f64]) {
    list.clear();
    list.extend_from_slice(numbers);
}

/// uᵀv.
pub(crate) fn dot(u: &[f64], v: &[f64]) -> f64 {
    u.iter().zip(v).map(|(u, v)| u * v).sum()
}

/// ‖w_t‖ of the velocity of a contact, normal first \[m/s\].
#[inline]
fn slip(w: &[f64]) -> f64 {
    norm::norm(w.get(1..).unwrap_or_default())
}

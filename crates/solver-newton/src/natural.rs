//! Newton's method on the natural map, with the impulses eliminated: F = λ − Π(λ − ŵ/L), z = J̃ᵀλ
//! (Z.8).

use delassus_core::norm;

use crate::linear::small;
use crate::primal::{Primal, add_coupled};
use crate::sets::{BlockSet, SetKind, Slopes};

/// A step so many times larger than the problem is not taken \[-\].
const FAR: f64 = 1e6;

impl Primal {
    /// z and w of λ itself.
    pub(crate) fn recompute_velocities(&mut self) {
        self.z.fill([0.0; 6]);
        for (negative, impulse) in self.trial.iter_mut().zip(&self.impulses) {
            *negative = -impulse;
        }
        self.rows.subtract_transposed(&self.trial, &mut self.z);
        self.rows.multiply(&self.z, &mut self.w);
        for (w, b) in self.w.iter_mut().zip(&self.b) {
            *w += b;
        }
        self.residual.fill([0.0; 6]);
    }

    /// How far λ is from a solution of the problem: natural map, scaled (M.4) \[√J\].
    pub(crate) fn natural_map(&mut self) -> f64 {
        // the velocities of λ itself are those of z − residual
        self.rows.multiply(&self.residual, &mut self.y);
        for i in 0..self.y.len() {
            self.y[i] = self.w[i] - self.y[i] + self.compliance[i] * self.impulses[i];
        }
        add_coupled(&self.coupled, &self.sets, &self.impulses, &mut self.y);
        for i in 0..self.y.len() {
            self.y[i] = self.impulses[i] - self.y[i] / self.trace[i];
        }
        let convex = std::mem::replace(&mut self.sets.convex, false);
        self.sets
            .project(&self.y, &self.trace, &mut self.trial, None);
        self.sets.convex = convex;
        for (trial, impulse) in self.trial.iter_mut().zip(&self.impulses) {
            *trial = impulse - *trial;
        }
        norm::root_of_form(&self.trial, |scale| {
            let terms = self.trial.iter().zip(&self.trace);
            terms.map(|(x, l)| l * (scale * x) * (scale * x)).sum()
        })
    }

    /// One sweep of projected Gauss–Seidel with the steps 1/trace, block by block; z follows.
    pub(crate) fn relax(&mut self) {
        let Self {
            rows,
            sets,
            z,
            impulses,
            trial,
            y,
            trace,
            b,
            compliance,
            ..
        } = self;
        for link in &rows.links {
            for set in &sets.list[link.blocks.clone()] {
                // rows that stand alone one after the other, others together
                let alone = set.kind == SetKind::Intervals;
                let parts = if alone { set.dim } else { 1 };
                for part in 0..parts {
                    let first = set.first + part;
                    let range = first..if alone { first + 1 } else { first + set.dim };
                    for i in range.clone() {
                        let w = rows.velocity(link, i, z) + b[i] + compliance[i] * impulses[i];
                        y[i] = impulses[i] - w / trace[i];
                    }
                    sets.project_block(set, y, trace, trial, None);
                    for i in range {
                        let change = trial[i] - impulses[i];
                        if change != 0.0 {
                            rows.push(link, i, change, z);
                        }
                        impulses[i] = trial[i];
                    }
                }
            }
        }
    }

    /// F of the problem whose compliance is larger by α = σ · unit around the centre, times √L;
    /// with `slopes` Π' too. Both at λ plus `length` steps.
    fn natural(&mut self, sigma: f64, length: f64, slopes: bool) {
        let Self { y, w, moved, .. } = self;
        for i in 0..y.len() {
            let impulse = self.impulses[i] + length * self.change[i];
            self.trial[i] = impulse;
            let pull = sigma * self.unit[i] * (impulse - self.centre[i]);
            y[i] = w[i] + length * moved[i] + self.compliance[i] * impulse + pull;
        }
        self.add_shared();
        for i in 0..self.y.len() {
            self.y[i] = self.trial[i] - self.y[i] / self.trace[i];
        }
        let slopes = slopes.then_some(&mut self.slopes);
        self.sets
            .project(&self.y, &self.ones, &mut self.map, slopes);
        for (map, impulse) in self.map.iter_mut().zip(&self.trial) {
            *map = impulse - *map;
        }
    }

    /// ‖F‖ after `length` steps \[√J\]; σ = 0 is the problem itself.
    pub(crate) fn natural_at(&mut self, sigma: f64, length: f64) -> f64 {
        self.natural(sigma, length, false);
        norm::root_of_form(&self.map, |scale| {
            let terms = self.map.iter().zip(&self.trace);
            terms.map(|(f, l)| l * (scale * f) * (scale * f)).sum()
        })
    }

    /// Makes the step zero, so that [`Self::natural_at`] judges λ.
    pub(crate) fn clear_step(&mut self) {
        self.change.fill(0.0);
        self.moved.fill(0.0);
    }

    /// The Newton step in z and in λ; false if there is none that is worth a try.
    pub(crate) fn natural_direction(&mut self, sigma: f64) -> bool {
        self.natural(sigma, 0.0, true);
        self.slopes.symmetric = self.eliminate(sigma);
        let symmetric = self.slopes.symmetric;
        if !self.factorize(symmetric) {
            return false;
        }
        self.step.fill([0.0; 6]);
        self.rows.subtract_transposed(&self.map, &mut self.step);
        self.solve(symmetric);
        self.rows.multiply(&self.step, &mut self.moved);
        self.slopes
            .multiply(&self.sets, &self.moved, &mut self.change);
        for (change, map) in self.change.iter_mut().zip(&self.map) {
            *change = -*change - map;
        }
        let size = self.size();
        let length = norm::root_of_form(&self.change, |scale| {
            let terms = self.change.iter().zip(&self.trace);
            terms.map(|(x, l)| l * (scale * x) * (scale * x)).sum()
        });
        length.is_finite() && length <= FAR * size
    }

    /// T = 1 − Π' + Π'(α + R)/L of every block: G = T⁻¹Π'/L in place of Π', and T⁻¹F in place of F.
    /// True if every G is symmetric.
    fn eliminate(&mut self, sigma: f64) -> bool {
        let mut symmetric = true;
        for index in 0..self.sets.list.len() {
            let set = &self.sets.list[index];
            let rows = set.first..set.first + set.dim;
            if set.is_diagonal() {
                let slope = &mut self.slopes.values[set.slope..set.slope + set.dim];
                for (row, g) in rows.zip(slope) {
                    if *g > 0.0 {
                        *g = 1.0 / (sigma * self.unit[row] + self.compliance[row]);
                        self.map[row] *= self.trace[row] * *g;
                    }
                }
                continue;
            }
            if !self.is_shared(index) && self.quick(index, sigma) {
                continue;
            }
            symmetric &= self.invert(index, sigma);
        }
        symmetric
    }

    fn is_shared(&self, block: usize) -> bool {
        !self.coupled.is_empty() && self.coupled.of(block).is_some()
    }

    /// Blocks that are open or stick; false if the block slides.
    fn quick(&mut self, index: usize, sigma: f64) -> bool {
        let BlockSet {
            first, dim, slope, ..
        } = self.sets.list[index];
        let slope = &mut self.slopes.values[slope..slope + dim * dim];
        let mut identity = true;
        let mut zero = true;
        for (at, p) in slope.iter().enumerate() {
            let expected = if at % (dim + 1) == 0 { 1.0 } else { 0.0 };
            identity &= *p == expected;
            zero &= *p == 0.0;
        }
        if identity {
            for i in 0..dim {
                let row = first + i;
                let g = 1.0 / (sigma * self.unit[row] + self.compliance[row]);
                slope[i * (dim + 1)] = g;
                self.map[row] *= self.trace[row] * g;
            }
        }
        identity || zero
    }

    /// The general block; true if its G is symmetric.
    fn invert(&mut self, index: usize, sigma: f64) -> bool {
        let BlockSet {
            first, dim, slope, ..
        } = self.sets.list[index];
        let p = &mut self.slopes.values[slope..slope + dim * dim];
        // (α + R) / L, then T next to P / L and F
        let (stiff, rest) = self.work.split_at_mut(dim * dim);
        let width = 2 * dim + 1;
        let system = &mut rest[..dim * width];
        stiff.fill(0.0);
        for i in 0..dim {
            stiff[i * (dim + 1)] = sigma * self.unit[first + i] + self.compliance[first + i];
        }
        if let Some(lower) = self.coupled.of(index) {
            for ((i, j), r) in delassus_core::CoupledCompliance::lower_indices().zip(lower) {
                stiff[i * dim + j] = *r;
                stiff[j * dim + i] = *r;
            }
        }
        for i in 0..dim {
            let row = &mut system[i * width..(i + 1) * width];
            for k in 0..dim {
                let identity = if i == k { 1.0 } else { 0.0 };
                let product: f64 = (0..dim)
                    .map(|j| p[i * dim + j] * stiff[j * dim + k] / self.trace[first + j])
                    .sum();
                row[k] = identity - p[i * dim + k] + product;
                row[dim + k] = p[i * dim + k] / self.trace[first + k];
            }
            row[2 * dim] = self.map[first + i];
        }
        small::eliminate(system, dim, width);
        for i in 0..dim {
            let row = &system[i * width..(i + 1) * width];
            p[i * dim..(i + 1) * dim].copy_from_slice(&row[dim..2 * dim]);
            self.map[first + i] = row[2 * dim];
        }
        small::is_symmetric(p, dim)
    }

    /// Goes `length` steps.
    pub(crate) fn natural_accept(&mut self, length: f64) {
        for (impulse, change) in self.impulses.iter_mut().zip(&self.change) {
            *impulse += length * change;
        }
        self.recompute_velocities();
        self.clear_step();
    }

    /// A number that two steps share if their pieces are the same.
    pub(crate) fn fingerprint(&self) -> u64 {
        let bits = self.slopes.values.iter().map(|g| g.to_bits());
        bits.fold(0xcbf2_9ce4_8422_2325, |hash: u64, bits| {
            (hash ^ bits).wrapping_mul(0x0000_0100_0000_01b3)
        })
    }
}

impl Slopes {
    /// out = Gx.
    fn multiply(&self, sets: &crate::sets::Sets, x: &[f64], out: &mut [f64]) {
        for set in &sets.list {
            let rows = set.first..set.first + set.dim;
            let x = &x[rows.clone()];
            let out = &mut out[rows];
            if set.is_diagonal() {
                let slope = &self.values[set.slope..set.slope + set.dim];
                for ((out, g), x) in out.iter_mut().zip(slope).zip(x) {
                    *out = g * x;
                }
                continue;
            }
            let slope = &self.values[set.slope..set.slope + set.dim * set.dim];
            for (out, row) in out.iter_mut().zip(slope.chunks_exact(set.dim)) {
                *out = row.iter().zip(x).map(|(g, x)| g * x).sum();
            }
        }
    }
}

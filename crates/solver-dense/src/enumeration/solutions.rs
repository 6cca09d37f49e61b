//! The solutions that a search keeps, and whether others lie near them.

use delassus_core::projection::square;

use super::{EnumeratedSolution, SAME, Search, advance};
use crate::elimination::MAX;
use crate::linear;
use crate::modes::{Assignment, Unit};

impl Search {
    pub(super) fn keep(&mut self, y: &[f64; MAX], order: usize) {
        let rows = self.state.b.len();
        let mut impulses = [0.0; MAX];
        for i in 0..rows {
            impulses[i] = y[i] * self.d[i];
        }
        self.restore_bounds(y, &mut impulses);
        let near = |other: &EnumeratedSolution| {
            let scaled = |i: usize| (other.impulses[i] - impulses[i]) / self.d[i];
            let distance = (0..rows).fold(0.0, |max: f64, i| max.max(scaled(i).abs()));
            distance <= SAME * linear::max_magnitude(&y[..rows])
        };
        if self.solutions[..self.kept].iter().any(near) {
            return;
        }
        let Some(slot) = self.solutions.get_mut(self.kept) else {
            self.truncated = true;
            return;
        };
        slot.impulses.copy_from_slice(&impulses[..rows]);
        slot.length = linear::norm(&impulses[..rows]);
        slot.order = order;
        self.kept += 1;
    }

    /// Puts impulses that rounding left beyond their bounds onto them.
    pub(super) fn restore_bounds(&self, y: &[f64; MAX], impulses: &mut [f64; MAX]) {
        for unit in &self.units {
            match *unit {
                Unit::Row { row, lower, upper } => {
                    let (l, u) = (self.lower[row], self.upper[row]);
                    impulses[row] = match y[row] {
                        value if value <= lower => l,
                        value if value >= upper => u,
                        _ => impulses[row].max(l).min(u),
                    };
                }
                Unit::Pyramid {
                    normal, tangents, ..
                } if impulses[normal] <= 0.0 => impulses[normal..=normal + tangents].fill(0.0),
                Unit::Cone { normal, .. } if impulses[normal] <= 0.0 => {
                    impulses[normal..=normal + 1].fill(0.0);
                }
                Unit::Pyramid {
                    normal,
                    tangents,
                    mu,
                } => square(
                    mu * impulses[normal],
                    &mut impulses[normal + 1..=normal + tangents],
                ),
                Unit::Cone { normal, mu } => square(
                    mu * impulses[normal],
                    &mut impulses[normal + 1..=normal + 1],
                ),
            }
        }
    }

    /// True if every combination of modes that solution `k` satisfies has a regular system.
    pub(super) fn is_isolated(&mut self, k: usize) -> bool {
        let rows = self.state.b.len();
        let mut y = [0.0; MAX];
        for i in 0..rows {
            y[i] = self.solutions[k].impulses[i] / self.d[i];
        }
        let Some((w, limits)) = self.row_velocities(&y) else {
            return false;
        };
        // the modes of each unit that the solution satisfies; ten at most
        let mut satisfied = [[0; 10]; MAX];
        let mut counts = [0; MAX];
        for (u, unit) in self.units.iter().enumerate() {
            for mode in (0..unit.modes()).filter(|m| unit.holds(*m, &y, &w, limits)) {
                satisfied[u][counts[u]] = mode;
                counts[u] += 1;
            }
        }
        let counts = &counts[..self.units.len()];
        if counts.contains(&0) {
            return false;
        }
        let mut choice = [0; MAX];
        loop {
            let mut modes = [0; MAX];
            for u in 0..counts.len() {
                modes[u] = satisfied[u][choice[u]];
            }
            let assignment = Assignment::new(&self.units, &modes[..counts.len()]);
            let system = assignment.system(&self.matrix, &self.c[..rows], &self.d);
            self.systems += 1;
            if system.solve().1 < assignment.size() {
                return false;
            }
            if !advance(&mut choice, counts) {
                return true;
            }
        }
    }
}

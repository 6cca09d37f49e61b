//! A complementarity problem of at most four rows, by total enumeration.

/// Most normals that are solved together \[-\].
pub(super) const MAX_NORMALS: usize = 4;

/// ε of (G.27) \[-\]: leaves nine digits to a system of redundant points, and seven to a step.
const REGULARIZATION: f64 = 1e-7;

/// A velocity of an open point counts as zero above −1e-12 of the largest one \[-\].
const OPEN: f64 = 1e-12;

/// The problem of one visit.
#[derive(Debug, Clone, Default)]
pub(super) struct SmallLcp {
    size: usize,
    /// w with the impulses as they are \[m/s\].
    velocities: [f64; MAX_NORMALS],
    /// λ as they are \[N·s\].
    impulses: [f64; MAX_NORMALS],
    solution: [f64; MAX_NORMALS],
}

type Square = [[f64; MAX_NORMALS]; MAX_NORMALS];

impl SmallLcp {
    pub(super) fn clear(&mut self) {
        self.size = 0;
    }

    pub(super) fn push(&mut self, velocity: f64, impulse: f64) {
        self.velocities[self.size] = velocity;
        self.impulses[self.size] = impulse;
        self.size += 1;
    }

    /// The impulses found \[N·s\].
    pub(super) fn solution(&self) -> &[f64] {
        &self.solution[..self.size]
    }

    /// Solves for the rows `seen` of a row-major matrix of `n` rows: 0 ≤ x ⊥ (K + εD)(x − λ) + w
    /// ≥ 0.
    pub(super) fn solve(&mut self, matrix: &[f64], n: usize, seen: &[usize]) {
        let mut k: Square = [[0.0; MAX_NORMALS]; MAX_NORMALS];
        for (i, row) in seen.iter().enumerate() {
            for (j, column) in seen.iter().enumerate() {
                k[i][j] = matrix[row * n + column];
            }
            k[i][i] *= 1.0 + REGULARIZATION;
        }
        let mut q = self.velocities;
        for i in 0..self.size {
            for j in 0..self.size {
                q[i] -= k[i][j] * self.impulses[j];
            }
        }
        let scale = q[..self.size]
            .iter()
            .fold(0.0, |most: f64, x| most.max(x.abs()));
        let mut best = f64::INFINITY;
        let subsets = 1u32 << self.size;
        // all closed first: what a manifold at rest is
        for closed in (0..subsets).rev() {
            let Some(x) = solve_closed(&k, &q, self.size, closed) else {
                continue;
            };
            let wrong = violation(&k, &q, &x, self.size, closed);
            if wrong < best {
                best = wrong;
                self.solution = x;
            }
            if wrong <= OPEN * scale {
                break;
            }
        }
        for x in &mut self.solution[..self.size] {
            *x = x.max(0.0);
        }
    }
}

/// K x = −q on the closed rows, zero on the others; `None` where K is not definite on them.
fn solve_closed(k: &Square, q: &[f64], size: usize, closed: u32) -> Option<[f64; MAX_NORMALS]> {
    let is_closed = |i: &usize| closed >> i & 1 == 1;
    let mut factor: Square = [[0.0; MAX_NORMALS]; MAX_NORMALS];
    let mut x = [0.0; MAX_NORMALS];
    for i in (0..size).filter(is_closed) {
        for j in (0..=i).filter(is_closed) {
            let mut sum = k[i][j];
            for l in (0..j).filter(is_closed) {
                sum -= factor[i][l] * factor[j][l];
            }
            if i != j {
                factor[i][j] = sum / factor[j][j];
            } else if sum > 0.0 {
                factor[i][i] = sum.sqrt();
            } else {
                return None;
            }
        }
        let mut sum = -q[i];
        for j in (0..i).filter(is_closed) {
            sum -= factor[i][j] * x[j];
        }
        x[i] = sum / factor[i][i];
    }
    for i in (0..size).rev().filter(is_closed) {
        for l in (i + 1..size).filter(is_closed) {
            x[i] -= factor[l][i] * x[l];
        }
        x[i] /= factor[i][i];
    }
    Some(x)
}

/// How far a subset is from a solution: the most that a closed point pulls or an open one overlaps
/// \[m/s\].
fn violation(k: &Square, q: &[f64], x: &[f64], size: usize, closed: u32) -> f64 {
    let mut most = 0.0f64;
    for i in 0..size {
        let wrong = if closed >> i & 1 == 1 {
            -x[i] * k[i][i]
        } else {
            let pushed: f64 = (0..size).map(|j| k[i][j] * x[j]).sum();
            -(q[i] + pushed)
        };
        most = most.max(wrong);
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;

    fn solved(matrix: &[f64], velocities: &[f64], impulses: &[f64]) -> Vec<f64> {
        let mut problem = SmallLcp::default();
        for (w, x) in velocities.iter().zip(impulses) {
            problem.push(*w, *x);
        }
        let all: Vec<usize> = (0..velocities.len()).collect();
        problem.solve(matrix, velocities.len(), &all);
        problem.solution().to_vec()
    }

    #[test]
    fn every_subset_of_two_points_is_found() {
        let matrix = [2.0, 0.5, 0.5, 1.0];
        for (q, expected) in [
            ([1.0, 2.0], [0.0, 0.0]),
            ([-1.0, 2.0], [0.5, 0.0]),
            ([2.0, -1.0], [0.0, 1.0]),
            // 2x + y/2 = 1, x/2 + y = 1
            ([-1.0, -1.0], [2.0 / 7.0, 6.0 / 7.0]),
        ] {
            // from zero w is q; from elsewhere w = q + Kλ, with the same answer
            for start in [[0.0; 2], [0.3, 0.1]] {
                let w: Vec<f64> = (0..2)
                    .map(|i| q[i] + matrix[2 * i] * start[0] + matrix[2 * i + 1] * start[1])
                    .collect();
                let found = solved(&matrix, &w, &start);
                for (x, y) in found.iter().zip(expected) {
                    assert!((x - y).abs() < 2e-7, "{found:?} {expected:?}");
                }
            }
        }
    }

    #[test]
    fn redundant_points_share_evenly_and_stop_the_body() {
        // four corners of a cube's face (O.14)
        let ring = [4.0, 1.0, -2.0, 1.0];
        let matrix: Vec<f64> = (0..16).map(|k| ring[(k / 4 + 4 - k % 4) % 4]).collect();
        let mut impulses = vec![0.0; 4];
        let mut w = [-1.0; 4];
        for _ in 0..3 {
            impulses = solved(&matrix, &w, &impulses);
            for (i, w) in w.iter_mut().enumerate() {
                *w = -1.0 + (0..4).map(|j| matrix[4 * i + j] * impulses[j]).sum::<f64>();
            }
        }
        // the pattern (1, −1, 1, −1) moves nothing, and ε holds it to nine digits
        for x in &impulses {
            assert!((x - 0.25).abs() < 1e-8, "{impulses:?}");
        }
        assert!(w.iter().all(|w| w.abs() < 1e-14), "{w:?}");
    }
}

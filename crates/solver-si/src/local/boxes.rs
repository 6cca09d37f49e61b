//! One contact with box friction, exactly: F1 (fixed) and F2 (coupled to the normal), by
//! enumeration of states.

use delassus_core::projection::interval;

use super::{LocalSolver, OwnMatrix};

/// A contact whose tangents are bounded by c + μ λ_n each (P.5).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct BoxContact {
    limit: f64,
    mu: f64,
    own: OwnMatrix,
}

/// What one tangent does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tangent {
    Stick,
    Upper,
    Lower,
}

const TANGENTS: [Tangent; 3] = [Tangent::Stick, Tangent::Upper, Tangent::Lower];

impl BoxContact {
    pub(crate) fn new(own: &OwnMatrix, limit: f64, mu: f64) -> Self {
        Self {
            limit,
            mu,
            own: *own,
        }
    }

    /// The impulse that a state's equations determine.
    fn candidate(&self, q: [f64; 3], open: bool, tangents: [Tangent; 2]) -> Option<[f64; 3]> {
        let mut a = self.own.w;
        let mut b = q.map(|x| -x);
        if open {
            a[0] = [1.0, 0.0, 0.0];
            b[0] = 0.0;
        }
        for (row, tangent) in (1..self.own.dim).zip(tangents) {
            let sign = match tangent {
                Tangent::Stick => continue,
                Tangent::Upper => 1.0,
                Tangent::Lower => -1.0,
            };
            a[row] = [-sign * self.mu, 0.0, 0.0];
            a[row][row] = 1.0;
            b[row] = sign * self.limit;
        }
        if self.own.dim == 2 {
            a[2] = [0.0, 0.0, 1.0];
            b[2] = 0.0;
        }
        solve_3(a, b)
    }

    /// By how much a candidate misses its state's inequalities, velocities as impulses of their
    /// rows \[N·s\].
    fn miss(&self, q: [f64; 3], r: [f64; 3], open: bool, tangents: [Tangent; 2]) -> f64 {
        let velocity = |row: usize| {
            let w = &self.own.w[row];
            (w[0] * r[0] + w[1] * r[1] + w[2] * r[2] + q[row]) / w[row]
        };
        let mut miss = if open { -velocity(0) } else { -r[0] };
        for (row, tangent) in (1..self.own.dim).zip(tangents) {
            miss = miss.max(match tangent {
                Tangent::Stick => r[row].abs() - (self.limit + self.mu * r[0]),
                Tangent::Upper => velocity(row),
                Tangent::Lower => -velocity(row),
            });
        }
        miss
    }
}

impl LocalSolver for BoxContact {
    /// The first state whose impulse satisfies every condition, or the one that misses least
    /// (G.11).
    ///
    /// The order is open before closed, then stick before slip. A solution that sits between two
    /// states misses both by rounding, which is why the least miss counts. `None` if every state is
    /// singular.
    fn solve(&self, q: [f64; 3], _: [f64; 3]) -> Option<[f64; 3]> {
        let mut best: Option<(f64, [f64; 3])> = None;
        let second: &[Tangent] = if self.own.dim == 3 {
            &TANGENTS
        } else {
            &TANGENTS[..1]
        };
        for open in [true, false] {
            for first in TANGENTS {
                for second in second {
                    let Some(r) = self.candidate(q, open, [first, *second]) else {
                        continue;
                    };
                    let miss = self.miss(q, r, open, [first, *second]);
                    if miss <= 0.0 {
                        return Some(self.project(r));
                    }
                    if best.is_none_or(|(least, _)| miss < least) {
                        best = Some((miss, r));
                    }
                }
            }
        }
        best.map(|(_, r)| self.project(r))
    }

    fn project(&self, impulse: [f64; 3]) -> [f64; 3] {
        let normal = interval(impulse[0], 0.0, f64::INFINITY);
        let limit = self.limit + self.mu * normal;
        [
            normal,
            interval(impulse[1], -limit, limit),
            interval(impulse[2], -limit, limit),
        ]
    }
}

/// Solves a 3 × 3 system with partial pivoting; `None` if it is singular to rounding.
pub(super) fn solve_3(mut a: [[f64; 3]; 3], mut b: [f64; 3]) -> Option<[f64; 3]> {
    for column in 0..3 {
        let mut pivot = column;
        for row in column + 1..3 {
            if a[row][column].abs() > a[pivot][column].abs() {
                pivot = row;
            }
        }
        let size = a[pivot].iter().fold(0.0, |max: f64, x| max.max(x.abs()));
        if a[pivot][column].abs() <= 8.0 * f64::EPSILON * size {
            return None;
        }
        a.swap(pivot, column);
        b.swap(pivot, column);
        for row in column + 1..3 {
            let factor = a[row][column] / a[column][column];
            for k in column..3 {
                a[row][k] -= factor * a[column][k];
            }
            b[row] -= factor * b[column];
        }
    }
    let mut x = [0.0; 3];
    for row in (0..3).rev() {
        let mut sum = b[row];
        for k in row + 1..3 {
            sum -= a[row][k] * x[k];
        }
        x[row] = sum / a[row][row];
    }
    x.iter().all(|v| v.is_finite()).then_some(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_miss_is_the_impulse_that_would_mend_it() {
        // W r + q = (−6, 3, −8) over the diagonal (4, 2, 8)
        let own = OwnMatrix::new(&[4.0, 1.0, 0.0, 1.0, 2.0, 0.0, 0.0, 0.0, 8.0], 3);
        let contact = BoxContact::new(&own, 0.25, 0.5);
        let (r, q) = ([1.0, 0.5, -1.5], [-10.5, 1.0, 4.0]);
        let miss = |open, tangents| contact.miss(q, r, open, tangents);
        let [stick, upper, lower] = TANGENTS;
        assert_eq!(miss(true, [upper, lower]), 1.5);
        // upper: w ≤ 0 is missed by 1.5, lower: w ≥ 0 by 1
        assert_eq!(miss(false, [upper, upper]), 1.5);
        assert_eq!(miss(false, [lower, lower]), 1.0);
        // and nothing is missed
        assert_eq!(miss(false, [lower, upper]), -1.0);
        // 0.5 and 1.5 against a limit of 0.25 + 0.5 · 1
        assert_eq!(miss(false, [stick, upper]), -0.25);
        assert_eq!(miss(false, [lower, stick]), 0.75);
    }

    #[test]
    fn where_no_state_holds_the_least_miss_counts() {
        let mut state = 9u32;
        let mut next = move || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f64::from(state >> 8) / f64::from(1u32 << 23) - 1.0
        };
        let mut unsolved = 0;
        for _ in 0..2000 {
            // mostly indefinite: often without a solution
            let mut own = OwnMatrix::new(&std::array::from_fn::<f64, 9, _>(|_| 3.0 * next()), 3);
            for i in 0..3 {
                own.w[i][i] = 0.1 + own.w[i][i].abs();
            }
            let q = [-0.1 - next().abs(), next(), next()];
            let contact = BoxContact::new(&own, 0.0, 0.6);
            let mut states = Vec::new();
            for open in [true, false] {
                for tangents in TANGENTS.map(|a| TANGENTS.map(|b| [a, b])).concat() {
                    let r = contact.candidate(q, open, tangents).expect("regular");
                    states.push((contact.miss(q, r, open, tangents), contact.project(r)));
                }
            }
            let least = states
                .iter()
                .map(|(miss, _)| *miss)
                .fold(f64::INFINITY, f64::min);
            if least <= 0.0 {
                continue;
            }
            unsolved += 1;
            let found = contact.solve(q, [0.0; 3]).expect("no state is singular");
            let of_least = states.iter().any(|(miss, r)| *miss == least && *r == found);
            assert!(of_least, "{found:?} {states:?}");
        }
        assert!(unsolved > 50, "{unsolved}");
    }

    #[test]
    fn small_pivots_are_exchanged_and_the_unit_does_not_matter() {
        // without an exchange the first would be taken for singular, the second lose all digits
        for tiny in [0.0, 1e-20, 1e-12] {
            let a = [[tiny, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
            let x = solve_3(a, [1.0 + tiny, 2.0, 5.0]).expect("regular");
            assert!((x[0] - 1.0).abs() < 1e-15 && (x[1] - 1.0).abs() < 1e-15 && x[2] == 5.0);
        }
        // a pivot far below the other entries of its row is rounding, in every unit
        for exponent in -100..=100 {
            let unit = libm::exp2(f64::from(exponent));
            let solve = |p: f64| {
                let a = [[1.0, 0.0, 0.0], [0.0, p, 1.0], [0.0, p, 3.0]];
                let b = [1.0, p + 1.0, p + 3.0];
                solve_3(a.map(|row| row.map(|x| x * unit)), b.map(|x| x * unit))
            };
            assert_eq!(solve(1e-16), None);
            let [x, y, z] = solve(1e-10).expect("regular");
            assert!(x == 1.0 && (y - 1.0).abs() < 1e-5 && (z - 1.0).abs() < 1e-15);
        }
    }
}

//! The equations F(y, w) = 0 that hold exactly where the laws do, and an element of their
//! generalized Jacobians.
//!
//! A map is written group by group. Its Jacobian is a list of [`Entry`]: ∂F_i = Σ p ∂y_k + q ∂w_k,
//! so that the matrix of a Newton step is P + QS with sparse P and Q (Y.3).

use std::array::from_fn;
use std::ops::Range;

use delassus_core::norm;

use super::jordan::{self, ConeMap};
use super::model::{CONE_ROWS, Group, Model};

/// ∂F_row = p ∂y_column + q ∂w_column + …
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Entry {
    pub(crate) row: usize,
    pub(crate) column: usize,
    pub(crate) p: f64,
    pub(crate) q: f64,
}

/// Which equations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Map {
    /// y − Π(y − w) with discs of radius Σ μ(y_n − w_n)₊ (Y.2), (Y.4).
    AlartCurnier,
    /// The same with discs of radius Σ μ(y_n)₊ (Y.4).
    JeanMoreau,
    /// y + w − (y² + w²)^½ in numbers and in the Jordan algebra of the cone (Y.7), (Y.8).
    FischerBurmeister,
}

impl Map {
    /// F at y with the velocities w, and its Jacobian where `entries` are asked for.
    pub(crate) fn evaluate(
        self,
        model: &Model,
        y: &[f64],
        w: &[f64],
        out: &mut [f64],
        mut entries: Option<&mut Vec<Entry>>,
    ) {
        if let Some(entries) = &mut entries {
            entries.clear();
        }
        for group in &model.groups {
            match group {
                Group::Interval(i) => {
                    let (lower, upper) = (model.lower[*i], model.upper[*i]);
                    let (f, p, q) = match self {
                        Self::FischerBurmeister => jordan::interval(y[*i], w[*i], lower, upper),
                        _ => interval(y[*i], w[*i], lower, upper),
                    };
                    out[*i] = f;
                    push(&mut entries, *i, *i, p, q);
                }
                Group::Disc { rows, terms } => {
                    let at = Disc {
                        model,
                        rows,
                        terms,
                        follows_velocity: self == Self::AlartCurnier,
                    };
                    at.evaluate(y, w, out, &mut entries);
                }
                Group::Cone { rows, shifted } => {
                    // contacts with friction alone are most cones, and have the smaller matrices
                    let evaluate = match rows.len() {
                        ..=3 => Self::evaluate_cone::<3>,
                        _ => Self::evaluate_cone::<CONE_ROWS>,
                    };
                    evaluate(self, rows, *shifted, y, w, out, &mut entries);
                }
            }
        }
    }

    /// F of a cone of at most N rows.
    fn evaluate_cone<const N: usize>(
        self,
        rows: &Range<usize>,
        shifted: bool,
        y: &[f64],
        w: &[f64],
        out: &mut [f64],
        entries: &mut Option<&mut Vec<Entry>>,
    ) {
        let (first, size) = (rows.start, rows.len());
        let (mut x, mut s) = ([0.0; N], [0.0; N]);
        x[..size].copy_from_slice(&y[rows.clone()]);
        s[..size].copy_from_slice(&w[rows.clone()]);
        let slip = norm::norm(&s[1..]);
        let mut direction = [0.0; N];
        if shifted && slip > 0.0 {
            direction = s.map(|s| s / slip);
            direction[0] = 0.0;
            s[0] += slip;
        }
        let (f, p, q) = match self {
            Self::FischerBurmeister => jordan::cone(&x, &s),
            _ => natural_cone(&x, &s),
        };
        for i in 0..size {
            out[first + i] = f[i];
            for k in 0..size {
                let q = q[i][k] + q[i][0] * direction[k];
                push(entries, first + i, first + k, p[i][k], q);
            }
        }
    }
}

fn push(entries: &mut Option<&mut Vec<Entry>>, row: usize, column: usize, p: f64, q: f64) {
    if let Some(entries) = entries {
        entries.push(Entry { row, column, p, q });
    }
}

/// y − Π(y − w) of one row, p and q (Y.2).
fn interval(y: f64, w: f64, lower: f64, upper: f64) -> (f64, f64, f64) {
    let moved = y - w;
    if moved <= lower {
        (y - lower, 1.0, 0.0)
    } else if moved >= upper {
        (y - upper, 1.0, 0.0)
    } else {
        (w, 0.0, 1.0)
    }
}

struct Disc<'a> {
    model: &'a Model,
    rows: &'a Range<usize>,
    terms: &'a Range<usize>,
    /// True for Alart–Curnier: the radius is that of the normals of the next projection.
    follows_velocity: bool,
}

impl Disc<'_> {
    /// y_T − Π(y_T − w_T) onto the disc of the current radius (Y.4).
    fn evaluate(
        &self,
        y: &[f64],
        w: &[f64],
        out: &mut [f64],
        entries: &mut Option<&mut Vec<Entry>>,
    ) {
        let first = self.rows.start;
        let normal = |n: usize| {
            if self.follows_velocity {
                y[n] - w[n]
            } else {
                y[n]
            }
        };
        let terms = &self.model.terms[self.terms.clone()];
        let radius: f64 = terms.iter().map(|(n, mu)| mu * normal(*n).max(0.0)).sum();
        let mut moved = [0.0; 2];
        for (local, i) in self.rows.clone().enumerate() {
            moved[local] = y[i] - w[i];
        }
        let length = norm::norm(&moved);
        if length <= radius {
            for i in self.rows.clone() {
                out[i] = w[i];
                push(entries, i, i, 0.0, 1.0);
            }
            return;
        }
        let share = radius / length;
        for i in self.rows.clone() {
            out[i] = y[i] - share * moved[i - first];
        }
        if entries.is_none() {
            return;
        }
        for i in self.rows.clone() {
            let along = moved[i - first] / length;
            for k in self.rows.clone() {
                let identity = if i == k { 1.0 } else { 0.0 };
                let q = share * (identity - along * moved[k - first] / length);
                push(entries, i, k, identity - q, q);
            }
            for (n, mu) in terms.iter().filter(|(n, _)| normal(*n) > 0.0) {
                let q = if self.follows_velocity {
                    mu * along
                } else {
                    0.0
                };
                push(entries, i, *n, -mu * along, q);
            }
        }
    }
}

/// x − Π(x − s) onto the self-dual cone (Y.5).
fn natural_cone<const N: usize>(x: &[f64; N], s: &[f64; N]) -> ConeMap<N> {
    let moved: [f64; N] = from_fn(|i| x[i] - s[i]);
    let length = norm::norm(&moved[1..]);
    let identity = diagonal(1.0);
    if length <= moved[0] {
        return (*s, [[0.0; N]; N], identity);
    }
    if length <= -moved[0] {
        return (*x, identity, [[0.0; N]; N]);
    }
    // the direction of the tangents, with 1 for the normal
    let mut u = moved.map(|v| v / length);
    u[0] = 1.0;
    let height = 0.5 * (moved[0] + length);
    let f = from_fn(|i| x[i] - height * u[i]);
    let ratio = moved[0] / length;
    let mut q = diagonal(0.5 * (1.0 + ratio));
    q[0] = u.map(|u| 0.5 * u);
    for i in 1..N {
        q[i][0] = 0.5 * u[i];
        for k in 1..N {
            q[i][k] -= 0.5 * ratio * u[i] * u[k];
        }
    }
    let mut p = identity;
    for (p, q) in p.iter_mut().flatten().zip(q.iter().flatten()) {
        *p -= q;
    }
    (f, p, q)
}

fn diagonal<const N: usize>(value: f64) -> [[f64; N]; N] {
    let mut matrix = [[0.0; N]; N];
    for (i, row) in matrix.iter_mut().enumerate() {
        row[i] = value;
    }
    matrix
}

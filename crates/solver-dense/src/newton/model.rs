//! The unknowns of a problem in scaled units, and the sets that their laws confine them to (Y.1).
//!
//! Rows that are inactive or that one number bounds from both sides are no unknowns: what they add
//! to the velocities goes into c.

mod builder;
mod runs;

use std::ops::Range;

use delassus_core::{SolveError, interrupt, projection};

use crate::assembly::DenseDelassus;
use crate::bounds::RowBounds;
use crate::linear;
pub(crate) use runs::Runs;

/// Most rows of a cone: a normal, two of sliding, one of torsion, two of rolling \[-\].
pub(crate) const CONE_ROWS: usize = 6;

/// How Coulomb's law is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SetForm {
    /// A normal row and a disc whose radius follows it.
    Discs,
    /// One cone, with the shift of De Saxcé (Y.6).
    Cones,
}

/// What the unknowns are scaled by where rows share a disc.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Scaling {
    /// Form of Coulomb's law.
    pub(crate) form: SetForm,
    /// One scale for all rows of a contact; otherwise one for its normal and one for its tangents.
    pub(crate) per_contact: bool,
    /// Factor on the natural step 1/λ_max \[-\].
    pub(crate) rho: f64,
}

/// Unknowns that are projected together.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Group {
    /// One unknown between its bounds.
    Interval(usize),
    /// One or two unknowns in a disc whose radius is a sum over normals.
    Disc {
        rows: Range<usize>,
        /// Which of [`Model::terms`].
        terms: Range<usize>,
    },
    /// Two to six unknowns in the self-dual cone, the normal first.
    Cone {
        rows: Range<usize>,
        /// True for Coulomb's law: the velocity is shifted by ‖w_t‖.
        shifted: bool,
    },
}

impl Group {
    /// Number of its unknowns \[-\].
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Interval(_) => 1,
            Self::Disc { rows, .. } | Self::Cone { rows, .. } => rows.len(),
        }
    }
}

/// S, c and the sets (Y.1).
#[derive(Debug, Clone)]
pub(crate) struct Model {
    /// Row of the problem of each unknown.
    pub(crate) rows: Vec<usize>,
    /// Scale of each unknown: λ = d y.
    pub(crate) d: Vec<f64>,
    /// S, row-major.
    pub(crate) matrix: Vec<f64>,
    /// Its entries that are not zero.
    pub(crate) runs: Runs,
    /// c \[√J\].
    pub(crate) c: Vec<f64>,
    /// Bounds \[√J\]; infinite in discs and cones.
    pub(crate) lower: Vec<f64>,
    /// Bounds \[√J\].
    pub(crate) upper: Vec<f64>,
    pub(crate) groups: Vec<Group>,
    /// Normals and their coefficients in the radius of a disc.
    pub(crate) terms: Vec<(usize, f64)>,
    /// Rows with one admissible impulse \[N·s\].
    fixed: Vec<(usize, f64)>,
    /// Bounds as they were given \[N·s\], per unknown.
    given: Vec<RowBounds>,
}

impl Model {
    fn with_capacity(rows: usize) -> Self {
        Self {
            rows: Vec::with_capacity(rows),
            d: Vec::with_capacity(rows),
            matrix: Vec::new(),
            runs: Runs::new(),
            c: Vec::new(),
            lower: Vec::with_capacity(rows),
            upper: Vec::with_capacity(rows),
            groups: Vec::with_capacity(rows),
            terms: Vec::new(),
            fixed: Vec::new(),
            given: Vec::with_capacity(rows),
        }
    }

    fn fill(&mut self, matrix: &DenseDelassus, b: &[f64]) -> Result<(), SolveError> {
        let size = self.rows.len();
        self.matrix.reserve(size * size);
        interrupt::for_each(size, matrix.rows(), |i| {
            let (row, d) = (self.rows[i], self.d[i]);
            let entries = matrix.row(row);
            let scaled = self.rows.iter().zip(&self.d);
            self.matrix
                .extend(scaled.map(|(column, e)| d * entries[*column] * e));
            self.runs.push(&self.matrix[i * size..]);
            let held = self.fixed.iter().map(|(f, impulse)| entries[*f] * impulse);
            self.c.push(d * (b[row] + held.sum::<f64>()));
        })
    }

    /// Number of unknowns \[-\].
    pub(crate) fn size(&self) -> usize {
        self.rows.len()
    }

    /// Row `i` of S.
    pub(crate) fn row(&self, i: usize) -> &[f64] {
        &self.matrix[i * self.size()..(i + 1) * self.size()]
    }

    /// out = Sy.
    pub(crate) fn multiply(&self, y: &[f64], out: &mut [f64]) {
        for (i, target) in out.iter_mut().enumerate() {
            *target = self.dot(i, y);
        }
    }

    /// Row `i` of S times y.
    #[inline]
    pub(crate) fn dot(&self, i: usize, y: &[f64]) -> f64 {
        self.runs.dot(i, self.row(i), y)
    }

    /// out = Sᵀy.
    pub(crate) fn multiply_transposed(&self, y: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for (i, value) in y.iter().enumerate() {
            linear::add_scaled(*value, self.row(i), out);
        }
    }

    /// w = Sy + c.
    pub(crate) fn velocity(&self, y: &[f64], w: &mut [f64]) {
        self.multiply(y, w);
        for (w, c) in w.iter_mut().zip(&self.c) {
            *w += c;
        }
    }

    /// Radius of a disc at y \[√J\].
    pub(crate) fn radius(&self, terms: &Range<usize>, y: &[f64]) -> f64 {
        let terms = self.terms[terms.clone()].iter();
        terms.map(|(n, factor)| factor * y[*n].max(0.0)).sum()
    }

    /// y of impulses.
    pub(crate) fn scale(&self, impulses: &[f64], y: &mut [f64]) {
        for ((y, row), d) in y.iter_mut().zip(&self.rows).zip(&self.d) {
            *y = impulses[*row] / d;
        }
    }

    /// Impulses of y, moved onto the sets, where rounding left them outside; a bound is returned as
    /// it was given.
    pub(crate) fn unscale(&self, y: &[f64], impulses: &mut [f64]) {
        for (row, value) in &self.fixed {
            impulses[*row] = *value;
        }
        for group in &self.groups {
            match group {
                Group::Interval(i) => {
                    let given = self.given[*i];
                    impulses[self.rows[*i]] = if y[*i] <= self.lower[*i] {
                        given.lower
                    } else if y[*i] >= self.upper[*i] {
                        given.upper
                    } else {
                        projection::interval(y[*i] * self.d[*i], given.lower, given.upper)
                    };
                }
                Group::Disc { rows, terms } => {
                    let (mut x, size) = ([0.0; 2], rows.len());
                    x[..size].copy_from_slice(&y[rows.clone()]);
                    projection::disc(self.radius(terms, y), &mut x[..size]);
                    self.write(rows.clone(), &x, impulses);
                }
                Group::Cone { rows, .. } => {
                    let (mut x, size) = ([0.0; CONE_ROWS], rows.len());
                    x[..size].copy_from_slice(&y[rows.clone()]);
                    projection::cone(1.0, &mut x[..size]);
                    self.write(rows.clone(), &x, impulses);
                }
            }
        }
    }

    fn write(&self, rows: Range<usize>, x: &[f64], impulses: &mut [f64]) {
        for (i, x) in rows.zip(x) {
            impulses[self.rows[i]] = x * self.d[i];
        }
    }
}

//! The unknowns of a problem in scaled units, and the sets that their laws confine them to (Y.1).
//!
//! Rows that are held or that one number bounds from both sides are no unknowns: what they add to the velocities goes into c.

use std::ops::Range;

use delassus_core::{Friction, Law, Patch, Problem, Rolling, SolveError};

use crate::assembly::DenseDelassus;
use crate::bounds::{self, RowBounds};
use crate::{linear, spectral};

/// How Coulomb's law is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// A normal row and a disc whose radius follows it.
    Discs,
    /// One cone, with the shift of De Saxcé (Y.6).
    Cones,
}

/// What the unknowns are scaled by where rows share a disc.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Scaling {
    /// Form of Coulomb's law.
    pub(crate) form: Form,
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
    /// Two or three unknowns in the self-dual cone, the normal first.
    Cone {
        rows: Range<usize>,
        /// True for Coulomb's law: the velocity is shifted by ‖w_t‖.
        shifted: bool,
    },
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
    /// Takes the unknowns of `problem`; `matrix` is A + R, `impulses` those of held rows.
    pub(crate) fn new(
        problem: &Problem,
        matrix: &DenseDelassus,
        impulses: &[f64],
        scaling: Scaling,
    ) -> Result<Self, SolveError> {
        let mut builder = Builder {
            matrix,
            natural: matrix.scaling(),
            scaling,
            model: Self::with_capacity(problem.rows()),
        };
        for (index, block) in problem.blocks().iter().enumerate() {
            let active = problem.active_dim(index);
            for row in block.first_row + active..block.first_row + block.dim {
                builder.model.fixed.push((row, impulses[row]));
            }
            if active > 0 {
                builder.block(&block.law, block.first_row, active)?;
            }
        }
        let mut model = builder.model;
        model.fill(matrix, problem.b());
        Ok(model)
    }

    fn with_capacity(rows: usize) -> Self {
        Self {
            rows: Vec::with_capacity(rows),
            d: Vec::with_capacity(rows),
            matrix: Vec::new(),
            c: Vec::new(),
            lower: Vec::with_capacity(rows),
            upper: Vec::with_capacity(rows),
            groups: Vec::with_capacity(rows),
            terms: Vec::new(),
            fixed: Vec::new(),
            given: Vec::with_capacity(rows),
        }
    }

    fn fill(&mut self, matrix: &DenseDelassus, b: &[f64]) {
        self.matrix.reserve(self.rows.len() * self.rows.len());
        for (row, d) in self.rows.iter().zip(&self.d) {
            let entries = matrix.row(*row);
            let scaled = self.rows.iter().zip(&self.d);
            self.matrix
                .extend(scaled.map(|(column, e)| d * entries[*column] * e));
            let held = self.fixed.iter().map(|(f, impulse)| entries[*f] * impulse);
            self.c.push(d * (b[*row] + held.sum::<f64>()));
        }
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
            *target = linear::dot(self.row(i), y);
        }
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

    /// Impulses of y, moved onto the sets, where rounding left them outside; a bound is returned as it was given.
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
                        linear::project(y[*i] * self.d[*i], given.lower, given.upper)
                    };
                }
                Group::Disc { rows, terms } => {
                    let (mut x, size) = ([0.0; 2], rows.len());
                    x[..size].copy_from_slice(&y[rows.clone()]);
                    delassus_core::projection::disc(self.radius(terms, y), &mut x[..size]);
                    self.write(rows.clone(), &x, impulses);
                }
                Group::Cone { rows, .. } => {
                    let (mut x, size) = ([0.0; 3], rows.len());
                    x[..size].copy_from_slice(&y[rows.clone()]);
                    delassus_core::projection::cone(1.0, &mut x[..size]);
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

struct Builder<'a> {
    matrix: &'a DenseDelassus,
    /// (A_ii + R_ii)^(-1/2) per row of the problem (D.2).
    natural: Vec<f64>,
    scaling: Scaling,
    model: Model,
}

impl Builder<'_> {
    fn block(&mut self, law: &Law, first: usize, active: usize) -> Result<(), SolveError> {
        match law {
            Law::Contact(friction) if active > 1 => self.contact(friction, first, active),
            Law::Patch(patch) if active > patch.levers.len() => self.patch(patch, first),
            Law::Rolling(rolling) if active > 1 => self.rolling(rolling, first),
            // only normals are active
            Law::Contact(_) | Law::Patch(_) | Law::Rolling(_) => {
                self.normals(first..first + active);
                Ok(())
            }
            Law::Equality | Law::Bounds { .. } => {
                for row in first..first + active {
                    self.bounded(law, row, row - first);
                }
                Ok(())
            }
        }
    }

    fn contact(
        &mut self,
        friction: &Friction,
        first: usize,
        active: usize,
    ) -> Result<(), SolveError> {
        let rows = first..first + active;
        let mu = friction.mu();
        match *friction {
            Friction::Frictionless | Friction::FixedBox { .. } => {
                for row in rows {
                    self.bounded(&Law::Contact(*friction), row, row - first);
                }
            }
            Friction::Pyramid { .. } => {
                let normal = self.interval(first, RowBounds::PUSH, self.natural[first]);
                for row in first + 1..first + active {
                    self.disc(row..row + 1, self.natural[row], &[(normal, mu)]);
                }
            }
            Friction::ConvexCone { .. } => self.cone(rows, mu, false)?,
            Friction::Coulomb { .. } | Friction::Disc { .. }
                if self.scaling.form == Form::Cones =>
            {
                self.cone(rows, mu, true)?;
            }
            // facets are refused by every descriptor
            Friction::Coulomb { .. } | Friction::Disc { .. } | Friction::Facets { .. } => {
                let tangents = first + 1..first + active;
                let (normal, tangential) = if self.scaling.per_contact {
                    let d = self.joint_scale(rows)?;
                    (d, d)
                } else {
                    (self.natural[first], self.joint_scale(tangents.clone())?)
                };
                let normal = self.interval(first, RowBounds::PUSH, self.stepped(normal));
                self.disc(tangents, self.stepped(tangential), &[(normal, mu)]);
            }
        }
        Ok(())
    }

    fn patch(&mut self, patch: &Patch, first: usize) -> Result<(), SolveError> {
        let tangents = first + patch.levers.len();
        let normals = self.normals(first..tangents);
        let disc: Vec<_> = normals.clone().map(|n| (n, patch.mu)).collect();
        let twist = normals.zip(&patch.levers);
        let twist: Vec<_> = twist.map(|(n, lever)| (n, patch.mu * lever)).collect();
        let d = self.joint_scale(tangents..tangents + 2)?;
        self.disc(tangents..tangents + 2, d, &disc);
        let row = tangents + 2;
        self.disc(row..row + 1, self.natural[row], &twist);
        Ok(())
    }

    fn rolling(&mut self, rolling: &Rolling, first: usize) -> Result<(), SolveError> {
        let normal = self.interval(first, RowBounds::PUSH, self.natural[first]);
        for (rows, factor) in [
            (first + 1..first + 3, rolling.mu),
            (first + 3..first + 5, rolling.rolling),
        ] {
            let d = self.joint_scale(rows.clone())?;
            self.disc(rows, d, &[(normal, factor)]);
        }
        if let Some(spinning) = rolling.spinning {
            let row = first + 5;
            self.disc(row..row + 1, self.natural[row], &[(normal, spinning)]);
        }
        Ok(())
    }

    /// One scale for the contact, and the normal's divided by μ: the cone becomes self-dual (Y.5).
    fn cone(&mut self, rows: Range<usize>, mu: f64, shifted: bool) -> Result<(), SolveError> {
        if mu == 0.0 {
            self.interval(rows.start, RowBounds::PUSH, self.natural[rows.start]);
            let tangents = rows.start + 1..rows.end;
            self.model.fixed.extend(tangents.map(|row| (row, 0.0)));
            return Ok(());
        }
        let mut values = Vec::with_capacity(rows.len() * rows.len());
        let factor = |row: usize| if row == rows.start { 1.0 / mu } else { 1.0 };
        for i in rows.clone() {
            let entries = self.matrix.row(i);
            values.extend(rows.clone().map(|j| factor(i) * entries[j] * factor(j)));
        }
        let largest = spectral::largest_eigenvalue(rows.len(), &values)?;
        let d = self.stepped(inverse_root(largest, self.natural[rows.start]));
        let start = self.model.size();
        for row in rows.clone() {
            self.unknown(row, RowBounds::FREE, d * factor(row));
        }
        let rows = start..start + rows.len();
        self.model.groups.push(Group::Cone { rows, shifted });
        Ok(())
    }

    fn stepped(&self, d: f64) -> f64 {
        d * self.scaling.rho.sqrt()
    }

    /// λ_max^(-1/2) of a diagonal block.
    fn joint_scale(&self, rows: Range<usize>) -> Result<f64, SolveError> {
        let mut values = Vec::with_capacity(rows.len() * rows.len());
        for i in rows.clone() {
            values.extend_from_slice(&self.matrix.row(i)[rows.clone()]);
        }
        let largest = spectral::largest_eigenvalue(rows.len(), &values)?;
        Ok(inverse_root(largest, self.natural[rows.start]))
    }

    fn bounded(&mut self, law: &Law, row: usize, local: usize) {
        // laws whose bounds are fixed numbers only
        let bounds = bounds::of_row(law, local).unwrap_or(RowBounds::FREE);
        if bounds.lower == bounds.upper {
            self.model.fixed.push((row, bounds.lower));
        } else {
            self.interval(row, bounds, self.natural[row]);
        }
    }

    fn normals(&mut self, rows: Range<usize>) -> Range<usize> {
        let start = self.model.size();
        for row in rows {
            self.interval(row, RowBounds::PUSH, self.natural[row]);
        }
        start..self.model.size()
    }

    fn interval(&mut self, row: usize, bounds: RowBounds, d: f64) -> usize {
        let at = self.unknown(row, bounds, d);
        self.model.groups.push(Group::Interval(at));
        at
    }

    fn disc(&mut self, rows: Range<usize>, d: f64, normals: &[(usize, f64)]) {
        let start = self.model.size();
        for row in rows.clone() {
            self.unknown(row, RowBounds::FREE, d);
        }
        let from = self.model.terms.len();
        let terms = normals
            .iter()
            .map(|(n, mu)| (*n, mu * self.model.d[*n] / d));
        let terms: Vec<_> = terms.collect();
        self.model.terms.extend(terms);
        self.model.groups.push(Group::Disc {
            rows: start..start + rows.len(),
            terms: from..self.model.terms.len(),
        });
    }

    fn unknown(&mut self, row: usize, bounds: RowBounds, d: f64) -> usize {
        let model = &mut self.model;
        model.rows.push(row);
        model.d.push(d);
        model.lower.push(bounds.lower / d);
        model.upper.push(bounds.upper / d);
        model.given.push(bounds);
        model.rows.len() - 1
    }
}

fn inverse_root(value: f64, fallback: f64) -> f64 {
    if value > f64::MIN_POSITIVE {
        1.0 / value.sqrt()
    } else {
        fallback
    }
}

//! The unknowns and groups of each law.

use std::ops::Range;

use delassus_core::{Factor, Law, Problem, Radius, SetShape, SolveError};

use super::{Group, Model, Scaling, SetForm};
use crate::assembly::DenseDelassus;
use crate::bounds::{self, RowBounds};
use crate::spectral;

impl Model {
    /// Takes the unknowns of `problem`; `matrix` is A + R, `impulses` those of inactive rows.
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
        model.fill(matrix, problem.b())?;
        Ok(model)
    }
}

/// Adds block after block to a model.
pub(super) struct Builder<'a> {
    pub(super) matrix: &'a DenseDelassus,
    /// (A_ii + R_ii)^(-1/2) per row of the problem (D.2).
    pub(super) natural: Vec<f64>,
    pub(super) scaling: Scaling,
    pub(super) model: Model,
}

impl Builder<'_> {
    pub(super) fn block(
        &mut self,
        law: &Law,
        first: usize,
        active: usize,
    ) -> Result<(), SolveError> {
        let factors = law.factors(active);
        let factors = match self.scaling.form {
            SetForm::Cones => factors.in_cone_form(),
            SetForm::Discs => factors.in_disc_form(),
        };
        if let [normal, tangents] = *factors
            && tangents.with_normal
            && tangents.shape == SetShape::Ball
        {
            return self.coulomb(first, &normal, &tangents);
        }
        // normal rows are the first of the block, and each is one unknown
        let normals = self.model.size();
        for factor in factors {
            let rows = first + factor.first..first + factor.rows().end;
            match (factor.shape, factor.radius) {
                (SetShape::Interval { .. }, Radius::Fixed(_)) => {
                    let bounds = bounds::of_factor(&factor).unwrap_or(RowBounds::FREE);
                    rows.for_each(|row| self.bounded(row, bounds));
                }
                (SetShape::Interval { .. }, Radius::Linear { .. }) => {
                    for row in rows {
                        self.disc(row..row + 1, self.natural[row], &factor, normals);
                    }
                }
                (SetShape::Cone, Radius::Fixed(mu)) => self.cone(rows, mu, factor.de_saxce)?,
                // polygons are refused by every descriptor
                _ => {
                    let d = self.joint_scale(rows.clone())?;
                    self.disc(rows, d, &factor, normals);
                }
            }
        }
        Ok(())
    }

    /// A normal row and a disc of tangents, with the scales that are asked for.
    fn coulomb(
        &mut self,
        first: usize,
        normal: &Factor<'_>,
        tangents: &Factor<'_>,
    ) -> Result<(), SolveError> {
        let rows = first + tangents.first..first + tangents.rows().end;
        let row = first + normal.first;
        let (of_normal, of_tangents) = if self.scaling.per_contact {
            let d = self.joint_scale(row..rows.end)?;
            (d, d)
        } else {
            (self.natural[row], self.joint_scale(rows.clone())?)
        };
        let at = self.interval(row, RowBounds::PUSH, self.stepped(of_normal));
        self.disc(rows, self.stepped(of_tangents), tangents, at);
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

    /// A row with fixed bounds.
    fn bounded(&mut self, row: usize, bounds: RowBounds) {
        if bounds.lower == bounds.upper {
            self.model.fixed.push((row, bounds.lower));
        } else {
            self.interval(row, bounds, self.natural[row]);
        }
    }

    fn interval(&mut self, row: usize, bounds: RowBounds, d: f64) -> usize {
        let at = self.unknown(row, bounds, d);
        self.model.groups.push(Group::Interval(at));
        at
    }

    /// Rows of a factor whose radius follows normal rows, the first of which is unknown `normal`.
    fn disc(&mut self, rows: Range<usize>, d: f64, factor: &Factor<'_>, normal: usize) {
        let start = self.model.size();
        for row in rows.clone() {
            self.unknown(row, RowBounds::FREE, d);
        }
        let from = self.model.terms.len();
        let terms = (0..factor.depends_on().len()).map(|index| {
            let n = normal + index;
            (n, factor.slope(index) * self.model.d[n] / d)
        });
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

//! The unknowns and groups of each law.

use std::ops::Range;

use delassus_core::{Friction, Law, Patch, Rolling, SolveError};

use super::{Form, Group, Model, Scaling};
use crate::assembly::DenseDelassus;
use crate::bounds::{self, RowBounds};
use crate::spectral;

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

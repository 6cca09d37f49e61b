//! Products with the Delassus operator, and body velocities after given impulses.

use super::{Operator, Problem};
use crate::coupled::CoupledCompliance;
use crate::error::SolveError;
use crate::interrupt;
use crate::law::Block;

impl Problem {
    /// w = (A + R)λ + b per row \[m/s | rad/s\] (P.2).
    ///
    /// # Panics
    /// If a slice does not have [`Self::rows`] entries.
    pub fn shifted_velocity(&self, impulses: &[f64], out: &mut [f64]) {
        self.apply_delassus(impulses, out);
        self.shift(impulses, out);
    }

    /// Aλ per row, without R \[m/s | rad/s\].
    ///
    /// # Panics
    /// If a slice does not have [`Self::rows`] entries.
    pub fn apply_delassus(&self, impulses: &[f64], out: &mut [f64]) {
        // nothing ends it without a limit
        let _ = interrupt::without(|| self.apply_delassus_in(&mut Vec::new(), impulses, out));
    }

    /// Computes w like [`Self::shifted_velocity`], without allocating. `momentum` is a workspace
    /// that grows at the first call.
    ///
    /// # Errors
    /// [`SolveError::NotPrepared`] if `impulses` is empty and the problem is not;
    /// [`SolveError::Length`] if a slice has another wrong length.
    pub fn shifted_velocity_in(
        &self,
        momentum: &mut Vec<f64>,
        impulses: &[f64],
        out: &mut [f64],
    ) -> Result<(), SolveError> {
        interrupt::without(|| self.shifted_velocity_in_time(momentum, impulses, out))
    }

    /// Like [`Self::shifted_velocity_in`], and checks the caller's limit ([`crate::interrupt`])
    /// between rows of a large matrix.
    ///
    /// # Errors
    /// Those of [`Self::shifted_velocity_in`], and [`SolveError::Interrupted`]. The rows of `out`
    /// are then incomplete.
    pub fn shifted_velocity_in_time(
        &self,
        momentum: &mut Vec<f64>,
        impulses: &[f64],
        out: &mut [f64],
    ) -> Result<(), SolveError> {
        let expected = self.rows();
        if impulses.is_empty() && expected > 0 {
            return Err(SolveError::NotPrepared);
        }
        for (what, found) in [("impulses", impulses.len()), ("velocities", out.len())] {
            SolveError::check_length(what, found, expected)?;
        }
        self.apply_delassus_in(momentum, impulses, out)?;
        self.shift(impulses, out);
        Ok(())
    }

    /// Computes (A + R)p per row \[m/s | rad/s\], the change of w if the impulses change by p. It
    /// does not subtract two velocities, because this would lose digits. It does not allocate, and
    /// checks the caller's limit like [`Self::shifted_velocity_in_time`].
    ///
    /// # Errors
    /// A slice that does not have [`Self::rows`] entries, or [`SolveError::Interrupted`].
    pub fn velocity_change_in_time(
        &self,
        momentum: &mut Vec<f64>,
        p: &[f64],
        out: &mut [f64],
    ) -> Result<(), SolveError> {
        for (what, found) in [("impulses", p.len()), ("velocities", out.len())] {
            SolveError::check_length(what, found, self.rows())?;
        }
        self.apply_delassus_in(momentum, p, out)?;
        for ((w, r), p) in out.iter_mut().zip(&self.parts.compliance).zip(p) {
            *w += r * p;
        }
        self.add_coupled(p, out);
        Ok(())
    }

    fn apply_delassus_in(
        &self,
        momentum: &mut Vec<f64>,
        impulses: &[f64],
        out: &mut [f64],
    ) -> Result<(), SolveError> {
        assert_eq!(impulses.len(), self.rows(), "one impulse per row");
        assert_eq!(out.len(), self.rows(), "one velocity per row");
        match &self.parts.operator {
            Operator::Bodies(bodies) => {
                momentum.clear();
                momentum.resize(6 * bodies.len(), 0.0);
                bodies.add_transposed(&self.parts.blocks, impulses, momentum);
                bodies.apply_inverse_mass(momentum);
                bodies.multiply(&self.parts.blocks, momentum, out);
            }
            Operator::Matrix(matrix) => matrix.delassus.multiply_in_time(impulses, out)?,
        }
        Ok(())
    }

    /// out += Rλ + b.
    fn shift(&self, impulses: &[f64], out: &mut [f64]) {
        let b = self.b();
        for (row, w) in out.iter_mut().enumerate() {
            *w += self.parts.compliance[row] * impulses[row] + b[row];
        }
        self.add_coupled(impulses, out);
    }

    /// out += (R − diag R) λ: the effect of the off-diagonal compliance (P.13) \[m/s | rad/s\].
    ///
    /// # Panics
    /// If a slice does not have [`Self::rows`] entries.
    pub fn add_coupled(&self, impulses: &[f64], out: &mut [f64]) {
        for (block, lower) in self.parts.coupled_compliance.iter() {
            let rows = self.parts.blocks[block].rows();
            let (impulses, out) = (&impulses[rows.clone()], &mut out[rows]);
            for ((i, j), r) in CoupledCompliance::lower_indices().zip(lower) {
                out[i] += r * impulses[j];
                out[j] += r * impulses[i];
            }
        }
    }

    /// Adds R_cc of block `block` to a row-major `dim × dim` matrix \[1/kg | 1/(kg·m²)\].
    ///
    /// # Panics
    /// If `out` does not have dim² entries.
    pub fn add_compliance(&self, block: usize, out: &mut [f64]) {
        let Block { first_row, dim, .. } = self.parts.blocks[block];
        assert_eq!(out.len(), dim * dim, "a square block");
        for local in 0..dim {
            out[local * dim + local] += self.parts.compliance[first_row + local];
        }
        if let Some(lower) = self.parts.coupled_compliance.of(block) {
            for ((i, j), r) in CoupledCompliance::lower_indices().zip(lower) {
                out[i * dim + j] += r;
                out[j * dim + i] += r;
            }
        }
    }

    /// The diagonal block A_cc of block `block`, without R, row-major `dim × dim` \[1/kg |
    /// 1/(kg·m²)\].
    ///
    /// # Panics
    /// If `out` does not have dim² entries.
    pub fn diagonal_block(&self, block: usize, out: &mut [f64]) {
        let dim = self.parts.blocks[block].dim;
        assert_eq!(out.len(), dim * dim, "a square block");
        match &self.parts.operator {
            Operator::Bodies(bodies) => bodies.diagonal_block(block, dim, out),
            Operator::Matrix(matrix) => matrix.delassus.diagonal_block(block, out),
        }
    }

    /// Body velocities v⁺ = v_f + M⁻¹Jᵀλ, 6 per body \[m/s, rad/s\] (P.1).
    ///
    /// # Errors
    /// [`crate::SolveError::NoBodies`] on a matrix problem.
    ///
    /// # Panics
    /// If a slice has the wrong length.
    pub fn body_velocities(&self, impulses: &[f64], out: &mut [f64]) -> Result<(), SolveError> {
        let bodies = self.bodies().ok_or(SolveError::NoBodies)?;
        out.fill(0.0);
        bodies.add_transposed(&self.parts.blocks, impulses, out);
        bodies.apply_inverse_mass(out);
        for (v, free) in out.iter_mut().zip(&bodies.free_velocity) {
            *v += free;
        }
        Ok(())
    }
}

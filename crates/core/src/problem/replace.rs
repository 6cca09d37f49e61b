//! Replaces the parts of a frozen problem that may change: bias, compliance, free velocity,
//! activity.

use super::derived::uniform;
use super::{Activity, Operator, Problem, immobile, validate};
use crate::coupled::CoupledCompliance;
use crate::error::ProblemError;
use crate::finite::{are_small, first_not_finite};
use crate::law::{Friction, Law};

impl Problem {
    /// Returns the problem with friction in `facets` directions (F4, P.10) instead of discs (F3,
    /// F5), for pivoting solvers.
    ///
    /// # Errors
    /// If the problem has discs, and `facets` is odd, too small or too large.
    pub fn with_polygons(&self, facets: u32) -> Result<Self, ProblemError> {
        let mut parts = self.parts.clone();
        for block in &mut parts.blocks {
            if let Law::Contact(Friction::Coulomb { mu } | Friction::Disc { mu }) = block.law {
                block.law = Law::Contact(Friction::Facets { mu, facets });
            }
        }
        Self::new(parts)
    }

    /// Returns the problem with the convex cone (F6) instead of discs (F3, F5). `velocity` is w per
    /// row \[m/s\]. The normal rows of b become b_n + μ‖w_t‖. If w is the constraint velocity of a
    /// solution of the new problem, this solution also solves the old problem (P.6).
    ///
    /// # Errors
    /// If the new b is not finite.
    ///
    /// # Panics
    /// If there is not one velocity per row.
    pub fn with_cones(&self, velocity: &[f64]) -> Result<Self, ProblemError> {
        assert_eq!(velocity.len(), self.rows(), "one velocity per row");
        let mut parts = self.parts.clone();
        for block in &mut parts.blocks {
            if let Law::Contact(Friction::Coulomb { mu } | Friction::Disc { mu }) = block.law {
                let tangents = &velocity[block.first_row + 1..block.first_row + block.dim];
                let slip: f64 = tangents.iter().map(|w| w * w).sum();
                parts.bias[block.first_row] += mu * slip.sqrt();
                block.law = Law::Contact(Friction::ConvexCone { mu });
            }
        }
        Self::new(parts)
    }

    /// Replaces b_pos \[m/s | rad/s\].
    ///
    /// # Errors
    /// A length that is not [`Self::rows`], or a number that is not finite.
    pub fn set_bias(&mut self, bias: &[f64]) -> Result<(), ProblemError> {
        if self.round.is_some() {
            return self.change_with_round(|own| own.set_bias(bias));
        }
        if self.takes_bias(bias) {
            self.parts.bias.copy_from_slice(bias);
            immobile::hold(&mut self.parts, &self.derived.immobile);
            self.derived.renew_b(&self.parts);
            return Ok(());
        }
        self.swap_bias(&mut bias.to_vec())
    }

    /// True if a bias fits and gives a finite b without a look at every row of J v_f.
    fn takes_bias(&self, bias: &[f64]) -> bool {
        bias.len() == self.rows() && self.derived.small_free && are_small(bias)
    }

    /// Replaces b_pos like [`Self::set_bias`], but swaps the vectors instead of copying. On
    /// success, `bias` contains the old values.
    ///
    /// # Errors
    /// Those of [`Self::set_bias`]; the vectors are then not swapped.
    pub fn swap_bias(&mut self, bias: &mut Vec<f64>) -> Result<(), ProblemError> {
        if self.round.is_some() {
            let before = self.parts.bias.clone();
            self.set_bias(bias)?;
            *bias = before;
            return Ok(());
        }
        let sure = self.takes_bias(bias);
        if !sure {
            validate::finite("bias", bias, self.rows())?;
        }
        std::mem::swap(&mut self.parts.bias, bias);
        immobile::hold(&mut self.parts, &self.derived.immobile);
        self.derived.renew_b(&self.parts);
        if sure {
            return Ok(());
        }
        self.check_b().inspect_err(|_| {
            std::mem::swap(&mut self.parts.bias, bias);
            self.derived.renew_b(&self.parts);
        })
    }

    /// Replaces the diagonal of the compliance \[1/kg | 1/(kg·m²)\] and keeps its off-diagonal
    /// entries.
    ///
    /// # Errors
    /// - A wrong length, or a number that is not finite or is negative;
    /// - a row whose velocity no impulse can change any more;
    /// - a block whose compliance then has a negative eigenvalue.
    pub fn set_compliance(&mut self, compliance: &[f64]) -> Result<(), ProblemError> {
        if self.round.is_some() {
            return self.change_with_round(|own| own.set_compliance(compliance));
        }
        if self.derived.movable && self.parts.coupled_compliance.is_empty() {
            self.derived.rigid = validate::compliance(compliance, self.rows())?;
            self.parts.compliance.copy_from_slice(compliance);
            return Ok(());
        }
        self.swap_compliance(&mut compliance.to_vec())
    }

    /// Replaces the diagonal of the compliance like [`Self::set_compliance`], but swaps the vectors
    /// instead of copying. On success, `compliance` contains the old values.
    ///
    /// # Errors
    /// Those of [`Self::set_compliance`]; the vectors are then not swapped.
    pub fn swap_compliance(&mut self, compliance: &mut Vec<f64>) -> Result<(), ProblemError> {
        if self.round.is_some() {
            let before = self.parts.compliance.clone();
            self.set_compliance(compliance)?;
            *compliance = before;
            return Ok(());
        }
        let rigid = validate::compliance(compliance, self.rows())?;
        let coupled = &self.parts.coupled_compliance;
        validate::coupled(&self.parts.blocks, compliance, coupled)?;
        std::mem::swap(&mut self.parts.compliance, compliance);
        immobile::hold(&mut self.parts, &self.derived.immobile);
        if !self.derived.movable {
            validate::diagonal(&self.parts, &self.derived.diagonal).inspect_err(|_| {
                std::mem::swap(&mut self.parts.compliance, compliance);
            })?;
        }
        self.derived.rigid = rigid && self.derived.immobile.is_empty();
        Ok(())
    }

    /// Replaces the whole compliance: its diagonal and its off-diagonal entries.
    ///
    /// # Errors
    /// Those of [`Self::set_compliance`], or [`ProblemError::CoupledCompliance`]; nothing is then
    /// replaced.
    pub fn set_block_compliance(
        &mut self,
        diagonal: &[f64],
        coupled: &CoupledCompliance,
    ) -> Result<(), ProblemError> {
        if self.round.is_some() {
            return self.change_with_round(|own| own.set_block_compliance(diagonal, coupled));
        }
        validate::compliance(diagonal, self.rows())?;
        validate::coupled(&self.parts.blocks, diagonal, coupled)?;
        let mut kept = std::mem::take(&mut self.parts.coupled_compliance);
        let replaced = self.set_compliance(diagonal);
        if replaced.is_ok() {
            kept.clone_from(coupled);
        }
        self.parts.coupled_compliance = kept;
        replaced
    }

    /// Replaces the free velocity: 6 per body (linear, angular) \[m/s, rad/s\], or J v_f per row of
    /// a matrix problem.
    ///
    /// # Errors
    /// A wrong length, or a number that is not finite; nothing is replaced then.
    pub fn set_free_velocity(&mut self, velocity: &[f64]) -> Result<(), ProblemError> {
        if self.round.is_some() {
            return self.change_with_round(|own| own.set_free_velocity(velocity));
        }
        let expected = self.parts.operator.free_velocity().len();
        validate::finite("free velocity", velocity, expected)?;
        let small = self.derived.is_small(velocity);
        let earlier = (!small).then(|| self.parts.operator.free_velocity().to_vec());
        self.put_free(velocity, small);
        self.check_b().inspect_err(|_| {
            if let Some(earlier) = earlier {
                let small = self.derived.is_small(&earlier);
                self.put_free(&earlier, small);
            }
        })
    }

    fn put_free(&mut self, velocity: &[f64], small: bool) {
        match &mut self.parts.operator {
            Operator::Bodies(bodies) => bodies.free_velocity.copy_from_slice(velocity),
            Operator::Matrix(matrix) => matrix.free_velocity.copy_from_slice(velocity),
        }
        immobile::hold(&mut self.parts, &self.derived.immobile);
        self.derived.forget_free(small);
    }

    /// Replaces the activity, one entry per block.
    ///
    /// # Errors
    /// A wrong length.
    pub fn set_activity(&mut self, activity: &[Activity]) -> Result<(), ProblemError> {
        if self.round.is_some() {
            return self.change_with_round(|own| own.set_activity(activity));
        }
        validate::length("activity", activity.len(), self.parts.blocks.len())?;
        self.parts.activity.copy_from_slice(activity);
        self.derived.uniform = uniform(activity);
        Ok(())
    }

    /// Sets the activity of every block to `activity`.
    pub fn set_all_activity(&mut self, activity: Activity) {
        if self.parts.blocks.is_empty() || self.derived.uniform == Some(activity) {
            return;
        }
        self.parts.activity.fill(activity);
        self.derived.uniform = Some(activity);
        if let Some(round) = &mut self.round {
            round.set_all_activity(activity);
        }
    }

    /// Refuses a b that is not finite. It is not computed for small numbers, whose b is finite.
    pub(super) fn check_b(&self) -> Result<(), ProblemError> {
        if self.derived.small_free && are_small(&self.parts.bias) {
            return Ok(());
        }
        match first_not_finite(self.b()) {
            Some(index) => Err(ProblemError::NonFinite {
                what: "b = J v_f + bias",
                index,
            }),
            None => Ok(()),
        }
    }
}

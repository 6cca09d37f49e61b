//! Data derived from the parts of a problem: computed once, and again when a part is replaced.

use std::sync::OnceLock;

use super::immobile::{self, ImmobileRow};
use super::lazy_vec::LazyVec;
use super::{Activity, Operator, ProblemParts, validate};
use crate::error::ProblemError;
use crate::extremes::positive_range;
use crate::finite::are_small;
use crate::law::{Block, LawKind};

/// Facts that the parts of a validated problem imply.
#[derive(Debug, Clone, Default)]
pub(super) struct DerivedFacts {
    /// J v_f per row \[m/s | rad/s\]; forgotten with a new free velocity.
    free: LazyVec,
    /// b = J v_f + b_pos per row \[m/s | rad/s\]; forgotten with a new free velocity or bias.
    b: LazyVec,
    /// Diagonal of A per row, without R \[1/kg | 1/(kg·m²)\].
    pub(super) diagonal: Vec<f64>,
    /// Least and largest number of the diagonal that is not zero; empty until asked for.
    range: OnceLock<(f64, f64)>,
    /// Index of the block that holds each row, from 0.
    pub(super) block_of_row: Vec<u32>,
    /// Which of [`LawKind::ALL`] the blocks have, in that order.
    pub(super) laws: [bool; LawKind::ALL.len()],
    /// Normal rows of all blocks \[-\].
    pub(super) normals: usize,
    /// The activity of every block, if they agree.
    pub(super) uniform: Option<Activity>,
    /// Friction rows that no impulse moves; mostly none.
    pub(super) immobile: Vec<ImmobileRow>,
    /// True if every row moves without compliance.
    pub(super) movable: bool,
    /// True if no row has compliance.
    pub(super) rigid: bool,
    /// True if the Jacobian is so small that J v_f is finite for a free velocity that is small,
    /// too.
    small_jacobian: bool,
    /// True if the free velocity and the Jacobian are that small.
    pub(super) small_free: bool,
}

impl DerivedFacts {
    /// Takes over the facts of parts that [`validate::parts`] has passed.
    ///
    /// # Errors
    /// More blocks than `u32` counts, and those of [`Self::renew_numbers`].
    pub(super) fn renew(&mut self, parts: &mut ProblemParts) -> Result<(), ProblemError> {
        let rows = parts.bias.len();
        self.block_of_row.clear();
        self.block_of_row.reserve(rows);
        for (index, block) in parts.blocks.iter().enumerate() {
            let index = u32::try_from(index).map_err(|_| ProblemError::TooLarge { rows })?;
            let all = std::iter::repeat_n(index, block.dim);
            self.block_of_row.extend(all);
        }
        self.renew_numbers(parts)
    }

    /// As [`Self::renew`], for parts whose blocks have the rows that they had.
    ///
    /// # Errors
    /// A Jacobian or a diagonal that is not finite, a row that nothing moves.
    pub(super) fn renew_numbers(&mut self, parts: &mut ProblemParts) -> Result<(), ProblemError> {
        match &parts.operator {
            Operator::Bodies(bodies) => {
                self.small_jacobian = bodies.diagonal(&parts.blocks, &mut self.diagonal);
                if !self.small_jacobian {
                    validate::jacobian(&bodies.jacobian)?;
                }
            }
            Operator::Matrix(matrix) => {
                matrix.delassus.diagonal_in(&mut self.diagonal);
                self.small_jacobian = true;
            }
        }
        immobile::empty(parts, &mut self.diagonal, &mut self.immobile);
        immobile::hold(parts, &self.immobile);
        validate::diagonal(parts, &self.diagonal)?;
        self.free.forget();
        self.b.forget();
        self.range.take();
        self.laws = laws(&parts.blocks);
        self.normals = parts.blocks.iter().map(|b| b.law.normals(b.dim)).sum();
        self.uniform = uniform(&parts.activity);
        self.movable = self.diagonal.iter().all(|a| *a > 0.0);
        self.rigid = parts.compliance.iter().all(|r| *r == 0.0);
        self.small_free = self.is_small(parts.operator.free_velocity());
        Ok(())
    }

    /// As [`Problem::inverse_masses`](super::Problem::inverse_masses).
    pub(super) fn inverse_masses(&self, parts: &ProblemParts) -> (f64, f64) {
        let range = || positive_range(&self.diagonal, &parts.compliance);
        if self.rigid {
            *self.range.get_or_init(range)
        } else {
            range()
        }
    }

    /// b per row \[m/s | rad/s\].
    pub(super) fn b(&self, parts: &ProblemParts) -> &[f64] {
        self.b.get_or(|b| {
            let sums = self.free(parts).iter().zip(&parts.bias);
            b.extend(sums.map(|(free, bias)| free + bias));
        })
    }

    /// J v_f per row \[m/s | rad/s\].
    fn free(&self, parts: &ProblemParts) -> &[f64] {
        self.free.get_or(|free| match &parts.operator {
            Operator::Bodies(bodies) => {
                free.resize(parts.bias.len(), 0.0);
                bodies.multiply(&parts.blocks, &bodies.free_velocity, free);
            }
            Operator::Matrix(matrix) => free.extend_from_slice(&matrix.free_velocity),
        })
    }

    /// Takes over another bias: a b that has been computed is updated in place.
    pub(super) fn renew_b(&mut self, parts: &ProblemParts) {
        let (Some(b), Some(free)) = (self.b.get_mut(), self.free.get()) else {
            self.b.forget();
            return;
        };
        for ((b, free), bias) in b.iter_mut().zip(free).zip(&parts.bias) {
            *b = free + bias;
        }
    }

    /// Forgets what another free velocity changes; `small` is what [`Self::is_small`] says of it.
    pub(super) fn forget_free(&mut self, small: bool) {
        self.small_free = small;
        self.free.forget();
        self.b.forget();
    }

    /// True if a free velocity gives a finite J v_f without a look at every row.
    pub(super) fn is_small(&self, velocity: &[f64]) -> bool {
        self.small_jacobian && are_small(velocity)
    }
}

/// What all blocks do, if they agree.
pub(super) fn uniform(activity: &[Activity]) -> Option<Activity> {
    let first = activity.first().copied().unwrap_or_default();
    activity.iter().all(|a| *a == first).then_some(first)
}

/// Which of [`LawKind::ALL`] the blocks have.
fn laws(blocks: &[Block]) -> [bool; LawKind::ALL.len()] {
    let mut has = [false; LawKind::ALL.len()];
    for block in blocks {
        // the kinds are declared in that order
        has[block.law.kind() as usize] = true;
    }
    has
}

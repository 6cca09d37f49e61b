//! Bias and softness of normal rows while the solver integrates a frame.

use super::layout::{Head, ManifoldPoint};
use crate::frame::HalfStepVisit;
use crate::lanes::Lanes;

/// Bias and softness of the normal rows of a visit (T.34).
#[derive(Clone, Copy)]
pub(super) struct NormalBias<V> {
    biased: bool,
    inverse_h: V,
    slop: V,
    rate: V,
    /// Negative.
    limit: V,
    /// Share of an impulse that relaxes while the contact is open, and while it is closed \[-\].
    shares: [V; 2],
}

impl<V> NormalBias<V> {
    #[inline(always)]
    pub(super) fn new<const N: usize>(
        token: V::Token,
        visit: &HalfStepVisit,
        head: &Head<N>,
    ) -> Self
    where
        V: Lanes<N>,
    {
        let zero = V::splat(token, 0.0);
        let mass_a = V::load(token, &head.mass[0]);
        let mass_b = V::load(token, &head.mass[1]);
        let free = V::and(zero.less(mass_a), zero.less(mass_b));
        let stabilization = &visit.stabilization;
        let [moving, fixed] = stabilization.springs;
        let rates = (V::splat(token, moving.rate), V::splat(token, fixed.rate));
        let limits = (
            V::splat(token, -moving.limit),
            V::splat(token, -fixed.limit),
        );
        let shares = (V::splat(token, moving.share), V::splat(token, fixed.share));
        let share = V::select(free, shares.0, shares.1);
        Self {
            biased: visit.biased,
            inverse_h: V::splat(token, stabilization.inverse_h),
            slop: V::splat(token, stabilization.slop),
            rate: V::select(free, rates.0, rates.1),
            limit: V::select(free, limits.0, limits.1),
            shares: [
                if stabilization.soft_when_open {
                    share
                } else {
                    zero
                },
                share,
            ],
        }
    }

    /// λ_n after one step (T.34), (W.5).
    #[inline(always)]
    pub(super) fn normal<const N: usize>(
        &self,
        token: V::Token,
        point: &ManifoldPoint<N>,
        velocity: V,
        old: V,
    ) -> V
    where
        V: Lanes<N>,
    {
        let zero = V::splat(token, 0.0);
        let separation = V::load(token, &point.bias);
        let mass = V::load(token, &point.mass[0]);
        let open = zero.less(separation);
        let gap = separation * self.inverse_h;
        if !self.biased {
            let known = old - mass * V::select(open, gap, zero);
            return (known - mass * velocity).at_least(zero);
        }
        let raised = separation + self.slop;
        let overlap = V::select(raised.less(zero), raised, zero);
        let push = (self.rate * overlap).at_least(self.limit);
        let bias = V::select(open, gap, push);
        let share = V::select(open, self.shares[0], self.shares[1]);
        let mass = mass - mass * share;
        let known = (old - share * old) - mass * bias;
        (known - mass * velocity).at_least(zero)
    }
}

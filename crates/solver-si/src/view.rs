//! What an update rule sees of one block: its impulses and its shifted velocities.

/// The rows of one block while it is updated.
///
/// Bodies and matrices implement it, so that each law is written once. Local rows count from zero.
pub trait BlockView {
    /// λ of a local row \[N·s\].
    fn impulse(&self, local: usize) -> f64;

    /// w of a local row with all impulses as they are now \[m/s\] (P.2).
    fn velocity(&self, local: usize) -> f64;

    /// 1 / (A_ii + R_ii) of a local row \[kg\].
    fn effective_mass(&self, local: usize) -> f64;

    /// Replaces λ of a local row; the velocities follow.
    fn set_impulse(&mut self, local: usize, impulse: f64);

    /// False if the view only shows blocks with one of the simple laws: joints, bounds, and one
    /// contact point. Sweeps then have no code for other laws in such blocks.
    #[inline(always)]
    fn has_any_law(&self) -> bool {
        true
    }

    /// w of a local row without what the block's own impulses contribute, w − W λ_c \[m/s\].
    ///
    /// `w_row` is the row of W = A_cc + R_cc.
    #[inline(always)]
    fn velocity_without_own(&self, local: usize, w_row: &[f64]) -> f64 {
        let mut velocity = self.velocity(local);
        for (column, w) in w_row.iter().enumerate() {
            velocity -= w * self.impulse(column);
        }
        velocity
    }
}

/// A closure over any [`BlockView`].
pub(crate) trait Visit {
    fn visit<V: BlockView>(self, view: &mut V);
}

/// A block whose velocities are those of the start of the sweep: Jacobi instead of Gauss–Seidel.
pub(crate) struct FrozenView<'a> {
    /// w at the start of the sweep, the block's rows.
    pub(crate) velocities: &'a [f64],
    /// 1 / (A_ii + R_ii), the block's rows.
    pub(crate) effective_masses: &'a [f64],
    /// λ, the block's rows.
    pub(crate) impulses: &'a mut [f64],
}

impl BlockView for FrozenView<'_> {
    #[inline(always)]
    fn impulse(&self, local: usize) -> f64 {
        self.impulses[local]
    }

    #[inline(always)]
    fn velocity(&self, local: usize) -> f64 {
        self.velocities[local]
    }

    #[inline(always)]
    fn effective_mass(&self, local: usize) -> f64 {
        self.effective_masses[local]
    }

    #[inline(always)]
    fn set_impulse(&mut self, local: usize, impulse: f64) {
        self.impulses[local] = impulse;
    }
}

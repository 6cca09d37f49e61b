//! The best iterate so far, and what to do when none is better for long (I.6, I.12).

use delassus_core::StateCoverage;

use crate::space::copy;

/// Iterations without a better residual before safe steps take over, and the first number of them
/// \[-\].
const PATIENCE: u32 = 20;

/// The iterate with the least residual.
#[derive(Debug, Clone)]
pub(crate) struct BestIterate {
    best: Vec<f64>,
    residual: f64,
    stale: u32,
    plain: u32,
    plain_next: u32,
}

impl Default for BestIterate {
    fn default() -> Self {
        Self::new(Vec::new())
    }
}

impl BestIterate {
    /// Keeps the start.
    pub(crate) fn new(impulses: Vec<f64>) -> Self {
        Self {
            best: impulses,
            residual: f64::INFINITY,
            stale: 0,
            plain: 0,
            plain_next: PATIENCE,
        }
    }

    /// Keeps another start, in the memory of this one.
    pub(crate) fn repeat(&mut self, impulses: &[f64]) {
        copy(&mut self.best, impulses);
        self.begin(f64::INFINITY);
    }

    /// The impulses with the least residual \[N·s\].
    pub(crate) fn best(&self) -> &[f64] {
        &self.best
    }

    /// Begins anew at the best iterate, which has this residual now.
    pub(crate) fn begin(&mut self, residual: f64) {
        self.residual = residual;
        self.stale = 0;
        self.plain = 0;
        self.plain_next = PATIENCE;
    }

    /// Takes an iterate if it is better; counts a step.
    pub(crate) fn offer(&mut self, x: &[f64], residual: f64) {
        self.plain = self.plain.saturating_sub(1);
        if residual < self.residual {
            self.residual = residual;
            self.best.copy_from_slice(x);
            self.stale = 0;
        } else {
            self.stale = self.stale.saturating_add(1);
        }
    }

    /// True while steps shall be safe.
    pub(crate) fn is_plain(&self) -> bool {
        self.plain > 0
    }

    /// True where nothing has improved for long: the method shall go back to the best iterate, and
    /// the next 20, 40, 80, … steps shall be safe.
    pub(crate) fn gives_up(&mut self) -> bool {
        let gives_up = self.plain == 0 && self.stale >= PATIENCE;
        if gives_up {
            self.plain = self.plain_next;
            self.plain_next = self.plain_next.saturating_mul(2);
            self.stale = 0;
        }
        gives_up
    }

    /// Appends its bits.
    pub(crate) fn push_state(&self, out: &mut Vec<u64>) {
        StateCoverage::push(out, self.best.iter().copied());
        StateCoverage::push(out, [self.residual]);
        // counted only where it has consequences
        out.extend([self.stale.min(PATIENCE), self.plain, self.plain_next].map(u64::from));
    }
}

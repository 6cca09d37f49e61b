//! How a stage is doing: the residual at some units of work, its rate, and when to look next
//! (U.41).

/// Share of progress below which a look counts as none \[-\].
const PROGRESS: f64 = 0.9;

/// A plateau is where the last half says to need so many times what all says \[-\] …
const FLAT: f64 = 10.0;
/// … and lasts so many times longer than that, or than it has lasted \[-\].
const DOUBT: f64 = 3.0;

/// Residuals of one stage.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Watch {
    /// Units of work and residual when looked at: now, and about half as many units ago.
    now: (u32, f64),
    half: (u32, f64),
    /// The same where the stage or its present iterate began.
    first: (u32, f64),
    next: u32,
    /// Best residual when progress was last seen, and the units at that time.
    last_progress: (u32, f64),
}

impl Watch {
    /// A stage that begins at `residual` and is looked at first after `next` units.
    pub(crate) fn new(residual: f64, next: u32) -> Self {
        Self {
            now: (0, residual),
            half: (0, residual),
            first: (0, residual),
            next,
            last_progress: (0, residual),
        }
    }

    /// The same units with another iterate, of natural map `residual`.
    pub(crate) fn moved(&self, residual: f64) -> Self {
        let at = (self.now.0, residual);
        Self {
            now: at,
            half: at,
            first: at,
            next: self.next,
            last_progress: at,
        }
    }

    /// Best residual so far \[-\].
    pub(crate) fn best(&self) -> f64 {
        self.now.1
    }

    /// Units after which the residual is wanted \[-\].
    pub(crate) fn next(&self) -> u32 {
        self.next
    }

    /// Takes a residual in; the next is wanted after `pause` units, or when `target` is reached at
    /// this rate.
    pub(crate) fn look(&mut self, units: u32, residual: f64, pause: u32, target: f64) {
        if units >= 2 * self.half.0.max(1) {
            self.half = self.now;
        }
        // a bump is no news: what counts is what would be returned
        let residual = if residual < self.now.1 {
            residual
        } else {
            self.now.1
        };
        self.now = (units, residual);
        if residual < PROGRESS * self.last_progress.1 {
            self.last_progress = (units, residual);
        }
        let missing = self.missing(target);
        let due = (1..pause).find(|n| f64::from(*n) >= missing);
        self.next = units + due.unwrap_or(pause);
    }

    /// Units that are missing to `target`, by the better of the rates over the last half and over
    /// all; a plateau of a method that is not monotone is not its rate \[-\].
    pub(crate) fn promise(&self, target: f64) -> f64 {
        let whole = Self {
            half: self.first,
            ..*self
        };
        let (half, whole) = (self.missing(target), whole.missing(target));
        if half > FLAT * whole {
            DOUBT * whole.max(f64::from(self.steps_without_progress()))
        } else {
            half.min(whole)
        }
    }

    /// Units since the residual last fell by a tenth \[-\].
    pub(crate) fn steps_without_progress(&self) -> u32 {
        self.now.0 - self.last_progress.0
    }

    /// Factor per unit over the last half \[-\]; 1 where nothing is known.
    pub(crate) fn rate(&self) -> f64 {
        let ((n, now), (h, half)) = (self.now, self.half);
        if n == h || now.is_nan() || half <= 0.0 || now >= half || !half.is_finite() {
            return 1.0;
        }
        libm::pow(now / half, 1.0 / f64::from(n - h))
    }

    /// Units that are missing to `target` at this rate \[-\]; infinite if there is none.
    pub(crate) fn missing(&self, target: f64) -> f64 {
        let rate = self.rate();
        if self.now.1 <= target {
            0.0
        } else if rate < 1.0 {
            libm::log(target / self.now.1) / libm::log(rate)
        } else {
            f64::INFINITY
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_geometric_decay_is_continued() {
        let mut watch = Watch::new(1.0, 1);
        let mut residual = 1.0;
        for unit in 1..=80 {
            residual *= 0.5;
            if unit >= watch.next() {
                watch.look(unit, residual, 1 + 2 * unit, 1e-300);
            }
        }
        assert!((watch.rate() - 0.5).abs() < 1e-12, "{}", watch.rate());
        let last = watch.now;
        let missing = watch.missing(last.1 / 1024.0);
        assert!((missing - 10.0).abs() < 1e-9, "{missing}");
        assert_eq!(watch.missing(1.0), 0.0);
        assert!(watch.steps_without_progress() <= 1);
    }

    #[test]
    fn growth_and_nan_never_arrive() {
        for residual in [2.0, f64::NAN, f64::INFINITY] {
            let mut watch = Watch::new(1.0, 1);
            watch.look(1, residual, 1, 1e-9);
            watch.look(2, residual, 1, 1e-9);
            assert_eq!(watch.missing(1e-3), f64::INFINITY);
            assert_eq!(watch.steps_without_progress(), 2);
        }
    }
}

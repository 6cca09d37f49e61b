//! How a stage is doing: the residual at some units of work, its rate, and when to look next (U.41).

/// Share of progress below which a look counts as none \[-\].
const PROGRESS: f64 = 0.9;

/// Residuals of one stage.
#[derive(Debug, Clone)]
pub(crate) struct Watch {
    /// Units of work and residual when looked at: now, and about half as many units ago.
    now: (u32, f64),
    half: (u32, f64),
    next: u32,
    /// Best residual when progress was last seen, and the units at that time.
    noted: (u32, f64),
}

impl Watch {
    /// A stage that begins at `residual`.
    pub(crate) fn new(residual: f64) -> Self {
        Self {
            now: (0, residual),
            half: (0, residual),
            next: 1,
            noted: (0, residual),
        }
    }

    /// Units after which the residual is wanted \[-\].
    pub(crate) fn next(&self) -> u32 {
        self.next
    }

    /// Takes a residual in; `every` for methods whose steps are few.
    pub(crate) fn look(&mut self, units: u32, residual: f64, every: bool) {
        if units >= 2 * self.half.0.max(1) {
            self.half = self.now;
        }
        self.now = (units, residual);
        self.next = if every {
            units + 1
        } else {
            units + 1 + units / 5
        };
        if residual < PROGRESS * self.noted.1 {
            self.noted = (units, residual);
        }
    }

    /// Units since the residual last fell by a tenth \[-\].
    pub(crate) fn waited(&self) -> u32 {
        self.now.0 - self.noted.0
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
        let mut watch = Watch::new(1.0);
        let mut residual = 1.0;
        for unit in 1..=60 {
            residual *= 0.5;
            if unit >= watch.next() {
                watch.look(unit, residual, false);
            }
        }
        assert!((watch.rate() - 0.5).abs() < 1e-12, "{}", watch.rate());
        let last = watch.now;
        let missing = watch.missing(last.1 / 1024.0);
        assert!((missing - 10.0).abs() < 1e-9, "{missing}");
        assert_eq!(watch.missing(1.0), 0.0);
        assert!(watch.waited() <= 1);
    }

    #[test]
    fn growth_and_nan_never_arrive() {
        for residual in [2.0, f64::NAN, f64::INFINITY] {
            let mut watch = Watch::new(1.0);
            watch.look(1, residual, true);
            watch.look(2, residual, true);
            assert_eq!(watch.missing(1e-3), f64::INFINITY);
            assert_eq!(watch.waited(), 2);
        }
    }
}

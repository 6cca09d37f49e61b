//! The weights of Chebyshev's recurrence, and the bound that they rest on.

use delassus_core::StateCoverage;

/// Extrapolated sweeps after which the contraction is compared with the promised one \[-\].
const CYCLE: u32 = 8;

/// The bound is raised where a cycle contracts by less than this power of what was promised \[-\],
/// as adaptive Chebyshev procedures do.
const DAMPING: f64 = 0.75;

/// Largest bound that is estimated \[-\]: beyond it a sweep moves nothing that a cycle could
/// measure.
const LARGEST: f64 = 1.0 - 1e-8;

/// Where the eigenvalues of a sweep lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Weights {
    /// In [0, ρ].
    Positive,
    /// In [−ρ, ρ].
    Symmetric,
}

/// Where a run of plain and extrapolated sweeps is.
#[derive(Debug, Clone)]
pub(super) struct Recurrence {
    weights: Weights,
    /// ρ that was asked for \[-\]; zero to estimate it.
    given: f64,
    delay: u64,
    /// Bound of the eigenvalues of a sweep \[-\].
    rho: f64,
    /// Plain sweeps that are left before extrapolation begins \[-\].
    plain: u64,
    /// Extrapolated sweeps since the recurrence began \[-\].
    swept: u32,
    /// ω of the last extrapolation \[-\].
    omega: f64,
    /// Size of the step before the cycle, and of the last step \[√J\].
    first: f64,
    last: f64,
}

impl Recurrence {
    pub(super) fn new(weights: Weights, given: f64, delay: u64) -> Self {
        let mut recurrence = Self {
            weights,
            given,
            delay,
            rho: given,
            plain: 0,
            swept: 0,
            omega: 0.0,
            first: 0.0,
            last: 0.0,
        };
        recurrence.begin();
        recurrence
    }

    /// Plain sweeps come next.
    pub(super) fn begin(&mut self) {
        (self.rho, self.plain) = (self.given, self.delay);
        (self.swept, self.omega) = (0, 0.0);
        (self.first, self.last) = (0.0, 0.0);
    }

    /// ρ′ of the spectrum once it is centred by γ, and γ (G.30).
    fn centred(&self) -> (f64, f64) {
        match self.weights {
            Weights::Positive => (self.rho / (2.0 - self.rho), 2.0 / (2.0 - self.rho)),
            Weights::Symmetric => (self.rho, 1.0),
        }
    }

    /// ω and γ of the extrapolation that is due; `None` before a plain sweep.
    pub(super) fn due(&self) -> Option<(f64, f64)> {
        if self.plain > 0 {
            return None;
        }
        let (rho, gamma) = self.centred();
        let square = rho * rho;
        let omega = match self.swept {
            0 => 1.0,
            1 => 2.0 / (2.0 - square),
            _ => 4.0 / (4.0 - square * self.omega),
        };
        Some((omega, gamma))
    }

    /// Takes note of a sweep whose step had this size.
    pub(super) fn advance(&mut self, size: f64) {
        let before = std::mem::replace(&mut self.last, size);
        if size == 0.0 {
            // at rest: nothing to extrapolate
            self.begin();
            return;
        }
        if let Some((omega, _)) = self.due() {
            self.omega = omega;
            self.swept += 1;
            if size > before.max(self.first) {
                self.begin();
                self.last = size;
            } else if self.given == 0.0 && self.swept.is_multiple_of(CYCLE) {
                self.judge();
            }
            return;
        }
        self.plain -= 1;
        if self.plain > 0 {
            return;
        }
        self.start_cycle();
        if self.given == 0.0 {
            if size < before {
                self.rho = (size / before).min(LARGEST);
            } else {
                // the steps do not contract yet
                self.plain = self.delay;
            }
        }
    }

    fn start_cycle(&mut self) {
        (self.swept, self.omega, self.first) = (0, 0.0, self.last);
    }

    /// Compares the contraction since the recurrence began with the promised one, and raises ρ if
    /// it was too slow (G.31).
    fn judge(&mut self) {
        let (rho, _) = self.centred();
        let degree = f64::from(self.swept);
        let contraction = self.last / self.first;
        // 1 / T_p(1/ρ′)
        let promised = 1.0 / libm::cosh(degree * libm::acosh(1.0 / rho));
        if contraction <= libm::pow(promised, DAMPING) {
            return;
        }
        // T_p(μ/ρ′) / T_p(1/ρ′) = contraction
        let polynomial = (contraction / promised).max(1.0);
        let eigenvalue = rho * libm::cosh(libm::acosh(polynomial) / degree);
        let rho = match self.weights {
            // μ = γ ν + 1 − γ, with ν the eigenvalue of the sweep
            Weights::Positive => (eigenvalue * (2.0 - self.rho) + self.rho) / 2.0,
            Weights::Symmetric => eigenvalue,
        };
        self.rho = rho.clamp(self.rho, LARGEST);
        self.start_cycle();
    }

    /// Appends what decides the weights to come.
    pub(super) fn push_state(&self, out: &mut Vec<u64>) {
        out.extend([self.plain, u64::from(self.swept)]);
        StateCoverage::push(out, [self.rho, self.omega, self.first, self.last]);
    }
}

//! `control`: one thread chooses the momentum of the iteration after the next from the sums of this
//! one.
//!
//! The lag of one iteration (J.13) lets this thread run in parallel with [`super::bodies`], which
//! already needs the momentum of the next iteration: no iteration waits for a sum over all pieces.
//!
//! - Nesterov: t_{k+1} = (1 + √(1 + 4 t_k²))/2, β = (t_k − 1)/t_{k+1}; back to t = 1 when the last
//!   move went uphill.
//! - Chebyshev: ω_1 = 1 for a while, then 2/(2 − ρ²), then 4/(4 − ρ² ω_k), with ρ measured from the
//!   plain steps.
//! - Guard: when the residual has grown to ten ([`RISE`]) times its smallest value, plain steps
//!   until it is back there, or for a number of iterations that doubles each time (J.14).

use delassus_core::{Choice, StateCoverage};

use super::sums::Sums;
use super::{IterationStep, PASSES};
use crate::real::Real;

/// What is added to the plain step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Choice)]
pub enum Acceleration {
    /// Nothing.
    None,
    /// Chebyshev semi-iteration \[Wang2015\].
    Chebyshev,
    /// Nesterov's momentum, restarted by the gradient \[ODonoghue2015\].
    #[default]
    Nesterov,
}

impl Acceleration {
    /// What the shaders call it.
    pub const fn code(self) -> u32 {
        match self {
            Self::None => 0,
            Self::Nesterov => 1,
            Self::Chebyshev => 2,
        }
    }
}

/// Squared residuals may rise to this multiple of the smallest one before the guard acts \[-\]: a
/// factor 10 in the residual. Momentum that works overshoots by 2 to 5 (experiment 19).
pub const RISE: f64 = 100.0;

/// Plain iterations of the guard's first action \[-\].
pub const FIRST_HOLD: u32 = 8;

/// Plain iterations before the first Chebyshev step \[-\]; \[Wang2015\] delays by as many.
pub const DELAY: u32 = 10;

/// Largest contraction that is believed \[-\]; one would make the weights diverge.
pub const LARGEST_RHO: f64 = 0.9999;

/// State of the momentum.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MomentumState<T> {
    acceleration: Acceleration,
    guarded: bool,
    /// β of this iteration and of the next.
    beta: [T; 2],
    /// Chebyshev weight of the next iteration.
    weight: T,
    /// Nesterov's t.
    t: T,
    /// Plain steps so far, since the start or the last action of the guard.
    plain: u32,
    smallest: T,
    last: T,
    rho: T,
    /// Plain iterations that the guard still requires, and how many it will require next.
    hold: [u32; 2],
}

impl<T: Real> MomentumState<T> {
    /// The control of a solve.
    pub fn new(acceleration: Acceleration, guarded: bool) -> Self {
        Self {
            acceleration,
            guarded,
            beta: [T::ZERO; 2],
            weight: T::ONE,
            t: T::ONE,
            plain: 0,
            smallest: T::MAX,
            last: T::ZERO,
            rho: T::ZERO,
            hold: [0, FIRST_HOLD],
        }
    }

    /// The step of the iteration that comes.
    pub fn step(&self, sequential: bool) -> IterationStep<T> {
        IterationStep {
            beta: self.beta[0],
            weight: self.weight,
            sequential,
            passes: PASSES,
        }
    }

    /// β of the iteration after: what [`super::bodies`] needs.
    pub fn next_beta(&self) -> T {
        self.beta[1]
    }

    /// True if anything is added to the plain step.
    pub(crate) fn is_accelerated(&self) -> bool {
        self.acceleration != Acceleration::None
    }

    /// Appends what decides the momentum of the iterations to come.
    pub(crate) fn state(&self, out: &mut Vec<u64>) {
        let Self {
            beta,
            weight,
            t,
            smallest,
            last,
            rho,
            ..
        } = self;
        let numbers = [beta[0], beta[1], *weight, *t, *smallest, *last, *rho];
        StateCoverage::push(out, numbers.map(Real::widen));
        // beyond the delay the count of plain steps means nothing
        out.extend([self.plain.min(DELAY + 1), self.hold[0], self.hold[1]].map(u64::from));
    }

    /// Takes the sums of the iteration that has been.
    pub fn advance(&mut self, sums: Sums<T>) {
        let held = self.guarded && self.guard(sums.residual);
        self.beta[0] = self.beta[1];
        match self.acceleration {
            Acceleration::None => {}
            Acceleration::Nesterov => self.nesterov(sums.uphill, held),
            Acceleration::Chebyshev => self.chebyshev(sums.residual, held),
        }
        self.last = sums.residual;
    }

    /// True if the next step must be plain.
    fn guard(&mut self, residual: T) -> bool {
        if residual < self.smallest {
            self.smallest = residual;
            self.hold[0] = 0;
        }
        if self.hold[0] > 0 {
            self.hold[0] -= 1;
            if self.hold[0] == 0 {
                // what counts as a rise is judged anew
                self.smallest = residual;
            }
            return true;
        }
        if residual > T::of(RISE) * self.smallest {
            self.hold = [self.hold[1], self.hold[1].saturating_mul(2)];
            return true;
        }
        false
    }

    fn nesterov(&mut self, uphill: T, held: bool) {
        if held || uphill > T::ZERO {
            self.t = T::ONE;
            self.beta[1] = T::ZERO;
            return;
        }
        let two = T::ONE + T::ONE;
        let four = two + two;
        let next = (T::ONE + (T::ONE + four * self.t * self.t).sqrt()) / two;
        self.beta[1] = (self.t - T::ONE) / next;
        self.t = next;
    }

    fn chebyshev(&mut self, residual: T, held: bool) {
        if held {
            self.plain = 0;
            self.weight = T::ONE;
            return;
        }
        let two = T::ONE + T::ONE;
        let four = two + two;
        self.plain = self.plain.saturating_add(1);
        if self.plain < DELAY {
            return;
        }
        if self.plain == DELAY {
            let measured = if self.last > T::ZERO {
                (residual / self.last).sqrt()
            } else {
                T::ZERO
            };
            let largest = T::of(LARGEST_RHO);
            self.rho = if measured < largest {
                measured
            } else {
                largest
            };
            self.weight = two / (two - self.rho * self.rho);
        } else {
            self.weight = four / (four - self.rho * self.rho * self.weight);
        }
    }
}

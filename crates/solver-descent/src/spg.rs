//! `spg`: spectral projected gradient, steps of Barzilai and Borwein with a search that looks back
//! ten iterations.
//!
//! The step length is that of the inverse of A + R along the last move, sᵀDs/sᵀy and sᵀy/yᵀD⁻¹y in
//! turn (I.10); f may rise now and then but not above its largest value of the last ten iterations
//! (I.11). The iterate with the least residual is returned. f is quadratic, so one
//! product with A along the direction serves the search, the next gradient and the next length.
//!
//! For friction that follows the normal impulse there is no f. What the steps did, dᵀŵ + ½ dᵀ(A +
//! R)d, is added up in its place; a direction that does not descend is replaced by the safe step,
//! and where the residual does not improve for long, safe steps from the best iterate take over for
//! a while (I.12).
//!
//! Budget per iteration: one product with A, two where a direction is replaced; a renewal of w
//! every 64. Nearest siblings: `projected-gradient` has one length for ever, `apgd` momentum in its
//! place, `mprgp` conjugate directions.
//!
//! Departures: \[Birgin2000\] uses one of the two lengths and interpolates quadratically within a
//! bracket; here the search ends at the minimum along the direction, which is known. \[Heyn2013\]
//! keeps the best iterate; a published code starts the window at 1e30, so that the search never
//! begins, and here it begins with f of the start. Limitations: noisy; no proof for coupled
//! friction. Theory: docs/theory/24-first-order.md. Source: \[Barzilai1988\], \[Birgin2000\],
//! \[Heyn2013\].

use delassus_core::{Checked, Parameters, Problem, SolveError, SolverDescriptor, StateCoverage};

use crate::best_iterate::BestIterate;
use crate::running::{DescentMethod, Iteration};
use crate::space::{Space, copy, dot, zeros};
use crate::spectrum;

/// Spectral projected gradient (I.10–I.12).
pub type Spg = Checked<DescentMethod<Spectral>>;

/// Parameters of `spg`.
#[derive(Debug, Clone, Copy, PartialEq, Parameters)]
pub struct SpgParameters {
    /// Iterations that the search looks back; 1 makes it monotone.
    #[parameter(default = 10, unit = "-", range = "[1, 1000]")]
    pub window: u32,
}

/// Share of the slope that a step must gain \[-\].
const ARMIJO: f64 = 1e-4;

/// Longest step over the safe one \[-\].
const LONGEST: f64 = 1e10;

/// Iterations after which w is computed anew from the impulses \[-\].
const RENEWAL: u32 = 64;

/// The iterate of [`Spg`].
#[derive(Debug, Clone, Default)]
pub struct Spectral {
    x: Vec<f64>,
    w: Vec<f64>,
    direction: Vec<f64>,
    change: Vec<f64>,
    next: Vec<f64>,
    next_w: Vec<f64>,
    keeper: BestIterate,
    /// f less that of the start, of the last iterations \[J\].
    window: Vec<f64>,
    merit: f64,
    safe: f64,
    alpha: f64,
    next_alpha: f64,
    count: u64,
    searches: u64,
}

impl Spectral {
    /// The last iterate, which need not be the best \[N·s\].
    pub fn iterate(&self) -> &[f64] {
        &self.x
    }

    /// Iterations so far in which the full step raised f beyond the window \[-\].
    pub fn searches(&self) -> u64 {
        self.searches
    }

    /// direction = Π(x − α D⁻¹ŵ) − x, and what it changes w by.
    fn aim(&mut self, space: &mut Space, problem: &Problem, alpha: f64) -> Result<(), SolveError> {
        space.step(&self.x, &self.w, alpha, &mut self.direction);
        for (d, x) in self.direction.iter_mut().zip(&self.x) {
            *d -= x;
        }
        space.multiply(problem, &self.direction, &mut self.change)
    }

    /// The point at t along the direction, its w and the next length; returns its residual.
    fn probe(&mut self, space: &mut Space, t: f64) -> f64 {
        if t != 1.0 {
            self.direction.iter_mut().for_each(|d| *d *= t);
            self.change.iter_mut().for_each(|y| *y *= t);
        }
        let (along, square) = space.curvature(&self.direction, &self.w, &self.change);
        let length = space.dot(&self.direction, &self.direction);
        let quotient = if self.count.is_multiple_of(2) {
            length / along
        } else {
            along / square
        };
        self.next_alpha = if along > 0.0 && quotient.is_finite() {
            quotient.min(LONGEST * self.safe)
        } else {
            self.safe
        };
        sum(&self.x, &self.direction, &mut self.next);
        sum(&self.w, &self.change, &mut self.next_w);
        space.residual(&self.next, &self.next_w)
    }

    /// Moves to the point of the last probe.
    fn accept(&mut self, residual: f64, merit: f64) {
        std::mem::swap(&mut self.x, &mut self.next);
        std::mem::swap(&mut self.w, &mut self.next_w);
        self.alpha = self.next_alpha;
        self.merit = merit;
        let place = self.count % self.window.len() as u64;
        self.window[usize::try_from(place).unwrap_or(0)] = merit;
        self.keeper.offer(&self.x, residual);
    }

    /// Largest value of the window.
    fn ceiling(&self) -> f64 {
        self.window
            .iter()
            .copied()
            .fold(f64::NEG_INFINITY, f64::max)
    }

    /// One iteration (I.10, I.11); returns the products.
    fn descend(&mut self, space: &mut Space, problem: &Problem) -> Result<u64, SolveError> {
        let plain = self.keeper.is_plain();
        let alpha = if plain { self.safe } else { self.alpha };
        self.aim(space, problem, alpha)?;
        let slope = space.work(&self.direction, &self.w);
        let bend = dot(&self.direction, &self.change);
        let gain = |t: f64| t * slope + 0.5 * t * t * bend;
        let mut t = 1.0;
        if !plain && self.merit + gain(1.0) > self.ceiling() + ARMIJO * slope {
            self.searches += 1;
            if slope < 0.0 && bend > 0.0 {
                // the minimum along the direction
                t = (-slope / bend).min(1.0);
            } else if space.is_convex() {
                // rounding has left no slope
                t = 0.0;
            } else {
                self.aim(space, problem, self.safe)?;
                let residual = self.probe(space, 1.0);
                self.accept(residual, self.merit);
                return Ok(2);
            }
        }
        let merit = self.merit + gain(t);
        let residual = self.probe(space, t);
        self.accept(residual, merit);
        Ok(1)
    }
}

impl Iteration for Spectral {
    type Parameters = SpgParameters;

    const DESCRIPTOR: SolverDescriptor = SolverDescriptor {
        id: "spg",
        aliases: &["bb", "spectral-projected-gradient"],
        name: "Spectral projected gradient",
        summary: "Projected gradient with the lengths of Barzilai and Borwein and a search that looks back ten iterations; \
                  unlike projected-gradient it learns the step from the last move.",
        citations: &["Barzilai1988", "Birgin2000", "Heyn2013", "DeSaxce1998"],
        theory: &[
            "I.1", "I.2", "I.3", "I.4", "I.5", "I.6", "I.7", "I.8", "I.10", "I.11", "I.12",
        ],
        cost: "m",
        forms: SolverDescriptor::ALL_FORMS,
        cone_rows: 6,
        ..SolverDescriptor::COMPLETE
    };

    fn begin(
        &mut self,
        space: &mut Space,
        problem: &Problem,
        impulses: &[f64],
        parameters: Self::Parameters,
    ) -> Result<(), SolveError> {
        let safe = spectrum::safe_step(space, problem)?;
        (self.safe, self.alpha, self.next_alpha) = (safe, safe, safe);
        self.keeper.repeat(impulses);
        copy(&mut self.x, impulses);
        for list in [
            &mut self.w,
            &mut self.direction,
            &mut self.change,
            &mut self.next,
            &mut self.next_w,
        ] {
            zeros(list, impulses.len());
        }
        zeros(&mut self.window, parameters.window as usize);
        self.merit = 0.0;
        (self.count, self.searches) = (0, 0);
        Ok(())
    }

    fn restart(&mut self, space: &mut Space, problem: &Problem) -> Result<(), SolveError> {
        // the answer, which is the best iterate, is what continues
        self.x.copy_from_slice(self.keeper.best());
        space.velocity(problem, &self.x, &mut self.w)?;
        let residual = space.residual(&self.x, &self.w);
        self.keeper.begin(residual);
        self.merit = 0.0;
        self.window.fill(self.merit);
        self.alpha = self.safe;
        self.count = 0;
        Ok(())
    }

    fn advance(&mut self, space: &mut Space, problem: &Problem) -> Result<u64, SolveError> {
        self.count += 1;
        let mut products = 0;
        if self.count.is_multiple_of(u64::from(RENEWAL)) {
            space.velocity(problem, &self.x, &mut self.w)?;
            products += 1;
        }
        products += self.descend(space, problem)?;
        if !space.is_convex() && self.keeper.gives_up() {
            self.x.copy_from_slice(self.keeper.best());
            space.velocity(problem, &self.x, &mut self.w)?;
            products += 1;
            self.alpha = self.safe;
        }
        Ok(space.row_updates(products))
    }

    fn best_impulses(&self) -> &[f64] {
        self.keeper.best()
    }

    fn push_state(&self, out: &mut Vec<u64>) -> Option<StateCoverage> {
        for numbers in [&self.x, &self.w, &self.window] {
            StateCoverage::push(out, numbers.iter().copied());
        }
        StateCoverage::push(out, [self.merit, self.alpha]);
        // where the iteration stands in its periods: lengths in turn, renewals, the window
        let periods = [2, u64::from(RENEWAL), self.window.len() as u64];
        out.extend(periods.map(|period| self.count % period));
        self.keeper.push_state(out);
        Some(StateCoverage::Complete)
    }
}

fn sum(a: &[f64], b: &[f64], out: &mut [f64]) {
    for ((out, a), b) in out.iter_mut().zip(a).zip(b) {
        *out = a + b;
    }
}

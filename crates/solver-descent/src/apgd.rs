//! `apgd`: projected gradient with Nesterov's momentum, a step that is found as it goes, and
//! restarts.
//!
//! A step from an extrapolated point y (I.13); its length 1/L satisfies the bound that the proof
//! needs, tried and doubled (I.14), and grows by a tenth per iteration where it can. When the last
//! move went against the step, the momentum starts anew (I.15). The iterate with the least residual
//! is returned.
//!
//! Budget per iteration: one product with A, and one more for every L that was too small, one in
//! seven iterations; w at y follows from the two before it, because w is affine. Nearest siblings:
//! `projected-gradient` without momentum; `jacobi` has the same momentum on split masses, `spg`
//! none.
//!
//! Departures: \[Mazhar2015\] tests the gradient at y for a restart; here the step that the set has
//! cut, as \[ODonoghue2015\] has it for constrained problems. L does not fall below a hundredth of
//! its largest value. For friction that follows the normal impulse there is no f: where the
//! residual does not improve for long, plain steps from the best iterate take over for a while
//! (I.12). A published code computes the gradient without b, and stalls; `tests/all/traps.rs` shows
//! it. Limitations: no proof for coupled friction. Theory: docs/theory/24-first-order.md. Source:
//! \[Nesterov1983\], \[Beck2009\], \[ODonoghue2015\], \[Mazhar2015\].

use delassus_core::{
    Checked, Choice, Parameters, Problem, SolveError, SolverDescriptor, StateCoverage,
};

use crate::best_iterate::BestIterate;
use crate::running::{DescentMethod, Iteration};
use crate::space::{Space, copy, zeros};

/// Accelerated projected gradient descent (I.13–I.16).
pub type Apgd = Checked<DescentMethod<ApgdIterate>>;

/// When the momentum starts anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Choice)]
pub enum MomentumRestart {
    /// When the last move went against the step (I.15).
    #[default]
    Gradient,
    /// Never: the rate of the paper, and ripples.
    None,
}

/// Parameters of `apgd`.
#[derive(Debug, Clone, Copy, PartialEq, Parameters)]
pub struct ApgdParameters {
    /// When the momentum starts anew.
    pub restart: MomentumRestart,
    /// What L is multiplied by after every iteration; 1 for a step that never grows.
    #[parameter(default = 0.9, unit = "-", range = "[0.1, 1]")]
    pub shrink: f64,
}

/// Smallest L over its largest value so far \[-\].
const FLOOR: f64 = 0.01;

/// Rounding of a curvature over the length of the step and that of b \[-\].
const ROUNDING: f64 = 1e-13;

/// The iterate of [`Apgd`].
#[derive(Debug, Clone, Default)]
pub struct ApgdIterate {
    x: Vec<f64>,
    w: Vec<f64>,
    y: Vec<f64>,
    w_y: Vec<f64>,
    next: Vec<f64>,
    w_next: Vec<f64>,
    keeper: BestIterate,
    parameters: ApgdParameters,
    /// t of the momentum \[-\].
    weight: f64,
    lipschitz: f64,
    first_lipschitz: f64,
    largest_lipschitz: f64,
    /// ‖b‖ in the metric of velocities \[√J\].
    load: f64,
}

/// ‖D⁻¹(A + R)p‖/‖p‖ of one vector, a first guess of L from below \[-\].
fn quotient(space: &mut Space, problem: &Problem) -> Result<f64, SolveError> {
    let [mut p, mut change] = space.lend_pair(problem.rows());
    for (p, inverse) in p.iter_mut().zip(space.inverse()) {
        *p = inverse.sqrt();
    }
    space.multiply(problem, &p, &mut change)?;
    let length = space.dual_dot(&change, &change).sqrt() / space.dot(&p, &p).sqrt();
    space.take_pair([p, change]);
    Ok(if length > 0.0 && length.is_finite() {
        length
    } else {
        1.0
    })
}

impl ApgdIterate {
    /// The last iterate, which need not be the best \[N·s\].
    pub fn iterate(&self) -> &[f64] {
        &self.x
    }

    /// L of the last iteration \[-\].
    pub fn lipschitz(&self) -> f64 {
        self.lipschitz
    }

    /// next = Π(y − D⁻¹ŵ(y)/L) with the smallest L = 2ʲ L that bounds the curvature along the step
    /// (I.14).
    fn step(&mut self, space: &mut Space, problem: &Problem) -> Result<u64, SolveError> {
        let mut products = 0;
        // the trace bounds every eigenvalue
        let trace = space.active_rows() as f64;
        loop {
            space.step(&self.y, &self.w_y, 1.0 / self.lipschitz, &mut self.next);
            space.velocity(problem, &self.next, &mut self.w_next)?;
            products += 1;
            let (bend, length) = self.curvature(space);
            let noise = ROUNDING * self.load * length.sqrt();
            if bend <= self.lipschitz * length + noise || self.lipschitz >= trace {
                return Ok(products);
            }
            // also where a number is none: the loop ends at the trace
            self.lipschitz *= 2.0;
            self.largest_lipschitz = self.largest_lipschitz.max(self.lipschitz);
        }
    }

    /// dᵀ(A + R)d and ‖d‖² of d = next − y \[J\].
    fn curvature(&self, space: &Space) -> (f64, f64) {
        let (mut bend, mut length) = (0.0, 0.0);
        for row in 0..self.y.len() {
            let d = self.next[row] - self.y[row];
            bend += d * (self.w_next[row] - self.w_y[row]);
            length += space.metric()[row] * d * d;
        }
        (bend, length)
    }

    /// (y − next)ᵀD(next − x): positive where the last move went against the step (I.15).
    fn went_wrong(&self, space: &Space) -> bool {
        let rows = space.metric().iter().enumerate();
        let products = rows.map(|(row, d)| {
            let next = self.next[row];
            d * (self.y[row] - next) * (next - self.x[row])
        });
        products.sum::<f64>() > 0.0
    }

    /// y = next + β(next − x), and w there (I.13).
    fn extrapolate(&mut self, beta: f64) {
        for row in 0..self.x.len() {
            self.y[row] = self.next[row] + beta * (self.next[row] - self.x[row]);
            self.w_y[row] = self.w_next[row] + beta * (self.w_next[row] - self.w[row]);
        }
        std::mem::swap(&mut self.x, &mut self.next);
        std::mem::swap(&mut self.w, &mut self.w_next);
    }

    /// Stands at the best iterate without momentum.
    fn stand(&mut self, space: &mut Space, problem: &Problem) -> Result<f64, SolveError> {
        self.x.copy_from_slice(self.keeper.best());
        space.velocity(problem, &self.x, &mut self.w)?;
        self.y.copy_from_slice(&self.x);
        self.w_y.copy_from_slice(&self.w);
        self.weight = 1.0;
        Ok(space.residual(&self.x, &self.w))
    }
}

impl Iteration for ApgdIterate {
    type Parameters = ApgdParameters;

    const DESCRIPTOR: SolverDescriptor = SolverDescriptor {
        id: "apgd",
        aliases: &["nesterov", "fista"],
        name: "Accelerated projected gradient",
        summary: "Projected gradient with Nesterov's momentum, backtracking and restarts: about √κ iterations where \
                  projected-gradient takes κ.",
        citations: &[
            "Nesterov1983",
            "Beck2009",
            "ODonoghue2015",
            "Mazhar2015",
            "DeSaxce1998",
        ],
        theory: &[
            "I.1", "I.2", "I.3", "I.4", "I.5", "I.6", "I.8", "I.12", "I.13", "I.14", "I.15", "I.16",
        ],
        cost: "2m",
        forms: SolverDescriptor::ALL_FORMS,
        cone_rows: 6,
        // it keeps its best iterate
        unit_is_map: false,
        ..SolverDescriptor::COMPLETE
    };

    fn begin(
        &mut self,
        space: &mut Space,
        problem: &Problem,
        impulses: &[f64],
        parameters: Self::Parameters,
    ) -> Result<(), SolveError> {
        let lipschitz = quotient(space, problem)?;
        self.lipschitz = lipschitz;
        self.first_lipschitz = lipschitz;
        self.largest_lipschitz = lipschitz;
        self.keeper.repeat(impulses);
        copy(&mut self.x, impulses);
        copy(&mut self.y, impulses);
        for list in [&mut self.w, &mut self.w_y, &mut self.next, &mut self.w_next] {
            zeros(list, impulses.len());
        }
        self.parameters = parameters;
        (self.weight, self.load) = (1.0, 0.0);
        Ok(())
    }

    fn restart(&mut self, space: &mut Space, problem: &Problem) -> Result<(), SolveError> {
        let residual = self.stand(space, problem)?;
        self.keeper.begin(residual);
        self.lipschitz = self.first_lipschitz;
        self.largest_lipschitz = self.first_lipschitz;
        self.load = space.dual_dot(problem.b(), problem.b()).sqrt();
        Ok(())
    }

    fn advance(&mut self, space: &mut Space, problem: &Problem) -> Result<u64, SolveError> {
        let plain = self.keeper.is_plain();
        if plain {
            self.lipschitz = self.largest_lipschitz;
        }
        let mut products = self.step(space, problem)?;
        let restarts = self.parameters.restart == MomentumRestart::Gradient;
        let beta = if plain || (restarts && self.went_wrong(space)) {
            self.weight = 1.0;
            0.0
        } else {
            let weight = 0.5 * (1.0 + (1.0 + 4.0 * self.weight * self.weight).sqrt());
            let beta = (self.weight - 1.0) / weight;
            self.weight = weight;
            beta
        };
        self.extrapolate(beta);
        let smallest = FLOOR * self.largest_lipschitz;
        self.lipschitz = (self.lipschitz * self.parameters.shrink).max(smallest);
        let residual = space.residual(&self.x, &self.w);
        self.keeper.offer(&self.x, residual);
        if !space.is_convex() && self.keeper.gives_up() {
            self.stand(space, problem)?;
            products += 1;
        }
        Ok(space.row_updates(products))
    }

    fn best_impulses(&self) -> &[f64] {
        self.keeper.best()
    }

    /// The weight of the momentum grows for ever and is left out: where x and y stay through two
    /// iterations, so do they whatever the weight.
    fn push_state(&self, out: &mut Vec<u64>) -> Option<StateCoverage> {
        for numbers in [&self.x, &self.w, &self.y, &self.w_y] {
            StateCoverage::push(out, numbers.iter().copied());
        }
        StateCoverage::push(out, [self.lipschitz, self.largest_lipschitz]);
        self.keeper.push_state(out);
        Some(StateCoverage::FixedPoint(2))
    }
}

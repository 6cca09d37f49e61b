//! `admm`: alternating directions, a linear solve with all rows and a projection of each block in
//! turn.
//!
//! Impulses are two copies, x that obeys the linear equation and z that obeys the sets; a velocity
//! y ties them (I.21). x costs a solve with A + R + σD, factorized once per penalty ρ: on bodies
//! the matrix of the body velocities, on matrix problems the matrix itself (I.23). The penalty is
//! fixed, balanced, or a power of the condition number (I.25). Coulomb's law enters by the De Saxcé
//! term of y, renewed in every iteration (I.22).
//!
//! Budget per iteration: one product with A, one solve; see (I.24). A new penalty factorizes again,
//! ever more rarely. Nearest siblings: `ipm` factorizes in every iteration and needs few; `apgd`
//! factorizes nothing.
//!
//! Departures: the linear step is solved for its change, which keeps full accuracy near the
//! solution; penalties are scaled by D, so that one number fits rows of all units.
//! \[Carpentier2024\] takes the smallest eigenvalue as the proximal η, as here. Limitations: no
//! proof for coupled friction; pyramids, facets, patches and rolling are refused. Theory:
//! docs/theory/24-first-order.md. Source: \[Boyd2011\], \[Tasora2021\], \[Carpentier2024\].

use delassus_core::{
    Checked, Choice, Determinism, Parameters, Problem, SolveError, SolverDescriptor, StateCoverage,
};

use crate::best_iterate::BestIterate;
use crate::inner::Inner;
use crate::running::{DescentMethod, Iteration};
use crate::space::{Space, copy, zeros};
use crate::spectrum;

/// Alternating direction method of multipliers (I.21–I.25).
pub type Admm = Checked<DescentMethod<Alternating>>;

/// How the penalty is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Choice)]
pub enum PenaltyRule {
    /// √(ηL) (L/η)ᵖ, the power p moved by the ratio of the two residuals.
    #[default]
    Spectral,
    /// Doubled or halved where the two residuals differ by a factor of ten, from rho on.
    Balancing,
    /// Rho for ever.
    Fixed,
}

/// Parameters of `admm`.
#[derive(Debug, Clone, Copy, PartialEq, Parameters)]
pub struct AdmmParameters {
    /// How the penalty is found.
    pub rule: PenaltyRule,
    /// Penalty over the diagonal, of the rules balancing (where it begins) and fixed.
    #[parameter(default = 0.1, unit = "-", range = "> 0")]
    pub rho: f64,
    /// Where the power of the rule spectral begins.
    #[parameter(default = 0.2, unit = "-", range = "[-1, 1]")]
    pub power: f64,
    /// Proximal weight eta over the diagonal: what a redundant direction is held by.
    #[parameter(default = 1e-6, unit = "-", range = "> 0")]
    pub proximal: f64,
}

/// Ratio of the two residuals that moves the penalty \[-\].
const RATIO: f64 = 10.0;

/// What the rule spectral moves its power by \[-\].
const POWER: f64 = 0.05;

/// Iterations before the penalty moves for the first time \[-\].
const FIRST_CHANGE: u64 = 10;

/// The iterate of [`Admm`].
#[derive(Debug, Default)]
pub struct Alternating {
    x: Vec<f64>,
    z: Vec<f64>,
    /// Velocity that ties x and z; −ŵ at a solution \[m/s | rad/s\].
    y: Vec<f64>,
    w: Vec<f64>,
    last: Vec<f64>,
    target: Vec<f64>,
    keeper: BestIterate,
    inner: Inner,
    parameters: AdmmParameters,
    largest: f64,
    rho: f64,
    count: u64,
    next_change: u64,
    work: u64,
}

impl AdmmParameters {
    /// The penalty to begin with (I.25), for the largest eigenvalue \[-\].
    fn first_penalty(&self, largest: f64) -> f64 {
        match self.rule {
            PenaltyRule::Spectral => {
                let (least, power) = (self.proximal, self.power);
                (least * largest).sqrt() * libm::pow(largest / least, power)
            }
            PenaltyRule::Balancing | PenaltyRule::Fixed => self.rho,
        }
    }
}

impl Alternating {
    /// The penalty ρ over the diagonal \[-\].
    pub fn penalty(&self) -> f64 {
        self.rho
    }

    fn factorize(&mut self, space: &Space, problem: &Problem) -> Result<(), SolveError> {
        let sigma = self.rho + self.parameters.proximal;
        self.inner.factorize(space, problem, sigma)
    }

    /// x moves by the solution of (I.21) for its change.
    fn solve(&mut self, space: &mut Space, problem: &Problem) -> Result<(), SolveError> {
        space.velocity(problem, &self.x, &mut self.w)?;
        self.target.fill(0.0);
        for set in space.sets() {
            for row in set.rows() {
                let apart = self.rho * space.metric()[row] * (self.x[row] - self.z[row]);
                self.target[row] = -(self.w[row] + self.y[row] + apart);
            }
            if let Some(mu) = set.shift() {
                let tangents = &self.y[set.first + 1..set.first + set.active];
                let slip = delassus_core::norm::norm(tangents);
                self.target[set.first] -= mu * slip;
            }
        }
        self.inner.solve(problem, &mut self.target);
        for (x, change) in self.x.iter_mut().zip(&self.target) {
            *x += change;
        }
        Ok(())
    }

    /// z = Π(x + D⁻¹y/ρ), y += ρD(x − z).
    fn project(&mut self, space: &Space) {
        self.last.copy_from_slice(&self.z);
        for set in space.sets() {
            for row in set.rows() {
                self.z[row] = self.x[row] + space.inverse()[row] * self.y[row] / self.rho;
            }
            space.project(set, &mut self.z[set.rows()]);
        }
        for (row, d) in space.metric().iter().enumerate() {
            self.y[row] += self.rho * d * (self.x[row] - self.z[row]);
        }
    }

    /// ‖x − z‖ and ρ‖z − z_last‖ in the metric (I.25) \[√J\].
    fn residuals(&self, space: &Space) -> (f64, f64) {
        let (mut primal, mut dual) = (0.0, 0.0);
        for (row, d) in space.metric().iter().enumerate() {
            let (apart, moved) = (self.x[row] - self.z[row], self.z[row] - self.last[row]);
            primal += d * apart * apart;
            dual += d * moved * moved;
        }
        (primal.sqrt(), self.rho * dual.sqrt())
    }

    /// Moves the penalty where the residuals are out of balance (I.25).
    fn balance(&mut self, space: &Space, problem: &Problem) -> Result<(), SolveError> {
        self.count += 1;
        let factor = match self.parameters.rule {
            PenaltyRule::Fixed => return Ok(()),
            PenaltyRule::Balancing => 2.0,
            PenaltyRule::Spectral => libm::pow(self.largest / self.parameters.proximal, POWER),
        };
        if self.count < self.next_change {
            return Ok(());
        }
        let (primal, dual) = self.residuals(space);
        if primal > RATIO * dual {
            self.rho *= factor;
        } else if dual > RATIO * primal {
            self.rho /= factor;
        } else {
            return Ok(());
        }
        // ever more rarely, so that it settles
        self.next_change = self.count + FIRST_CHANGE.max(self.count / 4);
        self.factorize(space, problem)
    }
}

impl Iteration for Alternating {
    type Parameters = AdmmParameters;

    const DESCRIPTOR: SolverDescriptor = SolverDescriptor {
        id: "admm",
        aliases: &["alternating-directions"],
        name: "Alternating direction method of multipliers",
        summary: "A factor of A + R + σD and projections in turn: unlike apgd it hardly minds the condition number, unlike \
                  ipm it factorizes once.",
        citations: &["Boyd2011", "Tasora2021", "Carpentier2024", "DeSaxce1998"],
        theory: &[
            "I.2", "I.4", "I.7", "I.8", "I.21", "I.22", "I.23", "I.24", "I.25",
        ],
        cost: "2m, factor once",
        forms: SolverDescriptor::BALL_OR_CONE_PER_CONTACT,
        determinism: Determinism::Processor,
        // its splitting has two more variables
        unit_is_map: false,
        ..SolverDescriptor::COMPLETE
    };

    fn footprint(problem: &Problem) -> u64 {
        // the rows once more, the matrix and its factor, which fill in
        problem.memory().saturating_mul(8)
    }

    fn begin(
        &mut self,
        space: &mut Space,
        problem: &Problem,
        impulses: &[f64],
        parameters: AdmmParameters,
    ) -> Result<(), SolveError> {
        self.largest = spectrum::MARGIN * spectrum::largest_eigenvalue(space, problem)?;
        copy(&mut self.x, impulses);
        copy(&mut self.z, impulses);
        self.keeper.repeat(impulses);
        for list in [&mut self.y, &mut self.w, &mut self.last, &mut self.target] {
            zeros(list, impulses.len());
        }
        self.parameters = parameters;
        self.inner.renew(space, problem)
    }

    fn restart(&mut self, space: &mut Space, problem: &Problem) -> Result<(), SolveError> {
        self.z.copy_from_slice(self.keeper.best());
        self.x.copy_from_slice(&self.z);
        space.velocity(problem, &self.x, &mut self.y)?;
        let residual = space.residual(&self.x, &self.y);
        self.keeper.begin(residual);
        for set in space.sets() {
            if let Some(mu) = set.shift() {
                let tangents = &self.y[set.first + 1..set.first + set.active];
                let slip = delassus_core::norm::norm(tangents);
                self.y[set.first] += mu * slip;
            }
        }
        for (y, d) in self.y.iter_mut().zip(space.metric()) {
            *y = if *d > 0.0 { -*y } else { 0.0 };
        }
        self.rho = self.parameters.first_penalty(self.largest);
        self.count = 0;
        self.next_change = FIRST_CHANGE;
        self.work = self.inner.row_updates(space.active_rows());
        self.factorize(space, problem)
    }

    fn advance(&mut self, space: &mut Space, problem: &Problem) -> Result<u64, SolveError> {
        self.solve(space, problem)?;
        self.project(space);
        // z alone is admissible, and early ones may be far off
        space.velocity(problem, &self.z, &mut self.w)?;
        let residual = space.residual(&self.z, &self.w);
        self.keeper.offer(&self.z, residual);
        self.balance(space, problem)?;
        Ok(space.row_updates(2) + self.work)
    }

    fn best_impulses(&self) -> &[f64] {
        self.keeper.best()
    }

    /// The count of iterations decides how long the penalty rests after a change and is left out:
    /// where nothing moves and the penalty may, it has decided not to.
    fn push_state(&self, out: &mut Vec<u64>) -> Option<StateCoverage> {
        for numbers in [&self.x, &self.z, &self.y] {
            StateCoverage::push(out, numbers.iter().copied());
        }
        StateCoverage::push(out, [self.rho]);
        self.keeper.push_state(out);
        if self.parameters.rule == PenaltyRule::Fixed {
            return Some(StateCoverage::Complete);
        }
        out.push(self.next_change.saturating_sub(self.count));
        Some(StateCoverage::FixedPoint(2))
    }

    fn factorizations(&self) -> Option<u64> {
        Some(self.inner.factored)
    }
}

//! Primal–dual interior point: bounds and the convex friction cone together.
//!
//! Newton's method on the conditions of optimality with complementarity products μ that go to zero:
//! Mehrotra's predictor and corrector \[Mehrotra1992\] for bounds, Nesterov–Todd scaling
//! \[Nesterov1998\] for the cone F6, which is self-dual once its normal is divided by μ (Y.5).
//! Redundant rows end near the analytic centre of their solutions, so that four corners of a box
//! carry a quarter each. When the products are small, Newton steps on the natural map (Y.2), (Y.5)
//! finish the digits.
//!
//! Budget: one LU factorization of all rows per sweep, O(m³), 10 to 30 sweeps whatever the
//! conditioning; memory about 40 m² bytes. Differs from [`crate::Dantzig`] by cones and by the
//! number of steps, which does not grow with the rows; from [`crate::AlartCurnier`] by convergence
//! that is proven for the laws it takes.
//!
//! Departures from \[Mehrotra1992\]: one step length for impulses and multipliers, since the
//! objective is quadratic; free rows have no multiplier; a diagonal of 1e-13 that two refinements
//! take out again makes redundant free rows regular; the finish.
//!
//! # Accuracy
//! The interior phase reaches √ε_mach of the scale where strict complementarity fails, and about
//! 1e-10 where it holds: the products are what bounds it, until cancellation in S + Θ does. The
//! finish reaches rounding (1e-14) where the solution is regular; what remains otherwise is the
//! interior phase's.
//!
//! # Limitations
//! A + R with a positive semi-definite symmetric part, or close to it as files print it; symmetry
//! is not used. Laws of coupled friction other than F6 are refused. A warm start is returned
//! where it is a solution, and not used otherwise. Contradictory rows end with an error (Y.12).
//!
//! Theory: docs/theory/22-newton.md (Y.1), (Y.5), (Y.12)–(Y.16). Source: \[Mehrotra1992\],
//! \[Nesterov1998\], \[Wright1997\].

mod cone;
mod interior;

use delassus_core::{
    Changes, Checked, LawForm, Method, ParameterError, Parameters, Prepared, Problem, Progress,
    SolveError, SolverDescriptor, StateCoverage, Support, interrupt,
};

use crate::assembly::{self, DENSE, DenseDelassus};
use crate::newton::model::{CONE_ROWS, Model, Scaling, SetForm};
use crate::newton::{Iterate, Map, NewtonSettings};
use crate::state::{State, read_state};
use interior::{Interior, Outcome};

/// Products of this part of their first value are zero to rounding \[-\].
const SMALLEST: f64 = 1e-27;
/// Steps shorter than this in a row say that rounding has won.
const SHORT: f64 = 1e-6;
/// Multiplications of a factorization that the products of a step take as long as, per entry of the
/// matrix: thirteen passes over memory \[-\].
const PRODUCTS: f64 = 60.0;

/// Parameters of [`Ipm`].
#[derive(Debug, Clone, Copy, PartialEq, Parameters)]
pub struct IpmParameters {
    /// Part of the way to the boundary that a step goes at most.
    #[parameter(default = 0.995, unit = "-", range = "[0.5, 0.99999]")]
    pub fraction: f64,
    /// Added to the diagonal of the scaled matrix in factorizations; two refinements take it out
    /// again.
    #[parameter(default = 1e-13, unit = "-", range = "[1e-15, 1e-4]")]
    pub epsilon: f64,
    /// Interior sweeps before the finish begins in any case.
    #[parameter(default = 100, unit = "-", range = ">= 1")]
    pub max_interior: u32,
    /// True if Newton steps on the natural map finish the digits.
    #[parameter(default = true)]
    pub finish: bool,
}

/// Primal–dual interior point for bounds and convex cones (Y.13)–(Y.16).
pub type Ipm = Checked<IpmParameters>;

/// The prepared problem, the point inside, and the best iterate.
#[derive(Debug)]
pub struct InteriorPoint {
    parameters: IpmParameters,
    settings: NewtonSettings,
    state: State,
    matrix: DenseDelassus,
    model: Model,
    interior: Interior,
    /// Judges iterates, keeps the best, and finishes.
    newton: Iterate,
    first_measure: f64,
    sweeps: u32,
    short: u32,
    inside: bool,
    /// Factorizations of the iterates before this one \[-\].
    factored: u64,
}

impl Method for IpmParameters {
    type Parameters = Self;
    type Prepared = InteriorPoint;

    const DESCRIPTOR: SolverDescriptor = SolverDescriptor {
        id: "ipm",
        aliases: &["interior-point"],
        name: "Primal–dual interior point",
        summary: "Mehrotra's predictor–corrector for bounds and Nesterov–Todd scaling for convex friction cones; unlike \
                  pdas it needs no guess of active sets, and redundant rows share their load.",
        citations: &["Mehrotra1992", "Nesterov1998", "Wright1997"],
        theory: &["Y.1", "Y.5", "Y.12", "Y.13", "Y.14", "Y.15", "Y.16"],
        cost: "m³",
        forms: &[
            (LawForm::Free, Support::Exact),
            (LawForm::Interval, Support::Exact),
            (LawForm::Normal, Support::Exact),
            (LawForm::FixedIntervals, Support::Exact),
            (LawForm::Cone, Support::Exact),
        ],
        cone_rows: CONE_ROWS,
        // a step begins at the last interior point
        unit_is_map: false,
        ..DENSE
    };

    fn new(parameters: Self::Parameters) -> Result<Self, ParameterError> {
        Ok(parameters)
    }

    fn footprint(&self, problem: &Problem) -> u64 {
        // A, S, the factors and what assembling them takes
        assembly::memory(problem, 4)
    }

    fn prepare(
        &mut self,
        problem: &Problem,
        impulses: Vec<f64>,
    ) -> Result<InteriorPoint, SolveError> {
        let settings = NewtonSettings {
            map: Map::AlartCurnier,
            scaling: Scaling {
                form: SetForm::Discs,
                per_contact: true,
                rho: 1.0,
            },
            start_sweeps: 0,
            epsilon: self.epsilon,
            proximal: 0.0,
            fall_back: false,
            line_search: true,
            patience: 20,
        };
        let state = State::new(problem, impulses);
        let matrix = DenseDelassus::assemble_with_compliance(problem)?;
        InteriorPoint::new(problem, state, matrix, *self, settings)
    }
}

impl InteriorPoint {
    fn new(
        problem: &Problem,
        state: State,
        matrix: DenseDelassus,
        parameters: IpmParameters,
        settings: NewtonSettings,
    ) -> Result<Self, SolveError> {
        let model = Model::new(problem, &matrix, &state.impulses, settings.scaling)?;
        let interior = Interior::new(&model, parameters.epsilon);
        let newton = Iterate::new(&model, &state.impulses, &settings);
        Ok(Self {
            parameters,
            settings,
            state,
            matrix,
            first_measure: interior.measure,
            interior,
            newton,
            model,
            sweeps: 0,
            short: 0,
            inside: true,
            factored: 0,
        })
    }

    /// Mean complementarity product of the point inside: the duality gap over the number of pairs,
    /// where velocities and multipliers agree \[J\].
    pub fn measure(&self) -> f64 {
        self.interior.measure
    }

    fn sweep(&mut self) -> Result<(), SolveError> {
        if self.sweeps == 0 {
            // a start that is a solution is returned
            self.newton.record_residual(&self.model, &self.settings);
            if self.newton.finished {
                return Ok(());
            }
        }
        if !self.inside {
            return self.newton.sweep(&self.model, &self.settings);
        }
        let n = self.model.size() as f64;
        // factors of all rows, of a predictor and its corrector together, and their products
        interrupt::afford_factor(n * n * (n / 3.0 + PRODUCTS))?;
        self.sweeps += 1;
        let outcome = self.interior.step(
            &self.model,
            &mut self.newton.system,
            &mut self.newton.contradiction,
            self.parameters.fraction,
        )?;
        self.short = match outcome {
            Outcome::Moved(step) if step >= SHORT => 0,
            Outcome::Moved(_) => self.short + 1,
            Outcome::Exhausted => 3,
        };
        self.newton.y.copy_from_slice(&self.interior.y);
        self.newton.record_residual(&self.model, &self.settings);
        let done = self.interior.measure <= SMALLEST * self.first_measure
            || self.short >= 3
            || self.sweeps >= self.parameters.max_interior;
        let exact = self.newton.is_exact(&self.model);
        // products fall whether the residual does or not: no patience inside
        self.newton.finished = false;
        if exact || done {
            self.inside = false;
            self.newton.resume();
            self.newton.finished = exact || !self.parameters.finish;
        }
        Ok(())
    }
}

impl Prepared for InteriorPoint {
    fn update(&mut self, problem: &Problem, changed: Changes) -> Result<bool, SolveError> {
        self.state.update(problem);
        if changed.compliance {
            self.matrix = DenseDelassus::assemble_with_compliance(problem)?;
        }
        let (impulses, settings) = (&self.state.impulses, &self.settings);
        self.model = Model::new(problem, &self.matrix, impulses, settings.scaling)?;
        self.interior = Interior::new(&self.model, self.parameters.epsilon);
        self.factored += self.newton.system.factored;
        self.newton = Iterate::new(&self.model, impulses, settings);
        self.first_measure = self.interior.measure;
        (self.sweeps, self.short, self.inside) = (0, 0, true);
        Ok(true)
    }

    fn iterate(&mut self, _: &Problem, sweeps: u32) -> Result<Progress, SolveError> {
        let mut done = 0;
        while done < sweeps && !self.newton.finished {
            if let Some(error) = &self.newton.failed {
                return Err(error.clone());
            }
            let outcome = self.sweep();
            if outcome == Err(SolveError::Interrupted) {
                // the impulses are those of the sweeps before
                if done == 0 {
                    return Err(SolveError::Interrupted);
                }
                break;
            }
            self.newton.failed = outcome.err();
            done += 1;
            self.newton
                .write_improved(&self.model, &mut self.state.impulses);
        }
        if let Some(error) = &self.newton.failed {
            return Err(error.clone());
        }
        Ok(Progress {
            finished: self.newton.finished,
            ..Progress::of_sweeps(done, self.model.size())
        })
    }

    read_state!(state);

    fn fingerprint(&self, out: &mut Vec<u64>) -> Result<Option<StateCoverage>, SolveError> {
        self.newton.push_state(&self.state.impulses, out);
        StateCoverage::push(out, self.interior.numbers());
        out.extend([self.sweeps, self.short].map(u64::from));
        out.push(u64::from(self.inside));
        Ok(Some(StateCoverage::Complete))
    }

    fn factorizations(&self) -> Option<u64> {
        Some(self.factored + self.newton.system.factored)
    }
}

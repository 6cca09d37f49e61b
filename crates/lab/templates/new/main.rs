//! A solver of one's own, and the whole command line of Delassus around it.
//!
//! It appears with every other solver in `list`, `solve`, `run` and every figure. What the traits
//! ask for: docs/adding-a-solver.md of Delassus.

use std::process::ExitCode;

use delassus_core::{
    Checked, Method, ParameterError, Parameters, Prepared, Problem, Progress, SolveError,
    SolverDescriptor,
};
use delassus_lab::{cli::main_with, registry::Registry};

/// What a spec or `--set` can say about the solver.
#[derive(Debug, Clone, PartialEq, Parameters)]
pub(crate) struct OwnParameters {
    /// Length of a step over the longest that is safe on every problem. Longer ones may diverge.
    #[parameter(default = 1.0, unit = "-", range = "> 0")]
    pub(crate) step: f64,
}

/// The method: λ ← Π(λ − ρ ŵ(λ)) on all rows at once, for every law.
#[derive(Debug)]
pub(crate) struct Own(OwnParameters);

impl Method for Own {
    type Parameters = OwnParameters;
    type Prepared = Iterate;

    const DESCRIPTOR: SolverDescriptor = SolverDescriptor {
        id: "my-paper",
        name: "A method of my own",
        summary: "λ ← Π(λ − ρ w) on all rows at once, ρ = step / trace(A + R)",
        citations: &["Goldstein1964"],
        // a problem with a law that is not listed is refused before it comes here
        forms: SolverDescriptor::ALL_FORMS,
        cone_rows: 6,
        coupled_compliance: true,
        ..SolverDescriptor::BASE
    };

    fn new(parameters: OwnParameters) -> Result<Self, ParameterError> {
        Ok(Self(parameters))
    }

    fn prepare(&mut self, problem: &Problem, impulses: Vec<f64>) -> Result<Iterate, SolveError> {
        let (mut velocity, mut momentum) = (vec![0.0; problem.rows()], Vec::new());
        // once here, so that `iterate` allocates nothing
        problem.shifted_velocity_in(&mut momentum, &impulses, &mut velocity)?;
        let trace: f64 = problem.diagonal().iter().chain(problem.compliance()).sum();
        Ok(Iterate {
            impulses,
            velocity,
            momentum,
            // no row, no step
            step: if trace > 0.0 {
                self.0.step / trace
            } else {
                0.0
            },
        })
    }
}

/// A problem under way.
#[derive(Debug)]
pub(crate) struct Iterate {
    /// λ, one per row \[N·s\].
    impulses: Vec<f64>,
    /// w = (A + R) λ + b \[m/s\].
    velocity: Vec<f64>,
    momentum: Vec<f64>,
    /// ρ \[kg\].
    step: f64,
}

impl Prepared for Iterate {
    fn iterate(&mut self, problem: &Problem, sweeps: u32) -> Result<Progress, SolveError> {
        for _ in 0..sweeps {
            problem.shifted_velocity_in(&mut self.momentum, &self.impulses, &mut self.velocity)?;
            for block in problem.blocks() {
                let impulses = &mut self.impulses[block.rows()];
                let velocities = &self.velocity[block.rows()];
                for (impulse, velocity) in impulses.iter_mut().zip(velocities) {
                    *impulse -= self.step * velocity;
                }
                // normals come first and bound the friction behind them
                for factor in block.law.factors(block.dim) {
                    impulses[factor.first] -= self.step * factor.de_saxce_term(velocities);
                    factor.project(impulses);
                }
            }
        }
        Ok(Progress::of_sweeps(sweeps, problem.rows()))
    }

    fn impulses(&self, out: &mut [f64]) -> Result<(), SolveError> {
        out.copy_from_slice(&self.impulses);
        Ok(())
    }
}

fn main() -> ExitCode {
    main_with(Registry::standard().with::<Checked<Own>>())
}

//! A solver of one's own: projected Richardson iteration, a fixed gradient step [Goldstein1964].
use delassus_core::*;
use delassus_lab::{cli::main_with, registry::Registry};

pub(crate) struct Richardson;

pub(crate) struct Iterate {
    impulses: Vec<f64>,
    velocity: Vec<f64>,
    momentum: Vec<f64>,
}

impl Method for Richardson {
    type Parameters = ();
    type Prepared = Iterate;
    const DESCRIPTOR: SolverDescriptor = SolverDescriptor {
        id: "richardson",
        name: "Projected Richardson iteration",
        summary: "λ ← Π(λ − ρw) on all rows at once, with the safe step ρ = 1 / trace(A + R)",
        citations: &["Goldstein1964"],
        forms: &[(LawForm::Interval, Support::Exact)],
        ..SolverDescriptor::BASE
    };
    fn new((): ()) -> Result<Self, ParameterError> {
        Ok(Self)
    }
    fn prepare(&mut self, problem: &Problem, impulses: Vec<f64>) -> Result<Iterate, SolveError> {
        let (mut velocity, mut momentum) = (vec![0.0; problem.rows()], Vec::new());
        problem.shifted_velocity_in(&mut momentum, &impulses, &mut velocity)?;
        Ok(Iterate {
            impulses,
            velocity,
            momentum,
        })
    }
}

impl Prepared for Iterate {
    fn iterate(&mut self, problem: &Problem, sweeps: u32) -> Result<Progress, SolveError> {
        let trace: f64 = problem.diagonal().iter().chain(problem.compliance()).sum();
        for _ in 0..sweeps {
            problem.shifted_velocity_in(&mut self.momentum, &self.impulses, &mut self.velocity)?;
            for (row, impulse) in self.impulses.iter_mut().enumerate() {
                let law = &problem.blocks()[problem.block_of_row(row)].law;
                if let Law::Bounds { lower, upper } = law {
                    *impulse = (*impulse - self.velocity[row] / trace).clamp(*lower, *upper);
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

fn main() -> std::process::ExitCode {
    main_with(Registry::standard().with::<Checked<Richardson>>())
}

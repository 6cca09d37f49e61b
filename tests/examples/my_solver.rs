//! A solver of one's own: gradient projection with a fixed step [Goldstein1964], the projected Richardson iteration.
use delassus_core::*;
use delassus_lab::{cli::main_with, registry::Registry};

#[derive(Default)]
pub(crate) struct Richardson {
    impulses: Vec<f64>,
    velocity: Vec<f64>,
    momentum: Vec<f64>,
}

impl Solver for Richardson {
    type Parameters = ();
    const DESCRIPTOR: SolverDescriptor = SolverDescriptor {
        id: "richardson",
        name: "Projected Richardson iteration",
        summary: "λ ← Π(λ − ρw) on all rows at once, with the safe step ρ = 1 / trace(A + R)",
        citations: &["Goldstein1964"],
        laws: &[(LawKind::Bounds, Support::Exact)],
        ..SolverDescriptor::BASE
    };
    fn new((): ()) -> Result<Self, ParameterError> {
        Ok(Self::default())
    }
}

impl ImpulseSolver for Richardson {
    fn descriptor(&self) -> &SolverDescriptor {
        &Self::DESCRIPTOR
    }
    fn prepare(&mut self, problem: &Problem, start: Start<'_>) -> Result<(), SolveError> {
        self.check(problem)?;
        self.impulses.resize(problem.rows(), 0.0);
        self.velocity.resize(problem.rows(), 0.0);
        start.write(&mut self.impulses)?;
        problem.shifted_velocity_in(&mut self.momentum, &self.impulses, &mut self.velocity)
    }
    fn iterate(&mut self, problem: &Problem, sweeps: u32) -> Result<Progress, SolveError> {
        let trace: f64 = problem.diagonal().iter().chain(problem.compliance()).sum();
        for _ in 0..sweeps {
            problem.shifted_velocity_in(&mut self.momentum, &self.impulses, &mut self.velocity)?;
            for (row, impulse) in self.impulses.iter_mut().enumerate() {
                let moved = *impulse - self.velocity[row] / trace;
                let law = &problem.blocks()[problem.block_of_row(row)].law;
                if let Law::Bounds { lower, upper } = law {
                    *impulse = moved.clamp(*lower, *upper);
                }
            }
        }
        Ok(Progress::of_sweeps(sweeps, problem.rows()))
    }
    fn read_impulses(&mut self, out: &mut [f64]) -> Result<(), SolveError> {
        copy_impulses(&self.impulses, out)
    }
}

fn main() -> std::process::ExitCode {
    main_with(Registry::standard().with::<Richardson>())
}

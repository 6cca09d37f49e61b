//! Another problem in the memory of the last one.

use delassus_core::{ImpulseSolver, Problem, Solver, SolverVisitor, Start};
use delassus_problems::generators::{ChainProblem, ContactLaw};
use delassus_solver_jacobi::visit_solvers;

use crate::common::{piles, problem};

/// Makers of every solver of this crate.
#[derive(Default)]
struct Makers(Vec<fn() -> Box<dyn ImpulseSolver>>);

impl SolverVisitor for Makers {
    fn visit<S: Solver>(&mut self) {
        self.0
            .push(|| Box::new(S::new(Default::default()).expect("the defaults")));
    }
}

fn makers() -> Vec<fn() -> Box<dyn ImpulseSolver>> {
    let mut makers = Makers::default();
    visit_solvers(&mut makers);
    makers.0
}

fn problems() -> Vec<Problem> {
    let laws = [ContactLaw::Coulomb, ContactLaw::Patch, ContactLaw::FixedBox];
    let piles = laws.into_iter().flat_map(piles);
    let chain = problem(&ChainProblem::default());
    piles.map(|(_, problem)| problem).chain([chain]).collect()
}

/// Prepares, iterates and reads impulses.
fn solve(solver: &mut dyn ImpulseSolver, problem: &Problem, start: &[f64], impulses: &mut [f64]) {
    let start = Start::Warm(start);
    solver.prepare(problem, start).expect("accepted");
    solver.iterate(problem, 5).expect("finite");
    solver.read_impulses(impulses).expect("finite");
}

#[test]
fn a_used_solver_has_the_bits_of_a_new_one() {
    let problems = problems();
    for make in makers() {
        let mut used = make();
        // larger and smaller ones in turn, of all laws
        for (index, problem) in problems.iter().chain(problems.iter().rev()).enumerate() {
            let rows = problem.rows();
            let start: Vec<f64> = (0..rows).map(|row| 0.1 * (row % 3) as f64).collect();
            let mut found = [vec![0.0; rows], vec![0.0; rows]];
            solve(used.as_mut(), problem, &start, &mut found[0]);
            solve(make().as_mut(), problem, &start, &mut found[1]);
            let [used, fresh] = found.map(|all| all.into_iter().map(f64::to_bits));
            assert!(used.eq(fresh), "problem {index}");
        }
    }
}

#[test]
fn preparing_again_allocates_nothing() {
    let problems = problems();
    for make in makers() {
        let mut solver = make();
        let id = solver.descriptor().id;
        for problem in &problems {
            let start = vec![0.1; problem.rows()];
            let mut impulses = vec![0.0; problem.rows()];
            solve(solver.as_mut(), problem, &start, &mut impulses);
            let counted = allocation_counter::measure(|| {
                solve(solver.as_mut(), problem, &start, &mut impulses);
            });
            assert_eq!(counted.count_total, 0, "{id}");
        }
    }
}

//! Another problem in the memory of the last one.

use delassus_core::{ImpulseSolver, Problem, Solver, SolverVisitor, Start};
use delassus_problems::generators::{BoxProblem, Boxes, ContactLaw, Generator, Stack};
use delassus_solver_descent::projected_cg::ProjectedCgParameters;
use delassus_solver_descent::{PreconditionerKind, ProjectedCg, visit_solvers};

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
    makers
        .0
        .push(|| preconditioned(PreconditionerKind::BlockJacobi));
    makers.0.push(|| preconditioned(PreconditionerKind::Ssor));
    makers.0
}

fn preconditioned(preconditioner: PreconditionerKind) -> Box<dyn ImpulseSolver> {
    let parameters = ProjectedCgParameters { preconditioner };
    Box::new(ProjectedCg::new(parameters).expect("valid"))
}

/// Stacks of all laws, large and small in turn.
fn problems() -> Vec<Problem> {
    let laws = [ContactLaw::Coulomb, ContactLaw::Patch, ContactLaw::FixedBox];
    let stack = |n: usize, law: ContactLaw| {
        let problem = BoxProblem::from(Stack {
            n,
            boxes: Boxes {
                law,
                ..Boxes::default()
            },
            ..Stack::default()
        });
        problem.generate().expect("valid parameters").problem
    };
    let sizes = [3, 1, 4, 2];
    let all = sizes.map(|n| laws.map(|law| stack(n, law)));
    all.into_iter().flatten().collect()
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
        let mut count = 0;
        for problem in problems
            .iter()
            .filter(|problem| make().check(problem).is_ok())
        {
            let rows = problem.rows();
            let start: Vec<f64> = (0..rows).map(|row| 0.1 * (row % 3) as f64).collect();
            let mut found = [vec![0.0; rows], vec![0.0; rows]];
            solve(used.as_mut(), problem, &start, &mut found[0]);
            solve(make().as_mut(), problem, &start, &mut found[1]);
            let [used, fresh] = found.map(|all| all.into_iter().map(f64::to_bits));
            assert!(used.eq(fresh), "{}", make().descriptor().id);
            count += 1;
        }
        assert!(count >= 4, "{count}");
    }
}

/// Solvers that allocate when they prepare again, and what for.
const LEFT: [(&str, &str); 1] = [("admm", "factorizes")];

#[test]
fn preparing_again_allocates_nothing() {
    let problems = problems();
    for make in makers() {
        let mut solver = make();
        let id = solver.descriptor().id;
        for problem in problems
            .iter()
            .filter(|problem| make().check(problem).is_ok())
        {
            let start = vec![0.1; problem.rows()];
            let mut impulses = vec![0.0; problem.rows()];
            solve(solver.as_mut(), problem, &start, &mut impulses);
            let counted = allocation_counter::measure(|| {
                solve(solver.as_mut(), problem, &start, &mut impulses);
            });
            match LEFT.iter().find(|(left, _)| *left == id) {
                Some((_, why)) => assert_ne!(counted.count_total, 0, "{id} no longer {why}"),
                None => assert_eq!(counted.count_total, 0, "{id}"),
            }
        }
    }
}

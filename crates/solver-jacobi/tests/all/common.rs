//! Problems and measurements of these tests.

use delassus_core::{Problem, Solver, Start};
use delassus_metrics::Evaluator;
use delassus_problems::generators::{
    BoxProblem, Boxes, ContactLaw, Generator, Grid, MassOrder, Pyramid, Stack,
};

/// The four piles of the iteration counts: unit boxes with faces of four points, loaded by g dt.
pub(crate) fn piles(law: ContactLaw) -> Vec<(&'static str, Problem)> {
    let stack = BoxProblem::from(Stack {
        n: 10,
        boxes: Boxes {
            law,
            ..Boxes::default()
        },
        ..Stack::default()
    });
    let heavy = BoxProblem::from(Stack {
        boxes: Boxes {
            mass_ratio: 100.0,
            mass_order: MassOrder::HeavyLast,
            ..stack.system.boxes
        },
        ..stack.system.clone()
    });
    let pyramid = BoxProblem::from(Pyramid {
        base: 5,
        boxes: Boxes {
            law,
            ..Boxes::default()
        },
    });
    let grid = BoxProblem::from(Grid {
        boxes: Boxes {
            law,
            ..Boxes::default()
        },
        ..Grid::default()
    });
    vec![
        ("stack of 10", problem(&stack)),
        ("stack, top x100", problem(&heavy)),
        ("pyramid of 55", problem(&pyramid)),
        ("grid of 64", problem(&grid)),
    ]
}

/// The problem of a generator.
pub(crate) fn problem(generator: &impl Generator) -> Problem {
    generator.generate().expect("valid parameters").problem
}

/// Relative residual of the natural map (M.4).
pub(crate) fn residual(evaluator: &mut Evaluator<'_>, impulses: &[f64]) -> f64 {
    evaluator
        .evaluate(impulses)
        .map_or(f64::INFINITY, |r| r.natural_map)
}

/// Iterations until the residual is below each of `goals` times that of the start; `None` after
/// `limit`.
pub(crate) fn iterations<S: Solver>(
    parameters: S::Parameters,
    problem: &Problem,
    goals: &[f64],
    limit: u32,
) -> Vec<Option<u32>> {
    let mut solver = S::new(parameters).expect("valid parameters");
    solver
        .prepare(problem, Start::Cold)
        .expect("a problem that the solver takes");
    let mut evaluator = Evaluator::new(problem).expect("a scale");
    let mut impulses = vec![0.0; problem.rows()];
    let start = residual(&mut evaluator, &impulses);
    let mut found = vec![None; goals.len()];
    for count in 1..=limit {
        if solver.iterate(problem, 1).is_err() {
            return found;
        }
        solver.read_impulses(&mut impulses).expect("impulses");
        let now = residual(&mut evaluator, &impulses);
        for (found, goal) in found.iter_mut().zip(goals) {
            if found.is_none() && now <= goal * start {
                *found = Some(count);
            }
        }
        if found.iter().all(Option::is_some) {
            break;
        }
    }
    found
}

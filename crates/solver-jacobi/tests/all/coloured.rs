//! The coloured sweep of the kernels is the one of `coloured-pgs`.

use delassus_core::{ImpulseSolver, Problem, Solver, Start};
use delassus_problems::generators::{
    BoxProblem, Boxes, ContactLaw, Generator, Grid, Planted, Pyramid,
};
use delassus_solver_jacobi::kernels::coloured::{RULE, TaskOrder, start, sweep};
use delassus_solver_jacobi::pack::{Iterate, Pack};
use delassus_solver_si::ColouredPgs;
use delassus_structure::{Colouring, Units};

fn problem(generator: &impl Generator) -> Problem {
    generator.generate().expect("valid parameters").problem
}

/// Laws whose rows are solved one by one: both methods are Gauss–Seidel over scalars there.
fn scalar() -> Vec<Problem> {
    let pile = |law| {
        problem(&BoxProblem::from(Pyramid {
            base: 4,
            boxes: Boxes {
                law,
                ..Boxes::default()
            },
        }))
    };
    let grid = BoxProblem::from(Grid {
        boxes: Boxes {
            law: ContactLaw::Pyramid,
            ..Boxes::default()
        },
        ..Grid::default()
    });
    let joints = Planted {
        bodies: 30,
        gears: 4,
        bounds: 6,
        frictionless: 12,
        fixed_box: 12,
        pyramid: 12,
        coulomb: 0,
        seed: 4,
        ..Planted::default()
    };
    vec![
        pile(ContactLaw::Frictionless),
        pile(ContactLaw::Pyramid),
        problem(&grid),
        problem(&joints),
    ]
}

#[test]
fn sweeps_are_those_of_coloured_pgs() {
    for colours in [64, 2] {
        for problem in scalar() {
            let (units, groups) = Units::new(&problem);
            let mut colouring = Colouring::new(colours);
            colouring.update(groups);
            let pack = Pack::<f64>::new(&problem, RULE).expect("bodies");
            let order = TaskOrder::new(&problem, &pack, &units, &colouring);
            let counts = colouring.counts();
            assert_eq!(order.tasks(), counts.groups);
            let serial: u32 = order
                .spans
                .iter()
                .filter(|s| s.serial)
                .map(|s| s.count)
                .sum();
            assert_eq!(serial as usize, counts.overflow);
            let mut state = Iterate::new(&pack);
            let warm: Vec<f64> = (0..problem.rows()).map(|r| 0.01 * (r % 5) as f64).collect();
            state.load(&pack, &warm);
            start(&pack, &mut state);
            let parameters = delassus_structure::Colours { colours };
            let mut solver = ColouredPgs::new(parameters).expect("valid parameters");
            solver
                .prepare(&problem, Start::Warm(&warm))
                .expect("a problem that it takes");
            for _ in 0..20 {
                sweep(&pack, &mut state, &order);
                solver.iterate(&problem, 1).expect("a sweep");
            }
            let (mut own, mut other) = (vec![0.0; problem.rows()], vec![0.0; problem.rows()]);
            state.read(&pack, &mut own);
            solver.read_impulses(&mut other).expect("impulses");
            let largest = other.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            for (own, other) in own.iter().zip(&other) {
                // the same operations in another grouping: a few hundred roundings of f64
                assert!((own - other).abs() <= 1e-12 * largest, "{own} {other}");
            }
        }
    }
}

#[test]
fn no_two_tasks_of_a_colour_share_a_body_that_moves() {
    for problem in scalar() {
        let (units, groups) = Units::new(&problem);
        let mut colouring = Colouring::new(64);
        colouring.update(groups);
        let pack = Pack::<f32>::new(&problem, RULE).expect("bodies");
        let order = TaskOrder::new(&problem, &pack, &units, &colouring);
        let bodies = problem.bodies().expect("bodies");
        for span in order.spans.iter().filter(|s| !s.serial) {
            let mut seen = vec![None; bodies.len()];
            for task in span.first..span.first + span.count {
                let range = order.first_piece[task as usize]..order.first_piece[task as usize + 1];
                for piece in &order.pieces[range.start as usize..range.end as usize] {
                    let index = (piece & 0x7fff_ffff) as usize;
                    let slots = if piece >> 31 == 0 {
                        2 * index..2 * index + 2
                    } else {
                        let [_, _, first, sides] = pack.units.heads[index].map(|x| x as usize);
                        first..first + sides
                    };
                    for body in &pack.slots.body[slots] {
                        if let Some(last) = seen.get_mut(*body as usize) {
                            assert!(last.is_none_or(|t| t == task), "body {body}");
                            *last = Some(task);
                        }
                    }
                }
            }
        }
    }
}

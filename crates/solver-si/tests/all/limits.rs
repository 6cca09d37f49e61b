//! Limits inside long sweeps and preparations. Looks at the limit are counted, so that no clock
//! decides.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use delassus_core::interrupt::{Left, within};
use delassus_core::{ImpulseSolver, Problem, SolveError, Solver, Start};
use delassus_problems::generate;
use delassus_solver_si::{
    BlockGs, ChebyshevPgs, ColouredPgs, Hybrid, NaiveImpulses, Nncg, Pgs, RandomPgs,
    ShockPropagation, Staggered, SymmetricPgs,
};

use crate::one_sweep::as_matrix;
use crate::support::chain;

fn solver<S: Solver + 'static>() -> Box<dyn ImpulseSolver> {
    Box::new(S::new(S::Parameters::default()).expect("valid defaults"))
}

/// A limit that leaves a second before the look after so many, and nothing from there on; and the
/// looks so far.
fn looks(count: u32) -> (Left, Arc<AtomicU32>) {
    let seen = Arc::new(AtomicU32::new(0));
    let counter = Arc::clone(&seen);
    let left = move || f64::from(u8::from(counter.fetch_add(1, Ordering::Relaxed) < count));
    (Arc::new(left), seen)
}

fn impulses(solver: &mut dyn ImpulseSolver, problem: &Problem) -> Vec<f64> {
    let mut impulses = vec![f64::NAN; problem.rows()];
    solver.read_impulses(&mut impulses).expect("impulses");
    impulses
}

/// A matrix without zero blocks: a sweep takes more than a million multiplications.
fn dense_problem() -> Problem {
    let parameters = serde_json::json!({ "n": 90, "law": "coulomb" });
    let parameters = parameters.as_object().expect("an object");
    let stack = generate("stack", parameters).expect("a stack");
    let problem = as_matrix(&stack.problem);
    assert!(problem.rows().pow(2) > 1_000_000, "{}", problem.rows());
    problem
}

#[test]
fn a_sweep_that_a_limit_cuts_leaves_the_impulses_before_it() {
    let problem = dense_problem();
    let makes: [fn() -> Box<dyn ImpulseSolver>; 9] = [
        solver::<Pgs>,
        solver::<SymmetricPgs>,
        solver::<Staggered>,
        solver::<Nncg>,
        solver::<ChebyshevPgs>,
        solver::<RandomPgs>,
        solver::<ColouredPgs>,
        solver::<BlockGs>,
        solver::<Hybrid>,
    ];
    for make in makes {
        let (mut cut, mut start) = (make(), vec![0.0; problem.rows()]);
        let id = cut.descriptor().id;
        cut.prepare(&problem, Start::Cold).expect("prepared");
        for sweeps in [0, 2] {
            // from the start, and from the impulses of whole sweeps
            if sweeps > 0 {
                cut.iterate(&problem, sweeps).expect("sweeps");
                start = impulses(cut.as_mut(), &problem);
            }
            let (left, seen) = looks(1);
            let outcome = within(left, || cut.iterate(&problem, 1));
            assert_eq!(outcome, Err(SolveError::Interrupted), "{id}");
            let seen = seen.load(Ordering::Relaxed);
            assert!((2..=4).contains(&seen), "{id}: {seen} looks");
            assert_eq!(impulses(cut.as_mut(), &problem), start, "{id}");
        }
        // after a cut, the solver continues like one that starts with these impulses
        let mut whole = make();
        let warm = Start::Warm(&start);
        whole.prepare(&problem, warm).expect("prepared");
        for solver in [&mut cut, &mut whole] {
            solver.iterate(&problem, 2).expect("sweeps");
        }
        let [cut, whole] = [cut, whole].map(|mut solver| impulses(solver.as_mut(), &problem));
        assert_eq!(cut, whole, "{id}");
    }
}

#[test]
fn preparations_look_at_a_limit_and_end_there() {
    let problem = chain(&vec![1.0; 20_000], true);
    let makes: [fn() -> Box<dyn ImpulseSolver>; 5] = [
        solver::<Pgs>,
        solver::<BlockGs>,
        solver::<NaiveImpulses>,
        solver::<RandomPgs>,
        solver::<ShockPropagation>,
    ];
    for make in makes {
        let mut prepared = make();
        let id = prepared.descriptor().id;
        let (left, seen) = looks(u32::MAX);
        let outcome = within(left, || prepared.prepare(&problem, Start::Cold));
        let all = seen.load(Ordering::Relaxed);
        assert_eq!(outcome, Ok(()), "{id}");
        // packing, refreshing and building look once per million multiplications
        assert!(all >= 10, "{id}: {all} looks");
        for part in 0..6 {
            let count = part * (all - 1) / 6;
            let (left, seen) = looks(count);
            let outcome = within(left, || make().prepare(&problem, Start::Cold));
            assert_eq!(outcome, Err(SolveError::Interrupted), "{id} at {count}");
            assert!(seen.load(Ordering::Relaxed) <= count + 2, "{id} at {count}");
        }
    }
}

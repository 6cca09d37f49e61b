//! Estimates of memory against what an allocator counts, and the state that decides the sweeps to
//! come.

use delassus_core::{Problem, Start, StateCoverage};
use delassus_solver_si::Order;

use crate::one_sweep::{as_matrix, rig};
use crate::support::{ORDERS, all, chain, run};

/// The estimate and the bytes that `prepare` holds at once, for every solver and order.
fn compare(problem: &Problem) {
    for order in ORDERS {
        for mut solver in all(order) {
            let estimate = solver.footprint(problem) as f64;
            let counted = allocation_counter::measure(|| {
                solver.prepare(problem, Start::Cold).expect("supported");
            });
            let share = counted.bytes_max as f64 / estimate;
            // counts leave out small vectors, and the indices of a matrix of small blocks
            let within = (0.3..=1.25).contains(&share);
            assert!(within, "{} {order:?}: {share}", solver.descriptor().id);
        }
    }
}

#[test]
fn estimates_are_what_prepare_allocates() {
    let bodies = rig(1);
    compare(&bodies);
    compare(&as_matrix(&bodies));
    let masses = vec![1.0; 400];
    compare(&chain(&masses, true));
    let few = chain(&masses[..30], true);
    compare(&as_matrix(&few));
}

#[test]
fn the_state_begins_with_impulses_and_velocities() {
    let problem = rig(2);
    for order in ORDERS {
        for mut solver in all(order) {
            let mut expected = run(solver.as_mut(), &problem, Start::Cold, 3);
            let mut velocities = vec![0.0; problem.bodies().unwrap().free_velocity.len()];
            solver.read_velocities(&problem, &mut velocities).unwrap();
            expected.append(&mut velocities);
            let mut state = Vec::new();
            let memory = solver.fingerprint(&mut state).unwrap().expect("kept");
            // a random order is left out, so that only a rest is told
            assert_eq!(memory == StateCoverage::Complete, order != Order::Random);
            let expected: Vec<u64> = expected.into_iter().map(f64::to_bits).collect();
            assert_eq!(state[..expected.len()], expected);
        }
    }
}

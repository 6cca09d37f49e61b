//! Estimates of memory against what an allocator counts.

use delassus_core::{Problem, Start};

use crate::one_sweep::{as_matrix, rig};
use crate::support::{ORDERS, all, chain};

/// The estimate and the bytes that `prepare` holds at once, for every solver and order.
fn compare(problem: &Problem) {
    for order in ORDERS {
        for mut solver in all(order) {
            let estimate = solver.memory(problem) as f64;
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

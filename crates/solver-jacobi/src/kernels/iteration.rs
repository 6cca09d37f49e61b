//! One iteration: the kernels in the order in which a device dispatches them.

use super::control::MomentumState;
use super::sums::{self, Sums};
use super::{bodies, manifolds, rows};
use crate::pack::{Iterate, Pack};
use crate::real::Real;
use crate::rule::LocalSweep;

/// Velocities of the impulses, without momentum.
pub fn restart<T: Real>(pack: &Pack<T>, state: &mut Iterate<T>) {
    state.forget(pack);
    manifolds::wrenches(pack, state);
    rows::wrenches(pack, state);
    bodies::run(pack, state, T::ZERO);
    state.velocity.clone_from(&state.settled);
}

/// Pieces, then bodies, then the momentum of the next iteration; `sums` holds one entry per piece.
pub fn run<T: Real>(
    pack: &Pack<T>,
    state: &mut Iterate<T>,
    control: &mut MomentumState<T>,
    sums: &mut [Sums<T>],
) {
    let step = control.step(pack.rule().sweep == LocalSweep::Block);
    let (of_manifolds, of_units) = sums.split_at_mut(pack.manifolds.len());
    manifolds::run(pack, state, step, of_manifolds);
    rows::run(pack, state, step, of_units);
    state.current = 1 - state.current;
    bodies::run(pack, state, control.next_beta());
    if control.is_accelerated() {
        control.advance(sums::tree(sums));
    }
}

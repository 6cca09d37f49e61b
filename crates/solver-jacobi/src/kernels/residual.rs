//! `residual`: the largest natural residual of the iterate, as a velocity.
//!
//! |λ − Π(λ − w/D)| D per row, with λ_k and v_k, friction bounded by the projected normal impulse: zero at solutions only
//! (M.4 with ρ = 1/D). Every piece makes a plain step and throws it away. The shaders
//! `residual.wgsl` and `residual_rows.wgsl` do the same for manifolds and units; the largest of
//! numbers does not depend on their order (K.31).

use super::IterationStep;
use super::manifolds::{self};
use super::rows;
use crate::pack::{Iterate, Pack, active_of, count_of};
use crate::real::Real;

/// Largest natural residual \[m/s | rad/s\]. `scratch` is workspace that grows once.
pub fn run<T: Real>(
    pack: &Pack<T>,
    state: &Iterate<T>,
    scratch: &mut Vec<crate::real::Quad<T>>,
) -> T {
    let step = IterationStep::plain(false);
    let mut largest = T::ZERO;
    let points = pack.manifolds.points();
    let now = &state.points[state.current * points..(state.current + 1) * points];
    for (index, head) in pack.manifolds.heads.iter().enumerate() {
        let out = manifolds::manifold(pack, &state.settled, now, now, step, index);
        let [first, flags, ..] = *head;
        for point in 0..count_of(flags) {
            let steps = pack.manifolds.steps(index, first, point);
            let (old, new) = (now[(first + point) as usize], out.impulses[point as usize]);
            for row in 0..active_of(flags, point) as usize {
                largest = larger(largest, (old[row] - new[row]).abs() / steps[row]);
            }
        }
    }
    let quads = pack.units.impulse_quads();
    scratch.clear();
    scratch.extend_from_slice(&state.rows[state.current * quads..(state.current + 1) * quads]);
    scratch.resize(2 * quads, [T::ZERO; 4]);
    for index in 0..pack.units.len() {
        rows::unit(
            pack,
            &state.settled,
            scratch,
            [0, 0, quads],
            step,
            index,
            None,
        );
    }
    for block in pack.units.active_blocks() {
        for local in 0..block.active {
            let row = block.first_row + local;
            let (at, lane) = (row / 4, row % 4);
            let change = (scratch[at][lane] - scratch[quads + at][lane]).abs();
            largest = larger(
                largest,
                change / pack.units.numbers[block.numbers + 1 + local][2],
            );
        }
    }
    largest
}

/// The larger; NaN wins, so that a broken iterate is seen.
fn larger<T: Real>(a: T, b: T) -> T {
    if b <= a { a } else { b }
}

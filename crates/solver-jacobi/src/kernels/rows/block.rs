//! One block of a unit as it is packed.

use crate::pack::Pack;
use crate::real::Real;

/// One block of a unit.
#[derive(Clone, Copy)]
pub(super) struct UnitBlock<T> {
    pub(super) first: usize,
    pub(super) rows: usize,
    pub(super) active: usize,
    pub(super) law: u32,
    pub(super) numbers: usize,
    /// Bounds or limit, friction coefficient, number of normals; of facets their number, of rolling
    /// contacts the lengths ρ_r and ρ_s \[m\] for bounds.
    pub(super) lower: T,
    pub(super) upper: T,
    pub(super) mu: T,
    pub(super) normals: usize,
    /// First number of the compliance that its rows share, or a mark.
    pub(super) coupling: usize,
}

#[inline(always)]
pub(super) fn load_block<T: Real>(pack: &Pack<T>, head: usize) -> UnitBlock<T> {
    let [first, rows, flags, numbers] = pack.units.heads[head];
    let [lower, upper, mu, normals] = pack.units.numbers[numbers as usize];
    let law = flags & 255;
    UnitBlock {
        first: first as usize,
        rows: rows as usize,
        active: (flags >> 8) as usize,
        law,
        numbers: numbers as usize,
        lower,
        upper,
        mu,
        normals: to_count(normals),
        coupling: pack.units.coupling().of(head - pack.units.len()),
    }
}

/// A small count that was stored as a number.
#[inline(always)]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "packed from a count"
)]
fn to_count<T: Real>(x: T) -> usize {
    x.widen() as usize
}

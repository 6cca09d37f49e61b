//! Laws as rows of `blocks/parameters`.

use delassus_core::{Law, LawKind, ScaledKind};

/// Most numbers of a law \[-\].
pub(crate) const MOST_NUMBERS: usize = 5;

/// The numbers of a law; unused ones are zero.
pub(crate) fn numbers(law: &Law) -> [f64; MOST_NUMBERS] {
    let (mut all, numbers) = ([0.0; MOST_NUMBERS], law.numbers());
    all[..numbers.len()].copy_from_slice(&numbers);
    all
}

/// How many of the numbers of a row a law has on a block of `dim` rows \[-\].
pub(super) fn used(kind: LawKind, dim: usize) -> usize {
    match kind {
        LawKind::Equality | LawKind::Frictionless => 0,
        LawKind::FixedBox
        | LawKind::Pyramid
        | LawKind::Disc
        | LawKind::Coulomb
        | LawKind::ConvexCone
        | LawKind::Patch => 1,
        LawKind::Bounds | LawKind::Facets => 2,
        LawKind::Rolling => 2 + usize::from(dim != 5),
        kind => ScaledKind::of(kind).map_or(0, |entry| entry.numbers(dim)),
    }
}

/// The law with its numbers; `None` for a law that is not known here.
pub(crate) fn read(kind: LawKind, dim: usize, numbers: &[f64], levers: &[f64]) -> Option<Law> {
    let number = |index: usize| numbers.get(index).copied().unwrap_or_default();
    let [first, second, third] = [0, 1, 2].map(number);
    Some(match kind {
        LawKind::Equality => Law::Equality,
        LawKind::Bounds => Law::bounds(first, second),
        LawKind::Frictionless => Law::frictionless(),
        LawKind::FixedBox => Law::fixed_box(first),
        LawKind::Pyramid => Law::pyramid(first),
        LawKind::Disc => Law::disc(first),
        LawKind::Coulomb => Law::coulomb(first),
        LawKind::ConvexCone => Law::convex_cone(first),
        LawKind::Patch => Law::patch(first, levers.to_vec()),
        LawKind::Facets => Law::facets(first, whole(second)),
        // the dimension says whether there is a row of spinning
        LawKind::Rolling => Law::rolling(first, second, (dim != 5).then_some(third)),
        kind => return Law::scaled(kind, dim, numbers),
    })
}

/// A count that is stored as a number; zero, which is refused, where it is none.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "compared with the number"
)]
fn whole(number: f64) -> u32 {
    let count = number as u32;
    if f64::from(count) == number { count } else { 0 }
}

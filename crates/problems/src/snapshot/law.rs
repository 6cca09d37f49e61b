//! Laws as rows of `blocks/parameters`.

use delassus_core::{Friction, Law, LawKind};

/// The numbers of a law; unused ones are zero.
pub(super) fn numbers(law: &Law) -> [f64; 3] {
    match law {
        Law::Equality => [0.0; 3],
        Law::Bounds { lower, upper } => [*lower, *upper, 0.0],
        Law::Contact(Friction::Facets { mu, facets }) => [*mu, f64::from(*facets), 0.0],
        Law::Contact(friction) => [friction.number(), 0.0, 0.0],
        Law::Patch(patch) => [patch.mu, 0.0, 0.0],
        Law::Rolling(rolling) => {
            let spinning = rolling.spinning.unwrap_or_default();
            [rolling.mu, rolling.rolling, spinning]
        }
    }
}

/// The law with its numbers: two of them, three where the law has as many.
pub(super) fn read(kind: LawKind, dim: usize, numbers: &[f64], levers: &[f64]) -> Law {
    let number = |index: usize| numbers.get(index).copied().unwrap_or_default();
    let [first, second, third] = [0, 1, 2].map(number);
    match kind {
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
    }
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

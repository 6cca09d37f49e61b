//! Laws as rows of `blocks/parameters`.

use delassus_core::{Friction, Law, LawKind, Patch, Rolling};

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
        LawKind::Bounds => Law::Bounds {
            lower: first,
            upper: second,
        },
        LawKind::Frictionless => Law::Contact(Friction::Frictionless),
        LawKind::FixedBox => Law::Contact(Friction::FixedBox { limit: first }),
        LawKind::Pyramid => Law::Contact(Friction::Pyramid { mu: first }),
        LawKind::Disc => Law::Contact(Friction::Disc { mu: first }),
        LawKind::Coulomb => Law::Contact(Friction::Coulomb { mu: first }),
        LawKind::ConvexCone => Law::Contact(Friction::ConvexCone { mu: first }),
        LawKind::Patch => Law::Patch(Box::new(Patch {
            mu: first,
            levers: levers.to_vec(),
        })),
        LawKind::Facets => Law::Contact(Friction::Facets {
            mu: first,
            facets: whole(second),
        }),
        // the dimension says whether there is a row of spinning
        LawKind::Rolling => Law::Rolling(Box::new(Rolling {
            mu: first,
            rolling: second,
            spinning: (dim != 5).then_some(third),
        })),
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

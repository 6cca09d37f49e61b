//! Laws by name and numbers, as Python has them.

use delassus_core::suggest::Hint;
use delassus_core::{EntryError, Law, LawKind};
use pyo3::PyResult;

use crate::errors::refused;

/// The law with this identifier.
pub(crate) fn kind_of(name: &str) -> PyResult<LawKind> {
    let found = LawKind::ALL.iter().find(|kind| kind.id() == name);
    found.copied().ok_or_else(|| {
        refused(EntryError::UnknownId {
            kind: "law",
            id: name.to_owned(),
            hint: Hint::new(name, LawKind::ALL.iter().map(|kind| kind.id())),
        })
    })
}

/// The law of a block of `dim` rows, with its numbers in the order of [`numbers_of`].
pub(crate) fn law_of(name: &str, dim: usize, numbers: &[f64]) -> PyResult<Law> {
    let kind = kind_of(name)?;
    let wrong = |expected: &str| {
        let count = numbers.len();
        refused(format!(
            "a block with the law {name} has {expected}, not {count} numbers"
        ))
    };
    let law = match (kind, numbers) {
        (LawKind::Equality, []) => Law::Equality,
        (LawKind::Bounds, [lower, upper]) => Law::bounds(*lower, *upper),
        (LawKind::Frictionless, []) => Law::frictionless(),
        (LawKind::FixedBox, [limit]) => Law::fixed_box(*limit),
        (LawKind::Pyramid, [mu]) => Law::pyramid(*mu),
        (LawKind::Disc, [mu]) => Law::disc(*mu),
        (LawKind::Coulomb, [mu]) => Law::coulomb(*mu),
        (LawKind::ConvexCone, [mu]) => Law::convex_cone(*mu),
        (LawKind::Facets, [mu, facets]) => Law::facets(*mu, directions(*facets)?),
        (LawKind::Patch, [mu, levers @ ..]) => Law::patch(*mu, levers.to_vec()),
        (LawKind::Rolling, [mu, rolling]) => Law::rolling(*mu, *rolling, None),
        (LawKind::Rolling, [mu, rolling, spinning]) => Law::rolling(*mu, *rolling, Some(*spinning)),
        (LawKind::Equality | LawKind::Frictionless, _) => return Err(wrong("no numbers")),
        (LawKind::Bounds, _) => return Err(wrong("a lower and an upper bound")),
        (LawKind::Facets, _) => return Err(wrong("a coefficient and a number of directions")),
        (LawKind::Patch, _) => return Err(wrong("a coefficient and a lever per point")),
        (LawKind::Rolling, _) => return Err(wrong("two or three coefficients")),
        (
            LawKind::FixedBox
            | LawKind::Pyramid
            | LawKind::Disc
            | LawKind::Coulomb
            | LawKind::ConvexCone,
            _,
        ) => return Err(wrong("one number")),
        // the laws with a coefficient per row
        _ => {
            let law = Law::scaled(kind, dim, numbers);
            law.ok_or_else(|| wrong("a coefficient per row of friction"))?
        }
    };
    Ok(law)
}

/// A number of directions, which Python hands over as a float.
fn directions(number: f64) -> PyResult<u32> {
    let whole = (0..=4096_u32).find(|count| f64::from(*count) == number);
    whole.ok_or_else(|| {
        refused(format!(
            "{number} directions of friction: give a whole number"
        ))
    })
}

/// The numbers of a law.
pub(crate) fn numbers_of(law: &Law) -> Vec<f64> {
    [law.numbers().as_slice(), law.levers()].concat()
}

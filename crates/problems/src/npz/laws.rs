//! The laws of blocks as arrays with a number per block, and back.

use delassus_core::{Block, Choice, Law, LawKind, Problem, ScaledKind};
use delassus_formats::npz::{NamedArray, NpyValues};

use super::arrays::{Arrays, bad, reals};
use super::names;
use crate::error::ProblemReadError;
use crate::snapshot::law::{MOST_NUMBERS, numbers, read};

/// The arrays that the numbers of a law stand in, in the order of the numbers; those of bounds and
/// of scaled laws stand in rows of `bounds` and `coefficients`.
fn places(kind: LawKind, dim: usize) -> &'static [&'static str] {
    match kind {
        LawKind::FixedBox => &[names::LIMIT],
        LawKind::Pyramid
        | LawKind::Disc
        | LawKind::Coulomb
        | LawKind::ConvexCone
        | LawKind::Patch => &[names::MU],
        LawKind::Facets => &[names::MU, names::FACETS],
        LawKind::Rolling if dim == 5 => &[names::MU, names::ROLLING],
        LawKind::Rolling => &[names::MU, names::ROLLING, names::SPINNING],
        _ => &[],
    }
}

/// Per block: rows, law, coefficients and bounds; arrays of numbers that no block has are left out
/// where laws seldom have them.
pub(super) fn arrays(problem: &Problem) -> Vec<NamedArray> {
    let blocks = problem.blocks();
    let count = blocks.len();
    let dims = blocks
        .iter()
        .map(|block| i64::try_from(block.dim).unwrap_or(i64::MAX));
    let laws = blocks.iter().map(|block| block.law.kind().id().to_owned());
    let bounds = blocks.iter().flat_map(|block| unbounded(&block.law));
    let mut arrays = vec![
        NamedArray {
            name: names::DIM.into(),
            shape: vec![count],
            values: NpyValues::I64(dims.collect()),
        },
        NamedArray {
            name: names::LAW.into(),
            shape: vec![count],
            values: NpyValues::Text(laws.collect()),
        },
        reals(names::BOUNDS, &[count, 2], bounds.collect()),
    ];
    for name in [
        names::MU,
        names::ROLLING,
        names::SPINNING,
        names::LIMIT,
        names::FACETS,
    ] {
        let number = |block: &Block| {
            let places = places(block.law.kind(), block.dim);
            let place = places.iter().position(|place| *place == name);
            place.map(|place| numbers(&block.law)[place])
        };
        if matches!(name, names::MU | names::ROLLING) || blocks.iter().any(|b| number(b).is_some())
        {
            let values = blocks.iter().map(|block| number(block).unwrap_or_default());
            arrays.push(reals(name, &[count], values.collect()));
        }
    }
    let is_scaled = |block: &&Block| ScaledKind::of(block.law.kind()).is_some();
    if blocks.iter().any(|block| is_scaled(&block)) {
        let values = blocks.iter().flat_map(|block| match is_scaled(&block) {
            true => numbers(&block.law),
            false => [0.0; MOST_NUMBERS],
        });
        let shape = [count, MOST_NUMBERS];
        arrays.push(reals(names::COEFFICIENTS, &shape, values.collect()));
    }
    let levers = blocks.iter().flat_map(|block| block.law.levers());
    let levers = levers.copied().collect::<Vec<_>>();
    if !levers.is_empty() {
        arrays.push(reals(names::LEVERS, &[levers.len()], levers));
    }
    arrays
}

/// The bounds of a block: its own, else those that its first row has by its law.
fn unbounded(law: &Law) -> [f64; 2] {
    law.row_bounds().unwrap_or([0.0, f64::INFINITY])
}

/// The blocks of an archive.
pub(super) fn laws(arrays: &Arrays) -> Result<Vec<Block>, ProblemReadError> {
    let dims = arrays.array(names::DIM)?;
    let NpyValues::I64(dims) = &dims.values else {
        return Err(bad(names::DIM, "has no whole numbers"));
    };
    let count = dims.len();
    let kinds = kinds(arrays, count)?;
    let columns = Columns::read(arrays, count)?;
    let (mut first_row, mut first_lever) = (0_usize, 0_usize);
    let mut blocks = Vec::with_capacity(count);
    for (index, (dim, kind)) in dims.iter().zip(kinds).enumerate() {
        let dim = usize::try_from(*dim).ok().filter(|dim| *dim > 0);
        let dim = dim.ok_or_else(|| bad(names::DIM, format!("has no row for block {index}")))?;
        let mut levers: &[f64] = &[];
        if kind == LawKind::Patch {
            let end = first_lever.saturating_add(dim.saturating_sub(3));
            levers = columns.levers.get(first_lever..end).ok_or_else(|| {
                bad(
                    names::LEVERS,
                    format!("is too short for the patch of block {index}"),
                )
            })?;
            first_lever = end;
        }
        let numbers = columns.numbers(index, kind, dim)?;
        let unknown = || {
            bad(
                names::LAW,
                format!("has a law in block {index} that is not read"),
            )
        };
        blocks.push(Block {
            first_row,
            dim,
            law: read(kind, dim, &numbers, levers).ok_or_else(unknown)?,
            feature: index as u64,
        });
        let next = first_row.checked_add(dim);
        first_row = next.ok_or_else(|| bad(names::DIM, "adds up to too many rows"))?;
    }
    if first_lever != columns.levers.len() {
        return Err(bad(names::LEVERS, "is too long for the patches"));
    }
    Ok(blocks)
}

fn kinds(arrays: &Arrays, count: usize) -> Result<Vec<LawKind>, ProblemReadError> {
    let array = arrays.array(names::LAW)?;
    let NpyValues::Text(texts) = &array.values else {
        return Err(bad(names::LAW, "has no texts; give identifiers of laws"));
    };
    if texts.len() != count {
        let reason = format!("has {} laws for {count} blocks", texts.len());
        return Err(bad(names::LAW, reason));
    }
    let kind = |text: &String| LawKind::from_name(text);
    let kinds = texts.iter().map(kind).collect::<Result<_, _>>();
    kinds.map_err(|error| bad(names::LAW, format!("has an unknown law: {error}")))
}

/// The numbers of all laws.
struct Columns {
    /// A number per block, by the name of the array.
    single: Vec<(&'static str, Vec<f64>)>,
    bounds: Vec<f64>,
    coefficients: Vec<f64>,
    levers: Vec<f64>,
}

impl Columns {
    fn read(arrays: &Arrays, count: usize) -> Result<Self, ProblemReadError> {
        let single = [
            names::MU,
            names::ROLLING,
            names::SPINNING,
            names::LIMIT,
            names::FACETS,
        ];
        let single = single.into_iter().filter(|name| arrays.has(name));
        let single = single.map(|name| Ok((name, arrays.reals(name, &[count])?)));
        let levers = match arrays.has(names::LEVERS) {
            true => arrays.array(names::LEVERS)?.shape.clone(),
            false => Vec::new(),
        };
        let read =
            |name, shape: &[usize]| arrays.optional(name, shape).map(Option::unwrap_or_default);
        Ok(Self {
            single: single.collect::<Result<_, ProblemReadError>>()?,
            bounds: read(names::BOUNDS, &[count, 2])?,
            coefficients: read(names::COEFFICIENTS, &[count, MOST_NUMBERS])?,
            levers: read(names::LEVERS, &levers)?,
        })
    }

    /// The numbers of a block; those that its law has no place for must be zero.
    fn numbers(
        &self,
        block: usize,
        kind: LawKind,
        dim: usize,
    ) -> Result<[f64; MOST_NUMBERS], ProblemReadError> {
        let mut all = [0.0; MOST_NUMBERS];
        let places = places(kind, dim);
        for (number, name) in all.iter_mut().zip(places) {
            let column = self.single.iter().find(|(array, _)| array == name);
            let missing = || bad(name, format!("is missing; block {block} is {kind}"));
            *number = column.ok_or_else(missing)?.1[block];
        }
        for (name, column) in &self.single {
            if !places.contains(name) && column[block] != 0.0 {
                let reason = format!(
                    "has {} in block {block}, whose law {kind} has none",
                    column[block]
                );
                return Err(bad(name, reason));
            }
        }
        let row = |numbers: &[f64], width| {
            numbers
                .get(block * width..(block + 1) * width)
                .map(<[f64]>::to_vec)
        };
        let bounds = row(&self.bounds, 2);
        if kind == LawKind::Bounds {
            let missing = || {
                bad(
                    names::BOUNDS,
                    format!("is missing; block {block} has bounds"),
                )
            };
            all[..2].copy_from_slice(&bounds.ok_or_else(missing)?);
        } else if let Some(found) = bounds
            && found != [0.0, f64::INFINITY]
            && found != [f64::NEG_INFINITY, f64::INFINITY]
        {
            let reason = format!("has {found:?} in block {block}, whose law {kind} has none");
            return Err(bad(names::BOUNDS, reason));
        }
        let coefficients = row(&self.coefficients, MOST_NUMBERS);
        let used = ScaledKind::of(kind).map_or(0, |entry| entry.numbers(dim));
        if used > 0 {
            let missing = || {
                bad(
                    names::COEFFICIENTS,
                    format!("is missing; block {block} is {kind}"),
                )
            };
            all.copy_from_slice(&coefficients.clone().ok_or_else(missing)?);
        }
        if coefficients.is_some_and(|row| row.iter().skip(used).any(|x| *x != 0.0)) {
            let reason = format!("has more numbers in block {block} than the {used} of {kind}");
            return Err(bad(names::COEFFICIENTS, reason));
        }
        Ok(all)
    }
}

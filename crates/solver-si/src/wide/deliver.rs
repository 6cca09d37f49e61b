//! Packing in the order of the problem.
//!
//! Sweeps read bundles colour by colour; a problem holds its rows in another order, and they are most of what a packing
//! reads. So `N` manifolds that follow each other in the problem are packed together, and each is delivered to its lane:
//! the reads are one stream, and the few bundles that are being filled stay in the first-level cache.

use super::batch::{Batch, Context};
use super::lanes::Lanes;
use super::manifold::{EMPTY, MAX_POINTS, ManifoldBundle, Manifolds, Packed};
use super::pack::Stage;

/// Where a manifold goes.
#[derive(Debug, Clone, Copy)]
struct Address {
    first_block: u32,
    /// Number of the batch among those of its kind.
    batch: u32,
    /// Lane, counted over all bundles of the batch.
    at: u32,
}

/// The manifolds of so many points, with or without boxed tangents, in the order of the problem.
#[derive(Debug, Clone, Default)]
pub(crate) struct Addresses {
    kinds: [[Vec<Address>; 2]; MAX_POINTS],
}

/// Evaluates an expression with the manifolds of a batch, if it holds any.
macro_rules! manifolds {
    ($batch:expr, $name:ident => $body:expr) => {
        match $batch {
            Batch::Points1($name) => $body,
            Batch::Points2($name) => $body,
            Batch::Points3($name) => $body,
            Batch::Points4($name) => $body,
            _ => {}
        }
    };
}

impl Addresses {
    /// Of the batches, in the order in which [`deliver`] will see them.
    pub(crate) fn of<'a, const N: usize>(batches: impl Iterator<Item = &'a Batch<N>>) -> Self {
        let mut all = Self::default();
        let mut counts = [[0; 2]; MAX_POINTS];
        for batch in batches {
            manifolds!(batch, manifolds => all.add(manifolds, &mut counts));
        }
        for list in all.kinds.iter_mut().flatten() {
            list.sort_unstable_by_key(|address| address.first_block);
        }
        all
    }

    fn add<const N: usize, const P: usize>(
        &mut self,
        manifolds: &Manifolds<N, P>,
        counts: &mut [[u32; 2]; MAX_POINTS],
    ) {
        let (points, boxed) = (P - 1, usize::from(manifolds.boxed));
        let lanes = (0u32..).zip(manifolds.blocks.iter().flatten());
        let filled = lanes.filter(|(_, block)| **block != EMPTY);
        let batch = counts[points][boxed];
        self.kinds[points][boxed].extend(filled.map(|(at, block)| Address {
            first_block: *block,
            batch,
            at,
        }));
        counts[points][boxed] += 1;
    }
}

/// Packs the manifolds of all batches; says if every one is what the plan says, and if the fast kernel leaves something
/// out.
pub(crate) fn deliver<V: Lanes<N>, const N: usize>(
    token: V::Token,
    context: &Context<'_>,
    addresses: &Addresses,
    batches: &mut [&mut Batch<N>],
) -> Packed {
    let mut packed = Packed {
        fits: true,
        needs_full: false,
    };
    macro_rules! kind {
        ($variant:ident, $points:literal) => {
            for boxed in [false, true] {
                let list = &addresses.kinds[$points - 1][usize::from(boxed)];
                if list.is_empty() {
                    continue;
                }
                let targets = batches.iter_mut().filter_map(|batch| match &mut **batch {
                    Batch::$variant(manifolds) if manifolds.boxed == boxed => Some(manifolds),
                    _ => None,
                });
                let mut targets: Vec<&mut Manifolds<N, $points>> = targets.collect();
                let found = V::vectorize(
                    token,
                    #[inline(always)]
                    || stream(context, list, &mut targets, boxed),
                );
                packed.fits &= found.fits;
                packed.needs_full |= found.needs_full;
            }
        };
    }
    kind!(Points1, 1);
    kind!(Points2, 2);
    kind!(Points3, 3);
    kind!(Points4, 4);
    packed
}

#[inline(always)]
fn stream<const N: usize, const P: usize>(
    context: &Context<'_>,
    addresses: &[Address],
    targets: &mut [&mut Manifolds<N, P>],
    boxed: bool,
) -> Packed {
    let Context {
        problem,
        bodies,
        impulses,
        ..
    } = *context;
    // fewer than 2³¹ bodies, as the plan found
    let world = u32::try_from(bodies.len()).unwrap_or(0);
    let mut packed = Packed {
        fits: true,
        needs_full: boxed,
    };
    let mut stage = Stage::<N, P>::new(world);
    let mut bundle = ManifoldBundle::empty(world);
    let mut tangents = [[0.0; N]; P];
    for chunk in addresses.chunks(N) {
        if chunk.len() < N {
            stage = Stage::new(world);
        }
        for (lane, address) in chunk.iter().enumerate() {
            let first = address.first_block as usize;
            let found = stage.load(lane, problem, bodies, impulses, first);
            packed.fits &= found.fits;
            packed.needs_full |= found.needs_full;
        }
        packed.fits &= stage.write(&mut bundle, &mut tangents, boxed);
        for (lane, address) in chunk.iter().enumerate() {
            let row = problem.blocks()[address.first_block as usize].first_row;
            // fewer than 2³² rows
            let row = u32::try_from(row).unwrap_or(0);
            let target = &mut targets[address.batch as usize];
            let from = (&bundle, &tangents);
            target.put(address.at as usize, row, problem.diagonal(), from, lane);
        }
    }
    packed
}

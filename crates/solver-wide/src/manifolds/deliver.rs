//! Packing in the order of the problem.
//!
//! Sweeps read bundles colour by colour; a problem holds its rows in another order, and they are
//! most of what a packing reads. So manifolds that follow each other in the problem are packed
//! together, and each is delivered to its lane: the reads are one stream, and the few bundles that
//! are being filled stay in the first-level cache. Every thread's part has its own list, so that
//! parts can be packed side by side.

use super::Manifolds;
use super::layout::MAX_POINTS;
use super::stage::ManifoldStage;
use super::staging::{Delivery, LaneRequest, Staged, StagedLane, WIDTH};
use crate::batch::Context;
use crate::bundle::{EMPTY, Interleaved};
use crate::lanes::Lanes;
use crate::level::Level;
use crate::workers::ThreadPart;

/// Where a manifold goes.
#[derive(Debug, Clone, Copy)]
struct Address {
    first_block: u32,
    batch: BatchPlace,
    /// Lane, counted over all bundles of the batch.
    at: u32,
}

/// Where a batch is.
#[derive(Debug, Clone, Copy)]
struct BatchPlace {
    /// Its step in the sweep, and its place in that.
    step: u16,
    place: u32,
}

/// The manifolds of one part, those of so many points, with or without boxed tangents, in the order
/// of the problem.
#[derive(Debug, Default)]
pub(crate) struct Addresses {
    kinds: [[Vec<Address>; 2]; MAX_POINTS],
}

/// What packing found.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PackingResult {
    /// Every block is what the plan says.
    pub(crate) fits: bool,
    /// The fast kernel leaves something out.
    pub(crate) needs_full: bool,
}

impl PackingResult {
    /// Of nothing.
    pub(crate) const PLAIN: Self = Self {
        fits: true,
        needs_full: false,
    };

    /// Of two parts.
    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            fits: self.fits & other.fits,
            needs_full: self.needs_full | other.needs_full,
        }
    }
}

impl Addresses {
    /// Of the batches of a part.
    pub(crate) fn of(part: &mut ThreadPart) -> Self {
        let mut all = Self::default();
        for (step, batches) in (0u16..).zip(&mut part.steps) {
            for (place, batch) in (0u32..).zip(batches) {
                if let Some(manifolds) = batch.manifolds() {
                    all.list(BatchPlace { step, place }, &manifolds.lane_request());
                }
            }
        }
        for list in all.kinds.iter_mut().flatten() {
            list.sort_unstable_by_key(|address| address.first_block);
        }
        all
    }

    /// Lists the lanes of a batch.
    fn list(&mut self, batch: BatchPlace, request: &LaneRequest<'_>) {
        let list = &mut self.kinds[request.points - 1][usize::from(request.boxed)];
        let lanes = (0u32..).zip(request.blocks);
        let filled = lanes.filter(|(_, block)| **block != EMPTY);
        list.extend(filled.map(|(at, block)| Address {
            first_block: *block,
            batch,
            at,
        }));
    }

    /// Number of manifolds \[-\].
    pub(crate) fn len(&self) -> usize {
        self.kinds.iter().flatten().map(Vec::len).sum()
    }

    /// Packs the manifolds of a part; says if every one is what the plan says, and if the fast
    /// kernel leaves something out.
    pub(crate) fn deliver(
        &self,
        level: Level,
        context: &Context<'_>,
        part: &mut ThreadPart,
    ) -> PackingResult {
        let mut packed = PackingResult::PLAIN;
        // fewer than 2³¹ bodies, as the plan found
        let world = u32::try_from(context.bodies.len()).unwrap_or(0);
        for (points, kinds) in (1..).zip(&self.kinds) {
            for (boxed, list) in [false, true].into_iter().zip(kinds) {
                if list.is_empty() {
                    continue;
                }
                let mut stage = ManifoldStage::new(points, boxed, world);
                let found = level.vectorize(
                    #[inline(always)]
                    || stream(context, list, &mut stage, part),
                );
                packed = packed.and(found);
                packed.needs_full |= boxed;
            }
        }
        packed
    }
}

/// Packs manifolds of one number of points.
#[inline(always)]
fn stream(
    context: &Context<'_>,
    addresses: &[Address],
    stage: &mut ManifoldStage,
    part: &mut ThreadPart,
) -> PackingResult {
    let Context {
        problem,
        bodies,
        impulses,
        ..
    } = *context;
    let mut packed = PackingResult::PLAIN;
    let mut staged = Staged::EMPTY;
    let given = bodies.jacobian.has_points();
    for chunk in addresses.chunks(WIDTH) {
        if chunk.len() < WIDTH {
            stage.clear();
        }
        for (lane, address) in chunk.iter().enumerate() {
            let first = address.first_block as usize;
            let found = stage.load(lane, problem, bodies, impulses, first);
            packed.fits &= found.fits;
            packed.needs_full |= found.needs_full;
        }
        packed.fits &= if given {
            stage.convert::<true>(&mut staged)
        } else {
            stage.convert::<false>(&mut staged)
        };
        for (lane, address) in chunk.iter().enumerate() {
            let first = problem.blocks()[address.first_block as usize].first_row;
            let staged_lane = StagedLane {
                staged: &staged,
                lane,
                // fewer than 2³² rows
                row: u32::try_from(first).unwrap_or(0),
            };
            let BatchPlace { step, place } = address.batch;
            let batches = &mut part.steps[usize::from(step)];
            if let Some(manifolds) = batches[place as usize].manifolds() {
                manifolds.take(address.at as usize, &staged_lane);
            }
        }
    }
    packed
}

impl<V: Lanes<N>, const N: usize, const P: usize> Delivery for Manifolds<V, N, P> {
    fn lane_request(&self) -> LaneRequest<'_> {
        LaneRequest {
            points: P,
            boxed: self.boxed,
            blocks: self.seats.lanes().as_flattened(),
        }
    }

    fn take(&mut self, at: usize, staged_lane: &StagedLane<'_>) {
        let StagedLane { staged, lane, row } = *staged_lane;
        // says to the compiler that the lane is one
        let (index, to, lane) = (at / N, at % N, lane % WIDTH);
        self.rows[index][to] = row;
        let bundle = &mut self.bundles[index];
        bundle.head.copy_lane(to, &staged.head, lane);
        for (point, staged) in bundle.points.iter_mut().zip(&staged.points) {
            point.copy_lane(to, staged, lane);
        }
        for (tangents, staged) in self.tangents[index].iter_mut().zip(&staged.tangents) {
            tangents[to] = staged[lane];
        }
        for (diagonals, staged) in self.diagonals[index].iter_mut().zip(&staged.normals) {
            diagonals[to] = staged[lane];
        }
    }
}

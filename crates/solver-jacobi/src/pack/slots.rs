//! Which wrenches each body sums: bodies → slots, ascending.

use delassus_core::{BodyRows, Problem};
use delassus_structure::geometry::FIXED;

use super::plan::{PiecePlan, index};
use super::threads::PackThreads;

/// Slots of the bodies as compressed rows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Slots {
    /// Offsets into `slots`: one per body, one for the world and one past the end.
    pub first_slot: Vec<u32>,
    /// Slots of the bodies, ascending within each body.
    pub slots: Vec<u32>,
    /// Body of every slot, with [`FIXED`] where nothing moves it: such a slot is never written or
    /// read.
    pub body: Vec<u32>,
}

impl Slots {
    /// Takes over the slots of a plan.
    pub(crate) fn pack(
        &mut self,
        problem: &Problem,
        bodies: &BodyRows,
        plan: &PiecePlan,
        threads: PackThreads,
    ) {
        debug_assert_eq!(problem.blocks().len() + 1, bodies.first_body.len());
        let world = index(bodies.len()) | FIXED;
        let marked = |body: &u32| {
            let fixed = bodies.mass[*body as usize].is_immovable();
            *body | if fixed { FIXED } else { 0 }
        };
        let body = &mut self.body;
        body.clear();
        for manifold in &plan.manifolds {
            match bodies.bodies_of(manifold.piece.blocks.start as usize) {
                [b] => body.extend([world, marked(b)]),
                touched => body.extend(touched.iter().map(marked)),
            }
        }
        for unit in &plan.units {
            let touched = bodies.bodies_of(unit.blocks.start as usize);
            body.extend(touched.iter().map(marked));
        }
        self.sort(bodies.len() + 1, threads);
    }

    /// Takes over the slots of manifolds alone, which their heads name.
    pub(super) fn pack_points(&mut self, heads: &[[u32; 4]], bodies: usize, threads: PackThreads) {
        self.body.clear();
        self.body.reserve(2 * heads.len());
        for [_, _, a, b] in heads {
            self.body.extend_from_slice(&[*a, *b]);
        }
        self.sort(bodies + 1, threads);
    }

    /// Sorts the slots by `bodies` bodies, counting them: stable, so that the slots of a body
    /// ascend. Every thread counts and writes those of some bodies.
    fn sort(&mut self, bodies: usize, threads: PackThreads) {
        let Self {
            first_slot,
            slots,
            body,
        } = self;
        // of a slot that nothing moves the body is out of all ranges
        debug_assert!(bodies <= FIXED as usize);
        let chunk = bodies.div_ceil(threads.ranges(body.len())).max(1);
        // one place further than they belong: filling the slots moves every offset to the next
        // body's
        first_slot.clear();
        first_slot.resize(bodies + 2, 0);
        let counts = first_slot[2..].chunks_mut(chunk).enumerate();
        threads.each(counts, |(range, counts)| {
            let first = range * chunk;
            for body in body.iter() {
                if let Some(count) = counts.get_mut((*body as usize).wrapping_sub(first)) {
                    *count += 1;
                }
            }
        });
        for body in 0..bodies {
            first_slot[body + 2] += first_slot[body + 1];
        }
        slots.clear();
        slots.resize(first_slot[bodies + 1] as usize, 0);
        let ranges = ranges(&mut first_slot[1..], slots, chunk);
        threads.each(ranges, |range| {
            for (slot, body) in (0_u32..).zip(body.iter()) {
                let local = (*body as usize).wrapping_sub(range.first);
                if let Some(place) = range.places.get_mut(local) {
                    range.slots[(*place - range.begin) as usize] = slot;
                    *place += 1;
                }
            }
        });
        first_slot.truncate(bodies + 1);
    }
}

/// The slots of some bodies that follow each other.
struct BodyRange<'a> {
    /// The first of the bodies, and its first place.
    first: usize,
    begin: u32,
    /// Where the next slot of each body goes.
    places: &'a mut [u32],
    slots: &'a mut [u32],
}

/// Ranges of `chunk` bodies, whose first places are given and, after them, the end of all.
fn ranges<'a>(
    mut places: &'a mut [u32],
    mut slots: &'a mut [u32],
    chunk: usize,
) -> impl Iterator<Item = BodyRange<'a>> {
    let (mut first, mut begin) = (0, 0);
    std::iter::from_fn(move || {
        let count = chunk.min(places.len() - 1);
        if count == 0 {
            return None;
        }
        let (own, more) = std::mem::take(&mut places).split_at_mut(count);
        let end = more[0];
        let (named, others) = std::mem::take(&mut slots).split_at_mut((end - begin) as usize);
        let range = BodyRange {
            first,
            begin,
            places: own,
            slots: named,
        };
        (places, slots, first, begin) = (more, others, first + count, end);
        Some(range)
    })
}

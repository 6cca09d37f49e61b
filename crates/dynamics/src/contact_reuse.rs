//! What goes over from the contacts of one frame to those of the next: the state that tells them
//! apart, manifolds that serve again, and axes that separate pairs.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::contact::Manifold;
use crate::origin::PreviousPoints;

/// The state of the contacts of a world: worlds of equal versions have the same manifolds, with the
/// same names of points, and the impulses of the same frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContactVersion(u64);

impl ContactVersion {
    /// One that no world has yet.
    pub(crate) fn fresh() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

impl Default for ContactVersion {
    fn default() -> Self {
        Self::fresh()
    }
}

/// Manifolds of the previous frame that are reused. Their memory goes over and is not copied.
#[derive(Debug, Default)]
pub(crate) struct StoredContacts {
    list: Vec<StoredContact>,
    /// What they had, one after the other \[N·s | N·m·s\].
    impulses: Vec<f64>,
}

/// A manifold that is reused.
#[derive(Debug)]
struct StoredContact {
    /// Where it was.
    then: usize,
    /// Where it is now.
    here: usize,
    /// How many impulses it had.
    impulses: usize,
    /// Where its points were in the frame before.
    previous: PreviousPoints,
}

impl StoredContacts {
    /// Empties the list and keeps its memory.
    pub(crate) fn clear(&mut self) {
        self.list.clear();
        self.impulses.clear();
    }

    /// Notes one before its memory goes over.
    pub(crate) fn note(&mut self, [then, here]: [usize; 2], old: &Manifold) {
        let origin = old.origin.as_ref();
        self.list.push(StoredContact {
            then,
            here,
            impulses: old.impulses.len(),
            previous: origin.map_or_else(Default::default, |origin| origin.previous.clone()),
        });
        self.impulses.extend_from_slice(&old.impulses);
    }

    /// Takes back what was handed over, as it was then.
    pub(crate) fn take_back(&self, before: &mut [Manifold], now: &mut [Manifold]) {
        let mut rest = self.impulses.as_slice();
        for stored in &self.list {
            let (old, new) = (&mut before[stored.then], &mut now[stored.here]);
            std::mem::swap(&mut old.points, &mut new.points);
            std::mem::swap(&mut old.impulses, &mut new.impulses);
            std::mem::swap(&mut old.origin, &mut new.origin);
            if let Some(origin) = &mut old.origin {
                origin.previous.clone_from(&stored.previous);
            }
            let (own, others) = rest.split_at(stored.impulses);
            old.impulses.clear();
            old.impulses.extend_from_slice(own);
            rest = others;
        }
    }
}

/// Per pair of colliders without a manifold: the number of the axis that separated it at the last
/// look, of [`delassus_collide::PairCache`]. Most of them still do, and then no other axis has to
/// be tried. That saves time and changes no result, so it is no part of a state.
#[derive(Debug, Default)]
pub(crate) struct SeparatingAxes {
    /// In ascending order of pairs.
    last: Vec<([u32; 2], u32)>,
    /// How many of them were read.
    read: usize,
    /// Those of this look.
    now: Vec<([u32; 2], u32)>,
    /// How many axes were asked for.
    pub(crate) tried: u64,
}

impl SeparatingAxes {
    /// Begins a look at pairs in ascending order.
    pub(crate) fn begin(&mut self) {
        self.read = 0;
        self.now.clear();
    }

    /// The axis that separated a pair at the last look; zero if there was none.
    pub(crate) fn of(&mut self, pair: [u32; 2]) -> u32 {
        let rest = &self.last[self.read..];
        self.read += rest.iter().take_while(|(other, _)| *other < pair).count();
        match self.last.get(self.read) {
            Some((other, axis)) if *other == pair => {
                self.tried += 1;
                *axis
            }
            _ => 0,
        }
    }

    /// Notes what separates a pair now; zero for nothing.
    pub(crate) fn note(&mut self, pair: [u32; 2], axis: u32) {
        if axis != 0 {
            self.now.push((pair, axis));
        }
    }

    /// Ends a look that has seen all pairs.
    pub(crate) fn finish(&mut self) {
        std::mem::swap(&mut self.last, &mut self.now);
    }
}

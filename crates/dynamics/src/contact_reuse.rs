//! What goes over from the contacts of one frame to those of the next: the state that tells them
//! apart, and manifolds that serve again.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::contact::Manifold;

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

/// Manifolds of the previous frame that are reused. Their points and impulses go over and are not
/// copied.
#[derive(Debug, Default)]
pub(crate) struct StoredContacts {
    /// Where each was, where it is now, and how many impulses it had.
    places: Vec<[usize; 3]>,
    /// What they had, one after the other \[N·s | N·m·s\].
    impulses: Vec<f64>,
}

impl StoredContacts {
    /// Empties the list and keeps its memory.
    pub(crate) fn clear(&mut self) {
        self.places.clear();
        self.impulses.clear();
    }

    /// Notes one before its points and impulses go over.
    pub(crate) fn note(&mut self, [then, here]: [usize; 2], old: &Manifold) {
        self.places.push([then, here, old.impulses.len()]);
        self.impulses.extend_from_slice(&old.impulses);
    }

    /// Takes back what was handed over, as it was then.
    pub(crate) fn take_back(&self, before: &mut [Manifold], now: &mut [Manifold]) {
        let mut rest = self.impulses.as_slice();
        for [then, here, count] in &self.places {
            let (old, new) = (&mut before[*then], &mut now[*here]);
            std::mem::swap(&mut old.points, &mut new.points);
            std::mem::swap(&mut old.impulses, &mut new.impulses);
            let (own, others) = rest.split_at(*count);
            old.impulses.clear();
            old.impulses.extend_from_slice(own);
            rest = others;
        }
    }
}

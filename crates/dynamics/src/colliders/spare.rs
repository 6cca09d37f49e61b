//! Memory of a world's contacts that is reused from frame to frame.

use delassus_collide::{Bounds, BroadPhase, PairManifolds};

use crate::contact::{ContactPoint, Manifold};
use crate::contact_reuse::{SeparatingAxes, StoredContacts};
use crate::origin::Origin;

/// Memory that is reused from frame to frame. It is no part of a state.
#[derive(Debug, Default)]
pub(crate) struct Spare {
    /// Of manifolds that are gone.
    pub(super) parts: Vec<ManifoldMemory>,
    /// Of the list of manifolds, empty.
    pub(super) list: Vec<Manifold>,
    pub(super) bounds: Vec<Bounds>,
    /// Per collider: how far it may get before the next look \[m\].
    pub(super) ways: Vec<f64>,
    pub(super) pairs: Vec<[u32; 2]>,
    pub(super) broad: BroadPhase,
    /// What touches of the pair at hand, and its features in the frame before.
    pub(super) found: PairManifolds,
    pub(super) features: Vec<u64>,
    /// What separates pairs that are near and have no manifold.
    pub(crate) separating: SeparatingAxes,
    /// Pairs that are near and have no manifold.
    pub(crate) near: Vec<[u32; 2]>,
    /// Of the manifolds of before a frame that looks again.
    pub(super) copies: Vec<Manifold>,
    /// Which manifolds are reused.
    pub(crate) kept: StoredContacts,
}

/// What a manifold holds outside of its list.
#[derive(Debug, Default)]
pub(super) struct ManifoldMemory {
    pub(super) points: Vec<ContactPoint>,
    pub(super) impulses: Vec<f64>,
    pub(super) origin: Option<Box<Origin>>,
}

impl From<Manifold> for ManifoldMemory {
    fn from(manifold: Manifold) -> Self {
        Self {
            points: manifold.points,
            impulses: manifold.impulses,
            origin: manifold.origin,
        }
    }
}

impl Spare {
    /// Takes manifolds that are not needed any more.
    pub(crate) fn take_back(&mut self, mut manifolds: Vec<Manifold>) {
        // the memory of manifolds that were kept is in use
        let gone = manifolds.drain(..).filter(|m| m.points.capacity() > 0);
        self.parts.extend(gone.map(ManifoldMemory::from));
        self.list = manifolds;
    }

    /// A list without manifolds.
    pub(crate) fn list(&mut self) -> Vec<Manifold> {
        std::mem::take(&mut self.list)
    }

    /// Takes copies of manifolds that are not needed any more.
    pub(crate) fn take_copies(&mut self, mut copies: Vec<Manifold>) {
        self.parts
            .extend(copies.drain(..).map(ManifoldMemory::from));
        self.copies = copies;
    }

    /// An empty list of reused manifolds.
    pub(crate) fn kept(&mut self) -> StoredContacts {
        let mut kept = std::mem::take(&mut self.kept);
        kept.clear();
        kept
    }

    /// Lists for what touches of a pair and for features.
    pub(crate) fn points(&mut self) -> (PairManifolds, Vec<u64>) {
        (
            std::mem::take(&mut self.found),
            std::mem::take(&mut self.features),
        )
    }

    /// Takes back what [`Self::points`] gave.
    pub(crate) fn take_points(&mut self, found: PairManifolds, features: Vec<u64>) {
        (self.found, self.features) = (found, features);
    }

    /// How many axes of boxes and hulls were tested.
    pub(crate) fn axis_tests(&self) -> u64 {
        self.found.axis_tests() + self.separating.tried
    }

    /// Takes back what [`near`](crate::colliders::Colliders::near) gave.
    pub(crate) fn take_pairs(&mut self, pairs: Vec<[u32; 2]>) {
        self.pairs = pairs;
    }
}

impl Clone for Spare {
    fn clone(&self) -> Self {
        Self::default()
    }
}

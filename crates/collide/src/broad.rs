//! Which pairs of colliders are near each other.

use parry3d_f64::bounding_volume::Aabb;
use parry3d_f64::partitioning::{Bvh, BvhBuildStrategy, BvhWorkspace};

use crate::bounds::Bounds;
use crate::convert::vector;

/// Finds pairs of overlapping bounds with a tree of boxes. While the number of boxes stays, the
/// last tree is reused and a part of it is rebuilt each time; the pairs found do not depend on
/// that.
#[derive(Default)]
pub struct BroadPhase {
    boxes: Vec<Aabb>,
    tree: Bvh,
    /// Collider of every box.
    owners: Vec<u32>,
    workspace: BvhWorkspace,
}

impl std::fmt::Debug for BroadPhase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BroadPhase")
            .field("boxes", &self.boxes.len())
            .finish_non_exhaustive()
    }
}

impl BroadPhase {
    /// The pairs (first below second, in ascending order) whose bounds overlap and that `may`
    /// touch.
    pub fn pairs(
        &mut self,
        bounds: &[Bounds],
        may: impl Fn(u32, u32) -> bool,
        out: &mut Vec<[u32; 2]>,
    ) {
        out.clear();
        self.boxes.clear();
        self.owners.clear();
        for (index, bound) in (0_u32..).zip(bounds) {
            match bound {
                Bounds::Box { low, high } => {
                    self.boxes.push(Aabb::new(vector(low), vector(high)));
                    self.owners.push(index);
                }
                Bounds::Below { normal, height } => {
                    let near = (0_u32..).zip(bounds).filter(|(other, bound)| {
                        bound.reaches(normal, *height) && may(index.min(*other), index.max(*other))
                    });
                    out.extend(near.map(|(other, _)| [index.min(other), index.max(other)]));
                }
            }
        }
        if self.boxes.len() > 1 {
            self.grow();
            let owners = &self.owners;
            self.tree
                .traverse_bvtt_single_tree::<false>(&mut self.workspace, &mut |a, b| {
                    let [a, b] = [owners[a as usize], owners[b as usize]];
                    let pair = [a.min(b), a.max(b)];
                    if may(pair[0], pair[1]) {
                        out.push(pair);
                    }
                });
        }
        // one number per pair compares faster than two
        out.sort_unstable_by_key(|[a, b]| (u64::from(*a) << 32) | u64::from(*b));
    }

    /// Brings the tree to the present boxes.
    fn grow(&mut self) {
        if self.tree.leaf_count() as usize != self.boxes.len() {
            self.tree = Bvh::from_leaves(BvhBuildStrategy::Binned, &self.boxes);
            return;
        }
        for (leaf, bounds) in (0_u32..).zip(&self.boxes) {
            self.tree.insert_or_update_partially(*bounds, leaf, 0.0);
        }
        self.tree.refit(&mut self.workspace);
        self.tree.optimize_incremental(&mut self.workspace);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Vector3;
    use rand::{Rng, SeedableRng};
    use rand_pcg::Pcg64Mcg;

    fn overlap(a: &Bounds, b: &Bounds) -> bool {
        match (a, b) {
            (Bounds::Box { low, high }, Bounds::Box { low: l, high: h }) => {
                (0..3).all(|axis| low[axis] <= h[axis] && l[axis] <= high[axis])
            }
            (Bounds::Below { normal, height }, other)
            | (other, Bounds::Below { normal, height }) => other.reaches(normal, *height),
        }
    }

    #[test]
    fn finds_what_all_pairs_find() {
        let mut random = Pcg64Mcg::seed_from_u64(5);
        let mut number = move || f64::from(random.next_u32()) / f64::from(u32::MAX);
        let mut broad = BroadPhase::default();
        let mut found = Vec::new();
        // the second of two equal numbers finds the tree of other boxes
        for count in [0, 1, 2, 3, 40, 40, 300, 300, 300, 299, 40] {
            let mut bounds: Vec<Bounds> = (0..count)
                .map(|_| {
                    let low = Vector3::from_fn(|_, _| 10.0 * number());
                    let high = low + Vector3::from_fn(|_, _| number());
                    Bounds::Box { low, high }
                })
                .collect();
            if count > 2 {
                let normal = Vector3::new(0.6, 0.8, 0.0);
                bounds.insert(
                    1,
                    Bounds::Below {
                        normal,
                        height: 4.0,
                    },
                );
            }
            let may = |a: u32, b: u32| !(a + b).is_multiple_of(5);
            broad.pairs(&bounds, may, &mut found);
            let mut expected = Vec::new();
            for a in 0..bounds.len() {
                for b in a + 1..bounds.len() {
                    let [i, j] = [a, b].map(|x| u32::try_from(x).unwrap());
                    if overlap(&bounds[a], &bounds[b]) && may(i, j) {
                        expected.push([i, j]);
                    }
                }
            }
            assert_eq!(found, expected, "{count} colliders");
        }
    }
}

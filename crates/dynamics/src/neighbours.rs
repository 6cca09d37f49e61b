//! Which colliders of a body lie against each other.

use delassus_collide::{BroadPhase, Collider, Geometry};
use nalgebra::Isometry3;

/// Steps between colliders below this share of the smallest extent of the three are none \[-\].
pub(crate) const FLUSH: f64 = 1e-5;

/// Gaps between them below this share are none \[-\]: points of a clipped face may lie outside by
/// 10⁻⁴ of a half width (N.4).
pub(crate) const CLOSE: f64 = 2e-4;

/// Per collider: the others of its body that are as close as can be, in ascending order;
/// `placements` are poses in the axes of the body.
pub(crate) fn neighbours(
    list: &[Collider],
    geometries: &[Geometry],
    placements: &[Isometry3<f64>],
) -> Vec<Vec<u32>> {
    let mut near = vec![Vec::new(); list.len()];
    let mut order: Vec<usize> = (0..list.len()).collect();
    order.sort_by_key(|index| list[*index].body);
    let mut broad = BroadPhase::default();
    let mut pairs = Vec::new();
    for own in order.chunk_by(|a, b| list[*a].body == list[*b].body) {
        if own.len() < 2 {
            continue;
        }
        let extents = own.iter().map(|index| geometries[*index].extent());
        let margin = CLOSE * extents.fold(f64::MAX, f64::min);
        let bound = |index: &usize| geometries[*index].bounds(&placements[*index], margin);
        let bounds: Vec<_> = own.iter().map(bound).collect();
        // two half-spaces have no bounds that overlap, and no edges either
        broad.pairs(&bounds, |_, _| true, &mut pairs);
        for pair in &pairs {
            let [a, b] = pair.map(|place| own[place as usize]);
            near[a].push(b);
            near[b].push(a);
        }
    }
    let named = |list: Vec<usize>| {
        list.into_iter()
            .filter_map(|index| u32::try_from(index).ok())
    };
    near.into_iter().map(|list| named(list).collect()).collect()
}

/// Per collider: true if its body has several.
pub(crate) fn compound(list: &[Collider]) -> Vec<bool> {
    let bodies = list.iter().map(|collider| collider.body + 1).max();
    let mut counts = vec![0_usize; bodies.unwrap_or(0)];
    for collider in list {
        counts[collider.body] += 1;
    }
    let several = |collider: &Collider| counts[collider.body] > 1;
    list.iter().map(several).collect()
}

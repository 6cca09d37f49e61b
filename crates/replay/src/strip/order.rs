//! Which of two solids is painted first.
//!
//! Two convex solids that do not meet have a plane between them. Whoever looks from one side of it
//! sees the solid on that side in front: along a direction w towards the eye, the solid behind the
//! plane with normal n is the farther one if n·w > 0. The planes tried are those of the faces of
//! both, and the one across the line of centres; the widest gap counts. Solids that overlap a
//! little, as in contact, have a gap that is slightly negative, which decides as well.

use std::collections::BTreeSet;

use nalgebra::Vector3;

/// A convex solid as far as its order needs it, in world axes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Piece {
    pub(crate) centre: Vector3<f64>,
    /// Corners; for a ball its centre alone.
    pub(crate) corners: Vec<Vector3<f64>>,
    /// How far the surface is from the corners: the radius of a ball.
    pub(crate) radius: f64,
    /// Normals of its faces.
    pub(crate) normals: Vec<Vector3<f64>>,
    /// Its box in the picture: left, right, low, high.
    pub(crate) shadow: [f64; 4],
}

impl Piece {
    /// Least and largest place along an axis.
    fn range(&self, axis: &Vector3<f64>) -> [f64; 2] {
        let places = self.corners.iter().map(|c| c.dot(axis));
        let (low, high) = places.fold((f64::MAX, f64::MIN), |(l, h), x| (l.min(x), h.max(x)));
        [low - self.radius, high + self.radius]
    }

    fn overlaps(&self, other: &Self) -> bool {
        let [a, b] = [&self.shadow, &other.shadow];
        a[0] < b[1] && b[0] < a[1] && a[2] < b[3] && b[2] < a[3]
    }
}

/// The order of painting seen along −w, the farthest first.
pub(crate) fn order(pieces: &[Piece], eye: &Vector3<f64>) -> Vec<usize> {
    let mut ranked: Vec<usize> = (0..pieces.len()).collect();
    let depth = |i: usize| pieces[i].centre.dot(eye);
    ranked.sort_by(|a, b| depth(*a).total_cmp(&depth(*b)).then(a.cmp(b)));
    let mut rank = vec![0; pieces.len()];
    for (place, piece) in ranked.iter().enumerate() {
        rank[*piece] = place;
    }
    let mut after: Vec<Vec<usize>> = vec![Vec::new(); pieces.len()];
    let mut waits = vec![0_usize; pieces.len()];
    for [a, b] in neighbours(pieces) {
        if let Some([first, second]) = farther(pieces, [a, b], eye) {
            after[first].push(second);
            waits[second] += 1;
        }
    }
    let mut left: BTreeSet<usize> = (0..pieces.len()).collect();
    let mut ready: BTreeSet<usize> = (0..pieces.len())
        .filter(|r| waits[ranked[*r]] == 0)
        .collect();
    let mut painted = Vec::with_capacity(pieces.len());
    // in a circle of solids that cover each other the farthest goes first
    while let Some(place) = ready.pop_first().or_else(|| left.first().copied()) {
        if !left.remove(&place) {
            continue;
        }
        let piece = ranked[place];
        painted.push(piece);
        for next in &after[piece] {
            waits[*next] = waits[*next].saturating_sub(1);
            if waits[*next] == 0 && left.contains(&rank[*next]) {
                ready.insert(rank[*next]);
            }
        }
    }
    painted
}

/// Pairs whose boxes in the picture overlap.
fn neighbours(pieces: &[Piece]) -> Vec<[usize; 2]> {
    let mut by_left: Vec<usize> = (0..pieces.len()).collect();
    let left = |i: usize| pieces[i].shadow[0];
    by_left.sort_by(|a, b| left(*a).total_cmp(&left(*b)).then(a.cmp(b)));
    let mut pairs = Vec::new();
    for (place, a) in by_left.iter().enumerate() {
        for b in &by_left[place + 1..] {
            if left(*b) >= pieces[*a].shadow[1] {
                break;
            }
            if pieces[*a].overlaps(&pieces[*b]) {
                pairs.push([*a, *b]);
            }
        }
    }
    pairs
}

/// The farther one and the nearer one; `None` where it does not matter or cannot be told.
fn farther(pieces: &[Piece], [a, b]: [usize; 2], eye: &Vector3<f64>) -> Option<[usize; 2]> {
    let [one, other] = [&pieces[a], &pieces[b]];
    let between = (other.centre - one.centre).try_normalize(0.0);
    let axes = one
        .normals
        .iter()
        .chain(&other.normals)
        .copied()
        .chain(between);
    let mut best: Option<(f64, f64)> = None;
    for axis in axes {
        let ([low, high], [least, most]) = (one.range(&axis), other.range(&axis));
        // how far the other one is above, or below
        let (gap, side) = if least - high > low - most {
            (least - high, 1.0)
        } else {
            (low - most, -1.0)
        };
        // a plane that is seen from its edge tells nothing
        let seen = side * axis.dot(eye);
        if seen.abs() > 1e-6 && best.is_none_or(|(widest, _)| gap > widest) {
            best = Some((gap, seen));
        }
    }
    best.map(|(_, seen)| if seen > 0.0 { [a, b] } else { [b, a] })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cuboid(centre: [f64; 3], half: [f64; 3]) -> Piece {
        let centre = Vector3::from(centre);
        let sign = |k: u32, bit: u32| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
        let corner = |k| {
            centre
                + Vector3::new(
                    half[0] * sign(k, 0),
                    half[1] * sign(k, 1),
                    half[2] * sign(k, 2),
                )
        };
        Piece {
            centre,
            corners: (0..8).map(corner).collect(),
            radius: 0.0,
            normals: vec![Vector3::x(), Vector3::y(), Vector3::z()],
            shadow: [-1e9, 1e9, -1e9, 1e9],
        }
    }

    #[test]
    fn a_small_box_on_a_wide_one_is_in_front_of_it() {
        // its centre is farther from the eye than that of the wide one
        let wide = cuboid([0.0, -0.5, 0.0], [10.0, 0.5, 10.0]);
        let small = cuboid([0.0, 0.2, -8.0], [0.2, 0.2, 0.2]);
        let eye = Vector3::new(0.0, 0.3, 0.95).normalize();
        assert!(small.centre.dot(&eye) < wide.centre.dot(&eye));
        assert_eq!(order(&[small.clone(), wide.clone()], &eye), [1, 0]);
        assert_eq!(order(&[wide, small], &eye), [0, 1]);
    }

    #[test]
    fn a_row_is_painted_from_the_back_and_a_stack_from_below() {
        let row: Vec<Piece> = (0..5)
            .map(|i| cuboid([0.0, 0.0, f64::from(i) * 1.01], [0.5; 3]))
            .collect();
        let eye = Vector3::new(0.3, 0.4, 0.8).normalize();
        assert_eq!(order(&row, &eye), [0, 1, 2, 3, 4]);
        assert_eq!(order(&row, &-eye), [4, 3, 2, 1, 0]);
        let stack: Vec<Piece> = (0..3)
            .map(|i| cuboid([0.0, f64::from(i) * 0.99, 0.0], [0.5; 3]))
            .collect();
        assert_eq!(order(&stack, &eye), [0, 1, 2]);
    }

    #[test]
    fn every_piece_is_painted_once_even_in_a_circle() {
        // three beams, each on the next
        let beams = [
            cuboid([0.0, 0.0, 0.0], [2.0, 0.1, 0.1]),
            cuboid([0.0, 0.05, 0.0], [0.1, 0.1, 2.0]),
            cuboid([0.0, -0.05, 0.0], [0.1, 2.0, 0.1]),
        ];
        let mut painted = order(&beams, &Vector3::new(0.5, 0.6, 0.62).normalize());
        painted.sort_unstable();
        assert_eq!(painted, [0, 1, 2]);
    }
}

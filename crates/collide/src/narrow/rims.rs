//! Where the rim of a cap crosses the border of another face.
//!
//! A cap is clipped as a polygon of fixed points of its rim. What the rim and the other face have
//! in common may lie outside this polygon, by up to 2 % of the radius. The polygon therefore gets a
//! corner where the rim crosses the border of the other face, and one where it reaches farthest
//! into that face (N.15).

use nalgebra::{Vector2, Vector3};

use super::solid::{MAX_CORNERS, Outline};

/// Corners closer to each other than this share of the radius are one \[-\].
const ONE: f64 = 1e-9;

/// Name of the first corner that a rim gets from the border of another face; there are three per
/// edge of that border.
const FIRST: u64 = 32;

/// The rim of a cap, in the axes of its cylinder.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rim {
    /// The height of its plane \[m\].
    pub(super) height: f64,
    pub(super) radius: f64,
}

/// The border of another face, seen along the axis of the cylinder, in its axes.
pub(super) enum Border {
    Corners(Vec<Vector2<f64>>),
    /// Another rim: its middle and its radius \[m\].
    Rim(Vector2<f64>, f64),
}

/// A place across the axis and the name of the corner there.
type BorderCorner = (Vector2<f64>, u64);

impl Border {
    /// The border of corners in the axes of the cylinder.
    pub(super) fn of(corners: impl Iterator<Item = Vector3<f64>>) -> Self {
        Self::Corners(corners.map(|corner| corner.xz()).collect())
    }
}

impl Rim {
    /// The polygon of the rim with the corners that the border of another face adds to it.
    pub(super) fn crossed(&self, mut outline: Outline, border: &Border) -> Outline {
        let places = match border {
            Border::Corners(corners) => self.across_corners(corners),
            Border::Rim(middle, radius) => self.across_rim(middle, *radius),
        };
        let up = self.height > 0.0;
        for (place, name) in places {
            self.insert(&mut outline, &place, name, up);
        }
        outline
    }

    /// Adds a corner in the order of the polygon, if there is none yet.
    fn insert(&self, outline: &mut Outline, place: &Vector2<f64>, name: u64, up: bool) {
        let corners = &mut outline.corners;
        let near = |corner: &Vector3<f64>| (corner.xz() - place).norm() <= ONE * self.radius;
        if corners.len() >= MAX_CORNERS || corners.iter().any(|(corner, _)| near(corner)) {
            return;
        }
        // the polygon begins at x and turns towards −z seen from above, or towards z from below
        let turned = |at: &Vector2<f64>| {
            let along = if up { -at.y } else { at.y };
            angle(at.x, along)
        };
        let own = turned(place);
        let before = corners.partition_point(|(corner, _)| turned(&corner.xz()) <= own);
        let edge = corners[before.max(1) - 1].1[1];
        let corner = Vector3::new(place.x, self.height, place.y);
        corners.insert(before.max(1), (corner, [name, edge]));
    }

    /// Where the rim crosses edges, and the middles of its arcs that reach across one of them.
    fn across_corners(&self, corners: &[Vector2<f64>]) -> Vec<BorderCorner> {
        let middle = corners.iter().sum::<Vector2<f64>>() / corners.len().max(1) as f64;
        let ends = corners
            .iter()
            .zip(corners.iter().cycle().skip(1))
            .zip((FIRST..).step_by(3));
        let mut places = Vec::new();
        for ((from, to), name) in ends {
            let length = (to - from).norm();
            let along = (to - from) / length;
            let foot = from - from.dot(&along) * along;
            let distance = foot.norm();
            if !distance.is_finite() || distance >= self.radius {
                continue;
            }
            let half = (self.radius * self.radius - distance * distance).sqrt();
            let start = from.dot(&along);
            let is_between = |place: f64| (0.0..=length).contains(&(place - start));
            for (place, name) in [(-half, name), (half, name + 1)] {
                if is_between(place) {
                    places.push((foot + place * along, name));
                }
            }
            let across = Vector2::new(-along.y, along.x);
            let sides = [-foot.dot(&across), (middle - foot).dot(&across)];
            let is_outside = sides[0] * sides[1] < 0.0;
            if is_outside && is_between(0.0) && distance > ONE * self.radius {
                places.push((self.radius / distance * foot, name + 2));
            }
        }
        places
    }

    /// Where two rims cross, and the place of this one that is nearest to the middle of the other.
    fn across_rim(&self, middle: &Vector2<f64>, radius: f64) -> Vec<BorderCorner> {
        let distance = middle.norm();
        let (own, other) = (self.radius, radius);
        let cross = distance > (own - other).abs() && distance < own + other;
        if !cross || distance <= ONE * own {
            return Vec::new();
        }
        let towards = middle / distance;
        let across = Vector2::new(-towards.y, towards.x);
        let along = 0.5 * (distance + (own - other) * (own + other) / distance);
        let half = (own * own - along * along).max(0.0).sqrt();
        vec![
            (along * towards - half * across, FIRST),
            (along * towards + half * across, FIRST + 1),
            (own * towards, FIRST + 2),
        ]
    }
}

/// A number from 0 to 4 that grows with the angle of a direction, without a library.
fn angle(x: f64, y: f64) -> f64 {
    let share = |part: f64, rest: f64| {
        let sum = part.abs() + rest.abs();
        if sum > 0.0 { part.abs() / sum } else { 0.0 }
    };
    match (x >= 0.0, y >= 0.0) {
        (true, true) => share(y, x),
        (false, true) => 1.0 + share(x, y),
        (false, false) => 2.0 + share(y, x),
        (true, false) => 3.0 + share(x, y),
    }
}

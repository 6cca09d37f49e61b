//! The box of what a view shows: bodies, and the points that joints tie.

use nalgebra::Vector3;

use crate::stage::count;

/// Places that a view has to show, along any axes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Extent {
    lows: Vec<Vector3<f64>>,
    highs: Vec<Vector3<f64>>,
    /// Points that are never left out.
    fixed: Vec<Vector3<f64>>,
}

impl Extent {
    /// Adds something that reaches so far about its place \[m\].
    pub(crate) fn add(&mut self, place: Vector3<f64>, reach: f64) {
        self.lows.push(place.add_scalar(-reach));
        self.highs.push(place.add_scalar(reach));
    }

    /// Adds a point that the view shows in any case, such as an anchor at the world.
    pub(crate) fn fix(&mut self, point: Vector3<f64>) {
        self.fixed.push(point);
    }

    /// True if nothing moves in it.
    pub(crate) fn is_empty(&self) -> bool {
        self.lows.is_empty()
    }

    /// The lower and upper corner, but for this share of the places on either side.
    pub(crate) fn corners(&self, aside: f64) -> [Vector3<f64>; 2] {
        let axes = [0, 1, 2];
        let low: Vector3<f64> = axes.map(|axis| quantile(&self.lows, axis, aside)).into();
        let high = axes.map(|axis| quantile(&self.highs, axis, 1.0 - aside));
        let fixed = self.fixed.iter();
        fixed.fold([low, high.into()], |[low, high], point| {
            [low.inf(point), high.sup(point)]
        })
    }
}

/// The place along an axis that this share of all places lie below.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a share of the number of places"
)]
fn quantile(places: &[Vector3<f64>], axis: usize, share: f64) -> f64 {
    let mut along: Vec<f64> = places.iter().map(|place| place[axis]).collect();
    along.sort_by(f64::total_cmp);
    let last = along.len().saturating_sub(1);
    let at = (share * count(last)).round() as usize;
    along.get(at.min(last)).copied().unwrap_or(0.0)
}

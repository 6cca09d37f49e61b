//! Contact points on a surface of revolution, which move along it as its body turns (T.54).

use delassus_collide::MAX_POINTS;
use nalgebra::Vector3;

/// Sine of the angle between axis and normal below which a surface of revolution lies on its end:
/// the points of the end turn with it \[-\].
const ON_END: f64 = 0.05;

/// Sine of that angle above which it lies on its side \[-\].
const ON_SIDE: f64 = 0.99;

/// How far a point may be from the lowest of its circle, as a share of the radius \[-\].
const LOWEST: f64 = 1e-3;

/// Circles about an axis of B that carry contact points. The lowest point of a circle touches,
/// however the body turns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rim {
    /// Unit vector in the axes of B.
    axis: Vector3<f64>,
    /// A point of the axis, from the centre of mass \[m\].
    through: Vector3<f64>,
    /// Which points of the manifold are on such circles.
    points: [bool; MAX_POINTS],
}

impl Rim {
    /// The circles through those of some anchors of B that are lowest on theirs; `None` if none is.
    /// The normal, from A to B, and the anchors are in the axes of B.
    pub(crate) fn of(
        [axis, through]: [Vector3<f64>; 2],
        normal: &Vector3<f64>,
        anchors: impl Iterator<Item = Vector3<f64>>,
    ) -> Option<Self> {
        let mut rim = Self {
            axis,
            through,
            points: [true; MAX_POINTS],
        };
        let (down, sine) = rim.down(normal);
        if sine < ON_END {
            return None;
        }
        let mut points = [false; MAX_POINTS];
        for (index, anchor) in anchors.enumerate().take(MAX_POINTS) {
            let (centre, radius) = rim.circle(index, &anchor);
            points[index] = (anchor - centre - radius * down).norm() < LOWEST * radius;
        }
        rim.points = points;
        points.contains(&true).then_some(rim)
    }

    /// Centre \[m\] and radius \[m\] of the circle of a point with this anchor; the radius of a
    /// point that turns with B is zero.
    pub(crate) fn circle(&self, point: usize, anchor: &Vector3<f64>) -> (Vector3<f64>, f64) {
        if !self.points.get(point).is_some_and(|on| *on) {
            return (*anchor, 0.0);
        }
        let along = (anchor - self.through).dot(&self.axis);
        let centre = self.through + along * self.axis;
        (centre, (anchor - centre).norm())
    }

    /// The centre of the circle of a point where the side touches, and the point itself where an
    /// edge does or it turns with B.
    pub(crate) fn centre(
        &self,
        point: usize,
        anchor: &Vector3<f64>,
        normal: &Vector3<f64>,
    ) -> Vector3<f64> {
        match self.down(normal).1 {
            sine if sine > ON_SIDE => self.circle(point, anchor).0,
            _ => *anchor,
        }
    }

    /// Unit vector from the axis to the lowest points, and the sine of the angle between axis and
    /// normal; all in the axes of B.
    pub(crate) fn down(&self, normal: &Vector3<f64>) -> (Vector3<f64>, f64) {
        let across = normal.dot(&self.axis) * self.axis - normal;
        let sine = across.norm();
        let down = if sine > 0.0 { across / sine } else { across };
        (down, sine)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_points_of_a_tilted_cylinder_are_on_its_rim() {
        // the axis along z through (0, 0.1, 0), leaning by a third; radius 0.5
        let (axis, through) = (Vector3::z(), Vector3::new(0.0, 0.1, 0.0));
        let normal = Vector3::new(0.0, 0.8, 0.6);
        let low = Vector3::new(0.0, -0.4, -2.0);
        let beside = Vector3::new(0.5, 0.1, -2.0);
        let rim = Rim::of([axis, through], &normal, [low, beside].into_iter());
        let rim = rim.expect("a point of its side");
        let (centre, radius) = rim.circle(0, &low);
        assert_eq!((centre, radius), (Vector3::new(0.0, 0.1, -2.0), 0.5));
        assert_eq!(rim.circle(1, &beside), (beside, 0.0));
        let (down, sine) = rim.down(&normal);
        assert!((centre + radius * down - low).norm() < 1e-15 && (sine - 0.8).abs() < 1e-15);
        // turned about its axis it stands on another point at the same height
        let turned = Vector3::new(0.48, 0.64, 0.6);
        let (down, sine) = rim.down(&turned);
        assert!((down.dot(&turned) + sine).abs() < 1e-15 && (sine - 0.8).abs() < 1e-15);
        // on its end
        let normal = Vector3::new(0.0, 0.01, 1.0).normalize();
        assert_eq!(Rim::of([axis, through], &normal, [low].into_iter()), None);
    }
}

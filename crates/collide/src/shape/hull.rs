//! Convex hulls.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use delassus_core::FieldError;
use nalgebra::{Matrix3, Vector3};
use parry3d_f64::shape::SharedShape;
use parry3d_f64::transformation::try_convex_hull;
use serde::{Deserialize, Serialize};

use super::{MassMoments, ShapeGeometry, tetrahedra};
use crate::convert::{from_vector, vector};
use crate::principal::principal;

/// The convex hull of points, which must not lie in a plane.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hull {
    /// The points \[m\]; those inside are left out.
    pub points: Vec<Vector3<f64>>,
}

/// Corners \[m\] and triangles between them.
type Surface = (Vec<Vector3<f64>>, Vec<[u32; 3]>);

/// A hull thinner than this, relative to its length, is flat \[-\].
const FLAT: f64 = 1e-7;

/// A hull thinner than this, relative to its length, is stretched for the library \[-\].
const THIN: f64 = 1e-2;

/// More points than this make no hull: a face of it would be smaller than rounding.
const MAX_POINTS: usize = 65_536;

impl Hull {
    /// The hull of points \[m\].
    pub fn new(points: Vec<Vector3<f64>>) -> Self {
        Self { points }
    }

    /// The points along their principal axes, and the extent along each \[m\]; `None` if they do
    /// not differ or are not finite.
    fn along_axes(&self) -> Option<(Vec<Vector3<f64>>, Vector3<f64>)> {
        let count = self.points.len() as f64;
        let centre = self.points.iter().sum::<Vector3<f64>>() / count;
        let scale = self.points.iter().map(|p| (p - centre).amax());
        let scale = scale.fold(0.0, f64::max);
        if !(scale > 0.0 && scale.is_finite()) {
            return None;
        }
        let arms = || self.points.iter().map(|p| (p - centre) / scale);
        let spread: Matrix3<f64> = arms().map(|arm| arm * arm.transpose()).sum();
        let (_, axes) = principal(&spread);
        let turned: Vec<_> = arms().map(|arm| scale * axes.tr_mul(&arm)).collect();
        let low = turned.iter().fold(turned[0], |low, p| low.inf(p));
        let high = turned.iter().fold(turned[0], |high, p| high.sup(p));
        Some((turned, high - low))
    }

    /// Corners \[m\] and triangles of the hull, counter-clockwise seen from outside: what a drawing
    /// shows.
    ///
    /// # Errors
    /// Points that span no solid.
    pub fn triangles(&self) -> Result<Surface, FieldError> {
        let (corners, triangles) = self.faces()?;
        Ok((corners.into_iter().map(from_vector).collect(), triangles))
    }

    /// Corners and triangles for the library of geometry.
    fn faces(&self) -> Result<(Vec<parry3d_f64::math::Vector>, Vec<[u32; 3]>), FieldError> {
        let points: Vec<_> = self.points.iter().map(vector).collect();
        let unfit = |error| FieldError::new("points", error, "points that span a solid");
        let Some((mut turned, extents)) =
            self.along_axes().filter(|(_, e)| e.min() < THIN * e.max())
        else {
            return try_convex_hull(&points).map_err(unfit);
        };
        // the library takes thin solids for plane ones: it gets them as thick as they are long
        for point in &mut turned {
            point.component_div_assign(&extents);
        }
        let stretched: Vec<_> = turned.iter().map(vector).collect();
        let (corners, triangles) = try_convex_hull(&stretched).map_err(unfit)?;
        let bits = |p: &parry3d_f64::math::Vector| p.to_array().map(f64::to_bits);
        let known: BTreeMap<_, _> = stretched.iter().map(bits).zip(&points).collect();
        let original = |corner| known.get(&bits(&corner)).map(|point| **point);
        let corners: Option<Vec<_>> = corners.into_iter().map(original).collect();
        let lost = || FieldError::new("points", "a corner of its own", "points that span a solid");
        Ok((corners.ok_or_else(lost)?, triangles))
    }
}

impl ShapeGeometry for Hull {
    fn validate(&self) -> Result<(), FieldError> {
        for (index, point) in self.points.iter().enumerate() {
            let far = point.iter().position(|x| !super::is_within_reach(*x));
            if let Some(axis) = far {
                super::check_reach(&format!("points[{index}][{axis}]"), point[axis])?;
            }
        }
        let count = self.points.len();
        if !(4..=MAX_POINTS).contains(&count) {
            let expected = format!("a convex hull has 4 to {MAX_POINTS} points");
            return Err(FieldError::new(
                "points",
                format!("{count} points"),
                &expected,
            ));
        }
        let extents = self
            .along_axes()
            .map_or_else(Vector3::zeros, |(_, extents)| extents);
        let (thin, long) = (extents.min(), extents.max());
        if thin.partial_cmp(&(FLAT * long)) != Some(Ordering::Greater) {
            let expected = "the points of a hull do not lie in a plane: make a thin one a box, or give it thickness";
            let value = format!("a hull of {thin:e} m by {long:e} m");
            return Err(FieldError::new("points", value, expected));
        }
        Ok(())
    }

    fn moments(&self) -> Option<MassMoments> {
        let (corners, triangles) = self.triangles().ok()?;
        Some(tetrahedra::moments(&corners, &triangles))
    }

    fn geometry(&self) -> Result<SharedShape, FieldError> {
        let (points, faces) = self.faces()?;
        let made = SharedShape::convex_mesh(points, &faces);
        let expected = "points that span a solid";
        made.ok_or_else(|| FieldError::new("points", "a hull without faces", expected))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cuboid;

    fn corners(half: Vector3<f64>, centre: Vector3<f64>) -> Hull {
        let sign = |k: u32, bit: u32| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
        let corner =
            |k| centre + half.component_mul(&Vector3::new(sign(k, 0), sign(k, 1), sign(k, 2)));
        Hull::new((0..8).map(corner).collect())
    }

    #[test]
    fn the_corners_of_a_box_have_its_moments() {
        let half = Vector3::new(0.2, 0.5, 1.0);
        let centre = Vector3::new(3.0, -1.0, 2.0);
        let hull = corners(half, centre).moments().unwrap();
        let cuboid = Cuboid { half }.moments().unwrap();
        assert!((hull.volume / cuboid.volume - 1.0).abs() < 1e-12);
        assert!((hull.centre - centre).norm() < 1e-12);
        assert!((hull.gyration - cuboid.gyration).norm() < 1e-11);
    }

    #[test]
    fn what_spans_no_solid_is_refused() {
        let flat = corners(Vector3::new(1.0, 0.0, 1.0), Vector3::zeros());
        let error = flat.validate().unwrap_err().to_string();
        assert!(error.contains("in a plane"), "{error}");
        let one = Hull::new(vec![Vector3::zeros(); 9]);
        assert!(one.validate().is_err());
        let mut broken = corners(Vector3::repeat(1.0), Vector3::zeros());
        broken.points[5].z = f64::NAN;
        assert_eq!(broken.validate().unwrap_err().path, "points[5][2]");
        assert!(Hull::new(Vec::new()).validate().is_err());
        // a needle a thousand times as long as thick is a solid
        let thin = corners(Vector3::new(1e-3, 1.0, 1e-3), Vector3::zeros());
        assert_eq!(thin.validate(), Ok(()));
        assert!(thin.geometry().is_ok());
    }
}

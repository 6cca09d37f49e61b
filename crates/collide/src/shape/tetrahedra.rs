//! Volume and moments of what closed surfaces of triangles enclose.

use nalgebra::{Matrix3, Vector3};

use super::MassMoments;

/// The moments of a solid by tetrahedra between a point and its triangles, each with the sign of
/// its volume: the exact integrals of polynomials (N.12). They are not finite of what
/// has no volume.
pub(super) fn moments(corners: &[Vector3<f64>], triangles: &[[u32; 3]]) -> MassMoments {
    // about a point close by, or digits go for a solid that is far from its origin
    let base = corners.iter().sum::<Vector3<f64>>() / corners.len() as f64;
    let (mut volume, mut first, mut second) = (0.0, Vector3::zeros(), Matrix3::zeros());
    for triangle in triangles {
        let [a, b, c] = triangle.map(|corner| corners[corner as usize] - base);
        let part = a.dot(&b.cross(&c)) / 6.0;
        let sum = a + b + c;
        volume += part;
        first += part * sum / 4.0;
        let squares =
            sum * sum.transpose() + a * a.transpose() + b * b.transpose() + c * c.transpose();
        second += part * squares / 20.0;
    }
    let centre = first / volume;
    let spread = second / volume - centre * centre.transpose();
    MassMoments {
        volume,
        centre: base + centre,
        gyration: Matrix3::from_diagonal_element(spread.trace()) - spread,
    }
}

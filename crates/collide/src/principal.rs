//! Principal axes of symmetric tensors.

use nalgebra::{Matrix3, Vector3};

/// An element off the diagonal below this share of the largest element counts as zero \[-\]: it is
/// rounding.
const ROUNDING: f64 = f64::EPSILON;

/// Sweeps over the three elements: convergence is quadratic, and four sweeps reach rounding.
const SWEEPS: usize = 16;

/// Eigenvalues of a symmetric matrix and a rotation whose columns are its eigenvectors, by cyclic
/// Jacobi rotations.
///
/// Every step is an exact rotation, so that R D Rᵀ is the matrix to rounding whatever the
/// eigenvalues are, equal ones included. Axes that are principal already stay.
pub(crate) fn principal(matrix: &Matrix3<f64>) -> (Vector3<f64>, Matrix3<f64>) {
    let mut rest = 0.5 * (matrix + matrix.transpose());
    let mut axes = Matrix3::identity();
    let small = ROUNDING * rest.amax();
    for _ in 0..SWEEPS {
        let mut done = true;
        for [p, q] in [[0, 1], [0, 2], [1, 2]] {
            if rest[(p, q)].abs() > small {
                rotate(&mut rest, &mut axes, [p, q]);
                done = false;
            }
        }
        if done {
            break;
        }
    }
    (rest.diagonal(), axes)
}

/// Makes element (p, q) zero: the smaller root of t² + 2 t cot 2φ − 1 = 0 is the tangent of the
/// angle.
fn rotate(rest: &mut Matrix3<f64>, axes: &mut Matrix3<f64>, [p, q]: [usize; 2]) {
    let length = |x: f64| (1.0 + x * x).sqrt();
    let cotangent = (rest[(q, q)] - rest[(p, p)]) / (2.0 * rest[(p, q)]);
    let tangent = 1.0_f64.copysign(cotangent) / (cotangent.abs() + length(cotangent));
    let cosine = 1.0 / length(tangent);
    let sine = tangent * cosine;
    let turn = |first: f64, second: f64| {
        [
            cosine * first - sine * second,
            sine * first + cosine * second,
        ]
    };
    for k in 0..3 {
        [rest[(k, p)], rest[(k, q)]] = turn(rest[(k, p)], rest[(k, q)]);
        [axes[(k, p)], axes[(k, q)]] = turn(axes[(k, p)], axes[(k, q)]);
    }
    for k in 0..3 {
        [rest[(p, k)], rest[(q, k)]] = turn(rest[(p, k)], rest[(q, k)]);
    }
    rest[(p, q)] = 0.0;
    rest[(q, p)] = 0.0;
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{Quaternion, UnitQuaternion};
    use rand::{Rng, SeedableRng};
    use rand_pcg::Pcg64Mcg;

    #[test]
    fn equal_and_nearly_equal_moments_are_put_together_again() {
        let mut random = Pcg64Mcg::seed_from_u64(3);
        let mut number = move || 2.0 * f64::from(random.next_u32()) / f64::from(u32::MAX) - 1.0;
        for case in 0..4000 {
            // ties of 1e-1 to 1e-17 of the moments, two or all three of them
            let tie = libm::pow(10.0, -f64::from(1 + case % 17));
            let third = if case % 3 == 0 { 1.0 } else { 2.5 + number() };
            let moments = Vector3::new(1.0 + tie * number(), third + tie * number(), 1.0);
            let axis = match case % 4 {
                0 => Vector3::repeat(1.0),
                1 => Vector3::new(0.0, 1.0, -1.0),
                _ => Vector3::from_fn(|_, _| number()),
            };
            let half = 1.5 * number();
            let parts = Quaternion::from_parts(libm::cos(half), libm::sin(half) * axis.normalize());
            let turn = UnitQuaternion::new_normalize(parts).to_rotation_matrix();
            let scale = libm::pow(10.0, 12.0 * number());
            let diagonal = Matrix3::from_diagonal(&moments);
            let tensor = scale * (turn.matrix() * diagonal * turn.matrix().transpose());
            let (found, axes) = principal(&tensor);
            let again = axes * Matrix3::from_diagonal(&found) * axes.transpose();
            // the tensor itself is 2e-16 from symmetric
            assert!((again - tensor).amax() < 4e-15 * tensor.amax(), "{tensor}");
            assert!((axes.transpose() * axes - Matrix3::identity()).amax() < 2e-15);
            assert!((axes.determinant() - 1.0).abs() < 4e-15);
            let sorted = |v: Vector3<f64>| {
                let mut list = [v.x, v.y, v.z];
                list.sort_by(f64::total_cmp);
                list
            };
            let (is, should) = (sorted(found / scale), sorted(moments));
            assert!((0..3).all(|k| (is[k] - should[k]).abs() < 1e-14));
        }
    }

    #[test]
    fn principal_axes_stay() {
        let tensor = Matrix3::new(2.0, 1e-17, 0.0, 1e-17, 2.0, 0.0, 0.0, 0.0, 1.0);
        let (moments, axes) = principal(&tensor);
        assert_eq!(
            (moments, axes),
            (Vector3::new(2.0, 2.0, 1.0), Matrix3::identity())
        );
    }
}

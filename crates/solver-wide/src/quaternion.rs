//! Rotations in f32: the orientation of a body over the substeps that the solver integrates (T.4).

/// x, y, z, w.
pub(super) type Quaternion = [f32; 4];

/// A quaternion after a rotation by a vector in world axes \[rad\].
pub(super) fn rotated(q: Quaternion, turn: [f32; 3]) -> Quaternion {
    let [a, b, c] = turn;
    let square = a * a + b * b + c * c;
    if square == 0.0 {
        return q;
    }
    product(exp(turn, square), q)
}

/// The quaternion of a rotation vector: the series up to one radian, and squares of it beyond.
fn exp(turn: [f32; 3], square: f32) -> Quaternion {
    if square > 1.0 && square < f32::INFINITY {
        let half = exp(turn.map(|x| 0.5 * x), 0.25 * square);
        return product(half, half);
    }
    // of half the angle
    let x = 0.25 * square;
    let sine = 0.5 * (1.0 - x * (1.0 / 6.0 - x * (1.0 / 120.0 - x / 5040.0)));
    let cosine = 1.0 - x * (0.5 - x * (1.0 / 24.0 - x * (1.0 / 720.0 - x / 40320.0)));
    let [a, b, c] = turn;
    [sine * a, sine * b, sine * c, cosine]
}

pub(super) fn product([a, b, c, d]: Quaternion, [x, y, z, w]: Quaternion) -> Quaternion {
    [
        d * x + a * w + b * z - c * y,
        d * y - a * z + b * w + c * x,
        d * z + a * y - b * x + c * w,
        d * w - a * x - b * y - c * z,
    ]
}

/// A vector rotated by a quaternion of unit length.
pub(super) fn rotate([x, y, z, w]: Quaternion, [a, b, c]: [f32; 3]) -> [f32; 3] {
    let (p, q, r) = (
        2.0 * (y * c - z * b),
        2.0 * (z * a - x * c),
        2.0 * (x * b - y * a),
    );
    [
        a + w * p + (y * r - z * q),
        b + w * q + (z * p - x * r),
        c + w * r + (x * q - y * p),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::velocities::single;

    #[test]
    fn rotations_match_the_exponential_to_rounding() {
        for angle in [0.0, 1e-6, 0.01, 0.7, 1.1, 3.0, 9.0_f64] {
            let axis = [2.0 / 7.0, -3.0 / 7.0, 6.0 / 7.0];
            let turn = axis.map(|x| single(angle * x));
            let found = rotated([0.0, 0.0, 0.0, 1.0], turn);
            let (sine, cosine) = libm::sincos(0.5 * angle);
            let expected = [sine * axis[0], sine * axis[1], sine * axis[2], cosine];
            for (found, expected) in found.iter().zip(expected) {
                let error = (f64::from(*found) - expected).abs();
                // a rounding of the angle, and of each of the products
                assert!(error < 1e-6 * (1.0 + angle), "{angle}: {error}");
            }
        }
    }
}

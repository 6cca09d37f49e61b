//! The gyroscopic torque of carried bodies (T.37), in f32: a change that is small beside the angular velocity itself.

use delassus_core::Gyroscope;

use super::turn::{Quaternion, product, rotate};
use super::velocities::single;

/// What a body keeps for its torque.
#[derive(Debug, Clone, Copy)]
pub(super) struct CarriedGyroscope {
    ratios: [f32; 3],
    axes: Quaternion,
}

impl From<&Gyroscope> for CarriedGyroscope {
    fn from(from: &Gyroscope) -> Self {
        Self {
            ratios: from.ratios.map(single),
            axes: from.axes.map(single),
        }
    }
}

impl CarriedGyroscope {
    /// The change of an angular velocity over a substep of length `h` \[rad/s\], of a body that has turned by `turn` since the
    /// start of the frame.
    #[inline]
    pub(super) fn change(
        &self,
        spin: [f32; 3],
        turn: Quaternion,
        (h, implicit): (f32, bool),
    ) -> [f32; 3] {
        if self.ratios == [0.0; 3] || spin == [0.0; 3] {
            return [0.0; 3];
        }
        let axes = product(turn, self.axes);
        let [x, y, z, w] = axes;
        let [a, b, c] = rotate([-x, -y, -z, w], spin);
        let [p, q, r] = self.ratios.map(|ratio| h * ratio);
        let residual = [p * b * c, q * c * a, r * a * b];
        let local = if implicit {
            // the rows of 1 + h I⁻¹ ([ω]× I − [Iω]×)
            newton_step(
                [
                    [1.0, p * c, p * b],
                    [q * c, 1.0, q * a],
                    [r * b, r * a, 1.0],
                ],
                residual,
            )
        } else {
            residual
        };
        rotate(axes, local.map(|x| -x))
    }
}

/// The solution of three equations; zero where there is none, as the step is then too long to mean anything.
fn newton_step(rows: [[f32; 3]; 3], right: [f32; 3]) -> [f32; 3] {
    let [u, v, w] = rows;
    let (vw, wu, uv) = (cross(v, w), cross(w, u), cross(u, v));
    let determinant = u[0] * vw[0] + u[1] * vw[1] + u[2] * vw[2];
    if determinant == 0.0 {
        return [0.0; 3];
    }
    let inverse = 1.0 / determinant;
    [0, 1, 2]
        .map(|axis| inverse * (vw[axis] * right[0] + wu[axis] * right[1] + uv[axis] * right[2]))
}

fn cross([a, b, c]: [f32; 3], [x, y, z]: [f32; 3]) -> [f32; 3] {
    [b * z - c * y, c * x - a * z, a * y - b * x]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newton_step_solves_the_equations() {
        let rows = [[1.0, 0.2, -0.1], [0.3, 1.0, 0.05], [-0.2, 0.1, 1.0]];
        let found = newton_step(rows, [1.0, -2.0, 0.5]);
        for (row, right) in rows.iter().zip([1.0, -2.0, 0.5]) {
            let left: f32 = row.iter().zip(found).map(|(a, x)| a * x).sum();
            assert!((left - right).abs() < 1e-6, "{left} {right}");
        }
        assert_eq!(newton_step([[1.0, 1.0, 1.0]; 3], [1.0; 3]), [0.0; 3]);
    }

    #[test]
    fn round_bodies_and_turns_about_a_principal_axis_feel_nothing() {
        let round = CarriedGyroscope::from(&Gyroscope::NONE);
        let still = [0.0, 0.0, 0.0, 1.0];
        assert_eq!(round.change([3.0, 1.0, 2.0], still, (0.1, true)), [0.0; 3]);
        let flat = CarriedGyroscope::from(&Gyroscope {
            ratios: [0.5, -0.25, -0.5],
            ..Gyroscope::NONE
        });
        assert_eq!(flat.change([3.0, 0.0, 0.0], still, (0.1, true)), [0.0; 3]);
        assert_ne!(flat.change([3.0, 1.0, 0.0], still, (0.1, true)), [0.0; 3]);
    }
}

//! The gyroscopic torque in a frame that the solver integrates (T.37), in f32: a change that is
//! small compared with the angular velocity. Where the momentum is kept (T.50), the change is that
//! to the mean of the next free rotation, in f64.

use delassus_core::{FreeRotor, Gyroscope, GyroscopicTorque};
use nalgebra::{Quaternion as Precise, UnitQuaternion, Vector3};

use super::quaternion::{Quaternion, product, rotate};
use super::velocities::single;

/// Ratios, axes and momentum of a body, from which its torque follows.
#[derive(Debug, Clone, Copy)]
pub(super) struct FrameGyroscope {
    ratios: [f32; 3],
    axes: Quaternion,
    /// At the start of the frame.
    rotor: FreeRotor,
    /// Square of the chord below which no energy rises \[-\] (T.62).
    harmless: f64,
}

impl From<&Gyroscope> for FrameGyroscope {
    fn from(from: &Gyroscope) -> Self {
        let rotor = FreeRotor {
            moments: from.moments.into(),
            axes: unit(from.axes),
            momentum: from.momentum.into(),
        };
        Self {
            ratios: from.ratios.map(single),
            axes: from.axes.map(single),
            rotor,
            harmless: rotor.harmless_chord().powi(2),
        }
    }
}

fn unit([x, y, z, w]: [f64; 4]) -> UnitQuaternion<f64> {
    UnitQuaternion::new_normalize(Precise::new(w, x, y, z))
}

fn precise(v: [f32; 3]) -> Vector3<f64> {
    v.map(f64::from).into()
}

impl FrameGyroscope {
    /// Angular momentum after the forces of the first substep \[kg·m²/s\].
    pub(super) fn momentum(&self) -> Vector3<f64> {
        self.rotor.momentum
    }

    /// The momentum takes up what the impulses of a substep did to the angular velocity by the
    /// inertia of the frame's start; returns the change from `spin` to the mean of the next
    /// substep, of length `h` \[rad/s\].
    pub(super) fn keep(
        &self,
        momentum: &mut Vector3<f64>,
        pushed: [f32; 3],
        spin: [f32; 3],
        turn: Quaternion,
        h: f32,
    ) -> [f32; 3] {
        if self.ratios == [0.0; 3] {
            return [0.0; 3];
        }
        *momentum += self.impulse(pushed);
        let now = self.at(turn, *momentum);
        let mean = now.mean_spin(f64::from(h)).spin;
        (mean - precise(spin)).map(single).into()
    }

    /// What of the momentum turns with a body that impulses have led from its free rotation
    /// (T.63): `pushed` is what they did to the angular velocity `spin`, by which the body comes
    /// from `before` to `after` over `h`.
    #[inline]
    pub(super) fn led(
        &self,
        momentum: &Vector3<f64>,
        [pushed, spin]: [[f32; 3]; 2],
        [before, after]: [Quaternion; 2],
        h: f32,
    ) -> Option<Vector3<f64>> {
        let angle = spin.map(|x| f64::from(h * x));
        let square: f64 = angle.iter().map(|x| x * x).sum();
        if self.ratios == [0.0; 3] || pushed == [0.0; 3] || square <= self.harmless {
            return None;
        }
        let start = self.at(before, momentum + self.impulse(pushed));
        let end = self.at(after, start.momentum);
        let led = start.led(&end.axes, f64::from(h))?;
        Some(led - start.momentum)
    }

    /// The angular impulse that changes the angular velocity by this, by the inertia of the
    /// frame's start \[N·m·s\].
    fn impulse(&self, pushed: [f32; 3]) -> Vector3<f64> {
        let FreeRotor { moments, axes, .. } = &self.rotor;
        let local = axes.inverse_transform_vector(&precise(pushed));
        axes * local.component_mul(moments)
    }

    /// The body after a turn since the start of the frame, with this momentum.
    fn at(&self, turn: Quaternion, momentum: Vector3<f64>) -> FreeRotor {
        FreeRotor {
            axes: unit(turn.map(f64::from)) * self.rotor.axes,
            momentum,
            ..self.rotor
        }
    }

    /// The change of an angular velocity over a substep of length `h` \[rad/s\], of a body that has
    /// turned by `turn` since the start of the frame.
    #[inline]
    pub(super) fn change(
        &self,
        spin: [f32; 3],
        turn: Quaternion,
        h: f32,
        torque: GyroscopicTorque,
    ) -> [f32; 3] {
        if self.ratios == [0.0; 3] || spin == [0.0; 3] {
            return [0.0; 3];
        }
        let axes = product(turn, self.axes);
        let [x, y, z, w] = axes;
        let [a, b, c] = rotate([-x, -y, -z, w], spin);
        let [p, q, r] = self.ratios.map(|ratio| h * ratio);
        let residual = [p * b * c, q * c * a, r * a * b];
        let local = match torque {
            // the rows of 1 + h I⁻¹ ([ω]× I − [Iω]×)
            GyroscopicTorque::Implicit => newton_step(
                [
                    [1.0, p * c, p * b],
                    [q * c, 1.0, q * a],
                    [r * b, r * a, 1.0],
                ],
                residual,
            ),
            GyroscopicTorque::Rescaled => self.rescaled([a, b, c], residual),
            GyroscopicTorque::Explicit | GyroscopicTorque::Momentum => residual,
        };
        rotate(axes, local.map(|x| -x))
    }
}

impl FrameGyroscope {
    /// What (T.53) takes from an angular velocity in the axes of the body, where (T.5) takes
    /// `residual` \[rad/s\].
    fn rescaled(&self, spin: [f32; 3], residual: [f32; 3]) -> [f32; 3] {
        let (spin, moments) = (precise(spin), self.rotor.moments);
        let next = spin - precise(residual);
        let length = |spin: &Vector3<f64>| spin.component_mul(&moments).norm();
        let scale = length(&spin) / length(&next);
        (spin - scale * next).map(single).into()
    }
}

/// The solution of three equations; zero where there is none, as the step is then too long to mean
/// anything.
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
        let round = FrameGyroscope::from(&Gyroscope::NONE);
        let still = [0.0, 0.0, 0.0, 1.0];
        assert_eq!(
            round.change([3.0, 1.0, 2.0], still, 0.1, GyroscopicTorque::Implicit),
            [0.0; 3]
        );
        let flat = FrameGyroscope::from(&Gyroscope {
            ratios: [0.5, -0.25, -0.5],
            ..Gyroscope::NONE
        });
        assert_eq!(
            flat.change([3.0, 0.0, 0.0], still, 0.1, GyroscopicTorque::Implicit),
            [0.0; 3]
        );
        assert_ne!(
            flat.change([3.0, 1.0, 0.0], still, 0.1, GyroscopicTorque::Implicit),
            [0.0; 3]
        );
    }
}

//! `next_frame`: one thread per body makes the start of the next frame of what a frame left, for
//! bodies that stay on the device.
//!
//! A position is the sum of a multiple of 2⁻⁸ m and of a rest of at most 2⁻⁹ m, which f32 resolves
//! to 2⁻³³ m. A displacement is added to the rest, whose excess moves to the multiple. Both parts
//! are differences of multiples that f32 holds, so no rounding is lost whatever a compiler
//! simplifies. The first part is exact up to [`FARTHEST`].

use delassus_solver_jacobi::kernels::vectors::xyz;
use delassus_solver_jacobi::pack::BODY_MASS;
use delassus_solver_jacobi::real::Quad;

use super::motion::refresh;
use super::poses::normalised;
use super::{BodyConstants, BodyMotion, KEEPS, TURNS, product};

/// Multiples of the first part of a position in a metre \[1/m\].
pub const GRID: u16 = 256;

/// Largest coordinate of a body that stays on the device \[m\], and its largest velocity \[m/s\]
/// and spin \[rad/s\]: a power of two.
pub const FARTHEST: f32 = 32768.0;

/// Pose of a body; the position is the sum of two vectors \[m\].
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct BodyPose {
    /// Its larger part.
    pub high: Quad<f32>,
    /// The rest.
    pub low: Quad<f32>,
    /// From body axes to world axes.
    pub orientation: Quad<f32>,
}

/// What the thread of a body changes.
#[derive(Debug)]
pub struct FinishedBody<'a> {
    /// What a frame does not change.
    pub constants: &'a mut BodyConstants<f32>,
    /// What it changes.
    pub motion: &'a mut BodyMotion<f32>,
    /// [`BODY_MASS`] quads.
    pub mass: &'a mut [Quad<f32>; BODY_MASS],
    /// The pose at the start of the frame.
    pub pose: &'a mut BodyPose,
}

/// The thread of one body; false if the body is too far away or too fast, or if a number is not
/// finite.
pub fn body(
    FinishedBody {
        constants,
        motion,
        mass,
        pose,
    }: FinishedBody<'_>,
) -> bool {
    let own = *motion;
    *motion = BodyMotion {
        velocity: own.velocity,
        spin: own.spin,
        turn: [0.0, 0.0, 0.0, 1.0],
        ..BodyMotion::default()
    };
    if constants.mode == KEEPS {
        return true;
    }
    let (displacement, grid) = (own.displacement, f32::from(GRID));
    for axis in 0..3 {
        let high = (grid * pose.high[axis]).round_ties_even() / grid;
        let rest = (pose.low[axis] + (pose.high[axis] - high)) + displacement[axis];
        let whole = (grid * rest).round_ties_even() / grid;
        (pose.high[axis], pose.low[axis]) = (high + whole, rest - whole);
    }
    (pose.high[3], pose.low[3]) = (0.0, 0.0);
    pose.orientation = normalised(product(own.turn, pose.orientation));
    constants.axes = normalised(product(own.turn, constants.axes));
    if constants.mode >= TURNS {
        refresh(mass, constants.axes, xyz(constants.inverse_moments));
    }
    let all = [pose.high, own.velocity, own.spin];
    all.as_flattened().iter().all(|x| x.abs() < FARTHEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn falling(high: f32, low: f32) -> (BodyConstants<f32>, BodyMotion<f32>, BodyPose) {
        let constants = BodyConstants {
            mode: TURNS,
            inverse_moments: [2.0, 1.0, 0.5, 0.0],
            axes: [0.0, 0.0, 0.0, 1.0],
            ..BodyConstants::default()
        };
        let pose = BodyPose {
            high: [high, 0.0, 0.0, 0.0],
            low: [low, 0.0, 0.0, 0.0],
            orientation: [0.0, 0.0, 0.0, 1.0],
        };
        (constants, BodyMotion::default(), pose)
    }

    /// A thousand small steps far away add up to 10⁻⁸ of a metre, where f32 resolves 2 mm.
    #[test]
    fn small_steps_far_away_add_up() {
        let (mut constants, mut motion, mut pose) = falling(20_000.123, 0.000_321);
        let start = f64::from(pose.high[0]) + f64::from(pose.low[0]);
        let step = 1.7e-4_f32;
        let mut mass = [[0.0; 4]; BODY_MASS];
        for _ in 0..1000 {
            motion.displacement = [step, 0.0, 0.0, 0.0];
            motion.turn = [0.0, 0.0, 0.0, 1.0];
            motion.gained = [1.0; 4];
            let finished = FinishedBody {
                constants: &mut constants,
                motion: &mut motion,
                mass: &mut mass,
                pose: &mut pose,
            };
            assert!(body(finished));
            assert_eq!({ motion.gained }, [0.0; 4]);
            assert!(pose.low[0].abs() <= 0.5 / f32::from(GRID));
        }
        let found = f64::from(pose.high[0]) + f64::from(pose.low[0]) - start;
        let expected = 1000.0 * f64::from(step);
        assert!((found - expected).abs() < 1e-7, "{found} {expected}");
        assert_eq!(mass[0][3], 2.0);
        assert_eq!((mass[1][2], mass[2][0]), (1.0, 0.5));
    }

    #[test]
    fn what_is_too_far_or_no_number_is_reported() {
        for (high, velocity, fits) in [
            (32_760.0, 0.0, true),
            (32_769.0, 0.0, false),
            (f32::NAN, 0.0, false),
            (1.0, f32::INFINITY, false),
            (1.0, 1e6, false),
        ] {
            let (mut constants, mut motion, mut pose) = falling(high, 0.0);
            motion.velocity = [velocity, 0.0, 0.0, 0.0];
            motion.turn = [0.0, 0.0, 0.0, 1.0];
            let finished = FinishedBody {
                constants: &mut constants,
                motion: &mut motion,
                mass: &mut [[0.0; 4]; BODY_MASS],
                pose: &mut pose,
            };
            assert_eq!(body(finished), fits, "{high} {velocity}");
        }
    }
}

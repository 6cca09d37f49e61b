//! Times of the frames of a run, from the lengths of its frames.

use crate::motion::Leg;

/// Times of frames may differ from the sums of their lengths by this share \[-\].
const NEAR: f64 = 1e-6;

/// Time of a frame since the start \[s\].
pub(crate) fn time_of(legs: &[Leg], frame: u64) -> f64 {
    let mut left = frame;
    let mut time = 0.0;
    for leg in legs {
        let frames = left.min(u64::from(leg.frames));
        #[expect(clippy::cast_precision_loss, reason = "frames are far below 2^53")]
        let seconds = leg.dt * frames as f64;
        time += seconds;
        left -= frames;
    }
    time
}

/// True if a frame has this time since the start \[s\], but for the rounding of sums.
pub(crate) fn is_time_of(legs: &[Leg], frame: u64, time: f64) -> bool {
    let own = time_of(legs, frame);
    // a time that is NaN is not near
    (own - time).abs() <= NEAR * own.abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_a_frame_is_the_sum_over_its_legs() {
        let legs = [
            Leg { dt: 0.5, frames: 3 },
            Leg {
                dt: 0.25,
                frames: 4,
            },
        ];
        for (frame, time) in [(0, 0.0), (2, 1.0), (3, 1.5), (5, 2.0), (7, 2.5)] {
            assert_eq!(
                time_of(&legs, frame).to_bits(),
                f64::to_bits(time),
                "{frame}"
            );
        }
    }
}

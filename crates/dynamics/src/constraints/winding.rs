//! The twist of a joint that counts its turns (L.16), for limits and servos.

use nalgebra::Vector3;

use super::angle::{self, Angle};
use crate::body::Pose;
use crate::constraint::Track;

/// The methods of a constraint whose rows and stored state follow from its `winding`.
macro_rules! counts_turns {
    () => {
        fn evaluate(&self, poses: &[Pose], time: f64, rows: &mut Rows) {
            self.evaluate_from(poses, &Track::new(), time, rows);
        }

        fn start(&self, poses: &[Pose], time: f64) -> Track {
            self.winding(time).start(poses)
        }

        fn follow(&self, poses: &[Pose], turns: [Vector3<f64>; 2], time: f64, track: &mut Track) {
            self.winding(time).follow(poses, turns, track);
        }
    };
}
pub(super) use counts_turns;

/// A twist with the range in which it starts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Winding<'a> {
    pub(super) axes: &'a [Vector3<f64>; 2],
    /// Twist at which the angle is zero \[rad\].
    pub(super) reference: f64,
    /// Lower and upper bound; equal for a servo \[rad\].
    pub(super) range: [f64; 2],
}

impl Winding<'_> {
    /// The angle of a joint that starts at these poses \[rad\].
    pub(super) fn start(&self, poses: &[Pose]) -> Track {
        let twist = angle::twist(poses, self.axes).value;
        Track::from_iter([angle::start_in(twist - self.reference, self.range)])
    }

    /// The angle with its turns, for a joint that has come from `track`.
    pub(super) fn angle(&self, poses: &[Pose], track: &Track) -> Angle {
        let Angle { value, gradient } = angle::twist(poses, self.axes);
        let value = match track.first() {
            Some(before) => angle::unwound(value - self.reference, *before),
            None => angle::start_in(value - self.reference, self.range),
        };
        Angle { value, gradient }
    }

    /// Brings `track` to these poses, reached by turning by the rotation vectors `turns` \[rad\].
    pub(super) fn follow(&self, poses: &[Pose], turns: [Vector3<f64>; 2], track: &mut Track) {
        let twist = angle::twist(poses, self.axes);
        match track.first_mut() {
            Some(before) if angle::has_twist(poses, self.axes) => {
                let ahead = *before + twist.gradient.dot(&(turns[1] - turns[0]));
                *before = angle::unwound(twist.value - self.reference, ahead);
            }
            // axes that point away from each other have lost count
            _ => *track = self.start(poses),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rotation;

    fn turned(angle: f64) -> [Pose; 2] {
        let at = |angle: f64| Pose {
            position: Vector3::zeros().into(),
            orientation: rotation::about(&Vector3::x(), angle),
        };
        [at(0.4), at(0.4 + angle)]
    }

    #[test]
    fn turns_are_counted_at_any_speed_below_one_that_is_told() {
        let axes = [Vector3::x(); 2];
        let winding = Winding {
            axes: &axes,
            reference: 0.7,
            range: [-100.0, 100.0],
        };
        for step in [0.3, -3.0, 3.5, -40.0] {
            let mut track = winding.start(&turned(0.2));
            for count in 1..50 {
                let poses = turned(0.2 + f64::from(count) * step);
                winding.follow(&poses, [Vector3::zeros(), step * Vector3::x()], &mut track);
                let wanted = 0.2 + f64::from(count) * step - 0.7;
                let found = winding.angle(&poses, &track).value;
                assert!((found - wanted).abs() < 1e-11, "{found} {wanted}");
            }
        }
    }

    #[test]
    fn a_swing_past_the_opposite_axis_winds_nothing() {
        let axes = [Vector3::z(); 2];
        let winding = Winding {
            axes: &axes,
            reference: 0.0,
            range: [-1.0, 1.0],
        };
        // about x with a little y: past the singular pose on one side of it
        let spin = 0.01 * Vector3::new(1.0, 0.03, 0.0);
        let fixed = turned(0.0)[0];
        let mut moving = fixed;
        let mut track = winding.start(&[fixed, moving]);
        for _ in 0..1256 {
            moving.advance(Vector3::zeros(), &spin);
            winding.follow(&[fixed, moving], [Vector3::zeros(), spin], &mut track);
            let inside = angle::has_twist(&[fixed, moving], &axes);
            assert!(
                !inside || track[0].abs() < std::f64::consts::PI,
                "{track:?}"
            );
        }
    }
}

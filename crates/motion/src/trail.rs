//! Where the dynamic bodies have been in the last seconds, for the speed at which they creep.

use std::collections::VecDeque;

use delassus_dynamics::{Position, World};

/// Seconds that a creep looks back (R.51) \[s\].
const WINDOW: f64 = 2.0;

/// Positions of the dynamic bodies, frame by frame, as far back as a creep looks.
#[derive(Debug, Default)]
pub(super) struct Trail(VecDeque<(f64, Vec<Position>)>);

impl Trail {
    /// Takes a frame in.
    pub(super) fn record(&mut self, world: &World) {
        let moving = world.bodies().iter().filter(|body| body.is_dynamic());
        self.add(world.time(), moving.map(|body| body.position).collect());
    }

    /// Adds the places of a time.
    fn add(&mut self, now: f64, places: Vec<Position>) {
        self.0.push_back((now, places));
        // half a microsecond against the rounding of summed steps
        let old = |(time, _): &(f64, _)| now - time > WINDOW + 5e-7;
        while self.0.front().is_some_and(old) {
            self.0.pop_front();
        }
    }

    /// Largest mean velocity of a body over the window (R.51) \[m/s\]; `None` before the first
    /// frame and without dynamic bodies.
    pub(super) fn creep(&self) -> Option<f64> {
        let ((start, before), (end, after)) = (self.0.front()?, self.0.back()?);
        let moved = before.iter().zip(after).map(|(a, b)| (*b - *a).norm());
        let speed = moved.fold(0.0, f64::max) / (end - start);
        (end > start && !after.is_empty()).then_some(speed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Vector3;

    #[test]
    fn the_creep_is_the_mean_velocity_of_the_fastest_body_in_two_seconds() {
        let mut trail = Trail::default();
        assert_eq!(trail.creep(), None);
        for step in 0..=100 {
            // fast for a second, and then slow: the window is the last 64 steps
            let t = f64::from(step) / 32.0;
            let way = 5.0 * t.min(1.0) + 0.25 * (t - 1.0).max(0.0);
            let places = [0.0, 0.5 * way, way].map(|z| (z * Vector3::z()).into());
            trail.add(t, places.to_vec());
            match step {
                0 => assert_eq!(trail.creep(), None),
                32 => assert_eq!(trail.creep(), Some(5.0)),
                _ => {}
            }
        }
        assert_eq!(trail.creep(), Some(0.25));
        let mut nothing = Trail::default();
        nothing.add(0.0, Vec::new());
        nothing.add(1.0, Vec::new());
        assert_eq!(nothing.creep(), None);
    }
}

//! A step whose velocity is known in closed form.

use delassus_core::{LawKind, Problem};

/// Length that turns angular velocities into those of points \[m\]: about the size of the bodies.
const REACH: f64 = 0.5;

/// One step of a body on a plane whose velocity is known in closed form.
#[derive(Debug, Clone)]
pub struct FrictionCase {
    /// Name for messages.
    pub name: String,
    /// The law of its contacts.
    pub law: LawKind,
    /// Contact points, 1 to 4 \[-\].
    pub points: usize,
    /// True if friction holds the body.
    pub sticks: bool,
    /// The problem: an immovable ground, then the body.
    pub problem: Problem,
    /// The body's velocity after the step, linear \[m/s\] then angular \[rad/s\].
    pub velocity: [f64; 6],
}

impl FrictionCase {
    /// Largest difference to the closed form over the largest velocity before the step \[-\];
    /// angular velocities count as those of points at [`REACH`].
    pub(crate) fn error(&self, velocity: &[f64]) -> f64 {
        let reach = |axis: usize| if axis < 3 { 1.0 } else { REACH };
        let before = self
            .problem
            .bodies()
            .map(|bodies| &bodies.free_velocity[6..]);
        let largest = before.into_iter().flatten().enumerate();
        let largest = largest.fold(0.0_f64, |most, (axis, v)| most.max(reach(axis) * v.abs()));
        let pairs = velocity.iter().zip(&self.velocity).enumerate();
        let error = |(axis, (a, b)): (usize, (&f64, &f64))| reach(axis) * (a - b).abs();
        // a NaN must not be lost in a maximum
        pairs.map(error).fold(
            0.0,
            |most: f64, error| {
                if error <= most { most } else { error }
            },
        ) / largest
    }
}

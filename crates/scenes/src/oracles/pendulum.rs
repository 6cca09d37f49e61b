//! The point pendulum: its exact motion, and what the velocity-level steps make of it.

use super::elliptic::{complete, sine_cosine};

/// Period of a pendulum of `length` \[m\] released at rest at `angle` \[rad\] from the bottom (O.7)
/// \[s\].
pub fn period(length: f64, gravity: f64, angle: f64) -> f64 {
    let sine = libm::sin(0.5 * angle);
    4.0 * (length / gravity).sqrt() * complete(sine * sine)
}

/// Angle from the bottom at `time` \[s\] after a release at rest at `angle` \[rad\], |angle| < π
/// (O.9).
pub fn angle_at(length: f64, gravity: f64, angle: f64, time: f64) -> f64 {
    let k = libm::sin(0.5 * angle);
    let m = k * k;
    let u = complete(m) + (gravity / length).sqrt() * time;
    2.0 * libm::asin(k * sine_cosine(u, m).0)
}

/// The parameters of a velocity-level step that a rod alone can feel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Recurrence {
    /// Length of the rod \[m\].
    pub length: f64,
    /// Gravity along −y \[m/s²\].
    pub gravity: f64,
    /// Substep \[s\].
    pub h: f64,
    /// Substeps that share the direction of the rod; 1 where the direction is always current.
    pub frozen: u32,
    /// Bias velocity per error \[1/s\].
    pub bias_rate: f64,
    /// A/(A + R) of the row \[-\]; 1 for a rigid one.
    pub mass_scale: f64,
    /// Bias velocity per error of a second velocity field that only moves the bob \[1/s\].
    pub pseudo_rate: f64,
    /// True if the velocity is solved again without bias and compliance after the move.
    pub relaxed: bool,
    /// True if that solve has the direction of the rod after the move.
    pub turned: bool,
    /// Substeps after which the bob is put back onto the circle; 0 for never.
    pub projected: u32,
}

impl Recurrence {
    /// Symplectic Euler with a velocity constraint and nothing else.
    pub fn plain(length: f64, gravity: f64, h: f64) -> Self {
        Self {
            length,
            gravity,
            h,
            frozen: 1,
            bias_rate: 0.0,
            mass_scale: 1.0,
            pseudo_rate: 0.0,
            relaxed: false,
            turned: false,
            projected: 0,
        }
    }
}

/// A bob in the plane, relative to the pivot.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bob {
    /// Position \[m\].
    pub position: [f64; 2],
    /// Velocity \[m/s\].
    pub velocity: [f64; 2],
}

impl Bob {
    /// At rest at `angle` \[rad\] from the bottom, on the circle of radius `length` \[m\].
    pub fn at_rest(length: f64, angle: f64) -> Self {
        let (sine, cosine) = libm::sincos(angle);
        Self {
            position: [length * sine, -length * cosine],
            velocity: [0.0; 2],
        }
    }

    /// Distance from the pivot \[m\].
    pub fn radius(&self) -> f64 {
        norm(self.position)
    }

    /// Kinetic and potential energy per mass \[J/kg\].
    pub fn energy(&self, gravity: f64) -> f64 {
        0.5 * dot(self.velocity, self.velocity) + gravity * self.position[1]
    }

    /// The states after 0 … `substeps` substeps of the recurrence (O.6).
    pub fn trajectory(self, law: &Recurrence, substeps: u32) -> Vec<Self> {
        let mut states = vec![self];
        let (mut bob, mut direction) = (self, [0.0; 2]);
        for substep in 0..substeps {
            if substep % law.frozen.max(1) == 0 {
                direction = scaled(1.0 / bob.radius(), bob.position);
            }
            bob = bob.substep(law, direction);
            if law.projected > 0 && (substep + 1) % law.projected == 0 {
                bob.position = scaled(law.length / bob.radius(), bob.position);
            }
            states.push(bob);
        }
        states
    }

    fn substep(self, law: &Recurrence, direction: [f64; 2]) -> Self {
        let error = self.radius() - law.length;
        let free = [self.velocity[0], self.velocity[1] - law.h * law.gravity];
        let bias = law.bias_rate * error;
        let push = -law.mass_scale * (dot(direction, free) + bias);
        let moved = plus(free, scaled(push, direction));
        let pseudo = scaled(-law.pseudo_rate * error, direction);
        let position = plus(self.position, scaled(law.h, plus(moved, pseudo)));
        let across = |v: [f64; 2], n: [f64; 2]| plus(v, scaled(-dot(n, v), n));
        let velocity = match (law.relaxed, law.turned) {
            (false, _) => moved,
            (true, false) => across(free, direction),
            (true, true) => across(moved, scaled(1.0 / norm(position), position)),
        };
        Self { position, velocity }
    }
}

fn dot(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

fn norm(a: [f64; 2]) -> f64 {
    dot(a, a).sqrt()
}

fn plus(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    [a[0] + b[0], a[1] + b[1]]
}

fn scaled(factor: f64, a: [f64; 2]) -> [f64; 2] {
    [factor * a[0], factor * a[1]]
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;

    use super::*;

    #[test]
    fn the_period_from_the_horizontal() {
        let found = period(1.0, 9.81, FRAC_PI_2);
        assert!((found - 2.367_841_9).abs() < 5e-8, "{found}");
        let small = period(1.0, 9.81, 1e-4);
        assert!((small - 2.006_066_7).abs() < 5e-8, "{small}");
    }

    #[test]
    fn the_exact_motion_keeps_its_energy_and_returns() {
        let (length, gravity, start) = (0.7, 3.0, 2.5);
        let full = period(length, gravity, start);
        assert!((angle_at(length, gravity, start, 0.0) - start).abs() < 1e-14);
        assert!((angle_at(length, gravity, start, full) - start).abs() < 1e-12);
        assert!(angle_at(length, gravity, start, 0.25 * full).abs() < 1e-13);
        assert!((angle_at(length, gravity, start, 0.5 * full) + start).abs() < 1e-12);
        let h = 1e-5;
        for time in [0.1, 0.4, 1.0] {
            let [before, here, after] =
                [-h, 0.0, h].map(|shift| angle_at(length, gravity, start, time + shift));
            let rate = length * (after - before) / (2.0 * h);
            let height = length * (libm::cos(start) - libm::cos(here));
            assert!(
                (0.5 * rate * rate + gravity * height).abs() < 1e-7,
                "{time}"
            );
        }
    }

    #[test]
    fn the_plain_recurrence_drifts_as_printed() {
        // ten seconds from the horizontal: drift [m] and energy gained [J/kg] to five digits
        let bob = Bob::at_rest(1.0, FRAC_PI_2);
        let law = Recurrence::plain(1.0, 9.81, 1.0 / 60.0);
        let last = bob.trajectory(&law, 600)[600];
        assert!((last.radius() - 1.0 - 0.474_67).abs() < 5e-6);
        let gained = last.energy(9.81) - bob.energy(9.81);
        assert!((gained + 8.3974).abs() < 5e-5, "{gained}");
        let law = Recurrence {
            bias_rate: 0.2 * 60.0,
            ..law
        };
        let states = bob.trajectory(&law, 600);
        assert!((states[600].radius() - 1.0 - 0.010_936).abs() < 5e-7);
        let energies = states
            .iter()
            .map(|state| state.energy(9.81) - bob.energy(9.81));
        let (low, high) = energies.fold((0.0_f64, 0.0_f64), |(low, high), e| {
            (low.min(e), high.max(e))
        });
        assert!((low + 1.0446).abs() < 5e-5, "{low}");
        assert!((high - 0.0727).abs() < 5e-5, "{high}");
    }
}

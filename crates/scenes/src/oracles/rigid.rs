//! Rigid bodies without and with a fixed point: the tennis-racket flip and the heavy symmetric top.

use super::elliptic::{complete, sine_cosine};

/// Growth rate of a disturbed rotation about the middle axis (O.13) \[1/s\].
///
/// Principal moments in ascending order \[kg·m²\], angular velocity about the middle axis
/// \[rad/s\].
pub fn flip_growth(moments: [f64; 3], spin: f64) -> f64 {
    let [first, middle, last] = moments;
    spin.abs() * ((middle - first) * (last - middle) / (first * last)).sqrt()
}

/// Time between two reversals of the rotation about the middle axis (O.14) \[s\]: half a period.
///
/// Principal moments in ascending order \[kg·m²\], angular velocity in the body's axes \[rad/s\].
pub fn flip_time(moments: [f64; 3], spin: [f64; 3]) -> f64 {
    let squares = |power: i32| -> f64 {
        let pairs = moments.iter().zip(&spin);
        pairs.map(|(i, w)| i.powi(power) * w * w).sum()
    };
    let (energy, momentum) = (squares(1), squares(2));
    let [first, middle, last] = moments;
    // the momentum circles the last axis or the first one, on either side of the separatrix
    let (outer, inner) = if momentum > energy * middle {
        ((last, middle), first)
    } else {
        ((first, middle), last)
    };
    let rate = (outer.0 - middle) * (momentum - energy * inner) / (first * middle * last);
    let above = (middle - inner) * (energy * outer.0 - momentum);
    let below = (outer.0 - outer.1) * (momentum - energy * inner);
    2.0 * complete(above / below) / rate.sqrt()
}

/// Angular velocity of a free body in its axes, the time `t` \[s\] after one without a component
/// along the middle axis (O.52) \[rad/s\].
///
/// Principal moments in ascending order \[kg·m²\]; `first` and `last` are the other two components
/// at the start.
pub fn free_spin(moments: [f64; 3], [first, last]: [f64; 2], t: f64) -> [f64; 3] {
    let [one, two, three] = moments;
    let energy = one * first * first + three * last * last;
    let momentum = (one * first).powi(2) + (three * last).powi(2);
    // the component that dn describes keeps its sign
    let (round, turns) = if momentum > energy * two {
        ((one, first), (three, last))
    } else {
        ((three, last), (one, first))
    };
    let above = (round.0 - two) * (energy * turns.0 - momentum);
    let below = (two - turns.0) * (momentum - energy * round.0);
    let m = above / below;
    let rate = ((turns.0 - two) * (momentum - energy * round.0) / (one * two * three)).sqrt();
    let (sine, cosine) = sine_cosine(rate * t, m);
    let size = ((energy * turns.0 - momentum) / (two * (turns.0 - two))).sqrt();
    let middle = size.copysign(first * last) * sine;
    let (round, turns) = (round.1 * cosine, turns.1 * (1.0 - m * sine * sine).sqrt());
    if momentum > energy * two {
        [round, middle, turns]
    } else {
        [turns, middle, round]
    }
}

/// A symmetric top with a fixed tip.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HeavyTop {
    /// Mass \[kg\].
    pub mass: f64,
    /// From the tip to the centre of mass \[m\].
    pub arm: f64,
    /// Moment about an axis through the tip, across the symmetry axis \[kg·m²\].
    pub across: f64,
    /// Moment about the symmetry axis \[kg·m²\].
    pub along: f64,
    /// Gravity \[m/s²\].
    pub gravity: f64,
}

impl HeavyTop {
    /// The slow and the fast steady precession at the tilt `angle` \[rad\] and the angular velocity
    /// `spin` about the symmetry axis (O.15) \[rad/s\]; `None` if it spins too slowly for one.
    pub fn precessions(&self, angle: f64, spin: f64) -> Option<[f64; 2]> {
        let (a, b) = (self.across * libm::cos(angle), self.along * spin);
        let weight = self.weight();
        let root = b * b - 4.0 * a * weight;
        if root < 0.0 || a == 0.0 {
            return None;
        }
        // the stable form of the smaller root
        let larger = b + root.sqrt().copysign(b);
        Some([2.0 * weight / larger, 0.5 * larger / a])
    }

    /// The angular velocity above which the upright top sleeps (O.16) \[rad/s\].
    pub fn sleeping_spin(&self) -> f64 {
        2.0 * (self.weight() * self.across).sqrt() / self.along
    }

    /// Rate at which an upright top that spins too slowly falls (O.17) \[1/s\]; 0 where it sleeps.
    pub fn fall_rate(&self, spin: f64) -> f64 {
        let momentum = self.along * spin;
        let excess = 4.0 * self.weight() * self.across - momentum * momentum;
        excess.max(0.0).sqrt() / (2.0 * self.across)
    }

    /// Torque of the weight per sine of the tilt \[N·m\].
    fn weight(&self) -> f64 {
        self.mass * self.gravity * self.arm
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_body_of_one_two_three() {
        let growth = flip_growth([1.0, 2.0, 3.0], 1.0);
        assert!((growth - 0.577_350_3).abs() < 5e-8, "{growth}");
        let time = flip_time([1.0, 2.0, 3.0], [0.01, 1.0, 0.01]);
        assert!((time - 19.552_867).abs() < 5e-7, "{time}");
    }

    #[test]
    fn the_two_sides_of_the_separatrix_mirror_each_other() {
        // inverted moments of inertia swap the axes' roles; compare with a numerical solution of
        // Euler's equations
        for spin in [[0.2, 1.0, 0.05], [0.05, 1.0, 0.2]] {
            let moments = [1.0, 2.0, 3.0];
            let rate = |w: [f64; 3]| {
                [
                    (moments[1] - moments[2]) * w[1] * w[2] / moments[0],
                    (moments[2] - moments[0]) * w[2] * w[0] / moments[1],
                    (moments[0] - moments[1]) * w[0] * w[1] / moments[2],
                ]
            };
            let shift = |w: [f64; 3], h: f64, r: [f64; 3]| std::array::from_fn(|i| w[i] + h * r[i]);
            let (h, mut w, mut time) = (1e-3, spin, 0.0);
            let mut crossings = Vec::new();
            while crossings.len() < 2 {
                let a = rate(w);
                let b = rate(shift(w, 0.5 * h, a));
                let c = rate(shift(w, 0.5 * h, b));
                let d = rate(shift(w, h, c));
                let mean: [f64; 3] =
                    std::array::from_fn(|i| (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]) / 6.0);
                let next: [f64; 3] = shift(w, h, mean);
                if w[1] * next[1] < 0.0 {
                    crossings.push(time + h * w[1] / (w[1] - next[1]));
                }
                (w, time) = (next, time + h);
            }
            let measured = crossings[1] - crossings[0];
            let exact = flip_time(moments, spin);
            assert!((measured - exact).abs() < 1e-6, "{measured} {exact}");
        }
    }

    #[test]
    fn free_spins_solve_the_equations_of_euler() {
        let moments = [0.7, 1.1, 1.5];
        for start in [[0.4, 1.3], [-1.3, 0.2], [0.8, -0.9], [2.0, 0.1]] {
            let spin = |t: f64| free_spin(moments, start, t);
            assert!((spin(0.0)[0] - start[0]).abs() + (spin(0.0)[2] - start[1]).abs() < 1e-14);
            for t in [0.3, 1.7, 6.0, -2.2] {
                let (w, d) = (spin(t), 1e-5);
                let [a, b] = [spin(t + d), spin(t - d)];
                for axis in 0..3 {
                    let (y, z) = ((axis + 1) % 3, (axis + 2) % 3);
                    let torque = (moments[y] - moments[z]) * w[y] * w[z];
                    let change = (a[axis] - b[axis]) / (2.0 * d);
                    let error = moments[axis] * change - torque;
                    assert!(error.abs() < 1e-8, "{start:?} {t} {axis}: {error:e}");
                }
            }
        }
    }

    #[test]
    fn the_top_of_half_a_kilogram() {
        let top = HeavyTop {
            mass: 0.5,
            arm: 0.1,
            across: 0.006,
            along: 0.001,
            gravity: 9.81,
        };
        let [slow, fast] = top.precessions(60_f64.to_radians(), 150.0).unwrap();
        assert!((slow - 3.517_449).abs() < 5e-7, "{slow}");
        assert!((fast - 46.482_551).abs() < 5e-7, "{fast}");
        let sleeping = top.sleeping_spin();
        assert!((sleeping - 108.499).abs() < 5e-4, "{sleeping}");
        assert_eq!(top.precessions(0.1, 50.0), None);
        assert_eq!(top.fall_rate(1.01 * sleeping), 0.0);
        assert!(top.fall_rate(0.9 * sleeping) > 3.9);
    }
}

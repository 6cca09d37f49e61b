//! Two soft links one below the other whose solves stop after a few sweeps: when that is stable
//! (O.22), (O.23).

use std::f64::consts::TAU;

/// Two particles on a vertical line: the first hangs on a fixed point, the second on the first.
///
/// Both links are soft rows by the frequency of the row alone. A step sweeps over them from the
/// top, with the impulses of the last step as a start. All of it is linear.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SoftPair {
    /// Inverse masses from the top \[1/kg\].
    pub inverse_masses: [f64; 2],
    /// Frequency of a link as if it were alone \[Hz\].
    pub hertz: f64,
    /// Damping ratio \[-\].
    pub zeta: f64,
    /// Length of a step \[s\].
    pub h: f64,
    /// Sweeps per step \[-\].
    pub sweeps: u32,
    /// True if a sweep without softness follows after the particles have moved.
    pub relaxed: bool,
}

/// Displacements \[m\] and velocities \[m/s\] downwards, impulses of the links \[N·s\].
type State = [f64; 6];

/// Coefficients of the visit of a row (S.6).
#[derive(Debug, Clone, Copy)]
struct Visit {
    rate: f64,
    mass_scale: f64,
    impulse_scale: f64,
}

impl SoftPair {
    /// Errors of both links after 0 … `steps` steps from rest under `gravity` \[m/s²\] (O.22)
    /// \[m\].
    pub fn errors(&self, gravity: f64, steps: usize) -> Vec<[f64; 2]> {
        let mut state = [0.0; 6];
        let mut errors = vec![[0.0; 2]];
        for _ in 0..steps {
            state = self.step(state, gravity);
            errors.push([state[0], state[1] - state[0]]);
        }
        errors
    }

    /// Factor by which a step multiplies the fastest-growing motion in the long run \[-\]: the
    /// spectral radius of the step (O.23). It is stable up to 1.
    pub fn growth(&self) -> f64 {
        let mut power: [State; 6] = std::array::from_fn(|column| {
            let mut unit = [0.0; 6];
            unit[column] = 1.0;
            self.step(unit, 0.0)
        });
        // ln ‖Mᴺ‖ / N for N = 2⁴⁰, by squaring
        let (mut logarithm, mut steps) = (0.0, 1.0);
        for _ in 0..40 {
            let size = power.iter().flatten().map(|x| x * x).sum::<f64>().sqrt();
            logarithm += libm::log(size) / steps;
            let scaled = power.map(|column| column.map(|x| x / size));
            power = scaled.map(|column| times(&scaled, &column));
            steps *= 2.0;
        }
        libm::exp(logarithm)
    }

    /// The highest frequency that is stable \[Hz\], below half the sampling rate.
    ///
    /// `None` if all of these frequencies are.
    pub fn highest_stable_hertz(&self) -> Option<f64> {
        let stable = |hertz: f64| Self { hertz, ..*self }.growth() <= 1.0 + 1e-12;
        let (mut low, mut high) = (0.0, 0.5 / self.h);
        if stable(high) {
            return None;
        }
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if stable(middle) {
                low = middle;
            } else {
                high = middle;
            }
        }
        Some(low)
    }

    fn step(&self, mut state: State, gravity: f64) -> State {
        let h = self.h;
        let omega = TAU * self.hertz;
        let c = h * omega * (2.0 * self.zeta + h * omega);
        let soft = Visit {
            rate: omega / (2.0 * self.zeta + h * omega),
            mass_scale: c / (1.0 + c),
            impulse_scale: 1.0 / (1.0 + c),
        };
        let [first, second] = self.inverse_masses;
        state[2] += h * gravity + first * (state[4] - state[5]);
        state[3] += h * gravity + second * state[5];
        for _ in 0..self.sweeps {
            self.visit(&mut state, soft);
        }
        state[0] += h * state[2];
        state[1] += h * state[3];
        if self.relaxed {
            let rigid = Visit {
                rate: 0.0,
                mass_scale: 1.0,
                impulse_scale: 0.0,
            };
            self.visit(&mut state, rigid);
        }
        state
    }

    /// One visit of both rows, the upper one first.
    fn visit(&self, state: &mut State, visit: Visit) {
        let [first, second] = self.inverse_masses;
        let Visit {
            rate,
            mass_scale,
            impulse_scale,
        } = visit;
        let wanted = mass_scale / first * (state[2] + rate * state[0]);
        let impulse = -wanted - impulse_scale * state[4];
        state[4] += impulse;
        state[2] += first * impulse;
        let apart = state[3] - state[2] + rate * (state[1] - state[0]);
        let impulse = -mass_scale / (first + second) * apart - impulse_scale * state[5];
        state[5] += impulse;
        state[2] -= first * impulse;
        state[3] += second * impulse;
    }
}

/// A matrix, by columns, times a vector.
fn times(columns: &[State; 6], vector: &State) -> State {
    std::array::from_fn(|row| {
        let terms = columns.iter().zip(vector);
        terms.map(|(column, x)| column[row] * x).sum()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pair of Solver2D's study: 6 kg above 1005 kg, undamped.
    fn study(relaxed: bool) -> SoftPair {
        SoftPair {
            inverse_masses: [0.167, 0.000_995],
            hertz: 10.0,
            zeta: 0.0,
            h: 1.0 / 60.0,
            sweeps: 1,
            relaxed,
        }
    }

    #[test]
    fn the_limits_of_the_study() {
        // "stable up to 13.5 Hz", "with relax up to 20.5 Hz": to half a hertz
        for (relaxed, noted) in [(false, 13.5), (true, 20.5)] {
            let limit = study(relaxed).highest_stable_hertz().unwrap();
            println!("relaxed {relaxed}: {limit}");
            assert!(limit > noted && limit < noted + 0.5, "{limit}");
            for (hertz, stable) in [(0.999 * limit, true), (1.001 * limit, false)] {
                let pair = SoftPair {
                    hertz,
                    ..study(relaxed)
                };
                // sums over thousands of steps tell growth from the beat of two frequencies
                let errors = pair.errors(10.0, 400_000);
                let size = |part: &[[f64; 2]]| part.iter().flatten().map(|c| c * c).sum::<f64>();
                let (early, late) = (size(&errors[..100_000]), size(&errors[300_000..]));
                assert_eq!(late <= early, stable, "{hertz}: {early} {late}");
            }
        }
    }

    #[test]
    fn a_second_sweep_does_what_a_relax_pass_does() {
        let limit = |sweeps| {
            let pair = SoftPair {
                sweeps,
                ..study(false)
            };
            pair.highest_stable_hertz()
        };
        let second = limit(2).unwrap();
        assert!((second - 21.325_564).abs() < 1e-6, "{second}");
        assert!(limit(3).unwrap() > second);
        assert_eq!(limit(4), None);
    }

    #[test]
    fn one_link_alone_is_the_implicit_oscillator() {
        // without the weight of the second particle the first is (S.11): |λ| = (1 + 2ζωh +
        // ω²h²)^(−1/2)
        for (hertz, zeta) in [(3.0, 0.0), (12.0, 0.4), (25.0, 0.0)] {
            let pair = SoftPair {
                inverse_masses: [1.0, 1e12],
                hertz,
                zeta,
                h: 0.01,
                sweeps: 1,
                relaxed: false,
            };
            let step = TAU * hertz * 0.01;
            let exact = 1.0 / (1.0 + 2.0 * zeta * step + step * step).sqrt();
            let growth = pair.growth();
            // both links have this factor: a coupling of 1e-12 splits equal eigenvalues by its root
            assert!((growth - exact).abs() < 1e-6, "{growth}, exact {exact}");
            assert_eq!(pair.highest_stable_hertz(), None);
        }
    }
}

//! Chains of point masses on massless links: tensions at rest, hanging shapes, and the motion from
//! accelerations.

/// Tension of every link of a hanging chain from the top \[N\]: the weight of all masses below it
/// (O.4).
pub fn tensions(masses: &[f64], gravity: f64) -> Vec<f64> {
    let mut below = 0.0;
    let mut tensions = vec![0.0; masses.len()];
    for (tension, mass) in tensions.iter_mut().zip(masses).rev() {
        below += mass;
        *tension = below * gravity;
    }
    tensions
}

/// Joints of a hanging chain of `links` equal links of total `length` over `span`, with equal
/// masses at the inner joints, from the left support at the origin to the right one (O.11) \[m\].
///
/// `None` unless length > span > 0 and there are at least two links, and if the middle one of an
/// odd number is longer than the span.
pub fn hanging_shape(links: usize, length: f64, span: f64) -> Option<Vec<[f64; 2]>> {
    if links < 2 || !(span > 0.0 && length > span) {
        return None;
    }
    let link = length / links as f64;
    let middle = 0.5 * (links as f64 - 1.0);
    // weight over horizontal tension makes the slopes; the reach falls with it and is convex where
    // Newton starts
    let slope = |q: f64, index: usize| q * (index as f64 - middle);
    let reach = |q: f64| {
        let mut sums = (-span, 0.0);
        for index in 0..links {
            let s = slope(q, index);
            let root = (1.0 + s * s).sqrt();
            sums.0 += link / root;
            sums.1 -= link * s * (index as f64 - middle) / (root * root * root);
        }
        sums
    };
    let (mut low, mut high) = (0.0, 1.0);
    while reach(high).0 > 0.0 {
        high *= 2.0;
        if high > 1e12 {
            // the middle one of an odd number of links stays level: it may be longer than the span
            return None;
        }
    }
    let mut q = 0.5 * high;
    for _ in 0..200 {
        let (excess, rate) = reach(q);
        if excess > 0.0 {
            low = q;
        } else {
            high = q;
        }
        let newton = q - excess / rate;
        q = if newton > low && newton < high {
            newton
        } else {
            0.5 * (low + high)
        };
    }
    let mut joints = vec![[0.0; 2]];
    for index in 0..links {
        let s = slope(q, index);
        let root = (1.0 + s * s).sqrt();
        let last = joints[index];
        joints.push([last[0] + link / root, last[1] + link * s / root]);
    }
    Some(joints)
}

/// Lowest point of a shape below its first joint \[m\].
pub fn sag(joints: &[[f64; 2]]) -> f64 {
    joints.iter().fold(0.0, |sag, joint| sag.max(-joint[1]))
}

/// Point masses on massless links in the plane, the first link tied to the origin.
#[derive(Debug, Clone, PartialEq)]
pub struct Links {
    /// Masses \[kg\].
    pub masses: Vec<f64>,
    /// Positions of the masses \[m\].
    pub positions: Vec<[f64; 2]>,
    /// Velocities \[m/s\].
    pub velocities: Vec<[f64; 2]>,
    /// Gravity along −y \[m/s²\].
    pub gravity: f64,
}

impl Links {
    /// The state after `time` \[s\], in `steps` steps of the classical Runge–Kutta method on the
    /// accelerations that keep the lengths (O.12). The error falls with the fourth power of the
    /// step.
    #[must_use]
    pub fn after(&self, time: f64, steps: u32) -> Self {
        let h = time / f64::from(steps);
        let mut state = self.clone();
        for _ in 0..steps {
            let slopes = |shift: f64, slope: Option<&Slope>| match slope {
                None => state.slope(),
                Some(slope) => state.shifted(shift, slope).slope(),
            };
            let first = slopes(0.0, None);
            let second = slopes(0.5 * h, Some(&first));
            let third = slopes(0.5 * h, Some(&second));
            let fourth = slopes(h, Some(&third));
            for (slope, weight) in [(first, 1.0), (second, 2.0), (third, 2.0), (fourth, 1.0)] {
                state = state.shifted(weight * h / 6.0, &slope);
            }
        }
        state
    }

    fn shifted(&self, h: f64, slope: &Slope) -> Self {
        let add = |x: &[[f64; 2]], rate: &[[f64; 2]]| -> Vec<[f64; 2]> {
            let pairs = x.iter().zip(rate);
            pairs
                .map(|(x, r)| [x[0] + h * r[0], x[1] + h * r[1]])
                .collect()
        };
        Self {
            masses: self.masses.clone(),
            positions: add(&self.positions, &slope.velocities),
            velocities: add(&self.velocities, &slope.accelerations),
            gravity: self.gravity,
        }
    }

    /// Velocities, and the accelerations under gravity and the forces of the links.
    fn slope(&self) -> Slope {
        let count = self.masses.len();
        let difference = |x: &[[f64; 2]], index: usize| {
            let before = if index == 0 { [0.0; 2] } else { x[index - 1] };
            [x[index][0] - before[0], x[index][1] - before[1]]
        };
        let spans: Vec<[f64; 2]> = (0..count).map(|i| difference(&self.positions, i)).collect();
        // link i pulls its two ends with y_i times its span: the rows span·(a_i − a_(i−1)) =
        // −|relative velocity|²
        let (mut diagonal, mut right) = (vec![0.0; count], vec![0.0; count]);
        let mut coupling = vec![0.0; count];
        for index in 0..count {
            let d = spans[index];
            let relative = difference(&self.velocities, index);
            let mut inverse = 1.0 / self.masses[index];
            right[index] = -(relative[0] * relative[0] + relative[1] * relative[1]);
            if index == 0 {
                // gravity accelerates both ends of the others alike
                right[index] += self.gravity * d[1];
            } else {
                let above = 1.0 / self.masses[index - 1];
                inverse += above;
                let p = spans[index - 1];
                coupling[index] = -above * (d[0] * p[0] + d[1] * p[1]);
            }
            diagonal[index] = inverse * (d[0] * d[0] + d[1] * d[1]);
        }
        let pulls = tridiagonal(diagonal, &coupling, right);
        let accelerations = (0..count)
            .map(|index| {
                let mut a = [0.0, -self.gravity];
                for axis in 0..2 {
                    a[axis] += pulls[index] * spans[index][axis] / self.masses[index];
                    if index + 1 < count {
                        let below = pulls[index + 1] * spans[index + 1][axis];
                        a[axis] -= below / self.masses[index];
                    }
                }
                a
            })
            .collect();
        Slope {
            velocities: self.velocities.clone(),
            accelerations,
        }
    }
}

/// Rates of a state.
struct Slope {
    velocities: Vec<[f64; 2]>,
    accelerations: Vec<[f64; 2]>,
}

/// Solves a symmetric tridiagonal system; `coupling[i]` ties i to i − 1.
fn tridiagonal(mut diagonal: Vec<f64>, coupling: &[f64], mut right: Vec<f64>) -> Vec<f64> {
    let count = right.len();
    for index in 1..count {
        let factor = coupling[index] / diagonal[index - 1];
        diagonal[index] -= factor * coupling[index];
        right[index] -= factor * right[index - 1];
    }
    for index in (0..count).rev() {
        if index + 1 < count {
            right[index] -= coupling[index + 1] * right[index + 1];
        }
        right[index] /= diagonal[index];
    }
    right
}

#[cfg(test)]
mod tests {
    use super::super::pendulum::angle_at;
    use super::*;

    #[test]
    fn links_hang_lower_than_the_catenary_and_tend_to_it() {
        let table = [
            (4, 0.524_319_6),
            (10, 0.505_945_9),
            (20, 0.503_446_6),
            (100, 0.502_665_7),
        ];
        for (links, expected) in table {
            let joints = hanging_shape(links, 1.5, 1.0).unwrap();
            assert!((sag(&joints) - expected).abs() < 5e-7, "{links}");
            let end = joints[links];
            assert!((end[0] - 1.0).abs() + end[1].abs() < 1e-12, "{links}");
        }
        assert_eq!(hanging_shape(1, 2.0, 1.0), None);
        assert_eq!(hanging_shape(5, 1.0, 2.0), None);
    }

    #[test]
    fn one_link_is_the_exact_pendulum_and_three_keep_their_energy() {
        let start = 2.0;
        let (sine, cosine) = libm::sincos(start);
        let pendulum = Links {
            masses: vec![3.0],
            positions: vec![[0.8 * sine, -0.8 * cosine]],
            velocities: vec![[0.0; 2]],
            gravity: 9.81,
        };
        let last = pendulum.after(1.3, 4000).positions[0];
        let angle = angle_at(0.8, 9.81, start, 1.3);
        let error = (last[0] - 0.8 * libm::sin(angle)).abs();
        assert!(error < 1e-10, "{error:e}");
        let chain = Links {
            masses: vec![1.0, 0.5, 2.0],
            positions: vec![[0.5, 0.0], [0.8, -0.4], [1.3, -0.4]],
            velocities: vec![[0.0; 2]; 3],
            gravity: 9.81,
        };
        let energy = |links: &Links| -> f64 {
            let parts = links
                .masses
                .iter()
                .zip(&links.positions)
                .zip(&links.velocities);
            parts
                .map(|((m, x), v)| m * (0.5 * (v[0] * v[0] + v[1] * v[1]) + 9.81 * x[1]))
                .sum()
        };
        // fourth order: half the step leaves a sixteenth of the error
        let error = |steps: u32| (energy(&chain.after(0.5, steps)) - energy(&chain)).abs();
        let (coarse, fine) = (error(500), error(1000));
        assert!(coarse < 1e-4 && fine < coarse / 14.0, "{coarse:e} {fine:e}");
    }
}

//! The points of one manifold side by side.

use delassus_core::{ContactArms, MassProperties, Problem};

use crate::pack::law;
use crate::pack::own::{inverse, largest_eigenvalue_bound};
use crate::pack::plan::{MAX_POINTS, in_world};

/// One number per point of a manifold.
pub(super) type Lanes = [f64; MAX_POINTS];

/// Three numbers per point of a manifold.
pub(super) type Lanes3 = [Lanes; 3];

/// Normal and tangents.
pub(super) type Axes = [[f64; 3]; 3];

/// Numbers of the rows of a manifold, per point.
pub(super) struct RowNumbers {
    /// Of the normals.
    pub(super) bias: Lanes,
    pub(super) compliance: Lanes3,
}

impl RowNumbers {
    #[inline(always)]
    pub(super) fn of(problem: &Problem, first_row: usize, count: usize) -> Self {
        let mut numbers = Self {
            bias: [0.0; MAX_POINTS],
            compliance: [[0.0; MAX_POINTS]; 3],
        };
        let rows = first_row..first_row + 3 * count;
        let bias = problem.bias()[rows.clone()].as_chunks::<3>().0;
        for (to, from) in numbers.bias.iter_mut().zip(bias) {
            *to = from[0];
        }
        if !problem.is_rigid() {
            let compliance = problem.compliance()[rows].as_chunks::<3>().0;
            for (lane, from) in compliance.iter().enumerate().take(MAX_POINTS) {
                for row in 0..3 {
                    numbers.compliance[row][lane] = from[row];
                }
            }
        }
        numbers
    }
}

/// The points of a manifold side by side.
pub(super) struct PointLanes {
    pub(super) axes: Axes,
    /// r × d of both bodies and the three axes d: the angular parts of the rows.
    turning: [[Lanes3; 3]; 2],
}

impl PointLanes {
    #[inline(always)]
    pub(super) fn new(axes: Axes, given: &[ContactArms]) -> Self {
        let mut arms = [[[0.0; MAX_POINTS]; 3]; 2];
        for (lane, given) in given.iter().enumerate().take(MAX_POINTS) {
            for side in 0..2 {
                for axis in 0..3 {
                    arms[side][axis][lane] = given[side][axis];
                }
            }
        }
        let mut turning = [[[[0.0; MAX_POINTS]; 3]; 3]; 2];
        for side in 0..2 {
            let [x, y, z] = &arms[side];
            for (axis, d) in axes.iter().enumerate() {
                let to = &mut turning[side][axis];
                for lane in 0..MAX_POINTS {
                    to[0][lane] = y[lane] * d[2] - z[lane] * d[1];
                    to[1][lane] = z[lane] * d[0] - x[lane] * d[2];
                    to[2][lane] = x[lane] * d[1] - y[lane] * d[0];
                }
            }
        }
        Self { axes, turning }
    }

    /// The arms of one body in the axes.
    #[inline(always)]
    pub(super) fn in_axes(&self, side: usize) -> Lanes3 {
        let [_, t, s] = &self.axes;
        let [on_n, on_t, _] = &self.turning[side];
        let dot = |lanes: &Lanes3, d: &[f64; 3], lane: usize| {
            lanes[0][lane] * d[0] + lanes[1][lane] * d[1] + lanes[2][lane] * d[2]
        };
        let mut arms = [[0.0; MAX_POINTS]; 3];
        for lane in 0..MAX_POINTS {
            arms[0][lane] = dot(on_t, s, lane);
            arms[1][lane] = -dot(on_n, s, lane);
            arms[2][lane] = dot(on_n, t, lane);
        }
        arms
    }

    /// From the centre of the second body to each point, world axes \[m\].
    #[inline(always)]
    pub(super) fn arms(&self) -> Lanes3 {
        let ([n, t, s], x) = (&self.axes, self.in_axes(1));
        let mut arms = [[0.0; MAX_POINTS]; 3];
        for axis in 0..3 {
            for lane in 0..MAX_POINTS {
                arms[axis][lane] =
                    x[0][lane] * n[axis] + x[1][lane] * t[axis] + x[2][lane] * s[axis];
            }
        }
        arms
    }

    /// From the centre of the first body to that of the second, as the first point has it \[m\].
    #[inline(always)]
    pub(super) fn between(&self) -> [f64; 3] {
        let [a, b] = [self.in_axes(0), self.in_axes(1)];
        in_world(&self.axes, [0, 1, 2].map(|axis| a[axis][0] - b[axis][0]))
    }

    /// Steps of the rows \[kg\], as [`crate::pack::own::steps`] computes them.
    #[inline(always)]
    pub(super) fn steps(
        &self,
        law: u32,
        masses: [&MassProperties; 2],
        factors: [f64; 2],
        numbers: &RowNumbers,
        omega: f64,
    ) -> Lanes3 {
        let moved = [self.moved(0, masses[0]), self.moved(1, masses[1])];
        let entry = |i: usize, j: usize| {
            let mut entry = [0.0; MAX_POINTS];
            for side in 0..2 {
                let linear = self.linear(i, j, masses[side]);
                let (on, to) = (&self.turning[side][i], &moved[side][j]);
                for lane in 0..MAX_POINTS {
                    let mut share = linear;
                    for axis in 0..3 {
                        share += on[axis][lane] * to[axis][lane];
                    }
                    entry[lane] += factors[side] * share;
                }
            }
            entry
        };
        let mut own = [entry(0, 0), entry(1, 1), entry(2, 2)];
        for row in 0..3 {
            for lane in 0..MAX_POINTS {
                own[row][lane] += numbers.compliance[row][lane] / omega;
            }
        }
        let mut steps = [[0.0; MAX_POINTS]; 3];
        let coupled = match law {
            law::DISC => 1,
            law::CONE => 0,
            _ => 3,
        };
        for row in 0..coupled {
            steps[row] = own[row].map(inverse);
        }
        if coupled < 3 {
            let ts = entry(1, 2);
            let [nt, ns] = match coupled {
                0 => [entry(0, 1), entry(0, 2)],
                _ => [[0.0; MAX_POINTS]; 2],
            };
            for lane in 0..MAX_POINTS {
                let [n, t, s] = own.map(|row| row[lane]);
                let [nt, ns, ts] = [nt[lane], ns[lane], ts[lane]];
                let bound = match coupled {
                    0 => largest_eigenvalue_bound(&[[n, nt, ns], [nt, t, ts], [ns, ts, s]], 3),
                    _ => largest_eigenvalue_bound(&[[t, ts, 0.0], [ts, s, 0.0], [0.0; 3]], 2),
                };
                for row in coupled..3 {
                    steps[row][lane] = inverse(bound);
                }
            }
        }
        steps
    }

    /// What the angular parts of the three rows do to one body.
    #[inline(always)]
    fn moved(&self, side: usize, mass: &MassProperties) -> [Lanes3; 3] {
        let mut moved = [[[0.0; MAX_POINTS]; 3]; 3];
        let inertia = &mass.inverse_inertia;
        for (to, [x, y, z]) in moved.iter_mut().zip(&self.turning[side]) {
            for axis in 0..3 {
                let [a, b, c] = [0, 1, 2].map(|column| inertia[(axis, column)]);
                for lane in 0..MAX_POINTS {
                    to[axis][lane] = a * x[lane] + b * y[lane] + c * z[lane];
                }
            }
        }
        moved
    }

    /// The share of the linear parts of two rows, which all points have.
    #[inline(always)]
    fn linear(&self, i: usize, j: usize, mass: &MassProperties) -> f64 {
        let ([a, b], m) = ([&self.axes[i], &self.axes[j]], &mass.inverse_mass);
        a[0] * (m.x * b[0]) + a[1] * (m.y * b[1]) + a[2] * (m.z * b[2])
    }
}

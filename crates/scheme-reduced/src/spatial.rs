//! Motions, forces and inertias of six coordinates: linear first, at the centre of mass of their
//! body, in world axes.
//!
//! All products are of 3 × 3 blocks: those of larger matrices take other paths on other processors.

use std::ops::{Add, AddAssign, Mul, Sub};

use delassus_dynamics::rotation::cross_matrix;
use nalgebra::{Matrix3, Vector3};

/// A motion \[m/s, rad/s\] (or its rate), or a force \[N, N·m\] (or an impulse), of a body at its
/// centre of mass.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spatial {
    /// Velocity of the centre of mass, or force.
    pub linear: Vector3<f64>,
    /// Angular velocity, or torque about the centre of mass.
    pub angular: Vector3<f64>,
}

impl Default for Spatial {
    fn default() -> Self {
        Self::new(Vector3::zeros(), Vector3::zeros())
    }
}

impl Spatial {
    /// From both halves.
    pub fn new(linear: Vector3<f64>, angular: Vector3<f64>) -> Self {
        Self { linear, angular }
    }

    /// Power of a force along a motion.
    pub fn dot(&self, other: &Self) -> f64 {
        self.linear.dot(&other.linear) + self.angular.dot(&other.angular)
    }

    /// The motion of the point at `arm` \[m\] that moves along rigidly (Q.2).
    pub(crate) fn carried(&self, arm: &Vector3<f64>) -> Self {
        Self::new(self.linear + self.angular.cross(arm), self.angular)
    }

    /// The same force seen from a point from which this one is at `arm` \[m\]: the transpose of
    /// [`Self::carried`].
    pub(crate) fn moved(&self, arm: &Vector3<f64>) -> Self {
        Self::new(self.linear, self.angular + arm.cross(&self.linear))
    }
}

impl Add for Spatial {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self::new(self.linear + other.linear, self.angular + other.angular)
    }
}

impl Sub for Spatial {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self::new(self.linear - other.linear, self.angular - other.angular)
    }
}

impl Mul<f64> for Spatial {
    type Output = Self;

    fn mul(self, factor: f64) -> Self {
        Self::new(factor * self.linear, factor * self.angular)
    }
}

impl AddAssign for Spatial {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

/// A symmetric inertia of six rows by its blocks: \[\[mass, cross\], \[crossᵀ, inertia\]\].
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Blocks {
    /// Force per linear acceleration \[kg\].
    pub(crate) mass: Matrix3<f64>,
    /// Force per angular acceleration \[kg·m\].
    pub(crate) cross: Matrix3<f64>,
    /// Torque per angular acceleration \[kg·m²\].
    pub(crate) inertia: Matrix3<f64>,
}

impl Default for Blocks {
    fn default() -> Self {
        Self {
            mass: Matrix3::zeros(),
            cross: Matrix3::zeros(),
            inertia: Matrix3::zeros(),
        }
    }
}

impl Blocks {
    /// Of one rigid body: its mass \[kg\] and its inertia tensor in world axes \[kg·m²\].
    pub(crate) fn of_body(mass: f64, inertia: Matrix3<f64>) -> Self {
        Self {
            mass: Matrix3::from_diagonal_element(mass),
            cross: Matrix3::zeros(),
            inertia,
        }
    }

    pub(crate) fn times(&self, motion: &Spatial) -> Spatial {
        Spatial::new(
            self.mass * motion.linear + self.cross * motion.angular,
            self.cross.tr_mul(&motion.linear) + self.inertia * motion.angular,
        )
    }

    /// The same inertia felt at a point from which this one is at `arm` \[m\].
    pub(crate) fn moved(&self, arm: &Vector3<f64>) -> Self {
        let r = cross_matrix(arm);
        let cross = self.cross - self.mass * r;
        let inertia = self.inertia + r * cross - self.cross.transpose() * r;
        Self {
            mass: self.mass,
            cross,
            // symmetric up to rounding, which must not grow along a chain
            inertia: 0.5 * (inertia + inertia.transpose()),
        }
    }

    /// Takes the outer product of `direction` with itself away.
    pub(crate) fn without(&mut self, direction: &Spatial) {
        let (l, a) = (direction.linear, direction.angular);
        self.mass -= l * l.transpose();
        self.cross -= l * a.transpose();
        self.inertia -= a * a.transpose();
    }

    /// Forgets all that is angular: a point mass takes no torque.
    pub(crate) fn restrict_to_point(&mut self) {
        self.cross = Matrix3::zeros();
        self.inertia = Matrix3::zeros();
    }
}

impl AddAssign for Blocks {
    fn add_assign(&mut self, other: Self) {
        self.mass += other.mass;
        self.cross += other.cross;
        self.inertia += other.inertia;
    }
}

/// Cholesky factor of a symmetric matrix of at most six rows.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Factor {
    lower: [[f64; 6]; 6],
    size: usize,
}

impl Factor {
    /// `None` if the matrix is not positive definite to rounding.
    pub(crate) fn of(matrix: &[[f64; 6]; 6], size: usize) -> Option<Self> {
        let mut lower = [[0.0; 6]; 6];
        for i in 0..size {
            for j in 0..=i {
                let products = (0..j).map(|k| lower[i][k] * lower[j][k]);
                let rest = matrix[i][j] - products.sum::<f64>();
                if i != j {
                    lower[i][j] = rest / lower[j][j];
                } else if rest > 1e-14 * matrix[i][i] && rest.is_finite() {
                    lower[i][i] = rest.sqrt();
                } else {
                    return None;
                }
            }
        }
        Some(Self { lower, size })
    }

    /// Overwrites the right-hand side by the solution.
    pub(crate) fn solve(&self, right: &mut [f64; 6]) {
        for i in 0..self.size {
            let known: f64 = (0..i).map(|k| self.lower[i][k] * right[k]).sum();
            right[i] = (right[i] - known) / self.lower[i][i];
        }
        for i in (0..self.size).rev() {
            let known: f64 = (i + 1..self.size)
                .map(|k| self.lower[k][i] * right[k])
                .sum();
            right[i] = (right[i] - known) / self.lower[i][i];
        }
    }

    /// L⁻¹ times columns: the sum of their outer products is U D⁻¹ Uᵀ.
    pub(crate) fn whiten(&self, columns: &[Spatial; 6]) -> [Spatial; 6] {
        let mut white = [Spatial::default(); 6];
        for i in 0..self.size {
            let mut rest = columns[i];
            for (k, done) in white[..i].iter().enumerate() {
                rest = rest - *done * self.lower[i][k];
            }
            white[i] = rest * (1.0 / self.lower[i][i]);
        }
        white
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body() -> Blocks {
        let mut blocks = Blocks::of_body(
            2.0,
            Matrix3::new(1.0, 0.1, 0.2, 0.1, 2.0, 0.3, 0.2, 0.3, 1.5),
        );
        blocks.without(&Spatial::new(
            Vector3::new(0.3, 0.1, -0.2),
            Vector3::new(0.2, -0.4, 0.1),
        ));
        blocks
    }

    #[test]
    fn a_moved_inertia_gives_the_force_of_the_carried_motion() {
        let (arm, blocks) = (Vector3::new(0.4, -0.7, 1.1), body());
        let motion = Spatial::new(Vector3::new(1.0, 2.0, -0.5), Vector3::new(-0.3, 0.8, 0.6));
        let expected = blocks.times(&motion.carried(&arm)).moved(&arm);
        let found = blocks.moved(&arm).times(&motion);
        let error = (found - expected).linear.norm() + (found - expected).angular.norm();
        assert!(error < 1e-14, "{error:e}");
    }

    #[test]
    fn a_factor_solves_and_whitens() {
        let mut matrix = [[0.0; 6]; 6];
        let entries = [[4.0, 1.0, 0.5], [1.0, 3.0, -0.2], [0.5, -0.2, 2.0]];
        for (row, entries) in matrix.iter_mut().zip(entries) {
            row[..3].copy_from_slice(&entries);
        }
        let factor = Factor::of(&matrix, 3).expect("positive definite");
        let mut x = [1.0, -2.0, 0.3, 0.0, 0.0, 0.0];
        factor.solve(&mut x);
        for (row, expected) in entries.iter().zip([1.0, -2.0, 0.3]) {
            let found: f64 = row.iter().zip(&x).map(|(a, x)| a * x).sum();
            assert!((found - expected).abs() < 1e-15);
        }
        matrix[2][2] = 0.06;
        assert!(Factor::of(&matrix, 3).is_none(), "indefinite");
    }
}

//! The energy of the springs of a world: soft joints and soft contacts.

use nalgebra::{DMatrix, DVector};

use crate::constraint::{ForceKind, Rows};
use crate::contact::{ContactFrame, ContactPlace, Manifold};
use crate::joint::Joint;
use crate::spatial::{dot, relative};
use crate::world::World;

impl World {
    /// ½ k C² of every soft row and closed soft contact \[J\]. The stiffness of a row that is soft
    /// by frequency follows its effective mass, that of a block that is soft together the inverse
    /// of K (S.17); rows by ERP and CFM have a stiffness only together with a step and count with
    /// the last one.
    pub(crate) fn spring_energy(&self) -> f64 {
        let mut rows = Rows::default();
        let mut sum = 0.0;
        for (index, joint) in self.joints.iter().enumerate() {
            if joint.is_rigid() {
                continue;
            }
            self.evaluate_joint(index, &mut rows);
            sum += if joint.has_coupled_compliance() {
                self.energy_of_block(joint, &rows)
            } else {
                self.energy_of_rows(joint, &rows)
            };
        }
        let soft = self.manifolds.iter().filter(|m| !m.softness.is_rigid());
        let mut frame = ContactFrame::default();
        for manifold in soft {
            self.contact_frame(manifold, ContactPlace::Middle, &mut frame);
            sum += self.energy_of_contact(manifold, &frame);
        }
        sum
    }

    fn energy_of_rows(&self, joint: &Joint, rows: &Rows) -> f64 {
        let descriptor = joint.constraint.descriptor();
        let limit = descriptor.force == ForceKind::Limit;
        let bodies = joint.constraint.bodies();
        let entries = rows.jacobian.chunks_exact(bodies.len());
        let mut sum = 0.0;
        for ((entry, error), unit) in entries.zip(&rows.error).zip(descriptor.units) {
            let diagonal = self.row_diagonal(bodies, entry);
            let softness = joint.softness_of(*unit);
            let stiffness = softness.stiffness(diagonal, self.impulse_step);
            let active = diagonal > 0.0 && stiffness.is_finite() && !(limit && *error > 0.0);
            if active {
                sum += 0.5 * stiffness * error * error;
            }
        }
        sum
    }

    /// ½ Cᵀ (k/A_ii of one row) K⁻¹ C of the rows of each softness.
    fn energy_of_block(&self, joint: &Joint, rows: &Rows) -> f64 {
        let units = joint.constraint.descriptor().units;
        let bodies = joint.constraint.bodies();
        let entries: Vec<&[[f64; 6]]> = rows.jacobian.chunks_exact(bodies.len()).collect();
        let mut sum = 0.0;
        let mut left: Vec<usize> = (0..units.len()).collect();
        while let Some(first) = left.first().copied() {
            let together = |row: &usize| joint.shares_spring(units[first], units[*row]);
            let (own, others): (Vec<usize>, Vec<usize>) = left.into_iter().partition(together);
            left = others;
            // of a row with A_ii = 1
            let stiffness = joint
                .softness_of(units[first])
                .stiffness(1.0, self.impulse_step);
            if !stiffness.is_finite() {
                continue;
            }
            let error = DVector::from_iterator(own.len(), own.iter().map(|row| rows.error[*row]));
            let block = DMatrix::from_fn(own.len(), own.len(), |i, j| {
                let pairs = bodies.iter().zip(entries[own[i]]).zip(entries[own[j]]);
                pairs
                    .map(|((body, a), b)| {
                        dot(&self.bodies[*body].mass_properties().apply_inverse(a), b)
                    })
                    .sum()
            });
            if let Some(factor) = block.cholesky() {
                sum += 0.5 * stiffness * error.dot(&factor.solve(&error));
            }
        }
        sum
    }

    fn energy_of_contact(&self, manifold: &Manifold, frame: &ContactFrame) -> f64 {
        let points = frame.separations.iter().zip(&frame.arms);
        let energy = |(separation, arms): (&f64, &[nalgebra::Vector3<f64>; 2])| {
            let row = relative(&frame.normal, arms);
            let diagonal = self.row_diagonal(&manifold.bodies, &row);
            let stiffness = manifold.softness.stiffness(diagonal, self.impulse_step);
            let pressed = separation.min(0.0);
            match diagonal > 0.0 && stiffness.is_finite() {
                true => 0.5 * stiffness * pressed * pressed,
                false => 0.0,
            }
        };
        points.map(energy).sum()
    }
}

//! A block of soft rows in small motion: its steps for any compliance of the block (S.23).

use nalgebra::{DMatrix, DVector};

/// The rows of one joint whose Jacobian stays.
#[derive(Debug, Clone, PartialEq)]
pub struct SoftBlock {
    /// K = J M⁻¹ Jᵀ \[1/kg | 1/(kg·m) | 1/(kg·m²)\].
    pub coupling: DMatrix<f64>,
    /// R, in the same units.
    pub compliance: DMatrix<f64>,
    /// β_r per row \[1/s\].
    pub rates: DVector<f64>,
    /// Length of a step \[s\].
    pub h: f64,
}

impl SoftBlock {
    /// Errors after 0 … `steps` steps from rest at `start` \[m | rad\] (S.23); `None` if K + R is
    /// singular.
    pub fn errors(&self, start: &DVector<f64>, steps: usize) -> Option<Vec<DVector<f64>>> {
        let softened = (&self.coupling + &self.compliance).try_inverse()?;
        let share = &self.coupling * softened;
        let (mut error, mut velocity) = (start.clone(), DVector::zeros(start.len()));
        let mut errors = vec![error.clone()];
        for _ in 0..steps {
            let wanted = &velocity + self.rates.component_mul(&error);
            velocity -= &share * wanted;
            error += self.h * &velocity;
            errors.push(error.clone());
        }
        Some(errors)
    }

    /// σ of (S.18), ascending: squares of the frequencies of the modes of a block that is soft row
    /// by row, over that of its rows \[-\].
    pub fn frequency_ratios(&self) -> Vec<f64> {
        let roots = self.coupling.diagonal().map(f64::sqrt);
        let scaled = DMatrix::from_fn(roots.len(), roots.len(), |i, j| {
            self.coupling[(i, j)] / (roots[i] * roots[j])
        });
        let mut ratios: Vec<f64> = scaled.symmetric_eigenvalues().iter().copied().collect();
        ratios.sort_by(f64::total_cmp);
        ratios
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(coupling: DMatrix<f64>, compliance: DMatrix<f64>, rate: f64, h: f64) -> SoftBlock {
        let rates = DVector::from_element(coupling.nrows(), rate);
        SoftBlock {
            coupling,
            compliance,
            rates,
            h,
        }
    }

    #[test]
    fn as_a_block_every_row_is_the_scalar_recurrence_and_row_by_row_every_mode() {
        let (h, omega, zeta) = (0.01, 12.0, 0.3);
        let c = h * omega * (2.0 * zeta + h * omega);
        let rate = omega / (2.0 * zeta + h * omega);
        let scalar = |omega: f64, zeta: f64, x: f64| {
            let (mut x, mut v) = (x, 0.0);
            let divisor = 1.0 + 2.0 * zeta * omega * h + omega * omega * h * h;
            for _ in 0..40 {
                v = (v - h * omega * omega * x) / divisor;
                x += h * v;
            }
            x
        };
        let coupling = DMatrix::from_row_slice(2, 2, &[2.0, 0.8, 0.8, 0.5]);
        let start = DVector::from_column_slice(&[0.3, -0.1]);
        let together = block(coupling.clone(), &coupling / c, rate, h);
        let last = &together.errors(&start, 40).unwrap()[40];
        for row in 0..2 {
            assert!((last[row] - scalar(omega, zeta, start[row])).abs() < 1e-14);
        }
        // σ = 1 ± 0.8: along K^(1/2)-eigenvectors of the scaled block, C = D^(1/2) (1, ±1)
        let alone = DMatrix::from_diagonal(&coupling.diagonal()) / c;
        let rows = block(coupling, alone, rate, h);
        let ratios = rows.frequency_ratios();
        assert!((ratios[0] - 0.2).abs() < 1e-15 && (ratios[1] - 1.8).abs() < 1e-15);
        for (sign, sigma) in [(1.0, 1.8f64), (-1.0, 0.2)] {
            let start = DVector::from_column_slice(&[2f64.sqrt(), sign * 0.5f64.sqrt()]);
            let last = &rows.errors(&start, 40).unwrap()[40];
            let root = sigma.sqrt();
            // ζω and ω² of the mode are σ times those of the row: ω √σ with a damping ratio ζ √σ
            let expected = scalar(omega * root, zeta * root, 1.0);
            for row in 0..2 {
                let off = (last[row] / start[row] - expected).abs();
                assert!(off < 1e-13, "σ {sigma}: {off}");
            }
        }
    }
}

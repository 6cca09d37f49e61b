//! A box on the four corners of its lower face: redundant normals, and where Jacobi sweeps stop
//! converging.
//!
//! `s` = 3 a²/(a² + b²) for half extents (a, b, a) with b vertical.

/// First row of m A, a circulant \[-\]: (1 + 2 s, 1, 1 − 2 s, 1) (E.16).
pub fn ring(s: f64) -> [f64; 4] {
    [1.0 + 2.0 * s, 1.0, 1.0 - 2.0 * s, 1.0]
}

/// Eigenvalues of m A \[-\]: 4 for the sum, 4 s twice for tilting, 0 for the redundant combination
/// (E.16).
pub fn eigenvalues(s: f64) -> [f64; 4] {
    [4.0, 4.0 * s, 4.0 * s, 0.0]
}

/// λ_max(D⁻¹A) \[-\]: Jacobi sweeps with relaxation ω converge if ω λ_max < 2 (E.17).
pub fn largest_jacobi_eigenvalue(s: f64) -> f64 {
    4.0 * s.max(1.0) / (1.0 + 2.0 * s)
}

#[cfg(test)]
mod tests {
    use super::super::falling_box::shape;
    use super::*;

    #[test]
    fn tall_boxes_make_jacobi_sweeps_diverge() {
        // beyond b/a = √5
        assert!(largest_jacobi_eigenvalue(shape(1.0, 2.2)) < 2.0);
        assert!(largest_jacobi_eigenvalue(shape(1.0, 2.3)) > 2.0);
        assert!((largest_jacobi_eigenvalue(shape(1.0, 2.2)) - 1.972_97).abs() < 5e-6);
    }

    #[test]
    fn the_circulant_has_these_eigenvalues() {
        for s in [0.3, 1.0, 1.5] {
            let first = ring(s);
            let matrix = nalgebra::Matrix4::from_fn(|i, j| first[(4 + j - i) % 4]);
            let mut found: Vec<f64> = matrix.symmetric_eigenvalues().iter().copied().collect();
            let mut expected = eigenvalues(s);
            found.sort_by(f64::total_cmp);
            expected.sort_by(f64::total_cmp);
            for (a, b) in found.iter().zip(expected) {
                // a few roundings of numbers up to 6
                assert!((a - b).abs() < 1e-14, "{a} {b}");
            }
        }
    }
}

//! Systems of the rows of one block.

/// Asymmetry that is rounding \[-\].
const ROUNDING: f64 = 1e-13;

/// Solves for the columns beyond the first `dim` of a row-major system, in their place; numbers
/// that are none where it is singular.
pub(crate) fn eliminate(system: &mut [f64], dim: usize, width: usize) {
    for j in 0..dim {
        let size = |i: usize| system[i * width + j].abs();
        let pivot = (j + 1..dim).fold(j, |best, i| if size(i) > size(best) { i } else { best });
        if pivot != j {
            for column in 0..width {
                system.swap(j * width + column, pivot * width + column);
            }
        }
        let scale = 1.0 / system[j * width + j];
        for column in j..width {
            system[j * width + column] *= scale;
        }
        for i in (0..dim).filter(|i| *i != j) {
            let factor = system[i * width + j];
            if factor != 0.0 {
                for column in j..width {
                    system[i * width + column] -= factor * system[j * width + column];
                }
            }
        }
    }
}

/// True if a row-major matrix is symmetric but for rounding.
pub(crate) fn is_symmetric(matrix: &[f64], dim: usize) -> bool {
    let largest = matrix.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    (0..dim).all(|i| {
        (0..i).all(|k| (matrix[i * dim + k] - matrix[k * dim + i]).abs() <= ROUNDING * largest)
    })
}

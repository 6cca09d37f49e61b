//! The small dense systems of joints whose rows are solved together.

/// A pivot below this share of its diagonal belongs to a row that depends on those before it.
const DEPENDENT: f64 = 1e-12;

/// Solves a symmetric positive semi-definite system in place by LDLᵀ; `matrix` is row by row.
///
/// Rows that depend on earlier ones get zero. The test is relative to the row's own diagonal, so
/// that metres and radians may stand in one system. `kept` is memory: which rows do not depend.
pub(super) fn solve(matrix: &mut [f64], right: &mut [f64], kept: &mut Vec<bool>) {
    let n = right.len();
    kept.clear();
    kept.resize(n, true);
    for k in 0..n {
        let original = matrix[k * n + k];
        let mut pivot = original;
        for j in (0..k).filter(|j| kept[*j]) {
            pivot -= matrix[k * n + j] * matrix[k * n + j] * matrix[j * n + j];
        }
        kept[k] = pivot > DEPENDENT * original;
        matrix[k * n + k] = pivot;
        if !kept[k] {
            continue;
        }
        for i in k + 1..n {
            let mut entry = matrix[i * n + k];
            for j in (0..k).filter(|j| kept[*j]) {
                entry -= matrix[i * n + j] * matrix[k * n + j] * matrix[j * n + j];
            }
            matrix[i * n + k] = entry / pivot;
        }
    }
    for k in 0..n {
        for j in (0..k).filter(|j| kept[*j]) {
            right[k] -= matrix[k * n + j] * right[j];
        }
        if !kept[k] {
            right[k] = 0.0;
        }
    }
    for k in (0..n).rev().filter(|k| kept[*k]) {
        right[k] /= matrix[k * n + k];
        for i in (k + 1..n).filter(|i| kept[*i]) {
            right[k] -= matrix[i * n + k] * right[i];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regular_systems_are_solved() {
        let matrix = [4.0, 1.0, -2.0, 1.0, 3.0, 0.5, -2.0, 0.5, 5.0];
        let mut right = [1.0, -2.0, 7.0];
        let wanted = right;
        solve(&mut matrix.clone(), &mut right, &mut Vec::new());
        for row in 0..3 {
            let sum: f64 = (0..3).map(|k| matrix[3 * row + k] * right[k]).sum();
            assert!((sum - wanted[row]).abs() < 1e-14);
        }
    }

    #[test]
    fn dependent_rows_of_a_consistent_system_get_nothing_and_hold() {
        // row 1 is −3 times row 0, row 2 is apart and in another unit
        let matrix = [2.0, -6.0, 0.0, -6.0, 18.0, 0.0, 0.0, 0.0, 1e-9];
        let mut right = [4.0, -12.0, 5e-9];
        solve(&mut matrix.clone(), &mut right, &mut Vec::new());
        assert_eq!(right[1], 0.0);
        assert!((right[0] - 2.0).abs() < 1e-15 && (right[2] - 5.0).abs() < 1e-14);
        let mut nothing = [1.0];
        solve(&mut [0.0], &mut nothing, &mut Vec::new());
        assert_eq!(nothing, [0.0]);
    }
}

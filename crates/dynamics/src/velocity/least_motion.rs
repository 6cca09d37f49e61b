//! The least motion, in the mass norm, that changes the errors of a joint by given amounts.

use arrayvec::ArrayVec;
use nalgebra::allocator::Allocator;
use nalgebra::{
    DefaultAllocator, DimDiff, DimName, DimSub, OMatrix, OVector, U1, U2, U3, U4, U5, U6,
};

use crate::constraint::{MAX_BODIES, MAX_TOGETHER};
use crate::spatial::{dot, split_spatial};
use crate::world::World;

/// Moves the bodies by M⁻¹Jᵀx with (J M⁻¹ Jᵀ) x = `change`; `rows` hold an entry per body.
pub(super) fn apply(world: &mut World, bodies: &[usize], rows: &[&[[f64; 6]]], change: &[f64]) {
    let mass = bodies.iter().map(|b| world.bodies[*b].mass_properties());
    let mass: ArrayVec<_, MAX_BODIES> = mass.collect();
    let response = |row: &&[[f64; 6]]| -> ArrayVec<[f64; 6], MAX_BODIES> {
        let pairs = row.iter().zip(&mass);
        pairs.map(|(entry, m)| m.apply_inverse(entry)).collect()
    };
    let moved: ArrayVec<_, MAX_TOGETHER> = rows.iter().map(response).collect();
    let coupling = |i: usize, j: usize| {
        let pairs = rows[i].iter().zip(&moved[j]);
        pairs.map(|(a, b)| dot(a, b)).sum()
    };
    let x = solve(coupling, change);
    for (side, body) in bodies.iter().enumerate() {
        let mut motion = [0.0; 6];
        for (row, factor) in moved.iter().zip(&x) {
            for axis in 0..6 {
                motion[axis] += row[side][axis] * factor;
            }
        }
        let [displacement, turn] = split_spatial(&motion);
        world.bodies[*body].advance(displacement, &turn);
    }
}

/// Solves the small symmetric positive semi-definite system of a joint; directions that nothing
/// moves get nothing.
fn solve(matrix: impl Fn(usize, usize) -> f64, right: &[f64]) -> ArrayVec<f64, MAX_TOGETHER> {
    match right.len() {
        0 => ArrayVec::new(),
        1 => sized::<U1>(matrix, right),
        2 => sized::<U2>(matrix, right),
        3 => sized::<U3>(matrix, right),
        4 => sized::<U4>(matrix, right),
        5 => sized::<U5>(matrix, right),
        MAX_TOGETHER => sized::<U6>(matrix, right),
        rows => unreachable!("{rows} rows of a joint"),
    }
}

/// As [`solve`], on the stack.
fn sized<D>(matrix: impl Fn(usize, usize) -> f64, right: &[f64]) -> ArrayVec<f64, MAX_TOGETHER>
where
    D: DimName + DimSub<U1>,
    DefaultAllocator: Allocator<D> + Allocator<D, D> + Allocator<DimDiff<D, U1>>,
{
    let matrix = OMatrix::<f64, D, D>::from_fn(matrix);
    let right = OVector::<f64, D>::from_column_slice(right);
    let mut x = OVector::<f64, D>::zeros();
    let largest = matrix.diagonal().max();
    if largest > 0.0 {
        let eigen = matrix.symmetric_eigen();
        let vectors = eigen.eigenvectors.column_iter();
        for (value, vector) in eigen.eigenvalues.iter().zip(vectors) {
            if *value > 1e-12 * largest {
                // of rows one by one: products of four are added in another order
                let along = vector.rows(0, right.len()).dot(&right.rows(0, right.len()));
                x += vector * (along / value);
            }
        }
    }
    x.iter().copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{DMatrix, DVector};

    /// Pseudo-random numbers in \[−1, 1).
    fn numbers() -> impl FnMut() -> f64 {
        // 64-bit linear congruence of Knuth's MMIX: enough for examples
        let mut state = 1_u64;
        move || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            2.0 * ((state >> 11) as f64 / (1_u64 << 53) as f64) - 1.0
        }
    }

    /// The same in memory of any size.
    fn in_memory(matrix: &DMatrix<f64>, right: &DVector<f64>) -> DVector<f64> {
        let largest = matrix.diagonal().max();
        let mut x = DVector::zeros(right.len());
        if largest <= 0.0 {
            return x;
        }
        let eigen = matrix.clone().symmetric_eigen();
        let vectors = eigen.eigenvectors.column_iter();
        for (value, vector) in eigen.eigenvalues.iter().zip(vectors) {
            if *value > 1e-12 * largest {
                x += vector * (vector.dot(right) / value);
            }
        }
        x
    }

    #[test]
    fn systems_on_the_stack_have_the_bits_of_those_in_memory() {
        let mut number = numbers();
        for round in 0..3000 {
            let rows = 1 + round % MAX_TOGETHER;
            // from no direction that moves to all
            let rank = round / MAX_TOGETHER % (rows + 1);
            let factor = DMatrix::from_fn(rows, rank, |_, _| number());
            let matrix = &factor * factor.transpose();
            let change = DVector::from_fn(rows, |_, _| number());
            let found = solve(|i, j| matrix[(i, j)], change.as_slice());
            let expected = in_memory(&matrix, &change);
            let bits = |x: &[f64]| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&found), bits(expected.as_slice()), "{matrix}");
        }
    }

    #[test]
    fn consistent_systems_are_solved_by_the_shortest_vector() {
        // both rows are the same: each gives half
        let found = solve(|_, _| 2.0, &[4.0, 4.0]);
        assert!(found.iter().all(|x| (x - 1.0).abs() < 1e-15), "{found:?}");
        assert_eq!(solve(|_, _| 0.0, &[1.0]).as_slice(), [0.0]);
    }
}

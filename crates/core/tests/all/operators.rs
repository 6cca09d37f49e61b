//! Products with J, Jᵀ, M⁻¹ and A against dense matrices; every number is a small dyadic one, so
//! sums are exact.

use delassus_core::{
    BlockSparse, BodyRows, Law, MassProperties, Operator, Problem, ProblemBuilder,
};
use nalgebra::{DMatrix, DVector, Matrix3, Vector3};

/// Whole numbers in [−4, 4], halved.
struct Numbers(u32);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (f64::from(self.0 >> 24) % 9.0 - 4.0) * 0.5
    }

    fn six(&mut self) -> [f64; 6] {
        std::array::from_fn(|_| self.next())
    }
}

/// Blocks between one, two and three of five bodies, two of them in a row between the same pair;
/// and J, row-major.
fn rig() -> (Problem, DMatrix<f64>, DMatrix<f64>) {
    let mut numbers = Numbers(11);
    let mut builder = ProblemBuilder::new();
    let mut inverse = DMatrix::zeros(30, 30);
    for body in 0..5 {
        let spin = Matrix3::new(2.0, 0.5, 0.0, 0.5, 1.0, -0.25, 0.0, -0.25, 4.0);
        let mass = MassProperties {
            inverse_mass: Vector3::new(0.5, 1.0, 0.25),
            inverse_inertia: spin,
        };
        for i in 0..3 {
            inverse[(6 * body + i, 6 * body + i)] = mass.inverse_mass[i];
            for j in 0..3 {
                inverse[(6 * body + 3 + i, 6 * body + 3 + j)] = spin[(i, j)];
            }
        }
        builder.body(mass, numbers.six());
    }
    let touched: [(&[usize], usize); 9] = [
        (&[3, 1], 2),
        (&[3, 1], 1),
        (&[3, 1], 3),
        (&[1, 3], 2),
        (&[4], 3),
        (&[4], 1),
        (&[0, 2, 4], 2),
        (&[0, 2], 2),
        (&[2, 4], 1),
    ];
    let rows: usize = touched.iter().map(|(_, dim)| dim).sum();
    let mut jacobian = DMatrix::zeros(rows, 30);
    let mut row = 0;
    for (bodies, dim) in touched {
        let mut entries = Vec::new();
        for _ in 0..dim {
            let of_row: Vec<[f64; 6]> = bodies.iter().map(|_| numbers.six()).collect();
            for (entry, body) in of_row.iter().zip(bodies) {
                for axis in 0..6 {
                    jacobian[(row, 6 * body + axis)] = entry[axis];
                }
            }
            entries.push(of_row);
            row += 1;
        }
        builder.block(Law::Equality, bodies, &entries);
    }
    (builder.build().expect("a valid problem"), jacobian, inverse)
}

fn bodies(problem: &Problem) -> &BodyRows {
    problem.bodies().expect("it has bodies")
}

#[test]
fn products_of_bodies_are_those_of_dense_matrices() {
    let (problem, jacobian, inverse) = rig();
    let rows = problem.rows();
    let mut numbers = Numbers(5);
    let x = DVector::from_fn(rows, |_, _| numbers.next());
    let v = DVector::from_fn(30, |_, _| numbers.next());
    let rig = bodies(&problem);
    let mut momentum = vec![1.0; 30];
    rig.add_transposed(problem.blocks(), x.as_slice(), &mut momentum);
    let expected = jacobian.transpose() * &x + DVector::repeat(30, 1.0);
    assert_eq!(momentum, expected.as_slice());
    let mut out = vec![9.0; rows];
    rig.multiply(problem.blocks(), v.as_slice(), &mut out);
    assert_eq!(out, (&jacobian * &v).as_slice());
    let delassus = &jacobian * &inverse * jacobian.transpose();
    problem.apply_delassus(x.as_slice(), &mut out);
    assert_eq!(out, (&delassus * &x).as_slice());
    assert_eq!(problem.diagonal(), delassus.diagonal().as_slice());
    for (index, block) in problem.blocks().iter().enumerate() {
        let (first, dim) = (block.first_row, block.dim);
        let mut own = vec![9.0; dim * dim];
        problem.diagonal_block(index, &mut own);
        // symmetric: the order of rows and columns does not matter
        let expected = delassus.view((first, first), (dim, dim)).into_owned();
        assert_eq!(own, expected.as_slice(), "block {index}");
    }
}

#[test]
fn some_blocks_are_added_alone() {
    let (problem, jacobian, _) = rig();
    let mut numbers = Numbers(3);
    let x = DVector::from_fn(problem.rows(), |_, _| numbers.next());
    for (start, end) in [(0, 9), (1, 3), (2, 5), (4, 7), (3, 3), (8, 9)] {
        let mut part = DVector::zeros(problem.rows());
        for block in &problem.blocks()[start..end] {
            for row in block.rows() {
                part[row] = x[row];
            }
        }
        let mut out = vec![0.0; 30];
        bodies(&problem).add_transposed_of(problem.blocks(), start..end, x.as_slice(), &mut out);
        assert_eq!(
            out,
            (jacobian.transpose() * part).as_slice(),
            "{start}..{end}"
        );
    }
}

#[test]
fn entries_of_a_row_are_those_of_its_bodies() {
    let (problem, jacobian, _) = rig();
    let rig = bodies(&problem);
    assert_eq!((rig.len(), rig.is_empty()), (5, false));
    assert!(BodyRows::default().is_empty());
    for (index, block) in problem.blocks().iter().enumerate() {
        for (local, row) in block.rows().enumerate() {
            assert_eq!(problem.block_of_row(row), index);
            let entries = rig.row(index, local);
            assert_eq!(entries.len(), rig.bodies_of(index).len());
            for (entry, body) in entries.iter().zip(rig.bodies_of(index)) {
                for axis in 0..6 {
                    assert_eq!(entry[axis], jacobian[(row, 6 * *body as usize + axis)]);
                }
            }
        }
    }
}

#[test]
fn masses_that_move_are_summed() {
    // 4 kg along every axis, 8 kg along its lightest axis, and two that no force moves along a line
    let (heavy, spin) = (Vector3::new(0.125, 0.0, 0.1), Vector3::new(1.0, 1.0, 1.0));
    let lame = MassProperties {
        inverse_mass: heavy,
        inverse_inertia: Matrix3::zeros(),
    };
    let spinning = MassProperties {
        inverse_mass: Vector3::zeros(),
        inverse_inertia: Matrix3::from_diagonal(&spin),
    };
    let masses = [
        MassProperties::aligned(4.0, Vector3::repeat(2.0)),
        lame,
        spinning,
        MassProperties::immovable(),
    ];
    assert_eq!(
        masses.map(|m| m.is_immovable()),
        [false, false, false, true]
    );
    let rows = BodyRows {
        mass: masses.to_vec(),
        ..BodyRows::default()
    };
    assert_eq!(rows.movable_mass(), 12.0);
}

/// Blocks of 1, 3 and 2 rows, two of the nine not stored, as a dense matrix too.
fn sparse() -> (BlockSparse, DMatrix<f64>) {
    let (dims, starts) = ([1, 3, 2], [0, 1, 4]);
    let mut numbers = Numbers(23);
    let mut dense = DMatrix::zeros(6, 6);
    let mut blocks = Vec::new();
    for i in 0..3 {
        for j in 0..3 {
            if (i, j) == (0, 2) || (i, j) == (1, 1) {
                continue;
            }
            let mut values = Vec::new();
            for row in 0..dims[i] {
                for column in 0..dims[j] {
                    let value = numbers.next();
                    dense[(starts[i] + row, starts[j] + column)] = value;
                    values.push(value);
                }
            }
            blocks.push((i, j, values));
        }
    }
    blocks.reverse();
    let matrix = BlockSparse::from_blocks(&dims, blocks).expect("a valid matrix");
    (matrix, dense)
}

#[test]
fn sparse_products_are_those_of_dense_matrices() {
    let (mut matrix, mut dense) = sparse();
    assert_eq!(matrix.stored_blocks(), 7);
    assert_eq!(matrix.stored_values(), 1 + 3 + 3 + 6 + 2 + 6 + 4);
    assert_eq!([0, 1, 2].map(|i| matrix.start(i)), [0, 1, 4]);
    for factor in [1.0, -0.5] {
        matrix.scale(factor);
        dense *= factor;
        let x = DVector::from_row_slice(&[1.0, -2.0, 0.5, 3.0, -1.5, 2.0]);
        let mut out = [9.0; 6];
        matrix.multiply(x.as_slice(), &mut out);
        assert_eq!(out, (&dense * &x).as_slice());
        assert_eq!(matrix.diagonal(), dense.diagonal().as_slice());
        let mut own = [9.0; 4];
        matrix.diagonal_block(2, &mut own);
        assert_eq!(
            own,
            [dense[(4, 4)], dense[(4, 5)], dense[(5, 4)], dense[(5, 5)]]
        );
        let mut missing = [9.0; 9];
        matrix.diagonal_block(1, &mut missing);
        assert_eq!(missing, [0.0; 9]);
        let defect = (&dense - dense.transpose()).norm() / dense.norm();
        assert!((matrix.symmetry_defect() - defect).abs() < 1e-15);
    }
    let zero = BlockSparse::from_blocks(&[1], vec![(0, 0, vec![0.0])]).expect("a valid matrix");
    assert_eq!(zero.symmetry_defect(), 0.0);
}

#[test]
fn the_symmetry_defect_is_that_of_the_entries_now() {
    let entries = |corner: f64| [(0, 0, [1.0, 2.0, corner, 1.0])];
    let mut matrix = BlockSparse::default();
    for (corner, defect) in [(2.0, 0.0), (0.0, (8.0f64 / 6.0).sqrt()), (2.0, 0.0)] {
        matrix.renew([2], entries(corner)).expect("a valid matrix");
        let other = matrix.clone();
        for _ in 0..2 {
            assert!((matrix.symmetry_defect() - defect).abs() < 1e-15);
        }
        // what is known apart from the entries is no part of the value
        assert_eq!(matrix, other);
    }
    matrix.scale(f64::MAX);
    assert!(matrix.symmetry_defect().is_nan());
}

#[test]
fn an_operator_keeps_its_rows() {
    let (problem, ..) = rig();
    assert!(matches!(problem.operator(), Operator::Bodies(_)));
    assert_eq!(problem.blocks().len(), 9);
}

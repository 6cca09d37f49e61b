//! Reduction to Delassus form against closed forms.

use delassus_core::MemoryLimit;
use delassus_formats::{
    Factorization, FieldProblem, Global, GlobalBilateral, ReduceError, StoredMatrix,
};

const LIMIT: MemoryLimit = MemoryLimit::NONE;

/// A cube of edge 2 a and mass m on a plane: four corners below, normal up, then two tangents.
fn cube(mass: f64, a: f64) -> Global {
    let inertia = mass * (2.0 * a) * (2.0 * a) / 6.0;
    let diagonal = [mass, mass, mass, inertia, inertia, inertia];
    let corners = [[a, -a, a], [a, -a, -a], [-a, -a, a], [-a, -a, -a]];
    let axes = [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]];
    let mut h = Vec::new();
    for (contact, r) in corners.iter().enumerate() {
        for (axis, d) in axes.iter().enumerate() {
            // r × d
            let arm = [
                r[1] * d[2] - r[2] * d[1],
                r[2] * d[0] - r[0] * d[2],
                r[0] * d[1] - r[1] * d[0],
            ];
            let column = u32::try_from(3 * contact + axis).unwrap();
            for (row, value) in (0..).zip(d.iter().chain(&arm)) {
                h.push((row, column, *value));
            }
        }
    }
    Global {
        dim: 3,
        m: StoredMatrix::triplets(6, 6, (0..6).map(|i| (i, i, diagonal[i as usize]))),
        h: StoredMatrix::triplets(6, 12, h),
        f: vec![0.0, -mass * 0.0981, 0.0, 0.0, 0.0, 0.0],
        w: vec![0.0; 12],
        mu: vec![0.5; 4],
        mu_r: None,
        bilateral: None,
    }
}

#[test]
fn a_cube_on_a_plane_has_the_matrix_of_the_closed_form() {
    let (mass, a) = (3.0, 0.5);
    let reduced = cube(mass, a).reduce(LIMIT).unwrap();
    assert_eq!(reduced.factorization, Factorization::Cholesky);
    let mut w = vec![vec![0.0; 12]; 12];
    for (row, column, value) in reduced.local.w.entries() {
        w[row][column] += value;
    }
    // normal rows: 1/m + (r_x r'_x + r_z r'_z)/I, with the corners at ±a
    let inertia = mass * (2.0 * a) * (2.0 * a) / 6.0;
    let corners = [[a, a], [a, -a], [-a, a], [-a, -a]];
    for (i, r) in corners.iter().enumerate() {
        for (j, s) in corners.iter().enumerate() {
            let expected = 1.0 / mass + (r[0] * s[0] + r[1] * s[1]) / inertia;
            assert!((w[3 * i][3 * j] - expected).abs() < 1e-14);
        }
    }
    for i in 0..12 {
        for j in 0..12 {
            assert_eq!(w[i][j].to_bits(), w[j][i].to_bits(), "({i}, {j})");
        }
    }
    for contact in 0..4 {
        assert!((reduced.local.q[3 * contact] + 0.0981).abs() < 1e-15);
        assert!(reduced.local.q[3 * contact + 1].abs() < 1e-16);
    }
    FieldProblem::Local(reduced.local).validate().unwrap();
}

#[test]
fn bilateral_rows_are_reduced_alike() {
    // one coordinate per row: M = diag(2, 4, 5), a contact of two rows on 0 and 1, a joint v_0 +
    // v_2 + 1 = 0
    let global = Global {
        dim: 2,
        m: StoredMatrix::dense(3, 3, vec![2.0, 0.0, 0.0, 0.0, 4.0, 0.0, 0.0, 0.0, 5.0]),
        h: StoredMatrix::triplets(3, 2, [(0, 0, 1.0), (1, 1, 1.0)]),
        f: vec![2.0, 8.0, 15.0],
        w: vec![0.5, 0.0],
        mu: vec![0.3],
        mu_r: None,
        bilateral: Some(GlobalBilateral {
            g: StoredMatrix::triplets(3, 1, [(0, 0, 1.0), (2, 0, 1.0)]),
            b: vec![1.0],
        }),
    };
    let local = global.reduce(LIMIT).unwrap().local;
    let bilateral = local.bilateral.as_ref().unwrap();
    let close = |a: f64, b: f64| (a - b).abs() < 1e-14;
    let entries: Vec<_> = bilateral.v.entries().filter(|e| e.2 != 0.0).collect();
    assert_eq!((entries[0].0, entries[0].1, entries.len()), (0, 0, 1));
    // V = e_0ᵀ M⁻¹ G, R = Gᵀ M⁻¹ G, s = Gᵀ M⁻¹ f + b
    assert!(close(entries[0].2, 0.5));
    let own: Vec<_> = bilateral.r.entries().collect();
    assert!(own.len() == 1 && close(own[0].2, 0.7));
    assert!(close(bilateral.s[0], 5.0));
    assert!(close(local.q[0], 1.5) && close(local.q[1], 2.0));
    FieldProblem::Local(local).validate().unwrap();
}

#[test]
fn an_unsymmetric_or_indefinite_mass_matrix_takes_lu() {
    let mut global = cube(1.0, 0.5);
    // gyroscopic terms
    global.m = StoredMatrix::triplets(
        6,
        6,
        (0..6)
            .map(|i| (i, i, 2.0))
            .chain([(3, 4, 0.5), (4, 3, -0.5)]),
    );
    let reduced = global.reduce(LIMIT).unwrap();
    assert_eq!(reduced.factorization, Factorization::Lu);
    // W v = Hᵀ M⁻¹ H v, checked by M x = H v
    let v: Vec<f64> = (1..=12).map(f64::from).collect();
    let (mut right, mut wv) = (vec![0.0; 6], vec![0.0; 12]);
    global.h.multiply(&v, &mut right);
    reduced.local.w.multiply(&v, &mut wv);
    let determinant = 4.0 + 0.25;
    let x = [
        right[0] / 2.0,
        right[1] / 2.0,
        right[2] / 2.0,
        (2.0 * right[3] - 0.5 * right[4]) / determinant,
        (0.5 * right[3] + 2.0 * right[4]) / determinant,
        right[5] / 2.0,
    ];
    let mut expected = vec![0.0; 12];
    global.h.multiply_transposed(&x, &mut expected);
    for (a, b) in wv.iter().zip(&expected) {
        assert!((a - b).abs() < 1e-12, "{a} {b}");
    }
    global.m = StoredMatrix::triplets(
        6,
        6,
        (0..6).map(|i| (i, i, if i == 0 { -1.0 } else { 1.0 })),
    );
    assert_eq!(
        global.reduce(LIMIT).unwrap().factorization,
        Factorization::Lu
    );
}

#[test]
fn what_cannot_be_reduced_says_why() {
    let mut global = cube(1.0, 0.5);
    global.m = StoredMatrix::triplets(6, 6, (0..5).map(|i| (i, i, 1.0)));
    let error = global.reduce(LIMIT).unwrap_err();
    let singular = matches!(
        error,
        ReduceError::Singular | ReduceError::Inaccurate { .. }
    );
    assert!(singular, "{error}");
    let mut global = cube(1.0, 0.5);
    global.m = StoredMatrix::triplets(6, 6, (0..6).map(|i| (i, i, 1.0)).chain([(0, 1, 0.5)]));
    global.bilateral = Some(GlobalBilateral {
        g: StoredMatrix::triplets(6, 1, [(0, 0, 1.0)]),
        b: vec![0.0],
    });
    assert_eq!(global.reduce(LIMIT).unwrap_err(), ReduceError::Unsymmetric);
    let error = cube(1.0, 0.5).reduce(MemoryLimit::new(1000)).unwrap_err();
    assert!(matches!(error, ReduceError::Memory(_)), "{error}");
}

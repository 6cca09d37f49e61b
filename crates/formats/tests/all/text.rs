//! Text of every format is read into its data, and written without loss.

use delassus_formats::{
    FieldProblem, Global, GlobalBilateral, Local, LocalBilateral, MatrixEntries, Mlcp, ProblemKind,
    StoredMatrix, text,
};

use crate::samples::FILES;

fn read(source: &str) -> FieldProblem {
    let read = text::read(source.as_bytes());
    read.unwrap_or_else(|error| panic!("{error}\n{source}"))
        .problem
}

/// Every number of a problem, in order, as bits.
pub(crate) fn bits(problem: &FieldProblem) -> Vec<u64> {
    let mut lists: Vec<&[f64]> = Vec::new();
    match problem {
        FieldProblem::Local(Local {
            w,
            q,
            mu,
            mu_r,
            bilateral,
            ..
        }) => {
            lists.extend([w.values(), q, mu]);
            lists.extend(mu_r.as_deref());
            if let Some(LocalBilateral { v, r, s }) = bilateral {
                lists.extend([v.values(), r.values(), s]);
            }
        }
        FieldProblem::Global(Global {
            m,
            h,
            f,
            w,
            mu,
            mu_r,
            bilateral,
            ..
        }) => {
            lists.extend([m.values(), h.values(), f, w, mu]);
            lists.extend(mu_r.as_deref());
            if let Some(GlobalBilateral { g, b }) = bilateral {
                lists.extend([g.values(), b]);
            }
        }
        FieldProblem::Lcp(lcp) => lists.extend([lcp.m.values(), &lcp.q]),
        FieldProblem::Relay(relay) => {
            lists.extend([relay.m.values(), &relay.q, &relay.lower, &relay.upper]);
        }
        FieldProblem::Mlcp(Mlcp {
            matrix,
            parts,
            trailing,
            ..
        }) => {
            if let Some(form) = matrix {
                lists.extend([form.m.values(), &form.q]);
            }
            if let Some(parts) = parts {
                lists.extend([&parts.a, &parts.b, &parts.c, &parts.d].map(Vec::as_slice));
                lists.extend([parts.a_vector.as_slice(), &parts.b_vector]);
            }
            lists.push(trailing);
        }
    }
    lists.concat().iter().map(|x| x.to_bits()).collect()
}

#[test]
fn every_format_and_storage_is_read_and_written_without_loss() {
    for (kind, source) in FILES {
        let problem = read(source);
        assert_eq!(problem.kind().name(), *kind, "{source}");
        let written = text::write(&problem).unwrap();
        let back = read(&written);
        assert_eq!(back, problem, "{written}");
        assert_eq!(bits(&back), bits(&problem), "{written}");
        // and writing is a fixed point
        assert_eq!(text::write(&back).unwrap(), written);
    }
}

#[test]
fn numbers_keep_every_bit() {
    let numbers = [0.1, -0.0, 5e-324, f64::MAX, 1.0 / 3.0, -1e-17];
    let matrix = StoredMatrix::dense(6, 6, numbers.repeat(6));
    let problem = FieldProblem::Lcp(delassus_formats::Lcp {
        m: matrix,
        q: numbers.to_vec(),
    });
    let back = read(&text::write(&problem).unwrap());
    assert_eq!(bits(&back), bits(&problem));
}

#[test]
fn storages_of_the_same_matrix_have_the_same_entries() {
    let dense = read(FILES[0].1);
    let blocks = read(FILES[1].1);
    let sorted = |problem: &FieldProblem| {
        let FieldProblem::Local(local) = problem else {
            panic!("not local")
        };
        let mut entries: Vec<_> = local.w.entries().filter(|e| e.2 != 0.0).collect();
        entries.sort_by_key(|e| (e.0, e.1));
        entries
    };
    assert_eq!(sorted(&dense), sorted(&blocks));
    assert_eq!(sorted(&dense), [(0, 0, 2.0), (1, 1, 1.0), (2, 2, 1.0)]);
}

#[test]
fn transposes_and_products_agree_in_every_storage() {
    // [1 2 0; 0 3 4]
    let dense = StoredMatrix::dense(2, 3, vec![1.0, 0.0, 2.0, 3.0, 0.0, 4.0]);
    let triplets =
        StoredMatrix::triplets(2, 3, [(1, 2, 4.0), (0, 0, 1.0), (0, 1, 2.0), (1, 1, 3.0)]);
    let compressed = delassus_formats::Compressed {
        pointers: vec![0, 2, 4],
        indices: vec![0, 1, 1, 2],
        values: vec![1.0, 2.0, 3.0, 4.0],
        capacity: 4,
    };
    let rows = StoredMatrix::new(2, 3, MatrixEntries::Rows(compressed));
    let blocks = delassus_formats::Blocks {
        row_ends: vec![1, 2],
        column_ends: vec![2, 3],
        pointers: vec![0, 1, 3],
        columns: vec![0, 0, 1],
        values: vec![1.0, 2.0, 0.0, 3.0, 4.0],
    };
    let blocks = StoredMatrix::new(2, 3, MatrixEntries::Blocks(blocks));
    for matrix in [
        &dense,
        &triplets,
        &rows,
        &rows.transpose().transpose(),
        &blocks,
    ] {
        matrix.validate().unwrap();
        let mut out = [0.0; 2];
        matrix.multiply(&[1.0, 10.0, 100.0], &mut out);
        assert_eq!(out, [21.0, 430.0]);
        let transposed = matrix.transpose();
        transposed.validate().unwrap();
        let (mut one, mut other) = ([0.0; 3], [0.0; 3]);
        transposed.multiply(&[1.0, 10.0], &mut one);
        matrix.multiply_transposed(&[1.0, 10.0], &mut other);
        assert_eq!((one, other), ([1.0, 32.0, 40.0], [1.0, 32.0, 40.0]));
    }
}

#[test]
fn both_forms_of_a_mixed_problem_are_kept() {
    let FieldProblem::Mlcp(mlcp) = read(FILES[16].1) else {
        panic!("not mixed")
    };
    let (form, parts) = (mlcp.matrix.unwrap(), mlcp.parts.unwrap());
    let mut dense = [[0.0; 2]; 2];
    for (row, column, value) in form.m.entries() {
        dense[row][column] = value;
    }
    assert_eq!(dense, [[parts.a[0], parts.c[0]], [parts.d[0], parts.b[0]]]);
    assert_eq!(mlcp.trailing, [0.5, 0.0]);
}

#[test]
fn what_does_not_fit_is_refused_with_a_reason() {
    let local = |dim: usize, mu: Vec<f64>| Local {
        dim,
        w: StoredMatrix::dense(2, 2, vec![1.0, 0.0, 0.0, 1.0]),
        q: vec![0.0; 2],
        mu,
        mu_r: None,
        bilateral: None,
    };
    let message = |local: Local| {
        FieldProblem::Local(local)
            .validate()
            .unwrap_err()
            .to_string()
    };
    let cases = [
        (
            local(5, vec![0.1]),
            "contacts of 5 rows without rolling friction: 2 or 3 rows have none, 5 have it",
        ),
        (
            local(2, vec![-0.1]),
            "the friction coefficient of contact 0 is -0.1; it must be >= 0",
        ),
        (local(2, vec![0.1; 2]), "matrix W is 2 x 2, expected 4 x 4"),
        (
            Local {
                q: vec![f64::NAN, 0.0],
                ..local(2, vec![0.1])
            },
            "q: number 0 is not finite",
        ),
        (
            Local {
                w: StoredMatrix::triplets(2, 2, [(2, 0, 1.0)]),
                ..local(2, vec![0.1])
            },
            "matrix W: row 2 is not below 2",
        ),
    ];
    for (local, expected) in cases {
        assert_eq!(message(local), expected);
    }
    let joint = Local {
        bilateral: Some(LocalBilateral {
            v: StoredMatrix::triplets(2, 1, [(0, 0, 1.0)]),
            r: StoredMatrix::dense(1, 1, vec![2.0]),
            s: vec![1.0],
        }),
        ..local(2, vec![0.1])
    };
    let problem = FieldProblem::Local(joint);
    assert_eq!(problem.kind(), ProblemKind::Fc2d);
    assert_eq!(
        text::write(&problem).unwrap_err().to_string(),
        "the text formats cannot hold this problem: it has 1 bilateral rows; FCLIB has a place for them"
    );
    let crossed = text::read(b"1\n0\n1\n1\n1 1\n2\n-1\n0.5 -0.5\n").unwrap_err();
    assert!(
        crossed
            .to_string()
            .contains("row 0: the lower bound 0.5 is above"),
        "{crossed}"
    );
}

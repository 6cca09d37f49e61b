//! Text formats: hand-written files of every storage, exact messages for malformed ones, writing
//! and reading back.

use delassus_core::{Friction, Law, MemoryLimit, Problem};
use delassus_formats::TextError;
use delassus_problems::generators::{
    BoxProblem, Boxes, ContactLaw, Freezing, Generator, OperatorForm, Planted, SoftnessParameters,
    Stack,
};
use delassus_problems::{
    MatrixStorage, ProblemReadError, contact_text, lcp_text, read_bytes, read_bytes_within,
    to_matrix,
};

/// One contact: W = diag(2, 1, 1), q = (−1, 0.5, 0), μ = 0.3.
const DENSE: &str = "3\n1\n0\n3\n3\n3 3\n2 0 0\n0 1 0\n0 0 1\n-1 0.5 0\n0.3\n";
const BLOCKS: &str =
    "3\n1\n1\n3\n3\n1\n1\n1\n3\n3\n2\n1\n0 1\n0\n0\n2 0 0\n0 1 0\n0 0 1\n-1 0.5 0\n0.3\n";
const TRIPLET: &str = "3\n1\n2\n3\n3\n1\nCSparse Version 3.2.0, Sept 12, 2017.\ntriplet: 3-by-3, nzmax: 3 nnz: 3\n\
                       0 0 : 2\n1 1 : 1\n2 2 : 1\n-1 0.5 0\n0.3\n";
const COLUMNS: &str = "3\n1\n2\n3\n3\n2\nCSparse Version 3.2.0\n3-by-3, nzmax: 3 nnz: 3, 1-norm: 2\n\
                       col 0 : locations 0 to 0\n0 : 2\ncol 1 : locations 1 to 1\n1 : 1\n\
                       col 2 : locations 2 to 2\n2 : 1\n-1 0.5 0\n0.3\n";
const ROWS: &str = "3\n1\n2\n3\n3\n3\nCSparse Version 3.2.0\ncsr: 3-by-3, nzmax: 3 nnz: 3, 1-norm: 2\n\
                    row 0 : locations 0 to 0\n0 : 2\nrow 1 : locations 1 to 1\n1 : 1\n\
                    row 2 : locations 2 to 2\n2 : 1\n-1 0.5 0\n0.3\n";

fn read(text: &str) -> Result<Problem, ProblemReadError> {
    read_bytes("file.dat", text.as_bytes(), ContactLaw::Coulomb).map(|named| named.problem)
}

#[test]
fn every_storage_gives_the_same_problem() {
    let dense = read(DENSE).unwrap();
    assert_eq!(dense.b(), [-1.0, 0.5, 0.0]);
    assert_eq!(dense.diagonal(), [2.0, 1.0, 1.0]);
    assert_eq!(
        dense.blocks()[0].law,
        Law::Contact(Friction::Coulomb { mu: 0.3 })
    );
    for text in [BLOCKS, TRIPLET, COLUMNS, ROWS] {
        assert_eq!(read(text).unwrap(), dense, "{text}");
    }
}

#[test]
fn unsymmetric_matrices_are_read_column_by_column() {
    let problem = read("2\n0\n2\n2\n2 2\n1 2\n3 4\n5 6\n").unwrap();
    let mut out = [0.0; 2];
    problem.apply_delassus(&[1.0, 0.0], &mut out);
    assert_eq!(out, [1.0, 2.0]);
    let by_rows = "2\n2\n2\n2\n3\nCSparse\n2-by-2, nzmax: 4 nnz: 4, 1-norm: 1\n\
                   row 0 : locations 0 to 1\n0 : 1\n1 : 3\nrow 1 : locations 2 to 3\n0 : 2\n1 : 4\n5 6\n";
    assert_eq!(read(by_rows).unwrap(), problem);
}

#[test]
fn half_triplets_are_mirrored_and_equal_places_summed() {
    let half = "2\n2\n2\n2\n4\nCSparse\ntriplet: 2-by-2, nzmax: 4 nnz: 4\n\
                0 0 : 2\n0 1 : 0.25\n0 1 : 0.25\n1 1 : 3\n-1 -1\n";
    let dense = "2\n0\n2\n2\n2 2\n2 0.5\n0.5 3\n-1 -1\n";
    assert_eq!(read(half).unwrap(), read(dense).unwrap());
}

#[test]
fn empty_columns_are_read() {
    let sparse = "2\n2\n2\n2\n2\nCSparse\n2-by-2, nzmax: 1 nnz: 1, 1-norm: 1\n\
                  col 0 : locations 0 to -1\ncol 1 : locations 0 to 0\n1 : 3\n-1 -1\n";
    assert_eq!(read(sparse).unwrap().diagonal(), [0.0, 3.0]);
}

#[test]
fn mixed_problems_have_equality_blocks() {
    let text =
        "1\n1\n2\n1\n0 2 3\n0 1\n0\n3\n3\n3 3\n1 0 0\n0 1 0\n0 0 1\n-1 -2 -3\nrest is not read";
    let problem = read(text).unwrap();
    let laws: Vec<&Law> = problem.blocks().iter().map(|block| &block.law).collect();
    assert_eq!(laws, [&Law::Equality, &Law::UNILATERAL]);
    assert_eq!(problem.blocks()[0].dim, 2);
}

#[test]
fn the_friction_law_is_the_callers_choice() {
    for (law, expected) in [
        (ContactLaw::Disc, Friction::Disc { mu: 0.3 }),
        (ContactLaw::Pyramid, Friction::Pyramid { mu: 0.3 }),
        (ContactLaw::ConvexCone, Friction::ConvexCone { mu: 0.3 }),
    ] {
        let named = read_bytes("a.local.dat", DENSE.as_bytes(), law).unwrap();
        assert_eq!(named.problem.blocks()[0].law, Law::Contact(expected));
        assert_eq!(named.name, "a");
    }
    for law in [ContactLaw::Patch, ContactLaw::FixedBox] {
        let error = read_bytes("a.local.dat", DENSE.as_bytes(), law).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "the file has one coefficient per contact, which does not determine the law {law}: \
                 take one of coulomb, disc, pyramid, convex-cone"
            )
        );
    }
}

#[test]
fn malformed_files_say_where() {
    let cases: [(&str, &str, &str); 26] = [
        ("empty", "", "not a problem file: the file is empty"),
        (
            "prose",
            "not a problem",
            "not a problem file: it starts with \"not\", and no known text format does",
        ),
        (
            "dimension alone",
            "3",
            "line 1: the file ends where the storage of the matrix (0, 1 or 2) should follow",
        ),
        (
            "truncated matrix",
            "3\n1\n0\n3\n3\n3 3\n2 0 0\n0 1",
            "line 6: the matrix: 9 entries are expected, but only 10 bytes follow",
        ),
        (
            "truncated q",
            &DENSE[..37],
            "line 10: the file ends where q should follow",
        ),
        (
            "truncated coefficients",
            &DENSE[..41],
            "line 11: the file ends where the friction coefficients should follow",
        ),
        (
            "not a number",
            "3\n1\n0\n3\n3\n3 3\n2 0 0\n0 x 0\n0 0 1\n-1 0.5 0\n0.3\n",
            "line 8: expected the matrix, found \"x\"",
        ),
        (
            "not finite",
            "3\n1\n0\n3\n3\n3 3\n2 0 0\n0 1 0\n0 0 1\n-1 nan 0\n0.3\n",
            "line 10: q holds nan, which is not a finite number",
        ),
        (
            "overflow",
            "3\n1\n0\n3\n3\n3 3\n2 0 0\n0 1e999 0\n0 0 1\n-1 0.5 0\n0.3\n",
            "line 8: the matrix holds 1e999, which is not a finite number",
        ),
        (
            "negative friction",
            "3\n1\n0\n3\n3\n3 3\n2 0 0\n0 1 0\n0 0 1\n-1 0.5 0\n-0.3\n",
            "line 11: the friction coefficient of contact 0 is -0.3; it must be >= 0",
        ),
        (
            "matrix too small for its contacts",
            "3\n2\n0\n3\n3\n3 3\n2 0 0\n0 1 0\n0 0 1\n-1 0.5 0\n0.3\n",
            "line 2: the number of rows of the matrix is 3, expected 6",
        ),
        (
            "matrix not square",
            "3\n1\n0\n3\n2\n3 2\n2 0 0\n0 1 0\n-1 0.5 0\n0.3\n",
            "line 2: the number of columns of the matrix is 2, expected 3",
        ),
        (
            "unknown storage",
            "3\n1\n7\n3\n3\n3 3\n2 0 0\n",
            "line 3: expected the storage of the matrix (0, 1 or 2), found \"7\"",
        ),
        (
            "sizes that differ",
            "3\n1\n0\n3\n3\n3 4\n2 0 0\n0 1 0\n0 0 1\n",
            "line 6: the number of columns of the dense matrix is 4, expected 3",
        ),
        (
            "huge dense matrix",
            "3\n100000000\n0\n300000000\n300000000\n300000000 300000000\n1 2 3\n",
            "line 6: the matrix: 90000000000000000 entries are expected, but only 7 bytes follow",
        ),
        (
            "overflowing dense matrix",
            "3\n1\n0\n99999999999\n99999999999\n99999999999 99999999999\n1\n",
            "line 6: the matrix: more entries than can be counted are expected, but only 3 bytes follow",
        ),
        (
            "number that does not fit",
            "3\n1\n0\n99999999999999999999999\n3\n",
            "line 4: expected the number of rows of the matrix, found \"99999999999999999999999\"",
        ),
        (
            "huge block count",
            "3\n1\n1\n3\n3\n4000000000\n1\n1\n3\n3\n2\n4000000000\n0 4000000000\n",
            "line 13: block columns: 4000000000 entries are expected, but only 1 bytes follow",
        ),
        (
            "block ends that fall",
            "3\n1\n1\n3\n3\n1\n2\n2\n2 1\n2 3\n",
            "line 9: block row ends must grow; 1 follows 2",
        ),
        (
            "block ends that stop early",
            "3\n1\n1\n3\n3\n1\n1\n1\n2\n3\n",
            "line 9: the last block end is 2, expected 3",
        ),
        (
            "block column out of range",
            "3\n1\n1\n3\n3\n1\n1\n1\n3\n3\n2\n1\n0 1\n4\n0\n2 0 0\n0 1 0\n0 0 1\n-1 0.5 0\n0.3\n",
            "line 14: block column 4 is not below 1",
        ),
        (
            "block given twice",
            "3\n1\n1\n3\n3\n2\n1\n1\n3\n3\n2\n2\n0 2\n0 0\n0\n2 0 0\n0 1 0\n0 0 1\n1\n2 0 0\n0 1 0\n0 0 1\n-1 0.5 0\n0.3\n",
            "line 18: block columns of a row must grow; 0 follows 0",
        ),
        (
            "sparse row out of range",
            "3\n1\n2\n3\n3\n1\nCSparse\ntriplet: 3-by-3, nzmax: 1 nnz: 1\n3 0 : 2\n-1 0.5 0\n0.3\n",
            "line 9: row 3 is not below 3",
        ),
        (
            "sparse entry without a colon",
            "3\n1\n2\n3\n3\n1\nCSparse\ntriplet: 3-by-3, nzmax: 1 nnz: 1\n0 0 2\n-1 0.5 0\n0.3\n",
            "line 9: expected :, found \"2\"",
        ),
        (
            "sparse size that differs",
            "3\n1\n2\n3\n3\n1\nCSparse\ntriplet: 3-by-4, nzmax: 1 nnz: 1\n0 0 : 2\n",
            "line 8: the number of columns of the sparse matrix is 4, expected 3",
        ),
        (
            "locations that jump",
            "3\n1\n2\n3\n3\n2\nCSparse\n3-by-3, nzmax: 3 nnz: 3, 1-norm: 2\ncol 0 : locations 0 to 7\n0 : 2\n",
            "line 9: the location after the last is 8, expected 3",
        ),
    ];
    for (name, text, message) in cases {
        match read(text) {
            Ok(_) => panic!("{name}: read"),
            Err(error) => assert_eq!(error.to_string(), message, "{name}"),
        }
    }
    let binary = read_bytes("b", b"3\n1\n\0", ContactLaw::Coulomb).unwrap_err();
    let message = "not a problem file: byte 4 is zero, so it is not text, and it is no snapshot";
    assert_eq!(binary.to_string(), message);
}

/// Two contacts with W = 1, as far as q.
const TWO: &str = "2\n2\n0\n4\n4\n4 4\n1 0 0 0\n0 1 0 0\n0 0 1 0\n0 0 0 1\n-1 0 -1 0\n";

#[test]
fn numbers_left_over_are_errors_that_quote_them() {
    let cases = [
        (
            "three more coefficients",
            format!("{DENSE}0.4 0.5\n0.6\n"),
            "line 12: numbers left over after the friction coefficients (3): 0.4 0.5 0.6; a contact has one coefficient: \
             delete what follows, or the line that stands in their place before them",
        ),
        (
            "a coefficient that is no flag",
            format!("{DENSE}0.3 # box\n"),
            "line 12: numbers left over after the friction coefficients (1): 0.3; a contact has one coefficient: \
             delete what follows, or the line that stands in their place before them",
        ),
        (
            "indices of an older print",
            format!("{TWO}0 2\n0.3 0.4\n"),
            "line 12: the friction coefficients are 0, 2, … in steps of 2: these are the first rows of the contacts; an \
             older print of the format has such a line of indices before the coefficients: delete it",
        ),
        (
            "the same without the coefficients",
            format!("{TWO}0 2\n"),
            "line 12: the friction coefficients are 0, 2, … in steps of 2: these are the first rows of the contacts; an \
             older print of the format has such a line of indices before the coefficients: delete it",
        ),
        (
            "other indices before the coefficients",
            format!("{TWO}0 1 2 3 4 5 6 7\n0.3 0.4\n"),
            "line 12: numbers left over after the friction coefficients (8): 2 3 4 5 6 7 …; a contact has one coefficient: \
             delete what follows, or the line that stands in their place before them",
        ),
        (
            "one number after an LCP",
            "1\n0\n1\n1\n1 1\n2\n-1\n7\n".to_owned(),
            "line 8: numbers left over after q (1): 7; an LCP ends with its n numbers q; delete what follows",
        ),
        (
            "an MLCP without a second form",
            "1 0\n1 1\n0 1 2\n0 1\n0\n2\n2\n2 2\n1 -1\n-1 1\n1 -1\n1 -1 -1 1 1 -1\n".to_owned(),
            "line 12: numbers left over after q (6): 1 -1 -1 1 1 -1; only the form by A, B, C, D, a, b may follow, if the \
             second storage flag is 1; delete the rest",
        ),
        (
            "an MLCP with half a second form",
            "1 1\n1 1\n0 1 2\n0 1\n0\n2\n2\n2 2\n1 -1\n-1 1\n1 -1\n1 -1 -1\n".to_owned(),
            "line 12: numbers left over after q (3): 1 -1 -1; only the form by A, B, C, D, a, b may follow, if the second \
             storage flag is 1; delete the rest",
        ),
    ];
    for (name, text, message) in cases {
        match read(&text) {
            Ok(_) => panic!("{name}: read"),
            Err(error) => assert_eq!(error.to_string(), message, "{name}"),
        }
    }
}

#[test]
fn known_trailers_are_not_errors() {
    let mixed = "1 1\n1 1\n0 1 2\n0 1\n0\n2\n2\n2 2\n1 -1\n-1 1\n1 -1\n";
    let linear = "1\n0\n1\n1\n1 1\n2\n-1\n";
    for (text, trailers) in [
        (DENSE, &["0\n", "1\n", "# three 3\n", "0\n% box 7\n"][..]),
        (linear, &["0\n", "Remark 4.1.14 CPS 2009\n"]),
        // the second form, and a solution after it
        (
            mixed,
            &["1 1 -1 -1 1 -1\n", "1 1 -1 -1 1 -1 0 1\n", "rest\n"],
        ),
    ] {
        let plain = read(text).unwrap();
        for trailer in trailers {
            assert_eq!(
                read(&format!("{text}{trailer}")).unwrap(),
                plain,
                "{trailer}"
            );
        }
    }
}

#[test]
fn the_first_line_may_hold_all_rows() {
    let all = TWO.replacen("2\n2\n", "4\n2\n", 1) + "0.3 0.4\n";
    assert_eq!(
        read(&all).unwrap(),
        read(&format!("{TWO}0.3 0.4\n")).unwrap()
    );
    // 3 nc
    let rows = |first: &str| {
        let unit = |i: usize| {
            (0..6)
                .map(|j| if i == j { "1 " } else { "0 " })
                .collect::<String>()
                + "\n"
        };
        let matrix: String = (0..6).map(unit).collect();
        format!("{first}\n2\n0\n6\n6\n6 6\n{matrix}-1 0 0 -1 0 0\n0.3 0.4\n")
    };
    assert_eq!(read(&rows("6")).unwrap(), read(&rows("3")).unwrap());
    assert_eq!(read(&rows("6")).unwrap().blocks()[1].dim, 3);
    let error = read(&rows("7")).unwrap_err();
    assert!(
        matches!(
            error,
            ProblemReadError::Text(TextError::Unexpected { line: 1, .. })
        ),
        "{error}"
    );
    let error = read("10\n2\n0\n10\n10\n10 10\n").unwrap_err();
    assert_eq!(
        error.to_string(),
        "line 6: the matrix: 100 entries are expected, but only 1 bytes follow"
    );
}

#[test]
fn large_equality_blocks_are_read_row_by_row() {
    // 60 000 rows, of which a diagonal is stored: as one block 28.8 GB
    let count = 60_000;
    let mut text = format!("1 1\n{count} 0\n0 {count}\n0\n2\n{count}\n{count}\n1\nCSparse\n");
    text += &format!("triplet: {count}-by-{count}, nzmax: {count} nnz: {count}\n");
    for row in 0..count {
        text += &format!("{row} {row} : 2\n");
    }
    text += &"1 ".repeat(count);
    let problem = read(&text).unwrap();
    assert_eq!((problem.rows(), problem.blocks().len()), (count, count));
    assert!(problem.memory() < 100_000_000);
}

#[test]
fn dense_blocks_beyond_the_limit_are_refused_before_they_are_made() {
    // two blocks of 1000 rows and one entry: 8 MB dense
    let text = "1 1\n2000 0\n0 1000 2000\n0 0\n2\n2000\n2000\n1\nCSparse\n\
                triplet: 2000-by-2000, nzmax: 1 nnz: 1\n0 1999 : 2\n";
    let text = text.to_owned() + &"1 ".repeat(2000);
    let read = |limit: u64| {
        let limit = MemoryLimit::new(limit);
        read_bytes_within("f", text.as_bytes(), ContactLaw::Coulomb, limit)
    };
    // not `unwrap_err`, which would print eight megabytes
    let error = read(4 << 20).err().unwrap();
    assert!(matches!(error, ProblemReadError::Memory(_)), "{error}");
    assert_eq!(
        error.to_string(),
        "the matrix, its blocks dense, needs about 7.6 MiB, but only 4.0 MiB of the memory limit is left; raise it with \
         --max-memory, or max_memory in the spec"
    );
    assert!(read(16 << 20).is_ok());
}

#[test]
fn global_problems_are_read_even_where_they_look_local() {
    // M is 3 × 3 like the W of one contact; H follows
    let text = "3\n1\n0\n3\n3\n3 3\n2 0 0\n0 4 0\n0 0 8\n0\n3\n3\n3 3\n1 0 0\n0 1 0\n0 0 1\n2 4 8\n0 0 -3\n0.1\n";
    let problem = read(text).unwrap();
    // W = diag(1/2, 1/4, 1/8), q = M⁻¹ f + w, up to the square roots of Cholesky
    let close = |found: &[f64], expected: [f64; 3]| {
        let pairs = found.iter().zip(&expected);
        pairs.into_iter().all(|(a, b)| (a - b).abs() < 1e-15)
    };
    assert!(close(problem.diagonal(), [0.5, 0.25, 0.125]));
    assert!(close(problem.b(), [1.0, 1.0, -2.0]));
}

#[test]
fn what_is_written_is_read_back() {
    let stack = BoxProblem::from(Stack {
        n: 3,
        boxes: Boxes {
            tilt: 0.1,
            ..Boxes::default()
        },
        ..Stack::default()
    });
    let planar = Planted {
        contact_dim: 2,
        redundant: 5,
        form: OperatorForm::Matrix,
        ..Planted::default()
    };
    for named in [stack.generate().unwrap(), planar.generate().unwrap()] {
        let matrix = to_matrix(&named.problem).unwrap();
        for storage in [MatrixStorage::Dense, MatrixStorage::BlockSparse] {
            let text = contact_text(&named.problem, storage).unwrap();
            let back = read(&text).unwrap();
            assert_eq!(back.b(), matrix.b());
            assert_eq!(back.operator_matrix(), matrix.operator_matrix());
            let law = |problem: &Problem| -> Vec<Law> {
                problem
                    .blocks()
                    .iter()
                    .map(|block| block.law.clone())
                    .collect()
            };
            assert_eq!(law(&back), law(&matrix));
        }
    }
    let ring = BoxProblem::from(Stack {
        n: 1,
        boxes: Boxes {
            law: ContactLaw::Frictionless,
            ..Boxes::default()
        },
        ..Stack::default()
    });
    let ring = ring.generate().unwrap().problem;
    let text = lcp_text(&ring, MatrixStorage::Dense).unwrap();
    let back = read(&text).unwrap();
    assert_eq!(
        back.operator_matrix(),
        to_matrix(&ring).unwrap().operator_matrix()
    );
}

#[test]
fn text_refuses_what_it_cannot_hold() {
    let with = |law: ContactLaw, compliance: f64| {
        let stack = BoxProblem {
            system: Stack {
                n: 1,
                boxes: Boxes {
                    law,
                    ..Boxes::default()
                },
                ..Stack::default()
            },
            step: Freezing {
                softness: SoftnessParameters {
                    compliance,
                    ..SoftnessParameters::default()
                },
                ..Freezing::default()
            },
        };
        let problem = stack.generate().unwrap().problem;
        contact_text(&problem, MatrixStorage::Dense)
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        with(ContactLaw::Pyramid, 0.0),
        "the local friction-contact form cannot hold this problem: block 0 is pyramid with 3 rows"
    );
    assert_eq!(
        with(ContactLaw::Coulomb, 1.0),
        "the local friction-contact form cannot hold this problem: it has no place for compliance"
    );
}

/// The entries of a matrix problem.
trait Entries {
    fn operator_matrix(&self) -> Vec<(usize, usize, Vec<f64>)>;
}

impl Entries for Problem {
    fn operator_matrix(&self) -> Vec<(usize, usize, Vec<f64>)> {
        let delassus_core::Operator::Matrix(rows) = self.operator() else {
            panic!("a matrix problem")
        };
        let matrix = &rows.delassus;
        let blocks = (0..matrix.block_rows()).flat_map(|i| {
            matrix
                .row(i)
                .map(move |(j, values)| (i, j, values.to_vec()))
        });
        // blocks of zeros are not written
        blocks
            .filter(|(_, _, values)| values.iter().any(|v| *v != 0.0))
            .collect()
    }
}

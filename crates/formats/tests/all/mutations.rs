//! Mutated text: read into valid data or refused, never a panic, and never more memory than ten
//! times the file.

use delassus_formats::{FieldProblem, text};
use proptest::prelude::*;
use proptest::sample::Index;

use crate::mutation::{mutate, mutation};
use crate::samples::FILES;

/// Bytes that the lists of a problem take at least: what a file may not blow up.
fn size(problem: &FieldProblem) -> usize {
    8 * crate::text::bits(problem).len()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn mutated_text_is_read_or_refused(
        which in any::<Index>(),
        mutations in prop::collection::vec(mutation(), 1..5),
    ) {
        let mut bytes = FILES[which.index(FILES.len())].1.as_bytes().to_vec();
        for mutation in &mutations {
            mutate(&mut bytes, mutation);
        }
        match text::read(&bytes) {
            Ok(file) => {
                prop_assert!(file.validate().is_ok());
                prop_assert!(size(&file.problem) <= 10 * bytes.len() + 64);
                // what was read can be written, and is the same again
                let written = text::write(&file.problem).unwrap();
                let back = text::read(written.as_bytes());
                prop_assert!(back.is_ok(), "{:?}\n{}", back.err(), written);
                prop_assert_eq!(back.unwrap().problem, file.problem);
            }
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }
}

#[test]
fn a_sparse_header_that_promises_a_huge_matrix_is_refused() {
    let huge = 400_000_000;
    let text = format!(
        "3\n{}\n2\n{huge}\n{huge}\n1\nCSparse\ntriplet: {huge}-by-{huge}, nzmax: 1 nnz: 1\n0 0 : 1\n1 2 3\n",
        huge / 3
    );
    assert!(text::read(text.as_bytes()).is_err());
    let text = format!(
        "{huge}\n2\n{huge}\n{huge}\n2\nCSparse\n{huge}-by-{huge}, nzmax: 1 nnz: 1, 1-norm: 1\ncol 0 : locations 0 to 0\n0 : 1\n"
    );
    assert!(text::read(text.as_bytes()).is_err());
}

//! Mutated text: read into valid data or refused, never a panic, and never more memory than ten
//! times the file.

use delassus_formats::{FieldProblem, text};
use proptest::prelude::*;
use proptest::sample::Index;

use crate::samples::FILES;

/// One change of a file.
#[derive(Debug, Clone)]
enum Mutation {
    Flip(Index, u8),
    Insert(Index, u8),
    Delete(Index, usize),
    Repeat(Index, usize),
    Truncate(Index),
    /// Replaces the word at a place: numbers, counts, indices.
    Word(Index, &'static str),
}

const WORDS: [&str; 18] = [
    "0",
    "1",
    "2",
    "3",
    "4",
    "5",
    "-1",
    "-0.5",
    "nan",
    "inf",
    "-inf",
    "1e308",
    "1e999",
    "99999",
    "4294967296",
    "18446744073709551615",
    "4294967295-by-4294967295,",
    "x",
];

fn mutation() -> impl Strategy<Value = Mutation> {
    let at = any::<Index>;
    let word = || (at(), 0..WORDS.len()).prop_map(|(i, w)| Mutation::Word(i, WORDS[w]));
    prop_oneof![
        (at(), any::<u8>()).prop_map(|(i, b)| Mutation::Flip(i, b)),
        (at(), any::<u8>()).prop_map(|(i, b)| Mutation::Insert(i, b)),
        (at(), 1usize..40).prop_map(|(i, n)| Mutation::Delete(i, n)),
        (at(), 1usize..40).prop_map(|(i, n)| Mutation::Repeat(i, n)),
        at().prop_map(Mutation::Truncate),
        word(),
        word(),
        word(),
    ]
}

fn mutate(bytes: &mut Vec<u8>, mutation: &Mutation) {
    if bytes.is_empty() {
        return;
    }
    let end = |at: usize, n: usize, length: usize| (at + n).min(length);
    match mutation {
        Mutation::Flip(i, mask) => {
            let at = i.index(bytes.len());
            bytes[at] ^= mask;
        }
        Mutation::Insert(i, byte) => bytes.insert(i.index(bytes.len()), *byte),
        Mutation::Delete(i, n) => {
            let at = i.index(bytes.len());
            bytes.drain(at..end(at, *n, bytes.len()));
        }
        Mutation::Repeat(i, n) => {
            let at = i.index(bytes.len());
            let piece = bytes[at..end(at, *n, bytes.len())].to_vec();
            bytes.splice(at..at, piece);
        }
        Mutation::Truncate(i) => bytes.truncate(i.index(bytes.len())),
        Mutation::Word(i, word) => {
            let at = i.index(bytes.len());
            let space = |b: &u8| b.is_ascii_whitespace();
            let first = bytes[..at].iter().rposition(space).map_or(0, |k| k + 1);
            let last = bytes[at..].iter().position(space);
            let last = last.map_or(bytes.len(), |k| at + k);
            bytes.splice(first.min(last)..last, word.bytes());
        }
    }
}

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

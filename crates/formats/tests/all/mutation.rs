//! Changes of a file's bytes. The tests of the readers of `problems` use them too.

use proptest::prelude::*;
use proptest::sample::Index;

/// One change of a file.
#[derive(Debug, Clone)]
pub(crate) enum Mutation {
    Flip(Index, u8),
    Insert(Index, u8),
    Delete(Index, usize),
    Repeat(Index, usize),
    Truncate(Index),
    /// Replaces the word at a place: numbers, counts, indices.
    Word(Index, &'static str),
}

const WORDS: [&str; 19] = [
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
    "99999999999999999999999999",
    "x",
];

pub(crate) fn mutation() -> impl Strategy<Value = Mutation> {
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

pub(crate) fn mutate(bytes: &mut Vec<u8>, mutation: &Mutation) {
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

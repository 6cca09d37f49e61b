//! Mutated files: read or refused, without a panic and within a multiple of their size.

use delassus_hdf5::{Array, ArrayData, Group, Node, ReadError, Type, read, write};
use proptest::prelude::*;
use proptest::sample::Index;

use crate::foreign::{NEW, OLD};

/// What a reader may take of memory, in lengths of the file \[-\].
const FACTOR: u64 = 10;

/// Shorter files count as this long \[bytes\].
const SMALLEST: u64 = 4096;

/// Reads a file and all that is in it, and checks what that took of memory.
pub(crate) fn bounded(bytes: &[u8]) -> Result<(), ReadError> {
    let mut outcome = Ok(());
    let taken = allocation_counter::measure(|| {
        outcome = read(bytes).map(|root| visit(&root));
    });
    let limit = FACTOR * (bytes.len() as u64).max(SMALLEST);
    assert!(
        taken.bytes_max <= limit,
        "{} of {limit} bytes",
        taken.bytes_max
    );
    // what is allocated and freed again is bounded too, and with it the time
    assert!(
        taken.bytes_total <= 4 * limit,
        "{} bytes",
        taken.bytes_total
    );
    outcome
}

fn visit(group: &Group<'_>) {
    let values = |array: &Array<'_>| {
        let count = array.to_f64s().map_or(0, |v| v.len());
        let count = count + array.to_i32s().map_or(0, |v| v.len());
        let fixed = !matches!(array.kind, Type::VariableText { .. });
        if let (ArrayData::Bytes(bytes), true) = (&array.content, fixed) {
            let size = array.kind.size().unwrap_or(0);
            assert_eq!(bytes.len() as u64, size * array.count());
        }
        count + array.to_text().map_or(0, <[u8]>::len)
    };
    for attribute in &group.attributes {
        values(&attribute.array);
    }
    for child in &group.children {
        match &child.node {
            Node::Group(group) => visit(group),
            Node::Dataset(dataset) => {
                values(&dataset.array);
                for attribute in &dataset.attributes {
                    values(&attribute.array);
                }
            }
            Node::Other { .. } => {}
        }
    }
}

/// One change of a file.
#[derive(Debug, Clone)]
enum Mutation {
    Flip(Index, u8),
    Insert(Index, u8),
    Delete(Index, usize),
    Truncate(Index),
    /// A number of 2, 4 or 8 bytes at a multiple of two.
    Number(Index, usize, u64),
    /// An address of the file itself.
    Address(Index, Index),
    /// A piece of the file copied to another place of it.
    Copy(Index, Index, usize),
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let at = any::<Index>;
    let number = prop_oneof![
        Just(0),
        Just(1),
        Just(u64::MAX),
        Just(1 << 63),
        Just(1 << 31),
        Just(0xffff_ffff),
        0u64..4096,
        any::<u64>(),
    ];
    prop_oneof![
        (at(), any::<u8>()).prop_map(|(i, b)| Mutation::Flip(i, b)),
        (at(), any::<u8>()).prop_map(|(i, b)| Mutation::Insert(i, b)),
        (at(), 1usize..40).prop_map(|(i, n)| Mutation::Delete(i, n)),
        at().prop_map(Mutation::Truncate),
        (at(), 0usize..3, number).prop_map(|(i, w, n)| Mutation::Number(i, 2 << w, n)),
        (at(), at()).prop_map(|(i, j)| Mutation::Address(i, j)),
        (at(), at(), 8usize..200).prop_map(|(i, j, n)| Mutation::Copy(i, j, n)),
    ]
}

fn mutate(bytes: &mut Vec<u8>, mutation: &Mutation) {
    if bytes.len() < 16 {
        return;
    }
    let length = bytes.len();
    let even = |i: &Index| i.index(length) & !1;
    let mut put = |at: usize, number: &[u8]| {
        let end = (at + number.len()).min(length);
        bytes[at..end].copy_from_slice(&number[..end - at]);
    };
    match mutation {
        Mutation::Flip(i, mask) => bytes[i.index(length)] ^= mask,
        Mutation::Insert(i, byte) => bytes.insert(i.index(length), *byte),
        Mutation::Delete(i, n) => {
            let at = i.index(length);
            bytes.drain(at..(at + n).min(length));
        }
        Mutation::Truncate(i) => bytes.truncate(i.index(length)),
        Mutation::Number(i, width, number) => put(even(i), &number.to_le_bytes()[..*width]),
        Mutation::Address(i, j) => {
            let address = j.index(length) as u64 & !7;
            put(even(i), &address.to_le_bytes());
        }
        Mutation::Copy(i, j, n) => {
            let (from, to) = (even(i), even(j));
            let piece = bytes[from..(from + n).min(length)].to_vec();
            let end = (to + piece.len()).min(length);
            bytes[to..end].copy_from_slice(&piece[..end - to]);
        }
    }
}

fn seeds() -> Vec<Vec<u8>> {
    let mut group = Group::default();
    group.add("m", Array::i32s(&[6]));
    group.add("x", Array::f64s(&[0.5; 20]));
    group.add("title", Array::text(b"a title"));
    group.add_attribute("rank", Array::i32s(&[3]));
    let mut root = Group::default();
    root.add_group("inner", group);
    vec![OLD.to_vec(), NEW.to_vec(), write(&root).unwrap()]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn mutated_files_are_read_or_refused(
        which in 0usize..3,
        mutations in prop::collection::vec(mutation(), 1..6),
    ) {
        let mut bytes = seeds_once()[which].clone();
        for mutation in &mutations {
            mutate(&mut bytes, mutation);
        }
        if let Err(error) = bounded(&bytes) {
            prop_assert!(!error.to_string().is_empty());
        }
    }
}

fn seeds_once() -> &'static [Vec<u8>] {
    static SEEDS: std::sync::OnceLock<Vec<Vec<u8>>> = std::sync::OnceLock::new();
    SEEDS.get_or_init(seeds)
}

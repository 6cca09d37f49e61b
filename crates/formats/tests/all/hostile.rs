//! Memory of the readers on mutated and crafted files: within ten times the file, whatever it says.

use delassus_formats::{fclib, text};
use delassus_hdf5::{Array, Group};
use proptest::prelude::*;
use proptest::sample::Index;

use crate::samples::FILES;

/// What a reader may hold of memory at once, in lengths of the file \[-\].
const FACTOR: u64 = 10;

/// Shorter files count as this long \[bytes\].
const SMALLEST: u64 = 4096;

fn bounded<T>(bytes: &[u8], read: impl FnOnce(&[u8]) -> T) -> T {
    let mut read = Some(read);
    let mut outcome = None;
    let taken = allocation_counter::measure(|| outcome = read.take().map(|read| read(bytes)));
    let limit = FACTOR * (bytes.len() as u64).max(SMALLEST);
    let held = taken.bytes_max;
    assert!(held <= limit, "{held} of {limit} bytes");
    outcome.unwrap()
}

/// Numbers that replace others.
fn numbers() -> impl Strategy<Value = u64> {
    prop_oneof![
        Just(0),
        Just(1),
        Just(u64::MAX),
        Just(u64::MAX - 1),
        Just(1 << 31),
        Just((1 << 31) - 1),
        0u64..5000,
        any::<u64>(),
    ]
}

fn seeds() -> Vec<Vec<u8>> {
    let file = crate::fclib::local();
    let global = |rolling| crate::fclib::global(rolling, !rolling);
    [file, global(false), global(true)]
        .iter()
        .map(|file| fclib::write(file).unwrap())
        .collect()
}

fn seeds_once() -> &'static [Vec<u8>] {
    static SEEDS: std::sync::OnceLock<Vec<Vec<u8>>> = std::sync::OnceLock::new();
    SEEDS.get_or_init(seeds)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn mutated_fclib_is_read_or_refused(
        which in 0usize..3,
        numbers in prop::collection::vec((any::<Index>(), 0usize..4, numbers()), 1..6),
        copies in prop::collection::vec((any::<Index>(), any::<Index>(), 4usize..100), 0..2),
        cut in prop::option::weighted(0.1, any::<Index>()),
    ) {
        let mut bytes = seeds_once()[which].clone();
        let length = bytes.len();
        for (at, width, number) in numbers {
            let at = at.index(length) & !((1 << width) - 1);
            let end = (at + (1 << width)).min(length);
            bytes[at..end].copy_from_slice(&number.to_le_bytes()[..end - at]);
        }
        for (from, to, count) in copies {
            let (from, to) = (from.index(length) & !3, to.index(length) & !3);
            let count = count.min(length - from).min(length - to);
            bytes.copy_within(from..from + count, to);
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(length));
        }
        match bounded(&bytes, fclib::read) {
            Ok(file) => {
                prop_assert!(file.validate().is_ok());
                if let Ok(written) = fclib::write(&file) {
                    // facts may be NaN, which equals nothing: compare what is written
                    let back = fclib::read(&written).unwrap();
                    prop_assert!(fclib::write(&back).unwrap() == written);
                }
            }
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }

    #[test]
    fn mutated_text_stays_within_its_memory(
        which in any::<Index>(),
        words in prop::collection::vec((any::<Index>(), numbers()), 1..4),
    ) {
        let text = FILES[which.index(FILES.len())].1;
        let mut tokens: Vec<String> = text.split(' ').map(str::to_owned).collect();
        for (at, number) in words {
            let at = at.index(tokens.len());
            // the first word of a line ends here, so that line breaks stay
            let rest = tokens[at].find('\n').map(|k| tokens[at][k..].to_owned());
            tokens[at] = format!("{number}{}", rest.unwrap_or_default());
        }
        bounded(tokens.join(" ").as_bytes(), text::read).ok();
    }
}

/// Text in the shortest form that numbers have.
#[test]
fn the_shortest_numbers_stay_within_ten_times_their_text() {
    // a number of two bytes becomes one of eight
    let dense = |n: usize| {
        let zeros = |count: usize| "0 ".repeat(count);
        format!("{n} 0 {n} {n} {n} {n} {}{}", zeros(n * n), zeros(n))
    };
    for n in [10, 100, 300] {
        bounded(dense(n).as_bytes(), text::read).unwrap();
    }
    let sparse = |n: usize| {
        let entries = "0 0 : 1\n".repeat(n);
        format!("1\n2\n1\n1\n1\nCSparse\ntriplet: 1-by-1, nzmax: {n} nnz: {n}\n{entries}1\n")
    };
    bounded(sparse(20_000).as_bytes(), text::read).unwrap();
    let blocks = |n: usize| {
        let ends: String = (1..=n).map(|k| format!("{k} ")).collect();
        let pointers: String = (0..=n).map(|k| format!("{k} ")).collect();
        let columns: String = (0..n).map(|k| format!("{k} ")).collect();
        let values: String = (0..n).map(|k| format!("{k} 1 ")).collect();
        let head = format!("{n} 1 {n} {n} {n} {n} {n} {ends}{ends}{} {n} ", n + 1);
        format!("{head}{pointers}{columns}{values}{}", "0 ".repeat(n))
    };
    bounded(blocks(5000).as_bytes(), text::read).unwrap();
}

#[test]
fn a_long_word_does_not_grow_in_its_error() {
    let word = vec![0xff; 1 << 20];
    assert!(bounded(&word, text::read).is_err());
    let number = vec![b'9'; 1 << 20];
    assert!(bounded(&number, text::read).is_err());
}

#[test]
fn many_guesses_are_looked_up_in_linear_time() {
    // as many as a group of the writer holds, and numbers without end
    let mut guesses = Group::default();
    for k in 1..=255 {
        let mut guess = Group::default();
        guess.add("u", Array::f64s(&[0.0; 3]));
        guess.add("r", Array::f64s(&[0.0; 3]));
        guesses.add_group(k.to_string(), guess);
    }
    guesses.add("number_of_guesses", Array::i32s(&[i32::MAX]));
    let bytes = fclib::write(&crate::fclib::local()).unwrap();
    let mut root = delassus_hdf5::read(&bytes).unwrap();
    root.children.retain(|child| child.name != "guesses");
    root.add_group("guesses", guesses);
    let bytes = delassus_hdf5::write(&root).unwrap();
    let error = bounded(&bytes, fclib::read).unwrap_err().to_string();
    assert!(error.contains("256 is missing"), "{error}");
}

//! Every file of the corpus goes through its target, as it is and changed at random: what a fuzzer
//! has found once stays found.
//!
//! `DELASSUS_MUTATIONS=N` changes each file N times instead of [`MUTATIONS`].

use std::collections::BTreeSet;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use delassus_fuzzing::{TARGETS, Target};

/// How often each file is changed unless the environment says otherwise \[-\].
const MUTATIONS: u64 = 20;
/// What hangs is named after this time; nothing here takes a hundredth of it.
const WATCH: Duration = Duration::from_secs(120);

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fuzz/corpus")
}

/// The files of a folder, in the order of their names.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

/// Numbers that look like chance.
struct Chance(u64);

impl Chance {
    /// A number below `limit`, which is not zero.
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((x ^ x >> 31) % limit as u64).expect("less than limit")
    }
}

/// Texts and bytes that readers stumble over.
const PIECES: &[&[u8]] = &[
    b"0",
    b"-1",
    b"1e308",
    b"-1e308",
    b"5e-324",
    b"nan",
    b"inf",
    b"null",
    b"4294967295",
    b"18446744073709551615",
    b"9223372036854775808",
    b"\"\"",
    b"[]",
    b"{}",
    b"\0",
    b"\n",
    b"\r\n",
    b"\xff\xff\xff\xff",
    b"\xc3\x28",
    b"<b>",
    b"&",
    b"=1",
    b"..",
    b"/",
    b"true",
    b"1.5",
    b"[[",
    b"\x7f\xff\xff\xff\xff\xff\xff\xff",
];

/// One to four changes.
fn changed(bytes: &[u8], other: &[u8], chance: &mut Chance) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=chance.below(4) {
        let at = chance.below(bytes.len() + 1);
        let length = chance.below(16).min(bytes.len() - at);
        match chance.below(7) {
            0 if at < bytes.len() => bytes[at] ^= 1 << chance.below(8),
            1 => drop(bytes.splice(
                at..at + length,
                PIECES[chance.below(PIECES.len())].iter().copied(),
            )),
            2 => drop(bytes.drain(at..at + length)),
            3 => bytes.extend_from_within(at..at + length),
            4 => bytes.truncate(at),
            5 => {
                let from = chance.below(other.len() + 1);
                let to = (from + chance.below(200)).min(other.len());
                drop(bytes.splice(at..at, other[from..to].iter().copied()));
            }
            // a whole number or word in place of another
            _ => {
                let own =
                    |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'+');
                let start = bytes[..at]
                    .iter()
                    .rposition(|byte| !own(byte))
                    .map_or(0, |i| i + 1);
                let end = bytes[at..]
                    .iter()
                    .position(|byte| !own(byte))
                    .map_or(bytes.len(), |i| at + i);
                drop(bytes.splice(
                    start..end,
                    PIECES[chance.below(PIECES.len())].iter().copied(),
                ));
            }
        }
    }
    bytes
}

/// Every input of a target: the files, and their changes.
fn inputs(target: &Target, mutations: u64) -> Vec<(String, Vec<u8>)> {
    let files = files(&corpus().join(target.name));
    let files: Vec<(String, Vec<u8>)> = files
        .iter()
        .map(|path| (path.display().to_string(), fs::read(path).unwrap()))
        .collect();
    let mut chance = Chance(7);
    let mut inputs = files.clone();
    for (name, bytes) in &files {
        for number in 0..mutations {
            let (_, other) = &files[chance.below(files.len())];
            let bytes = changed(bytes, other, &mut chance);
            inputs.push((format!("change {number} of {name}"), bytes));
        }
    }
    inputs
}

/// The inputs of a target one after the other, on a thread that is watched.
fn replay(target: &Target, mutations: u64) -> usize {
    let inputs = inputs(target, mutations);
    let names: Vec<String> = inputs.iter().map(|(name, _)| name.clone()).collect();
    let meet = target.meet;
    let (sender, receiver) = channel();
    thread::spawn(move || {
        for (_, bytes) in inputs {
            let met = catch_unwind(AssertUnwindSafe(|| meet(&bytes)));
            if sender.send(met.map_err(|_| bytes)).is_err() {
                break;
            }
        }
    });
    for name in &names {
        match receiver.recv_timeout(WATCH) {
            Ok(Ok(())) => {}
            Ok(Err(bytes)) => {
                let file = std::env::temp_dir().join(format!("delassus-{}", target.name));
                fs::write(&file, bytes).unwrap();
                panic!(
                    "{}: {name}: see above; its bytes are in {}",
                    target.name,
                    file.display()
                );
            }
            Err(RecvTimeoutError::Timeout) => panic!("{}: {name}: no end", target.name),
            Err(RecvTimeoutError::Disconnected) => {
                panic!("{}: {name}: the thread is gone", target.name)
            }
        }
    }
    names.len()
}

#[test]
fn every_file_is_met_without_a_panic() {
    let mutations = std::env::var("DELASSUS_MUTATIONS");
    let mutations = mutations.map_or(MUTATIONS, |text| text.parse().expect("a number"));
    let only = std::env::var("DELASSUS_TARGET").ok();
    let mut sum = 0;
    for target in TARGETS {
        if only.as_deref().is_some_and(|only| only != target.name) {
            continue;
        }
        let count = files(&corpus().join(target.name)).len();
        assert!(count >= 10, "{}: {count} files", target.name);
        let met = replay(target, mutations);
        println!("{:10} {count:5} files, {met:8} inputs", target.name);
        sum += met;
    }
    println!("{sum} inputs in all");
}

#[test]
fn every_target_is_built_and_has_a_corpus() {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fuzz/Cargo.toml");
    let manifest = fs::read_to_string(manifest).unwrap();
    let names: BTreeSet<String> = TARGETS.iter().map(|t| t.name.to_owned()).collect();
    let folders = files(&corpus()).into_iter();
    let folders = folders.map(|path| path.file_name().unwrap().to_string_lossy().into_owned());
    assert_eq!(folders.collect::<BTreeSet<_>>(), names);
    for name in &names {
        assert!(manifest.contains(&format!("name = \"{name}\"")), "{name}");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fuzz/targets");
        let source = fs::read_to_string(source.join(format!("{name}.rs"))).unwrap();
        assert!(source.contains(&format!("meet({name:?}, bytes)")), "{name}");
    }
}

//! Inputs that cannot be meant: every message word by word, with its exit code.
//!
//! `tests/bad/*.txt` hold the cases. A line `#### NAME` begins one, `$ ` the arguments of the
//! program, `+++ FILE` a file whose lines follow, `~~~ FILE: OLD => NEW` one change of a file (`\n`
//! is the end of a line) that stands in `bad/base` or above, `!!! FILE STEPS` bytes: `from` a file
//! of the repository, `append`, `prefix` and `set AT` hexadecimal bytes, `cut` to a length,
//! `repeat` so many times, `swap` text, `sparse` of a length, a `link`. `--- CODE` begins what must
//! come out: the exit code, then all that the program says.
//! `UPDATE_GOLDEN=1 cargo test -p delassus-lab --test all bad_inputs` writes that anew.

use std::fmt::Write;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::support::Lab;

/// Where the cases are.
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bad");
/// The repository.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// An input and what the program must say about it.
struct Case {
    /// The lines of the case, without what must come out.
    input: String,
    /// What must come out: exit code and text.
    expected: String,
}

impl Case {
    fn name(&self) -> &str {
        self.input.lines().next().unwrap_or_default()
    }

    fn of(text: &str) -> Self {
        let (input, expected) = match text.split_once("\n--- ") {
            Some((input, expected)) => (input, expected),
            None => (text, ""),
        };
        Self {
            input: input.trim_end().to_owned(),
            expected: expected.trim_end().to_owned(),
        }
    }

    /// Makes the files, runs the program, and returns exit code and text.
    fn run(&self) -> String {
        let lab = Lab::new();
        for entry in fs::read_dir(Path::new(FOLDER).join("base")).expect("the base files") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().expect("a name");
            fs::copy(&path, lab.path(&name.to_string_lossy())).expect("a copy");
        }
        let mut arguments = None;
        // of a file with lines of its own, its name and what has come so far
        let mut file: Option<(&str, String)> = None;
        let mut lines = self.input.lines().skip(1);
        loop {
            let line = lines.next();
            let marker = line.and_then(|line| line.split_once(' '));
            let marker = marker.filter(|(mark, _)| matches!(*mark, "$" | "+++" | "~~~" | "!!!"));
            match (marker, line, &mut file) {
                (None, Some(line), Some((_, text))) => {
                    text.push_str(line);
                    text.push('\n');
                    continue;
                }
                (None, Some(_), None) => continue,
                _ => {}
            }
            if let Some((name, text)) = file.take() {
                let text = text.trim_end_matches('\n');
                lab.file(name, format!("{text}\n"));
            }
            match marker {
                None => break,
                Some(("$", rest)) => arguments = Some(rest),
                Some(("+++", rest)) => file = Some((rest, String::new())),
                Some(("~~~", rest)) => self.change(&lab, rest),
                Some((_, rest)) => self.bytes(&lab, rest),
            }
        }
        let arguments = arguments.unwrap_or_else(|| panic!("{}: no arguments", self.name()));
        // an argument may hold a blank
        let arguments: Vec<String> = arguments.split(' ').map(|a| a.replace('␣', " ")).collect();
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let ran = lab.run(&arguments);
        let said = format!("{}{}", ran.stdout, ran.stderr);
        assert!(!said.contains("panicked"), "{}: {said}", self.name());
        let lines = said.lines().map(str::trim_end);
        let said = lines.collect::<Vec<_>>().join("\n");
        format!("{}\n{}", ran.code, said.trim_end())
    }

    fn change(&self, lab: &Lab, step: &str) {
        let parts = step.split_once(": ");
        let parts = parts.and_then(|(name, change)| Some((name, change.split_once(" =>")?)));
        let Some((name, (old, new))) = parts else {
            panic!("{}: {step}", self.name());
        };
        let (old, new) = (old.replace("\\n", "\n"), new.replace("\\n", "\n"));
        let text = fs::read_to_string(lab.path(name)).expect("a base file");
        let found = text.matches(&old).count();
        assert_eq!(found, 1, "{}: {old:?} in {name}", self.name());
        lab.file(
            name,
            text.replacen(&old, new.strip_prefix(' ').unwrap_or(&new), 1),
        );
    }

    fn bytes(&self, lab: &Lab, step: &str) {
        let mut words = step.split(' ');
        let mut next = || words.next().unwrap_or_default();
        let name = next();
        let mut bytes = Vec::new();
        loop {
            match next() {
                "" => break,
                "from" => bytes = fs::read(Path::new(ROOT).join(next())).expect("a file"),
                "append" => bytes.extend(hexadecimal(next())),
                "prefix" => bytes.splice(..0, hexadecimal(next())).for_each(drop),
                "set" => {
                    let at = number(next());
                    let new = hexadecimal(next());
                    bytes[at..at + new.len()].copy_from_slice(&new);
                }
                "cut" => bytes.truncate(number(next())),
                "repeat" => bytes = bytes.repeat(number(next())),
                "swap" => bytes = swapped(&bytes, next().as_bytes(), next().as_bytes()),
                "sparse" => {
                    let file = File::create(lab.path(name)).expect("a file");
                    file.set_len(number(next()) as u64).expect("a hole");
                    return;
                }
                "link" => {
                    std::os::unix::fs::symlink(next(), lab.path(name)).expect("a link");
                    return;
                }
                other => panic!("{}: no step {other}", self.name()),
            }
        }
        lab.file(name, bytes);
    }
}

fn number(word: &str) -> usize {
    word.parse().unwrap_or_else(|_| panic!("a number: {word}"))
}

fn hexadecimal(word: &str) -> Vec<u8> {
    let digits = word.as_bytes().chunks(2);
    let byte = |pair| u8::from_str_radix(std::str::from_utf8(pair).expect("ASCII"), 16);
    digits.map(|pair| byte(pair).expect("two digits")).collect()
}

/// The bytes with the first `old` replaced.
fn swapped(bytes: &[u8], old: &[u8], new: &[u8]) -> Vec<u8> {
    let at = bytes.windows(old.len()).position(|window| window == old);
    let at = at.unwrap_or_else(|| panic!("no {}", String::from_utf8_lossy(old)));
    [&bytes[..at], new, &bytes[at + old.len()..]].concat()
}

/// A file of cases: what stands before them, and they.
fn cases(path: &Path) -> (String, Vec<Case>) {
    let text = fs::read_to_string(path).expect("a file of cases");
    let mut parts = text.split("\n#### ");
    let head = parts.next().unwrap_or_default().to_owned();
    (head, parts.map(Case::of).collect())
}

/// What each case came to, in order; the program is started several times at once.
fn run_all(cases: &[Case]) -> Vec<String> {
    let results = Mutex::new(vec![String::new(); cases.len()]);
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let came = case.run();
                    let at = cases.iter().position(|other| std::ptr::eq(other, case));
                    results.lock().expect("no panic")[at.expect("one of them")] = came;
                }
            });
        }
    });
    results.into_inner().expect("no panic")
}

/// The first word that is written like a type of the program, as `FixedBox`.
fn type_name(message: &str) -> Option<&str> {
    let rises = |part: &[u8]| {
        let [low, high] = [u8::is_ascii_lowercase, u8::is_ascii_uppercase];
        low(&part[0]) && high(&part[1]) && low(&part[2])
    };
    let mut words = message.split(|c: char| !c.is_alphanumeric());
    words.find(|word| *word != "NumPy" && word.as_bytes().windows(3).any(rises))
}

#[test]
fn every_bad_input_has_its_message() {
    let mut paths: Vec<PathBuf> = fs::read_dir(FOLDER)
        .expect("the cases")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "txt"))
        .collect();
    paths.sort();
    let update = std::env::var_os("UPDATE_GOLDEN").is_some();
    let (mut count, mut wrong) = (0, String::new());
    for path in paths {
        let (head, cases) = cases(&path);
        let came = run_all(&cases);
        count += cases.len();
        if update {
            let blocks = cases.iter().zip(&came);
            let blocks = blocks.map(|(case, came)| format!("#### {}\n--- {came}", case.input));
            let text = std::iter::once(head.trim_end().to_owned()).chain(blocks);
            let text = text.collect::<Vec<_>>().join("\n\n");
            fs::write(&path, text + "\n").expect("the cases");
        }
        for (case, came) in cases.iter().zip(&came) {
            // whatever else it says: it refuses, and not by an accident
            let refused = matches!(came.split('\n').next(), Some("1" | "2" | "3" | "6"));
            assert!(refused, "{}: {came}", case.name());
            // the words of the user, and not the notation of the program
            let forms = ["Some(", "None)", "Ok(", "Err("];
            let is_debug = forms.iter().any(|form| came.contains(form));
            assert!(!is_debug, "{}: {came}", case.name());
            assert_eq!(type_name(came), None, "{}: {came}", case.name());
            if !update && *came != case.expected {
                let (name, expected) = (case.name(), &case.expected);
                let _ = write!(wrong, "\n{name}\nexpected {expected}\nfound {came}\n");
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(count >= 150, "only {count} cases");
    println!("{count} bad inputs");
}

//! Spawning the program, and small problem files.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use delassus_conformance::skip;
use delassus_problems::{generate, write_snapshot};
use serde_json::{Map, Value, json};
use tempfile::TempDir;

/// The program, in the folder of a test.
pub(crate) struct Lab {
    folder: TempDir,
}

/// What a run of the program left.
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Lab {
    pub(crate) fn new() -> Self {
        Self {
            folder: tempfile::tempdir().expect("a temporary folder"),
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file and returns its name, which is relative to the folder that the program runs
    /// in.
    pub(crate) fn file<'n>(&self, name: &'n str, content: impl AsRef<[u8]>) -> &'n str {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, content).expect("a file");
        name
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_delassus"));
        command.args(arguments).current_dir(self.folder.path());
        // without it some graphics drivers talk on standard error before the program does
        command.env("XDG_RUNTIME_DIR", self.folder.path());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        let output = self
            .command(arguments)
            .output()
            .expect("the program starts");
        Ran::from(output)
    }
}

/// Runs the program on a machine that has the peers and engines of this folder.
pub(crate) fn with_peers(lab: &Lab, folder: &str, arguments: &[&str]) -> Ran {
    let mut command = lab.command(arguments);
    command.env("DELASSUS_PEERS", lab.path(folder));
    Ran::from(command.output().expect("the program starts"))
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).expect("the program writes UTF-8");
        Self {
            code: output.status.code().expect("the program exits by itself"),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }
}

impl Ran {
    /// One JSON object per line of standard output; every line must be one.
    pub(crate) fn objects(&self) -> Vec<Value> {
        let lines = self.stdout.lines();
        lines
            .map(|line| {
                let value: Value = serde_json::from_str(line)
                    .unwrap_or_else(|error| panic!("{error}: {line:?}\nstderr: {}", self.stderr));
                assert!(value.is_object(), "{line}");
                value
            })
            .collect()
    }

    /// Checks that the request was refused with one error that says all of `parts`.
    #[track_caller]
    pub(crate) fn is_refused_with(&self, parts: &[&str]) {
        assert_eq!(
            self.code, 2,
            "stdout: {}\nstderr: {}",
            self.stdout, self.stderr
        );
        assert_eq!(self.stdout, "", "a refused request prints no data");
        let errors = self.stderr.matches("error: ").count();
        assert_eq!(errors, 1, "one diagnostic: {}", self.stderr);
        for part in parts {
            assert!(
                self.stderr.contains(part),
                "no {part:?} in: {}",
                self.stderr
            );
        }
        assert!(!self.stderr.contains("panicked"), "{}", self.stderr);
    }
}

/// A numeric linear complementarity problem, w = Mz + q.
pub(crate) const LCP_MATRIX: [[f64; 2]; 2] = [[2.0, 1.0], [1.0, 3.0]];
/// Its q; the solution z = M⁻¹(1, 1) = (0.4, 0.2) has w = 0.
pub(crate) const LCP_Q: [f64; 2] = [-1.0, -1.0];
/// The same as a file.
pub(crate) const LCP: &str = "2\n0\n2\n2\n2 2\n2 1\n1 3\n-1 -1\n";

/// One contact with μ = 0.1 that slides: W, q, μ as in [`CONTACT`].
pub(crate) const CONTACT_MATRIX: [[f64; 3]; 3] =
    [[15.0, -1.0, -2.0], [-1.0, 14.0, 1.0], [-2.0, 1.0, 16.0]];
/// Its q.
pub(crate) const CONTACT_Q: [f64; 3] = [-1.0, 2.0, 3.0];
/// Its friction coefficient.
pub(crate) const CONTACT_MU: f64 = 0.1;
/// The same as a file (fc3d text, matrix column by column).
pub(crate) const CONTACT: &str = "3\n1\n0\n3\n3\n3 3\n15 -1 -2\n-1 14 1\n-2 1 16\n-1 2 3\n0.1\n";

/// A complementarity problem with a row that no impulse of its own moves: Gauss–Seidel refuses it.
pub(crate) const UNDIVIDED: &str = "2\n0\n2\n2\n2 2\n0 1\n1 0\n-1 -1\n";

/// The start of an HDF5 file.
pub(crate) const HDF5: &[u8] = b"\x89HDF\r\n\x1a\n\0\0\0\0\0\x08\x08\0";

/// Gauss–Seidel on an anchored chain of n links gains a factor of 1 − O(1/n²) per sweep (closed
/// form of the theory page on problems): 4000 links take hours.
pub(crate) const ENDLESS: usize = 4000;

/// Writes `chain.dls`, an anchored chain of `n` links.
pub(crate) fn write_chain(lab: &Lab, n: usize) {
    let mut parameters = Map::new();
    parameters.insert("n".to_owned(), json!(n));
    let chain = generate("chain", &parameters).expect("a chain");
    write_snapshot(lab.path("chain.dls"), &chain).expect("a snapshot");
}

/// The problems that the project takes its published numbers from, if they lie next to it.
pub(crate) fn shared_problems() -> Option<&'static Path> {
    let folder = Path::new(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../shared/problems"
    ));
    if folder.is_dir() {
        return Some(folder);
    }
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a test");
    skip(test, format!("no {}", folder.display()));
    None
}

/// An example as a program, built like these tests.
pub(crate) fn example(name: &str) -> PathBuf {
    let mut build = Command::new(env!("CARGO"));
    // with the features of all packages together, as `cargo test --workspace` has built it: then
    // there is nothing to do
    build.args(["build", "--quiet", "--workspace", "--example", name]);
    build.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    if !cfg!(debug_assertions) {
        build.arg("--release");
    }
    let built = build.status().expect("cargo starts").success();
    assert!(built, "the example {name} does not build");
    // target/PROFILE/deps/this-test
    let here = std::env::current_exe().expect("the path of this test");
    let profile = here.ancestors().nth(2).expect("target/PROFILE");
    let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    profile.join("examples").join(file)
}

/// A table without its columns of times.
pub(crate) fn without_times(bytes: &[u8]) -> Vec<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .from_reader(bytes);
    let rows: Vec<csv::StringRecord> = reader.records().map(|row| row.expect("a row")).collect();
    let header = rows.first().expect("a header");
    let is_time = |name: &str| name.contains("seconds") || name.ends_with("[s]");
    let kept: Vec<usize> = (0..header.len())
        .filter(|i| !is_time(&header[*i]))
        .collect();
    let row = |row: &csv::StringRecord| kept.iter().map(|i| row[*i].to_owned()).collect();
    rows.iter().map(row).collect()
}

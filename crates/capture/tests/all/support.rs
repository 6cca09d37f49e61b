//! The driver program, and scripts for it.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use delassus_core::{Friction, Law, Operator};
use delassus_problems::{ContactLaw, NamedProblem, ProblemReadError, read_bytes};
use delassus_skips::skip;

/// Warnings that are errors in every build of the header.
const FLAGS: [&str; 4] = ["-Wall", "-Wextra", "-Werror", "-pedantic"];

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Compiles the driver; `None` with a printed reason if the compiler is not there.
///
/// # Panics
/// The compiler is there and refuses the header.
pub(crate) fn compiled(compiler: &str, standard: &str, out: &Path) -> Option<PathBuf> {
    let include = folder().join("include");
    let mut command = Command::new(compiler);
    command.args(FLAGS).arg(format!("-std={standard}"));
    if standard.starts_with("c++") {
        command.args(["-x", "c++"]);
    }
    let program = out.join(format!("driver-{standard}"));
    command.arg("-I").arg(include).arg("-o").arg(&program);
    let driver = folder().join("tests/all/driver.c");
    let output = match command.arg(driver).arg("-lm").output() {
        Ok(output) => output,
        Err(error) => {
            skip("capture", format!("there is no {compiler}: {error}"));
            return None;
        }
    };
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{compiler} -std={standard}: {said}"
    );
    Some(program)
}

/// A folder of the test with the driver in it; `None` with a printed reason.
pub(crate) struct Capture {
    /// Where files go.
    pub(crate) folder: tempfile::TempDir,
    /// The driver.
    pub(crate) program: PathBuf,
}

impl Capture {
    pub(crate) fn new() -> Option<Self> {
        let folder = tempfile::tempdir().expect("a folder");
        let program = compiled("cc", "c99", folder.path())?;
        Some(Self { folder, program })
    }

    /// The path of a file of the test.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs a script; the lines that the driver prints.
    pub(crate) fn run(&self, script: &Script) -> Vec<String> {
        lines(finish(Command::new(&self.program), self, script))
    }

    /// The same where no file may be longer than `blocks` of 512 or 1024 bytes, as the shell
    /// counts.
    pub(crate) fn run_on_a_full_disk(&self, script: &Script, blocks: u32) -> Vec<String> {
        let mut shell = Command::new("sh");
        let limited = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\"");
        shell.arg("-c").arg(limited).arg(&self.program);
        lines(finish(shell, self, script))
    }

    /// Writes a capture to a file of this name and reads it.
    ///
    /// # Panics
    /// The header refuses it.
    pub(crate) fn written(&self, mut script: Script, name: &str) -> NamedProblem {
        script.call(format!("write {name} test"));
        let said = self.run(&script);
        assert_eq!(said.last().map(|line| line.trim()), Some("0"), "{said:?}");
        read(&self.bytes(name)).expect("a snapshot")
    }

    /// The bytes of a file of the test.
    pub(crate) fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).expect("a file")
    }
}

fn finish(mut command: Command, capture: &Capture, script: &Script) -> Output {
    command.current_dir(capture.folder.path());
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("the driver starts");
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all(script.0.as_bytes()).expect("it reads");
    drop(input);
    child.wait_with_output().expect("it ends")
}

fn lines(output: Output) -> Vec<String> {
    assert!(
        output.status.success(),
        "the driver ended {}",
        output.status
    );
    let text = String::from_utf8(output.stdout).expect("text");
    text.lines().map(str::to_owned).collect()
}

/// Reads a snapshot.
pub(crate) fn read(bytes: &[u8]) -> Result<NamedProblem, ProblemReadError> {
    read_bytes("captured.dls", bytes, ContactLaw::Coulomb)
}

/// Calls of the header, a line each.
#[derive(Clone, Default)]
pub(crate) struct Script(String);

/// Numbers as the driver reads them: their bits.
fn bits(values: &[f64]) -> String {
    let mut text = String::new();
    for value in values {
        write!(text, " {:x}", value.to_bits()).expect("a string grows");
    }
    text
}

impl Script {
    pub(crate) fn new(dt: f64, gravity: f64) -> Self {
        let mut script = Self::default();
        script.call(format!("begin{}", bits(&[dt, gravity])));
        script
    }

    /// Adds a call as the driver reads it.
    pub(crate) fn call(&mut self, line: impl AsRef<str>) {
        self.0.push_str(line.as_ref());
        self.0.push('\n');
    }

    /// Adds a call whose arguments are reals.
    pub(crate) fn reals(&mut self, head: &str, values: &[f64]) {
        self.call(format!("{head}{}", bits(values)));
    }

    /// A body with one mass and one moment of inertia; zeros for a fixed one.
    pub(crate) fn body(&mut self, inverse_mass: f64, inverse_inertia: f64, velocity: [f64; 6]) {
        let mut values = vec![inverse_mass; 3];
        for i in 0..9 {
            values.push(if i % 4 == 0 { inverse_inertia } else { 0.0 });
        }
        values.extend(velocity);
        self.reals("body", &values);
    }

    pub(crate) fn block(&mut self, law: usize, numbers: [f64; 3], feature: u64) {
        self.call(format!("block {law}{} {feature}", bits(&numbers)));
    }

    /// A row between two bodies; `numbers` are bias, compliance, start and result.
    pub(crate) fn row(
        &mut self,
        block: usize,
        [a, b]: [usize; 2],
        [ja, jb]: [&[f64; 6]; 2],
        numbers: [f64; 4],
    ) {
        let (ja, jb, numbers) = (bits(ja), bits(jb), bits(&numbers));
        self.call(format!("row {block} {a}{ja} {b}{jb}{numbers}"));
    }

    /// The calls that capture a problem whose operator has bodies.
    pub(crate) fn of(named: &NamedProblem) -> Self {
        let parts = named.problem.clone().into_parts();
        let step = parts.step.expect("a step");
        let mut script = Self::new(step.dt, step.gravity);
        let Operator::Bodies(bodies) = &parts.operator else {
            panic!("a problem without bodies");
        };
        for (index, mass) in bodies.mass.iter().enumerate() {
            let mut values = mass.inverse_mass.as_slice().to_vec();
            values.extend(mass.inverse_inertia.transpose().as_slice());
            values.extend(&bodies.free_velocity[6 * index..6 * index + 6]);
            script.reals("body", &values);
        }
        for (index, block) in named.problem.blocks().iter().enumerate() {
            let (law, numbers) = law(&block.law);
            script.block(law, numbers, block.feature);
            let touched = bodies.bodies_of(index);
            for local in 0..block.dim {
                let row = block.first_row + local;
                let first = bodies.first_entry[index] + local * touched.len();
                let entry = |j: usize| &bodies.jacobian[first + j];
                let start = named.warm_start.as_ref().map_or(0.0, |start| start[row]);
                let captured = named.captured.as_ref();
                let result = captured.map_or(0.0, |captured| captured.impulses[row]);
                let numbers = [parts.bias[row], parts.compliance[row], start, result];
                let one = touched.len() == 1;
                let other = if one {
                    "-1".to_owned()
                } else {
                    touched[1].to_string()
                };
                let jb = if one { [0.0; 6] } else { *entry(1) };
                let (ja, jb, numbers) = (bits(entry(0)), bits(&jb), bits(&numbers));
                script.call(format!(
                    "row {index} {}{ja} {other}{jb}{numbers}",
                    touched[0]
                ));
                for (j, body) in touched.iter().enumerate().skip(2) {
                    script.reals(&format!("couple {row} {body}"), entry(j));
                }
                if let Law::Patch(patch) = &block.law
                    && let Some(lever) = patch.levers.get(local)
                {
                    script.reals(&format!("lever {row}"), &[*lever]);
                }
            }
        }
        script
    }
}

/// Number of a law in the header, with lower, upper and μ.
fn law(law: &Law) -> (usize, [f64; 3]) {
    let friction = |number, mu| (number, [0.0, 0.0, mu]);
    match law {
        Law::Equality => (0, [0.0; 3]),
        Law::Bounds { lower, upper } => (1, [*lower, *upper, 0.0]),
        Law::Contact(Friction::Frictionless) => (2, [0.0; 3]),
        Law::Contact(Friction::FixedBox { limit }) => (3, [0.0, *limit, 0.0]),
        Law::Contact(Friction::Pyramid { mu }) => friction(4, *mu),
        Law::Contact(Friction::Disc { mu }) => friction(5, *mu),
        Law::Contact(Friction::Coulomb { mu }) => friction(6, *mu),
        Law::Contact(Friction::ConvexCone { mu }) => friction(7, *mu),
        Law::Patch(patch) => friction(8, patch.mu),
        other => panic!("the header has no law {:?}", other.kind()),
    }
}
